//! One thread's playouts: down the tree, a leaf, and back up.
//!
//! A descent can end with a playout of each child of a node that has just been given children
//! (`siblings`), as UCT would make them in its next visits there: in lanes, eight take little longer
//! than one in some games, and one way down and up serves them all.

use super::backup::{Gain, Losses, Step, backup, prove};
use super::evaluate::Scoring;
use super::hot::{self, Copied, Hot};
use super::limits::Tickets;
use super::options::Options;
use super::prune::{Dropped, Pauses};
use super::select::{Shortlists, Ucb, select};
use super::tree::{Allocator, Block, Node, Tree};
use crate::game::{Outcome, Side};
use crate::knowledge::{Expansion, Knowledge, Proof, ProofResult};
use crate::playout::{Playout, Random, Tally};
use crate::simd::{Kernel, LANES, Path, Simd};
use rand::seq::SliceRandom;
use std::ops::Range;

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
    /// The side that is taken to choose at random: see `Search::set_trap`.
    pub careless: Option<Side>,
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

/// One thread of a search. On cache lines of its own, as its part is.
#[repr(align(128))]
pub struct Worker<'a, G, K> {
    shared: &'a Shared<'a, G, K>,
    part: &'a mut Part,
    random: Random,
    losses: Losses,
    shortlists: Shortlists,
    /// The way down, from the root to the last node, and the position there.
    path: Vec<Step>,
    position: G,
    /// Room for the positions after that one.
    siblings: [G; LANES],
    expansion: Expansion,
    /// The longest path so far, in plies.
    pub depth: u32,
}

/// Where a descent ended.
enum Descended {
    /// At a node that has to be judged by playouts.
    Leaf,
    /// Above new children, which have to be judged.
    NewChildren(Block),
    /// Where the scores are known.
    Scores([u32; 2]),
}

