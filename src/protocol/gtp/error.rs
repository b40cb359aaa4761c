//! Why a command fails.

use super::words::colour;
use crate::game::{PlayError, SetupError, Side};

/// Why a command fails, as the controller is told.
#[derive(Debug, thiserror::Error)]
pub enum GtpError {
    #[error("unknown command")]
    UnknownCommand,
    #[error("syntax error, expected: {0}")]
    Syntax(&'static str),
    #[error("illegal move")]
    IllegalMove,
    #[error("illegal move, {} is to move", colour(*.0))]
    OutOfTurn(Side),
    #[error("unacceptable size: {0}")]
    Size(SetupError),
    #[error(transparent)]
    Setup(SetupError),
    #[error("unsupported game")]
    UnknownGame,
    #[error("cannot undo")]
    CannotUndo,
    #[error("the game is over")]
    Over,
    #[error("the game is not over")]
    NotOver,
    /// Why a file is no game that can be played here.
    #[error("cannot load file: {0}")]
    Load(String),
    #[error("there is no SGF of this game")]
    NoSgf,
    #[error("there is no move")]
    NoMove,
    /// The session's own words.
    #[error("{0}")]
    Refused(String),
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
