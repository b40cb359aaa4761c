//! One thread's part of the arena: fresh words, and free blocks by size.

use super::arena::Tree;
use super::words::{Block, MAX_CAPACITY, MAX_CHILDREN, largest_fit};
use std::sync::atomic::Ordering;

/// One thread's part of the arena: fresh words, and free blocks by size.
///
/// Free and dead blocks are lists linked through the blocks themselves: the first word holds
/// the next block's first word and the block's own count.
pub struct Allocator {
    fresh: std::ops::Range<u32>,
    /// By capacity.
    free: Box<[FreeList; MAX_CAPACITY as usize + 1]>,
    /// A bit for each capacity with many free blocks.
    plenty: [u64; MAX_CAPACITY as usize / 64 + 1],
    /// There was no room at the last asking.
    full: bool,
    /// Nodes made, less those given back, since the last report.
    made: u64,
}

/// Free blocks of one capacity.
#[derive(Clone, Copy, Default)]
struct FreeList {
    /// First word of the first block; 0: none.
    first: u32,
    length: u32,
}

/// This many free blocks of one size are plenty: then they are split for smaller ones. Fewer wait for
/// a use of their size, so that the arena does not fall to pieces. With more, less of the arena is in
/// use at the end of a game: `docs/EXPERIMENTS.md`, The arena.
const PLENTY: u32 = 4;

/// Dead blocks looked through before fresh memory is taken.
pub(super) const RECYCLED_AT_ONCE: usize = 4;

/// Dead blocks looked through at once when there is no fresh memory: some 50 µs at the most.
pub(super) const RECYCLED_WHEN_FULL: usize = 256;

impl Default for Allocator {
    fn default() -> Self {
        Allocator {
            fresh: 0..0,
            free: Box::new([FreeList::default(); MAX_CAPACITY as usize + 1]),
            plenty: [0; MAX_CAPACITY as usize / 64 + 1],
            full: false,
            made: 0,
        }
    }
}

impl Allocator {
    /// Whether there was no room at the last asking.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Something was discarded: there may be room again.
    pub fn try_again(&mut self) {
        self.full = false;
    }

    /// Tells the tree how many nodes were made. To be called now and then: threads that did so for
    /// every block would wait for each other.
    pub fn report(&mut self, tree: &Tree) {
        tree.nodes
            .fetch_add(std::mem::take(&mut self.made), Ordering::Relaxed);
    }

    /// A block of `count` children, 1 to [`MAX_CHILDREN`], not initialised. The time it takes
    /// is bounded.
    pub(super) fn allocate(&mut self, tree: &Tree, count: u32) -> Option<Block> {
        debug_assert!((1..=MAX_CHILDREN as u32).contains(&count));
        let capacity = tree.capacity(count);
        let room = self
            .take_free(tree, capacity)
            .or_else(|| self.recycle(tree, capacity, RECYCLED_AT_ONCE))
            .or_else(|| self.take_fresh(tree, capacity))
            .or_else(|| self.recycle(tree, capacity, RECYCLED_WHEN_FULL))
            .or_else(|| self.split_larger(tree, capacity));
        self.full = room.is_none() && tree.dead.load(Ordering::Relaxed) as u32 == 0;
        let room = room?;
        self.made = self.made.wrapping_add(count.into());
        Some(tree.block_in(room, count))
    }

    /// Gives a block back whose children have no children.
    fn free(&mut self, tree: &Tree, block: Block) {
        self.made = self.made.wrapping_sub(block.count.into());
        self.add_free(tree, tree.room_of(block));
    }

    fn add_free(&mut self, tree: &Tree, room: Block) {
        let list = &mut self.free[room.count as usize];
        link_free(tree, room, list.first);
        list.first = room.first;
        list.length += 1;
        self.note_plenty(room.count);
    }

    fn take_free(&mut self, tree: &Tree, capacity: u32) -> Option<Block> {
        let list = &mut self.free[capacity as usize];
        let (block, next) = read_free(tree, list.first)?;
        list.first = next;
        list.length -= 1;
        self.note_plenty(capacity);
        Some(block)
    }

    fn note_plenty(&mut self, capacity: u32) {
        let bit = 1 << (capacity % 64);
        let bits = &mut self.plenty[capacity as usize / 64];
        match self.free[capacity as usize].length {
            PLENTY.. => *bits |= bit,
            _ => *bits &= !bit,
        }
    }

    /// Frees up to `limit` dead blocks, until there is one of this capacity or there are plenty to
    /// split. A thread that went on would keep them from the others, and for long where the system
    /// stops it.
    fn recycle(&mut self, tree: &Tree, capacity: u32, limit: usize) -> Option<Block> {
        for _ in 0..limit {
            if self.smallest_plenty_above(capacity).is_some() {
                break;
            }
            let Some(block) = tree.take_dead() else {
                break;
            };
            for node in block.nodes() {
                if let Some(children) = tree.link(node).children() {
                    tree.discard(children);
                }
            }
            self.free(tree, block);
            if tree.capacity(block.count) == capacity {
                break;
            }
        }
        self.take_free(tree, capacity)
    }

    fn take_fresh(&mut self, tree: &Tree, capacity: u32) -> Option<Block> {
        let words = tree.node_words * capacity;
        if (self.fresh.len() as u32) < words {
            let rest = std::mem::replace(&mut self.fresh, tree.take_chunk());
            self.add_room(tree, rest.start, rest.len() as u32 / tree.node_words);
        }
        if (self.fresh.len() as u32) < words {
            return None;
        }
        let first = self.fresh.start;
        self.fresh.start += words;
        Some(Block {
            first,
            count: capacity,
        })
    }

    /// Room for `count` nodes serves as free blocks, the larger first.
    fn add_room(&mut self, tree: &Tree, mut first: u32, mut count: u32) {
        while count > 0 {
            let block = Block {
                first,
                count: largest_fit(count.min(MAX_CAPACITY)),
            };
            self.add_free(tree, block);
            first += tree.node_words * block.count;
            count -= block.count;
        }
    }

    fn split_larger(&mut self, tree: &Tree, capacity: u32) -> Option<Block> {
        let larger = self.smallest_plenty_above(capacity)?;
        let Block { first, .. } = self.take_free(tree, larger)?;
        let rest = first + tree.node_words * capacity;
        self.add_room(tree, rest, larger - capacity);
        Some(Block {
            first,
            count: capacity,
        })
    }

    fn smallest_plenty_above(&self, capacity: u32) -> Option<u32> {
        let from = capacity as usize + 1;
        (from / 64..self.plenty.len()).find_map(|word| {
            let below = if word == from / 64 { from % 64 } else { 0 };
            let bits = self.plenty[word] >> below << below;
            (bits != 0).then(|| word as u32 * 64 + bits.trailing_zeros())
        })
    }
}

/// Puts a block before the list that begins at `next`.
pub(super) fn link_free(tree: &Tree, block: Block, next: u32) {
    let word = u64::from(block.count) << 32 | u64::from(next);
    tree.word(block.first).store(word, Ordering::Relaxed);
}

/// The upper half of a list's head after one more change.
pub(super) fn next_tag(head: u64) -> u64 {
    (head >> 32).wrapping_add(1) << 32
}

/// The block at the beginning of a list and what follows it.
pub(super) fn read_free(tree: &Tree, first: u32) -> Option<(Block, u32)> {
    if first == 0 {
        return None;
    }
    let word = tree.word(first).load(Ordering::Relaxed);
    let count = (word >> 32) as u32;
    Some((Block { first, count }, word as u32))
}
