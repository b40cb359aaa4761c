//! The learned value and policy of Gomoku: a net over the lines through each cell.
//!
//! ```text
//!   4 lines of 9 cells ──► 4 rows of 64 numbers ──► their sum, negatives to 0: the features of a cell
//!   features of a cell, mean of its 4 neighbours, mean of its 4 corners
//!       ──► each times a weight, their sum, negatives to 0: the mix of a cell
//!   sum of the mixes of empty cells, sum of those of stones ──► 64 ──► 64 ──► win, draw, loss; doubt
//!   mix of an empty cell, first 64 of the value ──► 64 hidden numbers ──► logit of a move there
//! ```
//!
//! The net corrects what the [patterns](super::worth) say: its logits are added to theirs, so that one
//! that has learned nothing plays as they do.
//!
//! Cells within two king's steps of a stone count, the others are left out. Lines are seen by
//! the side to move. Up to the sums everything is an integer, and what follows is added in one
//! order, so that the net says the same on every machine.
//!
//! The idea of tabulated line features, and of a depthwise convolution after them: Rapfi (arXiv
//! 2503.13178). The convolution has one weight for the neighbours and one for the corners, so the
//! net is blind to rotations and reflections. What a position has in common with the last one of the
//! same side is kept (see [`Planes`]).

pub mod lines;
pub(crate) mod seen;
pub mod sides;
#[cfg(test)]
mod tests;
mod view;
pub mod weights;

use super::patterns::Patterns;
use crate::game::Move;
use crate::game::gomoku::Gomoku;
use crate::simd::{Isa, Kernel, PAIRS, Pair, SUMS, Simd};
pub use sides::SideNets;
pub use view::Planes;
use view::View;

/// Numbers of a row, features of a cell, hidden numbers of a cell, and numbers of a layer of
/// the value.
pub const WIDTH: usize = 64;

/// A feature of 1 as an integer; a weight of 1 between the integers.
pub const ONE: i32 = 256;

/// Numbers of rows are no larger, so that sums of sums of four fit 16 bits.
pub const ROW_MOST: i16 = 2047;

/// Weights to and from hidden numbers are no larger.
pub const WEIGHT_MOST: i16 = 1023;

/// Hidden numbers are no more than this, so that a logit fits its 32 bits.
const HIDDEN_MOST: i32 = i16::MAX as i32;

/// What the value makes of a position adds no more than this to a hidden number.
pub const CONTEXT_MOST: f32 = 64.0;

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
    /// By [`Sight::rows`].
    pub(crate) rows: Box<[Row]>,
    pub(crate) mixer: Mixer,
    pub(crate) hidden: Box<Hidden>,
    /// In units of 1 / `ONE`².
    pub(crate) hidden_bias: [i32; WIDTH],
    /// From the first layer of the value to the hidden numbers.
    pub(crate) context: Box<Layer<f32, WIDTH>>,
    pub(crate) policy: [i16; WIDTH],
    pub(crate) value: Box<Value>,
}

/// How the features of a cell and of the eight around it are mixed, channel by channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mixer {
    /// Weight of the cell's own features, in units of 1 / `MIX_ONE`.
    pub centre: [i16; WIDTH],
    /// Weight of the mean of the four cells beside it.
    pub sides: [i16; WIDTH],
    /// Weight of the mean of the four cells at its corners.
    pub corners: [i16; WIDTH],
    /// In units of 1 / `ONE`.
    pub bias: [i16; WIDTH],
}

/// A weight of 1 in a [`Mixer`].
pub const MIX_ONE: i32 = 1 << 14;

/// The part of the net that follows the sums.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// From the sums over empty cells and then over stones.
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
    /// To the [doubt](Verdict::doubt).
    pub doubt: [f32; WIDTH],
    /// Bias of the doubt.
    pub doubt_bias: f32,
}

/// What the value makes of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The probabilities 0..1 that the side to move wins, draws and loses.
    pub chances: [f32; 3],
    /// How far a search would move the score, as a logarithm: the square of that is expected to be
    /// [`USUAL_ERROR`] · score · (1 - score) · e^doubt. 0 where the net has not learned it.
    pub doubt: f32,
}

/// See [`Verdict::doubt`]. Less than the mean of most leaves, so that weights are near 1 on average.
/// (Measured: `docs/EXPERIMENTS.md`, Gomoku.)
pub const USUAL_ERROR: f32 = 0.2;

impl Verdict {
    /// The expected score 0..1 of the side to move.
    #[must_use]
    pub fn score(&self) -> f32 {
        score(self.chances)
    }

    /// How many of the usual values this one counts as where many are averaged: by the inverse of its
    /// standard error, as far as the score does not tell that. (KataGo's uncertainty; the inverse of its square
    /// won less: `docs/EXPERIMENTS.md`, Gomoku.)
    #[must_use]
    pub fn weight(&self) -> f32 {
        libm::expf(-self.doubt / 2.0)
    }
}

impl Net {
    /// What the value makes of a position with these patterns, which stands for the side to move as the
    /// logit `worth` says, as far as its patterns tell.
    pub fn judge(
        &self,
        position: &Gomoku,
        board: &Patterns,
        worth: f32,
        planes: &mut Planes,
    ) -> Verdict {
        self.judge_on(Isa::current(), position, board, worth, planes)
    }

