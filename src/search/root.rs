//! The root, as far as the knowledge solves it before the search.

use super::limits::{End, Limits, StopFlag};
use super::report::MoveReport;
use super::{Search, backup};
use crate::clock::{self, Budget};
use crate::game::Action;
use crate::knowledge::{Effort, Knowledge, Proof, ProofResult};
use crate::rollout::Rollout;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

impl<G: Rollout, K: Knowledge<G>> Search<G, K> {
    /// Lets the knowledge solve the root within a part of the limits.
    pub(super) fn solve_root(&mut self, limits: &Limits, stop: &StopFlag) {
        // Again where it was solved before, for some moves of a draw may still be open. And also
        // when a machine that stood still has eaten up the time.
        let in_any_case = limits.budget.map_or(0, |budget| {
            polls_in_any_case(budget) * u64::from(self.options.threads)
        });
        let end = self.end(limits, clock::now());
        let is_over = end.is_some_and(|end| end != End::Time);
        if !self.solves_root() || stop.get().is_some() || is_over {
            return;
        }
        let granted = |budget: Budget| {
            let share = self.knowledge.solver_share(&self.position, budget.soft);
            budget.soft.mul_f64(share)
        };
        let time = match (limits.budget, limits.playouts) {
            (Some(budget), _) => Some(granted(budget)),
            (None, Some(_)) => None,
            (None, None) => Some(SOLVER_TIME_ENDLESS),
        };
        if time.is_some_and(|time| time.is_zero()) {
            return;
        }
        let until = time.map(|time| limits.since + time);
        let late = || until.is_some_and(|until| clock::now() >= until);
        let asked = AtomicU64::new(0);
        let expired = || {
            let is_early = asked.fetch_add(1, Ordering::Relaxed) < in_any_case;
            stop.get().is_some() || !is_early && late()
        };
        let nodes = limits.playouts.map_or(u64::MAX, |playouts| {
            playouts.saturating_mul(self.knowledge.solver_nodes_a_playout())
        });
        let effort = Effort {
            nodes,
            expired: &expired,
        };
        if let Some(solution) = self.knowledge.solve(&self.position, &effort) {
            // The root may have no child for any of its moves.
            if backup::settle_root(&self.tree, &solution) {
                self.solution = Some(solution);
            }
        }
    }

    fn solves_root(&self) -> bool {
        self.options.solve_root && self.shared().proofs
    }

    /// About how many more plies of the game take time, by which what is left on a clock is shared out.
    pub fn plies_to_think_about(&self) -> u32 {
        match self.solves_root() {
            true => self.knowledge.plies_to_think_about(&self.position),
            false => self.position.likely_plies_left(),
        }
    }

    /// Where several moves are known to draw, what is left to choose is after which of them the
    /// opponent errs most easily. A search for the best line only finds that they are all the same.
    /// So the opponent is taken to choose at random, but for moves that lose at sight. Such a tree is
    /// of no use to other searches, nor theirs to this one.
    /// It wins more drawn positions: `docs/EXPERIMENTS.md`, Drawn positions.
    pub(super) fn assume_random_opponent(&mut self) {
        let Some(solution) = self.solution.take_if(|it| it.is_drawn_with_choice()) else {
            return;
        };
        if self.random_opponent.is_none() {
            self.clear();
            self.reused = 0;
            self.random_opponent = Some(self.position.side_to_move().other());
            self.expand_root();
            backup::settle_root(&self.tree, &solution);
        }
        self.solution = Some(solution);
    }

    /// The result that the knowledge has proven for the side to move.
    pub(super) fn solved(&self) -> Option<Proof> {
        self.solution.as_ref()?.proof
    }

    /// Gives the best move the line that proves it, where the tree knows less of it.
    pub(super) fn tell_solution(&self, best: &mut MoveReport) {
        let Some(solution) = &self.solution else {
            return;
        };
        let mut position = self.position.clone();
        let actions = solution.line.iter().map(|&mv| {
            let action = position.action(mv);
            position.play(mv);
            action
        });
        let line: Vec<Action> = actions.collect();
        if line.len() > best.pv.len() && line.first() == Some(&best.action) {
            best.pv = line;
        }
    }

    /// Whether the knowledge knows a safe move, and this is none. What is proven is more than what
    /// the knowledge believes to be safe.
    pub(super) fn is_unsafe(&self, report: &MoveReport) -> bool {
        match (&self.solution, report.proof.map(|proof| proof.result)) {
            (None, _) | (_, Some(ProofResult::Win)) => false,
            (_, Some(ProofResult::Loss)) => true,
            (Some(solution), _) => {
                let mut safe = solution.safe.iter();
                !safe.any(|&mv| self.position.action(mv) == report.action)
            }
        }
    }
}

/// How often each thread of the solver may ask before the clock counts, with some 0.3 ms between: a
/// twentieth of the time, but once at least, as positions near the end take no more, and no more than
/// 5 ms, for that the usual overhead of a move has room (guess).
fn polls_in_any_case(budget: Budget) -> u64 {
    const MOST: u128 = 16;
    (budget.soft.as_millis() / 6).clamp(1, MOST) as u64
}

/// The solver's time in a search without limits, which reports nothing until it is over (guess).
const SOLVER_TIME_ENDLESS: Duration = Duration::from_secs(2);
