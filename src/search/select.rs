//! Which child to visit next.

use super::tree::{Block, Node, Stats, Tree};
use crate::knowledge::ProofResult;

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
    pub fn value(self, stats: Stats) -> f32 {
        match stats.visits() {
            0 => self.fpu,
            visits => stats.mean() + (self.width / visits as f32).sqrt(),
        }
    }
}

/// The child of `parent` with the highest UCB1 value; the first of equals. Children that are
/// proven lost for the player who would move there are passed over. `None`: all are.
pub fn select(tree: &Tree, parent: Node, block: Block, ucb: Ucb) -> Option<Node> {
    let ucb = ucb.of_children(tree.stats(parent).visits());
    let proofs = tree.link(parent).has_proven_child();
    let mut best = None;
    let mut best_value = f32::NEG_INFINITY;
    for node in block.nodes() {
        let value = ucb.value(tree.stats(node));
        if value > best_value && !(proofs && is_lost(tree, node)) {
            best = Some(node);
            best_value = value;
            if value == f32::INFINITY {
                break;
            }
        }
    }
    best
}

fn is_lost(tree: &Tree, node: Node) -> bool {
    tree.link(node)
        .proof()
        .is_some_and(|proof| proof.result == ProofResult::Loss)
}
