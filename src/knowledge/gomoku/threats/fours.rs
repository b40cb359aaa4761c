//! Victory by continuous fours, depth first.

use super::chain::Chain;
use super::{free_ends, stops};
use crate::game::gomoku::Gomoku;
use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::line;
use crate::game::{Move, Side, zobrist};
use crate::knowledge::Effort;
use crate::knowledge::gomoku::patterns::Patterns;
use crate::knowledge::gomoku::patterns::kind::CellKind;
use smallvec::SmallVec;

/// The bits of an entry that hold plies: a game has at most 484.
const PLIES: u64 = (1 << 9) - 1;

/// Where the bits of an entry begin that hold loose ends: up to [`Chain::ANY`].
const SPARE: u32 = 9;

/// The bits of an entry that are none of the key.
const BOUNDS: u64 = (1 << (SPARE + 3)) - 1;

/// Positions of a first search with any number of loose ends, which is all that most questions need.
/// (Consequence: `docs/EXPERIMENTS.md`, Gomoku.)
const NODES_AT_A_GLANCE: u32 = 64;

/// Positions between two looks at the clock.
const PATIENCE: u32 = 1024;

/// With so few empty cells black, in renju, may run out of moves, which is a draw. (A guess: every
/// one of them must be forbidden.)
const CROWDED: u32 = 16;

/// What a search came to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// After so many plies at the most.
    Win(u16),
    /// Not by fours, or not in time.
    No,
    /// The nodes were used up.
    Unknown,
}

/// A search for victories by fours, with what it remembers.
pub struct Fours {
    /// Positions without a victory, in how many plies there is none, and with how many more loose
    /// ends.
    failures: Box<[u64]>,
    left: u32,
    /// Looked at in all searches.
    nodes: u64,
    /// A four was left out that would have made a loose end too many.
    was_cut: bool,
    /// The line found last, from its end.
    line: Vec<Move>,
    zone: Bits<8>,
    /// Any move might matter.
    is_zone_open: bool,
}

impl Fours {
    /// With a table of so many bytes, rounded down to a power of two.
    #[must_use]
    pub fn with_bytes(bytes: usize) -> Fours {
        let entries = (bytes / size_of::<u64>()).max(2);
        let entries = 1 << entries.ilog2();
        Fours {
            failures: vec![0; entries].into_boxed_slice(),
            left: 0,
            nodes: 0,
            was_cut: false,
            line: Vec::with_capacity(512),
            zone: Bits::EMPTY,
            is_zone_open: false,
        }
    }

    /// Looks for a victory of `attacker`, which is to move, in `plies` at the most; looks at `nodes`
    /// positions. Returns its plies.
    pub fn win(
        &mut self,
        board: &mut Patterns,
        attacker: Side,
        plies: u16,
        nodes: u32,
    ) -> Option<u16> {
        self.zone = Bits::EMPTY;
        self.is_zone_open = false;
        let plies = plies.min(PLIES as u16);
        let glance = nodes.min(NODES_AT_A_GLANCE);
        self.left = glance;
        let mut answer = self.attack(board, attacker, plies, Chain::new(Chain::ANY));
        self.left += nodes - glance;
        let mut widths = Chain::WIDTHS.into_iter();
        while answer == Answer::Unknown && self.left > 0 {
            self.was_cut = false;
            let Some(width) = widths.next() else { break };
            answer = self.attack(board, attacker, plies, Chain::new(width));
            if answer == Answer::No && self.was_cut {
                answer = Answer::Unknown;
            }
        }
        self.nodes += u64::from(nodes - self.left);
        match answer {
            Answer::Win(plies) => Some(plies),
            Answer::No | Answer::Unknown => None,
        }
    }

    /// The same as far as the effort is enough, looking at the clock often.
    pub fn solve(
        &mut self,
        board: &mut Patterns,
        attacker: Side,
        plies: u16,
        effort: &Effort<'_>,
    ) -> Option<u16> {
        self.left = 0;
        let mut spent = 0;
        while spent < effort.nodes && !(effort.expired)() {
            // What failed is remembered, so the search goes on where it was cut off.
            let win = self.win(board, attacker, plies, PATIENCE);
            if win.is_some() || self.left > 0 {
                return win;
            }
            spent += u64::from(PATIENCE);
        }
        None
    }

    /// Whether the last search ended for want of nodes or time.
    pub(super) fn gave_up(&self) -> bool {
        self.left == 0
    }

    /// Positions looked at so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The first move of the victory found last.
    #[must_use]
    pub fn first_move(&self) -> Option<Move> {
        self.line.last().copied()
    }

    /// The victory found last, with the longest defence.
    #[must_use]
    pub fn line(&self) -> Vec<Move> {
        self.line.iter().rev().copied().collect()
    }

