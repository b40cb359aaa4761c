//! The command line: arguments in, exit code out.

use crate::args::{GameArgs, LimitArgs, PlayerArgs};
use crate::host::{self, HostArgs};
use crate::io::{self, Config};
use crate::keeper::{self, KeepArgs};
use crate::protocol::{Defaults, ProtocolKind};
use crate::tools::{
    analyze, bench, board, book, compliance, experiment, learn, matches, merge, options, perft,
    play, report, solve, tune,
};
use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  tengen                                      speak whatever the other end speaks
  tengen --protocol gtp --game reversi        a Reversi engine for a GTP board
  tengen --game connect4 --size 9x10 --hole 3,4 --time 3000
  tengen --bot five-tuple                     a reference bot instead of the engine
  tengen --set exploration=0.9 --seed 7       other options (see: tengen options)
  tengen match tengen greedy --game reversi --games 20
  tengen analyze --game connect4 --moves 4435 --time 1000
  tengen solve --all <positions.txt
  tengen board --open                         play in the browser

With no command, Tengen speaks a line protocol on the standard input and output. With no
--protocol the first line tells which. TENGEN_LOG=warn (or info, debug) in the environment,
or RUST_LOG, writes a log to the standard error.";

/// A game engine for Gomoku, Reversi and gravity Connect Four.
#[derive(Parser)]
#[command(version, after_long_help = EXAMPLES, after_help = "Examples: see --help")]
#[command(args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    speak: SpeakArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Let engines play games with each other and count
    Match(matches::MatchArgs),
    /// Join the records of a match that was played in parts, and print its table
    Merge(merge::MergeArgs),
    /// Search a position and rank its moves
    Analyze(analyze::AnalyzeArgs),
    /// Play in the browser, with hints and reviews
    Board(board::BoardArgs),
    /// Play at the terminal
    Play(play::PlayArgs),
    /// Count move sequences
    Perft(perft::PerftArgs),
    /// Print the exact scores of positions
    Solve(solve::SolveArgs),
    /// Compute the opening book of Connect Four, or its appendix
    #[command(hide = true)]
    Book(book::BookArgs),
    /// Learn the order in which Connect Four's solver tries moves
    #[command(hide = true)]
    Tune(tune::TuneArgs),
    /// Learn the weights of an evaluation from self-play
    Learn(learn::LearnArgs),
    /// Search fixed positions: the fingerprint of the search, and its speed
    Bench(bench::BenchArgs),
    /// Check how an engine keeps to its protocol
    Compliance(compliance::ComplianceArgs),
    /// Make a page of HTML, or tables in Markdown, from records of games
    Report(report::ReportArgs),
    /// Measure again what the coursework's reports measured
    Experiment(experiment::ExperimentArgs),
    /// List every option of the search
    Options,
    /// Load a coursework bot and answer for it, as the match does for so:PATH
    #[command(hide = true)]
    Host(HostArgs),
    /// Run an engine for the arena, and end what it leaves behind
    #[command(hide = true)]
    Keep(KeepArgs),
}

#[derive(Args)]
struct SpeakArgs {
    #[command(flatten)]
    game: GameArgs,
    /// auto, or the protocol spoken: gomocup, gtp, nboard, ugi, botzone, riddles, codingame,
    /// saiblo and others of protocol.md
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = parse_protocol)]
    protocol: Spoken,
    #[command(flatten)]
    player: PlayerArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Add every line both ways to this file, with the time; what is there already stays
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
}

/// The protocol to speak; `None`: the first line tells.
#[derive(Clone, Copy, Debug)]
struct Spoken(Option<ProtocolKind>);

/// Runs the program. The only function that reads its arguments.
#[must_use]
pub fn run() -> ExitCode {
    // The variable of env_logger's own counts where ours is not set.
    let filter = ["TENGEN_LOG", "RUST_LOG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok());
    env_logger::Builder::new()
        .parse_filters(filter.as_deref().unwrap_or("off"))
        .format_timestamp(None)
        .init();
    keeper::enable();
    match dispatch(Cli::parse()) {
        Ok(code) => code,
        Err(error) if io::is_closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing can be done where this cannot be written either.
            let _ = writeln!(io::errors(), "tengen: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(cli: Cli) -> anyhow::Result<ExitCode> {
    let mut out = io::output();
    let done = match cli.command {
        None => speak(cli.speak, &mut out),
        Some(Command::Match(args)) => {
            return matches::run(&args, &mut out, &mut io::errors());
        }
        Some(Command::Merge(args)) => merge::run(&args, &mut out, &mut io::errors()),
        Some(Command::Analyze(args)) => analyze::run(&args, &mut out),
        Some(Command::Board(args)) => board::run(&args, &mut out),
        Some(Command::Play(args)) => play::run(&args, io::input(), &mut out),
        Some(Command::Perft(args)) => perft::run(&args, &mut out),
        Some(Command::Solve(args)) => solve::run(&args, io::input(), &mut out, &mut io::errors()),
        Some(Command::Book(args)) => book::run(&args, &mut out),
        Some(Command::Tune(args)) => tune::run(&args, &mut out),
        Some(Command::Learn(args)) => learn::run(&args, &mut io::errors()),
        Some(Command::Bench(args)) => bench::run(&args, &mut out),
        Some(Command::Compliance(args)) => return compliance::run(&args, &mut out),
        Some(Command::Report(args)) => report::run(&args, &mut out),
        Some(Command::Experiment(args)) => {
            return experiment::run(&args, &mut out, &mut io::errors());
        }
        Some(Command::Host(args)) => host::run(&args),
        Some(Command::Keep(args)) => return keeper::run(&args),
        Some(Command::Options) => options::run(&mut out),
    };
    done?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn speak(args: SpeakArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let transcript = match &args.transcript {
        Some(path) => {
            // A manager may start the program anew for every game.
            let file = OpenOptions::new().append(true).create(true).open(path);
            let file = file.with_context(|| format!("cannot write {}", path.display()))?;
            Some(Box::new(file) as Box<dyn Write>)
        }
        None => None,
    };
    let Spoken(protocol) = args.protocol;
    let bot = args.player.bot()?;
    let config = Config {
        bot,
        settings: args.player.settings(),
        defaults: Defaults {
            setup: args.game.setup(bot.games[0])?,
            time: args.limits.asked_time(),
            playouts: args.limits.playouts(),
        },
        protocol,
        transcript,
        typed: io::is_terminal(),
    };
    io::speak(config, io::input(), out)
}

fn parse_protocol(text: &str) -> Result<Spoken, String> {
    match text {
        "auto" => Ok(Spoken(None)),
        _ => text.parse().map(|kind| Spoken(Some(kind))),
    }
}
