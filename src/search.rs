//! One UCT for all games: options, limits, report.
//!
//! A playout goes down the tree by UCB1 or PUCT ([`select`]), gives the leaf children once it has
//! earned them and judges it ([`worker`], [`judge`](mod@judge), [`evaluate`]), and adds the score to every node on
//! its way back up, where proven results rise too ([`backup`]). The [`tree`] is one arena, whose
//! nodes may share what is below one position.
//! [`pv`] reads the move to play and the expected lines from it, and [`variety`] may choose another
//! that is nearly as good. [`root`] asks the knowledge what the position to be searched is worth before
//! any of that.

mod backup;
mod descent;
mod evaluate;
mod hot;
mod judge;
mod limits;
mod prior;
mod prune;
mod pv;
mod report;
mod root;
mod select;
mod tree;
mod variety;
mod worker;

#[cfg(test)]
mod tests;

pub use limits::{End, Limits, StopFlag};
pub use report::{MoveReport, Report};
pub use tree::{MAX_CHILDREN, NODE_BYTES};

use crate::clock::{self, Instant};
use crate::crew::Crew;
use crate::game::{Move, Side};
use crate::knowledge::{Knowledge, Proof, Solution};
use crate::options::{Choice, SearchOptions, Selection};
use crate::rollout::{Random, Rollout};
use crate::simd::Isa;
use evaluate::Scoring;
use limits::{LONGEST_ALONE, POLL_EVERY, POLLS_ALONE, Tickets};
use prune::QuiescentCounts;
use pv::Reader;
use rand::SeedableRng;
use select::{Puct, Ucb};
use std::hash::{BuildHasher, RandomState};
use tree::{MAX_VISITS, MOST_PARTS, Node, Tree};
use worker::{Shared, ThreadState, Worker};

/// A position being searched, with the tree that grew below it.
pub struct Search<G, K> {
    position: G,
    knowledge: K,
    options: SearchOptions,
    tree: Tree,
    states: Vec<ThreadState>,
    crew: Crew,
    /// The side that rewards are seen from, where it matters: see `SearchOptions::only_wins`.
    searcher: Side,
    /// Searches made, so that each has its own random numbers.
    searches: u64,
    /// Visits of the root when the search began.
    reused: u64,
    /// What the knowledge found out about the root.
    solution: Option<Solution>,
    /// The side that is taken to choose at random: see `assume_random_opponent`.
    random_opponent: Option<Side>,
    /// The last search met a node below the root with [`MAX_VISITS`].
    is_outgrown: bool,
}

impl<G: Rollout, K: Knowledge<G>> Search<G, K> {
    /// A search with an empty tree. Reserves its memory, which the system hands out as it is
    /// used.
    pub fn new(position: G, knowledge: K, options: SearchOptions) -> Self {
        let crew = Crew::new(options.threads as usize);
        let threads = crew.threads();
        Search {
            searcher: position.side_to_move(),
            tree: empty_tree(&options, threads),
            states: states(threads),
            crew,
            position,
            knowledge,
            options,
            searches: 0,
            reused: 0,
            solution: None,
            random_opponent: None,
            is_outgrown: false,
        }
    }

    /// The position at the root.
    pub fn position(&self) -> &G {
        &self.position
    }

    /// The options.
    pub fn options(&self) -> &SearchOptions {
        &self.options
    }

    /// Plays a legal move and keeps the whole tree below it. Takes the same time whatever the
    /// size of the tree.
    pub fn advance(&mut self, mv: Move) {
        let is_kept = self.options.reuse && self.random_opponent.is_none();
        let kept = self.child(mv).filter(|_| is_kept);
        self.position.play(mv);
        self.solution = None;
        match kept {
            Some(node) => {
                self.reroot(node);
                self.forget_unfounded_proof();
            }
            None => self.clear(),
        }
    }

    /// The moves of a playout from the root to its leaf, drawn at random among all that are in the tree.
    #[must_use]
    pub fn playout(&self, random: &mut Random) -> Vec<Move> {
        self.reader(self.options.choice).playout(random)
    }

