//! Uniform random rollouts of Gomoku, in two ways.
//!
//! Freestyle and exactly five are decided by random [bisection](bisection), in a few tests of
//! whole boards. The other rules are played [in sequence](sequence): there a stone at the end of
//! a row can undo what five stones of the final set seem to promise, and moves can be forbidden,
//! so that looking at sets of stones does not tell when a game ends.
//!
//! Bisection is up to eleven times as fast: `docs/EXPERIMENTS.md`, Rollouts.

mod bisection;
mod sequence;

use super::{End, Random, Record, Rollout, one_by_one};
use crate::game::gomoku::Gomoku;
use crate::game::{Game, Rule};
use crate::simd::Isa;
use bisection::Rollouts;
use sequence::{Caro, Exact, ExactCaro, Freestyle, Renju};

impl Rollout for Gomoku {
    fn record_rollouts<T: Record>(&self, isa: Isa, count: u32, random: &mut Random) -> T {
        if let Some(outcome) = self.outcome() {
            return one_by_one(count, || End { outcome, plies: 0 });
        }
        match (self.rule(), self.is_narrow()) {
            (Rule::Freestyle, true) => {
                isa.run(Rollouts::<Freestyle, 1, T>::new(self, count, random))
            }
            (Rule::Freestyle, false) => {
                isa.run(Rollouts::<Freestyle, 2, T>::new(self, count, random))
            }
            // A search for the first row would find a longer one every time.
            (Rule::Exact, _) if self.has_long_row() => {
                one_by_one(count, || sequence::rollout::<Exact>(self, random))
            }
            (Rule::Exact, true) => isa.run(Rollouts::<Exact, 1, T>::new(self, count, random)),
            (Rule::Exact, false) => isa.run(Rollouts::<Exact, 2, T>::new(self, count, random)),
            (Rule::Renju, _) => one_by_one(count, || sequence::rollout::<Renju>(self, random)),
            (Rule::Caro, _) => one_by_one(count, || sequence::rollout::<Caro>(self, random)),
            (Rule::ExactCaro, _) => {
                one_by_one(count, || sequence::rollout::<ExactCaro>(self, random))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::gomoku::tests::{drawn, empty_board, random_position};
    use crate::game::{Moves, Side};
    use crate::rollout::Tally;
    use crate::rollout::naive_rollout;
    use rand::SeedableRng;
    use std::collections::HashMap;

    /// A way to make rollouts.
    type Way = Box<dyn Fn(&Gomoku, u32, &mut Random) -> Tally>;

    fn one_after_another(rollout: fn(&Gomoku, &mut Random) -> End) -> Way {
        Box::new(move |game, count, random| one_by_one(count, || rollout(game, random)))
    }

    fn bisected<R: sequence::Rules, const REGISTERS: usize>() -> Way {
        Box::new(|game, count, random| {
            let rollouts = Rollouts::<R, REGISTERS, Tally>::new(game, count, random);
            Isa::current().run(rollouts)
        })
    }

    /// Every way to make rollouts of this position.
    fn ways(game: &Gomoku) -> Vec<Way> {
        let mut ways: Vec<Way> = vec![Box::new(|game, count, random| {
            let mut tally = Tally::default();
            for _ in 0..count {
                tally += game.rollouts(1, random);
            }
            tally
        })];
        match game.rule() {
            Rule::Renju | Rule::Caro | Rule::ExactCaro => {}
            Rule::Exact => {
                ways.push(one_after_another(sequence::rollout::<Exact>));
                ways.push(bisected::<Exact, 2>());
                if game.is_narrow() {
                    ways.push(bisected::<Exact, 1>());
                }
            }
            Rule::Freestyle => {
                ways.push(one_after_another(sequence::rollout::<Freestyle>));
                ways.push(bisected::<Freestyle, 2>());
                if game.is_narrow() {
                    ways.push(bisected::<Freestyle, 1>());
                }
            }
        }
        ways
    }

    /// The shares of rollouts that the first side wins and that nobody wins.
    fn shares(game: &Gomoku, way: &Way, count: u32, seed: u64) -> [f64; 2] {
        let tally = way(game, count, &mut Random::seed_from_u64(seed));
        let [won, lost] = tally.wins;
        [won, count - won - lost].map(|share| f64::from(share) / f64::from(count))
    }

    /// Fails when shares differ by more than four standard errors. `per_count` is one over the
    /// rollouts behind `seen`, and one over those behind `expected` where it is a sample too.
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
                for way in ways(&game) {
                    let seen = shares(&game, &way, 20_000, seed);
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
                for way in ways(&game) {
                    let seen = shares(&game, &way, 50_000, 1);
                    assert_agree(seen, expected, 1.0 / 50_000.0, &game);
                }
            }
        }
    }

    #[test]
    fn all_boards_agree_with_the_naive_rollout() {
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
                let expected = shares(&game, &one_after_another(naive_rollout), NAIVE, 11);
                for way in ways(&game) {
                    let seen = shares(&game, &way, fast, 12);
                    assert_agree(seen, expected, per_count, &game);
                }
            }
        }
    }

    #[test]
    fn bisection_agrees_with_playing_in_sequence() {
        const COUNT: u32 = 100_000;
        for (cols, rows, plies) in [(6, 6, 1), (7, 7, 0), (9, 9, 0), (9, 9, 21), (15, 15, 80)] {
            for (rule, in_sequence) in [
                (
                    Rule::Freestyle,
                    one_after_another(sequence::rollout::<Freestyle>),
                ),
                (Rule::Exact, one_after_another(sequence::rollout::<Exact>)),
            ] {
                let game = random_position(cols, rows, rule, plies, 8);
                assert!(game.outcome().is_none(), "{game}");
                let expected = shares(&game, &in_sequence, COUNT, 21);
                let bisected = match rule {
                    Rule::Exact => bisected::<Exact, 1>(),
                    _ => bisected::<Freestyle, 1>(),
                };
                let seen = shares(&game, &bisected, COUNT, 22);
                assert_agree(seen, expected, 2.0 / f64::from(COUNT), &game);
            }
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