    /// The cells on which a stone of the defender, put there before the victory found last began,
    /// might have disturbed it. Only these can, and stones that make a four at once:
    ///
    /// - the cells of the attacker's stones, and those where a five threatened (and by the rules
    ///   of caro the ends of its row);
    /// - those that make a four with the forced answers;
    /// - in renju, where black's move was judged by what surrounds it, the surroundings.
    pub(crate) fn zone(&self, board: &Patterns) -> Bits<8> {
        match self.is_zone_open {
            true => board.empty(),
            false => self.zone,
        }
    }

    /// `side` is to move and attacks.
    fn attack(&mut self, board: &mut Patterns, side: Side, plies: u16, chain: Chain) -> Answer {
        if let Some(cell) = board.fives(side).cells().next() {
            self.line.clear();
            self.line.push(Gomoku::move_at(cell));
            self.zone.insert(cell);
            return Answer::Win(1);
        }
        let fours = board.fours(side);
        if plies < 3 || fours.is_empty() {
            return Answer::No;
        }
        let is_free = board.fives(side.other()).is_empty();
        let tries = match is_free {
            true => fours,
            false => {
                let stops = stops(board, side.other()).into_iter();
                stops.fold(Bits::EMPTY, |set, cell| set | fours & Bits::of(cell))
            }
        };
        if tries.is_empty() {
            return Answer::No;
        }
        let key = key_of(board.key(), side);
        if self.has_failed(key, plies, chain) {
            return Answer::No;
        }
        if self.left == 0 {
            return Answer::Unknown;
        }
        self.left -= 1;
        let was_cut = std::mem::take(&mut self.was_cut);
        for (cell, next) in self.ranked(board, tries, side) {
            // A four that answers one of the opponent's is no choice, so it is no loose end.
            let chain = match is_free {
                true => chain.with(board, cell, side),
                false => Some(chain),
            };
            let Some(chain) = chain else {
                self.was_cut = true;
                continue;
            };
            if next.is_some_and(|key| self.has_failed(key, plies - 2, chain)) {
                continue;
            }
            match self.try_four(board, side, cell, plies, chain) {
                Answer::No => {}
                answer => {
                    self.was_cut |= was_cut;
                    return answer;
                }
            }
        }
        let spare = if self.was_cut {
            chain.spare()
        } else {
            Chain::ANY
        };
        self.note_failure(key, plies, spare);
        self.was_cut |= was_cut;
        Answer::No
    }

    /// `side` makes a four on this cell.
    fn try_four(
        &mut self,
        board: &mut Patterns,
        side: Side,
        cell: usize,
        plies: u16,
        chain: Chain,
    ) -> Answer {
        let is_suspect = board.kind(cell, side) == CellKind::Suspect && board.is_restricted(side);
        if is_suspect && !(board.makes_four(cell, side) && board.allows(cell, side)) {
            return Answer::No;
        }
        let mv = Gomoku::move_at(cell);
        board.probe(mv, side);
        let answer = self.defend(board, side, plies - 1, chain);
        board.undo();
        let Answer::Win(plies) = answer else {
            return answer;
        };
        self.line.push(mv);
        self.zone.insert(cell);
        self.is_zone_open |= is_suspect;
        Answer::Win(plies + 1)
    }

    /// The opponent of `attacker`, which has made a four, is to move.
    fn defend(&mut self, board: &mut Patterns, attacker: Side, plies: u16, chain: Chain) -> Answer {
        let side = attacker.other();
        if !board.fives(side).is_empty() {
            return Answer::No;
        }
        let mut longest = None;
        let mut line = Vec::new();
        let stops = stops(board, attacker);
        for &cell in &stops {
            if !board.allows(cell, side) {
                continue;
            }
            let mv = Gomoku::move_at(cell);
            board.probe(mv, side);
            let answer = self.attack(board, attacker, plies - 1, chain);
            if let Answer::Win(_) = answer {
                self.zone |= board.fours(side);
            }
            board.undo();
            let Answer::Win(plies) = answer else {
                return answer;
            };
            if longest.is_none_or(|it| it <= plies) {
                longest = Some(plies + 1);
                self.line.push(mv);
                if stops.len() > 1 {
                    line.clone_from(&self.line);
                }
            }
        }
        if !line.is_empty() {
            self.line = line;
        }
        if !self.guard(board, attacker, &stops) {
            return Answer::No;
        }
        match longest {
            Some(plies) => Answer::Win(plies),
            None => self.finish(board, attacker),
        }
    }

