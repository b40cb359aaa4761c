//! What Tengen knows of Gomoku: proofs by threats, which cells are worth a thought, and how a
//! position stands, by a learned [`net`] where there is one for the rule, else by its patterns.

pub mod evaluation;
pub mod five_tuple;
mod near;
pub mod net;
pub mod patterns;
pub mod threats;
pub mod worth;

use super::{
    Context, Effort, Evaluation, Expansion, Knowledge, Leaf, Proof, ProofResult, Solution,
    evaluate_by_rollouts,
};
use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::{Gomoku, line};
use crate::game::{Game, Move, Moves, Playable, Rule, Side};
use near::grown;
use net::{Planes, SideNets};
use patterns::Patterns;
use patterns::kind::CellKind;
use smallvec::SmallVec;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use threats::Threats;
use threats::fours::Fours;

/// Positions that a search for fours looks at where children are made.
/// (Consequence: `docs/EXPERIMENTS.md`, Gomoku.)
const NODES_TO_EXPAND: u32 = 50;

/// Bytes for what a thread remembers of fours that fail: more than the caches hold is of no use.
const BYTES_OF_THREAD: usize = 1 << 16;

/// Nodes of the first searches of either side's threats at the root. (A guess.)
const NODES_AT_ROOT: u64 = 1024;

/// Positions of the searches at the root for every playout: a third of its time when it was chosen.
/// (Measured: `docs/EXPERIMENTS.md`, Gomoku.)
const NODES_A_PLAYOUT: u64 = 3;

/// Nodes of the first search for the opponent's threats after a defence at the root. (A guess.)
const NODES_OF_DEFENCE: u64 = 256;

/// Forced moves, wins by threats, and the cells within two king's steps of a stone: where three
/// stones stand among five cells in a row, the other two cells are as near.
pub struct GomokuKnowledge {
    /// For the root.
    threats: Mutex<Threats>,
    nets: Option<SideNets>,
}

impl GomokuKnowledge {
    /// With so many bytes for the search at the root. Makes ready for games by this rule, which
    /// would take a part of the time of the first move.
    #[must_use]
    pub fn new(rule: Rule, bytes: usize) -> GomokuKnowledge {
        Patterns::prepare(rule);
        GomokuKnowledge {
            threats: Mutex::new(Threats::with_bytes(bytes)),
            nets: None,
        }
    }

    /// The same with what this program has learned.
    #[must_use]
    pub fn own(rule: Rule, bytes: usize) -> GomokuKnowledge {
        let knowledge = GomokuKnowledge::new(rule, bytes);
        match SideNets::own(rule) {
            Some(nets) => knowledge.with_nets(nets),
            None => knowledge,
        }
    }

    /// The same with nets that judge positions and moves.
    #[must_use]
    pub fn with_nets(self, nets: SideNets) -> GomokuKnowledge {
        GomokuKnowledge {
            nets: Some(nets),
            ..self
        }
    }
}

/// What a thread knows of the position that it has come to, and what it remembers of others.
///
/// Stones are put down only when the position is asked about: most descents begin as the one before,
/// and many end without a question.
#[derive(Default)]
pub struct Trace {
    /// The moves since the root, and who made them.
    path: Vec<(Move, Side)>,
    /// The patterns of the root, with the stones of the path that was asked about last.
    board: Option<Patterns>,
    /// [`Patterns::key`] of the root, 0 where there is no board yet.
    root: u64,
    planes: Option<Planes>,
    fours: Option<Fours>,
}

/// A copy knows the position, but what the other remembers stays there.
impl Clone for Trace {
    fn clone(&self) -> Trace {
        Trace {
            path: self.path.clone(),
            board: self.board.clone(),
            root: self.root,
            planes: None,
            fours: None,
        }
    }

    fn clone_from(&mut self, other: &Trace) {
        self.path.clone_from(&other.path);
        if self.root != other.root {
            self.root = other.root;
            self.board.clone_from(&other.board);
        }
    }
}

/// The parts of a trace, with its board in the position that was asked about.
struct Parts<'a> {
    board: &'a mut Patterns,
    planes: &'a mut Planes,
    fours: &'a mut Fours,
}

impl Trace {
    /// Brings the board to the end of the path, which is `at`.
    fn catch_up(&mut self, at: &Gomoku) -> Parts<'_> {
        let board = self.board.get_or_insert_with(|| {
            let board = Patterns::of(at);
            self.root = board.key();
            board
        });
        let pairs = board.moves().zip(&self.path);
        let shared = pairs
            .take_while(|(played, wanted)| played == *wanted)
            .count();
        board.rewind(shared);
        for &(mv, side) in self.path.iter().skip(shared) {
            board.play(mv, side);
        }
        debug_assert!(board.empty() == at.empty_cells());
        let fours = || Fours::with_bytes(BYTES_OF_THREAD);
        Parts {
            board,
            planes: self.planes.get_or_insert_default(),
            fours: self.fours.get_or_insert_with(fours),
        }
    }
}

