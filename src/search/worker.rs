//! One thread's playouts: down the tree, a leaf, and back up.
//!
//! A descent can end with a rollout from each child of a node that has just been given children
//! (`judge=siblings`), as UCT would make them in its next visits there: in lanes, eight take little
//! longer than one in some games, and one way down and up serves them all. Several descents can be
//! made before their leaves are judged together (`batch`), which [`judge`](super::judge) does.

use super::backup::{Gain, Step, VirtualLoss, back_up_values, backup, proof_of_children, prove};
use super::descent::Descent;
use super::evaluate::Scoring;
use super::hot::{self, Hot};
use super::limits::Tickets;
use super::prior::Opinions;
use super::prune::{Dropped, QuiescentCounts};
use super::select::{Family, Rule, Shortlists};
use super::tree::{Allocator, Block, MAX_VISITS, Node, Stats, Tree};
use crate::game::{Outcome, Side};
use crate::knowledge::{Context, Expansion, Knowledge, Proof, ProofResult};
use crate::options::{Judge, SearchOptions};
use crate::rollout::{Random, Rollout};
use crate::simd::{Isa, Kernel, LANES, Simd};
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
    pub options: &'a SearchOptions,
    /// The instructions to select and to judge with.
    pub isa: Isa,
    /// The worth of results.
    pub scoring: Scoring,
    /// Exact results are found and used.
    pub proofs: bool,
    /// Into how many parts visits are divided, which is how the tree counts them.
    pub parts: u32,
    /// The side that is taken to choose at random: see `Search::assume_random_opponent`.
    pub random_opponent: Option<Side>,
}

/// What a thread of a search has for itself, from one search to the next. On cache lines of its
/// own, against false sharing.
#[derive(Default)]
#[repr(align(128))]
pub struct ThreadState {
    /// Where it gets memory from.
    pub allocator: Allocator,
    /// What it took out of the tree.
    pub dropped: Dropped,
    /// Copies of the stats that all threads change.
    pub hot: Hot,
}

/// One thread of a search. On cache lines of its own, as its state is.
#[repr(align(128))]
pub struct Worker<'a, G, K: Knowledge<G>>
where
    G: Rollout,
{
    pub(super) shared: &'a Shared<'a, G, K>,
    pub(super) state: &'a mut ThreadState,
    pub(super) random: Random,
    pub(super) virtual_loss: VirtualLoss,
    /// How many descents a child that is chosen keeps, for each part of a visit that it has.
    pub(super) stay: f32,
    shortlists: Shortlists,
    pub(super) root_trace: K::Trace,
    pub(super) descent: Descent<G, K::Trace>,
    /// Descents that wait to be judged.
    pub(super) waiting: Vec<Descent<G, K::Trace>>,
    /// Room for new children that are judged together, where that is asked for.
    pub(super) siblings: Vec<Descent<G, K::Trace>>,
    expansion: Expansion,
    pub(super) opinions: Opinions,
    /// The longest path so far, in plies.
    pub depth: u32,
}

/// Where a descent ended.
pub(super) enum Descended {
    /// At a node that has to be judged.
    Leaf,
    /// Above new children, which have to be judged by rollouts.
    NewChildren(Block),
    /// Where it is known what is gained.
    Known(Gain),
}

impl<'a, G: Rollout, K: Knowledge<G>> Worker<'a, G, K> {
    /// A worker with its own state and its own random numbers.
    pub fn new(shared: &'a Shared<'a, G, K>, state: &'a mut ThreadState, random: Random) -> Self {
        let options = shared.options;
        let mut root_trace = K::Trace::default();
        shared.knowledge.begin(&mut root_trace, shared.root);
        let descent = || Descent::new(shared.root, &root_trace);
        let siblings = match options.judge {
            Judge::Siblings => LANES,
            _ => 0,
        };
        Worker {
            state,
            random,
            virtual_loss: VirtualLoss::new(options, shared.parts),
            stay: match options.batch {
                1 => options.stay / shared.parts as f32,
                // The leaves of a batch are looked for from the root.
                _ => 0.0,
            },
            shortlists: Shortlists::default(),
            descent: descent(),
            waiting: (0..options.batch).map(|_| descent()).collect(),
            siblings: (0..siblings).map(|_| descent()).collect(),
            root_trace,
            expansion: Expansion::default(),
            opinions: Opinions::default(),
            depth: 0,
            shared,
        }
    }

