//! The way back up: visits and scores, and proofs (MCTS-Solver, Winands et al. 2008).

use super::hot::{self, Hot};
use super::tree::{Node, Stats, Tree};
use crate::game::Side;
use crate::knowledge::{Proof, ProofResult, Solution};
use crate::options::SearchOptions;
use std::ops::AddAssign;
use std::sync::atomic::{Ordering, fence};

/// One node on the way from the root to a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The node.
    pub node: Node,
    /// Where this thread has a copy of its stats, or [`hot::NONE`].
    pub slot: u32,
    /// Who moved into it: whose scores its stats are.
    pub mover: Side,
    /// How many playouts more it keeps, before its parent chooses again.
    pub stay: u32,
}

impl Step {
    /// A node that keeps the playout that has come to it, and no other.
    pub fn new(node: Node, slot: u32, mover: Side) -> Step {
        Step {
            node,
            slot,
            mover,
            stay: 1,
        }
    }

    /// The root, which nobody leaves.
    pub fn root(mover: Side) -> Step {
        Step {
            stay: u32::MAX,
            ..Step::new(Node::ROOT, hot::NONE, mover)
        }
    }
}

/// What playouts add to every node that they have passed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gain {
    /// How many they are.
    pub playouts: u32,
    /// What they count together, in parts of a visit (see [`Shared::parts`](super::worker::Shared)).
    visits: u32,
    /// The sums of their scores for each side, by `Side::index`.
    sums: [u32; 2],
}

impl Gain {
    /// The gain of one playout with these scores, which counts so many parts of a visit.
    #[inline]
    pub fn of_scores(scores: [u32; 2], visits: u32) -> Gain {
        Gain {
            playouts: 1,
            visits,
            sums: scores.map(|score| score * visits),
        }
    }

    /// The stats that a node gains which this side moved into.
    #[inline]
    pub fn of(self, mover: Side) -> Stats {
        Stats::new(self.visits.into(), self.sums[mover.index()].into())
    }
}

impl AddAssign for Gain {
    fn add_assign(&mut self, other: Gain) {
        self.playouts += other.playouts;
        self.visits += other.visits;
        for (sum, other) in self.sums.iter_mut().zip(other.sums) {
            *sum += other;
        }
    }
}

/// The visits that a descent adds to a node on its way down, as if it had lost there, and takes
/// back afterwards: so that others which are under way at the same time go elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct VirtualLoss {
    /// How many to a node of the tree.
    visits: u32,
    /// How many to a copy, which other threads do not see.
    copied_visits: u32,
    /// No other thread works on the tree.
    alone: bool,
}

impl VirtualLoss {
    /// The virtual loss of a search with these options and so many parts of a visit.
    pub fn new(options: &SearchOptions, parts: u32) -> VirtualLoss {
        let alone = options.threads == 1;
        let in_batch = match options.batch {
            1 => 0,
            _ => options.virtual_loss.max(1),
        };
        VirtualLoss {
            visits: parts
                * if alone {
                    in_batch
                } else {
                    options.virtual_loss.max(in_batch)
                },
            copied_visits: parts * in_batch,
            alone,
        }
    }

    /// No other thread works on the tree.
    pub fn alone(&self) -> bool {
        self.alone
    }

    /// The visits that are added where this slot has a copy, or none.
    #[inline]
    pub fn at(&self, slot: u32) -> u32 {
        if slot == hot::NONE {
            self.visits
        } else {
            self.copied_visits
        }
    }

    /// Adds them to a node that a descent has come to.
    #[inline]
    pub fn enter(&self, tree: &Tree, hot: &mut Hot, step: Step) {
        let visits = self.at(step.slot);
        if visits > 0 {
            self.add(tree, hot, step, Stats::new(u64::from(visits), 0));
        }
    }

    /// Adds to the stats of a node.
    #[inline]
    pub fn add(&self, tree: &Tree, hot: &mut Hot, step: Step, stats: Stats) {
        if step.slot == hot::NONE {
            // What another thread adds at the same time may be lost, but no virtual loss.
            tree.add(step.node, stats, self.alone || self.visits == 0);
        } else {
            hot.add(step.slot, stats);
        }
    }
}

/// Adds the gain to every node of the path, whose first is the root, and takes the virtual loss
/// back.
#[inline]
pub fn backup(tree: &Tree, hot: &mut Hot, path: &[Step], gain: Gain, virtual_loss: VirtualLoss) {
    let Some((root, below)) = path.split_first() else {
        return;
    };
    if virtual_loss.alone {
        tree.add(root.node, gain.of(root.mover), true);
    } else {
        hot.add_to_root(gain.of(root.mover));
    }
    for step in below {
        let gain = gain.of(step.mover).minus_visits(virtual_loss.at(step.slot));
        virtual_loss.add(tree, hot, *step, gain);
    }
}

