//! Experiment A: Gomoku by UCT against the five-tuple player that the same thesis describes. The
//! thesis gives no figures.

use super::{MatchSize, Row, results};
use crate::game::GameKind;
use std::io::Write;
use std::process::ExitCode;

/// The system and the engine, each against the thesis's other player; and against chance.
const PAIRS: [[&str; 2]; 3] = [
    ["gomoku-mcts", "random"],
    ["gomoku-mcts", "five-tuple"],
    ["tengen", "five-tuple"],
];

/// Plays the games and writes the table.
pub fn run(
    size: &MatchSize,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let pairings = size.pairings(&PAIRS, GameKind::Gomoku)?;
    let played = size.play(&pairings, 1, notes, |_| ())?;

    writeln!(
        out,
        "A. Gomoku 15x15 by UCT (c = 1.414, best mean), {} ms a move.\n",
        size.time
    )?;
    let row = |(index, pair): (usize, &[&str; 2])| Row {
        names: pair.map(str::to_owned).to_vec(),
        standing: played.standings.get(index),
        more: Vec::new(),
    };
    let rows: Vec<Row> = PAIRS.iter().enumerate().map(row).collect();
    write!(out, "{}", results(&["player", "opponent"], &[], &rows))?;
    Ok(played.code)
}
