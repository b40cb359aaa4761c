//! The way forward through the net, and the gradients back, for a batch of positions.

use super::super::model::{
    CENTRE, CONTEXT, CORNERS, DOUBT, DOUBT_BIAS, FIRST, FIRST_BIAS, Floats, HIDDEN, HIDDEN_BIAS,
    LAST, LAST_BIAS, MIX_BIAS, Model, POLICY, SECOND, SECOND_BIAS, SIDES,
};
use super::{Errors, Gradients, Sample};
use crate::game::gomoku::bits::Bits;
use crate::knowledge::gomoku::net::{
    CONTEXT_MOST, SUM_UNIT, USUAL_ERROR, Verdict, WIDTH, score, softmax,
};
use crate::simd::{Kernel, Simd};

/// Numbers of every cell, 0 where nothing was entered, with room around the board.
struct Plane(Vec<Floats>);

impl Default for Plane {
    fn default() -> Self {
        Plane(vec![[0.0; WIDTH]; Bits::<8>::CAPACITY + 2 * Plane::MARGIN])
    }
}

impl Plane {
    /// Room for a row and a cell.
    const MARGIN: usize = 24;

    #[inline(always)]
    fn at(&mut self, cell: usize) -> &mut Floats {
        &mut self.0[Plane::MARGIN + cell]
    }

    /// The means of the four cells beside this one, and of the four at its corners.
    #[inline(always)]
    fn around(&self, cell: usize, stride: usize) -> [Floats; 2] {
        let at = Plane::MARGIN + cell;
        [(1, stride), (stride - 1, stride + 1)].map(|(near, far)| {
            let mut mean = [0.0; WIDTH];
            for cell in [at - far, at - near, at + near, at + far] {
                add(&mut mean, &self.0[cell], 0.25);
            }
            mean
        })
    }
}

/// Errors and gradients of a batch.
pub(super) struct Pass<'a> {
    model: &'a Model,
    /// From the mix to hidden numbers, and back.
    hidden: Box<[Floats; WIDTH]>,
    transposed: Box<[Floats; WIDTH]>,
    policy: f32,
    learn: bool,
    gradients: &'a mut Gradients,
    batch: &'a [Sample],
    /// The features of a sample's cells.
    features: Plane,
    /// The derivative of the error by each cell's mix, before its negatives became 0.
    slopes: Plane,
}

/// What a cell was found to be on the way forward.
struct Cell {
    at: usize,
    rows: [u16; 4],
    is_empty: bool,
    /// The means of the features around it: beside it and at its corners.
    around: [Floats; 2],
    mix: Floats,
    /// The hidden layer of an empty cell.
    hidden: Floats,
}

/// The layers of the value.
struct Layers {
    /// Sums of the mixes of empty cells, and of stones.
    sums: [Floats; 2],
    first: Floats,
    second: Floats,
    verdict: Verdict,
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

impl<'a> Pass<'a> {
    /// Over this batch. The policy's error has the weight `policy` beside the value's; gradients are
    /// added up only to `learn`.
    pub(super) fn new(
        model: &'a Model,
        gradients: &'a mut Gradients,
        batch: &'a [Sample],
        policy: f32,
        learn: bool,
    ) -> Pass<'a> {
        let hidden: [Floats; WIDTH] = model.layer(HIDDEN);
        let transposed = std::array::from_fn(|j| std::array::from_fn(|i| hidden[i][j]));
        Pass {
            model,
            hidden: Box::new(hidden),
            transposed: Box::new(transposed),
            policy,
            learn,
            gradients,
            batch,
            features: Plane::default(),
            slopes: Plane::default(),
        }
    }
}

