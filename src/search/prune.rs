//! Room in a full tree: the least visited subtrees are dropped.
//!
//! A thread that finds the arena full goes on without new children to the end of its playouts
//! under way, and then takes some subtrees out of the tree. Other threads may be inside of them,
//! so the memory serves again only when each of them has begun new playouts since.

use super::tree::{Allocator, Block, Node, Tree};
use std::sync::atomic::{AtomicU64, Ordering, fence};

/// Subtrees that are dropped at once: some 20 µs.
const DROPPED_AT_ONCE: usize = 16;

/// A subtree may have this part of all visits to be dropped whole. (Guess: the smaller, the
/// more often the tree is looked through.)
const SMALL_PART: u32 = 1 << 12;

/// How often each thread of a search was in a quiescent state: outside of the tree, between two
/// playouts (quiescent-state-based reclamation, Hart et al. 2007).
pub struct QuiescentCounts(Box<[AtomicU64]>);

/// The count of a thread that will not go into the tree any more.
const GONE: u64 = u64::MAX;

impl QuiescentCounts {
    /// The counts of this many threads.
    pub fn new(threads: usize) -> QuiescentCounts {
        QuiescentCounts((0..threads).map(|_| AtomicU64::new(0)).collect())
    }

    /// This thread is outside now.
    pub fn pause(&self, thread: usize) {
        if self.0.len() > 1
            && let Some(counts) = self.0.get(thread)
        {
            counts.fetch_add(1, Ordering::Release);
            fence(Ordering::SeqCst);
        }
    }

    /// This thread is outside for good.
    pub fn leave(&self, thread: usize) {
        if let Some(counts) = self.0.get(thread) {
            counts.store(GONE, Ordering::Release);
        }
    }

    fn now(&self) -> impl Iterator<Item = u64> {
        fence(Ordering::SeqCst);
        self.0.iter().map(|counts| counts.load(Ordering::Acquire))
    }
}

/// What one thread has dropped and others may still be in.
#[derive(Default)]
pub struct Dropped {
    blocks: Vec<Block>,
    /// The quiescent counts of all threads when the blocks had been taken out.
    since: Vec<u64>,
}

impl Dropped {
    /// Makes room if the arena is full. To be called by `thread` while it is outside of the tree.
    /// Returns true when blocks were given back, whose words other blocks may take from now on.
    pub fn make_room(
        &mut self,
        tree: &Tree,
        allocator: &mut Allocator,
        counts: &QuiescentCounts,
        thread: usize,
    ) -> bool {
        if self.blocks.is_empty() && allocator.is_full() {
            self.drop_least_visited(tree);
            self.since.clear();
            self.since.extend(counts.now());
        }
        let mut others = (0..).zip(self.since.iter().zip(counts.now()));
        let all_paused = others.all(|(other, (&then, now))| other == thread || now > then);
        let released = !self.blocks.is_empty() && all_paused;
        if released {
            self.release(tree, allocator);
        }
        released
    }

    /// Takes out subtrees that together are a small part of the tree, or one that is not.
    fn drop_least_visited(&mut self, tree: &Tree) {
        let small = tree.stats(Node::ROOT).visits() / SMALL_PART;
        let mut visits = 0;
        for _ in 0..DROPPED_AT_ONCE {
            let Some(node) = least_visited(tree, small) else {
                return;
            };
            self.blocks.extend(tree.take_children(node));
            visits += tree.stats(node).visits();
            if visits >= small {
                return;
            }
        }
    }

    /// Gives all of it back. To be called while nobody else can be inside.
    pub fn release(&mut self, tree: &Tree, allocator: &mut Allocator) {
        for block in self.blocks.drain(..) {
            tree.discard(block);
        }
        allocator.try_again();
    }
}

/// From the root to the child with the fewest visits that has children, and on, until the node has
/// no more than `small` visits or no grandchildren.
fn least_visited(tree: &Tree, small: u32) -> Option<Node> {
    let mut node = Node::ROOT;
    loop {
        let children = tree.link(node).children()?.nodes();
        let parents = children.filter(|&child| tree.link(child).children().is_some());
        match parents.min_by_key(|&child| tree.stats(child).visits()) {
            Some(child) if tree.stats(child).visits() <= small => return Some(child),
            Some(child) => node = child,
            None => return (node != Node::ROOT).then_some(node),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Stats;
    use super::*;
    use crate::game::Move;

    /// A root with three children, visited 5000 times, 40 times and once, each with two of its
    /// own.
    fn tree(allocator: &mut Allocator) -> (Tree, Vec<Node>) {
        let tree = Tree::new(0, 1, false);
        let moves: Vec<Move> = (0..3).map(Move::new).collect();
        assert!(tree.expand(Node::ROOT, &moves, &[], true, allocator));
        let children = tree.link(Node::ROOT).children().unwrap();
        let children: Vec<Node> = children.nodes().collect();
        for (&child, visits) in children.iter().zip([5000, 40, 1]) {
            tree.add(child, Stats::new(visits, 0), true);
            tree.add(Node::ROOT, Stats::new(visits, 0), true);
            assert!(tree.expand(child, &moves[1..], &[], true, allocator));
        }
        (tree, children)
    }

    fn parents(tree: &Tree, children: &[Node]) -> Vec<bool> {
        let has_children = |&child| tree.link(child).children().is_some();
        children.iter().map(has_children).collect()
    }

    #[test]
    fn the_least_visited_are_dropped_first() {
        let mut allocator = Allocator::default();
        let (tree, children) = tree(&mut allocator);
        let mut dropped = Dropped::default();
        for left in [[true, true, false], [true, false, false], [false; 3]] {
            dropped.drop_least_visited(&tree);
            assert_eq!(parents(&tree, &children), left);
        }
        dropped.drop_least_visited(&tree);
        assert_eq!(dropped.blocks.len(), 3, "the root keeps its children");
        allocator.report(&tree);
        let nodes = tree.nodes();
        dropped.release(&tree, &mut allocator);
        assert!(tree.expand(children[0], &[Move::new(1)], &[], true, &mut allocator));
        allocator.report(&tree);
        assert!(tree.nodes() < nodes, "what was dropped is recycled");
        assert_eq!(tree.stats(children[2]), Stats::new(1, 0));
    }

    #[test]
    fn nothing_is_recycled_while_others_may_be_inside() {
        let mut allocator = Allocator::default();
        let (tree, children) = tree(&mut allocator);
        tree.take_children(children[0]);
        while tree.expand(children[0], &[Move::new(0); 400], &[], true, &mut allocator) {
            tree.take_children(children[0]);
        }
        assert!(allocator.is_full());
        let counts = QuiescentCounts::new(3);
        let mut dropped = Dropped::default();
        let mut room = |counts: &QuiescentCounts| {
            dropped.make_room(&tree, &mut allocator, counts, 1);
            !allocator.is_full()
        };
        assert!(!room(&counts));
        counts.pause(0);
        counts.pause(1);
        assert!(!room(&counts), "the last thread is still inside");
        counts.leave(2);
        assert!(room(&counts));
    }
}
