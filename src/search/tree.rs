//! The tree: one arena of a stated number of bytes.
//!
//! The arena is an array of 64-bit words. The children of a node lie together in one block, as
//! a structure of arrays, so that selection scans consecutive words:
//!
//! ```text
//! block of n children, 2n words:   stats 0 … stats n-1 | link 0 … link n-1
//!            or, with PUCT, 3n:   and after them | opinion 0 … opinion n-1
//!
//! stats   63        36 35                                0
//!         |  visits   |  sum of scores, SCALE a playout   |
//! link    63   62  61   53 52   51 50   42 41    32 31    0
//!         |heir|all| plies |proof |count  | move   | child |
//! ```
//!
//! opinion 63                       32 31                 0
//!         |  prior, 2^24 is certain  |  value, 2^24 a win |
//!
//! A node is 16 bytes, and 24 where the search keeps opinions: its stats belong to the player who moved into it. Both halves of a stats
//! word change in one addition, so a reader never sees a visit without its score. `child` is
//! the first word of the children's block (0: none; [`EXPANDING`]: another thread is making
//! it), `count` how many there are, `all` whether they stand for every legal move (see
//! `Expansion::complete`), `heir` whether any of them is proven. `proof` and `plies` are the
//! exact result for the player who moved in, and the plies from here to the end.
//!
//! What is given up serves again: dead blocks are taken apart little by little, and wait in lists by
//! size (see `Allocator`). Blocks come in few sizes, so that one fits where another was.
//!
//! The words are zeroed by the system when first touched, so a large arena costs nothing until
//! it is used. Words 1 to 3 are the root's block.

use super::evaluate::SCALE;
use super::options::{MAX_THREADS, MAX_VIRTUAL_LOSS};
use super::{POLL_EVERY, POLLS_ALONE};
use crate::game::Move;
use crate::knowledge::{Proof, ProofResult};
use crate::simd::{LANES, Simd};
use std::iter::repeat;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The most children a node can have: nine bits.
pub const MAX_CHILDREN: usize = (1 << COUNT_BITS) - 1;

/// Bytes of one node without an opinion.
pub const NODE_BYTES: usize = 16;

/// Visits at which the search must end, lest the 28 bits overflow.
pub const MAX_VISITS: u64 = (1 << (64 - SUM_BITS)) - MAX_UNSEEN;

/// More visits than all threads together can add before they see them: playouts, those of the last
/// node's children among them, and virtual loss.
const MAX_UNSEEN: u64 = 1 << 24;

const SUM_BITS: u32 = 36;
const SUM_MASK: u64 = (1 << SUM_BITS) - 1;
const MOVE_SHIFT: u32 = 32;
const MOVE_MASK: u64 = Move::LIMIT as u64 - 1;
const COUNT_BITS: u32 = 9;
const COUNT_SHIFT: u32 = 42;
const PROOF_SHIFT: u32 = 51;
const PLIES_SHIFT: u32 = 53;
const PLIES_MASK: u64 = 0x1ff;
const COMPLETE: u64 = 1 << 62;
const HEIR: u64 = 1 << 63;
const CHILD_MASK: u64 = 0xffff_ffff;

/// In place of a child: another thread is making the block.
const EXPANDING: u64 = CHILD_MASK;

/// Words that an allocator takes from the arena at once (32 KiB).
const CHUNK: u32 = 4096;

/// Words of a node with an opinion.
const MAX_NODE_WORDS: u32 = 3;

/// The first word that is not the root's.
const AFTER_ROOT: u32 = 1 + MAX_NODE_WORDS;

/// Words of the smallest page of memory (4 KiB).
const PAGE: usize = 512;

const _: () = assert!(SCALE as u64 * MAX_VISITS <= SUM_MASK);
const _: () = assert!(MAX_NODE_WORDS * MAX_CAPACITY < CHUNK);
const _: () = {
    let poll = POLL_EVERY as usize + MAX_CHILDREN;
    let unseen = poll * POLLS_ALONE as usize + MAX_VIRTUAL_LOSS as usize;
    assert!(MAX_THREADS as u64 * unseen as u64 <= MAX_UNSEEN);
};

