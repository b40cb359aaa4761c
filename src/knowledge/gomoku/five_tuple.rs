//! The five-tuple score: what a cell is worth by the windows of five cells through it.

use crate::game::gomoku::Gomoku;
use crate::game::{Game, Move, Playable, Point};

/// A window with no stone. (This table: a thesis on Gomoku by MCTS, its five-tuple player.)
const EMPTY: i64 = 7;
/// A window with only stones of the side to move, by their number from one.
const OWN: [i64; 4] = [35, 800, 15_000, 800_000];
/// A window with only stones of the other side, by their number from one.
const OTHER: [i64; 4] = [15, 400, 1_800, 100_000];
/// A window with stones of both sides: nobody gets five there.
const MIXED: i64 = 0;

/// The score of a legal move for the side to move: the sum over the windows of five cells in
/// a row that lie on the board and hold the move's cell.
#[must_use]
pub fn score(position: &Gomoku, mv: Move) -> i64 {
    let cell = position.point(usize::from(mv.code()));
    let windows = [(1, 0), (0, 1), (1, 1), (-1, 1)]
        .into_iter()
        .flat_map(|direction| (-4..=0).map(move |start| (direction, start)));
    windows
        .filter_map(|(direction, start)| window_score(position, cell, direction, start))
        .sum()
}

/// The score of the window that begins `start` steps from the cell; `None` where it does not
/// lie on the board.
fn window_score(position: &Gomoku, cell: Point, direction: (i16, i16), start: i16) -> Option<i64> {
    let setup = position.setup();
    let [mut own, mut other] = [0; 2];
    for step in start..start + 5 {
        let point = Point {
            col: u8::try_from(i16::from(cell.col) + step * direction.0).ok()?,
            row: u8::try_from(i16::from(cell.row) + step * direction.1).ok()?,
        };
        if !setup.contains(point) {
            return None;
        }
        match position.stone_at(point) {
            Some(side) if side == position.side_to_move() => own += 1,
            Some(_) => other += 1,
            None => {}
        }
    }
    Some(match (own, other) {
        (0, 0) => EMPTY,
        (own, 0) => OWN[own - 1],
        (0, other) => OTHER[other - 1],
        _ => MIXED,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::gomoku::tests::{drawn, empty_board};
    use crate::game::{Action, Rule, Side};

    fn score_at(game: &Gomoku, col: u8, row: u8) -> i64 {
        score(game, game.parse_action(Action::point(col, row)).unwrap())
    }

    #[test]
    fn an_empty_board_counts_the_windows() {
        let game = empty_board(15, 15, Rule::Freestyle);
        // Five windows in each direction in the middle, one in three directions in a corner.
        assert_eq!(score_at(&game, 7, 7), 20 * 7);
        assert_eq!(score_at(&game, 0, 0), 3 * 7);
        assert_eq!(score_at(&game, 14, 14), 3 * 7);
        // At the edge: one along the row, five down the column, one on one diagonal.
        assert_eq!(score_at(&game, 0, 7), (1 + 5 + 1 + 1) * 7);
    }

    #[test]
    fn a_neighbour_changes_the_windows_that_hold_it() {
        // The windows along the row through column 4 begin at columns 0 to 4; all but the last
        // hold the stone. Upwards there is one in the column and one on each diagonal.
        let rows = [
            ".........",
            ".........",
            ".........",
            ".........",
            "...X.....",
        ];
        let own = drawn(Rule::Freestyle, Side::First, &rows);
        assert_eq!(score_at(&own, 4, 4), 4 * 35 + 7 + 3 * 7);
        let other = drawn(Rule::Freestyle, Side::Second, &rows);
        assert_eq!(score_at(&other, 4, 4), 4 * 15 + 7 + 3 * 7);
    }

    #[test]
    fn every_number_of_stones_has_its_value() {
        // Two windows, along the row and the column; the diagonals are too short there.
        let value = |row: &str, to_move| {
            let rows = [".....", ".....", row, ".....", "....."];
            score_at(&drawn(Rule::Freestyle, to_move, &rows), 0, 2) - 7
        };
        let values = [
            (".X...", 35, 15),
            (".XX..", 800, 400),
            (".XXX.", 15_000, 1_800),
            (".XXXX", 800_000, 100_000),
            (".XO..", 0, 0),
            (".....", 7, 7),
        ];
        for (row, own, other) in values {
            assert_eq!(value(row, Side::First), own, "{row}");
            assert_eq!(value(row, Side::Second), other, "{row}");
        }
    }
}
