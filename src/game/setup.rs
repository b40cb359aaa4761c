//! What is agreed before a game begins: which game, how large, by which rule.

use super::Point;
use std::fmt;
use std::str::FromStr;

/// The games that Tengen plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameKind {
    /// Five in a row.
    Gomoku,
    /// Reversi, or Othello, on 8×8.
    Reversi,
    /// Connect Four with gravity, on any size, with or without a forbidden cell.
    Connect4,
}

impl GameKind {
    /// All games, in the order in which tables list them.
    pub const ALL: [GameKind; 3] = [GameKind::Gomoku, GameKind::Reversi, GameKind::Connect4];

    /// The name that the command line and the protocols use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GameKind::Gomoku => "gomoku",
            GameKind::Reversi => "reversi",
            GameKind::Connect4 => "connect4",
        }
    }
}

impl fmt::Display for GameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GameKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kind = GameKind::ALL.into_iter().find(|kind| kind.name() == text);
        kind.ok_or_else(|| format!("no game is called {text:?}: gomoku, reversi or connect4"))
    }
}

/// The rule by which a row of stones wins in Gomoku. Other games know the first only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Five or more in a row win.
    Freestyle,
    /// Exactly five in a row win ("standard" in tournaments).
    Exact,
    /// Exactly five win for the first side, which may make no row of more, no two fours at
    /// once and no two open threes at once; five or more win for the second.
    Renju,
    /// Five win unless a stone of the opponent stands at both ends; more than five always win.
    Caro,
    /// Exactly five win, unless a stone of the opponent stands at both ends.
    ExactCaro,
}

impl Rule {
    /// All rules, in the order in which tables list them.
    pub const ALL: [Rule; 5] = [
        Rule::Freestyle,
        Rule::Exact,
        Rule::Renju,
        Rule::Caro,
        Rule::ExactCaro,
    ];

    /// The name that the command line uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Exact => "exact",
            Rule::Renju => "renju",
            Rule::Caro => "caro",
            Rule::ExactCaro => "exact-caro",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rule = Rule::ALL.into_iter().find(|rule| rule.name() == text);
        rule.ok_or_else(|| {
            format!("no rule is called {text:?}: freestyle, exact, renju, caro or exact-caro")
        })
    }
}

/// What is agreed before a game begins. `Game::new` says whether a game can be played so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// Which game.
    pub game: GameKind,
    /// Columns of the board.
    pub cols: u8,
    /// Rows of the board.
    pub rows: u8,
    /// Gomoku's winning rule.
    pub rule: Rule,
    /// Connect Four: the cell that nobody may use.
    pub hole: Option<Point>,
    /// Connect Four: how many in a row win.
    pub connect: u8,
    /// Connect Four: the second side's first move may be to take over the first stone.
    pub steal: bool,
}

impl Setup {
    /// The usual board of a game: Gomoku 15×15 freestyle, Reversi 8×8, Connect Four with 7
    /// columns and 6 rows and four in a row.
    #[must_use]
    pub fn standard(game: GameKind) -> Setup {
        let (cols, rows) = match game {
            GameKind::Gomoku => (15, 15),
            GameKind::Reversi => (8, 8),
            GameKind::Connect4 => (7, 6),
        };
        Setup {
            game,
            cols,
            rows,
            rule: Rule::Freestyle,
            hole: None,
            connect: 4,
            steal: false,
        }
    }

