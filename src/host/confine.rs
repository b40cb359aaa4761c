//! What the cell gives up before it runs a library.

use super::{calls, root};
use anyhow::{Context, ensure};
use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
    Scope, path_beneath_rules,
};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{Gid, Uid, User, chdir, setgroups, setresgid, setresuid};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
use std::fs::{self, File};
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

/// Open descriptors at a time (guess): our own are five.
const DESCRIPTORS: u64 = 32;

/// The user and group of nobody where the system has no such name.
const NOBODY: u32 = 65534;

/// What libraries need and everybody may read, as far as it is there.
pub const READABLE: [&str; 11] = [
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/etc/ld.so.cache",
    "/gnu/store",
    "/nix/store",
];

/// Devices that hold nothing.
pub const DEVICES: [&str; 4] = ["/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];

/// The newest Landlock that this was tried with. An older kernel grants a part of it.
const LANDLOCK: ABI = ABI::V6;

/// Where a library is for the loader.
pub struct Place {
    /// Its path.
    pub path: PathBuf,
    /// Keeps the path alive, where it is that of a descriptor.
    _open: Option<OwnedFd>,
}

/// A copy of the library in memory, which can be read whatever rights are given up.
pub fn copy_to_memory(library: &[u8]) -> anyhow::Result<Place> {
    let mut copy = File::from(memfd_create("library", MFdFlags::MFD_CLOEXEC)?);
    copy.write_all(library)?;
    Ok(Place {
        path: format!("/proc/self/fd/{}", copy.as_raw_fd()).into(),
        _open: Some(copy.into()),
    })
}

/// Ends this process when the guard ends.
pub fn end_with_the_guard() -> nix::Result<()> {
    prctl::set_pdeathsig(Signal::SIGKILL)
}

/// Gives up what this process can do but for loading a library and computing. There must be no
/// other thread yet.
///
/// # Errors
/// When the kernel does not grant enough to keep a library from the user's files.
pub fn confine(library: &[u8]) -> anyhow::Result<Place> {
    // Where memory runs out, this process must be ended and no other.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    chdir("/")?;
    if Uid::effective().is_root() {
        become_nobody().context("cannot become nobody")?;
    }
    prctl::set_no_new_privs()?;
    end_with_the_guard()?;
    let (apart, place) = match root::enter(library) {
        Ok(path) => (true, Place { path, _open: None }),
        Err(error) => {
            log::debug!("no root of its own for the library: {error:#}");
            (false, copy_to_memory(library)?)
        }
    };
    let walled = restrict_files();
    ensure!(
        apart || walled,
        "the kernel grants neither namespaces nor Landlock to confine a library with; \
         --unconfined runs it with all your rights"
    );
    limit()?;
    set_capabilities(None, no_capabilities()).context("cannot drop capabilities")?;
    calls::restrict().context(
        "the kernel grants no filter of system calls to confine a library with; --unconfined runs \
         it with all your rights",
    )?;
    Ok(place)
}

fn become_nobody() -> nix::Result<()> {
    let nobody = User::from_name("nobody").ok().flatten();
    let (user, group) = match nobody {
        Some(nobody) => (nobody.uid, nobody.gid),
        None => (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY)),
    };
    // Others may be nobody too. The guard counts threads.
    let (_, most) = getrlimit(Resource::RLIMIT_NPROC)?;
    setrlimit(Resource::RLIMIT_NPROC, most, most)?;
    setgroups(&[])?;
    setresgid(group, group, group)?;
    setresuid(user, user, user)?;
    // A process that changed its user may not open its own /proc/self otherwise.
    prctl::set_dumpable(true)
}

/// Landlock. Whether the kernel grants it.
fn restrict_files() -> bool {
    let restrict = || -> Result<RulesetStatus, landlock::RulesetError> {
        let write_null = path_beneath_rules(["/dev/null"], AccessFs::from_file(LANDLOCK));
        let readable = READABLE.iter().chain(&DEVICES).chain([&root::LIBRARY]);
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(LANDLOCK))?
            .handle_access(AccessNet::from_all(LANDLOCK))?
            .scope(Scope::from_all(LANDLOCK))?
            .create()?
            .add_rules(path_beneath_rules(
                readable,
                AccessFs::ReadFile | AccessFs::ReadDir,
            ))?
            .add_rules(write_null)?
            .restrict_self()?;
        Ok(status.ruleset)
    };
    match restrict() {
        Ok(status) => status != RulesetStatus::NotEnforced,
        Err(error) => {
            log::debug!("no Landlock: {error}");
            false
        }
    }
}

fn limit() -> nix::Result<()> {
    for (resource, most) in [
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_MEMLOCK, 0),
        (Resource::RLIMIT_NOFILE, DESCRIPTORS),
    ] {
        setrlimit(resource, most, most)?;
    }
    // Writing to a file must fail, as on a full disk, and not kill.
    let mut too_large = SigSet::empty();
    too_large.add(Signal::SIGXFSZ);
    too_large.thread_block()
}

fn no_capabilities() -> CapabilitySets {
    CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    }
}
