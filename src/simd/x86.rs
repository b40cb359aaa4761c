//! Eight words in one register of AVX-512, in two of AVX2, or in four of SSE2, which every x86-64
//! processor has; or four words in two of SSE2.
//!
//! Most methods are one instruction for each register.
#![allow(unsafe_code, reason = "the instructions of vector units")]

mod floats;
mod products;
mod rays;
mod shorts;

use super::portable::FloatWords;
use super::set_bit::{set_bit_for, share};
use super::shorts::{ShortArray, ShortWords};
use super::{Kernel, LANES, Lanes, PAIRS, Pair, Rays, SUMS, Simd};
use floats::Ymm;
use shorts::ShortYmms;
use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::transmute;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Range, Shl, Shr, Sub};
use std::sync::atomic::AtomicU64;

/// Asks for the cache line of a value that is about to be read.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    // SAFETY: every x86-64 processor has the instruction, and it changes nothing but the cache.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
}

/// The processor has AVX2 and what came with it (x86-64-v3).
#[derive(Clone, Copy)]
pub struct Avx2(());

/// The processor has AVX-512 as servers have it since 2017 (x86-64-v4).
#[derive(Clone, Copy)]
pub struct Avx512(());

/// So many lanes from this one on, four or eight, with what every processor has.
#[derive(Clone, Copy)]
pub struct Sse2<const WIDTH: usize> {
    first: usize,
}

impl<const WIDTH: usize> Sse2<WIDTH> {
    /// Handles the lanes from this one on.
    pub fn from(first: usize) -> Self {
        debug_assert!(first + WIDTH <= LANES);
        Sse2 { first }
    }
}

/// Two lanes in every register.
#[derive(Clone, Copy)]
pub struct Xmms<const REGISTERS: usize>([__m128i; REGISTERS]);

/// Lanes 0 to 3 and lanes 4 to 7. Made only from an [`Avx2`].
#[derive(Clone, Copy)]
pub struct Ymms(__m256i, __m256i);

/// Made only from an [`Avx512`].
#[derive(Clone, Copy)]
pub struct Zmm(__m512i);

macro_rules! token {
    ($token:ident, $enter:ident, $($feature:tt),+) => {
        impl $token {
            /// The token, if the processor has these instructions.
            pub fn detect() -> Option<$token> {
                let has_all = $(is_x86_feature_detected!($feature))&&+;
                has_all.then_some($token(()))
            }

            /// Runs a kernel with these instructions.
            #[inline]
            pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
                // SAFETY: `detect` has seen the features, or there were no token.
                unsafe { $enter(self, kernel) }
            }
        }

        $(#[target_feature(enable = $feature)])+
        fn $enter<K: Kernel>(token: $token, kernel: K) -> K::Output {
            kernel.run(token)
        }
    };
}

token!(Avx2, with_avx2, "avx2", "bmi1", "bmi2", "lzcnt", "popcnt");
token!(
    Avx512,
    with_avx512,
    "avx512f",
    "avx512bw",
    "avx512cd",
    "avx512dq",
    "avx512vl",
    "avx2",
    "bmi1",
    "bmi2",
    "lzcnt",
    "popcnt"
);

/// One load in place of eight. It stands in assembly, for the language has no load of many words
/// that others may store to; the processor never tears an aligned word of 64 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn load_shared_ymms(words: &[AtomicU64; LANES]) -> Ymms {
    let (low, high): (__m256i, __m256i);
    // SAFETY: the 64 bytes that are read are those of the words.
    unsafe {
        asm!(
            "vmovdqu {low}, ymmword ptr [{words}]",
            "vmovdqu {high}, ymmword ptr [{words} + 32]",
            words = in(reg) words.as_ptr(),
            low = out(ymm_reg) low,
            high = lateout(ymm_reg) high,
            options(nostack, preserves_flags, readonly),
        );
    }
    Ymms(low, high)
}

/// The same with AVX-512.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_shared_zmm(words: &[AtomicU64; LANES]) -> Zmm {
    let lanes: __m512i;
    // SAFETY: the 64 bytes that are read are those of the words.
    unsafe {
        asm!(
            "vmovdqu64 {lanes}, zmmword ptr [{words}]",
            words = in(reg) words.as_ptr(),
            lanes = lateout(zmm_reg) lanes,
            options(nostack, preserves_flags, readonly),
        );
    }
    Zmm(lanes)
}

