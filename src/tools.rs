//! The subcommands, one file each.

pub mod analyze;
pub mod bench;
pub mod book;
pub mod compliance;
pub mod experiment;
pub mod learn;
pub mod options;
pub mod perft;
pub mod report;
pub mod solve;
pub mod tune;

use crate::bots::{Bot, Start};
use crate::clock::{self, TimeControl};
use crate::game::{Setup, notation};
use crate::search::{Options, Report};
use crate::session::{Event, Order, Session, ThinkingThread};
use anyhow::{Context, anyhow, bail};
use std::sync::{Arc, mpsc};

/// Lets a bot think once about the position after `moves`, which are written as people do.
/// Blocks until the search ends, so something must limit it.
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
) -> anyhow::Result<(Report, Box<dyn Session>)> {
    let (sender, events) = mpsc::channel();
    let sink = Arc::new(move |_, event| {
        // The receiver waits for the one event that comes.
        let _ = sender.send(event);
    });
    let thread = ThinkingThread::start()?;
    let mut session = bot.sit(&Start::Opening(*setup), options, &thread, sink)?;
    let moves = notation::parse_list(setup, moves)
        .map_err(|text| anyhow!("{text:?} is no move of this game"))?;
    for (number, &action) in (1..).zip(&moves) {
        let text = notation::write(setup, action);
        let played = session.play(action);
        played.with_context(|| format!("move {number}, {text}"))?;
    }
    session.think(Order {
        received: clock::now(),
        time,
        playouts,
        report_every: None,
    });
    match events.recv()? {
        Event::Best(report) => Ok((report, session)),
        Event::Info(_) => bail!("the search told something else than its result"),
    }
}
