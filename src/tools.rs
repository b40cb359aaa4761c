//! The subcommands, one file each.

pub mod analyze;
pub mod bench;
pub mod book;
pub mod compliance;
pub mod experiment;
pub mod learn;
pub mod matches;
pub mod merge;
pub mod options;
pub mod perft;
pub mod report;
pub mod solve;
pub mod tune;

use crate::bots::{Bot, Start};
use crate::clock::{self, TimeControl};
use crate::game::{Action, AnyGame, Setup, notation};
use crate::search::{Options, Report};
use crate::session::{Event, Order, Session, ThinkingThread};
use anyhow::{Context, anyhow, bail};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

/// A bot at a game, asked one question after the other.
struct Sitting {
    session: Box<dyn Session>,
    events: Receiver<Event>,
}

impl Sitting {
    /// The bot at the position after `moves`, which are written as people do.
    ///
    /// # Errors
    /// When the bot cannot play this game so, or a move is not legal.
    fn new(bot: &Bot, setup: &Setup, moves: &str, options: Options) -> anyhow::Result<Sitting> {
        let (sender, events) = mpsc::channel();
        let sink = Arc::new(move |_, event| {
            // The receiver waits for the one event that comes.
            let _ = sender.send(event);
        });
        let thread = ThinkingThread::start()?;
        let session = bot.sit(&Start::Opening(*setup), options, &thread, sink)?;
        let mut sitting = Sitting { session, events };
        let moves = notation::parse_list(setup, moves)
            .map_err(|text| anyhow!("{text:?} is no move of this game"))?;
        for (number, &action) in (1..).zip(&moves) {
            let text = notation::write(setup, action);
            let played = sitting.play(action);
            played.with_context(|| format!("move {number}, {text}"))?;
        }
        Ok(sitting)
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
            time,
            playouts,
            report_every: None,
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
    bot: &Bot,
    setup: &Setup,
    moves: &str,
    options: Options,
    time: TimeControl,
    playouts: Option<u64>,
) -> anyhow::Result<Report> {
    Sitting::new(bot, setup, moves, options)?.think(time, playouts)
}
