//! Which blocks hold the children of which positions.
//!
//! An entry is one word, eight entries a cache line:
//!
//! ```text
//! 63          32 31                    0
//! |  lower half | first word of a block |     0: empty
//! ```
//!
//! The upper bits of a hash choose its line, the lower half tells the entries there apart, and the
//! [header](super::words::Header) of the block has the upper bits once more. So an entry needs no care
//! when its block is given up: the block then says that it is another's, or nobody's.

use crate::cache_lines::CacheLines;
use std::sync::atomic::Ordering;

/// The fewest lines of a table.
const LEAST_LINES: usize = 1 << 8;

const HALF: u32 = 32;

/// The hash of a position by its key, which need not be mixed. Different keys have different hashes.
pub fn hash(key: u64) -> u64 {
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> HALF
}

/// The table. Shared by the threads of a search.
pub struct Positions {
    lines: CacheLines,
    bytes: u64,
}

impl Positions {
    /// An empty table of at most `bytes` bytes, but never less than 16 KiB.
    pub fn new(bytes: u64) -> Positions {
        Positions {
            lines: CacheLines::new(bytes, LEAST_LINES),
            bytes,
        }
    }

    /// The same, empty. The old table goes before there is a new one.
    pub fn cleared(self) -> Positions {
        let bytes = self.bytes;
        drop(self);
        Positions::new(bytes)
    }

    /// The first word of the block that was entered for this hash.
    #[inline]
    pub fn find(&self, hash: u64) -> Option<u32> {
        let line = self.lines.line(self.lines.place(hash));
        let entries = line.iter().map(|entry| entry.load(Ordering::Relaxed));
        let mut same = entries.filter(|entry| entry >> HALF == hash & LOWER && entry & LOWER != 0);
        same.next().map(|entry| entry as u32)
    }

    /// Enters the block that begins with this word. In a full line it takes the place of any other.
    pub fn enter(&self, hash: u64, first: u32) {
        let line = self.lines.line(self.lines.place(hash));
        let is_open = |entry: u64| entry == 0 || entry >> HALF == hash & LOWER;
        let mut open = line.iter().filter(|it| is_open(it.load(Ordering::Relaxed)));
        let by_chance = hash as usize % line.len();
        let chosen = open.next().or(line.get(by_chance));
        if let Some(entry) = chosen {
            entry.store(hash << HALF | u64::from(first), Ordering::Relaxed);
        }
    }
}

const LOWER: u64 = u32::MAX as u64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_entered_is_found_until_another_takes_its_place() {
        let table = Positions::new(0);
        let numbers = 1..=100_000;
        for number in numbers.clone() {
            let hash = hash(number);
            assert_eq!(table.find(hash), None);
            table.enter(hash, number as u32);
            assert_eq!(table.find(hash), Some(number as u32));
            table.enter(hash, 7);
            assert_eq!(table.find(hash), Some(7));
        }
        let found = numbers.filter(|&number| table.find(hash(number)).is_some());
        let room = LEAST_LINES * 8;
        assert!((room - 8..=room).contains(&found.count()));
        assert_eq!(table.cleared().find(hash(100_000)), None);
    }
}
