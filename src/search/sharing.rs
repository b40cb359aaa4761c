//! What the nodes of one position share, by the table of [`transpositions`](super::transpositions).

use super::evaluate::Scoring;
use super::hot;
use super::transpositions::{Found, Transpositions};
use super::worker::{Descended, Descent, Worker};
use crate::knowledge::Knowledge;
use crate::rollout::Rollout;

/// A node takes over the mean of another node of its position that has more than so many times its
/// visits. (1 was no better: `docs/EXPERIMENTS.md`, Evaluations and selection.)
const TIMES: u64 = 2;

impl<G: Rollout, K: Knowledge<G>> Worker<'_, G, K> {
    /// What the table knows of the position at the end of the path: its result, or its mean where
    /// another node of it has more than [`TIMES`] as many visits. Nothing of a node whose stats this
    /// thread copies: it has many visits, and what others have added since would pass for another's.
    #[inline(never)]
    pub(super) fn known(&mut self, table: &Transpositions) -> Option<Descended> {
        let Descent {
            path,
            keys,
            position,
            ..
        } = &mut self.descent;
        let (&at, above) = path.split_last()?;
        if above.is_empty() {
            // A result says too little of the root without the move that attains it.
            return None;
        }
        let key = position.key();
        keys.push(key);
        if at.slot != hot::NONE {
            return None;
        }
        let to_move = position.side_to_move();
        match table.recall(key)? {
            Found::Proof(proof) => Some(self.proven(proof.flipped())),
            Found::Mean { visits, mean } => {
                let own = self.stats(at).visits();
                (u64::from(visits) > TIMES * u64::from(own)).then(|| {
                    let scores = Scoring::of_value(1.0 - mean, to_move, &mut self.random);
                    Descended::Scores(scores)
                })
            }
        }
    }

    /// Tells the table what is found of the positions of the path.
    #[inline(never)]
    pub(super) fn share(&self, table: &Transpositions) {
        let below = self.descent.path.iter().skip(1);
        for (&step, &key) in below.zip(&self.descent.keys) {
            if step.slot != hot::NONE {
                continue;
            }
            let found = match self.shared.tree.link(step.node).proof() {
                Some(proof) => Found::Proof(proof),
                None => Found::of_stats(self.stats(step)),
            };
            table.keep(key, found);
        }
    }
}
