//! `tengen match`: arguments in, table out.

use crate::arena::engines::spec::EngineSpec;
use crate::arena::play::balanced::BalancedOpenings;
use crate::arena::play::opening::Openings;
use crate::arena::play::opening_file::{self, OpeningFormat};
use crate::arena::play::schedule::{self, Pairing, Plan, Shard};
use crate::arena::play::scorer::{Ending, Scorer};
use crate::arena::play::tournament::Tournament;
use crate::arena::records::adjudication::Adjudication;
use crate::arena::records::export::GameFiles;
use crate::arena::records::journal::Journal;
use crate::arena::records::ledger::Ledger;
use crate::arena::records::record::GameRecord;
use crate::arena::records::replacement::is_same;
use crate::arena::report::progress::{self, Progress};
use crate::arena::report::{self, crosstable, table};
use crate::arena::statistics::sprt::Sprt;
use crate::arena::statistics::standing::{Standing, Standings};
use crate::arena::{INTERRUPTED, Stop, Terms};
use crate::args::GameArgs;
use crate::clock::TimeControl;
use crate::game::GameKind;
use crate::host::Hosting;
use anyhow::{Context, bail, ensure};
use clap::Args;
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Duration;

/// The time for a move where no limit is given, in ms.
const DEFAULT_TIME_MS: u64 = 100;

/// The exit code of a match that `--fail-fast` ended, as of wrong arguments.
const FAULT: u8 = 2;

const EXAMPLES: &str = "\
Engines:
  tengen, random, greedy, five-tuple, ...   a bot of this program, in a process of its own
  tengen:OPTION=VALUE,OPTION=VALUE          the same with options set (see: tengen options)
  gomocup:CMD                               a Gomocup engine (Gomoku only)
  gtp:CMD                                   a GTP engine; GTP tells time in whole seconds, so
                                            it is granted one second at least, and its own
                                            arguments tell it the game
  nboard:CMD                                an engine of NBoard's (Reversi only); it is told
                                            no time for a move, but a depth: --depth N, or log2 N
                                            plies for --playouts N; without it many hang
  so:PATH                                   a library of the coursework in Connect Four (Linux);
                                            it is granted three seconds of processor time at least
  ugi:CMD                                   a UGI engine; its own arguments tell it the game
CMD may begin with dir=DIR, the folder that the engine runs in.

Examples:
  tengen match
  tengen match tengen five-tuple --game gomoku --games 100 --time 200
  tengen match tengen gtp:/usr/games/gtp-rhino --game reversi --time 1000
  tengen match tengen 'gomocup:./pbrain-rapfi --quiet' --game gomoku --size 20x20
  tengen match tengen tengen:threads=2 --game connect4 --hole 3,2 --json games.jsonl
  tengen match tengen uct greedy random --game reversi --tournament gauntlet
  tengen match tengen tengen:exploration=0.9 --game gomoku --games 20000 --sprt 0,10
  tengen match tengen five-tuple --game gomoku --openings openings.txt
  tengen match tengen 'gomocup:dir=engines/yixin ./engine' --game gomoku --log dialogues
  tengen match tengen:playouts=0 'nboard:./mEdax' --game reversi --depth 6 --time 500
  tengen match tengen uct --games 1000 --json games.jsonl --resume

With no engines, Tengen plays against random and greedy; with no game, all games are played.
A row of the table is seen by its first engine. Elo intervals come from pairs of games that
share their opening. With the option playouts=0 a bot is not bound by --playouts. More than
two engines also get ratings by all their games: the greatest likelihood by Bradley and Terry,
each engine having one virtual draw.

Records of an earlier match in the file of --json are left alone: the match does not begin
unless --resume or --force is given. With --resume the games in the file are counted and not
played again, so a match may be interrupted, even killed, and go on; --games may be raised then.

Exit code: 0 when all games were played or --sprt came to a verdict, whichever it is; 1 when
something cannot be played, read or written; 2 when --fail-fast ended the match, or when the
arguments are wrong; 130 when interrupted.";

