//! Where the threads of a search are, so that they go different ways.

use super::table;
use std::sync::atomic::{AtomicU64, Ordering};

/// The positions that threads are searching.
///
/// A position may pass for one of them where it is none, or the other way round: the order of the
/// moves goes by it, and no score.
pub struct Busy(Box<[AtomicU64]>);

/// Positions that are told apart, mostly: each thread is in a dozen or two.
const SLOTS_LOG2: u32 = 12;

/// No position: hardly a key has this hash.
const FREE: u64 = 0;

impl Busy {
    /// Nobody searches.
    pub fn new() -> Busy {
        let slots = (0..1 << SLOTS_LOG2).map(|_| AtomicU64::new(FREE));
        Busy(slots.collect())
    }

    /// Whether a thread is searching the position with this key.
    #[inline]
    pub fn has(&self, key: (u64, u64)) -> bool {
        let (slot, mark) = self.slot(key);
        slot.load(Ordering::Relaxed) == mark
    }

    /// A thread begins to search it.
    #[inline]
    pub fn enter(&self, key: (u64, u64)) {
        let (slot, mark) = self.slot(key);
        slot.store(mark, Ordering::Relaxed);
    }

    /// A thread is done with it. Another one that is still there is forgotten, too.
    #[inline]
    pub fn leave(&self, key: (u64, u64)) {
        let (slot, mark) = self.slot(key);
        if slot.load(Ordering::Relaxed) == mark {
            slot.store(FREE, Ordering::Relaxed);
        }
    }

    /// Where the position with this key is marked, and how.
    #[inline]
    fn slot(&self, key: (u64, u64)) -> (&AtomicU64, u64) {
        let mark = table::mix(key);
        (&self.0[(mark >> (64 - SLOTS_LOG2)) as usize], mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_busy_while_a_thread_is_there() {
        let busy = Busy::new();
        let keys = [(1, 0), (2, 0), (1, 1)];
        for key in keys {
            assert!(!busy.has(key));
            busy.enter(key);
            assert!(busy.has(key));
        }
        busy.leave(keys[1]);
        assert_eq!(keys.map(|key| busy.has(key)), [true, false, true]);
    }
}
