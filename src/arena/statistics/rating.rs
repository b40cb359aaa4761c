//! Ratings of many players by all their games at once.
//!
//! The model is that of Bradley and Terry (1952): a player of strength γ beats one of strength
//! δ with the chance γ / (γ + δ), which is the logistic curve of Elo with 400 log10 γ points. A
//! draw is half a win and half a loss. The strengths of the greatest likelihood are found by
//! the MM algorithm of D. R. Hunter, "MM algorithms for generalized Bradley-Terry models",
//! Annals of Statistics 32 (2004). The errors come from the inverse of Fisher's information.
//!
//! Games are taken as independent, and draws as if they were decided by a coin. Both make the
//! errors a little too wide for engines that draw much or share openings; for two engines
//! [`crate::arena::statistics::stats`] is exact about it.

use crate::arena::statistics::stats::Z;

/// Elo points of a factor e in strength.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The change of a logarithm of a strength at which the iteration ends: far below what is
/// printed, 1e-7 Elo points.
const ENOUGH: f64 = 1e-9;

/// The most iterations. Ten players in a row, each of them winning 99 of 100 games with the
/// next, took 6,000; twenty took 44,000. Had each of ten won 10,000 of 10,000, the ratings would
/// lie 14,000 points apart and be wrong by 50 when this many are done.
const MOST: u32 = 100_000;

/// What two players did against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Both players, by their indices.
    pub players: [usize; 2],
    /// The points of either, a draw being half a point for both.
    pub points: [f64; 2],
}

/// The ratings of some players. Their mean is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// Elo points, by player.
    pub elo: Vec<f64>,
    /// The covariance of two players' ratings, in squared Elo points, row by row.
    covariance: Vec<f64>,
}

impl Ratings {
    /// The virtual draws of each player in a match of engines. One keeps the rating of a
    /// perfect score finite and moves others little (a guess; BayesElo takes two).
    pub const PRIOR: f64 = 1.0;

    /// The ratings of `players` players. Each plays `prior` virtual draws, shared equally
    /// among all others. There must be two players or more, and every one must be joined to
    /// every other by meetings, directly or not, unless `prior` is above 0.
    #[must_use]
    pub fn new(players: usize, meetings: &[Meeting], prior: f64) -> Ratings {
        let games = Games::new(players, meetings, prior);
        let strengths = games.likeliest();
        Ratings {
            elo: strengths
                .iter()
                .map(|strength| ELO * strength.ln())
                .collect(),
            covariance: games.covariance(&strengths),
        }
    }

    /// Half the 95 % interval of a player's rating against the mean of all, in Elo points.
    #[must_use]
    pub fn error(&self, player: usize) -> f64 {
        Z * self.covariance[player * (self.elo.len() + 1)].sqrt()
    }
}

/// How often players met and what they scored, the virtual draws counted in.
struct Games {
    players: usize,
    points: Vec<f64>,
    /// Games of two players, row by row; symmetric.
    met: Vec<f64>,
}

impl Games {
    fn new(players: usize, meetings: &[Meeting], prior: f64) -> Games {
        let virtual_draws = prior / (players - 1) as f64;
        let mut games = Games {
            players,
            points: vec![0.5 * prior; players],
            met: vec![virtual_draws; players * players],
        };
        for &Meeting {
            players: [one, other],
            points,
        } in meetings
        {
            games.points[one] += points[0];
            games.points[other] += points[1];
            games.met[one * players + other] += points[0] + points[1];
            games.met[other * players + one] += points[0] + points[1];
        }
        games
    }

    /// The other players with the games against them.
    fn opponents(&self, player: usize) -> impl Iterator<Item = (usize, f64)> {
        let row = &self.met[player * self.players..][..self.players];
        let row = row.iter().copied().enumerate();
        row.filter(move |&(other, _)| other != player)
    }

    /// The strengths of the greatest likelihood; their geometric mean is 1.
    fn likeliest(&self) -> Vec<f64> {
        let mut strengths = vec![1.0_f64; self.players];
        for _ in 0..MOST {
            let before = strengths.clone();
            for player in 0..self.players {
                let own = strengths[player];
                let terms = self.opponents(player);
                let terms = terms.map(|(other, games)| games / (own + strengths[other]));
                strengths[player] = self.points[player] / terms.sum::<f64>();
            }
            let logs = strengths.iter().map(|strength| strength.ln());
            let mean = (logs.sum::<f64>() / self.players as f64).exp();
            strengths.iter_mut().for_each(|strength| *strength /= mean);
            let mut changes = before.iter().zip(&strengths);
            if changes.all(|(old, new)| (new / old).ln().abs() < ENOUGH) {
                break;
            }
        }
        strengths
    }

    /// The covariance of the ratings in squared Elo points.
    ///
    /// The information I about the logarithms of the strengths is singular, as only differences
    /// can be known. With J / n, where all entries of J are 1, it is not; and (I + J / n)⁻¹ -
    /// J / n is the covariance when the mean is held at 0.
    fn covariance(&self, strengths: &[f64]) -> Vec<f64> {
        let n = self.players;
        let fixed = 1.0 / n as f64;
        let mut information = vec![fixed; n * n];
        for player in 0..n {
            for (other, games) in self.opponents(player) {
                let (own, others) = (strengths[player], strengths[other]);
                let told = games * own * others / (own + others).powi(2);
                information[player * n + other] -= told;
                information[player * n + player] += told;
            }
        }
        let inverse = inverse(information, n);
        let entries = inverse.into_iter();
        entries.map(|entry| ELO * ELO * (entry - fixed)).collect()
    }
}

