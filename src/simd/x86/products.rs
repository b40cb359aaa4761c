//! Products of 16-bit numbers, two at a time: one instruction multiplies and adds the pairs of a
//! register.

use crate::simd::{PAIRS, Pair, SUMS};
use std::arch::x86_64::*;

/// With AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub fn add_products_ymm(
    inputs: &[Pair; PAIRS],
    weights: &[[Pair; SUMS]; PAIRS],
    sums: &mut [i32; SUMS],
) {
    const REGISTERS: usize = SUMS / 8;
    let at = sums.as_mut_ptr().cast::<__m256i>();
    // SAFETY: the pointers stay within the arrays, and the loads and stores need no alignment.
    unsafe {
        let mut totals: [__m256i; REGISTERS] =
            std::array::from_fn(|i| _mm256_loadu_si256(at.add(i)));
        for (&[low, high], weights) in inputs.iter().zip(weights) {
            let pair = _mm256_set1_epi32(both(low, high));
            let weights = weights.as_ptr().cast::<__m256i>();
            for (i, total) in totals.iter_mut().enumerate() {
                let products = _mm256_madd_epi16(pair, _mm256_loadu_si256(weights.add(i)));
                *total = _mm256_add_epi32(*total, products);
            }
        }
        for (i, total) in totals.into_iter().enumerate() {
            _mm256_storeu_si256(at.add(i), total);
        }
    }
}

/// With AVX-512.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn add_products_zmm(
    inputs: &[Pair; PAIRS],
    weights: &[[Pair; SUMS]; PAIRS],
    sums: &mut [i32; SUMS],
) {
    const REGISTERS: usize = SUMS / 16;
    let at = sums.as_mut_ptr().cast::<__m512i>();
    // SAFETY: the pointers stay within the arrays, and the loads and stores need no alignment.
    unsafe {
        let mut totals: [__m512i; REGISTERS] =
            std::array::from_fn(|i| _mm512_loadu_si512(at.add(i)));
        for (&[low, high], weights) in inputs.iter().zip(weights) {
            let pair = _mm512_set1_epi32(both(low, high));
            let weights = weights.as_ptr().cast::<__m512i>();
            for (i, total) in totals.iter_mut().enumerate() {
                let products = _mm512_madd_epi16(pair, _mm512_loadu_si512(weights.add(i)));
                *total = _mm512_add_epi32(*total, products);
            }
        }
        for (i, total) in totals.into_iter().enumerate() {
            _mm512_storeu_si512(at.add(i), total);
        }
    }
}

/// A pair as one number of 32 bits, the first of them lowest.
#[inline(always)]
fn both(low: i16, high: i16) -> i32 {
    i32::from(low as u16) | i32::from(high) << 16
}
