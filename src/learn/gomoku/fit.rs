//! Fitting a net to records of games: gradients by hand, and Adam on the rows that were touched.

use super::model::{
    COUNT, FIRST, FIRST_BIAS, Floats, HIDDEN, HIDDEN_BIAS, INNER, LAST, LAST_BIAS, Model, POLICY,
    SECOND, SECOND_BIAS,
};
use super::record::{Ply, Record};
use crate::game::gomoku::bits::Bits;
use crate::game::{Game, Side};
use crate::knowledge::gomoku::net::lines::{Lines, ROW_OF_KEY, ROWS};
use crate::knowledge::gomoku::net::{SUM_UNIT, WIDTH, near_cells, softmax};
use crate::knowledge::gomoku::patterns::Patterns;
use crate::knowledge::gomoku::worth;
use crate::simd::{Isa, Kernel, Simd};

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
}

impl Errors {
    fn add(&mut self, other: Errors) {
        self.count += other.count;
        self.value += other.value;
        self.square += other.square;
        self.policy += other.policy;
        self.hits += other.hits;
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
        }
    }
}

/// A position with what is to be learned from it.
pub struct Sample {
    side: Side,
    empty: Bits<8>,
    near: Bits<8>,
    lines: Lines,
    /// What the patterns say of the position and of moves to its cells near stones, as logits.
    worth: f32,
    worths: Vec<(usize, f32)>,
    /// Probabilities of win, draw and loss.
    chances: [f32; 3],
    /// Cells and probabilities of moves.
    moves: Vec<(usize, f32)>,
}

impl Sample {
    /// The position before a ply of a game. The search's value has the weight `searched`, 0..1,
    /// beside the game's result. `None`: there is no such position.
    #[must_use]
    pub fn new(record: &Record, at: usize, ply: &Ply, searched: f32) -> Option<Sample> {
        let game = record.position_before(at)?;
        let side = game.side_to_move();
        let result = match side {
            Side::First => record.result,
            Side::Second => 1.0 - record.result,
        };
        let mut chances = if result == 0.5 {
            [0.0, 1.0, 0.0]
        } else {
            [result, 0.0, 1.0 - result]
        };
        if let Some(value) = ply.value {
            let by_search = [value, 0.0, 1.0 - value];
            chances =
                std::array::from_fn(|i| chances[i] * (1.0 - searched) + by_search[i] * searched);
        }
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
        Some(Sample {
            side,
            worth: worth::of_position(&board, side),
            worths: (near & empty).cells().map(worth).collect(),
            lines: Lines::of(&game),
            chances,
            moves,
            near,
            empty,
        })
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
    /// First and second moments of Adam, and its steps, by row.
    moments: Vec<[Floats; 2]>,
    steps: Vec<u32>,
    gradients: Gradients,
    /// What each line adds to its cell.
    lines: Vec<Floats>,
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
    /// Goes on from a net. The policy's error has this weight beside the value's.
    #[must_use]
    pub fn new(model: Model, policy: f32) -> Fitter {
        let lines = (0..ROWS).map(|row| model.line(row)).collect();
        Fitter {
            model,
            policy,
            rate: 0.0,
            moments: vec![[[0.0; WIDTH]; 2]; COUNT],
            steps: vec![0; COUNT],
            gradients: Gradients {
                rows: vec![[0.0; WIDTH]; COUNT],
                is_touched: vec![false; COUNT],
                touched: Vec::new(),
            },
            lines,
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
        self.lines = (0..ROWS).map(|row| self.model.line(row)).collect();
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
        let hidden: [Floats; WIDTH] = self.model.layer(HIDDEN);
        let transposed = std::array::from_fn(|j| std::array::from_fn(|i| hidden[i][j]));
        let pass = Pass {
            model: &self.model,
            lines: &self.lines,
            hidden: Box::new(hidden),
            transposed: Box::new(transposed),
            policy: self.policy,
            learn,
            gradients: &mut self.gradients,
            batch,
        };
        Isa::current().run(pass)
    }
}

/// Errors and gradients of a batch.
struct Pass<'a> {
    model: &'a Model,
    lines: &'a [Floats],
    hidden: Box<[Floats; WIDTH]>,
    transposed: Box<[Floats; WIDTH]>,
    policy: f32,
    learn: bool,
    gradients: &'a mut Gradients,
    batch: &'a [Sample],
}

/// What a cell was found to be on the way forward.
struct Cell {
    rows: [u16; 4],
    features: Floats,
    /// Of an empty cell.
    hidden: Option<(usize, Floats)>,
}

impl Kernel for Pass<'_> {
    type Output = Errors;