/// Let engines play games with each other and count.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct MatchArgs {
    /// The engines, two or more: bots' names, gomocup:CMD, gtp:CMD, nboard:CMD,
    /// ugi:CMD or so:PATH
    #[arg(value_name = "ENGINE")]
    pub engines: Vec<EngineSpec>,
    /// Who meets whom when there are more than two engines
    #[arg(long, value_enum, value_name = "HOW", default_value = "round-robin")]
    pub tournament: Tournament,
    /// Which game; without `--game` all that both engines play.
    #[command(flatten)]
    pub game: GameArgs,
    /// Games of each pairing: an even number, as openings are played with both colours
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = parse_even)]
    pub games: u32,
    /// Milliseconds for a move [default: 100, or no limit where another is given]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub time: Option<u64>,
    /// Milliseconds of each engine for all its moves of a game
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub game_time: Option<u64>,
    /// Milliseconds added to the time for the game after each move
    #[arg(long, value_name = "MS", requires = "game_time", default_value_t = 0)]
    pub increment: u64,
    /// Milliseconds by which an answer may be late
    #[arg(long, value_name = "MS", default_value_t = Terms::MARGIN.as_millis() as u64)]
    pub margin: u64,
    /// Playouts, or nodes, for a move; told to engines whose protocol has a word for it. A
    /// `playouts=N` of an engine can be fewer, not more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: Option<u64>,
    /// Plies to look ahead, told to engines of NBoard and UGI, to alphabeta, and by the command
    /// level to those of GTP that have it; it is no limit of time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60))]
    pub depth: Option<u32>,
    /// What everything random comes from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// What libraries of the coursework are granted
    #[command(flatten)]
    pub hosting: Hosting,
    /// Games played at a time [default: as many as leave every thread a core of its own]
    #[arg(long, value_name = "N")]
    pub concurrency: Option<NonZeroUsize>,
    /// Random moves at the start of a game
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub random_plies: u32,
    /// Begin games with the openings of this file, one a line, in an order drawn by the seed; in
    /// Gomoku the word balanced draws such with which neither side has won yet
    #[arg(
        long,
        value_name = "FILE",
        requires = "game",
        conflicts_with = "random_plies"
    )]
    pub openings: Option<PathBuf>,
    /// How the file is to be read, where its text does not tell
    #[arg(long, value_enum, value_name = "FORMAT", requires = "openings")]
    pub opening_format: Option<OpeningFormat>,
    /// End the match when this test is decided: logistic Elo by H0 and by H1
    #[arg(
        long,
        value_name = "ELO0,ELO1[,ALPHA,BETA]",
        conflicts_with = "shard",
        allow_hyphen_values = true
    )]
    pub sprt: Option<Sprt>,
    /// End a game when for so many moves each both engines have told that the same one of them
    /// expects this score, 0 to 1, at the most; engines that tell no values play to the end
    #[arg(long, value_name = "SCORE,MOVES")]
    pub adjudicate: Option<Adjudication>,
    /// End the match, with the exit code 2, at the first fault of an engine
    #[arg(long)]
    pub fail_fast: bool,
    /// Play only the I-th of N parts of the match, from 0/N; `tengen merge` joins the records
    #[arg(
        long,
        value_name = "I/N",
        default_value = "0/1",
        hide_default_value = true
    )]
    pub shard: Shard,
    /// Write a record of every game to this file, one line of JSON each
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write every game to a file of its own in this folder, for other programs: SGF and PSQ
    /// for Gomoku, GGF for Reversi, PGN with columns for Connect Four
    #[arg(long, value_name = "DIR")]
    pub games_dir: Option<PathBuf>,
    /// Write the dialogue with each engine to files in this folder, one a game: what was said (>),
    /// heard (<) and written to the standard error (!), after milliseconds
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
    /// Go on with the match whose records are in the file of --json
    #[arg(long, requires = "json")]
    pub resume: bool,
    /// Replace the records in the file of --json and the games in the folder of --games-dir
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    /// Write a page of all games in the file of --json to this file, if there are any: see tengen
    /// report
    #[arg(long, value_name = "FILE", requires = "json")]
    pub html: Option<PathBuf>,
}

