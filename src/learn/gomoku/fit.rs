//! Fitting a net to records of games: gradients by hand, and Adam on the rows that were touched.

mod pass;

use super::fitting::Training;
use super::model::{COUNT, Floats, INNER, LINES, Model};
use super::record::{Ply, Record};
use crate::game::Game;
use crate::game::gomoku::bits::Bits;
use crate::knowledge::gomoku::net::WIDTH;
use crate::knowledge::gomoku::net::lines::{ROWS, Sight};
use crate::knowledge::gomoku::net::seen::near_cells;
use crate::knowledge::gomoku::patterns::Patterns;
use crate::knowledge::gomoku::worth;
use crate::simd::{Isa, Kernel, Simd};
use pass::Pass;

/// Mean errors, in nats where nothing else is said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// Positions.
    pub count: f64,
    /// Cross entropy of the value.
    pub value: f64,
    /// Square of the difference between the value and its target, both 0..1.
    pub square: f64,
    /// Cross entropy of the policy.
    pub policy: f64,
    /// Share of positions where the policy's first move is the target's.
    pub hits: f64,
    /// What the doubt minimises (see [`Sample::is_searched`]): the expected square of the value's error less
    /// the square times the logarithm of that. Squares are as they are then.
    pub doubt: f64,
}

impl Errors {
    fn add(&mut self, other: Errors) {
        self.count += other.count;
        self.value += other.value;
        self.square += other.square;
        self.policy += other.policy;
        self.hits += other.hits;
        self.doubt += other.doubt;
    }

    /// The means of sums.
    #[must_use]
    pub fn mean(self) -> Errors {
        let by = self.count.max(1.0);
        Errors {
            count: self.count,
            value: self.value / by,
            square: self.square / by,
            policy: self.policy / by,
            hits: self.hits / by,
            doubt: self.doubt / by,
        }
    }
}

/// A position with what it teaches.
pub struct Sample {
    stride: usize,
    empty: Bits<8>,
    /// The cells near stones.
    near: Bits<8>,
    /// The rows of the lines through each of these cells.
    rows: Vec<[u16; 4]>,
    /// What the patterns say of the position and of moves to its cells near stones, as logits.
    worth: f32,
    worths: Vec<(usize, f32)>,
    /// Probabilities of win, draw and loss.
    chances: [f32; 3],
    /// Cells and probabilities of moves.
    moves: Vec<(usize, f32)>,
    /// Only a search tells the chances, as for leaves. How far they are from the value's is what its doubt
    /// learns.
    is_searched: bool,
}

impl Sample {
    /// The position before a ply of a game. The search's value has the weight `searched`, 0..1,
    /// beside the game's result. `None`: there is no such position, or neither is known.
    #[must_use]
    pub fn new(record: &Record, at: usize, ply: &Ply, searched: f32) -> Option<Sample> {
        let game = record.position_before(at)?;
        let side = game.side_to_move();
        let chances = chances(record.result_of(side), ply.value, searched)?;
        let near = near_cells(&game);
        let empty = game.empty_cells();
        let cells = ply
            .policy
            .iter()
            .map(|&(cell, weight)| (usize::from(cell), f32::from(weight)));
        let mut moves: Vec<_> = cells
            .filter(|&(cell, _)| (near & empty).contains(cell))
            .collect();
        let sum: f32 = moves.iter().map(|&(_, weight)| weight).sum();
        moves.iter_mut().for_each(|(_, weight)| *weight /= sum);
        let board = Patterns::of(&game);
        let worth = |cell| (cell, worth::of_move(&board, cell, side));
        let rows = |cell| Sight::of(side).rows(&board, cell);
        Some(Sample {
            stride: game.stride() as usize,
            worth: worth::of_position(&board, side),
            worths: (near & empty).cells().map(worth).collect(),
            rows: near.cells().map(rows).collect(),
            chances,
            moves,
            is_searched: record.result.is_none(),
            near,
            empty,
        })
    }
}

/// Probabilities of win, draw and loss by the result and by the search's value, 0..1 each, which has this
/// weight; by one of them where the other is not known.
fn chances(result: Option<f32>, value: Option<f32>, searched: f32) -> Option<[f32; 3]> {
    let by_result = |result: f32| match result {
        0.5 => [0.0, 1.0, 0.0],
        _ => [result, 0.0, 1.0 - result],
    };
    let by_search = |value: f32| [value, 0.0, 1.0 - value];
    match (result.map(by_result), value.map(by_search)) {
        (Some(result), Some(value)) => Some(std::array::from_fn(|i| {
            result[i] * (1.0 - searched) + value[i] * searched
        })),
        (result, value) => result.or(value),
    }
}

/// Fits a net.
pub struct Fitter {
    /// The net so far.
    pub model: Model,
    /// Weight of the policy's error beside the value's.
    policy: f32,
    /// Step size of Adam.
    rate: f32,
    /// [`Training::floor`].
    floor: f32,
    /// First and second moments of Adam, and its steps, by row.
    moments: Vec<[Floats; 2]>,
    steps: Vec<u32>,
    gradients: Gradients,
}

