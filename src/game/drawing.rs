//! Boards as people draw them: a character a cell, and the side to move.
//!
//! ```text
//! X X . . O  . . . . .  . . . . .  . . . . .  . . . . .  X      5×5, the first side to move
//! XX..O/...../...../...../.....X                                the same
//! ```

use super::{Playable, Point, Setup, SetupError, Side};

/// The stones of a board and the side to move.
pub type Drawing = (Vec<(Point, Side)>, Side);

/// Reads the cells row by row from the top: `X` or `*` for the first side, `O` for the second, `.` or `-`
/// for none, and `#` for Connect Four's hole. The side to move comes after them; it may also be `B` or `W`
/// where the sides are black and white. Blanks and strokes between them are passed over.
///
/// # Errors
/// When the text is something else, or of another size.
pub fn read(setup: &Setup, text: &str) -> Result<Drawing, SetupError> {
    parse(setup, text).ok_or(SetupError::Drawing(setup.points().count()))
}

/// Whether a board begins the text, not a move, such as `o5`.
#[must_use]
pub fn begins(text: &str) -> bool {
    let mut signs = text.trim_start().chars();
    let is_sign = signs.next().is_some_and(|sign| "Xx*Oo.-#".contains(sign));
    is_sign && !signs.next().is_some_and(|next| next.is_ascii_digit())
}

/// The position on a board that is drawn as for [`read`].
///
/// # Errors
/// When the text is something else, or the game is not played so.
pub fn position<G: Playable>(setup: &Setup, text: &str) -> Result<G, SetupError> {
    let (stones, to_move) = read(setup, text)?;
    G::from_stones(setup, &stones, to_move)
}

/// The character for a cell with this stone, or with none.
pub(crate) fn sign(stone: Option<Side>) -> char {
    match stone {
        Some(Side::First) => 'X',
        Some(Side::Second) => 'O',
        None => '.',
    }
}

fn parse(setup: &Setup, text: &str) -> Option<Drawing> {
    let mut signs = text.chars().filter(|c| !c.is_whitespace() && *c != '/');
    let mut stones = Vec::new();
    for point in setup.points() {
        match signs.next()? {
            '#' if setup.hole() == Some(point) => {}
            '.' | '-' => {}
            sign => stones.push((point, side(sign)?)),
        }
    }
    let to_move = mover(setup, signs.next()?)?;
    signs.next().is_none().then_some((stones, to_move))
}

fn side(sign: char) -> Option<Side> {
    match sign {
        'X' | 'x' | '*' => Some(Side::First),
        'O' | 'o' => Some(Side::Second),
        _ => None,
    }
}

/// The side to move, by its stones or, where those have colours, by its colour.
fn mover(setup: &Setup, sign: char) -> Option<Side> {
    match sign.to_ascii_uppercase() {
        'B' if setup.game().is_black_and_white() => Some(Side::First),
        'W' if setup.game().is_black_and_white() => Some(Side::Second),
        _ => side(sign),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameKind;

    fn standard(game: GameKind, cols: u8, rows: u8) -> Setup {
        Setup::standard(game).with_size(cols, rows)
    }

    #[test]
    fn boards_are_read_from_their_top_left() {
        let setup = standard(GameKind::Gomoku, 5, 5);
        let expected = vec![
            (Point { col: 0, row: 0 }, Side::First),
            (Point { col: 4, row: 0 }, Side::Second),
            (Point { col: 1, row: 1 }, Side::First),
        ];
        for text in [
            "X...O.X.................. O",
            "*---o/-x---/-----/-----/-----/O",
            "X . . . O\n. X . . .\n. . . . .\n. . . . .\n. . . . .\no\n",
        ] {
            let read = read(&setup, text);
            assert_eq!(read, Ok((expected.clone(), Side::Second)), "{text}");
        }
    }

    #[test]
    fn the_side_to_move_may_be_told_by_its_colour() {
        for (sign, to_move) in [
            ("B", Side::First),
            ("b", Side::First),
            ("W", Side::Second),
            ("w", Side::Second),
        ] {
            for game in [GameKind::Gomoku, GameKind::Reversi] {
                let setup = standard(game, 8, 8);
                let board = "........ ".repeat(8);
                let read = read(&setup, &(board + sign));
                assert_eq!(read, Ok((Vec::new(), to_move)), "{game} {sign}");
            }
            // Its players have red and yellow, and PGN calls the first side white.
            let setup = standard(GameKind::Connect4, 4, 4);
            let empty = ".".repeat(16);
            assert!(read(&setup, &(empty + sign)).is_err(), "{sign}");
        }
        let setup = standard(GameKind::Gomoku, 5, 5);
        for text in ["B........................ X", "W........................ B"] {
            assert_eq!(read(&setup, text), Err(SetupError::Drawing(25)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let setup = standard(GameKind::Gomoku, 5, 5);
        let empty = ".".repeat(25);
        assert!(read(&setup, &format!("{empty}X")).is_ok());
        for text in [
            "",
            "X",
            &empty,
            &format!("{empty}."),
            &format!("{empty}XX"),
            &format!("{empty}.X"),
            &format!("#{}X", &empty[1..]),
            &format!("{}X", &empty[1..]),
        ] {
            assert_eq!(read(&setup, text), Err(SetupError::Drawing(25)), "{text}");
        }
    }

    #[test]
    fn a_move_is_told_from_a_board() {
        for board in ["X", " o", "O.", "-", "*x", "#X", "."] {
            assert!(begins(board), "{board}");
        }
        for other in ["", " ", "o5", " O12", "h8", "4435", "pass", "(;)"] {
            assert!(!begins(other), "{other}");
        }
    }

    #[test]
    fn only_the_hole_is_drawn_as_one() {
        let setup = standard(GameKind::Connect4, 4, 4);
        let setup = setup.with_term("hole", "1,2").unwrap();
        let (stones, _) = read(&setup, ".... .... .#.. .X.. O").unwrap();
        assert_eq!(stones, [(Point { col: 1, row: 3 }, Side::First)]);
        assert!(read(&setup, ".... .... .... .X.. O").is_ok());
        assert!(read(&setup, ".... .... ..#. .X.. O").is_err());
    }
}
