//! Integers of 16 bits, most of them small, in few bits, and the checksum of files that hold them.
//!
//! They come in blocks. Each block begins with the number k of the low bits of its integers, and an
//! integer n, counted 0, -1, 1, -2, 2 and so on, is n >> k in ones, a zero, and its low bits (Rice,
//! Some Practical Universal Noiseless Coding Techniques, 1979). Bits are stored lowest first.
//!
//! Integers that are like others, one by one, are stored as the differences from them. The greater an
//! integer is that it is like, the more low bits such a difference has ([`more_bits`]).

/// Integers in a block: neighbours are about as large.
pub const BLOCK: usize = 64;

/// Bits of k.
const WIDTH: u32 = 4;

/// The k of a block of zeros, which is nothing but its k.
const ZEROS: u32 = 15;

/// The number of ones before an integer that is written out.
const ESCAPE: u32 = 20;

/// The bytes that hold these integers.
#[must_use]
pub fn pack(integers: &[i16]) -> Vec<u8> {
    pack_all(integers, |_| 0)
}

/// The bytes that hold these integers for one who has `like`, which are as many.
#[must_use]
pub fn pack_differences(integers: &[i16], like: &[i16]) -> Vec<u8> {
    let pairs = integers.iter().zip(like);
    let differences: Vec<i16> = pairs.map(|(it, like)| it.wrapping_sub(*like)).collect();
    pack_all(&differences, |place| more_bits(like[place]))
}

/// `more` tells how many low bits each integer has beside those of its block.
fn pack_all(integers: &[i16], more: impl Fn(usize) -> u32) -> Vec<u8> {
    let mut writer = Writer::default();
    for (number, block) in integers.chunks(BLOCK).enumerate() {
        if block.iter().all(|&it| it == 0) {
            writer.put(ZEROS, WIDTH);
            continue;
        }
        let places = number * BLOCK..;
        let all = || block.iter().zip(places.clone().map(&more));
        let cost = |k: &u32| all().map(|(&it, more)| length(it, k + more)).sum::<u32>();
        let k = (0..ZEROS).min_by_key(cost).unwrap_or(0);
        writer.put(k, WIDTH);
        all().for_each(|(&it, more)| writer.put_integer(it, k + more));
    }
    writer.finish()
}

/// The `count` integers that these bytes hold. `None`: they hold fewer, or more.
#[must_use]
pub fn unpack(bytes: &[u8], count: usize) -> Option<Vec<i16>> {
    let mut integers = vec![0; count];
    unpack_onto(bytes, integers.chunks_mut(BLOCK), |_| 0)?;
    Some(integers)
}

/// Adds the integers that these bytes hold to rows of as many as a block has. `None`: they hold fewer, or
/// more.
#[must_use]
pub fn unpack_rows<'a>(
    bytes: &[u8],
    rows: impl Iterator<Item = &'a mut [i16; BLOCK]>,
) -> Option<()> {
    unpack_onto(bytes, rows.map(<[i16; BLOCK]>::as_mut_slice), |_| 0)
}

/// The integers that these bytes hold for one who has `like`. `None`: they hold fewer, or more.
#[must_use]
pub fn unpack_differences(bytes: &[u8], like: Vec<i16>) -> Option<Vec<i16>> {
    let mut integers = like;
    unpack_onto(bytes, integers.chunks_mut(BLOCK), more_bits)?;
    Some(integers)
}

/// Adds what the bytes hold to these blocks of integers. `more` tells how many low bits each has beside those
/// of its block, by the integer that it is added to.
#[inline(always)]
fn unpack_onto<'a>(
    bytes: &[u8],
    blocks: impl Iterator<Item = &'a mut [i16]>,
    more: impl Fn(i16) -> u32,
) -> Option<()> {
    let mut reader = Reader::new(bytes);
    for block in blocks {
        match reader.take(WIDTH)? {
            ZEROS => {}
            k => {
                for integer in block {
                    let difference = reader.take_integer(k + more(*integer))?;
                    *integer = integer.wrapping_add(difference);
                }
            }
        }
    }
    reader.is_at_end().then_some(())
}

/// A third of the bits of an integer, or somewhat more. (A guess, the better of two for the weights of Reversi.)
fn more_bits(like: i16) -> u32 {
    (u16::BITS - like.unsigned_abs().leading_zeros()).div_ceil(3)
}

/// FNV-1a of Fowler, Noll and Vo, of eight bytes at a time and then of those that are left.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let numbers = words.chain(rest.iter().map(|&byte| u64::from(byte)));
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, number| {
        (hash ^ number).wrapping_mul(0x100_0000_01b3)
    })
}

