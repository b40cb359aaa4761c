//! Where the threads of an exact solver are, so that they go different ways.

use std::sync::atomic::{AtomicU64, Ordering};

/// The positions that threads are searching, by their hashes.
///
/// A position may pass for one of them where it is none, or the other way round: the order of the
/// moves goes by it, and no score.
pub struct Busy(Box<[AtomicU64]>);

/// Positions that are told apart, mostly: each thread is in a dozen or two.
const SLOTS_LOG2: u32 = 12;

/// No position: hardly one has this hash.
const FREE: u64 = 0;

impl Busy {
    /// Nobody searches.
    pub fn new() -> Busy {
        let slots = (0..1 << SLOTS_LOG2).map(|_| AtomicU64::new(FREE));
        Busy(slots.collect())
    }

    /// Whether a thread is searching the position with this hash.
    #[inline]
    pub fn has(&self, hash: u64) -> bool {
        self.slot(hash).load(Ordering::Relaxed) == hash
    }

    /// A thread begins to search it.
    #[inline]
    pub fn enter(&self, hash: u64) {
        self.slot(hash).store(hash, Ordering::Relaxed);
    }

    /// A thread is done with it. Another one that is still there is forgotten, too.
    #[inline]
    pub fn leave(&self, hash: u64) {
        if self.has(hash) {
            self.slot(hash).store(FREE, Ordering::Relaxed);
        }
    }

    /// Where the position with this hash is marked.
    #[inline]
    fn slot(&self, hash: u64) -> &AtomicU64 {
        &self.0[(hash >> (64 - SLOTS_LOG2)) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_busy_while_a_thread_is_there() {
        let busy = Busy::new();
        let hashes = [1, 2, 3].map(|place| place << 60);
        for hash in hashes {
            assert!(!busy.has(hash));
            busy.enter(hash);
            assert!(busy.has(hash));
        }
        busy.leave(hashes[1]);
        // In the place of another.
        busy.leave(hashes[0] | 1);
        assert_eq!(hashes.map(|hash| busy.has(hash)), [true, false, true]);
    }
}
