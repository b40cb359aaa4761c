//! What a search found.

use crate::game::{Action, Outcome, Side};
use crate::knowledge::Proof;
use std::time::Duration;

/// What a search found, with the moves as protocols see them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The move to play. `None` when the game is over.
    pub best: Option<Action>,
    /// The expected score of the side to move, 0 (lost) to 1 (won).
    pub value: f64,
    /// The exact result for the side to move, where it is proven.
    pub proof: Option<Proof>,
    /// Playouts made by this search.
    pub playouts: u64,
    /// Visits of the root, those of a kept tree included: a playout for one, or less or more where
    /// [values have weights](crate::knowledge::Evaluation::Value).
    pub visits: u64,
    /// How many of them were kept of earlier searches.
    pub reused: u64,
    /// Nodes in the tree, those not yet recycled included.
    pub nodes: u64,
    /// Length of the longest playout of this search inside the tree, in plies.
    pub depth: u32,
    /// Time from the stamp of the line that asked until now.
    pub elapsed: Duration,
    /// The moves looked at, best first. Empty from bots that do not search.
    pub moves: Vec<MoveReport>,
}

impl Report {
    /// The report of a bot that only names its move.
    #[must_use]
    pub fn of_move(best: Option<Action>, value: f64) -> Report {
        Report {
            best,
            value,
            ..Report::default()
        }
    }

    /// The report of a game that is over, for the side whose turn it would be.
    #[must_use]
    pub fn of_outcome(outcome: Outcome, to_move: Side) -> Report {
        let proof = Proof::of_outcome(outcome, to_move);
        Report {
            value: f64::from(proof.result.score()),
            proof: Some(proof),
            ..Report::default()
        }
    }

    /// Playouts a second in this search.
    #[must_use]
    pub fn playouts_per_second(&self) -> f64 {
        self.playouts as f64 / self.elapsed.as_secs_f64().max(1e-6)
    }

    /// The moves that anything is known of, best first: of the others `mean` says nothing.
    pub fn known_moves(&self) -> impl Iterator<Item = &MoveReport> {
        let moves = self.moves.iter();
        moves.filter(|mv| mv.visits > 0 || mv.proof.is_some())
    }

    /// The principal variation: the moves that the search expects, its own first.
    #[must_use]
    pub fn pv(&self) -> &[Action] {
        self.moves.first().map_or(&[], |best| &best.pv)
    }
}

/// What a search found about one move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub action: Action,
    /// Visits of it, counted as those of the root.
    pub visits: u64,
    /// The expected score of the side that plays it, 0 (lost) to 1 (won). Where several moves are
    /// known to draw, it is that against an opponent who chooses at random.
    pub mean: f64,
    /// The exact result for the side that plays it, where it is proven. `plies` counts from
    /// the root, this move included.
    pub proof: Option<Proof>,
    /// The exact margin for the side that plays it, where a solver told it: stones in Connect Four, as
    /// `tengen solve` counts them, and discs in Reversi.
    pub score: Option<i32>,
    /// The line that is expected after it, this move first. Only the best
    /// moves have more than this move.
    pub pv: Vec<Action>,
}
