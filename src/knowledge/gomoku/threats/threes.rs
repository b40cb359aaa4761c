//! Victory by continuous threats, by proof-number search (Allis 1994).
//!
//! The tree is kept in one array. Where the attacker is to move, one of its threats must win; where
//! the defender is, all replies must lose that could matter: those in the
//! [zone](super::fours::Fours::zone) of the victory by fours that it is threatened with, and its
//! own fours. Replies that lose to fours at once do not become children. A node's *proof
//! number* says how many leaves must at least be won to prove it, its *disproof number* how many must
//! fail; the next leaf is one that does most for either. The proof number of a threat counts for more
//! at its parent, by the *cost* of its kind: without that, fours would be tried first everywhere, as
//! they have a single answer, and never end.

use super::fours::Fours;
use super::{NODES_WITHIN, stops};
use crate::game::gomoku::Gomoku;
use crate::game::gomoku::bits::Bits;
use crate::game::{Move, Rule, Side};
use crate::knowledge::Effort;
use crate::knowledge::gomoku::patterns::Patterns;
use crate::knowledge::gomoku::patterns::kind::CellKind;

/// The number of what cannot be proven, or disproven.
const INFINITE: u32 = u32::MAX;

/// Nodes of a search for the fours at the end of a line, which were found once with fewer.
const NODES_AGAIN: u32 = 10_000;

/// Nodes of a search for fours after a reply, which is searched on as a child if they do not do.
const NODES_OF_REPLY: u32 = 40;

/// The root's place in the tree.
const ROOT: usize = 0;

#[derive(Clone, Copy)]
struct Node {
    proof: u32,
    disproof: u32,
    /// What its parent adds to the proof number while it is not proven.
    cost: u32,
    /// Its children are in a row; none before it is expanded.
    first_child: u32,
    children: u16,
    /// The move that led here.
    mv: Move,
    parent: u32,
    /// To the win at the most, where one is proven. At the defender's nodes that are not proven:
    /// if the defender lets things take their course.
    plies: u16,
}

impl Node {
    /// The proof number as the parent counts it, where one child must be proven.
    fn price(&self) -> u32 {
        match self.proof {
            0 => 0,
            proof => proof.saturating_add(self.cost),
        }
    }
}

/// What is known of a node when it is first looked at.
enum Found {
    /// Won by the attacker in so many plies.
    Win(u16),
    /// No win by these means.
    Nothing,
    /// It depends on the children. The number: the plies to the win if none of them is played.
    Children(u16),
}

/// A result for a position that several lines lead to.
#[derive(Clone, Copy, Default)]
struct Known {
    key: u64,
    /// Plies to the win; 0: there is none by these means.
    plies: u16,
}

/// A search for victories by threats.
pub struct Threes {
    tree: Vec<Node>,
    known: Box<[Known]>,
    /// Looked at in all searches, without those of searches for fours.
    nodes: u64,
}

impl Threes {
    /// With a tree and a table of so many bytes together.
    #[must_use]
    pub fn with_bytes(bytes: usize) -> Threes {
        let entries = (bytes / 8 / size_of::<Known>()).max(2);
        let nodes = (bytes / 8 * 7 / size_of::<Node>()).max(1024);
        Threes {
            tree: Vec::with_capacity(nodes),
            known: vec![Known::default(); 1 << entries.ilog2()].into_boxed_slice(),
            nodes: 0,
        }
    }

    /// Looks for a victory of `attacker`, with `side` to move. Returns its plies.
    pub fn win(
        &mut self,
        fours: &mut Fours,
        board: &mut Patterns,
        attacker: Side,
        side: Side,
        effort: &Effort<'_>,
    ) -> Option<u16> {
        let start = board.played();
        let mut search = Search {
            tree: &mut self.tree,
            known: &mut self.known,
            nodes: &mut self.nodes,
            fours,
            board,
            attacker,
            side,
        };
        let proven = search.run(effort);
        search.board.rewind(start);
        let root = self.tree[ROOT];
        proven.then_some(root.plies)
    }

    /// Positions looked at so far, without those of searches for fours.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the last search has seen that there is no victory by these means.
    pub(super) fn failed(&self) -> bool {
        self.tree.first().is_some_and(|root| root.disproof == 0)
    }

