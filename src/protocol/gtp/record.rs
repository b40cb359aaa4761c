//! The commands that read a game from a file and write one.

use super::error::GtpError;
use super::game::GtpGame;
use super::{Gtp, Pending, Reply, Request, Requests};
use crate::game::files::{self, FileError, GameFile};

impl Gtp {
    /// `loadsgf`: asks for the file.
    pub(super) fn load(
        &mut self,
        words: &[&str],
        requests: &mut Requests,
    ) -> Result<Reply, GtpError> {
        const USAGE: GtpError = GtpError::Syntax("loadsgf file, or loadsgf file move_number");
        let (path, moves) = match *words {
            [path] => (path, usize::MAX),
            [path, number] => {
                let number: usize = number.parse().map_err(|_| USAGE)?;
                (path, number.checked_sub(1).ok_or(USAGE)?)
            }
            _ => return Err(USAGE),
        };
        requests.push(Request::Read(path.into()));
        self.pending = Pending::File(moves);
        Ok(Reply::Later)
    }

    /// Puts up the game of a file, with so many of its moves at the most.
    pub(super) fn put_up(&mut self, text: &str, moves: usize) -> Result<Requests, FileError> {
        let mut file = files::read_as(text, &self.game.board.setup())?;
        file.actions.truncate(moves);
        let next = GtpGame::of_file(&file, self.game.clock.clone())?;
        self.game.replace(next);
        let GameFile {
            setup,
            start,
            actions,
        } = file;
        let begun = match start {
            None => Request::NewGame(setup),
            Some((stones, to_move)) => Request::Position {
                setup,
                stones,
                to_move,
            },
        };
        let played = actions.into_iter().map(Request::Play);
        Ok(std::iter::once(begun).chain(played).collect())
    }

    /// `printsgf [file]`: the game as SGF, here or in a file.
    pub(super) fn print(
        &self,
        words: &[&str],
        requests: &mut Requests,
    ) -> Result<String, GtpError> {
        let sgf = self.game.sgf().ok_or(GtpError::NoSgf)?;
        match *words {
            [] | ["-"] => return Ok(sgf.trim_end().to_owned()),
            [path] => requests.push(Request::Write {
                path: path.into(),
                text: sgf,
            }),
            _ => return Err(GtpError::Syntax("printsgf, or printsgf file")),
        }
        Ok(String::new())
    }
}
