//! What lines are made of.

use super::error::GtpError;
use crate::game::Side;

/// The line without its comment and control characters, as GTP demands before it is read.
pub fn clean(line: &str) -> String {
    let end = line.find('#').unwrap_or(line.len());
    line[..end]
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| !c.is_control())
        .collect()
}

/// The id, empty if there is none, and the words of the command.
pub fn split(line: &str) -> (&str, Vec<&str>) {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    match words.first() {
        Some(&id) if id.bytes().all(|byte| byte.is_ascii_digit()) => {
            words.remove(0);
            (id, words)
        }
        _ => ("", words),
    }
}

pub fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "black",
        Side::Second => "white",
    }
}

pub fn parse_colour(text: &str) -> Result<Side, GtpError> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::First),
        "w" | "white" => Ok(Side::Second),
        _ => Err(GtpError::Syntax("black or white")),
    }
}
