//! Arguments that several commands share.

pub mod nearest;

use crate::bots::{BOTS, Bot};
use crate::clock::{TimeControl, USUAL_TIME};
use crate::game::{GameKind, Point, Rule, Setup, SetupError, two_numbers};
use crate::options::{OptionError, Options, TABLE};
use anyhow::Context;
use clap::Args;
use nearest::suggestion;
use std::time::Duration;

/// Which game, and how it is played.
#[derive(Args, Clone, Debug)]
pub struct GameArgs {
    /// gomoku, reversi or connect4
    #[arg(long, value_name = "GAME", value_parser = parse_game)]
    game: Option<GameKind>,
    /// Columns and rows of the board
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u8, u8)>,
    /// Connect Four: the cell that nobody may use, from 0,0 at the top left
    #[arg(long, value_name = "C,R", value_parser = parse_point)]
    hole: Option<Point>,
    /// Connect Four: how many in a row win, 3 to 5
    #[arg(long, value_name = "N")]
    connect: Option<u8>,
    /// Connect Four: the second side's first move may be to take over the first stone
    #[arg(long)]
    steal: bool,
    /// Gomoku: freestyle (five or more win), exact (exactly five), renju, caro or exact-caro
    #[arg(long)]
    rule: Option<Rule>,
}

impl GameArgs {
    /// The game that was named.
    #[must_use]
    pub fn game(&self) -> Option<GameKind> {
        self.game
    }

    /// Whether anything but the game was asked for, which has a meaning in one game only.
    #[must_use]
    pub fn is_particular(&self) -> bool {
        !self.terms().is_empty()
    }

    /// The rule that was asked for.
    #[must_use]
    pub fn rule(&self) -> Option<Rule> {
        self.rule
    }

    /// What is agreed in the game of a file. A rule that was asked for goes before the file's, which may
    /// tell none.
    ///
    /// # Errors
    /// When anything else was asked for that the file's game does not have.
    pub fn agree(&self, file: Setup) -> Result<Setup, SetupError> {
        let mut terms = self.terms().into_iter();
        terms.try_fold(file, |setup, (name, value)| {
            let asked = setup.with_term(name, &value)?;
            match name == "rule" || asked == setup {
                true => Ok(asked),
                false => Err(SetupError::File(file, name, value)),
            }
        })
    }

    /// The game that was asked for; `default` where none was.
    ///
    /// # Errors
    /// When the game does not have what was asked for besides.
    pub fn setup(&self, default: GameKind) -> Result<Setup, SetupError> {
        let standard = Setup::standard(self.game.unwrap_or(default));
        let mut terms = self.terms().into_iter();
        terms.try_fold(standard, |setup, (name, value)| {
            setup.with_term(name, &value)
        })
    }

    /// What was asked for beside the game, by the names and values of [`Setup::terms`].
    fn terms(&self) -> Vec<(&'static str, String)> {
        let GameArgs {
            game: _,
            size,
            hole,
            connect,
            steal,
            rule,
        } = self;
        let terms = [
            ("size", size.map(|(cols, rows)| format!("{cols}x{rows}"))),
            (
                "hole",
                hole.map(|Point { col, row }| format!("{col},{row}")),
            ),
            ("connect", connect.map(|connect| connect.to_string())),
            ("steal", steal.then(|| steal.to_string())),
            ("rule", rule.map(|rule| rule.to_string())),
        ];
        let terms = terms.into_iter();
        terms
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}

/// Who searches, and with what options.
#[derive(Args, Clone, Debug)]
pub struct PlayerArgs {
    /// Who plays: tengen or a reference bot
    #[arg(long, value_name = "NAME", default_value = "tengen", value_parser = parse_bot)]
    bot: String,
    /// Threads of the search
    #[arg(long, value_name = "N")]
    threads: Option<u32>,
    /// Size of the tree in MiB
    #[arg(long, value_name = "MiB")]
    memory: Option<u32>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Set an option of the search; may be given again
    #[arg(long, value_name = "OPTION=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
}

impl PlayerArgs {
    /// The bot that was asked for.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn bot(&self) -> anyhow::Result<&'static Bot> {
        Bot::find(&self.bot).with_context(|| format!("no bot is called {}", self.bot))
    }

