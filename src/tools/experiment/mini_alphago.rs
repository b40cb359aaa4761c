//! Experiment E: what Reversi by UCT tells of every move: predicted win rate, iterations, the
//! move and the seconds it took.

use super::findings::FindingsFile;
use super::steps::Steps;
use crate::arena::report::progress::Progress;
use crate::arena::report::table::align;
use crate::bots::Bot;
use crate::clock::TimeControl;
use crate::game::any::{self, AnyGame};
use crate::game::{GameKind, Setup, Side, notation};
use crate::tools::think_once;
use anyhow::Context;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

/// The system that is measured.
const SYSTEM: &str = "mini-alphago";

/// The two moves that the report shows: iterations, and the predicted win rate in percent.
const REPORT: [(u32, f64); 2] = [(20_485, 53.19), (22_910, 55.22)];

/// The seconds that each of them took.
const REPORT_SECONDS: u32 = 20;

/// The most moves of a game.
const PLIES: u64 = 60;

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
    #[command(flatten)]
    file: FindingsFile,
}

/// A move of the game, and what its bot told of it.
#[derive(Serialize, Deserialize)]
struct Step {
    /// As people write it.
    #[serde(rename = "move")]
    text: String,
    /// The score 0..1 that the bot expects.
    value: f64,
    iterations: u64,
    seconds: f64,
}

/// Plays a game and writes a line for every move of the system.
pub fn run(
    args: &MovesArgs,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let bot = |name: &str| Bot::find(name).with_context(|| format!("no bot is called {name}"));
    let players = [bot(SYSTEM)?, bot(&args.opponent)?];
    writeln!(
        out,
        "E. Reversi by UCT (1 for a win, best mean), black against {}, {} ms a move.\n",
        args.opponent, args.time
    )?;
    let mut game = any::new_game(&Setup::standard(GameKind::Reversi))?;
    let mut told = Vec::new();
    let MovesArgs {
        time,
        opponent,
        seed,
        ..
    } = args;
    let mut steps = Steps::open(
        &args.file,
        format!("E at {time} ms a move against {opponent}, seed {seed}"),
    )?;
    let mut progress = Progress::new(PLIES, "plies", notes);
    while game.outcome().is_none() {
        let mover = game.side_to_move();
        let step = steps.next(|| think(players[mover.index()], &*game, args))?;
        let illegal = || format!("{} is not legal", step.text);
        let action = notation::parse(&game.setup(), &step.text).with_context(illegal)?;
        game.play(action).with_context(illegal)?;
        progress.advance(step.text.clone())?;
        if mover == Side::First {
            told.push((game.history().len(), step));
        }
    }
    progress.finish();
    write_moves(&told, out)?;
    write_end(&*game, &told, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Lets a bot think about the position on the board.
fn think(bot: &'static Bot, game: &dyn AnyGame, args: &MovesArgs) -> anyhow::Result<Step> {
    let setup = game.setup();
    let mut options = bot.options(setup.game());
    options.search.seed = args.seed.wrapping_add(game.history().len() as u64);
    let moves = game
        .history()
        .iter()
        .map(|&action| notation::write(&setup, action));
    let moves = moves.collect::<Vec<_>>().join(" ");
    let time = TimeControl::per_move(Duration::from_millis(args.time));
    let report = think_once(bot, &setup, &moves, options, time, None)?;
    let best = report.best.context("a bot has no move")?;
    Ok(Step {
        text: notation::write(&setup, best),
        value: report.value,
        iterations: report.playouts,
        seconds: report.elapsed.as_secs_f64(),
    })
}

fn write_moves(told: &[(usize, Step)], out: &mut dyn Write) -> anyhow::Result<()> {
    let headings = ["ply", "move", "win rate", "iterations", "seconds"];
    let mut rows = vec![headings.map(str::to_owned)];
    rows.extend(REPORT.map(|(iterations, percent)| {
        [
            "report".to_owned(),
            String::new(),
            format!("{percent:.2} %"),
            iterations.to_string(),
            format!("{REPORT_SECONDS}"),
        ]
    }));
    for (ply, step) in told {
        rows.push([
            ply.to_string(),
            step.text.clone(),
            format!("{:.2} %", 100.0 * step.value),
            step.iterations.to_string(),
            format!("{:.2}", step.seconds),
        ]);
    }
    write!(out, "{}", align(&rows))?;
    Ok(())
}

fn write_end(
    game: &dyn AnyGame,
    told: &[(usize, Step)],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let count = |side| {
        let points = game.setup().points();
        points
            .filter(|&point| game.stone_at(point) == Some(side))
            .count()
    };
    let iterations: u64 = told.iter().map(|(_, step)| step.iterations).sum();
    let seconds: f64 = told.iter().map(|(_, step)| step.seconds).sum();
    writeln!(
        out,
        "\nDiscs at the end: {} black, {} white.",
        count(Side::First),
        count(Side::Second)
    )?;
    writeln!(
        out,
        "Iterations a second: {:.0}; the report: {} and {}.",
        iterations as f64 / seconds.max(1e-6),
        REPORT[0].0 / REPORT_SECONDS,
        REPORT[1].0 / REPORT_SECONDS,
    )?;
    Ok(())
}