/// Visits and the sum of their scores, in units of which `SCALE` make a win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats(u64);

impl Stats {
    /// What a word of the arena says.
    pub fn of_word(word: u64) -> Stats {
        Stats(word)
    }

    /// The word that says so.
    pub fn word(self) -> u64 {
        self.0
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Stats) -> Stats {
        Stats(self.0.wrapping_add(other.0))
    }

    /// These visits with this sum.
    pub fn new(visits: u64, sum: u64) -> Stats {
        Stats((visits << SUM_BITS) + sum)
    }

    /// So many visits less, which may be more than there are: the rest is taken from what this is
    /// added to.
    #[must_use]
    pub fn minus_visits(self, visits: u32) -> Stats {
        let Stats(less) = Stats::new(visits.into(), 0);
        Stats(self.0.wrapping_sub(less))
    }

    /// Playouts through the node.
    pub fn visits(self) -> u32 {
        (self.0 >> SUM_BITS) as u32
    }

    /// Sum of the scores of the player who moved in.
    pub fn sum(self) -> u64 {
        self.0 & SUM_MASK
    }

    /// The visits and the sums of eight such words.
    #[inline(always)]
    pub fn parts<S: Simd>(simd: S, words: S::Lanes) -> (S::Lanes, S::Lanes) {
        (words >> SUM_BITS, words & simd.splat(SUM_MASK))
    }

    /// Expected score 0..1 of the player who moved in; 0 before the first visit.
    pub fn mean(self) -> f32 {
        self.sum() as f32 / (self.visits().max(1) as f32 * SCALE as f32)
    }
}

/// What a node is beside its stats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link(u64);

impl Link {
    fn leaf(mv: Move) -> Link {
        Link(u64::from(mv.code()) << MOVE_SHIFT)
    }

    /// The move into this node. Not meaningful at the root.
    pub fn mv(self) -> Move {
        Move::new(((self.0 >> MOVE_SHIFT) & MOVE_MASK) as u16)
    }

    /// The block of its children, if there is one to descend into.
    pub fn children(self) -> Option<Block> {
        match self.0 & CHILD_MASK {
            0 | EXPANDING => None,
            first => Some(Block {
                first: first as u32,
                count: ((self.0 >> COUNT_SHIFT) & MAX_CHILDREN as u64) as u32,
            }),
        }
    }

    /// The exact result for the player who moved in.
    pub fn proof(self) -> Option<Proof> {
        let result = match (self.0 >> PROOF_SHIFT) & 3 {
            0 => return None,
            1 => ProofResult::Loss,
            2 => ProofResult::Draw,
            _ => ProofResult::Win,
        };
        let plies = ((self.0 >> PLIES_SHIFT) & PLIES_MASK) as u16;
        Some(Proof { result, plies })
    }

    /// Whether the player who moved in is proven to lose.
    pub fn is_lost(self) -> bool {
        self.proof()
            .is_some_and(|proof| proof.result == ProofResult::Loss)
    }

    /// Whether the children stand for every legal move.
    pub fn is_complete(self) -> bool {
        self.0 & COMPLETE != 0
    }

    /// Whether any child is proven.
    pub fn has_proven_child(self) -> bool {
        self.0 & HEIR != 0
    }

    fn without_proof(self) -> Link {
        Link(self.0 & !(3 << PROOF_SHIFT | PLIES_MASK << PLIES_SHIFT))
    }

    fn with_proof(self, proof: Proof) -> Link {
        let code = match proof.result {
            ProofResult::Loss => 1,
            ProofResult::Draw => 2,
            ProofResult::Win => 3,
        };
        let plies = u64::from(proof.plies).min(PLIES_MASK);
        let Link(cleared) = self.without_proof();
        Link(cleared | code << PROOF_SHIFT | plies << PLIES_SHIFT)
    }
}

/// What is thought of a node: how many of its parent's visits it will earn, and what it is worth to
/// the player who moves into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opinion(u64);

impl Opinion {
    /// `prior`: 0..1. `value`: the expected score 0..1 of the player who moves in, if it is known.
    pub fn new(prior: f32, value: Option<f32>) -> Opinion {
        let prior = (prior.clamp(0.0, 1.0) * OPINION_ONE) as u64;
        Opinion(prior << OPINION_BITS).with_value(value)
    }

