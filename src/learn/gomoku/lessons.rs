//! A course of self-play, in which the net learns from each batch of games before the next.

use super::fit::{Fitter, Sample};
use super::fitting::{Training, draw};
use super::game;
use super::model::Model;
use super::origin::{Made, NetName, Nets, WithNets};
use super::record::{Ply, Record};
use super::{compare, save};
use crate::game::{Rule, Side};
use crate::knowledge::gomoku::net::SideNets;
use crate::learn::course::{Course, Errors, Generation, Job, Pupil, batches_before};
use crate::learn::gate::Score;
use crate::learn::records::read_all;
use crate::learn::selfplay;
use crate::rollout::Random;
use anyhow::bail;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

/// Everything that decides what is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Games of self-play.
    pub games: u64,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The rule of the games, by its name.
    pub rule: String,
    /// Playouts a move.
    pub playouts: u64,
    /// The net before. `None`: it adds nothing to the patterns.
    pub from: Option<NetName>,
    /// The latest games that are learned from.
    pub window: usize,
    /// How it learns. The average is taken after every batch of games.
    #[serde(flatten)]
    pub training: Training,
}

impl Parameters {
    /// The usual ones. (The batch, the step size and the average: `docs/EXPERIMENTS.md`, Gomoku. The half
    /// of the search's value: a trial was 22-8 with it against none. The others are guesses.)
    #[must_use]
    pub fn new(games: u64, seed: u64, rule: Rule, playouts: u64) -> Parameters {
        Parameters {
            games,
            seed,
            rule: rule.to_string(),
            playouts,
            from: None,
            window: 20_000,
            training: Training {
                uses: 5.0,
                batch: 128,
                rates: [8e-3, 8e-4],
                floor: 1e-3,
                newest: 0.2,
                searched: 0.5,
                policy: 0.5,
            },
        }
    }

    /// Games of a generation.
    fn generation(&self) -> u64 {
        const MOST: u64 = 5000;
        MOST.min(self.games.div_ceil(4))
    }
}

/// A course in Gomoku.
pub struct Lessons<'a> {
    /// What decides about the result.
    pub parameters: Parameters,
    /// The rule of the games.
    pub rule: Rule,
    /// The net to begin with.
    pub start: Option<SideNets>,
    /// How that net and those before it were made.
    pub nets: Nets,
    /// How it is worked through, and where the net goes.
    pub job: Job<'a>,
}

impl Lessons<'_> {
    /// Learns, and writes the net and its sidecar. Progress goes to `told`.
    ///
    /// # Errors
    /// When a file cannot be written, the checkpoint is of another course, or it should begin with a net
    /// for each side.
    pub fn run(self, told: &mut dyn Write) -> anyhow::Result<()> {
        let titled = WithNets {
            of: &self.parameters,
            nets: self.nets,
        };
        let course = Course {
            title: serde_json::to_string(&titled)?,
            games: self.parameters.games,
            generation: self.parameters.generation(),
            job: self.job,
        };
        let nets = titled.nets;
        let seed = self.parameters.seed;
        let model = match self.start.as_ref().map(SideNets::each) {
            None => Model::new(seed),
            Some([net]) => Model::of(net),
            Some(_) => bail!("a course has one net for both sides, and this file one for each"),
        };
        let mut student = Student::new(self.parameters, self.rule, model, nets);
        let (generations, learned) = course.run(&mut student, told)?;
        student.save_nets(&learned, generations, self.job.out, told)
    }
}

/// Who learns Gomoku.
struct Student {
    parameters: Parameters,
    rule: Rule,
    fitter: Fitter,
    /// The average of the weights after the latest batches, which plays better than the last of them.
    average: Model,
    /// The average as it plays.
    nets: SideNets,
    window: VecDeque<Record>,
    /// How the net that it began with and those before it were made.
    before: Nets,
}

impl Student {
    fn new(parameters: Parameters, rule: Rule, model: Model, before: Nets) -> Student {
        Student {
            rule,
            nets: SideNets::same(model.net()),
            average: model.clone(),
            fitter: Fitter::new(model, parameters.training),
            parameters,
            window: VecDeque::new(),
            before,
        }
    }

    /// Writes nets, and how these generations made them.
    fn save_nets(
        &self,
        nets: &SideNets,
        generations: Vec<Generation>,
        out: &Path,
        told: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let made = Made::Course {
            parameters: self.parameters.clone(),
            generations,
        };
        save(nets, made, self.before.clone(), out, told)
    }

