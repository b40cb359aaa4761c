//! SGF: a tree of nodes with properties; the first branch is the main line.

use super::{FileError, Read};
use crate::game::{Action, GameKind, Point, Setup, SetupError, Side, any, notation, two_numbers};

/// The numbers that SGF has for Gomoku and Renju, and for Go, as which boards of Go like Sabaki keep any
/// game; each with the side of the board where a file does not tell it.
const GAMES: [(&str, u8); 2] = [("4", 15), ("1", 19)];

/// The properties that are obeyed.
const NAMES: [&str; 9] = ["GM", "SZ", "RU", "B", "W", "AB", "AW", "AE", "PL"];

/// A name and one of its values.
type Property = (&'static str, String);

/// A row of the board before the first move, with a bit for each column: a node that fills the board takes
/// a step for each row.
#[derive(Clone, Default)]
struct Row {
    /// By side.
    stones: [u32; 2],
    /// The points that the node has set up.
    changed: u32,
}

/// Reads the main line. Properties are obeyed in the order of the text.
pub fn read(text: &str) -> Result<Read, FileError> {
    let nodes = main_line(text)?;
    let (setup, tells_rule) = agreed(&nodes)?;
    let mut read = Read::new(setup);
    read.tells_rule = tells_rule;
    let mut rows = vec![Row::default(); usize::from(setup.rows)];
    let mut to_move = None;
    for node in &nodes {
        // A later node may change what an earlier one has set up.
        rows.iter_mut().for_each(|row| row.changed = 0);
        for (name, value) in node {
            let unknown = || FileError::Value(value.clone());
            let late = || FileError::SetUp((*name).to_owned());
            match *name {
                "B" | "W" => {
                    let action = action(&setup, value).ok_or_else(unknown)?;
                    read.moves.push((side(name), action));
                }
                "AB" | "AW" | "AE" if !read.moves.is_empty() => return Err(late()),
                "AB" | "AW" | "AE" => {
                    // E, for empty, is no side.
                    let stone = name.strip_prefix('A').and_then(side);
                    let corners = area(&setup, value).ok_or_else(unknown)?;
                    set_up(&mut rows, corners, stone).map_err(FileError::Setup)?;
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
    read.stones = stones(&setup, &rows);
    Ok(read)
}

/// The game of the file, its board and its rule, and whether the file tells that.
fn agreed(nodes: &[Vec<Property>]) -> Result<(Setup, bool), FileError> {
    let value = |name: &str| {
        let mut found = nodes.iter().flatten().filter(|(it, _)| *it == name);
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
    any::new_game(&setup).map_err(FileError::Setup)?;
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

/// The points of a value, by the first and the last: one point, or the rectangle between two corners, as in
/// `hh:ij`.
fn area(setup: &Setup, text: &str) -> Option<(Point, Point)> {
    let (from, to) = text.split_once(':').unwrap_or((text, text));
    let (from, to) = (point(setup, from)?, point(setup, to)?);
    let corner = |of: fn(u8, u8) -> u8| Point {
        col: of(from.col, to.col),
        row: of(from.row, to.row),
    };
    Some((corner(u8::min), corner(u8::max)))
}

/// Puts this stone, or none, on a rectangle where the node has set up nothing yet.
fn set_up(
    rows: &mut [Row],
    (first, last): (Point, Point),
    stone: Option<Side>,
) -> Result<(), SetupError> {
    // No board has as many columns as this has bits.
    let cols = (2_u32 << last.col) - (1 << first.col);
    for (number, row) in (0..=last.row).zip(rows).skip(first.row.into()) {
        let twice = row.changed & cols;
        if twice != 0 {
            let col = twice.trailing_zeros() as u8;
            return Err(SetupError::Stone(Point { col, row: number }));
        }
        row.changed |= cols;
        row.stones = row.stones.map(|stones| stones & !cols);
        if let Some(side) = stone {
            row.stones[side.index()] |= cols;
        }
    }
    Ok(())
}

/// The stones that are set up.
fn stones(setup: &Setup, rows: &[Row]) -> Vec<(Point, Side)> {
    let stone_at = |point: Point| {
        let [first, second] = rows.get(usize::from(point.row))?.stones;
        let is_on = |stones: u32| (stones >> point.col) & 1 == 1;
        match (is_on(first), is_on(second)) {
            (true, _) => Some((point, Side::First)),
            (_, true) => Some((point, Side::Second)),
            _ => None,
        }
    };
    setup.points().filter_map(stone_at).collect()
}

/// The nodes of the first branch, with a property for each value that is obeyed.
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
                if let Some(name) = NAMES.into_iter().find(|&it| it == name) {
                    node.push((name, value));
                }
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