    /// The expected score 0..1 of the player who moved in: static at first, then backed up by
    /// minimax. `None`: nobody judged it.
    pub fn value(self) -> Option<f32> {
        let value = self.0 & OPINION_MASK;
        (value != 0).then_some(value as f32 / OPINION_ONE)
    }

    /// The share of the visits 0..1 that was expected.
    #[cfg(test)]
    pub fn prior(self) -> f32 {
        (self.0 >> OPINION_BITS) as f32 / OPINION_ONE
    }

    fn with_value(self, value: Option<f32>) -> Opinion {
        let value = value.map_or(0, |value| {
            ((value.clamp(0.0, 1.0) * OPINION_ONE) as u64).max(1)
        });
        Opinion(self.0 & !OPINION_MASK | value)
    }

    /// The priors and the values of eight such words in units of 1/[`OPINION_ONE`]; a value that is
    /// not known is 0.
    #[inline(always)]
    pub fn parts<S: Simd>(simd: S, words: S::Lanes) -> (S::Lanes, S::Lanes) {
        (words >> OPINION_BITS, words & simd.splat(OPINION_MASK))
    }
}

/// The unit of priors and values in an [`Opinion`].
pub const OPINION_ONE: f32 = (1 << 24) as f32;

const OPINION_BITS: u32 = 32;
const OPINION_MASK: u64 = (1 << OPINION_BITS) - 1;

/// Where a node's words lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    stats: u32,
    link: u32,
}

impl Node {
    /// The root of every tree.
    pub const ROOT: Node = Node { stats: 1, link: 2 };

    /// Its opinion lies as far behind its link as that behind its stats.
    fn opinion(self) -> u32 {
        2 * self.link - self.stats
    }
}

/// Where the children of a node lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    first: u32,
    count: u32,
}

impl Block {
    /// The first word of its opinions.
    fn opinions(self) -> u32 {
        self.first + 2 * self.count
    }

    /// How many nodes the block has room for.
    fn capacity(self) -> u32 {
        capacity(self.count)
    }

    /// Which word of the arena is its first: no other block in use has the same.
    pub fn first_word(self) -> u32 {
        self.first
    }

    /// How many children there are.
    pub fn len(self) -> usize {
        self.count as usize
    }

    /// The child with this index, below `len`.
    pub fn node(self, index: usize) -> Node {
        let stats = self.first + index as u32;
        Node {
            stats,
            link: stats + self.count,
        }
    }

    /// Every child, in the order in which expansion gave them.
    pub fn nodes(self) -> impl Iterator<Item = Node> {
        (0..self.len()).map(move |index| self.node(index))
    }
}

/// The room that a block of [`MAX_CHILDREN`] takes.
const MAX_CAPACITY: u32 = 1 << COUNT_BITS;

/// The room that a block of so many children takes. Blocks come in sizes that are an eighth apart
/// at most, and to one child up to 16, so that one which is given up serves for many others.
fn capacity(count: u32) -> u32 {
    let step = 1 << count.max(8).ilog2().saturating_sub(3);
    count.next_multiple_of(step)
}

/// The largest size of a block that fits into the room for so many nodes, 1 at the least.
fn largest_fit(room: u32) -> u32 {
    let step = 1 << room.max(8).ilog2().saturating_sub(3);
    room / step * step
}