impl Pass<'_> {
    #[inline(always)]
    fn sample(&mut self, sample: &Sample, cells: &mut Vec<Cell>) -> Errors {
        self.enter(sample, cells);
        let layers = self.layers(sample, cells);
        let mut logits = [f32::MIN; Bits::<8>::CAPACITY];
        self.hidden(cells, &layers.first, &mut logits);
        for &(at, worth) in &sample.worths {
            logits[at] += worth;
        }
        let (policy_errors, slopes) = policy(sample, &logits);
        let errors = Errors {
            count: 1.0,
            policy: policy_errors.policy,
            hits: policy_errors.hits,
            ..value_errors(&layers.verdict, sample)
        };
        if self.learn {
            let weight = match sample.moves.is_empty() {
                true => 0.0,
                false => self.policy,
            };
            self.back(sample, cells, &layers, &slopes, weight);
        }
        for cell in cells.iter() {
            *self.features.at(cell.at) = [0.0; WIDTH];
            *self.slopes.at(cell.at) = [0.0; WIDTH];
        }
        errors
    }

    /// The features of all cells, and their mixes.
    #[inline(always)]
    fn enter(&mut self, sample: &Sample, cells: &mut Vec<Cell>) {
        cells.clear();
        for (at, &rows) in sample.near.cells().zip(&sample.rows) {
            let mut features = [0.0; WIDTH];
            for row in rows {
                add(&mut features, &self.model.line(usize::from(row)), 1.0);
            }
            *self.features.at(at) = positive(&features);
            cells.push(Cell {
                at,
                rows,
                is_empty: sample.empty.contains(at),
                around: [[0.0; WIDTH]; 2],
                mix: [0.0; WIDTH],
                hidden: [0.0; WIDTH],
            });
        }
        let rows = &self.model.rows;
        for cell in cells.iter_mut() {
            cell.around = self.features.around(cell.at, sample.stride);
            let own = *self.features.at(cell.at);
            let mut mix = rows[MIX_BIAS];
            for i in 0..WIDTH {
                mix[i] += rows[CENTRE][i] * own[i]
                    + rows[SIDES][i] * cell.around[0][i]
                    + rows[CORNERS][i] * cell.around[1][i];
            }
            cell.mix = positive(&mix);
        }
    }

    #[inline(always)]
    fn layers(&self, sample: &Sample, cells: &[Cell]) -> Layers {
        let rows = &self.model.rows;
        let mut sums = [[0.0; WIDTH]; 2];
        for cell in cells {
            add(
                &mut sums[usize::from(!cell.is_empty)],
                &cell.mix,
                1.0 / SUM_UNIT,
            );
        }
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
        Layers {
            sums,
            first,
            second,
            verdict: Verdict {
                chances: softmax(logits),
                doubt: rows[DOUBT_BIAS][0] + dot(&rows[DOUBT], &second),
            },
        }
    }

    /// The hidden numbers of the empty cells, and the logits of moves there.
    #[inline(always)]
    fn hidden(&self, cells: &mut [Cell], first: &Floats, logits: &mut [f32; Bits::<8>::CAPACITY]) {
        let rows = &self.model.rows;
        let mut bias = [0.0; WIDTH];
        for i in 0..WIDTH {
            add(&mut bias, &rows[CONTEXT + i], first[i]);
        }
        for number in &mut bias {
            *number = number.clamp(-CONTEXT_MOST, CONTEXT_MOST);
        }
        add(&mut bias, &rows[HIDDEN_BIAS], 1.0);
        for cell in cells.iter_mut().filter(|cell| cell.is_empty) {
            let mut hidden = bias;
            for i in 0..WIDTH {
                add(&mut hidden, &self.hidden[i], cell.mix[i]);
            }
            cell.hidden = positive(&hidden);
            logits[cell.at] = dot(&cell.hidden, &rows[POLICY]);
        }
    }

    /// The gradients of all parameters. `slopes` are those of the policy's error by the logits.
    #[inline(always)]
    fn back(
        &mut self,
        sample: &Sample,
        cells: &[Cell],
        layers: &Layers,
        slopes: &[f32; Bits::<8>::CAPACITY],
        weight: f32,
    ) {
        let bias_back = self.hidden_back(cells, slopes, weight);
        let sums_back = self.value_back(sample, layers, &bias_back);
        self.mix_back(cells, &sums_back);
        for cell in cells {
            self.features_back(cell, sample.stride);
        }
    }

    /// The gradients between the mixes of empty cells and their logits; returns those of the bias.
    /// Keeps the slopes of the mixes.
    #[inline(always)]
    fn hidden_back(
        &mut self,
        cells: &[Cell],
        slopes: &[f32; Bits::<8>::CAPACITY],
        weight: f32,
    ) -> Floats {
        let policy = self.model.rows[POLICY];
        let [mut policy_back, mut bias_back] = [[0.0; WIDTH]; 2];
        let mut layer_back = [[0.0; WIDTH]; WIDTH];
        for cell in cells.iter().filter(|cell| cell.is_empty) {
            let error = weight * slopes[cell.at];
            add(&mut policy_back, &cell.hidden, error);
            let hidden_back = where_positive(&policy.map(|number| number * error), &cell.hidden);
            add(&mut bias_back, &hidden_back, 1.0);
            let mut mix_back = [0.0; WIDTH];
            for i in 0..WIDTH {
                add(&mut mix_back, &self.transposed[i], hidden_back[i]);
                add(&mut layer_back[i], &hidden_back, cell.mix[i]);
            }
            *self.slopes.at(cell.at) = mix_back;
        }
        self.gradients.add(POLICY, &policy_back);
        self.gradients.add(HIDDEN_BIAS, &bias_back);
        for (i, gradient) in layer_back.iter().enumerate() {
            self.gradients.add(HIDDEN + i, gradient);
        }
        bias_back
    }

    /// The gradients of the value's layers, and of what they add to hidden numbers; returns those by
    /// the sums.
    #[inline(always)]
    fn value_back(&mut self, sample: &Sample, layers: &Layers, bias_back: &Floats) -> [Floats; 2] {
        let rows = &self.model.rows;
        let Layers {
            sums,
            first,
            second,
            verdict,
        } = layers;
        let mut second_back = [0.0; WIDTH];
        for i in 0..3 {
            let error = verdict.chances[i] - sample.chances[i];
            add(&mut second_back, &rows[LAST + i], error);
            add(self.gradients.touch(LAST + i), second, error);
            self.gradients.touch(LAST_BIAS)[i] += error;
        }
        if sample.is_searched {
            // Nothing before it learns from the doubt's error: values are not made worse to be told so.
            let slope = expected_square(verdict) - square(verdict, sample);
            add(self.gradients.touch(DOUBT), second, slope);
            self.gradients.touch(DOUBT_BIAS)[0] += slope;
        }
        let second_back = where_positive(&second_back, second);
        self.gradients.add(SECOND_BIAS, &second_back);
        let mut first_back = [0.0; WIDTH];
        for i in 0..WIDTH {
            first_back[i] =
                dot(&rows[SECOND + i], &second_back) + dot(&rows[CONTEXT + i], bias_back);
            add(self.gradients.touch(SECOND + i), &second_back, first[i]);
            add(self.gradients.touch(CONTEXT + i), bias_back, first[i]);
        }
        let first_back = where_positive(&first_back, first);
        self.gradients.add(FIRST_BIAS, &first_back);
        let mut sums_back = [[0.0; WIDTH]; 2];
        for i in 0..2 * WIDTH {
            let (part, at) = (i / WIDTH, i % WIDTH);
            sums_back[part][at] = dot(&rows[FIRST + i], &first_back) / SUM_UNIT;
            add(self.gradients.touch(FIRST + i), &first_back, sums[part][at]);
        }
        sums_back
    }

    /// The gradients of the mixer. Keeps the slopes of the mixes before their negatives became 0.
    #[inline(always)]
    fn mix_back(&mut self, cells: &[Cell], sums_back: &[Floats; 2]) {
        let mut gradients = [[0.0; WIDTH]; 4];
        for cell in cells {
            let own = *self.features.at(cell.at);
            let slopes = self.slopes.at(cell.at);
            add(slopes, &sums_back[usize::from(!cell.is_empty)], 1.0);
            *slopes = where_positive(slopes, &cell.mix);
            let [sides, corners] = &cell.around;
            for (gradient, inputs) in gradients.iter_mut().zip([&own, sides, corners]) {
                for i in 0..WIDTH {
                    gradient[i] += slopes[i] * inputs[i];
                }
            }
            add(&mut gradients[3], slopes, 1.0);
        }
        for (row, gradient) in [CENTRE, SIDES, CORNERS, MIX_BIAS]
            .into_iter()
            .zip(gradients)
        {
            self.gradients.add(row, &gradient);
        }
    }

    /// The gradients of the rows of a cell, which is in the mix of every cell around it.
    #[inline(always)]
    fn features_back(&mut self, cell: &Cell, stride: usize) {
        let rows = &self.model.rows;
        let own = *self.slopes.at(cell.at);
        let [sides, corners] = self.slopes.around(cell.at, stride);
        let mut back = [0.0; WIDTH];
        for i in 0..WIDTH {
            back[i] = rows[CENTRE][i] * own[i]
                + rows[SIDES][i] * sides[i]
                + rows[CORNERS][i] * corners[i];
        }
        let back = where_positive(&back, self.features.at(cell.at));
        for row in cell.rows {
            self.gradients.add(usize::from(row), &back);
        }
    }
}

fn value_errors(verdict: &Verdict, sample: &Sample) -> Errors {
    let chance = |i: usize| f64::from(verdict.chances[i].max(1e-9));
    let entropy = |i: usize| -f64::from(sample.chances[i]) * chance(i).ln();
    let (square, expected) = (square(verdict, sample), expected_square(verdict));
    let doubt = match sample.is_searched {
        true => expected - square * expected.ln(),
        false => 0.0,
    };
    Errors {
        value: (0..3).map(entropy).sum(),
        square: square.into(),
        doubt: doubt.into(),
        ..Errors::default()
    }
}

/// The square of the difference between the score and its target.
#[inline(always)]
fn square(verdict: &Verdict, sample: &Sample) -> f32 {
    let error = verdict.score() - score(sample.chances);
    error * error
}

/// That square as the doubt expects it.
#[inline(always)]
fn expected_square(verdict: &Verdict) -> f32 {
    let score = verdict.score();
    USUAL_ERROR * (score * (1.0 - score)).max(1e-6) * libm::expf(verdict.doubt)
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
    for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        for i in 0..16 {
            sums[i] += a[i] * b[i];
        }
    }
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            sums[i] += sums[half + i];
        }
    }
    sums[0]
}
