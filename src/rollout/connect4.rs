//! Uniform random rollouts of Connect Four: [one by one](single), or in [lanes].

mod lanes;
mod serial;
mod single;

use super::{End, Margins, OneOfEach, Random, Record, Rollout, any_move, one_by_one};
use crate::game::connect4::Connect4;
use crate::game::connect4::board::Stones;
use crate::game::{Game, Moves};
use crate::simd::Isa;
use rand::Rng;

/// Fewer rollouts than this are made one by one. In lanes, four take as long as 1.3
/// to 5.8 one by one: `docs/EXPERIMENTS.md`, Rollouts.
const LANES_FROM: u32 = 3;

impl Rollout for Connect4 {
    fn record_rollouts<T: Record>(&self, isa: Isa, count: u32, random: &mut Random) -> T {
        if count < LANES_FROM || self.outcome().is_some() || self.awaits_steal() {
            return one_by_one(count, || rollout(isa, self, random));
        }
        let seed = random.next_u64();
        match self.board() {
            Stones::Small(_) => isa.run_lanes(lanes::Rollouts::<1, T>::new(self, count, seed)),
            Stones::Large(board) if isa.is_portable() => serial::rollouts(self, board, count, seed),
            Stones::Large(_) => isa.run_lanes(lanes::Rollouts::<3, T>::new(self, count, seed)),
        }
    }

    fn one_of_each(isa: Isa, positions: &[&Connect4], random: &mut Random) -> Option<Margins> {
        let is_small = |it: &&Connect4| {
            matches!(it.board(), Stones::Small(_)) && it.outcome().is_none() && !it.awaits_steal()
        };
        if positions.len() < LANES_FROM as usize || !positions.iter().all(is_small) {
            return None;
        }
        let seed = random.next_u64();
        Some(isa.run_lanes(OneOfEach { positions, seed }))
    }
}

/// One rollout.
fn rollout(isa: Isa, position: &Connect4, random: &mut Random) -> End {
    if let Some(outcome) = position.outcome() {
        return End { outcome, plies: 0 };
    }
    if position.awaits_steal() {
        // After two moves at the most, columns are all that is left.
        let mut next = position.clone();
        next.play(any_move(position, &mut Moves::new(), random));
        let End { outcome, plies } = rollout(isa, &next, random);
        return End {
            outcome,
            plies: plies + 1,
        };
    }
    single::roll_out(isa, position, random)
}
