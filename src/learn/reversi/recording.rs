//! Games that are played to be learned from later, all with the same weights, so that it does not
//! matter where and when they are played.

use super::games::{Game, Manner};
use super::{Known, Sidecar, history};
use crate::knowledge::packing::checksum;
use crate::knowledge::reversi::Evaluator;
use crate::knowledge::reversi::net::Net;
use crate::learn::records::{self, Order};
use crate::rollout::Random;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// What decides about the games of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// How they are played.
    pub manner: Manner,
    /// The seed of their random numbers: files with different seeds have different games.
    pub seed: u64,
    /// The weights that they are played with.
    pub by: Sidecar,
    /// The net that corrects them, if one does: the checksum of its file, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<String>,
}

/// A file of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// What decided about its games.
    pub recording: Recording,
    /// Games in it.
    pub games: usize,
}

impl Recording {
    /// The usual one. (Random beginnings of many lengths, so that positions are as varied as those in
    /// the tree of a search; the numbers are guesses.)
    #[must_use]
    pub fn new(by: Sidecar, net: Option<&Net>, seed: u64, depth: u32) -> Recording {
        Recording {
            manner: Manner {
                depth,
                random_plies: 50,
                exploration: 0.02,
                // Games that a net corrects take longer anyway.
                solved: if net.is_some() { 12 } else { 10 },
            },
            seed,
            by,
            net: net.map(|net| format!("{:016x}", checksum(&net.write()))),
        }
    }
}

/// Plays games by these weights, and by the net that corrects them if there is one, which look so many
/// plies ahead, and writes them to the file of the order. Progress goes to `told`.
///
/// # Errors
/// When the file cannot be read or written, or has other games.
pub fn record(
    by: Known,
    net: Option<&Net>,
    depth: u32,
    order: Order<'_>,
    told: &mut dyn Write,
) -> anyhow::Result<()> {
    let recording = Recording::new(by.sidecar, net, order.seed, depth);
    let evaluator = Evaluator {
        patterns: &by.patterns,
        net,
    };
    let order = Order {
        title: history::told_once(&recording)?.to_string(),
        ..order
    };
    let play = |_, random: &mut Random| {
        let mut bytes = Vec::new();
        Game::play(evaluator, &recording.manner, random).write(&mut bytes);
        bytes
    };
    order.fill(play, told)
}

/// The games of a file, and what decided about them.
///
/// # Errors
/// When it cannot be read, or its games are none of Reversi.
pub fn read(path: &Path) -> anyhow::Result<(Recorded, Vec<Game>)> {
    let (title, batches) = records::read(path)?;
    let others = || format!("{} has no games of Reversi", path.display());
    let recording = history::read(title.as_bytes()).with_context(others)?;
    let mut games = Vec::new();
    for batch in batches {
        games.extend(records::read_all(&batch, Game::read).with_context(others)?);
    }
    let recorded = Recorded {
        recording,
        games: games.len(),
    };
    Ok((recorded, games))
}
