//! `tengen experiment`: what the reports of the coursework measured, measured again.
//!
//! The systems are those of [`crate::bots`]. Each table has the report's own figures beside
//! ours, where the report gives any.

mod connect4_uct;
mod findings;
mod gomoku_alphabeta;
mod gomoku_mcts;
mod mini_alphago;
mod reversi_mcts;
mod steps;

use crate::arena::play::opening::Openings;
use crate::arena::play::schedule::{self, Pairing, Plan, Shard};
use crate::arena::records::ledger::Ledger;
use crate::arena::records::record::GameRecord;
use crate::arena::report::progress::{self, Progress};
use crate::arena::report::table::{self, align};
use crate::arena::statistics::standing::{Standing, Standings};
use crate::arena::{INTERRUPTED, Stop, Terms};
use crate::clock::TimeControl;
use crate::game::{GameKind, Setup};
use crate::tools::matches::parse_even;
use anyhow::{bail, ensure};
use clap::{Args, Subcommand};
use findings::FindingsFile;
use std::io::Write;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  tengen experiment A                          about a minute each by default
  tengen experiment D --bots bots --games 20 --time 3000 --json games.jsonl --resume
  tengen experiment D --bots bots/96.so --bots bots/98.so
  tengen experiment E --time 20000

With --json and --resume an experiment goes on after any interruption. Exit code: 0, or 1 when
something cannot be played, read or written; 130 when interrupted: the table counts the games
that were over.";

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
    ///
    /// Each pair of games has a board of its own, drawn by the seed. All opponents meet all
    /// players on the same boards, unless --own-boards is given.
    #[command(name = "D")]
    D(connect4_uct::BoardsArgs),
    /// Reversi by UCT: iterations, win rate and seconds of every move
    #[command(name = "E")]
    E(mini_alphago::MovesArgs),
}

/// How much is played. What is not given is a minute's worth.
#[derive(Args, Clone, Debug)]
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
    #[command(flatten)]
    file: FindingsFile,
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

    /// The games of each two engines, on the usual board.
    fn pairings(&self, engines: &[[&str; 2]], game: GameKind) -> anyhow::Result<Vec<Pairing>> {
        let setup = Setup::standard(game);
        let pairings = engines.iter().map(|&two| self.pairing(two, setup));
        pairings.collect()
    }

    /// Plays the games of all pairings; `a_row` following each other make a row of the table. Hands each game to `on_game`, those too that were played before. Blocks.
    ///
    /// # Errors
    /// When an engine or a game does not begin, or records cannot be read or written.
    fn play(
        &self,
        pairings: &[Pairing],
        a_row: usize,
        notes: &mut dyn Write,
        mut on_game: impl FnMut(&GameRecord),
    ) -> anyhow::Result<Played> {
        check(pairings)?;
        let rows = Rows {
            pairings: a_row,
            games: pairings.first().map_or(1, |pairing| pairing.games),
        };
        let mut standings = Standings::default();
        let mut done = Ledger::default();
        // Only now, for --force empties the file of records.
        let mut journal = self.file.open(|line, record: GameRecord| {
            let own = rows.own_place(&record).filter(|own| {
                let pairing = pairings.get(own.pairing);
                pairing.is_some_and(|pairing| pairing.has_played(own.pairing, own))
            });
            let Some(own) = own else {
                bail!("a game of another experiment, or of another number of games");
            };
            if done.enter(line, &own)? {
                standings.add(&record);
                on_game(&record);
            }
            Ok(())
        })?;
        let plan = Plan {
            pairings,
            range: 0..pairings.len(),
            shard: Shard::WHOLE,
            done: &done,
            log: None,
        };
        let stop = Stop::default();
        stop.set_on_interrupt();
        let mut progress = Progress::new(plan.count() as u64, "games", notes);
        let cores = available_parallelism().map_or(1, usize::from);
        let concurrency = self.concurrency.map_or(cores, usize::from);
        schedule::run(&plan, concurrency, &stop, |record| {
            let record = rows.place(record);
            if let Some(journal) = &mut journal {
                journal.append(&record)?;
            }
            standings.add(&record);
            on_game(&record);
            anyhow::Ok(progress.advance(progress::score(&standings))?)
        })?;
        progress.finish();
        Ok(Played {
            standings,
            code: match stop.is_set() {
                true => ExitCode::from(INTERRUPTED),
                false => ExitCode::SUCCESS,
            },
        })
    }
}

