//! Experiment C: how many nodes each search of the alpha-beta family looks at, by depth, on the
//! same positions.

use super::findings::FindingsFile;
use super::steps::Steps;
use crate::arena::report::progress::Progress;
use crate::arena::report::table::align;
use crate::bots::alphabeta::family::{Searcher, Value};
use crate::clock;
use crate::game::gomoku::Gomoku;
use crate::game::{GameKind, Setup, notation};
use crate::options::{Algorithm, AlphaBetaOptions, MAX_DEPTH, Named};
use crate::search::{Limits, StopFlag};
use anyhow::ensure;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::process::ExitCode;

/// Openings of four to twelve moves, made up: quiet ones, and one with a three to stop.
const POSITIONS: [&str; 4] = [
    "h8 i9 h9 h10",
    "h8 i7 g7 i9 i8 h6",
    "h8 i9 h9 h10 i8 g10 j7",
    "h8 g9 i9 g7 g8 i8 h7 j9 h9 h6 f9 f7",
];

/// How far to search.
#[derive(Args, Debug)]
pub struct NodesArgs {
    /// The deepest search, in plies. Each ply takes minimax twenty times as long
    #[arg(long, value_name = "N", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    depth: u32,
    #[command(flatten)]
    file: FindingsFile,
}

/// Searches the positions and writes the table.
pub fn run(
    args: &NodesArgs,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let positions = positions().map_err(anyhow::Error::msg)?;
    writeln!(
        out,
        "C. Gomoku 15x15 by alpha-beta: nodes of the search to each depth, over {} positions.\n",
        positions.len()
    )?;
    let mut steps = Steps::open(&args.file, format!("C to depth {}", args.depth))?;
    let mut rows = vec![headings(args.depth)];
    let mut progress = Progress::new(1 + others().count() as u64, "searches", notes);
    progress.advance(Algorithm::Minimax.to_string())?;
    let mut counted =
        |algorithm, history| steps.next(|| Ok(count(&positions, algorithm, history, args.depth)));
    let minimax = counted(Algorithm::Minimax, false)?;
    rows.push(row(Algorithm::Minimax, false, &minimax, minimax.last()));
    for (algorithm, history) in others() {
        progress.advance(algorithm.to_string())?;
        let counted = counted(algorithm, history)?;
        ensure!(
            counted.values == minimax.values,
            "{algorithm} finds other values than minimax"
        );
        rows.push(row(algorithm, history, &counted, minimax.last()));
    }
    progress.finish();
    write!(out, "{}", align(&rows))?;
    writeln!(out, "\nAll of them found the same value at every depth.")?;
    Ok(ExitCode::SUCCESS)
}

/// Every search but minimax, without and, where the order of moves matters, with the history
/// heuristic.
fn others() -> impl Iterator<Item = (Algorithm, bool)> {
    let others = Algorithm::ALL.iter().copied().skip(1);
    let ways = |algorithm: Algorithm| [(algorithm, false), (algorithm, true)];
    let ways = others.flat_map(ways);
    ways.filter(|&(algorithm, history)| algorithm.prunes() || !history)
}

fn positions() -> Result<Vec<Gomoku>, String> {
    let setup = Setup::standard(GameKind::Gomoku);
    let positions = POSITIONS.map(|moves| notation::position(&setup, moves));
    positions.into_iter().collect()
}

/// What one search found at the depths 1, 2, ..
#[derive(Serialize, Deserialize)]
struct Counted {
    /// Nodes by depth, over all positions.
    nodes: Vec<u64>,
    /// Seconds of all searches together.
    seconds: f64,
    /// The values by position and depth.
    values: Vec<Value>,
}

impl Counted {
    /// The nodes of the deepest search.
    fn last(&self) -> u64 {
        self.nodes.last().copied().unwrap_or(0)
    }
}

fn count(positions: &[Gomoku], algorithm: Algorithm, history: bool, depth: u32) -> Counted {
    let options = AlphaBetaOptions {
        algorithm,
        history,
        ..AlphaBetaOptions::default()
    };
    let begun = clock::now();
    let mut nodes = vec![0; depth as usize];
    let mut values = Vec::new();
    for position in positions {
        let limits = Limits::unlimited(begun);
        let stop = StopFlag::new();
        let mut searcher = Searcher::new(position, &options, &limits, &stop);
        for (depth, nodes) in (1..).zip(&mut nodes) {
            if let Some(found) = searcher.search(depth) {
                *nodes += found.nodes;
                values.push(found.value);
            }
        }
    }
    let seconds = clock::now().duration_since(begun).as_secs_f64();
    Counted {
        nodes,
        seconds,
        values,
    }
}

fn headings(depth: u32) -> Vec<String> {
    let depths = (1..=depth).map(|depth| format!("depth {depth}"));
    let named = ["algorithm", "history"].map(str::to_owned).into_iter();
    let ends = ["of minimax", "seconds"].map(str::to_owned);
    named.chain(depths).chain(ends).collect()
}

/// One row of the table; `minimax` is the nodes of minimax to the last depth.
fn row(algorithm: Algorithm, history: bool, counted: &Counted, minimax: u64) -> Vec<String> {
    let share = 100.0 * counted.last() as f64 / minimax as f64;
    let history = if history { "on" } else { "off" };
    let mut row = vec![algorithm.to_string(), history.to_owned()];
    row.extend(counted.nodes.iter().map(u64::to_string));
    row.push(format!("{share:.2} %"));
    row.push(format!("{:.2}", counted.seconds));
    row
}
