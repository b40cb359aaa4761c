//! The lines of a page: JSON objects with a word in `do`.

use crate::clock::TimeControl;
use crate::game::Setup;
use serde::Deserialize;
use std::time::Duration;

/// The longest time that may be asked for: ten minutes.
const LONGEST: Duration = Duration::from_secs(600);

/// The longest time that a clock may have left: three hours.
const LONGEST_CLOCK: Duration = Duration::from_secs(10_800);

/// What a page asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Command {
    /// A new game, at the end of these moves.
    New(Box<Begin>),
    /// The game in a file of SGF, PSQ, GGF or PGN.
    Load {
        /// What the file holds.
        text: String,
    },
    /// A move.
    Play {
        /// As people write it.
        #[serde(rename = "move")]
        text: String,
    },
    /// The position some plies before, one without `plies`.
    Undo {
        #[serde(default = "one")]
        plies: usize,
    },
    /// The position some plies after, where they were undone.
    Redo {
        #[serde(default = "one")]
        plies: usize,
    },
    /// The position after so many plies of the game.
    Go { ply: usize },
    /// A move of the engine, or of a graded opponent.
    Think {
        /// 1 to 10; without it the engine itself.
        level: Option<u8>,
        #[serde(flatten)]
        limits: Limits,
    },
    /// What the engine thinks of the position, without a move.
    Analyze {
        #[serde(flatten)]
        limits: Limits,
    },
    /// The exact score of every move.
    Scores {
        #[serde(flatten)]
        limits: Limits,
    },
    /// What the engine thinks of every move of the game.
    Review {
        #[serde(flatten)]
        limits: Limits,
    },
    /// Whether the engine thinks on in the other side's time.
    Ponder { on: bool },
    /// The end of what is being thought.
    Stop {},
    /// The game as text for other programs.
    Export {},
    /// The position again.
    State {},
    /// The end.
    Quit {},
}

/// How a game begins. What is missing is as usual in the game.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begin {
    game: String,
    size: Option<String>,
    rule: Option<String>,
    hole: Option<String>,
    connect: Option<u8>,
    steal: Option<bool>,
    /// The stones of a position that was set up, a character for each cell from the top left: `X`
    /// for the first side, `O` for the second, anything else for none.
    pub stones: Option<String>,
    /// Whose turn it is there: 0 or 1.
    #[serde(default)]
    pub to_move: usize,
    /// The moves played.
    #[serde(default)]
    pub moves: String,
}

/// What bounds a thinking.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Limits {
    /// Milliseconds.
    time: Option<u64>,
    /// Milliseconds on the clock for the rest of the game.
    left: Option<u64>,
    /// Milliseconds that each move adds to it.
    increment: Option<u64>,
    /// The most playouts.
    pub playouts: Option<u64>,
}

impl Limits {
    /// The time, where one was told.
    pub fn time(&self) -> Option<TimeControl> {
        let at_most = |longest: Duration| move |ms| Duration::from_millis(ms).min(longest);
        let control = TimeControl {
            per_move: self.time.map(at_most(LONGEST)),
            left: self.left.map(at_most(LONGEST_CLOCK)),
            increment: self.increment.map(at_most(LONGEST)).unwrap_or_default(),
            moves_to_go: None,
        };
        (control.per_move.is_some() || control.left.is_some()).then_some(control)
    }
}

impl Begin {
    /// What is agreed. `Err` names what has no such value.
    pub fn setup(&self) -> Result<Setup, &'static str> {
        let setup = self.game.parse().map_err(|_| "game");
        let terms = [
            ("size", self.size.clone()),
            ("rule", self.rule.clone()),
            ("hole", self.hole.clone()),
            ("connect", self.connect.map(|it| it.to_string())),
            ("steal", self.steal.map(|it| it.to_string())),
        ];
        terms
            .into_iter()
            .fold(setup, |setup: Result<Setup, _>, (name, value)| {
                match (setup, value) {
                    (Ok(setup), Some(value)) => setup.with_term(name, &value).map_err(|_| name),
                    (setup, _) => setup,
                }
            })
    }
}

fn one() -> usize {
    1
}
