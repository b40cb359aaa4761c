//! Many positions worked on by several threads.

use super::BookArgs;
use super::partial::{Partial, column_of, partial_path};
use crate::knowledge::connect4::solver::Solver;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::Write;
use std::sync::Mutex;
use std::sync::mpsc::{self, Sender};
use std::thread::Builder;
use std::time::Duration;

/// A position to be worked on, and the number of its letter in the partial file.
pub struct Job {
    /// The number of its letter.
    pub number: usize,
    /// The key of the position.
    pub key: u64,
}

/// The positions with these keys; the first has the letter `first`.
pub fn numbered(first: usize, keys: &[u64]) -> impl Iterator<Item = Job> {
    (first..)
        .zip(keys)
        .map(|(number, &key)| Job { number, key })
}

/// The work on a book.
pub struct Work<'a> {
    /// Each thread has a sibling of it.
    solver: &'a Solver,
    threads: u32,
    /// What is done.
    pub partial: Partial,
}

impl<'a> Work<'a> {
    /// Begins or goes on with a book of so many scores and columns: see [`Partial::open`].
    pub fn begin(
        args: &BookArgs,
        solver: &'a Solver,
        title: &str,
        scored: usize,
        columns: usize,
    ) -> anyhow::Result<Work<'a>> {
        Ok(Work {
            solver,
            threads: args.threads,
            partial: Partial::open(&partial_path(&args.out), title, scored, columns)?,
        })
    }

    /// Finds the letters of those jobs that have none, and puts them into the partial file.
    pub fn go_through(
        &mut self,
        jobs: impl Iterator<Item = Job>,
        letter: impl Fn(&Solver, &Job) -> anyhow::Result<u8> + Sync,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        /// Neighbours by key have columns in common, so the thread's own table serves them all.
        const TOGETHER: usize = 16;
        let jobs: Vec<Job> = jobs.collect();
        let all = jobs.len();
        let is_open = |job: &Job| self.partial.letter(job.number) == Partial::OPEN;
        let open: Vec<Job> = jobs.into_iter().filter(is_open).collect();
        writeln!(
            out,
            "{all} positions, {} of them done before",
            all - open.len()
        )?;
        out.flush()?;
        let progress = Progress::new(open.len() as u64);
        let parts = Mutex::new(open.chunks(TOGETHER));
        let take = || parts.lock().ok()?.next();
        let work = |results: Sender<anyhow::Result<(usize, u8)>>| {
            let solver = self.solver.sibling();
            while let Some(jobs) = take() {
                for job in jobs {
                    let found = letter(&solver, job).map(|letter| (job.number, letter));
                    // The receiver is gone after an error: then nobody needs the rest.
                    if results.send(found).is_err() {
                        return;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            let (sender, results) = mpsc::channel();
            for _ in 0..self.threads {
                let sender = sender.clone();
                let begun = Builder::new().spawn_scoped(scope, || work(sender));
                let refused = || format!("the system does not grant {} threads", self.threads);
                begun.with_context(refused)?;
            }
            drop(sender);
            for result in results {
                let (number, letter) = result?;
                self.partial.put(number, letter)?;
                progress.step(out)?;
            }
            anyhow::Ok(())
        })?;
        progress.finish();
        Ok(())
    }

    /// The columns that were found of these jobs, by the keys of their positions.
    pub fn columns(&self, jobs: impl Iterator<Item = Job>) -> Vec<(u64, u8)> {
        let column = |job: Job| Some((job.key, column_of(self.partial.letter(job.number))?));
        jobs.filter_map(column).collect()
    }
}

/// How far the work is: a bar, or lines where there is no terminal.
struct Progress(ProgressBar);

impl Progress {
    fn new(open: u64) -> Progress {
        let bar = ProgressBar::new(open);
        let template = "{elapsed} [{wide_bar}] {pos}/{len} positions, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        Progress(bar)
    }

    /// One position more is solved. A line, if it is time for one, goes to `plain`.
    fn step(&self, plain: &mut dyn Write) -> anyhow::Result<()> {
        const LINES: u64 = 1000;
        let bar = &self.0;
        bar.inc(1);
        let (all, done) = (bar.length().unwrap_or(0), bar.position());
        if bar.is_hidden() && done.is_multiple_of(all.div_ceil(LINES).max(1)) {
            writeln!(
                plain,
                "{done}/{all} in {:.0} s",
                bar.elapsed().as_secs_f64()
            )?;
            plain.flush()?;
        }
        Ok(())
    }

    fn finish(self) {
        self.0.finish_and_clear();
    }
}
