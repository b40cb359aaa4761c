//! What a game knows beyond its rules, with neutral defaults.

/// A file that the program is made with, or nothing where it is built without this feature.
macro_rules! included {
    ($feature:literal, $path:literal) => {{
        #[cfg(feature = $feature)]
        const BYTES: &[u8] = include_bytes!($path);
        #[cfg(not(feature = $feature))]
        const BYTES: &[u8] = &[];
        BYTES
    }};
}

mod busy;
pub mod connect4;
pub mod exponential;
pub mod gomoku;
pub(crate) mod packing;
pub mod reversi;

use crate::game::{Game, Move, Moves, Outcome, Side};
use crate::rollout::{Random, Rollout, Tally};
use crate::simd::{Isa, LANES};
use smallvec::SmallVec;
use std::time::Duration;

/// The exact result of a position for the side whose turn it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofResult {
    /// The side wins against any defence.
    Win,
    /// Neither side can do better than draw.
    Draw,
    /// The side loses against best play.
    Loss,
}

impl ProofResult {
    /// The score 0..1 of the side that the result is for.
    #[must_use]
    pub fn score(self) -> f32 {
        match self {
            ProofResult::Win => 1.0,
            ProofResult::Draw => 0.5,
            ProofResult::Loss => 0.0,
        }
    }
}

/// A proof: an exact result and the plies until the game ends by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The result for the side that the proof speaks of.
    pub result: ProofResult,
    /// Plies to the end, passes not counted: at most so many when won, at least so many when lost, as long
    /// as both sides play moves that have children in the tree. A solver that only knows who wins gives the
    /// most that the game can last.
    pub plies: u16,
}

impl Proof {
    /// A win after so many plies at the most.
    #[must_use]
    pub const fn win(plies: u16) -> Proof {
        let result = ProofResult::Win;
        Proof { result, plies }
    }

    /// A loss after so many plies at the least.
    #[must_use]
    pub const fn loss(plies: u16) -> Proof {
        let result = ProofResult::Loss;
        Proof { result, plies }
    }

    /// The proof of a game that is over, for this side.
    #[must_use]
    pub fn of_outcome(outcome: Outcome, side: Side) -> Proof {
        let result = match outcome.margin(side) {
            1.. => ProofResult::Win,
            0 => ProofResult::Draw,
            _ => ProofResult::Loss,
        };
        Proof { result, plies: 0 }
    }

    /// The same proof as the opponent sees it.
    #[must_use]
    pub fn flipped(self) -> Proof {
        let result = match self.result {
            ProofResult::Win => ProofResult::Loss,
            ProofResult::Draw => ProofResult::Draw,
            ProofResult::Loss => ProofResult::Win,
        };
        Proof { result, ..self }
    }
}

/// How much may be spent on a proof.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// The most positions looked at for one question; a proof may need some (who wins, and of each
    /// move whether it keeps that). Give or take a thousand for each thread.
    pub nodes: u64,
    /// Asked every thousand positions, from any thread, whether to give up.
    pub expired: &'a (dyn Fn() -> bool + Sync),
}

impl Effort<'_> {
    /// No limit.
    pub const UNLIMITED: Effort<'static> = Effort {
        nodes: u64::MAX,
        expired: &|| false,
    };
}

/// What was found out about a position: its exact result, or at least which moves lose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// For the side to move. It wins no later, and no sooner unless the effort was not enough to
    /// tell; it loses no later.
    pub proof: Option<Proof>,
    /// Every legal move that may keep a draw, or one where the position is won or lost. With no
    /// proof, every legal move that is not proven to lose.
    pub best: Moves,
    /// Those of them to choose from, where the others are more likely to give the result away.
    pub safe: Moves,
    /// Every one of the best moves is known to attain the result.
    pub exact: bool,
    /// The line that proves it, with the longest defence; empty where only its first move is known.
    pub line: Moves,
}

impl Solution {
    /// A solution whose best moves all are safe, and attain the result, if there is one.
    #[must_use]
    pub fn new(proof: Option<Proof>, best: Moves) -> Solution {
        Solution {
            safe: best.clone(),
            best,
            exact: proof.is_some(),
            line: Moves::new(),
            proof,
        }
    }

    /// Whether several moves are known to draw, and nothing is left to find out but after which of
    /// them the opponent errs most easily.
    #[must_use]
    pub fn is_drawn_with_choice(&self) -> bool {
        let is_draw = self.proof.is_some_and(|it| it.result == ProofResult::Draw);
        is_draw && self.exact && self.best.len() > 1
    }
}

