//! Uniform random rollouts of Reversi: one by one, or in [lanes](lanes).

mod lanes;

use super::{End, Margins, OneOfEach, Random, Record, Rollout, one_by_one, pick};
use crate::game::reversi::{Reversi, final_score, flips, mobility};
use crate::game::{Game, Side};
use crate::simd::Isa;
use rand::Rng;

/// Fewer rollouts than this are made one by one. In lanes, up to eight take as long as 1.7
/// to 4.8 one by one: `docs/EXPERIMENTS.md`, Rollouts.
const LANES_FROM: u32 = 3;

impl Rollout for Reversi {
    fn record_rollouts<T: Record>(&self, isa: Isa, count: u32, random: &mut Random) -> T {
        if count < LANES_FROM || self.outcome().is_some() {
            return one_by_one(count, || rollout(self, random));
        }
        isa.run_lanes(lanes::Rollouts::new(self, count, random.next_u64()))
    }

    fn one_of_each(isa: Isa, positions: &[&Reversi], random: &mut Random) -> Option<Margins> {
        if positions.len() < LANES_FROM as usize {
            return None;
        }
        let seed = random.next_u64();
        Some(isa.run_lanes(OneOfEach { positions, seed }))
    }
}

/// The two words of discs alone: no list of moves, no key.
fn rollout(position: &Reversi, random: &mut Random) -> End {
    let mut mover = position.side_to_move();
    let mut own = position.discs(mover);
    let mut other = position.discs(mover.other());
    let mut legal = position.legal_squares();
    let mut passed = false;
    loop {
        if legal != 0 {
            let square = pick::set_bit(legal, random);
            let flipped = flips(square, own, other);
            own ^= flipped | 1 << square;
            other ^= flipped;
        } else if passed {
            break;
        }
        passed = legal == 0;
        std::mem::swap(&mut own, &mut other);
        mover = mover.other();
        legal = mobility(own, other);
    }
    match mover {
        Side::First => end_of(position, [own, other]),
        Side::Second => end_of(position, [other, own]),
    }
}

/// The end of a rollout from here with these discs, by `Side::index`.
fn end_of(position: &Reversi, discs: [u64; 2]) -> End {
    let count = |[first, second]: [u64; 2]| (first | second).count_ones();
    let before = [Side::First, Side::Second].map(|side| position.discs(side));
    End {
        outcome: final_score(discs),
        // Every ply that is no pass adds a disc.
        plies: count(discs) - count(before),
    }
}
