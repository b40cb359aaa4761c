//! `tengen learn`: learns the weights of an evaluation from self-play.

use crate::game::GameKind;
use crate::knowledge::reversi::patterns::Patterns;
use crate::learn::reversi::{Fitting, Known, Lessons, Parameters, fit, record};
use anyhow::{Context, bail};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  tengen learn reversi --games 2000 --out quick.bin
  tengen learn reversi --games 1500000 --threads 2 --out first.bin
  tengen learn reversi --from first.bin --games 500000 --depth 3 --record some.games
  tengen learn reversi --from first.bin --games 500000 --depth 3 --seed 2 --record more.games
  tengen learn reversi --from first.bin --fit some.games --fit more.games --out second.bin

Weights begin with a course of games in which the program learns from each game before the next. Then
games can be recorded with the same weights, on several machines if they have seeds of their own, and
new weights be fitted to them all.

FILE has the best weights so far, and FILE with the ending .json says how they were made: every
parameter, what they began with, how far values are from results in games not learned from, and how
each generation, a tenth of the games, played against the best before. What a course needs to go on is
kept in FILE.partial: with --resume and the same arguments it goes on from there, even after a crash,
and so do records. The number of threads does not change what is learned.";

/// Learn the weights of an evaluation from self-play.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct LearnArgs {
    /// reversi
    #[arg(value_name = "GAME")]
    game: GameKind,
    /// Games of self-play
    #[arg(long, value_name = "N", default_value = "1500000", value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Plies that the players look ahead
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=12))]
    depth: u32,
    /// Begin with these weights, whose .json lies beside them, instead of none
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Learn nothing, but write the games to this file
    #[arg(long, value_name = "FILE", requires = "from", conflicts_with = "out")]
    record: Option<PathBuf>,
    /// Play nothing, but fit the weights to the games of this file; may be given again
    #[arg(long, value_name = "FILE", requires = "from", conflicts_with_all = ["record", "games", "depth", "resume"])]
    fit: Vec<PathBuf>,
    /// Where to write the weights
    #[arg(long, value_name = "FILE", default_value = "reversi.bin")]
    out: PathBuf,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Go on with the same work where it stopped
    #[arg(long)]
    resume: bool,
}

/// Learns weights and writes them, or games. Progress goes to `told`.
///
/// # Errors
/// When nothing can be learned in that game, or a file cannot be read or written.
pub fn run(args: &LearnArgs, told: &mut dyn Write) -> anyhow::Result<()> {
    if args.game != GameKind::Reversi {
        bail!("only Reversi has weights to be learned");
    }
    let threads = args.threads as usize;
    let from = args.from.as_ref().map(|path| Known::load(path));
    let from = from.transpose()?;
    if let Some(file) = &args.record {
        let by = from.context("games are played by weights")?;
        let numbers = [args.seed, args.games];
        return record(by, numbers, args.depth, threads, (file, args.resume), told);
    }
    if !args.fit.is_empty() {
        let from = from.context("a fit begins with weights")?;
        let fitted = fit(from, &args.fit, Fitting::new(args.seed), threads, told)?;
        return fitted.save(&args.out);
    }
    let mut parameters = Parameters::new(args.games, args.seed, args.depth);
    let start = match from {
        Some(known) => {
            parameters.from = Some(Box::new(known.sidecar));
            known.patterns
        }
        None => Patterns::blank(),
    };
    let lessons = Lessons {
        parameters,
        start,
        threads,
        out: &args.out,
        resume: args.resume,
    };
    lessons.run(told)
}
