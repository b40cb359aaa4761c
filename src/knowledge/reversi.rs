//! What Tengen knows of Reversi: what the learned [`patterns`] and a [`net`] beside them say of a
//! position and of its children, and exact scores near the [`endgame`].

pub mod endgame;
pub mod evaluation;
pub mod net;
pub mod patterns;
pub mod shapes;

use super::{
    Context, Effort, Evaluation, Expansion, Judged, Knowledge, Leaf, Proof, ProofResult, Solution,
    evaluate_by_rollouts,
};
use crate::game::reversi::{PASS, Reversi};
use crate::game::{Game, Move, Moves};
use crate::simd::{Isa, Kernel, Simd};
use endgame::{Board, Solver, TranspositionTable};
use net::Net;
use patterns::{DISC, Expected, Features, Patterns};
use shapes::Turn;
use smallvec::SmallVec;
use std::time::Duration;

/// How many discs of the opponent a legal move turns over; none for a pass.
#[must_use]
pub fn flips(position: &Reversi, mv: Move) -> u32 {
    match mv.code() {
        PASS => 0,
        square => position.flips(usize::from(square)).count_ones(),
    }
}

/// The learned evaluation: weights, and the net that corrects them, if there is one.
#[derive(Clone, Copy)]
pub struct Evaluator<'a> {
    /// The weights.
    pub patterns: &'a Patterns,
    /// The net.
    pub net: Option<&'a Net>,
}

impl<'a> From<&'a Patterns> for Evaluator<'a> {
    /// The weights alone.
    fn from(patterns: &'a Patterns) -> Evaluator<'a> {
        Evaluator {
            patterns,
            net: None,
        }
    }
}

impl Evaluator<'_> {
    /// The disc difference that the side to move expects after each of these legal moves, by their codes,
    /// in units of [`DISC`], as far as `out` has places. Whether a move ends the game is not looked at.
    pub(crate) fn judge_children(
        self,
        features: &Features,
        board: Board,
        moves: impl Iterator<Item = u16>,
        out: &mut [i32],
    ) {
        Isa::current().run(Expected {
            by: self,
            features,
            board,
            moves,
            out,
        });
    }
}

/// Static values by learned patterns, corrected by a net. Logits are in discs.
pub struct ReversiKnowledge {
    evaluator: Evaluator<'static>,
    /// Solves the root where few squares are empty.
    solver: Option<Solver>,
    /// What was proven of leaves.
    leaves: Option<TranspositionTable>,
    threads: u32,
}

impl ReversiKnowledge {
    /// With the weights of this program. `None`: it was built without.
    #[must_use]
    pub fn own() -> Option<ReversiKnowledge> {
        let evaluator = Evaluator {
            patterns: Patterns::own()?,
            net: Some(Net::own()?),
        };
        Some(ReversiKnowledge {
            evaluator,
            solver: None,
            leaves: None,
            threads: 1,
        })
    }

    /// The same with an exact solver of so many threads for root and leaves, whose tables take `bytes`
    /// bytes. 0: without.
    #[must_use]
    pub fn with_solver(self, bytes: usize, threads: u32) -> ReversiKnowledge {
        let of_leaves = LEAVES_BYTES.min(bytes / 8);
        let solver = || Solver::new(bytes - of_leaves, threads).with_judge(self.evaluator.patterns);
        ReversiKnowledge {
            solver: (bytes > 0).then(solver),
            leaves: (bytes > 0).then(|| TranspositionTable::new(of_leaves)),
            threads,
            ..self
        }
    }

    /// The score 0..1 that the side to move can expect: that of its best move.
    fn value(&self, position: &Reversi) -> f32 {
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        let expected = self.expected(position, &moves);
        let best = expected.iter().take(moves.len()).max();
        self.win_chance(*best.unwrap_or(&0), Board::from(position).discs())
    }

    /// The disc difference that the side to move expects after each of these moves, in units of
    /// [`DISC`].
    fn expected(&self, position: &Reversi, moves: &[Move]) -> [i32; MOST_MOVES] {
        let mut out = [0; MOST_MOVES];
        let (features, board) = (Features::new(position), Board::from(position));
        let moves = moves.iter().map(|mv| mv.code());
        self.evaluator
            .judge_children(&features, board, moves, &mut out);
        out
    }

    /// The score 0..1 of a move after which this difference is expected.
    fn win_chance(&self, difference: i32, discs: u32) -> f32 {
        let difference = difference - optimism(discs);
        self.evaluator.patterns.win_chance(difference, discs)
    }
}

