//! A thread's own copies of the stats that every playout changes.
//!
//! Several threads that add to the root and to the blocks just below it would spend their time
//! handing the same few cache lines to each other. So each of them keeps copies of the hottest
//! blocks, selects by these and adds to these, and only now and then brings its additions to the
//! tree and fetches those of the others (as Monty does; it made 64 threads four times as fast).
//!
//! ```text
//! slot      0    1 … n-1 | n …
//! stats   child of root  | children of a hot child …     what this thread sees
//! base    the same when last fetched                     stats - base: its own additions
//! below   where its children are copied, if they are
//! ```

use super::tree::{Block, Node, Stats, Tree};
use crate::simd::LANES;
use std::sync::atomic::{AtomicU64, Ordering};

/// No slot: the tree itself is used.
pub const NONE: u32 = u32::MAX;

/// A block is hot if this part of all playouts comes by. Two threads gain most with 128 to 512:
/// `docs/EXPERIMENTS.md`, Threads.
const HOT_PART: u32 = 256;

/// The most slots: to fetch them takes 20 to 90 µs.
const MAX_SLOTS: usize = 4096;

/// Where a block is copied, or [`Copied::NONE`]. Every slot has that of the children below it: from
/// one copy to the next is one load, for which each level of a descent has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The first word of the block, by which it is known.
    word: u32,
    /// The slot of its first child.
    slot: u32,
}

impl Copied {
    /// No block begins with that word.
    pub const NONE: Copied = Copied {
        word: 0,
        slot: NONE,
    };

    fn of(hot: &HotBlock) -> Copied {
        Copied {
            word: hot.block.first_word(),
            slot: hot.first,
        }
    }

    /// The slot of a child.
    #[inline]
    pub fn slot(self, child: usize) -> u32 {
        self.slot + child as u32
    }
}

/// Copies of the hottest blocks.
#[derive(Default)]
pub struct Hot {
    /// What this thread adds to the root.
    root: Stats,
    blocks: Vec<HotBlock>,
    /// By slot, and [`LANES`] more, so that as many can be read from any slot on.
    stats: Vec<AtomicU64>,
    base: Vec<u64>,
    below: Vec<Copied>,
}

/// A block that is copied, and its first slot.
struct HotBlock {
    block: Block,
    first: u32,
}

impl Hot {
    /// Where the root's children are copied: nowhere before anything was fetched.
    #[inline]
    pub fn top(&self) -> Copied {
        self.blocks.first().map_or(Copied::NONE, Copied::of)
    }

    /// The stats of this block, if it is the one that is copied there, and [`LANES`] words more. It is
    /// not once another has taken its place in the tree.
    #[inline]
    pub fn stats_of(&self, copied: Copied, block: Block) -> Option<&[AtomicU64]> {
        (copied.word == block.first_word()).then(|| &self.stats[copied.slot as usize..])
    }

    /// Where the children of a slot are copied.
    #[inline]
    pub fn below(&self, slot: u32) -> Copied {
        match slot {
            NONE => Copied::NONE,
            _ => self.below[slot as usize],
        }
    }

    /// The stats in a slot.
    #[inline]
    pub fn stats(&self, slot: u32) -> Stats {
        Stats::of_word(self.stats[slot as usize].load(Ordering::Relaxed))
    }

    /// The root's stats as this thread sees them.
    #[inline]
    pub fn root(&self, tree: &Tree) -> Stats {
        tree.stats(Node::ROOT).plus(self.root)
    }

    /// Adds to a slot.
    #[inline]
    pub fn add(&mut self, slot: u32, stats: Stats) {
        let word = self.stats[slot as usize].get_mut();
        *word = word.wrapping_add(stats.word());
    }

    /// Adds to the root.
    #[inline]
    pub fn add_to_root(&mut self, stats: Stats) {
        self.root = self.root.plus(stats);
    }

    /// Brings the additions to the tree.
    pub fn bring(&mut self, tree: &Tree) {
        tree.add(Node::ROOT, std::mem::take(&mut self.root), false);
        for &HotBlock { block, first } in &self.blocks {
            for (slot, node) in (first as usize..).zip(block.nodes()) {
                let added = self.stats[slot].get_mut().wrapping_sub(self.base[slot]);
                if added != 0 {
                    tree.add(node, Stats::of_word(added), false);
                }
            }
        }
        self.blocks.clear();
    }