/// 0, -1, 1, -2, 2 and so on, counted.
fn counted(integer: i16) -> u32 {
    u32::from(((integer << 1) ^ (integer >> 15)) as u16)
}

/// The bits of an integer in a block.
fn length(integer: i16, k: u32) -> u32 {
    match counted(integer) >> k {
        ones if ones < ESCAPE => ones + 1 + k,
        _ => ESCAPE + 16,
    }
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    bits: u64,
    count: u32,
}

impl Writer {
    fn put(&mut self, bits: u32, count: u32) {
        self.bits |= u64::from(bits) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.bits as u8);
            self.bits >>= 8;
            self.count -= 8;
        }
    }

    fn put_integer(&mut self, integer: i16, k: u32) {
        let counted = counted(integer);
        match counted >> k {
            ones if ones < ESCAPE => {
                self.put((1 << ones) - 1, ones + 1);
                self.put(counted & ((1 << k) - 1), k);
            }
            _ => {
                self.put((1 << ESCAPE) - 1, ESCAPE);
                self.put(counted, 16);
            }
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
        self.bytes
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    bits: u64,
    count: u32,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader {
            bytes,
            bits: 0,
            count: 0,
        }
    }

    /// Loads bytes until there are 32 bits, or no bytes are left.
    #[inline]
    fn fill(&mut self) {
        if self.count >= 32 {
            return;
        }
        if let Some((four, rest)) = self.bytes.split_first_chunk::<4>() {
            self.bits |= u64::from(u32::from_le_bytes(*four)) << self.count;
            self.count += 32;
            self.bytes = rest;
        }
        while self.count < 32
            && let Some((byte, rest)) = self.bytes.split_first()
        {
            self.bits |= u64::from(*byte) << self.count;
            self.count += 8;
            self.bytes = rest;
        }
    }

    #[inline]
    fn take(&mut self, count: u32) -> Option<u32> {
        self.fill();
        if count > self.count {
            return None;
        }
        let bits = self.bits & ((1 << count) - 1);
        self.bits >>= count;
        self.count -= count;
        Some(bits as u32)
    }

    #[inline(always)]
    fn take_integer(&mut self, k: u32) -> Option<i16> {
        self.fill();
        let ones = self.bits.trailing_ones().min(ESCAPE);
        let length = ones + 1 + k;
        let counted = if ones < ESCAPE && length <= self.count {
            // Nearly all of them.
            let low = (self.bits >> (ones + 1)) as u32 & ((1 << k) - 1);
            self.bits >>= length;
            self.count -= length;
            ones << k | low
        } else if ones < ESCAPE {
            self.take(ones + 1)?;
            ones << k | self.take(k)?
        } else {
            self.take(ESCAPE)?;
            self.take(16)?
        };
        let counted = u16::try_from(counted).ok()?;
        Some((counted >> 1) as i16 ^ -((counted & 1) as i16))
    }

    /// Whether nothing but the zeros of the last byte is left.
    fn is_at_end(&self) -> bool {
        self.bytes.is_empty() && self.count < 8 && self.bits == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_packed_comes_out(
            mut integers in prop::collection::vec(any::<i16>(), 0..300),
            shifts in prop::collection::vec(0..16_u32, 300),
        ) {
            for (integer, shift) in integers.iter_mut().zip(shifts) {
                *integer >>= shift;
            }
            let bytes = pack(&integers);
            prop_assert_eq!(unpack(&bytes, integers.len()), Some(integers.clone()));
            let mut like = integers.clone();
            like.reverse();
            let bytes = pack_differences(&integers, &like);
            prop_assert_eq!(unpack_differences(&bytes, like), Some(integers));
        }

        #[test]
        fn no_bytes_break_it(bytes: Vec<u8>, count in 0..500_usize) {
            if let Some(integers) = unpack(&bytes, count) {
                prop_assert_eq!(integers.len(), count);
            }
            let integers = unpack_differences(&bytes, vec![i16::MIN; count]);
            prop_assert!(integers.is_none_or(|it| it.len() == count));
        }
    }

    #[test]
    fn small_integers_take_little() {
        assert_eq!(pack(&[0; 64 * 100]).len(), 50);
        assert_eq!(pack(&[1, -1, 0, 0]).len(), 2);
        let cut = pack(&[500, -7, 3]);
        assert_eq!(unpack(&cut[..cut.len() - 1], 3), None);
        assert_eq!(unpack(&cut, 2), None);
    }
}