/// The inverse of a symmetric positive definite matrix of n rows, by elimination. No pivot is
/// looked for, as such a matrix needs none.
fn inverse(mut matrix: Vec<f64>, n: usize) -> Vec<f64> {
    for pivot in 0..n {
        let scale = 1.0 / matrix[pivot * n + pivot];
        matrix[pivot * n + pivot] = 1.0;
        for entry in &mut matrix[pivot * n..][..n] {
            *entry *= scale;
        }
        let pivot_row = matrix[pivot * n..][..n].to_vec();
        for row in (0..n).filter(|&row| row != pivot) {
            let factor = std::mem::take(&mut matrix[row * n + pivot]);
            for (entry, other) in matrix[row * n..][..n].iter_mut().zip(&pivot_row) {
                *entry -= factor * other;
            }
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The wins of each player, by row, over each other, by column.
    fn meetings<const N: usize>(wins: [[u32; N]; N]) -> Vec<Meeting> {
        let pairs = (0..N).flat_map(|one| (one + 1..N).map(move |other| [one, other]));
        let meeting = |players: [usize; 2]| Meeting {
            players,
            points: [
                f64::from(wins[players[0]][players[1]]),
                f64::from(wins[players[1]][players[0]]),
            ],
        };
        pairs.map(meeting).collect()
    }

    /// The logarithm of a player's strength against that of another, with its standard error.
    fn log_odds(ratings: &Ratings, one: usize, other: usize) -> (f64, f64) {
        let n = ratings.elo.len();
        let covariance = |i: usize, j: usize| ratings.covariance[i * n + j];
        let variance =
            covariance(one, one) + covariance(other, other) - 2.0 * covariance(one, other);
        (
            (ratings.elo[one] - ratings.elo[other]) / ELO,
            variance.sqrt() / ELO,
        )
    }

    /// The Eastern Division of the American League in 1987: Milwaukee, Detroit, Toronto, New
    /// York, Boston, Cleveland, Baltimore. Games: Agresti, "Categorical Data Analysis" (2002),
    /// table 10.10, as in the package BradleyTerry2 (`baseball`). Estimates against Baltimore,
    /// to the digits printed: table 10.11, and that package's tests (`test-baseball.R`), which
    /// give the errors as 0.3.
    #[test]
    fn baseball_agrees_with_agresti() {
        let wins = [
            [0, 7, 9, 7, 7, 9, 11],
            [6, 0, 7, 5, 11, 9, 9],
            [4, 6, 0, 7, 7, 8, 12],
            [6, 8, 6, 0, 6, 7, 10],
            [6, 2, 6, 7, 0, 7, 12],
            [4, 4, 5, 6, 6, 0, 6],
            [2, 4, 1, 3, 1, 7, 0],
        ];
        let ratings = Ratings::new(7, &meetings(wins), 0.0);
        let (estimates, errors): (Vec<String>, Vec<String>) = (0..6)
            .map(|team| log_odds(&ratings, team, 6))
            .map(|(estimate, error)| (format!("{estimate:.2}"), format!("{error:.1}")))
            .unzip();
        assert_eq!(estimates, ["1.58", "1.44", "1.29", "1.25", "1.11", "0.68"]);
        assert_eq!(errors, ["0.3"; 6]);
        assert!(ratings.elo.iter().sum::<f64>().abs() < 1e-6);
    }

    /// Two players: the strengths have the ratio of the points, and the information of n games
    /// is n p (1 - p).
    #[test]
    fn two_players_are_as_the_formula_has_it() {
        let meeting = Meeting {
            players: [0, 1],
            points: [75.0, 25.0],
        };
        let ratings = Ratings::new(2, &[meeting], 0.0);
        let (odds, error) = log_odds(&ratings, 0, 1);
        assert!((odds - 3_f64.ln()).abs() < 1e-8);
        assert!((error - (1.0 / (100.0 * 0.75 * 0.25_f64)).sqrt()).abs() < 1e-8);
        // Half the difference is that to the mean.
        assert!((ratings.error(0) - Z * ELO * error / 2.0).abs() < 1e-6);
    }

    /// Ten wins and a virtual draw are 10.5 points to 0.5: odds of 21.
    #[test]
    fn perfect_scores_and_players_who_never_met_are_rated() {
        let won = |players| Meeting {
            players,
            points: [10.0, 0.0],
        };
        let ratings = Ratings::new(2, &[won([0, 1])], Ratings::PRIOR);
        assert!((log_odds(&ratings, 0, 1).0 - 21_f64.ln()).abs() < 1e-8);
        let apart = Ratings::new(4, &[won([0, 1]), won([2, 3])], Ratings::PRIOR);
        assert!((apart.elo[0] - apart.elo[2]).abs() < 1e-3);
        assert!(apart.elo[0] > apart.elo[1]);
        let finite =
            |player: usize| apart.elo[player].is_finite() && apart.error(player).is_finite();
        assert!((0..4).all(finite));
    }
}