    /// Adds the cells to the zone that matter to the fives of the attacker. Returns whether black,
    /// where it is the defender in renju, has a move at all.
    fn guard(&mut self, board: &Patterns, attacker: Side, stops: &[usize]) -> bool {
        let side = attacker.other();
        let fives = board.fives(attacker);
        self.zone |= fives;
        if board.needs_free_end() {
            let ends = fives.cells().map(|five| free_ends(board, five, attacker));
            self.zone = ends.fold(self.zone, |zone, ends| zone | ends);
        }
        if !board.is_restricted(side) {
            return true;
        }
        self.is_zone_open |= board.empty().count() <= CROWDED;
        for &cell in stops {
            match board.kind(cell, side) {
                CellKind::Suspect => self.is_zone_open = true,
                CellKind::Forbidden => self.zone |= surroundings(board, cell),
                _ => {}
            }
        }
        board.black_may_move()
    }

    /// Nothing stops the five any more: notes some answer and the five after it.
    fn finish(&mut self, board: &mut Patterns, attacker: Side) -> Answer {
        let side = attacker.other();
        let fives = board.fives(attacker);
        let mut answers = fives.cells().chain(board.empty().cells());
        let answer = answers.find(|&cell| board.allows(cell, side));
        let Some(answer) = answer.map(Gomoku::move_at) else {
            return Answer::No;
        };
        board.probe(answer, side);
        let five = board.fives(attacker).cells().next();
        board.undo();
        self.line.clear();
        self.line.extend(five.map(Gomoku::move_at));
        self.line.push(answer);
        Answer::Win(2)
    }

    /// The fours among these cells after which there may be more, the most promising first, each with
    /// the key of the position after it and its answer, where that is plain to see.
    fn ranked(
        &self,
        board: &Patterns,
        tries: Bits<8>,
        side: Side,
    ) -> SmallVec<[(usize, Option<u64>); 32]> {
        let mut ranked = SmallVec::new();
        for kind in [
            CellKind::OpenFour,
            CellKind::FourThree,
            CellKind::Four,
            CellKind::Suspect,
        ] {
            for cell in (tries & board.cells(side, kind)).cells() {
                let answer = match kind {
                    CellKind::FourThree | CellKind::Four => only_answer(board, cell, side),
                    _ => None,
                };
                if answer.is_some_and(|answer| board.ends_fours(cell, answer, side)) {
                    continue;
                }
                let next = answer.map(|answer| key_after(board, [cell, answer], side));
                // All entries are fetched at once, so that the memory is waited for only once.
                let failed = next.is_some_and(|key| self.is_hopeless(key));
                if !failed {
                    ranked.push((cell, next));
                }
            }
        }
        ranked
    }

    /// Whether the attacker is known to have no victory at all.
    fn is_hopeless(&self, key: u64) -> bool {
        let entry = self.failures[slot_of(key, self.failures.len())];
        let all = PLIES | u64::from(Chain::ANY) << SPARE;
        entry == key & !BOUNDS | all
    }

    /// Whether the attacker is known to have no victory in `plies` with no more loose ends.
    fn has_failed(&mut self, key: u64, plies: u16, chain: Chain) -> bool {
        let entry = self.failures[slot_of(key, self.failures.len())];
        let spare = (entry >> SPARE) as u8 & Chain::ANY;
        let failed = (entry ^ key) & !BOUNDS == 0
            && entry & PLIES >= u64::from(plies)
            && spare >= chain.spare();
        self.was_cut |= failed && spare < Chain::ANY;
        failed
    }

    fn note_failure(&mut self, key: u64, plies: u16, spare: u8) {
        let slot = slot_of(key, self.failures.len());
        self.failures[slot] = key & !BOUNDS | u64::from(spare) << SPARE | u64::from(plies);
    }
}

/// The key of a position in which `side` attacks and is to move.
fn key_of(stones: u64, side: Side) -> u64 {
    stones ^ (side.index() as u64) << (SPARE + 3)
}

/// The only answer to a four of `side` on this cell, where that is plain to see.
fn only_answer(board: &Patterns, cell: usize, side: Side) -> Option<usize> {
    if board.needs_free_end() || board.is_restricted(side.other()) {
        return None;
    }
    board.completion(cell, side)
}

/// The key of the position after a four of `side` and its answer on these cells.
fn key_after(board: &Patterns, [cell, answer]: [usize; 2], side: Side) -> u64 {
    let stones = zobrist::stone(side, cell) ^ zobrist::stone(side.other(), answer);
    key_of(board.key() ^ stones, side)
}

fn slot_of(key: u64, slots: usize) -> usize {
    (key >> (SPARE + 3)) as usize & (slots - 1)
}

/// The empty cells up to five steps away in the four directions.
fn surroundings(board: &Patterns, cell: usize) -> Bits<8> {
    let steps = line::steps(board.stride()).into_iter();
    let distances = steps.flat_map(|step| (1..=5).map(move |times| times * step as usize));
    let near = distances.flat_map(|distance| [cell.wrapping_sub(distance), cell + distance]);
    let empty = board.empty();
    near.filter(|&near| empty.contains(near))
        .fold(Bits::EMPTY, |set, near| set | Bits::of(near))
}
