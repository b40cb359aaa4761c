//! One thread's playouts: down the tree, a leaf, and back up.
//!
//! A thread can gather several leaves before it judges them: together, in lanes, they take little
//! longer than one in some games. (Going down to them level by level in turn, so that one descent
//! works while others wait for memory, gained nothing in Connect Four up to 300,000 playouts and a
//! tenth at 1,500,000; 2026-11-21.)

use super::backup::{Losses, Step, backup, prove};
use super::evaluate::Scoring;
use super::hot::{self, Hot};
use super::options::Options;
use super::prune::{Dropped, Pauses};
use super::select::{Shortlists, Ucb, select};
use super::tree::{Allocator, Block, Node, Tree};
use crate::game::{Outcome, Side};
use crate::knowledge::{Expansion, Knowledge, Proof, ProofResult};
use crate::playout::{Playout, Random, Tally};
use crate::simd::{Kernel, LANES, Path, Simd};
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

/// One thread of a search.
pub struct Worker<'a, G, K> {
    shared: &'a Shared<'a, G, K>,
    part: &'a mut Part,
    random: Random,
    losses: Losses,
    /// None where other threads or other descents change what they rest on.
    shortlists: Option<Shortlists>,
    batch: Vec<Descent<G>>,
    expansion: Expansion,
    /// The longest path so far, in plies.
    pub depth: u32,
}

/// A playout that went down the tree.
struct Descent<G> {
    /// From the root to the last node, and the position there.
    path: Vec<Step>,
    position: G,
    /// For each side.
    scores: [u32; 2],
}

/// How a descent ended.
enum Descended {
    /// At a node that has to be judged by playouts.
    ToLeaf,
    /// Where the scores are known.
    ToScores([u32; 2]),
}