    /// Gives the root children, if it has none. Returns false when there is no room.
    pub fn expand_root(&mut self) -> bool {
        let tree = self.shared.tree;
        if tree.link(Node::ROOT).children().is_some() {
            return true;
        }
        self.descent.begin(self.shared.root, &self.root_trace);
        let Growth { proof, children } = self.grow(Node::ROOT, true);
        let Some(children) = children else {
            return false;
        };
        if let Some(proof) = proof {
            self.prove_root(children, proof);
        }
        true
    }

    /// The knowledge has proven the root for the side to move: the first child wins, or every
    /// child loses.
    fn prove_root(&self, children: Block, proof: Proof) {
        let tree = self.shared.tree;
        let decided = match proof.result {
            ProofResult::Win => 1,
            ProofResult::Draw => 0,
            ProofResult::Loss => usize::MAX,
        };
        for child in children.nodes().take(decided) {
            let plies = proof.plies.saturating_sub(1);
            tree.prove(child, Proof { plies, ..proof });
        }
        tree.mark_proven_child(Node::ROOT);
        tree.prove(Node::ROOT, proof.flipped());
    }

    /// What has to be done now and then between playouts: the threads tell each other what they
    /// have found, and make room where there is none. This thread has that number.
    pub fn synchronise(&mut self, counts: &QuiescentCounts, thread: usize) {
        let tree = self.shared.tree;
        let ThreadState {
            allocator,
            dropped,
            hot,
        } = &mut *self.state;
        allocator.report(tree);
        let alone = self.shared.options.threads == 1;
        if !alone {
            hot.bring(tree);
        }
        // Nothing of this thread refers to the tree any more.
        counts.pause(thread);
        let released = dropped.make_room(tree, allocator, counts, thread);
        if !alone {
            hot.fetch(tree);
        }
        if released || !alone {
            self.shortlists.forget();
        }
    }

    /// Whether a node of the last descent, below the root, has reached [`MAX_VISITS`]. A shared node can
    /// have more visits than the root: some came through parents that are gone.
    pub fn met_full_node(&self) -> bool {
        let mut below = self.descent.path.iter().skip(1);
        below.any(|&step| u64::from(self.stats(step).visits()) >= MAX_VISITS)
    }

    /// To be called when this thread's playouts are over.
    pub fn finish(&mut self) {
        self.state.allocator.report(self.shared.tree);
        self.state.hot.bring(self.shared.tree);
    }

    /// Makes `count` playouts; the last expansion may exceed it and draws the excess from `tickets`.
    pub fn playouts<R: Rule>(&mut self, rule: R, count: u32, tickets: &Tickets) {
        let isa = self.shared.isa;
        isa.run(Playouts {
            worker: self,
            rule,
            count,
            tickets,
        });
    }

    /// Goes down the tree once, or as often as a batch has leaves. Returns the playouts made, for
    /// which there are `left` tickets and those that it takes.
    #[inline(always)]
    fn play_out<S: Simd, R: Rule>(
        &mut self,
        simd: S,
        rule: R,
        left: u32,
        tickets: &Tickets,
    ) -> u32 {
        let batch = self.shared.options.batch;
        if batch == 1 {
            let gain = match self.descend(simd, rule) {
                Descended::Known(gain) => gain,
                Descended::Leaf => self.judge_leaf(),
                Descended::NewChildren(children) => self.judge_siblings(children, left, tickets),
            };
            self.back_up(gain);
            return gain.playouts;
        }
        let mut made = 0;
        let mut waiting = 0;
        for _ in 0..batch.min(left) {
            let gain = match self.descend(simd, rule) {
                Descended::Known(gain) => gain,
                Descended::NewChildren(children) => {
                    self.judge_siblings(children, left.saturating_sub(made), tickets)
                }
                Descended::Leaf => {
                    std::mem::swap(&mut self.descent, &mut self.waiting[waiting]);
                    waiting += 1;
                    made += 1;
                    continue;
                }
            };
            self.back_up(gain);
            made += gain.playouts;
            if made >= left {
                break;
            }
        }
        self.judge_waiting(waiting);
        made
    }

