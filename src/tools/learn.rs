//! `tengen learn`: learns the weights of an evaluation from self-play.

use crate::game::GameKind;
use crate::knowledge::reversi::patterns::Patterns;
use crate::learn::reversi::{Lessons, Parameters, load};
use anyhow::bail;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  tengen learn reversi --games 2000 --out quick.bin          beats the bot greedy, in a minute
  tengen learn reversi --games 1000000 --out first.bin
  tengen learn reversi --from first.bin --depth 3 --games 300000 --out second.bin

FILE has the best weights so far, and FILE with the ending .json says how they were made: every
parameter, what they began with, how far values were from results in games not learned from, and how
each generation, a tenth of the games, played against the best before. What is needed to go on is
kept in FILE.partial: with --resume and the same arguments the work goes on from there, even after a
crash. The number of threads does not change what is learned.";

/// Learn the weights of an evaluation from self-play.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct LearnArgs {
    /// reversi
    #[arg(value_name = "GAME")]
    game: GameKind,
    /// Games of self-play
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Plies that the players look ahead
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=12))]
    depth: u32,
    /// Begin with these weights instead of none; their .json must lie beside them
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Where to write the weights
    #[arg(long, value_name = "FILE", default_value = "reversi.bin")]
    out: PathBuf,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Go on with the same course where it stopped
    #[arg(long)]
    resume: bool,
}

/// Learns the weights and writes them. Progress goes to `told`.
///
/// # Errors
/// When nothing can be learned in that game, or a file cannot be read or written.
pub fn run(args: &LearnArgs, told: &mut dyn Write) -> anyhow::Result<()> {
    if args.game != GameKind::Reversi {
        bail!("only Reversi has weights to be learned");
    }
    let mut parameters = Parameters::new(args.games, args.seed, args.depth);
    let mut start = Patterns::blank();
    if let Some(path) = &args.from {
        let (patterns, sidecar) = load(path)?;
        start = patterns;
        parameters.from = Some(Box::new(sidecar));
    }
    let lessons = Lessons {
        parameters,
        start,
        threads: args.threads as usize,
        out: &args.out,
        resume: args.resume,
    };
    lessons.run(told)
}
