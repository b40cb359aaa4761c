//! Wins by continuous threats, proven.
//!
//! [`fours`] looks for a victory by continuous fours: every move of the attacker threatens five, so
//! the defender has one answer, or none. Lines whose fours hang together (see `chain`) come first. [`threes`] looks for a victory by continuous threats: every
//! move of the attacker threatens a victory by fours, and the defender may answer with any move
//! that could disturb it, or with fours of its own.
//!
//! What is found is a proof: every reply that is not tried is one that cannot matter (see
//! [`fours::Fours::zone`]). What is not found proves nothing, because the attacker's moves are
//! limited to threats and the search to a number of nodes.
//!
//! Tables and graph are allocated once; an expansion of the graph makes small lists.

mod chain;
pub mod defences;
pub mod fours;
mod graph;
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
    /// Every move of the attacker makes a four, or five.
    pub by_fours: bool,
}

/// The searches with their memory, for one thread.
pub struct Threats {
    fours: Fours,
    threes: Threes,
    gave_up: bool,
}

/// Nodes of a search for fours within one for threats. (A guess.)
const NODES_WITHIN: u32 = 200;

/// Nodes of the first of several searches; each has twice as many as the one before.
/// (A guess: most searches end sooner.)
const NODES_AT_FIRST: u64 = 4096;

/// How many nodes a search for fours has for each of the search for threats after it, where all the
/// time is for the one question. (Consequence: `docs/EXPERIMENTS.md`, Gomoku.)
const FOURS_FIRST: u64 = 4;

/// The most nodes for a shorter victory by fours than the one that was found. (A guess: some tenth
/// of a second.)
const NODES_TO_SHORTEN: u64 = 65_536;

/// Parts of an effort, the first with so many nodes and each other with twice those of the one
/// before, until the time is over.
pub fn parts<'a>(effort: &Effort<'a>, first: u64) -> impl Iterator<Item = Effort<'a>> {
    let effort = *effort;
    let mut left = effort.nodes;
    let sizes = std::iter::successors(Some(first), |size| size.checked_mul(2));
    sizes.map_while(move |size| {
        let nodes = size.min(left);
        left -= nodes;
        (nodes > 0 && !(effort.expired)()).then_some(Effort { nodes, ..effort })
    })
}

impl Threats {
    /// With tables and a tree of so many bytes together.
    #[must_use]
    pub fn with_bytes(bytes: usize) -> Threats {
        Threats {
            fours: Fours::with_bytes(bytes / 4),
            threes: Threes::with_bytes(bytes / 4 * 3),
            gave_up: false,
        }
    }

    /// Positions looked at so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.fours.nodes() + self.threes.nodes()
    }

    /// Looks for a victory by fours of `side`, which is to move, in `nodes` positions at the most.
    /// Returns its first move and its plies.
    #[cfg(test)]
    fn prove(&mut self, board: &mut Patterns, side: Side, nodes: u32) -> Option<(Move, u16)> {
        let plies = self.fours.win(board, side, u16::MAX, nodes)?;
        Some((self.fours.first_move()?, plies))
    }

    /// Looks for a win of `side`, which is to move, by fours and by threats in turn, with more nodes
    /// each time, and shortens one by fours a little.
    pub fn solve(&mut self, board: &mut Patterns, side: Side, effort: &Effort<'_>) -> Option<Win> {
        for part in parts(effort, NODES_AT_FIRST) {
            let for_fours = Effort {
                nodes: part.nodes.saturating_mul(FOURS_FIRST),
                ..part
            };
            if let Some(win) = self.attempt_with(board, side, &for_fours, &part) {
                return Some(self.shortened(board, side, win, effort));
            }
            if !self.gave_up() {
                break;
            }
        }
        None
    }

    /// The same with one search by fours and one by threats, and nothing shortened.
    pub fn attempt(
        &mut self,
        board: &mut Patterns,
        side: Side,
        effort: &Effort<'_>,
    ) -> Option<Win> {
        self.attempt_with(board, side, effort, effort)
    }

    fn attempt_with(
        &mut self,
        board: &mut Patterns,
        side: Side,
        for_fours: &Effort<'_>,
        effort: &Effort<'_>,
    ) -> Option<Win> {
        if let Some(plies) = self.fours.solve(board, side, u16::MAX, for_fours) {
            return Some(Win {
                line: self.fours.line(),
                plies,
                by_fours: true,
            });
        }
        let gave_up = self.fours.gave_up();
        let plies = self.wins(board, side, side, effort);
        self.gave_up |= gave_up;
        let Threats { fours, threes, .. } = self;
        plies.map(|plies| Win {
            line: threes.line(fours, board, side, effort),
            plies,
            by_fours: false,
        })
    }

    /// Whether the last search ended for want of nodes or time.
    #[must_use]
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// A shorter win of `side` by fours in the place of one by fours, if that is found soon.
    pub fn shortened(
        &mut self,
        board: &mut Patterns,
        side: Side,
        mut win: Win,
        effort: &Effort<'_>,
    ) -> Win {
        let end = self.fours.nodes() + effort.nodes.min(NODES_TO_SHORTEN);
        while win.by_fours && win.plies > 3 && self.fours.nodes() < end {
            let effort = Effort {
                nodes: end - self.fours.nodes(),
                ..*effort
            };
            let shorter = self.fours.solve(board, side, win.plies - 2, &effort);
            let Some(plies) = shorter else { break };
            win.plies = plies;
            win.line = self.fours.line();
        }
        win
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
        let Threats { fours, threes, .. } = self;
        let plies = threes.win(fours, board, attacker, to_move, effort);
        self.gave_up = plies.is_none() && !threes.failed();
        plies
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
        board.probe(Gomoku::move_at(*cell), attacker.other());
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
