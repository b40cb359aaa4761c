//! Fitting the net that corrects the weights, by stochastic gradient descent: every position moves
//! what it has by its own error, the less the more it was moved before (Duchi, Hazan and Singer,
//! Adaptive Subgradient Methods, 2011, with one rate for all numbers of a row).

mod model;

use super::games::Game;
use super::{Known, Recorded, Sidecar, recording, write_sidecar};
use crate::arena::records::replacement::Replacement;
use crate::knowledge::reversi::endgame::Board;
use crate::knowledge::reversi::net::Net;
use crate::knowledge::reversi::patterns::{DISC, Features, Patterns};
use crate::learn::records::gather;
use crate::learn::selfplay::random_of;
use crate::simd::Isa;
use model::{Lesson, Model};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// How a net is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetFitting {
    /// How much of a target is what comes later in the game.
    pub lambda: f32,
    /// Times through all positions.
    pub epochs: u32,
    /// Step size of rows and biases at the first position. At the last it is a fiftieth.
    pub rate: f32,
    /// Step size of the weights of a stage.
    pub output_rate: f32,
    /// The sum of squared slopes, in discs, that everything begins with.
    pub inertia: f32,
    /// One game of so many is not learned from but used to tell how good the fit is.
    pub held_out: usize,
    /// The seed of the order of the positions, and of what the net begins with.
    pub seed: u64,
}

impl NetFitting {
    /// The usual one. (The rates had the least errors: `docs/EXPERIMENTS.md`, Reversi. λ: as for the
    /// weights.)
    #[must_use]
    pub fn new(seed: u64) -> NetFitting {
        NetFitting {
            lambda: 0.5,
            epochs: 2,
            rate: 0.02,
            output_rate: 0.3,
            inertia: 40.0,
            held_out: 20,
            seed,
        }
    }
}

/// What stands beside a net: how it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetSidecar {
    /// The version of the program that made it.
    pub version: String,
    /// How it was fitted.
    pub fitting: NetFitting,
    /// The weights that it corrects.
    pub corrected: Sidecar,
    /// The games, file by file.
    pub records: Vec<Recorded>,
    /// The mean squares of the differences from the targets of held-out positions, in discs squared:
    /// of the weights alone, and with the net after each time through the others.
    pub curve: Vec<f64>,
}

/// A net, and how it was made.
pub struct KnownNet {
    net: Net,
    sidecar: NetSidecar,
}

impl KnownNet {
    /// Writes both.
    ///
    /// # Errors
    /// When one of the files cannot be written.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        Replacement::write(path, &self.net.write())?;
        write_sidecar(path, &self.sidecar)
    }
}

/// Fits a net that corrects these weights to the games of the files. How it goes is told to `told`.
///
/// # Errors
/// When a file cannot be read, or there are no games.
pub fn fit_net(
    corrected: Known,
    files: &[PathBuf],
    fitting: NetFitting,
    told: &mut dyn Write,
) -> anyhow::Result<KnownNet> {
    let (records, games) = gather(files, recording::read, told)?;
    let (net, curve) = fit_games(&corrected.patterns, &games, &fitting, told)?;
    Ok(KnownNet {
        net,
        sidecar: NetSidecar {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            fitting,
            corrected: corrected.sidecar,
            records,
            curve,
        },
    })
}

fn fit_games(
    patterns: &Patterns,
    games: &[Game],
    fitting: &NetFitting,
    told: &mut dyn Write,
) -> anyhow::Result<(Net, Vec<f64>)> {
    let (mut held_out, mut learned) = (Vec::new(), Vec::new());
    for (number, game) in games.iter().enumerate() {
        let lessons = game.lessons(fitting.lambda).map(|seen| Lesson {
            board: seen.board,
            target: seen.target,
        });
        match number.is_multiple_of(fitting.held_out) {
            true => held_out.extend(lessons),
            false => learned.extend(lessons),
        }
    }
    let mut random = random_of(fitting.seed, 0);
    let mut model = Model::new(fitting, &mut random);
    let mut curve = vec![mean_square(patterns, &Net::blank(), &held_out)];
    for epoch in 0..fitting.epochs {
        learned.shuffle(&mut random);
        let shares = [epoch, epoch + 1].map(|it| it as f32 / fitting.epochs as f32);
        Isa::current().run(model.learn(patterns, &learned, shares));
        let error = mean_square(patterns, &model.net(), &held_out);
        writeln!(
            told,
            "{} times through: squared error {error:.3}",
            epoch + 1
        )?;
        curve.push(error);
    }
    Ok((model.net(), curve))
}

/// The mean square of the differences from targets, in discs squared.
fn mean_square(patterns: &Patterns, net: &Net, lessons: &[Lesson]) -> f64 {
    let squares = lessons.iter().map(|lesson| {
        let value = weighed(patterns, lesson.board) + net.correction(lesson.board);
        let error = f64::from(value as f32 / DISC as f32 - lesson.target);
        error * error
    });
    squares.sum::<f64>() / lessons.len().max(1) as f64
}

/// What the weights say, in units of [`DISC`].
fn weighed(patterns: &Patterns, Board { own, other }: Board) -> i32 {
    patterns.evaluate(&Features::of_discs(own, other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::reversi::{Manner, history};

    #[test]
    fn a_net_learns_what_weights_do_not_know() {
        let manner = Manner {
            depth: 1,
            random_plies: 30,
            exploration: 0.1,
            solved: 8,
        };
        let patterns = Patterns::blank();
        let play = |number| Game::play((&patterns).into(), &manner, &mut random_of(1, number));
        let games: Vec<Game> = (0..400).map(play).collect();
        let (net, curve) =
            fit_games(&patterns, &games, &NetFitting::new(1), &mut Vec::new()).unwrap();
        assert!(
            curve[2] < curve[1] && curve[1] < 0.9 * curve[0],
            "{curve:?}"
        );
        let again = fit_games(&patterns, &games, &NetFitting::new(1), &mut Vec::new()).unwrap();
        assert_eq!((net, curve), again);
    }

    #[test]
    fn the_net_of_this_program_says_how_it_was_made() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/knowledge/reversi");
        let sidecar = std::fs::read(folder.join("net.json")).unwrap();
        let sidecar: NetSidecar = history::read(&sidecar).unwrap();
        let weights = Known::load(&folder.join("weights.bin")).unwrap();
        assert_eq!(sidecar.corrected, weights.sidecar);
        assert!(sidecar.curve.last() < sidecar.curve.first());
    }
}