    /// Adds what a descent has gained to every node of its path.
    pub(super) fn back_up(&mut self, gain: Gain) {
        let Shared { tree, options, .. } = *self.shared;
        let path = &self.descent.path;
        backup(tree, &mut self.state.hot, path, gain, self.virtual_loss);
        if options.minimax > 0.0 && tree.has_opinions() {
            back_up_values(tree, path);
        }
        self.depth = self.depth.max(path.len() as u32 - 1);
        if self.stay > 0.0 {
            for step in &mut self.descent.path {
                step.stay = step.stay.saturating_sub(gain.playouts);
            }
        }
    }

    /// Goes down until a score is known or the tree ends.
    #[inline(always)]
    fn descend<S: Simd, R: Rule>(&mut self, simd: S, rule: R) -> Descended {
        let Shared {
            tree,
            knowledge,
            random_opponent,
            ..
        } = *self.shared;
        let one_at_a_time = self.shared.options.batch == 1;
        let (from, stats, mut copied) = self.set_out();
        let mut of_children = rule.of_children(stats);
        let mut link = tree.link(from);
        loop {
            let to_move = self.descent.position.side_to_move();
            if let Some(proof) = link.proof() {
                if tree.shares_children() {
                    // Found on another way, so that the nodes above may not know.
                    prove(tree, &self.descent.path, proof);
                }
                return self.known(Scoring::of_proof(proof.flipped(), to_move));
            }
            let children = match link.children() {
                Some(children) => children,
                None => match self.leaf() {
                    Leaf::Expanded(children) => children,
                    Leaf::Ended(descended) => return descended,
                },
            };
            let hot = &self.state.hot;
            let copies = hot.stats_of(copied, children);
            let is_hot = copies.is_some();
            let stats = copies.unwrap_or_else(|| tree.stats_of(children));
            // Useless where other threads, descents or parents change what they rest on.
            let is_own = (is_hot || self.virtual_loss.alone()) && one_at_a_time;
            let lists = (is_own && !tree.shares_children()).then_some(&mut self.shortlists);
            if random_opponent == Some(to_move) {
                of_children = R::evenly(of_children);
            }
            let family = Family {
                tree,
                link,
                block: children,
                stats,
                lists,
                rule: of_children,
            };
            let Some((child, next)) = rule.select(simd, family) else {
                if let Some(proof) = self.proof_found_elsewhere() {
                    return self.proven(proof);
                }
                // Every candidate is proven lost, though other moves may exist: as good as lost.
                return self.known(Scoring::of_proof(Proof::loss(0), to_move));
            };
            let node = children.node(child);
            let slot = if is_hot {
                copied.slot(child)
            } else {
                hot::NONE
            };
            (link, of_children, copied) = (tree.link(node), next, hot.below(slot));
            let mover = to_move;
            let mut step = Step::new(node, slot, mover);
            step.stay = self.stay_at(step, link);
            self.virtual_loss.enter(tree, &mut self.state.hot, step);
            let descent = &mut self.descent;
            descent.path.push(step);
            let mv = link.mv();
            if let Some(children) = link.children() {
                if tree.has_opinions() {
                    tree.fetch(children);
                }
                descent.position.play_through(mv);
                knowledge.follow(&mut descent.trace, &descent.position, mv);
                continue;
            }
            descent.position.play(mv);
            if let Some(outcome) = descent.position.outcome() {
                return self.known(self.finish_game(outcome, mover));
            }
            knowledge.follow(&mut descent.trace, &descent.position, mv);
        }
    }

