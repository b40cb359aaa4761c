//! The arena: the words of all nodes, and what is done to them.

use super::allocator::{Allocator, link_free, next_tag, read_free};
use super::positions::Positions;
use super::words::{
    Block, CHILD_MASK, COMPLETE, COUNT_SHIFT, EXPANDING, HEIR, Header, Link, MAX_CAPACITY,
    MAX_CHILDREN, Node, OPINION_MASK, Opinion, Stats, capacity,
};
use crate::game::Move;
use crate::knowledge::Proof;
use crate::simd::{LANES, prefetch};
use std::iter::repeat;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Words that an allocator takes from the arena at once (32 KiB).
const CHUNK: u32 = 4096;

/// Words of a node with an opinion.
const MAX_NODE_WORDS: u32 = 3;

/// The first word that is not the root's.
const AFTER_ROOT: u32 = 1 + MAX_NODE_WORDS;

/// Words of the smallest page of memory (4 KiB).
const PAGE: usize = 512;

const _: () = assert!(MAX_NODE_WORDS * MAX_CAPACITY < CHUNK);

/// The arena and the root in it. Shared by the threads of a search.
pub struct Tree {
    words: Box<[AtomicU64]>,
    /// Words of a node: 3 with opinions, 2 without.
    pub(super) node_words: u32,
    /// The first word that no allocator has taken yet.
    untouched: AtomicU32,
    /// The dead blocks whose own children are not yet freed: the first word of the first one
    /// in the lower half (0: none), and in the upper half a count of all changes, so that a
    /// thread which looks at the list while others change it cannot be deceived (Treiber's
    /// stack with a tag).
    pub(super) dead: AtomicU64,
    /// The root, and the nodes in blocks that are in use.
    pub(super) nodes: AtomicU64,
    /// Where nodes share children: which blocks there are.
    pub(super) positions: Option<Positions>,
}

impl Tree {
    /// A tree of one root with no children, in an arena of at most `bytes` bytes (rounded down
    /// to whole words, but never below two chunks for each of `allocators`).
    ///
    /// If the system does not have so much, the arena is smaller, and the log says so.
    /// `opinions`: whether the nodes have any.
    pub fn new(bytes: u64, allocators: usize, opinions: bool) -> Tree {
        let least = 2 * u64::from(CHUNK) * allocators as u64;
        let words = (bytes / 8).clamp(least, CHILD_MASK - LANES as u64 - 1);
        Tree {
            words: reserve(words as usize + LANES),
            node_words: if opinions { MAX_NODE_WORDS } else { 2 },
            untouched: AtomicU32::new(AFTER_ROOT),
            dead: AtomicU64::new(0),
            nodes: AtomicU64::new(1),
            positions: None,
        }
    }

    /// Makes the root a leaf with no visits and forgets everything else. The allocators of
    /// this tree must be made anew.
    pub fn clear(&mut self) {
        *self.untouched.get_mut() = AFTER_ROOT;
        *self.dead.get_mut() = 0;
        *self.nodes.get_mut() = 1;
        self.positions = self.positions.take().map(Positions::cleared);
        self.store_stats(Node::ROOT, Stats::default());
        self.store_link(Node::ROOT, Link::default());
        self.store_opinion(Node::ROOT, Opinion::default());
    }

    /// Bytes that the arena may come to use.
    #[cfg(test)]
    pub fn bytes(&self) -> u64 {
        u64::from(self.end()) * 8
    }

    /// The first of the words that are no node's, for [`words_of`](Self::words_of).
    pub(super) fn end(&self) -> u32 {
        (self.words.len() - LANES) as u32
    }

    /// Nodes made and not yet recycled, the root included, as far as the allocators have
    /// [reported](Allocator::report) them.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// The visits and the sum of a node.
    pub fn stats(&self, node: Node) -> Stats {
        Stats(self.word(node.stats).load(Ordering::Relaxed))
    }

    /// The link of a node. A thread that sees a block of children sees them initialised.
    pub fn link(&self, node: Node) -> Link {
        Link(self.word(node.link).load(Ordering::Acquire))
    }

    /// The stats of a block and [`LANES`] words more, so that as many can be read from any of its
    /// words on.
    #[inline]
    pub fn stats_of(&self, block: Block) -> &[AtomicU64] {
        let first = block.first as usize;
        &self.words[first..first + block.len() + LANES]
    }

    /// Asks for the links of the first sixteen nodes of a block that is about to be looked through: one of
    /// them is wanted as soon as that is done, while all else is read at once.
    #[inline]
    pub fn fetch(&self, block: Block) {
        let links = (block.first + block.count) as usize;
        for link in [0, LANES, 2 * LANES - 1] {
            if let Some(word) = self.words.get(links + link) {
                prefetch(word);
            }
        }
    }

