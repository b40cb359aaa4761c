//! Uniform random playouts of Connect Four.

use super::{Playout, Random, pick, play_any};
use crate::game::connect4::{Connect4, MAX_SIZE, has_row};
use crate::game::{Game, Moves, Outcome};

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