macro_rules! sse2 {
    ($width:literal in $registers:literal registers) => {
        impl Rays for Sse2<$width> {}

        impl Simd for Sse2<$width> {
            type Lanes = Xmms<$registers>;
            type Floats = FloatWords<$width>;
            type Shorts = ShortWords;

            #[inline(always)]
            fn shorts(self, array: &ShortArray) -> ShortWords {
                ShortWords::from(array)
            }

            #[inline(always)]
            fn floats(self, lanes: Self::Lanes) -> Self::Floats {
                let words = self.words(lanes);
                FloatWords::of(std::array::from_fn(|i| words[self.first + i]))
            }

            #[inline(always)]
            fn splat_float(self, value: f32) -> Self::Floats {
                FloatWords::splat(value)
            }

            #[inline(always)]
            fn lanes(self) -> Range<usize> {
                self.first..self.first + $width
            }

            #[inline(always)]
            fn words(self, lanes: Self::Lanes) -> [u64; LANES] {
                let mut words = [0; LANES];
                // SAFETY: both types have the same size, no padding and no invalid values.
                let own = unsafe { transmute::<[__m128i; $registers], [u64; $width]>(lanes.0) };
                words[self.lanes()].copy_from_slice(&own);
                words
            }

            #[inline(always)]
            fn load(self, words: [u64; LANES]) -> Self::Lanes {
                let mut own = [0; $width];
                own.copy_from_slice(&words[self.lanes()]);
                // SAFETY: both types have the same size, no padding and no invalid values.
                Xmms(unsafe { transmute::<[u64; $width], [__m128i; $registers]>(own) })
            }

            #[inline(always)]
            fn set_bit_for(self, bits: u64, number: u64) -> u64 {
                set_bit_for(bits, number)
            }

            #[inline(never)]
            fn call<K: Kernel>(self, kernel: K) -> K::Output {
                kernel.run(self)
            }
        }
    };
}

sse2!(4 in 2 registers);
sse2!(8 in 4 registers);

impl Simd for Avx2 {
    type Lanes = Ymms;
    type Floats = Ymm;
    type Shorts = ShortYmms<false>;

    #[inline(always)]
    fn shorts(self, array: &ShortArray) -> ShortYmms<false> {
        // SAFETY: the token was made on a processor with AVX2.
        unsafe { ShortYmms::load(array) }
    }

    #[inline(always)]
    fn floats(self, lanes: Ymms) -> Ymm {
        Ymm::from(lanes)
    }

    #[inline(always)]
    fn splat_float(self, value: f32) -> Ymm {
        // SAFETY: the token was made on a processor with AVX2.
        unsafe { Ymm::splat(value) }
    }

    #[inline(always)]
    fn lanes(self) -> Range<usize> {
        0..LANES
    }

    #[inline(always)]
    fn words(self, lanes: Ymms) -> [u64; LANES] {
        // SAFETY: both types are 64 bytes without padding or invalid values.
        unsafe { transmute::<[__m256i; 2], [u64; LANES]>([lanes.0, lanes.1]) }
    }

    #[inline(always)]
    fn load(self, words: [u64; LANES]) -> Ymms {
        // SAFETY: both types are 64 bytes without padding or invalid values.
        let [low, high] = unsafe { transmute::<[u64; LANES], [__m256i; 2]>(words) };
        Ymms(low, high)
    }

    #[inline(always)]
    fn load_shared(self, words: &[AtomicU64; LANES]) -> Ymms {
        // SAFETY: the token was made on a processor with AVX2.
        unsafe { load_shared_ymms(words) }
    }

    #[inline(always)]
    fn add_products(
        self,
        inputs: &[Pair; PAIRS],
        weights: &[[Pair; SUMS]; PAIRS],
        sums: &mut [i32; SUMS],
    ) {
        // SAFETY: the token was made on a processor with these instructions.
        unsafe { products::add_products_ymm(inputs, weights, sums) }
    }

    #[inline(always)]
    fn set_bit_for(self, bits: u64, number: u64) -> u64 {
        let rank = share(bits.count_ones(), number);
        // SAFETY: the token was made on a processor with BMI2.
        unsafe { _pdep_u64(1 << rank, bits) }
    }

    #[inline(always)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        self.run(kernel)
    }
}

impl Simd for Avx512 {
    type Lanes = Zmm;
    type Floats = Ymm;
    type Shorts = ShortYmms<true>;

