//! The learned value and policy of Gomoku: a net over the lines through each cell.
//!
//! ```text
//!   4 lines of 9 cells ──► 4 rows of 32 numbers ──► their sum, negatives to 0: the features of a cell
//!   features of an empty cell ──► 32 hidden numbers ──► logit of a move there
//!   sum of the features, sum of the hidden numbers ──► 32 ──► 32 ──► win, draw, loss
//! ```
//!
//! The net corrects what the [patterns](super::worth) say: its logits are added to theirs, so that one
//! that has learned nothing plays as they do.
//!
//! Cells within two king's steps of a stone count, the others are left out. Lines are seen by
//! the side to move. Up to the sums everything is an integer, and what follows is added in one
//! order, so that the net says the same on every machine.
//!
//! The idea of tabulated line features: Rapfi (arXiv 2503.13178). The sums are made anew for
//! each position: that costs about as much as the changes of four plies, and a leaf is seldom
//! nearer to the leaf before.

pub mod lines;
#[cfg(test)]
mod tests;
pub mod weights;

use super::near::grown;
use crate::game::gomoku::Gomoku;
use crate::game::gomoku::bits::Bits;
use crate::game::{Game, Side};
use crate::simd::{Isa, Kernel, PAIRS, Pair, SUMS, Simd};
use lines::{Lines, ROW_OF_KEY, ROWS};
use std::sync::{Arc, LazyLock};

/// The net of this program, as `net.json` beside it says it was made.
#[cfg(feature = "weights")]
const OWN: &[u8] = include_bytes!("net/net.bin");
#[cfg(not(feature = "weights"))]
const OWN: &[u8] = &[];

/// Numbers of a row, features of a cell, hidden numbers of a cell, and numbers of a layer of
/// the value.
pub const WIDTH: usize = 32;

/// A feature of 1 as an integer; a weight of 1 between the integers.
pub const ONE: i32 = 256;

/// Hidden numbers stay below this, so that a logit fits its 32 bits.
const HIDDEN_MOST: i32 = i16::MAX as i32;

/// What the sums over all cells are divided by, so that they are near 1 as the other numbers are.
pub const SUM_UNIT: f32 = 32.0;

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Row(pub [i16; WIDTH]);

/// Weights from every input to the numbers of a layer.
pub type Layer<T, const INPUTS: usize> = [[T; WIDTH]; INPUTS];

/// Weights from each pair of features to the hidden numbers.
pub type Hidden = [[Pair; WIDTH]; WIDTH / 2];

const _: () = assert!(WIDTH == SUMS && WIDTH == 2 * PAIRS);

/// A net.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// By [`ROW_OF_KEY`].
    pub(crate) rows: Box<[Row]>,
    pub(crate) hidden: Box<Hidden>,
    /// In units of 1 / `ONE`².
    pub(crate) hidden_bias: [i32; WIDTH],
    pub(crate) policy: [i16; WIDTH],
    pub(crate) value: Box<Value>,
}

/// The part of the net that follows the sums.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// From the sums of features and then of hidden numbers.
    pub first: Layer<f32, { 2 * WIDTH }>,
    /// Bias of the first layer.
    pub first_bias: [f32; WIDTH],
    /// From the first layer.
    pub second: Layer<f32, WIDTH>,
    /// Bias of the second layer.
    pub second_bias: [f32; WIDTH],
    /// To the logits of win, draw and loss.
    pub last: Layer<f32, 3>,
    /// Bias of these.
    pub last_bias: [f32; 3],
}

/// What a net says of a position.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The probabilities 0..1 that the side to move wins, draws and loses.
    pub chances: [f32; 3],
    /// Logits of the moves by cell. Cells far from every stone have [`FAR`].
    pub logits: [f32; Bits::<8>::CAPACITY],
}

/// The logit of a move far from every stone.
pub const FAR: f32 = 0.0;

impl Default for Judgement {
    fn default() -> Self {
        Judgement {
            chances: [0.0; 3],
            logits: [FAR; Bits::<8>::CAPACITY],
        }
    }
}

impl Judgement {
    /// The expected score 0..1 of the side to move.
    #[must_use]
    pub fn value(&self) -> f32 {
        self.chances[0] + 0.5 * self.chances[1]
    }
}

/// The cells that count: those of the board within two king's steps of a stone.
#[inline]
pub(crate) fn near_cells(position: &Gomoku) -> Bits<8> {
    fn near<const W: usize>(position: &Gomoku) -> Bits<8> {
        let (board, stride) = (position.board::<W>(), position.stride());
        let empty = position.empty_cells::<W>();
        grown(grown(board & !empty, board, stride), board, stride).resized()
    }
    match position.is_narrow() {
        true => near::<4>(position),
        false => near::<8>(position),
    }
}

