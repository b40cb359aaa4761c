//! System C and its kind: searches to a fixed depth, with a static value where they end.
//!
//! The searches themselves are in [`family`]. This bot deepens ply by ply up to the depth that
//! its options ask for, as far as its time and its nodes last. A depth that was not finished
//! does not count.

pub mod family;
mod order;

#[cfg(test)]
mod tests;

use crate::clock;
use crate::knowledge::Evaluate;
use crate::options::AlphaBetaOptions;
use crate::search::{Limits, MoveReport, Report};
use crate::session::{Task, Thinker};
use family::{Found, Searcher};

/// A bot of the alpha-beta family.
pub struct AlphaBeta {
    options: AlphaBetaOptions,
}

impl AlphaBeta {
    /// A bot with these options. It keeps nothing from one move to the next.
    pub fn new(options: AlphaBetaOptions) -> Self {
        AlphaBeta { options }
    }
}

impl<G: Evaluate> Thinker<G> for AlphaBeta {
    fn choose(&mut self, position: &G, task: Task<'_>) -> Report {
        let Task { limits, .. } = task;
        let mut searcher = Searcher::new(position, &self.options, limits, task.stop);
        let mut report = Report::of_move(searcher.first_choice(), 0.5);
        for depth in 1..=self.options.depth {
            let Some(found) = searcher.search(depth) else {
                break;
            };
            report = report_of(position, &found, depth);
            report = so_far(report, &searcher, limits);
            if limits.report_every.is_some() {
                (task.on_info)(report.clone());
            }
            let soft = limits.budget.map(|budget| budget.soft);
            if found.is_decided() || soft.is_some_and(|soft| report.elapsed >= soft) {
                break;
            }
        }
        so_far(report, &searcher, limits)
    }
}

/// What a finished depth found.
fn report_of<G: Evaluate>(position: &G, found: &Found, depth: u32) -> Report {
    let action = position.action(found.best);
    let value = found.score(G::ADVANTAGE);
    Report {
        depth,
        moves: vec![MoveReport {
            action,
            visits: found.nodes,
            mean: value,
            proof: None,
            score: None,
            pv: vec![action],
        }],
        ..Report::of_move(Some(action), value)
    }
}

/// The same report with what was spent until now.
fn so_far<G: Evaluate>(report: Report, searcher: &Searcher<'_, G>, limits: &Limits) -> Report {
    Report {
        playouts: searcher.nodes(),
        visits: searcher.nodes(),
        nodes: searcher.nodes(),
        elapsed: clock::now().saturating_duration_since(limits.since),
        ..report
    }
}
