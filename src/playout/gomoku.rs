//! Uniform random playouts of Gomoku, in two ways.
//!
//! Freestyle on a board with room is decided by random [bisection](bisection), in a few tests
//! of whole boards. Few empty cells, and the other rules, are played [in sequence](sequence):
//! there a longer row or a stone at its end can undo what five stones of the final set seem to
//! promise, and moves can be forbidden, so that looking at sets of stones does not tell when a
//! game ends.

mod bisection;
mod sequence;

use super::{Playout, Random};
use crate::game::gomoku::Gomoku;
use crate::game::{Game, Outcome, Rule};

/// With fewer empty cells than this, playing move by move is faster (measured on square boards
/// of 5 to 15, 2026-11-20).
const BISECT_FROM: u32 = 48;

impl Playout for Gomoku {
    fn rollout(&self, random: &mut Random) -> Outcome {
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        match self.rule() {
            Rule::Exact => sequence::rollout::<sequence::Exact>(self, random),
            Rule::Renju => sequence::rollout::<sequence::Renju>(self, random),
            Rule::Caro => sequence::rollout::<sequence::Caro>(self, random),
            Rule::ExactCaro => sequence::rollout::<sequence::ExactCaro>(self, random),
            Rule::Freestyle if self.empties() < BISECT_FROM => {
                sequence::rollout::<sequence::Freestyle>(self, random)
            }
            Rule::Freestyle if self.is_narrow() => bisection::rollout::<4>(self, random),
            Rule::Freestyle => bisection::rollout::<8>(self, random),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::gomoku::tests::{drawn, empty_board, random_position};
    use crate::game::{Moves, Side};
    use crate::playout::Tally;
    use crate::playout::naive_rollout;
    use rand::SeedableRng;
    use std::collections::HashMap;

    type Rollout = fn(&Gomoku, &mut Random) -> Outcome;

    /// Every way to make a playout of this position.
    fn ways(game: &Gomoku) -> Vec<Rollout> {
        let mut ways: Vec<Rollout> = vec![Gomoku::rollout];
        match game.rule() {
            Rule::Exact | Rule::Renju | Rule::Caro | Rule::ExactCaro => {}
            Rule::Freestyle => {
                ways.extend([
                    sequence::rollout::<sequence::Freestyle> as Rollout,
                    bisection::rollout::<8>,
                ]);
                if game.is_narrow() {
                    ways.push(bisection::rollout::<4>);
                }
            }
        }
        ways
    }

    /// The shares of playouts that the first side wins and that nobody wins.
    fn shares(game: &Gomoku, rollout: Rollout, count: u32, seed: u64) -> [f64; 2] {
        let mut random = Random::seed_from_u64(seed);
        let mut tally = Tally::default();
        for _ in 0..count {
            tally.add(rollout(game, &mut random));
        }
        let [won, lost] = tally.wins;
        [won, count - won - lost].map(|share| f64::from(share) / f64::from(count))
    }

    /// Fails when shares differ by more than four standard errors. `per_count` is one over the
    /// playouts behind `seen`, and one over those behind `expected` where it is a sample too.
    fn assert_agree(seen: [f64; 2], expected: [f64; 2], per_count: f64, game: &Gomoku) {
        for (seen, expected) in seen.into_iter().zip(expected) {
            let mean = (seen + expected) / 2.0;
            let error = (mean * (1.0 - mean) * per_count).sqrt();
            assert!(
                (seen - expected).abs() <= 4.0 * error,
                "{seen} {expected} ±{error}\n{game}"
            );
        }
    }

    /// The chances that the first side wins and that nobody does, by trying every order.
    fn exact_shares(game: &Gomoku, known: &mut HashMap<u64, [f64; 2]>) -> [f64; 2] {
        if let Some(outcome) = game.outcome() {
            return match outcome.winner() {
                Some(Side::First) => [1.0, 0.0],
                Some(Side::Second) => [0.0, 0.0],
                None => [0.0, 1.0],
            };
        }
        if let Some(&shares) = known.get(&game.key()) {
            return shares;
        }
        let mut moves = Moves::new();
        game.legal_moves(&mut moves);
        let mut sum = [0.0; 2];
        for &mv in &moves {
            let mut next = game.clone();
            next.play(mv);
            let shares = exact_shares(&next, known);
            sum = [sum[0] + shares[0], sum[1] + shares[1]];
        }
        let shares = sum.map(|sum| sum / moves.len() as f64);
        known.insert(game.key(), shares);
        shares
    }

    #[test]
    fn few_empty_cells_agree_with_every_order() {
        let mut tested = 0;
        for seed in 0..24 {
            for rule in Rule::ALL {
                let (cols, rows) = [(5, 5), (6, 5), (5, 7)][seed as usize % 3];
                let plies = u32::from(cols) * u32::from(rows) - 1 - seed as u32 % 11;
                let game = random_position(cols, rows, rule, plies, seed);
                if game.outcome().is_some() {
                    continue;
                }
                tested += 1;
                let expected = exact_shares(&game, &mut HashMap::new());
                for rollout in ways(&game) {
                    let seen = shares(&game, rollout, 20_000, seed);
                    assert_agree(seen, expected, 1.0 / 20_000.0, &game);
                }
            }
        }
        assert!(tested >= 20, "{tested}");
    }

    #[test]
    fn a_race_of_fours_agrees_with_every_order() {
        // Who is to move, the odd cell and the order of the stones within a step all matter.
        let races = [
            ["XXXX.", "OOOO.", "XOXO.", "OXOX.", "X...O", "XOXOX"],
            ["XXXX.", "OOOO.", "XXXX.", ".....", ".....", "OXOXO"],
            ["XXXX.", "OOOO.", ".....", "XXXX.", "OOOO.", "..XO."],
        ];
        for (rule, rows) in Rule::ALL
            .into_iter()
            .flat_map(|rule| races.map(|rows| (rule, rows)))
        {
            for to_move in [Side::First, Side::Second] {
                let game = drawn(rule, to_move, &rows);
                let expected = exact_shares(&game, &mut HashMap::new());
                for rollout in ways(&game) {
                    let seen = shares(&game, rollout, 50_000, 1);
                    assert_agree(seen, expected, 1.0 / 50_000.0, &game);
                }
            }
        }
    }

    #[test]
    fn all_boards_agree_with_the_naive_playout() {
        const NAIVE: u32 = 1_000;
        for rule in Rule::ALL {
            // The other rules are slower.
            let fast = if rule == Rule::Freestyle {
                40_000
            } else {
                10_000
            };
            let per_count = 1.0 / f64::from(NAIVE) + 1.0 / f64::from(fast);
            for (cols, rows, plies) in [
                (5, 5, 0),
                (7, 6, 3),
                (9, 9, 0),
                (15, 15, 0),
                (15, 15, 61),
                (20, 20, 100),
                (22, 22, 0),
                (5, 22, 8),
            ] {
                let game = random_position(cols, rows, rule, plies, 3);
                assert!(game.outcome().is_none(), "{game}");
                let expected = shares(&game, naive_rollout, NAIVE, 11);
                for rollout in ways(&game) {
                    let seen = shares(&game, rollout, fast, 12);
                    assert_agree(seen, expected, per_count, &game);
                }
            }
        }
    }

    #[test]
    fn bisection_agrees_with_playing_in_sequence() {
        const COUNT: u32 = 100_000;
        for (cols, rows, plies) in [(6, 6, 1), (7, 7, 0), (9, 9, 0), (9, 9, 21), (15, 15, 80)] {
            let game = random_position(cols, rows, Rule::Freestyle, plies, 8);
            assert!(game.outcome().is_none(), "{game}");
            let expected = shares(&game, sequence::rollout::<sequence::Freestyle>, COUNT, 21);
            let seen = shares(&game, bisection::rollout::<4>, COUNT, 22);
            assert_agree(seen, expected, 2.0 / f64::from(COUNT), &game);
        }
    }

    #[test]
    fn the_first_side_wins_as_often_as_others_found() {
        // Shares of first wins in random play, known to four decimals.
        for (size, expected) in [(15, 0.5097), (20, 0.5062)] {
            let game = empty_board(size, size, Rule::Freestyle);
            let count = 400_000;
            let tally = game.rollouts(count, &mut Random::seed_from_u64(31));
            let seen = f64::from(tally.wins[0]) / f64::from(count);
            let tolerance = 4.0 * (0.25 / f64::from(count)).sqrt() + 5e-5;
            assert!((seen - expected).abs() < tolerance, "{size}: {seen}");
        }
    }
}
