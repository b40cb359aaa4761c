//! Learning by temporal differences: TD(λ) of Sutton, with the values of games the program plays with
//! itself, and exact results at the end.

use super::search::{Board, best};
use crate::game::reversi::Reversi;
use crate::game::{Game, GameKind, Setup};
use crate::knowledge::reversi::patterns::shapes::{BASES, PLACEMENTS};
use crate::knowledge::reversi::patterns::{DISC, Features, Patterns, STAGES, Sharing, stage};
use crate::learn::coherence::Coherent;
use crate::learn::course::Errors;
use crate::learn::selfplay;
use crate::playout::Random;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// How games are played and learned from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manner {
    /// Plies that the players look ahead.
    pub depth: u32,
    /// The most random moves at the beginning of a game; their number is random, too.
    pub random_plies: u32,
    /// The chance of a random move after them.
    pub exploration: f64,
    /// From so many empty squares on, results are exact.
    pub solved: u32,
}

/// A position of a game.
pub struct Seen {
    /// What the evaluation sees of it.
    pub features: Features,
    /// What it should be worth for its side to move, in discs.
    pub target: f32,
    /// How the game ended for that side, in discs.
    pub result: f32,
}

/// A move of a game that was played.
struct Turn {
    board: Board,
    /// The value of the best move, in discs.
    value: f32,
    /// The value is the exact result.
    is_exact: bool,
    /// The best move was played.
    is_best: bool,
}

/// Plays a game and tells what its positions should be worth. `lambda`: the part of what comes later.
pub fn play(patterns: &Patterns, manner: &Manner, lambda: f32, random: &mut Random) -> Vec<Seen> {
    let (turns, end) = turns(patterns, manner, random);
    // All values are for the side to move of the position that `end` and `later` stand for.
    let (mut later, mut result) = (end, end);
    let mut seen = Vec::with_capacity(turns.len());
    for turn in turns.iter().rev() {
        (later, result) = (-later, -result);
        later = match turn {
            Turn { is_exact: true, .. } | Turn { is_best: false, .. } => turn.value,
            _ => lambda * later + (1.0 - lambda) * turn.value,
        };
        seen.push(Seen {
            features: turn.board.features,
            target: later,
            result,
        });
    }
    seen
}

/// The moves of a game, and its result for the side to move at its end, in discs.
fn turns(patterns: &Patterns, manner: &Manner, random: &mut Random) -> (Vec<Turn>, f32) {
    let setup = Setup::standard(GameKind::Reversi);
    let Ok(start) = Reversi::new(&setup) else {
        return (Vec::new(), 0.0);
    };
    let mut board = Board::new(&start);
    let mut turns = Vec::new();
    let first_plies = random.random_range(0..=manner.random_plies) as usize;
    loop {
        let is_exact = board.empties() <= manner.solved;
        let chosen = match is_exact {
            true => board.best_exactly(),
            false => best(patterns, &board, manner.depth),
        };
        let Some(chosen) = chosen else {
            return (turns, board.result() as f32);
        };
        let strays = turns.len() < first_plies || random.random_bool(manner.exploration);
        let mv = match strays {
            true => {
                let moves: Vec<u16> = board.moves().collect();
                moves[random.random_range(0..moves.len())]
            }
            false => chosen.mv,
        };
        turns.push(Turn {
            board,
            value: (chosen.value as f32 / DISC as f32).clamp(-64.0, 64.0),
            is_exact,
            is_best: mv == chosen.mv,
        });
        board = board.after(mv);
    }
}

/// The weights while they are learned.
pub struct Learner {
    patterns: Patterns,
    sharing: Sharing,
    /// The weights of each stage, and then its constants: one for each number of discs.
    stages: Vec<Vec<Coherent>>,
}

/// Constants of a stage: the last has one more.
const CONSTANTS: usize = 5;

