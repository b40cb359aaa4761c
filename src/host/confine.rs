//! What the process gives up before it runs a library, and how long a call may take.

use crate::clock;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal, raise};
use nix::unistd::{Gid, Uid, User, chdir, setgroups, setresgid, setresuid};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The memory that the course allows, in bytes: 1 GiB; and what this process takes of the
/// address space besides: mostly the 64 MiB that glibc reserves for each of its threads.
const MEMORY: u64 = (1 << 30) + (256 << 20);

/// Open descriptors at a time (guess): our own are five.
const DESCRIPTORS: u64 = 32;

/// Threads and processes of nobody at a time, those of other libraries included (guess). It stops
/// a library that forks without end.
const PROCESSES: u64 = 256;

/// The user and group of nobody where the system has no such name.
const NOBODY: u32 = 65534;

/// The stack that a thread has by default on Linux, and so in the course's referee.
const STACK: usize = 8 << 20;

/// How often a call is looked after.
const POLL: Duration = Duration::from_millis(5);

/// A file's copy in memory, which can be read whatever rights are given up.
pub fn copy_to_memory(path: &Path) -> io::Result<File> {
    let bytes = fs::read(path)?;
    let mut copy = File::from(memfd_create("library", MFdFlags::MFD_CLOEXEC)?);
    copy.write_all(&bytes)?;
    Ok(copy)
}

/// Limits the process and makes it nobody's.
pub fn give_up_rights() -> nix::Result<()> {
    chdir("/")?;
    prctl::set_no_new_privs()?;
    for (resource, most) in [
        (Resource::RLIMIT_AS, MEMORY),
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_NOFILE, DESCRIPTORS),
    ] {
        setrlimit(resource, most, most)?;
    }
    // To write to a file shall fail, as on a full disk, and not kill.
    let mut too_large = SigSet::empty();
    too_large.add(Signal::SIGXFSZ);
    too_large.thread_block()?;
    if Uid::effective().is_root() {
        become_nobody()?;
        setrlimit(Resource::RLIMIT_NPROC, PROCESSES, PROCESSES)?;
    }
    Ok(())
}

fn become_nobody() -> nix::Result<()> {
    let nobody = User::from_name("nobody").ok().flatten();
    let (user, group) = match nobody {
        Some(nobody) => (nobody.uid, nobody.gid),
        None => (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY)),
    };
    setgroups(&[])?;
    setresgid(group, group, group)?;
    setresuid(user, user, user)?;
    // A process that changed its user may not open its own /proc/self/fd, where the copy of the
    // library is.
    prctl::set_dumpable(true)
}

/// Other processes of the same user cannot attach to this one from now on.
pub fn forbid_debugging() -> nix::Result<()> {
    prctl::set_dumpable(false)
}

/// Runs a call on a thread of its own. Where it takes more processor time than `limit`, or so
/// long that it can only be waiting, the process ends by SIGXCPU.
pub fn within<T: Send + 'static>(limit: Duration, call: impl FnOnce() -> T + Send + 'static) -> T {
    let used_before = clock::processor_time();
    let begun = clock::now();
    let patience = 2 * limit + Duration::from_secs(1);
    let (sender, answer) = mpsc::channel();
    let thread = thread::Builder::new().stack_size(STACK).spawn(move || {
        let _ = sender.send(call());
    });
    if thread.is_err() {
        std::process::abort();
    }
    loop {
        match answer.recv_timeout(POLL) {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Disconnected) => std::process::abort(),
            Err(RecvTimeoutError::Timeout) => {
                let used = clock::processor_time().saturating_sub(used_before);
                if used > limit || begun.elapsed() > patience {
                    end_as_too_late();
                }
            }
        }
    }
}

fn end_as_too_late() -> ! {
    let _ = raise(Signal::SIGXCPU);
    // The library caught the signal.
    std::process::abort();
}
