//! The few children of a large block that can be the best of it.
//!
//! One thread alone, or with its own copy of a block, changes a single child of a node each time. All
//! others keep their visits and sums from one time to the next, and only the width W of UCB1 grows
//! with the visits of the node. A value m + √(W/n) ≥ 0 divided by √W falls as W grows. So after one
//! look at all children it is enough to look at the best of them, until none of these is better,
//! so divided, than any of the others was then.

use super::{Leaders, Scan, first_of_greatest, open_bits};
use crate::search::tree::Block;
use crate::simd::{Floats, LANES, Simd};
use std::sync::atomic::Ordering;

/// Blocks of fewer children are quickly looked through. (A guess: four times as many as a
/// shortlist has.)
pub const LARGE: usize = 4 * LANES;

/// Shortlists that are kept, a power of two: 12 KiB, and more than the children of a
/// node of Gomoku, as each comes to have one.
const KEPT: usize = 512;

/// So much must a square be greater than another that no rounding has made it so.
const CLEARLY: f32 = 1.0 + 1e-5;

/// The best children of a block when all of them were last looked at.
#[derive(Clone, Copy)]
struct Shortlist {
    /// The first word of the block; 0: no list.
    block: u32,
    /// The square of the greatest value among all others, divided by the width.
    others: f32,
    children: [u16; LANES],
}

/// The shortlists of one thread.
pub struct Shortlists(Box<[Shortlist; KEPT]>);

impl Default for Shortlists {
    fn default() -> Self {
        let none = Shortlist {
            block: 0,
            others: 0.0,
            children: [0; LANES],
        };
        Shortlists(Box::new([none; KEPT]))
    }
}

impl Shortlists {
    /// To be called when a block may have changed otherwise than by playouts through its parent,
    /// or has become another.
    pub fn forget(&mut self) {
        for list in self.0.iter_mut() {
            list.block = 0;
        }
    }

    /// The best child of a block, if its list tells.
    #[inline(always)]
    pub(super) fn best<S: Simd>(&self, simd: S, scan: &Scan) -> Option<usize> {
        let list = &self.0[place(scan.block)];
        if list.block != scan.block.first_word() {
            return None;
        }
        list.best(simd, scan)
    }

    /// Keeps the leaders of a block, none of whose children is without visits, as its list.
    #[inline(always)]
    pub(super) fn insert<S: Simd>(&mut self, scan: &Scan, leaders: &Leaders<S>) {
        let others = leaders.greatest_other().max(0.0);
        self.0[place(scan.block)] = Shortlist {
            block: scan.block.first_word(),
            others: others * others / scan.rule.width,
            children: std::array::from_fn(|lane| leaders.child(lane) as u16),
        };
    }
}

impl Shortlist {
    /// The best child of the list, if it is better than all others.
    #[inline(always)]
    fn best<S: Simd>(&self, simd: S, scan: &Scan) -> Option<usize> {
        let child = |lane: usize| usize::from(self.children[lane]);
        let word = |lane| Some(scan.stats.get(child(lane))?.load(Ordering::Relaxed));
        let words = std::array::from_fn(|lane| word(lane).unwrap_or_default());
        let (mut values, _) = scan.values_of(simd, simd.load(words));
        if scan.look_for_lost {
            let open = open_bits(scan.tree, scan.block, self.children.map(usize::from));
            values = values.keep(open, f32::NEG_INFINITY);
        }
        let greatest = values.greatest();
        let is_best = greatest * greatest > self.others * scan.rule.width * CLEARLY;
        (is_best && greatest > 0.0).then(|| first_of_greatest(values, greatest, child))
    }
}

/// Where the list of a block is kept, by multiplicative hashing (Knuth, TAOCP 6.4).
fn place(block: Block) -> usize {
    let hash = block.first_word().wrapping_mul(0x9e37_79b9);
    (hash >> (u32::BITS - KEPT.ilog2())) as usize
}
