//! The set bits of a word by their rank, with what every processor has.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The set bit of `bits` that this random number stands for: they share its range evenly, in
/// rising order. None where none is set.
#[inline]
pub fn set_bit_for(bits: u64, number: u64) -> u64 {
    if bits == 0 {
        return 0;
    }
    let running = running_counts(bits);
    let rank = share((running >> 56) as u32, number);
    1 << find_set_bit(bits, running, rank)
}

/// Which of `count` even shares of the range of words this number lies in.
#[inline]
pub fn share(count: u32, number: u64) -> u32 {
    ((u128::from(number) * u128::from(count)) >> 64) as u32
}

/// In byte `i`, counted from the low end: how many bits are set in the bytes `0..=i`.
#[inline]
pub fn running_counts(bits: u64) -> u64 {
    let pairs = bits - ((bits >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    bytes.wrapping_mul(ONES)
}

/// The number of the set bit that has `rank` set bits below it. `running` are its counts.
#[inline]
pub fn find_set_bit(bits: u64, running: u64, rank: u32) -> usize {
    // The bytes in which the running count has not passed `rank` lie below the one sought. No
    // byte borrows from the next: counts are at most 64.
    let short = ((u64::from(rank) * ONES) | HIGHS) - running;
    let shift = (((short & HIGHS) >> 7).wrapping_mul(ONES) >> 56) as u32 * 8;
    let below = ((running << 8) >> shift) as u8;
    let byte = (bits >> shift) as u8;
    let in_byte = BIT_IN_BYTE[(rank as usize - usize::from(below)) & 7][usize::from(byte)];
    shift as usize + usize::from(in_byte)
}

/// `BIT_IN_BYTE[rank][byte]`: the number of the set bit of `byte` with `rank` set bits below it.
static BIT_IN_BYTE: [[u8; 256]; 8] = bits_in_bytes();

const fn bits_in_bytes() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut rank = 0;
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[rank][byte] = bit;
                rank += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus as Random;

    #[test]
    fn every_set_bit_is_found_by_its_rank() {
        let mut random = Random::seed_from_u64(1);
        let words = (0..64).map(|shift| u64::MAX >> shift);
        for bits in words.chain((0..1000).map(|_| random.next_u64())) {
            let set = (0..64).filter(|bit| bits >> bit & 1 == 1);
            let running = running_counts(bits);
            for (rank, bit) in set.enumerate() {
                let found = find_set_bit(bits, running, rank as u32);
                assert_eq!(found, bit, "{bits:x}, rank {rank}");
            }
        }
    }

    #[test]
    fn numbers_are_shared_evenly() {
        // Three bits, so the shares end at a third and two thirds of 2^64.
        let bits = 0x8000_0100_0000_0004;
        let third = u64::MAX / 3;
        for (number, expected) in [
            (0, 1 << 2),
            (third, 1 << 2),
            (third + 1, 1 << 40),
            (2 * third, 1 << 40),
            (2 * third + 1, 1 << 63),
            (u64::MAX, 1 << 63),
        ] {
            assert_eq!(set_bit_for(bits, number), expected, "{number:x}");
        }
        assert_eq!(set_bit_for(0, third), 0);
    }
}
