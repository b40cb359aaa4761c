//! Reversi: the weights of the shapes on the board, from games of self-play.

mod search;
mod td;

use super::course::{Course, Errors, Generation, Pupil};
use super::gate::{Match, Score};
use super::{checkpoint, selfplay};
use crate::game::reversi::Reversi;
use crate::game::{Game, GameKind, Move, Setup};
use crate::knowledge::reversi::patterns::{DISC, Patterns, STAGES, stage};
use anyhow::Context;
use search::Board;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use td::{Learner, Manner};

/// Everything that decides what is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Games of self-play.
    pub games: u64,
    /// Of all random numbers.
    pub seed: u64,
    /// Plies that the players look ahead.
    pub depth: u32,
    /// What the weights were before, by the parameters that made them. `None`: all zero.
    pub from: Option<Box<Sidecar>>,
    /// How much of a target is what comes later in the game, at the first game and at the last.
    pub lambda: [f32; 2],
    /// The most random moves at the beginning of a game.
    pub random_plies: u32,
    /// The chance of a random move after them.
    pub exploration: f64,
    /// From so many empty squares on, results are exact.
    pub solved: u32,
}

impl Parameters {
    /// The usual ones. (λ, and the exact end: a trial that came near the best programs with them;
    /// the random moves are guesses.)
    #[must_use]
    pub fn new(games: u64, seed: u64, depth: u32) -> Parameters {
        Parameters {
            games,
            seed,
            depth,
            from: None,
            lambda: [0.9, 0.55],
            random_plies: 20,
            exploration: 0.05,
            solved: 8,
        }
    }
}

/// What stands beside the weights: how they were made, and what they are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sidecar {
    /// Of the program.
    pub version: String,
    /// What they were made with.
    pub parameters: Parameters,
    /// The mean difference, in discs, between values and results of games that were not learned from.
    pub held_out_error: f64,
    /// How each generation did.
    pub generations: Vec<Generation>,
}

impl Sidecar {
    /// Where it lies for these weights.
    #[must_use]
    pub fn path_of(weights: &Path) -> PathBuf {
        weights.with_extension("json")
    }
}

/// A course in Reversi.
pub struct Lessons<'a> {
    /// What decides about the result.
    pub parameters: Parameters,
    /// The weights to begin with.
    pub start: Patterns,
    /// Threads.
    pub threads: usize,
    /// Where the weights go. The sidecar goes beside them.
    pub out: &'a Path,
    /// Goes on from a checkpoint, if there is one.
    pub resume: bool,
}

impl Lessons<'_> {
    /// Learns, and writes the weights and their sidecar. Progress goes to `told`.
    ///
    /// # Errors
    /// When a file cannot be written, or the checkpoint is of another course.
    pub fn run(self, told: &mut dyn Write) -> anyhow::Result<()> {
        /// Generations of a course.
        const GENERATIONS: u64 = 10;
        let course = Course {
            title: serde_json::to_string(&self.parameters)?,
            games: self.parameters.games,
            generation: self.parameters.games.div_ceil(GENERATIONS),
            threads: self.threads,
            out: self.out,
            resume: self.resume,
        };
        let mut student = Student {
            learner: Learner::new(self.start),
            parameters: self.parameters,
        };
        let (generations, mut patterns) = course.run(&mut student, told)?;
        let held_out_error = student.finish(&mut patterns, self.threads);
        let sidecar = Sidecar {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            parameters: student.parameters,
            held_out_error,
            generations,
        };
        let bytes = patterns.write();
        writeln!(
            told,
            "{}: {} bytes, error {held_out_error:.3} discs on new games",
            self.out.display(),
            bytes.len()
        )?;
        checkpoint::replace(self.out, &bytes)?;
        let text = serde_json::to_string_pretty(&sidecar)? + "\n";
        checkpoint::replace(&Sidecar::path_of(self.out), text.as_bytes())
    }
}

/// Who learns Reversi.
struct Student {
    learner: Learner,
    parameters: Parameters,
}

impl Student {
    fn manner(&self) -> Manner {
        Manner {
            depth: self.parameters.depth,
            random_plies: self.parameters.random_plies,
            exploration: self.parameters.exploration,
            solved: self.parameters.solved,
        }
    }

    /// The part of later values, in the game with this number.
    fn lambda(&self, game: u64) -> f32 {
        let [first, last] = self.parameters.lambda;
        first + (last - first) * (game as f64 / self.parameters.games as f64) as f32
    }