impl Net {
    /// The net of this program. None where it was built without.
    #[must_use]
    pub fn own() -> Option<Arc<Net>> {
        static NET: LazyLock<Option<Arc<Net>>> =
            LazyLock::new(|| Net::from_bytes(OWN).ok().map(Arc::new));
        NET.clone()
    }

    /// Judges a position whose lines these are, and which stands for the side to move as the logit
    /// `worth` says, as far as its patterns tell.
    pub fn judge(&self, position: &Gomoku, lines: &Lines, worth: f32, out: &mut Judgement) {
        self.judge_on(Isa::current(), position, lines, worth, out);
    }

    fn judge_on(
        &self,
        isa: Isa,
        position: &Gomoku,
        lines: &Lines,
        worth: f32,
        out: &mut Judgement,
    ) {
        isa.run(Judge {
            net: self,
            side: position.side_to_move(),
            near: near_cells(position),
            empty: position.empty_cells(),
            lines,
            worth,
            out,
        });
    }
}

struct Judge<'a> {
    net: &'a Net,
    side: Side,
    near: Bits<8>,
    empty: Bits<8>,
    lines: &'a Lines,
    worth: f32,
    out: &'a mut Judgement,
}

impl Kernel for Judge<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let row_of_key = &**ROW_OF_KEY;
        let Some(rows) = self.net.rows.first_chunk::<ROWS>() else {
            return;
        };
        let mut sums = [0; 2 * WIDTH];
        self.out.logits = [FAR; Bits::<8>::CAPACITY];
        for cell in self.near.cells() {
            let keys = self.lines.keys(cell, self.side);
            let features = features(keys.map(|key| &rows[usize::from(row_of_key[key as usize])].0));
            for i in 0..WIDTH {
                sums[i] += i32::from(features[i]);
            }
            if self.empty.contains(cell) {
                let hidden = self.net.hidden(simd, &features);
                for i in 0..WIDTH {
                    sums[WIDTH + i] += hidden[i];
                }
                self.out.logits[cell] = self.net.logit(&hidden);
            }
        }
        self.out.chances = self.net.value.chances(&sums, self.worth);
    }
}

/// The features of a cell by the rows of its lines.
#[inline(always)]
fn features(rows: [&[i16; WIDTH]; 4]) -> [i16; WIDTH] {
    let [a, b, c, d] = rows;
    let mut sums = [0i16; WIDTH];
    for i in 0..WIDTH {
        let sum = a[i]
            .wrapping_add(b[i])
            .wrapping_add(c[i].wrapping_add(d[i]));
        sums[i] = sum.max(0);
    }
    sums
}

impl Net {
    /// The hidden numbers of a cell with these features.
    #[inline(always)]
    fn hidden<S: Simd>(&self, simd: S, features: &[i16; WIDTH]) -> [i32; WIDTH] {
        let mut sums = self.hidden_bias;
        let inputs = std::array::from_fn(|i| [features[2 * i], features[2 * i + 1]]);
        simd.add_products(&inputs, &self.hidden, &mut sums);
        for sum in &mut sums {
            *sum = ((*sum).max(0) / ONE).min(HIDDEN_MOST);
        }
        sums
    }

    #[inline(always)]
    fn logit(&self, hidden: &[i32; WIDTH]) -> f32 {
        let products = hidden.iter().zip(&self.policy);
        let sum: i32 = products
            .map(|(&number, &weight)| number * i32::from(weight))
            .sum();
        sum as f32 / (ONE * ONE) as f32
    }
}

impl Value {
    #[inline(always)]
    fn chances(&self, sums: &[i32; 2 * WIDTH], worth: f32) -> [f32; 3] {
        let inputs = sums.map(|sum| sum as f32 / (ONE as f32 * SUM_UNIT));
        let first = layer(&self.first, self.first_bias, &inputs);
        let second = layer(&self.second, self.second_bias, &first);
        let [win, draw, loss] = self.last_bias;
        let mut logits = [win + worth / 2.0, draw, loss - worth / 2.0];
        for (logit, weights) in logits.iter_mut().zip(&self.last) {
            for i in 0..WIDTH {
                *logit += weights[i] * second[i];
            }
        }
        softmax(logits)
    }
}

/// A dense layer, negatives to 0.
#[inline(always)]
fn layer<const INPUTS: usize>(
    weights: &Layer<f32, INPUTS>,
    mut sums: [f32; WIDTH],
    inputs: &[f32; INPUTS],
) -> [f32; WIDTH] {
    for (&input, weights) in inputs.iter().zip(weights) {
        for i in 0..WIDTH {
            sums[i] += input * weights[i];
        }
    }
    sums.map(|sum| sum.max(0.0))
}

/// Probabilities of these logits.
#[must_use]
pub fn softmax(logits: [f32; 3]) -> [f32; 3] {
    let most = logits.into_iter().fold(f32::MIN, f32::max);
    let odds = logits.map(|logit| libm::expf(logit - most));
    let sum: f32 = odds.iter().sum();
    odds.map(|odd| odd / sum)
}
