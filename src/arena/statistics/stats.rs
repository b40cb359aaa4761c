//! Score and Elo with their 95 % intervals.
//!
//! The two games of a pair share an opening, so they are not independent: an opening that
//! favours one colour gives each engine a win. The unit of observation is therefore the pair,
//! with its five possible results ("pentanomial"); single games are the unit only where pairs
//! are not complete ("trinomial"). The interval is the normal one around the mean score, and
//! its ends are turned into Elo by the logistic curve: the same that fastchess and
//! c-gomoku-cli print.

/// The quantile of the normal distribution that leaves 2.5 % above it.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// The error that an interval is allowed.
const ALPHA: f64 = 0.05;

/// A mean score, 0 to 1, and the ends of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub score: f64,
    /// Lower end, at least 0.
    pub low: f64,
    /// Upper end, at most 1.
    pub high: f64,
}

impl Estimate {
    /// From single games: how many were lost, drawn and won. `None` when there are none.
    #[must_use]
    pub fn of_games(losses: u32, draws: u32, wins: u32) -> Option<Estimate> {
        Estimate::of_classes(&[losses, draws, wins])
    }

    /// From pairs of games: how many pairs brought 0, 1, 2, 3 and 4 half points. `None` when
    /// there are none.
    #[must_use]
    pub fn of_pairs(pairs: &[u32; 5]) -> Option<Estimate> {
        Estimate::of_classes(pairs)
    }

    /// From observations whose scores are evenly spaced from 0 to 1.
    fn of_classes(counts: &[u32]) -> Option<Estimate> {
        let total: f64 = counts.iter().copied().map(f64::from).sum();
        if total == 0.0 {
            return None;
        }
        let top = (counts.len() - 1) as f64;
        let mean_of = |value: &dyn Fn(f64) -> f64| {
            let weighted = counts.iter().enumerate();
            weighted
                .map(|(class, &n)| f64::from(n) * value(class as f64 / top))
                .sum::<f64>()
                / total
        };
        let score = mean_of(&|score| score);
        if counts.iter().filter(|&&n| n > 0).count() == 1 {
            return Some(Estimate::unanimous(score, total));
        }
        let variance = mean_of(&|other| (other - score) * (other - score));
        let reach = Z * (variance / total).sqrt();
        Some(Estimate {
            score,
            low: (score - reach).max(0.0),
            high: (score + reach).min(1.0),
        })
    }

    /// Where all observations agree, their variance says nothing. The share of observations
    /// that would have come out otherwise is then below 1 - α^(1/n) with 95 % confidence
    /// (Clopper and Pearson 1934, one-sided), and the worst and the best that this share
    /// could have brought bound the score. A perfect score so gets a lower bound alone.
    fn unanimous(score: f64, total: f64) -> Estimate {
        let share = 1.0 - ALPHA.powf(1.0 / total);
        Estimate {
            score,
            low: score - share * score,
            high: score + share * (1.0 - score),
        }
    }
}

/// The difference in Elo points that makes this score the expected one: infinite at 0 and 1.
#[must_use]
pub fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elo_and_error(estimate: Estimate) -> (f64, f64) {
        (
            elo(estimate.score),
            (elo(estimate.high) - elo(estimate.low)) / 2.0,
        )
    }

    fn assert_near(got: (f64, f64), want: (f64, f64)) {
        let near = |a: f64, b: f64| (a - b).abs() < 0.01;
        assert!(
            near(got.0, want.0) && near(got.1, want.1),
            "{got:?} is not {want:?}"
        );
    }

    /// Source: Disservin/fastchess, app/tests/elo_test.cpp ("EloWDL 2").
    #[test]
    fn games_agree_with_fastchess() {
        let estimate = Estimate::of_games(96, 111, 136).unwrap();
        assert_near(elo_and_error(estimate), (40.70, 30.43));
    }

    /// Source: as above ("EloPentanomial 1" to "3"), with win-loss and draw-draw added up.
    #[test]
    fn pairs_agree_with_fastchess() {
        for (pairs, want) in [
            ([34, 54, 31 + 32, 64, 75], (55.58, 27.65)),
            ([332, 433, 457 + 41, 333, 334], (-8.64, 10.33)),
            ([7895, 8757, 5485 + 200, 568, 9999], (-21.04, 2.95)),
        ] {
            assert_near(elo_and_error(Estimate::of_pairs(&pairs).unwrap()), want);
        }
    }

    #[test]
    fn elo_of_known_scores() {
        // 10/11 is 400 points by the definition of the curve: odds of ten to one.
        assert!((elo(10.0 / 11.0) - 400.0).abs() < 1e-9);
        assert_eq!(elo(0.5), 0.0);
        assert_eq!(elo(1.0), f64::INFINITY);
        assert_eq!(elo(0.0), f64::NEG_INFINITY);
    }

    /// Ten wins of ten: 0.05^(1/10) = 0.741134 by hand.
    #[test]
    fn a_perfect_score_is_bounded_on_one_side() {
        let estimate = Estimate::of_pairs(&[0, 0, 0, 0, 10]).unwrap();
        assert_eq!((estimate.score, estimate.high), (1.0, 1.0));
        assert!((estimate.low - 0.741_134).abs() < 1e-6);
        let estimate = Estimate::of_pairs(&[10, 0, 0, 0, 0]).unwrap();
        assert_eq!((estimate.score, estimate.low), (0.0, 0.0));
        assert!((estimate.high - 0.258_866).abs() < 1e-6);
    }

    #[test]
    fn agreeing_pairs_are_not_certainty() {
        let estimate = Estimate::of_pairs(&[0, 0, 10, 0, 0]).unwrap();
        assert!(estimate.low < 0.4 && estimate.high > 0.6);
        assert_eq!(estimate.score, 0.5);
    }

    #[test]
    fn no_games_give_no_estimate() {
        assert_eq!(Estimate::of_games(0, 0, 0), None);
    }
}
