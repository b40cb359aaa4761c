//! Moves as people write them, one way a game.
//!
//! Gomoku: `h8`, columns by letter, rows from 1 at the bottom. Reversi: `f5`, rows from 1 at
//! the top, `pass` or, as in NBoard and GGF, `PA`. Connect Four: the column from 1 at the left, as in
//! `4`; `steal`.

use super::kinds::{Edge, MoveText, new_game};
use super::{Action, Playable, Point, Setup};

/// The text of an action in this game.
#[must_use]
pub fn write(setup: &Setup, action: Action) -> String {
    match action {
        Action::Pass => "pass".to_owned(),
        Action::Steal => "steal".to_owned(),
        Action::Column(col) => (u32::from(col) + 1).to_string(),
        Action::Point(Point { col, row }) => {
            let letter = char::from(b'a'.saturating_add(col));
            format!("{letter}{}", row_number(setup, row))
        }
    }
}

/// Reads one action. `None` when the text is not one, or names a cell off the board; whether
/// the move is legal is for the game to say.
#[must_use]
pub fn parse(setup: &Setup, text: &str) -> Option<Action> {
    if ["pass", "pa"]
        .iter()
        .any(|it| text.eq_ignore_ascii_case(it))
    {
        return Some(Action::Pass);
    }
    if text.eq_ignore_ascii_case("steal") {
        return Some(Action::Steal);
    }
    if setup.game().moves() == MoveText::Column {
        let col = parse_number(text)?.checked_sub(1)?;
        return (col < setup.cols).then_some(Action::Column(col));
    }
    let letter = text.chars().next().filter(char::is_ascii_alphabetic)?;
    let col = (letter.to_ascii_lowercase() as u8) - b'a';
    let number = parse_number(&text[1..])?;
    let row = row_called(setup, number)?;
    let point = Point { col, row };
    setup.contains(point).then_some(Action::Point(point))
}

/// The number that players call a row by.
#[must_use]
pub fn row_number(setup: &Setup, row: u8) -> u8 {
    match setup.game().first_row() {
        Edge::Top => row.saturating_add(1),
        Edge::Bottom => setup.rows.saturating_sub(row),
    }
}

/// The row that players call by a number, if there can be one.
#[must_use]
pub fn row_called(setup: &Setup, number: u8) -> Option<u8> {
    match setup.game().first_row() {
        Edge::Top => number.checked_sub(1),
        Edge::Bottom => setup.rows.checked_sub(number),
    }
}

/// Reads moves parted by spaces or commas, numbers before them as in `1. h8 g9 2. i9` passed over. In
/// Connect Four on boards of at most nine columns, and in Reversi and Gomoku, moves may also stand side by
/// side, as in `4435` or `f5d6`. On wider boards nobody could tell the columns 1 and 2 from column 12.
///
/// # Errors
/// The piece of text that is not a move.
pub fn parse_list(setup: &Setup, text: &str) -> Result<Vec<Action>, String> {
    let mut actions = Vec::new();
    for word in text
        .split([' ', ',', '\t', '\r', '\n'])
        .map(without_number)
        .filter(|word| !word.is_empty())
    {
        match parse(setup, word) {
            Some(action) => actions.push(action),
            None => {
                for piece in split_joined(setup, word) {
                    actions.push(parse(setup, piece).ok_or_else(|| piece.to_owned())?);
                }
            }
        }
    }
    Ok(actions)
}

/// Reads the moves of a game from its beginning, written as for [`parse_list`]. Forced passes may be left
/// out, as they are where many write down games of Reversi. Whether the moves are legal is not looked at.
///
/// # Errors
/// The piece of text that is not a move.
pub fn parse_game(setup: &Setup, text: &str) -> Result<Vec<Action>, String> {
    let written = parse_list(setup, text)?;
    let Ok(mut game) = new_game(setup) else {
        return Ok(written);
    };
    let mut actions = Vec::with_capacity(written.len());
    for action in written {
        if action != Action::Pass && game.is_legal(Action::Pass) {
            actions.push(Action::Pass);
            // It is the only legal move.
            game.play(Action::Pass).ok();
        }
        actions.push(action);
        // Who plays the moves tells of one that is not legal.
        game.play(action).ok();
    }
    Ok(actions)
}

/// The position after moves that are written as for [`parse_game`].
///
/// # Errors
/// When the game cannot be played so, or the first text that is no legal move.
pub fn position<G: Playable>(setup: &Setup, moves: &str) -> Result<G, String> {
    let mut position = G::new(setup).map_err(|error| error.to_string())?;
    for action in parse_game(setup, moves)? {
        let mv = position.parse_action(action);
        position.play(mv.ok_or_else(|| write(setup, action))?);
    }
    Ok(position)
}

/// `h8` of `1.h8`, and of `4...h8`, with which the second side's move is written; nothing of `1.` alone.
#[must_use]
pub fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.starts_with('.') {
        true => rest.trim_start_matches('.'),
        false => word,
    }
}

/// Cuts `f5passd6` into `f5`, `pass` and `d6`, and `4435` into digits where every column is one.
fn split_joined<'a>(setup: &Setup, word: &'a str) -> Vec<&'a str> {
    let digits = setup.game().moves() == MoveText::Column;
    if digits && setup.cols > 9 {
        return vec![word];
    }
    let mut cuts: Vec<usize> = word
        .char_indices()
        .map(|(at, _)| at)
        .filter(|&at| at > 0 && (digits || begins_point(&word[..at], &word[at..])))
        .collect();
    cuts.push(word.len());
    let mut from = 0;
    cuts.into_iter()
        .map(|to| &word[std::mem::replace(&mut from, to)..to])
        .collect()
}