    #[inline(always)]
    fn shorts(self, array: &ShortArray) -> ShortYmms<true> {
        // SAFETY: the token was made on a processor with AVX-512.
        unsafe { ShortYmms::load(array) }
    }

    #[inline(always)]
    fn floats(self, lanes: Zmm) -> Ymm {
        Ymm::from(lanes)
    }

    #[inline(always)]
    fn splat_float(self, value: f32) -> Ymm {
        // SAFETY: the token was made on a processor with AVX2.
        unsafe { Ymm::splat(value) }
    }

    #[inline(always)]
    fn lanes(self) -> Range<usize> {
        0..LANES
    }

    #[inline(always)]
    fn words(self, lanes: Zmm) -> [u64; LANES] {
        // SAFETY: both types are 64 bytes without padding or invalid values.
        unsafe { transmute::<__m512i, [u64; LANES]>(lanes.0) }
    }

    #[inline(always)]
    fn load(self, words: [u64; LANES]) -> Zmm {
        // SAFETY: both types are 64 bytes without padding or invalid values.
        Zmm(unsafe { transmute::<[u64; LANES], __m512i>(words) })
    }

    #[inline(always)]
    fn load_shared(self, words: &[AtomicU64; LANES]) -> Zmm {
        // SAFETY: the token was made on a processor with AVX-512.
        unsafe { load_shared_zmm(words) }
    }

    #[inline(always)]
    fn add_products(
        self,
        inputs: &[Pair; PAIRS],
        weights: &[[Pair; SUMS]; PAIRS],
        sums: &mut [i32; SUMS],
    ) {
        // SAFETY: the token was made on a processor with these instructions.
        unsafe { products::add_products_zmm(inputs, weights, sums) }
    }

    #[inline(always)]
    fn set_bit_for(self, bits: u64, number: u64) -> u64 {
        let rank = share(bits.count_ones(), number);
        // SAFETY: the token was made on a processor with BMI2.
        unsafe { _pdep_u64(1 << rank, bits) }
    }

    #[inline(always)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        self.run(kernel)
    }
}

impl<const REGISTERS: usize> Xmms<REGISTERS> {
    #[inline(always)]
    fn map(self, op: impl Fn(__m128i) -> __m128i) -> Self {
        Xmms(self.0.map(op))
    }

    #[inline(always)]
    fn zip(self, other: Self, op: impl Fn(__m128i, __m128i) -> __m128i) -> Self {
        Xmms(std::array::from_fn(|i| op(self.0[i], other.0[i])))
    }
}

impl<const REGISTERS: usize> Lanes for Xmms<REGISTERS> {
    #[inline(always)]
    fn shift_left_each(self, by: Self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        self.zip(by, |words, by| unsafe {
            let low = _mm_sll_epi64(words, by);
            let high = _mm_sll_epi64(words, _mm_unpackhi_epi64(by, by));
            let joined = _mm_move_sd(_mm_castsi128_pd(high), _mm_castsi128_pd(low));
            _mm_castpd_si128(joined)
        })
    }

    #[inline(always)]
    fn multiply_low(self, by: Self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        self.zip(by, |words, by| unsafe { _mm_mul_epu32(words, by) })
    }

    #[inline(always)]
    fn is_not_zero(self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        let is_zero = self.map(|words| unsafe {
            // A word is 0 where both its halves are.
            let halves = _mm_cmpeq_epi32(words, _mm_setzero_si128());
            _mm_and_si128(halves, _mm_shuffle_epi32::<0b10_11_00_01>(halves))
        });
        !is_zero
    }

    #[inline(always)]
    fn not_zero_bits(self) -> u8 {
        let registers = self.is_not_zero().0.into_iter().enumerate();
        registers.fold(0, |all, (i, words)| {
            // SAFETY: every x86-64 processor has SSE2.
            let bits = unsafe { _mm_movemask_pd(_mm_castsi128_pd(words)) };
            all | (bits as u8) << (2 * i)
        })
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe {
            let zero = _mm_setzero_si128();
            let or = |all, &words| _mm_or_si128(all, words);
            let all = self.0.iter().fold(zero, or);
            _mm_movemask_epi8(_mm_cmpeq_epi8(all, zero)) != 0xffff
        }
    }

