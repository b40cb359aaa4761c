//! Eight floats in one register, as the lanes of AVX2 and AVX-512 become them.
#![allow(unsafe_code, reason = "the instructions of vector units")]

use super::{Ymms, Zmm};
use crate::simd::Floats;
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

/// Made only from a token of AVX2 or AVX-512, or from their lanes.
#[derive(Clone, Copy)]
pub struct Ymm(__m256);

impl Ymm {
    /// One float, eight times.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    pub unsafe fn splat(value: f32) -> Ymm {
        // SAFETY: as the caller says.
        Ymm(unsafe { _mm256_set1_ps(value) })
    }
}

impl From<Ymms> for Ymm {
    /// Each word, which is below 2^52, rounded. There is no instruction for words of 64 bits, so
    /// they become the mantissas of numbers between 2^52 and 2^53.
    #[inline(always)]
    fn from(Ymms(low, high): Ymms) -> Ymm {
        // SAFETY: lanes of this type exist only on a processor with AVX2.
        unsafe { Ymm(_mm256_set_m128(round(high), round(low))) }
    }
}

/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn round(words: __m256i) -> __m128 {
    const TWO_TO_52: f64 = (1_u64 << 52) as f64;
    // SAFETY: as the caller says.
    unsafe {
        let offset = _mm256_set1_pd(TWO_TO_52);
        let number = _mm256_or_pd(_mm256_castsi256_pd(words), offset);
        _mm256_cvtpd_ps(_mm256_sub_pd(number, offset))
    }
}

/// All ones in the lanes whose bits are set, none in the others.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn lanes_of_bits(bits: u8) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        let own = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let set = _mm256_and_si256(_mm256_set1_epi32(i32::from(bits)), own);
        _mm256_cmpeq_epi32(set, own)
    }
}

/// Floats that are not negative are in the order of their bits, so these become keys whose `LAST` bits are
/// the lane, counted backwards, and the greatest key tells its lane. 0 where a bit is not set.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn keys<const LAST: i32>(values: __m256, lanes: __m256i, bits: u8) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        let values = _mm256_andnot_si256(_mm256_set1_epi32(LAST), _mm256_castps_si256(values));
        _mm256_and_si256(_mm256_or_si256(values, lanes), lanes_of_bits(bits))
    }
}

/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn greatest(keys: __m256i) -> u32 {
    // SAFETY: as the caller says.
    unsafe {
        let [low, high] = [
            _mm256_castsi256_si128(keys),
            _mm256_extracti128_si256::<1>(keys),
        ];
        let four = _mm_max_epu32(low, high);
        let two = _mm_max_epu32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
        let one = _mm_max_epu32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two));
        _mm_cvtsi128_si32(one) as u32
    }
}

impl From<Zmm> for Ymm {
    #[inline(always)]
    fn from(Zmm(words): Zmm) -> Ymm {
        // SAFETY: lanes of this type exist only on a processor with AVX-512.
        Ymm(unsafe { _mm512_cvtepu64_ps(words) })
    }
}

impl Floats for Ymm {
    #[inline(always)]
    fn exponents(self) -> Ymm {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        unsafe {
            let biased = _mm256_srli_epi32::<23>(_mm256_castps_si256(self.0));
            Ymm(_mm256_cvtepi32_ps(_mm256_sub_epi32(
                biased,
                _mm256_set1_epi32(127),
            )))
        }
    }

    #[inline(always)]
    fn mantissas(self) -> Ymm {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        unsafe {
            let mantissa = _mm256_set1_ps(f32::from_bits(0x7f_ffff));
            let one = _mm256_set1_ps(1.0);
            Ymm(_mm256_or_ps(_mm256_and_ps(self.0, mantissa), one))
        }
    }

    #[inline(always)]
    fn lane(self, lane: usize) -> f32 {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        unsafe {
            let lane = _mm256_castsi128_si256(_mm_cvtsi32_si128(lane as i32));
            _mm256_cvtss_f32(_mm256_permutevar8x32_ps(self.0, lane))
        }
    }

    #[inline(always)]
    fn sqrt(self) -> Ymm {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        Ymm(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn max(self, other: Ymm) -> Ymm {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        Ymm(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn min(self, other: Ymm) -> Ymm {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        Ymm(unsafe { _mm256_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn keep(self, bits: u8, other: f32) -> Ymm {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        unsafe {
            let kept = _mm256_castsi256_ps(lanes_of_bits(bits));
            Ymm(_mm256_blendv_ps(_mm256_set1_ps(other), self.0, kept))
        }
    }

    #[inline(always)]
    fn or_where_zero(self, key: Ymm, other: f32) -> Ymm {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        unsafe {
            let is_zero = _mm256_cmp_ps::<_CMP_EQ_OQ>(key.0, _mm256_setzero_ps());
            Ymm(_mm256_blendv_ps(self.0, _mm256_set1_ps(other), is_zero))
        }
    }

    #[inline(always)]
    fn or_where_less(self, low: Ymm, high: Ymm, other: Ymm) -> Ymm {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        unsafe {
            let is_less = _mm256_cmp_ps::<_CMP_LT_OQ>(low.0, high.0);
            Ymm(_mm256_blendv_ps(self.0, other.0, is_less))
        }
    }

    #[inline(always)]
    fn greatest_lane(self, bits: u8) -> Option<usize> {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        let greatest = unsafe {
            let lanes = _mm256_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8);
            greatest(keys::<0xf>(self.0, lanes, bits))
        };
        (greatest != 0).then(|| 0xf - (greatest & 0xf) as usize)
    }

    #[inline(always)]
    fn greatest_of_two(self, others: Ymm, [low, high]: [u8; 2]) -> Option<usize> {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        let greatest = unsafe {
            let lanes = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
            let low = keys::<0x1f>(self.0, lanes, low);
            let lanes = _mm256_setr_epi32(23, 22, 21, 20, 19, 18, 17, 16);
            let high = keys::<0x1f>(others.0, lanes, high);
            greatest(_mm256_max_epu32(low, high))
        };
        (greatest != 0).then(|| 0x1f - (greatest & 0x1f) as usize)
    }

    #[inline(always)]
    fn equal(self, value: f32) -> u8 {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        unsafe {
            let equal = _mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, _mm256_set1_ps(value));
            _mm256_movemask_ps(equal) as u8
        }
    }

    #[inline(always)]
    fn greatest(self) -> f32 {
        // SAFETY: floats of this type exist only on a processor with AVX2.
        unsafe {
            let four = _mm_max_ps(
                _mm256_castps256_ps128(self.0),
                _mm256_extractf128_ps::<1>(self.0),
            );
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)))
        }
    }
}

macro_rules! operator {
    ($operator:ident, $name:ident, $instruction:ident) => {
        impl $operator for Ymm {
            type Output = Ymm;

            #[inline(always)]
            fn $name(self, other: Ymm) -> Ymm {
                // SAFETY: floats of this type exist only on a processor with AVX2.
                Ymm(unsafe { $instruction(self.0, other.0) })
            }
        }
    };
}

operator!(Add, add, _mm256_add_ps);
operator!(Sub, sub, _mm256_sub_ps);
operator!(Mul, mul, _mm256_mul_ps);
operator!(Div, div, _mm256_div_ps);
