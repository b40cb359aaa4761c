//! Why a line is refused.

use crate::game::{PlayError, SetupError};

/// Why a line is refused, as the manager is told.
#[derive(Debug, thiserror::Error)]
pub enum GomocupError {
    #[error("command")]
    Unknown,
    #[error("expected: {0}")]
    Arguments(&'static str),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error("{0}")]
    Objection(String),
    #[error("the board is not empty")]
    NotEmpty,
    #[error("this move ends the game")]
    LastMove,
    #[error("not the last move")]
    NotLast,
    #[error("no BOARD was begun")]
    NoBoard,
    #[error("only renju forbids moves")]
    NotRenju,
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
