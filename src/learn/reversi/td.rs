//! Learning by temporal differences: TD(λ) of Sutton.

use super::games::{Game, Seen};
use crate::knowledge::reversi::patterns::shapes::{BASES, DRAWN};
use crate::knowledge::reversi::patterns::{COUNTS, DISC, Patterns, STAGES, stage as stage_of};
use crate::knowledge::reversi::shapes::{PLACEMENTS, Sharing};
use crate::learn::coherence::Coherent;
use crate::learn::course::Errors;
use crate::learn::selfplay;

/// The weights while they are learned.
pub struct Learner {
    patterns: Patterns,
    sharing: Sharing,
    /// The weights of each stage, and then its constants: one for each number of discs.
    stages: Vec<Vec<Coherent>>,
    quantum: i32,
}

/// Constants of a stage: the last has one more.
const CONSTANTS: usize = 5;

impl Learner {
    /// Begins with these weights. Players see them as multiples of `quantum`, in units of [`DISC`].
    pub fn new(patterns: Patterns, quantum: i32) -> Learner {
        let sharing = Sharing::new(&DRAWN);
        let stages = (0..STAGES).map(|stage| {
            let weight = |number| {
                let weight = patterns.weight(stage, sharing.entries(number)[0]);
                Coherent::new(f32::from(weight) / DISC as f32)
            };
            let constant = |number| {
                let discs = (first_discs(stage) + number as u32).min(64);
                Coherent::new(patterns.constant(discs) as f32 / DISC as f32)
            };
            let weights = (0..sharing.count()).map(weight);
            weights.chain((0..CONSTANTS).map(constant)).collect()
        });
        Learner {
            stages: stages.collect(),
            patterns,
            sharing,
            quantum,
        }
    }

    /// The weights so far.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// Learns from games.
    pub fn learn(&mut self, games: &[Game], lambda: f32, threads: usize) -> Errors {
        let lessons: Vec<Seen> = games.iter().flat_map(|game| game.lessons(lambda)).collect();
        let of_stages = self.change(threads, |mut stage| stage.learn(&lessons));
        let mut errors = Errors::default();
        of_stages.into_iter().for_each(|stage| errors += stage);
        errors
    }

    /// Lets `change` have the weights of each stage, and returns what comes of it by stage, so that sums do
    /// not depend on the number of threads. Each of these has stages of its own.
    pub fn change<R: Send>(
        &mut self,
        threads: usize,
        change: impl Fn(StageWeights<'_>) -> R + Sync,
    ) -> Vec<R> {
        let mut parts: Vec<Vec<StageWeights<'_>>> = (0..threads).map(|_| Vec::new()).collect();
        for weights in self.stage_weights() {
            parts[weights.stage % threads].push(weights);
        }
        let changed = selfplay::share(parts, |part| {
            let changed = part.into_iter().map(|it| (it.stage, change(it)));
            changed.collect::<Vec<_>>()
        });
        self.settle_constants();
        let mut changed: Vec<(usize, R)> = changed.into_iter().flatten().collect();
        changed.sort_by_key(|&(stage, _)| stage);
        changed.into_iter().map(|(_, result)| result).collect()
    }

    /// The weights of each stage, to be changed.
    fn stage_weights(&mut self) -> impl Iterator<Item = StageWeights<'_>> {
        let tables = self.patterns.stage_tables_mut();
        let stages = self.stages.iter_mut().zip(tables).enumerate();
        stages.map(|(stage, (weights, table))| StageWeights {
            stage,
            weights,
            table,
            sharing: &self.sharing,
            quantum: self.quantum,
        })
    }

    /// Brings the constants to where players see them, after weights were changed.
    fn settle_constants(&mut self) {
        for (stage, weights) in self.stages.iter().enumerate() {
            let constants = &weights[self.sharing.count()..];
            for (discs, constant) in (first_discs(stage)..=64).zip(constants) {
                let constant = quantised(constant.value, self.quantum);
                *self.patterns.constant_mut(discs) = constant;
            }
        }
    }

    /// The learner as bytes.
    pub fn save(&self) -> Vec<u8> {
        let weights: usize = self.stages.iter().map(Vec::len).sum();
        let mut bytes = Vec::with_capacity(weights * Coherent::BYTES);
        for weight in self.stages.iter().flatten() {
            bytes.extend_from_slice(&weight.to_bytes());
        }
        bytes
    }

    /// The learner that was saved, of the smallest quantum, which began with these weights. `None`: these
    /// bytes are no learner.
    pub fn load(start: Patterns, bytes: &[u8]) -> Option<Learner> {
        let mut learner = Learner::new(start, 1);
        let (mut saved, rest) = bytes.as_chunks::<{ Coherent::BYTES }>();
        for mut stage in learner.stage_weights() {
            let (own, later) = saved.split_at_checked(stage.weights.len())?;
            for (weight, bytes) in stage.weights.iter_mut().zip(own) {
                *weight = Coherent::of_bytes(*bytes);
            }
            saved = later;
            stage.write_table();
        }
        learner.settle_constants();
        (saved.is_empty() && rest.is_empty()).then_some(learner)
    }
}

