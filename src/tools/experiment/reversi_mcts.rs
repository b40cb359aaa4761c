//! Experiment B: Reversi by UCT against a random player and graded opponents.

use super::{MatchSize, result_cells};
use crate::arena::record::GameRecord;
use crate::arena::standing::Standings;
use crate::arena::table::align;
use crate::game::{GameKind, Setup};
use std::io::Write;

/// The report's opponents with ours in their place, and what it tells of them: each was beaten,
/// with 64 discs on the board at the end.
const OPPONENTS: [(&str, &str); 4] = [
    ("random", "random"),
    ("low", "level-3"),
    ("middle", "level-5"),
    ("high", "level-8"),
];
const REPORT: &str = "won";

/// The disc difference of a game, seen by the system.
fn discs(record: &GameRecord) -> i64 {
    let margin = i64::from(record.margin.unwrap_or(0));
    if record.first == 0 { margin } else { -margin }
}

/// Plays the games and writes the table.
pub fn run(size: &MatchSize, out: &mut dyn Write) -> anyhow::Result<()> {
    let setup = Setup::standard(GameKind::Reversi);
    let pairing = |(_, opponent)| size.pairing(["reversi-mcts", opponent], setup);
    let pairings: Vec<_> = OPPONENTS
        .map(pairing)
        .into_iter()
        .collect::<anyhow::Result<_>>()?;
    let mut standings = Standings::default();
    let mut sums = [0; OPPONENTS.len()];
    size.play(&pairings, |record| {
        sums[record.pairing] += discs(&record);
        standings.add(&record);
        Ok(())
    })?;

    writeln!(
        out,
        "B. Reversi by UCT rewarded by discs (c = 1.414, best UCB1), {} ms a move.\n",
        size.time
    )?;
    let headings = [
        "opponent",
        "played by",
        "games",
        "W-D-L",
        "score",
        "Elo, 95 %",
        "mean discs",
        "report",
    ];
    let mut rows = vec![headings.map(str::to_owned)];
    for (index, ((grade, opponent), sum)) in OPPONENTS.iter().zip(sums).enumerate() {
        let [games, wins, score, elo] = result_cells(standings.get(index));
        let mean = sum as f64 / f64::from(size.games);
        let (grade, opponent) = ((*grade).to_owned(), (*opponent).to_owned());
        let discs = format!("{mean:+.1}");
        rows.push([
            grade,
            opponent,
            games,
            wins,
            score,
            elo,
            discs,
            REPORT.to_owned(),
        ]);
    }
    write!(out, "{}", align(&rows))?;
    Ok(())
}
