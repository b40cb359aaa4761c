//! One game between two engines.

use crate::arena::Stop;
use crate::arena::engines::clock::GameClock;
use crate::arena::engines::dialect::{Choice, Fault, Told};
use crate::arena::engines::engine::Engine;
use crate::arena::records::adjudication::{Adjudication, Adjudicator};
use crate::arena::records::record::Termination;
use crate::game::{Action, AnyGame, Outcome, Side, notation};
use std::time::Duration;

/// A move that an engine chose.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedMove {
    /// The move.
    pub action: Action,
    /// The time from the question to the answer.
    pub took: Duration,
    /// What the engine told of it.
    pub told: Told,
}

/// How a game went.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The moves that the engines chose, in turn.
    pub moves: Vec<PlayedMove>,
    /// Who won. `None` for a draw.
    pub winner: Option<Side>,
    /// The result on the board, where the game was played to its end.
    pub outcome: Option<Outcome>,
    /// How it ended.
    pub termination: Termination,
    /// What the loser did, in words.
    pub detail: Option<String>,
}

/// Plays a game on from where `game` stands; the moves in its history are its opening.
/// `engines` stand in the order of their sides, and `seeds` are theirs. Blocks until the game
/// is over; `None` when it was stopped before.
///
/// An engine that misbehaves loses, whatever stands on the board. One that the machine keeps from
/// playing does not.
pub fn play(
    game: Box<dyn AnyGame>,
    engines: [&mut Engine; 2],
    seeds: [u64; 2],
    adjudication: Option<Adjudication>,
    stop: &Stop,
) -> Option<Played> {
    let mut table = OngoingGame {
        game,
        clocks: engines
            .each_ref()
            .map(|engine| GameClock::new(engine.time())),
        engines,
        adjudicator: Adjudicator::new(adjudication),
        stop,
        moves: Vec::new(),
    };
    let end = table.begin(seeds).and_then(|()| table.play_on());
    table.conclude(end)
}

struct OngoingGame<'a> {
    game: Box<dyn AnyGame>,
    engines: [&'a mut Engine; 2],
    clocks: [GameClock; 2],
    adjudicator: Adjudicator,
    stop: &'a Stop,
    moves: Vec<PlayedMove>,
}

/// Why a game ended before its end on the board.
enum Early {
    Fault(Side, Fault),
    Resigned(Side),
    /// The loser.
    Adjudicated(Side),
    Stopped,
}

impl OngoingGame<'_> {
    fn begin(&mut self, seeds: [u64; 2]) -> Result<(), Early> {
        for side in [Side::First, Side::Second] {
            let begun = self.engines[side.index()].new_game(seeds[side.index()]);
            begun.map_err(|fault| self.blame(side, fault))?;
        }
        Ok(())
    }

    fn play_on(&mut self) -> Result<Outcome, Early> {
        loop {
            if let Some(outcome) = self.game.outcome() {
                return Ok(outcome);
            }
            if self.stop.is_set() {
                return Err(Early::Stopped);
            }
            self.ply()?;
        }
    }

    fn ply(&mut self) -> Result<(), Early> {
        let side = self.game.side_to_move();
        let answer = self.engines[side.index()].ask(&*self.game, &self.clocks);
        let answer = answer.map_err(|fault| self.blame(side, fault))?;
        let Choice::Move(action) = answer.choice else {
            return Err(Early::Resigned(side));
        };
        if self.game.play(action).is_err() {
            self.engines[side.index()].kill();
            return Err(self.blame(side, self.illegal(action)));
        }
        self.clocks[side.index()].spend(answer.took);
        let loser = self.adjudicator.heard(side, answer.told.value);
        self.moves.push(PlayedMove {
            action,
            took: answer.took,
            told: answer.told,
        });
        // What stands on the board comes first.
        match loser.filter(|_| self.game.outcome().is_none()) {
            Some(loser) => Err(Early::Adjudicated(loser)),
            None => Ok(()),
        }
    }

    fn illegal(&self, action: Action) -> Fault {
        let setup = self.game.setup();
        let text = match action {
            // No notation has a name for it.
            Action::Point(point) if !setup.contains(point) => {
                format!("column {} and row {}, from 0,", point.col, point.row)
            }
            _ => notation::write(&setup, action),
        };
        let ply = self.game.history().len() + 1;
        Fault::new(Termination::Illegal, format!("played {text} at ply {ply}"))
    }

    /// A wait that was cut short by a stop is nobody's fault.
    fn blame(&self, side: Side, fault: Fault) -> Early {
        if self.stop.is_set() {
            Early::Stopped
        } else {
            Early::Fault(side, fault)
        }
    }

    fn conclude(self, end: Result<Outcome, Early>) -> Option<Played> {
        let (winner, outcome, termination, detail) = match end {
            Ok(outcome) => {
                let winner = outcome.winner();
                let won = winner.map_or(Termination::Draw, |_| Termination::Win);
                (winner, Some(outcome), won, None)
            }
            Err(Early::Fault(side, fault)) => (
                (fault.termination != Termination::Host).then(|| side.other()),
                None,
                fault.termination,
                Some(fault.detail),
            ),
            Err(Early::Resigned(side)) => (Some(side.other()), None, Termination::Resign, None),
            Err(Early::Adjudicated(loser)) => {
                (Some(loser.other()), None, Termination::Adjudicated, None)
            }
            Err(Early::Stopped) => return None,
        };
        Some(Played {
            moves: self.moves,
            winner,
            outcome,
            termination,
            detail,
        })
    }
}
