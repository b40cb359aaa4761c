//! The files that a protocol asks for.

use crate::game::files;
use crate::protocol::{Protocol, Request, Requests};
use std::fs;
use std::path::Path;

/// More bytes than a file of a game has (guess).
const LARGEST: u64 = 1 << 24;

/// Reads the file that the last of these requests asks for, if it does, and returns in its place what the
/// protocol asks when it has heard that file.
pub fn hear(
    protocol: &mut dyn Protocol,
    mut requests: Requests,
    out: &mut Vec<String>,
) -> Requests {
    let Some(Request::Read(path)) = requests.last() else {
        return requests;
    };
    let text = read(path);
    requests.pop();
    requests.extend(protocol.hear_file(text, out));
    requests
}

/// The text of a file, or why it cannot be read.
fn read(path: &Path) -> Result<String, String> {
    let told = fs::metadata(path).map_err(|error| error.to_string())?;
    // What is no file may have no end.
    if !told.is_file() {
        return Err("it is no file".to_owned());
    }
    if told.len() > LARGEST {
        return Err("it is too large".to_owned());
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes a game to a file, which may replace another game and nothing else.
///
/// # Errors
/// When it would replace something else, or cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    let cannot = |reason| format!("cannot write {}: {reason}", path.display());
    if path.exists() {
        let there = read(path).map_err(cannot)?;
        if !there.is_empty() && !files::is_file(&there) {
            return Err(cannot("it holds no game".to_owned()));
        }
    }
    fs::write(path, text).map_err(|error| cannot(error.to_string()))
}