    /// Whether the nodes have opinions.
    pub fn has_opinions(&self) -> bool {
        self.node_words == MAX_NODE_WORDS
    }

    /// The opinions of a block and [`LANES`] words more, in a tree that has them.
    #[inline]
    pub fn opinions_of(&self, block: Block) -> &[AtomicU64] {
        let first = block.opinions() as usize;
        &self.words[first..first + block.len() + LANES]
    }

    /// What is thought of a node, in a tree that has opinions.
    pub fn opinion(&self, node: Node) -> Opinion {
        Opinion(self.word(node.opinion()).load(Ordering::Relaxed))
    }

    /// The greatest value of children, 0..1 for the side to move there. `None`: none is known, as in a tree
    /// without opinions.
    pub fn best_value(&self, children: Block) -> Option<f32> {
        if !self.has_opinions() {
            return None;
        }
        let opinions = self.opinions_of(children).iter().take(children.len());
        let values = opinions.map(|word| word.load(Ordering::Relaxed) & OPINION_MASK);
        let best = values.max().unwrap_or_default();
        Opinion(best).value()
    }

    /// Changes the value of a node, 0..1 for the player who moved in. Where two
    /// threads do so at the same time, one is forgotten until the next playout comes by.
    pub fn set_value(&self, node: Node, value: f32) {
        self.store_opinion(node, self.opinion(node).with_value(Some(value)));
    }

    /// Adds visits and score. `alone`: no other thread works on the tree, or what others add in the
    /// same nanoseconds may be lost, or for as long as the system stops this thread just then. That
    /// happens seldom and changes nothing that matters (Enzenberger and Müller, A Lock-free
    /// Multithreaded Monte-Carlo Tree Search Algorithm, 2010).
    pub fn add(&self, node: Node, stats: Stats, alone: bool) {
        let word = self.word(node.stats);
        if alone {
            let sum = word.load(Ordering::Relaxed).wrapping_add(stats.0);
            word.store(sum, Ordering::Relaxed);
        } else {
            word.fetch_add(stats.0, Ordering::Relaxed);
        }
    }