impl<M: Iterator<Item = u16>> Kernel for Expected<'_, Evaluator<'_>, M> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Evaluator { patterns, net } = self.by;
        let of_net = net.map(|net| net::Children::new(simd, net, self.board));
        let of_patterns = patterns::Children::new(simd, patterns, self.features);
        let mut turns = [Turn::Pass; MOST_MOVES];
        let mut count = 0;
        for ((mv, turn), out) in self.moves.zip(&mut turns).zip(&mut *self.out) {
            *turn = self.board.turn(simd, mv);
            *out = of_patterns.value(simd, *turn);
            count += 1;
        }
        let Some(of_net) = of_net else {
            return;
        };
        let values = &mut self.out[..count];
        let promising = promising(values);
        let mut corrections = [0; PROMISING];
        for (correction, &number) in corrections.iter_mut().zip(&promising) {
            *correction = of_net.correction(simd, turns[number]);
        }
        let mean = corrections.iter().sum::<i32>() / promising.len().max(1) as i32;
        values.iter_mut().for_each(|value| *value += mean);
        for (correction, &number) in corrections.iter().zip(&promising) {
            values[number] += correction - mean;
        }
    }
}

/// How many moves of a position the net corrects. The others are taken to be misjudged as these are on
/// average. (Measured: `docs/EXPERIMENTS.md`, Reversi.)
const PROMISING: usize = 3;

/// The numbers of the moves with the highest values.
#[inline(always)]
fn promising(values: &[i32]) -> SmallVec<[usize; PROMISING]> {
    let mut best: SmallVec<[usize; PROMISING]> = SmallVec::new();
    for number in 0..values.len() {
        let better = |&other: &usize| values[other] >= values[number];
        let place = best.iter().take_while(|other| better(other)).count();
        if place < PROMISING {
            best.truncate(PROMISING - 1);
            best.insert(place, number);
        }
    }
    best
}

/// What is taken from the value of every move in a position with so many discs, in units of [`DISC`].
/// The best of many moves is often one that is misjudged in its favour, so one ply more makes the side
/// that moves last look better. Half of that is taken, and leaves at odd and at even depths agree.
/// (Measured: `docs/EXPERIMENTS.md`, Reversi.)
fn optimism(discs: u32) -> i32 {
    discs.saturating_sub(20) as i32 * DISC / 26
}

/// How many of the usual values that of a position counts as, by the scores 0..1 of its moves. It is the more
/// to be doubted the fewer they are, and the better the best is than the second: what a search finds is off
/// by about the root of `better^⅓ / moves`, and a value weighs the inverse of the third power of that. (Measured:
/// `docs/EXPERIMENTS.md`, Reversi.)
fn weight(values: &[f32]) -> f32 {
    /// Makes it 1 for a position of a usual kind, such as one with twelve moves and .05 between the best two.
    const USUAL: f32 = 175.0;
    let (mut best, mut second) = (0.0_f32, 0.0_f32);
    for &value in values {
        second = second.max(value.min(best));
        best = best.max(value);
    }
    let moves = values.len() as f32;
    moves * (moves / (best - second + 0.01)).sqrt() / USUAL
}

/// The most legal moves of any board: three discs leave two moves at the most, and four leave 60 empty
/// squares. (The most known in a game is 33.)
const MOST_MOVES: usize = 60;

impl Knowledge<Reversi> for ReversiKnowledge {
    /// What the evaluation sees of a leaf takes less time than to follow the moves to it.
    type Trace = ();

    /// Moves tell how much a value is to be doubted.
    const PARTS_OF_VISIT: u32 = 2;

