//! What Tengen knows of Reversi.

pub mod endgame;
pub mod evaluation;
pub mod patterns;

use crate::game::Move;
use crate::game::reversi::{PASS, Reversi};

/// How many discs of the opponent a legal move turns over; none for a pass.
#[must_use]
pub fn flips(position: &Reversi, mv: Move) -> u32 {
    match mv.code() {
        PASS => 0,
        square => position.flips(usize::from(square)).count_ones(),
    }
}
