//! The steps of an experiment that is no match, in a file: what they found is not looked for again.

use crate::arena::records::journal::Journal;
use anyhow::ensure;
use clap::Args;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::PathBuf;

/// The file.
#[derive(Args, Clone, Debug)]
pub struct StepsFile {
    /// Write what every step found to this file, one line of JSON each
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Go on with the experiment whose steps are in the file of --json
    #[arg(long, requires = "json")]
    resume: bool,
    /// Replace the steps in the file of --json
    #[arg(long, conflicts_with = "resume")]
    force: bool,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line<S> {
    /// The experiment with its settings.
    experiment: String,
    step: S,
}

/// The steps of one experiment, in their order.
pub struct Steps<S> {
    experiment: String,
    done: VecDeque<S>,
    journal: Option<Journal>,
}

impl<S: Serialize + DeserializeOwned> Steps<S> {
    /// Of the experiment that is called so, settings included: steps of another one are refused.
    ///
    /// # Errors
    /// When the file cannot be read or written, or holds something else.
    pub fn open(file: &StepsFile, experiment: String) -> anyhow::Result<Steps<S>> {
        let mut done = VecDeque::new();
        let journal = match &file.json {
            Some(path) if file.resume => Some(Journal::resume(path, |_, line: Line<S>| {
                let theirs = &line.experiment;
                ensure!(
                    *theirs == experiment,
                    "a step of another experiment: {theirs}"
                );
                done.push_back(line.step);
                Ok(())
            })?),
            Some(path) => Some(Journal::create(path, file.force)?),
            None => None,
        };
        Ok(Steps {
            experiment,
            done,
            journal,
        })
    }

    /// The next step: what the file has, or what `find` finds, which is written down.
    ///
    /// # Errors
    /// When nothing is found, or it cannot be written.
    pub fn next(&mut self, find: impl FnOnce() -> anyhow::Result<S>) -> anyhow::Result<S> {
        if let Some(step) = self.done.pop_front() {
            return Ok(step);
        }
        let line = Line {
            experiment: self.experiment.clone(),
            step: find()?,
        };
        if let Some(journal) = &mut self.journal {
            journal.append(&line)?;
        }
        Ok(line.step)
    }
}
