//! Fitting all weights to many positions at once, by normalised least mean squares (Widrow and Hoff,
//! Adaptive Switching Circuits, 1960): every position moves the weights that it has by a part of its
//! error, and the part falls from one time through the positions to the next.

use super::games::{Game, Seen};
use super::td::{Learner, StageWeights};
use super::{Known, Made, Sidecar, chances, compare, recording};
use crate::knowledge::reversi::patterns::{Patterns, stage};
use crate::learn::selfplay::{self, random_of};
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
    /// The part of an error that is corrected, the first time and the last.
    pub rates: [f32; 2],
    /// One game of so many is not learned from but used to tell how good the fit is.
    pub held_out: usize,
    /// Of the order of the positions.
    pub seed: u64,
}

impl Fitting {
    /// The usual one. (Guesses, but that errors hardly fall any more after so many epochs:
    /// `docs/MEASUREMENTS.md`.)
    #[must_use]
    pub fn new(seed: u64) -> Fitting {
        Fitting {
            lambda: 0.5,
            epochs: 6,
            rates: [0.1, 0.01],
            held_out: 20,
            seed,
        }
    }
}

/// The mean squares of the differences from targets, of positions of games that were not learned
/// from: before the fit, and after each time through the others. In discs squared.
pub type Curve = Vec<f64>;

/// Fits weights to the games of these files, beginning with `from`, and lets them play a match with
/// those. What comes of it goes to `told`.
///
/// # Errors
/// When a file cannot be read.
pub fn fit(
    from: Known,
    files: &[PathBuf],
    fitting: Fitting,
    threads: usize,
    told: &mut dyn Write,
) -> anyhow::Result<Known> {
    /// Weights that are a twentieth of the points better are told apart.
    const PAIRS: u64 = 500;
    /// Nobody records so many games.
    const UNSEEN: u64 = 1 << 60;
    let mut records = Vec::new();
    let mut games = Vec::new();
    for file in files {
        let (recorded, mut more) = recording::read(file)?;
        writeln!(told, "{}: {} games", file.display(), recorded.games)?;
        records.push(recorded);
        games.append(&mut more);
    }
    let first = records.first().context("no games to fit weights to")?;
    let manner = first.recording.manner;
    let (mut patterns, curve) = fit_all(&from.patterns, &games, &fitting, threads);
    writeln!(told, "squared errors {curve:.3?}")?;
    let numbers = UNSEEN..UNSEEN + chances::GAMES;
    let held_out_error = chances::fit(&mut patterns, &manner, fitting.seed, numbers, threads);
    let ways = [manner.depth, manner.solved];
    let score = compare(&patterns, &from.patterns, ways, PAIRS, threads);
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
                from: Box::new(from.sidecar),
                records,
                curve,
                score,
                score_error,
            },
            held_out_error,
        },
    })
}

/// Each thread has stages of its own.
fn fit_all(
    start: &Patterns,
    games: &[Game],
    fitting: &Fitting,
    threads: usize,
) -> (Patterns, Curve) {
    let mut learner = Learner::new(start.clone());
    let mut parts: Vec<Vec<StageWeights<'_>>> = (0..threads).map(|_| Vec::new()).collect();
    for (number, weights) in learner.stage_weights().enumerate() {
        parts[number % threads].push(weights);
    }
    let curves = selfplay::share(parts, |part| {
        let fitted = part
            .into_iter()
            .map(|weights| fit_stage(weights, games, fitting));
        fitted.collect::<Vec<_>>()
    });
    learner.settle_constants();
    let stages: Vec<(Curve, usize)> = curves.into_iter().flatten().collect();
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
    let is_own = |seen: &Seen| stage(seen.features.discs()) == weights.stage();
    let seen_in = |games: &mut dyn Iterator<Item = &Game>| -> Vec<Seen> {
        let seen = games.flat_map(|game| game.lessons(fitting.lambda));
        seen.filter(is_own).collect()
    };
    let is_held_out = |number: usize| number.is_multiple_of(fitting.held_out);
    let numbered = || games.iter().enumerate();
    let held_out = seen_in(&mut numbered().filter(|it| is_held_out(it.0)).map(|it| it.1));
    let mut learned = seen_in(&mut numbered().filter(|it| !is_held_out(it.0)).map(|it| it.1));

    let mut random = random_of(fitting.seed, weights.stage() as u64);
    let squares = |weights: &StageWeights<'_>| {
        let errors = held_out.iter().map(|seen| weights.error(seen));
        errors.map(|error| f64::from(error * error)).sum()
    };
    let mut curve = vec![squares(&weights)];
    let [first, last] = fitting.rates;
    for epoch in 0..fitting.epochs {
        let way = epoch as f32 / (fitting.epochs - 1).max(1) as f32;
        let rate = first * libm::powf(last / first, way);
        learned.shuffle(&mut random);
        for seen in &learned {
            weights.move_by(seen, rate);
        }
        curve.push(squares(&weights));
    }
    weights.write_table();
    (curve, held_out.len())
}
