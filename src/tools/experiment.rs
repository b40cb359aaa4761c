//! `tengen experiment`: what the reports of the coursework measured, measured again.
//!
//! The systems are those of [`crate::bots`]. Each table has the report's own figures beside
//! ours, where the report gives any.

mod connect4_uct;
mod gomoku_alphabeta;
mod gomoku_mcts;
mod mini_alphago;
mod reversi_mcts;

use crate::arena::cli::parse_even;
use crate::arena::ledger::Ledger;
use crate::arena::opening::Openings;
use crate::arena::record::GameRecord;
use crate::arena::schedule::{self, Pairing, Plan, Shard};
use crate::arena::standing::Standing;
use crate::arena::stats::{Estimate, elo};
use crate::arena::{Stop, Terms};
use crate::clock::TimeControl;
use crate::game::Setup;
use anyhow::ensure;
use clap::{Args, Subcommand};
use std::io::Write;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Duration;

/// What stands in a table where the report gives no figure.
const NOT_GIVEN: &str = "not given";

const EXAMPLES: &str = "\
Examples:
  tengen experiment A                          about a minute each by default
  tengen experiment D --bots bots --games 20 --time 3000 --json games.jsonl
  tengen experiment E --time 20000";

/// Measure again what the coursework's reports measured
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct ExperimentArgs {
    #[command(subcommand)]
    name: Name,
}

#[derive(Subcommand, Debug)]
enum Name {
    /// Gomoku by UCT: against the five-tuple player of the same report
    #[command(name = "A")]
    A(MatchSize),
    /// Reversi by UCT: against random and graded opponents
    #[command(name = "B")]
    B(MatchSize),
    /// Gomoku by alpha-beta: nodes by search and depth
    #[command(name = "C")]
    C(gomoku_alphabeta::NodesArgs),
    /// Connect Four by UCT on boards of 9 to 12 with a hole: against named bots
    #[command(name = "D")]
    D(connect4_uct::BoardsArgs),
    /// Reversi by UCT: iterations, win rate and seconds of every move
    #[command(name = "E")]
    E(mini_alphago::MovesArgs),
}

/// How much is played. What is not given is a minute's worth.
#[derive(Args, Clone, Copy, Debug)]
struct MatchSize {
    /// Games with each opponent: an even number, as openings are played with both colours
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = parse_even)]
    games: u32,
    /// Milliseconds for a move
    #[arg(long, value_name = "MS", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    time: u64,
    /// What everything random comes from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Games played at a time [default: one for every core]
    #[arg(long, value_name = "N")]
    concurrency: Option<NonZeroUsize>,
}

impl MatchSize {
    /// The games of two engines, by their names, on a board.
    fn pairing(&self, engines: [&str; 2], setup: Setup) -> anyhow::Result<Pairing> {
        let [one, other] = engines;
        Ok(Pairing {
            engines: [one.parse()?, other.parse()?],
            terms: Terms {
                time: TimeControl::per_move(Duration::from_millis(self.time)),
                ..Terms::new(setup)
            },
            games: self.games,
            openings: Openings::RandomPlies(RANDOM_PLIES),
            seed: self.seed,
        })
    }

    /// Plays the games of all pairings and hands each to `on_game` when it is over. Blocks.
    fn play(
        &self,
        pairings: &[Pairing],
        on_game: impl FnMut(GameRecord) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let stop = Stop::default();
        let plan = Plan {
            pairings,
            range: 0..pairings.len(),
            shard: Shard::WHOLE,
            done: &Ledger::default(),
        };
        let cores = available_parallelism().map_or(1, usize::from);
        let concurrency = self.concurrency.map_or(cores, usize::from);
        schedule::run(&plan, concurrency, &stop, on_game)
    }
}

/// Starts every engine once on every board.
///
/// # Errors
/// When one does not play there.
fn check(pairings: &[Pairing]) -> anyhow::Result<()> {
    for pairing in pairings {
        let game = pairing.terms.setup.game;
        for engine in &pairing.engines {
            ensure!(engine.can_play(game), "{engine} does not play {game}");
            schedule::check(engine, &pairing.terms, pairing.seed, &Stop::default())?;
        }
    }
    Ok(())
}

/// Random moves at the start of a game, so that no two pairs of games are the same.
const RANDOM_PLIES: u32 = 2;

/// Runs the experiment and writes its table.
///
/// # Errors
/// When an engine or a game does not begin, or `out` cannot be written.
pub fn run(args: &ExperimentArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.name {
        Name::A(size) => gomoku_mcts::run(size, out),
        Name::B(size) => reversi_mcts::run(size, out),
        Name::C(args) => gomoku_alphabeta::run(args, out),
        Name::D(args) => connect4_uct::run(args, out),
        Name::E(args) => mini_alphago::run(args, out),
    }
}

/// Games, wins-draws-losses, score and Elo, for the cells of a table; nothing before the first
/// game.
fn result_cells(standing: Option<&Standing>) -> [String; 4] {
    let Some(standing) = standing else {
        return Default::default();
    };
    let estimate = standing.estimate();
    let score = |it: Estimate| format!("{:.0} %", 100.0 * it.score);
    let interval = |it: Estimate| format!("[{:+.0}, {:+.0}]", elo(it.low), elo(it.high));
    [
        standing.games().to_string(),
        format!("{}-{}-{}", standing.wins, standing.draws, standing.losses),
        estimate.map_or_else(String::new, score),
        estimate.map_or_else(String::new, interval),
    ]
}
