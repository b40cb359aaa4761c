//! The transposition table: bounds that were proven, shared by all threads without a lock.
//!
//! An entry is one word on 7×6, where 43 bits of the key and its place in the table tell
//! positions apart for certain, and two words on other boards:
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

use crate::knowledge::connect4::bits::Bits;
use crate::knowledge::connect4::board::{Any, Shape, Standard};
use std::marker::PhantomData;
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

/// What an entry consists of.
pub trait Entry: Send + Sync {
    /// Words of an entry, 1 or 2.
    const WORDS: usize;
}

/// One word, for keys of few bits.
pub struct Exact;

/// Two words, for all keys.
pub struct Hashed;

impl Entry for Exact {
    const WORDS: usize = 1;
}

impl Entry for Hashed {
    const WORDS: usize = 2;
}

/// Shapes of boards whose positions a table keeps.
pub trait Tabled: Shape {
    /// What tells them apart.
    type Entry: Entry;
}

impl Tabled for Standard {
    type Entry = Exact;
}

impl<B: Bits> Tabled for Any<B> {
    type Entry = Hashed;
}

/// Where a position is found, and how it is told from others.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    first: usize,
    check: u64,
    second: u64,
}

/// Bounds of the positions that were searched.
pub struct TranspositionTable<E> {
    words: Box<[AtomicU64]>,
    /// The first word that begins a cache line.
    skip: usize,
    buckets: usize,
    /// Bits of the key.
    key_bits: u32,
    entry: PhantomData<E>,
}

/// The fewest buckets of a table.
const LEAST_BUCKETS: usize = 1 << 10;

impl<E: Entry> TranspositionTable<E> {
    /// Words of a bucket.
    const BUCKET_WORDS: usize = BUCKET * E::WORDS;

    /// A table of at most `bytes` bytes, but never less than 32 KiB for each word of
    /// an entry, for keys below `1 << key_bits`. Where the system has not so much, it is smaller.
    ///
    /// # Panics
    /// When entries of one word cannot tell so many keys apart, or there is no memory at all.
    pub fn new(bytes: usize, key_bits: u32) -> TranspositionTable<E> {
        assert!(E::WORDS == 2 || key_bits <= CHECK_BITS + LEAST_BUCKETS.ilog2());
        let buckets = (bytes.saturating_sub(64) / (8 * Self::BUCKET_WORDS)).max(LEAST_BUCKETS);
        let (words, buckets) = Self::reserve(buckets);
        let skip = words.as_ptr().align_offset(64).min(7);
        TranspositionTable {
            words,
            skip,
            buckets,
            key_bits,
            entry: PhantomData,
        }
    }

    /// Zeroed words for so many buckets, or for half as many as long as the system refuses.
    fn reserve(buckets: usize) -> (Box<[AtomicU64]>, usize) {
        let words = buckets * Self::BUCKET_WORDS + 7;
        if buckets <= LEAST_BUCKETS {
            return (bytemuck::allocation::zeroed_slice_box(words), buckets);
        }
        match bytemuck::allocation::try_zeroed_slice_box(words) {
            Ok(words) => (words, buckets),
            Err(()) => {
                log::warn!("no memory for a table of {} MiB: trying half", words >> 17);
                Self::reserve((buckets / 2).max(LEAST_BUCKETS))
            }
        }
    }

    /// Where the position with this key, as two words, belongs. The key is mixed; its bucket is
    /// that part of the whole range in which the mixed key lies, and its lowest bits tell it from
    /// the others there.
    #[inline]
    pub fn place(&self, (low, high): (u64, u64)) -> Place {
        const CHECK_MASK: u64 = u64::MAX >> CHECK_SHIFT;
        let first = |mixed: u64, bits: u32| {
            // The high bits of the product: a number below `buckets`.
            let bucket = (u128::from(mixed << (64 - bits)) * self.buckets as u128) >> 64;
            bucket as usize * Self::BUCKET_WORDS + self.skip
        };
        if E::WORDS == 2 {
            let mixed = mix((low, high));
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
            && (E::WORDS == 1
                || self.word(place, BUCKET + entry).load(Ordering::Relaxed) == place.second ^ word)
    }

    #[inline]
    fn write(&self, place: Place, entry: usize, word: u64) {
        self.word(place, entry).store(word, Ordering::Relaxed);
        if E::WORDS == 2 {
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

/// Odd, so that no two keys are scrambled alike (the golden ratio, after Knuth).
const SCRAMBLE: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash of a key.
#[inline]
pub fn mix((low, high): (u64, u64)) -> u64 {
    fold(low ^ SCRAMBLE, high ^ 0xd1b5_4a32_d192_ed03)
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

    fn tells_what_was_put_in<E: Entry>(bytes: usize, key_bits: u32) {
        let table = TranspositionTable::<E>::new(bytes, key_bits);
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

    #[test]
    fn a_table_tells_what_was_put_in_and_knows_nothing_else() {
        tells_what_was_put_in::<Exact>(1 << 20, 49);
        // Granted more than it has a use for.
        tells_what_was_put_in::<Exact>(64 << 20, 20);
        tells_what_was_put_in::<Hashed>(1 << 20, 110);
        tells_what_was_put_in::<Hashed>(64 << 20, 65);
        tells_what_was_put_in::<Hashed>(64 << 20, 20);
    }
}
