//! A keeper: the parent of an engine, and of all that it leaves.

use super::{CANNOT_START, ENDED, KeepArgs};
use crate::clock;
use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::{Pid, getppid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, raise};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitCode, ExitStatus};
use std::thread;
use std::time::Duration;

/// How long processes that were killed may take to be gone.
const GONE: Duration = Duration::from_secs(1);

/// How long those of the engine's group may take before the keeper stays for them.
const SOON: Duration = Duration::from_millis(50);

/// How often they are looked for.
const POLL: Duration = Duration::from_millis(1);

/// The exit code where the engine cannot be started: that of shells.
const NOT_STARTED: u8 = 127;

/// Runs an engine until it has ended, and what it left behind. Ends as the engine did.
///
/// # Errors
/// When the engine cannot be started or waited for.
pub fn run(args: &KeepArgs) -> anyhow::Result<ExitCode> {
    let arena = Pid::from_raw(args.arena);
    // Handlers and no mask: the engine would inherit that, and handlers end where it begins. What
    // comes from here on is kept until it is waited for.
    let mut signals = Signals::new([SIGCHLD, SIGTERM, SIGHUP])?;
    SigSet::empty().thread_set_mask()?;
    adopt_orphans()?;
    prctl::set_pdeathsig(Signal::SIGHUP)?;
    let Some((program, arguments)) = args.command.split_first() else {
        return Ok(ExitCode::FAILURE);
    };
    let mut command = Command::new(program);
    let mut child = match command.args(arguments).process_group(0).spawn() {
        Ok(child) => child,
        Err(error) => {
            let mut output = crate::io::output();
            writeln!(output, "{CANNOT_START}{}: {error}", program.display())?;
            output.flush()?;
            return Ok(ExitCode::from(NOT_STARTED));
        }
    };
    let engine = Pid::from_raw(i32::try_from(child.id())?);
    // A thread of the arena that ends tells nothing.
    while getppid() == arena && !has_ended(engine) {
        for signal in signals.wait() {
            if signal == SIGTERM {
                end_tree(engine);
            }
        }
    }
    if getppid() != arena {
        end_descendants();
        return Ok(ExitCode::SUCCESS);
    }
    let _ = killpg(engine, Signal::SIGKILL);
    let status = child.wait()?;
    if leaves_something() {
        stay(status, arena, &mut signals)?;
        end_descendants();
    }
    Ok(end_as(status))
}

/// What an engine's processes leave becomes this process's child.
///
/// # Errors
/// When the kernel does not grant it.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(prctl::set_child_subreaper(true)?)
}

/// Ends all descendants of this process, which must have adopted orphans. Blocks for as long as
/// they take, at most `GONE`.
pub fn end_descendants() {
    let deadline = clock::now() + GONE;
    while clock::now() < deadline && has_children() {
        for process in descendants_of(Pid::this()) {
            let _ = kill(process, Signal::SIGKILL);
        }
        thread::sleep(POLL);
    }
}

/// Asks a keeper to end its engine.
pub fn end(keeper: u32) {
    if let Ok(keeper) = i32::try_from(keeper) {
        let _ = kill(Pid::from_raw(keeper), Signal::SIGTERM);
    }
}

/// Whether the engine has ended; it stays there to be waited for, so that its number is its own.
fn has_ended(engine: Pid) -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    !matches!(
        waitid(Id::Pid(engine), flags),
        Ok(WaitStatus::StillAlive) | Err(Errno::EINTR)
    )
}

/// Ends the engine with its group and what it started.
fn end_tree(engine: Pid) {
    let started = descendants_of(engine);
    let _ = killpg(engine, Signal::SIGKILL);
    for process in started {
        let _ = kill(process, Signal::SIGKILL);
    }
}

/// Whether the engine left processes that are not in its group.
fn leaves_something() -> bool {
    let deadline = clock::now() + SOON;
    while has_children() {
        if clock::now() > deadline {
            return true;
        }
        thread::sleep(POLL);
    }
    false
}

/// Stays as long as there is what the engine left behind, and the arena.
fn stay(status: ExitStatus, arena: Pid, signals: &mut Signals) -> anyhow::Result<()> {
    // The arena may not see that the engine has ended: what is left may have its streams.
    let (_, mut output) = crate::io::take_streams()?;
    writeln!(output, "{ENDED}{status}")?;
    drop(output);
    while getppid() == arena && has_children() {
        signals.wait();
    }
    Ok(())
}

/// Waits for those who have ended. Whether children are left.
fn has_children() -> bool {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return true,
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return false,
        }
    }
}

/// The processes that this one started, those that they started, and so on.
fn descendants_of(ancestor: Pid) -> Vec<Pid> {
    let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.parse().ok());
        let parent = fs::read_to_string(entry.path().join("stat"));
        let parent = parent.ok().and_then(|stat| parent_in(&stat));
        if let (Some(number), Some(parent)) = (number, parent) {
            children
                .entry(parent)
                .or_default()
                .push(Pid::from_raw(number));
        }
    }
    let mut found = children.remove(&ancestor).unwrap_or_default();
    let mut at = 0;
    while let Some(&process) = found.get(at) {
        found.extend(children.remove(&process).unwrap_or_default());
        at += 1;
    }
    found
}

/// The parent in a line of `/proc/PID/stat`: `PID (NAME) STATE PARENT …`, where the name may have
/// anything in it.
fn parent_in(stat: &str) -> Option<Pid> {
    let (_, rest) = stat.rsplit_once(')')?;
    let parent = rest.split_whitespace().nth(1)?;
    parent.parse().ok().map(Pid::from_raw)
}

/// Ends this process as the engine ended.
fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        // One core is enough.
        let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
        let _ = emulate_default_handler(signal).or_else(|_| raise(signal));
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_be_called_anything() {
        let stat = "7 (a) S 1 (b) S 42 7 7 0 -1";
        assert_eq!(parent_in(stat), Some(Pid::from_raw(42)));
        assert_eq!(parent_in("7 (a"), None);
    }

    #[test]
    fn the_descendants_of_a_process_are_found() {
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let number = Pid::from_raw(i32::try_from(child.id()).unwrap());
        assert!(descendants_of(Pid::this()).contains(&number));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!descendants_of(Pid::this()).contains(&number));
    }
}
