//! What is decided within a certain number of plies, however large the board.
//!
//! The mean of rollouts hides a win that hangs on one line of play: a search that plays
//! hundreds of thousands of them may give the move that starts it some dozens. So the solver is
//! asked beside them whether the side to move wins within 1, 3, 5 and so on plies, and after which
//! of its moves the opponent does. That is a search of a few plies: as only a win as soon as that
//! counts, it ends where there is none left in time.

use super::solver::Solver;
use crate::game::connect4::Connect4;
use crate::game::{Game, Move, Moves};
use crate::knowledge::{Effort, Proof, ProofResult, Solution};
use std::ops::ControlFlow;

/// The most positions that are looked at: some 15 ms, in which wins within 9 to 15 plies are seen on
/// boards of 9 to 12. More, or to ask also for the
/// opponent's wins, lost: `docs/EXPERIMENTS.md`, Knowledge of Connect Four.
const MOST_NODES: u64 = 100_000;

/// Looks further and further ahead until the effort is spent or the position is decided. Returns
/// what was found; `None`: nothing.
pub fn foresee(solver: &Solver, position: &Connect4, effort: &Effort<'_>) -> Option<Solution> {
    let mut foresight = Foresight {
        solver,
        position,
        effort,
        until: solver.nodes() + effort.nodes.min(MOST_NODES),
        open: Moves::new(),
    };
    position.legal_moves(&mut foresight.open);
    let legal = foresight.open.len();
    for plies in (1..=position.max_plies_left()).step_by(2) {
        match foresight.look(plies) {
            Some(ControlFlow::Continue(())) => {}
            Some(ControlFlow::Break(solution)) => return Some(solution),
            None => break,
        }
    }
    (foresight.open.len() < legal).then(|| Solution::new(None, foresight.open))
}

struct Foresight<'a> {
    solver: &'a Solver,
    position: &'a Connect4,
    effort: &'a Effort<'a>,
    /// Where the solver's count of positions stands when enough were looked at.
    until: u64,
    /// The moves that are not known to lose.
    open: Moves,
}

impl Foresight<'_> {
    /// Looks for a win within so many plies, an odd number, and for moves that lose in one ply
    /// more. Ends with the solution where all is decided. `None`: the effort was not enough.
    fn look(&mut self, plies: u32) -> Option<ControlFlow<Solution>> {
        if self.is_won(self.position, plies)? {
            return Some(ControlFlow::Break(self.win(plies)?));
        }
        let before = self.open.clone();
        for &mv in &before {
            let mut next = self.position.clone();
            next.play(mv);
            if next.outcome().is_none() && self.is_won(&next, plies)? {
                self.open.retain(|open| *open != mv);
            }
        }
        match (self.open.first(), before.first()) {
            (None, Some(&last)) => {
                let lost = solution(ProofResult::Loss, plies + 1, last);
                Some(ControlFlow::Break(lost))
            }
            _ => Some(ControlFlow::Continue(())),
        }
    }

    /// Whether a position is won within so many plies. The solver looks at its limits every
    /// thousand positions only, and most of these questions take fewer.
    fn is_won(&self, position: &Connect4, plies: u32) -> Option<bool> {
        let nodes = self.until.saturating_sub(self.solver.nodes());
        if nodes == 0 || (self.effort.expired)() {
            return None;
        }
        let effort = Effort {
            nodes,
            ..*self.effort
        };
        self.solver.wins_within(position, plies, &effort)
    }

    /// The solution of a position that is won within so many plies. The solver's table has most of
    /// what is asked here.
    fn win(&self, plies: u32) -> Option<Solution> {
        for &mv in &self.open {
            if self.solver.wins_by(self.position, mv, plies, self.effort)? {
                return Some(solution(ProofResult::Win, plies, mv));
            }
        }
        None
    }
}

fn solution(result: ProofResult, plies: u32, best: Move) -> Solution {
    let plies = plies as u16;
    Solution::new(Some(Proof { result, plies }), Moves::from_iter([best]))
}

#[cfg(test)]
mod tests {
    use super::super::proof_of_score;
    use super::super::solver::tests::{late_positions, moves, negamax_of_move};
    use super::*;
    use crate::game::Playable;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// The exact score of every legal move.
    fn scores(position: &Connect4) -> Vec<(Move, i32)> {
        let mut known = HashMap::new();
        let score = |&mv: &Move| (mv, negamax_of_move(position, mv, &mut known));
        moves(position).iter().map(score).collect()
    }

    proptest! {
        #[test]
        fn all_is_seen_that_negamax_sees(
            position in late_positions(1..=11_u32),
        ) {
            let setup = position.setup();
            let scores = scores(&position);
            let best = scores.iter().map(|(_, score)| *score).max().unwrap();
            let proof = proof_of_score(best, position.max_plies_left());
            let solver = Solver::new(&setup, 1 << 16, 1);
            let found = foresee(&solver, &position, &Effort::UNLIMITED);
            if proof.result == ProofResult::Draw {
                let mut open: Vec<Move> = scores.iter().map(|(mv, _)| *mv).collect();
                if let Some(Solution { proof, best, .. }) = found {
                    prop_assert_eq!(proof, None);
                    prop_assert!(best.len() < open.len());
                    open = best.to_vec();
                }
                let draws = scores.iter().filter(|(_, score)| *score == 0);
                prop_assert_eq!(open, draws.map(|(mv, _)| *mv).collect::<Vec<_>>());
            } else {
                let found = found.unwrap();
                prop_assert_eq!(found.proof, Some(proof));
                prop_assert_eq!(found.best.len(), 1);
                prop_assert!(scores.contains(&(found.best[0], best)));
            }
        }

        #[test]
        fn what_is_found_in_time_is_right(
            position in late_positions(1..=11_u32),
            nodes in 0..200_u64,
        ) {
            let setup = position.setup();
            let solver = Solver::new(&setup, 1 << 16, 1);
            let effort = Effort { nodes, ..Effort::UNLIMITED };
            if let Some(found) = foresee(&solver, &position, &effort) {
                let scores = scores(&position);
                let best = scores.iter().map(|(_, score)| *score).max().unwrap();
                let exact = proof_of_score(best, position.max_plies_left());
                prop_assert!(found.proof.is_none_or(|proof| proof == exact));
                for (mv, score) in scores {
                    prop_assert!(found.best.contains(&mv) || found.proof.is_some() || score < 0);
                }
            }
        }
    }
}
