//! The sequential probability ratio test of two engines.
//!
//! H0 says that the first engine is `elo0` points stronger than the second, H1 that it is
//! `elo1` points stronger, in logistic Elo: the expected score is 1 / (1 + 10^(-elo/400)). After
//! every game the log-likelihood ratio of the two is looked at, and the match ends when it
//! leaves Wald's bounds. The results are a multinomial distribution, and only its mean is
//! asked for, so either hypothesis gets the likelihood of the likeliest distribution
//! that has its mean (the generalised test, GSPRT). Source: M. Van den Bergh, "Comparing the
//! approximations for the generalized log likelihood ratio of a multinomial distribution",
//! proposition 1.1; it is what fastchess and Fishtest compute.

use std::fmt;
use std::str::FromStr;

/// What an outcome that was never seen is counted as, so that its logarithm exists. As
/// fastchess has it.
const UNSEEN: f64 = 1e-3;

/// Halvings of an interval no longer than some thousands: past the precision of `f64`.
const HALVINGS: u32 = 80;

/// What is tested, and how sure one wants to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The difference in logistic Elo points by H0.
    pub elo0: f64,
    /// The difference in logistic Elo points by H1; above `elo0`.
    pub elo1: f64,
    /// The chance of accepting H1 though H0 holds.
    pub alpha: f64,
    /// The chance of accepting H0 though H1 holds.
    pub beta: f64,
}

/// What a test came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// H0 is accepted.
    H0,
    /// H1 is accepted.
    H1,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::H0 => "H0 accepted",
            Verdict::H1 => "H1 accepted",
        })
    }
}

impl Sprt {
    /// The error of either kind where none is given.
    pub const USUAL_ERROR: f64 = 0.05;

    /// The log-likelihood ratios at which H0 and H1 are accepted (Wald 1945).
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        let Sprt { alpha, beta, .. } = self;
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// The log-likelihood ratio of H1 to H0, by how often each result was seen, from the worst
    /// to the best: lost, drawn and won games ("trinomial"), or pairs of games with 0 to 4 half
    /// points ("pentanomial"). 0 when nothing was seen.
    #[must_use]
    pub fn llr(&self, counts: &[u32]) -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let top = (counts.len() - 1) as f64;
        let weight = |count: u32| f64::from(count).max(UNSEEN);
        let results = counts.iter().enumerate();
        let results: Vec<(f64, f64)> = results
            .map(|(class, &count)| (class as f64 / top, weight(count)))
            .collect();
        let likelihood = |elo: f64| log_likelihood(&results, expected_score(elo));
        likelihood(self.elo1) - likelihood(self.elo0)
    }

    /// Which hypothesis is accepted at this log-likelihood ratio, if one is.
    #[must_use]
    pub fn verdict(&self, llr: f64) -> Option<Verdict> {
        let (low, high) = self.bounds();
        if llr <= low {
            Some(Verdict::H0)
        } else if llr >= high {
            Some(Verdict::H1)
        } else {
            None
        }
    }
}

impl FromStr for Sprt {
    type Err = String;

    /// Reads `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.
    fn from_str(text: &str) -> Result<Sprt, String> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(str::parse).collect();
        let sprt = match numbers.as_deref() {
            Ok(&[elo0, elo1]) => Sprt {
                elo0,
                elo1,
                alpha: Self::USUAL_ERROR,
                beta: Self::USUAL_ERROR,
            },
            Ok(&[elo0, elo1, alpha, beta]) => Sprt {
                elo0,
                elo1,
                alpha,
                beta,
            },
            _ => return Err(format!("{text:?} should be like 0,10 or 0,10,0.05,0.05")),
        };
        let errors = [sprt.alpha, sprt.beta, sprt.alpha + sprt.beta];
        if !(sprt.elo0 < sprt.elo1 && sprt.elo0.is_finite() && sprt.elo1.is_finite()) {
            Err("the first number of Elo points must be below the second".to_owned())
        } else if !errors.iter().all(|&error| error > 0.0 && error < 1.0) {
            Err("alpha and beta must be above 0, and below 1 together".to_owned())
        } else {
            Ok(sprt)
        }
    }
}

/// The expected score at this difference in logistic Elo points.
fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The logarithm of the likelihood of the likeliest distribution with this mean, less that of
/// the distribution seen. `results` are scores from 0 to 1 with their weights.
///
/// That distribution has the shares seen, each divided by 1 + θ (score - mean), with the θ that
/// makes its mean right. The sum that has to be 0 for it falls as θ grows.
fn log_likelihood(results: &[(f64, f64)], mean: f64) -> f64 {
    let excess = |theta: f64| -> f64 {
        let terms = results.iter();
        let terms =
            terms.map(|&(score, weight)| weight * (score - mean) / (1.0 + theta * (score - mean)));
        terms.sum()
    };
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let theta = 0.5 * (low + high);
    let terms = results.iter();
    let terms = terms.map(|&(score, weight)| -weight * (theta * (score - mean)).ln_1p());
    terms.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sprt(text: &str) -> Sprt {
        text.parse().unwrap()
    }

    /// Agreement to the digits that were published.
    fn assert_printed(llr: f64, published: &str) {
        assert_eq!(format!("{llr:.2}"), published);
    }

    /// Source: Disservin/fastchess, app/tests/sprt_test.cpp ("logistic trinomial 1" and "2").
    #[test]
    fn games_agree_with_fastchess() {
        let counts = [21184, 40708, 21404];
        assert_printed(sprt("0.5,2.5").llr(&counts), "-1.57");
        let counts = [57030, 106_593, 57433];
        assert_printed(sprt("0,2").llr(&counts), "-2.59");
    }

    /// Source: as above ("logistic pentanomial 1" and "2"), with win-loss and draw-draw added up.
    #[test]
    fn pairs_agree_with_fastchess() {
        let counts = [223, 9863, 20279 + 1000, 10037, 246];
        assert_printed(sprt("0.5,2.5").llr(&counts), "-3.07");
        let counts = [871, 26175, 55003 + 980, 26678, 821];
        assert_printed(sprt("0,2").llr(&counts), "-4.98");
    }

    /// ln 19 = 2.944439.
    #[test]
    fn bounds_are_those_of_wald() {
        let sprt = sprt("0,10");
        let (low, high) = sprt.bounds();
        assert!((low + 2.944_439).abs() < 1e-6 && (high - 2.944_439).abs() < 1e-6);
        assert_eq!(sprt.verdict(0.0), None);
        assert_eq!(sprt.verdict(-2.95), Some(Verdict::H0));
        assert_eq!(sprt.verdict(2.95), Some(Verdict::H1));
    }

    #[test]
    fn results_speak_for_the_hypothesis_that_is_nearer() {
        let sprt = sprt("-10,10");
        assert_eq!(sprt.llr(&[0; 5]), 0.0);
        assert!(sprt.llr(&[10, 10, 10]).abs() < 1e-9);
        assert!(sprt.llr(&[0, 0, 0, 0, 50]) > 0.0);
        let (won, lost) = (sprt.llr(&[5, 0, 9]), sprt.llr(&[9, 0, 5]));
        assert!(won > 0.0 && (won + lost).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_tested_is_refused() {
        assert_eq!(sprt("0,5,0.1,0.2").beta, 0.2);
        for text in [
            "",
            "5",
            "5,0",
            "0,5,0.05",
            "0,5,0,0.05",
            "0,5,0.6,0.6",
            "0,x",
            "nan,5",
            "0,inf",
        ] {
            assert!(text.parse::<Sprt>().is_err(), "{text}");
        }
    }
}
