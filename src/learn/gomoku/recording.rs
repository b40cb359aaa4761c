//! Games that are played to be learned from later, all with the same net, so that it does not matter
//! where and when they are played.

use super::origin::{NetName, Nets, Origin, WithNets};
use super::record::Record;
use super::{Parameters, game};
use crate::game::Rule;
use crate::knowledge::gomoku::net::SideNets;
use crate::learn::records::{self, Order};
use crate::learn::{checkpoint, course};
use crate::rollout::Random;
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// What decides about the games of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// The rule of the games, by its name.
    pub rule: String,
    /// Playouts a move.
    pub playouts: u64,
    /// Leaves of each search that were searched on their own and recorded beside the game.
    #[serde(default, skip_serializing_if = "is_none")]
    pub leaves: u32,
    /// How the leaves were searched again later, each time those that were still not decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Again>,
    /// The seed of their random numbers: files with different seeds have different games.
    pub seed: u64,
    /// The net that they are played with.
    pub by: NetName,
}

/// How leaves were searched again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Again {
    /// Playouts for each.
    pub playouts: u64,
    /// The net that judged.
    pub by: NetName,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

/// Where games come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// They were recorded.
    Recording(Recording),
    /// They are the latest games of a course that has come to this game.
    Course(Box<Parameters>, u64),
}

/// The games of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Where they come from.
    pub source: Source,
    /// Games in it, leaves not counted.
    pub games: usize,
}

/// Plays so many games by these nets, and writes them to the file of the order, each with so many leaves of
/// its searches. Progress goes to `told`.
///
/// # Errors
/// When the file cannot be read or written, or has other games.
pub fn record(
    (nets, by): (SideNets, Origin),
    (rule, playouts): (Rule, u64),
    leaves: u32,
    order: Order<'_>,
    told: &mut dyn Write,
) -> anyhow::Result<()> {
    let recording = Recording {
        rule: rule.to_string(),
        playouts,
        leaves,
        again: Vec::new(),
        seed: order.seed,
        by: by.name,
    };
    let order = Order {
        title: title(recording, by.nets)?,
        ..order
    };
    let play = |_, random: &mut Random| {
        let (game, leaves) = game::play_with_leaves(rule, &nets, playouts, leaves, random);
        let mut bytes = Vec::new();
        game.write(&mut bytes);
        leaves.iter().for_each(|leaf| leaf.write(&mut bytes));
        bytes
    };
    order.fill(play, told)
}

/// Writes the games of a file to that of the order, and of their leaves what these nets find with so many
/// playouts where it was not decided before. Progress goes to `told`.
///
/// # Errors
/// When a file cannot be read or written, or the first was not recorded.
pub fn record_again(
    file: &Path,
    (nets, by): (SideNets, Origin),
    playouts: u64,
    order: Order<'_>,
    told: &mut dyn Write,
) -> anyhow::Result<()> {
    let ((recorded, mut known), records) = read(file)?;
    let Source::Recording(mut recording) = recorded.source else {
        bail!("{} is of a course, which has no leaves", file.display());
    };
    known.extend(by.nets);
    let by = by.name;
    recording.again.push(Again { playouts, by });
    let with_leaves: Vec<&[Record]> = records.chunk_by(|_, next| next.result.is_none()).collect();
    let order = Order {
        title: title(recording, known)?,
        games: with_leaves.len() as u64,
        ..order
    };
    let search = |number: u64, _: &mut Random| {
        let mut bytes = Vec::new();
        let again = game::search_again(with_leaves[number as usize], &nets, playouts);
        again.iter().for_each(|record| record.write(&mut bytes));
        bytes
    };
    order.fill(search, told)
}

/// The title of a file of such games.
fn title(of: Recording, nets: Nets) -> anyhow::Result<String> {
    Ok(serde_json::to_string(&WithNets { of, nets })?)
}

/// The games of a file, which was recorded or is the checkpoint of a course, each with its leaves after it,
/// where they come from, and the nets that this names.
///
/// # Errors
/// When it cannot be read, or has no games of Gomoku.
pub fn read(path: &Path) -> anyhow::Result<((Recorded, Nets), Vec<Record>)> {
    let others = || format!("{} has no games of Gomoku", path.display());
    let (source, nets, bytes) = match checkpoint::read(path)? {
        Some((title, content)) => {
            let (games, saved) = course::saved(&content).with_context(others)?;
            let WithNets { of, nets } = serde_json::from_str(&title).with_context(others)?;
            let games_of = super::lessons::window(saved).with_context(others)?;
            (Source::Course(of, games), nets, games_of.to_vec())
        }
        None => {
            let (title, batches) = records::read(path)?;
            let WithNets { of, nets } = serde_json::from_str(&title).with_context(others)?;
            (Source::Recording(of), nets, batches.concat())
        }
    };
    let games = records::read_all(&bytes, Record::read).with_context(others)?;
    let recorded = Recorded {
        source,
        games: games.iter().filter(|it| it.result.is_some()).count(),
    };
    Ok(((recorded, nets), games))
}