    /// Gives `node` children with these moves, and opinions if the tree has them: those that are
    /// missing are empty. Returns false when another thread is doing so, or when there is no room:
    /// then the node stays a leaf.
    pub fn expand(
        &self,
        node: Node,
        moves: &[Move],
        opinions: &[Opinion],
        complete: bool,
        allocator: &mut Allocator,
    ) -> bool {
        let link = self.word(node.link);
        let claim = |old: u64| (old & CHILD_MASK == 0).then_some(old | EXPANDING);
        if link
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim)
            .is_err()
        {
            return false;
        }
        let block = allocator.allocate(self, moves.len() as u32);
        let child = match block {
            Some(block) => {
                self.initialise(block, moves, opinions);
                let header = Header::new(block, complete);
                self.store_header(block, header);
                header.link_bits(block.first)
            }
            None => 0,
        };
        let publish = |old: u64| Some(old & !CHILD_MASK | child);
        let _ = link.fetch_update(Ordering::Release, Ordering::Relaxed, publish);
        block.is_some()
    }

    /// Records the exact result for the player who moved into `node`.
    pub fn prove(&self, node: Node, proof: Proof) {
        let set = |old: u64| Some(Link(old).with_proof(proof).0);
        let _ = self
            .word(node.link)
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, set);
        if self.has_opinions() {
            self.set_value(node, proof.result.score());
        }
    }

    /// Forgets the exact result of a node.
    pub fn unprove(&mut self, node: Node) {
        let link = self.link(node).without_proof();
        self.store_link(node, link);
    }

    /// Records that a child of `node` is proven.
    pub fn mark_proven_child(&self, node: Node) {
        self.word(node.link).fetch_or(HEIR, Ordering::Relaxed);
    }

    /// Makes the child `kept` of the root the root, with its whole subtree. What lay beside it
    /// is dead, and the allocators recycle it little by little; this call takes the same time
    /// whatever the size of the tree.
    pub fn reroot(&mut self, kept: Node) {
        let (stats, link) = (self.stats(kept), self.link(kept));
        let opinion = self.has_opinions().then(|| self.opinion(kept));
        if let Some(block) = self.link(Node::ROOT).children() {
            self.store_link(kept, Link::default());
            self.discard(block);
        }
        self.store_opinion(Node::ROOT, opinion.unwrap_or_default());
        self.store_stats(Node::ROOT, stats);
        self.store_link(Node::ROOT, link);
    }

    /// Makes a node a leaf again, its stats and its proof kept. Returns the block of its children,
    /// in which other threads may still be. `None`: it has none, or another thread was faster.
    pub fn take_children(&self, node: Node) -> Option<Block> {
        const OF_CHILDREN: u64 =
            CHILD_MASK | (MAX_CHILDREN as u64) << COUNT_SHIFT | COMPLETE | HEIR;
        let mut taken = None;
        let take = |old: u64| {
            taken = Link(old).children();
            taken.map(|_| old & !OF_CHILDREN)
        };
        self.word(node.link)
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, take)
            .ok()?;
        taken
    }

    /// Gives a block up, with everything below it, unless other nodes have it, too.
    pub fn discard(&self, block: Block) {
        if !self.disown(block) {
            return;
        }
        let push = |head: u64| {
            link_free(self, block, head as u32);
            Some(next_tag(head) | u64::from(block.first))
        };
        let _ = self
            .dead
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, push);
    }

    /// A dead block, which is the caller's alone from now on.
    pub(super) fn take_dead(&self) -> Option<Block> {
        let mut taken = None;
        let pop = |head: u64| {
            let (block, next) = read_free(self, head as u32)?;
            taken = Some(block);
            Some(next_tag(head) | u64::from(next))
        };
        self.dead
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, pop)
            .ok()?;
        taken
    }

    /// How many nodes' room a block of `count` children takes: one more for a header.
    pub(super) fn capacity(&self, count: u32) -> u32 {
        capacity(count + u32::from(self.shares_children()))
    }

    /// The room that a block takes: its first word, and how many nodes find room there.
    pub(super) fn room_of(&self, block: Block) -> Block {
        Block {
            first: block.first - u32::from(self.shares_children()),
            count: self.capacity(block.count),
        }
    }

    /// The block of `count` children in a room.
    pub(super) fn block_in(&self, room: Block, count: u32) -> Block {
        let first = room.first + u32::from(self.shares_children());
        Block { first, count }
    }

    /// The word that says more of a block, where nodes share children.
    pub(super) fn header_of(&self, block: Block) -> u32 {
        block.first - 1
    }

    fn store_header(&self, block: Block, header: Header) {
        if self.shares_children() {
            self.word(self.header_of(block))
                .store(header.0, Ordering::Release);
        }
    }

    fn initialise(&self, block: Block, moves: &[Move], opinions: &[Opinion]) {
        for (node, &mv) in block.nodes().zip(moves) {
            self.store_stats(node, Stats::default());
            self.store_link(node, Link::leaf(mv));
        }
        if self.has_opinions() {
            let opinions = opinions.iter().copied().chain(repeat(Opinion::default()));
            for (node, opinion) in block.nodes().zip(opinions) {
                self.store_opinion(node, opinion);
            }
        }
    }

    fn store_opinion(&self, node: Node, opinion: Opinion) {
        self.word(node.opinion())
            .store(opinion.0, Ordering::Relaxed);
    }

    fn store_stats(&self, node: Node, stats: Stats) {
        self.word(node.stats).store(stats.0, Ordering::Relaxed);
    }

    fn store_link(&self, node: Node, link: Link) {
        self.word(node.link).store(link.0, Ordering::Relaxed);
    }

    pub(super) fn word(&self, index: u32) -> &AtomicU64 {
        &self.words[index as usize]
    }

    /// Words for an allocator: a chunk, or what is left of the arena. Empty when nothing is.
    pub(super) fn take_chunk(&self) -> std::ops::Range<u32> {
        let end = self.end();
        let take = |from: u32| (from < end).then(|| from + CHUNK.min(end - from));
        let taken = self
            .untouched
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        let Ok(from) = taken else {
            return 0..0;
        };
        let chunk = from..from + CHUNK.min(end - from);
        self.touch(chunk.clone());
        chunk
    }

    /// Has the system give memory for these words, which nobody uses. Selection reads some words
    /// behind a block: a page that is read before it is written takes the system two steps, and for
    /// the second it interrupts all threads.
    fn touch(&self, words: std::ops::Range<u32>) {
        let last = words.end - 1;
        for word in words.step_by(PAGE).chain([last]) {
            self.word(word).store(0, Ordering::Relaxed);
        }
    }
}

/// Zeroed words, or half as many as long as the system refuses.
fn reserve(words: usize) -> Box<[AtomicU64]> {
    match bytemuck::allocation::try_zeroed_slice_box(words) {
        Ok(arena) => arena,
        Err(()) => {
            log::warn!("no memory for a tree of {} MiB: trying half", words >> 17);
            reserve(words / 2)
        }
    }
}