    #[inline(always)]
    fn next_words<const GROUP: usize>(self) -> Self {
        Xmms(std::array::from_fn(|i| {
            let words = self.0[i];
            // SAFETY: every x86-64 processor has SSE2.
            unsafe {
                match self.0.get(i + 1) {
                    Some(&next) if 2 * (i + 1) % GROUP != 0 => {
                        let [words, next] = [words, next].map(|words| _mm_castsi128_pd(words));
                        _mm_castpd_si128(_mm_shuffle_pd::<0b01>(words, next))
                    }
                    _ => _mm_srli_si128::<8>(words),
                }
            }
        }))
    }

    #[inline(always)]
    fn lower_twice(self) -> Self {
        Xmms(std::array::from_fn(|i| self.0[i % 2]))
    }
}

impl Lanes for Ymms {
    #[inline(always)]
    fn shift_left_each(self, by: Ymms) -> Ymms {
        // SAFETY: lanes of this type exist only on a processor with AVX2.
        unsafe {
            Ymms(
                _mm256_sllv_epi64(self.0, by.0),
                _mm256_sllv_epi64(self.1, by.1),
            )
        }
    }

    #[inline(always)]
    fn multiply_low(self, by: Ymms) -> Ymms {
        // SAFETY: lanes of this type exist only on a processor with AVX2.
        unsafe {
            Ymms(
                _mm256_mul_epu32(self.0, by.0),
                _mm256_mul_epu32(self.1, by.1),
            )
        }
    }

    #[inline(always)]
    fn is_not_zero(self) -> Ymms {
        // SAFETY: lanes of this type exist only on a processor with AVX2.
        let zero = unsafe {
            let zero = _mm256_setzero_si256();
            Ymms(
                _mm256_cmpeq_epi64(self.0, zero),
                _mm256_cmpeq_epi64(self.1, zero),
            )
        };
        !zero
    }

    #[inline(always)]
    fn not_zero_bits(self) -> u8 {
        let Ymms(low, high) = self.is_not_zero();
        // SAFETY: lanes of this type exist only on a processor with AVX2.
        let [low, high] = unsafe {
            let low = _mm256_movemask_pd(_mm256_castsi256_pd(low));
            let high = _mm256_movemask_pd(_mm256_castsi256_pd(high));
            [low, high]
        };
        (low | high << 4) as u8
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: lanes of this type exist only on a processor with AVX2.
        unsafe {
            let all = _mm256_or_si256(self.0, self.1);
            _mm256_testz_si256(all, all) == 0
        }
    }

    #[inline(always)]
    fn next_words<const GROUP: usize>(self) -> Ymms {
        // Words 1, 2, 3 and 0 of a register; the last is then replaced.
        const NEXT: i32 = 0b00_11_10_01;
        const LAST: i32 = 0b1100_0000;
        // SAFETY: lanes of this type exist only on a processor with AVX2.
        unsafe {
            let zero = _mm256_setzero_si256();
            let low = _mm256_permute4x64_epi64::<NEXT>(self.0);
            let high = _mm256_permute4x64_epi64::<NEXT>(self.1);
            let after_low = if GROUP == 4 {
                zero
            } else {
                _mm256_permute4x64_epi64::<0>(self.1)
            };
            Ymms(
                _mm256_blend_epi32::<LAST>(low, after_low),
                _mm256_blend_epi32::<LAST>(high, zero),
            )
        }
    }

    #[inline(always)]
    fn lower_twice(self) -> Ymms {
        Ymms(self.0, self.0)
    }
}

impl Lanes for Zmm {
    #[inline(always)]
    fn shift_left_each(self, by: Zmm) -> Zmm {
        // SAFETY: lanes of this type exist only on a processor with AVX-512.
        unsafe { Zmm(_mm512_sllv_epi64(self.0, by.0)) }
    }

    #[inline(always)]
    fn multiply_low(self, by: Zmm) -> Zmm {
        // SAFETY: lanes of this type exist only on a processor with AVX-512.
        unsafe { Zmm(_mm512_mul_epu32(self.0, by.0)) }
    }

    #[inline(always)]
    fn is_not_zero(self) -> Zmm {
        // SAFETY: lanes of this type exist only on a processor with AVX-512.
        unsafe { Zmm(_mm512_movm_epi64(_mm512_test_epi64_mask(self.0, self.0))) }
    }

    #[inline(always)]
    fn not_zero_bits(self) -> u8 {
        // SAFETY: lanes of this type exist only on a processor with AVX-512.
        unsafe { _mm512_test_epi64_mask(self.0, self.0) }
    }

