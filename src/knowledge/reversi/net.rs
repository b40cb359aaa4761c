//! A small net that corrects the sum of weights by what several shapes hold together.
//!
//! ```text
//! 64 placements, a row of 32 numbers for the contents of each ─┐
//! 32 numbers for the discs on the board                       ─┴─► their sums, kept to 0..1, squared
//!     ──► each times a weight of the stage, their sum ──► discs
//! ```
//!
//! All numbers are integers, so that it says the same on every machine. (Clipped and squared sums of
//! rows: from nets that chess programs add up move by move; that so small a net has something to add
//! to learned weights was measured: `docs/EXPERIMENTS.md`, Reversi.)

mod file;
pub mod shapes;

use super::endgame::Board;
use super::patterns::{COUNTS, STAGES, WeightsError, stage};
use super::shapes::{Turn, after, numbers};
use crate::simd::shorts::{ROW, Row, Shorts};
use crate::simd::{Isa, Kernel, Simd};
use shapes::{ADDENDS, BASES, DRAWN};
use std::sync::OnceLock;

/// Numbers of a row.
pub const WIDTH: usize = ROW;

/// A number of 1 as an integer.
pub const ONE: i16 = 128;

/// A weight of one disc as an integer is so many units of [`DISC`](super::patterns::DISC).
pub const FINE: i32 = 8;

/// No weight is greater, so that sums fit their 32 bits: 16 discs.
pub const MOST: i16 = 4095;

/// The weights of this program, as `net.json` beside them says they are made.
const OWN: &[u8] = included!("weights-reversi", "net.bin");

/// What a stage makes of the sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// In units of a [`FINE`]th of [`DISC`](super::patterns::DISC).
    pub weights: [i16; WIDTH],
    /// In units of `DISC`.
    pub bias: i16,
}

/// The net, ready for use.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// What the contents of a placement add to the sums, in units of 1 / [`ONE`]: one for each entry of
    /// [`DRAWN`].
    pub(crate) rows: Box<[Row]>,
    /// By the number of discs on the board, in units of 1 / [`ONE`].
    pub(crate) biases: [[i16; WIDTH]; COUNTS],
    pub(crate) outputs: [Output; STAGES],
}

impl Net {
    /// The net of this program. `None`: it was built without.
    #[must_use]
    pub fn own() -> Option<&'static Net> {
        static LOADED: OnceLock<Option<Net>> = OnceLock::new();
        // A test rules out that it is there and cannot be read.
        LOADED.get_or_init(|| Net::read(OWN).ok()).as_ref()
    }

    /// A net that corrects nothing.
    #[must_use]
    pub fn blank() -> Net {
        Net {
            rows: vec![Row::default(); DRAWN.entries()].into(),
            biases: [[0; WIDTH]; COUNTS],
            outputs: [Output::default(); STAGES],
        }
    }

    /// What is to be added to the disc difference that the side to move expects by the weights, in
    /// units of [`DISC`](super::patterns::DISC).
    #[must_use]
    pub fn correction(&self, board: Board) -> i32 {
        Isa::current().run(Correction { net: self, board })
    }

    /// The correction by the numbers of the contents.
    #[inline(always)]
    fn of_numbers<S: Shorts>(&self, numbers: S, discs: u32) -> i32 {
        let sums = numbers.sum_of_rows(&self.rows, &BASES);
        let biases = &self.biases[discs as usize];
        let Output { weights, bias } = &self.outputs[stage(discs)];
        let mut sum = 0;
        for i in 0..WIDTH {
            let number = sums[i].saturating_add(biases[i]).clamp(0, ONE);
            sum += i32::from(number * number) * i32::from(weights[i]);
        }
        i32::from(*bias) + sum / (i32::from(ONE) * i32::from(ONE) * FINE)
    }
}

struct Correction<'a> {
    net: &'a Net,
    board: Board,
}

impl Kernel for Correction<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i32 {
        let Board { own, other } = self.board;
        let numbers = numbers(simd, &ADDENDS, own, other);
        self.net.of_numbers(numbers, self.board.discs())
    }
}

/// What is known of a position before its children are corrected.
pub(super) struct Children<'a, S: Simd> {
    net: &'a Net,
    discs: u32,
    parent: S::Shorts,
}

impl<'a, S: Simd> Children<'a, S> {
    /// Asks for most of what it takes from memory.
    #[inline(always)]
    pub(super) fn new(simd: S, net: &'a Net, board: Board) -> Self {
        let parent = numbers(simd, &ADDENDS, board.own, board.other);
        // Most rows of a child are those of its siblings, too.
        after(simd, &ADDENDS, parent, Turn::Pass).prefetch_rows(&net.rows, &BASES);
        Children {
            net,
            discs: board.discs(),
            parent,
        }
    }

    /// What is to be added to what the side that makes this move expects, in units of
    /// [`DISC`](super::patterns::DISC).
    #[inline(always)]
    pub(super) fn correction(&self, simd: S, turn: Turn) -> i32 {
        let discs = match turn {
            // On a full board there is no move.
            Turn::Disc { .. } => (self.discs + 1).min(64),
            Turn::Pass => self.discs,
        };
        let child = after(simd, &ADDENDS, self.parent, turn);
        // The child's correction is its side to move's, who is the opponent.
        -self.net.of_numbers(child, discs)
    }
}

#[cfg(test)]
mod tests;
