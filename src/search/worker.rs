//! One thread's playouts: down the tree, a leaf, and back up.

use super::backup::{Step, backup, prove};
use super::evaluate::Scoring;
use super::hot::{self, Hot};
use super::options::Options;
use super::prune::{Dropped, Pauses};
use super::select::{Ucb, select};
use super::tree::{Allocator, Block, Node, Stats, Tree};
use crate::game::{Outcome, Side};
use crate::knowledge::{Expansion, Knowledge, Proof, ProofResult};
use crate::playout::{Playout, Random};
use crate::simd::{Kernel, Path, Simd};
use rand::seq::SliceRandom;

/// What the threads of one search share.
pub struct Shared<'a, G, K> {
    /// The tree.
    pub tree: &'a Tree,
    /// The position at its root.
    pub root: &'a G,
    /// What is known of the game.
    pub knowledge: &'a K,
    /// The options.
    pub options: &'a Options,
    /// The selection rule.
    pub ucb: Ucb,
    /// The instructions to select with.
    pub path: Path,
    /// The worth of results.
    pub scoring: Scoring,
    /// Exact results are found and used.
    pub solver: bool,
}

/// What a thread of a search has for itself, from one search to the next. On cache lines of its
/// own, lest threads wait for each other.
#[derive(Default)]
#[repr(align(128))]
pub struct Part {
    /// Where it gets memory from.
    pub allocator: Allocator,
    /// What it took out of the tree.
    pub dropped: Dropped,
    /// Copies of the stats that all threads change.
    hot: Hot,
}

/// One thread of a search.
pub struct Worker<'a, G, K> {
    shared: &'a Shared<'a, G, K>,
    part: &'a mut Part,
    random: Random,
    virtual_loss: u32,
    path: Vec<Step>,
    expansion: Expansion,
    /// The longest path so far, in plies.
    pub depth: u32,
}

impl<'a, G: Playout, K: Knowledge<G>> Worker<'a, G, K> {
    /// A worker with its own part of the arena and its own random numbers.
    pub fn new(shared: &'a Shared<'a, G, K>, part: &'a mut Part, random: Random) -> Self {
        let alone = shared.options.threads == 1;
        Worker {
            shared,
            part,
            random,
            virtual_loss: if alone {
                0
            } else {
                shared.options.virtual_loss
            },
            path: Vec::with_capacity(64),
            expansion: Expansion::default(),
            depth: 0,
        }
    }

    /// Gives the root children, if it has none. Returns false when there is no room.
    pub fn expand_root(&mut self) -> bool {
        let tree = self.shared.tree;
        if tree.link(Node::ROOT).children().is_some() {
            return true;
        }
        self.begin_path();
        let proof = self.consult(self.shared.root);
        if !self.make_children(Node::ROOT) {
            return false;
        }
        if let Some(proof) = proof {
            self.prove_root(proof);
        }
        true
    }

    /// The knowledge has proven the root for the side to move: the first child wins, or every
    /// child loses.
    fn prove_root(&self, proof: Proof) {
        let tree = self.shared.tree;
        let decided = match proof.result {
            ProofResult::Win => 1,
            ProofResult::Draw => 0,
            ProofResult::Loss => usize::MAX,
        };
        let children = tree.link(Node::ROOT).children();
        let children = children.into_iter().flat_map(Block::nodes);
        for child in children.take(decided) {
            let plies = proof.plies.saturating_sub(1);
            tree.prove(child, Proof { plies, ..proof });
        }
        tree.mark_proven_child(Node::ROOT);
        tree.prove(Node::ROOT, proof.flipped());
    }

    /// What has to be done now and then between playouts: the threads tell each other what they
    /// have found, and make room where there is none. This thread has that number.
    pub fn synchronise(&mut self, pauses: &Pauses, thread: usize) {
        let tree = self.shared.tree;
        let Part {
            allocator,
            dropped,
            hot,
        } = &mut *self.part;
        allocator.report(tree);
        let alone = self.shared.options.threads == 1;
        if !alone {
            hot.bring(tree);
        }
        // Nothing of this thread refers to the tree any more.
        pauses.pause(thread);
        dropped.make_room(tree, allocator, pauses, thread);
        if !alone {
            hot.fetch(tree);
        }
    }

    /// To be called when this thread's playouts are over.
    pub fn finish(&mut self) {
        self.part.allocator.report(self.shared.tree);
        self.part.hot.bring(self.shared.tree);
    }

    /// So many playouts.
    pub fn playouts(&mut self, count: u32) {
        let path = self.shared.path;
        path.run(Playouts {
            worker: self,
            count,
        });
    }

    #[inline(always)]
    fn playout<S: Simd>(&mut self, simd: S) {
        let mut position = self.shared.root.clone();
        let scores = self.descend(simd, &mut position);
        let alone = self.shared.options.threads == 1;
        backup(
            self.shared.tree,
            &mut self.part.hot,
            &self.path,
            scores,
            self.virtual_loss,
            alone,
        );
        self.depth = self.depth.max(self.path.len() as u32 - 1);
    }

