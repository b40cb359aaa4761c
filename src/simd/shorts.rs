//! Sixty-four integers of 16 bits that are kept as one value, and sums of table entries that they
//! point to.

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
}

/// The place of an entry, where every entry read may be read with the one after it.
#[inline(always)]
pub(super) fn last_place(table: &[i16]) -> u32 {
    assert!((2..=1 << 30).contains(&table.len()));
    table.len() as u32 - 2
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

impl ShortWords {
    #[inline(always)]
    fn zip(self, other: Self, op: impl Fn(i16, i16) -> i16) -> Self {
        ShortWords(ShortArray(std::array::from_fn(|i| {
            op(self.0.0[i], other.0.0[i])
        })))
    }
}

impl Add for ShortWords {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, i16::wrapping_add)
    }
}

impl Sub for ShortWords {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, i16::wrapping_sub)
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
}
