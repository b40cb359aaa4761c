//! Eight words in one register of AVX-512, in two of AVX2, or in four of SSE2, which every x86-64
//! processor has; or four words in two of SSE2.
//!
//! Most methods are one instruction for each register.
#![allow(unsafe_code, reason = "the instructions of vector units")]

mod floats;
mod lanes;
mod products;
mod rays;
mod shorts;

use super::portable::FloatWords;
use super::set_bit::share;
use super::shorts::{ShortArray, ShortWords};
use super::{Inputs, Kernel, LANES, Rays, Simd, Sums, Weights};
use floats::Ymm;
use shorts::ShortYmms;
use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::transmute;
use std::ops::Range;
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

/// Lanes from this one on, four or eight, with what every processor has.
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
    fn add_products(self, inputs: &Inputs, weights: &Weights, sums: &mut Sums) {
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
    fn add_products(self, inputs: &Inputs, weights: &Weights, sums: &mut Sums) {
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
