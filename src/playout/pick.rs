//! Uniform choices, exact and fast.

use super::Random;
use crate::simd::set_bit::{find_set_bit, running_counts};
use rand::Rng;

/// A number below `bound`, which must not be 0, every one as likely as the others.
///
/// A multiplication in place of a division, and a new draw in the rare cases that would favour
/// some numbers (Lemire, Fast Random Integer Generation in an Interval, 2019).
#[inline]
pub fn below(bound: u32, random: &mut Random) -> u32 {
    let mut product = u64::from(random.next_u32()) * u64::from(bound);
    if (product as u32) < bound {
        let surplus = bound.wrapping_neg() % bound;
        while (product as u32) < surplus {
            product = u64::from(random.next_u32()) * u64::from(bound);
        }
    }
    (product >> 32) as u32
}

/// Choices among a few, four to a random word.
#[derive(Default)]
pub struct Draws {
    bits: u64,
    left: u32,
}

impl Draws {
    /// A number below `bound`, which must be from 1 to 2^16, every one as likely as the others:
    /// as [`below`], with 16 bits.
    #[inline(always)]
    pub fn below(&mut self, bound: u32, random: &mut Random) -> u32 {
        let mut product = self.draw(random) * bound;
        if product & 0xffff < bound {
            let surplus = (1 << 16) % bound;
            while product & 0xffff < surplus {
                product = self.draw(random) * bound;
            }
        }
        product >> 16
    }

    #[inline(always)]
    fn draw(&mut self, random: &mut Random) -> u32 {
        if self.left == 0 {
            (self.bits, self.left) = (random.next_u64(), 4);
        }
        let draw = self.bits as u32 & 0xffff;
        self.bits >>= 16;
        self.left -= 1;
        draw
    }
}

/// The number of one of the set bits of `bits`, which must not be 0, every one as likely as the
/// others.
#[inline]
pub fn set_bit(bits: u64, random: &mut Random) -> usize {
    let running = running_counts(bits);
    let rank = below((running >> 56) as u32, random);
    find_set_bit(bits, running, rank)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn draws_are_equally_likely() {
        for bound in [1, 3, 7, 12] {
            let mut random = Random::seed_from_u64(bound.into());
            let mut draws = Draws::default();
            let mut counts = vec![0_u32; bound as usize];
            for _ in 0..10_000 * bound {
                counts[draws.below(bound, &mut random) as usize] += 1;
            }
            // 10 000 expected, standard deviation below 100; five of them allowed.
            assert!(counts.iter().all(|count| (9_500..=10_500).contains(count)));
        }
    }

    #[test]
    fn set_bits_are_equally_likely() {
        let bits = 0x8001_0000_0420_0003_u64;
        let mut random = Random::seed_from_u64(2);
        let mut counts = [0_u32; 64];
        for _ in 0..60_000 {
            counts[set_bit(bits, &mut random)] += 1;
        }
        for (bit, &count) in counts.iter().enumerate() {
            // 10 000 expected, standard deviation 91; five of them allowed.
            let expected = if bits >> bit & 1 == 1 {
                9_545..10_455
            } else {
                0..1
            };
            assert!(expected.contains(&count), "bit {bit}: {count}");
        }
    }
}
