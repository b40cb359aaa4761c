//! PUCT beside a slow, obvious implementation, and leaves judged in batches.

use super::*;
use crate::knowledge::{Judged, Knowledge};
use crate::options::{Judge, Memory};
use crate::simd::LANES;

/// Judges positions of [`Fill`] by a number made from their stones, a multiple of 1/256 that the tree
/// holds exactly.
#[derive(Clone, Copy)]
struct Toy {
    by_rollouts: bool,
    has_priors: bool,
    has_weights: bool,
}

/// Parts of a visit.
const PARTS: u32 = 4;

impl Toy {
    /// For the side to move.
    fn value(position: &Fill) -> f32 {
        let mixed = position.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
        mixed as f32 / 256.0
    }

    /// How many of the usual values that of a position counts as.
    fn weight(self, position: &Fill) -> f32 {
        self.parts(position) as f32 / PARTS as f32
    }

    /// The same in parts of a visit: one to the most that it can.
    fn parts(self, position: &Fill) -> u32 {
        match self.has_weights {
            true => 1 + (position.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & 15) as u32,
            false => PARTS,
        }
    }

    fn logit(position: &Fill, mv: Move) -> f32 {
        ((position.key() + u64::from(mv.code())) % 3) as f32
    }

    fn after(position: &Fill, mv: Move) -> Fill {
        let mut next = position.clone();
        next.play(mv);
        next
    }
}

impl Knowledge<Fill> for Toy {
    type Trace = u32;

    const PARTS_OF_VISIT: u32 = PARTS;

    fn begin(&self, trace: &mut u32, root: &Fill) {
        *trace = root.taken;
    }

    fn follow(&self, trace: &mut u32, _: &Fill, mv: Move) {
        *trace |= 1 << mv.code();
    }

    fn expand(&self, at: &Fill, trace: &mut u32, out: &mut Expansion) {
        assert_eq!(*trace, at.taken, "the trace follows the path");
        out.all_moves(at);
        if self.has_priors {
            let Expansion { moves, logits, .. } = out;
            let logit = |&mv: &Move| -Toy::logit(at, mv);
            moves.sort_by(|a, b| logit(a).total_cmp(&logit(b)));
            logits.extend(moves.iter().map(|&mv| Toy::logit(at, mv)));
        }
    }

    fn evaluate(
        &self,
        leaves: &mut [Leaf<'_, Fill, u32>],
        _: &mut Context<'_>,
        out: &mut [Evaluation],
    ) {
        for (leaf, out) in leaves.iter().zip(out) {
            assert_eq!(*leaf.trace, leaf.position.taken);
            let value = Toy::value(leaf.position);
            *out = if self.by_rollouts {
                let mut wins = [0; 2];
                wins[leaf.position.side_to_move().index()] = (value * 256.0) as u32;
                wins[leaf.position.side_to_move().other().index()] = 256 - (value * 256.0) as u32;
                Evaluation::Rollouts(Tally::of_wins(256, wins))
            } else {
                Evaluation::Value {
                    score: value,
                    weight: self.weight(leaf.position),
                }
            };
        }
    }

    fn evaluate_children(
        &self,
        at: &Fill,
        _: &mut u32,
        moves: &[Move],
        _: &mut Context<'_>,
        out: &mut Judged,
    ) -> bool {
        for &mv in moves {
            let next = Toy::after(at, mv);
            let value = match next.outcome() {
                Some(outcome) => (1.0 + f32::from(outcome.margin(at.side_to_move()))) / 2.0,
                None => 1.0 - Toy::value(&next),
            };
            let logit = if self.has_priors {
                Toy::logit(at, mv)
            } else {
                0.0
            };
            out.values.push(value);
            out.logits.push(logit);
        }
        out.weight = self.weight(at);
        true
    }
}

/// A node of the slow tree. Scores are those of the player who moved in.
struct Slow {
    position: Fill,
    mv: Move,
    prior: f64,
    /// In parts.
    visits: u32,
    sum: f64,
    value: Option<f64>,
    children: Vec<Slow>,
}

impl Slow {
    fn new(position: Fill, mv: Move, prior: f64, value: Option<f64>) -> Slow {
        Slow {
            position,
            mv,
            prior,
            visits: 0,
            sum: 0.0,
            value,
            children: Vec::new(),
        }
    }

