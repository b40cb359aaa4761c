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
use crate::game::{Game, Move, Moves, Rule, Side};
use crate::rollout::Rollout;
use near::grown;
use net::lines::{Lines, ROW_OF_KEY};
use net::{Judgement, Net};
use patterns::Patterns;
use smallvec::SmallVec;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;
use threats::Threats;
use threats::fours::Fours;

/// Positions that a search for fours looks at where children are made.
/// (Consequence: `docs/EXPERIMENTS.md`, Gomoku.)
const NODES_TO_EXPAND: u32 = 50;

/// Bytes for what a thread remembers of fours that fail: more than the caches hold is of no use.
const BYTES_OF_THREAD: usize = 1 << 16;

/// The share of the solver's effort for the opponent's threats is what is left when the side to
/// move has had so many parts of it. (A guess.)
const OWN_PARTS: u64 = 2;

/// Forced moves, wins by threats, and the cells within two king's steps of a stone: where three
/// stones stand among five cells in a row, the other two cells are as near.
pub struct GomokuKnowledge {
    /// For the root.
    threats: Mutex<Threats>,
    net: Option<Arc<Net>>,
}

impl GomokuKnowledge {
    /// With so many bytes for the search at the root. Makes ready for games by this rule, which
    /// would take a part of the time of the first move.
    #[must_use]
    pub fn new(rule: Rule, bytes: usize) -> GomokuKnowledge {
        Patterns::prepare(rule);
        GomokuKnowledge {
            threats: Mutex::new(Threats::with_bytes(bytes)),
            net: None,
        }
    }

    /// The same with what this program has learned of the rule.
    #[must_use]
    pub fn own(rule: Rule, bytes: usize) -> GomokuKnowledge {
        let knowledge = GomokuKnowledge::new(rule, bytes);
        // The only rule that a net was trained for.
        match Net::own().filter(|_| rule == Rule::Freestyle) {
            Some(net) => knowledge.with_net(net),
            None => knowledge,
        }
    }

    /// The same with a net that judges positions and moves.
    #[must_use]
    pub fn with_net(self, net: Arc<Net>) -> GomokuKnowledge {
        // It takes milliseconds, which the first move may not have.
        LazyLock::force(&ROW_OF_KEY);
        GomokuKnowledge {
            net: Some(net),
            ..self
        }
    }
}

/// What a thread knows of the position that it has come to, and what it remembers of others.
#[derive(Default)]
pub struct Trace {
    board: Option<Patterns>,
    /// For the net.
    lines: Lines,
    fours: Option<Fours>,
}

/// A copy knows the position, but what the other remembers stays there.
impl Clone for Trace {
    fn clone(&self) -> Trace {
        Trace {
            board: self.board.clone(),
            lines: self.lines.clone(),
            fours: None,
        }
    }

    fn clone_from(&mut self, other: &Trace) {
        self.board.clone_from(&other.board);
        self.lines.clone_from(&other.lines);
    }
}

impl Trace {
    /// The patterns of the position, and a search for fours.
    fn parts(&mut self, at: &Gomoku) -> (&mut Patterns, &mut Fours) {
        let board = self.board.get_or_insert_with(|| Patterns::of(at));
        let fours = || Fours::with_bytes(BYTES_OF_THREAD);
        (board, self.fours.get_or_insert_with(fours))
    }
}

impl Knowledge<Gomoku> for GomokuKnowledge {
    type Trace = Trace;

    fn begin(&self, trace: &mut Trace, root: &Gomoku) {
        trace.board = Some(Patterns::of(root));
        if self.net.is_some() {
            trace.lines = Lines::of(root);
        }
    }

    fn follow(&self, trace: &mut Trace, after: &Gomoku, mv: Move) {
        let mover = after.side_to_move().other();
        if let Some(board) = &mut trace.board {
            board.play(mv, mover);
        }
        if self.net.is_some() {
            trace.lines.toggle(usize::from(mv.code()), mover);
        }
    }

