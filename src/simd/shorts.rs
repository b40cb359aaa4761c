//! Sixty-four integers of 16 bits that are kept as one value, and sums of what they point to in a table.

use super::zip;
use std::ops::{Add, Sub};

/// How many integers are kept together: four registers of AVX2.
pub const SHORTS: usize = 64;

/// The integers, aligned for registers of 256 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub struct ShortArray(pub [i16; SHORTS]);

impl ShortArray {
    /// All are 0.
    pub const ZERO: ShortArray = ShortArray([0; SHORTS]);
}

/// Where the entries of each integer begin in a table: its entry 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Bases(pub [i32; SHORTS]);

/// How many numbers a row has.
pub const ROW: usize = 32;

/// Small numbers that are read together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(32))]
pub struct Row(pub [i8; ROW]);

/// The integers in registers. Sums and differences wrap.
pub trait Shorts: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// These integers.
    fn array(self) -> ShortArray;

    /// The sum of `table[base + integer]` over all integers. An entry beyond the table, and the
    /// last entry, count as the last entry but one.
    ///
    /// # Panics
    /// When the table has fewer than two entries.
    fn sum_of_entries(self, table: &[i16], bases: &Bases) -> i32;

    /// The sum of the rows `rows[base + integer]` over all integers. A row beyond the last counts as the
    /// last.
    ///
    /// # Panics
    /// When there are no rows.
    fn sum_of_rows(self, rows: &[Row], bases: &Bases) -> [i16; ROW];

    /// Asks for the cache lines of these rows.
    ///
    /// # Panics
    /// When there are no rows.
    fn prefetch_rows(self, rows: &[Row], bases: &Bases);
}

/// The place of an entry, where every entry read may be read with the one after it.
#[inline(always)]
pub(super) fn last_place(table: &[i16]) -> u32 {
    assert!((2..=1 << 30).contains(&table.len()));
    table.len() as u32 - 2
}

/// The place of the last row.
#[inline(always)]
pub(super) fn last_row(rows: &[Row]) -> u32 {
    assert!((1..=1 << 26).contains(&rows.len()));
    rows.len() as u32 - 1
}

/// The integers without registers: the reference that all ISAs are tested against.
#[derive(Clone, Copy)]
pub struct ShortWords(ShortArray);

impl From<&ShortArray> for ShortWords {
    #[inline(always)]
    fn from(array: &ShortArray) -> ShortWords {
        ShortWords(*array)
    }
}

impl Add for ShortWords {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        ShortWords(ShortArray(zip(self.0.0, other.0.0, i16::wrapping_add)))
    }
}

impl Sub for ShortWords {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        ShortWords(ShortArray(zip(self.0.0, other.0.0, i16::wrapping_sub)))
    }
}

impl Shorts for ShortWords {
    #[inline(always)]
    fn array(self) -> ShortArray {
        self.0
    }

    #[inline(always)]
    fn sum_of_entries(self, table: &[i16], bases: &Bases) -> i32 {
        let last = last_place(table);
        let places = self.0.0.iter().zip(&bases.0);
        places
            .map(|(&short, &base)| {
                let place = base.wrapping_add(i32::from(short)) as u32;
                i32::from(table[place.min(last) as usize])
            })
            .sum()
    }

    #[inline(always)]
    fn sum_of_rows(self, rows: &[Row], bases: &Bases) -> [i16; ROW] {
        let last = last_row(rows);
        let mut sums = [0; ROW];
        for (&short, &base) in self.0.0.iter().zip(&bases.0) {
            let place = base.wrapping_add(i32::from(short)) as u32;
            let Row(row) = &rows[place.min(last) as usize];
            for i in 0..ROW {
                sums[i] += i16::from(row[i]);
            }
        }
        sums
    }

    /// Processors without registers for the integers are left to themselves.
    #[inline(always)]
    fn prefetch_rows(self, _: &[Row], _: &Bases) {}
}
