//! Experiment B: Reversi by UCT against a random player and graded opponents.

use super::{MatchSize, Row, results};
use crate::arena::records::record::GameRecord;
use crate::arena::statistics::standing::Standing;
use crate::game::GameKind;
use std::io::Write;
use std::process::ExitCode;

/// The report's opponents with ours in their place.
const OPPONENTS: [(&str, &str); 4] = [
    ("random", "random"),
    ("low", "level-3"),
    ("middle", "level-5"),
    ("high", "level-8"),
];

/// The disc difference of a game, seen by the system.
fn discs(record: &GameRecord) -> i64 {
    let margin = i64::from(record.margin.unwrap_or(0));
    if record.first == 0 { margin } else { -margin }
}

/// Plays the games and writes the table.
pub fn run(
    size: &MatchSize,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let engines = OPPONENTS.map(|(_, opponent)| ["reversi-mcts", opponent]);
    let pairings = size.pairings(&engines, GameKind::Reversi)?;
    let mut sums = [0; OPPONENTS.len()];
    let played = size.play(&pairings, 1, notes, |record| {
        sums[record.pairing] += discs(record);
    })?;

    writeln!(
        out,
        "B. Reversi by UCT rewarded by discs (c = 1.414, best UCB1), {} ms a move.\n",
        size.time
    )?;
    let mut rows = Vec::new();
    for (index, ((grade, opponent), sum)) in OPPONENTS.iter().zip(sums).enumerate() {
        let standing = played.standings.get(index);
        let mean = |standing: &Standing| sum as f64 / f64::from(standing.games());
        let discs = standing.map(|standing| format!("{:+.1}", mean(standing)));
        rows.push(Row {
            names: vec![(*grade).to_owned(), (*opponent).to_owned()],
            standing,
            more: vec![discs.unwrap_or_default()],
        });
    }
    let table = results(&["opponent", "played by"], &["mean discs"], &rows);
    writeln!(
        out,
        "{table}\nThe report tells that each of its opponents was beaten, and no figures."
    )?;
    Ok(played.code)
}