    /// Begins a path at the root.
    fn begin_path(&mut self) -> Step {
        let root = Step {
            node: Node::ROOT,
            slot: hot::NONE,
            mover: self.shared.root.side_to_move().other(),
        };
        self.path.clear();
        self.path.push(root);
        root
    }

    /// Goes down from the root until a score is known; returns it for each side.
    #[inline(always)]
    fn descend<S: Simd>(&mut self, simd: S, position: &mut G) -> [u32; 2] {
        let tree = self.shared.tree;
        let ucb = self.shared.ucb;
        let mut rule = ucb.of_children(self.part.hot.root_visits(tree));
        let mut at = self.begin_path();
        let mut hot_block = self.part.hot.top();
        let mut link = tree.link(at.node);
        loop {
            let to_move = position.side_to_move();
            if let Some(proof) = link.proof() {
                return Scoring::of_proof(proof.flipped(), to_move);
            }
            let children = match link.children() {
                Some(children) => children,
                None => match self.leaf(position, at) {
                    Leaf::Expanded(children) => children,
                    Leaf::Scored(scores) => return scores,
                },
            };
            let hot = &self.part.hot;
            let copies = hot.stats_of(hot_block, children);
            let is_hot = copies.is_some();
            let stats = copies.unwrap_or_else(|| tree.stats_of(children));
            let Some((child, next_rule)) = select(simd, tree, (link, children), stats, rule, ucb)
            else {
                // Every candidate is proven lost, though other moves may exist: as good as lost.
                return Scoring::of_proof(LOST, to_move);
            };
            at = Step {
                node: children.node(child),
                slot: hot::NONE,
                mover: to_move,
            };
            if is_hot {
                at.slot = hot.slot(hot_block, child);
                hot_block = hot.below(at.slot);
            } else {
                hot_block = hot::NONE;
            }
            self.enter(at);
            (link, rule) = (tree.link(at.node), next_rule);
            if link.children().is_some() {
                position.play_through(link.mv());
                continue;
            }
            position.play(link.mv());
            if let Some(outcome) = position.outcome() {
                return self.finish_game(outcome, to_move);
            }
        }
    }

    #[inline]
    fn enter(&mut self, step: Step) {
        if self.virtual_loss > 0 && step.slot == hot::NONE {
            let loss = Stats::new(u64::from(self.virtual_loss), 0);
            self.shared.tree.add(step.node, loss, false);
        }
        self.path.push(step);
    }

    /// The game is over at the end of the path, which `mover` moved into.
    fn finish_game(&mut self, outcome: Outcome, mover: Side) -> [u32; 2] {
        if self.shared.solver {
            let result = match outcome.margin(mover) {
                1.. => ProofResult::Win,
                0 => ProofResult::Draw,
                _ => ProofResult::Loss,
            };
            prove(self.shared.tree, &self.path, Proof { result, plies: 0 });
        }
        self.shared.scoring.of_outcome(outcome)
    }

    /// A node without children: makes them if it has earned them, else judges it.
    fn leaf(&mut self, position: &G, step: Step) -> Leaf {
        let tree = self.shared.tree;
        let (stats, losses) = match step.slot {
            hot::NONE => (tree.stats(step.node), self.virtual_loss),
            slot => (self.part.hot.stats(slot), 0),
        };
        let earned = stats.visits() >= self.shared.options.expand_visits + losses;
        if earned && !self.part.allocator.is_full() {
            if let Some(proof) = self.consult(position) {
                prove(tree, &self.path, proof.flipped());
                return Leaf::Scored(Scoring::of_proof(proof, position.side_to_move()));
            }
            if self.make_children(step.node)
                && let Some(children) = tree.link(step.node).children()
            {
                return Leaf::Expanded(children);
            }
        }
        let knowledge = self.shared.knowledge;
        let tally = knowledge.evaluate(position, self.shared.options.rollouts, &mut self.random);
        Leaf::Scored(self.shared.scoring.of_tally(&tally))
    }

    /// Asks the knowledge for the children of a position, and orders them. Returns what is
    /// proven for the side to move.
    fn consult(&mut self, position: &G) -> Option<Proof> {
        self.shared.knowledge.expand(position, &mut self.expansion);
        // The first move of a proven expansion is the one that wins.
        if self.shared.options.random_order && self.expansion.proof.is_none() {
            self.expansion.moves.shuffle(&mut self.random);
        }
        self.expansion.proof.filter(|_| self.shared.solver)
    }

    fn make_children(&mut self, node: Node) -> bool {
        let Expansion {
            moves, complete, ..
        } = &self.expansion;
        self.shared
            .tree
            .expand(node, moves, *complete, &mut self.part.allocator)
    }
}

/// Playouts of a worker, selecting in lanes.
struct Playouts<'w, 'a, G, K> {
    worker: &'w mut Worker<'a, G, K>,
    count: u32,
}

impl<G: Playout, K: Knowledge<G>> Kernel for Playouts<'_, '_, G, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for _ in 0..self.count {
            self.worker.playout(simd);
        }
    }
}

const LOST: Proof = Proof {
    result: ProofResult::Loss,
    plies: 0,
};

/// What became of a node without children.
enum Leaf {
    /// It has children now.
    Expanded(Block),
    /// Its score for each side.
    Scored([u32; 2]),
}