    /// The game is over at the end of the path, which `mover` moved into. Returns the scores.
    pub(super) fn finish_game(&self, outcome: Outcome, mover: Side) -> [u32; 2] {
        let proof = Proof::of_outcome(outcome, mover);
        if self.shared.proofs && self.admits(proof) {
            prove(self.shared.tree, &self.descent.path, proof);
        }
        self.shared.scoring.of_outcome(outcome)
    }

    /// At the end of the path is a node without children: makes them if it has earned them.
    fn leaf(&mut self) -> Leaf {
        let options = self.shared.options;
        let Some(&at) = self.descent.path.last() else {
            return Leaf::Ended(Descended::Leaf);
        };
        if self.shared.tree.shares_children()
            && let Some(descended) = self.adopt(at)
        {
            return Leaf::Ended(descended);
        }
        let virtual_loss = self.virtual_loss.at(at.slot);
        let visits = self.stats(at).visits().saturating_sub(virtual_loss);
        let visits = visits.div_ceil(self.shared.parts);
        let grows = visits >= options.expand_visits && !self.state.allocator.is_full();
        // Tried once for each leaf; later, what was found elsewhere since.
        let nodes = if visits == 0 { options.prove_nodes } else { 0 };
        if (grows || nodes > 0)
            && let Some(proof) = self.prove(nodes)
        {
            return Leaf::Ended(self.proven(proof));
        }
        if grows {
            let Growth { proof, children } = self.grow(at.node, false);
            if let Some(proof) = proof {
                return Leaf::Ended(self.proven(proof));
            }
            if let Some(children) = children {
                return match options.judge {
                    Judge::Siblings => Leaf::Ended(Descended::NewChildren(children)),
                    Judge::Children if visits == 0 => Leaf::Ended(self.judge_by_children(children)),
                    _ => Leaf::Expanded(children),
                };
            }
        }
        Leaf::Ended(Descended::Leaf)
    }

    /// Gives the node at the end of the path the children that another of its position has. What is
    /// known of them judges the node.
    #[inline(never)]
    fn adopt(&mut self, at: Step) -> Option<Descended> {
        let tree = self.shared.tree;
        let children = tree.adopt(at.node, self.descent.position.key())?;
        if let Some(proof) = self.proof_found_elsewhere() {
            return Some(self.proven(proof));
        }
        let value = self.value_of_children(children);
        let to_move = self.descent.position.side_to_move();
        Some(value.map_or(Descended::Leaf, |value| {
            let scores = Scoring::of_value(value, to_move, &mut self.random);
            self.known(scores)
        }))
    }

    /// What children that other nodes share prove of the position at the end of the path, for the side
    /// to move.
    fn proof_found_elsewhere(&self) -> Option<Proof> {
        let tree = self.shared.tree;
        let at = self
            .descent
            .path
            .last()
            .filter(|_| tree.shares_children())?;
        proof_of_children(tree, at.node).map(Proof::flipped)
    }

    /// What the children say of the side to move: their mean, mixed with the best of their values as
    /// the options ask. `None`: nobody visited or judged them.
    fn value_of_children(&self, children: Block) -> Option<f32> {
        let Shared { tree, options, .. } = *self.shared;
        let all = children.nodes().map(|it| tree.stats(it));
        let all = all.fold(Stats::default(), Stats::plus);
        let mean = (all.visits() > 0).then(|| all.mean());
        match (mean, tree.best_value(children)) {
            (Some(mean), Some(best)) => Some(mean + (best - mean) * options.minimax),
            (mean, best) => mean.or(best),
        }
    }

