//! The browser of the user who runs the program.

use std::ffi::OsStr;
use std::io;
use std::process::{Command, Stdio};

/// Opens an address or a file with the program that the system has for it. Does not wait for it.
///
/// # Errors
/// When there is no such program.
pub fn open(target: &OsStr) -> io::Result<()> {
    let program = if cfg!(target_os = "windows") {
        "explorer"
    } else if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(target).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}