/// The arena and the root in it. Shared by the threads of a search.
pub struct Tree {
    words: Box<[AtomicU64]>,
    /// Words of a node: 3 with opinions, 2 without.
    node_words: u32,
    /// The first word that no allocator has taken yet.
    untouched: AtomicU32,
    /// The dead blocks whose own children are not yet freed: the first word of the first one
    /// in the lower half (0: none), and in the upper half a count of all changes, so that a
    /// thread which looks at the list while others change it cannot be deceived (Treiber's
    /// stack with a tag).
    dead: AtomicU64,
    /// The root, and the nodes in blocks that are in use.
    nodes: AtomicU64,
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
        }
    }

    /// Makes the root a leaf with no visits and forgets everything else. The allocators of
    /// this tree must be made anew.
    pub fn clear(&mut self) {
        *self.untouched.get_mut() = AFTER_ROOT;
        *self.dead.get_mut() = 0;
        *self.nodes.get_mut() = 1;
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
    fn end(&self) -> u32 {
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

    /// The link of a node. Whoever sees a block of children sees them initialised.
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

    /// The greatest value of children, 0..1 for the side to move there. `None`: none is known.
    pub fn best_value(&self, children: Block) -> Option<f32> {
        let opinions = self.opinions_of(children).iter().take(children.len());
        let values = opinions.map(|word| word.load(Ordering::Relaxed) & OPINION_MASK);
        let best = values.max().unwrap_or_default();
        Opinion(best).value()
    }

    /// Changes the value of a node, 0..1 for the player who moved in. Of two threads that do so at
    /// the same time one is forgotten, until the next playout comes by.
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
                u64::from(block.first) | u64::from(block.count) << COUNT_SHIFT
            }
            None => 0,
        };
        let complete = if complete { COMPLETE } else { 0 };
        let publish = |old: u64| Some(old & !CHILD_MASK | child | complete);
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

    /// Gives a block up, with everything below it.
    pub fn discard(&self, block: Block) {
        let push = |head: u64| {
            link_free(self, block, head as u32);
            Some(next_tag(head) | u64::from(block.first))
        };
        let _ = self
            .dead
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, push);
    }

    /// A dead block, which is the caller's alone from now on.
    fn take_dead(&self) -> Option<Block> {
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

    fn word(&self, index: u32) -> &AtomicU64 {
        &self.words[index as usize]
    }

    /// Words for an allocator: a chunk, or what is left of the arena. Empty when nothing is.
    fn take_chunk(&self) -> std::ops::Range<u32> {
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
    /// the second it interrupts all threads. (1.4 % of the time of two threads in Connect Four with
    /// `tengen`, 2026-11-23.)
    fn touch(&self, words: std::ops::Range<u32>) {
        let last = words.end - 1;
        for word in words.step_by(PAGE).chain([last]) {
            self.word(word).store(0, Ordering::Relaxed);
        }
    }
}

/// One thread's part of the arena: fresh words, and free blocks by size.
///
/// Free and dead blocks are lists linked through the blocks themselves: the first word holds
/// the next block's first word and the block's own count.
pub struct Allocator {
    fresh: std::ops::Range<u32>,
    /// By capacity.
    free: Box<[FreeList; MAX_CAPACITY as usize + 1]>,
    /// A bit for each capacity of which there are many free blocks.
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

/// So many free blocks of one size are plenty: then they are split for smaller ones. Fewer wait for
/// their like, lest the arena falls to pieces. (Measured 2026-11-23 in 1 MiB over eight moves of a
/// game that began with 24, with one, two and four threads: at the end 59 to 61 % of the arena were
/// in use with 4, 57 to 60 % with 8, 55 to 58 % with 16.)
const PLENTY: u32 = 4;

/// Dead blocks looked through before fresh memory is taken.
const RECYCLED_AT_ONCE: usize = 4;

/// Dead blocks looked through at once when there is no fresh memory: some 50 µs at the most.
const RECYCLED_WHEN_FULL: usize = 256;

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
    fn allocate(&mut self, tree: &Tree, count: u32) -> Option<Block> {
        debug_assert!((1..=MAX_CHILDREN as u32).contains(&count));
        let capacity = capacity(count);
        let block = self
            .take_free(tree, capacity)
            .or_else(|| self.recycle(tree, capacity, RECYCLED_AT_ONCE))
            .or_else(|| self.take_fresh(tree, capacity))
            .or_else(|| self.recycle(tree, capacity, RECYCLED_WHEN_FULL))
            .or_else(|| self.split_larger(tree, capacity));
        self.full = block.is_none() && tree.dead.load(Ordering::Relaxed) as u32 == 0;
        let Block { first, .. } = block?;
        self.made = self.made.wrapping_add(count.into());
        Some(Block { first, count })
    }

    /// Gives a block back whose children have no children.
    fn free(&mut self, tree: &Tree, block: Block) {
        self.made = self.made.wrapping_sub(block.count.into());
        self.add_free(tree, block);
    }

    fn add_free(&mut self, tree: &Tree, block: Block) {
        let capacity = block.capacity();
        let list = &mut self.free[capacity as usize];
        link_free(tree, block, list.first);
        list.first = block.first;
        list.length += 1;
        self.note_plenty(capacity);
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
            if block.capacity() == capacity {
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

/// Puts a block before the list that begins at `next`.
fn link_free(tree: &Tree, block: Block, next: u32) {
    let word = u64::from(block.count) << 32 | u64::from(next);
    tree.word(block.first).store(word, Ordering::Relaxed);
}

/// The upper half of a list's head after one more change.
fn next_tag(head: u64) -> u64 {
    (head >> 32).wrapping_add(1) << 32
}

/// The block at the beginning of a list and what follows it.
fn read_free(tree: &Tree, first: u32) -> Option<(Block, u32)> {
    if first == 0 {
        return None;
    }
    let word = tree.word(first).load(Ordering::Relaxed);
    let count = (word >> 32) as u32;
    Some((Block { first, count }, word as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    fn moves(count: u16) -> Vec<Move> {
        (0..count).map(Move::new).collect()
    }

    #[test]
    fn stats_keep_visits_and_sum_apart() {
        let stats = Stats::new(MAX_VISITS, u64::from(SCALE) * MAX_VISITS);
        assert_eq!(u64::from(stats.visits()), MAX_VISITS);
        assert_eq!(stats.mean(), 1.0);
    }

    #[test]
    fn a_link_keeps_its_fields_apart() {
        let mut allocator = Allocator::default();
        let tree = Tree::new(1 << 20, 1, false);
        assert!(tree.expand(Node::ROOT, &moves(484), &[], true, &mut allocator));
        let proof = Proof {
            result: ProofResult::Win,
            plies: 483,
        };
        let block = tree.link(Node::ROOT).children().unwrap();
        let last = block.node(483);
        tree.prove(last, proof);
        tree.mark_proven_child(Node::ROOT);
        assert_eq!(block.len(), 484);
        assert_eq!(tree.link(last).mv(), Move::new(483));
        assert_eq!(tree.link(last).proof(), Some(proof));
        assert_eq!(tree.link(last).children(), None);
        assert!(tree.link(Node::ROOT).is_complete());
        assert!(tree.link(Node::ROOT).has_proven_child());
        assert_eq!(tree.link(Node::ROOT).proof(), None);
    }

    #[test]
    fn blocks_come_in_few_sizes() {
        let sizes: Vec<u32> = (1..=MAX_CHILDREN as u32).map(capacity).collect();
        for (count, &size) in (1..).zip(&sizes) {
            assert!(
                (count..=count + count / 8).contains(&size),
                "{count} in {size}"
            );
            assert_eq!(capacity(size.min(MAX_CHILDREN as u32)), size);
            assert_eq!(capacity(largest_fit(count)), largest_fit(count), "{count}");
            assert!(largest_fit(count) <= count);
        }
        assert_eq!(sizes.last(), Some(&MAX_CAPACITY));
    }

    #[test]
    fn a_full_arena_refuses_and_stays_whole() {
        let mut allocator = Allocator::default();
        let tree = Tree::new(0, 1, false);
        assert!(tree.expand(Node::ROOT, &moves(200), &[], true, &mut allocator));
        let block = tree.link(Node::ROOT).children().unwrap();
        let made = block
            .nodes()
            .filter(|&node| tree.expand(node, &moves(200), &[], true, &mut allocator))
            .count();
        assert!((1..200).contains(&made));
        assert!(allocator.is_full());
        allocator.report(&tree);
        assert!(tree.nodes() > 400);
        assert!(tree.nodes() * NODE_BYTES as u64 <= tree.bytes());
        let refused = block.nodes().find(|&n| tree.link(n).children().is_none());
        assert_eq!(tree.link(refused.unwrap()).mv().code(), made as u16);
    }

    #[test]
    fn dead_subtrees_are_recycled() {
        let mut allocators = [Allocator::default()];
        let mut tree = Tree::new(0, 1, false);
        for _ in 0..1000 {
            let [allocator] = &mut allocators;
            if tree.link(Node::ROOT).children().is_none() {
                assert!(tree.expand(Node::ROOT, &moves(30), &[], true, allocator));
            }
            let block = tree.link(Node::ROOT).children().unwrap();
            for node in block.nodes() {
                if tree.link(node).children().is_none() {
                    tree.expand(node, &moves(29), &[], true, allocator);
                }
            }
            tree.add(block.node(7), Stats::new(5, 3), true);
            tree.reroot(block.node(7));
            allocators[0].try_again();
            assert_eq!(tree.stats(Node::ROOT), Stats::new(5, 3));
            assert_eq!(tree.link(Node::ROOT).mv(), Move::new(7));
        }
        assert!(!allocators[0].is_full());
    }

    /// Adds children, `count` to the root and one fewer at each level, until there is no room or
    /// `most` nodes have got some.
    fn grow(tree: &Tree, allocator: &mut Allocator, count: u16, most: usize) {
        let mut parents = VecDeque::from([(Node::ROOT, count)]);
        let mut grown = 0;
        while grown < most
            && let Some((parent, count)) = parents.pop_front()
        {
            if tree.link(parent).children().is_none() {
                allocator.try_again();
                if !tree.expand(parent, &moves(count), &[], true, allocator) {
                    return;
                }
                grown += 1;
            }
            let children = tree.link(parent).children().unwrap();
            parents.extend(children.nodes().map(|child| (child, count - 1)));
        }
    }

    /// A thread that the system stops keeps little of what others need.
    #[test]
    fn one_thread_can_use_the_arena_that_another_has_begun_to_recycle() {
        for most in [1, 30, 300, 3000] {
            let mut tree = Tree::new(1 << 20, 2, false);
            let arena = tree.bytes() / NODE_BYTES as u64;
            let mut allocators = [Allocator::default(), Allocator::default()];
            for allocator in &mut allocators {
                grow(&tree, allocator, 24, usize::MAX);
            }
            // Most blocks have the size of the fourth level, which nobody asks for any more.
            for _ in 0..2 {
                let first = tree.link(Node::ROOT).children().unwrap().node(0);
                tree.reroot(first);
            }
            let [stopped, other] = &mut allocators;
            for (allocator, most) in [(stopped, most), (other, usize::MAX)] {
                grow(&tree, allocator, 22, most);
                allocator.report(&tree);
            }
            // What is dead and not recycled is not in use either.
            let live = live(&tree, Node::ROOT);
            assert!(live * 6 > arena * 5, "{most}: {live} of {arena} nodes");
        }
    }

    /// The nodes below this one.
    fn live(tree: &Tree, node: Node) -> u64 {
        let children = tree.link(node).children();
        let nodes = children.into_iter().flat_map(Block::nodes);
        nodes.map(|child| 1 + live(tree, child)).sum()
    }

    #[test]
    fn recycling_is_done_in_small_parts() {
        let mut allocators = [Allocator::default()];
        let mut tree = Tree::new(1 << 20, 1, false);
        let [allocator] = &mut allocators;
        assert!(tree.expand(Node::ROOT, &moves(30), &[], true, allocator));
        let first = tree.link(Node::ROOT).children().unwrap();
        let mut parents: Vec<Node> = first.nodes().skip(1).collect();
        while let Some(parent) = parents.pop() {
            if !tree.expand(parent, &moves(30), &[], true, allocator) {
                break;
            }
            parents.splice(0..0, tree.link(parent).children().unwrap().nodes());
        }
        // All of the arena is dead but one leaf, and no block has the size that it asks for.
        allocator.report(&tree);
        let full = tree.nodes();
        tree.reroot(first.node(0));
        allocators[0].try_again();
        let [allocator] = &mut allocators;
        assert!(tree.expand(Node::ROOT, &moves(29), &[], true, allocator));
        allocator.report(&tree);
        let freed = full + 29 - tree.nodes();
        assert!(
            freed <= (RECYCLED_AT_ONCE + RECYCLED_WHEN_FULL) as u64 * 30,
            "{freed}"
        );
    }
}
