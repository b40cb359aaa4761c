//! Uniform random playouts of Reversi: one by one, or in [lanes](lanes).

mod lanes;

use super::{Playout, Random, Tally, pick, tally_one_by_one};
use crate::game::reversi::{Reversi, final_score, flips, mobility};
use crate::game::{Game, Outcome, Side};
use crate::simd::Path;
use rand::Rng;

/// Fewer playouts than this are made one by one. In lanes, up to eight take as long as 1.7 one by
/// one with AVX-512, as 1.9 with AVX2 and as 4.8 without (`cargo bench --bench playouts`,
/// 2026-11-21).
const LANES_FROM: u32 = 3;

impl Playout for Reversi {
    /// The two words of discs alone: no list of moves, no key.
    fn rollout(&self, random: &mut Random) -> Outcome {
        let mut mover = self.side_to_move();
        let mut own = self.discs(mover);
        let mut other = self.discs(mover.other());
        let mut legal = self.legal_squares();
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
            Side::First => final_score([own, other]),
            Side::Second => final_score([other, own]),
        }
    }

    fn rollouts_on(&self, path: Path, count: u32, random: &mut Random) -> Tally {
        if count < LANES_FROM || self.outcome().is_some() {
            return tally_one_by_one(self, count, random);
        }
        let (position, seed) = (self, random.next_u64());
        path.run_lanes(lanes::Playouts {
            position,
            count,
            seed,
        })
    }
}
