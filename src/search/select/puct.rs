//! PUCT: a mean, and a bonus by the prior (Rosin 2011, in the form of AlphaGo Zero, Silver et al.
//! 2017): mean + c·prior·√N / (1 + n).
//!
//! In place of the mean stands a mix of it and of the value that minimax backs up, where a share of
//! that is asked for: the mean is slow to see a refutation, and minimax trusts a single leaf (Lanctot
//! et al., Monte Carlo Tree Search with Heuristic Evaluations using Implicit Minimax Backups, 2014).

use super::{Leaders, Rule, open_bits};
use crate::options::SearchOptions;
use crate::search::evaluate::SCALE;
use crate::search::select::Shortlists;
use crate::search::tree::{Block, Link, OPINION_ONE, Opinion, Stats, Tree};
use crate::simd::{Floats, LANES, Simd};
use std::sync::atomic::{AtomicU64, Ordering};

/// The constants of PUCT.
#[derive(Clone, Copy, Debug)]
pub struct Puct {
    c: f32,
    fpu_reduction: f32,
    minimax: f32,
}

impl Puct {
    /// Those of the options.
    pub fn new(options: &SearchOptions) -> Puct {
        Puct {
            c: options.c_puct,
            fpu_reduction: options.fpu_reduction,
            minimax: options.minimax,
        }
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
            breadth: self.c * (parent.visits().max(1) as f32).sqrt(),
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
    fn select<S: Simd>(
        self,
        simd: S,
        tree: &Tree,
        (link, block): (Link, Block),
        stats: &[AtomicU64],
        _: Option<&mut Shortlists>,
        of_children: PuctOfChildren,
    ) -> Option<(usize, PuctOfChildren)> {
        let look_for_lost = link.has_proven_child() && !of_children.even;
        let (stats_of_eights, _) = stats.as_chunks::<LANES>();
        let (opinions, _) = tree.opinions_of(block).as_chunks::<LANES>();
        let mut leaders = Leaders::new(simd);
        let firsts = (0..block.len()).step_by(LANES);
        for ((first, stats), opinions) in firsts.zip(stats_of_eights).zip(opinions) {
            let Values { mut values, new } = self.values(simd, stats, opinions, of_children);
            let count = (block.len() - first).min(LANES);
            let mut open = u8::MAX >> (LANES - count);
            if look_for_lost {
                let children = std::array::from_fn(|lane| first + lane.min(count - 1));
                open &= open_bits(tree, block, children);
            }
            if open != u8::MAX {
                values = values.keep(open, f32::NEG_INFINITY);
            }
            leaders.enter(values, simd.splat_float(first as f32));
            if new & open != 0 {
                // Priors of children that are not judged fall from one to the next, so none after it was
                // visited or is better.
                break;
            }
        }
        let child = leaders.best()?;
        let stats = Stats::of_word(stats.get(child)?.load(Ordering::Relaxed));
        Some((child, self.of_children(stats)))
    }
}

/// The values of eight children.
struct Values<S: Simd> {
    values: S::Floats,
    /// A bit for each of those that nobody has visited or judged.
    new: u8,
}

impl Puct {
    /// The values of eight children; without meaning for those that are not there.
    #[inline(always)]
    fn values<S: Simd>(
        self,
        simd: S,
        stats: &[AtomicU64; LANES],
        opinions: &[AtomicU64; LANES],
        of_children: PuctOfChildren,
    ) -> Values<S> {
        let float = |value| simd.splat_float(value);
        let (visits, sums) = Stats::parts(simd, simd.load_shared(stats));
        let (visits, sums) = (simd.floats(visits), simd.floats(sums));
        if of_children.even {
            let values = float(0.0) - visits;
            return Values { values, new: 0 };
        }
        let (priors, judged) = Opinion::parts(simd, simd.load_shared(opinions));
        let unit = float(1.0 / OPINION_ONE);
        let (priors, judged) = (simd.floats(priors) * unit, simd.floats(judged) * unit);
        let mean = sums / visits.max(float(1.0)) * float(1.0 / SCALE as f32);
        let minimax = judged.or_where_less(judged, unit, mean);
        let visited = mean + (minimax - mean) * float(self.minimax);
        let unvisited = judged.or_where_zero(judged, of_children.fpu);
        let value = visited.or_where_less(visits, float(0.5), unvisited);
        Values {
            values: value + priors * float(of_children.breadth) / (visits + float(1.0)),
            new: (visits + judged).equal(0.0),
        }
    }
}
