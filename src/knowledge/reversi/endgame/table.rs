//! What was proven of positions, shared by all threads without a lock.
//!
//! An entry is two words, four entries a cache line:
//!
//! ```text
//! first    63   56 55  48 47   40 39   32 31  24 23      16 15   0
//!          | again | best | upper | lower | work | question |  -  |
//! second   check, exclusive or the first word
//! ```
//!
//! The bounds are stored with [`OFFSET`] added. `best` and `again` are the moves that were last
//! found to be best, 64 for none. `work` is the logarithm of the nodes that the bounds cost: in a line that
//! is full the cheapest entry makes room, first those of an earlier `question`. The second
//! word has the first in it, so that two halves which different threads wrote do not pass for one
//! entry (Hyatt's lockless hashing). Place and check are different hashes of the position: two
//! positions pass for one about once in 2^80 pairs.

use super::board::Board;
use crate::cache_lines::CacheLines;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// What is added to a score so that it is not negative.
const OFFSET: i32 = 64;

/// The code of no move.
pub const NO_MOVE: u8 = 64;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The score is no less.
    pub lower: i32,
    /// The score is no more.
    pub upper: i32,
    /// The best moves that were found, the last one first; [`NO_MOVE`] where there is none.
    pub moves: [u8; 2],
}

/// Nothing but what holds for every position.
pub const UNKNOWN: Known = Known {
    lower: -64,
    upper: 64,
    moves: [NO_MOVE; 2],
};

/// Bounds of the positions that were searched. It is allocated once, and what it holds serves from
/// one position to the next.
pub struct TranspositionTable {
    lines: CacheLines,
    /// How many of the lines are in use, from the first on.
    in_use: AtomicUsize,
    /// The number of the present question: 0 before the first, again from 1 after 255.
    question: AtomicU8,
}

/// Where a position is found, and how it is told from others.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    first: usize,
    check: u64,
}

impl TranspositionTable {
    /// The fewest lines.
    const LEAST_LINES: usize = 1 << 8;

    /// A table of at most `bytes` bytes, but never less than 16 KiB. Where the system has not so
    /// much, it is smaller.
    ///
    /// # Panics
    /// When there is no memory at all.
    #[must_use]
    pub fn new(bytes: usize) -> TranspositionTable {
        let lines = CacheLines::new(bytes as u64, Self::LEAST_LINES);
        TranspositionTable {
            in_use: AtomicUsize::new(lines_for(0).min(lines.count())),
            lines,
            question: AtomicU8::new(0),
        }
    }

    /// Where a position belongs.
    #[inline(always)]
    pub(super) fn place(&self, board: Board) -> Place {
        let check = hash(board);
        // Another part of another product: what is not in the check.
        let spread = (check ^ board.own).wrapping_mul(0xd6e8_feb8_6659_fd93);
        Place {
            first: self
                .lines
                .place_among(self.in_use.load(Ordering::Relaxed), spread),
            check,
        }
    }

    /// Brings what is known of a position into the cache, for a question that is about to come.
    #[inline(always)]
    pub(super) fn fetch(&self, place: Place) {
        self.lines.fetch(place.first);
    }

    /// What is known of the position that belongs there.
    #[inline(always)]
    pub(super) fn recall(&self, place: Place) -> Option<Known> {
        self.lines.pairs(place.first).find_map(|[first, second]| {
            let word = first.load(Ordering::Relaxed);
            let is_same = second.load(Ordering::Relaxed) ^ word == place.check;
            is_same.then(|| unpack(word))
        })
    }

    /// Keeps what is known of a position, found with so many nodes: in place of what was known of
    /// it before, or of the entry of an earlier question that cost least, or of the entry that cost
    /// least.
    #[inline(always)]
    pub(super) fn store(&self, place: Place, known: Known, nodes: u64) {
        let question = self.question.load(Ordering::Relaxed);
        let mut least = u64::MAX;
        let mut chosen = None;
        for entry @ [first, second] in self.lines.pairs(place.first) {
            let word = first.load(Ordering::Relaxed);
            let is_same = second.load(Ordering::Relaxed) ^ word == place.check;
            let worth = if is_same { 0 } else { worth(word, question) };
            if worth < least || chosen.is_none() {
                (least, chosen) = (worth, Some(entry));
            }
            if is_same {
                break;
            }
        }
        if let Some([first, second]) = chosen {
            let work = 1 + nodes.checked_ilog2().unwrap_or(0) as u8;
            let word = pack(known, work, question);
            first.store(word, Ordering::Relaxed);
            second.store(word ^ place.check, Ordering::Relaxed);
        }
    }

