//! Products of 16-bit numbers, two at a time: one instruction multiplies and adds the pairs of a
//! register. Pairs of zeros are found first and passed over: most pairs are, and a branch for each
//! would be mispredicted often.

use crate::simd::{Inputs, PAIRS, Sums, Weights};
use std::arch::x86_64::*;

macro_rules! add_products {
    (
        $name:ident, $features:literal, $register:ident, $not_zero:ident,
        $load:ident, $splat:ident, $multiply:ident, $add:ident, $store:ident
    ) => {
        #[inline]
        #[target_feature(enable = $features)]
        pub fn $name(inputs: &Inputs, weights: &Weights, sums: &mut Sums) {
            const REGISTERS: usize = size_of::<Sums>() / size_of::<$register>();
            let at = sums.as_mut_ptr().cast::<$register>();
            // SAFETY: the pointers stay within the arrays, and the loads and stores need no alignment.
            unsafe {
                let mut totals: [$register; REGISTERS] = std::array::from_fn(|i| $load(at.add(i)));
                let mut left = $not_zero(inputs);
                while left != 0 {
                    let at = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let [low, high] = inputs[at];
                    let pair = $splat(both(low, high));
                    let weights = weights[at].as_ptr().cast::<$register>();
                    for (i, total) in totals.iter_mut().enumerate() {
                        let products = $multiply(pair, $load(weights.add(i)));
                        *total = $add(*total, products);
                    }
                }
                for (i, total) in totals.into_iter().enumerate() {
                    $store(at.add(i), total);
                }
            }
        }
    };
}

add_products!(
    add_products_ymm,
    "avx2",
    __m256i,
    not_zero_ymm,
    _mm256_loadu_si256,
    _mm256_set1_epi32,
    _mm256_madd_epi16,
    _mm256_add_epi32,
    _mm256_storeu_si256
);
add_products!(
    add_products_zmm,
    "avx512f,avx512bw",
    __m512i,
    not_zero_zmm,
    _mm512_loadu_si512,
    _mm512_set1_epi32,
    _mm512_madd_epi16,
    _mm512_add_epi32,
    _mm512_storeu_si512
);

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
