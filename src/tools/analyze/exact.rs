//! What is known exactly of a proven position: the score of every move in stones, where the game has
//! a solver that tells it, and every line to its end.

use super::super::Sitting;
use crate::clock::{self, TimeControl};
use crate::game::connect4::Connect4;
use crate::game::{Action, AnyGame, Game, GameKind, Move, Moves, Playable};
use crate::knowledge::Effort;
use crate::knowledge::connect4::{proof_of_score, solver::Solver};
use crate::search::{MoveReport, Report};
use std::cmp::Reverse;
use std::time::{Duration, Instant};

/// What may be spent on it after the search, for scores and lines each (guess).
const TIME: Duration = Duration::from_secs(2);

/// Playouts for each move of a line: what is proven is proven again at once (guess).
const PLAYOUTS: u64 = 2000;

/// The most lines that are followed to their end where no solver tells them.
const LINES: usize = 8;

/// Bytes of the solver's table.
const TABLE: usize = 64 << 20;

/// The scores of moves, as `tengen solve` prints them.
pub type Scores = Vec<(Action, i32)>;

/// Completes what a report says of a proven position, and returns the scores, as far as they are
/// known. The sitting is at the position again afterwards.
///
/// # Errors
/// When a search fails.
pub fn complete(report: &mut Report, sitting: &mut Sitting) -> anyhow::Result<Scores> {
    if report.proof.is_none() || report.best.is_none() {
        return Ok(Scores::new());
    }
    let game = sitting.game();
    if game.setup().game() == GameKind::Connect4
        && let Some(position) = position(game)
        && let Some(scores) = solve(report, &position)
    {
        return Ok(scores);
    }
    let until = clock::now() + TIME;
    let proven = report.moves.iter_mut().filter(|mv| mv.proof.is_some());
    for mv in proven.take(LINES) {
        follow(mv, sitting, until)?;
    }
    Ok(Scores::new())
}

/// The position of a game of Connect Four. `None` while a stone may still be stolen, which no score
/// counts.
fn position(game: &dyn AnyGame) -> Option<Connect4> {
    let position =
        Connect4::from_stones(&game.setup(), &game.stones(), game.side_to_move()).ok()?;
    (!position.awaits_steal()).then_some(position)
}

/// Scores every move and leads its line to the end. `None`: the solver did not come to an end.
fn solve(report: &mut Report, position: &Connect4) -> Option<Scores> {
    let solver = Solver::new(&position.setup(), TABLE, 1).with_own_book();
    let left = position.max_plies_left();
    let (scores_until, lines_until) = (clock::now() + TIME, clock::now() + 2 * TIME);
    let mut moves = Moves::new();
    position.legal_moves(&mut moves);
    let mut scored = Vec::new();
    for &mv in &moves {
        let score = within(scores_until, |effort| {
            solver.move_score(position, mv, effort)
        })?;
        scored.push((mv, position.action(mv), score));
    }
    for &(mv, action, score) in &scored {
        let proof = proof_of_score(score, left);
        let mean = proof.result.score().into();
        let pv = line(&solver, position, mv, lines_until);
        match report.moves.iter_mut().find(|it| it.action == action) {
            Some(known) => {
                known.proof = Some(proof);
                if known.visits == 0 {
                    known.mean = mean;
                }
                known.score = Some(score);
                known.pv = pv;
            }
            None => report.moves.push(MoveReport {
                action,
                visits: 0,
                mean,
                proof: Some(proof),
                score: Some(score),
                pv,
            }),
        }
    }
    let scores: Scores = scored
        .iter()
        .map(|&(_, action, score)| (action, score))
        .collect();
    let best = report.best;
    report
        .moves
        .sort_by_key(|mv| (Some(mv.action) != best, Reverse(score(&scores, mv.action))));
    Some(scores)
}

/// The score of a move, if it is known.
pub fn score(scores: &Scores, action: Action) -> Option<i32> {
    let mut scores = scores.iter();
    scores
        .find(|(other, _)| *other == action)
        .map(|(_, score)| *score)
}

/// The line after a move, as long as both sides play for the score and the time lasts.
fn line(solver: &Solver, position: &Connect4, mv: Move, until: Instant) -> Vec<Action> {
    let mut position = position.clone();
    let mut line = vec![position.action(mv)];
    position.play(mv);
    while position.outcome().is_none() {
        let best = within(until, |effort| solver.best(&position, effort));
        let Some(&next) = best.as_ref().and_then(|(moves, _)| moves.first()) else {
            break;
        };
        line.push(position.action(next));
        position.play(next);
    }
    line
}

/// Asks the solver, which gives up at that time.
fn within<T>(until: Instant, ask: impl FnOnce(&Effort<'_>) -> T) -> T {
    ask(&Effort {
        expired: &|| clock::now() >= until,
        ..Effort::UNLIMITED
    })
}

/// Follows the line of a proven move by one search after the other, as far as they prove it.
fn follow(mv: &mut MoveReport, sitting: &mut Sitting, until: Instant) -> anyhow::Result<()> {
    if mv.pv.is_empty() {
        mv.pv.push(mv.action);
    }
    for &action in &mv.pv {
        sitting.play(action)?;
    }
    while sitting.game().outcome().is_none() && clock::now() < until {
        let report = sitting.think(TimeControl::default(), Some(PLAYOUTS))?;
        let Some(next) = report.best.filter(|_| report.proof.is_some()) else {
            break;
        };
        sitting.play(next)?;
        mv.pv.push(next);
    }
    sitting.take_back(mv.pv.len())
}
