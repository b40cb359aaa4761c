//! One game as the page shows it: which cells each move changed.
//!
//! In all three games the cells that a move changes end up with the side that moved: the stone
//! put down, the discs turned, the stone stolen. So a ply is its side and its cells, and a page
//! that paints them ply by ply shows the game without knowing its rules.

use crate::arena::records::record::{GameRecord, MoveRecord, TopMove};
use crate::game::any::{AnyGame, new_game};
use crate::game::{Action, Point, Setup, SetupError, Side, notation, row};
use serde::Serialize;

/// Why a record cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The record names another engine than the first, 0, or the second, 1.
    #[error("an engine is 0 or 1, not {0}")]
    Engine(usize),
    /// The game is not played with that setup.
    #[error(transparent)]
    Setup(SetupError),
    /// The move at this ply, from 1, is not legal there.
    #[error("ply {0}, {1:?}, is not legal")]
    Move(usize, String),
}

/// A cell's number: row by row from the top left, from zero.
pub type Cell = u16;

/// A game, ply by ply.
#[derive(Clone, Debug, Serialize)]
pub struct Replay<'a> {
    /// How many plies were given before the engines moved.
    pub opening: usize,
    /// The plies, those of the opening first.
    pub plies: Vec<Ply<'a>>,
    /// The row that won.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub row: Vec<Cell>,
    /// What everything random in the game was derived from.
    pub seed: u64,
    /// The margin for the side that moved first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<i16>,
    /// What the loser did, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<&'a str>,
}

/// A move, and what it did to the board.
#[derive(Clone, Debug, Serialize)]
pub struct Ply<'a> {
    /// The move as people write it.
    #[serde(rename = "move")]
    pub text: &'a str,
    /// Who moved: 0 for the first side, 1 for the second.
    pub side: usize,
    /// The cells that changed, the one that was empty before first. All are the mover's now.
    pub cells: Vec<Cell>,
    /// What the engine took and told; nothing in the opening.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub told: Option<Told<'a>>,
}

/// What is known of a move that an engine chose.
#[derive(Clone, Debug, Serialize)]
pub struct Told<'a> {
    /// Milliseconds from the question to the answer.
    pub ms: f64,
    /// The score 0..1 that the mover expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Playouts, or nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub playouts: Option<u64>,
    /// The moves looked at, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub top: Vec<Top<'a>>,
}

/// A move that was looked at: its text, the cell it would fill (none for a pass, or where the
/// engine named what is no legal move), the visits, and the score 0..1 that the mover expected
/// of it.
pub type Top<'a> = (&'a str, Option<Cell>, u64, f64);

impl<'a> Replay<'a> {
    /// Plays a record again.
    ///
    /// # Errors
    /// When it is not the record of a game of ours.
    pub fn new(record: &'a GameRecord) -> Result<Replay<'a>, ReplayError> {
        check_engines(record)?;
        let setup = record.setup;
        let mut board = Playback {
            game: new_game(&setup).map_err(ReplayError::Setup)?,
            setup,
        };
        let mut plies = Vec::with_capacity(record.opening.len() + record.moves.len());
        for text in &record.opening {
            plies.push(board.ply(text, None)?);
        }
        for played in &record.moves {
            plies.push(board.ply(&played.text, Some(played))?);
        }
        Ok(Replay {
            opening: record.opening.len(),
            plies,
            row: board.row(),
            seed: record.seed,
            margin: record.margin,
            detail: record.detail.as_deref(),
        })
    }
}

fn check_engines(record: &GameRecord) -> Result<(), ReplayError> {
    let named = [Some(record.first), record.winner];
    match named.into_iter().flatten().find(|&engine| engine > 1) {
        Some(engine) => Err(ReplayError::Engine(engine)),
        None => Ok(()),
    }
}

/// A game being played again.
struct Playback {
    game: Box<dyn AnyGame>,
    setup: Setup,
}

impl Playback {
    fn ply<'a>(
        &mut self,
        text: &'a str,
        played: Option<&'a MoveRecord>,
    ) -> Result<Ply<'a>, ReplayError> {
        let side = self.game.side_to_move().index();
        let told = played.map(|played| Told {
            ms: played.ms,
            value: played.value,
            playouts: played.playouts,
            top: played.top.iter().map(|top| self.top(top)).collect(),
        });
        let cells = notation::parse(&self.setup, text).and_then(|action| self.play(action));
        let ply = self.game.history().len() + usize::from(cells.is_none());
        let cells = cells.ok_or_else(|| ReplayError::Move(ply, text.to_owned()))?;
        Ok(Ply {
            text,
            side,
            cells,
            told,
        })
    }

    fn top<'a>(&mut self, top: &'a TopMove) -> Top<'a> {
        let action = notation::parse(&self.setup, &top.text);
        let cell = action.and_then(|action| {
            let changed = self.play(action)?;
            // It was played, so it can be taken back.
            let _ = self.game.undo();
            changed.first().copied()
        });
        (&top.text, cell, top.visits, top.value)
    }

    /// Plays a move and tells which cells it changed; `None`, and nothing happens, when it is
    /// not legal.
    fn play(&mut self, action: Action) -> Option<Vec<Cell>> {
        let before: Vec<_> = self.stones().collect();
        self.game.play(action).ok()?;
        let after = self.stones().zip(&before).zip(0..);
        let mut changed: Vec<(bool, Cell)> = after
            .filter(|((now, old), _)| now != *old)
            .map(|((_, old), cell)| (old.is_some(), cell))
            .collect();
        changed.sort_unstable();
        Some(changed.into_iter().map(|(_, cell)| cell).collect())
    }

    fn row(&self) -> Vec<Cell> {
        let number = |point: Point| {
            Cell::from(point.row) * Cell::from(self.setup.cols) + Cell::from(point.col)
        };
        row::winning(&*self.game).into_iter().map(number).collect()
    }

    fn stones(&self) -> impl Iterator<Item = Option<Side>> {
        self.setup.points().map(|point| self.game.stone_at(point))
    }
}
