//! What tells the exact score of every move, where a solver comes to an end in time. It is no player:
//! boards ask it.

use crate::clock;
use crate::game::connect4::Connect4;
use crate::game::reversi::Reversi;
use crate::game::{Game, Move, Moves, Playable};
use crate::knowledge::connect4::{proof_of_score, solver};
use crate::knowledge::reversi::endgame;
use crate::knowledge::{Effort, Proof, ProofResult};
use crate::options::SearchOptions;
use crate::search::{MoveReport, Report};
use crate::session::{Task, Thinker};
use std::cmp::Reverse;

/// A game that has a solver.
pub trait Exact: Game {
    /// The solver, which may keep what it has found.
    type Solver: Send + Sync + 'static;

    /// A solver for the game of this position. `None`: not for its variant.
    fn solver(&self, options: &SearchOptions) -> Option<Self::Solver>;

    /// The margin by which a legal move wins for the side that makes it, and how the game ends by
    /// it, as seen from this position. `None`: the effort was not enough.
    fn exact(&self, solver: &Self::Solver, mv: Move, effort: &Effort<'_>) -> Option<(i32, Proof)>;
}

impl Exact for Connect4 {
    type Solver = solver::Solver;

    /// No score counts a steal.
    fn solver(&self, options: &SearchOptions) -> Option<solver::Solver> {
        let solver = solver::Solver::new(
            &self.setup(),
            options.memory.bytes() as usize,
            options.threads,
        );
        (!self.rules().steal).then(|| solver.with_own_book())
    }

    fn exact(&self, solver: &Self::Solver, mv: Move, effort: &Effort<'_>) -> Option<(i32, Proof)> {
        let score = solver.move_score(self, mv, effort)?;
        Some((score, proof_of_score(score, self.max_plies_left())))
    }
}

impl Exact for Reversi {
    type Solver = endgame::Solver;

    fn solver(&self, options: &SearchOptions) -> Option<endgame::Solver> {
        let solver = endgame::Solver::new(options.memory.bytes() as usize, options.threads);
        Some(solver.with_own_judge())
    }

    fn exact(&self, solver: &Self::Solver, mv: Move, effort: &Effort<'_>) -> Option<(i32, Proof)> {
        let board = endgame::Board::from(self);
        let score = solver.move_score(board, mv, effort)?;
        let result = match score {
            1.. => ProofResult::Win,
            0 => ProofResult::Draw,
            _ => ProofResult::Loss,
        };
        let plies = board.empty().count_ones() as u16;
        Some((score, Proof { result, plies }))
    }
}

/// Scores the moves of the position on the board.
pub struct Scorer<G: Exact> {
    solver: Option<G::Solver>,
}

impl<G: Exact> Scorer<G> {
    /// A scorer for the game of this position. The solver has the memory and the threads of the options.
    pub fn new(position: &G, options: &SearchOptions) -> Self {
        Scorer {
            solver: position.solver(options),
        }
    }

    fn scores(&self, position: &G, effort: &Effort<'_>) -> Vec<MoveReport> {
        let Some(solver) = &self.solver else {
            return Vec::new();
        };
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        let mut scored = Vec::new();
        for &mv in &moves {
            // Where one score takes too long, the others would too.
            let Some((score, proof)) = position.exact(solver, mv, effort) else {
                break;
            };
            scored.push(MoveReport {
                action: position.action(mv),
                visits: 0,
                mean: proof.result.score().into(),
                proof: Some(proof),
                score: Some(score),
                pv: vec![position.action(mv)],
            });
        }
        scored.sort_by_key(|mv| Reverse(mv.score));
        scored
    }
}

impl<G: Exact> Thinker<G> for Scorer<G> {
    fn choose(&mut self, position: &G, task: Task<'_>) -> Report {
        let Task { limits, stop, .. } = task;
        let until = limits.budget.map(|budget| limits.since + budget.hard);
        let expired = || stop.get().is_some() || until.is_some_and(|until| clock::now() >= until);
        let moves = self.scores(
            position,
            &Effort {
                expired: &expired,
                ..Effort::UNLIMITED
            },
        );
        Report {
            elapsed: clock::now().saturating_duration_since(limits.since),
            moves,
            ..Report::of_move(None, 0.5)
        }
    }
}
