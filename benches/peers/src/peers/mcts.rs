//! The crate `mcts`.
//!
//! It leaves the rollout to its user: here it goes by the rules, move by move.

use super::EXPLORATION;
use crate::rules::Rules;
use crate::{Made, Make};
use mcts::tree_policy::UCTPolicy;
use mcts::{Evaluator, GameState, MCTS, MCTSManager, SearchHandle};
use rand::{RngExt, SeedableRng};
use std::marker::PhantomData;
use tengen::game::{Outcome, Side};
use tengen::rollout::Random;

/// A position as the crate wants it.
#[derive(Clone)]
struct State<R>(R);

impl<R: Rules> GameState for State<R> {
    type Move = R::Move;
    type Player = Side;
    type MoveList = Vec<R::Move>;

    fn current_player(&self) -> Side {
        self.0.to_move()
    }

    fn available_moves(&self) -> Vec<R::Move> {
        let mut moves = Vec::new();
        if self.0.outcome().is_none() {
            self.0.legal_moves(&mut moves);
        }
        moves
    }

    fn make_move(&mut self, mv: &R::Move) {
        self.0.play(*mv);
    }
}

/// What a search goes by.
struct Plain<R>(PhantomData<R>);

impl<R: Rules> MCTS for Plain<R> {
    type State = State<R>;
    type Eval = Rollout;
    type TreePolicy = UCTPolicy;
    type NodeData = ();
    type TranspositionTable = ();
    type ExtraThreadData = Scratch<R::Move>;
}

/// What rollouts need, kept from one to the next.
struct Scratch<M> {
    random: Random,
    moves: Vec<M>,
}

impl<M> Default for Scratch<M> {
    fn default() -> Self {
        Scratch {
            random: Random::seed_from_u64(1),
            moves: Vec::new(),
        }
    }
}

impl<M: Copy> Scratch<M> {
    fn rollout<R: Rules<Move = M>>(&mut self, position: &R) -> Outcome {
        let mut position = position.clone();
        loop {
            if let Some(outcome) = position.outcome() {
                return outcome;
            }
            position.legal_moves(&mut self.moves);
            let choice = self.random.random_range(0..self.moves.len());
            position.play(self.moves[choice]);
        }
    }
}

/// Judges a position by a rollout.
struct Rollout;

impl<R: Rules> Evaluator<Plain<R>> for Rollout {
    type StateEvaluation = Outcome;

    fn evaluate_new_state(
        &self,
        state: &State<R>,
        moves: &Vec<R::Move>,
        handle: Option<SearchHandle<Plain<R>>>,
    ) -> (Vec<()>, Outcome) {
        let outcome = match handle {
            Some(mut handle) => handle.thread_data().extra_data.rollout(&state.0),
            // The root, before any search.
            None => Scratch::default().rollout(&state.0),
        };
        (vec![(); moves.len()], outcome)
    }

    fn evaluate_existing_state(
        &self,
        _: &State<R>,
        outcome: &Outcome,
        _: SearchHandle<Plain<R>>,
    ) -> Outcome {
        *outcome
    }

    fn interpret_evaluation_for_player(&self, outcome: &Outcome, player: &Side) -> i64 {
        i64::from(outcome.margin(*player).signum())
    }
}

/// Searches of a position.
pub fn search<R: Rules>(position: R) -> Make {
    Box::new(move |iterations| {
        let state = State(position.clone());
        // Scores are -1..1 here, and the crate has a 2 before its root: c·2·sqrt(ln N / n).
        let policy = UCTPolicy::new(EXPLORATION);
        let mut search = MCTSManager::new(state, Plain(PhantomData), Rollout, policy, ());
        search.playout_n(iterations);
        Made::of(iterations, search)
    })
}
