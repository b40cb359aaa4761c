//! The transposition table: what was found of positions, by their keys.
//!
//! The tree has a node for every order of moves that leads to a position. The table tells each of them
//! what the others have found: see [`sharing`](super::sharing). An entry is two words, four entries a
//! cache line:
//!
//! ```text
//! first    63  56 55     32 31                            0
//!          |  age | visits | mean of the player who moved in |     visited: at least once
//!          |  age |    0   | plies << 2 | loss, draw, win 0..2 |     proven, for the same player
//! second   key, exclusive or the first word
//! ```
//!
//! The second word has the first in it, so that two halves which different threads wrote do not pass
//! for one entry (Hyatt's lockless hashing). In a line that is full the least visited entry makes room,
//! first those that an earlier search wrote last.

use super::tree::Stats;
use crate::cache_lines::CacheLines;
use crate::knowledge::{Proof, ProofResult};
use std::sync::atomic::Ordering;

/// The fewest lines of a table.
const LEAST_LINES: usize = 1 << 8;

const AGE_SHIFT: u32 = 56;
const VISITS_SHIFT: u32 = 32;
const MAX_VISITS: u32 = (1 << (AGE_SHIFT - VISITS_SHIFT)) - 1;
const MEAN_ONE: f64 = u32::MAX as f64;

/// What was found of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// So many visits, one at the least, and the expected score 0..1 of the player who moved in.
    Mean {
        /// Visits of one node, 2^24 - 1 at the most.
        visits: u32,
        /// The mean of their scores.
        mean: f32,
    },
    /// The exact result for the player who moved in.
    Proof(Proof),
}

impl Found {
    /// What the stats of a node that was visited say.
    pub fn of_stats(stats: Stats) -> Found {
        Found::Mean {
            visits: stats.visits().clamp(1, MAX_VISITS),
            mean: stats.mean(),
        }
    }

    /// Without the age.
    fn word(self) -> u64 {
        match self {
            Found::Mean { visits, mean } => {
                let mean = (f64::from(mean) * MEAN_ONE) as u32;
                u64::from(visits) << VISITS_SHIFT | u64::from(mean)
            }
            Found::Proof(Proof { result, plies }) => {
                let result = match result {
                    ProofResult::Loss => 0,
                    ProofResult::Draw => 1,
                    ProofResult::Win => 2,
                };
                u64::from(plies) << 2 | result
            }
        }
    }

    fn of_word(word: u64) -> Found {
        let visits = (word >> VISITS_SHIFT) as u32 & MAX_VISITS;
        if visits > 0 {
            let mean = (f64::from(word as u32) / MEAN_ONE) as f32;
            return Found::Mean { visits, mean };
        }
        let result = match word & 3 {
            0 => ProofResult::Loss,
            1 => ProofResult::Draw,
            _ => ProofResult::Win,
        };
        Found::Proof(Proof {
            result,
            plies: (word >> 2) as u16,
        })
    }
}

/// The table. Shared by the threads of a search.
pub struct Transpositions {
    lines: CacheLines,
    /// The number of the present search, 1..=255 and round again: an entry of age 0 is empty.
    age: u8,
}

impl Transpositions {
    /// An empty table of at most `bytes` bytes, but never less than 16 KiB.
    pub fn new(bytes: u64) -> Transpositions {
        Transpositions {
            lines: CacheLines::new(bytes, LEAST_LINES),
            age: 1,
        }
    }

    /// Another search begins: what earlier ones found may make room.
    pub fn begin_search(&mut self) {
        self.age = self.age.checked_add(1).unwrap_or(1);
    }