    #[inline(always)]
    fn run<S: Simd>(mut self, _: S) -> Errors {
        let mut errors = Errors::default();
        let mut cells = Vec::new();
        for sample in self.batch {
            errors.add(self.sample(sample, &mut cells));
        }
        errors
    }
}

impl Pass<'_> {
    #[inline(always)]
    fn sample(&mut self, sample: &Sample, cells: &mut Vec<Cell>) -> Errors {
        let mut sums = [[0.0; WIDTH]; 2];
        let mut logits = [f32::MIN; Bits::<8>::CAPACITY];
        cells.clear();
        for at in sample.near.cells() {
            let cell = self.cell(sample, at);
            add(&mut sums[0], &cell.features, 1.0 / SUM_UNIT);
            if let Some((_, hidden)) = &cell.hidden {
                add(&mut sums[1], hidden, 1.0 / SUM_UNIT);
                logits[at] = dot(hidden, &self.model.rows[POLICY]);
            }
            cells.push(cell);
        }
        for &(at, worth) in &sample.worths {
            logits[at] += worth;
        }
        let (value_errors, back) = self.value(sample, &sums);
        let (policy_errors, chances) = policy(sample, &logits);
        let weight = match sample.moves.is_empty() {
            true => 0.0,
            false => self.policy,
        };
        if self.learn {
            for cell in cells.iter() {
                self.cell_back(cell, &back, &chances, weight);
            }
        }
        Errors {
            count: 1.0,
            policy: policy_errors.policy,
            hits: policy_errors.hits,
            ..value_errors
        }
    }

    #[inline(always)]
    fn cell(&self, sample: &Sample, at: usize) -> Cell {
        let keys = sample.lines.keys(at, sample.side);
        let mut cell = Cell {
            rows: [0; 4],
            features: [0.0; WIDTH],
            hidden: None,
        };
        for (row, key) in cell.rows.iter_mut().zip(keys) {
            *row = ROW_OF_KEY[key as usize];
            add(&mut cell.features, &self.lines[usize::from(*row)], 1.0);
        }
        cell.features = positive(&cell.features);
        if sample.empty.contains(at) {
            let mut hidden = self.model.rows[HIDDEN_BIAS];
            for i in 0..WIDTH {
                add(&mut hidden, &self.hidden[i], cell.features[i]);
            }
            cell.hidden = Some((at, positive(&hidden)));
        }
        cell
    }

    /// The errors of the value, and their gradients by the sums.
    #[inline(always)]
    fn value(&mut self, sample: &Sample, sums: &[Floats; 2]) -> (Errors, [Floats; 2]) {
        let rows = &self.model.rows;
        let mut first = rows[FIRST_BIAS];
        for i in 0..2 * WIDTH {
            add(&mut first, &rows[FIRST + i], sums[i / WIDTH][i % WIDTH]);
        }
        let first = positive(&first);
        let mut second = rows[SECOND_BIAS];
        for i in 0..WIDTH {
            add(&mut second, &rows[SECOND + i], first[i]);
        }
        let second = positive(&second);
        let worths = [sample.worth / 2.0, 0.0, -sample.worth / 2.0];
        let logits =
            std::array::from_fn(|i| worths[i] + rows[LAST_BIAS][i] + dot(&rows[LAST + i], &second));
        let chances = softmax(logits);
        let errors = value_errors(&chances, &sample.chances);
        let mut back = [[0.0; WIDTH]; 2];
        if !self.learn {
            return (errors, back);
        }
        let mut second_back = [0.0; WIDTH];
        for i in 0..3 {
            let error = chances[i] - sample.chances[i];
            add(&mut second_back, &rows[LAST + i], error);
            add(self.gradients.touch(LAST + i), &second, error);
            self.gradients.touch(LAST_BIAS)[i] += error;
        }
        let second_back = where_positive(&second_back, &second);
        self.gradients.add(SECOND_BIAS, &second_back);
        let mut first_back = [0.0; WIDTH];
        for i in 0..WIDTH {
            first_back[i] = dot(&rows[SECOND + i], &second_back);
            add(self.gradients.touch(SECOND + i), &second_back, first[i]);
        }
        let first_back = where_positive(&first_back, &first);
        self.gradients.add(FIRST_BIAS, &first_back);
        for i in 0..2 * WIDTH {
            let (part, at) = (i / WIDTH, i % WIDTH);
            back[part][at] = dot(&rows[FIRST + i], &first_back) / SUM_UNIT;
            add(self.gradients.touch(FIRST + i), &first_back, sums[part][at]);
        }
        (errors, back)
    }

    #[inline(always)]
    fn cell_back(
        &mut self,
        cell: &Cell,
        back: &[Floats; 2],
        chances: &[f32; Bits::<8>::CAPACITY],
        weight: f32,
    ) {
        let mut features_back = back[0];
        if let Some((at, hidden)) = &cell.hidden {
            let error = weight * chances[*at];
            let mut hidden_back = back[1];
            add(&mut hidden_back, &self.model.rows[POLICY], error);
            add(self.gradients.touch(POLICY), hidden, error);
            let hidden_back = where_positive(&hidden_back, hidden);
            self.gradients.add(HIDDEN_BIAS, &hidden_back);
            for i in 0..WIDTH {
                add(&mut features_back, &self.transposed[i], hidden_back[i]);
                add(
                    self.gradients.touch(HIDDEN + i),
                    &hidden_back,
                    cell.features[i],
                );
            }
        }
        let features_back = where_positive(&features_back, &cell.features);
        for row in cell.rows {
            self.gradients.add(usize::from(row), &features_back);
        }
    }
}

