//! The crate `minimax`.
//!
//! Its constant of exploration is fixed: scores 0..1, `sqrt(2·log2 N / n)`. It always keeps the
//! results that are proven. Its rollouts are cut off at 100 plies as draws unless it is told
//! otherwise. It frees its tree before it answers, which is in its time and in nobody else's.

use crate::rules::Rules;
use crate::{Made, Make};
use minimax::{Game, MCTSOptions, MonteCarloTreeSearch, Strategy, Winner};
use std::marker::PhantomData;
use tengen::game::Side;

/// A game as the crate wants it.
struct Adapter<R>(PhantomData<R>);

impl<R: Rules> Game for Adapter<R> {
    type S = R;
    type M = R::Move;

    fn generate_moves(state: &R, moves: &mut Vec<R::Move>) -> Option<Winner> {
        let winner = Self::get_winner(state);
        if winner.is_none() {
            state.legal_moves(moves);
        }
        winner
    }

    fn apply(state: &mut R, mv: R::Move) -> Option<R> {
        let mut next = state.clone();
        next.play(mv);
        Some(next)
    }

    fn get_winner(state: &R) -> Option<Winner> {
        let winner = state.outcome()?.winner();
        Some(match winner {
            None => Winner::Draw,
            Some(side) if side == state.to_move() => Winner::PlayerToMove,
            Some(Side::First | Side::Second) => Winner::PlayerJustMoved,
        })
    }
}

/// Searches of a position.
pub fn search<R: Rules>(position: R) -> Make {
    Box::new(move |iterations| {
        let options = MCTSOptions::default()
            .with_num_threads(1)
            .with_max_rollout_depth(u32::MAX);
        let mut search = MonteCarloTreeSearch::<Adapter<R>>::new(options);
        let iterations = iterations.min(u64::from(u32::MAX)) as u32;
        search.set_max_rollouts(iterations);
        search.choose_move(&position);
        Made::of(u64::from(iterations), search)
    })
}
