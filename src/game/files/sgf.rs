//! SGF: a tree of nodes with properties; the first branch is the main line.

use super::{FileError, Read};
use crate::game::{Action, GameKind, Point, Setup, SetupError, Side, notation, two_numbers};
use std::collections::{BTreeMap, BTreeSet};

/// The numbers that SGF has for Gomoku and Renju, and for Go, as which boards of Go like Sabaki keep any
/// game; each with the side of the board where a file does not tell it.
const GAMES: [(&str, u8); 2] = [("4", 15), ("1", 19)];

/// A name and one of its values.
type Property = (String, String);

/// Reads the main line. Properties are obeyed in the order of the text.
pub fn read(text: &str) -> Result<Read, FileError> {
    let nodes = main_line(text)?;
    let (setup, tells_rule) = agreed(&nodes)?;
    let mut read = Read::new(setup);
    read.tells_rule = tells_rule;
    let mut stones = BTreeMap::new();
    let mut to_move = None;
    for node in &nodes {
        let mut changed = BTreeSet::new();
        for (name, value) in node {
            let unknown = || FileError::Value(value.clone());
            let late = || FileError::SetUp(name.clone());
            match &**name {
                "B" | "W" => {
                    let action = action(&setup, value).ok_or_else(unknown)?;
                    read.moves.push((side(name), action));
                }
                "AB" | "AW" | "AE" if !read.moves.is_empty() => return Err(late()),
                "AB" | "AW" | "AE" => {
                    // E, for empty, is no side.
                    let stone = name.strip_prefix('A').and_then(side);
                    for point in area(&setup, value).ok_or_else(unknown)? {
                        // A later node may change what an earlier one has set up.
                        if !changed.insert(point) {
                            return Err(FileError::Setup(SetupError::Stone(point)));
                        }
                        match stone {
                            Some(side) => stones.insert(point, side),
                            None => stones.remove(&point),
                        };
                    }
                }
                "PL" => {
                    let side = Some(side(value).ok_or_else(unknown)?);
                    match read.moves.last() {
                        None => to_move = side,
                        // After a move it may repeat whose turn it is.
                        Some((last, _)) if *last == side => return Err(late()),
                        Some(_) => {}
                    }
                }
                _ => {}
            }
        }
    }
    // Programs of Go end a game with passes. A pass before the end is refused by its number.
    let is_played = |(_, action): &(_, Action)| *action != Action::Pass;
    let played = read.moves.iter().rposition(is_played);
    read.moves.truncate(played.map_or(0, |last| last + 1));
    let first = read.moves.first().and_then(|(side, _)| *side);
    read.to_move = to_move.or(first).unwrap_or(Side::First);
    read.stones = stones.into_iter().collect();
    Ok(read)
}

/// The game of the file, its board and its rule, and whether the file tells that.
fn agreed(nodes: &[Vec<Property>]) -> Result<(Setup, bool), FileError> {
    let value = |name: &str| {
        let mut found = nodes.iter().flatten().filter(|(it, _)| it == name);
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
    Ok((setup.with(rule.unwrap_or(setup.rule())), rule.is_some()))
}

/// The side of a colour. Black is the first; some programs number them.
fn side(text: &str) -> Option<Side> {
    match &*text.trim().to_ascii_lowercase() {
        "b" | "black" | "1" => Some(Side::First),
        "w" | "white" | "2" => Some(Side::Second),
        _ => None,
    }
}

fn action(setup: &Setup, text: &str) -> Option<Action> {
    match is_pass(setup, text) {
        true => Some(Action::Pass),
        false => point(setup, text).map(Action::Point),
    }
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

/// The points of a value: one, or those of the rectangle between two corners, as in `hh:ij`.
fn area(setup: &Setup, text: &str) -> Option<Vec<Point>> {
    let (from, to) = text.split_once(':').unwrap_or((text, text));
    let (from, to) = (point(setup, from)?, point(setup, to)?);
    let cols = from.col.min(to.col)..=from.col.max(to.col);
    let rows = from.row.min(to.row)..=from.row.max(to.row);
    let points = rows.flat_map(|row| cols.clone().map(move |col| Point { col, row }));
    Some(points.collect())
}

/// The nodes of the first branch, with a property for each value.
fn main_line(text: &str) -> Result<Vec<Vec<Property>>, FileError> {
    let mut nodes: Vec<Vec<Property>> = Vec::new();
    let mut name = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            // The main line ends where its branch does.
            ')' if !nodes.is_empty() => return Ok(nodes),
            '(' => {}
            ';' => {
                nodes.push(Vec::new());
                name.clear();
            }
            '[' if !name.is_empty() => {
                let value = value(&mut chars).ok_or(FileError::Form)?;
                let node = nodes.last_mut().ok_or(FileError::Form)?;
                node.push((name.clone(), value));
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
