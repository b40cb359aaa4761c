//! Products of 16-bit numbers, two at a time: one instruction multiplies and adds the pairs of a
//! register. Pairs of zeros are found first and passed over: most pairs are, and a branch for each
//! would be mispredicted often.

use crate::simd::{Inputs, PAIRS, SUMS, Sums, Weights};
use std::arch::x86_64::*;

/// With AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub fn add_products_ymm(inputs: &Inputs, weights: &Weights, sums: &mut Sums) {
    const REGISTERS: usize = SUMS / 8;
    let at = sums.as_mut_ptr().cast::<__m256i>();
    // SAFETY: the pointers stay within the arrays, and the loads and stores need no alignment.
    unsafe {
        let mut totals: [__m256i; REGISTERS] =
            std::array::from_fn(|i| _mm256_loadu_si256(at.add(i)));
        let mut left = not_zero_ymm(inputs);
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            let [low, high] = inputs[at];
            let pair = _mm256_set1_epi32(both(low, high));
            let weights = weights[at].as_ptr().cast::<__m256i>();
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
pub fn add_products_zmm(inputs: &Inputs, weights: &Weights, sums: &mut Sums) {
    const REGISTERS: usize = SUMS / 16;
    let at = sums.as_mut_ptr().cast::<__m512i>();
    // SAFETY: the pointers stay within the arrays, and the loads and stores need no alignment.
    unsafe {
        let mut totals: [__m512i; REGISTERS] =
            std::array::from_fn(|i| _mm512_loadu_si512(at.add(i)));
        let mut left = not_zero_zmm(inputs);
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            let [low, high] = inputs[at];
            let pair = _mm512_set1_epi32(both(low, high));
            let weights = weights[at].as_ptr().cast::<__m512i>();
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

/// A bit for every pair, set where one of its numbers is not 0; the first pair has the lowest.
#[inline]
#[target_feature(enable = "avx2")]
fn not_zero_ymm(inputs: &Inputs) -> u32 {
    let (at, zero) = (inputs.as_ptr().cast::<__m256i>(), _mm256_setzero_si256());
    let mut zeros = 0;
    for i in 0..PAIRS / 8 {
        // SAFETY: the pointer stays within the array, and the load needs no alignment.
        let pairs = unsafe { _mm256_loadu_si256(at.add(i)) };
        let are_zero = _mm256_castsi256_ps(_mm256_cmpeq_epi32(pairs, zero));
        zeros |= (_mm256_movemask_ps(are_zero) as u32) << (8 * i);
    }
    !zeros
}

/// The same with AVX-512.
#[inline]
#[target_feature(enable = "avx512f")]
fn not_zero_zmm(inputs: &Inputs) -> u32 {
    let at = inputs.as_ptr().cast::<__m512i>();
    let mut bits = 0;
    for i in 0..PAIRS / 16 {
        // SAFETY: the pointer stays within the array, and the load needs no alignment.
        let pairs = unsafe { _mm512_loadu_si512(at.add(i).cast()) };
        bits |= u32::from(_mm512_test_epi32_mask(pairs, pairs)) << (16 * i);
    }
    bits
}

const _: () = assert!(PAIRS == u32::BITS as usize);

/// A pair as one number of 32 bits, the first of them lowest.
#[inline(always)]
fn both(low: i16, high: i16) -> i32 {
    i32::from(low as u16) | i32::from(high) << 16
}
