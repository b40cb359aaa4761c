//! Fitting all weights to many positions at once, by least mean squares (Widrow and Hoff, Adaptive
//! Switching Circuits, 1960): every position moves the weights that it has by a part of its error.
//!
//! The more positions have a weight, the less each moves it, so that all weights come as far in one
//! time through the positions, but for those that few have: they stay near to what they were.

use super::games::{Game, Seen};
use super::td::{Learner, StageWeights};
use super::{Known, Made, Sidecar, chances, compare, recording};
use crate::knowledge::reversi::patterns::{Patterns, QUANTUM, stage};
use crate::knowledge::reversi::shapes::PLACEMENTS;
use crate::learn::records::gather;
use crate::learn::selfplay::random_of;
use anyhow::Context;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::PathBuf;

/// How weights are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitting {
    /// How much of a target is what comes later in the game.
    pub lambda: f32,
    /// Times through all positions.
    pub epochs: u32,
    /// The part of its positions' mean error by which a weight moves in one time through them, the
    /// first time and the last.
    pub rates: [f32; 2],
    /// What a weight was before counts as much as so many positions.
    pub inertia: f32,
    /// A stage also learns from positions that are so many discs from it.
    pub overlap: u32,
    /// One game of so many is not learned from but used to tell how good the fit is.
    pub held_out: usize,
    /// The seed of the order of the positions.
    pub seed: u64,
}

impl Fitting {
    /// The usual one. (λ won a match, the others had the least errors: `docs/EXPERIMENTS.md`,
    /// Reversi.)
    #[must_use]
    pub fn new(seed: u64, inertia: u32) -> Fitting {
        Fitting {
            lambda: 0.5,
            epochs: 10,
            rates: [0.5, 0.05],
            inertia: inertia as f32,
            overlap: 2,
            held_out: 20,
            seed,
        }
    }
}

/// The mean squares of the differences from targets, of positions of games that were not learned
/// from: before the fit, and after each time through the others. In discs squared.
pub type Curve = Vec<f64>;

/// Fits weights to the games of these files, beginning with `from` or with none, and lets them play a
/// match with those. What comes of it goes to `told`.
///
/// # Errors
/// When a file cannot be read, or there are no games.
pub fn fit(
    from: Option<Known>,
    files: &[PathBuf],
    fitting: Fitting,
    threads: usize,
    told: &mut dyn Write,
) -> anyhow::Result<Known> {
    /// Weights that are a twentieth of the points better are told apart.
    const PAIRS: u64 = 500;
    let (records, games) = gather(files, recording::read, told)?;
    let first = records.first().context("no files of games")?;
    let manner = first.recording.manner;
    let (start, from) = match from {
        Some(known) => (known.patterns, Some(Box::new(known.sidecar))),
        None => (Patterns::blank(), None),
    };
    let (mut patterns, curve) = fit_all(&start, &games, &fitting, threads);
    writeln!(told, "squared errors {curve:.3?}")?;
    // Games of the weights with themselves may go by lines that they misjudge.
    // (Consequence: `docs/EXPERIMENTS.md`, Reversi.)
    let held_out_error = chances::fit_to(&mut patterns, held_out(&games, fitting.held_out));
    let ways = [manner.depth, manner.solved];
    let score = compare(&patterns, &start, ways, PAIRS, threads);
    let (score, score_error) = (score.share(), score.error());
    writeln!(
        told,
        "{score:.3} ± {score_error:.3} against the weights before"
    )?;
    Ok(Known {
        patterns,
        sidecar: Sidecar {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            made: Made::Fit {
                fitting,
                from,
                records,
                curve,
                score,
                score_error,
            },
            held_out_error,
        },
    })
}

/// Every `every`th of the games, those held out. Where they are few, others from the whole list follow.
fn held_out<T>(games: &[T], every: usize) -> impl Iterator<Item = &T> {
    let others = games.iter().enumerate();
    let others = others.filter(move |(number, _)| !number.is_multiple_of(every));
    let held_out = games.len().div_ceil(every);
    let missing = (chances::GAMES as usize).saturating_sub(held_out);
    let apart = (games.len() - held_out).div_ceil(missing.max(1)).max(1);
    let others = others.map(|(_, game)| game).step_by(apart).take(missing);
    games.iter().step_by(every).chain(others)
}

