//! PGN as Tengen writes it for Connect Four: tags for the board, and columns from 1 for moves.

use super::{FileError, Read};
use crate::game::{Connect4Rules, GameKind, Setup, notation};

/// Tags and the terms of the setup that they tell.
const TAGS: [(&str, &str); 3] = [("Board", "size"), ("Connect", "connect"), ("Hole", "hole")];

/// Reads the tags and the moves.
pub fn read(text: &str) -> Result<Read, FileError> {
    let mut setup = Setup::standard(GameKind::Connect4);
    for line in text.lines().take_while(is_head) {
        if line.trim().is_empty() {
            continue;
        }
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
    let moves: Vec<&str> = text.lines().skip_while(is_head).collect();
    for word in words(&moves.join("\n"))? {
        if ["1-0", "0-1", "1/2-1/2", "*"].contains(&&*word) {
            break;
        }
        let text = notation::without_number(&word);
        if !text.is_empty() {
            let action = notation::parse(&setup, text);
            let action = action.ok_or_else(|| FileError::Value(text.to_owned()))?;
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

/// Whether a line stands before the moves, as far as all before it do.
fn is_head(line: &&str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('[')
}

/// The words of the moves, up to the tags of another game. Variations, which may have others inside, and
/// glyphs such as `$1` are passed over like remarks, which end with the first `}` or with their line.
fn words(text: &str) -> Result<Vec<String>, FileError> {
    let mut plain = String::new();
    let mut variations = 0_usize;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '{' => {
                chars.find(|&c| c == '}').ok_or(FileError::Form)?;
                plain.push(' ');
            }
            ';' => {
                chars.find(|&c| c == '\n');
                plain.push(' ');
            }
            '$' => {
                let is_digit = |c: char| c.is_ascii_digit();
                chars = chars.as_str().trim_start_matches(is_digit).chars();
                plain.push(' ');
            }
            '(' => {
                variations += 1;
                plain.push(' ');
            }
            ')' => variations = variations.checked_sub(1).ok_or(FileError::Form)?,
            _ if variations > 0 => {}
            '[' => break,
            c => plain.push(c),
        }
    }
    match variations {
        0 => Ok(plain.split_whitespace().map(str::to_owned).collect()),
        _ => Err(FileError::Form),
    }
}
