//! `tengen compliance`: speaks with an engine through its protocol, and says line by line what
//! holds and what does not.

mod gomocup;
mod gtp;
mod talk;

use crate::arena::Terms;
use crate::arena::engines::spec::{EngineSpec, Language};
use crate::args::GameArgs;
use crate::clock::TimeControl;
use crate::game::{GameKind, any};
use anyhow::{Context, bail};
use clap::Args;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;
use talk::{Finding, Talk};

const EXAMPLES: &str = "\
Examples:
  tengen compliance 'gomocup:./pbrain-other' --size 20x20
  tengen compliance 'gtp:/usr/games/gtp-rhino' --game reversi

A check is ok, FAIL, or skipped where the protocol leaves it to the engine. It is shown with what
was said and answered; after FAIL comes the whole dialogue. The exit code is 0 if nothing failed.";

/// Check how an engine keeps to its protocol.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct ComplianceArgs {
    /// gomocup:CMD or gtp:CMD
    #[arg(value_name = "ENGINE")]
    engine: EngineSpec,
    #[command(flatten)]
    game: GameArgs,
    /// Milliseconds that the engine is granted for a move; GTP has whole seconds only
    #[arg(long, value_name = "MS", default_value = "1000", value_parser = clap::value_parser!(u64).range(1..))]
    time: u64,
    /// Milliseconds to wait for an answer before it is missing: at least the time for a move and a
    /// second
    #[arg(long, value_name = "MS", default_value = "10000", value_parser = clap::value_parser!(u64).range(1..))]
    patience: u64,
}

/// One thing that should hold. Every check has an engine of its own, so that none suffers from
/// what was found before.
struct Check {
    name: &'static str,
    run: fn(&mut Talk) -> Result<(), Finding>,
}

impl Check {
    const fn new(name: &'static str, run: fn(&mut Talk) -> Result<(), Finding>) -> Check {
        Check { name, run }
    }
}

/// Runs every check of the engine's protocol and writes what it found. Blocks until all are done.
/// The code tells whether nothing failed.
///
/// # Errors
/// When the engine cannot be started or does not play the game, or `out` cannot be written.
pub fn run(args: &ComplianceArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let setup = args.game.setup(GameKind::Gomoku)?;
    any::new_game(&setup)?;
    if !args.engine.can_play(setup.game()) {
        bail!("{} cannot play {}", args.engine, setup.game());
    }
    let terms = Terms {
        time: TimeControl::per_move(Duration::from_millis(args.time)),
        patience: Duration::from_millis(args.patience.max(args.time.saturating_add(1000))),
        ..Terms::new(setup)
    };
    let usage = "gomocup:CMD or gtp:CMD is expected";
    let (language, _) = args.engine.outside().context(usage)?;
    let checks: &[Check] = match language {
        Language::Gomocup => gomocup::CHECKS,
        Language::Gtp => gtp::CHECKS,
        Language::NBoard | Language::Ugi => {
            bail!("no checks are written for this protocol; {usage}")
        }
    };
    let mut failed = 0;
    for check in checks {
        let (_, command) = args.engine.outside().context(usage)?;
        let talk = Talk::start(command, &terms);
        let mut talk = talk.with_context(|| format!("cannot start {}", args.engine))?;
        let finding = (check.run)(&mut talk);
        failed += usize::from(matches!(finding, Err(Finding::Failed(_))));
        write_finding(check, &finding, &talk, out)?;
        out.flush()?;
    }
    writeln!(out, "{failed} of {} checks failed", checks.len())?;
    Ok(match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn write_finding(
    check: &Check,
    finding: &Result<(), Finding>,
    talk: &Talk,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (word, exchange, reason) = match finding {
        Ok(()) => ("ok", talk.marked_exchange(), None),
        Err(Finding::Failed(reason)) => ("FAIL", talk.last_exchange(), Some(reason)),
        Err(Finding::Skipped(reason)) => ("skipped", talk.last_exchange(), Some(reason)),
    };
    write!(out, "{word:<7} {:<20} {exchange}", check.name)?;
    if let Some(reason) = reason {
        write!(out, ": {reason}")?;
    }
    writeln!(out)?;
    if word == "FAIL" {
        for line in talk.dialogue() {
            writeln!(out, "          {line}")?;
        }
    }
    Ok(())
}
