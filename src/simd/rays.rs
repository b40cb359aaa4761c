//! What boards of 64 squares need, where each lane looks along one of eight ways.

use super::{LANES, Lanes, Simd};

/// Eight words that are one board seen eight ways. The default methods are the reference that the
/// others are tested against; they need all lanes to be handled together.
pub trait Rays: Sized {
    /// Whether the methods take a few instructions each, so that eight ways at a time are faster
    /// than one after the other.
    const ARE_FAST: bool = false;

    /// Each word turned to the left by the number in `by`, from 0 to 63.
    #[inline(always)]
    fn rotate_left_each(self, lanes: Self::Lanes, by: Self::Lanes) -> Self::Lanes
    where
        Self: Simd,
    {
        let (words, by) = (self.words(lanes), self.words(by));
        self.load(std::array::from_fn(|i| words[i].rotate_left(by[i] as u32)))
    }

    /// The lowest set bit of each of the lower four words, the highest of the upper four; none of 0.
    #[inline(always)]
    fn nearest_bits(self, lanes: Self::Lanes) -> Self::Lanes
    where
        Self: Simd,
    {
        let words = self.words(lanes);
        self.load(std::array::from_fn(|i| match words[i].checked_ilog2() {
            Some(highest) if i >= LANES / 2 => 1 << highest,
            _ => words[i] & words[i].wrapping_neg(),
        }))
    }

    /// Those words of `lanes` whose words of `key` are not 0, and 0 for the others.
    #[inline(always)]
    fn where_not_zero(self, key: Self::Lanes, lanes: Self::Lanes) -> Self::Lanes
    where
        Self: Simd,
    {
        key.is_not_zero() & lanes
    }

    /// The bits that are set in any word.
    #[inline(always)]
    fn joined(self, lanes: Self::Lanes) -> u64
    where
        Self: Simd,
    {
        self.words(lanes)
            .into_iter()
            .fold(0, |all, word| all | word)
    }
}
