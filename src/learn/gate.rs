//! Whether a new evaluation plays better than the old one: games from random openings, each opening
//! twice with sides changed.

use super::selfplay;
use crate::game::{Game, Move, Moves, Side};
use crate::rollout::Random;
use rand::RngExt;
use std::ops::{AddAssign, RangeInclusive};

/// How a match ended for the new evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// The sum of the margins, those of lost games negative.
    pub margin: i64,
    /// The sum of the squares of the points of pairs of games, 0 to 2 each.
    squares: f64,
}

impl Score {
    /// Games played.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// The share of the points, 0..1.
    #[must_use]
    pub fn share(&self) -> f64 {
        (f64::from(self.wins) + f64::from(self.draws) / 2.0) / f64::from(self.games().max(1))
    }

    /// The standard error of the share, by pairs of games.
    #[must_use]
    pub fn error(&self) -> f64 {
        let pairs = f64::from((self.games() / 2).max(1));
        let variance = self.squares / pairs - (2.0 * self.share()).powi(2);
        (variance.max(0.0) / pairs).sqrt() / 2.0
    }

    fn add(&mut self, margin: i16) {
        match margin {
            1.. => self.wins += 1,
            0 => self.draws += 1,
            _ => self.losses += 1,
        }
        self.margin += i64::from(margin);
    }

    /// The score of two games that began alike, by their margins.
    #[must_use]
    pub fn of_pair(margins: [i16; 2]) -> Score {
        let mut score = Score::default();
        margins.into_iter().for_each(|margin| score.add(margin));
        score.squares = (2.0 * score.share()).powi(2);
        score
    }
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Score) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.margin += other.margin;
        self.squares += other.squares;
    }
}

/// A match: who plays, and from where.
pub struct Match<'a, G> {
    /// Where games begin.
    pub start: &'a G,
    /// Random moves before the players begin.
    pub opening: RangeInclusive<u32>,
    /// Openings, each played twice.
    pub pairs: u64,
    /// The seed of the openings.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
}

impl<G: Game> Match<'_, G> {
    /// Plays the match between two players, each a function from a position to a legal move.
    pub fn play(&self, new: impl Fn(&G) -> Move + Sync, old: impl Fn(&G) -> Move + Sync) -> Score {
        let pairs = selfplay::play(self.threads, self.seed, 0..self.pairs, |_, random| {
            let opening = self.open(random);
            Score::of_pair([Side::First, Side::Second].map(|side| {
                let mut position = opening.clone();
                loop {
                    if let Some(outcome) = position.outcome() {
                        return outcome.margin(side);
                    }
                    let mv = match position.side_to_move() == side {
                        true => new(&position),
                        false => old(&position),
                    };
                    position.play(mv);
                }
            }))
        });
        let mut score = Score::default();
        pairs.into_iter().for_each(|pair| score += pair);
        score
    }

    fn open(&self, random: &mut Random) -> G {
        loop {
            let mut position = self.start.clone();
            let plies = random.random_range(self.opening.clone());
            for _ in 0..plies {
                if position.outcome().is_none() {
                    let mut moves = Moves::new();
                    position.legal_moves(&mut moves);
                    position.play(moves[random.random_range(0..moves.len())]);
                }
            }
            if position.outcome().is_none() {
                return position;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::reversi::Reversi;
    use crate::game::{GameKind, Playable, Setup};

    fn first(position: &Reversi) -> Move {
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        moves[0]
    }

    #[test]
    fn a_player_is_as_good_as_itself() {
        let start = Reversi::new(&Setup::standard(GameKind::Reversi)).unwrap();
        let played = Match {
            start: &start,
            opening: 4..=10,
            pairs: 20,
            seed: 1,
            threads: 2,
        };
        let score = played.play(first, first);
        assert_eq!(score.games(), 40);
        assert_eq!((score.share(), score.error(), score.margin), (0.5, 0.0, 0));
    }

    #[test]
    fn errors_are_those_of_pairs() {
        let mut score = Score::default();
        for margins in [[1, 1], [-1, -1]].into_iter().cycle().take(100) {
            score += Score::of_pair(margins);
        }
        assert_eq!((score.wins, score.losses, score.share()), (100, 100, 0.5));
        assert!((score.error() - 0.05).abs() < 1e-9);
    }
}
