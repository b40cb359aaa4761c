//! A review: what every move of a game gave away.
//!
//! The engine judges each position of the game. A move's loss is what its side could expect before
//! it less what it can expect after it, 0..1; where positions are proven, that is exact.

use super::command::Limits;
use super::view::{Cell, Proven, line, proven, rounded};
use crate::game::{Action, AnyGame, Side, notation};
use crate::search::Report;
use serde::Serialize;

/// A move is a blunder, a mistake or inaccurate from such a loss on (guesses).
const KINDS: [(f64, &str); 3] = [(0.2, "blunder"), (0.1, "mistake"), (0.05, "inaccuracy")];

/// A loss to the tenth of a percent that a page shows, so that its kind is that of what is read.
fn shown(loss: f64) -> f64 {
    (loss * 1000.0).round() / 1000.0
}

/// A game that is being reviewed, position after position.
#[derive(Debug)]
pub struct Review {
    /// The place in the game to go back to at the end.
    pub back_to: usize,
    /// What bounds the thought about each position.
    pub limits: Limits,
    judged: Vec<Judged>,
}

/// What the engine thinks of a position.
#[derive(Clone, Debug)]
struct Judged {
    side: Side,
    /// The expected score 0..1 of the side to move.
    value: f64,
    proof: Option<Proven>,
    best: Option<Action>,
    /// The move that is best there, and the line after it.
    pv: Vec<(String, Option<Cell>)>,
}

/// A review that is complete.
#[derive(Debug, Serialize)]
pub struct Reviewed {
    /// The expected score 0..1 of the first side in each position, the first included.
    values: Vec<f64>,
    /// The moves, in order.
    plies: Vec<ReviewedPly>,
    /// The mean of what each side kept, 0..1; none where it made no move.
    accuracy: [Option<f64>; 2],
}

/// What a review says of a move.
#[derive(Debug, Serialize)]
struct ReviewedPly {
    #[serde(rename = "move")]
    text: String,
    side: usize,
    /// What the move gave away.
    loss: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// The result that was proven before the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<Proven>,
    /// What the engine would have played, and the line after it.
    best: Vec<(String, Option<Cell>)>,
}

impl Review {
    /// Begins. At the end the game goes back to this ply.
    pub fn new(back_to: usize, limits: Limits) -> Review {
        Review {
            back_to,
            limits,
            judged: Vec::new(),
        }
    }

    /// Takes what a search found about the position on the board.
    pub fn judge(&mut self, game: &dyn AnyGame, report: &Report) {
        let value = match report.proof {
            Some(proof) => f64::from(proof.result.score()),
            None => report.value,
        };
        self.judged.push(Judged {
            side: game.side_to_move(),
            value,
            proof: report.proof.map(proven),
            best: report.best,
            pv: line(game, report.pv()),
        });
    }

    /// Takes the end of a game.
    pub fn judge_end(&mut self, game: &dyn AnyGame) {
        if let Some(outcome) = game.outcome() {
            self.judge(game, &Report::of_outcome(outcome, game.side_to_move()));
        }
    }

    /// The review of a game, whose moves are `moves`.
    pub fn complete(&self, game: &dyn AnyGame, moves: &[Action]) -> Reviewed {
        let setup = game.setup();
        let pairs = self.judged.iter().zip(self.judged.iter().skip(1));
        let mut plies = Vec::new();
        let mut kept = [(0.0, 0_u32); 2];
        for (&action, (before, after)) in moves.iter().zip(pairs) {
            let value = match after.side == before.side {
                true => after.value,
                false => 1.0 - after.value,
            };
            let loss = match before.best == Some(action) {
                true => 0.0,
                false => shown((before.value - value).max(0.0)),
            };
            let (sum, count) = &mut kept[before.side.index()];
            *sum += 1.0 - loss;
            *count += 1;
            plies.push(ReviewedPly {
                text: notation::write(&setup, action),
                side: before.side.index(),
                loss,
                kind: KINDS.iter().find(|kind| loss >= kind.0).map(|kind| kind.1),
                proof: before.proof,
                best: before.pv.clone(),
            });
        }
        let of_first = |judged: &Judged| match judged.side {
            Side::First => judged.value,
            Side::Second => 1.0 - judged.value,
        };
        Reviewed {
            values: self.judged.iter().map(|it| rounded(of_first(it))).collect(),
            plies,
            accuracy: kept.map(|(sum, count)| (count > 0).then(|| rounded(sum / f64::from(count)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameKind, Setup, any};

    #[test]
    fn a_loss_is_of_the_kind_that_it_is_shown_with() {
        let setup = Setup::standard(GameKind::Gomoku);
        let mut game = any::new_game(&setup).unwrap();
        let mut review = Review::new(0, Limits::default());
        let found = |value| Report::of_move(None, value);
        review.judge(&*game, &found(0.6));
        let action = Action::point(7, 7);
        game.play(action).unwrap();
        // 9.96 % are lost, which are shown as 10.0 %.
        review.judge(&*game, &found(0.4996));
        let reviewed = review.complete(&*game, &[action]);
        assert_eq!(reviewed.plies[0].loss, 0.1);
        assert_eq!(reviewed.plies[0].kind, Some("mistake"));
    }
}