    /// Copies the blocks that are hot now. What was added before must have been brought.
    pub fn fetch(&mut self, tree: &Tree) {
        self.stats.clear();
        self.base.clear();
        self.below.clear();
        let least = tree.stats(Node::ROOT).visits() / HOT_PART;
        self.blocks.extend(self.hot_block(tree, Node::ROOT, 0));
        let mut next = 0;
        let mut slots = self.blocks.first().map_or(0, |hot| hot.block.len());
        while let Some(&HotBlock { block, .. }) = self.blocks.get(next) {
            next += 1;
            for node in block.nodes() {
                let stats = tree.stats(node);
                self.stats.push(AtomicU64::new(stats.word()));
                self.base.push(stats.word());
                let hot = (stats.visits() > least)
                    .then(|| self.hot_block(tree, node, slots))
                    .flatten();
                self.below
                    .push(hot.as_ref().map_or(Copied::NONE, Copied::of));
                slots += hot.as_ref().map_or(0, |hot| hot.block.len());
                self.blocks.extend(hot);
            }
        }
        self.stats.extend((0..LANES).map(|_| AtomicU64::new(0)));
    }

    /// The block of a node's children, if it has room from this slot on.
    fn hot_block(&self, tree: &Tree, node: Node, first: usize) -> Option<HotBlock> {
        let block = tree.link(node).children()?;
        (first + block.len() <= MAX_SLOTS).then_some(HotBlock {
            block,
            first: first as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Allocator;
    use super::*;
    use crate::game::Move;

    /// A root with three children, the second with two of its own, and 1000 visits in all.
    fn tree() -> Tree {
        let mut allocator = Allocator::default();
        let tree = Tree::new(0, 1, false);
        let moves: Vec<Move> = (0..3).map(Move::new).collect();
        assert!(tree.expand(Node::ROOT, &moves, &[], true, &mut allocator));
        let block = tree.link(Node::ROOT).children().unwrap();
        assert!(tree.expand(block.node(0), &moves[..1], &[], true, &mut allocator));
        assert!(tree.expand(block.node(1), &moves[..2], &[], true, &mut allocator));
        tree.add(Node::ROOT, Stats::new(1000, 0), true);
        tree.add(block.node(0), Stats::new(2, 0), true);
        tree.add(block.node(1), Stats::new(90, 7), true);
        tree
    }

    #[test]
    fn the_hottest_blocks_are_copied() {
        let tree = tree();
        let mut hot = Hot::default();
        assert_eq!(hot.top(), Copied::NONE);
        hot.fetch(&tree);
        let top = hot.top();
        let few = hot.below(top.slot(0));
        assert_eq!(few, Copied::NONE, "2 visits of 1000 are few");
        assert_eq!(hot.stats(top.slot(1)), Stats::new(90, 7));
        let below = hot.below(top.slot(1));
        assert_eq!([below.slot(0), below.slot(1)], [3, 4]);
        assert_eq!(hot.below(4), Copied::NONE);
        let [first, second] = [0, 1].map(|child| {
            let parent = tree.link(Node::ROOT).children().unwrap().node(child);
            tree.link(parent).children().unwrap()
        });
        assert_eq!(hot.stats_of(below, second).unwrap().len(), 2 + LANES);
        assert!(hot.stats_of(below, first).is_none());
        assert!(hot.stats_of(Copied::NONE, first).is_none());
    }

    #[test]
    fn additions_of_two_threads_come_together() {
        let tree = tree();
        let mut threads = [Hot::default(), Hot::default()];
        for (hot, visits) in threads.iter_mut().zip([5, 6]) {
            hot.fetch(&tree);
            hot.add_to_root(Stats::new(visits, 0));
            hot.add(1, Stats::new(visits, 1));
            assert_eq!(hot.stats(1), Stats::new(90 + visits, 8));
            assert_eq!(u64::from(hot.root(&tree).visits()), 1000 + visits);
        }
        for hot in &mut threads {
            hot.bring(&tree);
        }
        let block = tree.link(Node::ROOT).children().unwrap();
        assert_eq!(tree.stats(Node::ROOT), Stats::new(1011, 0));
        assert_eq!(tree.stats(block.node(1)), Stats::new(101, 9));
        let [hot, _] = &mut threads;
        hot.fetch(&tree);
        hot.bring(&tree);
        assert_eq!(
            tree.stats(block.node(1)),
            Stats::new(101, 9),
            "brought once"
        );
    }
}