    /// The options that were set, by name and value.
    #[must_use]
    pub fn settings(&self) -> Vec<(String, String)> {
        let named = [
            ("threads", self.threads.map(|n| n.to_string())),
            ("memory", self.memory.map(|n| n.to_string())),
            ("seed", self.seed.map(|n| n.to_string())),
        ];
        let named = named.into_iter();
        let named = named.filter_map(|(name, value)| Some((name.to_owned(), value?)));
        named.chain(self.set.iter().cloned()).collect()
    }
}

/// How long to think.
#[derive(Args, Clone, Copy, Debug)]
pub struct LimitArgs {
    /// Milliseconds for a move, where nobody grants any [default: 1000, or the judge's]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// The most playouts for a move; with no --time they are the only limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,
}

impl LimitArgs {
    /// The time that was asked for, or the usual one; none where only playouts are limited.
    #[must_use]
    pub fn time(&self) -> TimeControl {
        match self.playouts {
            None if self.time.is_none() => TimeControl::per_move(USUAL_TIME),
            _ => self.asked_time(),
        }
    }

    /// The time that was asked for, if any was.
    #[must_use]
    pub fn asked_time(&self) -> TimeControl {
        TimeControl {
            per_move: self.time.map(Duration::from_millis),
            ..TimeControl::default()
        }
    }

    /// The most playouts.
    #[must_use]
    pub fn playouts(&self) -> Option<u64> {
        self.playouts
    }
}

fn parse_game(text: &str) -> Result<GameKind, String> {
    let error = match text.parse() {
        Ok(game) => return Ok(game),
        Err(error) => error,
    };
    Err(match GameKind::called(text) {
        Some(game) => format!("{text} is called {game} here"),
        None => {
            let names = GameKind::ALL.into_iter().map(GameKind::name);
            error + &suggestion(text, names)
        }
    })
}

fn parse_bot(text: &str) -> Result<String, String> {
    match Bot::find(text) {
        Some(bot) => Ok(bot.name.to_owned()),
        None => Err(unknown_bot(text)),
    }
}

/// What to say where no bot has this name.
#[must_use]
pub fn unknown_bot(name: &str) -> String {
    if let Some(game) = GameKind::called(name) {
        return format!("no bot is called {name:?}; it is a game: --game {game}");
    }
    let names = || BOTS.iter().map(|bot| bot.name);
    format!(
        "no bot is called {name:?}{}; the bots are {}",
        suggestion(name, names()).trim_end_matches('?'),
        names().collect::<Vec<_>>().join(", ")
    )
}

/// Reads `OPTION=VALUE` where the table of options allows it.
///
/// # Errors
/// What is wrong with it.
pub fn parse_setting(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=');
    let (name, value) =
        parts.ok_or_else(|| format!("{text:?} should be OPTION=VALUE, such as seed=1"))?;
    match Options::default().set(name, value) {
        Ok(()) => Ok((name.to_owned(), value.to_owned())),
        Err(error @ OptionError::Unknown(_)) => {
            let near = suggestion(name, TABLE.iter().map(|row| row.name));
            let near = near.trim_end_matches('?');
            Err(format!("{error}{near}; tengen options lists all"))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Reads `15x15`: columns and rows.
///
/// # Errors
/// What it should look like.
fn parse_size(text: &str) -> Result<(u8, u8), String> {
    two_numbers(text, 'x').ok_or_else(|| format!("{text:?} should be like 15x15"))
}

/// Reads `3,2`: a column and a row from zero at the top left.
///
/// # Errors
/// What it should look like.
fn parse_point(text: &str) -> Result<Point, String> {
    let point = two_numbers(text, ',').map(|(col, row)| Point { col, row });
    point.ok_or_else(|| format!("{text:?} should be like 3,2"))
}
