//! The words of a node, and where they lie.

use crate::game::Move;
use crate::knowledge::{Proof, ProofResult};
use crate::options::{MAX_BATCH, MAX_THREADS, MAX_VIRTUAL_LOSS};
use crate::search::evaluate::{MOST_WEIGHT, SCALE};
use crate::search::limits::{POLL_EVERY, POLLS_ALONE};
use crate::simd::Simd;

/// The most children a node can have: nine bits.
pub const MAX_CHILDREN: usize = (1 << COUNT_BITS) - 1;

/// Bytes of one node without an opinion.
pub const NODE_BYTES: usize = 16;

/// Parts of visits at which the search must end: more could overflow the 28 bits.
pub const MAX_VISITS: u64 = (1 << (64 - SUM_BITS)) - MAX_UNSEEN;

/// More parts of visits than all threads together can add before they see them: playouts, those of the last
/// node's children among them, and virtual loss.
const MAX_UNSEEN: u64 = 1 << 26;

/// The most parts of a visit.
pub const MOST_PARTS: u32 = 4;

const SUM_BITS: u32 = 36;
const SUM_MASK: u64 = (1 << SUM_BITS) - 1;
const MOVE_SHIFT: u32 = 32;
const MOVE_MASK: u64 = Move::LIMIT as u64 - 1;
const COUNT_BITS: u32 = 9;
pub(super) const COUNT_SHIFT: u32 = 42;
const PROOF_SHIFT: u32 = 51;
const PLIES_SHIFT: u32 = 53;
const PLIES_MASK: u64 = 0x1ff;
pub(super) const COMPLETE: u64 = 1 << 62;
pub(super) const HEIR: u64 = 1 << 63;
pub(super) const CHILD_MASK: u64 = 0xffff_ffff;

/// In place of a child: another thread is making the block.
pub(super) const EXPANDING: u64 = CHILD_MASK;

const _: () = assert!(SCALE as u64 * MAX_VISITS <= SUM_MASK);
const _: () = {
    let poll = POLL_EVERY as usize * MOST_WEIGHT as usize + MAX_CHILDREN;
    let virtual_loss = MAX_VIRTUAL_LOSS as usize * MAX_BATCH as usize;
    let unseen = MOST_PARTS as usize * (poll * POLLS_ALONE as usize + virtual_loss);
    assert!(MAX_THREADS as u64 * unseen as u64 <= MAX_UNSEEN);
};

/// Visits and the sum of their scores, in units: `SCALE` of them make a win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats(pub(super) u64);

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

    /// The same with `visits` less, which may be more than there are: the rest is taken from what
    /// this is added to.
    #[must_use]
    pub fn minus_visits(self, visits: u32) -> Stats {
        let Stats(less) = Stats::new(visits.into(), 0);
        Stats(self.0.wrapping_sub(less))
    }

    /// Visits of the node: what the playouts through it count, in parts of a visit (see
    /// [`Knowledge::PARTS_OF_VISIT`](crate::knowledge::Knowledge::PARTS_OF_VISIT)).
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
pub struct Link(pub(super) u64);

impl Link {
    pub(super) fn leaf(mv: Move) -> Link {
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

    pub(super) fn without_proof(self) -> Link {
        Link(self.0 & !(3 << PROOF_SHIFT | PLIES_MASK << PLIES_SHIFT))
    }

    pub(super) fn with_proof(self, proof: Proof) -> Link {
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
pub struct Opinion(pub(super) u64);

impl Opinion {
    /// `prior`: 0..1. `value`: the expected score 0..1 of the player who moves in, if it is known.
    pub fn new(prior: f32, value: Option<f32>) -> Opinion {
        let prior = (prior.clamp(0.0, 1.0) * OPINION_ONE) as u32;
        Opinion(u64::from(prior) << OPINION_BITS).with_value(value)
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

    pub(super) fn with_value(self, value: Option<f32>) -> Opinion {
        let value = value.map_or(0, |value| {
            ((value.clamp(0.0, 1.0) * OPINION_ONE) as u32).max(1)
        });
        Opinion(self.0 & !OPINION_MASK | u64::from(value))
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
pub(super) const OPINION_MASK: u64 = (1 << OPINION_BITS) - 1;

/// What the block of a tree whose nodes share children says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header(pub u64);

impl Header {
    /// The header of a block with one owner that stands for no position yet.
    pub fn new(block: Block, complete: bool) -> Header {
        let complete = if complete { ALL } else { 0 };
        Header(IN_USE | complete | u64::from(block.count) << HEADER_COUNT_SHIFT | Header::OWNER)
    }

    /// One owner more or less.
    pub const OWNER: u64 = 1 << OWNERS_SHIFT;

    /// The bits that tell a position by its hash.
    pub fn tag(hash: u64) -> u64 {
        hash >> (64 - OWNERS_SHIFT)
    }

    /// How many nodes have the block for their children.
    pub fn owners(self) -> u64 {
        self.0 >> OWNERS_SHIFT & MAX_OWNERS
    }

    /// With one owner more, if the block is in use for the position with this hash.
    pub fn with_owner(self, hash: u64) -> Option<Header> {
        let is_same = self.0 & IN_USE != 0 && self.0 & TAG_MASK == Header::tag(hash);
        let admits = (1..MAX_OWNERS).contains(&self.owners());
        (is_same && admits).then(|| Header(self.0 + Header::OWNER))
    }

    /// The bits that a node's link has of the block that begins with this word.
    pub fn link_bits(self, first: u32) -> u64 {
        let count = self.0 >> HEADER_COUNT_SHIFT & MAX_CHILDREN as u64;
        let complete = if self.0 & ALL != 0 { COMPLETE } else { 0 };
        u64::from(first) | count << COUNT_SHIFT | complete
    }
}

const IN_USE: u64 = 1 << 63;
const ALL: u64 = 1 << 62;
const HEADER_COUNT_SHIFT: u32 = 53;
const OWNERS_SHIFT: u32 = 40;
const MAX_OWNERS: u64 = (1 << (HEADER_COUNT_SHIFT - OWNERS_SHIFT)) - 1;
const TAG_MASK: u64 = (1 << OWNERS_SHIFT) - 1;

/// Where a node's words lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub(super) stats: u32,
    pub(super) link: u32,
}

impl Node {
    /// The root of every tree.
    pub const ROOT: Node = Node { stats: 1, link: 2 };

    /// Its opinion lies as far behind its link as that behind its stats.
    pub(super) fn opinion(self) -> u32 {
        2 * self.link - self.stats
    }
}

/// Where the children of a node lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Block {
    /// The first word of its opinions.
    pub(super) fn opinions(self) -> u32 {
        self.first + 2 * self.count
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
pub(super) const MAX_CAPACITY: u32 = 1 << COUNT_BITS;

/// The room that a block of so many children takes. Blocks come in sizes that are an eighth apart
/// at most, and to one child up to 16, so that one which is given up serves for many others.
pub(super) fn capacity(count: u32) -> u32 {
    let step = 1 << count.max(8).ilog2().saturating_sub(3);
    count.next_multiple_of(step)
}

/// The largest size of a block that fits into the room for so many nodes, 1 at the least.
pub(super) fn largest_fit(room: u32) -> u32 {
    let step = 1 << room.max(8).ilog2().saturating_sub(3);
    room / step * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stats_keep_visits_and_sum_apart() {
        let stats = Stats::new(MAX_VISITS, u64::from(SCALE) * MAX_VISITS);
        assert_eq!(u64::from(stats.visits()), MAX_VISITS);
        assert_eq!(stats.mean(), 1.0);
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
}
