//! What can be done against a victory by fours.

use super::fours::Fours;
use super::stops;
use crate::game::gomoku::Gomoku;
use crate::game::gomoku::bits::Bits;
use crate::game::{Moves, Side};
use crate::knowledge::gomoku::patterns::Patterns;

/// What is left to a side that is threatened with a victory by fours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defences {
    /// The moves that might stop it. Every other move loses.
    pub moves: Moves,
    /// The most plies until a move that is not among them has lost.
    pub plies: u16,
}

impl Fours {
    /// The moves of `side`, which is to move, that might stop the opponent from winning by fours:
    /// those that touch what the victory needs, and fours of `side`'s own. `None` if no such victory
    /// is found in `nodes` positions. With no moves left the position is lost. A win of `side`'s own
    /// is not looked for.
    pub fn defences(&mut self, board: &mut Patterns, side: Side, nodes: u32) -> Option<Defences> {
        let attacker = side.other();
        let (candidates, plies) = if board.fives(attacker).is_empty() {
            let plies = self.win(board, attacker, u16::MAX, nodes)?;
            let disturbing = self.zone(board) | board.fours(side) | board.fives(side);
            (disturbing & board.empty(), plies + 1)
        } else {
            let stops = stops(board, attacker).into_iter();
            (stops.fold(Bits::EMPTY, |set, it| set | Bits::of(it)), 2)
        };
        let allowed = candidates.cells().filter(|&cell| board.allows(cell, side));
        let moves = allowed.map(Gomoku::move_at).collect();
        Some(Defences { moves, plies })
    }
}
