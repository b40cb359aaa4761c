//! Random playouts of Connect Four: uniform ones, [one by one](single) or in [lanes], and those of
//! players who look one ply ahead ([`knowing`]).

mod knowing;
mod lanes;
mod serial;
mod single;

use super::{End, Playout, Random, Record, Tally, any_move, one_by_one, rollouts_of_one_by_one};
use crate::game::connect4::Connect4;
use crate::game::connect4::board::Board;
use crate::game::{Game, Moves};
use crate::simd::Path;
use rand::Rng;

/// Fewer playouts than this are made one by one. In lanes, four take as long as 1.3
/// to 5.8 one by one: `docs/EXPERIMENTS.md`, Rollouts.
const LANES_FROM: u32 = 3;

impl Playout for Connect4 {
    fn playouts<T: Record>(&self, path: Path, count: u32, random: &mut Random) -> T {
        if count < LANES_FROM || self.outcome().is_some() || self.awaits_steal() {
            return one_by_one(count, || rollout(path, self, random));
        }
        let seed = random.next_u64();
        match self.board() {
            Board::Small(_) => path.run_lanes(lanes::Playouts::<1, T>::new(self, count, seed)),
            Board::Large(board) if path.is_portable() => serial::rollouts(self, board, count, seed),
            Board::Large(_) => path.run_lanes(lanes::Playouts::<3, T>::new(self, count, seed)),
        }
    }

    fn rollouts_of_each(
        path: Path,
        positions: &[&Connect4],
        count: u32,
        random: &mut Random,
        tallies: &mut [Tally],
    ) {
        let is_small = |it: &&Connect4| {
            matches!(it.board(), Board::Small(_)) && it.outcome().is_none() && !it.awaits_steal()
        };
        let together = count == 1 && positions.len() >= LANES_FROM as usize;
        if !together || !positions.iter().all(is_small) {
            return rollouts_of_one_by_one(path, positions, count, random, tallies);
        }
        let seed = random.next_u64();
        path.run_lanes(lanes::OneOfEach { positions, seed })
            .tell(tallies);
    }
}

/// The results of `count` playouts by players who look one ply ahead: [`knowing`] tells how they
/// play. As long as a stone may be stolen the playouts are uniform. Every path gives the same
/// results.
#[must_use]
pub fn knowing_rollouts(position: &Connect4, path: Path, count: u32, random: &mut Random) -> Tally {
    if position.outcome().is_some() || position.awaits_steal() {
        return position.rollouts_on(path, count, random);
    }
    let playouts = Knowing {
        position,
        path,
        count,
        seed: random.next_u64(),
    };
    match position.setup().connect {
        3 => playouts.run::<3>(),
        4 => playouts.run::<4>(),
        _ => playouts.run::<5>(),
    }
}

struct Knowing<'a> {
    position: &'a Connect4,
    path: Path,
    count: u32,
    seed: u64,
}

impl Knowing<'_> {
    /// In as few words as hold the board.
    fn run<const CONNECT: usize>(&self) -> Tally {
        let setup = self.position.setup();
        match (setup.cols, setup.rows) {
            (..=8, ..=7) => self.run_in::<1, 8, CONNECT>(),
            (_, ..=9) => self.run_in::<2, 10, CONNECT>(),
            (..=10, ..=11) => self.run_in::<2, 12, CONNECT>(),
            _ => self.run_in::<3, 16, CONNECT>(),
        }
    }

    fn run_in<const WORDS: usize, const FIELD: u32, const CONNECT: usize>(&self) -> Tally {
        self.path
            .run_lanes(knowing::Playouts::<WORDS, FIELD, CONNECT> {
                position: self.position,
                count: self.count,
                seed: self.seed,
            })
    }
}

/// One playout.
fn rollout(path: Path, position: &Connect4, random: &mut Random) -> End {
    if let Some(outcome) = position.outcome() {
        return End { outcome, plies: 0 };
    }
    if position.awaits_steal() {
        // After two moves at the most, columns are all that is left.
        let mut next = position.clone();
        next.play(any_move(position, &mut Moves::new(), random));
        let End { outcome, plies } = rollout(path, &next, random);
        return End {
            outcome,
            plies: plies + 1,
        };
    }
    single::play_out(path, position, random)
}
