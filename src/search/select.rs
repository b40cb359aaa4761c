//! Which child to visit next.

mod puct;
mod shortlist;

pub use puct::Puct;
pub use shortlist::Shortlists;

use super::evaluate::SCALE;
use super::tree::{Block, Link, Stats, Tree};
use crate::simd::{Floats, LANES, Lanes, Portable, Simd};
use std::sync::atomic::{AtomicU64, Ordering};

/// A rule by which descents choose among the children of a node.
pub trait Rule: Copy {
    /// The rule for the children of one node.
    type OfChildren: Copy;

    /// The rule for the children of a node with these stats.
    fn of_children(self, parent: Stats) -> Self::OfChildren;

    /// The rule of a player who chooses at random: all children are visited equally often.
    fn evenly(of_children: Self::OfChildren) -> Self::OfChildren;

    /// The index of the child with the highest value, the first of equals, and the rule for its
    /// own children. Children that are proven lost for the player who would move there are passed
    /// over, unless the rule is even. `None`: all are.
    fn select<S: Simd>(self, simd: S, family: Family<Self>) -> Option<(usize, Self::OfChildren)>;
}

/// The children of one node.
pub struct Family<'a, R: Rule> {
    /// Where they are.
    pub tree: &'a Tree,
    /// The link of their parent.
    pub link: Link,
    /// Their block.
    pub block: Block,
    /// Their stats, and [`LANES`] words more.
    pub stats: &'a [AtomicU64],
    /// Only if no other thread changes them, and one descent is under way at a time.
    pub lists: Option<&'a mut Shortlists>,
    /// The rule for them.
    pub rule: R::OfChildren,
}

#[cfg(test)]
impl<'a, R: Rule> Family<'a, R> {
    /// The children of the root, if there are any.
    fn of_root(tree: &'a Tree, rule: R) -> Option<Self> {
        let root = super::tree::Node::ROOT;
        let link = tree.link(root);
        let block = link.children()?;
        Some(Family {
            tree,
            link,
            block,
            stats: tree.stats_of(block),
            lists: None,
            rule: rule.of_children(tree.stats(root)),
        })
    }
}

/// A win, in the unit in which values are compared: that of the sums of scores. It is a power of
/// two, so that nothing is rounded otherwise than if a win were 1.
const WIN: f32 = SCALE as f32;

const _: () = assert!(SCALE.is_power_of_two());

/// The constants of UCB1 where a win is [`WIN`] and a loss is 0.
#[derive(Clone, Copy, Debug)]
pub struct Ucb {
    /// 2·c², c divided by the span of the rewards, in squares of the unit.
    breadth: f32,
    /// The value of an unvisited child.
    fpu: f32,
}

impl Ucb {
    /// UCB1 (Auer, Cesa-Bianchi and Fischer 2002) with the factor that the coursework uses:
    /// mean + c·sqrt(2·ln N / n). `exploration`: c, divided by the span of the rewards. `fpu`:
    /// the value of an unvisited child, 0..1 or infinite.
    pub fn new(exploration: f32, fpu: f32) -> Ucb {
        Ucb {
            breadth: 2.0 * exploration * exploration * WIN * WIN,
            fpu: fpu * WIN,
        }
    }

    /// The same rule where the visits of children are counted in so many parts of one.
    pub fn in_parts(self, parts: u32) -> Ucb {
        Ucb {
            breadth: self.breadth * parts as f32,
            ..self
        }
    }

    /// The rule for the children of a node with `parent_visits` = N.
    #[inline]
    pub fn of_visits(self, parent_visits: u32) -> UcbOfChildren {
        let lane = Portable::<1>::from(0);
        let width = self.widths(lane, lane.splat_float(parent_visits as f32));
        UcbOfChildren {
            visits: parent_visits as f32,
            width: width.greatest(),
            fpu: self.fpu,
            even: false,
        }
    }

    /// The `width` for the children of each of eight nodes with so many visits.
    #[inline(always)]
    fn widths<S: Simd>(self, simd: S, visits: S::Floats) -> S::Floats {
        let visits = visits.max(simd.splat_float(1.0));
        simd.splat_float(self.breadth) * logarithm(simd, visits)
    }
}

/// The natural logarithms of numbers from 1 on, to 4e-5: the same on every machine, so the tree
/// is, too.
///
/// For 2^e (1 + t) it is the straight line between powers of two, (e + t) ln 2, and t (1 - t) times a
/// cubic that is right at the four Chebyshev nodes of 0..1.
#[inline(always)]
fn logarithm<S: Simd>(simd: S, numbers: S::Floats) -> S::Floats {
    let [one, ln_2, a, b, c, d] = [
        1.0,
        std::f32::consts::LN_2,
        0.306_661_2,
        -0.186_857_24,
        0.104_341_66,
        -0.031_104_255,
    ]
    .map(|constant| simd.splat_float(constant));
    let (e, t) = (numbers.exponents(), numbers.mantissas() - one);
    (e + t) * ln_2 + t * (one - t) * ((a + b * t) + t * t * (c + d * t))
}