/// The fewest discs of a stage.
fn first_discs(stage: usize) -> u32 {
    4 + 4 * stage as u32
}

/// A weight in discs as the evaluation has it, a multiple of `quantum`.
fn quantised(weight: f32, quantum: i32) -> i16 {
    /// Far beyond what any weight should be.
    const MOST: i32 = 8000;
    let quanta = (weight * (DISC / quantum) as f32).round() as i32;
    (quanta.clamp(-MOST / quantum, MOST / quantum) * quantum) as i16
}

/// The weights of a stage while they are learned.
pub struct StageWeights<'a> {
    stage: usize,
    weights: &'a mut [Coherent],
    /// The same as players see them.
    table: &'a mut [i16],
    sharing: &'a Sharing,
    quantum: i32,
}

/// The weights of a position: of its placements, and its constant.
type Own = [usize; PLACEMENTS + 1];

impl StageWeights<'_> {
    /// Which stage it is.
    pub fn stage(&self) -> usize {
        self.stage
    }

    /// All weights, then the constants by the number of discs: those of this stage and the first of the
    /// next. The others are 0.
    pub fn values(&self) -> Vec<f32> {
        let mut values: Vec<f32> = self.weights.iter().map(|it| it.value).collect();
        let constants = values.split_off(self.sharing.count());
        values.resize(values.len() + COUNTS, 0.0);
        let first = self.sharing.count() + first_discs(self.stage) as usize;
        let own = values[first..].iter_mut().zip(constants);
        own.for_each(|(value, constant)| *value = constant);
        values
    }

    /// Sets what [`values`](Self::values) are, and lets players see them.
    pub fn set_values(&mut self, values: &[f32]) {
        let (weights, constants) = values.split_at(self.sharing.count());
        let own = weights
            .iter()
            .chain(&constants[first_discs(self.stage) as usize..]);
        for (weight, &value) in self.weights.iter_mut().zip(own) {
            weight.value = value;
        }
        self.write_table();
    }

    /// Which of the [`values`](Self::values) add up to that of a position, of this stage or not.
    pub fn own_values(&self, seen: &Seen) -> [u32; PLACEMENTS + 1] {
        let mut own = self.placed(seen).map(|weight| weight as u32);
        own[PLACEMENTS] = self.sharing.count() as u32 + seen.features.discs();
        own
    }

    /// Lets players see all weights.
    pub fn write_table(&mut self) {
        for number in 0..self.sharing.count() {
            self.write_weight(number);
        }
    }

    /// Learns from positions one after the other, as far as they are of this stage.
    fn learn(&mut self, lessons: &[Seen]) -> Errors {
        let mut errors = Errors::default();
        let stage = self.stage;
        let is_own = |seen: &&Seen| stage_of(seen.features.discs()) == stage;
        for seen in lessons.iter().filter(is_own) {
            let own = self.own(seen);
            let value = self.value(&own);
            errors += Errors {
                count: 1,
                sum: f64::from((seen.result - value).abs()),
            };
            let correction = (seen.target - value) / own.len() as f32;
            for weight in own {
                self.weights[weight].correct(correction);
            }
            own[..PLACEMENTS]
                .iter()
                .for_each(|&it| self.write_weight(it));
        }
        errors
    }

    fn own(&self, seen: &Seen) -> Own {
        let mut own = self.placed(seen);
        let constant = seen.features.discs() - first_discs(self.stage);
        own[PLACEMENTS] = self.sharing.count() + constant as usize;
        own
    }

    /// The weights of a position's placements, and room for its constant.
    fn placed(&self, seen: &Seen) -> Own {
        let mut own = [0; PLACEMENTS + 1];
        let numbers = seen.features.contents().iter().zip(BASES.0);
        for (weight, (&number, base)) in own.iter_mut().zip(numbers) {
            *weight = self.sharing.of((base + i32::from(number)) as usize);
        }
        own
    }

    fn value(&self, own: &Own) -> f32 {
        own.iter().map(|&weight| self.weights[weight].value).sum()
    }

    fn write_weight(&mut self, number: usize) {
        let value = quantised(self.weights[number].value, self.quantum);
        for entry in self.sharing.entries(number) {
            self.table[entry] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_stages_is_in_their_order() {
        let mut learner = Learner::new(Patterns::blank(), 1);
        for threads in [1, 3] {
            let stages = learner.change(threads, |weights| weights.stage());
            assert!(stages.into_iter().eq(0..STAGES), "{threads}");
        }
    }

    #[test]
    fn a_learner_that_goes_on_has_the_scales_that_it_began_with() {
        let mut start = Patterns::blank();
        *start.scale_mut(3) = 5.0 * DISC as f32;
        let learner = Learner::new(start.clone(), 1);
        let other = Learner::load(start, &learner.save()).unwrap();
        assert!(other.patterns().write() == learner.patterns().write());
    }
}
