//! The transposition table: bounds that were proven, shared by all threads without a lock.
//!
//! An entry is one word where 43 bits of the key and its place in the table tell positions
//! apart for certain, as on 7×6, and two words otherwise:
//!
//! ```text
//! first    63      21 20   16 15    8 7      0
//!          |  check  | work  | upper | lower |
//! second   another hash of the position, exclusive or the first word
//! ```
//!
//! The scores are stored with [`OFFSET`] added. `work` is the logarithm of the nodes that the
//! bounds cost: in a bucket that is full the cheapest entry makes room. The second word has
//! the first in it, so that two halves which different threads wrote do not pass for one entry
//! (Hyatt's lockless hashing).

use std::sync::atomic::{AtomicU64, Ordering};

/// What is added to a score so that it is not negative: no board has more stones a side.
const OFFSET: i32 = 72;

/// Entries are looked for in this many places.
const BUCKET: usize = 4;

const UPPER_SHIFT: u32 = 8;
const WORK_SHIFT: u32 = 16;
const CHECK_SHIFT: u32 = 21;
const CHECK_BITS: u32 = 64 - CHECK_SHIFT;

/// Bounds of a score, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The score is no less.
    pub lower: i32,
    /// The score is no more.
    pub upper: i32,
}

/// Where a position is found, and how it is told from others.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    first: usize,
    check: u64,
    second: u64,
}

/// The table.
pub struct Table {
    words: Box<[AtomicU64]>,
    /// The first word that begins a cache line.
    skip: usize,
    buckets: usize,
    /// Bits of the key.
    key_bits: u32,
    /// Entries of two words.
    double: bool,
}

impl Table {
    /// A table of at most `bytes` bytes for keys below `1 << key_bits`.
    pub fn new(bytes: usize, key_bits: u32) -> Table {
        let buckets = |double| {
            let bucket = 8 * BUCKET * (1 + usize::from(double));
            (bytes.saturating_sub(64) / bucket).max(1 << 10)
        };
        let double = key_bits > u64::BITS || key_bits > CHECK_BITS + buckets(false).ilog2();
        let buckets = buckets(double);
        let words = buckets * (BUCKET << u32::from(double)) + 7;
        let words: Box<[AtomicU64]> = bytemuck::allocation::zeroed_slice_box(words);
        let skip = words.as_ptr().align_offset(64).min(7);
        Table {
            words,
            skip,
            buckets,
            key_bits,
            double,
        }
    }

    /// Where the position with this key, as two words, belongs. The key is mixed; its bucket is
    /// that part of the whole range in which the mixed key lies, and its lowest bits tell it from
    /// the others there.
    #[inline]
    pub fn place(&self, (low, high): (u64, u64)) -> Place {
        /// Odd, so that no two keys are scrambled alike (the golden ratio, after Knuth).
        const SCRAMBLE: u64 = 0x9e37_79b9_7f4a_7c15;
        const CHECK_MASK: u64 = u64::MAX >> CHECK_SHIFT;
        let bucket_words = BUCKET << u32::from(self.double);
        let first = |mixed: u64, bits: u32| {
            let bucket = (u128::from(mixed) * self.buckets as u128) >> bits;
            bucket as usize * bucket_words + self.skip
        };
        if self.double {
            let mixed = fold(low ^ SCRAMBLE, high ^ 0xd1b5_4a32_d192_ed03);
            let second = fold(low ^ 0x8cb9_2ba7_2f3d_8dd7, high ^ SCRAMBLE);
            return Place {
                first: first(mixed, 64),
                check: mixed & CHECK_MASK,
                second,
            };
        }
        // A bijection of the keys: the product in key_bits bits, mixed downwards first.
        let mask = u64::MAX >> (64 - self.key_bits);
        let mixed = low ^ low >> (self.key_bits / 2);
        let mixed = mixed.wrapping_mul(SCRAMBLE) & mask;
        Place {
            first: first(mixed, self.key_bits),
            check: mixed & CHECK_MASK,
            second: 0,
        }
    }

    /// What is known of a position.
    #[inline]
    pub fn probe(&self, place: Place) -> Option<Bounds> {
        (0..BUCKET).find_map(|entry| {
            let word = self.read(place, entry);
            self.is_of(place, entry, word).then(|| unpack(word))
        })
    }

    /// Keeps bounds of a position that cost `nodes`.
    #[inline]
    pub fn store(&self, place: Place, bounds: Bounds, nodes: u64) {
        let work = u64::from(nodes.max(1).ilog2()).min(31);
        let word = pack(bounds) | work << WORK_SHIFT | place.check << CHECK_SHIFT;
        let mut cheapest = 0;
        let mut least = u64::MAX;
        for entry in 0..BUCKET {
            let old = self.read(place, entry);
            if old == 0 || self.is_of(place, entry, old) {
                cheapest = entry;
                break;
            }
            let old_work = old >> WORK_SHIFT & 31;
            if old_work < least {
                (cheapest, least) = (entry, old_work);
            }
        }
        self.write(place, cheapest, word);
    }

    #[inline]
    fn read(&self, place: Place, entry: usize) -> u64 {
        self.word(place, entry).load(Ordering::Relaxed)
    }

    #[inline]
    fn is_of(&self, place: Place, entry: usize, word: u64) -> bool {
        word >> CHECK_SHIFT == place.check
            && word != 0
            && (!self.double
                || self.word(place, BUCKET + entry).load(Ordering::Relaxed) == place.second ^ word)
    }

    #[inline]
    fn write(&self, place: Place, entry: usize, word: u64) {
        self.word(place, entry).store(word, Ordering::Relaxed);
        if self.double {
            let second = place.second ^ word;
            self.word(place, BUCKET + entry)
                .store(second, Ordering::Relaxed);
        }
    }

    #[inline]
    fn word(&self, place: Place, entry: usize) -> &AtomicU64 {
        &self.words[place.first + entry]
    }
}

#[inline]
fn pack(bounds: Bounds) -> u64 {
    (bounds.lower + OFFSET) as u64 | ((bounds.upper + OFFSET) as u64) << UPPER_SHIFT
}

#[inline]
fn unpack(word: u64) -> Bounds {
    Bounds {
        lower: (word & 0xff) as i32 - OFFSET,
        upper: (word >> UPPER_SHIFT & 0xff) as i32 - OFFSET,
    }
}

/// The product of two words, its halves folded into one.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of one word and of two, and one that is granted more than it has a use for.
    #[test]
    fn a_table_tells_what_was_put_in_and_knows_nothing_else() {
        for (bytes, key_bits) in [
            (1 << 20, 49),
            (1 << 20, 110),
            (256 << 20, 65),
            (64 << 20, 20),
        ] {
            let table = Table::new(bytes, key_bits);
            let high = |number| if key_bits > 64 { number % 2 } else { 0 };
            let keys = (0..1000_u64).map(|number| (number * 977, high(number)));
            for (number, key) in (0..).zip(keys) {
                let place = table.place(key);
                assert_eq!(table.probe(place), None, "{key_bits} bits");
                let bounds = Bounds {
                    lower: -(number % OFFSET),
                    upper: number % 7,
                };
                table.store(place, bounds, 1);
                assert_eq!(table.probe(place), Some(bounds), "{key_bits} bits");
            }
        }
    }
}
