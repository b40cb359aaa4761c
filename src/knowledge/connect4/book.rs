//! The opening book of 7×6: the score of every position with so many stones.
//!
//! The solver looks into it as soon as it gets there, so that positions with fewer stones are
//! answered by what they lead to. Positions that are settled at sight are left out, and of two
//! mirror images one.
//!
//! The book holds no positions, only a table with three cells for each, whose values, 6 bits
//! wide, make its score by exclusive or (the construction of xor filters: Graf and Lemire 2020,
//! after Botelho, Pagh and Ziviani 2007). For a position that was not put in it tells nonsense.
//!
//! ```text
//! bytes   0..8    8       9..12   12..16      16..24   24..
//!         MAGIC   plies   zero    cells / 3   seed     values, 6 bits each, lowest bit first
//! ```

use std::fmt;

const MAGIC: &[u8; 8] = b"tengen-b";
const HEADER: usize = 24;

/// Bits of a value.
const WIDTH: usize = 6;

/// What is added to a score so that it is not negative.
const OFFSET: i32 = 32;

/// The book of this program, as `tengen book connect4 --depth 10` makes it. No chance is in its
/// scores, and its seed is the first that parts the positions.
#[cfg(feature = "book")]
const OWN: &[u8] = include_bytes!("7x6.book");
#[cfg(not(feature = "book"))]
const OWN: &[u8] = &[];

/// The book of this program. `None`: it was built without.
#[must_use]
pub fn own() -> Option<Book<'static>> {
    Book::read(OWN).ok()
}

/// A book.
pub struct Book<'a> {
    plies: u32,
    /// Cells of each of the three parts of the table.
    part: u32,
    seed: u64,
    values: &'a [u8],
}

/// Why a book cannot be used or made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookError {
    /// The bytes are not those of a book.
    Format,
    /// No seed that was tried parts the positions, or two of them are the same.
    Positions,
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BookError::Format => "this is no opening book",
            BookError::Positions => "no book can be made of these positions",
        })
    }
}

impl std::error::Error for BookError {}