    /// The step size after so many games.
    fn rate(&self, games: u64) -> f32 {
        let part = (games as f64 / self.parameters.games as f64) as f32;
        self.parameters.training.rate(part)
    }

    /// Learns from positions of the window, in random order.
    fn learn(&mut self, positions: usize, random: &mut Random) {
        let training = self.parameters.training;
        for _ in 0..training.steps(positions) {
            let any = (0..training.batch).filter_map(|_| {
                let record = &self.window[random.random_range(0..self.window.len())];
                draw(record, None, training.searched, random)
            });
            let samples: Vec<Sample> = any.collect();
            self.fitter.step(&samples);
        }
    }

    /// Takes the weights into the average, after so many batches before.
    fn average(&mut self, batches: u64) {
        let share = self.parameters.training.share(batches);
        self.average.approach(&self.fitter.model, share);
        self.nets = SideNets::same(self.average.net());
    }
}

impl Pupil for Student {
    type Weights = SideNets;

    fn step(&mut self, games: Range<u64>, threads: usize) -> Errors {
        let Parameters { seed, playouts, .. } = self.parameters;
        let (rule, nets) = (self.rule, &self.nets);
        let records = selfplay::play(threads, seed, games.clone(), |_, random| {
            game::play(rule, nets, playouts, random)
        });
        let mut errors = Errors::default();
        let mut positions = 0;
        for record in &records {
            positions += record.positions().count();
            for (at, ply) in record.positions() {
                errors += error_of(record, at, ply);
            }
        }
        self.window.extend(records);
        while self.window.len() > self.parameters.window {
            self.window.pop_front();
        }
        self.fitter.set_rate(self.rate(games.start));
        // Numbers of games are used for the games themselves.
        let mut random = selfplay::random_of(!seed, games.start);
        self.learn(positions, &mut random);
        self.average(batches_before(games.start, self.parameters.generation()));
        errors
    }

    fn weights(&self) -> SideNets {
        self.nets.clone()
    }

    /// Both make as many playouts as in the games learned from.
    fn compare(&self, new: &SideNets, old: &SideNets, threads: usize) -> Score {
        /// Openings at the most, each played twice. Short courses have shorter matches.
        const PAIRS: u64 = 100;
        let Parameters { playouts, seed, .. } = self.parameters;
        let numbers = 0..PAIRS.min(self.parameters.games.div_ceil(4));
        compare([new, old], self.rule, playouts, (seed, numbers), threads)
    }

    fn publish(
        &self,
        weights: &SideNets,
        generations: &[Generation],
        out: &Path,
    ) -> anyhow::Result<()> {
        self.save_nets(weights, generations.to_vec(), out, &mut io::sink())
    }

    fn write(weights: &SideNets) -> Vec<u8> {
        weights.to_bytes()
    }

    fn read(bytes: &[u8]) -> Option<SideNets> {
        SideNets::from_bytes(bytes).ok()
    }

    /// The fitter, the average, and then the games of the window.
    fn save(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in [self.fitter.save(), self.average.save()] {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        for record in &self.window {
            record.write(&mut bytes);
        }
        bytes
    }

    fn restore(&mut self, bytes: &[u8]) -> bool {
        let restored = || {
            let (fitter, rest) = part(bytes)?;
            let (average, games) = part(rest)?;
            let window = read_all(games, Record::read)?;
            Some((fitter, average, window))
        };
        let Some((fitter, average, window)) = restored() else {
            return false;
        };
        self.window = window.into();
        let is_whole = self.fitter.restore(fitter) && self.average.restore(average);
        self.nets = SideNets::same(self.average.net());
        is_whole
    }
}

/// Takes a part, whose length stands before it, from what a student saved.
fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest): (&[u8; 8], &[u8]) = <[u8]>::split_first_chunk(bytes)?;
    rest.split_at_checked(u64::from_le_bytes(*length) as usize)
}

/// The games of the window, of what a student saved.
pub(super) fn window(saved: &[u8]) -> Option<&[u8]> {
    let (_, rest) = part(saved)?;
    Some(part(rest)?.1)
}

/// How far the search's value of a position was from the result of its game.
fn error_of(record: &Record, at: usize, ply: &Ply) -> Errors {
    let side = [Side::First, Side::Second][at % 2];
    match (ply.value, record.result_of(side)) {
        (Some(value), Some(result)) => Errors {
            count: 1,
            sum: f64::from((value - result).abs()),
        },
        _ => Errors::default(),
    }
}