/// Plays the match and writes its table to `out`. Progress goes to a bar on the terminal or,
/// where there is none, as a few lines to `notes`. Ctrl-C ends the match early; the table then
/// counts the games that were over.
///
/// # Errors
/// When a game or an engine does not begin, or a file cannot be read or written.
pub fn run(
    args: &MatchArgs,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    check_files(args)?;
    let pairings = pairings(args, notes)?;
    let concurrency = concurrency(args, &pairings, notes)?;
    let stop = Stop::default();
    stop.set_on_interrupt();
    let checked = check(args, &pairings, &stop);
    if stop.is_set() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    checked?;
    if let Some(folder) = &args.log {
        let place = || format!("cannot make {}", folder.display());
        fs::create_dir_all(folder).with_context(place)?;
    }
    // Only now, for --force empties the file of records.
    let (mut scorer, done) = begin(args, &pairings)?;
    for range in stages(args.tournament, &pairings) {
        let ladder = args.tournament == Tournament::Ladder;
        let goes_on = !ladder || climbs_on(&pairings, range.start, &scorer.standings);
        if !goes_on || scorer.ending.is_some() {
            continue;
        }
        let plan = Plan {
            pairings: &pairings,
            range,
            shard: args.shard,
            done: &done,
            log: args.log.as_deref(),
        };
        let mut progress = Progress::new(plan.count() as u64, "games", notes);
        schedule::run(&plan, concurrency, &stop, |record: GameRecord| {
            scorer.game_over(&record, &stop)?;
            anyhow::Ok(progress.advance(progress::score(&scorer.standings))?)
        })?;
        progress.finish();
    }
    write!(out, "{}", table::render(&scorer.standings))?;
    if args.engines.len() > 2 {
        write!(out, "{}", crosstable::render(&scorer.standings))?;
    }
    write!(out, "{}", scorer.sprt_line())?;
    out.flush()?;
    // Where locks are mandatory, nobody reads a file while a match writes to it.
    scorer.journal = None;
    if let (Some(json), Some(html)) = (&args.json, &args.html) {
        match scorer.standings.iter().next() {
            Some(_) => drop(report::write_page_to(&[json], html)?),
            None => writeln!(notes, "there are no games, so that no page is written")?,
        }
    }
    Ok(match &scorer.ending {
        Some(Ending::Decided(_)) => ExitCode::SUCCESS,
        Some(Ending::Fault(text)) => {
            writeln!(notes, "{text}")?;
            ExitCode::from(FAULT)
        }
        None if stop.is_set() => ExitCode::from(INTERRUPTED),
        None => ExitCode::SUCCESS,
    })
}

/// No file may be written over another that the match needs, and after hours of games the page must
/// not turn out to be one that cannot be written.
fn check_files(args: &MatchArgs) -> anyhow::Result<()> {
    let files = [
        ("--openings", &args.openings),
        ("--json", &args.json),
        ("--html", &args.html),
    ];
    for (number, (name, file)) in files.iter().enumerate() {
        let Some(file) = file else {
            continue;
        };
        for (other_name, other) in &files[..number] {
            ensure!(
                !other.as_ref().is_some_and(|other| is_same(file, other)),
                "{name} {} is the file of {other_name}",
                file.display()
            );
        }
    }
    args.html.as_deref().map_or(Ok(()), report::check_page)
}

/// The parts of a match that are played one after the other: a ladder waits for the result of
/// one rung before it begins the next.
fn stages(tournament: Tournament, pairings: &[Pairing]) -> impl Iterator<Item = Range<usize>> {
    let all = pairings.len();
    let size = match tournament {
        Tournament::Ladder => 1,
        Tournament::RoundRobin | Tournament::Gauntlet => all,
    };
    (0..all)
        .step_by(size.max(1))
        .map(move |start| start..start + size)
}

/// Whether all rungs of the same game below this one were won.
fn climbs_on(pairings: &[Pairing], rung: usize, standings: &Standings) -> bool {
    let game = |index: usize| pairings[index].terms.setup.game();
    let mut below = (0..rung).filter(|&index| game(index) == game(rung));
    below.all(|index| standings.get(index).is_some_and(Standing::is_won))
}

