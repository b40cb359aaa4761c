//! Words in an array, for processors that nothing more is known of. The reference that all ISAs are
//! tested against.

use super::shorts::{ShortArray, ShortWords};
use super::{Floats, Kernel, LANES, Lanes, Rays, Simd, zip};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Range, Shl, Shr, Sub};

/// Needs nothing of the processor. Handles so many lanes from the first one on.
#[derive(Clone, Copy)]
pub struct Portable<const WIDTH: usize> {
    first: usize,
}

impl<const WIDTH: usize> Portable<WIDTH> {
    /// Handles the lanes from this one on.
    pub fn from(first: usize) -> Self {
        debug_assert!(first + WIDTH <= LANES);
        Portable { first }
    }
}

/// The words of the lanes.
#[derive(Clone, Copy)]
pub struct Words<const WIDTH: usize>(pub(super) [u64; WIDTH]);

impl<const WIDTH: usize> Rays for Portable<WIDTH> {}

impl<const WIDTH: usize> Simd for Portable<WIDTH> {
    type Lanes = Words<WIDTH>;
    type Floats = FloatWords<WIDTH>;
    type Shorts = ShortWords;

    #[inline(always)]
    fn shorts(self, array: &ShortArray) -> ShortWords {
        ShortWords::from(array)
    }

    #[inline(always)]
    fn floats(self, lanes: Words<WIDTH>) -> FloatWords<WIDTH> {
        FloatWords::of(lanes.0)
    }

    #[inline(always)]
    fn splat_float(self, value: f32) -> FloatWords<WIDTH> {
        FloatWords::splat(value)
    }

    #[inline(always)]
    fn lanes(self) -> Range<usize> {
        self.first..self.first + WIDTH
    }

    #[inline(always)]
    fn load(self, words: [u64; LANES]) -> Words<WIDTH> {
        Words(std::array::from_fn(|i| words[self.first + i]))
    }

    #[inline(always)]
    fn words(self, lanes: Words<WIDTH>) -> [u64; LANES] {
        let mut words = [0; LANES];
        words[self.lanes()].copy_from_slice(&lanes.0);
        words
    }

    #[inline(never)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }
}

impl<const WIDTH: usize> Lanes for Words<WIDTH> {
    #[inline(always)]
    fn shift_left_each(self, by: Self) -> Self {
        Words(zip(
            self.0,
            by.0,
            |word, by| if by < 64 { word << by } else { 0 },
        ))
    }

    #[inline(always)]
    fn multiply_low(self, by: Self) -> Self {
        Words(zip(self.0, by.0, |a, b| {
            (a & 0xffff_ffff) * (b & 0xffff_ffff)
        }))
    }

    #[inline(always)]
    fn is_not_zero(self) -> Self {
        Words(self.0.map(|word| if word == 0 { 0 } else { u64::MAX }))
    }

    #[inline(always)]
    fn not_zero_bits(self) -> u8 {
        let bit = |(i, word)| u8::from(word != 0) << i;
        self.0
            .into_iter()
            .enumerate()
            .map(bit)
            .fold(0, |all, bit| all | bit)
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.into_iter().fold(0, |all, word| all | word) != 0
    }

    #[inline(always)]
    fn next_words<const GROUP: usize>(self) -> Self {
        Words(std::array::from_fn(|i| {
            let next = self.0.get(i + 1).copied().unwrap_or(0);
            if (i + 1) % GROUP == 0 { 0 } else { next }
        }))
    }

    #[inline(always)]
    fn lower_twice(self) -> Self {
        Words(std::array::from_fn(|i| self.0[i % 4]))
    }
}

macro_rules! operator {
    ($words:ident, $operator:ident, $name:ident, $op:expr) => {
        impl<const WIDTH: usize> $operator for $words<WIDTH> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                $words(zip(self.0, other.0, $op))
            }
        }
    };
}

operator!(Words, Add, add, u64::wrapping_add);
operator!(Words, Sub, sub, u64::wrapping_sub);
operator!(Words, BitAnd, bitand, |a, b| a & b);
operator!(Words, BitOr, bitor, |a, b| a | b);
operator!(Words, BitXor, bitxor, |a, b| a ^ b);

impl<const WIDTH: usize> Not for Words<WIDTH> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Words(self.0.map(|word| !word))
    }
}

