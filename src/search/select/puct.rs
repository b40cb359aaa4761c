//! PUCT: a mean, and a bonus by the prior (Rosin 2011, in the form of AlphaGo Zero, Silver et al.
//! 2017): mean + c·prior·√N / (1 + n).
//!
//! N and n are counted in parts of a visit, so that values can count as less than one; a visit has `one` of
//! them, and √N / (1 + n) is √(N / one) / (1 + n / one) = √(one · N) / (one + n).
//!
//! c may grow with N, as in AlphaZero (Silver et al. 2018): c·(1 + growth·ln(1 + N / 1000)). With many
//! visits a move of a small prior is looked at sooner then.
//!
//! In place of the mean stands a mix of it and of the value that minimax backs up, where a share of
//! that is asked for: the mean is slow to see a refutation, and minimax trusts a single leaf (Lanctot
//! et al., Monte Carlo Tree Search with Heuristic Evaluations using Implicit Minimax Backups, 2014).

use super::{Family, Leaders, Rule, open_bits};
use crate::options::SearchOptions;
use crate::search::evaluate::SCALE;
use crate::search::tree::{Block, OPINION_ONE, Opinion, Stats, Tree};
use crate::simd::{Floats, LANES, Simd};
use std::sync::atomic::{AtomicU64, Ordering};

/// About how many visits a node has when c begins to grow: a guess. KataGo has 500, AlphaZero 19,652.
const GROWTH_VISITS: f32 = 1000.0;

/// The constants of PUCT.
#[derive(Clone, Copy, Debug)]
pub struct Puct {
    /// c·√one.
    c: f32,
    growth: f32,
    one: f32,
    fpu_reduction: f32,
    minimax: f32,
}

impl Puct {
    /// Those of the options, where a visit has so many parts.
    pub fn new(options: &SearchOptions, parts: u32) -> Puct {
        let one = parts as f32;
        Puct {
            c: options.c_puct * one.sqrt(),
            growth: options.c_puct_growth,
            one,
            fpu_reduction: options.fpu_reduction,
            minimax: options.minimax,
        }
    }

    /// c·√N of a node with so many parts of visits.
    #[inline]
    fn breadth(self, parts: f32) -> f32 {
        let breadth = self.c * parts.sqrt();
        if self.growth == 0.0 {
            // A logarithm at each level takes time.
            return breadth;
        }
        let thousands = parts / (GROWTH_VISITS * self.one);
        breadth * (1.0 + self.growth * libm::log1pf(thousands))
    }
}

/// PUCT for the children of one node.
#[derive(Clone, Copy, Debug)]
pub struct PuctOfChildren {
    /// c·√N.
    breadth: f32,
    /// The value 0..1 of a child that nobody has judged.
    fpu: f32,
    /// All children are visited equally often, those that lose, too.
    even: bool,
}

impl Rule for Puct {
    type OfChildren = PuctOfChildren;

    #[inline]
    fn of_children(self, parent: Stats) -> PuctOfChildren {
        // The parent's mean is that of the opponent.
        let expected = 1.0 - parent.mean();
        PuctOfChildren {
            breadth: self.breadth(parent.visits().max(1) as f32),
            fpu: (expected - self.fpu_reduction).max(0.0),
            even: false,
        }
    }

    #[inline]
    fn evenly(of_children: PuctOfChildren) -> PuctOfChildren {
        PuctOfChildren {
            even: true,
            ..of_children
        }
    }

    #[inline(always)]
    fn select<S: Simd>(self, simd: S, family: Family<Puct>) -> Option<(usize, PuctOfChildren)> {
        let scan = Scan {
            puct: self,
            of_children: family.rule,
            stats: family.stats,
            opinions: family.tree.opinions_of(family.block),
            tree: family.tree,
            block: family.block,
            look_for_lost: family.link.has_proven_child() && !family.rule.even,
        };
        let child = scan.best(simd)?;
        let stats = Stats::of_word(scan.stats.get(child)?.load(Ordering::Relaxed));
        Some((child, self.of_children(stats)))
    }
}