/// The scorer, and the games that were played before: those of the file to go on with.
fn begin(args: &MatchArgs, pairings: &[Pairing]) -> anyhow::Result<(Scorer, Ledger)> {
    let mut scorer = Scorer {
        sprt: args.sprt,
        fail_fast: args.fail_fast,
        files: args
            .games_dir
            .as_deref()
            .map(|folder| GameFiles::create(folder, args.force || args.resume))
            .transpose()?,
        ..Scorer::default()
    };
    let mut done = Ledger::default();
    if let Some(path) = &args.json {
        scorer.journal = Some(match args.resume {
            false => Journal::create::<GameRecord>(path, args.force)?,
            true => Journal::resume(path, |line, record: GameRecord| {
                let pairing = pairings.get(record.pairing);
                ensure!(
                    pairing.is_some_and(|pairing| pairing.has_played(record.pairing, &record)),
                    "a game of another match: engines, terms, openings and seed must be the same, \
                     and --games no lower"
                );
                match done.enter(line, &record)? {
                    true => scorer.game_before(&record),
                    false => Ok(()),
                }
            })?,
        });
    }
    scorer.ending = scorer.decision();
    Ok((scorer, done))
}

/// Starts every engine once in every game that it is to play. Looks at the first opening, unless a
/// search would have to find it that the match to go on with has made.
fn check(args: &MatchArgs, pairings: &[Pairing], stop: &Stop) -> anyhow::Result<()> {
    let mut checked: Vec<(GameKind, &EngineSpec)> = Vec::new();
    for pairing in pairings {
        if !(args.resume && matches!(pairing.openings, Openings::Balanced(_))) {
            pairing.opening(0)?;
        }
        for engine in &pairing.engines {
            let key = (pairing.terms.setup.game(), engine);
            if !checked.contains(&key) {
                schedule::check(engine, &pairing.terms, pairing.seed, stop)?;
                checked.push(key);
            }
        }
    }
    Ok(())
}

/// Games played at a time. In a game one engine thinks at a time, so what it asks for is what the
/// engine with the most threads asks for, or what both do where one ponders; engines from outside
/// are taken to have one thread.
fn concurrency(
    args: &MatchArgs,
    pairings: &[Pairing],
    notes: &mut dyn Write,
) -> anyhow::Result<usize> {
    let cores = available_parallelism().map_or(1, usize::from);
    let threads = pairings.iter().map(threads_of_game).max().unwrap_or(1);
    let concurrency = match args.concurrency {
        Some(asked) => asked.get(),
        None => (cores / threads).max(1),
    };
    let busy = concurrency.saturating_mul(threads);
    if busy > cores {
        writeln!(
            notes,
            "games at a time: {concurrency}, threads of each: {threads}, cores: {cores}; \
             engines will get less time than they are granted"
        )?;
    }
    Ok(concurrency)
}

fn threads_of_game(pairing: &Pairing) -> usize {
    let [one, other] = pairing.engines.each_ref().map(EngineSpec::threads);
    match pairing.engines.iter().any(EngineSpec::ponders) {
        true => one.saturating_add(other),
        false => one.max(other),
    }
}

/// The pairings that the arguments ask for: every pair of engines in every game.
fn pairings(args: &MatchArgs, notes: &mut dyn Write) -> anyhow::Result<Vec<Pairing>> {
    ensure!(
        args.engines.len() != 1,
        "a second engine is required: nobody is there to play with"
    );
    ensure!(
        args.tournament != Tournament::Ladder || args.shard == Shard::WHOLE,
        "a ladder cannot be played in parts, as each rung waits for the one before it"
    );
    let pairs = match args.engines.is_empty() {
        true => default_pairs()?,
        false => pairs(args),
    };
    let games = match args.game.game() {
        Some(game) => {
            let stranger = pairs.iter().flatten().find(|engine| !engine.can_play(game));
            if let Some(engine) = stranger {
                bail!("{engine} does not play {game}");
            }
            vec![game]
        }
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
        let openings = openings(args, game, notes)?;
        for pair in &pairs {
            if pair.iter().all(|engine| engine.can_play(game)) {
                pairings.push(pairing(args, pair, game, openings.clone())?);
            }
        }
    }
    ensure!(
        !pairings.is_empty(),
        "no game is played by both engines: {}",
        games_played(&pairs)
    );
    ensure!(
        args.sprt.is_none() || pairings.len() == 1,
        "--sprt tests two engines in one game: give both, and a --game"
    );
    Ok(pairings)
}

