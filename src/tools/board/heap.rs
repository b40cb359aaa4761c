//! Memory that a closed page had goes back to the system.
//!
//! glibc maps large blocks one by one, which go back when they are dropped. It takes the first that is
//! dropped as a sign that blocks of its size are short-lived, and keeps those in its heaps from then on
//! (`mallopt(3)`, `M_MMAP_THRESHOLD`): trees of pages that are closed. A limit that is set stays, and the
//! environment sets it without unsafe code, for a program that begins (`docs/MEASUREMENTS.md`).

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    use std::env;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    const TUNABLES: &str = "GLIBC_TUNABLES";

    /// glibc's own limit at the start, in bytes.
    const LIMIT: &str = "glibc.malloc.mmap_threshold=131072";

    /// Begins the program again with the limit set, unless the user tunes glibc. Goes on without it
    /// where that fails.
    pub fn give_back_at_once() {
        if env::var_os(TUNABLES).is_some() {
            return;
        }
        if let Ok(program) = env::current_exe() {
            let mut command = Command::new(program);
            command.args(env::args_os().skip(1)).env(TUNABLES, LIMIT);
            let error = command.exec();
            log::warn!("closed pages may keep some memory: {error}");
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub use glibc::give_back_at_once;

/// Other systems need nothing.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_at_once() {}
