//! Sets of cells as wide as a board needs: four words up to 256 cells, eight up to 512.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// A set of cells: cell `c` is bit `c % 64` of word `c / 64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Bits<WORDS> {
    /// No cell.
    pub const EMPTY: Self = Bits([0; WORDS]);

    /// How many cells there is room for.
    pub const CAPACITY: usize = 64 * WORDS;

    /// The set with these words, lowest cells first.
    #[inline]
    pub const fn from_words(words: [u64; WORDS]) -> Self {
        Bits(words)
    }

    /// Its words, lowest cells first.
    #[inline]
    pub const fn words(self) -> [u64; WORDS] {
        self.0
    }

    /// The set of this one cell, which must be below `CAPACITY`.
    #[inline]
    pub fn of(cell: usize) -> Self {
        let mut set = Self::EMPTY;
        set.insert(cell);
        set
    }

    /// The same cells with more words, or with fewer where the dropped ones are empty.
    #[inline]
    pub fn resized<const TO: usize>(self) -> Bits<TO> {
        debug_assert!(self.0.iter().skip(TO).all(|&word| word == 0));
        Bits(std::array::from_fn(|i| self.0.get(i).copied().unwrap_or(0)))
    }

    /// Whether the cell is in the set; no number beyond the capacity is.
    #[inline]
    pub fn contains(&self, cell: usize) -> bool {
        let word = self.0.get(cell / 64);
        word.is_some_and(|word| word >> (cell % 64) & 1 != 0)
    }

    /// Adds a cell, which must be below `CAPACITY`.
    #[inline]
    pub fn insert(&mut self, cell: usize) {
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    /// Takes a cell out when `condition` holds and it is in the set, without a branch. Tells
    /// whether it did. The cell must be below `CAPACITY`.
    #[inline]
    pub fn remove_if(&mut self, cell: usize, condition: bool) -> bool {
        let word = &mut self.0[cell / 64];
        let hit = *word >> (cell % 64) & u64::from(condition);
        *word ^= hit << (cell % 64);
        hit != 0
    }

    /// Adds a cell, which must be below `CAPACITY`, or takes it out.
    #[inline]
    pub fn set(&mut self, cell: usize, member: bool) {
        let word = &mut self.0[cell / 64];
        *word = *word & !(1 << (cell % 64)) | u64::from(member) << (cell % 64);
    }

    /// Adds a cell, which must be below `CAPACITY`, if it is not in the set, and else takes it out.
    #[inline]
    pub fn toggle(&mut self, cell: usize) {
        self.0[cell / 64] ^= 1 << (cell % 64);
    }

    /// Whether the set has no cell.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// How many cells are in the set.
    #[inline]
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Every cell moved to the number higher by `by`, which is from 1 to 63; those beyond the
    /// capacity are dropped.
    #[inline]
    pub fn up(self, by: u32) -> Self {
        Bits(std::array::from_fn(|i| {
            let below = if i > 0 { self.0[i - 1] } else { 0 };
            self.0[i] << by | below >> (64 - by)
        }))
    }

    /// Every cell moved to the number lower by `by`, which is from 1 to 63; those below zero
    /// are dropped.
    #[inline]
    pub fn down(self, by: u32) -> Self {
        Bits(std::array::from_fn(|i| {
            let above = if i + 1 < WORDS { self.0[i + 1] } else { 0 };
            self.0[i] >> by | above << (64 - by)
        }))
    }

    /// The cells in rising order.
    #[inline]
    pub fn cells(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(i, word)| {
            let rest = |word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
            std::iter::successors(Some(word).filter(|&word| word != 0), rest)
                .map(move |word| 64 * i + word.trailing_zeros() as usize)
        })
    }

    #[inline]
    fn zip(self, other: Self, op: impl Fn(u64, u64) -> u64) -> Self {
        Bits(std::array::from_fn(|i| op(self.0[i], other.0[i])))
    }
}

impl<const WORDS: usize> BitAnd for Bits<WORDS> {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl<const WORDS: usize> BitOr for Bits<WORDS> {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl<const WORDS: usize> BitXor for Bits<WORDS> {
    type Output = Self;

    #[inline]
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}

impl<const WORDS: usize> BitAndAssign for Bits<WORDS> {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl<const WORDS: usize> BitOrAssign for Bits<WORDS> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl<const WORDS: usize> Not for Bits<WORDS> {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Bits(self.0.map(|word| !word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shifts_move_every_cell(words: [u64; 8], by in 1u32..64) {
            let set = Bits::from_words(words);
            let distance = by as usize;
            let up: Vec<usize> = set.cells().map(|c| c + distance).filter(|&c| c < 512).collect();
            let down: Vec<usize> = set.cells().filter_map(|c| c.checked_sub(distance)).collect();
            prop_assert_eq!(set.up(by).cells().collect::<Vec<_>>(), up);
            prop_assert_eq!(set.down(by).cells().collect::<Vec<_>>(), down);
        }

        #[test]
        fn cells_are_those_contained(words: [u64; 4]) {
            let set = Bits::from_words(words);
            let contained: Vec<usize> = (0..600).filter(|&cell| set.contains(cell)).collect();
            prop_assert_eq!(set.count() as usize, contained.len());
            prop_assert_eq!(set.is_empty(), contained.is_empty());
            prop_assert_eq!(set.resized::<8>().cells().collect::<Vec<_>>(), contained.clone());
            prop_assert_eq!(set.cells().collect::<Vec<_>>(), contained);
        }

        #[test]
        fn removal_takes_one_cell_at_most(words: [u64; 4], cell in 0usize..256, condition: bool) {
            let before = Bits::from_words(words);
            let mut after = before;
            let removed = after.remove_if(cell, condition);
            prop_assert_eq!(removed, condition && before.contains(cell));
            let expected = if removed { before & !Bits::of(cell) } else { before };
            prop_assert_eq!(after, expected);
        }
    }
}