/// `five-tuple plays gomoku, mini-alphago plays reversi`.
fn games_played(pairs: &[[EngineSpec; 2]]) -> String {
    let mut plays: Vec<String> = Vec::new();
    for engine in pairs.iter().flatten() {
        let games = GameKind::ALL.into_iter();
        let games = games.filter(|&game| engine.can_play(game));
        let games: Vec<&str> = games.map(GameKind::name).collect();
        plays.push(format!("{engine} plays {}", games.join(" and ")));
    }
    plays.sort();
    plays.dedup();
    plays.join(", ")
}

fn pairs(args: &MatchArgs) -> Vec<[EngineSpec; 2]> {
    let pairs = args.tournament.pairs(args.engines.len()).into_iter();
    pairs
        .map(|pair| pair.map(|index| args.engines[index].clone()))
        .collect()
}

fn default_pairs() -> anyhow::Result<Vec<[EngineSpec; 2]>> {
    let pair = |opponent: &str| Ok(["tengen".parse()?, opponent.parse()?]);
    ["random", "greedy"].into_iter().map(pair).collect()
}

fn openings(args: &MatchArgs, game: GameKind, notes: &mut dyn Write) -> anyhow::Result<Openings> {
    let Some(path) = &args.openings else {
        return Ok(Openings::RandomPlies(args.random_plies));
    };
    if path.as_os_str() == "balanced" {
        return match game {
            GameKind::Gomoku => Ok(Openings::Balanced(BalancedOpenings::default())),
            _ => bail!("balanced openings are drawn for Gomoku only, not for {game}"),
        };
    }
    let place = || path.display().to_string();
    let text = fs::read_to_string(path).with_context(place)?;
    let read = opening_file::read(&args.game.setup(game)?, &text, args.opening_format);
    let mut list = read.with_context(place)?;
    opening_file::shuffle(&mut list, args.seed);
    let pairs = args.games as usize / 2;
    if list.len() < pairs {
        writeln!(
            notes,
            "{}: {} openings for {pairs} pairs of games: they come again",
            path.display(),
            list.len()
        )?;
    }
    Ok(Openings::Listed(list.into()))
}

fn pairing(
    args: &MatchArgs,
    pair: &[EngineSpec; 2],
    game: GameKind,
    openings: Openings,
) -> anyhow::Result<Pairing> {
    let terms = Terms {
        time: time(args, pair)?,
        playouts: args.playouts,
        depth: args.depth,
        adjudication: args.adjudicate,
        margin: Duration::from_millis(args.margin),
        hosting: args.hosting,
        ..Terms::new(args.game.setup(game)?)
    };
    Ok(Pairing {
        engines: pair.clone(),
        terms,
        games: args.games,
        openings,
        seed: args.seed,
    })
}

fn time(args: &MatchArgs, pair: &[EngineSpec; 2]) -> anyhow::Result<TimeControl> {
    let timed = args.time.is_some() || args.game_time.is_some();
    if args.playouts.is_some() && !timed {
        ensure!(
            pair.iter().all(EngineSpec::obeys_playouts),
            "not both engines can be told --playouts; give --time or --game-time as well"
        );
    }
    let usual = (args.playouts.is_none() && !timed).then_some(DEFAULT_TIME_MS);
    Ok(TimeControl {
        per_move: args.time.or(usual).map(Duration::from_millis),
        left: args.game_time.map(Duration::from_millis),
        increment: Duration::from_millis(args.increment),
        moves_to_go: None,
    })
}

pub(crate) fn parse_even(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(games) if games > 0 && games % 2 == 0 => Ok(games),
        _ => Err("an even number above 0 is expected".to_owned()),
    }
}