/// UCB1 for the children of one node.
#[derive(Clone, Copy, Debug)]
pub struct UcbOfChildren {
    /// The visits of their parent.
    visits: f32,
    width: f32,
    fpu: f32,
    /// All are visited equally often, those that lose, too.
    even: bool,
}

impl UcbOfChildren {
    /// The value of a child with these stats: 1 stands for a win.
    #[inline]
    pub fn value(self, stats: Stats) -> f32 {
        if stats.visits() == 0 {
            return self.fpu / WIN;
        }
        // One division for both terms: it takes as long as all the rest.
        let share = 1.0 / stats.visits() as f32;
        (stats.sum() as f32 * share + (share * self.width).sqrt()) / WIN
    }

    /// The values of eight children in the unit in which they are compared, rounded as above.
    #[inline(always)]
    fn values<S: Simd>(self, simd: S, visits: S::Floats, sums: S::Floats) -> S::Floats {
        let share = simd.splat_float(1.0) / visits;
        let values = sums * share + (share * simd.splat_float(self.width)).sqrt();
        values.or_where_zero(visits, self.fpu)
    }
}

impl Rule for Ucb {
    type OfChildren = UcbOfChildren;

    #[inline]
    fn of_children(self, parent: Stats) -> UcbOfChildren {
        self.of_visits(parent.visits())
    }

    #[inline]
    fn evenly(of_children: UcbOfChildren) -> UcbOfChildren {
        /// Over the visits, the root of this outweighs any win.
        const WIDTH: f32 = 1e30;
        UcbOfChildren {
            visits: of_children.visits,
            width: WIDTH,
            fpu: f32::INFINITY,
            even: true,
        }
    }

    #[inline(always)]
    fn select<S: Simd>(self, simd: S, family: Family<Ucb>) -> Option<(usize, UcbOfChildren)> {
        let scan = Scan {
            rule: family.rule,
            stats: family.stats,
            tree: family.tree,
            block: family.block,
            // The links need not be looked at before any child is proven.
            look_for_lost: family.link.has_proven_child() && !family.rule.even,
        };
        if scan.block.len() <= LANES {
            scan.best_of_few(simd, self)
        } else {
            let child = scan.best_of_many(simd, family.lists)?;
            let stats = Stats::of_word(scan.stats.get(child)?.load(Ordering::Relaxed));
            Some((child, self.of_children(stats)))
        }
    }
}

/// Looks through a block for the child of the highest value, eight children at a time.
struct Scan<'a> {
    rule: UcbOfChildren,
    stats: &'a [AtomicU64],
    tree: &'a Tree,
    block: Block,
    look_for_lost: bool,
}