/// Which children a node gets.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// The moves worth a child, best guess first; never empty while the game goes on.
    pub moves: Moves,
    /// Every legal move that is missing from `moves` is proven to be no better than the best
    /// of those in it. Only then do lost children prove their parent lost.
    pub complete: bool,
    /// The exact result for the side to move, where it is seen at once. When it is a win, the
    /// first of `moves` wins.
    pub proof: Option<Proof>,
    /// How good each of `moves` looks, in a unit of the game's own: the priors of PUCT are a
    /// softmax of these. They fall from one move to the next. Empty: all alike, or judged by
    /// [`Knowledge::evaluate_children`].
    pub logits: SmallVec<[f32; 64]>,
}

impl Expansion {
    /// Every legal move of the position and no opinion.
    pub fn all_moves<G: Game>(&mut self, position: &G) {
        position.legal_moves(&mut self.moves);
        self.complete = true;
        self.proof = None;
        self.logits.clear();
    }

    /// The move `mv` ends the game with a win of the side to move.
    pub fn win_at_once(&mut self, mv: Move) {
        self.moves.clear();
        self.moves.push(mv);
        self.complete = true;
        self.logits.clear();
        self.proof = Some(Proof {
            result: ProofResult::Win,
            plies: 1,
        });
    }
}

/// A position to be judged, and what its thread knows of the path to it.
pub struct Leaf<'a, G, T> {
    /// The position, which is not over.
    pub position: &'a G,
    /// The thread's state there.
    pub trace: &'a mut T,
}

/// What judging may use.
pub struct Context<'a> {
    /// The instructions to compute with.
    pub isa: Isa,
    /// Rollouts from each position, where it is judged by these. 0: by a static value if there is
    /// one.
    pub rollouts: u32,
    /// Random numbers of the thread.
    pub random: &'a mut Random,
}

/// How a position was judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evaluation {
    /// By rollouts.
    Rollouts(Tally),
    /// By a static value.
    Value {
        /// The expected score 0..1 of the side to move.
        score: f32,
        /// How many of the usual values it counts as; no value counts as more than 4.
        weight: f32,
    },
}

impl Evaluation {
    /// By a static value like any other.
    #[must_use]
    pub const fn value(score: f32) -> Evaluation {
        Evaluation::Value { score, weight: 1.0 }
    }
}

/// What moves are worth, as seen from before them: the lists have a place for each.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The expected scores 0..1 of the player who makes the moves.
    pub values: Vec<f32>,
    /// How good they look, in the unit of [`Expansion::logits`].
    pub logits: Vec<f32>,
    /// How many of the usual values the greatest of these counts as; no value counts as more
    /// than 4.
    pub weight: f32,
}

impl Default for Judged {
    fn default() -> Judged {
        Judged {
            values: Vec::new(),
            logits: Vec::new(),
            weight: 1.0,
        }
    }
}

impl Judged {
    /// Forgets all moves.
    pub fn clear(&mut self) {
        self.values.clear();
        self.logits.clear();
        self.weight = 1.0;
    }
}

/// What the search asks of a game. Every method has a neutral default.
pub trait Knowledge<G: Rollout>: Send + Sync {
    /// What a thread carries along the path from the root to a leaf: accumulators that a move
    /// changes little. It is begun once a search, told of every move on the way down, and copied
    /// from the root's for the next descent.
    type Trace: Clone + Default + Send;

    /// Into how many parts PUCT divides a visit, so that values can count as less than one: 1 where all
    /// have the same weight, 4 at the most.
    const PARTS_OF_VISIT: u32 = 1;

    /// Makes the trace that of the root. Called once a search and thread.
    fn begin(&self, _trace: &mut Self::Trace, _root: &G) {}

    /// The move `mv` led to `after`, which may lack what [`Game::play_through`] leaves undone.
    fn follow(&self, _trace: &mut Self::Trace, _after: &G, _mv: Move) {}

    /// Chooses the children of a node. `out` is an old expansion to be overwritten, so that
    /// its memory serves again. Called only while the game goes on.
    fn expand(&self, at: &G, _trace: &mut Self::Trace, out: &mut Expansion) {
        out.all_moves(at);
    }

