//! Random playouts, as fast as the machine allows: uniform ones, and in Connect Four also those of
//! players who look one ply ahead.

pub mod connect4;
mod gomoku;
mod pick;
mod reversi;

use crate::game::{Game, Moves, Outcome, Side};
use crate::simd::Path;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::AddAssign;

/// The random numbers of the whole program: the same stream on every machine.
pub type Random = Xoshiro256PlusPlus;

/// How several playouts from one position ended.
///
/// All sums are integers, so they do not depend on the order of addition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Playouts counted.
    pub rollouts: u32,
    /// Playouts won, by `Side::index`. What is missing to `rollouts` was drawn.
    pub wins: [u32; 2],
    /// Sum of the winning margins, by the winner's `Side::index`.
    pub margins: [u32; 2],
}

impl Tally {
    /// The results of playouts that are won by a margin of one. `wins` is by `Side::index`.
    #[must_use]
    pub fn of_wins(rollouts: u32, wins: [u32; 2]) -> Tally {
        Tally {
            rollouts,
            wins,
            margins: wins,
        }
    }

    /// Counts one result.
    pub fn add(&mut self, outcome: Outcome) {
        self.rollouts += 1;
        if let Some(winner) = outcome.winner() {
            self.wins[winner.index()] += 1;
            self.margins[winner.index()] += u32::from(outcome.margin(winner).unsigned_abs());
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.rollouts += other.rollouts;
        for side in [Side::First, Side::Second].map(Side::index) {
            self.wins[side] += other.wins[side];
            self.margins[side] += other.margins[side];
        }
    }
}

/// Games of which a playout can be made.
pub trait Playout: Game {
    /// The result of one game played to its end from here with every move chosen uniformly
    /// among the legal ones.
    ///
    /// The default plays move by move; a game may have a faster way to the same distribution.
    fn rollout(&self, random: &mut Random) -> Outcome {
        naive_rollout(self, random)
    }

    /// The results of `count` such games.
    fn rollouts(&self, count: u32, random: &mut Random) -> Tally {
        self.rollouts_on(Path::current(), count, random)
    }

    /// The same results, worked out with the instructions of this path where it matters.
    fn rollouts_on(&self, _: Path, count: u32, random: &mut Random) -> Tally {
        tally_one_by_one(self, count, random)
    }
}

/// The results of `count` playouts made one after the other.
fn tally_one_by_one<G: Playout>(position: &G, count: u32, random: &mut Random) -> Tally {
    let mut tally = Tally::default();
    for _ in 0..count {
        tally.add(position.rollout(random));
    }
    tally
}

/// A uniform playout by the rules alone: the yardstick that faster ones are tested against.
pub fn naive_rollout<G: Game>(position: &G, random: &mut Random) -> Outcome {
    let mut position = position.clone();
    let mut moves = Moves::new();
    loop {
        if let Some(outcome) = position.outcome() {
            return outcome;
        }
        play_any(&mut position, &mut moves, random);
    }
}

/// Plays a move chosen uniformly in a game that is not over. `moves` is room to work in.
fn play_any<G: Game>(position: &mut G, moves: &mut Moves, random: &mut Random) {
    position.legal_moves(moves);
    position.play(moves[random.random_range(0..moves.len())]);
}

/// The share of playouts that `side` won, draws counted half: 0..1.
#[must_use]
pub fn win_rate(tally: &Tally, side: Side) -> f64 {
    let won = f64::from(tally.wins[side.index()]);
    let lost = f64::from(tally.wins[side.other().index()]);
    0.5 + 0.5 * (won - lost) / f64::from(tally.rollouts.max(1))
}
