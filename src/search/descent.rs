//! A way down the tree, and from where the next one goes on.
//!
//! A child that is chosen keeps the descents for a share of the visits that it has, before its parent
//! chooses again. Leaves that are near to each other follow each other then: what is above them is in
//! the caches, and knowledge that goes on from the position before has little to change. Rapfi's Monte Carlo
//! search does so (up to .36 of the visits and one).

use super::backup::Step;
use super::hot::Copied;
use super::tree::{Link, Node, Stats, Tree};
use super::worker::{Shared, Worker};
use crate::knowledge::{Knowledge, Leaf};
use crate::rollout::Rollout;

/// A way down, and the position at its end.
pub struct Descent<G, T> {
    /// From the root to the last node.
    pub path: Vec<Step>,
    /// The position there.
    pub position: G,
    /// What the knowledge made of the moves.
    pub trace: T,
}

impl<G: Rollout, T: Clone> Descent<G, T> {
    /// One that has not begun.
    pub fn new(root: &G, trace: &T) -> Descent<G, T> {
        Descent {
            path: Vec::with_capacity(64),
            position: root.clone(),
            trace: trace.clone(),
        }
    }

    /// Its end, for the knowledge to judge.
    pub fn leaf(&mut self) -> Leaf<'_, G, T> {
        Leaf {
            position: &self.position,
            trace: &mut self.trace,
        }
    }

    /// Begins at the root, of which the knowledge made this trace.
    pub fn begin(&mut self, root: &G, trace: &T) {
        self.position.clone_from(root);
        self.trace.clone_from(trace);
        self.path.clear();
        self.path.push(Step::root(root.side_to_move().other()));
    }

    /// Goes back to the last node that keeps the next descent: to the root where none does.
    pub fn go_back<K>(&mut self, tree: &Tree, knowledge: &K, root: &G, trace: &T)
    where
        K: Knowledge<G, Trace = T>,
    {
        let kept = self.kept(tree);
        if kept == 0 {
            return self.begin(root, trace);
        }
        self.position.clone_from(root);
        self.trace.clone_from(trace);
        self.path.truncate(kept + 1);
        for step in self.path.iter().skip(1) {
            let mv = tree.link(step.node).mv();
            self.position.play_through(mv);
            knowledge.follow(&mut self.trace, &self.position, mv);
        }
    }

    /// How many plies of the path are kept. Nothing is to be found below a node that is proven.
    fn kept(&self, tree: &Tree) -> usize {
        let Some(last) = self.path.iter().rposition(|step| step.stay > 0) else {
            return 0;
        };
        let is_proven = |step: &Step| tree.link(step.node).proof().is_some();
        let proven = self.path.iter().take(last + 1).position(is_proven);
        proven.unwrap_or(last + 1).saturating_sub(1)
    }
}

impl<G: Rollout, K: Knowledge<G>> Worker<'_, G, K> {
    /// Goes to the node where the next descent begins, the root or one that keeps it: with its stats, and
    /// where its children are copied.
    pub(super) fn set_out(&mut self) -> (Node, Stats, Copied) {
        let Shared {
            tree,
            knowledge,
            root,
            ..
        } = *self.shared;
        if self.stay > 0.0 {
            self.descent
                .go_back(tree, knowledge, root, &self.root_trace);
        } else {
            self.descent.begin(root, &self.root_trace);
        }
        let hot = &mut self.state.hot;
        let Some(&[ref above @ .., at]) = self.descent.path.get(1..) else {
            return (Node::ROOT, hot.root(tree), hot.top());
        };
        for &step in above.iter().chain([&at]) {
            self.virtual_loss.enter(tree, hot, step);
        }
        (at.node, self.stats(at), self.state.hot.below(at.slot))
    }

    /// How many playouts this child keeps, now that it is chosen: no more than its parent.
    #[inline]
    pub(super) fn stay_at(&self, step: Step, link: Link) -> u32 {
        if self.stay == 0.0 || link.children().is_none() {
            return step.stay;
        }
        let keeps = (self.stats(step).visits() as f32 * self.stay) as u32 + 1;
        let parent = self.descent.path.last();
        parent.map_or(1, |parent| parent.stay.min(keeps))
    }
}
