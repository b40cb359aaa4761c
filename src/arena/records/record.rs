//! One game as a line of JSON: enough to replay it, to judge it and to count it again.

use crate::arena::records::adjudication::Adjudication;
use crate::game::Setup;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Termination {
    /// Won on the board.
    Win,
    /// Drawn on the board.
    Draw,
    /// The loser resigned.
    Resign,
    /// Both engines expected the loser to lose.
    Adjudicated,
    /// The loser answered too late.
    Time,
    /// The loser's move was not legal.
    Illegal,
    /// The loser's process ended or closed its output.
    Crash,
    /// The loser did not answer at all.
    Hang,
    /// The loser's answer was not one of its protocol.
    Protocol,
    /// The machine kept an engine from playing. Nobody lost, and no such game is recorded.
    #[serde(skip_deserializing)]
    Host,
}

impl Termination {
    /// Whether an engine misbehaved, as against the game being played to its end.
    #[must_use]
    pub fn is_fault(self) -> bool {
        !matches!(
            self,
            Termination::Win
                | Termination::Draw
                | Termination::Resign
                | Termination::Adjudicated
                | Termination::Host
        )
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Termination::Win => "win",
            Termination::Draw => "draw",
            Termination::Resign => "resign",
            Termination::Adjudicated => "adjudicated",
            Termination::Time => "time",
            Termination::Illegal => "illegal",
            Termination::Crash => "crash",
            Termination::Hang => "hang",
            Termination::Protocol => "protocol",
            Termination::Host => "host",
        })
    }
}

/// A move that an engine chose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move in the notation of [`crate::game::notation`].
    #[serde(rename = "move")]
    pub text: String,
    /// Milliseconds from the question to the answer.
    pub ms: f64,
    /// The score 0..1 that the engine expected for itself, where it told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Playouts, or nodes, that the engine made for this move, where it told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playouts: Option<u64>,
    /// How many plies the engine looked ahead, where it told: of a tree search the longest way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The moves that the engine looked at, best first, where it told: at most
    /// [`MoveRecord::MOST_TOP`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub top: Vec<TopMove>,
}

impl MoveRecord {
    /// The most moves that are recorded beside the one played (guess: what a board can show
    /// without becoming unreadable, and a game on 20×20 stays below 100 KB).
    pub const MOST_TOP: usize = 10;
}

/// A move that an engine looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopMove {
    /// The move in the notation of [`crate::game::notation`].
    #[serde(rename = "move")]
    pub text: String,
    /// Playouts through it.
    pub visits: u64,
    /// The score 0..1 that the engine expected for itself after it.
    pub value: f64,
}

/// A game from its agreement to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The pairing within the match, from zero.
    pub pairing: usize,
    /// The game within the pairing, from zero. Games 2k and 2k+1 share their opening.
    pub number: u32,
    /// Both engines as the command line names them.
    pub engines: [String; 2],
    /// Which of `engines` moved first: 0 or 1.
    #[serde(deserialize_with = "engine")]
    pub first: usize,
    /// The game, its board and what else was agreed on in it.
    #[serde(flatten, with = "super::setup")]
    pub setup: Setup,
    /// Milliseconds granted for a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Milliseconds granted for all moves of an engine together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_time_ms: Option<u64>,
    /// Milliseconds added to the time for the game after each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// Playouts granted for a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playouts: Option<u64>,
    /// Plies that were to be looked ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Milliseconds by which an answer might be late, where it is not the usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness_ms: Option<u64>,
    /// When the game is given to one side before its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjudication: Option<Adjudication>,
    /// What the seeds of the game are derived from.
    pub seed: u64,
    /// When the game began, by [`crate::arena::records::date::utc`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The moves that were given, before the engines moved.
    pub opening: Vec<String>,
    /// The moves of the engines, in turn.
    pub moves: Vec<MoveRecord>,
    /// Which of `engines` won: 0 or 1; `None` for a draw.
    #[serde(default, deserialize_with = "engine_if_any")]
    pub winner: Option<usize>,
    /// The margin for the side that moved first, where the game was played to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<i16>,
    /// How the game ended.
    pub termination: Termination,
    /// What the loser did, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Reads the number of an engine.
fn engine<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let number = usize::deserialize(from)?;
    let wrong = || Error::custom(format!("an engine is 0 or 1, not {number}"));
    (number < 2).then_some(number).ok_or_else(wrong)
}

/// Reads the number of an engine, or none.
fn engine_if_any<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    /// The number of an engine.
    #[derive(Deserialize)]
    struct Engine(#[serde(deserialize_with = "engine")] usize);

    let number = Option::<Engine>::deserialize(from)?;
    Ok(number.map(|Engine(number)| number))
}

impl GameRecord {
    /// The record with nothing of how the game went: what was agreed before it. Records of one
    /// game have equal agreements, no matter who played it and when.
    #[must_use]
    pub fn agreement(&self) -> GameRecord {
        GameRecord {
            moves: Vec::new(),
            winner: None,
            margin: None,
            termination: Termination::Draw,
            detail: None,
            date: None,
            ..self.clone()
        }
    }

    /// What either engine was granted, in words: `100 ms a move`. Empty where nothing is limited.
    #[must_use]
    pub fn limits(&self) -> Vec<String> {
        let increment = self.increment_ms.filter(|&ms| ms > 0);
        let limits = [
            (self.time_ms, "ms a move"),
            (self.game_time_ms, "ms a game"),
            (increment, "ms added a move"),
            (self.playouts, "playouts a move"),
            (self.depth.map(u64::from), "plies ahead"),
        ];
        let limits = limits.into_iter();
        limits
            .filter_map(|(limit, unit)| Some(format!("{} {unit}", limit?)))
            .collect()
    }

    /// Which of `engines` chose the move at this index of `moves`.
    #[must_use]
    pub fn mover(&self, index: usize) -> usize {
        (self.first + self.opening.len() + index) % 2
    }
}

/// A game of Connect Four between `one` and `other` with three moves after one that was given.
#[cfg(test)]
pub(crate) fn sample(number: u32, winner: Option<usize>, termination: Termination) -> GameRecord {
    let ms = |ms| MoveRecord {
        text: "1".to_owned(),
        ms,
        ..MoveRecord::default()
    };
    GameRecord {
        pairing: 0,
        number,
        engines: ["one".to_owned(), "other".to_owned()],
        first: (number % 2) as usize,
        setup: Setup::standard(crate::game::GameKind::Connect4),
        time_ms: None,
        game_time_ms: None,
        increment_ms: None,
        playouts: None,
        depth: None,
        lateness_ms: None,
        adjudication: None,
        seed: 0,
        date: None,
        opening: vec!["4".to_owned()],
        moves: vec![ms(1.0), ms(10.0), ms(3.0)],
        winner,
        margin: None,
        termination,
        detail: Some("detail".to_owned()),
    }
}
