//! Experiment D: Connect Four by UCT on boards of 9 to 12 columns and rows with a hole, against
//! named bots.

use super::{MatchSize, NOT_GIVEN, check, result_cells};
use crate::arena::journal::Journal;
use crate::arena::opening::Openings;
use crate::arena::schedule::Pairing;
use crate::arena::standing::{Standing, Standings};
use crate::arena::table::align;
use crate::game::{GameKind, Point, Setup};
use crate::host::Hosting;
use crate::playout::Random;
use anyhow::{Context, ensure};
use clap::Args;
use rand::{RngExt, SeedableRng};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// The sides of the boards, in cells.
const SIZES: RangeInclusive<u8> = 9..=12;

/// The opponents where no folder of bots is given.
const OPPONENTS: [&str; 4] = ["greedy", "level-4", "level-6", "level-8"];

/// The report's win rates at 3 s a move, by the name of the bot's file.
const REPORT: [(&str, &str); 3] = [("96", "100 %"), ("98", "100 %"), ("100", "90 %")];

/// Who plays whom.
#[derive(Args, Debug)]
pub struct BoardsArgs {
    #[command(flatten)]
    size: MatchSize,
    /// A folder of the coursework's bots, .so files: the opponents
    #[arg(long, value_name = "DIR")]
    bots: Option<PathBuf>,
    /// Who plays against them; may be given again
    #[arg(long, value_name = "ENGINE", default_values = ["connect4-uct", "tengen"])]
    engine: Vec<String>,
    #[command(flatten)]
    hosting: Hosting,
    /// Write a record of every game to this file, one line of JSON each
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Replace the records in the file of --json
    #[arg(long)]
    force: bool,
}

/// Somebody to play against.
#[derive(Clone)]
struct Opponent {
    name: String,
    /// As [`crate::arena::engine::EngineSpec`] reads it.
    engine: String,
}

struct Match {
    engine: String,
    opponent: Opponent,
}

/// Plays the games and writes the table.
pub fn run(args: &BoardsArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let opponents = match &args.bots {
        Some(folder) => libraries(folder)?,
        None => OPPONENTS.map(built_in).to_vec(),
    };
    let mut matches = Vec::new();
    for engine in &args.engine {
        matches.extend(opponents.iter().map(|opponent| Match {
            engine: engine.clone(),
            opponent: opponent.clone(),
        }));
    }
    let pairs = args.size.games / 2;
    let mut pairings = pairings(&matches, pairs, &args.size)?;
    for pairing in &mut pairings {
        pairing.terms.hosting = args.hosting;
    }
    check(&pairings)?;
    let mut standings = Standings::default();
    // Only now, for it empties a file of records.
    let journal = |path| Journal::create(path, args.force);
    let mut journal = args.json.as_deref().map(journal).transpose()?;
    args.size.play(&pairings, |mut record| {
        // Each pair of games is a pairing of its own, as it has its own board.
        let pair = record.pairing as u32 % pairs;
        record.pairing /= pairs as usize;
        record.number += 2 * pair;
        standings.add(&record);
        match &mut journal {
            Some(journal) => journal.append(&record),
            None => Ok(()),
        }
    })?;
    writeln!(
        out,
        "D. Connect Four with a hole, boards of 9 to 12, {} ms a move.\n",
        args.size.time
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
    let played = matches.iter().enumerate();
    rows.extend(played.map(|(index, played)| row(played, standings.get(index))));
    write!(out, "{}", align(&rows))?;
    Ok(())
}

fn built_in(name: &str) -> Opponent {
    Opponent {
        name: name.to_owned(),
        engine: name.to_owned(),
    }
}

/// The shared libraries of a folder, by the numbers in their names and then by the names.
fn libraries(folder: &Path) -> anyhow::Result<Vec<Opponent>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {folder:?}"))?;
    let mut libraries = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if let (Some("so"), Some(name)) = (text_of(path.extension()), text_of(path.file_stem())) {
            libraries.push(Opponent {
                name: name.to_owned(),
                engine: format!("so:{}", path.display()),
            });
        }
    }
    ensure!(!libraries.is_empty(), "there is no .so file in {folder:?}");
    libraries.sort_by_key(|it| (it.name.parse::<u32>().unwrap_or(u32::MAX), it.name.clone()));
    Ok(libraries)
}

fn text_of(part: Option<&OsStr>) -> Option<&str> {
    part.and_then(OsStr::to_str)
}

/// For each match `pairs` pairings of two games, each on a board of its own. The boards are the
/// same in all matches.
fn pairings(matches: &[Match], pairs: u32, size: &MatchSize) -> anyhow::Result<Vec<Pairing>> {
    let mut pairings = Vec::new();
    for Match { engine, opponent } in matches {
        let mut random = Random::seed_from_u64(size.seed);
        for _ in 0..pairs {
            let setup = random_board(&mut random);
            let pairing = size.pairing([engine, &opponent.engine], setup)?;
            pairings.push(Pairing {
                games: 2,
                // No two boards are the same, so the judge's empty one will do.
                openings: Openings::RandomPlies(0),
                seed: random.random(),
                ..pairing
            });
        }
    }
    Ok(pairings)
}

/// A board as the report's judge draws one: any of the sizes, and any cell forbidden.
fn random_board(random: &mut Random) -> Setup {
    let [cols, rows] = [(); 2].map(|()| random.random_range(SIZES));
    let hole = Point {
        col: random.random_range(0..cols),
        row: random.random_range(0..rows),
    };
    Setup {
        hole: Some(hole),
        ..Setup::standard(GameKind::Connect4).with_size(cols, rows)
    }
}

fn row(played: &Match, standing: Option<&Standing>) -> [String; 7] {
    let [games, result, score, elo] = result_cells(standing);
    let name = &played.opponent.name;
    let report = REPORT.iter().find(|(bot, _)| bot == name);
    let report = report.map_or(NOT_GIVEN, |(_, rate)| rate);
    [
        played.engine.clone(),
        name.clone(),
        games,
        result,
        score,
        elo,
        report.to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::connect4::Connect4;

    #[test]
    fn boards_can_be_played_and_differ() {
        let mut random = Random::seed_from_u64(3);
        let boards: Vec<Setup> = (0..200).map(|_| random_board(&mut random)).collect();
        for board in &boards {
            assert!(SIZES.contains(&board.cols) && SIZES.contains(&board.rows));
            assert!(Connect4::new(board).is_ok());
        }
        for size in SIZES {
            assert!(boards.iter().any(|board| board.cols == size));
            assert!(boards.iter().any(|board| board.rows == size));
        }
    }
}
