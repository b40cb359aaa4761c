//! What the evaluation sees of a position.

use super::shapes::ADDENDS;
use crate::game::reversi::Reversi;
use crate::knowledge::reversi::shapes::{Turn, after, numbers};
use crate::simd::shorts::{ShortArray, Shorts as _};
use crate::simd::{Isa, Kernel, Simd};

/// The contents of the shapes on the board, as the side to move sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    numbers: ShortArray,
    discs: u32,
}

impl Default for Features {
    /// Those of an empty board.
    fn default() -> Self {
        Features::of_discs(0, 0)
    }
}

impl Features {
    /// Those of a position.
    #[must_use]
    pub fn new(position: &Reversi) -> Features {
        let [own, other] = position.own_and_other();
        Features::of_discs(own, other)
    }

    /// Those of a position with these discs of the side to move and of the other.
    #[must_use]
    pub fn of_discs(own: u64, other: u64) -> Features {
        Features {
            numbers: Isa::current().run(OfDiscs { own, other }),
            discs: (own | other).count_ones(),
        }
    }

    /// The side to move puts a disc on `square` and turns over those of `flips`.
    #[inline]
    pub fn play(&mut self, square: usize, flips: u64) {
        self.numbers = Isa::current().run(Played {
            numbers: &self.numbers,
            square,
            flips,
        });
        self.discs += 1;
    }

    /// The side to move passes.
    pub fn pass(&mut self) {
        for number in &mut self.numbers.0 {
            *number = -*number;
        }
    }

    /// Discs on the board.
    #[inline]
    #[must_use]
    pub fn discs(&self) -> u32 {
        self.discs
    }

    /// The numbers of the contents of all placements.
    pub(super) fn numbers(&self) -> &ShortArray {
        &self.numbers
    }

    /// The number of the contents of each placement: 0 when empty.
    #[must_use]
    pub fn contents(&self) -> &[i16] {
        &self.numbers.0
    }
}

struct OfDiscs {
    own: u64,
    other: u64,
}

impl Kernel for OfDiscs {
    type Output = ShortArray;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ShortArray {
        numbers(simd, &ADDENDS, self.own, self.other).array()
    }
}

struct Played<'a> {
    numbers: &'a ShortArray,
    square: usize,
    flips: u64,
}

impl Kernel for Played<'_> {
    type Output = ShortArray;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> ShortArray {
        let before = simd.shorts(self.numbers);
        let Played { square, flips, .. } = self;
        after(simd, &ADDENDS, before, Turn::Disc { square, flips }).array()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus as Random;

    #[test]
    fn every_isa_sees_the_same_of_discs() {
        let mut random = Random::seed_from_u64(1);
        for _ in 0..200 {
            let (own, other) = (random.next_u64(), random.next_u64());
            let other = other & !own;
            let mut plain = ShortArray::ZERO;
            for (square, addends) in ADDENDS.iter().enumerate() {
                let disc = (own >> square & 1) as i16 - (other >> square & 1) as i16;
                for (number, addend) in plain.0.iter_mut().zip(&addends.0) {
                    *number += disc * addend;
                }
            }
            for isa in Isa::all() {
                assert_eq!(isa.run(OfDiscs { own, other }), plain);
            }
        }
    }
}
