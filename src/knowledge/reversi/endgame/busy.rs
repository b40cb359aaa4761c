//! Where the threads of a search are, so that they go different ways.

use super::board::Board;
use super::table::hash;
use std::sync::atomic::{AtomicU64, Ordering};

/// The positions that threads are searching.
///
/// A position may pass for one of them where it is none, or the other way round: the order of the
/// moves goes by it, and no score.
pub struct Busy(Box<[AtomicU64]>);

/// Positions that are told apart, mostly: each thread is in a dozen or two.
const SLOTS_LOG2: u32 = 12;

/// No position: hardly a board has this hash.
const FREE: u64 = 0;

impl Busy {
    /// Nobody searches.
    pub fn new() -> Busy {
        let slots = (0..1 << SLOTS_LOG2).map(|_| AtomicU64::new(FREE));
        Busy(slots.collect())
    }

    /// Whether a thread is searching this board.
    #[inline]
    pub fn has(&self, board: Board) -> bool {
        let (slot, mark) = self.slot(board);
        slot.load(Ordering::Relaxed) == mark
    }

    /// A thread begins to search it.
    #[inline]
    pub fn enter(&self, board: Board) {
        let (slot, mark) = self.slot(board);
        slot.store(mark, Ordering::Relaxed);
    }

    /// A thread is done with it. Another one that is still there is forgotten, too.
    #[inline]
    pub fn leave(&self, board: Board) {
        let (slot, mark) = self.slot(board);
        if slot.load(Ordering::Relaxed) == mark {
            slot.store(FREE, Ordering::Relaxed);
        }
    }

    /// Where the board is marked, and how.
    #[inline]
    fn slot(&self, board: Board) -> (&AtomicU64, u64) {
        let mark = hash(board);
        (&self.0[(mark >> (64 - SLOTS_LOG2)) as usize], mark)
    }
}
