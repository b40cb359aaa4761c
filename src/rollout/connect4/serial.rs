//! The same rollouts as in [lanes](super::lanes), one after the other: for large boards where
//! there is no vector unit.
//!
//! A stone is tested by the four lines through it, so that the work does not grow with the
//! board. With SSE2 alone that is up to twice as fast as lanes on 12×12: `docs/EXPERIMENTS.md`,
//! Rollouts.

use super::lanes::{STEPS, surplus};
use crate::game::connect4::Connect4;
use crate::game::connect4::board::{Large, has_row};
use crate::game::{Game, Outcome, Playable};
use crate::rollout::{End, Random, Record};
use crate::simd::{LANES, lane_count, lane_stream};
use rand::Rng;

/// Rollouts of a position that is not over and in which columns are all the moves. `seed` is
/// that of the lanes' random words.
pub fn rollouts<T: Record>(position: &Connect4, board: &Large, count: u32, seed: u64) -> T {
    // The length is a constant in the loop, so that the test for a row is straight code.
    let roll_out = match position.rules().connect {
        3 => roll_out::<3>,
        4 => roll_out::<4>,
        _ => roll_out::<5>,
    };
    let mut record = T::default();
    for lane in 0..LANES {
        let mut halves = Halves {
            random: lane_stream(seed, 0, lane),
            upper: None,
        };
        for _ in 0..lane_count(count, lane) {
            record.add(roll_out(position, board, &mut halves));
        }
    }
    record
}

/// The halves of a lane's random words, the lower one first.
struct Halves {
    random: Random,
    upper: Option<u32>,
}

impl Halves {
    #[inline]
    fn next(&mut self) -> u32 {
        self.upper.take().unwrap_or_else(|| {
            let word = self.random.next_u64();
            self.upper = Some((word >> 32) as u32);
            word as u32
        })
    }
}

/// The next game of a lane. It takes whole halves, as there.
fn roll_out<const CONNECT: u8>(position: &Connect4, board: &Large, halves: &mut Halves) -> End {
    let columns = u64::from(position.setup().cols);
    let surplus = surplus(columns);
    let mover = position.side_to_move();
    let [mut own, mut other] = [mover, mover.other()].map(|side| board.lines[side.index()]);
    // Swapped at every turn, so that no address has to be chosen.
    let (mut own, mut other) = (&mut own, &mut other);
    let mut filled = board.filled;
    let plies = position.max_plies_left();
    let mut ply = 0;
    while ply < plies {
        let draws = draws(halves.next(), columns);
        if draws[STEPS - 1] & u64::from(u32::MAX) < surplus {
            continue;
        }
        for draw in draws {
            let col = (draw >> 32) as usize;
            if filled[col] == board.full {
                continue;
            }
            let height = filled[col].trailing_ones() as usize;
            own.place(col, height);
            if has_row(own.through(col, height), CONNECT) {
                let winner = if ply % 2 == 0 { mover } else { mover.other() };
                let outcome = Outcome::win(winner);
                return End {
                    outcome,
                    plies: ply + 1,
                };
            }
            filled[col] |= 1 << height;
            std::mem::swap(&mut own, &mut other);
            ply += 1;
        }
    }
    let outcome = Outcome::DRAW;
    End { outcome, plies }
}

/// Draws of columns, each in the upper half.
#[inline]
fn draws(half: u32, columns: u64) -> [u64; STEPS] {
    let mut rest = half;
    std::array::from_fn(|_| {
        let draw = u64::from(rest) * columns;
        rest = draw as u32;
        draw
    })
}
