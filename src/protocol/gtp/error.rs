//! Why a command fails.

use super::words::colour;
use crate::game::{PlayError, SetupError, Side};
use std::fmt;

/// Why a command fails, as the controller is told.
#[derive(Debug)]
pub enum GtpError {
    UnknownCommand,
    Syntax(&'static str),
    IllegalMove,
    OutOfTurn(Side),
    Size(SetupError),
    Setup(SetupError),
    UnknownGame,
    CannotUndo,
    Over,
    NotOver,
    NoMove,
    /// The session's own words.
    Refused(String),
}

impl fmt::Display for GtpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GtpError::UnknownCommand => f.write_str("unknown command"),
            GtpError::Syntax(usage) => write!(f, "syntax error, expected: {usage}"),
            GtpError::IllegalMove => f.write_str("illegal move"),
            GtpError::OutOfTurn(side) => write!(f, "illegal move, {} is to move", colour(*side)),
            GtpError::UnknownGame => f.write_str("unsupported game"),
            GtpError::Size(error) => write!(f, "unacceptable size: {error}"),
            GtpError::Setup(error) => error.fmt(f),
            GtpError::CannotUndo => f.write_str("cannot undo"),
            GtpError::Over => f.write_str("the game is over"),
            GtpError::NotOver => f.write_str("the game is not over"),
            GtpError::NoMove => f.write_str("there is no move"),
            GtpError::Refused(reason) => f.write_str(reason),
        }
    }
}

impl From<PlayError> for GtpError {
    fn from(error: PlayError) -> GtpError {
        match error {
            PlayError::Illegal => GtpError::IllegalMove,
            PlayError::Over => GtpError::Over,
            PlayError::NothingToUndo => GtpError::CannotUndo,
        }
    }
}