    fn grow(&mut self, toy: Toy, options: &SearchOptions) {
        let mut moves = Moves::new();
        self.position.legal_moves(&mut moves);
        if toy.has_priors {
            let logit = |&mv: &Move| -Toy::logit(&self.position, mv);
            moves.sort_by(|a, b| logit(a).total_cmp(&logit(b)));
        }
        let weight = |mv| match toy.has_priors {
            true => (f64::from(Toy::logit(&self.position, mv))
                / f64::from(options.prior_temperature))
            .exp(),
            false => 1.0,
        };
        let all: f64 = moves.iter().map(|&mv| weight(mv)).sum();
        let children = moves.iter().map(|&mv| {
            let next = Toy::after(&self.position, mv);
            let value = match next.outcome() {
                Some(outcome) => {
                    (1.0 + f64::from(outcome.margin(self.position.side_to_move()))) / 2.0
                }
                None => 1.0 - f64::from(Toy::value(&next)),
            };
            let value = (options.judge == Judge::Children).then_some(value);
            let uniform = f64::from(options.prior_uniform);
            let prior = weight(mv) / all * (1.0 - uniform) + uniform / moves.len() as f64;
            Slow::new(next, mv, prior, value)
        });
        self.children = children.collect();
        let mut best = 0;
        for (number, child) in self.children.iter().enumerate() {
            if child.value > self.children[best].value {
                best = number;
            }
        }
        self.children.swap(0, best);
    }

    /// Makes so many playouts. Returns of each the score of the player who moved in, and how much it
    /// counts.
    fn play_out(&mut self, count: u32, toy: Toy, options: &SearchOptions) -> Vec<(f64, u32)> {
        let mut scores = Vec::new();
        while scores.len() < count as usize {
            let more = self.scores(count - scores.len() as u32, toy, options);
            for &(score, parts) in &more {
                self.visits += parts;
                self.sum += score * f64::from(parts);
            }
            let values = self.children.iter().filter_map(|child| child.value);
            if options.minimax > 0.0
                && let Some(best) = values.reduce(f64::max)
            {
                self.value = Some(1.0 - best);
            }
            scores.extend(more);
        }
        scores
    }

    /// Those of one choice, `most` at the most.
    fn scores(&mut self, most: u32, toy: Toy, options: &SearchOptions) -> Vec<(f64, u32)> {
        if let Some(outcome) = self.position.outcome() {
            let mover = self.position.side_to_move().other();
            return vec![((1.0 + f64::from(outcome.margin(mover))) / 2.0, PARTS)];
        }
        if self.children.is_empty() && self.visits.div_ceil(PARTS) >= options.expand_visits {
            self.grow(toy, options);
            if self.visits == 0 && options.judge == Judge::Children {
                let value = self.children[0].value.unwrap();
                return vec![(1.0 - value, toy.parts(&self.position))];
            }
        }
        if self.children.is_empty() {
            let score = 1.0 - f64::from(Toy::value(&self.position));
            if !toy.by_rollouts && options.minimax > 0.0 {
                self.value = Some(score);
            }
            let parts = match toy.by_rollouts {
                true => PARTS,
                false => toy.parts(&self.position),
            };
            return vec![(score, parts)];
        }
        let best = self.select(options);
        let child = &mut self.children[best];
        let keeps = match child.children.is_empty() {
            true => 1,
            false => (child.visits as f32 * (options.stay / PARTS as f32)) as u32 + 1,
        };
        let scores = child.play_out(most.min(keeps), toy, options);
        let flipped = |(score, parts)| (1.0 - score, parts);
        scores.into_iter().map(flipped).collect()
    }