/// Backs values up by minimax, from the last node of the path that has children to the first that
/// keeps its value.
pub fn back_up_values(tree: &Tree, path: &[Step]) {
    for step in path.iter().rev() {
        let Some(children) = tree.link(step.node).children() else {
            continue;
        };
        let Some(best) = tree.best_value(children) else {
            return;
        };
        let before = tree.opinion(step.node);
        tree.set_value(step.node, 1.0 - best);
        if tree.opinion(step.node) == before {
            return;
        }
    }
}

/// Proves the last node of the path, and every node above it that follows.
pub fn prove(tree: &Tree, path: &[Step], proof: Proof) {
    let Some((leaf, above)) = path.split_last() else {
        return;
    };
    tree.prove(leaf.node, proof);
    for step in above.iter().rev() {
        tree.mark_proven_child(step.node);
        // Where two threads prove the last two children, one must see both proofs.
        fence(Ordering::SeqCst);
        match proof_of_children(tree, step.node) {
            Some(proof) => tree.prove(step.node, proof),
            None => return,
        }
    }
}

/// What the proven children of a node say of it, for the player who moved into it.
///
/// The children belong to the opponent. One that the opponent wins loses the node, soonest.
/// Only when every legal move is accounted for and none is open is the node drawn, if any
/// child is, or won, as late as the opponent can make it.
pub fn proof_of_children(tree: &Tree, node: Node) -> Option<Proof> {
    let link = tree.link(node);
    let mut best: Option<Proof> = None;
    let mut all_proven = link.is_complete();
    for child in link.children()?.nodes() {
        match tree.link(child).proof() {
            Some(proof) if best.is_none_or(|best| is_better(proof, best)) => best = Some(proof),
            Some(_) => {}
            None => all_proven = false,
        }
    }
    let best = best?;
    (all_proven || best.result == ProofResult::Win).then(|| Proof {
        plies: best.plies + 1,
        ..best.flipped()
    })
}

/// Brings a solution of the root into the tree. A win or a loss is proven by its best move. So is a
/// draw with one move that keeps it; with several, only the moves that lose are proven, and the
/// search goes on among the others: they differ in how easily the opponent errs. So it does where
/// nothing but losing moves was found. Returns whether the root has a child for one of the best moves;
/// without one nothing changes.
pub fn settle_root(tree: &Tree, solution: &Solution) -> bool {
    let Solution { proof, best, .. } = solution;
    let Some(children) = tree.link(Node::ROOT).children() else {
        return false;
    };
    let (chosen, others): (Vec<Node>, Vec<Node>) = children
        .nodes()
        .partition(|&child| best.contains(&tree.link(child).mv()));
    if chosen.is_empty() {
        return false;
    }
    if proof.is_none_or(|proof| proof.result != ProofResult::Win) {
        // When the others lose is not known.
        let is_open = |child: &&Node| tree.link(**child).proof().is_none();
        for &child in others.iter().filter(is_open) {
            tree.prove(child, Proof::loss(0));
        }
    }
    tree.mark_proven_child(Node::ROOT);
    let Some(proof) = proof else {
        return true;
    };
    if proof.result == ProofResult::Draw && chosen.len() > 1 {
        return true;
    }
    let plies = proof.plies.saturating_sub(1);
    for child in chosen {
        tree.prove(child, Proof { plies, ..*proof });
    }
    tree.prove(Node::ROOT, proof.flipped());
    true
}

/// Whether a player would choose to be in the first proof rather than the second: the win
/// before the draw before the loss, the shorter win, the longer loss.
pub fn is_better(a: Proof, b: Proof) -> bool {
    rank(a) > rank(b)
}

/// The order of [`is_better`].
pub fn rank(proof: Proof) -> i32 {
    let plies = i32::from(proof.plies);
    match proof.result {
        ProofResult::Win => 10_000 - plies,
        ProofResult::Draw => 0,
        ProofResult::Loss => plies - 10_000,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Allocator;
    use super::*;
    use crate::game::Move;

    #[test]
    fn virtual_loss_stands_until_the_scores_are_known() {
        let tree = Tree::new(0, 2, false);
        let moves = [Move::new(0), Move::new(1)];
        assert!(tree.expand(Node::ROOT, &moves, &[], true, &mut Allocator::default()));
        let step = |node, mover| Step::new(node, hot::NONE, mover);
        let child = tree.link(Node::ROOT).children().unwrap().node(1);
        let path = [step(Node::ROOT, Side::Second), step(child, Side::First)];
        for (threads, expected) in [(1, 0), (2, 3)] {
            let options = SearchOptions {
                threads,
                virtual_loss: 3,
                ..SearchOptions::default()
            };
            let virtual_loss = VirtualLoss::new(&options, 1);
            let before = tree.stats(child);
            virtual_loss.enter(&tree, &mut Hot::default(), path[1]);
            let on_its_way = before.plus(Stats::new(expected, 0));
            assert_eq!(tree.stats(child), on_its_way, "{threads} threads");
            let gain = Gain::of_scores([200, 56], 1);
            backup(&tree, &mut Hot::default(), &path, gain, virtual_loss);
            assert_eq!(tree.stats(child), before.plus(Stats::new(1, 200)));
        }
    }
}
