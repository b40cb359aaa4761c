//! Swap2: the first player puts three stones; the second takes black, or puts a fourth stone and
//! stays white, or puts two more and lets the first player choose.

use crate::game::{Action, Point, Setup, Side};
use crate::search::Report;

/// Three stones, black, white and black, as columns and rows from the middle of the board. On 15×15 and 20×20
/// long searches expect .42 to .57 for white, who is to move (measured: `docs/EXPERIMENTS.md`, Protocols).
const PROPOSALS: [[(i8, i8); 3]; 3] = [
    [(0, -2), (2, -1), (-2, 1)],
    [(-2, -2), (2, 1), (1, -1)],
    [(-1, -2), (1, 2), (2, 0)],
];

/// So near to an even score, 0 to 1, it does not tell which colour is better. (A guess.)
const EVEN: f64 = 0.02;

/// The answer of the player who is asked to choose.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Black.
    Swap,
    /// White, with this move.
    Stay(Action),
    /// Neither: a white and a black stone more, and the opponent chooses.
    Place([Action; 2]),
}

/// The stones of the first player, another shape for every `turn`.
pub fn propose(setup: &Setup, turn: usize) -> [Point; 3] {
    PROPOSALS[turn % PROPOSALS.len()].map(|(right, down)| Point {
        col: (setup.cols / 2).saturating_add_signed(right),
        row: (setup.rows / 2).saturating_add_signed(down),
    })
}

/// The stones of an opening in the order in which they were put: black begins.
pub fn coloured(points: &[Point]) -> Vec<(Point, Side)> {
    let sides = [Side::First, Side::Second].into_iter().cycle();
    points.iter().copied().zip(sides).collect()
}

/// Chooses by what was found for white, who is to move: the colour with the higher expected
/// score; or, where neither is better and it may be done, the two stones which the search
/// expects next. `None`: nothing was found.
pub fn choose(report: &Report, may_place: bool) -> Option<Choice> {
    let best = report.best?;
    let is_even = (report.value - 0.5).abs() <= EVEN;
    Some(match report.pv() {
        &[white, black, ..] if may_place && is_even => Choice::Place([white, black]),
        _ if report.value < 0.5 => Choice::Swap,
        _ => Choice::Stay(best),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameKind, any};
    use crate::search::MoveReport;

    #[test]
    fn proposals_fit_on_every_board() {
        for (size, turn) in (5..=22).flat_map(|size| (0..4).map(move |turn| (size, turn))) {
            let setup = Setup::standard(GameKind::Gomoku).with_size(size, size);
            let stones = coloured(&propose(&setup, turn));
            let game = any::from_stones(&setup, &stones, Side::Second);
            assert!(game.is_ok_and(|game| game.outcome().is_none()));
        }
    }

    #[test]
    fn the_value_chooses() {
        let pv: Vec<Action> = (0..3).map(|col| Action::point(col, 0)).collect();
        let report = |value| Report {
            best: Some(pv[0]),
            value,
            moves: vec![MoveReport {
                action: pv[0],
                visits: 1,
                mean: value,
                proof: None,
                score: None,
                pv: pv.clone(),
            }],
            ..Report::default()
        };
        let place = Some(Choice::Place([pv[0], pv[1]]));
        let stay = Some(Choice::Stay(pv[0]));
        assert_eq!(choose(&report(0.3), true), Some(Choice::Swap));
        assert_eq!(choose(&report(0.7), true), stay);
        assert_eq!(choose(&report(0.49), true), place);
        assert_eq!(choose(&report(0.51), true), place);
        assert_eq!(choose(&report(0.49), false), Some(Choice::Swap));
        assert_eq!(choose(&report(0.51), false), stay);
        assert_eq!(choose(&Report::default(), true), None);
    }
}
