//! Any game with its history, behind one object-safe face.
//!
//! Protocols and referees hold a `Box<dyn AnyGame>`: they check moves, take them back and draw
//! boards without knowing which game is played.

pub use super::kinds::{from_stones, new_game};

use super::{Action, Moves, Outcome, Playable, Point, Setup, Side};

/// Why a move was refused. The game is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The move is not legal here.
    #[error("illegal move")]
    Illegal,
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// There is no move to take back.
    #[error("no move to take back")]
    NothingToUndo,
}

/// A game being played, with the moves that led to it.
pub trait AnyGame: Send {
    /// What was agreed before the game.
    fn setup(&self) -> Setup;
    /// Whose turn it is. Not meaningful once the game is over.
    fn side_to_move(&self) -> Side;
    /// The result, if the game is over.
    fn outcome(&self) -> Option<Outcome>;
    /// Every legal move; empty if the game is over.
    fn legal_actions(&self) -> Vec<Action>;
    /// The moves played since the position that the game began with.
    fn history(&self) -> &[Action];
    /// The stone on a cell.
    fn stone_at(&self, point: Point) -> Option<Side>;
    /// Every stone on the board, row by row from the top.
    fn stones(&self) -> Vec<(Point, Side)> {
        let stone = |point| Some((point, self.stone_at(point)?));
        self.setup().points().filter_map(stone).collect()
    }
    /// The hash of the position.
    fn key(&self) -> u64;
    /// How many more moves can be made at the most.
    fn max_plies_left(&self) -> u32;
    /// The board drawn as text, several lines, each ended by a line feed.
    fn diagram(&self) -> String;
    /// Whether the move is legal here.
    fn is_legal(&self, action: Action) -> bool;

    /// Plays a move.
    ///
    /// # Errors
    /// When the game is over or the move is not legal.
    fn play(&mut self, action: Action) -> Result<(), PlayError>;

    /// Takes the last move back.
    ///
    /// # Errors
    /// When none was played.
    fn undo(&mut self) -> Result<Action, PlayError>;

    /// Counts the move sequences of `depth` plies.
    fn perft(&self, depth: u32) -> u64;

    /// A copy with its history.
    fn clone_box(&self) -> Box<dyn AnyGame>;
}

/// A position with the moves and positions that led to it.
#[derive(Clone)]
pub struct History<G: Playable> {
    positions: Vec<G>,
    actions: Vec<Action>,
    current: G,
}

impl<G: Playable> History<G> {
    /// A game that begins with this position.
    pub fn new(start: G) -> Self {
        History {
            positions: Vec::new(),
            actions: Vec::new(),
            current: start,
        }
    }

    /// The position on the board.
    pub fn position(&self) -> &G {
        &self.current
    }
}

impl<G: Playable> AnyGame for History<G> {
    fn setup(&self) -> Setup {
        self.current.setup()
    }

    fn side_to_move(&self) -> Side {
        self.current.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.current.outcome()
    }

    fn legal_actions(&self) -> Vec<Action> {
        let mut moves = Moves::new();
        self.current.legal_moves(&mut moves);
        moves.iter().map(|&mv| self.current.action(mv)).collect()
    }

    fn history(&self) -> &[Action] {
        &self.actions
    }

    fn stone_at(&self, point: Point) -> Option<Side> {
        self.current.stone_at(point)
    }

    fn key(&self) -> u64 {
        self.current.key()
    }

    fn max_plies_left(&self) -> u32 {
        self.current.max_plies_left()
    }

    fn diagram(&self) -> String {
        self.current.to_string()
    }

    fn is_legal(&self, action: Action) -> bool {
        self.current.outcome().is_none() && self.current.parse_action(action).is_some()
    }

    fn play(&mut self, action: Action) -> Result<(), PlayError> {
        if self.current.outcome().is_some() {
            return Err(PlayError::Over);
        }
        let mv = self
            .current
            .parse_action(action)
            .ok_or(PlayError::Illegal)?;
        self.positions.push(self.current.clone());
        self.actions.push(action);
        self.current.play(mv);
        Ok(())
    }

    fn undo(&mut self) -> Result<Action, PlayError> {
        match (self.positions.pop(), self.actions.pop()) {
            (Some(position), Some(action)) => {
                self.current = position;
                Ok(action)
            }
            _ => Err(PlayError::NothingToUndo),
        }
    }

    fn perft(&self, depth: u32) -> u64 {
        super::perft::perft(&self.current, depth)
    }

    fn clone_box(&self) -> Box<dyn AnyGame> {
        Box::new(self.clone())
    }
}