impl<'a> Book<'a> {
    /// The book that these bytes are.
    ///
    /// # Errors
    /// When they are not.
    pub fn read(bytes: &'a [u8]) -> Result<Book<'a>, BookError> {
        let (header, values) = bytes.split_at_checked(HEADER).ok_or(BookError::Format)?;
        let field = |from: usize, length: usize| {
            let bytes = header.iter().skip(from).take(length).rev();
            bytes.fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let part = field(12, 4) as u32;
        let expected = values_bytes(part as usize);
        if !bytes.starts_with(MAGIC) || part == 0 || values.len() != expected {
            return Err(BookError::Format);
        }
        Ok(Book {
            plies: field(8, 1) as u32,
            part,
            seed: field(16, 8),
            values,
        })
    }

    /// How many stones the positions of the book have.
    #[must_use]
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// The score of a position by its key, the lower of its own and its mirror image's.
    #[inline]
    #[must_use]
    pub fn score(&self, key: u64) -> i32 {
        let value = cells(key, self.seed, self.part)
            .into_iter()
            .fold(0, |value, cell| value ^ get(self.values, cell));
        i32::from(value) - OFFSET
    }
}

/// The bytes of a book of positions with `plies` stones, given by key and score. No two of the
/// keys may be equal.
///
/// # Errors
/// When they are.
pub fn write(plies: u32, positions: &[(u64, i32)]) -> Result<Vec<u8>, BookError> {
    /// Cells for every position: with fewer the construction fails (Botelho et al. 2007).
    const CELLS_A_POSITION: f64 = 1.23;
    const TRIES: u64 = 100;
    let part = (positions.len() as f64 * CELLS_A_POSITION / 3.0) as u32 + 11;
    let (seed, order) = (1..=TRIES)
        .find_map(|seed| Some((seed, peel(positions, seed, part)?)))
        .ok_or(BookError::Positions)?;
    let mut values = vec![0; values_bytes(part as usize)];
    for (position, own) in order.into_iter().rev() {
        let Some(&(key, score)) = positions.get(position) else {
            continue;
        };
        let value = (score + OFFSET) as u8;
        let others = cells(key, seed, part)
            .into_iter()
            .filter(|&cell| cell != own);
        let value = others.fold(value, |value, cell| value ^ get(&values, cell));
        set(&mut values, own, value);
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend([plies as u8, 0, 0, 0]);
    bytes.extend(part.to_le_bytes());
    bytes.extend(seed.to_le_bytes());
    bytes.extend(values);
    Ok(bytes)
}

/// An order of the positions, each with a cell that none of those before it has. `None`: there
/// is none with this seed.
fn peel(positions: &[(u64, i32)], seed: u64, part: u32) -> Option<Vec<(usize, usize)>> {
    // How many positions have a cell, and the exclusive or of their numbers: the number itself
    // where there is one.
    let mut holders = vec![(0_u32, 0_usize); 3 * part as usize];
    for (number, &(key, _)) in positions.iter().enumerate() {
        for cell in cells(key, seed, part) {
            holders[cell].0 += 1;
            holders[cell].1 ^= number;
        }
    }
    let mut single: Vec<usize> = (0..holders.len())
        .filter(|&cell| holders[cell].0 == 1)
        .collect();
    let mut order = Vec::with_capacity(positions.len());
    while let Some(cell) = single.pop() {
        let (1, number) = holders[cell] else {
            continue;
        };
        order.push((number, cell));
        for cell in cells(positions[number].0, seed, part) {
            holders[cell].0 -= 1;
            holders[cell].1 ^= number;
            if holders[cell].0 == 1 {
                single.push(cell);
            }
        }
    }
    (order.len() == positions.len()).then_some(order)
}

/// The three cells of a key, one in each part.
#[inline]
fn cells(key: u64, seed: u64, part: u32) -> [usize; 3] {
    let hash = scramble(key ^ scramble(seed));
    let more = scramble(hash);
    let pick = |bits: u64, number: u64| {
        // The high bits of the product: a number below `part`.
        let product = (bits & 0xffff_ffff) * u64::from(part);
        (product >> 32) + number * u64::from(part)
    };
    [pick(hash, 0), pick(hash >> 32, 1), pick(more, 2)].map(|cell| cell as usize)
}

/// Mixes the bits of a word (the finalizer of SplitMix64: Steele, Lea and Flood 2014).
#[inline]
fn scramble(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// Bytes of the values of three parts, and one more, so that two can be read at once.
fn values_bytes(part: usize) -> usize {
    (3 * part * WIDTH).div_ceil(8) + 1
}

#[inline]
fn get(values: &[u8], cell: usize) -> u8 {
    let (byte, shift) = (cell * WIDTH / 8, cell * WIDTH % 8);
    let pair = u16::from_le_bytes([values[byte], values[byte + 1]]);
    (pair >> shift) as u8 & ((1 << WIDTH) - 1)
}

fn set(values: &mut [u8], cell: usize, value: u8) {
    let (byte, shift) = (cell * WIDTH / 8, cell * WIDTH % 8);
    let [low, high] = (u16::from(value) << shift).to_le_bytes();
    values[byte] |= low;
    values[byte + 1] |= high;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_book_tells_what_was_put_in(
            positions in prop::collection::btree_map(any::<u64>(), -18..=18_i32, 0..300),
        ) {
            let positions: Vec<_> = positions.into_iter().collect();
            let bytes = write(8, &positions).unwrap();
            let book = Book::read(&bytes).unwrap();
            prop_assert_eq!(book.plies(), 8);
            for (key, score) in positions {
                prop_assert_eq!(book.score(key), score);
            }
        }
    }

    #[test]
    fn what_is_no_book_is_refused() {
        let bytes = write(3, &[(1, 2), (5, -3)]).unwrap();
        assert!(Book::read(&bytes).is_ok());
        for length in 0..bytes.len() {
            assert_eq!(Book::read(&bytes[..length]).err(), Some(BookError::Format));
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(Book::read(&longer).err(), Some(BookError::Format));
        let other = [b"x", &bytes[1..]].concat();
        assert_eq!(Book::read(&other).err(), Some(BookError::Format));
    }

    #[test]
    fn positions_that_come_twice_make_no_book() {
        assert_eq!(write(3, &[(1, 2), (1, 2)]), Err(BookError::Positions));
    }
}