/// What an experiment came to.
struct Played {
    /// By row of the table.
    standings: Standings,
    code: ExitCode,
}

/// How pairings make the rows of a table: in the records a row is one pairing, and its games are
/// numbered through.
struct Rows {
    /// Pairings of a row.
    pairings: usize,
    /// Games of each of them.
    games: u32,
}

impl Rows {
    fn place(&self, record: GameRecord) -> GameRecord {
        let before = (record.pairing % self.pairings) as u32;
        GameRecord {
            pairing: record.pairing / self.pairings,
            number: before * self.games + record.number,
            ..record
        }
    }

    /// The record as that of a game of its own pairing; `None`: the row is not so long.
    fn own_place(&self, record: &GameRecord) -> Option<GameRecord> {
        let before = (record.number / self.games) as usize;
        let first = record.pairing.checked_mul(self.pairings)?;
        (before < self.pairings).then(|| GameRecord {
            pairing: first + before,
            number: record.number % self.games,
            ..record.clone()
        })
    }
}

/// Starts every engine once on every board.
///
/// # Errors
/// When one does not play there.
fn check(pairings: &[Pairing]) -> anyhow::Result<()> {
    for pairing in pairings {
        let game = pairing.terms.setup.game();
        for engine in &pairing.engines {
            ensure!(engine.can_play(game), "{engine} does not play {game}");
            schedule::check(engine, &pairing.terms, pairing.seed, &Stop::default())?;
        }
    }
    Ok(())
}

/// Random moves at the start of a game, so that no two pairs of games are the same.
const RANDOM_PLIES: u32 = 2;

/// Runs the experiment and writes its table to `out`. Progress goes to a bar on the terminal or,
/// where there is none, as a few lines to `notes`.
///
/// # Errors
/// When an engine or a game does not begin, or a file or `out` cannot be written.
pub fn run(
    args: &ExperimentArgs,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let code = match &args.name {
        Name::A(size) => gomoku_mcts::run(size, out, notes)?,
        Name::B(size) => reversi_mcts::run(size, out, notes)?,
        Name::C(args) => gomoku_alphabeta::run(args, out, notes)?,
        Name::D(args) => connect4_uct::run(args, out, notes)?,
        Name::E(args) => mini_alphago::run(args, out, notes)?,
    };
    out.flush()?;
    Ok(code)
}

/// A row of a table of matches.
struct Row<'a> {
    /// Who played, under the first headings.
    names: Vec<String>,
    /// How it went; nothing before the first game.
    standing: Option<&'a Standing>,
    /// What stands under the last headings.
    more: Vec<String>,
}

/// The results between other columns, then what the faults were.
fn results(names: &[&str], more: &[&str], rows: &[Row<'_>]) -> String {
    let headings = names.iter().chain(&table::RESULT_HEADINGS).chain(more);
    let mut texts = vec![headings.map(|&text| text.to_owned()).collect::<Vec<_>>()];
    texts.extend(rows.iter().map(|row| {
        let cells = row.standing.map(table::result_cells).unwrap_or_default();
        [&row.names[..], &cells[..], &row.more[..]].concat()
    }));
    let played = rows.iter().filter_map(|row| row.standing);
    let faults = played.flat_map(table::faults);
    align(&texts) + &faults.map(|fault| fault + "\n").collect::<String>()
}
