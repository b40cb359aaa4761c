//! Openings from a file, one a line.
//!
//! Blank lines and lines that begin with `#` are passed over. How the others are read:
//!
//! | format | an opening looks like | where it comes from |
//! |---|---|---|
//! | `moves` | `h8 i9`, `f5d6c3`, `4435` | [`notation`], the lists of XOT for Reversi |
//! | `offset` | `8,-3, 6,-4, 5,-4` | Piskvork's `openings.txt`, Gomocup, c-gomoku-cli |
//! | `points` | `7,7 8,7` | Gomocup's moves |
//! | `pos` | `b7d6e6` | Yixin-Board, c-gomoku-cli |
//!
//! An offset is counted from the cell in the column `cols / 2` and the row `rows / 2`, points
//! and offsets to the right and downwards, and the rows of `pos` from 1 at the top. Sources:
//! c-gomoku-cli's README ("Openings File Format"), Piskvork's `source/game.cpp`.

use crate::arena::play::opening::{OpeningError, play_out};
use crate::game::{Action, GameKind, Point, Setup, notation};
use crate::rollout::Random;
use clap::ValueEnum;
use rand::SeedableRng;
use rand::seq::SliceRandom;

/// How the lines of a file are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OpeningFormat {
    /// Moves as Tengen writes them; lists of XOT for Reversi, columns for Connect Four
    Moves,
    /// Gomoku: x,y counted from the centre, as Piskvork, Gomocup and c-gomoku-cli have them
    Offset,
    /// Gomoku: x,y from 0,0 at the top left
    Points,
    /// Gomoku: a letter and a number, from a1 at the top left
    Pos,
}

impl OpeningFormat {
    /// The format of a text: `offset` if its lines hold nothing but numbers and commas in
    /// Gomoku, else `moves`.
    fn told_by(setup: &Setup, text: &str) -> OpeningFormat {
        let numbers = |line: &str| line.contains(',') && !line.contains(char::is_alphabetic);
        if setup.game() == GameKind::Gomoku && openings(text).any(|(_, line)| numbers(line)) {
            OpeningFormat::Offset
        } else {
            OpeningFormat::Moves
        }
    }

    fn read(self, setup: &Setup, line: &str) -> Result<Vec<Action>, String> {
        match self {
            OpeningFormat::Moves => notation::parse_game(setup, line),
            OpeningFormat::Offset => points(setup, line, [setup.cols / 2, setup.rows / 2]),
            OpeningFormat::Points => points(setup, line, [0, 0]),
            OpeningFormat::Pos => {
                let actions = notation::parse_list(setup, line)?.into_iter();
                Ok(actions.map(|action| upside_down(setup, action)).collect())
            }
        }
    }
}

/// What is wrong with a file of openings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningFileError {
    /// The file holds no opening.
    #[error("there is no opening in it")]
    Empty,
    /// The format is one of Gomoku alone.
    #[error("only Gomoku has openings of that format")]
    Format(OpeningFormat),
    /// In this line, counted from 1, this text is no move.
    #[error("line {0}: no move: {1:?}")]
    NoMove(usize, String),
    /// The opening of this line, counted from 1, cannot be played.
    #[error("line {0}: {1}")]
    Opening(usize, OpeningError),
}

/// Reads the openings in `text`. Without a format, the text tells.
///
/// # Errors
/// When there is none, or one that cannot be read or played on that board.
pub fn read(
    setup: &Setup,
    text: &str,
    format: Option<OpeningFormat>,
) -> Result<Vec<Vec<Action>>, OpeningFileError> {
    let text = text.trim_start_matches('\u{feff}');
    let format = format.unwrap_or_else(|| OpeningFormat::told_by(setup, text));
    if format != OpeningFormat::Moves && setup.game() != GameKind::Gomoku {
        return Err(OpeningFileError::Format(format));
    }
    let read_line = |(number, line)| {
        let no_move = |text| OpeningFileError::NoMove(number, text);
        let moves = format.read(setup, line).map_err(no_move)?;
        play_out(setup, &moves).map_err(|error| OpeningFileError::Opening(number, error))?;
        Ok(moves)
    };
    let read: Vec<_> = openings(text).map(read_line).collect::<Result<_, _>>()?;
    match read.is_empty() {
        false => Ok(read),
        true => Err(OpeningFileError::Empty),
    }
}

/// Puts the openings into an order that depends on the seed alone.
pub fn shuffle(openings: &mut [Vec<Action>], seed: u64) {
    openings.shuffle(&mut Random::seed_from_u64(seed));
}

