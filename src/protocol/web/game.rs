//! A game whose moves stay when they are undone.

use crate::game::{Action, AnyGame, PlayError, Point, Setup, SetupError, Side};
use crate::protocol::retold::RetoldGame;
use crate::protocol::{Request, Requests};

/// The stones that a game begins with, and whose turn it is.
pub type Stones = (Vec<(Point, Side)>, Side);

/// A game, and the place in it that is on the board.
pub struct WebGame {
    setup: Setup,
    /// `None`: the opening position.
    start: Option<Stones>,
    line: Vec<Action>,
    board: RetoldGame,
}

impl WebGame {
    /// A game with no moves.
    ///
    /// # Errors
    /// When it cannot be played so.
    pub fn new(setup: &Setup, start: Option<Stones>) -> Result<WebGame, SetupError> {
        Ok(WebGame {
            setup: *setup,
            board: begun(setup, start.as_ref())?,
            start,
            line: Vec::new(),
        })
    }

    /// The position on the board.
    pub fn board(&self) -> &dyn AnyGame {
        self.board.game()
    }

    /// The stones that the game begins with, where it is not the opening position.
    pub fn start(&self) -> Option<&Stones> {
        self.start.as_ref()
    }

    /// Every move of the game, those that were undone too.
    pub fn line(&self) -> &[Action] {
        &self.line
    }

    /// How many of them are on the board.
    pub fn ply(&self) -> usize {
        self.board.game().history().len()
    }

    /// Plays a move. Those that were undone are forgotten, unless it is the first of them.
    ///
    /// # Errors
    /// When the game is over or the move is not legal.
    pub fn play(&mut self, action: Action) -> Result<(), PlayError> {
        let ply = self.ply();
        self.board.play(action)?;
        if self.line.get(ply) != Some(&action) {
            self.line.truncate(ply);
            self.line.push(action);
        }
        Ok(())
    }

    /// Goes to another place in the game, and returns what leads a session there.
    ///
    /// # Errors
    /// When there is no such place.
    pub fn go(&mut self, ply: usize) -> Result<Requests, PlayError> {
        let moves = self.line.get(..ply).ok_or(PlayError::NothingToUndo)?;
        // The start was set up once, and the moves were played.
        let mut target =
            begun(&self.setup, self.start.as_ref()).map_err(|_| PlayError::NothingToUndo)?;
        for &action in moves {
            target.play(action)?;
        }
        let back = self.ply().checked_sub(ply);
        let requests = match back {
            Some(back) => (0..back).map(|_| Request::Undo).collect(),
            None => self.board.lead_to(&target),
        };
        self.board = target;
        Ok(requests)
    }

    /// What brings a session from any game to this one.
    pub fn requests(&self) -> Requests {
        let start = match &self.start {
            None => Request::NewGame(self.setup),
            Some((stones, to_move)) => Request::Position {
                setup: self.setup,
                stones: stones.clone(),
                to_move: *to_move,
            },
        };
        let moves = self.board.game().history().iter();
        let plays = moves.map(|&action| Request::Play(action));
        std::iter::once(start).chain(plays).collect()
    }
}

fn begun(setup: &Setup, start: Option<&Stones>) -> Result<RetoldGame, SetupError> {
    match start {
        None => RetoldGame::opening(setup),
        Some((stones, to_move)) => RetoldGame::position(setup, stones.clone(), *to_move),
    }
}