    fn select(&self, options: &SearchOptions) -> usize {
        let expected = if self.visits == 0 {
            1.0
        } else {
            1.0 - self.sum / f64::from(self.visits)
        };
        let fpu = (expected - f64::from(options.fpu_reduction)).max(0.0);
        let value = |child: &Slow| {
            let [all, own] =
                [self.visits.max(1), child.visits].map(|it| f64::from(it) / f64::from(PARTS));
            let growth = f64::from(options.c_puct_growth) * (1.0 + all / 1000.0).ln();
            let c = f64::from(options.c_puct) * (1.0 + growth);
            let bonus = c * child.prior * all.sqrt() / (1.0 + own);
            let value = if child.visits == 0 {
                child.value.unwrap_or(fpu)
            } else {
                let mean = child.sum / f64::from(child.visits);
                let share = f64::from(options.minimax);
                (1.0 - share) * mean + share * child.value.unwrap_or(mean)
            };
            value + bonus
        };
        let mut best = 0;
        for (number, child) in self.children.iter().enumerate() {
            // Beyond what rounding does to floats of 32 bits.
            if value(child) > value(&self.children[best]) + 1e-6 {
                best = number;
            }
        }
        best
    }
}

fn options(judge: Judge) -> SearchOptions {
    SearchOptions {
        selection: Selection::Puct,
        judge,
        proofs: false,
        memory: Memory::Bytes(1 << 20),
        ..SearchOptions::default()
    }
}

fn visits_of(report: &Report) -> Vec<(Action, u64)> {
    let mut visits: Vec<_> = report
        .moves
        .iter()
        .map(|it| (it.action, it.visits))
        .collect();
    visits.sort_by_key(|(action, _)| format!("{action:?}"));
    visits
}

#[test]
fn puct_grows_the_tree_of_a_slow_one() {
    grows_the_tree_of_a_slow_one(7);
}

#[test]
fn puct_grows_it_where_selection_stops_before_the_last_child() {
    grows_the_tree_of_a_slow_one(2 * LANES as u8 + 3);
}

fn grows_the_tree_of_a_slow_one(cells: u8) {
    let toys = [
        [true, false, false],
        [false, false, false],
        [false, true, false],
        [false, true, true],
    ];
    for [by_rollouts, has_priors, has_weights] in toys {
        let toy = Toy {
            by_rollouts,
            has_priors,
            has_weights,
        };
        for (judge, expand_visits, minimax, c_puct_growth, stay) in [
            (Judge::Leaf, 1, 0.0, 0.0, 0.0),
            (Judge::Leaf, 1, 0.5, 0.0, 0.4),
            (Judge::Leaf, 3, 0.0, 0.5, 0.1),
            (Judge::Children, 0, 0.0, 0.0, 0.0),
            (Judge::Children, 0, 0.0, 2.0, 1.0),
            (Judge::Children, 0, 0.5, 0.0, 0.0),
            (Judge::Children, 1, 0.3, 0.5, 0.25),
        ] {
            let options = SearchOptions {
                expand_visits,
                minimax,
                c_puct_growth,
                stay,
                fpu_reduction: 0.1,
                prior_temperature: 2.0,
                prior_uniform: 0.1,
                ..options(judge)
            };
            let mut root = Slow::new(Fill::new(cells), Move::new(0), 1.0, None);
            root.grow(toy, &options);
            let mut search = Search::new(Fill::new(cells), toy, options.clone());
            for count in [1, 2, 5, 20, 100, 400] {
                for first in (0..count).step_by(POLL_EVERY as usize) {
                    let some = (count - first).min(POLL_EVERY.into());
                    root.play_out(some as u32, toy, &options);
                }
                let report = playouts(&mut search, count);
                let children = root.children.iter();
                let mut slow: Vec<_> = children
                    .map(|it| {
                        (
                            root.position.action(it.mv),
                            it.visits.div_ceil(PARTS).into(),
                        )
                    })
                    .collect();
                slow.sort_by_key(|(action, _)| format!("{action:?}"));
                let case = format!(
                    "{by_rollouts} {has_priors} {has_weights} {judge:?} {expand_visits} {minimax} \
                     {c_puct_growth}"
                );
                assert_eq!(visits_of(&report), slow, "{case} after {}", root.visits);
            }
        }
    }
}

#[test]
fn batches_expand_as_many_nodes() {
    let toy = Toy {
        by_rollouts: false,
        has_priors: true,
        has_weights: false,
    };
    let nodes = |batch, selection| {
        let options = SearchOptions {
            batch,
            virtual_loss: 1,
            selection,
            ..options(Judge::Leaf)
        };
        let mut search = Search::new(Fill::new(20), toy, options);
        let report = playouts(&mut search, 20_000);
        assert_eq!(report.visits, 20_000);
        let visits: u64 = report.moves.iter().map(|mv| mv.visits).sum();
        assert_eq!(visits, 20_000, "virtual loss is repaid");
        report.nodes as f64
    };
    for selection in [Selection::Ucb1, Selection::Puct] {
        let ratio = nodes(8, selection) / nodes(1, selection);
        assert!((0.95..1.05).contains(&ratio), "{selection:?} {ratio}");
    }
}

#[test]
fn siblings_do_not_take_the_place_of_leaves_that_wait() {
    let toy = Toy {
        by_rollouts: false,
        has_priors: false,
        has_weights: false,
    };
    let options = SearchOptions {
        batch: 8,
        virtual_loss: 1,
        expand_visits: 3,
        ..options(Judge::Siblings)
    };
    let root = Fill::new(20);
    let mut search = Search::new(root.clone(), toy, options);
    let mut unexpanded = 0;
    for _ in 0..10 {
        for it in playouts(&mut search, 8).moves {
            // Judged alone as often as it was visited.
            if (1..=3).contains(&it.visits) {
                let mv = root.parse_action(it.action).unwrap();
                let value = f64::from(1.0 - Toy::value(&Toy::after(&root, mv)));
                assert!((it.mean - value).abs() < 1e-3, "{it:?}");
                unexpanded += 1;
            }
        }
    }
    assert!(unexpanded > 40, "{unexpanded}");
}

#[test]
fn a_proof_is_found_by_puct() {
    let toy = Toy {
        by_rollouts: false,
        has_priors: true,
        has_weights: false,
    };
    for judge in [Judge::Leaf, Judge::Children] {
        let options = SearchOptions {
            proofs: true,
            minimax: 0.5,
            ..options(judge)
        };
        let mut search = Search::new(Fill::new(5), toy, options);
        let report = playouts(&mut search, 100_000);
        assert!(report.proof.is_some(), "{judge:?}");
    }
}

#[test]
fn the_highest_lower_bound_is_played() {
    let toy = Toy {
        by_rollouts: false,
        has_priors: true,
        has_weights: false,
    };
    let mut was_another = false;
    for (cells, count) in [(6, 40), (7, 60), (8, 100), (9, 200), (9, 1000)] {
        let lcb = SearchOptions {
            choice: Choice::Lcb,
            ..options(Judge::Leaf)
        };
        let report = playouts(&mut Search::new(Fill::new(cells), toy, lcb), count);
        let most = report.moves.iter().map(|it| it.visits).max().unwrap();
        let seen = report.moves.iter().filter(|it| it.visits >= most / 10);
        let bounds = seen.map(|it| (it.mean - 0.5 / (it.visits as f64).sqrt(), it));
        let best = bounds.max_by(|(a, _), (b, _)| a.total_cmp(b)).unwrap().1;
        assert_eq!(report.best, Some(best.action), "{cells} cells");
        was_another |= best.visits < most;
    }
    assert!(was_another, "no case tells it from the most visits");
}
