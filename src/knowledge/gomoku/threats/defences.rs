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
    /// The moves that may stop it. Every other move loses.
    pub moves: Moves,
    /// The most plies until a move that is not among them has lost.
    pub plies: u16,
}

impl Fours {
    /// The moves of `side`, which is to move, that may stop the opponent from winning by fours.
    /// `None` if no such victory is found in `nodes` positions. With no moves left the position is
    /// lost. A win of `side`'s own is not looked for.
    pub fn defences(&mut self, board: &mut Patterns, side: Side, nodes: u32) -> Option<Defences> {
        let attacker = side.other();
        let (candidates, plies) = if board.fives(attacker).is_empty() {
            let plies = self.win(board, attacker, u16::MAX, nodes)?;
            let disturbing = self.zone(board) | board.fours(side) | board.fives(side);
            (disturbing & board.empty(), plies + 1)
        } else {
            let stops = stops(board, attacker);
            (
                stops
                    .into_iter()
                    .fold(Bits::EMPTY, |set, it| set | Bits::of(it)),
                2,
            )
        };
        let mut found = Defences {
            moves: Moves::new(),
            plies,
        };
        for cell in candidates.cells() {
            if !board.allows(cell, side) {
                continue;
            }
            let mv = Gomoku::move_at(cell);
            let wins = board.fives(side).contains(cell);
            board.play(mv, side);
            let loss = match wins {
                true => None,
                false => self.win(board, attacker, u16::MAX, nodes),
            };
            board.undo();
            match loss {
                Some(plies) => found.plies = found.plies.max(plies + 1),
                None => found.moves.push(mv),
            }
        }
        Some(found)
    }
}