impl<'a, G: Playout, K: Knowledge<G>> Worker<'a, G, K> {
    /// A worker with its own part of the arena and its own random numbers.
    pub fn new(shared: &'a Shared<'a, G, K>, part: &'a mut Part, random: Random) -> Self {
        let options = shared.options;
        Worker {
            shared,
            part,
            random,
            losses: Losses::new(options),
            shortlists: Shortlists::default(),
            path: Vec::with_capacity(64),
            position: shared.root.clone(),
            siblings: std::array::from_fn(|_| shared.root.clone()),
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
        self.begin();
        let proof = self.consult();
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
        let released = dropped.make_room(tree, allocator, pauses, thread);
        if !alone {
            hot.fetch(tree);
        }
        if released || !alone {
            self.shortlists.forget();
        }
    }

    /// To be called when this thread's playouts are over.
    pub fn finish(&mut self) {
        self.part.allocator.report(self.shared.tree);
        self.part.hot.bring(self.shared.tree);
    }

    /// So many playouts; and for the last children to be judged, those that it takes tickets for.
    pub fn playouts(&mut self, count: u32, tickets: &Tickets) {
        let path = self.shared.path;
        path.run(Playouts {
            worker: self,
            count,
            tickets,
        });
    }

    /// Goes down the tree once. Returns the playouts made: one, or as many as the last node has
    /// children, for which there are `left` tickets and those that it takes.
    #[inline(always)]
    fn play_out<S: Simd>(&mut self, simd: S, left: u32, tickets: &Tickets) -> u32 {
        let gain = match self.descend(simd) {
            Descended::Scores(scores) => Gain::of_scores(scores),
            Descended::Leaf => self.judge_leaf(),
            Descended::NewChildren(children) => {
                let more = match (children.len() as u32).saturating_sub(left) {
                    0 => 0,
                    missing => tickets.take(missing),
                };
                self.judge_children(children, left + more)
            }
        };
        let hot = &mut self.part.hot;
        backup(self.shared.tree, hot, &self.path, gain, self.losses);
        self.depth = self.depth.max(self.path.len() as u32 - 1);
        gain.visits
    }

    /// Begins a way down, at the root.
    fn begin(&mut self) {
        let root = self.shared.root;
        self.position.clone_from(root);
        self.path.clear();
        self.path.push(Step {
            node: Node::ROOT,
            slot: hot::NONE,
            mover: root.side_to_move().other(),
        });
    }

    /// Goes down from the root until a score is known or the tree ends.
    #[inline(always)]
    fn descend<S: Simd>(&mut self, simd: S) -> Descended {
        let Shared {
            tree,
            ucb,
            careless,
            ..
        } = *self.shared;
        let mut rule = ucb.of_children(self.part.hot.root_visits(tree));
        self.begin();
        let mut copied = self.part.hot.top();
        let mut link = tree.link(Node::ROOT);
        loop {
            let to_move = self.position.side_to_move();
            if let Some(proof) = link.proof() {
                return Descended::Scores(Scoring::of_proof(proof.flipped(), to_move));
            }
            let children = match link.children() {
                Some(children) => children,
                None => match self.leaf() {
                    Leaf::Expanded(children) => children,
                    Leaf::Ended(descended) => return descended,
                },
            };
            let hot = &self.part.hot;
            let copies = hot.stats_of(copied, children);
            let is_hot = copies.is_some();
            let stats = copies.unwrap_or_else(|| tree.stats_of(children));
            // Of no use where other threads change what they rest on.
            let lists = (is_hot || self.losses.alone()).then_some(&mut self.shortlists);
            if careless == Some(to_move) {
                rule = rule.evenly();
            }
            let selected = select(simd, tree, (link, children), stats, lists, rule, ucb);
            let Some((child, next_rule)) = selected else {
                // Every candidate is proven lost, though other moves may exist: as good as lost.
                return Descended::Scores(Scoring::of_proof(LOST, to_move));
            };
            let node = children.node(child);
            let (slot, below) = if is_hot {
                let slot = copied.slot(child);
                (slot, hot.below(slot))
            } else {
                (hot::NONE, Copied::NONE)
            };
            let mover = to_move;
            let step = Step { node, slot, mover };
            self.losses.enter(tree, &mut self.part.hot, step);
            self.path.push(step);
            (link, rule, copied) = (tree.link(node), next_rule, below);
            if link.children().is_some() {
                self.position.play_through(link.mv());
                continue;
            }
            self.position.play(link.mv());
            if let Some(outcome) = self.position.outcome() {
                return Descended::Scores(self.finish_game(outcome, mover));
            }
        }
    }

    /// The game is over at the end of the path, which `mover` moved into. Returns the scores.
    fn finish_game(&self, outcome: Outcome, mover: Side) -> [u32; 2] {
        let proof = Proof::of_outcome(outcome, mover);
        if self.shared.solver && self.admits(proof) {
            prove(self.shared.tree, &self.path, proof);
        }
        self.shared.scoring.of_outcome(outcome)
    }

    /// At the end of the path is a node without children: makes them if it has earned them.
    fn leaf(&mut self) -> Leaf {
        let tree = self.shared.tree;
        let Some(&at) = self.path.last() else {
            return Leaf::Ended(Descended::Leaf);
        };
        let stats = match at.slot {
            hot::NONE => tree.stats(at.node),
            slot => self.part.hot.stats(slot),
        };
        let losses = self.losses.at(at.slot);
        let earned = stats.visits() >= self.shared.options.expand_visits + losses;
        if earned && !self.part.allocator.is_full() {
            if let Some(proof) = self.recall().or_else(|| self.consult()) {
                prove(tree, &self.path, proof.flipped());
                let scores = Scoring::of_proof(proof, self.position.side_to_move());
                return Leaf::Ended(Descended::Scores(scores));
            }
            if self.make_children(at.node)
                && let Some(children) = tree.link(at.node).children()
            {
                return if self.shared.options.siblings {
                    Leaf::Ended(Descended::NewChildren(children))
                } else {
                    Leaf::Expanded(children)
                };
            }
        }
        Leaf::Ended(Descended::Leaf)
    }

    /// Judges the position at the end of the path.
    fn judge_leaf(&mut self) -> Gain {
        let mut tally = [Tally::default()];
        self.shared.knowledge.evaluate(
            &[&self.position],
            self.shared.options.rollouts,
            &mut self.random,
            &mut tally,
        );
        Gain::of_scores(self.shared.scoring.of_tally(&tally[0]))
    }

    /// Judges the new children of the last node of the path, `most` of them at most. The others stay
    /// without visits.
    fn judge_children(&mut self, children: Block, most: u32) -> Gain {
        let count = children.len().min(most as usize);
        let mut gain = Gain::default();
        self.depth = self.depth.max(self.path.len() as u32);
        for first in (0..count).step_by(LANES) {
            let eight = first..count.min(first + LANES);
            self.judge_eight(children, eight, &mut gain);
        }
        gain
    }

    /// Judges these children, eight at the most, together.
    fn judge_eight(&mut self, children: Block, numbers: Range<usize>, gain: &mut Gain) {
        let mover = self.position.side_to_move();
        let step = |node| Step {
            node,
            slot: hot::NONE,
            mover,
        };
        let mut open = [Node::ROOT; LANES];
        let mut count = 0;
        for number in numbers {
            let node = children.node(number);
            let sibling = &mut self.siblings[count];
            sibling.clone_from(&self.position);
            sibling.play(self.shared.tree.link(node).mv());
            if let Some(outcome) = sibling.outcome() {
                self.path.push(step(node));
                let scores = self.finish_game(outcome, mover);
                self.path.pop();
                self.add_child(step(node), scores, gain);
            } else {
                open[count] = node;
                count += 1;
            }
        }
        if count == 0 {
            return;
        }
        let positions = self.siblings.each_ref();
        let mut tallies = [Tally::default(); LANES];
        self.shared.knowledge.evaluate(
            &positions[..count],
            self.shared.options.rollouts,
            &mut self.random,
            &mut tallies[..count],
        );
        for (&node, tally) in open[..count].iter().zip(&tallies) {
            let scores = self.shared.scoring.of_tally(tally);
            self.add_child(step(node), scores, gain);
        }
    }

    /// Gives a child its first visit.
    fn add_child(&mut self, step: Step, scores: [u32; 2], gain: &mut Gain) {
        let one = Gain::of_scores(scores);
        *gain += one;
        let hot = &mut self.part.hot;
        self.losses
            .add(self.shared.tree, hot, step, one.of(step.mover));
    }

    /// Asks the knowledge for the children of the position, and orders them. Returns what is
    /// proven for the side to move.
    fn consult(&mut self) -> Option<Proof> {
        self.shared
            .knowledge
            .expand(&self.position, &mut self.expansion);
        // The first move of a proven expansion is the one that wins.
        if self.shared.options.random_order && self.expansion.proof.is_none() {
            self.expansion.moves.shuffle(&mut self.random);
        }
        self.expansion.proof.filter(|_| self.shared.solver)
    }

    /// What is known to be proven of the position, which is below the root, for the side to move.
    fn recall(&self) -> Option<Proof> {
        if !self.shared.solver {
            return None;
        }
        let proof = self.shared.knowledge.recall(&self.position);
        proof.filter(|&proof| self.admits(proof))
    }

    /// Whether a result is exact in this search. Whoever plays at random need not hold a draw.
    fn admits(&self, proof: Proof) -> bool {
        self.shared.careless.is_none() || proof.result != ProofResult::Draw
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
    tickets: &'w Tickets,
}

impl<G: Playout, K: Knowledge<G>> Kernel for Playouts<'_, '_, G, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Playouts {
            worker,
            count,
            tickets,
        } = self;
        let mut left = count;
        while left > 0 {
            left = left.saturating_sub(worker.play_out(simd, left, tickets));
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
    /// The descent ends here.
    Ended(Descended),
}
