//! Experiment D: Connect Four by UCT on boards of 9 to 12 columns and rows with a hole, against
//! named bots.

use super::{MatchSize, Row, results};
use crate::arena::play::opening::Openings;
use crate::arena::play::schedule::Pairing;
use crate::game::{Connect4Rules, GameKind, Point, Setup};
use crate::host::Hosting;
use crate::rollout::Random;
use anyhow::{Context, ensure};
use clap::Args;
use rand::{RngExt, SeedableRng};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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
    /// A bot of the coursework, a .so file, or a folder of them: the opponents; may be given again
    #[arg(long, value_name = "PATH")]
    bots: Vec<PathBuf>,
    /// Who plays against them; may be given again
    #[arg(long, value_name = "ENGINE", default_values = ["connect4-uct", "tengen"])]
    engine: Vec<String>,
    #[command(flatten)]
    hosting: Hosting,
    /// Draw other boards for each opponent and player; without it all meet on the same boards
    #[arg(long)]
    own_boards: bool,
}

/// Somebody to play against.
#[derive(Clone)]
struct Opponent {
    name: String,
    /// As [`crate::arena::engines::spec::EngineSpec`] reads it.
    engine: String,
}

impl Opponent {
    /// The win rate that the report gives of a match against it.
    fn report(&self) -> Option<&'static str> {
        let known = REPORT.iter().find(|(bot, _)| *bot == self.name);
        known.map(|&(_, rate)| rate)
    }
}

struct Match {
    engine: String,
    opponent: Opponent,
}

/// Plays the games and writes the table.
pub fn run(
    args: &BoardsArgs,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let opponents = match args.bots.is_empty() {
        true => OPPONENTS.map(built_in).to_vec(),
        false => libraries(&args.bots)?,
    };
    let mut matches = Vec::new();
    for engine in &args.engine {
        matches.extend(opponents.iter().map(|opponent| Match {
            engine: engine.clone(),
            opponent: opponent.clone(),
        }));
    }
    let pairs = args.size.games / 2;
    let mut pairings = pairings(&matches, pairs, args)?;
    for pairing in &mut pairings {
        pairing.terms.hosting = args.hosting;
    }
    let played = args.size.play(&pairings, pairs as usize, notes, |_| ())?;
    writeln!(
        out,
        "D. Connect Four with a hole, boards of 9 to 12, {} ms a move.\n",
        args.size.time
    )?;
    let is_reported = opponents.iter().any(|opponent| opponent.report().is_some());
    let more = ["report"].into_iter().filter(|_| is_reported);
    let more: Vec<&str> = more.collect();
    let row = |(index, played_by): (usize, &Match)| Row {
        names: vec![played_by.engine.clone(), played_by.opponent.name.clone()],
        standing: played.standings.get(index),
        more: more
            .iter()
            .map(|_| played_by.opponent.report().unwrap_or_default().to_owned())
            .collect(),
    };
    let rows: Vec<Row> = matches.iter().enumerate().map(row).collect();
    write!(out, "{}", results(&["player", "opponent"], &more, &rows))?;
    Ok(played.code)
}

fn built_in(name: &str) -> Opponent {
    Opponent {
        name: name.to_owned(),
        engine: name.to_owned(),
    }
}

/// The shared libraries at these places, by the numbers in their names and then by the names.
fn libraries(places: &[PathBuf]) -> anyhow::Result<Vec<Opponent>> {
    let mut libraries = Vec::new();
    for place in places {
        let before = libraries.len();
        if place.is_dir() {
            let cannot = || format!("cannot read {}", place.display());
            for entry in fs::read_dir(place).with_context(cannot)? {
                libraries.extend(library(&entry.with_context(cannot)?.path()));
            }
        } else {
            libraries.extend(library(place));
        }
        let found = libraries.len() > before;
        ensure!(found, "there is no .so file: {}", place.display());
    }
    libraries.sort_by_key(|it| (it.name.parse::<u32>().unwrap_or(u32::MAX), it.name.clone()));
    Ok(libraries)
}

/// The bot of a file, if its name ends in `.so`.
fn library(path: &Path) -> Option<Opponent> {
    let name = text_of(path.file_stem())?;
    (text_of(path.extension()) == Some("so")).then(|| Opponent {
        name: name.to_owned(),
        engine: format!("so:{}", path.display()),
    })
}

fn text_of(part: Option<&OsStr>) -> Option<&str> {
    part.and_then(OsStr::to_str)
}

/// For each match `pairs` pairings of two games, each on a board of its own.
fn pairings(matches: &[Match], pairs: u32, args: &BoardsArgs) -> anyhow::Result<Vec<Pairing>> {
    let mut pairings = Vec::new();
    for (index, Match { engine, opponent }) in (0..).zip(matches) {
        let series: u64 = if args.own_boards { index } else { 0 };
        let mut random = Random::seed_from_u64(args.size.seed.wrapping_add(series << 32));
        for _ in 0..pairs {
            let setup = random_board(&mut random);
            let pairing = args.size.pairing([engine, &opponent.engine], setup)?;
            pairings.push(Pairing {
                games: 2,
                // Boards are drawn and seldom come twice, so the judge's empty ones will do.
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
    Setup::standard(GameKind::Connect4)
        .with_size(cols, rows)
        .with(Connect4Rules {
            hole: Some(hole),
            ..Connect4Rules::default()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Playable;
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