    /// Fits the chances to win by games that nothing was learned from, and returns the mean
    /// difference between the values of their positions and their results, in discs.
    fn finish(&self, patterns: &mut Patterns, threads: usize) -> f64 {
        /// Enough for the scales to be known to a few hundredths.
        const GAMES: u64 = 2000;
        let manner = Manner {
            exploration: 0.0,
            ..self.manner()
        };
        let first = self.parameters.games;
        let numbers = first..first + GAMES;
        let games = selfplay::play(threads, self.parameters.seed, numbers, |_, random| {
            td::play(patterns, &manner, 1.0, random)
        });
        let mut of_stages: [Vec<(f32, f32)>; STAGES] = Default::default();
        let mut errors = Errors::default();
        for seen in games.iter().flatten() {
            let value = patterns.evaluate(&seen.features) as f32;
            of_stages[stage(seen.features.discs())].push((value, seen.result));
            errors += Errors {
                count: 1,
                sum: f64::from((value / DISC as f32 - seen.result).abs()),
            };
        }
        for (stage, seen) in of_stages.iter().enumerate() {
            *patterns.scale_mut(stage) = fit_scale(seen);
        }
        errors.mean()
    }
}

impl Pupil for Student {
    type Weights = Patterns;

    fn step(&mut self, games: Range<u64>, threads: usize) -> Errors {
        let (patterns, manner) = (self.learner.patterns(), self.manner());
        let lambda = self.lambda(games.start);
        let games = selfplay::play(threads, self.parameters.seed, games, |_, random| {
            td::play(patterns, &manner, lambda, random)
        });
        self.learner.learn(&games, threads)
    }

    fn weights(&self) -> Patterns {
        self.learner.patterns().clone()
    }

    /// Both look as far ahead as in the games learned from.
    fn compare(&self, new: &Patterns, old: &Patterns, threads: usize) -> Score {
        let Ok(start) = Reversi::new(&Setup::standard(GameKind::Reversi)) else {
            return Score::default();
        };
        let game = Match {
            start: &start,
            opening: 6..=12,
            pairs: 200,
            seed: self.parameters.seed,
            threads,
        };
        let Parameters { depth, solved, .. } = self.parameters;
        game.play(player(new, depth, solved), player(old, depth, solved))
    }

    fn write(weights: &Patterns) -> Vec<u8> {
        weights.write()
    }

    fn read(bytes: &[u8]) -> Option<Patterns> {
        Patterns::read(bytes).ok()
    }

    fn save(&self) -> Vec<u8> {
        self.learner.save()
    }

    fn restore(&mut self, bytes: &[u8]) -> bool {
        let learner = Learner::load(bytes);
        let is_one = learner.is_some();
        self.learner = learner.unwrap_or_else(|| Learner::new(Patterns::blank()));
        is_one
    }
}

/// The scale by which values tell the chance to win best: with the least mean logarithm of the
/// chances that the results had. `seen`: values and results.
fn fit_scale(seen: &[(f32, f32)]) -> f32 {
    /// The range in discs, and how finely it is searched.
    const RANGE: Range<u32> = 4..256;
    const PER_DISC: f32 = 4.0;
    let scales = RANGE.map(|step| step as f32 / PER_DISC * DISC as f32);
    let loss = |scale: f32| -> f64 {
        let losses = seen.iter().map(|&(value, result)| {
            let score = 0.5 + 0.5 * f64::from(result.partial_cmp(&0.0).map_or(0, |it| it as i8));
            let chance = 1.0 / (1.0 + libm::exp(-f64::from(value / scale)));
            let chance = chance.clamp(1e-9, 1.0 - 1e-9);
            -score * libm::log(chance) - (1.0 - score) * libm::log(1.0 - chance)
        });
        losses.sum()
    };
    let best = scales.map(|scale| (scale, loss(scale)));
    let best = best.min_by(|one, other| one.1.total_cmp(&other.1));
    best.map_or(DISC as f32, |(scale, _)| scale)
}

/// A player that looks so many plies ahead, and plays exactly from `solved` empty squares on.
pub fn player(
    patterns: &Patterns,
    depth: u32,
    solved: u32,
) -> impl Fn(&Reversi) -> Move + Sync + '_ {
    move |position| {
        let board = Board::new(position);
        let chosen = match board.empties() <= solved {
            true => board.best_exactly(),
            false => search::best(patterns, &board, depth),
        };
        Move::new(chosen.map_or(0, |it| it.mv))
    }
}

/// Reads weights and what is known of how they were made.
///
/// # Errors
/// When one of the files cannot be read.
pub fn load(path: &Path) -> anyhow::Result<(Patterns, Sidecar)> {
    let read = |path: &Path| {
        std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let patterns =
        Patterns::read(&read(path)?).with_context(|| format!("cannot use {}", path.display()))?;
    let beside = Sidecar::path_of(path);
    let sidecar = serde_json::from_slice(&read(&beside)?);
    let sidecar = sidecar.with_context(|| format!("cannot use {}", beside.display()))?;
    Ok((patterns, sidecar))
}