/// Whether a move begins between these parts of a word: at a letter after a digit, or at the last letter
/// before one.
fn begins_point(before: &str, after: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let column = after.strip_prefix(is_letter);
    let is_column = column.is_some_and(|row| row.starts_with(|c: char| c.is_ascii_digit()));
    is_column || column.is_some() && !before.ends_with(is_letter)
}

fn parse_number(text: &str) -> Option<u8> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameKind;

    #[test]
    fn rows_count_from_the_side_that_players_expect() {
        let gomoku = Setup::standard(GameKind::Gomoku);
        let reversi = Setup::standard(GameKind::Reversi);
        assert_eq!(parse(&gomoku, "h8"), Some(Action::point(7, 7)));
        assert_eq!(parse(&gomoku, "A15"), Some(Action::point(0, 0)));
        assert_eq!(parse(&gomoku, "a1"), Some(Action::point(0, 14)));
        assert_eq!(parse(&reversi, "f5"), Some(Action::point(5, 4)));
        assert_eq!(write(&gomoku, Action::point(0, 14)), "a1");
        assert_eq!(write(&reversi, Action::point(5, 4)), "f5");
    }

    #[test]
    fn text_that_is_no_cell_is_refused() {
        let gomoku = Setup::standard(GameKind::Gomoku);
        for text in ["", "h", "8", "h0", "h16", "p1", "h8x", "é5", "h+8", "h256"] {
            assert_eq!(parse(&gomoku, text), None, "{text}");
        }
        let connect4 = Setup::standard(GameKind::Connect4);
        for text in ["0", "8", "-1", "x", "+4", "300"] {
            assert_eq!(parse(&connect4, text), None, "{text}");
        }
    }

    #[test]
    fn joined_moves_are_cut() {
        let connect4 = Setup::standard(GameKind::Connect4);
        let reversi = Setup::standard(GameKind::Reversi);
        let columns = vec![Action::Column(3), Action::Column(3), Action::Column(2)];
        assert_eq!(parse_list(&connect4, "443"), Ok(columns.clone()));
        assert_eq!(parse_list(&connect4, "4, 4 3"), Ok(columns));
        let stolen = vec![Action::Column(3), Action::Steal, Action::Column(3)];
        assert_eq!(parse_list(&connect4, "4 steal 4"), Ok(stolen));
        let discs = vec![Action::point(5, 4), Action::point(5, 5), Action::Pass];
        for text in ["f5F6 pass", "f5F6pass", "f5f6PA"] {
            assert_eq!(parse_list(&reversi, text), Ok(discs.clone()), "{text}");
        }
        let after_pass = vec![Action::point(5, 4), Action::Pass, Action::point(5, 5)];
        assert_eq!(parse_list(&reversi, "f5passf6"), Ok(after_pass));
        assert_eq!(parse_list(&reversi, "f5past"), Err("past".to_owned()));
        assert_eq!(parse_list(&reversi, "f5x9"), Err("x9".to_owned()));
        assert_eq!(parse_list(&connect4, "4é"), Err("é".to_owned()));
    }

    #[test]
    fn numbers_before_moves_are_passed_over() {
        let connect4 = Setup::standard(GameKind::Connect4);
        let reversi = Setup::standard(GameKind::Reversi);
        let columns = [3, 3, 2].map(Action::Column).to_vec();
        assert_eq!(parse_list(&connect4, "1. 4 4 2.3"), Ok(columns.clone()));
        assert_eq!(parse_list(&connect4, "1.4 1...4 2. 3"), Ok(columns));
        let discs = vec![Action::point(5, 4), Action::point(5, 5)];
        assert_eq!(parse_list(&reversi, "12.f5f6"), Ok(discs));
        for wrong in ["1", "f5.", ".9"] {
            assert!(parse_list(&reversi, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn forced_passes_may_be_left_out() {
        let reversi = Setup::standard(GameKind::Reversi);
        let with_pass = parse_list(&reversi, "c4c3f5b4a4a5c2a3 pass d2").unwrap();
        for text in [
            "c4c3f5b4a4a5c2a3d2",
            "c4c3f5b4a4a5c2a3 pass d2",
            "C4 C3 F5 B4 A4 A5 C2 A3 PA D2",
        ] {
            assert_eq!(
                parse_game(&reversi, text).as_ref(),
                Ok(&with_pass),
                "{text}"
            );
        }
        let illegal = parse_list(&reversi, "c4 c4 h8").unwrap();
        assert_eq!(parse_game(&reversi, "c4 c4 h8").unwrap(), illegal);
    }

    #[test]
    fn columns_of_two_digits_are_not_cut() {
        let setup = |cols| Setup::standard(GameKind::Connect4).with_size(cols, 6);
        let columns = |cols: &[u8]| Ok(cols.iter().map(|&col| Action::Column(col)).collect());
        assert_eq!(parse_list(&setup(9), "1212"), columns(&[0, 1, 0, 1]));
        assert_eq!(parse_list(&setup(12), "1 12 2"), columns(&[0, 11, 1]));
        assert_eq!(parse_list(&setup(12), "1 1212"), Err("1212".to_owned()));
        assert_eq!(parse_list(&setup(10), "13"), Err("13".to_owned()));
    }

    #[test]
    fn every_cell_is_read_back() {
        for game in [GameKind::Gomoku, GameKind::Reversi] {
            let setup = Setup::standard(game);
            for point in setup.points() {
                let action = Action::Point(point);
                assert_eq!(parse(&setup, &write(&setup, action)), Some(action));
            }
        }
    }
}
