//! A course of TD(λ).

use super::games::{Game, Manner};
use super::td::Learner;
use super::{Known, Made, Sidecar, chances, compare};
use crate::knowledge::reversi::patterns::Patterns;
use crate::learn::course::{Course, Errors, Generation, Job, Pupil};
use crate::learn::gate::Score;
use crate::learn::selfplay;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// Everything that decides what is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Games of self-play.
    pub games: u64,
    /// The seed of all random numbers.
    pub seed: u64,
    /// How the games are played.
    pub manner: Manner,
    /// How much of a target is what comes later in the game, at the first game and at the last.
    pub lambda: [f32; 2],
    /// The weights that it begins with. `None`: all zero.
    pub from: Option<Box<Sidecar>>,
}

impl Parameters {
    /// The usual ones, by games, seed and the plies that players look ahead. (λ, and the exact end:
    /// a trial came near the best programs with them; random moves: guesses.)
    #[must_use]
    pub fn new(games: u64, seed: u64, depth: u32) -> Parameters {
        Parameters {
            games,
            seed,
            manner: Manner {
                depth,
                random_plies: 20,
                exploration: 0.05,
                solved: 8,
            },
            lambda: [0.9, 0.55],
            from: None,
        }
    }
}

/// A course in Reversi.
pub struct Lessons<'a> {
    /// What decides about the result.
    pub parameters: Parameters,
    /// The weights to begin with.
    pub start: Patterns,
    /// How it is worked through, and where the weights go.
    pub job: Job<'a>,
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
            job: self.job,
        };
        let mut student = Student {
            learner: Learner::new(self.start, 1),
            parameters: self.parameters,
        };
        let (generations, mut patterns) = course.run(&mut student, told)?;
        let Parameters {
            games,
            seed,
            ref manner,
            ..
        } = student.parameters;
        let numbers = games..games + chances::GAMES;
        let Job { threads, out, .. } = self.job;
        let held_out_error = chances::fit(&mut patterns, manner, seed, numbers, threads);
        student
            .known(patterns, generations, held_out_error)
            .save(out)?;
        let out = out.display();
        writeln!(told, "{out}: error {held_out_error:.3} discs in new games")?;
        Ok(())
    }
}

/// Who learns in the course.
struct Student {
    learner: Learner,
    parameters: Parameters,
}

impl Student {
    /// The part of later values, in the game with this number.
    fn lambda(&self, game: u64) -> f32 {
        let [first, last] = self.parameters.lambda;
        first + (last - first) * (game as f64 / self.parameters.games as f64) as f32
    }

    /// Weights that these generations made.
    fn known(
        &self,
        patterns: Patterns,
        generations: Vec<Generation>,
        held_out_error: f64,
    ) -> Known {
        let made = Made::Course {
            parameters: self.parameters.clone(),
            generations,
        };
        Known {
            patterns,
            sidecar: Sidecar {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                made,
                held_out_error,
            },
        }
    }
}

impl Pupil for Student {
    type Weights = Patterns;

    fn step(&mut self, games: Range<u64>, threads: usize) -> Errors {
        let (patterns, manner) = (self.learner.patterns(), &self.parameters.manner);
        let lambda = self.lambda(games.start);
        let games = selfplay::play(threads, self.parameters.seed, games, |_, random| {
            Game::play(patterns.into(), manner, random)
        });
        self.learner.learn(&games, lambda, threads)
    }

    fn weights(&self) -> Patterns {
        self.learner.patterns().clone()
    }

    /// Both look as far ahead as in the games learned from.
    fn compare(&self, new: &Patterns, old: &Patterns, threads: usize) -> Score {
        /// Generations that differ by a twentieth of the points are told apart.
        const PAIRS: u64 = 200;
        let Manner { depth, solved, .. } = self.parameters.manner;
        compare(new, old, [depth, solved], PAIRS, threads)
    }

    /// The error is that of the last generation.
    fn publish(
        &self,
        weights: &Patterns,
        generations: &[Generation],
        out: &Path,
    ) -> anyhow::Result<()> {
        let error = generations.last().map_or(0.0, |it| it.error);
        self.known(weights.clone(), generations.to_vec(), error)
            .save(out)
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
        let start = self.learner.patterns().clone();
        let learner = Learner::load(start, bytes);
        learner.map(|it| self.learner = it).is_some()
    }
}