    fn reader(&self, choice: Choice) -> Reader<'_> {
        Reader::new(&self.tree, choice, self.ucb(), self.parts())
    }

    fn reroot(&mut self, node: Node) {
        self.tree.reroot(node);
        for state in &mut self.states {
            state.allocator.try_again();
        }
    }

    /// Forgets the result of a root whose children do not tell how to attain it.
    fn forget_unfounded_proof(&mut self) {
        if backup::proof_of_children(&self.tree, Node::ROOT).is_none() {
            self.tree.unprove(Node::ROOT);
        }
    }

    /// Goes to another position with an empty tree.
    pub fn reset(&mut self, position: G) {
        self.position = position;
        self.clear();
    }

    /// Searches until a limit is reached, the root is proven or `stop` is set, and blocks until
    /// then. At least the first choice of the knowledge is known even when stopped at once.
    /// Calls `on_info` from this thread as often as the limits say.
    pub fn run(
        &mut self,
        limits: &Limits,
        stop: &StopFlag,
        on_info: &mut dyn FnMut(Report),
    ) -> Report {
        if let Some(outcome) = self.position.outcome() {
            return Report::of_outcome(outcome, self.position.side_to_move());
        }
        self.begin();
        self.solve_root(limits, stop);
        self.assume_random_opponent();
        let mut states = std::mem::take(&mut self.states);
        let course = Course {
            limits,
            stop,
            tickets: Tickets::new(limits.playouts),
            quiescent: QuiescentCounts::new(states.len()),
        };
        let depth = self.work(&course, &mut states, on_info);
        for state in &mut states {
            state.dropped.release(&self.tree, &mut state.allocator);
        }
        self.states = states;
        self.is_outgrown = stop.get() == Some(End::Visits) && !self.is_root_full();
        let mut report = self.report(course.tickets.taken(), depth, limits.since);
        if self.options.variety > 0.0 && self.solution.is_none() {
            self.vary(&mut report);
        }
        report
    }

    /// Chooses among the moves that give up little. What is proven is kept.
    fn vary(&self, report: &mut Report) {
        let Some(best) = report.moves.first().filter(|best| best.proof.is_none()) else {
            return;
        };
        let given_up = self.options.variety;
        let least = self
            .knowledge
            .score_less(&self.position, best.mean as f32, given_up);
        let mut random = match self.options.seed {
            0 => Random::seed_from_u64(RandomState::new().hash_one(self.searches)),
            _ => self.random(VARIETY_STREAM),
        };
        variety::choose(&mut report.moves, f64::from(least), &mut random);
        report.best = report.moves.first().map(|chosen| chosen.action);
    }

    /// What the tree says now.
    fn report(&self, playouts: u64, depth: u32, since: Instant) -> Report {
        let mut moves = self.reader(self.options.choice).moves(&self.position);
        moves.sort_by_key(|mv| self.is_unsafe(mv));
        if let Some(best) = moves.first_mut() {
            self.tell_solution(best);
        }
        let (stats, link) = (self.tree.stats(Node::ROOT), self.tree.link(Node::ROOT));
        let proof = link.proof().map(Proof::flipped).or(self.solved());
        let value = match proof {
            Some(proof) => f64::from(proof.result.score()),
            None if stats.visits() == 0 => 0.5,
            None => 1.0 - f64::from(stats.mean()),
        };
        Report {
            best: moves.first().map(|best| best.action),
            value,
            proof,
            playouts,
            visits: self.root_visits(),
            reused: self.reused,
            nodes: self.tree.nodes(),
            depth,
            elapsed: clock::now().saturating_duration_since(since),
            moves,
        }
    }

    /// Visits of the root.
    fn root_visits(&self) -> u64 {
        let stats = self.tree.stats(Node::ROOT);
        self.reader(self.options.choice).visits(stats)
    }

    /// Makes the tree ready: rewards seen from the side to move, and children at the root.
    fn begin(&mut self) {
        let is_of_other = self.options.only_wins && self.searcher != self.position.side_to_move();
        if is_of_other || self.is_outgrown {
            self.clear();
        }
        self.searcher = self.position.side_to_move();
        self.searches += 1;
        if !self.expand_root() {
            // What was kept fills the arena: begin again with all of it.
            self.clear();
            self.expand_root();
        }
        self.reused = self.root_visits();
    }

    fn expand_root(&mut self) -> bool {
        let mut states = std::mem::take(&mut self.states);
        let shared = self.shared();
        let made = states
            .iter_mut()
            .any(|state| Worker::new(&shared, state, self.random(ROOT_STREAM)).expand_root());
        self.states = states;
        made
    }

    /// Runs all threads to the end of the search; returns the depth reached.
    fn work(
        &self,
        course: &Course<'_>,
        states: &mut [ThreadState],
        on_info: &mut dyn FnMut(Report),
    ) -> u32 {
        let shared = self.shared();
        let mut workers: Vec<_> = (0..)
            .zip(states)
            .map(|(thread, state)| Worker::new(&shared, state, self.random(thread)))
            .collect();
        let Some((first, others)) = workers.split_first_mut() else {
            return 0;
        };
        let others = (1..)
            .zip(others)
            .map(|(thread, worker)| move || self.drive(thread, worker, course, &mut |_, _| {}));
        self.crew.work(
            || self.drive(0, first, course, &mut self.reporter(course, on_info)),
            others,
        );
        workers.iter().map(|worker| worker.depth).fold(0, u32::max)
    }

    /// One thread's loop. Calls `poll` with the time and the depth at every look at the clock.
    fn drive(
        &self,
        thread: usize,
        worker: &mut Worker<'_, G, K>,
        course: &Course<'_>,
        poll: &mut dyn FnMut(Instant, u32),
    ) {
        let count = (POLL_EVERY / self.options.rollouts.max(1)).max(1);
        let alone = match self.options.threads {
            1 => 1,
            _ => POLLS_ALONE,
        };
        let (mut exchange_at, mut exchange_by) = (0, clock::now());
        for polls in 0.. {
            if course.stop.get().is_some() {
                break;
            }
            let now = clock::now();
            // Asked first, for `synchronise` may recycle the nodes of the last descent.
            let is_full = worker.met_full_node();
            if polls >= exchange_at || now >= exchange_by {
                worker.synchronise(&course.quiescent, thread);
                // More often in the beginning, while the best moves still change.
                exchange_at = polls + (polls / 8).clamp(1, alone);
                exchange_by = now + LONGEST_ALONE;
            }
            poll(now, worker.depth);
            let end = self.end(course.limits, now);
            if let Some(end) = end.or(is_full.then_some(End::Visits)) {
                course.stop.set(end);
                // A search without time needs a move.
                if end == End::Proven || self.root_visits() > 0 {
                    break;
                }
            }
            let playouts = course.tickets.take(count);
            if playouts == 0 {
                course.stop.set(End::Playouts);
            }
            match self.options.selection {
                Selection::Ucb1 => worker.playouts(self.ucb(), playouts, &course.tickets),
                Selection::Puct => {
                    let puct = Puct::new(&self.options, self.parts());
                    worker.playouts(puct, playouts, &course.tickets);
                }
            }
        }
        worker.finish();
        course.quiescent.leave(thread);
    }

    /// Sends a report to `on_info` whenever one is due.
    fn reporter(
        &self,
        course: &Course<'_>,
        on_info: &mut dyn FnMut(Report),
    ) -> impl FnMut(Instant, u32) {
        let limits = course.limits;
        let mut due = limits.report_every.map(|interval| limits.since + interval);
        move |now, depth| {
            if let (Some(at), Some(interval)) = (due, limits.report_every)
                && now >= at
            {
                due = Some(now + interval);
                on_info(self.report(course.tickets.taken(), depth, limits.since));
            }
        }
    }

    /// Whether the search should end now, and why.
    fn end(&self, limits: &Limits, now: Instant) -> Option<End> {
        let link = self.tree.link(Node::ROOT);
        if link.proof().is_some() || self.has_only_lost_candidates() {
            return Some(End::Proven);
        }
        if self.is_root_full() {
            return Some(End::Visits);
        }
        let budget = limits.budget?;
        let only_move = link.is_complete() && link.children().is_some_and(|c| c.len() == 1);
        if only_move && limits.report_every.is_none() {
            return Some(End::OnlyMove);
        }
        let used = now.saturating_duration_since(limits.since);
        let is_over = used >= budget.hard || used >= budget.soft && self.is_settled();
        is_over.then_some(End::Time)
    }

    /// Whether every candidate is proven lost. Other moves may exist, but no playout comes to them.
    fn has_only_lost_candidates(&self) -> bool {
        let link = self.tree.link(Node::ROOT);
        let is_lost = |node| self.tree.link(node).is_lost();
        let candidates = link.children().filter(|_| link.has_proven_child());
        candidates.is_some_and(|block| block.nodes().all(is_lost))
    }

    /// Whether the root has reached [`MAX_VISITS`].
    fn is_root_full(&self) -> bool {
        u64::from(self.tree.stats(Node::ROOT).visits()) >= MAX_VISITS
    }

    /// Whether the most visited move is also the one with the best mean.
    fn is_settled(&self) -> bool {
        let by = |choice| self.reader(choice).best(Node::ROOT);
        by(Choice::Visits) == by(Choice::Mean)
    }

    fn child(&self, mv: Move) -> Option<Node> {
        let block = self.tree.link(Node::ROOT).children()?;
        block.nodes().find(|&node| self.tree.link(node).mv() == mv)
    }

    fn clear(&mut self) {
        self.solution = None;
        self.is_outgrown = false;
        self.random_opponent = None;
        self.tree.clear();
        self.states = states(self.crew.threads());
    }

    fn shared(&self) -> Shared<'_, G, K> {
        let scoring = self.scoring();
        Shared {
            tree: &self.tree,
            root: &self.position,
            knowledge: &self.knowledge,
            options: &self.options,
            isa: Isa::current(),
            scoring,
            proofs: self.options.proofs && scoring.admits_proofs(),
            parts: self.parts(),
            random_opponent: self.random_opponent,
        }
    }

    /// Into how many parts the tree divides visits.
    fn parts(&self) -> u32 {
        const {
            assert!(K::PARTS_OF_VISIT >= 1 && K::PARTS_OF_VISIT <= MOST_PARTS);
        }
        match self.options.selection {
            Selection::Ucb1 => 1,
            Selection::Puct => K::PARTS_OF_VISIT,
        }
    }

    fn scoring(&self) -> Scoring {
        Scoring::new(&self.options, self.searcher, G::MAX_MARGIN)
    }

    fn ucb(&self) -> Ucb {
        let exploration = self.options.exploration / self.scoring().span();
        Ucb::new(exploration, self.options.fpu)
    }

    /// The random numbers of one worker in this search.
    fn random(&self, worker: u64) -> Random {
        let stream = self.searches << 16 | worker;
        Random::seed_from_u64(self.options.seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// What the threads of one search go by.
struct Course<'a> {
    limits: &'a Limits,
    stop: &'a StopFlag,
    tickets: Tickets,
    quiescent: QuiescentCounts,
}

/// The empty tree that these options ask for.
fn empty_tree(options: &SearchOptions, threads: usize) -> Tree {
    /// The table's part of the memory: 8 bytes for a block, which has 240 with nine children.
    const PART: u64 = 32;
    let bytes = options.memory.bytes();
    let table = bytes / PART;
    let has_opinions = options.selection == Selection::Puct;
    match options.transpositions {
        true => Tree::new(bytes - table, threads, has_opinions).with_shared_children(table),
        false => Tree::new(bytes, threads, has_opinions),
    }
}

fn states(threads: usize) -> Vec<ThreadState> {
    (0..threads).map(|_| ThreadState::default()).collect()
}

/// The stream of random numbers that orders the root's children; workers have those below.
const ROOT_STREAM: u64 = 0xffff;

/// The stream that chooses among moves that are nearly as good as the best.
const VARIETY_STREAM: u64 = 0xfffe;
