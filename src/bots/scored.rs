//! Bots without a search: they play the move of the highest score, one of equals by chance.

use crate::game::{Game, Move, Moves};
use crate::rollout::Random;
use crate::search::Report;
use crate::session::{Task, Thinker};
use rand::{RngExt, SeedableRng};

/// A bot that plays by a score. It answers at once, whatever time it has.
pub struct Scored<G> {
    score: fn(&G, Move) -> i64,
    random: Random,
}

impl<G: Game> Scored<G> {
    /// A bot that plays by `score`; its chance comes from `seed`.
    pub fn new(score: fn(&G, Move) -> i64, seed: u64) -> Self {
        Scored {
            score,
            random: Random::seed_from_u64(seed),
        }
    }

    fn best(&mut self, position: &G) -> Option<Move> {
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        let scores: Vec<i64> = moves.iter().map(|&mv| (self.score)(position, mv)).collect();
        let highest = scores.iter().max()?;
        let equals = moves
            .iter()
            .zip(&scores)
            .filter(|&(_, score)| score == highest);
        let equals: Moves = equals.map(|(&mv, _)| mv).collect();
        equals
            .get(self.random.random_range(0..equals.len()))
            .copied()
    }
}

impl<G: Game> Thinker<G> for Scored<G> {
    fn choose(&mut self, position: &G, _: Task<'_>) -> Report {
        let best = self.best(position);
        Report::of_move(best.map(|mv| position.action(mv)), 0.5)
    }
}
