//! Wins by continuous threats, proven.
//!
//! [`fours`] looks for a victory by continuous fours: every move of the attacker threatens five, so
//! the defender has one answer, or none. [`threes`] looks for a victory by continuous threats: every
//! move of the attacker threatens a victory by fours, and the defender may answer with any move
//! that could disturb it, or with fours of its own.
//!
//! What is found is a proof: every reply that is not tried is one that cannot matter (see
//! [`fours::Fours::zone`]). What is not found proves nothing, because the attacker's moves are
//! limited to threats and the search to a number of nodes.
//!
//! All memory is allocated once.

pub mod defences;
pub mod fours;
pub mod threes;

use super::patterns::Patterns;
use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::{Gomoku, line};
use crate::game::{Move, Side};
use crate::knowledge::Effort;
use fours::Fours;
use smallvec::SmallVec;
use threes::Threes;

/// A win that is proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Win {
    /// The moves of both sides with the longest defence that was looked at, to the last stone. The
    /// first is the attacker's.
    pub line: Vec<Move>,
    /// The game is won after so many plies at the most, if the attacker plays the line and finds
    /// its answer to every other defence.
    pub plies: u16,
}

/// The searches with their memory, for one thread.
pub struct Threats {
    fours: Fours,
    threes: Threes,
}

/// Nodes of a search for fours within one for threats. (A guess.)
const NODES_WITHIN: u32 = 200;

impl Threats {
    /// With tables and a tree of so many bytes together.
    #[must_use]
    pub fn with_bytes(bytes: usize) -> Threats {
        Threats {
            fours: Fours::with_bytes(bytes / 4),
            threes: Threes::with_bytes(bytes / 4 * 3),
        }
    }

    /// Positions looked at so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.fours.nodes()
    }

    /// Looks for a victory by fours of `side`, which is to move, in `nodes` positions at the most.
    /// Returns its first move and its plies.
    #[inline]
    pub fn prove(&mut self, board: &mut Patterns, side: Side, nodes: u32) -> Option<(Move, u16)> {
        let plies = self.fours.win(board, side, u16::MAX, nodes)?;
        Some((self.fours.first_move()?, plies))
    }

    /// Looks for a win of `side`, which is to move, by fours and then by threats, and shortens one
    /// by fours as far as `effort` is enough.
    pub fn solve(&mut self, board: &mut Patterns, side: Side, effort: &Effort<'_>) -> Option<Win> {
        let Some(mut plies) = self.fours.solve(board, side, u16::MAX, effort) else {
            return self.solve_by_threats(board, side, effort);
        };
        let mut line = self.fours.line();
        while plies > 3 {
            let shorter = self.fours.solve(board, side, plies - 2, effort);
            let Some(found) = shorter else { break };
            (plies, line) = (found, self.fours.line());
        }
        Some(Win { line, plies })
    }

    /// Looks for a win of `side`, which is to move, by threats.
    fn solve_by_threats(
        &mut self,
        board: &mut Patterns,
        side: Side,
        effort: &Effort<'_>,
    ) -> Option<Win> {
        let plies = self.wins(board, side, side, effort)?;
        let Threats { fours, threes } = self;
        let line = threes.line(fours, board, side, effort);
        Some(Win { line, plies })
    }

    /// Whether `attacker` wins by continuous threats if `to_move` moves next. Returns after how many
    /// plies at the most.
    pub fn wins(
        &mut self,
        board: &mut Patterns,
        attacker: Side,
        to_move: Side,
        effort: &Effort<'_>,
    ) -> Option<u16> {
        let Threats { fours, threes } = self;
        threes.win(fours, board, attacker, to_move, effort)
    }
}

/// The cells on which a stone of the other side leaves `attacker` no five, whether or not the other
/// side may move there. `attacker` has a five to make now.
fn stops(board: &mut Patterns, attacker: Side) -> SmallVec<[usize; 8]> {
    let fives = board.fives(attacker);
    if !board.needs_free_end() {
        let only = fives.cells().take(2);
        let only: SmallVec<[usize; 8]> = only.collect();
        return if only.len() == 1 {
            only
        } else {
            SmallVec::new()
        };
    }
    let Some(first) = fives.cells().next() else {
        return SmallVec::new();
    };
    let tries = Bits::of(first) | free_ends(board, first, attacker);
    let stops = |cell: &usize| {
        board.play(Gomoku::move_at(*cell), attacker.other());
        let stopped = board.fives(attacker).is_empty();
        board.undo();
        stopped
    };
    tries.cells().filter(stops).collect()
}

/// The empty cells at the ends of the rows that a stone of `side` on `cell` makes.
fn free_ends(board: &Patterns, cell: usize, side: Side) -> Bits<8> {
    let own = board.stones(side);
    let ends = line::steps(board.stride())
        .into_iter()
        .flat_map(|step| line::ends(&own, cell, step));
    let empty = board.empty();
    ends.filter(|&end| empty.contains(end))
        .fold(Bits::EMPTY, |set, end| set | Bits::of(end))
}

#[cfg(test)]
pub(super) mod tests;
