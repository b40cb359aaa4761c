//! In drawn positions Tengen plays the move after which the opponent errs most easily.

use rand::{RngExt, SeedableRng};
use tengen::bots::Bot;
use tengen::clock;
use tengen::game::connect4::Connect4;
use tengen::game::{Game, GameKind, Move, Moves, Outcome, Playable, Setup, Side};
use tengen::knowledge::Effort;
use tengen::knowledge::connect4::Connect4Knowledge;
use tengen::knowledge::connect4::solver::Solver;
use tengen::rollout::Random;
use tengen::search::{Limits, Search, StopFlag};

/// Free cells of the positions.
const FREE: u32 = 12;

fn legal(position: &Connect4) -> Moves {
    let mut moves = Moves::new();
    position.legal_moves(&mut moves);
    moves
}

fn after(position: &Connect4, mv: Move) -> Connect4 {
    let mut next = position.clone();
    next.play(mv);
    next
}

fn wins_at_once(position: &Connect4) -> bool {
    let win = Some(Outcome::win(position.side_to_move()));
    legal(position)
        .iter()
        .any(|&mv| after(position, mv).outcome() == win)
}

/// What a side scores, 0..1, that gives nothing away, against one that chooses at random among the
/// moves that do not lose at once, and does not overlook a row of its own.
fn expected(solver: &Solver, position: &Connect4, side: Side) -> f64 {
    if let Some(outcome) = position.outcome() {
        return f64::from(outcome.margin(side).signum() + 1) / 2.0;
    }
    let score = |next: &Connect4| expected(solver, next, side);
    let nexts = legal(position).into_iter().map(|mv| after(position, mv));
    if position.side_to_move() == side {
        return keeping(solver, position)
            .iter()
            .map(|&mv| score(&after(position, mv)))
            .fold(0.0, f64::max);
    }
    if wins_at_once(position) {
        return 0.0;
    }
    let (losing, quiet): (Vec<_>, Vec<_>) = nexts.partition(wins_at_once);
    let chosen = if quiet.is_empty() { losing } else { quiet };
    chosen.iter().map(score).sum::<f64>() / chosen.len() as f64
}

/// The moves that keep the value of a position.
fn keeping(solver: &Solver, position: &Connect4) -> Vec<Move> {
    let value = solver.value(position, &Effort::UNLIMITED).unwrap();
    let value_after = |mv| {
        let next = after(position, mv);
        match next.outcome() {
            Some(outcome) => i32::from(outcome.margin(position.side_to_move()).signum()),
            None => -solver.value(&next, &Effort::UNLIMITED).unwrap(),
        }
    };
    let mut moves = legal(position).to_vec();
    moves.retain(|&mv| value_after(mv) == value);
    moves
}

/// A position after random moves, if it is drawn and several moves keep the draw.
fn drawn(solver: &Solver, random: &mut Random) -> Option<Connect4> {
    let mut position = Connect4::new(&Setup::standard(GameKind::Connect4)).unwrap();
    while position.max_plies_left() > FREE {
        if position.outcome().is_some() || wins_at_once(&position) {
            return None;
        }
        let moves = legal(&position);
        position.play(moves[random.random_range(0..moves.len())]);
    }
    let goes_on = position.outcome().is_none();
    let is_drawn = goes_on && solver.value(&position, &Effort::UNLIMITED) == Some(0);
    (is_drawn && keeping(solver, &position).len() > 1).then_some(position)
}

/// What Tengen plays in so many playouts.
fn played(position: &Connect4) -> Move {
    let knowledge = Connect4Knowledge::new(&position.setup(), 1 << 20, 1);
    let options = Bot::find("tengen")
        .unwrap()
        .options(GameKind::Connect4)
        .search;
    let mut search = Search::new(position.clone(), knowledge, options);
    let limits = Limits::playouts(clock::now(), 3000);
    let report = search.run(&limits, &StopFlag::new(), &mut |_| {});
    position.parse_action(report.best.unwrap()).unwrap()
}

#[test]
fn the_opponent_gets_most_chances_to_err() {
    let solver = Solver::new(&Setup::standard(GameKind::Connect4), 1 << 20, 1);
    let mut random = Random::seed_from_u64(5);
    let (mut gained, mut possible) = (0.0, 0.0);
    for _ in 0..30 {
        let position = std::iter::repeat_with(|| drawn(&solver, &mut random))
            .flatten()
            .next()
            .unwrap();
        let side = position.side_to_move();
        let score = |mv| expected(&solver, &after(&position, mv), side);
        let scores: Vec<f64> = keeping(&solver, &position).into_iter().map(score).collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        gained += score(played(&position)) - mean;
        possible += scores.iter().copied().fold(0.0, f64::max) - mean;
    }
    let share = gained / possible;
    assert!(share > 0.75, "{share:.2} of what the best moves gain");
}