/// Sums over a batch.
struct Gradients {
    rows: Vec<Floats>,
    is_touched: Vec<bool>,
    touched: Vec<usize>,
}

impl Gradients {
    #[inline(always)]
    fn touch(&mut self, row: usize) -> &mut Floats {
        if !self.is_touched[row] {
            self.is_touched[row] = true;
            self.touched.push(row);
        }
        &mut self.rows[row]
    }

    #[inline(always)]
    fn add(&mut self, row: usize, by: &Floats) {
        let sum = self.touch(row);
        for i in 0..WIDTH {
            sum[i] += by[i];
        }
    }
}

impl Fitter {
    /// Goes on from a net.
    #[must_use]
    pub fn new(model: Model, training: Training) -> Fitter {
        Fitter {
            model,
            policy: training.policy,
            rate: 0.0,
            floor: training.floor,
            moments: vec![[[0.0; WIDTH]; 2]; COUNT],
            steps: vec![0; COUNT],
            gradients: Gradients {
                rows: vec![[0.0; WIDTH]; COUNT],
                is_touched: vec![false; COUNT],
                touched: Vec::new(),
            },
        }
    }

    /// Changes the step size.
    pub fn set_rate(&mut self, rate: f32) {
        self.rate = rate;
    }

    /// All that is needed to go on later.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for row in 0..COUNT {
            let [first, second] = &self.moments[row];
            let floats = self.model.rows[row].iter().chain(first).chain(second);
            bytes.extend(floats.flat_map(|number| number.to_le_bytes()));
            bytes.extend(self.steps[row].to_le_bytes());
        }
        bytes
    }

    /// Goes on from what was saved. False: the bytes are something else.
    pub fn restore(&mut self, bytes: &[u8]) -> bool {
        let (words, rest) = bytes.as_chunks::<4>();
        let rows = words.chunks_exact(3 * WIDTH + 1);
        if !rest.is_empty() || rows.len() != COUNT || !rows.remainder().is_empty() {
            return false;
        }
        for (row, words) in rows.enumerate() {
            let floats =
                |part: usize| std::array::from_fn(|i| f32::from_le_bytes(words[part * WIDTH + i]));
            self.model.rows[row] = floats(0);
            self.moments[row] = [floats(1), floats(2)];
            self.steps[row] = u32::from_le_bytes(words[3 * WIDTH]);
        }
        true
    }

    /// One step; returns the sums of the errors before it.
    pub fn step(&mut self, batch: &[Sample]) -> Errors {
        let errors = self.run(batch, true);
        Isa::current().run(Update(self, 1.0 / batch.len().max(1) as f32));
        errors
    }

    /// The sums of the errors, with nothing learned.
    pub fn errors(&mut self, batch: &[Sample]) -> Errors {
        self.run(batch, false)
    }

    fn run(&mut self, batch: &[Sample], learn: bool) -> Errors {
        let pass = Pass::new(&self.model, &mut self.gradients, batch, self.policy, learn);
        Isa::current().run(pass)
    }
}

/// The step of Adam (Kingma and Ba 2015) on every touched row.
struct Update<'a>(&'a mut Fitter, f32);

impl Kernel for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Update(fitter, scale) = self;
        fitter.share_gradients();
        let touched = std::mem::take(&mut fitter.gradients.touched);
        for &row in &touched {
            fitter.update(row, scale);
        }
        fitter.gradients.touched = touched;
        fitter.gradients.touched.clear();
    }
}

impl Fitter {
    /// Gives the gradients of lines also to the rows of their inner cells; lines with no stone
    /// stay as they are.
    #[inline(always)]
    fn share_gradients(&mut self) {
        for i in 0..self.gradients.touched.len() {
            let row = self.gradients.touched[i];
            if row >= ROWS {
                continue;
            }
            let gradient = self.gradients.rows[row];
            match INNER[row] {
                None => self.gradients.rows[row] = [0.0; WIDTH],
                Some(inner) => {
                    for row in inner {
                        self.gradients.add(row, &gradient);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn update(&mut self, row: usize, scale: f32) {
        const FIRST_DECAY: f32 = 0.9;
        const SECOND_DECAY: f32 = 0.999;
        const EPSILON: f32 = 1e-7;
        let gradient = self.gradients.rows[row];
        self.gradients.rows[row] = [0.0; WIDTH];
        self.gradients.is_touched[row] = false;
        self.steps[row] += 1;
        let steps = self.steps[row] as f32;
        let first_bias = 1.0 - libm::powf(FIRST_DECAY, steps);
        let second_bias = 1.0 - libm::powf(SECOND_DECAY, steps);
        let rate = self.rate;
        let floor = if row < LINES { self.floor } else { 0.0 };
        let [first, second] = &mut self.moments[row];
        let numbers = &mut self.model.rows[row];
        for i in 0..WIDTH {
            let slope = gradient[i] * scale;
            first[i] += (1.0 - FIRST_DECAY) * (slope - first[i]);
            second[i] += (1.0 - SECOND_DECAY) * (slope * slope - second[i]);
            let root = (second[i] / second_bias).sqrt() + floor + EPSILON;
            numbers[i] -= rate * (first[i] / first_bias) / root;
        }
    }
}

#[cfg(test)]
mod tests;
