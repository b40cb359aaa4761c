//! Victory by continuous threats, by proof-number search (Allis 1994).
//!
//! A position that several lines lead to is one node of a [graph](super::graph). Where the attacker is
//! to move, one of its threats must win; where the defender is, all replies must lose that could
//! matter: those in the [zone](super::fours::Fours::zone) of the victory by fours that it is threatened
//! with, and its own fours. Replies that lose to fours at once do not become children. A node's *proof
//! number* says how many leaves must at least be won to prove it, its *disproof number* how many must
//! fail; the next leaf is one that does most for either. The proof number of a threat counts for more
//! at its parent, by the *cost* of its kind: without that, fours would be tried first everywhere, as
//! they have a single answer, and never end.

use super::fours::Fours;
use super::graph::{Candidate, Graph, INFINITE, ROOT, price};
use super::{NODES_WITHIN, stops};
use crate::game::gomoku::Gomoku;
use crate::game::gomoku::bits::Bits;
use crate::game::{Move, Rule, Side, zobrist};
use crate::knowledge::Effort;
use crate::knowledge::gomoku::patterns::Patterns;
use crate::knowledge::gomoku::patterns::kind::CellKind;
use smallvec::SmallVec;

/// Nodes of a search for the fours at the end of a line, which were found once with fewer.
const NODES_AGAIN: u32 = 10_000;

/// Nodes of a search for fours after a reply, which is searched on as a child if they do not do.
const NODES_OF_REPLY: u32 = 40;

/// What is known of a node when it is first looked at.
enum Found {
    /// Won by the attacker in so many plies.
    Win(u16),
    /// No win by these means.
    Nothing,
    /// It depends on the children. The number: the plies to the win if none of them is played.
    Children(u16),
}

/// A result for a position, for later searches.
#[derive(Clone, Copy, Default)]
struct Known {
    key: u64,
    /// Plies to the win; 0: there is none by these means.
    plies: u16,
}

/// A search for victories by threats.
pub struct Threes {
    graph: Graph,
    known: Box<[Known]>,
    /// Looked at in all searches, without those of searches for fours.
    nodes: u64,
}

impl Threes {
    /// With so many bytes.
    #[must_use]
    pub fn with_bytes(bytes: usize) -> Threes {
        let entries = (bytes / 8 / size_of::<Known>()).max(2);
        Threes {
            graph: Graph::with_bytes(bytes / 8 * 7),
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
            graph: &mut self.graph,
            known: &mut self.known,
            nodes: &mut self.nodes,
            fours,
            board,
            attacker,
            side,
            path: Vec::with_capacity(64),
        };
        let proven = search.run(effort);
        search.board.rewind(start);
        let root = self.graph.nodes[ROOT];
        proven.then_some(root.plies)
    }

    /// Positions looked at so far, without those of searches for fours.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the last search has seen that there is no victory by these means.
    pub(super) fn failed(&self) -> bool {
        self.graph
            .nodes
            .first()
            .is_some_and(|root| root.disproof == 0)
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
            for mv in self.graph.main_line() {
                board.play(mv, side);
                line.push(mv);
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
}

/// One search.
struct Search<'a> {
    graph: &'a mut Graph,
    known: &'a mut [Known],
    nodes: &'a mut u64,
    fours: &'a mut Fours,
    board: &'a mut Patterns,
    attacker: Side,
    /// Which is to move on the board.
    side: Side,
    /// The nodes from the root to the position on the board.
    path: Vec<usize>,
}

impl Search<'_> {
    /// Searches until the root is decided, memory is full or the effort is spent. Returns whether
    /// the attacker's win is proven.
    fn run(&mut self, effort: &Effort<'_>) -> bool {
        let key = self.key();
        self.graph.begin(key);
        self.path.push(ROOT);
        let begun = *self.nodes + self.fours.nodes();
        while !self.graph.nodes[ROOT].is_decided() {
            let nodes = *self.nodes + self.fours.nodes() - begun;
            // Each leaf looks for fours itself, so the clock is asked at every one.
            if nodes >= effort.nodes || (effort.expired)() {
                break;
            }
            if self.descend() {
                *self.nodes += 1;
                if !self.expand() {
                    break;
                }
            }
            self.ascend();
        }
        self.graph.nodes[ROOT].proof == 0
    }

    fn is_attackers_turn(&self) -> bool {
        self.side == self.attacker
    }

    /// The node of the position on the board.
    fn at(&self) -> usize {
        self.path.last().copied().unwrap_or(ROOT)
    }

    /// Plays on to the leaf that does most to prove or disprove the position. Returns false where a node
    /// is decided by what was found of its children on other ways.
    fn descend(&mut self) -> bool {
        loop {
            let children = self.graph.children(self.at());
            // Sums that are too large look infinite, but only what is decided leads no further.
            let best = match self.is_attackers_turn() {
                true => {
                    children.min_by_key(|(edge, child)| (price(edge, child), child.is_decided()))
                }
                false => children.min_by_key(|(_, child)| (child.disproof, child.is_decided())),
            };
            let Some((&edge, child)) = best else {
                return true;
            };
            if child.is_decided() {
                return false;
            }
            self.board.play(edge.mv, self.side);
            self.side = self.side.other();
            self.path.push(edge.node as usize);
        }
    }

