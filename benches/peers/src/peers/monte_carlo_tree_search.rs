//! The crate `monte-carlo-tree-search`.
//!
//! Its constant of exploration is fixed: scores 0..1, `sqrt(2·ln N / n)`.

use crate::rules::Rules;
use crate::{Made, Make};
use monte_carlo_tree_search::{GameState, Player, Search, TwoPlayerGame, Ucb};
use rand_0_9::SeedableRng;
use rand_0_9::rngs::SmallRng;
use tengen::game::Side;

/// A position as the crate wants it.
#[derive(Clone)]
struct State<R>(R);

impl<R: Rules> TwoPlayerGame for State<R> {
    type Move = R::Move;

    fn state<'a>(&self, moves: &'a mut Vec<R::Move>) -> GameState<'a, R::Move> {
        let Some(outcome) = self.0.outcome() else {
            self.0.legal_moves(moves);
            return GameState::Moves(moves);
        };
        moves.clear();
        match outcome.winner() {
            Some(Side::First) => GameState::WinPlayerOne,
            Some(Side::Second) => GameState::WinPlayerTwo,
            None => GameState::Draw,
        }
    }

    fn play(&mut self, mv: &R::Move) {
        self.0.play(*mv);
    }

    fn current_player(&self) -> Player {
        match self.0.to_move() {
            Side::First => Player::One,
            Side::Second => Player::Two,
        }
    }
}

/// Searches of a position.
pub fn search<R: Rules>(position: R) -> Make {
    Box::new(move |iterations| {
        let mut random = SmallRng::seed_from_u64(1);
        let mut search = Search::new(State(position.clone()), Ucb::new());
        for _ in 0..iterations {
            search.playout(&mut random);
        }
        Made::of(iterations, search)
    })
}
