//! The subcommands, one file each.

pub mod analyze;
pub mod bench;
pub mod board;
pub mod book;
mod browser;
pub mod compliance;
pub mod experiment;
pub mod learn;
pub mod matches;
pub mod merge;
pub mod options;
pub mod perft;
pub mod play;
pub mod report;
pub mod solve;
pub mod tune;

use crate::args::GameArgs;
use crate::bots::{Bot, Start};
use crate::clock::{self, TimeControl};
use crate::game::files::{self, GameFile};
use crate::game::{Action, AnyGame, Setup, notation};
use crate::options::Options;
use crate::search::Report;
use crate::session::{Allowance, Event, Order, Session, ThinkingThread};
use anyhow::{Context, anyhow, bail};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

/// A bot at a game, asked one question after the other.
struct Sitting {
    bot: &'static Bot,
    session: Box<dyn Session>,
    events: Receiver<Event>,
}

impl Sitting {
    /// The bot at the position after `moves`, which are written as people do.
    ///
    /// # Errors
    /// When the bot cannot play this game so, or a move is not legal.
    fn new(
        bot: &'static Bot,
        setup: &Setup,
        moves: &str,
        options: Options,
    ) -> anyhow::Result<Sitting> {
        let mut sitting = Sitting::begin(bot, &Start::Opening(*setup), options)?;
        let moves = notation::parse_game(setup, moves)
            .map_err(|text| anyhow!("{text:?} is no move of this game"))?;
        for (number, &action) in (1..).zip(&moves) {
            let text = notation::write(setup, action);
            let played = sitting.play(action);
            played.with_context(|| format!("move {number}, {text}"))?;
        }
        Ok(sitting)
    }

    /// The bot at a position of a game that was read from a file: after so many plies, or at its end.
    ///
    /// # Errors
    /// When the bot cannot play this game so, or the game is shorter.
    fn at_file(
        bot: &'static Bot,
        file: &GameFile,
        ply: Option<usize>,
        options: Options,
    ) -> anyhow::Result<Sitting> {
        let setup = file.setup;
        let start = match file.start.clone() {
            None => Start::Opening(setup),
            Some((stones, to_move)) => Start::Stones {
                setup,
                stones,
                to_move,
            },
        };
        let plies = ply.unwrap_or(file.actions.len());
        let actions = file.actions.get(..plies);
        let actions =
            actions.with_context(|| format!("the game has only {} plies", file.actions.len()))?;
        let mut sitting = Sitting::begin(bot, &start, options)?;
        for &action in actions {
            sitting.play(action)?;
        }
        Ok(sitting)
    }

    fn begin(bot: &'static Bot, start: &Start, options: Options) -> anyhow::Result<Sitting> {
        let (sender, events) = mpsc::channel();
        let sink = Arc::new(move |_, event| {
            // The receiver waits for the one event that comes.
            let _ = sender.send(event);
        });
        let thread = ThinkingThread::start()?;
        let session = bot.sit(start, options, &thread, sink)?;
        Ok(Sitting {
            bot,
            session,
            events,
        })
    }

    fn game(&self) -> &dyn AnyGame {
        self.session.game()
    }

    fn play(&mut self, action: Action) -> anyhow::Result<()> {
        Ok(self.session.play(action)?)
    }

    fn take_back(&mut self, plies: usize) -> anyhow::Result<()> {
        (0..plies).try_for_each(|_| Ok(self.session.undo()?))
    }

    /// Thinks about the position. Blocks until the search ends, so something must limit it.
    ///
    /// # Errors
    /// When the search breaks down.
    fn think(&mut self, time: TimeControl, playouts: Option<u64>) -> anyhow::Result<Report> {
        self.session.think(Order {
            received: clock::now(),
            allowance: Allowance {
                time,
                playouts,
                report_every: None,
            },
        });
        match self.events.recv()? {
            Event::Best(report) => Ok(report),
            Event::Info(_) => bail!("the search told something else than its result"),
        }
    }
}

/// Lets a bot think once about the position after `moves`.
///
/// # Errors
/// When the bot cannot play this game so, or a move is not legal.
fn think_once(
    bot: &'static Bot,
    setup: &Setup,
    moves: &str,
    options: Options,
    time: TimeControl,
    playouts: Option<u64>,
) -> anyhow::Result<Report> {
    Sitting::new(bot, setup, moves, options)?.think(time, playouts)
}

/// Reads the game of a file of SGF, PSQ, GGF or PGN, by the rule that was asked for if any was.
///
/// # Errors
/// When the file cannot be read, or what it holds is no game, or another than was asked for.
fn read_game(path: &Path, asked: &GameArgs) -> anyhow::Result<GameFile> {
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    let game = files::read_with(&text, |setup| asked.agree(setup));
    game.with_context(|| path.display().to_string())
}