    /// Corrects the numbers on the way back to the root, as far as they change: the leaf that does most
    /// for the root is below.
    fn ascend(&mut self) {
        let leaf = self.path.len();
        loop {
            let at = self.at();
            let before = self.graph.nodes[at];
            if before.edges > 0 {
                self.update(at);
            }
            self.note_result(at);
            let node = &self.graph.nodes[at];
            let is_same = (node.proof, node.disproof) == (before.proof, before.disproof);
            if at == ROOT || self.path.len() < leaf && is_same {
                return;
            }
            self.path.pop();
            self.board.undo();
            self.side = self.side.other();
        }
    }

    /// Works out a node's numbers from its children.
    fn update(&mut self, at: usize) {
        let children = self.graph.children(at);
        let won = children.clone().filter(|(_, child)| child.proof == 0);
        let plies = won.map(|(_, child)| child.plies + 1);
        let sum = |sum: u32, number: u32| sum.saturating_add(number);
        let before = self.graph.nodes[at].plies;
        let (proof, disproof, plies) = match self.is_attackers_turn() {
            true => (
                children
                    .clone()
                    .map(|(edge, child)| price(edge, child))
                    .min(),
                Some(children.map(|(_, child)| child.disproof).fold(0, sum)),
                plies.min(),
            ),
            false => (
                Some(children.clone().map(|(_, child)| child.proof).fold(0, sum)),
                children.map(|(_, child)| child.disproof).min(),
                // The defender may also play what is not among the children.
                plies.max().max(Some(before)),
            ),
        };
        let node = &mut self.graph.nodes[at];
        node.proof = proof.unwrap_or(INFINITE);
        node.disproof = disproof.unwrap_or(INFINITE);
        if node.proof == 0 {
            node.plies = plies.unwrap_or_default();
        }
    }

    /// Looks at the leaf on the board and makes its children. Returns false where there is no room for
    /// them.
    fn expand(&mut self) -> bool {
        let at = self.at();
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
        self.graph.nodes[at].plies = plies;
        let next_turn = self.turn(self.side.other());
        let key = |mv: Move| {
            let stone = zobrist::stone(self.side, usize::from(mv.code()));
            self.board.key() ^ stone ^ next_turn
        };
        let candidates = moves.into_iter().map(|(mv, cost)| Candidate {
            mv,
            cost,
            key: key(mv),
        });
        let candidates: SmallVec<[Candidate; 32]> = candidates.collect();
        self.graph.expand(at, &candidates)
    }

    fn settle(&mut self, at: usize, found: Found) {
        let node = &mut self.graph.nodes[at];
        (node.proof, node.disproof, node.plies) = match found {
            Found::Win(plies) => (0, INFINITE, plies),
            Found::Nothing | Found::Children(_) => (INFINITE, 0, 0),
        };
    }

    /// The attacker is to move: its win by fours, or its threats, each with its cost.
    fn threaten(&mut self, moves: &mut Vec<(Move, u16)>) -> Found {
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
    fn threats(&self) -> Vec<(usize, u16)> {
        let cost = |cell: usize| match self.board.kind(cell, self.attacker) {
            CellKind::FourThree | CellKind::OpenThrees | CellKind::Suspect => Some(0),
            CellKind::OpenThree => Some(2),
            CellKind::Four => Some(5),
            CellKind::Threes | CellKind::ThreeTwo => Some(7),
            _ => None,
        };
        let cells = self.board.empty().cells();
        cells.filter_map(|cell| Some((cell, cost(cell)?))).collect()
    }

    /// The defender is to move: the replies that might help it.
    fn reply(&mut self, moves: &mut Vec<(Move, u16)>) -> Found {
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
    fn try_replies(&mut self, zone: Bits<8>, plies: u16, moves: &mut Vec<(Move, u16)>) -> u16 {
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
            self.board.probe(mv, defender);
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
    fn replied(&self, moves: &[(Move, u16)], plies: u16) -> Found {
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
        self.board.key() ^ self.turn(self.side)
    }

    /// What tells keys by who attacks and who is to move.
    fn turn(&self, to_move: Side) -> u64 {
        let is_attackers = u64::from(to_move == self.attacker);
        (2 * is_attackers + self.attacker.index() as u64 + 1) << 40
    }

    /// What is known of the position from an earlier search.
    fn recall(&self) -> Option<Found> {
        let key = self.key();
        let known = self.known[key as usize & (self.known.len() - 1)];
        (known.key == key).then_some(match known.plies {
            0 => Found::Nothing,
            plies => Found::Win(plies),
        })
    }

    fn note_result(&mut self, at: usize) {
        let node = self.graph.nodes[at];
        if node.is_decided() {
            let key = node.key;
            let plies = if node.proof == 0 { node.plies } else { 0 };
            self.known[key as usize & (self.known.len() - 1)] = Known { key, plies };
        }
    }
}