impl Scan<'_> {
    /// The best of eight children at the most, and the rule for its own. Each level of a descent
    /// waits for the one above, so all is done for a short way to the answer: the rules of all
    /// children are worked out while their values are.
    #[inline(always)]
    fn best_of_few<S: Simd>(&self, simd: S, ucb: Ucb) -> Option<(usize, UcbOfChildren)> {
        let (values, visits) = self.values(simd, self.stats.first_chunk()?);
        let widths = ucb.widths(simd, visits);
        let child = values.greatest_lane(self.open_bits_from(0))?;
        let rule = UcbOfChildren {
            visits: visits.lane(child),
            width: widths.lane(child),
            fpu: ucb.fpu,
            even: false,
        };
        Some((child, rule))
    }

    /// The best of any number.
    #[inline(always)]
    fn best_of_many<S: Simd>(&self, simd: S, lists: Option<&mut Shortlists>) -> Option<usize> {
        let lists = lists.filter(|_| self.block.len() >= shortlist::LARGE);
        if let Some(lists) = &lists
            && let Some(child) = lists.best(simd, self)
        {
            return Some(child);
        }
        if let Some(child) = self.first_unvisited(simd) {
            return Some(child);
        }
        let Some(lists) = lists else {
            // On its own, so that nobody works out who is second.
            return self.leaders(simd).best();
        };
        let leaders = self.leaders(simd);
        lists.insert(self, &leaders);
        leaders.best()
    }

    /// Looks at all children.
    #[inline(always)]
    fn leaders<S: Simd>(&self, simd: S) -> Leaders<S> {
        let mut leaders = Leaders::new(simd);
        let mut firsts = simd.splat_float(0.0);
        for (first, stats) in self.eights() {
            let (mut values, _) = self.values(simd, stats);
            let open = self.open_bits_from(first);
            if open != u8::MAX {
                values = values.keep(open, f32::NEG_INFINITY);
            }
            leaders.enter(values, firsts);
            firsts = firsts + simd.splat_float(LANES as f32);
        }
        leaders
    }

    /// The first child without visits, where those go before all others and there must be one: the
    /// parent has fewer visits than children. A little later only its value shows it.
    #[inline(always)]
    fn first_unvisited<S: Simd>(&self, simd: S) -> Option<usize> {
        let may_be_none = self.rule.visits > self.block.len() as f32;
        if self.rule.fpu != f32::INFINITY || may_be_none {
            return None;
        }
        for (first, stats) in self.eights() {
            let (visits, _) = Stats::parts(simd, simd.load_shared(stats));
            let unvisited = !visits.not_zero_bits() & self.open_bits_from(first);
            if unvisited != 0 {
                return Some(first + unvisited.trailing_zeros() as usize);
            }
        }
        None
    }

    /// The stats of eight children at a time, and the first of them.
    #[inline(always)]
    fn eights(&self) -> impl Iterator<Item = (usize, &[AtomicU64; LANES])> {
        let (eights, _) = self.stats.as_chunks::<LANES>();
        let eights = eights.iter().take(self.block.len().div_ceil(LANES));
        eights.enumerate().map(|(number, it)| (number * LANES, it))
    }

    /// The values and the visits of eight children; without meaning for those that are not there.
    #[inline(always)]
    fn values<S: Simd>(&self, simd: S, stats: &[AtomicU64; LANES]) -> (S::Floats, S::Floats) {
        self.values_of(simd, simd.load_shared(stats))
    }

    /// The same for children with these words.
    #[inline(always)]
    fn values_of<S: Simd>(&self, simd: S, words: S::Lanes) -> (S::Floats, S::Floats) {
        let (visits, sums) = Stats::parts(simd, words);
        let (visits, sums) = (simd.floats(visits), simd.floats(sums));
        (self.rule.values(simd, visits, sums), visits)
    }

    /// A bit for each of the next eight children that there is and that is not proven lost.
    #[inline(always)]
    fn open_bits_from(&self, first: usize) -> u8 {
        let count = (self.block.len() - first).min(LANES);
        let all = u8::MAX >> (LANES - count);
        if self.look_for_lost {
            let children = std::array::from_fn(|lane| first + lane.min(count - 1));
            all & open_bits(self.tree, self.block, children)
        } else {
            all
        }
    }
}

/// A bit for each lane whose child is not proven lost. It takes its arguments one by one, so that
/// those who hardly ever call it can keep them in registers.
#[inline(never)]
fn open_bits(tree: &Tree, block: Block, children: [usize; LANES]) -> u8 {
    let is_open = children.map(|child| !tree.link(block.node(child)).is_lost());
    let bits = is_open.iter().zip(0..);
    bits.fold(0, |bits, (&is_open, lane)| bits | u8::from(is_open) << lane)
}

/// The best child of each lane: of those whose numbers leave the same rest.
struct Leaders<S: Simd> {
    values: S::Floats,
    /// The numbers of the children less those of their lanes.
    firsts: S::Floats,
    /// The second best values.
    seconds: S::Floats,
}

impl<S: Simd> Leaders<S> {
    /// Before any child was looked at.
    #[inline(always)]
    fn new(simd: S) -> Self {
        Leaders {
            values: simd.splat_float(f32::NEG_INFINITY),
            firsts: simd.splat_float(0.0),
            seconds: simd.splat_float(f32::NEG_INFINITY),
        }
    }

    /// Compares the values of eight children more; `firsts` has the number of the first.
    #[inline(always)]
    fn enter(&mut self, values: S::Floats, firsts: S::Floats) {
        self.seconds = self.seconds.max(self.values.min(values));
        self.firsts = self.firsts.or_where_less(self.values, values, firsts);
        self.values = self.values.max(values);
    }

    /// The best of all. `None`: all are proven lost.
    #[inline(always)]
    fn best(&self) -> Option<usize> {
        let greatest = self.values.greatest();
        if greatest == f32::NEG_INFINITY {
            return None;
        }
        Some(first_of_greatest(self.values, greatest, |lane| {
            self.child(lane)
        }))
    }

    /// The number of a lane's best child.
    #[inline(always)]
    fn child(&self, lane: usize) -> usize {
        self.firsts.lane(lane) as usize + lane
    }

    /// The greatest value that is not the best of its lane.
    #[inline(always)]
    fn greatest_other(&self) -> f32 {
        self.seconds.greatest()
    }
}

