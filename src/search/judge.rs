//! Judging leaves: one, a batch of them, or the new children of one.

use super::backup::{Gain, Step};
use super::descent::Descent;
use super::evaluate::{Scoring, visits_of};
use super::hot;
use super::limits::Tickets;
use super::tree::{Block, Node};
use super::worker::{Descended, Shared, Worker};
use crate::game::Side;
use crate::knowledge::{Context, Evaluation, Knowledge, Leaf};
use crate::rollout::{Random, Rollout};
use crate::simd::LANES;
use smallvec::SmallVec;
use std::ops::Range;

impl<G: Rollout, K: Knowledge<G>> Worker<'_, G, K> {
    /// Judges the position at the end of the path.
    pub(super) fn judge_leaf(&mut self) -> Gain {
        let mut evaluation = [Evaluation::value(0.5)];
        let leaf = self.descent.leaf();
        evaluate(self.shared, &mut [leaf], &mut self.random, &mut evaluation);
        let [evaluation] = evaluation;
        let Descent { path, position, .. } = &self.descent;
        self.note_value(path.last(), evaluation);
        let to_move = position.side_to_move();
        self.gain(evaluation, to_move)
    }

    /// Judges the first `count` of the descents that wait, and brings their scores up.
    pub(super) fn judge_waiting(&mut self, count: usize) {
        for first in (0..count).step_by(LANES) {
            let last = count.min(first + LANES);
            let evaluations = evaluate_ends(
                self.shared,
                &mut self.waiting[first..last],
                &mut self.random,
            );
            for (number, evaluation) in (first..last).zip(evaluations) {
                std::mem::swap(&mut self.descent, &mut self.waiting[number]);
                let to_move = self.descent.position.side_to_move();
                self.note_value(self.descent.path.last(), evaluation);
                let gain = self.gain(evaluation, to_move);
                self.back_up(gain);
            }
        }
    }

    /// Judges new children of the last node of the path, by a rollout each for which there are `left`
    /// tickets and those that it takes. The others stay without visits.
    pub(super) fn judge_siblings(&mut self, children: Block, left: u32, tickets: &Tickets) -> Gain {
        let more = match (children.len() as u32).saturating_sub(left) {
            0 => 0,
            missing => tickets.take(missing),
        };
        let count = children.len().min((left + more) as usize);
        let mut gain = Gain::default();
        self.depth = self.depth.max(self.descent.path.len() as u32);
        for first in (0..count).step_by(LANES) {
            self.judge_some_siblings(children, first..count.min(first + LANES), &mut gain);
        }
        gain
    }

    /// Judges these children, [`LANES`] at the most, together.
    fn judge_some_siblings(&mut self, children: Block, numbers: Range<usize>, gain: &mut Gain) {
        let mover = self.descent.position.side_to_move();
        let step = |node| Step::new(node, hot::NONE, mover);
        let mut open: SmallVec<[Node; LANES]> = SmallVec::new();
        for number in numbers {
            let node = children.node(number);
            let sibling = &mut self.siblings[open.len()];
            let mv = self.shared.tree.link(node).mv();
            sibling.position.clone_from(&self.descent.position);
            sibling.position.play(mv);
            if let Some(outcome) = sibling.position.outcome() {
                self.descent.path.push(step(node));
                let scores = self.finish_game(outcome, mover);
                self.descent.path.pop();
                let one = Gain::of_scores(scores, self.shared.parts);
                self.add_child(step(node), one, gain);
            } else {
                sibling.trace.clone_from(&self.descent.trace);
                let knowledge = self.shared.knowledge;
                knowledge.follow(&mut sibling.trace, &sibling.position, mv);
                open.push(node);
            }
        }
        if open.is_empty() {
            return;
        }
        let evaluations = evaluate_ends(
            self.shared,
            &mut self.siblings[..open.len()],
            &mut self.random,
        );
        for (node, evaluation) in open.into_iter().zip(evaluations) {
            let one = self.gain(evaluation, mover.other());
            self.add_child(step(node), one, gain);
        }
    }

    /// Gives a child its first visit.
    fn add_child(&mut self, step: Step, one: Gain, gain: &mut Gain) {
        *gain += one;
        let (tree, hot) = (self.shared.tree, &mut self.state.hot);
        self.virtual_loss.add(tree, hot, step, one.of(step.mover));
    }

    /// The position at the end of the path is as good as the best of its new children is judged to be.
    pub(super) fn judge_by_children(&mut self, children: Block) -> Descended {
        let Some(score) = self.shared.tree.best_value(children) else {
            return Descended::Leaf;
        };
        let weight = self.opinions.weight();
        let to_move = self.descent.position.side_to_move();
        Descended::Known(self.gain(Evaluation::Value { score, weight }, to_move))
    }

    /// The end of a descent with these scores, which count as one visit.
    pub(super) fn known(&self, scores: [u32; 2]) -> Descended {
        Descended::Known(Gain::of_scores(scores, self.shared.parts))
    }

    /// What a playout gains that ends with this evaluation.
    fn gain(&mut self, evaluation: Evaluation, to_move: Side) -> Gain {
        let parts = self.shared.parts;
        match evaluation {
            Evaluation::Rollouts(tally) => {
                Gain::of_scores(self.shared.scoring.of_tally(&tally), parts)
            }
            Evaluation::Value { score, weight } => {
                let scores = Scoring::of_value(score, to_move, &mut self.random);
                Gain::of_scores(scores, visits_of(weight, parts, &mut self.random))
            }
        }
    }

    /// Keeps a static value, where minimax is to back it up.
    fn note_value(&self, at: Option<&Step>, evaluation: Evaluation) {
        let Shared { tree, options, .. } = *self.shared;
        if let (Some(at), Evaluation::Value { score, .. }) = (at, evaluation)
            && tree.has_opinions()
            && options.minimax > 0.0
        {
            tree.set_value(at.node, 1.0 - score);
        }
    }
}

/// Evaluates the ends of these descents, [`LANES`] at the most.
fn evaluate_ends<G: Rollout, K: Knowledge<G>>(
    shared: &Shared<'_, G, K>,
    descents: &mut [Descent<G, K::Trace>],
    random: &mut Random,
) -> [Evaluation; LANES] {
    let mut out = [Evaluation::value(0.5); LANES];
    let mut leaves: SmallVec<[_; LANES]> = descents.iter_mut().map(Descent::leaf).collect();
    let count = leaves.len();
    evaluate(shared, &mut leaves, random, &mut out[..count]);
    out
}

/// Evaluates these leaves, [`LANES`] at the most. There are as many places in `out`.
#[inline(always)]
fn evaluate<G: Rollout, K: Knowledge<G>>(
    shared: &Shared<'_, G, K>,
    leaves: &mut [Leaf<'_, G, K::Trace>],
    random: &mut Random,
    out: &mut [Evaluation],
) {
    let mut context = Context {
        isa: shared.isa,
        rollouts: shared.options.rollouts,
        random,
    };
    shared.knowledge.evaluate(leaves, &mut context, out);
}