    /// The names of what may be agreed beside the game.
    pub const TERMS: [&'static str; 5] = ["size", "rule", "hole", "connect", "steal"];

    /// One of [`Setup::TERMS`] as text: `9x10`, `exact`, `3,2` or `none`, `4`, `false`.
    #[must_use]
    pub fn term(&self, name: &str) -> Option<String> {
        Some(match name {
            "size" => format!("{}x{}", self.cols, self.rows),
            "rule" => self.rule.to_string(),
            "hole" => self.hole.map_or_else(
                || "none".to_owned(),
                |Point { col, row }| format!("{col},{row}"),
            ),
            "connect" => self.connect.to_string(),
            "steal" => self.steal.to_string(),
            _ => return None,
        })
    }

    /// The same with one of [`Setup::TERMS`] changed, as [`Setup::term`] writes it. `None`: there
    /// is no such term, or it has no such value.
    #[must_use]
    pub fn with_term(self, name: &str, value: &str) -> Option<Setup> {
        Some(match name {
            "size" => {
                let (cols, rows) = two_numbers(value, 'x')?;
                self.with_size(cols, rows)
            }
            "rule" => Setup {
                rule: value.parse().ok()?,
                ..self
            },
            "hole" if value == "none" => Setup { hole: None, ..self },
            "hole" => {
                let (col, row) = two_numbers(value, ',')?;
                let hole = Some(Point { col, row });
                Setup { hole, ..self }
            }
            "connect" => Setup {
                connect: value.parse().ok()?,
                ..self
            },
            "steal" => Setup {
                steal: value.parse().ok()?,
                ..self
            },
            _ => return None,
        })
    }

    /// The same game on another board.
    #[must_use]
    pub fn with_size(self, cols: u8, rows: u8) -> Setup {
        Setup { cols, rows, ..self }
    }

    /// Refuses what only other games than `game` agree on, unless it is as usual: a game that
    /// passed over it would not be the game that was asked for.
    ///
    /// # Errors
    /// What it is.
    pub(super) fn check_common(&self, game: GameKind) -> Result<(), SetupError> {
        let usual = Setup::standard(game);
        let refusals = [
            (
                game != GameKind::Gomoku && self.rule != usual.rule,
                "only Gomoku has a rule to choose",
            ),
            (
                game != GameKind::Connect4 && self.hole.is_some(),
                "only Connect Four has a forbidden cell",
            ),
            (
                game != GameKind::Connect4 && self.connect != usual.connect,
                "only Connect Four has a number in a row to choose",
            ),
            (
                game != GameKind::Connect4 && self.steal,
                "only Connect Four has a steal",
            ),
        ];
        match refusals.into_iter().find(|&(refused, _)| refused) {
            Some((_, text)) => Err(SetupError::Rule(text)),
            None => Ok(()),
        }
    }

    /// Whether the point lies on the board.
    #[must_use]
    pub fn contains(&self, point: Point) -> bool {
        point.col < self.cols && point.row < self.rows
    }

    /// Every point of the board, row by row from the top left.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let (cols, rows) = (self.cols, self.rows);
        (0..rows).flat_map(move |row| (0..cols).map(move |col| Point { col, row }))
    }
}

/// Reads `15x15` or `3,2`.
#[must_use]
pub fn two_numbers(text: &str, between: char) -> Option<(u8, u8)> {
    let (one, other) = text.split_once(between)?;
    Some((one.parse().ok()?, other.parse().ok()?))
}

/// Why a game cannot begin so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The game is not played on a board of this size. The text says which sizes are.
    Size(&'static str),
    /// The game is not played by this rule, connect length or forbidden cell.
    Rule(&'static str),
    /// A stone is off the board, on an occupied or forbidden cell, or in the air.
    Stone(Point),
    /// The bot does not play this game.
    Bot(String),
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::Size(text) | SetupError::Rule(text) => f.write_str(text),
            SetupError::Stone(p) => write!(f, "no stone can stand at {},{}", p.col, p.row),
            SetupError::Bot(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for SetupError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Side, any};

    #[test]
    fn what_another_game_agrees_on_is_refused() {
        for game in GameKind::ALL {
            let usual = Setup::standard(game);
            let hole = Some(Point { col: 3, row: 3 });
            for (owner, setup) in [
                (
                    GameKind::Gomoku,
                    Setup {
                        rule: Rule::Exact,
                        ..usual
                    },
                ),
                (GameKind::Connect4, Setup { hole, ..usual }),
                (
                    GameKind::Connect4,
                    Setup {
                        connect: 3,
                        ..usual
                    },
                ),
                (
                    GameKind::Connect4,
                    Setup {
                        steal: true,
                        ..usual
                    },
                ),
            ] {
                let begun = any::new_game(&setup).map(|game| game.setup());
                let given = any::from_stones(&setup, &[], Side::First).map(|game| game.setup());
                assert_eq!(begun, given);
                if owner == game {
                    assert_eq!(begun, Ok(setup));
                } else {
                    assert!(matches!(begun, Err(SetupError::Rule(_))), "{setup:?}");
                }
            }
        }
    }
}