impl Knowledge<Gomoku> for GomokuKnowledge {
    type Trace = Trace;

    /// The net says how much a value is to be doubted.
    const PARTS_OF_VISIT: u32 = 4;

    fn begin(&self, trace: &mut Trace, root: &Gomoku) {
        let board = Patterns::of(root);
        trace.root = board.key();
        trace.path.clear();
        trace.board = Some(board);
    }

    fn follow(&self, trace: &mut Trace, after: &Gomoku, mv: Move) {
        // A trace that was not begun takes its board from the first position that it is asked about.
        if trace.board.is_some() {
            trace.path.push((mv, after.side_to_move().other()));
        }
    }

    fn expand(&self, at: &Gomoku, trace: &mut Trace, out: &mut Expansion) {
        let parts = trace.catch_up(at);
        expand(at, parts.board, parts.fours, out);
        // A single move needs no opinion.
        if out.logits.len() < 2 {
            return;
        }
        if let Some(nets) = &self.nets {
            let net = nets.of(at.side_to_move());
            net.rate(at, parts.board, parts.planes, &out.moves, &mut out.logits);
        }
        sort_by_logits(out);
    }

    fn evaluate(
        &self,
        leaves: &mut [Leaf<'_, Gomoku, Trace>],
        context: &mut Context<'_>,
        out: &mut [Evaluation],
    ) {
        if context.rollouts > 0 {
            return evaluate_by_rollouts(leaves, context, out);
        }
        for (leaf, out) in leaves.iter_mut().zip(out) {
            let parts = leaf.trace.catch_up(leaf.position);
            let side = leaf.position.side_to_move();
            let worth = worth::of_position(parts.board, side);
            *out = match &self.nets {
                Some(nets) => {
                    let net = nets.of(side);
                    let verdict = net.judge(leaf.position, parts.board, worth, parts.planes);
                    Evaluation::Value {
                        score: verdict.score(),
                        weight: verdict.weight(),
                    }
                }
                None => Evaluation::value(worth::value(worth)),
            };
        }
    }

    /// A win that is there is mostly found soon, and a search for threats looks at the clock so seldom
    /// that with more an answer came 25 ms late.
    fn solver_share(&self, _: &Gomoku, _: Duration) -> f64 {
        0.1
    }

    fn solver_nodes_a_playout(&self) -> u64 {
        NODES_A_PLAYOUT
    }

    fn prove(&self, at: &Gomoku, trace: &mut Trace, nodes: u32) -> Option<Proof> {
        if nodes == 0 {
            return None;
        }
        let Parts { board, fours, .. } = trace.catch_up(at);
        let plies = fours.win(board, at.side_to_move(), u16::MAX, nodes)?;
        Some(Proof::win(plies))
    }

    fn solve(&self, root: &Gomoku, effort: &Effort<'_>) -> Option<Solution> {
        let mut threats = self.threats.lock().unwrap_or_else(PoisonError::into_inner);
        let mut board = Patterns::of(root);
        let side = root.side_to_move();
        let end = threats.nodes().saturating_add(effort.nodes);
        // Each part is for three searches.
        let of_each = Effort {
            nodes: effort.nodes.div_ceil(3),
            ..*effort
        };
        for part in threats::parts(&of_each, NODES_AT_ROOT) {
            if let Some(win) = threats.attempt(&mut board, side, &part) {
                let nodes = end.saturating_sub(threats.nodes());
                let win = threats.shortened(&mut board, side, win, &Effort { nodes, ..*effort });
                let best = Moves::from_slice(win.line.get(..1)?);
                return Some(Solution {
                    line: Moves::from_slice(&win.line),
                    ..Solution::new(Some(Proof::win(win.plies)), best)
                });
            }
            let gave_up = threats.gave_up();
            let (other, board) = (side.other(), &mut board);
            if threats.wins(board, other, other, &part).is_some() {
                let nodes = end.saturating_sub(threats.nodes());
                let best = defend(&mut threats, root, board, &Effort { nodes, ..*effort })?;
                return Some(Solution::new(None, best));
            }
            if !gave_up && !threats.gave_up() {
                return None;
            }
        }
        None
    }
}

/// Sorts the moves, the most promising first.
fn sort_by_logits(out: &mut Expansion) {
    let moves = out.moves.drain(..).zip(out.logits.drain(..));
    let mut ranked: SmallVec<[(Move, f32); 128]> = moves.collect();
    ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    for (mv, logit) in ranked {
        out.moves.push(mv);
        out.logits.push(logit);
    }
}

/// How long a row the side to move gets by this move: the longest of the four directions.
#[must_use]
pub fn longest_line(position: &Gomoku, mv: Move) -> u32 {
    let own = position.stones::<8>(position.side_to_move());
    let runs = line::steps(position.stride())
        .map(|step| line::run_through(&own, usize::from(mv.code()), step));
    runs.into_iter().fold(0, u32::max)
}

/// The moves that are left where the opponent threatens to win by continuous threats: those that
/// are not proven to lose. The effort is for all of them. `None`: nothing is proven.
fn defend(
    threats: &mut Threats,
    root: &Gomoku,
    board: &mut Patterns,
    effort: &Effort<'_>,
) -> Option<Moves> {
    let side = root.side_to_move();
    let mut near = Expansion::default();
    candidates(root, board, &mut near);
    let mut open = near.moves;
    let mut best = Moves::new();
    root.legal_moves(&mut best);
    let all = best.len();
    let end = threats.nodes().saturating_add(effort.nodes);
    for part in threats::parts(effort, NODES_OF_DEFENCE) {
        open.retain(|&mut mv| {
            let left = end.saturating_sub(threats.nodes());
            if left == 0 || (effort.expired)() {
                return false;
            }
            let part = Effort {
                nodes: part.nodes.min(left),
                ..part
            };
            board.play(mv, side);
            let loses = threats.wins(board, side.other(), side.other(), &part);
            board.undo();
            if loses.is_some() {
                best.retain(|&mut it| it != mv);
            }
            loses.is_none() && threats.gave_up()
        });
        if open.is_empty() {
            break;
        }
    }
    (!best.is_empty() && best.len() < all).then_some(best)
}

/// The children of a position, or its result where that is seen.
fn expand(at: &Gomoku, board: &mut Patterns, fours: &mut Fours, out: &mut Expansion) {
    let side = at.side_to_move();
    if let Some(cell) = board.fives(side).cells().next() {
        return out.win_at_once(Gomoku::move_at(cell));
    }
    if let Some(plies) = fours.win(board, side, u16::MAX, NODES_TO_EXPAND)
        && let Some(mv) = fours.first_move()
    {
        settle(out, [mv]);
        out.proof = Some(Proof::win(plies));
        return;
    }
    let Some(defences) = fours.defences(board, side, NODES_TO_EXPAND) else {
        candidates(at, board, out);
        if is_dead(board) {
            let plies = board.empty().count() as u16;
            let result = ProofResult::Draw;
            decide(out, Proof { result, plies });
        }
        return;
    };
    if defences.moves.is_empty() {
        // Nothing helps: what stands in the way of the next five comes first.
        candidates(at, board, out);
        let fives = board.fives(side.other());
        out.moves
            .sort_by_key(|mv| !fives.contains(usize::from(mv.code())));
        return decide(out, Proof::loss(defences.plies));
    }
    settle(out, defences.moves);
    rate(board, side, out);
}

/// Whether neither side can win any more.
fn is_dead(board: &Patterns) -> bool {
    let is_nothing = |cell, side| board.kind(cell, side) == CellKind::Nothing;
    let mut cells = board.empty().cells();
    cells.all(|cell| [Side::First, Side::Second].map(|side| is_nothing(cell, side)) == [true; 2])
}

/// All moves come to the same.
fn decide(out: &mut Expansion, proof: Proof) {
    out.logits.clear();
    out.complete = true;
    out.proof = Some(proof);
}

/// The cells near the stones; the middle of an empty board, and beside a single stone that, too.
fn candidates(at: &Gomoku, board: &Patterns, out: &mut Expansion) {
    let side = at.side_to_move();
    let all: Bits<8> = at.board();
    let stones = board.stones(Side::First) | board.stones(Side::Second);
    let middle = u32::from(at.setup().rows) / 2 * at.stride() + (at.stride() - 1) / 2;
    if stones.is_empty() {
        settle(out, [Gomoku::move_at(middle as usize)]);
        out.complete = false;
        return;
    }
    let mut near = grown(grown(stones, all, at.stride()), all, at.stride()) & board.empty();
    if stones.count() == 1 {
        // The first stone may lie where nobody wants to be near it.
        near |= Bits::of(middle as usize) & board.empty();
    }
    let legal = |cell: &usize| board.allows(*cell, side);
    settle(out, near.cells().filter(legal).map(Gomoku::move_at));
    out.complete = near == board.empty();
    if out.moves.is_empty() {
        // All that is near is forbidden.
        settle(
            out,
            board.empty().cells().filter(legal).map(Gomoku::move_at),
        );
    }
    rate(board, side, out);
}

/// Gives the moves the logits of their cells.
fn rate(board: &Patterns, side: Side, out: &mut Expansion) {
    let logit = |mv: &Move| worth::of_move(board, usize::from(mv.code()), side);
    out.logits.clear();
    out.logits.extend(out.moves.iter().map(logit));
}

/// An expansion of just these moves, none of the others being any better.
fn settle(out: &mut Expansion, moves: impl IntoIterator<Item = Move>) {
    out.moves.clear();
    out.moves.extend(moves);
    out.logits.clear();
    out.complete = true;
    out.proof = None;
}

#[cfg(test)]
mod tests;