/// Looks through a block for the child of the highest value.
struct Scan<'a> {
    puct: Puct,
    of_children: PuctOfChildren,
    stats: &'a [AtomicU64],
    opinions: &'a [AtomicU64],
    tree: &'a Tree,
    block: Block,
    look_for_lost: bool,
}

/// Eight children.
struct Eight<S: Simd> {
    values: S::Floats,
    /// A bit for each that there is and that is not proven lost.
    open: u8,
    /// A bit for each of these that nobody has visited or judged.
    new: u8,
}

impl Scan<'_> {
    /// The best child, the first of equals. Each level of a descent waits for the one above, so the first
    /// sixteen are looked at together, whether there are so many or not: most blocks have no more.
    #[inline(always)]
    fn best<S: Simd>(&self, simd: S) -> Option<usize> {
        let low = self.eight_from(simd, 0)?;
        let high = self.eight_from(simd, self.block.len().min(LANES))?;
        if self.block.len() > 2 * LANES && low.new | high.new == 0 {
            return self.best_of_many(simd);
        }
        let open = [low.open, high.open];
        low.values.greatest_of_two(high.values, open)
    }

    /// The same of any number, eight at a time.
    #[inline(always)]
    fn best_of_many<S: Simd>(&self, simd: S) -> Option<usize> {
        let mut leaders = Leaders::new(simd);
        for first in (0..self.block.len()).step_by(LANES) {
            let Eight { values, open, new } = self.eight_from(simd, first)?;
            let values = values.keep(open, f32::NEG_INFINITY);
            leaders.enter(values, simd.splat_float(first as f32));
            if new != 0 {
                // Priors of children that are not judged fall from one to the next, so none after it was
                // visited or is better.
                break;
            }
        }
        leaders.best()
    }

    /// The children from this one on; their values are 0 at the least.
    #[inline(always)]
    fn eight_from<S: Simd>(&self, simd: S, first: usize) -> Option<Eight<S>> {
        let words = |words| simd.load_shared(words);
        let stats = words(self.stats.get(first..)?.first_chunk()?);
        let opinions = words(self.opinions.get(first..)?.first_chunk()?);
        let count = self.block.len().saturating_sub(first).min(LANES);
        let mut open = ((1_u16 << count) - 1) as u8;
        if self.look_for_lost {
            let last = self.block.len() - 1;
            let children = std::array::from_fn(|lane| (first + lane).min(last));
            open &= open_bits(self.tree, self.block, children);
        }
        let (values, new) = self.values(simd, stats, opinions);
        let new = new & open;
        Some(Eight { values, open, new })
    }

    /// The values of eight children, and a bit for each that nobody has visited or judged.
    ///
    /// A level of a descent waits for the quotient of sum and visits. So all else is added up beside it.
    #[inline(always)]
    fn values<S: Simd>(&self, simd: S, stats: S::Lanes, opinions: S::Lanes) -> (S::Floats, u8) {
        let PuctOfChildren { breadth, fpu, even } = self.of_children;
        let float = |value| simd.splat_float(value);
        let (visits, sums) = Stats::parts(simd, stats);
        let (visits, sums) = (simd.floats(visits), simd.floats(sums));
        let share = float(1.0) / (visits + float(self.puct.one));
        if even {
            return (share, 0);
        }
        let (priors, judged) = Opinion::parts(simd, opinions);
        let unit = float(1.0 / OPINION_ONE);
        let (priors, judged) = (simd.floats(priors) * unit, simd.floats(judged) * unit);
        let minimax = self.puct.minimax;
        let of_mean = float(1.0 - minimax).or_where_zero(judged, 1.0);
        let unvisited = judged.or_where_zero(judged, fpu);
        let judged_part = judged * float(minimax);
        let others = judged_part.or_where_less(visits, float(0.5), unvisited)
            + priors * float(breadth) * share;
        let mean = sums / visits.max(float(1.0));
        let values = mean * (of_mean * float(1.0 / SCALE as f32)) + others;
        (values, (visits + judged).equal(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tree::{Allocator, Node};
    use super::*;
    use crate::game::Move;
    use crate::knowledge::{Proof, ProofResult};
    use crate::simd::{Isa, Kernel};
    use proptest::prelude::*;

    const PUCT: Puct = Puct {
        c: 1.5 * 2.0,
        growth: 0.4,
        one: 4.0,
        fpu_reduction: 0.1,
        minimax: 0.4,
    };

    /// A selection from the children of the root.
    struct FromRoot<'a>(&'a Tree);

    impl Kernel for FromRoot<'_> {
        type Output = Option<usize>;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Option<usize> {
            let family = Family::of_root(self.0, PUCT)?;
            PUCT.select(simd, family).map(|(child, _)| child)
        }
    }

    /// What a child is worth by the formula.
    fn value(tree: &Tree, child: Node) -> f32 {
        let parent = tree.stats(Node::ROOT);
        let (stats, opinion) = (tree.stats(child), tree.opinion(child));
        let [all, own] = [parent.visits().max(1), stats.visits()].map(|parts| parts as f32 / 4.0);
        let c = 1.5 * (1.0 + 0.4 * (1.0 + all / 1000.0).ln());
        let bonus = c * opinion.prior() * all.sqrt() / (1.0 + own);
        let expected = match (stats.visits(), opinion.value()) {
            (0, judged) => judged.unwrap_or(1.0 - parent.mean() - PUCT.fpu_reduction),
            (_, None) => stats.mean(),
            (_, Some(judged)) => stats.mean() * (1.0 - PUCT.minimax) + judged * PUCT.minimax,
        };
        expected.max(0.0) + bonus
    }

    proptest! {
        /// Every ISA selects the same child, and none is better by the formula.
        #[test]
        fn the_best_is_selected(
            children in prop::collection::vec((0..40_u64, 0..=10_u64, 0.01..1.0_f32, 0..6_u8), 1..60),
            are_judged: bool,
            any_lost: bool,
        ) {
            let mut children = children;
            if !are_judged {
                children.sort_by(|a, b| b.2.total_cmp(&a.2));
                let visited = children.iter().position(|it| it.0 == 0).unwrap_or(children.len());
                children[visited..].iter_mut().for_each(|it| it.0 = 0);
            }
            let mut allocator = Allocator::default();
            let tree = Tree::new(1 << 16, 1, true);
            let moves: Vec<Move> = (0..children.len() as u16).map(Move::new).collect();
            let opinion = |&(_, tenths, prior, _): &(u64, u64, f32, u8)| {
                Opinion::new(prior, are_judged.then_some(1.0 - tenths as f32 / 10.0))
            };
            let opinions: Vec<Opinion> = children.iter().map(opinion).collect();
            prop_assert!(tree.expand(Node::ROOT, &moves, &opinions, true, &mut allocator));
            let block = tree.link(Node::ROOT).children().unwrap();
            for (node, (visits, tenths, _, fate)) in block.nodes().zip(&children) {
                let sum = visits * tenths * u64::from(SCALE) / 10;
                tree.add(node, Stats::new(*visits, sum), true);
                tree.add(Node::ROOT, Stats::new(*visits, visits * u64::from(SCALE) / 2), true);
                if any_lost && *fate == 0 {
                    let (result, plies) = (ProofResult::Loss, 2);
                    tree.prove(node, Proof { result, plies });
                    tree.mark_proven_child(Node::ROOT);
                }
            }
            let open = block.nodes().filter(|&node| !tree.link(node).is_lost());
            let best = open.map(|node| value(&tree, node)).max_by(f32::total_cmp);
            let selected = Isa::current().run(FromRoot(&tree));
            prop_assert_eq!(selected.is_some(), best.is_some());
            for isa in Isa::all() {
                prop_assert_eq!(isa.run(FromRoot(&tree)), selected);
            }
            if let (Some(child), Some(best)) = (selected, best) {
                prop_assert!(!tree.link(block.node(child)).is_lost());
                prop_assert!(value(&tree, block.node(child)) > best * (1.0 - 1e-5));
            }
        }
    }
}
