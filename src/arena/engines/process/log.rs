//! The dialogue with an engine as a file.

use crate::clock;
use anyhow::Context;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Where the lines to and from an engine are written down, if anywhere: each with the
/// milliseconds since the file was begun. `>` is said to the engine, `<` by it, and `!` on its
/// standard error. Clones write to the same file.
#[derive(Clone, Debug, Default)]
pub struct DialogueLog(Arc<Mutex<Option<Open>>>);

#[derive(Debug)]
struct Open {
    file: File,
    begun: Instant,
}

impl DialogueLog {
    /// Goes on in a new file, which replaces one of its name. The first line is a `title`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(&self, path: &Path, title: &str) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {}", path.display());
        let mut file = File::create(path).with_context(cannot)?;
        writeln!(file, "# {title}").with_context(cannot)?;
        let begun = clock::now();
        *self.lock() = Some(Open { file, begun });
        Ok(())
    }

    pub(super) fn said(&self, line: &str) {
        self.write('>', line, clock::now());
    }

    pub(super) fn heard(&self, line: &str, arrived: Instant) {
        self.write('<', line, arrived);
    }

    pub(super) fn heard_error(&self, line: &str) {
        self.write('!', line, clock::now());
    }

    /// A disk that is full must not end the match.
    fn write(&self, direction: char, line: &str, at: Instant) {
        if let Some(Open { file, begun }) = &mut *self.lock() {
            let ms = 1000.0 * at.saturating_duration_since(*begun).as_secs_f64();
            if let Err(error) = file.write_all(format!("{ms:.3} {direction} {line}\n").as_bytes()) {
                ::log::warn!("the dialogue cannot be written: {error}");
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
