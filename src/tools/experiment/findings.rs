//! The file that an experiment writes what it finds to, and goes on from.

use crate::arena::records::journal::Journal;
use clap::Args;
use serde::de::DeserializeOwned;
use std::path::PathBuf;

/// The file, where one is asked for.
#[derive(Args, Clone, Debug)]
pub struct FindingsFile {
    /// Write every game, or what every step found, to this file, one line of JSON each
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Go on with the experiment whose lines are in the file of --json
    #[arg(long, requires = "json")]
    resume: bool,
    /// Replace what is in the file of --json
    #[arg(long, conflicts_with = "resume")]
    force: bool,
}

impl FindingsFile {
    /// Opens the file. Hands every line that it goes on from to `on_line`, with its place.
    ///
    /// # Errors
    /// When it cannot be read or written, holds something else, or `on_line` fails.
    pub fn open<R: DeserializeOwned>(
        &self,
        on_line: impl FnMut(&str, R) -> anyhow::Result<()>,
    ) -> anyhow::Result<Option<Journal>> {
        Ok(match &self.json {
            Some(path) if self.resume => Some(Journal::resume(path, on_line)?),
            Some(path) => Some(Journal::create::<R>(path, self.force)?),
            None => None,
        })
    }
}