    fn evaluate(
        &self,
        leaves: &mut [Leaf<'_, Reversi, ()>],
        context: &mut Context<'_>,
        out: &mut [Evaluation],
    ) {
        if context.rollouts > 0 {
            return evaluate_by_rollouts(leaves, context, out);
        }
        for (leaf, out) in leaves.iter().zip(out) {
            let value = self.value(leaf.position);
            *out = Evaluation::value(value);
        }
    }

    fn evaluate_children(
        &self,
        at: &Reversi,
        (): &mut (),
        moves: &[Move],
        _: &mut Context<'_>,
        out: &mut Judged,
    ) -> bool {
        let expected = self.expected(at, moves);
        let expected = expected.iter().take(moves.len());
        let discs = Board::from(at).discs();
        out.clear();
        out.values
            .extend(expected.clone().map(|&it| self.win_chance(it, discs)));
        out.logits
            .extend(expected.map(|&it| it as f32 / DISC as f32));
        out.weight = weight(&out.values);
        true
    }

    fn expand(&self, at: &Reversi, (): &mut (), out: &mut Expansion) {
        out.all_moves(at);
    }

    /// Who wins near the end, or what the solver of the root has proven.
    fn prove(&self, at: &Reversi, (): &mut (), nodes: u32) -> Option<Proof> {
        let (solver, leaves) = (self.solver.as_ref()?, self.leaves.as_ref()?);
        let board = Board::from(at);
        let empty = board.empty().count_ones();
        if nodes > 0 && empty <= LEAF_SOLVED_UP_TO {
            let value = solver.value_alone(board, leaves, u64::from(nodes))?;
            return Some(proof_of(value, board));
        }
        if empty > SOLVED_UP_TO {
            return None;
        }
        let (least, most) = solver.recall(board)?;
        let is_decided = least > 0 || most < 0 || least == most;
        is_decided.then(|| proof_of(least + most, board))
    }

    /// The best score, if that takes no longer; else a move that keeps a win, or every move that keeps a
    /// draw.
    fn solve(&self, root: &Reversi, effort: &Effort<'_>) -> Option<Solution> {
        let solver = self.solver.as_ref()?;
        let board = Board::from(root);
        if board.empty().count_ones() > SOLVED_UP_TO {
            return None;
        }
        let value = solver.value(board, effort)?;
        let proof = Some(proof_of(value, board));
        if value == 0 {
            return Some(draw_of(solver, board, effort));
        }
        let attaining = |score| {
            let mv = solver.attaining(board, score, effort)?;
            Some(Solution::new(proof, Moves::from_slice(&[mv])))
        };
        // Every move loses: only the score tells which resists longest.
        let keeping = if value < 0 { None } else { attaining(value) };
        let best = solver.score(board, effort).and_then(attaining);
        best.or(keeping)
    }

    fn score_less(&self, at: &Reversi, score: f32, given_up: f32) -> f32 {
        let given_up = (given_up * DISC as f32) as i32;
        let discs = Board::from(at).discs();
        self.evaluator.patterns.chance_less(score, given_up, discs)
    }

    fn plies_to_think_about(&self, at: &Reversi) -> u32 {
        /// Solving them takes time, too, and may fail where hardly any is left.
        const AT_THE_END: u32 = 6;
        let likely = at.likely_plies_left();
        match self.solver {
            Some(_) => likely.min(likely.saturating_sub(SOLVED_AT_SIGHT).max(AT_THE_END)),
            None => likely,
        }
    }

    fn solver_share(&self, root: &Reversi, time: Duration) -> f64 {
        /// What one thread takes with 20 empty squares. (Measured: `docs/EXPERIMENTS.md`, Reversi.)
        const SECONDS: f64 = 0.09;
        /// From one empty square to the next.
        const GROWTH: f64 = 1.8;
        let more = f64::from(Board::from(root).empty().count_ones()) - 20.0;
        let needed = SECONDS * GROWTH.powf(more) / f64::from(self.threads).powf(0.8);
        if needed > time.as_secs_f64() {
            0.0
        } else {
            0.75
        }
    }
}

/// The solution of a drawn board. Moves that the effort did not suffice to refute count among the best.
fn draw_of(solver: &Solver, board: Board, effort: &Effort<'_>) -> Solution {
    let (mut best, mut safe) = (Moves::new(), Moves::new());
    for mv in solver.likely_first(board) {
        let keeps = solver.attains(board, mv, 0, effort);
        if keeps != Some(false) {
            best.push(mv);
        }
        if keeps == Some(true) {
            safe.push(mv);
        }
    }
    let exact = safe.len() == best.len();
    if safe.is_empty() {
        safe.clone_from(&best);
    }
    Solution {
        safe,
        exact,
        ..Solution::new(Some(proof_of(0, board)), best)
    }
}

/// The most empty squares with which a position is worth trying to solve.
const SOLVED_UP_TO: u32 = 28;

/// With so many empty squares the solver takes less than a tenth of a second.
const SOLVED_AT_SIGHT: u32 = 18;

/// The most empty squares with which a leaf is solved. It takes as long as many playouts, and tells more
/// than they do. (Measured: `docs/EXPERIMENTS.md`, Reversi.)
const LEAF_SOLVED_UP_TO: u32 = 12;

/// The most bytes of the table for leaves: they fit into the cache of a core.
const LEAVES_BYTES: usize = 256 << 10;

/// The proof of a value for the side to move. The game mostly ends when no square is empty.
fn proof_of(value: i32, board: Board) -> Proof {
    let result = match value {
        1.. => ProofResult::Win,
        0 => ProofResult::Draw,
        _ => ProofResult::Loss,
    };
    let plies = board.empty().count_ones() as u16;
    Proof { result, plies }
}

#[cfg(test)]
#[cfg(feature = "weights-reversi")]
mod tests {
    use super::*;
    use crate::game::{GameKind, Playable, Setup, notation};
    use crate::rollout::Random;
    use rand::{RngExt, SeedableRng};

