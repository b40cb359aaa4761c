//! The game that a controller is playing, as GTP sees it.

use super::super::{Request, Requests};
use super::clock::GtpClock;
use super::error::GtpError;
use super::vertex;
use crate::game::files::{FileError, GameFile, Sheet};
use crate::game::{Action, AnyGame, GameKind, PlayError, Setup, SetupError, Side, any};
use std::time::Duration;

/// A game and its clock. Each of its methods that fails has changed nothing.
pub struct GtpGame {
    pub board: Box<dyn AnyGame>,
    pub clock: GtpClock,
    /// How many plies each move of the controller made: mostly one, two if a pass was implied,
    /// none for a pass after the end.
    plies: Vec<usize>,
}

impl GtpGame {
    /// A new game on a board that vertices can name, with a clock that begins anew.
    pub fn new(setup: &Setup, mut clock: GtpClock) -> Result<GtpGame, SetupError> {
        if vertex::square(setup) > vertex::LARGEST {
            return Err(SetupError::Size(
                "GTP boards have at most 25 columns and rows",
            ));
        }
        clock.restart();
        Ok(GtpGame {
            board: any::new_game(setup)?,
            clock,
            plies: Vec::new(),
        })
    }

    /// The game of a file, with all of its moves played.
    pub fn of_file(file: &GameFile, clock: GtpClock) -> Result<GtpGame, FileError> {
        let game = GtpGame::new(&file.setup, clock).map_err(FileError::Setup)?;
        Ok(GtpGame {
            board: file.replay()?,
            plies: vec![1; file.actions.len()],
            ..game
        })
    }

    /// The game as SGF. `None`: SGF has no such game.
    pub fn sgf(&self) -> Option<String> {
        let files = Sheet::of(&*self.board).files();
        let sgf = files.into_iter().find(|&(format, _)| format == "sgf");
        sgf.map(|(_, text)| text)
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Side {
        self.board.side_to_move()
    }

    pub fn is_over(&self) -> bool {
        self.board.outcome().is_some()
    }

    /// The setup that `boardsize` asks for.
    pub fn sized(&self, sizes: &[&str]) -> Result<Setup, GtpError> {
        const USAGE: GtpError = GtpError::Syntax("boardsize size, or boardsize columns rows");
        // No board has as many as 255, so more are refused as those are.
        let fitted = |number: u64| u8::try_from(number).unwrap_or(u8::MAX);
        let parse = |text: &str| text.parse().map(fitted).map_err(|_| USAGE);
        let setup = self.board.setup();
        match *sizes {
            [size] => {
                let size = parse(size)?;
                let fits = size == vertex::square(&setup);
                Ok(if fits {
                    setup
                } else {
                    setup.with_size(size, size)
                })
            }
            [cols, rows] => Ok(setup.with_size(parse(cols)?, parse(rows)?)),
            _ => Err(USAGE),
        }
    }

    /// The setup of a game by its name. The game being played keeps its board.
    pub fn renamed(&self, name: &str) -> Result<Setup, GtpError> {
        let setup = self.board.setup();
        match GameKind::called(name) {
            Some(game) if game == setup.game() => Ok(setup),
            Some(game) => Ok(Setup::standard(game)),
            None => Err(GtpError::UnknownGame),
        }
    }

    /// `play`.
    pub fn play(
        &mut self,
        side: Side,
        text: &str,
        requests: &mut Requests,
    ) -> Result<(), GtpError> {
        let action = vertex::parse(&self.board.setup(), text).ok_or(GtpError::IllegalMove)?;
        if self.is_over() {
            if action != Action::Pass {
                return Err(GtpError::Over);
            }
            self.plies.push(0);
            return Ok(());
        }
        let implied = self.pass_for_other(side)?;
        if let Err(error) = self.board.play(action) {
            self.step_back(implied)?;
            return Err(error.into());
        }
        requests.extend((0..implied).map(|_| Request::Play(Action::Pass)));
        requests.push(Request::Play(action));
        self.plies.push(implied + 1);
        Ok(())
    }

    /// Makes it the turn of `side`, by a forced pass if need be. Returns how many plies that
    /// took.
    pub fn pass_for_other(&mut self, side: Side) -> Result<usize, GtpError> {
        let to_move = self.board.side_to_move();
        if side == to_move {
            return Ok(0);
        }
        let must_pass = self.board.is_legal(Action::Pass);
        if !must_pass || self.board.play(Action::Pass).is_err() {
            return Err(GtpError::OutOfTurn(to_move));
        }
        Ok(1)
    }

    /// Plays the answer to `genmove`, after `implied` forced passes.
    pub fn make_move(
        &mut self,
        action: Action,
        implied: usize,
        elapsed: Duration,
    ) -> Result<(), GtpError> {
        let side = self.side_to_move();
        self.board.play(action)?;
        self.clock.spend(side, elapsed);
        self.plies.push(implied + 1);
        Ok(())
    }

    fn step_back(&mut self, plies: usize) -> Result<(), PlayError> {
        (0..plies).try_for_each(|_| self.board.undo().map(drop))
    }

    /// Takes so many plies back that the session has played too.
    pub fn take_back(&mut self, plies: usize, requests: &mut Requests) -> Result<(), GtpError> {
        self.step_back(plies)?;
        requests.extend((0..plies).map(|_| Request::Undo));
        Ok(())
    }

    /// `undo`.
    pub fn undo(&mut self, requests: &mut Requests) -> Result<(), GtpError> {
        let plies = self.plies.pop().ok_or(GtpError::CannotUndo)?;
        self.take_back(plies, requests)
    }

    /// Whether the game is over, so that the move asked for is a pass that counts for nothing.
    pub fn pass_after_the_end(&mut self) -> bool {
        let over = self.is_over();
        if over {
            self.plies.push(0);
        }
        over
    }

    pub fn check_turn(&self, side: Side) -> Result<(), GtpError> {
        let to_move = self.board.side_to_move();
        if side == to_move {
            Ok(())
        } else {
            Err(GtpError::OutOfTurn(to_move))
        }
    }
}
