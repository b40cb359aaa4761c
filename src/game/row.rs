//! The stones in a row that won a game, for boards that show them.

use super::{AnyGame, Point, Setup, Variant};

/// Column and row steps of the four directions.
const DIRECTIONS: [(i16, i16); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// The cells of every row that a finished game was won by. Empty where the game goes on, is drawn, or
/// is not won by rows.
#[must_use]
pub fn winning(game: &dyn AnyGame) -> Vec<Point> {
    let setup = game.setup();
    let winner = game.outcome().and_then(|outcome| outcome.winner());
    let (Some(winner), Some(length)) = (winner, length(&setup)) else {
        return Vec::new();
    };
    let own = |point: &Point| game.stone_at(*point) == Some(winner);
    let mut cells = Vec::new();
    for start in setup.points() {
        for step in DIRECTIONS {
            let row: Vec<Point> = walk(&setup, start, step).take_while(own).collect();
            if row.len() >= length {
                cells.extend(row);
            }
        }
    }
    cells.sort_unstable_by_key(|point| (point.row, point.col));
    cells.dedup();
    cells
}

/// How many in a row win.
fn length(setup: &Setup) -> Option<usize> {
    match setup.variant {
        Variant::Gomoku(_) => Some(5),
        Variant::Connect4(rules) => Some(rules.connect.into()),
        _ => None,
    }
}

/// The cells from `start` on in one direction, to the edge of the board.
fn walk(setup: &Setup, start: Point, step: (i16, i16)) -> impl Iterator<Item = Point> {
    let setup = *setup;
    std::iter::successors(Some(start), move |point| {
        let col = u8::try_from(i16::from(point.col) + step.0).ok()?;
        let row = u8::try_from(i16::from(point.row) + step.1).ok()?;
        let next = Point { col, row };
        setup.contains(next).then_some(next)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameKind, any, notation};

    fn row(game: GameKind, moves: &str) -> String {
        let setup = Setup::standard(game);
        let mut board = any::new_game(&setup).unwrap();
        for action in notation::parse_list(&setup, moves).unwrap() {
            board.play(action).unwrap();
        }
        let cells = winning(&*board);
        let cells = cells.iter().map(|it| format!("{},{}", it.col, it.row));
        cells.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_row_of_a_finished_game_is_found() {
        assert_eq!(row(GameKind::Connect4, "121212"), "");
        assert_eq!(row(GameKind::Connect4, "1212121"), "0,2 0,3 0,4 0,5");
        let moves = "h8a1i9a2j10a3k11a4l12";
        assert_eq!(row(GameKind::Gomoku, moves), "11,3 10,4 9,5 8,6 7,7");
        assert_eq!(row(GameKind::Reversi, "f5"), "");
    }
}
