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

use super::portable::{FloatWords, Portable, Words};
use super::set_bit::share;
use super::shorts::{ShortArray, ShortWords};
use super::{Inputs, Kernel, LANES, Rays, Simd, Sums, Weights};
use floats::Ymm;
use products::{add_products_ymm, add_products_zmm};
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

/// Four or eight lanes, with what every processor has: the portable ones, in registers.
#[derive(Clone, Copy)]
pub struct Sse2<const WIDTH: usize>(Portable<WIDTH>);

impl<const WIDTH: usize> Sse2<WIDTH> {
    /// Handles the lanes from this one on.
    pub fn from(first: usize) -> Self {
        Sse2(Portable::from(first))
    }
}

/// Two lanes in every register.
#[derive(Clone, Copy)]
pub struct Xmms<const REGISTERS: usize>([__m128i; REGISTERS]);

/// Lanes 0 to 3 and lanes 4 to 7. Made only from an [`Avx2`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Ymms(__m256i, __m256i);

/// Made only from an [`Avx512`].
#[derive(Clone, Copy)]
#[repr(C)]
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
        impl From<Xmms<$registers>> for Words<$width> {
            #[inline(always)]
            fn from(lanes: Xmms<$registers>) -> Self {
                // SAFETY: both types have the same size, no padding and no invalid values.
                Words(unsafe { transmute::<[__m128i; $registers], [u64; $width]>(lanes.0) })
            }
        }

        impl From<Words<$width>> for Xmms<$registers> {
            #[inline(always)]
            fn from(words: Words<$width>) -> Self {
                // SAFETY: both types have the same size, no padding and no invalid values.
                Xmms(unsafe { transmute::<[u64; $width], [__m128i; $registers]>(words.0) })
            }
        }

        impl Rays for Sse2<$width> {}

        impl Simd for Sse2<$width> {
            type Lanes = Xmms<$registers>;
            type Floats = FloatWords<$width>;
            type Shorts = ShortWords;

            #[inline(always)]
            fn shorts(self, array: &ShortArray) -> ShortWords {
                self.0.shorts(array)
            }

            #[inline(always)]
            fn floats(self, lanes: Self::Lanes) -> Self::Floats {
                self.0.floats(lanes.into())
            }

            #[inline(always)]
            fn splat_float(self, value: f32) -> Self::Floats {
                self.0.splat_float(value)
            }

            #[inline(always)]
            fn lanes(self) -> Range<usize> {
                self.0.lanes()
            }

            #[inline(always)]
            fn words(self, lanes: Self::Lanes) -> [u64; LANES] {
                self.0.words(lanes.into())
            }

            #[inline(always)]
            fn load(self, words: [u64; LANES]) -> Self::Lanes {
                self.0.load(words).into()
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

macro_rules! avx {
    ($token:ident, $lanes:ident, $shorts:ty, $load_shared:ident, $add_products:ident) => {
        impl Simd for $token {
            type Lanes = $lanes;
            type Floats = Ymm;
            type Shorts = $shorts;

            #[inline(always)]
            fn shorts(self, array: &ShortArray) -> $shorts {
                // SAFETY: the token was made on a processor with these instructions.
                unsafe { <$shorts>::load(array) }
            }

            #[inline(always)]
            fn floats(self, lanes: $lanes) -> Ymm {
                Ymm::from(lanes)
            }

            #[inline(always)]
            fn splat_float(self, value: f32) -> Ymm {
                // SAFETY: the token was made on a processor with AVX2.
                unsafe { Ymm::splat(value) }
            }

            #[inline(always)]
            fn words(self, lanes: $lanes) -> [u64; LANES] {
                // SAFETY: both types are 64 bytes without padding or invalid values.
                unsafe { transmute::<$lanes, [u64; LANES]>(lanes) }
            }

            #[inline(always)]
            fn load(self, words: [u64; LANES]) -> $lanes {
                // SAFETY: both types are 64 bytes without padding or invalid values.
                unsafe { transmute::<[u64; LANES], $lanes>(words) }
            }

            #[inline(always)]
            fn load_shared(self, words: &[AtomicU64; LANES]) -> $lanes {
                // SAFETY: the token was made on a processor with these instructions.
                unsafe { $load_shared(words) }
            }

            #[inline(always)]
            fn add_products(self, inputs: &Inputs, weights: &Weights, sums: &mut Sums) {
                // SAFETY: the token was made on a processor with these instructions.
                unsafe { $add_products(inputs, weights, sums) }
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
    };
}

avx!(
    Avx2,
    Ymms,
    ShortYmms<false>,
    load_shared_ymms,
    add_products_ymm
);
avx!(
    Avx512,
    Zmm,
    ShortYmms<true>,
    load_shared_zmm,
    add_products_zmm
);
