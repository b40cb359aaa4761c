//! The net while it is learned: all numbers are floats.

use super::{NetFitting, weighed};
use crate::knowledge::reversi::endgame::Board;
use crate::knowledge::reversi::net::shapes::{ADDENDS, BASES, DRAWN};
use crate::knowledge::reversi::net::{FINE, MOST, Net, ONE, Output, WIDTH};
use crate::knowledge::reversi::patterns::{COUNTS, DISC, Patterns, STAGES, stage};
use crate::knowledge::reversi::shapes::{PLACEMENTS, Sharing, numbers};
use crate::rollout::Random;
use crate::simd::shorts::{Row, Shorts};
use crate::simd::{Kernel, Simd};
use rand::RngExt;

/// A position to learn from.
#[derive(Clone, Copy)]
pub struct Lesson {
    /// The position.
    pub board: Board,
    /// What it should be worth for its side to move, in discs.
    pub target: f32,
}

/// Numbers that move together.
#[derive(Clone, Copy)]
struct Moving<const COUNT: usize> {
    numbers: [f32; COUNT],
    /// The sum of the mean squares of its slopes.
    squares: f32,
}

impl<const COUNT: usize> Moving<COUNT> {
    #[inline(always)]
    fn step(&mut self, slopes: &[f32; COUNT], rate: f32) {
        let sum: f32 = slopes.iter().map(|slope| slope * slope).sum();
        self.squares += sum / COUNT as f32;
        let rate = rate / self.squares.sqrt();
        for (number, slope) in self.numbers.iter_mut().zip(slopes) {
            *number -= rate * slope;
        }
    }
}

/// The net so far.
pub struct Model {
    sharing: Sharing,
    /// One for each share.
    rows: Vec<Moving<WIDTH>>,
    /// By the number of discs on the board.
    biases: Vec<Moving<WIDTH>>,
    /// The weights of each stage, and then its bias, in discs.
    outputs: Vec<Moving<{ WIDTH + 1 }>>,
    fitting: NetFitting,
}

impl Model {
    /// Begins with little: half of the numbers speak for the side to move, half against it.
    pub fn new(fitting: &NetFitting, random: &mut Random) -> Model {
        /// So that numbers do not stay alike (guess).
        const NOISE: f32 = 0.015;
        /// In the middle between 0 and 1 a square changes fast (guess).
        const BIAS: f32 = 0.4;
        /// Discs (guess).
        const WEIGHT: f32 = 1.5;
        let squares = fitting.inertia;
        let sharing = Sharing::new(&DRAWN);
        let mut row = || Moving {
            numbers: std::array::from_fn(|_| random.random_range(-NOISE..NOISE)),
            squares,
        };
        let bias = Moving {
            numbers: [BIAS; WIDTH],
            squares,
        };
        let weight = |i: usize| if i.is_multiple_of(2) { -WEIGHT } else { WEIGHT };
        let output = Moving {
            numbers: std::array::from_fn(|i| if i < WIDTH { weight(i) } else { 0.0 }),
            squares,
        };
        Model {
            rows: (0..sharing.count()).map(|_| row()).collect(),
            biases: vec![bias; COUNTS],
            outputs: vec![output; STAGES],
            sharing,
            fitting: *fitting,
        }
    }

    /// Learns from these positions, beside the weights. `shares`: how much of all work is done before and
    /// after, 0..1.
    pub fn learn<'a>(
        &'a mut self,
        patterns: &'a Patterns,
        lessons: &'a [Lesson],
        shares: [f32; 2],
    ) -> impl Kernel<Output = ()> + 'a {
        Learn {
            model: self,
            patterns,
            lessons,
            shares,
        }
    }

    /// The same with integers. Rows that no position had are zero.
    pub fn net(&self) -> Net {
        let one = f32::from(ONE);
        let of_disc = (DISC * FINE) as f32;
        let mut net = Net::blank();
        for (row, entries) in self.rows.iter().zip(self.sharing.all()) {
            if row.squares > self.fitting.inertia {
                let row = Row(row.numbers.map(|it| (it * one).round() as i8));
                entries.into_iter().for_each(|entry| net.rows[entry] = row);
            }
        }
        for (bias, model) in net.biases.iter_mut().zip(&self.biases) {
            *bias = model.numbers.map(|it| (it * one).round() as i16);
        }
        for (output, model) in net.outputs.iter_mut().zip(&self.outputs) {
            let [weights @ .., bias] = model.numbers;
            *output = Output {
                weights: weights.map(|it| ((it * of_disc).round() as i16).clamp(-MOST, MOST)),
                bias: (bias * DISC as f32).round() as i16,
            };
        }
        net
    }

    #[inline(always)]
    fn learn_one<S: Simd>(&mut self, simd: S, lesson: &Lesson, weighed: f32, step: f32) {
        /// Part of a slope that still moves a sum which lies beyond 0 or 1 back (guess).
        const LEAK: f32 = 0.05;
        let Board { own, other } = lesson.board;
        let discs = lesson.board.discs();
        let shares = self.shares(numbers(simd, &ADDENDS, own, other));
        let bias = &mut self.biases[discs as usize];
        let mut sums = bias.numbers;
        for &share in &shares {
            let row = &self.rows[share].numbers;
            for i in 0..WIDTH {
                sums[i] += row[i];
            }
        }
        let output = &mut self.outputs[stage(discs)];
        let [weights @ .., constant] = output.numbers;
        let mut value = weighed + constant;
        let mut squared = [1.0; WIDTH + 1];
        for i in 0..WIDTH {
            let number = sums[i].clamp(0.0, 1.0);
            squared[i] = number * number;
            value += weights[i] * squared[i];
        }
        let error = value - lesson.target;
        let slopes: [f32; WIDTH] = std::array::from_fn(|i| {
            let slope = error * weights[i];
            match sums[i] {
                sum if sum <= 0.0 => LEAK * slope.min(0.0),
                sum if sum >= 1.0 => LEAK * slope.max(0.0),
                sum => 2.0 * sum * slope,
            }
        });
        let NetFitting {
            rate, output_rate, ..
        } = self.fitting;
        output.step(&squared.map(|it| error * it), output_rate * step);
        // A bias is moved by every position with so many discs, and would come late.
        bias.step(&slopes, 2.0 * rate * step);
        for share in shares {
            self.rows[share].step(&slopes, rate * step);
        }
    }

    /// The share of each placement.
    #[inline(always)]
    fn shares<S: Shorts>(&self, numbers: S) -> [usize; PLACEMENTS] {
        let numbers = numbers.array().0;
        std::array::from_fn(|i| {
            self.sharing
                .of((BASES.0[i] + i32::from(numbers[i])) as usize)
        })
    }
}

struct Learn<'a> {
    model: &'a mut Model,
    patterns: &'a Patterns,
    lessons: &'a [Lesson],
    shares: [f32; 2],
}

impl Kernel for Learn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        /// The last step is so much of the first.
        const LAST: f32 = 0.02;
        let [before, after] = self.shares;
        let each = (after - before) / self.lessons.len().max(1) as f32;
        for (number, lesson) in self.lessons.iter().enumerate() {
            let done = before + each * number as f32;
            let step = 1.0 + (LAST - 1.0) * done;
            let weighed = weighed(self.patterns, lesson.board) as f32 / DISC as f32;
            self.model.learn_one(simd, lesson, weighed, step);
        }
    }
}