    /// The moves of the victory that [`win`](Self::win) found for `attacker`, which is to move. It
    /// ends early where `effort` does not suffice to find the rest again.
    pub fn line(
        &mut self,
        fours: &mut Fours,
        board: &mut Patterns,
        attacker: Side,
        effort: &Effort<'_>,
    ) -> Vec<Move> {
        let start = board.played();
        let mut line = Vec::new();
        let mut side = attacker;
        loop {
            let before = line.len();
            for node in self.main_line() {
                board.play(node.mv, side);
                line.push(node.mv);
                side = side.other();
            }
            if side == attacker && fours.win(board, attacker, u16::MAX, NODES_AGAIN).is_some() {
                line.extend(fours.line());
                break;
            }
            if side != attacker {
                // No reply matters: take any and go on.
                let reply = board.fives(attacker) | board.empty();
                let reply = reply.cells().find(|&cell| board.allows(cell, side));
                let Some(reply) = reply.map(Gomoku::move_at) else {
                    break;
                };
                board.play(reply, side);
                line.push(reply);
                side = attacker;
            }
            // The rest was known from elsewhere in the tree.
            if line.len() == before {
                break;
            }
            if self.win(fours, board, attacker, side, effort).is_none() {
                break;
            }
        }
        board.rewind(start);
        line
    }

    /// The proven nodes below the root, with the longest defence against the shortest attack.
    fn main_line(&self) -> Vec<Node> {
        let mut line = Vec::new();
        let mut node = self.tree[ROOT];
        loop {
            let first = node.first_child as usize;
            let children = &self.tree[first..first + usize::from(node.children)];
            let proven = children.iter().filter(|child| child.proof == 0);
            // The attacker's nodes need one child proven, and the defender's all.
            let next = match node.plies % 2 {
                1 => proven.min_by_key(|child| child.plies),
                _ => proven.max_by_key(|child| child.plies),
            };
            let Some(&next) = next else {
                return line;
            };
            line.push(next);
            node = next;
        }
    }
}

/// One search.
struct Search<'a> {
    tree: &'a mut Vec<Node>,
    known: &'a mut [Known],
    nodes: &'a mut u64,
    fours: &'a mut Fours,
    board: &'a mut Patterns,
    attacker: Side,
    /// Which is to move on the board.
    side: Side,
}

