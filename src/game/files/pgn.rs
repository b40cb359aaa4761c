//! PGN as Tengen writes it for Connect Four: tags for the board, and columns from 1 for moves.

use super::{FileError, Read};
use crate::game::{Connect4Rules, GameKind, Setup, notation};

/// Tags and the terms of the setup that they tell.
const TAGS: [(&str, &str); 3] = [("Board", "size"), ("Connect", "connect"), ("Hole", "hole")];

/// Reads the tags and the moves.
pub fn read(text: &str) -> Result<Read, FileError> {
    let mut setup = Setup::standard(GameKind::Connect4);
    for line in text.lines().filter(|line| line.starts_with('[')) {
        let (tag, value) = tag(line).ok_or(FileError::Form)?;
        let term = TAGS.iter().find(|(name, _)| *name == tag);
        if let Some((_, term)) = term {
            let with_term = setup.with_term(term, value);
            setup = with_term.map_err(|_| FileError::Value(value.to_owned()))?;
        } else if tag == "Steal" {
            let rules = setup.connect4();
            setup = setup.with(Connect4Rules {
                steal: true,
                ..rules
            });
        }
    }
    let mut read = Read::new(setup);
    for word in words(text) {
        let is_number = word.ends_with('.');
        let is_result = ["1-0", "0-1", "1/2-1/2", "*"].contains(&&*word);
        if !is_number && !is_result {
            let action = notation::parse(&setup, &word);
            let action = action.ok_or_else(|| FileError::Value(word.clone()))?;
            read.moves.push((None, action));
        }
    }
    Ok(read)
}

/// `[Board "7x6"]`.
fn tag(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().strip_prefix('[')?.strip_suffix("\"]")?;
    let (name, value) = line.split_once('"')?;
    Some((name.trim(), value))
}

/// The words of the moves, with no remarks.
fn words(text: &str) -> Vec<String> {
    let moves = text.lines().filter(|line| !line.starts_with('['));
    let mut plain = String::new();
    let mut depth = 0_u32;
    for c in moves.flat_map(|line| line.chars().chain(['\n'])) {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain.split_whitespace().map(str::to_owned).collect()
}