    /// The first word of the line of this key, which need not be mixed.
    fn place(&self, key: u64) -> usize {
        self.lines.place(key.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// What was found of the position with this key.
    #[inline]
    pub fn recall(&self, key: u64) -> Option<Found> {
        self.lines
            .pairs(self.place(key))
            .find_map(|[first, second]| {
                let word = first.load(Ordering::Relaxed);
                let is_same = second.load(Ordering::Relaxed) ^ word == key && word != 0;
                is_same.then(|| Found::of_word(word))
            })
    }

    /// Keeps what was found of a position, unless more is known already.
    #[inline]
    pub fn keep(&self, key: u64, found: Found) {
        let mut new = found.word();
        let mut least = u64::MAX;
        let mut chosen = None;
        for entry @ [first, second] in self.lines.pairs(self.place(key)) {
            let word = first.load(Ordering::Relaxed);
            if second.load(Ordering::Relaxed) ^ word == key {
                if word != 0 && certainty(word) > certainty(new) {
                    new = word & (u64::MAX >> (64 - AGE_SHIFT));
                }
                chosen = Some(entry);
                break;
            }
            let worth = self.worth(word);
            if worth < least || chosen.is_none() {
                (least, chosen) = (worth, Some(entry));
            }
        }
        if let Some([first, second]) = chosen {
            let word = u64::from(self.age) << AGE_SHIFT | new;
            first.store(word, Ordering::Relaxed);
            second.store(word ^ key, Ordering::Relaxed);
        }
    }

    /// How dear an entry is: nothing if it is empty, and less than any of this search if it is of an
    /// earlier one.
    fn worth(&self, word: u64) -> u64 {
        const CURRENT: u64 = 1 << 33;
        if word == 0 {
            return 0;
        }
        let is_current = (word >> AGE_SHIFT) as u8 == self.age;
        let current = if is_current { CURRENT } else { 0 };
        current + 1 + u64::from(certainty(word))
    }
}

/// The visits behind an entry; more than any where it is proven.
fn certainty(word: u64) -> u32 {
    match (word >> VISITS_SHIFT) as u32 & MAX_VISITS {
        0 => u32::MAX,
        visits => visits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visited(visits: u32, mean: f32) -> Found {
        Found::Mean { visits, mean }
    }

    /// Keys that belong to one line.
    fn neighbours(table: &Transpositions, count: usize) -> Vec<u64> {
        let line = table.place(1);
        let keys = (1..).filter(|&key| table.place(key) == line);
        keys.take(count).collect()
    }

    #[test]
    fn what_is_kept_is_recalled_to_the_bit() {
        let table = Transpositions::new(1 << 20);
        let mut all = vec![
            visited(1, 0.0),
            visited(MAX_VISITS, 1.0),
            visited(77, 0.625),
        ];
        for plies in [0, 1, u16::MAX] {
            let proofs = [Proof::win(plies), Proof::loss(plies)];
            all.extend(proofs.map(Found::Proof));
            let result = ProofResult::Draw;
            all.push(Found::Proof(Proof { result, plies }));
        }
        for (key, found) in (1..).zip(all) {
            assert_eq!(table.recall(key), None);
            table.keep(key, found);
            assert_eq!(table.recall(key), Some(found));
        }
    }

    #[test]
    fn of_one_position_the_most_visited_stays_and_a_proof_for_good() {
        let table = Transpositions::new(0);
        let told = |found| {
            table.keep(7, found);
            table.recall(7)
        };
        assert_eq!(told(visited(5, 0.25)), Some(visited(5, 0.25)));
        assert_eq!(told(visited(4, 0.75)), Some(visited(5, 0.25)));
        assert_eq!(told(visited(6, 0.75)), Some(visited(6, 0.75)));
        let proof = Found::Proof(Proof::loss(9));
        assert_eq!(told(proof), Some(proof));
        assert_eq!(told(visited(1000, 0.5)), Some(proof));
    }

    #[test]
    fn a_full_line_gives_up_the_least_visited_and_first_what_is_old() {
        let mut table = Transpositions::new(0);
        let keys = neighbours(&table, 6);
        let kept = |table: &Transpositions| -> Vec<usize> {
            let is_kept = |&number: &usize| table.recall(keys[number]).is_some();
            (0..keys.len()).filter(is_kept).collect()
        };
        for (number, visits) in [(0, 9), (1, 8), (2, 7), (3, 6), (4, 1)] {
            table.keep(keys[number], visited(visits, 0.5));
        }
        assert_eq!(kept(&table), [0, 1, 2, 4]);
        table.begin_search();
        // The last is found again, so it is not old.
        table.keep(keys[4], visited(1, 0.5));
        table.keep(keys[5], visited(2, 0.5));
        assert_eq!(kept(&table), [0, 1, 4, 5]);
        for number in [3, 2] {
            table.keep(keys[number], visited(2, 0.5));
        }
        assert_eq!(kept(&table), [2, 3, 4, 5]);
    }

    #[test]
    fn threads_never_see_what_none_of_them_wrote() {
        let table = Transpositions::new(0);
        let keys = neighbours(&table, 9);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (table, keys) = (&table, &keys);
                scope.spawn(move || {
                    for round in 0..50_000 {
                        let number = (round * 7 + thread) % keys.len();
                        // The mean tells which key it belongs to.
                        let own = number as f32 / 16.0;
                        table.keep(keys[number], visited(1 + round as u32 % 50, own));
                        if let Some(Found::Mean { mean, .. }) = table.recall(keys[number]) {
                            assert_eq!(mean, own);
                        }
                    }
                });
            }
        });
    }
}
