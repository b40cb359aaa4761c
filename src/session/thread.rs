//! The thread on which sessions think.
//!
//! It is made once, before anything is promised to the other end, and serves one session after the
//! other: a system that grants no more threads in the middle of a game cannot lose it.

use std::io;
use std::sync::mpsc::{self, Sender};
use std::thread::Builder;

type Job = Box<dyn FnOnce() + Send>;

/// A thread that does one job after the other, and ends once nobody holds it any more.
#[derive(Clone, Debug)]
pub struct ThinkingThread(Sender<Job>);

impl ThinkingThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system grants none.
    pub fn start() -> io::Result<ThinkingThread> {
        let (sender, jobs) = mpsc::channel::<Job>();
        let work = move || jobs.into_iter().for_each(|job| job());
        Builder::new().name("thinking".to_owned()).spawn(work)?;
        Ok(ThinkingThread(sender))
    }

    /// Does the job after those before it. Returns at once.
    pub(super) fn run(&self, job: impl FnOnce() + Send + 'static) {
        // The thread is gone only where a job before has panicked. This one is dropped then, with
        // the channel that it would have answered on.
        let _ = self.0.send(Box::new(job));
    }
}