    /// Another question, about a board with so many empty squares: what was found before may make room.
    /// Where it takes more lines than any before, most of that is forgotten.
    pub(super) fn begin_question(&self, empty: u32) {
        let wanted = lines_for(empty).min(self.lines.count());
        self.in_use.fetch_max(wanted, Ordering::Relaxed);
        let next = |question: u8| Some(question.checked_add(1).unwrap_or(1));
        let _ = self
            .question
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    }

    /// Whether there was a question: before, hardly anything is known, and to look takes the time that
    /// memory takes.
    #[inline]
    pub(super) fn was_asked(&self) -> bool {
        self.question.load(Ordering::Relaxed) > 0
    }
}

/// How many lines are of use for a board with so many empty squares: 8 MiB of them up to 22, and twice as
/// many with each square more. In more of them it takes longer, as the system has to hand out more memory and
/// the caches hold less of it. (Measured: `docs/EXPERIMENTS.md`, Reversi.)
fn lines_for(empty: u32) -> usize {
    const USUAL: usize = 1 << 17;
    USUAL << empty.saturating_sub(22).min(14)
}

/// How dear an entry is, greater than 0 where there is one.
#[inline(always)]
fn worth(word: u64, question: u8) -> u64 {
    const CURRENT: u64 = 1 << 8;
    let [_, _, asked, work, ..] = word.to_le_bytes();
    let current = if asked == question { CURRENT } else { 0 };
    current + u64::from(work)
}

#[inline(always)]
fn pack(known: Known, work: u8, question: u8) -> u64 {
    let bound = |score: i32| (score + OFFSET) as u8;
    let (lower, upper) = (bound(known.lower), bound(known.upper));
    let [best, again] = known.moves;
    u64::from_le_bytes([0, 0, question, work, lower, upper, best, again])
}

#[inline(always)]
fn unpack(word: u64) -> Known {
    let [.., lower, upper, best, again] = word.to_le_bytes();
    Known {
        lower: i32::from(lower) - OFFSET,
        upper: i32::from(upper) - OFFSET,
        moves: [best, again],
    }
}

/// Mixes a board to a word.
#[inline(always)]
pub(super) fn hash(board: Board) -> u64 {
    let fold = |product: u128| (product >> 64) as u64 ^ product as u64;
    let own = board.own ^ 0x9e37_79b9_7f4a_7c15;
    let other = board.other ^ 0xbf58_476d_1ce4_e5b9;
    let mixed = fold(u128::from(own) * 0x94d0_49bb_1331_11eb);
    fold(u128::from(mixed ^ other) * 0xa076_1d64_78bd_642f)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(number: u64) -> Board {
        Board {
            own: number,
            other: !number,
        }
    }

    #[test]
    fn what_was_stored_last_is_recalled() {
        let table = TranspositionTable::new(0);
        let known = |lower| Known {
            lower,
            upper: 64,
            moves: [3, NO_MOVE],
        };
        for number in 0..200 {
            let place = table.place(board(number));
            assert_eq!(table.recall(place), None);
            table.store(place, known(-64 + 2 * number as i32 % 128), 1);
            table.store(place, known(2 * number as i32 % 64), 1000);
            assert_eq!(table.recall(place), Some(known(2 * number as i32 % 64)));
        }
    }

    #[test]
    fn more_empty_squares_take_more_lines() {
        let table = TranspositionTable::new(20 << 20);
        let in_use = || table.in_use.load(Ordering::Relaxed);
        for (empty, mebibytes) in [(0, 8), (22, 8), (23, 16), (20, 16), (24, 20), (64, 20)] {
            table.begin_question(empty);
            assert_eq!((64 * in_use()).div_ceil(1 << 20), mebibytes, "{empty}");
            let place = table.place(board(u64::from(empty)));
            table.store(place, UNKNOWN, 1);
            assert_eq!(table.recall(place), Some(UNKNOWN));
        }
    }

    #[test]
    fn the_dearest_of_a_question_stay() {
        let table = TranspositionTable::new(0);
        let dear = table.place(board(1));
        table.store(dear, UNKNOWN, 1 << 30);
        for number in 2..100_000 {
            table.store(table.place(board(number)), UNKNOWN, 100);
        }
        assert_eq!(table.recall(dear), Some(UNKNOWN));
        table.begin_question(0);
        for number in 0..100_000 {
            table.store(table.place(board(number << 20)), UNKNOWN, 100);
        }
        assert_eq!(table.recall(dear), None);
    }
}
