//! The solver against a plain one: full windows, no table, no cut but by the window.

use super::*;
use crate::game::reversi::{Reversi, flips, mobility};
use crate::game::{Game, GameKind, Moves, Playable, Setup, drawing};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Random;

/// Negamax with alpha-beta.
fn plain(board: Board, mut alpha: i32, beta: i32) -> i32 {
    let moves = mobility(board.own, board.other);
    if moves == 0 {
        let passed = board.passed();
        if mobility(passed.own, passed.other) == 0 {
            return board.final_score();
        }
        return -plain(passed, -beta, -alpha);
    }
    let after = |square| board.after(square, flips(square, board.own, board.other));
    let mut children: Vec<_> = board::squares(moves).map(after).collect();
    if board.empty().count_ones() > 5 {
        // Without this order the test would take hours.
        children.sort_by_key(|next| mobility(next.own, next.other).count_ones());
    }
    for next in children {
        alpha = alpha.max(-plain(next, -beta, -alpha));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

/// A position of a random game with so many empty squares in which the game goes on.
pub(super) fn random_position(random: &mut Random, empty: u32) -> Reversi {
    loop {
        let mut position = Reversi::new(&Setup::standard(GameKind::Reversi)).unwrap();
        while position.outcome().is_none() {
            if Board::from(&position).empty().count_ones() == empty {
                return position;
            }
            let mut moves = Moves::new();
            position.legal_moves(&mut moves);
            position.play(moves[random.next_u64() as usize % moves.len()]);
        }
    }
}

/// Checks everything that is asked of a position with so many empty squares.
fn check(random: &mut Random, empty: u32, solver: &Solver, table: &TranspositionTable) {
    let position = random_position(random, empty);
    let board = Board::from(&position);
    let mut moves = Moves::new();
    position.legal_moves(&mut moves);
    let score_of = |&mv: &Move| -plain(board.play(mv).unwrap(), -64, 64);
    let scores: Vec<i32> = moves.iter().map(score_of).collect();
    let score = *scores.iter().max().unwrap();
    let effort = &Effort::UNLIMITED;
    assert_eq!(i32::from(exact(board, table)), score, "{position}");
    assert_eq!(solver.score(board, effort), Some(score), "{position}");
    let sign = score.signum();
    assert_eq!(solver.value(board, effort), Some(sign), "{position}");
    assert_eq!(
        solver.value_alone(board, table, u64::MAX),
        Some(sign),
        "{position}"
    );
    let best: Moves = moves
        .iter()
        .zip(&scores)
        .filter(|(_, it)| **it == score)
        .map(|(&mv, _)| mv)
        .collect();
    assert_eq!(
        solver.best(board, effort),
        Some((best, score)),
        "{position}"
    );
    let seen: Vec<_> = moves
        .iter()
        .map(|&mv| solver.move_score(board, mv, effort).unwrap())
        .collect();
    assert_eq!(seen, scores, "{position}");
}

#[test]
fn every_answer_is_that_of_a_plain_solver() {
    let mut random = Random::seed_from_u64(1);
    for threads in [1, 3] {
        let (solver, table) = (
            Solver::new(1 << 20, threads),
            TranspositionTable::new(1 << 16),
        );
        for empty in (0..10).cycle().take(100) {
            check(&mut random, empty.max(1), &solver, &table);
        }
    }
}

#[test]
fn a_board_that_no_game_comes_to_may_have_more_moves() {
    let text = "---------OOXOOO---XX-XX--OXO-XO--XX--O---OX-XX---O-OOXO------XX- X";
    let position: Reversi = drawing::position(&Setup::standard(GameKind::Reversi), text).unwrap();
    let board = Board::from(&position);
    assert_eq!(board.legal_moves().len(), 35);
    let solver = Solver::new(1 << 20, 1).with_own_judge();
    let effort = Effort {
        nodes: 10_000,
        expired: &|| false,
    };
    assert_eq!(solver.value(board, &effort), None);
}

#[test]
#[ignore = "takes minutes"]
fn a_thousand_answers_are_those_of_a_plain_solver() {
    let mut random = Random::seed_from_u64(2);
    let (solver, table) = (
        Solver::new(1 << 24, 2).with_own_judge(),
        TranspositionTable::new(1 << 20),
    );
    for empty in (8..=14).cycle().take(1_000) {
        check(&mut random, empty, &solver, &table);
    }
}