/// The lines that hold an opening, with their numbers from 1.
fn openings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Reads `x,y` pairs that are counted from a cell.
fn points(setup: &Setup, line: &str, from: [u8; 2]) -> Result<Vec<Action>, String> {
    let numbers: Vec<&str> = line
        .split([',', ' ', '\t'])
        .filter(|word| !word.is_empty())
        .collect();
    let cell = |pair: &[&str]| {
        let [x, y] = pair else { return None };
        let along = |text: &str, from: u8| {
            let offset: i32 = text.parse().ok()?;
            u8::try_from(offset.checked_add(from.into())?).ok()
        };
        let point = Point {
            col: along(x, from[0])?,
            row: along(y, from[1])?,
        };
        setup.contains(point).then_some(Action::Point(point))
    };
    let pairs = numbers.chunks(2);
    pairs
        .map(|pair| cell(pair).ok_or_else(|| pair.join(",")))
        .collect()
}

/// The same move with its row counted from the other edge.
fn upside_down(setup: &Setup, action: Action) -> Action {
    match action {
        Action::Point(Point { col, row }) => Action::point(col, setup.rows - 1 - row),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gomoku(size: u8) -> Setup {
        Setup::standard(GameKind::Gomoku).with_size(size, size)
    }

    fn written(setup: &Setup, text: &str, format: Option<OpeningFormat>) -> Vec<String> {
        let openings = read(setup, text, format).unwrap();
        let opening = |moves: Vec<Action>| {
            let moves = moves.into_iter();
            moves
                .map(|mv| notation::write(setup, mv))
                .collect::<Vec<_>>()
                .join(" ")
        };
        openings.into_iter().map(opening).collect()
    }

    /// The example of c-gomoku-cli's README for 20x20: 8,-3 is the point 18,7 there, which is
    /// the 19th column and the 13th row from the bottom.
    #[test]
    fn offsets_are_counted_from_the_centre() {
        let text = "8,-3, 6,-4, 5,-4, 4,-3, 2,-8, -1,-5\n0,0";
        let expected = ["s13 q14 p14 o13 m18 j15", "k10"];
        assert_eq!(written(&gomoku(20), text, None), expected);
        // The first lines of Piskvork's openings.txt.
        let text = "0,0, 1,0, 1,3\r\n0,0, 1,1, 0,3\r\n";
        assert_eq!(written(&gomoku(15), text, None), ["h8 i8 i5", "h8 i7 h5"]);
    }

    #[test]
    fn points_and_pos_begin_at_the_top_left() {
        let points = written(&gomoku(15), "0,0 14,14\n", Some(OpeningFormat::Points));
        assert_eq!(points, ["a15 o1"]);
        let pos = written(&gomoku(15), "a1b7o15\n", Some(OpeningFormat::Pos));
        assert_eq!(pos, ["a15 b9 o1"]);
    }

    #[test]
    fn moves_are_read_in_every_game() {
        let text = "# two\n\nh8 i9\nH8I8\n";
        assert_eq!(written(&gomoku(15), text, None), ["h8 i9", "h8 i8"]);
        let reversi = Setup::standard(GameKind::Reversi);
        assert_eq!(written(&reversi, "F5D6C3D3", None), ["f5 d6 c3 d3"]);
        let connect4 = Setup::standard(GameKind::Connect4);
        assert_eq!(
            written(&connect4, "4435\n4 4 3", None),
            ["4 4 3 5", "4 4 3"]
        );
    }

    #[test]
    fn what_is_wrong_is_named_by_its_line() {
        let connect4 = Setup::standard(GameKind::Connect4);
        for (setup, text, error) in [
            (gomoku(15), "h8\n\nh8 z1", "line 3: no move: \"z1\""),
            (gomoku(15), "0,0\n8,0", "line 2: no move: \"8,0\""),
            (gomoku(15), "0,0, 1", "line 1: no move: \"1\""),
            (
                gomoku(15),
                "0,0, 2147483647,1",
                "line 1: no move: \"2147483647,1\"",
            ),
            (gomoku(15), "h8 h8", "line 1: h8: illegal move"),
            (
                connect4,
                "4343434",
                "line 1: the opening leaves no game to play",
            ),
            (connect4, "43434345", "line 1: 5: the game is over"),
            (connect4, "# nothing", "there is no opening in it"),
        ] {
            assert_eq!(read(&setup, text, None).unwrap_err().to_string(), error);
        }
        let offset = Some(OpeningFormat::Offset);
        assert_eq!(
            read(&connect4, "0,0", offset),
            Err(OpeningFileError::Format(OpeningFormat::Offset))
        );
    }

    #[test]
    fn the_seed_decides_on_the_order() {
        let text: String = (1..8)
            .flat_map(|a| (1..8).map(move |b| format!("{a}{b}\n")))
            .collect();
        let list = read(&Setup::standard(GameKind::Connect4), &text, None).unwrap();
        let order = |seed| {
            let mut order = list.clone();
            shuffle(&mut order, seed);
            order
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let sorted = |mut list: Vec<Vec<Action>>| {
            list.sort_by_key(|moves| format!("{moves:?}"));
            list
        };
        assert_eq!(sorted(order(1)), sorted(list.clone()));
    }
}
