//! Rollouts, which are random games, as fast as the machine allows.

mod connect4;
mod gomoku;
mod pick;
mod reversi;

use crate::game::{Action, Game, Move, Moves, Outcome, Side};
use crate::simd::{Isa, LANES};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::AddAssign;

/// The random numbers of the whole program: the same stream on every machine.
pub type Random = Xoshiro256PlusPlus;

/// How several rollouts from one position ended.
///
/// All sums are integers, so they do not depend on the order of addition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Rollouts counted.
    pub rollouts: u32,
    /// Rollouts won, by `Side::index`. What is missing to `rollouts` was drawn.
    pub wins: [u32; 2],
    /// Sum of the winning margins, by the winner's `Side::index`.
    pub margins: [u32; 2],
}

impl Tally {
    /// The results of rollouts that are won by a margin of one. `wins` is by `Side::index`.
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

/// How one rollout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Its result.
    pub outcome: Outcome,
    /// How many moves it took, passes not counted.
    pub plies: u32,
}

/// What is kept of several rollouts from one position.
pub trait Record: Copy + Default + AddAssign {
    /// Whether their lengths are, which can take longer to find.
    const LENGTHS: bool;

    /// Their results.
    fn tally(&mut self) -> &mut Tally;

    /// Counts the [plies](End::plies) of a rollout.
    fn add_length(&mut self, plies: u32);

    /// Counts a rollout.
    fn add(&mut self, end: End) {
        self.tally().add(end.outcome);
        self.add_length(end.plies);
    }
}

impl Record for Tally {
    const LENGTHS: bool = false;

    fn tally(&mut self) -> &mut Tally {
        self
    }

    fn add_length(&mut self, _: u32) {}
}

/// How several rollouts from one position ended, and how long they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Their results.
    pub tally: Tally,
    /// Sum of their [plies](End::plies).
    pub plies: u64,
    /// Sum of the squares of these.
    pub squares: u64,
}

impl Record for Measured {
    const LENGTHS: bool = true;

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    fn add_length(&mut self, plies: u32) {
        let plies = u64::from(plies);
        self.plies += plies;
        self.squares += plies * plies;
    }
}

impl AddAssign for Measured {
    fn add_assign(&mut self, other: Measured) {
        self.tally += other.tally;
        self.plies += other.plies;
        self.squares += other.squares;
    }
}

/// Games that can be played out at random.
pub trait Rollout: Game {
    /// `count` games played to their ends from here with every move chosen uniformly among the
    /// legal ones, worked out with the instructions of this ISA where it matters.
    ///
    /// The default plays move by move; a game may have a faster way to the same distribution.
    fn record_rollouts<T: Record>(&self, _: Isa, count: u32, random: &mut Random) -> T {
        one_by_one(count, || naive_rollout(self, random))
    }

    /// The results of `count` such games.
    fn rollouts(&self, count: u32, random: &mut Random) -> Tally {
        self.rollouts_on(Isa::current(), count, random)
    }

    /// The same results with the instructions of this ISA.
    fn rollouts_on(&self, isa: Isa, count: u32, random: &mut Random) -> Tally {
        self.record_rollouts(isa, count, random)
    }

    /// The results of `count` such games from each of these positions, at most [`LANES`]
    /// and all of one setup, and as many `tallies`.
    fn rollouts_of_each(
        isa: Isa,
        positions: &[&Self],
        count: u32,
        random: &mut Random,
        tallies: &mut [Tally],
    ) {
        if count == 1
            && let Some(margins) = Self::one_of_each(isa, positions, random)
        {
            return margins.tell(tallies);
        }
        for (position, tally) in positions.iter().zip(tallies) {
            *tally = position.rollouts_on(isa, count, random);
        }
    }

    /// One such game from each of these positions, all played together. `None`, with no random
    /// number drawn: to play one after the other is as fast, or the game has no other way.
    fn one_of_each(_: Isa, _: &[&Self], _: &mut Random) -> Option<Margins> {
        None
    }
}

/// The margin by which the first side won the rollout of each lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Margins([i16; LANES]);

impl Margins {
    /// A tally for each rollout.
    fn tell(self, tallies: &mut [Tally]) {
        for (tally, margin) in tallies.iter_mut().zip(self.0) {
            *tally = Tally::default();
            tally.add(Outcome::from_margin(margin));
        }
    }
}

/// Lanes that are not handled have 0.
impl AddAssign for Margins {
    fn add_assign(&mut self, other: Margins) {
        for (margin, other) in self.0.iter_mut().zip(other.0) {
            *margin += other;
        }
    }
}

/// The kernel of one rollout from each of these positions, eight at the most.
#[derive(Clone, Copy)]
struct OneOfEach<P> {
    positions: P,
    /// The seed of the lanes' random words.
    seed: u64,
}

/// What is kept of `count` rollouts that are made one after the other.
fn one_by_one<T: Record>(count: u32, mut roll_out: impl FnMut() -> End) -> T {
    let mut record = T::default();
    for _ in 0..count {
        record.add(roll_out());
    }
    record
}

/// A uniform rollout by the rules alone: the yardstick that faster ones are tested against.
pub fn naive_rollout<G: Game>(position: &G, random: &mut Random) -> End {
    let mut position = position.clone();
    let mut moves = Moves::new();
    let mut plies = 0;
    loop {
        if let Some(outcome) = position.outcome() {
            return End { outcome, plies };
        }
        let mv = any_move(&position, &mut moves, random);
        plies += u32::from(position.action(mv) != Action::Pass);
        position.play(mv);
    }
}

/// A move chosen uniformly in a game that is not over. `moves` is room to work in.
pub(crate) fn any_move<G: Game>(position: &G, moves: &mut Moves, random: &mut Random) -> Move {
    position.legal_moves(moves);
    moves[random.random_range(0..moves.len())]
}

/// The share of rollouts that `side` won, draws counted half: 0..1.
#[must_use]
pub fn win_rate(tally: &Tally, side: Side) -> f64 {
    let won = f64::from(tally.wins[side.index()]);
    let lost = f64::from(tally.wins[side.other().index()]);
    0.5 + 0.5 * (won - lost) / f64::from(tally.rollouts.max(1))
}
