//! Why a line is refused.

use crate::game::{PlayError, SetupError};
use std::fmt;

/// Why a line is refused, as the manager is told.
#[derive(Debug)]
pub enum GomocupError {
    Unknown,
    Arguments(&'static str),
    Setup(SetupError),
    Play(PlayError),
    Objection(String),
    NotEmpty,
    LastMove,
    NotLast,
    NoBoard,
    NotRenju,
}

impl fmt::Display for GomocupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GomocupError::Unknown => f.write_str("command"),
            GomocupError::Arguments(usage) => write!(f, "expected: {usage}"),
            GomocupError::Setup(error) => error.fmt(f),
            GomocupError::Play(error) => error.fmt(f),
            GomocupError::Objection(reason) => f.write_str(reason),
            GomocupError::NotEmpty => f.write_str("the board is not empty"),
            GomocupError::LastMove => f.write_str("this move ends the game"),
            GomocupError::NotLast => f.write_str("not the last move"),
            GomocupError::NoBoard => f.write_str("no BOARD was begun"),
            GomocupError::NotRenju => f.write_str("only renju forbids moves"),
        }
    }
}

impl GomocupError {
    /// The line that tells the manager.
    pub fn answer(&self) -> String {
        match self {
            GomocupError::Unknown => format!("UNKNOWN {self}"),
            _ => format!("ERROR {self}"),
        }
    }
}

impl From<SetupError> for GomocupError {
    fn from(error: SetupError) -> GomocupError {
        GomocupError::Setup(error)
    }
}

impl From<PlayError> for GomocupError {
    fn from(error: PlayError) -> GomocupError {
        GomocupError::Play(error)
    }
}
