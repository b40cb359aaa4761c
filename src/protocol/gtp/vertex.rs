//! Points as GTP writes them: a letter for the column, without I, and a number for the row.
//!
//! GTP boards such as GoGui draw row 1 at the bottom. So do Gomoku and Connect Four here. In
//! Reversi a vertex is the square that players call so, with row 1 at the top: `F5` is F5, and
//! Tengen, GRhino and Edax understand each other. GoGui then draws the Reversi board upside
//! down, with the right name on every square.
//!
//! A Connect Four move is written as the cell where the disc lands. Any vertex of the column is
//! read, as is the column alone, by letter or by number from 1.

use crate::game::drawing::sign;
use crate::game::kinds::MoveText;
use crate::game::notation::{row_called, row_number};
use crate::game::{Action, AnyGame, Point, Setup};

/// The letters of the columns: a board is at most this wide and high.
const LETTERS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Columns and rows of the largest board that vertices can name.
pub const LARGEST: u8 = LETTERS.len() as u8;

/// The text of a move that can be made on this board.
pub fn write(game: &dyn AnyGame, action: Action) -> String {
    let setup = game.setup();
    match action {
        Action::Pass => "pass".to_owned(),
        Action::Steal => "steal".to_owned(),
        Action::Point(point) => write_point(&setup, point),
        Action::Column(col) => {
            let cells = (0..setup.rows).rev().map(|row| Point { col, row });
            let landing = cells
                .into_iter()
                .find(|&cell| game.stone_at(cell).is_none() && setup.hole() != Some(cell));
            landing.map_or_else(|| letter(col).to_string(), |cell| write_point(&setup, cell))
        }
    }
}

/// The texts of moves made one after the other, up to the first that cannot be made.
pub fn write_line(game: &dyn AnyGame, line: &[Action]) -> Vec<String> {
    let mut game = game.clone_box();
    let mut words = Vec::with_capacity(line.len());
    for &action in line {
        let word = write(&*game, action);
        if game.play(action).is_err() {
            break;
        }
        words.push(word);
    }
    words
}

/// Reads a move. `None` when the text is not one or names no point of the board.
pub fn parse(setup: &Setup, text: &str) -> Option<Action> {
    if text.eq_ignore_ascii_case("pass") {
        return Some(Action::Pass);
    }
    if text.eq_ignore_ascii_case("steal") {
        return Some(Action::Steal);
    }
    let first = text.chars().next().filter(char::is_ascii)?;
    let col = LETTERS
        .iter()
        .position(|&letter| letter == first.to_ascii_uppercase() as u8);
    let digits = match col {
        Some(_) => &text[1..],
        None => text,
    };
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| digits.parse::<u8>().ok()).flatten();
    if setup.game().moves() == MoveText::Column {
        let col = match col {
            Some(col) if digits.is_empty() || number.is_some() => u8::try_from(col).ok()?,
            Some(_) => return None,
            None => number?.checked_sub(1)?,
        };
        return (col < setup.cols).then_some(Action::Column(col));
    }
    let point = Point {
        col: u8::try_from(col?).ok()?,
        row: row_called(setup, number?)?,
    };
    setup.contains(point).then_some(Action::Point(point))
}

/// The board for people, with the names of columns and rows, in the way its players draw it.
pub fn draw(game: &dyn AnyGame) -> String {
    let setup = game.setup();
    let mut columns = String::from("   ");
    for col in 0..setup.cols {
        columns.push(' ');
        columns.push(letter(col));
    }
    let mut text = format!("\n{columns}");
    for row in 0..setup.rows {
        text.push_str(&format!("\n{:>3}", row_number(&setup, row)));
        for col in 0..setup.cols {
            let point = Point { col, row };
            text.push(' ');
            text.push(match game.stone_at(point) {
                None if setup.hole() == Some(point) => '#',
                stone => sign(stone),
            });
        }
    }
    text
}

/// The board for GoGui: as many rows and columns as [`square`] says, the highest row first.
/// What is added to make the board square stays empty.
pub fn draw_square(game: &dyn AnyGame) -> String {
    let setup = game.setup();
    let size = square(&setup);
    let mut text = String::new();
    for number in (1..=size).rev() {
        text.push('\n');
        for col in 0..size {
            let point = row_called(&setup, number).map(|row| Point { col, row });
            text.push(sign(point.and_then(|point| game.stone_at(point))));
        }
    }
    text
}

/// The size of the smallest square that the board fits into; GoGui's boards are square.
pub fn square(setup: &Setup) -> u8 {
    setup.cols.max(setup.rows)
}

fn write_point(setup: &Setup, point: Point) -> String {
    format!("{}{}", letter(point.col), row_number(setup, point.row))
}

fn letter(col: u8) -> char {
    LETTERS
        .get(usize::from(col))
        .map_or('?', |&byte| char::from(byte))
}
