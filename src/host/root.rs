//! Namespaces: no other users, processes, networks, queues or files than the cell's own.
//!
//! An ordinary user may make the others only in a namespace of users, and may be refused that.

use super::confine::{DEVICES, READABLE};
use anyhow::Context;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{Gid, Uid, chdir, pivot_root};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A folder that every system has, hidden while the new root is made in its place.
const STAGE: &str = "/tmp";

/// The library in the new root.
pub const LIBRARY: &str = "/library.so";

/// A namespace of users for this process, where it is not root, so that it may make the others.
/// There must be no other thread yet.
pub fn own_users() {
    if Uid::effective().is_root() {
        return;
    }
    if let Err(error) = unshare_users(CloneFlags::empty()) {
        log::debug!("no namespace of users: {error:#}");
    }
}

/// A namespace of processes for the children of this thread.
pub fn own_processes() {
    if let Err(error) = unshare(CloneFlags::CLONE_NEWPID) {
        log::debug!("no namespace of processes: {error}");
    }
}

/// Takes this process into namespaces of its own, with a root that holds the library and
/// [`READABLE`]. Returns the library's path there.
///
/// # Errors
/// When the kernel does not grant it. The old root is in place then.
pub fn enter(library: &[u8]) -> anyhow::Result<PathBuf> {
    unshare_users(
        CloneFlags::CLONE_NEWNS
            | CloneFlags::CLONE_NEWNET
            | CloneFlags::CLONE_NEWIPC
            | CloneFlags::CLONE_NEWUTS,
    )?;
    // Nothing that is mounted from here on is seen elsewhere.
    mount_at("none", "/", None, MsFlags::MS_REC | MsFlags::MS_SLAVE)?;
    let own = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount_at("tmpfs", STAGE, Some("tmpfs"), own)?;
    let stage = Path::new(STAGE);
    for place in READABLE.iter().chain(&DEVICES) {
        bring(Path::new(place), stage).with_context(|| format!("cannot bring {place}"))?;
    }
    fs::write(within(stage, Path::new(LIBRARY)), library)?;
    let read_only = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
    mount_at("none", STAGE, None, read_only | own)?;
    chdir(stage)?;
    // The old root is put over the new one, and taken away.
    pivot_root(".", ".").context("cannot change the root")?;
    umount2(".", MntFlags::MNT_DETACH).context("cannot leave the old root")?;
    chdir("/")?;
    Ok(LIBRARY.into())
}

/// A namespace of users that has this one alone, with its own number, and others besides.
fn unshare_users(others: CloneFlags) -> anyhow::Result<()> {
    let (user, group) = (Uid::effective(), Gid::effective());
    unshare(CloneFlags::CLONE_NEWUSER | others).context("no namespaces")?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    Ok(())
}

/// Brings a file or a folder under `stage`, to be read only, if there is one.
fn bring(place: &Path, stage: &Path) -> anyhow::Result<()> {
    let Ok(found) = fs::symlink_metadata(place) else {
        return Ok(());
    };
    let target = within(stage, place);
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    if found.is_symlink() {
        return Ok(symlink(fs::read_link(place)?, target)?);
    }
    if found.is_dir() {
        fs::create_dir(&target)?;
    } else {
        File::create(&target)?;
    }
    mount_at(place, &target, None, MsFlags::MS_BIND | MsFlags::MS_REC)?;
    let read_only = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
    mount_at("none", &target, None, read_only | flags_of(&target)?)?;
    Ok(())
}

/// The flags of a mount that a user may not take away, and so must repeat.
fn flags_of(place: &Path) -> nix::Result<MsFlags> {
    let set = statvfs(place)?.flags();
    let names = [
        (FsFlags::ST_NOSUID, MsFlags::MS_NOSUID),
        (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
    ];
    let kept = names.into_iter().filter(|(flag, _)| set.contains(*flag));
    Ok(kept.map(|(_, flag)| flag).collect())
}

fn within(stage: &Path, place: &Path) -> PathBuf {
    stage.join(place.strip_prefix("/").unwrap_or(place))
}

fn mount_at(
    source: impl AsRef<Path>,
    target: impl AsRef<Path>,
    kind: Option<&str>,
    flags: MsFlags,
) -> anyhow::Result<()> {
    let (source, target) = (source.as_ref(), target.as_ref());
    mount(Some(source), target, kind, flags, None::<&str>)
        .with_context(|| format!("cannot mount {}", target.display()))
}
