//! SGF: a tree of nodes with properties; the first branch is the main line.

use super::{FileError, Read};
use crate::game::{Action, GameKind, Point, Setup, Side, notation, two_numbers};

/// The numbers that SGF has for Gomoku and Renju, and for Go, as which boards of Go like Sabaki keep any
/// game; each with the side of the board where a file does not tell it.
const GAMES: [(&str, u8); 2] = [("4", 15), ("1", 19)];

/// Reads the main line.
pub fn read(text: &str) -> Result<Read, FileError> {
    let properties = main_line(text)?;
    let value = |name: &str| {
        let mut found = properties.iter().filter(|(it, _)| it == name);
        found.next().map(|(_, value)| &**value)
    };
    let number = value("GM").unwrap_or(GAMES[0].0);
    let known = GAMES.into_iter().find(|&(it, _)| it == number);
    let (_, usual_size) = known.ok_or_else(|| FileError::OtherGame(number.to_owned()))?;
    let unknown = |text: &str| FileError::Value(text.to_owned());
    let (cols, rows) = match value("SZ") {
        None => (usual_size, usual_size),
        Some(size) => match size.parse() {
            Ok(size) => (size, size),
            Err(_) => two_numbers(size, ':').ok_or_else(|| unknown(size))?,
        },
    };
    let setup = Setup::standard(GameKind::Gomoku).with_size(cols, rows);
    // Rules are free text; one that is not known here is taken for the usual.
    let rule = value("RU").and_then(|rule| rule.to_ascii_lowercase().parse().ok());
    let mut read = Read::new(setup.with(rule.unwrap_or(setup.rule())));
    for (name, value) in &properties {
        let point = || point(&setup, value).ok_or_else(|| unknown(value));
        let action = || match is_pass(&setup, value) {
            true => Ok(Action::Pass),
            false => point().map(Action::Point),
        };
        match &**name {
            "B" => read.moves.push((Some(Side::First), action()?)),
            "W" => read.moves.push((Some(Side::Second), action()?)),
            "AB" => read.stones.push((point()?, Side::First)),
            "AW" => read.stones.push((point()?, Side::Second)),
            "PL" if value.eq_ignore_ascii_case("W") => read.to_move = Side::Second,
            _ => {}
        }
    }
    // Programs of Go end a game with passes. A pass before the end is refused by its number.
    let is_played = |(_, action): &(_, Action)| *action != Action::Pass;
    let played = read.moves.iter().rposition(is_played);
    read.moves.truncate(played.map_or(0, |last| last + 1));
    Ok(read)
}

/// Whether a value is a pass of Go: empty, or `tt` on boards up to 19×19, as FF[3] writes it.
fn is_pass(setup: &Setup, text: &str) -> bool {
    text.is_empty() || text == "tt" && setup.cols.max(setup.rows) <= 19
}

/// `hh`, column and row from the top left, or `h8` as people write it.
fn point(setup: &Setup, text: &str) -> Option<Point> {
    let number = |c: u8| c.is_ascii_lowercase().then(|| c - b'a');
    let point = match *text.as_bytes() {
        [col, row] if row.is_ascii_lowercase() => Point {
            col: number(col)?,
            row: number(row)?,
        },
        _ => match notation::parse(setup, text)? {
            Action::Point(point) => point,
            _ => return None,
        },
    };
    setup.contains(point).then_some(point)
}

/// The properties of the first branch, by name and value, one for each value.
fn main_line(text: &str) -> Result<Vec<(String, String)>, FileError> {
    let mut found = Vec::new();
    let mut name = String::new();
    let mut chars = text.chars();
    let mut begun = false;
    while let Some(c) = chars.next() {
        match c {
            // The main line ends where its branch does.
            ')' if begun => return Ok(found),
            '(' => {}
            ';' => {
                begun = true;
                name.clear();
            }
            '[' if !name.is_empty() => {
                let value = value(&mut chars).ok_or(FileError::Form)?;
                found.push((name.clone(), value));
                // Another value of the same property may follow.
                let mut rest = chars.clone();
                if rest.find(|c| !c.is_whitespace()) != Some('[') {
                    name.clear();
                }
            }
            c if c.is_ascii_uppercase() => name.push(c),
            c if c.is_whitespace() || c.is_ascii_lowercase() => {}
            _ => return Err(FileError::Form),
        }
    }
    Err(FileError::Form)
}

/// The rest of a value, up to its bracket. `None`: there is none.
fn value(chars: &mut std::str::Chars<'_>) -> Option<String> {
    let mut value = String::new();
    loop {
        match chars.next()? {
            ']' => return Some(value),
            '\\' => value.push(chars.next()?),
            c => value.push(c),
        }
    }
}