impl Learner {
    /// Begins with these weights.
    pub fn new(patterns: Patterns) -> Learner {
        let sharing = Sharing::new();
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
        }
    }

    /// The weights so far.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// Learns from games; each thread has stages of its own.
    pub fn learn(&mut self, games: &[Vec<Seen>], threads: usize) -> Errors {
        let mut parts: Vec<Vec<StageOfLearner<'_>>> = (0..threads).map(|_| Vec::new()).collect();
        let tables = self.patterns.stage_tables_mut();
        for (number, (weights, table)) in self.stages.iter_mut().zip(tables).enumerate() {
            parts[number % threads].push(StageOfLearner {
                number,
                weights,
                table,
                sharing: &self.sharing,
            });
        }
        let all = selfplay::share(parts, |part| {
            let mut errors = Errors::default();
            for mut stage in part {
                errors += stage.learn(games);
            }
            errors
        });
        let mut errors = Errors::default();
        all.into_iter().for_each(|part| errors += part);
        for (stage, weights) in self.stages.iter().enumerate() {
            let constants = &weights[self.sharing.count()..];
            for (discs, constant) in (first_discs(stage)..=64).zip(constants) {
                *self.patterns.constant_mut(discs) = quantised(constant.value);
            }
        }
        errors
    }

    /// The learner as bytes.
    pub fn save(&self) -> Vec<u8> {
        let weights = self.stages.iter().flatten();
        weights.flat_map(|weight| weight.to_bytes()).collect()
    }

    /// The learner that was saved. `None`: these bytes are no learner.
    pub fn load(bytes: &[u8]) -> Option<Learner> {
        let mut learner = Learner::new(Patterns::blank());
        let (mut saved, rest) = bytes.as_chunks::<{ Coherent::BYTES }>();
        for (stage, weights) in learner.stages.iter_mut().enumerate() {
            let (own, later) = saved.split_at_checked(weights.len())?;
            for (weight, bytes) in weights.iter_mut().zip(own) {
                *weight = Coherent::of_bytes(*bytes);
            }
            saved = later;
            for (number, weight) in weights[..learner.sharing.count()].iter().enumerate() {
                let entries = learner.sharing.entries(number);
                learner
                    .patterns
                    .set_weight(stage, entries, quantised(weight.value));
            }
        }
        // The constants.
        learner.learn(&[], 1);
        (saved.is_empty() && rest.is_empty()).then_some(learner)
    }
}

/// The fewest discs of a stage.
fn first_discs(stage: usize) -> u32 {
    4 + 4 * stage as u32
}

/// A weight in discs, as the evaluation has it.
fn quantised(weight: f32) -> i16 {
    // Far beyond what any weight should be.
    (weight * DISC as f32).round().clamp(-8000.0, 8000.0) as i16
}

/// What a thread learns.
struct StageOfLearner<'a> {
    number: usize,
    weights: &'a mut [Coherent],
    table: &'a mut [i16],
    sharing: &'a Sharing,
}

impl StageOfLearner<'_> {
    fn learn(&mut self, games: &[Vec<Seen>]) -> Errors {
        let mut errors = Errors::default();
        let is_own = |seen: &&Seen| stage(seen.features.discs()) == self.number;
        for seen in games.iter().flatten().filter(is_own) {
            let numbers = seen.features.contents().iter().zip(BASES.0);
            let mut own = [0; PLACEMENTS + 1];
            for (weight, (&number, base)) in own.iter_mut().zip(numbers) {
                *weight = self.sharing.weight((base + i32::from(number)) as usize);
            }
            let constant = (seen.features.discs() - first_discs(self.number)) as usize;
            own[PLACEMENTS] = self.sharing.count() + constant;

            let predicted: f32 = own.iter().map(|&weight| self.weights[weight].value).sum();
            errors += Errors {
                count: 1,
                sum: f64::from((seen.result - predicted).abs()),
            };
            let correction = (seen.target - predicted) / own.len() as f32;
            for weight in own {
                self.weights[weight].correct(correction);
            }
            for &weight in &own[..PLACEMENTS] {
                let value = quantised(self.weights[weight].value);
                for entry in self.sharing.entries(weight) {
                    self.table[entry] = value;
                }
            }
        }
        errors
    }
}
