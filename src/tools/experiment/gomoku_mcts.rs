//! Experiment A: Gomoku by UCT against the five-tuple player that the same thesis describes.

use super::{MatchSize, NOT_GIVEN, result_cells};
use crate::arena::standing::Standings;
use crate::arena::table::align;
use crate::game::{GameKind, Setup};
use std::io::Write;

/// The system and the engine, each against the thesis's other player; and against chance.
const PAIRS: [[&str; 2]; 3] = [
    ["gomoku-mcts", "random"],
    ["gomoku-mcts", "five-tuple"],
    ["tengen", "five-tuple"],
];

/// Plays the games and writes the table.
pub fn run(size: &MatchSize, out: &mut dyn Write) -> anyhow::Result<()> {
    let setup = Setup::standard(GameKind::Gomoku);
    let pairings = PAIRS.map(|pair| size.pairing(pair, setup));
    let pairings: Vec<_> = pairings.into_iter().collect::<Result<_, _>>()?;
    let mut standings = Standings::default();
    size.play(&pairings, |record| {
        standings.add(&record);
        Ok(())
    })?;

    writeln!(
        out,
        "A. Gomoku 15x15 by UCT (c = 1.414, best mean), {} ms a move.\n",
        size.time
    )?;
    let headings = [
        "player",
        "opponent",
        "games",
        "W-D-L",
        "score",
        "Elo, 95 %",
        "report",
    ];
    let mut rows = vec![headings.map(str::to_owned)];
    for (index, [player, opponent]) in PAIRS.iter().enumerate() {
        let [games, result, score, elo] = result_cells(standings.get(index));
        let [player, opponent] = [player, opponent].map(|name| (*name).to_owned());
        rows.push([
            player,
            opponent,
            games,
            result,
            score,
            elo,
            NOT_GIVEN.to_owned(),
        ]);
    }
    write!(out, "{}", align(&rows))?;
    Ok(())
}