    /// The stats of a node of the path as this thread sees them.
    pub(super) fn stats(&self, at: Step) -> Stats {
        match at.slot {
            hot::NONE => self.shared.tree.stats(at.node),
            slot => self.state.hot.stats(slot),
        }
    }

    /// The position at the end of the path is proven for its side to move.
    pub(super) fn proven(&self, proof: Proof) -> Descended {
        let Descent { path, position, .. } = &self.descent;
        prove(self.shared.tree, path, proof.flipped());
        self.known(Scoring::of_proof(proof, position.side_to_move()))
    }

    /// Asks the knowledge for the children of the position and gives them to the node, unless
    /// something is proven of it for the side to move and `even_if_proven` is not set.
    fn grow(&mut self, node: Node, even_if_proven: bool) -> Growth {
        let Shared {
            tree,
            knowledge,
            options,
            isa,
            ..
        } = *self.shared;
        let Descent {
            position, trace, ..
        } = &mut self.descent;
        let expansion = &mut self.expansion;
        knowledge.expand(position, trace, expansion);
        // The first move of a proven expansion is the one that wins.
        if options.random_order && expansion.proof.is_none() && expansion.logits.is_empty() {
            expansion.moves.shuffle(&mut self.random);
        }
        let proof = expansion.proof.filter(|_| self.shared.proofs);
        if proof.is_some() && !even_if_proven {
            return Growth {
                proof,
                children: None,
            };
        }
        let mut context = Context {
            isa,
            rollouts: options.rollouts,
            random: &mut self.random,
        };
        self.opinions.clear();
        if tree.has_opinions() {
            let judge = options.judge == Judge::Children && expansion.proof.is_none();
            if !(judge
                && self
                    .opinions
                    .judge(knowledge, position, trace, expansion, &mut context))
            {
                self.opinions.of_logits(expansion);
            }
            self.opinions
                .soften(options.prior_temperature, options.prior_uniform);
        }
        let allocator = &mut self.state.allocator;
        let (moves, complete) = (&expansion.moves, expansion.complete);
        let made = tree.expand(node, moves, self.opinions.as_slice(), complete, allocator);
        let children = tree.link(node).children().filter(|_| made);
        if tree.shares_children()
            && let Some(children) = children
        {
            tree.offer(children, position.key());
        }
        Growth { proof, children }
    }

    /// What can be proven of the position, which is below the root, for the side to move.
    fn prove(&mut self, nodes: u32) -> Option<Proof> {
        if !self.shared.proofs {
            return None;
        }
        let Descent {
            position, trace, ..
        } = &mut self.descent;
        let proof = self.shared.knowledge.prove(position, trace, nodes);
        proof.filter(|&proof| self.admits(proof))
    }

    /// Whether a result is exact in this search: a player who moves at random need not hold a draw.
    fn admits(&self, proof: Proof) -> bool {
        self.shared.random_opponent.is_none() || proof.result != ProofResult::Draw
    }
}

/// Playouts of a worker, selecting in lanes.
struct Playouts<'w, 'a, G: Rollout, K: Knowledge<G>, R> {
    worker: &'w mut Worker<'a, G, K>,
    rule: R,
    count: u32,
    tickets: &'w Tickets,
}

impl<G: Rollout, K: Knowledge<G>, R: Rule> Kernel for Playouts<'_, '_, G, K, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Playouts {
            worker,
            rule,
            count,
            tickets,
        } = self;
        let mut left = count;
        // Its nodes may be gone.
        worker.descent.path.clear();
        while left > 0 {
            left = left.saturating_sub(worker.play_out(simd, rule, left, tickets));
        }
    }
}

/// What became of a node without children.
enum Leaf {
    /// It has children now.
    Expanded(Block),
    /// The descent ends here.
    Ended(Descended),
}

/// What an expansion brought.
struct Growth {
    /// The exact result for the side to move.
    proof: Option<Proof>,
    /// The new children. None where something is proven, there is no room, or another thread makes
    /// them.
    children: Option<Block>,
}
