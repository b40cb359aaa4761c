//! Games that are ended because both engines say the same of them.

use crate::game::Side;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// When a game is given to one side: after so many moves of either engine in a row by which
/// both expect the same loser. There is no such rule for draws: an even value is what a game
/// begins with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adjudication {
    /// The score 0..1 that the loser expects at the most, as both engines tell it; below a half.
    pub score: f64,
    /// Moves of either engine.
    pub moves: u32,
}

impl FromStr for Adjudication {
    type Err = String;

    fn from_str(text: &str) -> Result<Adjudication, String> {
        let parts = text.split_once(',');
        let numbers =
            parts.and_then(|(score, moves)| Some((score.parse().ok()?, moves.parse().ok()?)));
        match numbers {
            Some((score, moves)) if (0.0..0.5).contains(&score) && moves > 0 => {
                Ok(Adjudication { score, moves })
            }
            _ => Err(format!(
                "{text:?} should be like 0.02,6, with a score below 0.5"
            )),
        }
    }
}

/// Listens to the values of a game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rule: Option<Adjudication>,
    loser: Option<Side>,
    /// For how many plies the loser has been the same.
    plies: u32,
}

impl Adjudicator {
    /// At the beginning of a game; without a rule none is ended.
    #[must_use]
    pub fn new(rule: Option<Adjudication>) -> Adjudicator {
        Adjudicator {
            rule,
            loser: None,
            plies: 0,
        }
    }

    /// `mover` has made a move and told the score 0..1 that it expects for itself, if it does.
    /// Tells who has lost, once that is agreed.
    pub fn heard(&mut self, mover: Side, value: Option<f64>) -> Option<Side> {
        let Adjudication { score, moves } = self.rule?;
        let loser = match value {
            Some(value) if value <= score => Some(mover),
            Some(value) if value >= 1.0 - score => Some(mover.other()),
            _ => None,
        };
        if loser != self.loser {
            self.plies = 0;
        }
        self.plies += 1;
        self.loser = loser;
        loser.filter(|_| self.plies >= moves.saturating_mul(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who lost, after the values of plies that alternate.
    fn loser(values: &[Option<f64>]) -> Option<Side> {
        let mut adjudicator = Adjudicator::new(Some("0.1,2".parse().unwrap()));
        let sides = [Side::First, Side::Second].into_iter().cycle();
        let said = sides
            .zip(values)
            .map(|(mover, &value)| adjudicator.heard(mover, value));
        said.last().flatten()
    }

    #[test]
    fn both_have_to_agree_for_long_enough() {
        let (bad, good) = (Some(0.1), Some(0.9));
        assert_eq!(loser(&[bad, good, bad]), None);
        assert_eq!(loser(&[bad, good, bad, good]), Some(Side::First));
        assert_eq!(loser(&[good, bad, good, bad]), Some(Side::Second));
        for break_off in [None, Some(0.5), bad] {
            assert_eq!(loser(&[bad, break_off, bad, good]), None);
        }
        assert_eq!(loser(&[None, good, bad, good, bad]), Some(Side::First));
    }

    #[test]
    fn without_a_rule_nothing_is_agreed() {
        let mut adjudicator = Adjudicator::new(None);
        assert!((0..100).all(|_| adjudicator.heard(Side::First, Some(0.0)).is_none()));
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        for text in ["", "0.1", "0.1,0", "0.5,3", "-0.1,3", "nan,3", "0.1,x"] {
            assert!(text.parse::<Adjudication>().is_err(), "{text}");
        }
    }
}
