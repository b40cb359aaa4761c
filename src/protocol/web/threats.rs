//! The threats on a board of Gomoku, as the page draws them.

use super::view::{Cell, cell};
use crate::game::gomoku::Gomoku;
use crate::game::{AnyGame, GameKind, Playable, Side};
use crate::knowledge::gomoku::patterns::Patterns;
use crate::knowledge::gomoku::patterns::kind::CellKind;

/// An empty cell, the side that threatens to play there, and how many in a row that would make: 5
/// wins, so the side has a four now; 4 is open, so it has an open three, or several threats.
pub type Threat = (Cell, usize, u8);

/// The threats of both sides; none in other games.
pub fn threats(game: &dyn AnyGame) -> Vec<Threat> {
    let setup = game.setup();
    if setup.game() != GameKind::Gomoku || game.outcome().is_some() {
        return Vec::new();
    }
    let Ok(position) = Gomoku::from_stones(&setup, &game.stones(), game.side_to_move()) else {
        return Vec::new();
    };
    let board = Patterns::of(&position);
    let threat = |point, side: Side| {
        let in_a_row = match board.kind(position.cell(point)?, side) {
            CellKind::Five => 5,
            CellKind::OpenFour => 4,
            _ => return None,
        };
        Some((cell(&setup, point), side.index(), in_a_row))
    };
    let empty = setup
        .points()
        .filter(|&point| game.stone_at(point).is_none());
    let sides = [Side::First, Side::Second];
    empty
        .flat_map(|point| sides.map(|side| threat(point, side)))
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Setup, any, notation};

    fn of(moves: &str) -> Vec<Threat> {
        let setup = Setup::standard(GameKind::Gomoku);
        let mut game = any::new_game(&setup).unwrap();
        for action in notation::parse_list(&setup, moves).unwrap() {
            game.play(action).unwrap();
        }
        threats(&*game)
    }

    /// The number of a cell on 15×15.
    fn at(col: Cell, row: Cell) -> Cell {
        15 * row + col
    }

    #[test]
    fn an_open_three_and_a_stopped_four_are_told() {
        assert_eq!(of("h8a1i8"), []);
        // Black has h8 to j8.
        let three = of("h8a1i8a15j8o1");
        assert_eq!(three, [(at(6, 7), 0, 4), (at(10, 7), 0, 4)]);
        // White has stopped four of them on one side.
        let four = of("h8g8i8a15j8o1k8");
        assert_eq!(four, [(at(11, 7), 0, 5)]);
    }

    #[test]
    fn other_games_have_none() {
        let game = any::new_game(&Setup::standard(GameKind::Connect4)).unwrap();
        assert_eq!(threats(&*game), []);
    }
}
