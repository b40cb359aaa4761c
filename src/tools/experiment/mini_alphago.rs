//! Experiment E: what Reversi by UCT tells of every move: predicted win rate, iterations, the
//! move and the seconds it took.

use crate::arena::table::align;
use crate::bots::Bot;
use crate::clock::TimeControl;
use crate::game::any::{self, AnyGame};
use crate::game::{GameKind, Setup, Side, notation};
use crate::search::Report;
use crate::tools::think_once;
use anyhow::Context;
use clap::Args;
use std::io::Write;
use std::time::Duration;

/// The system that is measured.
const SYSTEM: &str = "mini-alphago";

/// The report's headline: so many iterations in a move of so many seconds.
const REPORT_ITERATIONS: u32 = 20_485;
const REPORT_SECONDS: u32 = 20;

/// How the game is played.
#[derive(Args, Debug)]
pub struct MovesArgs {
    /// Milliseconds for a move; the report's own game had 20000
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    time: u64,
    /// Who plays white
    #[arg(long, value_name = "BOT", default_value = "level-4")]
    opponent: String,
    /// What everything random comes from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Plays a game and writes a line for every move of the system.
pub fn run(args: &MovesArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let bot = |name: &str| Bot::find(name).with_context(|| format!("no bot is called {name}"));
    let players = [bot(SYSTEM)?, bot(&args.opponent)?];
    writeln!(
        out,
        "E. Reversi by UCT (1 for a win, best mean), black against {}, {} ms a move.\n",
        args.opponent, args.time
    )?;
    let mut game = any::new_game(&Setup::standard(GameKind::Reversi))?;
    let mut told = Vec::new();
    while game.outcome().is_none() {
        let mover = game.side_to_move();
        let report = think(players[mover.index()], &*game, args)?;
        let action = report.best.context("a bot has no move")?;
        if mover == Side::First {
            told.push((game.history().len() + 1, report));
        }
        game.play(action)
            .with_context(|| format!("{action:?} is not legal"))?;
    }
    write_moves(&game.setup(), &told, out)?;
    write_end(&*game, &told, out)
}

/// Lets a bot think about the position on the board.
fn think(bot: &Bot, game: &dyn AnyGame, args: &MovesArgs) -> anyhow::Result<Report> {
    let setup = game.setup();
    let mut options = bot.options(setup.game);
    options.seed = args.seed + game.history().len() as u64;
    let moves = game
        .history()
        .iter()
        .map(|&action| notation::write(&setup, action));
    let moves = moves.collect::<Vec<_>>().join(" ");
    let time = TimeControl::per_move(Duration::from_millis(args.time));
    let report = think_once(bot, &setup, &moves, options, time, None)?;
    Ok(report)
}

fn write_moves(setup: &Setup, told: &[(usize, Report)], out: &mut dyn Write) -> anyhow::Result<()> {
    let headings = ["ply", "move", "win rate", "iterations", "seconds"];
    let mut rows = vec![headings.map(str::to_owned)];
    for (ply, report) in told {
        rows.push([
            ply.to_string(),
            report
                .best
                .map_or_else(String::new, |best| notation::write(setup, best)),
            format!("{:.1} %", 100.0 * report.value),
            report.playouts.to_string(),
            format!("{:.2}", report.elapsed.as_secs_f64()),
        ]);
    }
    write!(out, "{}", align(&rows))?;
    Ok(())
}

fn write_end(
    game: &dyn AnyGame,
    told: &[(usize, Report)],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let count = |side| {
        let points = game.setup().points();
        points
            .filter(|&point| game.stone_at(point) == Some(side))
            .count()
    };
    let iterations: u64 = told.iter().map(|(_, report)| report.playouts).sum();
    let seconds: f64 = told
        .iter()
        .map(|(_, report)| report.elapsed.as_secs_f64())
        .sum();
    writeln!(
        out,
        "\nDiscs at the end: {} black, {} white.",
        count(Side::First),
        count(Side::Second)
    )?;
    writeln!(
        out,
        "Iterations a second: {:.0}; the report: {} ({REPORT_ITERATIONS} in {REPORT_SECONDS} s).",
        iterations as f64 / seconds.max(1e-6),
        REPORT_ITERATIONS / REPORT_SECONDS,
    )?;
    Ok(())
}