    /// Judges leaves, [`LANES`] at the most: by uniform rollouts unless the
    /// game knows better. There are as many places in `out`.
    fn evaluate(
        &self,
        leaves: &mut [Leaf<'_, G, Self::Trace>],
        context: &mut Context<'_>,
        out: &mut [Evaluation],
    ) {
        evaluate_by_rollouts(leaves, context, out);
    }

    /// Judges these moves of a position without making them, in place of their leaves. Returns
    /// false, with `out` left empty, where the game does not know how.
    fn evaluate_children(
        &self,
        _at: &G,
        _trace: &mut Self::Trace,
        _moves: &[Move],
        _context: &mut Context<'_>,
        out: &mut Judged,
    ) -> bool {
        out.clear();
        false
    }

    /// The score 0..1 that is left of an expected one when so much is given up, in the unit of
    /// [`Expansion::logits`].
    fn score_less(&self, _at: &G, score: f32, _given_up: f32) -> f32 {
        score
    }

    /// The exact result of a position below the root for its side to move, by looking at `nodes`
    /// positions at the most; with 0, what was proven before and takes little longer than a look
    /// into a table. Never asked of the root, where a result says too little without the move that
    /// attains it.
    fn prove(&self, _at: &G, _trace: &mut Self::Trace, _nodes: u32) -> Option<Proof> {
        None
    }

    /// Solves a position at the root exactly, or finds moves that lose, as far as `effort` is
    /// enough. Blocks until it is solved or spent. Called only while the game goes on.
    fn solve(&self, _root: &G, _effort: &Effort<'_>) -> Option<Solution> {
        None
    }

    /// The part of the `time` of a move that [`solve`](Self::solve) is granted, 0..1; 0 where it would
    /// not be enough. (A guess, for want of a game's own measure.)
    fn solver_share(&self, _root: &G, _time: Duration) -> f64 {
        0.25
    }

    /// About how many more plies of a game take time, where positions near its end are
    /// [solved](Self::solve) in hardly any. What is left on a clock is shared out by it.
    fn plies_to_think_about(&self, at: &G) -> u32 {
        at.likely_plies_left()
    }

    /// How many positions [`solve`](Self::solve) may look at for every playout of a search that is
    /// limited to playouts: as many as take a quarter to a third of a playout's time. The neutral
    /// value is that of Reversi, where a playout takes 2.4 µs and a position 0.15 µs.
    fn solver_nodes_a_playout(&self) -> u64 {
        4
    }
}

/// Judges leaves, [`LANES`] at the most, by rollouts.
pub fn evaluate_by_rollouts<G: Rollout, T>(
    leaves: &[Leaf<'_, G, T>],
    context: &mut Context<'_>,
    out: &mut [Evaluation],
) {
    let Context { isa, rollouts, .. } = *context;
    let rollouts = rollouts.max(1);
    // One leaf is not worth the room for a set of lanes.
    if let ([leaf], [out]) = (leaves, &mut *out) {
        let mut tally = [Tally::default()];
        G::rollouts_of_each(isa, &[leaf.position], rollouts, context.random, &mut tally);
        *out = Evaluation::Rollouts(tally[0]);
        return;
    }
    let positions: SmallVec<[&G; LANES]> = leaves.iter().map(|leaf| leaf.position).collect();
    let mut tallies = [Tally::default(); LANES];
    let tallies = &mut tallies[..positions.len()];
    G::rollouts_of_each(isa, &positions, rollouts, context.random, tallies);
    for (out, &tally) in out.iter_mut().zip(&*tallies) {
        *out = Evaluation::Rollouts(tally);
    }
}

/// No knowledge at all: what the coursework's searches work with.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoKnowledge;

impl<G: Rollout> Knowledge<G> for NoKnowledge {
    type Trace = ();
}

/// What a search to a fixed depth asks of a game: which moves to look at, in which order, and
/// how it stands where the looking ahead ends. All numbers are in one unit of the game's own.
pub trait Evaluate: Game {
    /// The advantage with which three games of four are won (a guess in every game). Only the
    /// values that are shown and the width of aspiration windows depend on it.
    const ADVANTAGE: i32;

    /// The most moves that are looked at in a position: those that promise most.
    const WIDTH: usize = usize::MAX;

    /// What either side has, by `Side::index`: 0 is nothing, more is better. Called only while
    /// the game goes on.
    fn standings(&self) -> [i32; 2];

    /// What a legal move of the side to move is worth by itself, if `side` were to make it.
    fn promise(&self, mv: Move, side: Side) -> i32;

    /// The moves that are worth looking at, in any order; never empty while the game goes on.
    fn candidates(&self, out: &mut Moves) {
        self.legal_moves(out);
    }
}