impl<'a, G: Playout, K: Knowledge<G>> Worker<'a, G, K> {
    /// A worker with its own part of the arena and its own random numbers.
    pub fn new(shared: &'a Shared<'a, G, K>, part: &'a mut Part, random: Random) -> Self {
        let options = shared.options;
        let alone = options.threads == 1 && options.batch == 1;
        Worker {
            shared,
            part,
            random,
            losses: Losses::new(options),
            shortlists: alone.then(Shortlists::default),
            batch: (0..options.batch)
                .map(|_| Descent::new(shared.root))
                .collect(),
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
        if dropped.make_room(tree, allocator, pauses, thread)
            && let Some(shortlists) = &mut self.shortlists
        {
            shortlists.forget();
        }
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

    /// A playout by each of these descents, eight at the most.
    #[inline(always)]
    fn play_out<S: Simd>(&mut self, simd: S, batch: &mut [Descent<G>]) {
        let mut leaves = 0;
        for (number, descent) in batch.iter_mut().enumerate() {
            match self.descend(simd, descent) {
                Descended::ToLeaf => leaves |= 1 << number,
                Descended::ToScores(scores) => descent.scores = scores,
            }
        }
        if leaves != 0 {
            self.judge(batch, leaves);
        }
        for Descent { path, scores, .. } in batch {
            let hot = &mut self.part.hot;
            backup(self.shared.tree, hot, path, *scores, self.losses);
            self.depth = self.depth.max(path.len() as u32 - 1);
        }
    }

    /// Goes down from the root until a score is known or the tree ends.
    #[inline(always)]
    fn descend<S: Simd>(&mut self, simd: S, descent: &mut Descent<G>) -> Descended {
        let Shared {
            tree,
            ucb,
            careless,
            ..
        } = *self.shared;
        let mut rule = ucb.of_children(self.part.hot.root_visits(tree));
        descent.begin(self.shared.root);
        let mut hot_block = self.part.hot.top();
        let mut link = tree.link(Node::ROOT);
        loop {
            let to_move = descent.position.side_to_move();
            if let Some(proof) = link.proof() {
                return Descended::ToScores(Scoring::of_proof(proof.flipped(), to_move));
            }
            let children = match link.children() {
                Some(children) => children,
                None => match self.leaf(descent) {
                    Leaf::Expanded(children) => children,
                    Leaf::Ended(descended) => return descended,
                },
            };
            let hot = &self.part.hot;
            let copies = hot.stats_of(hot_block, children);
            let is_hot = copies.is_some();
            let stats = copies.unwrap_or_else(|| tree.stats_of(children));
            let lists = self.shortlists.as_mut();
            if careless == Some(to_move) {
                rule = rule.evenly();
            }
            let selected = select(simd, tree, (link, children), stats, lists, rule, ucb);
            let Some((child, next_rule)) = selected else {
                // Every candidate is proven lost, though other moves may exist: as good as lost.
                return Descended::ToScores(Scoring::of_proof(LOST, to_move));
            };
            let node = children.node(child);
            let (slot, below) = if is_hot {
                let slot = hot.slot(hot_block, child);
                (slot, hot.below(slot))
            } else {
                (hot::NONE, hot::NONE)
            };
            let mover = to_move;
            let step = Step { node, slot, mover };
            self.losses.enter(tree, &mut self.part.hot, step);
            descent.path.push(step);
            (link, rule, hot_block) = (tree.link(node), next_rule, below);
            if link.children().is_some() {
                descent.position.play_through(link.mv());
                continue;
            }
            descent.position.play(link.mv());
            if let Some(outcome) = descent.position.outcome() {
                return self.finish_game(outcome, mover, &descent.path);
            }
        }
    }

    /// The game is over at the end of the path, which `mover` moved into.
    fn finish_game(&self, outcome: Outcome, mover: Side, path: &[Step]) -> Descended {
        let proof = Proof::of_outcome(outcome, mover);
        if self.shared.solver && self.admits(proof) {
            prove(self.shared.tree, path, proof);
        }
        Descended::ToScores(self.shared.scoring.of_outcome(outcome))
    }

    /// At the end of the path is a node without children: makes them if it has earned them.
    fn leaf(&mut self, Descent { path, position, .. }: &Descent<G>) -> Leaf {
        let tree = self.shared.tree;
        let Some(at) = path.last() else {
            return Leaf::Ended(Descended::ToLeaf);
        };
        let stats = match at.slot {
            hot::NONE => tree.stats(at.node),
            slot => self.part.hot.stats(slot),
        };
        let losses = self.losses.at(at.slot);
        let earned = stats.visits() >= self.shared.options.expand_visits + losses;
        if earned && !self.part.allocator.is_full() {
            if let Some(proof) = self.recall(position).or_else(|| self.consult(position)) {
                prove(tree, path, proof.flipped());
                let scores = Scoring::of_proof(proof, position.side_to_move());
                return Leaf::Ended(Descended::ToScores(scores));
            }
            if self.make_children(at.node)
                && let Some(children) = tree.link(at.node).children()
            {
                return Leaf::Expanded(children);
            }
        }
        Leaf::Ended(Descended::ToLeaf)
    }

    /// Judges the positions of those descents whose bits are set in `leaves`.
    fn judge(&mut self, batch: &mut [Descent<G>], leaves: u8) {
        let Some(first) = batch.first() else {
            return;
        };
        let mut positions = [&first.position; LANES];
        let mut count = 0;
        for (number, descent) in batch.iter().enumerate() {
            if leaves >> number & 1 == 1 {
                positions[count] = &descent.position;
                count += 1;
            }
        }
        let mut tallies = [Tally::default(); LANES];
        self.shared.knowledge.evaluate(
            &positions[..count],
            self.shared.options.rollouts,
            &mut self.random,
            &mut tallies[..count],
        );
        let mut tallies = tallies.iter();
        for (number, descent) in batch.iter_mut().enumerate() {
            if leaves >> number & 1 == 1
                && let Some(tally) = tallies.next()
            {
                descent.scores = self.shared.scoring.of_tally(tally);
            }
        }
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

    /// What is known to be proven of a position below the root, for the side to move.
    fn recall(&self, position: &G) -> Option<Proof> {
        if !self.shared.solver {
            return None;
        }
        let proof = self.shared.knowledge.recall(position);
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
}

impl<G: Playout, K: Knowledge<G>> Kernel for Playouts<'_, '_, G, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Playouts { worker, count } = self;
        let mut batch = std::mem::take(&mut worker.batch);
        let mut left = count as usize;
        while left > 0 {
            let size = left.min(batch.len());
            worker.play_out(simd, &mut batch[..size]);
            left -= size;
        }
        worker.batch = batch;
    }
}

impl<G: Playout> Descent<G> {
    fn new(root: &G) -> Descent<G> {
        Descent {
            path: Vec::with_capacity(64),
            position: root.clone(),
            scores: [0; 2],
        }
    }

    /// Begins again, at the root.
    fn begin(&mut self, root: &G) {
        self.position.clone_from(root);
        self.path.clear();
        self.path.push(Step {
            node: Node::ROOT,
            slot: hot::NONE,
            mover: root.side_to_move().other(),
        });
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