    #[inline(always)]
    fn next_words<const GROUP: usize>(self) -> Zmm {
        let kept = if GROUP == 4 { 0b0111_0111 } else { 0b0111_1111 };
        // SAFETY: lanes of this type exist only on a processor with AVX-512.
        unsafe { Zmm(_mm512_maskz_alignr_epi64::<1>(kept, self.0, self.0)) }
    }

    #[inline(always)]
    fn lower_twice(self) -> Zmm {
        // SAFETY: lanes of this type exist only on a processor with AVX-512.
        unsafe { Zmm(_mm512_shuffle_i64x2::<0b01_00_01_00>(self.0, self.0)) }
    }
}

macro_rules! operator {
    ($operator:ident, $name:ident, $xmm:ident, $ymm:ident, $zmm:ident) => {
        impl<const REGISTERS: usize> $operator for Xmms<REGISTERS> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: every x86-64 processor has SSE2.
                self.zip(other, |words, others| unsafe { $xmm(words, others) })
            }
        }

        impl $operator for Ymms {
            type Output = Ymms;

            #[inline(always)]
            fn $name(self, other: Ymms) -> Ymms {
                // SAFETY: lanes of this type exist only on a processor with AVX2.
                unsafe { Ymms($ymm(self.0, other.0), $ymm(self.1, other.1)) }
            }
        }

        impl $operator for Zmm {
            type Output = Zmm;

            #[inline(always)]
            fn $name(self, other: Zmm) -> Zmm {
                // SAFETY: lanes of this type exist only on a processor with AVX-512.
                unsafe { Zmm($zmm(self.0, other.0)) }
            }
        }
    };
}

operator!(Add, add, _mm_add_epi64, _mm256_add_epi64, _mm512_add_epi64);
operator!(Sub, sub, _mm_sub_epi64, _mm256_sub_epi64, _mm512_sub_epi64);
operator!(
    BitAnd,
    bitand,
    _mm_and_si128,
    _mm256_and_si256,
    _mm512_and_si512
);
operator!(BitOr, bitor, _mm_or_si128, _mm256_or_si256, _mm512_or_si512);
operator!(
    BitXor,
    bitxor,
    _mm_xor_si128,
    _mm256_xor_si256,
    _mm512_xor_si512
);

macro_rules! shift {
    ($operator:ident, $name:ident, $xmm:ident, $ymm:ident, $zmm:ident) => {
        impl<const REGISTERS: usize> $operator<u32> for Xmms<REGISTERS> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, by: u32) -> Self {
                // SAFETY: every x86-64 processor has SSE2.
                self.map(|words| unsafe { $xmm(words, _mm_cvtsi32_si128(by as i32)) })
            }
        }

        impl $operator<u32> for Ymms {
            type Output = Ymms;

            #[inline(always)]
            fn $name(self, by: u32) -> Ymms {
                // SAFETY: lanes of this type exist only on a processor with AVX2.
                unsafe {
                    let by = _mm_cvtsi32_si128(by as i32);
                    Ymms($ymm(self.0, by), $ymm(self.1, by))
                }
            }
        }

        impl $operator<u32> for Zmm {
            type Output = Zmm;

            #[inline(always)]
            fn $name(self, by: u32) -> Zmm {
                // SAFETY: lanes of this type exist only on a processor with AVX-512.
                unsafe { Zmm($zmm(self.0, _mm_cvtsi32_si128(by as i32))) }
            }
        }
    };
}

shift!(Shl, shl, _mm_sll_epi64, _mm256_sll_epi64, _mm512_sll_epi64);
shift!(Shr, shr, _mm_srl_epi64, _mm256_srl_epi64, _mm512_srl_epi64);

impl<const REGISTERS: usize> Not for Xmms<REGISTERS> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        self ^ Xmms([unsafe { _mm_set1_epi64x(-1) }; REGISTERS])
    }
}

impl Not for Ymms {
    type Output = Ymms;

    #[inline(always)]
    fn not(self) -> Ymms {
        // SAFETY: lanes of this type exist only on a processor with AVX2.
        let ones = unsafe { _mm256_set1_epi64x(-1) };
        self ^ Ymms(ones, ones)
    }
}

impl Not for Zmm {
    type Output = Zmm;

    #[inline(always)]
    fn not(self) -> Zmm {
        // SAFETY: lanes of this type exist only on a processor with AVX-512.
        self ^ Zmm(unsafe { _mm512_set1_epi64(-1) })
    }
}