    fn expand(&self, at: &Gomoku, trace: &mut Trace, out: &mut Expansion) {
        let (board, fours) = trace.parts(at);
        expand(at, board, fours, out);
        if out.logits.is_empty() {
            return;
        }
        if let Some(net) = &self.net {
            let mut judgement = Judgement::default();
            net.judge(at, &trace.lines, 0.0, &mut judgement);
            for (logit, mv) in out.logits.iter_mut().zip(&out.moves) {
                *logit += judgement.logits[usize::from(mv.code())];
            }
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
            return evaluate_by_rollouts(leaves, context, out, Gomoku::rollouts_of_each);
        }
        let mut judgement = Judgement::default();
        for (leaf, out) in leaves.iter_mut().zip(out) {
            let (board, _) = leaf.trace.parts(leaf.position);
            let worth = worth::of_position(board, leaf.position.side_to_move());
            let value = match &self.net {
                Some(net) => {
                    net.judge(leaf.position, &leaf.trace.lines, worth, &mut judgement);
                    judgement.value()
                }
                None => worth::value(worth),
            };
            *out = Evaluation::Value(value);
        }
    }

    /// A win that is there is mostly found soon, and a search for threats looks at the clock so seldom
    /// that with more an answer came 25 ms late.
    fn solver_share(&self, _: &Gomoku, _: Duration) -> f64 {
        0.1
    }

    fn prove(&self, at: &Gomoku, trace: &mut Trace, nodes: u32) -> Option<Proof> {
        if nodes == 0 {
            return None;
        }
        let (board, fours) = trace.parts(at);
        let plies = fours.win(board, at.side_to_move(), u16::MAX, nodes)?;
        Some(won(plies))
    }

