//! Eight ways on a board at a time.

use super::{Avx2, Avx512, Ymms, Zmm};
use crate::simd::rays::Rays;
use std::arch::x86_64::*;

/// The bits that are set in any of four words.
#[inline]
#[target_feature(enable = "avx2")]
fn join(words: __m256i) -> u64 {
    let pair = _mm_or_si128(
        _mm256_castsi256_si128(words),
        _mm256_extracti128_si256::<1>(words),
    );
    _mm_cvtsi128_si64(_mm_or_si128(pair, _mm_unpackhi_epi64(pair, pair))) as u64
}

/// The highest set bit of each word.
#[inline]
#[target_feature(enable = "avx2")]
fn highest_bits(words: __m256i) -> __m256i {
    let mut below = _mm256_or_si256(words, _mm256_srli_epi64::<1>(words));
    below = _mm256_or_si256(below, _mm256_srli_epi64::<2>(below));
    below = _mm256_or_si256(below, _mm256_srli_epi64::<4>(below));
    below = _mm256_or_si256(below, _mm256_srli_epi64::<8>(below));
    below = _mm256_or_si256(below, _mm256_srli_epi64::<16>(below));
    below = _mm256_or_si256(below, _mm256_srli_epi64::<32>(below));
    _mm256_andnot_si256(_mm256_srli_epi64::<1>(below), below)
}

/// Each word turned to the left.
#[inline]
#[target_feature(enable = "avx2")]
fn rotate(words: __m256i, by: __m256i) -> __m256i {
    let rest = _mm256_sub_epi64(_mm256_set1_epi64x(64), by);
    _mm256_or_si256(_mm256_sllv_epi64(words, by), _mm256_srlv_epi64(words, rest))
}

impl Rays for Avx2 {
    const ARE_FAST: bool = true;

    #[inline(always)]
    fn rotate_left_each(self, lanes: Ymms, by: Ymms) -> Ymms {
        // SAFETY: the token was made on a processor with AVX2.
        unsafe { Ymms(rotate(lanes.0, by.0), rotate(lanes.1, by.1)) }
    }

    #[inline(always)]
    fn nearest_bits(self, lanes: Ymms) -> Ymms {
        // SAFETY: the token was made on a processor with AVX2.
        unsafe {
            let negated = _mm256_sub_epi64(_mm256_setzero_si256(), lanes.0);
            Ymms(_mm256_and_si256(lanes.0, negated), highest_bits(lanes.1))
        }
    }

    #[inline(always)]
    fn joined(self, lanes: Ymms) -> u64 {
        // SAFETY: the token was made on a processor with AVX2.
        unsafe { join(_mm256_or_si256(lanes.0, lanes.1)) }
    }
}

impl Rays for Avx512 {
    const ARE_FAST: bool = true;

    #[inline(always)]
    fn rotate_left_each(self, lanes: Zmm, by: Zmm) -> Zmm {
        // SAFETY: the token was made on a processor with AVX-512.
        unsafe { Zmm(_mm512_rolv_epi64(lanes.0, by.0)) }
    }

    #[inline(always)]
    fn nearest_bits(self, lanes: Zmm) -> Zmm {
        const UPPER: u8 = 0b1111_0000;
        // SAFETY: the token was made on a processor with AVX-512.
        unsafe {
            let words = lanes.0;
            let lowest = _mm512_and_si512(words, _mm512_sub_epi64(_mm512_setzero_si512(), words));
            let zeros = _mm512_lzcnt_epi64(words);
            let top = _mm512_set1_epi64(i64::MIN);
            Zmm(_mm512_mask_srlv_epi64(lowest, UPPER, top, zeros))
        }
    }

    #[inline(always)]
    fn where_not_zero(self, key: Zmm, lanes: Zmm) -> Zmm {
        // SAFETY: the token was made on a processor with AVX-512.
        unsafe {
            let not_zero = _mm512_test_epi64_mask(key.0, key.0);
            Zmm(_mm512_maskz_mov_epi64(not_zero, lanes.0))
        }
    }

    #[inline(always)]
    fn joined(self, lanes: Zmm) -> u64 {
        // SAFETY: the token was made on a processor with AVX-512.
        unsafe {
            let low = _mm512_castsi512_si256(lanes.0);
            let high = _mm512_extracti64x4_epi64::<1>(lanes.0);
            join(_mm256_or_si256(low, high))
        }
    }
}
