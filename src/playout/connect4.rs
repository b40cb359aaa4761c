//! Uniform random playouts of Connect Four: one by one, or in [lanes](lanes).

mod lanes;

use super::{Playout, Random, Tally, pick, play_any, tally_one_by_one};
use crate::game::connect4::{Connect4, MAX_SIZE, has_row};
use crate::game::{Game, Moves, Outcome};
use crate::simd::Path;
use rand::Rng;

/// Fewer playouts than this are made one by one. In lanes, four on 7×6 take as long as 1.3 one by
/// one with AVX-512, as 1.9 with AVX2 and as 3.3 without; on 12×12 as 2.5, 5.5 and 7.8
/// (`cargo bench --bench playouts`, 2026-11-21).
const LANES_FROM: u32 = 3;

impl Playout for Connect4 {
    fn rollout(&self, random: &mut Random) -> Outcome {
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        if self.awaits_steal() {
            // After two moves at the most, columns are all that is left.
            let mut next = self.clone();
            play_any(&mut next, &mut Moves::new(), random);
            return next.rollout(random);
        }
        // The length is a constant in the loop, so that the test for a row is straight code.
        match self.setup().connect {
            3 => play_out::<3>(self, random),
            4 => play_out::<4>(self, random),
            _ => play_out::<5>(self, random),
        }
    }

    fn rollouts_on(&self, path: Path, count: u32, random: &mut Random) -> Tally {
        if count < LANES_FROM || self.outcome().is_some() || self.awaits_steal() {
            return tally_one_by_one(self, count, random);
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

/// Plays a game that is not over to its end.
fn play_out<const CONNECT: u8>(position: &Connect4, random: &mut Random) -> Outcome {
    let full = (1 << position.setup().rows) - 1;
    let mut lines = position.lines;
    let mut filled = position.filled;
    let mut mover = position.side_to_move();
    let (mut columns, mut open) = open_columns(position);
    while open > 0 {
        let choice = pick::below(open, random) as usize;
        let col = usize::from(columns[choice]);
        let height = filled[col].trailing_ones() as usize;
        let own = &mut lines[mover.index()];
        own.place(col, height);
        if has_row(own.through(col, height), CONNECT) {
            return Outcome::win(mover);
        }
        filled[col] |= 1 << height;
        if filled[col] == full {
            open -= 1;
            columns[choice] = columns[open as usize];
        }
        mover = mover.other();
    }
    Outcome::DRAW
}

/// The columns that take another stone, and how many they are.
fn open_columns(position: &Connect4) -> ([u8; MAX_SIZE], u32) {
    let mut columns = [0; MAX_SIZE];
    for (slot, col) in columns.iter_mut().zip(position.open_columns()) {
        *slot = col as u8;
    }
    (columns, position.open.count_ones())
}