/// The fitted weights of all stages.
fn fit_all(
    start: &Patterns,
    games: &[Game],
    fitting: &Fitting,
    threads: usize,
) -> (Patterns, Curve) {
    let mut learner = Learner::new(start.clone(), QUANTUM);
    let stages = learner.change(threads, |weights| fit_stage(weights, games, fitting));
    let all: usize = stages.iter().map(|(_, count)| count).sum();
    let mean = |epoch: usize| {
        let sums = stages.iter().map(|(curve, _)| curve[epoch]);
        sums.sum::<f64>() / all.max(1) as f64
    };
    let curve = (0..=fitting.epochs as usize).map(mean).collect();
    (learner.patterns().clone(), curve)
}

/// Fits the weights of a stage. Returns sums of squares, and of how many positions.
fn fit_stage(mut weights: StageWeights<'_>, games: &[Game], fitting: &Fitting) -> (Curve, usize) {
    let (mut held_out, mut learned) = (Vec::new(), Vec::new());
    for (number, game) in games.iter().enumerate() {
        let samples = game.lessons(fitting.lambda);
        let samples = samples.filter_map(|seen| Sample::new(&weights, &seen, fitting.overlap));
        match number.is_multiple_of(fitting.held_out) {
            true => held_out.extend(samples.filter(|it| it.is_own)),
            false => learned.extend(samples),
        }
    }
    let mut values = weights.values();
    let rates = rates(&learned, values.len(), fitting.inertia);
    let mut random = random_of(fitting.seed, weights.stage() as u64);
    let squares = |values: &[f32]| {
        let errors = held_out.iter().map(|sample| sample.error(values));
        errors.map(|error| f64::from(error * error)).sum()
    };
    let mut curve = vec![squares(&values)];
    let [first, last] = fitting.rates;
    for epoch in 0..fitting.epochs {
        let way = epoch as f32 / (fitting.epochs - 1).max(1) as f32;
        let share = first * libm::powf(last / first, way);
        learned.shuffle(&mut random);
        for sample in &learned {
            let correction = share * sample.error(&values);
            for weight in sample.weights {
                values[weight as usize] += correction * rates[weight as usize];
            }
        }
        curve.push(squares(&values));
    }
    weights.set_values(&values);
    (curve, held_out.len())
}

/// By what part of an error each of `count` weights moves when a position has it.
fn rates(learned: &[Sample], count: usize, inertia: f32) -> Vec<f32> {
    let mut positions = vec![0_u32; count];
    let weights = learned.iter().flat_map(|sample| sample.weights);
    weights.for_each(|weight| positions[weight as usize] += 1);
    let rate = |positions: u32| 1.0 / (inertia + positions as f32);
    positions.into_iter().map(rate).collect()
}

/// A position by its weights.
struct Sample {
    weights: [u32; PLACEMENTS + 1],
    /// What they should add up to, in discs.
    target: f32,
    /// It is of the stage itself.
    is_own: bool,
}

impl Sample {
    /// `None`: it is not of the stage, and more than `overlap` discs from it.
    fn new(weights: &StageWeights<'_>, seen: &Seen, overlap: u32) -> Option<Sample> {
        let discs = seen.features.discs();
        let is_own = stage(discs) == weights.stage();
        let stages = stage(discs.saturating_sub(overlap))..=stage(discs + overlap);
        stages.contains(&weights.stage()).then(|| Sample {
            weights: weights.own_values(seen),
            target: seen.target,
            is_own,
        })
    }

    /// How far the target lies above the sum of the weights.
    fn error(&self, values: &[f32]) -> f32 {
        let weights = self.weights.iter();
        self.target - weights.map(|&it| values[it as usize]).sum::<f32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_games_held_out_come_first_and_none_twice() {
        for count in [1, 10, 1_999, 14_000, 100_000] {
            let games: Vec<usize> = (0..count).collect();
            let mut taken: Vec<usize> = held_out(&games, 20).copied().collect();
            let own = count.div_ceil(20);
            assert!(taken[..own].iter().all(|game| game.is_multiple_of(20)));
            assert!(taken[own..].iter().all(|game| !game.is_multiple_of(20)));
            let most = own.max(chances::GAMES as usize).min(count);
            assert!(taken.len() <= most && taken.len() * 2 > most, "{count}");
            let before = taken.len();
            taken.sort_unstable();
            taken.dedup();
            assert_eq!(taken.len(), before);
        }
    }
}
