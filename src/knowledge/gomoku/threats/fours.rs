//! Victory by continuous fours, depth first.

use super::{free_ends, stops};
use crate::game::gomoku::Gomoku;
use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::line;
use crate::game::{Move, Side};
use crate::knowledge::Effort;
use crate::knowledge::gomoku::patterns::Patterns;
use crate::knowledge::gomoku::patterns::kind::Kind;

/// The bits of an entry that hold plies, of which a game has 484 at the most.
const PLIES: u64 = (1 << 9) - 1;

/// Positions between two looks at the clock.
const PATIENCE: u32 = 4096;

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
    /// Positions without a victory, and in how many plies there is none.
    failures: Box<[u64]>,
    left: u32,
    /// Looked at in all searches.
    nodes: u64,
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
        self.left = nodes;
        self.zone = Bits::EMPTY;
        self.is_zone_open = false;
        let answer = self.attack(board, attacker, plies.min(PLIES as u16));
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
    fn attack(&mut self, board: &mut Patterns, side: Side, plies: u16) -> Answer {
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
        let tries = match board.fives(side.other()).is_empty() {
            true => fours,
            false => {
                let stops = stops(board, side.other()).into_iter();
                stops.fold(Bits::EMPTY, |set, cell| set | fours & Bits::of(cell))
            }
        };
        if tries.is_empty() {
            return Answer::No;
        }
        let key = board.key() ^ (side.index() as u64) << 9;
        if self.has_failed(key, plies) {
            return Answer::No;
        }
        if self.left == 0 {
            return Answer::Unknown;
        }
        self.left -= 1;
        for kind in [Kind::OpenFour, Kind::FourThree, Kind::Four, Kind::Suspect] {
            for cell in (tries & board.cells(side, kind)).cells() {
                match self.try_four(board, side, cell, plies) {
                    Answer::No => {}
                    answer => return answer,
                }
            }
        }
        self.note_failure(key, plies);
        Answer::No
    }

    /// `side` makes a four on this cell.
    fn try_four(&mut self, board: &mut Patterns, side: Side, cell: usize, plies: u16) -> Answer {
        let is_suspect = board.kind(cell, side) == Kind::Suspect && board.is_restricted(side);
        if is_suspect && !(board.makes_four(cell, side) && board.allows(cell, side)) {
            return Answer::No;
        }
        let mv = Gomoku::move_at(cell);
        board.play(mv, side);
        let answer = self.defend(board, side, plies - 1);
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
    fn defend(&mut self, board: &mut Patterns, attacker: Side, plies: u16) -> Answer {
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
            board.play(mv, side);
            let answer = self.attack(board, attacker, plies - 1);
            let disturbing = board.fours(side);
            board.undo();
            let Answer::Win(plies) = answer else {
                return answer;
            };
            self.zone |= disturbing;
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
                Kind::Suspect => self.is_zone_open = true,
                Kind::Forbidden => self.zone |= surroundings(board, cell),
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
        board.play(answer, side);
        let five = board.fives(attacker).cells().next();
        board.undo();
        self.line.clear();
        self.line.extend(five.map(Gomoku::move_at));
        self.line.push(answer);
        Answer::Win(2)
    }

    fn has_failed(&self, key: u64, plies: u16) -> bool {
        let entry = self.failures[key_slot(key, self.failures.len())];
        (entry ^ key) & !PLIES == 0 && entry & PLIES >= u64::from(plies)
    }

    fn note_failure(&mut self, key: u64, plies: u16) {
        let slot = key_slot(key, self.failures.len());
        self.failures[slot] = key & !PLIES | u64::from(plies);
    }
}

fn key_slot(key: u64, slots: usize) -> usize {
    (key >> 9) as usize & (slots - 1)
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
