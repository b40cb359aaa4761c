//! When a search ends.

use crate::clock::{Budget, Instant};
use once_cell::race::OnceBox;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Playouts of one rollout each between two looks at the clock: some 50 µs, half a millisecond where
/// rules are slow. Learned values and proofs of leaves take longer, up to some milliseconds. With
/// fewer, threads hand the counter of tickets to each other too often: see `docs/EXPERIMENTS.md`,
/// Threads.
pub const POLL_EVERY: u32 = 64;

/// The most polls of one of several threads between two exchanges with the others. The more, the
/// less do they wait for each other and the older is what they know.
pub const POLLS_ALONE: u32 = 64;

/// After how long they exchange in any case, where playouts are slow: a guess. So many polls of rollouts
/// take about as long in Connect Four.
pub const LONGEST_ALONE: Duration = Duration::from_millis(5);

/// What bounds a search. With neither budget nor playouts it goes on until it is stopped, its
/// root is proven, or the counters of a node are full.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// When the clock began to run.
    pub since: Instant,
    /// The time, counted from `since`.
    pub budget: Option<Budget>,
    /// The most playouts of this search.
    pub playouts: Option<u64>,
    /// How often to report. `None`: never.
    pub report_every: Option<Duration>,
}

impl Limits {
    /// Until it is stopped.
    #[must_use]
    pub fn unlimited(since: Instant) -> Limits {
        Limits {
            since,
            budget: None,
            playouts: None,
            report_every: None,
        }
    }

    /// This many playouts, however long they take.
    #[must_use]
    pub fn playouts(since: Instant, playouts: u64) -> Limits {
        Limits {
            playouts: Some(playouts),
            ..Limits::unlimited(since)
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Somebody asked.
    Asked,
    /// The time was up.
    Time,
    /// All playouts were made.
    Playouts,
    /// The root is proven.
    Proven,
    /// There is only one move, and a clock is running.
    OnlyMove,
    /// The visits of the root, or of a node below it, can be counted no further.
    Visits,
}

/// The one flag that every thread of a search polls: the reason to stop, published once by
/// the thread that finds it first.
#[derive(Debug, Default)]
pub struct StopFlag(OnceBox<End>);

impl StopFlag {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> StopFlag {
        StopFlag::default()
    }

    /// Ends the search. A reason given before stands. Does not block.
    pub fn set(&self, end: End) {
        // The reason that came second is dropped.
        let _ = self.0.set(Box::new(end));
    }

    /// Why the search ended, if it did.
    #[must_use]
    pub fn get(&self) -> Option<End> {
        self.0.get().copied()
    }
}

/// Hands the playouts of a limit out to the threads, none twice.
pub struct Tickets {
    limit: u64,
    left: AtomicU64,
}

impl Tickets {
    /// As many tickets as the limit says, or as good as endless.
    pub fn new(limit: Option<u64>) -> Tickets {
        let limit = limit.unwrap_or(u64::MAX);
        Tickets {
            limit,
            left: AtomicU64::new(limit),
        }
    }

    /// Up to `count` tickets; 0 when all are gone. Who takes a ticket makes the playout.
    pub fn take(&self, count: u32) -> u32 {
        let share = |left: u64| left.min(u64::from(count));
        let take = |left: u64| Some(left - share(left));
        match self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
        {
            Ok(left) | Err(left) => share(left) as u32,
        }
    }

    /// Tickets taken so far.
    pub fn taken(&self) -> u64 {
        self.limit - self.left.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_are_handed_out_once() {
        let tickets = Tickets::new(Some(40));
        let taken: Vec<u32> = (0..4).map(|_| tickets.take(16)).collect();
        assert_eq!(taken, [16, 16, 8, 0]);
        assert_eq!(tickets.taken(), 40);
    }

    #[test]
    fn the_first_reason_stands() {
        let flag = StopFlag::new();
        assert_eq!(flag.get(), None);
        flag.set(End::Time);
        flag.set(End::Asked);
        assert_eq!(flag.get(), Some(End::Time));
    }
}
