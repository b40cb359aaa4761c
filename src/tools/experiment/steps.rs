//! The steps of an experiment that is no match, in a file: what they found is not looked for again.

use super::findings::FindingsFile;
use crate::arena::records::journal::Journal;
use anyhow::ensure;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

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
    /// The steps of the experiment that is called so, settings included: steps of another one are refused.
    ///
    /// # Errors
    /// When the file cannot be read or written, or holds something else.
    pub fn open(file: &FindingsFile, experiment: String) -> anyhow::Result<Steps<S>> {
        let mut done = VecDeque::new();
        let journal = file.open(|_, line: Line<S>| {
            let theirs = &line.experiment;
            ensure!(
                *theirs == experiment,
                "a step of another experiment: {theirs}"
            );
            done.push_back(line.step);
            Ok(())
        })?;
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
