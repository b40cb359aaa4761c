//! `tengen match`: arguments in, table out.

use super::engine::EngineSpec;
use super::record::GameRecord;
use super::schedule::{self, Pairing};
use super::standing::Standing;
use super::{Stop, Terms, table};
use crate::args::GameArgs;
use crate::game::GameKind;
use anyhow::{Context, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Duration;

/// The time for a move where neither `--time` nor `--playouts` is given, in ms.
const DEFAULT_TIME_MS: u64 = 100;

/// The exit code of a match that was interrupted: that of a program ended by SIGINT.
const INTERRUPTED: u8 = 130;

/// Plain progress lines of a whole match, where no bar can be drawn.
const PROGRESS_LINES: u64 = 10;

const EXAMPLES: &str = "\
Engines:
  tengen, random, greedy, five-tuple, ...   a bot of this program, in a process of its own
  tengen:OPTION=VALUE,OPTION=VALUE          the same with options set (see: tengen options)
  gomocup:CMD                               a Gomocup engine (Gomoku only)
  gtp:CMD                                   a GTP engine; GTP tells time in whole seconds, so
                                            it is granted one second at least

Examples:
  tengen match
  tengen match tengen five-tuple --game gomoku --games 100 --time 200
  tengen match tengen gtp:/usr/games/gtp-rhino --game reversi --time 1000
  tengen match tengen 'gomocup:./pbrain-rapfi --quiet' --game gomoku --size 20x20
  tengen match tengen tengen:threads=2 --game connect4 --hole 3,2 --json games.jsonl

With no engines, Tengen plays against random and greedy; with no game, all games are played.
The table is seen by the first engine. Elo intervals come from pairs of games that share
their opening. Exit code: 0 when all games were played, 130 when interrupted.";

/// Let two engines play games with each other and count.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct MatchArgs {
    /// The first engine: a bot's name, gomocup:CMD or gtp:CMD
    #[arg(requires = "engine2")]
    pub engine1: Option<EngineSpec>,
    /// The second engine
    pub engine2: Option<EngineSpec>,
    /// Which game; without `--game` all that both engines play.
    #[command(flatten)]
    pub game: GameArgs,
    /// Games of each pairing: an even number, as openings are played with both colours
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = parse_even)]
    pub games: u32,
    /// Milliseconds for a move [default: 100, or no limit with --playouts]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub time: Option<u64>,
    /// Milliseconds by which an answer may be late
    #[arg(long, value_name = "MS", default_value_t = Terms::MARGIN.as_millis() as u64)]
    pub margin: u64,
    /// Playouts for a move; bots of this program only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: Option<u64>,
    /// What everything random comes from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Games played at a time [default: one for every core]
    #[arg(long, value_name = "N")]
    pub concurrency: Option<NonZeroUsize>,
    /// Random moves at the start of a game
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub random_plies: u32,
    /// Write a record of every game to this file, one line of JSON each
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Plays the match and writes its table to `out`. Progress goes to a bar on the terminal or,
/// where there is none, as a few lines to `progress`. Ctrl-C ends the match early; the table
/// then counts the games that were over.
///
/// # Errors
/// When a game or an engine does not begin, or a file cannot be written.
pub fn run(
    args: &MatchArgs,
    out: &mut dyn Write,
    progress: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let pairings = pairings(args)?;
    let stop = Stop::default();
    stop_on_interrupt(&stop);
    for pairing in &pairings {
        let checked = pairing.check(&stop);
        if stop.is_set() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        checked?;
    }
    let mut records = match &args.json {
        Some(path) => Some(File::create(path).with_context(|| format!("cannot write {path:?}"))?),
        None => None,
    };
    let mut standings = vec![Standing::default(); pairings.len()];
    let mut progress = Progress::new(&pairings, progress);
    schedule::run(&pairings, concurrency(args), &stop, |record: GameRecord| {
        if let Some(file) = &mut records {
            file.write_all(json_line(&record)?.as_bytes())
                .context("cannot write the record")?;
        }
        standings[record.pairing].add(&record);
        progress.game_over(&standings)
    })?;
    progress.finish();
    write!(out, "{}", table::render(&pairings, &standings))?;
    out.flush()?;
    Ok(if stop.is_set() {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

fn json_line(record: &GameRecord) -> anyhow::Result<String> {
    Ok(serde_json::to_string(record)? + "\n")
}

fn stop_on_interrupt(stop: &Stop) {
    let stop = stop.clone();
    if let Err(error) = ctrlc::set_handler(move || stop.set()) {
        log::warn!("Ctrl-C will not print a table: {error}");
    }
}

fn concurrency(args: &MatchArgs) -> usize {
    let cores = available_parallelism().map_or(1, usize::from);
    let wanted = args.concurrency.map_or(cores, usize::from);
    if wanted > cores {
        log::warn!("{wanted} games at a time share {cores} cores: times will suffer");
    }
    wanted
}

/// The pairings that the arguments ask for: every pair of engines in every game.
fn pairings(args: &MatchArgs) -> anyhow::Result<Vec<Pairing>> {
    let pairs = match (&args.engine1, &args.engine2) {
        (Some(one), Some(other)) => vec![[one.clone(), other.clone()]],
        _ => default_pairs()?,
    };
    let games = match args.game.game() {
        Some(game) => vec![game],
        None => {
            ensure!(
                !args.game.is_particular(),
                "--size, --hole, --connect, --steal and --rule need a --game"
            );
            GameKind::ALL.to_vec()
        }
    };
    let mut pairings = Vec::new();
    for game in games {
        for pair in &pairs {
            if pair.iter().all(|engine| engine.can_play(game)) {
                pairings.push(pairing(args, pair, game)?);
            }
        }
    }
    ensure!(
        !pairings.is_empty(),
        "these engines do not both play this game"
    );
    Ok(pairings)
}

fn default_pairs() -> anyhow::Result<Vec<[EngineSpec; 2]>> {
    let pair = |opponent: &str| Ok(["tengen".parse()?, opponent.parse()?]);
    ["random", "greedy"].into_iter().map(pair).collect()
}

fn pairing(args: &MatchArgs, pair: &[EngineSpec; 2], game: GameKind) -> anyhow::Result<Pairing> {
    let terms = Terms {
        time: time(args, pair)?,
        playouts: args.playouts,
        margin: Duration::from_millis(args.margin),
        ..Terms::new(args.game.setup(game))
    };
    Ok(Pairing {
        engines: pair.clone(),
        terms,
        games: args.games,
        random_plies: args.random_plies,
        seed: args.seed,
    })
}

fn time(args: &MatchArgs, pair: &[EngineSpec; 2]) -> anyhow::Result<Option<Duration>> {
    if args.playouts.is_some() && args.time.is_none() {
        ensure!(
            pair.iter().all(EngineSpec::is_built_in),
            "only bots of this program can be told --playouts; give --time as well"
        );
        return Ok(None);
    }
    Ok(Some(Duration::from_millis(
        args.time.unwrap_or(DEFAULT_TIME_MS),
    )))
}

fn parse_even(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(games) if games > 0 && games % 2 == 0 => Ok(games),
        _ => Err("an even number above 0 is expected".to_owned()),
    }
}

/// How far the match is: a bar on a terminal, else a few plain lines.
struct Progress<'a> {
    bar: ProgressBar,
    plain: &'a mut dyn Write,
}

impl<'a> Progress<'a> {
    fn new(pairings: &[Pairing], plain: &'a mut dyn Write) -> Progress<'a> {
        let games = pairings
            .iter()
            .map(|pairing| u64::from(pairing.games))
            .sum();
        let bar = ProgressBar::new(games);
        let template = "{elapsed} [{wide_bar}] {pos}/{len} games, {eta} left, {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar, plain }
    }

    fn game_over(&mut self, standings: &[Standing]) -> anyhow::Result<()> {
        self.bar.inc(1);
        let sum = |count: fn(&Standing) -> u32| standings.iter().map(count).sum::<u32>();
        let score = format!(
            "{}-{}-{}",
            sum(|s| s.wins),
            sum(|s| s.draws),
            sum(|s| s.losses)
        );
        let games = self.bar.length().unwrap_or(0);
        let over = self.bar.position();
        if self.bar.is_hidden() && over.is_multiple_of(games.div_ceil(PROGRESS_LINES).max(1)) {
            writeln!(self.plain, "{over}/{games} games, {score}")?;
        }
        self.bar.set_message(score);
        Ok(())
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
