//! What is thought of new children: priors, and values if the knowledge judges the children.

use super::tree::Opinion;
use crate::knowledge::exponential::exp;
use crate::knowledge::{Context, Expansion, Judged, Knowledge};
use crate::rollout::Rollout;

/// Opinions of the children of one node, in the order of its moves. Kept from node to node, so that
/// its memory serves again.
#[derive(Default)]
pub struct Opinions {
    judged: Judged,
    /// Whether the values of `judged` mean anything.
    has_values: bool,
    opinions: Vec<Opinion>,
}

impl Opinions {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.judged.clear();
        self.opinions.clear();
    }

    /// How many of the usual values that of the node counts as: see [`Judged::weight`].
    pub fn weight(&self) -> f32 {
        self.judged.weight
    }

    /// One for each move, as far as they were made.
    pub fn as_slice(&self) -> &[Opinion] {
        &self.opinions
    }

    /// Lets the knowledge judge the moves of the expansion and puts the best first: it is played where
    /// time is up before any visit. Returns false where the knowledge does not know how.
    pub fn judge<G: Rollout, K: Knowledge<G>>(
        &mut self,
        knowledge: &K,
        position: &G,
        trace: &mut K::Trace,
        expansion: &mut Expansion,
        context: &mut Context<'_>,
    ) -> bool {
        let moves = &mut expansion.moves;
        self.has_values =
            knowledge.evaluate_children(position, trace, moves, context, &mut self.judged);
        if self.has_values {
            let Judged { values, logits, .. } = &mut self.judged;
            let best = values.iter().enumerate().fold(0, |best, (number, value)| {
                if *value > values[best] { number } else { best }
            });
            moves.swap(0, best);
            values.swap(0, best);
            logits.swap(0, best);
        }
        self.has_values
    }

    /// Takes the logits of the expansion, all alike if it has none. The values stay unknown.
    pub fn of_logits(&mut self, expansion: &Expansion) {
        debug_assert!(expansion.logits.is_sorted_by(|a, b| a >= b));
        self.has_values = false;
        let Judged { values, logits, .. } = &mut self.judged;
        let count = expansion.moves.len();
        values.clear();
        values.resize(count, 0.0);
        logits.clear();
        logits.extend_from_slice(&expansion.logits);
        logits.resize(count, 0.0);
    }

    /// Makes opinions of what was judged: priors are a softmax of the logits, each divided by
    /// `temperature`, but for a share 0..1 that is `uniform`.
    pub fn soften(&mut self, temperature: f32, uniform: f32) {
        let Judged { values, logits, .. } = &mut self.judged;
        let greatest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for logit in logits.iter_mut() {
            *logit = exp((*logit - greatest) / temperature);
        }
        let sum: f32 = logits.iter().sum();
        let even = uniform / logits.len().max(1) as f32;
        let has_values = self.has_values;
        let opinion = |(&value, &power): (&f32, &f32)| {
            let prior = power / sum * (1.0 - uniform) + even;
            Opinion::new(prior, has_values.then_some(value))
        };
        self.opinions.clear();
        self.opinions
            .extend(values.iter().zip(logits.iter()).map(opinion));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Move;

    #[test]
    fn priors_are_a_softmax_and_a_uniform_share() {
        let mut opinions = Opinions::default();
        let mut expansion = Expansion::default();
        expansion.moves.extend((0..3).map(Move::new));
        let priors = |expansion: &Expansion, opinions: &mut Opinions, temperature, uniform| {
            opinions.of_logits(expansion);
            opinions.soften(temperature, uniform);
            let priors = opinions.as_slice().iter().map(|it| it.prior());
            priors.collect::<Vec<f32>>()
        };
        let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near(
            &priors(&expansion, &mut opinions, 1.0, 0.0),
            &[1.0 / 3.0; 3]
        ));
        expansion.logits.extend([2.0 * 2.0_f32.ln(), 0.0, 0.0]);
        assert!(near(
            &priors(&expansion, &mut opinions, 2.0, 0.0),
            &[0.5, 0.25, 0.25]
        ));
        assert!(near(
            &priors(&expansion, &mut opinions, 2.0, 0.6),
            &[0.4, 0.3, 0.3]
        ));
        assert!(opinions.as_slice().iter().all(|it| it.value().is_none()));
    }
}
