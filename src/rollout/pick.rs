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
