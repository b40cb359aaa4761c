//! Sixty-four integers of 16 bits in four registers of AVX2. With AVX-512, entries of tables are
//! gathered sixteen at a time.
#![allow(unsafe_code, reason = "the instructions of vector units")]

use crate::simd::shorts::{Bases, ROW, Row, ShortArray, Shorts, last_place, last_row};
use crate::simd::zip;
use std::arch::x86_64::*;
use std::mem::transmute;
use std::ops::{Add, Sub};

/// Made only from a token of AVX2, or of AVX-512 if `WIDE`.
#[derive(Clone, Copy)]
pub struct ShortYmms<const WIDE: bool>([__m256i; 4]);

impl<const WIDE: bool> ShortYmms<WIDE> {
    /// These integers.
    ///
    /// # Safety
    /// The processor has AVX2, and AVX-512 if `WIDE`.
    #[inline(always)]
    pub unsafe fn load(array: &ShortArray) -> Self {
        // SAFETY: both types are 128 bytes without padding or invalid values.
        ShortYmms(unsafe { transmute::<ShortArray, [__m256i; 4]>(*array) })
    }
}

macro_rules! operator {
    ($operator:ident, $name:ident, $op:ident) => {
        impl<const WIDE: bool> $operator for ShortYmms<WIDE> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: integers of this type exist only on a processor with AVX2.
                ShortYmms(zip(self.0, other.0, |a, b| unsafe { $op(a, b) }))
            }
        }
    };
}

operator!(Add, add, _mm256_add_epi16);
operator!(Sub, sub, _mm256_sub_epi16);

impl<const WIDE: bool> Shorts for ShortYmms<WIDE> {
    #[inline(always)]
    fn array(self) -> ShortArray {
        // SAFETY: both types are 128 bytes without padding or invalid values.
        unsafe { transmute::<[__m256i; 4], ShortArray>(self.0) }
    }

    #[inline(always)]
    fn sum_of_entries(self, table: &[i16], bases: &Bases) -> i32 {
        let last = last_place(table);
        // SAFETY: integers of this type exist only on a processor with AVX2, and with AVX-512 if
        // `WIDE`. No place is beyond `last`, where an entry and the next can be read.
        unsafe {
            match WIDE {
                true => sum_by_sixteen(self.0, table, last, bases),
                false => sum_one_by_one(self.0, table, last, bases),
            }
        }
    }

    #[inline(always)]
    fn sum_of_rows(self, rows: &[Row], bases: &Bases) -> [i16; ROW] {
        let last = last_row(rows);
        // SAFETY: integers of this type exist only on a processor with AVX2, and with AVX-512 if
        // `WIDE`. No place is beyond `last`. A row is aligned and has 32 bytes.
        unsafe {
            if WIDE {
                // Sums that do not wait for each other.
                let mut sums = [_mm512_setzero_si512(); 2];
                for_each_row(self.0, rows, last, bases, |n, row| {
                    let row = _mm512_cvtepi8_epi16(_mm256_load_si256(row));
                    sums[n % 2] = _mm512_add_epi16(sums[n % 2], row);
                });
                return transmute::<__m512i, [i16; ROW]>(_mm512_add_epi16(sums[0], sums[1]));
            }
            let mut sums = [_mm256_setzero_si256(); 2];
            for_each_row(self.0, rows, last, bases, |_, row| {
                let half = row.cast::<__m128i>();
                let halves = [half, half.add(1)].map(|it| _mm256_cvtepi8_epi16(_mm_load_si128(it)));
                sums[0] = _mm256_add_epi16(sums[0], halves[0]);
                sums[1] = _mm256_add_epi16(sums[1], halves[1]);
            });
            transmute::<[__m256i; 2], [i16; ROW]>(sums)
        }
    }

    #[inline(always)]
    fn prefetch_rows(self, rows: &[Row], bases: &Bases) {
        let last = last_row(rows);
        // SAFETY: as above.
        unsafe {
            for_each_row(self.0, rows, last, bases, |_, row| {
                _mm_prefetch::<_MM_HINT_T0>(row.cast());
            });
        }
    }
}

/// Calls `each` with the place that each integer points to, none beyond `last`, in units of 2^-`SHIFT`
/// places, and with the number of the integer among eight.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn for_each_place<const SHIFT: i32>(
    shorts: [__m256i; 4],
    last: u32,
    bases: &Bases,
    mut each: impl FnMut(usize, usize),
) {
    // SAFETY: as the caller says.
    unsafe {
        let last = _mm256_set1_epi32(last as i32);
        let bases = transmute::<&Bases, &[__m256i; 8]>(bases);
        for (i, base) in bases.iter().enumerate() {
            let eight = match i % 2 {
                0 => _mm256_castsi256_si128(shorts[i / 2]),
                _ => _mm256_extracti128_si256::<1>(shorts[i / 2]),
            };
            let places = _mm256_add_epi32(*base, _mm256_cvtepi16_epi32(eight));
            let places = _mm256_slli_epi32::<SHIFT>(_mm256_min_epu32(places, last));
            let places = transmute::<__m256i, [u32; 8]>(places);
            for (n, place) in places.into_iter().enumerate() {
                each(n, place as usize);
            }
        }
    }
}

/// Calls `each` with every row, and with the number of its integer among eight.
///
/// # Safety
/// The processor has AVX2, and there are at least `last + 1` rows.
#[inline(always)]
unsafe fn for_each_row(
    shorts: [__m256i; 4],
    rows: &[Row],
    last: u32,
    bases: &Bases,
    mut each: impl FnMut(usize, *const __m256i),
) {
    // A row is too wide to be addressed by its place.
    const SHIFT: i32 = size_of::<Row>().ilog2() as i32;
    // SAFETY: as the caller says.
    unsafe {
        for_each_place::<SHIFT>(shorts, last, bases, |n, byte| {
            each(n, rows.as_ptr().byte_add(byte).cast());
        });
    }
}

/// Entries are read one by one, which takes three fourths of the time of gathering eight at a time.
/// (Measured on a Zen 3: `docs/EXPERIMENTS.md`, Reversi.)
///
/// # Safety
/// The processor has AVX2, and `table` has at least `last + 1` entries.
#[inline(always)]
unsafe fn sum_one_by_one(shorts: [__m256i; 4], table: &[i16], last: u32, bases: &Bases) -> i32 {
    // Sums that do not wait for each other.
    let mut sums = [0; 4];
    // SAFETY: as the caller says.
    unsafe {
        for_each_place::<0>(shorts, last, bases, |n, place| {
            sums[n % 4] += i32::from(*table.get_unchecked(place));
        });
    }
    sums.into_iter().sum()
}

/// Four bytes are gathered for an entry of two: the product with 1 and 0 drops the others.
///
/// # Safety
/// The processor has AVX-512, and `table` has at least `last + 2` entries.
#[inline(always)]
unsafe fn sum_by_sixteen(shorts: [__m256i; 4], table: &[i16], last: u32, bases: &Bases) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let last = _mm512_set1_epi32(last as i32);
        let first_of_two = _mm512_set1_epi32(1);
        let mut sum = _mm512_setzero_si512();
        let bases = transmute::<&Bases, &[__m512i; 4]>(bases);
        for (base, sixteen) in bases.iter().zip(shorts) {
            let places = _mm512_add_epi32(*base, _mm512_cvtepi16_epi32(sixteen));
            let places = _mm512_min_epu32(places, last);
            let pairs = _mm512_i32gather_epi32::<2>(places, table.as_ptr().cast());
            sum = _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, first_of_two));
        }
        _mm512_reduce_add_epi32(sum)
    }
}