    fn solve(&self, root: &Gomoku, effort: &Effort<'_>) -> Option<Solution> {
        let mut threats = self.threats.lock().unwrap_or_else(PoisonError::into_inner);
        let mut board = Patterns::of(root);
        let side = root.side_to_move();
        let own = Effort {
            nodes: effort.nodes / OWN_PARTS,
            ..*effort
        };
        if let Some(win) = threats.solve(&mut board, side, &own) {
            let best = Moves::from_slice(win.line.get(..1)?);
            return Some(Solution::new(Some(won(win.plies)), best));
        }
        let best = defend(&mut threats, root, &mut board, effort)?;
        Some(Solution::new(None, best))
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

fn won(plies: u16) -> Proof {
    Proof {
        result: ProofResult::Win,
        plies,
    }
}

fn lost(plies: u16) -> Proof {
    Proof {
        result: ProofResult::Loss,
        plies,
    }
}

/// The moves that are left where the opponent threatens to win by continuous threats: those that
/// are not proven to lose. `None`: no such threat was found, or nothing is proven.
fn defend(
    threats: &mut Threats,
    root: &Gomoku,
    board: &mut Patterns,
    effort: &Effort<'_>,
) -> Option<Moves> {
    let side = root.side_to_move();
    let part = Effort {
        nodes: effort.nodes / OWN_PARTS / 2,
        ..*effort
    };
    threats.threatens(board, side.other(), &part)?;
    let mut near = Expansion::default();
    candidates(root, board, &mut near);
    let of_each = Effort {
        nodes: part.nodes / near.moves.len().max(1) as u64,
        ..part
    };
    let mut best = Moves::new();
    root.legal_moves(&mut best);
    let all = best.len();
    for mv in near.moves {
        if (effort.expired)() {
            break;
        }
        board.play(mv, side);
        let loses = threats.threatens(board, side.other(), &of_each).is_some();
        board.undo();
        if loses {
            best.retain(|&mut it| it != mv);
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
        out.proof = Some(won(plies));
        return;
    }
    let Some(defences) = fours.defences(board, side, NODES_TO_EXPAND) else {
        return candidates(at, board, out);
    };
    if defences.moves.is_empty() {
        // Nothing helps: what stands in the way of the next five comes first.
        candidates(at, board, out);
        let fives = board.fives(side.other());
        out.moves
            .sort_by_key(|mv| !fives.contains(usize::from(mv.code())));
        out.logits.clear();
        out.complete = true;
        out.proof = Some(lost(defences.plies));
        return;
    }
    settle(out, defences.moves);
    rate(board, side, out);
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
mod tests {
    use super::*;
    use crate::game::gomoku::tests::{any_rule, drawn, empty_board, naive_wins, random_position};
    use crate::game::{Action, Point};
    use proptest::prelude::*;

    fn knowledge() -> GomokuKnowledge {
        GomokuKnowledge::new(Rule::Freestyle, 1 << 20)
    }

    fn expansion(game: &Gomoku) -> Expansion {
        let mut out = Expansion::default();
        out.all_moves(&empty_board(5, 5, Rule::Exact));
        knowledge().expand(game, &mut Trace::default(), &mut out);
        out
    }

    fn point_of(game: &Gomoku, mv: Move) -> Point {
        match game.action(mv) {
            Action::Point(point) => point,
            other => panic!("{other:?} is no point"),
        }
    }

    fn legal(game: &Gomoku) -> Moves {
        let mut moves = Moves::new();
        game.legal_moves(&mut moves);
        moves
    }

    fn after(game: &Gomoku, mv: Move) -> Gomoku {
        let mut next = game.clone();
        next.play(mv);
        next
    }

    /// The moves with which a side, were it to move, would win at once.
    fn naive_wins_of(game: &Gomoku, side: Side) -> Vec<Move> {
        let empty = game
            .setup()
            .points()
            .filter(|&p| game.stone_at(p).is_none());
        let wins = empty.filter(|&point| naive_wins(game, point, side));
        wins.filter_map(|point| Some(Gomoku::move_at(game.cell(point)?)))
            .collect()
    }

    /// Whether this move leaves the opponent, whatever it answers, with a five to be made
    /// against it. Unlike `naive_wins_in_three`, this tries only answers that could help.
    fn naive_forks(game: &Gomoku, mv: Move) -> bool {
        let next = after(game, mv);
        let side = game.side_to_move();
        let threatens = |game: &Gomoku| !naive_wins_of(game, side).is_empty();
        if next.outcome().is_some() || !threatens(&next) {
            return false;
        }
        legal(&next).into_iter().all(|reply| {
            let then = after(&next, reply);
            then.outcome().is_none() && threatens(&then)
        })
    }

    /// Whether the side to move wins with this move now or, whatever the answer, with its next.
    fn naive_wins_in_three(game: &Gomoku, mv: Move) -> bool {
        let next = after(game, mv);
        next.outcome().is_none()
            && legal(&next).into_iter().all(|reply| {
                let then = after(&next, reply);
                then.outcome().is_none() && !naive_wins_of(&then, then.side_to_move()).is_empty()
            })
    }

    /// Whether any stone is near enough for a child.
    fn naive_near(game: &Gomoku, at: Point) -> bool {
        game.setup().points().any(|point| {
            let distance = point.col.abs_diff(at.col).max(point.row.abs_diff(at.row));
            distance <= 2 && game.stone_at(point).is_some()
        })
    }

    fn check_expansion(game: &Gomoku) -> Result<(), TestCaseError> {
        let out = expansion(game);
        let mut listed: Vec<Move> = out.moves.to_vec();
        listed.sort_unstable();
        listed.dedup();
        prop_assert_eq!(listed.len(), out.moves.len(), "a move is listed twice");
        let legal_moves = legal(game);
        prop_assert!(!listed.is_empty() && listed.iter().all(|mv| legal_moves.contains(mv)));

        let side = game.side_to_move();
        let [wins, threats] = [side, side.other()].map(|side| naive_wins_of(game, side));
        if !wins.is_empty() {
            prop_assert!(wins.contains(&out.moves[0]));
            prop_assert!(out.complete);
            let proof = Proof {
                result: ProofResult::Win,
                plies: 1,
            };
            prop_assert_eq!(out.proof, Some(proof));
            return Ok(());
        }
        let threatened = !threats.is_empty();
        let holds = |mv: &Move| {
            let next = after(game, *mv);
            naive_wins_of(&next, next.side_to_move()).is_empty()
        };
        let stops: Vec<Move> = match threatened {
            true => legal_moves.iter().copied().filter(holds).collect(),
            false => Vec::new(),
        };
        if threatened && stops.is_empty() {
            prop_assert!(out.complete);
            let proof = Proof {
                result: ProofResult::Loss,
                plies: 2,
            };
            prop_assert_eq!(out.proof, Some(proof));
            return Ok(());
        }
        let forks = |mv: &&Move| (!threatened || stops.contains(*mv)) && naive_forks(game, **mv);
        if legal_moves.iter().any(|mv| forks(&mv)) {
            prop_assert!(out.complete);
            prop_assert_eq!(out.proof.map(|it| it.result), Some(ProofResult::Win));
        }
        if out.proof.is_some() {
            // Checked where proofs are made.
            return Ok(());
        }
        prop_assert!(out.moves.len() == 1 || out.logits.len() == out.moves.len());
        if threatened {
            prop_assert!(listed.iter().all(|mv| stops.contains(mv)));
            prop_assert!(out.complete);
        } else if legal_moves.len() == game.setup().points().count() {
            let setup = game.setup();
            let centre = Point {
                col: setup.cols / 2,
                row: setup.rows / 2,
            };
            prop_assert_eq!(point_of(game, listed[0]), centre);
            prop_assert!(listed.len() == 1 && !out.complete);
        } else {
            let setup = game.setup();
            let is_second = legal_moves.len() + 1 == setup.points().count();
            let near = |mv: &Move| {
                let point = point_of(game, *mv);
                let is_middle = (point.col, point.row) == (setup.cols / 2, setup.rows / 2);
                naive_near(game, point) || is_second && is_middle
            };
            let mut expected: Vec<Move> = legal_moves.iter().copied().filter(near).collect();
            if expected.is_empty() {
                expected = legal_moves.to_vec();
            }
            // Fewer where the others are proven to lose.
            if listed.len() == expected.len() {
                prop_assert_eq!(listed, expected);
            } else {
                prop_assert!(out.complete);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn every_claim_is_true_on_random_boards(
            cols in 5u8..=22, rows in 5u8..=22, rule in any_rule(), share in 0u32..=100, seed: u64,
        ) {
            let cells = u32::from(cols) * u32::from(rows);
            let game = random_position(cols, rows, rule, cells * share / 100, seed);
            if game.outcome().is_none() {
                check_expansion(&game)?;
            }
        }
    }

    proptest! {
        // Each case is a whole game.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_claim_is_true_throughout_a_crowded_game(rule in any_rule(), seed: u64) {
            for plies in 0..49 {
                let game = random_position(7, 7, rule, plies, seed);
                if game.outcome().is_none() {
                    check_expansion(&game)?;
                }
            }
        }
    }

    #[test]
    fn boards_of_every_size_are_expanded() {
        for cols in 5..=22 {
            for rows in 5..=22 {
                for plies in [0, 1, 7] {
                    let game = random_position(cols, rows, Rule::Freestyle, plies, 5);
                    check_expansion(&game).unwrap();
                }
            }
        }
    }

    #[test]
    fn an_open_three_wins_in_three_plies() {
        let rows = ["........", "..XXX...", "........", "...OO...", "...O...."];
        for rule in Rule::ALL {
            let out = expansion(&drawn(rule, Side::First, &rows));
            let proof = Proof {
                result: ProofResult::Win,
                plies: 3,
            };
            assert_eq!(out.proof, Some(proof));
            assert!(naive_wins_in_three(
                &drawn(rule, Side::First, &rows),
                out.moves[0]
            ));
        }
    }

    #[test]
    fn an_overline_is_no_threat_by_the_exact_rule() {
        let rows = ["XXX.XX..", "........", "........", "OO..O...", "O......."];
        let free = expansion(&drawn(Rule::Freestyle, Side::Second, &rows));
        assert_eq!((free.moves.len(), free.complete), (1, true));
        let exact = expansion(&drawn(Rule::Exact, Side::Second, &rows));
        assert!(exact.moves.len() > 1 && !exact.complete);
    }

    #[test]
    fn a_five_is_stopped_at_its_end_by_caro() {
        let rows = [
            "...........",
            "..OXXXX....",
            "...........",
            "O.O.O......",
            "...........",
        ];
        let stops = |rule| -> Vec<u8> {
            let game = drawn(rule, Side::Second, &rows);
            let moves = expansion(&game).moves;
            let mut cols: Vec<u8> = moves.iter().map(|&mv| point_of(&game, mv).col).collect();
            cols.sort_unstable();
            cols
        };
        assert_eq!(stops(Rule::Freestyle), [7]);
        assert_eq!(stops(Rule::Caro), [7, 8]);
    }

    #[test]
    fn white_wins_where_black_may_not_stop() {
        // White leaves a gap between its stones, on which black would make two threes.
        let rows = [
            ".........",
            ".........",
            "......X..",
            ".....X...",
            "XOOO.....",
            "....X....",
            "....X....",
            ".........",
            ".........",
        ];
        let renju = drawn(Rule::Renju, Side::Second, &rows);
        let out = expansion(&renju);
        let proof = Proof {
            result: ProofResult::Win,
            plies: 3,
        };
        assert_eq!(out.proof, Some(proof));
        assert_eq!(point_of(&renju, out.moves[0]), Point { col: 5, row: 4 });
        assert!(naive_wins_in_three(&renju, out.moves[0]));
        assert_eq!(
            expansion(&drawn(Rule::Exact, Side::Second, &rows)).proof,
            None
        );
    }

    #[test]
    fn a_trace_follows_the_game() {
        for rule in Rule::ALL {
            let root = random_position(15, 15, rule, 20, 3);
            let (knowledge, mut trace) = (knowledge(), Trace::default());
            knowledge.begin(&mut trace, &root);
            let mut game = root;
            for _ in 0..30 {
                let mv = expansion(&game).moves[0];
                let mut fresh = Expansion::default();
                knowledge.expand(&game, &mut trace, &mut fresh);
                assert_eq!(fresh.moves[0], mv);
                game.play(mv);
                if game.outcome().is_some() {
                    break;
                }
                knowledge.follow(&mut trace, &game, mv);
            }
        }
    }

    #[test]
    fn the_root_is_solved_by_threats() {
        // Two threes that cross, with nothing against them.
        let rows = [
            ".........",
            ".........",
            "....X....",
            "....X....",
            "..XX.....",
            ".........",
            ".......O.",
            ".OO....O.",
            ".........",
        ];
        let won = drawn(Rule::Freestyle, Side::First, &rows);
        let effort = Effort {
            // Each defence gets a small part of these, and this threat takes some ten thousand.
            nodes: 8_000_000,
            ..Effort::UNLIMITED
        };
        let solution = knowledge().solve(&won, &effort).unwrap();
        assert_eq!(solution.proof.map(|it| it.result), Some(ProofResult::Win));
        // The other side must do something about it, and most moves do nothing.
        let defended = drawn(Rule::Freestyle, Side::Second, &rows);
        let solution = knowledge().solve(&defended, &effort).unwrap();
        assert_eq!(solution.proof, None);
        assert!(solution.best.len() < legal(&defended).len());
    }

    #[test]
    fn the_longest_line_is_counted_over_gaps() {
        let rows = ["X....", "XX.XX", "X.X..", "...X.", "OOO.."];
        let game = drawn(Rule::Freestyle, Side::First, &rows);
        let length =
            |col, row| longest_line(&game, game.parse_action(Action::point(col, row)).unwrap());
        assert_eq!(length(2, 1), 5);
        assert_eq!(length(0, 3), 4);
        assert_eq!(length(4, 4), 5);
        assert_eq!(length(4, 2), 2);
        assert_eq!(length(3, 4), 2);
    }
}