fn value_errors(chances: &[f32; 3], target: &[f32; 3]) -> Errors {
    let entropy = |i: usize| -f64::from(target[i]) * f64::from(chances[i].max(1e-9)).ln();
    let score = |it: &[f32; 3]| f64::from(it[0] + 0.5 * it[1]);
    Errors {
        value: (0..3).map(entropy).sum(),
        square: (score(chances) - score(target)).powi(2),
        ..Errors::default()
    }
}

/// The errors of the policy, and their gradient by the logit of each cell.
#[inline(always)]
fn policy(
    sample: &Sample,
    logits: &[f32; Bits::<8>::CAPACITY],
) -> (Errors, [f32; Bits::<8>::CAPACITY]) {
    let mut chances = [0.0; Bits::<8>::CAPACITY];
    let open = || (sample.near & sample.empty).cells();
    let most = open().map(|at| logits[at]).fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for at in open() {
        chances[at] = libm::expf(logits[at] - most);
        sum += chances[at];
    }
    chances.iter_mut().for_each(|chance| *chance /= sum);
    let mut errors = Errors::default();
    for &(at, target) in &sample.moves {
        errors.policy -= f64::from(target) * f64::from(chances[at].max(1e-9)).ln();
    }
    let best = sample.moves.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    errors.hits = f64::from(u8::from(best.is_some_and(|&(at, _)| logits[at] == most)));
    for &(at, target) in &sample.moves {
        chances[at] -= target;
    }
    (errors, chances)
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
        for row in 0..ROWS {
            fitter.lines[row] = fitter.model.line(row);
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
        let gradient = self.gradients.rows[row];
        self.gradients.rows[row] = [0.0; WIDTH];
        self.gradients.is_touched[row] = false;
        self.steps[row] += 1;
        let steps = self.steps[row] as f32;
        let first_bias = 1.0 - libm::powf(FIRST_DECAY, steps);
        let second_bias = 1.0 - libm::powf(SECOND_DECAY, steps);
        let rate = self.rate;
        let [first, second] = &mut self.moments[row];
        let numbers = &mut self.model.rows[row];
        for i in 0..WIDTH {
            let slope = gradient[i] * scale;
            first[i] += (1.0 - FIRST_DECAY) * (slope - first[i]);
            second[i] += (1.0 - SECOND_DECAY) * (slope * slope - second[i]);
            numbers[i] -=
                rate * (first[i] / first_bias) / ((second[i] / second_bias).sqrt() + 1e-7);
        }
    }
}

#[inline(always)]
fn add(sum: &mut Floats, by: &Floats, times: f32) {
    for i in 0..WIDTH {
        sum[i] += by[i] * times;
    }
}

/// Negatives to 0.
#[inline(always)]
fn positive(numbers: &Floats) -> Floats {
    let mut kept = *numbers;
    for number in &mut kept {
        *number = number.max(0.0);
    }
    kept
}

#[inline(always)]
fn where_positive(numbers: &Floats, of: &Floats) -> Floats {
    let mut kept = *numbers;
    for i in 0..WIDTH {
        kept[i] = if of[i] > 0.0 { kept[i] } else { 0.0 };
    }
    kept
}

/// Added in lanes side by side.
#[inline(always)]
fn dot(a: &Floats, b: &Floats) -> f32 {
    let mut sums = [0.0; 16];
    for i in 0..16 {
        sums[i] = a[i] * b[i] + a[16 + i] * b[16 + i];
    }
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            sums[i] += sums[half + i];
        }
    }
    sums[0]
}

#[cfg(test)]
mod tests;
