//! Reversi: the weights of the shapes on the board, from games of self-play.
//!
//! Weights begin with a course of TD(λ), where the program learns from each game before the next
//! ([`Lessons`]). Then games can be played with the same weights, on any number of machines
//! ([`record`]), and all weights be fitted to the positions of all games at once ([`fit`]). A net that
//! corrects them is fitted to such games, too ([`fit_net`]).

mod chances;
mod fit;
mod games;
pub mod history;
mod lessons;
mod net;
mod recording;
mod search;
mod td;

pub use fit::{Fitting, fit};
pub use games::Manner;
pub use lessons::{Lessons, Parameters};
pub use net::{KnownNet, NetFitting, NetSidecar, fit_net};
pub use recording::{Recorded, Recording, record};

use super::checkpoint;
use super::course::Generation;
use super::gate::{Match, Score};
use crate::arena::records::replacement::Replacement;
use crate::game::reversi::Reversi;
use crate::game::{GameKind, Move, Playable, Setup};
use crate::knowledge::reversi::endgame::TranspositionTable;
use crate::knowledge::reversi::patterns::Patterns;
use anyhow::Context;
use search::{FeatureBoard, TABLE_BYTES};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What stands beside weights: how they were made, and what they are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sidecar {
    /// The version of the program that made them.
    pub version: String,
    /// What they were made with.
    pub made: Made,
    /// The mean difference, in discs, between values and the results of games: of a course new ones, or
    /// those of the last generation where more are to come; of a fit those held out, and others beside
    /// them where these are few.
    pub held_out_error: f64,
}

/// How weights were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Made {
    /// By a course of TD(λ).
    Course {
        /// What decided about the result.
        parameters: Parameters,
        /// How each generation did.
        generations: Vec<Generation>,
    },
    /// By a fit to recorded games.
    Fit {
        /// How it was made.
        fitting: Fitting,
        /// The weights that it began with. `None`: all zero.
        from: Option<Box<Sidecar>>,
        /// The games, file by file.
        records: Vec<Recorded>,
        /// The mean squares of the differences from the targets of held-out positions, before the
        /// fit and after each time through the others.
        curve: Vec<f64>,
        /// The match with the weights that it began with, a share of the points, 0..1.
        score: f64,
        /// The standard error of the score.
        score_error: f64,
    },
}

/// Weights, and what is known of how they were made.
#[derive(Clone)]
pub struct Known {
    /// The weights.
    pub patterns: Patterns,
    /// How they were made.
    pub sidecar: Sidecar,
}

impl Known {
    /// Reads weights and their sidecar.
    ///
    /// # Errors
    /// When one of the files cannot be read.
    pub fn load(path: &Path) -> anyhow::Result<Known> {
        let read = |path: &Path| {
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
        };
        let patterns = Patterns::read(&read(path)?);
        let patterns = patterns.with_context(|| format!("cannot use {}", path.display()))?;
        let beside = checkpoint::sidecar_of(path);
        let sidecar = history::read(&read(&beside)?);
        let sidecar = sidecar.with_context(|| format!("cannot use {}", beside.display()))?;
        Ok(Known { patterns, sidecar })
    }

    /// Writes both.
    ///
    /// # Errors
    /// When one of the files cannot be written.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        Replacement::write(path, &self.patterns.write())?;
        write_sidecar(path, &self.sidecar)
    }
}

/// Writes what stands beside this file.
fn write_sidecar(path: &Path, sidecar: &impl Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(&history::told_once(sidecar)?)? + "\n";
    Replacement::write(&checkpoint::sidecar_of(path), text.as_bytes())
}

/// A match between new weights and old ones, by players that look so many plies ahead and play
/// exactly from `solved` empty squares on.
#[must_use]
pub fn compare(
    new: &Patterns,
    old: &Patterns,
    [depth, solved]: [u32; 2],
    pairs: u64,
    threads: usize,
) -> Score {
    let Ok(start) = Reversi::new(&Setup::standard(GameKind::Reversi)) else {
        return Score::default();
    };
    let game = Match {
        start: &start,
        opening: 6..=12,
        pairs,
        seed: 1,
        threads,
    };
    game.play(player(new, depth, solved), player(old, depth, solved))
}

/// A player that looks so many plies ahead, and plays exactly from `solved` empty squares on.
pub fn player(
    patterns: &Patterns,
    depth: u32,
    solved: u32,
) -> impl Fn(&Reversi) -> Move + Sync + '_ {
    let table = TranspositionTable::new(TABLE_BYTES);
    move |position| {
        let board = FeatureBoard::new(position);
        let chosen = match board.empties() <= solved {
            true => board.best_exactly(&table),
            false => search::best(patterns.into(), &board, depth),
        };
        Move::new(chosen.map_or(0, |it| it.mv))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_this_program_say_how_they_were_made() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/knowledge/reversi");
        let known = Known::load(&folder.join("weights.bin")).unwrap();
        assert!(matches!(known.sidecar.made, Made::Fit { .. }));
        assert!(known.sidecar.held_out_error > 0.0);
    }
}