impl<const WIDTH: usize> Shl<u32> for Words<WIDTH> {
    type Output = Self;

    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        Words(self.0.map(|word| word << by))
    }
}

impl<const WIDTH: usize> Shr<u32> for Words<WIDTH> {
    type Output = Self;

    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        Words(self.0.map(|word| word >> by))
    }
}

/// The floats of the lanes.
#[derive(Clone, Copy)]
pub struct FloatWords<const WIDTH: usize>([f32; WIDTH]);

impl<const WIDTH: usize> FloatWords<WIDTH> {
    /// Each word, rounded.
    #[inline(always)]
    pub fn of(words: [u64; WIDTH]) -> Self {
        FloatWords(words.map(|word| word as f32))
    }

    /// One float in every lane.
    #[inline(always)]
    pub fn splat(value: f32) -> Self {
        FloatWords([value; WIDTH])
    }
}

impl<const WIDTH: usize> Floats for FloatWords<WIDTH> {
    #[inline(always)]
    fn exponents(self) -> Self {
        FloatWords(
            self.0
                .map(|float| ((float.to_bits() >> 23) as i32 - 127) as f32),
        )
    }

    #[inline(always)]
    fn mantissas(self) -> Self {
        let mantissa = |float: f32| f32::from_bits(float.to_bits() & 0x7f_ffff | 127 << 23);
        FloatWords(self.0.map(mantissa))
    }

    #[inline(always)]
    fn lane(self, lane: usize) -> f32 {
        self.0[lane]
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        FloatWords(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        FloatWords(zip(self.0, other.0, |a, b| if a > b { a } else { b }))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        FloatWords(zip(self.0, other.0, |a, b| if a < b { a } else { b }))
    }

    #[inline(always)]
    fn keep(self, bits: u8, other: f32) -> Self {
        let kept = |i: usize| if bits >> i & 1 == 1 { self.0[i] } else { other };
        FloatWords(std::array::from_fn(kept))
    }

    #[inline(always)]
    fn or_where_zero(self, key: Self, other: f32) -> Self {
        FloatWords(zip(
            self.0,
            key.0,
            |own, key| if key == 0.0 { other } else { own },
        ))
    }

    #[inline(always)]
    fn or_where_less(self, low: Self, high: Self, other: Self) -> Self {
        FloatWords(std::array::from_fn(|i| {
            let is_less = low.0[i] < high.0[i];
            if is_less { other.0[i] } else { self.0[i] }
        }))
    }

    #[inline(always)]
    fn greatest_lane(self, bits: u8) -> Option<usize> {
        let key = |(i, float): (usize, f32)| {
            let key = float.to_bits() & !0xf | (0xf - i as u32);
            if bits >> i & 1 == 1 { key } else { 0 }
        };
        let keys = self.0.into_iter().enumerate().map(key);
        let greatest = keys.fold(0, u32::max);
        (greatest != 0).then(|| 0xf - (greatest & 0xf) as usize)
    }

    #[inline(always)]
    fn greatest_of_two(self, others: Self, bits: [u8; 2]) -> Option<usize> {
        let mut greatest = 0;
        for (first, floats, bits) in [(0, self, bits[0]), (LANES, others, bits[1])] {
            for (i, float) in floats.0.into_iter().enumerate() {
                let key = float.to_bits() & !0x1f | (0x1f - (first + i) as u32);
                greatest = greatest.max(if bits >> i & 1 == 1 { key } else { 0 });
            }
        }
        (greatest != 0).then(|| 0x1f - (greatest & 0x1f) as usize)
    }

    #[inline(always)]
    fn equal(self, value: f32) -> u8 {
        let bits = self.0.into_iter().enumerate();
        bits.fold(0, |all, (i, own)| all | u8::from(own == value) << i)
    }

    #[inline(always)]
    fn greatest(self) -> f32 {
        self.0.into_iter().fold(f32::NEG_INFINITY, f32::max)
    }
}

operator!(FloatWords, Add, add, |a, b| a + b);
operator!(FloatWords, Sub, sub, |a, b| a - b);
operator!(FloatWords, Mul, mul, |a, b| a * b);
operator!(FloatWords, Div, div, |a, b| a / b);
