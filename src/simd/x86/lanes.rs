//! What words in registers are put through, each of them by itself.
#![allow(unsafe_code, reason = "the instructions of vector units")]

use super::{Xmms, Ymms, Zmm};
use crate::simd::{Lanes, zip};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

impl<const REGISTERS: usize> Lanes for Xmms<REGISTERS> {
    #[inline(always)]
    fn shift_left_each(self, by: Self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        Xmms(zip(self.0, by.0, |words, by| unsafe {
            let low = _mm_sll_epi64(words, by);
            let high = _mm_sll_epi64(words, _mm_unpackhi_epi64(by, by));
            let joined = _mm_move_sd(_mm_castsi128_pd(high), _mm_castsi128_pd(low));
            _mm_castpd_si128(joined)
        }))
    }

    #[inline(always)]
    fn multiply_low(self, by: Self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        Xmms(zip(self.0, by.0, |words, by| unsafe {
            _mm_mul_epu32(words, by)
        }))
    }

    #[inline(always)]
    fn is_not_zero(self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        let is_zero = Xmms(self.0.map(|words| unsafe {
            // A word is 0 where both its halves are.
            let halves = _mm_cmpeq_epi32(words, _mm_setzero_si128());
            _mm_and_si128(halves, _mm_shuffle_epi32::<0b10_11_00_01>(halves))
        }));
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

/// An instruction on the registers of two [`Ymms`].
macro_rules! zip_ymms {
    ($op:ident, $these:ident, $others:ident) => {
        Ymms($op($these.0, $others.0), $op($these.1, $others.1))
    };
}

impl Lanes for Ymms {
    #[inline(always)]
    fn shift_left_each(self, by: Ymms) -> Ymms {
        // SAFETY: lanes of this type exist only on a processor with AVX2.
        unsafe { zip_ymms!(_mm256_sllv_epi64, self, by) }
    }

    #[inline(always)]
    fn multiply_low(self, by: Ymms) -> Ymms {
        // SAFETY: lanes of this type exist only on a processor with AVX2.
        unsafe { zip_ymms!(_mm256_mul_epu32, self, by) }
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
                Xmms(zip(self.0, other.0, |words, others| unsafe {
                    $xmm(words, others)
                }))
            }
        }

        impl $operator for Ymms {
            type Output = Ymms;

            #[inline(always)]
            fn $name(self, other: Ymms) -> Ymms {
                // SAFETY: lanes of this type exist only on a processor with AVX2.
                unsafe { zip_ymms!($ymm, self, other) }
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
                Xmms(
                    self.0
                        .map(|words| unsafe { $xmm(words, _mm_cvtsi32_si128(by as i32)) }),
                )
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