/// The least number of a child in those lanes whose value is the greatest.
#[inline(always)]
fn first_of_greatest<F: Floats>(values: F, greatest: f32, child: impl Fn(usize) -> usize) -> usize {
    let equals = values.equal(greatest);
    if equals.is_power_of_two() {
        return child(equals.trailing_zeros() as usize);
    }
    let lanes = (0..LANES).filter(|lane| equals >> lane & 1 == 1);
    lanes.map(child).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Allocator, Node};
    use super::*;
    use crate::game::Move;
    use crate::knowledge::{Proof, ProofResult};
    use crate::simd::{Isa, Kernel};
    use proptest::prelude::*;

    /// A selection from the children of the root.
    struct FromRoot<'a>(&'a Tree, Ucb, Option<&'a mut Shortlists>);

    impl Kernel for FromRoot<'_> {
        type Output = Option<Node>;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Option<Node> {
            let FromRoot(tree, ucb, lists) = self;
            let family = Family {
                lists,
                ..Family::of_root(tree, ucb)?
            };
            let block = family.block;
            let (child, rule) = ucb.select(simd, family)?;
            let child = block.node(child);
            let expected = ucb.of_children(tree.stats(child));
            assert_eq!(rule.width.to_bits(), expected.width.to_bits());
            Some(child)
        }
    }

    /// The same by looking at one child after the other.
    fn select_one_by_one(tree: &Tree, ucb: Ucb) -> Option<Node> {
        let ucb = ucb.of_children(tree.stats(Node::ROOT));
        let block = tree.link(Node::ROOT).children()?;
        let ignored = if block.len() <= LANES { 0xf } else { 0 };
        let mut best = None;
        let mut best_value = -1.0;
        for node in block.nodes().filter(|&node| !tree.link(node).is_lost()) {
            let bits = ucb.value(tree.stats(node)).to_bits() & !ignored;
            if f32::from_bits(bits) > best_value {
                best = Some(node);
                best_value = f32::from_bits(bits);
            }
        }
        best
    }

    fn logarithm_of(number: u32) -> f32 {
        let lane = Portable::<1>::from(0);
        logarithm(lane, lane.splat_float(number as f32)).greatest()
    }

    #[test]
    fn the_logarithm_is_near() {
        for number in (1..10_000).chain((1..u32::MAX - 70_000).step_by(65_537)) {
            let exact = f64::from(number).ln();
            let error = (f64::from(logarithm_of(number)) - exact).abs();
            assert!(error < 4e-5 + 2e-7 * exact, "{number}: {error}");
        }
        assert_eq!(logarithm_of(1), 0.0);
    }

    proptest! {
        /// Every ISA selects the same child as looking at one after the other.
        #[test]
        fn all_ways_select_the_same(
            children in prop::collection::vec((0..40_u64, 0..=10_u64, 0..6_u8), 1..60),
            fpu in prop::sample::select(vec![f32::INFINITY, 0.4]),
            any_lost: bool,
        ) {
            let mut allocator = Allocator::default();
            let tree = Tree::new(1 << 16, 1, false);
            let moves: Vec<Move> = (0..children.len() as u16).map(Move::new).collect();
            prop_assert!(tree.expand(Node::ROOT, &moves, &[], true, &mut allocator));
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
            let ucb = Ucb::new(0.5, fpu);
            let expected = select_one_by_one(&tree, ucb);
            for isa in Isa::all() {
                prop_assert_eq!(isa.run(FromRoot(&tree, ucb, None)), expected);
            }
        }

        /// From playout to playout, shortlists change nothing.
        #[test]
        fn shortlists_find_the_best(
            count in shortlist::LARGE..150,
            scores in prop::collection::vec(0..=SCALE, 1..50),
            fpu in prop::sample::select(vec![f32::INFINITY, 0.4]),
            lost_after in 1..400_u32,
        ) {
            let mut allocator = Allocator::default();
            let tree = Tree::new(1 << 16, 1, false);
            let moves: Vec<Move> = (0..count as u16).map(Move::new).collect();
            prop_assert!(tree.expand(Node::ROOT, &moves, &[], true, &mut allocator));
            let ucb = Ucb::new(0.5, fpu);
            let mut lists = Shortlists::default();
            let isa = Isa::current();
            for (playout, &score) in (1..500).zip(scores.iter().cycle()) {
                let selected = isa.run(FromRoot(&tree, ucb, Some(&mut lists)));
                prop_assert_eq!(selected, isa.run(FromRoot(&tree, ucb, None)));
                let Some(child) = selected else { break };
                // Scores differ by child, so that some are visited again and again.
                let score = (score + tree.link(child).mv().code() as u32) / 2;
                tree.add(child, Stats::new(1, u64::from(score.min(SCALE))), true);
                tree.add(Node::ROOT, Stats::new(1, 0), true);
                if playout % lost_after == 0 {
                    let (result, plies) = (ProofResult::Loss, 2);
                    tree.prove(child, Proof { result, plies });
                    tree.mark_proven_child(Node::ROOT);
                }
            }
        }
    }
}