    fn judge_on(
        &self,
        isa: Isa,
        position: &Gomoku,
        board: &Patterns,
        worth: f32,
        planes: &mut Planes,
    ) -> Verdict {
        isa.run(Judge(View::new(self, position, board, planes), worth))
    }

    /// Adds to each of the moves what the net makes of it, as a logit. Moves that lie far from every
    /// stone stay as they are.
    pub fn rate(
        &self,
        position: &Gomoku,
        board: &Patterns,
        planes: &mut Planes,
        moves: &[Move],
        logits: &mut [f32],
    ) {
        self.rate_on(Isa::current(), position, board, planes, moves, logits);
    }

    fn rate_on(
        &self,
        isa: Isa,
        position: &Gomoku,
        board: &Patterns,
        planes: &mut Planes,
        moves: &[Move],
        logits: &mut [f32],
    ) {
        isa.run(Rate {
            view: View::new(self, position, board, planes),
            moves,
            logits,
        });
    }
}

/// The expected score 0..1 of the side that wins, draws and loses with these probabilities.
#[must_use]
pub fn score(chances: [f32; 3]) -> f32 {
    chances[0] + 0.5 * chances[1]
}

struct Judge<'a>(View<'a>, f32);

impl Kernel for Judge<'_> {
    type Output = Verdict;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Verdict {
        let Judge(mut view, worth) = self;
        let sums = view.sums();
        let value = &view.net.value;
        value.verdict(&value.first(&sums), worth)
    }
}

struct Rate<'a> {
    view: View<'a>,
    moves: &'a [Move],
    logits: &'a mut [f32],
}

impl Kernel for Rate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Rate {
            mut view,
            moves,
            logits,
        } = self;
        let net = view.net;
        let bias = net.bias_in(&net.value.first(&view.sums()));
        for (logit, mv) in logits.iter_mut().zip(moves) {
            if let Some(mix) = view.mix(usize::from(mv.code())) {
                *logit += net.logit(&net.hidden(simd, mix, bias));
            }
        }
    }
}

impl Net {
    /// The bias of the hidden numbers where the first layer of the value is this.
    #[inline(always)]
    fn bias_in(&self, first: &[f32; WIDTH]) -> [i32; WIDTH] {
        let context = dense(&self.context, [0.0; WIDTH], first);
        let mut bias = self.hidden_bias;
        for i in 0..WIDTH {
            // Products of features may come to 2,145,321,024, which leaves 2,162,623 for the bias with
            // this, half of its bound: learned nets stay far below. What wraps does so alike with every
            // instruction set.
            let number = context[i].clamp(-CONTEXT_MOST, CONTEXT_MOST);
            bias[i] += (number * (ONE * ONE) as f32) as i32;
        }
        bias
    }

    /// The hidden numbers of a cell with this mix.
    #[inline(always)]
    fn hidden<S: Simd>(&self, simd: S, mix: &[i16; WIDTH], bias: [i32; WIDTH]) -> [i32; WIDTH] {
        let mut sums = bias;
        let mut inputs = [[0; 2]; WIDTH / 2];
        for (input, pair) in inputs.iter_mut().zip(mix.as_chunks::<2>().0) {
            *input = *pair;
        }
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
    /// The first layer by the sums over cells.
    #[inline(always)]
    fn first(&self, sums: &[[i32; WIDTH]; 2]) -> [f32; WIDTH] {
        let mut inputs = [0.0; 2 * WIDTH];
        for (input, &sum) in inputs.iter_mut().zip(sums.as_flattened()) {
            *input = sum as f32 / (ONE as f32 * SUM_UNIT);
        }
        rectified(dense(&self.first, self.first_bias, &inputs))
    }

    #[inline(always)]
    fn verdict(&self, first: &[f32; WIDTH], worth: f32) -> Verdict {
        let second = rectified(dense(&self.second, self.second_bias, first));
        let [win, draw, loss] = self.last_bias;
        let mut logits = [win + worth / 2.0, draw, loss - worth / 2.0];
        for (logit, weights) in logits.iter_mut().zip(&self.last) {
            for i in 0..WIDTH {
                *logit += weights[i] * second[i];
            }
        }
        let products = self.doubt.iter().zip(&second);
        let doubt = products.fold(self.doubt_bias, |sum, (weight, it)| sum + weight * it);
        Verdict {
            chances: softmax(logits),
            doubt,
        }
    }
}

#[inline(always)]
fn rectified(mut numbers: [f32; WIDTH]) -> [f32; WIDTH] {
    for number in &mut numbers {
        *number = number.max(0.0);
    }
    numbers
}

/// A dense layer.
#[inline(always)]
fn dense<const INPUTS: usize>(
    weights: &Layer<f32, INPUTS>,
    mut sums: [f32; WIDTH],
    inputs: &[f32; INPUTS],
) -> [f32; WIDTH] {
    for (&input, weights) in inputs.iter().zip(weights) {
        for i in 0..WIDTH {
            sums[i] += input * weights[i];
        }
    }
    sums
}

/// Probabilities of these logits.
#[must_use]
pub fn softmax(logits: [f32; 3]) -> [f32; 3] {
    let most = logits.into_iter().fold(f32::MIN, f32::max);
    let odds = logits.map(|logit| libm::expf(logit - most));
    let sum: f32 = odds.iter().sum();
    odds.map(|odd| odd / sum)
}
