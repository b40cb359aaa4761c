//! The thread on which sessions think.
//!
//! It is made once, before anything is promised to the other end, and serves one session after the
//! other: a system that grants no more threads in the middle of a game cannot lose it.

use std::io;
use std::sync::mpsc::{self, Sender};
use std::thread::Builder;

type Job = Box<dyn FnOnce() + Send>;

/// A thread that does one job after the other, and ends once nobody holds it any more. `None`: each
/// job is done by the thread that asks for it.
#[derive(Clone, Debug)]
pub struct ThinkingThread(Option<Sender<Job>>);

impl ThinkingThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system grants none.
    pub fn start() -> io::Result<ThinkingThread> {
        let (sender, jobs) = mpsc::channel::<Job>();
        let work = move || jobs.into_iter().for_each(|job| job());
        Builder::new().name("thinking".to_owned()).spawn(work)?;
        Ok(ThinkingThread(Some(sender)))
    }

    /// The thread that calls, where there is no other: thinking blocks it.
    #[must_use]
    pub fn here() -> ThinkingThread {
        ThinkingThread(None)
    }

    /// Does the job after those before it. Returns at once, unless the job is done here.
    pub(super) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let Some(thread) = &self.0 else {
            return job();
        };
        // The thread is gone only where a job before has panicked. This one is dropped then, with
        // the channel that it would have answered on.
        let _ = thread.send(Box::new(job));
    }
}
