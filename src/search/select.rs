//! Which child to visit next.

use super::evaluate::SCALE;
use super::tree::{Block, Link, Node, Stats, Tree};
use crate::simd::{Floats, Kernel, LANES, Lanes, Path, Simd};
use std::sync::atomic::{AtomicU64, Ordering};

/// The constants of UCB1 in the tree's scale, where a win is 1 and a loss is 0.
#[derive(Clone, Copy, Debug)]
pub struct Ucb {
    /// c, divided by the span of the rewards.
    pub exploration: f32,
    /// The value of an unvisited child.
    pub fpu: f32,
}

impl Ucb {
    /// UCB1 (Auer, Cesa-Bianchi and Fischer 2002) with the factor that the coursework uses:
    /// mean + c·sqrt(2·ln N / n), for each child of a node with `parent_visits` = N.
    pub fn of_children(self, parent_visits: u32) -> UcbOfChildren {
        // libm's logarithm is the same on every machine, so the tree is, too.
        let log = libm::logf(parent_visits.max(1) as f32);
        UcbOfChildren {
            width: self.exploration * self.exploration * 2.0 * log,
            fpu: self.fpu,
        }
    }
}

/// UCB1 for the children of one node.
#[derive(Clone, Copy, Debug)]
pub struct UcbOfChildren {
    width: f32,
    fpu: f32,
}

impl UcbOfChildren {
    /// The value of a child with these stats.
    #[inline]
    pub fn value(self, stats: Stats) -> f32 {
        if stats.visits() == 0 {
            return self.fpu;
        }
        // One division for both terms: it takes as long as all the rest.
        let share = 1.0 / stats.visits() as f32;
        stats.sum() as f32 * (share * (1.0 / SCALE as f32)) + (share * self.width).sqrt()
    }

    /// The values of eight children, rounded as above; without meaning where there is no visit.
    #[inline(always)]
    fn values<S: Simd>(self, simd: S, visits: S::Lanes, sums: S::Lanes) -> S::Floats {
        let share = simd.splat_float(1.0) / simd.floats(visits);
        let means = simd.floats(sums) * (share * simd.splat_float(1.0 / SCALE as f32));
        means + (share * simd.splat_float(self.width)).sqrt()
    }
}

/// From so many children on they are looked through in lanes; below that the lanes cost more than
/// they save. (Connect Four, with seven, is a tenth slower in lanes; 2026-11-21.)
const LANES_FROM: usize = 12;

/// The child of `parent` with the highest UCB1 value; the first of equals. Children that are
/// proven lost for the player who would move there are passed over. `None`: all are.
#[inline]
pub fn select(tree: &Tree, parent: Node, block: Block, ucb: Ucb, path: Path) -> Option<Node> {
    let ucb = ucb.of_children(tree.stats(parent).visits());
    // The links need not be looked at before any child is proven.
    let look_for_lost = tree.link(parent).has_proven_child();
    if block.len() < LANES_FROM {
        return select_one_by_one(tree, block, ucb, look_for_lost);
    }
    let child = path.run(Scan {
        ucb,
        words: tree.words_of(block),
        count: block.len(),
        look_for_lost,
    });
    child.map(|child| block.node(child))
}

#[inline]
fn select_one_by_one(
    tree: &Tree,
    block: Block,
    ucb: UcbOfChildren,
    look_for_lost: bool,
) -> Option<Node> {
    let mut best = None;
    let mut best_value = f32::NEG_INFINITY;
    for node in block.nodes() {
        let value = ucb.value(tree.stats(node));
        if value > best_value && !(look_for_lost && tree.link(node).is_lost()) {
            best = Some(node);
            best_value = value;
            if value == f32::INFINITY {
                break;
            }
        }
    }
    best
}

/// Looks through a block for the child of the highest value, eight children at a time.
struct Scan<'a> {
    ucb: UcbOfChildren,
    /// The stats, the links, and eight words more.
    words: &'a [AtomicU64],
    count: usize,
    look_for_lost: bool,
}

