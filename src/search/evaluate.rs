//! From the results of rollouts to scores.

use crate::game::{Outcome, Side};
use crate::knowledge::{Proof, ProofResult};
use crate::options::{Reward, SearchOptions};
use crate::rollout::{Random, Tally};
use rand::RngExt;

/// The score of a won game in the integer unit of the tree: scores are 0..=SCALE.
///
/// So fine that margins of -64..=64 are exact, and with a bit to spare for means of rollouts.
pub const SCALE: u32 = 256;

/// A value counts as no more than this many of the usual ones.
pub const MOST_WEIGHT: f32 = 4.0;

/// What a value of this weight counts, in parts of a visit: one at the least. Rounded up or down at random, as
/// scores are.
pub fn visits_of(weight: f32, parts: u32, random: &mut Random) -> u32 {
    if parts == 1 {
        return 1;
    }
    let exact = weight.clamp(0.0, MOST_WEIGHT) * parts as f32;
    let visits = exact as u32 + u32::from(random.random::<f32>() < exact.fract());
    visits.max(1)
}

/// How results are rewarded, seen from the side that searches.
#[derive(Clone, Copy, Debug)]
pub struct Scoring {
    reward: Reward,
    /// The largest reward.
    most: i64,
    /// Only games that this side wins are rewarded; all others count as lost.
    only_wins_of: Option<Side>,
}

impl Scoring {
    /// The scoring of a search by `searcher`, of a game with margins up to `max_margin`.
    pub fn new(options: &SearchOptions, searcher: Side, max_margin: i16) -> Scoring {
        Scoring {
            reward: options.reward,
            most: match options.reward {
                Reward::Outcome => 1,
                Reward::Margin => i64::from(max_margin),
            },
            only_wins_of: options.only_wins.then_some(searcher),
        }
    }

    /// Whether a proven result has its place among these scores.
    pub fn admits_proofs(&self) -> bool {
        self.reward == Reward::Outcome && self.only_wins_of.is_none()
    }

    /// How much reward the scores 0..=SCALE span, in the reward's own unit.
    pub fn span(&self) -> f32 {
        match self.only_wins_of {
            Some(_) => self.most as f32,
            None => 2.0 * self.most as f32,
        }
    }

    /// The mean score of these rollouts for each side, by `Side::index`; together SCALE.
    pub fn of_tally(&self, tally: &Tally) -> [u32; 2] {
        let most = self.most;
        let sums = match self.reward {
            Reward::Outcome => tally.wins,
            Reward::Margin => tally.margins,
        };
        let played = i64::from(tally.rollouts.max(1));
        let sums = sums.map(i64::from);
        match self.only_wins_of {
            None => {
                let margin = sums[0] - sums[1];
                pair(Side::First, margin + most * played, 2 * most * played)
            }
            Some(side) => pair(side, sums[side.index()], most * played),
        }
    }

    /// The score for each side of a position where it is the turn of `side`, which expects `value`,
    /// 0..1. Rounded up or down at random, so that sums of many are exact to more than a unit.
    pub fn of_value(value: f32, side: Side, random: &mut Random) -> [u32; 2] {
        let exact = value.clamp(0.0, 1.0) * SCALE as f32;
        let score = exact as u32 + u32::from(random.random::<f32>() < exact.fract());
        match side {
            Side::First => [score, SCALE - score],
            Side::Second => [SCALE - score, score],
        }
    }

    /// The score of a finished game for each side.
    pub fn of_outcome(&self, outcome: Outcome) -> [u32; 2] {
        let mut tally = Tally::default();
        tally.add(outcome);
        self.of_tally(&tally)
    }

    /// The score of an exact result for `side`, for each side.
    pub fn of_proof(proof: Proof, side: Side) -> [u32; 2] {
        match proof.result {
            ProofResult::Win => pair(side, 1, 1),
            ProofResult::Draw => pair(side, 1, 2),
            ProofResult::Loss => pair(side, 0, 1),
        }
    }
}

/// The scores of both sides when `side` has `part` of `whole`, rounded to the nearest unit.
fn pair(side: Side, part: i64, whole: i64) -> [u32; 2] {
    let scale = i64::from(SCALE);
    let score = ((part * scale + whole / 2) / whole).clamp(0, scale) as u32;
    match side {
        Side::First => [score, SCALE - score],
        Side::Second => [SCALE - score, score],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn values_count_by_their_weight() {
        let mut random = Random::seed_from_u64(1);
        let mut mean = |weight, parts| {
            let sum: u32 = (0..10_000)
                .map(|_| visits_of(weight, parts, &mut random))
                .sum();
            f64::from(sum) / 10_000.0 / f64::from(parts)
        };
        for weight in [0.25, 0.6, 1.0, 1.9, 4.0] {
            assert!(
                (mean(weight, 4) - f64::from(weight)).abs() < 0.01,
                "{weight}"
            );
            assert_eq!(mean(weight, 1), 1.0);
        }
        assert_eq!(
            [0.0, 0.1, 100.0, f32::NAN].map(|it| mean(it, 4)),
            [0.25, 0.25, 4.0, 0.25]
        );
    }

    fn tally(margins: &[i16]) -> Tally {
        let mut tally = Tally::default();
        for &margin in margins {
            tally.add(Outcome::from_margin(margin));
        }
        tally
    }

    fn scoring(reward: Reward, only_wins: bool) -> Scoring {
        let options = SearchOptions {
            reward,
            only_wins,
            ..SearchOptions::default()
        };
        Scoring::new(&options, Side::Second, 64)
    }

    #[test]
    fn outcomes_count_wins_and_half_draws() {
        let scores = scoring(Reward::Outcome, false);
        assert_eq!(scores.of_tally(&tally(&[1])), [256, 0]);
        assert_eq!(scores.of_tally(&tally(&[0])), [128, 128]);
        assert_eq!(scores.of_tally(&tally(&[-9, 5, 0, 2])), [160, 96]);
    }

    #[test]
    fn margins_are_exact() {
        let scores = scoring(Reward::Margin, false);
        assert_eq!(scores.of_tally(&tally(&[64])), [256, 0]);
        assert_eq!(scores.of_tally(&tally(&[-3])), [122, 134]);
        assert_eq!(scores.of_tally(&tally(&[10, -4])), [134, 122]);
    }

    #[test]
    fn only_the_searchers_wins_count() {
        let wins = scoring(Reward::Outcome, true);
        assert_eq!(wins.of_tally(&tally(&[1])), [256, 0]);
        assert_eq!(wins.of_tally(&tally(&[0])), [256, 0]);
        assert_eq!(wins.of_tally(&tally(&[-1])), [0, 256]);
        let margins = scoring(Reward::Margin, true);
        assert_eq!(margins.of_tally(&tally(&[-32, 64])), [192, 64]);
    }
}
