//! Files that one program at a time writes to.

use anyhow::bail;
use std::fs::{File, TryLockError};
use std::path::Path;

/// Keeps others from writing to a file as long as it is open.
///
/// # Errors
/// When one of them has it: `other` says what that would be.
pub fn lock(file: &File, path: &Path, other: &str) -> anyhow::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => bail!("{}: another {other} writes to it", path.display()),
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}