impl Kernel for Scan<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<usize> {
        let mut best = None;
        let mut best_value = f32::NEG_INFINITY;
        // Sixteen at a time: whether the second eight hold the best is as good as a coin, which
        // the processor would have to guess.
        for first in (0..self.count).step_by(2 * LANES) {
            let low = self.values(simd, first)?;
            let (greatest, equals) = if self.count - first > LANES {
                let high = self.values(simd, first + LANES)?;
                let greatest = low.max(high).greatest();
                let [low, high] = [low.equal(greatest), high.equal(greatest)];
                (greatest, u16::from_le_bytes([low, high]))
            } else {
                let greatest = low.greatest();
                (greatest, low.equal(greatest).into())
            };
            if greatest > best_value {
                best_value = greatest;
                best = Some(first + equals.trailing_zeros() as usize);
                if best_value == f32::INFINITY {
                    break;
                }
            }
        }
        best
    }
}

impl Scan<'_> {
    /// The values of eight children from this one on; -∞ for those that are not there or lost.
    #[inline(always)]
    fn values<S: Simd>(&self, simd: S, first: usize) -> Option<S::Floats> {
        let stats = self.words.get(first..)?.first_chunk::<LANES>()?;
        let stats = std::array::from_fn(|child| stats[child].load(Ordering::Relaxed));
        let (visits, sums) = Stats::parts(simd, simd.load(stats));
        let values = self.ucb.values(simd, visits, sums);
        let values = values.keep(visits.not_zero_bits(), self.ucb.fpu);
        Some(values.keep(self.open_bits(first), f32::NEG_INFINITY))
    }

    /// A bit for each of the next eight children that there is and that is not proven lost.
    #[inline(always)]
    fn open_bits(&self, first: usize) -> u8 {
        let count = (self.count - first).min(LANES);
        let all = u8::MAX >> (LANES - count);
        if !self.look_for_lost {
            return all;
        }
        let links = self.words.iter().skip(self.count + first).take(count);
        let links = links.map(|link| Link::of_word(link.load(Ordering::Relaxed)));
        let lost = links.enumerate().filter(|(_, link)| link.is_lost());
        lost.fold(all, |open, (child, _)| open & !(1 << child))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Allocator;
    use super::*;
    use crate::game::Move;
    use crate::knowledge::{Proof, ProofResult};
    use proptest::prelude::*;

    proptest! {
        /// Every path selects the same child, and in lanes the same as one by one.
        #[test]
        fn all_ways_select_the_same(
            children in prop::collection::vec((0..40_u64, 0..=10_u64, 0..6_u8), 1..60),
            fpu in prop::sample::select(vec![f32::INFINITY, 0.4]),
            any_lost: bool,
        ) {
            let mut allocator = Allocator::default();
            let tree = Tree::new(1 << 16, 1);
            let moves: Vec<Move> = (0..children.len() as u16).map(Move::new).collect();
            prop_assert!(tree.expand(Node::ROOT, &moves, true, &mut allocator));
            let block = tree.link(Node::ROOT).children().unwrap();
            for (node, (visits, tenths, fate)) in block.nodes().zip(&children) {
                let sum = visits * tenths * u64::from(SCALE) / 10;
                tree.add(node, Stats::new(*visits, sum), true);
                tree.add(Node::ROOT, Stats::new(*visits, 0), true);
                if any_lost && *fate == 0 {
                    let (result, plies) = (ProofResult::Loss, 2);
                    tree.prove(node, Proof { result, plies });
                    tree.mark_proven_child(Node::ROOT);
                }
            }
            let ucb = Ucb { exploration: 0.5, fpu };
            let ucb = ucb.of_children(tree.stats(Node::ROOT).visits());
            let look_for_lost = tree.link(Node::ROOT).has_proven_child();
            let expected = select_one_by_one(&tree, block, ucb, look_for_lost);
            for path in Path::all() {
                let child = path.run(Scan {
                    ucb,
                    words: tree.words_of(block),
                    count: block.len(),
                    look_for_lost,
                });
                prop_assert_eq!(child.map(|child| block.node(child)), expected);
            }
        }
    }
}
