//! A table that tells the value of every key that was put in, and nonsense for any other (a
//! Bloomier filter, Chazelle et al. 2004).
//!
//! It holds no keys, only three cells for each, whose bits make its value by exclusive or (the
//! construction of xor filters: Graf and Lemire 2020, after Botelho, Pagh and Ziviani 2007).
//!
//! ```text
//! bytes   0..4        4..8    8..16   16..
//!         cells / 3   zero    seed    cells, as wide as a value, lowest bit first
//! ```

use super::BookError;

const HEADER: usize = 16;

/// A table of values that are `width` bits wide, 8 at the most.
pub struct Filter<'a> {
    width: usize,
    /// Cells of each of the three parts of the table.
    part: u32,
    seed: u64,
    cells: &'a [u8],
}

impl<'a> Filter<'a> {
    /// The table that these bytes begin with, and the bytes after it.
    ///
    /// # Errors
    /// When there is none.
    pub fn read(bytes: &'a [u8], width: usize) -> Result<(Filter<'a>, &'a [u8]), BookError> {
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or(BookError::Format)?;
        let field = |from: usize, length: usize| {
            let bytes = header.iter().skip(from).take(length).rev();
            bytes.fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let part = field(0, 4) as u32;
        let (cells, rest) = rest
            .split_at_checked(cells_bytes(part, width))
            .ok_or(BookError::Format)?;
        if part == 0 {
            return Err(BookError::Format);
        }
        let seed = field(8, 8);
        let filter = Filter {
            width,
            part,
            seed,
            cells,
        };
        Ok((filter, rest))
    }

    /// The value of a key.
    #[inline]
    #[must_use]
    pub fn get(&self, key: u64) -> u8 {
        let cells = cells(key, self.seed, self.part).into_iter();
        cells.fold(0, |value, cell| value ^ get(self.cells, self.width, cell))
    }
}

/// The bytes of a table of these keys and values. No two of the keys may be equal.
///
/// # Errors
/// When they are.
pub fn build(entries: &[(u64, u8)], width: usize) -> Result<Vec<u8>, BookError> {
    /// Cells for every key: with fewer the construction fails (Botelho et al. 2007).
    const CELLS_A_KEY: f64 = 1.23;
    const TRIES: u64 = 100;
    let part = (entries.len() as f64 * CELLS_A_KEY / 3.0) as u32 + 11;
    let (seed, order) = (1..=TRIES)
        .find_map(|seed| Some((seed, peel(entries, seed, part)?)))
        .ok_or(BookError::Positions)?;
    let mut values = vec![0; cells_bytes(part, width)];
    for (entry, own) in order.into_iter().rev() {
        let Some(&(key, value)) = entries.get(entry) else {
            continue;
        };
        let others = cells(key, seed, part)
            .into_iter()
            .filter(|&cell| cell != own);
        let value = others.fold(value, |value, cell| value ^ get(&values, width, cell));
        set(&mut values, width, own, value);
    }
    let mut bytes = part.to_le_bytes().to_vec();
    bytes.extend([0; 4]);
    bytes.extend(seed.to_le_bytes());
    bytes.extend(values);
    Ok(bytes)
}

/// An order of the entries, each with a cell that none of those before it has. `None`: there
/// is none with this seed.
fn peel(entries: &[(u64, u8)], seed: u64, part: u32) -> Option<Vec<(usize, usize)>> {
    // How many entries have a cell, and the exclusive or of their numbers: the number itself
    // where there is one.
    let mut holders = vec![(0_u32, 0_usize); 3 * part as usize];
    for (number, &(key, _)) in entries.iter().enumerate() {
        for cell in cells(key, seed, part) {
            holders[cell].0 += 1;
            holders[cell].1 ^= number;
        }
    }
    let mut single: Vec<usize> = (0..holders.len())
        .filter(|&cell| holders[cell].0 == 1)
        .collect();
    let mut order = Vec::with_capacity(entries.len());
    while let Some(cell) = single.pop() {
        let (1, number) = holders[cell] else {
            continue;
        };
        order.push((number, cell));
        for cell in cells(entries[number].0, seed, part) {
            holders[cell].0 -= 1;
            holders[cell].1 ^= number;
            if holders[cell].0 == 1 {
                single.push(cell);
            }
        }
    }
    (order.len() == entries.len()).then_some(order)
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
pub fn scramble(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// Bytes of the cells of three parts, and one more, so that two can be read at once.
fn cells_bytes(part: u32, width: usize) -> usize {
    (3 * part as usize * width).div_ceil(8) + 1
}

#[inline]
fn get(cells: &[u8], width: usize, cell: usize) -> u8 {
    let (byte, shift) = (cell * width / 8, cell * width % 8);
    let pair = u16::from_le_bytes([cells[byte], cells[byte + 1]]);
    (pair >> shift) as u8 & (0xff >> (8 - width))
}

fn set(cells: &mut [u8], width: usize, cell: usize, value: u8) {
    let (byte, shift) = (cell * width / 8, cell * width % 8);
    let [low, high] = (u16::from(value) << shift).to_le_bytes();
    cells[byte] |= low;
    cells[byte + 1] |= high;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_table_tells_what_was_put_in(
            entries in prop::collection::btree_map(any::<u64>(), any::<u8>(), 0..300),
            width in 1..=8_usize,
        ) {
            let cut = |(key, value)| (key, value & (0xff >> (8 - width)));
            let entries: Vec<_> = entries.into_iter().map(cut).collect();
            let mut bytes = build(&entries, width).unwrap();
            bytes.extend([1, 2]);
            let (filter, rest) = Filter::read(&bytes, width).unwrap();
            prop_assert_eq!(rest, &[1, 2]);
            for (key, value) in entries {
                prop_assert_eq!(filter.get(key), value);
            }
        }
    }

    #[test]
    fn keys_that_come_twice_make_no_table() {
        assert_eq!(build(&[(1, 2), (1, 2)], 6), Err(BookError::Positions));
    }
}
