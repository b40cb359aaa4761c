//! Ends what an engine leaves behind.
//!
//! `tengen keep` runs the command line of an engine from outside, between the arena and the
//! engine, whose streams are the arena's pipes themselves. What the engine starts becomes the
//! keeper's child when it is left, whatever its group or session. It ends
//!
//! * with the engine, where it is in the engine's group, or the process that started it still
//!   runs then;
//! * with the arena's process else, for it may serve other engines, as the server of wine does.
//!
//! The kernel tells the keeper when the arena's process ends, even if it was killed. This is so on
//! Linux. Elsewhere an engine is run by itself.

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub use linux::{adopt_orphans, end, end_descendants, run};

use clap::Args;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a keeper says in place of an engine that it cannot start.
pub const CANNOT_START: &str = "tengen: cannot start ";

/// What a keeper says when the engine has ended and it stays itself; how it ended follows.
pub const ENDED: &str = "tengen: the engine ended: ";

/// The commands of the program that end what they started when they are asked to.
const KEEPERS: [&str; 2] = ["keep", "host"];

/// Run an engine for the arena, and end what it leaves behind
#[derive(Args, Debug)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "Linux only"))]
pub struct KeepArgs {
    /// The number of the arena's process
    #[arg(long)]
    arena: i32,
    /// The engine
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// Whether this process is the program, whose file can be run as a keeper.
static IS_PROGRAM: AtomicBool = AtomicBool::new(false);

/// Says that this process is the program: a test or another program that uses this library runs
/// engines without a keeper.
pub fn enable() {
    IS_PROGRAM.store(cfg!(target_os = "linux"), Ordering::Relaxed);
}

/// The command that runs a program, by a keeper where there is one. Arguments may be added.
#[must_use]
pub fn kept(program: &Path) -> Command {
    let own = std::env::current_exe().ok();
    let Some(own) = own.filter(|_| IS_PROGRAM.load(Ordering::Relaxed)) else {
        return Command::new(program);
    };
    let mut command = Command::new(own);
    let arena = std::process::id().to_string();
    command.args(["keep", "--arena", &arena, "--"]).arg(program);
    command
}

/// Whether what the command runs ends by [`end`], and what it started before it.
#[must_use]
pub fn is_keeper(command: &Command) -> bool {
    let name = command.get_args().next();
    IS_PROGRAM.load(Ordering::Relaxed) && KEEPERS.iter().any(|keeper| name == Some(keeper.as_ref()))
}

/// There is none.
#[cfg(not(target_os = "linux"))]
pub fn end(_: u32) {}

/// As on Linux.
///
/// # Errors
/// Always: the means are those of Linux.
#[cfg(not(target_os = "linux"))]
pub fn run(_: &KeepArgs) -> anyhow::Result<std::process::ExitCode> {
    anyhow::bail!("engines are kept on Linux only")
}