    /// The discs that the side to move can expect by a search of so many plies. `None`: a game ends
    /// within these.
    fn expected(position: &Reversi, plies: u32) -> Option<i32> {
        if position.outcome().is_some() {
            return None;
        }
        if plies == 0 {
            return Some(Patterns::own()?.evaluate(&Features::new(position)));
        }
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        let after = moves.iter().map(|&mv| {
            let mut next = position.clone();
            next.play(mv);
            expected(&next, plies - 1).map(|value| -value)
        });
        after.collect::<Option<Vec<i32>>>()?.into_iter().max()
    }

    /// The mean over random positions between two numbers of discs of what a side to move expects by
    /// a search of so many plies.
    fn mean(discs: std::ops::Range<u32>, plies: u32) -> f64 {
        let mut random = Random::seed_from_u64(3);
        let (mut sum, mut count) = (0.0, 0.0);
        for _ in 0..40 {
            let mut position = Reversi::new(&Setup::standard(GameKind::Reversi)).unwrap();
            while position.outcome().is_none() {
                if discs.contains(&Board::from(&position).discs())
                    && let Some(value) = expected(&position, plies)
                {
                    sum += f64::from(value) / f64::from(DISC);
                    count += 1.0;
                }
                let mut moves = Moves::new();
                position.legal_moves(&mut moves);
                position.play(moves[random.random_range(0..moves.len())]);
            }
        }
        sum / count
    }

    #[test]
    fn a_clock_is_shared_out_over_what_is_not_solved_at_sight() {
        let start = Reversi::new(&Setup::standard(GameKind::Reversi)).unwrap();
        let own = ReversiKnowledge::own().unwrap();
        assert_eq!(own.plies_to_think_about(&start), start.likely_plies_left());
        let solving = own.with_solver(1 << 20, 1);
        let [mut plies, mut likely] = [u32::MAX; 2];
        let mut random = Random::seed_from_u64(4);
        let mut position = start;
        while position.outcome().is_none() {
            (plies, likely) = (
                solving.plies_to_think_about(&position),
                position.likely_plies_left(),
            );
            assert!(plies == likely || plies == 6 || plies + SOLVED_AT_SIGHT == likely);
            let mut moves = Moves::new();
            position.legal_moves(&mut moves);
            position.play(moves[random.random_range(0..moves.len())]);
        }
        assert!(plies == likely && plies <= 6, "{plies} {likely}");
    }

    /// The position after these moves; passes are left out.
    fn after(moves: &str) -> Reversi {
        let setup = Setup::standard(GameKind::Reversi);
        let mut position = Reversi::new(&setup).unwrap();
        for text in moves.as_bytes().chunks(2) {
            let action = notation::parse(&setup, str::from_utf8(text).unwrap()).unwrap();
            if position.parse_action(action).is_none() {
                position.play(Move::new(PASS));
            }
            position.play(position.parse_action(action).unwrap());
        }
        position
    }

    #[test]
    fn a_drawn_root_tells_every_move_that_keeps_the_draw() {
        let moves = "f5f4c3f6g3c6d6b2f3c5f7e3b6b7c4h2a8b4h3a7a3c7c1h4b5a6g4f2e2f8g7a5b8h6h8h5f1d7c8d3a4g6g2\
            d8b3h1e7g1h7a2d2e6g5c2";
        let root = after(moves);
        let own = ReversiKnowledge::own().unwrap().with_solver(1 << 20, 1);
        let solution = own.solve(&root, &Effort::UNLIMITED).unwrap();
        assert_eq!(solution.proof.unwrap().result, ProofResult::Draw);
        let told = |moves: &Moves| {
            let setup = Setup::standard(GameKind::Reversi);
            let texts = moves
                .iter()
                .map(|&mv| notation::write(&setup, root.action(mv)));
            let mut texts: Vec<String> = texts.collect();
            texts.sort();
            texts.join(" ")
        };
        assert_eq!([told(&solution.best), told(&solution.safe)], ["a1 e8"; 2]);
        assert!(solution.exact);
    }

    #[test]
    fn values_of_many_moves_alike_count_more() {
        assert!((0.9..1.1).contains(&weight(&[&[0.55][..], &[0.5; 11]].concat())));
        assert!(weight(&[0.5; 8]) > weight(&[0.5; 7]));
        assert!(weight(&[0.5, 0.6, 0.4]) > weight(&[0.5, 0.65, 0.4]));
        assert_eq!(weight(&[0.6, 0.4, 0.5]), weight(&[0.4, 0.5, 0.6]));
        assert!(weight(&[0.5]) < 0.02);
    }

    #[test]
    fn odd_and_even_depths_agree_but_for_the_optimism() {
        for first in [20, 30, 40] {
            let range = || first..first + 10;
            let gap = mean(range(), 3) - mean(range(), 2);
            let taken = 2.0 * f64::from(optimism(first + 5)) / f64::from(DISC);
            assert!((gap - taken).abs() < 1.0, "{first} discs: {gap} {taken}");
        }
    }
}
