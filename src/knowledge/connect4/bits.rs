//! Sets of cells as machine words: one or two, or three for the largest boards.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

/// A set of bits with the arithmetic that bitboards need.
pub trait Bits:
    Copy
    + Debug
    + Eq
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// No bit.
    const ZERO: Self;
    /// The lowest bit alone.
    const ONE: Self;

    /// The bits of a word as the lowest.
    fn from_low(word: u64) -> Self;

    /// The sum as of whole numbers; what overflows is lost.
    fn plus(self, other: Self) -> Self;

    /// The set without its lowest bit. Empty stays empty.
    fn without_lowest(self) -> Self;

    /// How many bits there are.
    fn count(self) -> u32;

    /// The number of the lowest bit; there must be one.
    fn index(self) -> usize;

    /// The words of the set, lowest first, folded into one that tells sets of up to 64 bits
    /// apart, and into a second one, so that both together tell those of up to 128 bits apart, and
    /// almost all larger ones.
    fn words(self) -> (u64, u64);

    /// Whether no bit is set.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::ZERO
    }

    /// Whether the sets have a bit in common.
    #[inline]
    fn meets(self, other: Self) -> bool {
        self & other != Self::ZERO
    }

    /// Whether there are two bits or more.
    #[inline]
    fn is_several(self) -> bool {
        !self.without_lowest().is_empty()
    }

    /// The lowest bit alone.
    #[inline]
    fn lowest(self) -> Self {
        self & !self.without_lowest()
    }
}

macro_rules! integer {
    ($Word:ty, $words:expr) => {
        impl Bits for $Word {
            const ZERO: $Word = 0;
            const ONE: $Word = 1;

            #[inline]
            fn from_low(word: u64) -> $Word {
                <$Word>::from(word)
            }

            #[inline]
            fn plus(self, other: $Word) -> $Word {
                self.wrapping_add(other)
            }

            #[inline]
            fn without_lowest(self) -> $Word {
                self & self.wrapping_sub(1)
            }

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn index(self) -> usize {
                self.trailing_zeros() as usize
            }

            #[inline]
            fn words(self) -> (u64, u64) {
                let words: fn($Word) -> (u64, u64) = $words;
                words(self)
            }
        }
    };
}

integer!(u64, |bits| (bits, 0));
integer!(u128, |bits| (bits as u64, (bits >> 64) as u64));

/// 192 bits, the lowest word first: enough for 12 columns of 12 cells and a spare bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide([u64; 3]);

impl Wide {
    #[inline]
    fn zip(self, other: Wide, join: impl Fn(u64, u64) -> u64) -> Wide {
        let (a, b) = (self.0, other.0);
        Wide([join(a[0], b[0]), join(a[1], b[1]), join(a[2], b[2])])
    }
}

impl BitAnd for Wide {
    type Output = Wide;

    #[inline]
    fn bitand(self, other: Wide) -> Wide {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for Wide {
    type Output = Wide;

    #[inline]
    fn bitor(self, other: Wide) -> Wide {
        self.zip(other, |a, b| a | b)
    }
}

impl Not for Wide {
    type Output = Wide;

    #[inline]
    fn not(self) -> Wide {
        Wide(self.0.map(|word| !word))
    }
}

impl Shl<u32> for Wide {
    type Output = Wide;

    /// By less than 64.
    #[inline]
    fn shl(self, by: u32) -> Wide {
        let [low, middle, high] = self.0;
        // In two steps, for a shift by 64 is not defined.
        let carry = |word: u64| word >> 1 >> (63 - by);
        Wide([
            low << by,
            middle << by | carry(low),
            high << by | carry(middle),
        ])
    }
}

impl Shr<u32> for Wide {
    type Output = Wide;

    /// By less than 64.
    #[inline]
    fn shr(self, by: u32) -> Wide {
        let [low, middle, high] = self.0;
        let carry = |word: u64| word << 1 << (63 - by);
        Wide([
            low >> by | carry(middle),
            middle >> by | carry(high),
            high >> by,
        ])
    }
}

impl Bits for Wide {
    const ZERO: Wide = Wide([0; 3]);
    const ONE: Wide = Wide([1, 0, 0]);

    #[inline]
    fn from_low(word: u64) -> Wide {
        Wide([word, 0, 0])
    }

    #[inline]
    fn plus(self, other: Wide) -> Wide {
        let mut sum = [0; 3];
        let mut carry = false;
        for (to, (a, b)) in sum.iter_mut().zip(self.0.into_iter().zip(other.0)) {
            let (half, first) = a.overflowing_add(b);
            let (whole, second) = half.overflowing_add(u64::from(carry));
            (*to, carry) = (whole, first || second);
        }
        Wide(sum)
    }

    #[inline]
    fn without_lowest(self) -> Wide {
        self & self.plus(Wide([u64::MAX; 3]))
    }

    #[inline]
    fn count(self) -> u32 {
        self.0.map(u64::count_ones).iter().sum()
    }

    #[inline]
    fn index(self) -> usize {
        let [low, middle, high] = self.0.map(|word| word.trailing_zeros() as usize);
        match (low, middle) {
            (64, 64) => 128 + high,
            (64, _) => 64 + middle,
            _ => low,
        }
    }

    #[inline]
    fn words(self) -> (u64, u64) {
        let [low, middle, high] = self.0;
        // An odd factor, so that no two of the high words are folded alike.
        let folded = high.wrapping_mul(0xd6e8_feb8_6659_fd93);
        (low ^ folded, middle ^ folded.rotate_left(32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide(value: u128) -> Wide {
        Wide([value as u64, (value >> 64) as u64, 0])
    }

    fn low(wide: Wide) -> u128 {
        u128::from(wide.0[0]) | u128::from(wide.0[1]) << 64
    }

    proptest! {
        #[test]
        fn three_words_count_as_two_do(a: u128, b: u128, by in 0..64_u32) {
            prop_assert_eq!(low(wide(a).plus(wide(b))), a.plus(b));
            prop_assert_eq!(low(wide(a) << by), a << by);
            prop_assert_eq!(low(wide(a) >> by), a >> by);
            // The same 64 bits further up, so that the highest word takes part.
            let up = |value: u128| Wide([0, value as u64, (value >> 64) as u64]);
            prop_assert_eq!(up(a) << by, up(a << by));
            prop_assert_eq!(up(a).plus(up(b)), up(a.plus(b)));
            prop_assert_eq!(up(a) >> by << by, up(a >> by << by) | (up(a) >> by << by));
            prop_assert_eq!(wide(a).without_lowest(), wide(a.without_lowest()));
            prop_assert_eq!(up(a).lowest(), up(a.lowest()));
            prop_assert_eq!(up(a).count(), a.count());
        }
    }
}
