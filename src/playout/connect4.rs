//! Uniform random playouts of Connect Four: [one by one](single), or in [lanes](lanes).

mod lanes;
mod single;

use super::{Playout, Random, Tally, play_any};
use crate::game::connect4::Connect4;
use crate::game::{Game, Moves, Outcome};
use crate::simd::Path;
use rand::Rng;

/// Fewer playouts than this are made one by one. In lanes, four on 7×6 take as long as 1.3 one by
/// one with AVX-512, as 1.9 with AVX2 and as 3.3 without; on 12×12 as 2.5, 5.5 and 7.8
/// (`cargo bench --bench playouts`, 2026-11-21).
const LANES_FROM: u32 = 3;

impl Playout for Connect4 {
    fn rollout(&self, random: &mut Random) -> Outcome {
        rollout_on(Path::current(), self, random)
    }

    fn rollouts_on(&self, path: Path, count: u32, random: &mut Random) -> Tally {
        if count < LANES_FROM || self.outcome().is_some() || self.awaits_steal() {
            let mut tally = Tally::default();
            for _ in 0..count {
                tally.add(rollout_on(path, self, random));
            }
            return tally;
        }
        let (position, seed) = (self, random.next_u64());
        let setup = self.setup();
        if setup.cols <= 8 && setup.rows <= 7 {
            path.run_lanes(lanes::Playouts::<1> {
                position,
                count,
                seed,
            })
        } else {
            path.run_lanes(lanes::Playouts::<3> {
                position,
                count,
                seed,
            })
        }
    }
}

/// The result of one playout.
fn rollout_on(path: Path, position: &Connect4, random: &mut Random) -> Outcome {
    if let Some(outcome) = position.outcome() {
        return outcome;
    }
    if position.awaits_steal() {
        // After two moves at the most, columns are all that is left.
        let mut next = position.clone();
        play_any(&mut next, &mut Moves::new(), random);
        return rollout_on(path, &next, random);
    }
    single::play_out(path, position, random)
}