impl Search<'_> {
    /// Searches until the root is decided, memory is full or the effort is spent. Returns whether
    /// the attacker's win is proven.
    fn run(&mut self, effort: &Effort<'_>) -> bool {
        self.tree.clear();
        self.tree.push(Node {
            proof: 1,
            disproof: 1,
            cost: 0,
            first_child: 0,
            children: 0,
            mv: Gomoku::move_at(0),
            parent: 0,
            plies: 0,
        });
        let mut at = ROOT;
        let begun = *self.nodes + self.fours.nodes();
        loop {
            let root = self.tree[ROOT];
            if root.proof == 0 || root.disproof == 0 {
                break;
            }
            let nodes = *self.nodes + self.fours.nodes() - begun;
            // Each leaf looks for fours itself, so the clock is asked at every one.
            if nodes >= effort.nodes || (effort.expired)() {
                break;
            }
            *self.nodes += 1;
            let leaf = self.descend(at);
            if !self.expand(leaf) {
                break;
            }
            at = self.ascend(leaf);
        }
        self.tree[ROOT].proof == 0
    }

    fn is_attackers_turn(&self) -> bool {
        self.side == self.attacker
    }

    fn play(&mut self, mv: Move) {
        self.board.play(mv, self.side);
        self.side = self.side.other();
    }

    /// Plays down from a node to the leaf that does most to prove or disprove it.
    fn descend(&mut self, from: usize) -> usize {
        let mut at = from;
        while self.tree[at].children > 0 {
            let children = self.children(at);
            let nodes = self.tree[children.clone()].iter().zip(children);
            let best = match self.is_attackers_turn() {
                true => nodes.min_by_key(|(child, _)| child.price()),
                false => nodes.min_by_key(|(child, _)| child.disproof),
            };
            let Some((&child, number)) = best else { break };
            self.play(child.mv);
            at = number;
        }
        at
    }

    fn children(&self, at: usize) -> std::ops::Range<usize> {
        let node = self.tree[at];
        let first = node.first_child as usize;
        first..first + usize::from(node.children)
    }

    /// Corrects the numbers on the way back to the root, as far as they change. Returns where that
    /// ends: the leaf that does most for the root is below.
    fn ascend(&mut self, leaf: usize) -> usize {
        let mut at = leaf;
        loop {
            let before = self.tree[at];
            if before.children > 0 {
                self.update(at);
            }
            self.note_result(at);
            let node = &self.tree[at];
            let is_same = (node.proof, node.disproof) == (before.proof, before.disproof);
            if at == ROOT || at != leaf && is_same {
                return at;
            }
            at = node.parent as usize;
            self.board.undo();
            self.side = self.side.other();
        }
    }

    /// Works out a node's numbers from its children.
    fn update(&mut self, at: usize) {
        let children = &self.tree[self.children(at)];
        let sum = |numbers: &dyn Fn(&Node) -> u32| {
            let numbers = children.iter().map(numbers);
            numbers.fold(0, u32::saturating_add)
        };
        let least = |number: &dyn Fn(&Node) -> u32| children.iter().map(number).min();
        let (proof, disproof) = match self.is_attackers_turn() {
            true => (least(&|it| it.price()), Some(sum(&|it| it.disproof))),
            false => (Some(sum(&|it| it.proof)), least(&|it| it.disproof)),
        };
        let won = children.iter().filter(|child| child.proof == 0);
        let plies = match self.is_attackers_turn() {
            true => won.map(|child| child.plies + 1).min(),
            false => won.map(|child| child.plies + 1).max(),
        };
        let is_attackers_turn = self.is_attackers_turn();
        let node = &mut self.tree[at];
        node.proof = proof.unwrap_or(INFINITE);
        node.disproof = disproof.unwrap_or(INFINITE);
        if node.proof == 0 {
            let plies = plies.unwrap_or_default();
            // The defender may also play what is not among the children.
            node.plies = match is_attackers_turn {
                true => plies,
                false => plies.max(node.plies),
            };
        }
    }

    /// Looks at a leaf and makes its children. Returns false where there is no room for them.
    fn expand(&mut self, at: usize) -> bool {
        if at != ROOT
            && let Some(known) = self.recall()
        {
            self.settle(at, known);
            return true;
        }
        let mut moves = Vec::new();
        let found = match self.is_attackers_turn() {
            true => self.threaten(&mut moves),
            false => self.reply(&mut moves),
        };
        let Found::Children(plies) = found else {
            self.settle(at, found);
            return true;
        };
        if self.tree.len() + moves.len() > self.tree.capacity() {
            return false;
        }
        let first_child = self.tree.len() as u32;
        self.tree[at].first_child = first_child;
        self.tree[at].children = moves.len() as u16;
        self.tree[at].plies = plies;
        let children = moves.into_iter().map(|(mv, cost)| Node {
            proof: 1,
            disproof: 1,
            cost,
            first_child: 0,
            children: 0,
            mv,
            parent: at as u32,
            plies: 0,
        });
        self.tree.extend(children);
        true
    }

    fn settle(&mut self, at: usize, found: Found) {
        let node = &mut self.tree[at];
        (node.proof, node.disproof, node.plies) = match found {
            Found::Win(plies) => (0, INFINITE, plies),
            Found::Nothing | Found::Children(_) => (INFINITE, 0, 0),
        };
    }

    /// The attacker is to move: its win by fours, or its threats, each with its cost.
    fn threaten(&mut self, moves: &mut Vec<(Move, u32)>) -> Found {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        if !self.board.fives(attacker).is_empty() {
            return Found::Win(1);
        }
        let win = self.fours.win(self.board, attacker, u16::MAX, NODES_WITHIN);
        if let Some(plies) = win {
            return Found::Win(plies);
        }
        let threats = match self.board.fives(defender).is_empty() {
            true => self.threats(),
            false => {
                let stops = stops(self.board, defender);
                stops.into_iter().map(|cell| (cell, 0)).collect()
            }
        };
        let board = &*self.board;
        let allowed = threats
            .into_iter()
            .filter(|&(cell, _)| board.allows(cell, attacker));
        moves.extend(allowed.map(|(cell, cost)| (Gomoku::move_at(cell), cost)));
        match moves.is_empty() {
            true => Found::Nothing,
            false => Found::Children(0),
        }
    }

    /// The cells on which the attacker may threaten a victory by fours, and the costs of these
    /// threats. (Consequence: `docs/EXPERIMENTS.md`, Gomoku.)
    fn threats(&self) -> Vec<(usize, u32)> {
        let cost = |cell: usize| match self.board.kind(cell, self.attacker) {
            CellKind::FourThree | CellKind::OpenThrees | CellKind::Suspect => Some(0),
            CellKind::OpenThree => Some(1),
            CellKind::Four => Some(3),
            CellKind::Threes | CellKind::ThreeTwo => Some(4),
            _ => None,
        };
        let cells = self.board.empty().cells();
        cells.filter_map(|cell| Some((cell, cost(cell)?))).collect()
    }

    /// The defender is to move: the replies that might help it.
    fn reply(&mut self, moves: &mut Vec<(Move, u32)>) -> Found {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        if !self.board.fives(defender).is_empty() {
            return Found::Nothing;
        }
        if !self.board.fives(attacker).is_empty() {
            let stops = stops(self.board, attacker);
            let board = &*self.board;
            let allowed = stops
                .into_iter()
                .filter(|&cell| board.allows(cell, defender));
            moves.extend(allowed.map(|cell| (Gomoku::move_at(cell), 0)));
            return self.replied(moves, 2);
        }
        let win = self.fours.win(self.board, attacker, u16::MAX, NODES_WITHIN);
        let Some(plies) = win else {
            return Found::Nothing;
        };
        let zone = self.fours.zone(self.board) | self.board.fours(defender);
        let plies = self.try_replies(zone & self.board.empty(), plies + 1, moves);
        self.replied(moves, plies)
    }

    /// Leaves out the replies after which fours win at once. Returns the most plies of those.
    fn try_replies(&mut self, zone: Bits<8>, plies: u16, moves: &mut Vec<(Move, u32)>) -> u16 {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        // A stone of the defender less may harm the attacker by other rules.
        let is_plain = self.board.rule() == Rule::Freestyle;
        let own_fours = self.board.fours(defender);
        let mut left = zone;
        let mut most = plies;
        for cell in zone.cells() {
            if !left.contains(cell) || !self.board.allows(cell, defender) {
                continue;
            }
            let mv = Gomoku::move_at(cell);
            self.board.play(mv, defender);
            let win = self
                .fours
                .win(self.board, attacker, u16::MAX, NODES_OF_REPLY);
            if is_plain && win.is_some() {
                // What stops this victory no more than the reply did is no better.
                left &= self.fours.zone(self.board) | own_fours;
            }
            self.board.undo();
            match win {
                Some(plies) => most = most.max(plies + 1),
                None => moves.push((mv, 0)),
            }
        }
        moves.retain(|(mv, _)| left.contains(usize::from(mv.code())));
        most
    }

    /// The children where these replies are left; where none is, the attacker has won.
    fn replied(&self, moves: &[(Move, u32)], plies: u16) -> Found {
        if !moves.is_empty() {
            return Found::Children(plies);
        }
        // Where black has no move at all the game is drawn.
        let board = &*self.board;
        let can_move = !board.is_restricted(self.attacker.other()) || board.black_may_move();
        match can_move && !board.empty().is_empty() {
            true => Found::Win(plies),
            false => Found::Nothing,
        }
    }

    fn key(&self) -> u64 {
        let turn = u64::from(self.is_attackers_turn());
        self.board.key() ^ (2 * turn + self.attacker.index() as u64 + 1) << 40
    }

    /// What is known of the position from elsewhere.
    fn recall(&self) -> Option<Found> {
        let key = self.key();
        let known = self.known[key as usize & (self.known.len() - 1)];
        (known.key == key).then_some(match known.plies {
            0 => Found::Nothing,
            plies => Found::Win(plies),
        })
    }

    fn note_result(&mut self, at: usize) {
        let node = self.tree[at];
        if node.proof == 0 || node.disproof == 0 {
            let key = self.key();
            let plies = if node.proof == 0 { node.plies } else { 0 };
            self.known[key as usize & (self.known.len() - 1)] = Known { key, plies };
        }
    }
}
