//! Fast rollouts have the distribution of uniform ones.
#![allow(
    clippy::print_stdout,
    reason = "the comparison of ten million rollouts prints how far they lie off"
)]

use crate::samples::{
    DEVIATIONS, deviation_of_lengths, deviations_of_shares, mean_length, tolerance,
};
use rand::{Rng, RngExt, SeedableRng};
use std::collections::BTreeMap;
use tengen::game::connect4::Connect4;
use tengen::game::gomoku::Gomoku;
use tengen::game::reversi::Reversi;
use tengen::game::{
    Connect4Rules, Game, GameKind, Moves, Outcome, Playable, Point, Rule, Setup, Side,
};
use tengen::rollout::{Measured, Random, Record, Rollout, Tally, naive_rollout};
use tengen::simd::{Isa, LANES};

/// The probability of every result under uniform play.
type Distribution = BTreeMap<i16, f64>;

/// The exact distribution of results, by playing every game to its end.
fn enumerate<G: Game>(position: &G, weight: f64, into: &mut Distribution) {
    if let Some(outcome) = position.outcome() {
        *into.entry(outcome.margin(Side::First)).or_default() += weight;
        return;
    }
    let mut moves = Moves::new();
    position.legal_moves(&mut moves);
    for &mv in &moves {
        let mut next = position.clone();
        next.play(mv);
        enumerate(&next, weight / moves.len() as f64, into);
    }
}

/// The shares of results in `count` games.
fn sample(count: u32, mut game: impl FnMut() -> Outcome) -> Distribution {
    let mut shares = Distribution::new();
    for _ in 0..count {
        *shares.entry(game().margin(Side::First)).or_default() += 1.0;
    }
    shares
        .values_mut()
        .for_each(|share| *share /= f64::from(count));
    shares
}

/// The result of one rollout made by itself.
fn rollout<G: Playable + Rollout>(position: &G, random: &mut Random) -> Outcome {
    let [first, second] = position.rollouts(1, random).margins.map(|sum| sum as i16);
    Outcome::from_margin(first - second)
}

/// `count` naive rollouts.
fn naive_rollouts<G: Game>(position: &G, count: u32, random: &mut Random) -> Measured {
    let mut naive = Measured::default();
    for _ in 0..count {
        naive.add(naive_rollout(position, random));
    }
    naive
}

/// A position with at most `left` more moves possible, reached by random play that avoids the end
/// of the game. `None` when it could not be avoided.
fn random_position<G: Playable>(setup: &Setup, left: u32, random: &mut Random) -> Option<G> {
    let mut position = G::new(setup).expect("a setup of the game");
    let mut moves = Moves::new();
    while position.max_plies_left() > left {
        position.legal_moves(&mut moves);
        let mut next = Vec::new();
        for &mv in &moves {
            let mut position = position.clone();
            position.play(mv);
            if position.outcome().is_none() {
                next.push(position);
            }
        }
        if next.is_empty() {
            return None;
        }
        position = next.swap_remove(random.random_range(0..next.len()));
    }
    Some(position)
}

/// A number of random positions, each with at most `left()` more moves possible.
fn random_positions<G: Playable>(
    setup: &Setup,
    count: usize,
    random: &mut Random,
    left: impl Fn(&mut Random) -> u32,
) -> Vec<G> {
    let attempts = (0..1000 * count).filter_map(|_| random_position(setup, left(random), random));
    let positions: Vec<G> = attempts.take(count).collect();
    assert_eq!(positions.len(), count, "too few games last so long");
    positions
}

/// Compares many rollouts at once with the exact distribution: how often each side wins, and by
/// how much.
fn tally_agrees<G: Playable + Rollout>(
    position: &G,
    exact: &Distribution,
    count: u32,
    random: &mut Random,
) {
    let tally = position.rollouts(count, random);
    assert_eq!(tally.rollouts, count);
    for (sign, side) in [(1, Side::First), (-1, Side::Second)] {
        let won = |margin: i16| f64::from(margin * sign).max(0.0);
        let mean = |value: &dyn Fn(i16) -> f64| -> f64 {
            exact
                .iter()
                .map(|(&margin, chance)| value(margin) * chance)
                .sum()
        };
        let index = side.index();
        let wins = f64::from(tally.wins[index]) / f64::from(count);
        let expected = mean(&|margin| f64::from(u8::from(won(margin) > 0.0)));
        assert!(
            (wins - expected).abs() <= tolerance(expected, count),
            "{side:?} wins {wins} and not {expected} in\n{position}"
        );
        let margins = f64::from(tally.margins[index]) / f64::from(count);
        let expected = mean(&won);
        let variance = mean(&|margin| (won(margin) - expected).powi(2));
        assert!(
            (margins - expected).abs() <= DEVIATIONS * (variance / f64::from(count)).sqrt() + 1e-9,
            "{side:?} wins by {margins} and not {expected} in\n{position}"
        );
    }
}

/// Compares rollouts with all games that can still be played, near the end.
fn agrees_with_enumeration<G: Playable + Rollout>(setup: &Setup, left: u32, positions: usize) {
    const COUNT: u32 = 20_000;
    let mut random = Random::seed_from_u64(7);
    for position in random_positions::<G>(setup, positions, &mut random, |_| left) {
        let mut exact = Distribution::new();
        enumerate(&position, 1.0, &mut exact);
        tally_agrees(&position, &exact, COUNT, &mut random);
        let found = sample(COUNT, || rollout(&position, &mut random));
        for margin in found.keys() {
            assert!(
                exact.contains_key(margin),
                "{margin} cannot be in\n{position}"
            );
        }
        for (margin, &expected) in &exact {
            let share = found.get(margin).copied().unwrap_or(0.0);
            assert!(
                (share - expected).abs() <= tolerance(expected, COUNT),
                "margin {margin}: {share} and not {expected} in\n{position}"
            );
        }
    }
}

/// Compares rollouts with naive ones from positions of every phase of the game.
fn agrees_with_naive_rollouts<G: Playable + Rollout>(setup: &Setup, positions: usize) {
    const COUNT: u32 = 4_000;
    let mut random = Random::seed_from_u64(8);
    let longest = G::new(setup).expect("a setup of the game").max_plies_left();
    let left = |random: &mut Random| random.random_range(1..=longest);
    for position in random_positions::<G>(setup, positions, &mut random, left) {
        let fast = sample(COUNT, || rollout(&position, &mut random));
        let naive = sample(COUNT, || naive_rollout(&position, &mut random).outcome);
        for sign in [-1, 0, 1] {
            let share = |results: &Distribution| -> f64 {
                let of_sign = results.iter().filter(|(margin, _)| margin.signum() == sign);
                of_sign.map(|(_, share)| share).sum()
            };
            let (fast, naive) = (share(&fast), share(&naive));
            // The difference of two samples has the variance of one of half the size.
            assert!(
                (fast - naive).abs() <= tolerance((fast + naive) / 2.0, COUNT / 2),
                "sign {sign}: {fast} and not {naive} in\n{position}"
            );
        }
    }
}

/// Every ISA gives the same rollouts, whatever their number.
fn isas_agree<G: Playable + Rollout>(setup: &Setup, positions: usize) {
    let mut random = Random::seed_from_u64(6);
    let longest = G::new(setup).expect("a setup of the game").max_plies_left();
    let left = |random: &mut Random| random.random_range(1..=longest);
    for (seed, position) in (0..).zip(random_positions::<G>(setup, positions, &mut random, left)) {
        for count in [1, 2, 3, 4, 7, 8, 9, 100] {
            let on_isa = |isa: Isa| {
                let mut random = Random::seed_from_u64(seed);
                let tally = position.rollouts_on(isa, count, &mut random);
                let measured: Measured = position.record_rollouts(isa, count, &mut random);
                (tally, measured, random.next_u64())
            };
            let isas = Isa::all();
            let expected = on_isa(isas[isas.len() - 1]);
            assert_eq!(expected.0.rollouts, count);
            assert_eq!(expected.1.tally.rollouts, count);
            for isa in isas {
                assert_eq!(on_isa(isa), expected, "{isa:?}, {count} of\n{position}");
            }
        }
    }
}

/// A rollout from each of several leaves at once: every ISA makes the same, and each leaf has its
/// own distribution.
fn leaves_agree<G: Playable + Rollout>(setup: &Setup) {
    const COUNT: u32 = 10_000;
    let mut random = Random::seed_from_u64(15);
    let longest = G::new(setup).expect("a setup of the game").max_plies_left();
    let left = |random: &mut Random| random.random_range(1..=longest);
    let positions = random_positions::<G>(setup, LANES, &mut random, left);
    for number in 1..=LANES {
        let leaves: Vec<&G> = positions.iter().take(number).collect();
        let played = |isa: Isa, count: u32| {
            let mut random = Random::seed_from_u64(16);
            let mut sums = vec![Tally::default(); number];
            for _ in 0..count {
                let mut tallies = vec![Tally::default(); number];
                G::rollouts_of_each(isa, &leaves, 1, &mut random, &mut tallies);
                for (sum, tally) in sums.iter_mut().zip(tallies) {
                    *sum += tally;
                }
            }
            sums
        };
        let expected = played(Isa::current(), 50);
        for isa in Isa::all() {
            assert_eq!(played(isa, 50), expected, "{isa:?}, {number} of\n{setup:?}");
        }
        if number < LANES {
            continue;
        }
        for (leaf, tally) in leaves.iter().zip(played(Isa::current(), COUNT)) {
            let expected = leaf.rollouts(COUNT, &mut random);
            assert_eq!(tally.rollouts, COUNT);
            for deviation in deviations_of_shares(&tally, &expected) {
                assert!(deviation.abs() <= DEVIATIONS, "{deviation} in\n{leaf}");
            }
            let [first, second] = tally.margins.map(f64::from);
            let [known_first, known_second] = expected.margins.map(f64::from);
            let difference = (first - second) - (known_first - known_second);
            // No margin is larger than the board.
            let bound = DEVIATIONS * f64::from(G::MAX_MARGIN) * (2.0 * f64::from(COUNT)).sqrt();
            assert!(difference.abs() <= bound, "{difference} discs in\n{leaf}");
        }
    }
}

/// Compares the lengths of rollouts with those of naive ones, on every ISA, one by one and many
/// at a time, from positions of every phase of the game.
fn last_as_long_as_naive_ones<G: Playable + Rollout>(setup: &Setup, positions: usize, count: u32) {
    let mut random = Random::seed_from_u64(14);
    let start = G::new(setup).expect("a setup of the game");
    let longest = start.max_plies_left();
    let left = |random: &mut Random| random.random_range(1..=longest);
    let others = random_positions::<G>(setup, positions, &mut random, left);
    for position in [start].iter().chain(&others) {
        let naive = naive_rollouts(position, count, &mut random);
        for isa in Isa::all() {
            let mut random = random.clone();
            let many = position.record_rollouts(isa, count, &mut random);
            let mut one_by_one = Measured::default();
            for _ in 0..count {
                one_by_one += position.record_rollouts(isa, 1, &mut random);
            }
            for fast in [many, one_by_one] {
                let deviation = deviation_of_lengths(&fast, &naive);
                assert!(
                    deviation.abs() <= DEVIATIONS,
                    "{isa:?}: {:?} and not {:?} plies in\n{position}",
                    mean_length(&fast),
                    mean_length(&naive),
                );
            }
        }
    }
}

/// Compares ten million rollouts of every ISA, and as many made one by one, with naive ones, of
/// which there are so many: wins, draws and the mean length lie within three standard errors.
/// Prints by how many they differ.
fn ten_million_agree<G: Playable + Rollout>(position: &G, naive_count: u32) {
    const COUNT: u32 = 10_000_000;
    let naive = naive_rollouts(position, naive_count, &mut Random::seed_from_u64(10));
    let compare = |name: &str, tally: &Tally, measured: &Measured| {
        let [won, drawn] = deviations_of_shares(tally, &naive.tally);
        let [measured_won, measured_drawn] = deviations_of_shares(&measured.tally, &naive.tally);
        let plies = deviation_of_lengths(measured, &naive);
        println!(
            "  {name:<10} won {won:5.2} drawn {drawn:5.2}, measured: \
             won {measured_won:5.2} drawn {measured_drawn:5.2} plies {plies:5.2} \
             ({:.4} and {:.4})",
            mean_length(measured).0,
            mean_length(&naive).0,
        );
        for deviation in [won, drawn, measured_won, measured_drawn, plies] {
            assert!(deviation.abs() <= 3.0, "{name}: {deviation} in\n{position}");
        }
    };
    println!("{position}");
    let random = || Random::seed_from_u64(11);
    for isa in Isa::all() {
        let tally = position.rollouts_on(isa, COUNT, &mut random());
        let measured = position.record_rollouts(isa, COUNT, &mut random());
        compare(isa.name(), &tally, &measured);
    }
    let mut random = random();
    let (mut tally, mut measured) = (Tally::default(), Measured::default());
    for _ in 0..COUNT {
        tally += position.rollouts(1, &mut random);
        measured += position.record_rollouts(Isa::current(), 1, &mut random);
    }
    compare("one by one", &tally, &measured);
}

/// Compares rollouts from the opening with shares measured with other programs.
fn agrees_with_known_shares<G: Playable + Rollout>(setup: &Setup, first: f64, drawn: Option<f64>) {
    const COUNT: u32 = 200_000;
    /// Half a unit in the third decimal, to which the least exact of them is known.
    const LAST_DIGIT: f64 = 0.0005;
    let mut random = Random::seed_from_u64(9);
    let tally: Tally = G::new(setup)
        .expect("a setup of the game")
        .rollouts(COUNT, &mut random);
    assert_eq!(tally.rollouts, COUNT);
    let check = |count: u32, expected: f64| {
        let share = f64::from(count) / f64::from(COUNT);
        assert!(
            (share - expected).abs() <= tolerance(expected, COUNT) + LAST_DIGIT,
            "{share} and not {expected}"
        );
    };
    check(tally.wins[0], first);
    if let Some(drawn) = drawn {
        check(COUNT - tally.wins[0] - tally.wins[1], drawn);
    }
}

/// Compares the mean length of rollouts from the opening, fast ones and so many naive ones, with
/// that of other programs.
fn last_as_long_as_known<G: Playable + Rollout>(setup: &Setup, naive_count: u32, expected: f64) {
    const COUNT: u32 = 100_000;
    /// A unit in the second decimal, to which they are known.
    const LAST_DIGIT: f64 = 0.01;
    let mut random = Random::seed_from_u64(13);
    let position = G::new(setup).expect("a setup of the game");
    let naive = naive_rollouts(&position, naive_count, &mut random);
    let fast = position.record_rollouts(Isa::current(), COUNT, &mut random);
    for rollouts in [naive, fast] {
        let (mean, variance) = mean_length(&rollouts);
        let error = variance.sqrt();
        assert!(
            (mean - expected).abs() <= 3.0 * error + LAST_DIGIT,
            "{mean} ±{error} plies and not {expected}"
        );
    }
}

fn reversi() -> Setup {
    Setup::standard(GameKind::Reversi)
}

fn connect4() -> Setup {
    Setup::standard(GameKind::Connect4)
}

/// Boards of every kind: the smallest and the largest, wide and high, every length, holes at
/// the bottom, at the top and between.
fn connect4_setups() -> Vec<Setup> {
    let board = |cols, rows, connect, hole: Option<(u8, u8)>| {
        connect4().with_size(cols, rows).with(Connect4Rules {
            hole: hole.map(|(col, row)| Point { col, row }),
            connect,
            ..Connect4Rules::default()
        })
    };
    vec![
        board(7, 6, 4, None),
        board(4, 4, 3, None),
        board(4, 4, 4, Some((1, 3))),
        board(5, 4, 5, None),
        board(12, 4, 5, Some((6, 0))),
        board(4, 12, 4, Some((3, 6))),
        board(9, 11, 4, Some((0, 10))),
        board(12, 12, 4, Some((5, 5))),
        board(12, 12, 5, None),
    ]
}

#[test]
fn reversi_rollouts_agree_with_enumeration() {
    agrees_with_enumeration::<Reversi>(&reversi(), 11, 60);
}

#[test]
fn reversi_rollouts_agree_with_naive_ones() {
    agrees_with_naive_rollouts::<Reversi>(&reversi(), 40);
}

#[test]
fn reversi_rollouts_agree_with_known_shares() {
    agrees_with_known_shares::<Reversi>(&reversi(), 0.454, Some(0.0418));
}

#[test]
fn connect4_rollouts_agree_with_enumeration() {
    for setup in connect4_setups() {
        agrees_with_enumeration::<Connect4>(&setup, 8, 12);
    }
}

#[test]
fn connect4_rollouts_agree_with_naive_ones() {
    for setup in connect4_setups() {
        agrees_with_naive_rollouts::<Connect4>(&setup, 20);
    }
}

#[test]
fn a_steal_is_as_likely_as_any_column() {
    let three = connect4().with_size(4, 4).with(Connect4Rules {
        connect: 3,
        steal: true,
        ..Connect4Rules::default()
    });
    // Sixteen stones and the steal are still to come, then fifteen and the steal.
    for left in [17, 16] {
        agrees_with_enumeration::<Connect4>(&three, left, 1);
    }
}

#[test]
fn connect4_rollouts_agree_with_known_shares() {
    agrees_with_known_shares::<Connect4>(&connect4(), 0.5556, Some(0.0026));
    agrees_with_known_shares::<Connect4>(&connect4().with_size(12, 12), 0.5525, None);
}

#[test]
fn rollouts_last_as_long_as_known() {
    let gomoku = Setup::standard(GameKind::Gomoku);
    last_as_long_as_known::<Connect4>(&connect4(), 100_000, 21.31);
    last_as_long_as_known::<Connect4>(&connect4().with_size(12, 12), 50_000, 26.30);
    last_as_long_as_known::<Reversi>(&reversi(), 20_000, 59.97);
    last_as_long_as_known::<Gomoku>(&gomoku, 4_000, 109.06);
    last_as_long_as_known::<Gomoku>(&gomoku.with_size(20, 20), 2_000, 166.1);
}

#[test]
fn rollouts_last_as_long_as_naive_ones() {
    last_as_long_as_naive_ones::<Reversi>(&reversi(), 6, 4_000);
    for setup in connect4_setups() {
        last_as_long_as_naive_ones::<Connect4>(&setup, 6, 4_000);
    }
    let three = connect4().with_size(4, 4).with(Connect4Rules {
        connect: 3,
        steal: true,
        ..Connect4Rules::default()
    });
    last_as_long_as_naive_ones::<Connect4>(&three, 0, 4_000);
    for rule in Rule::ALL {
        for (cols, rows, positions) in [(5, 7, 6), (9, 9, 4), (20, 20, 1)] {
            let setup = Setup::standard(GameKind::Gomoku)
                .with_size(cols, rows)
                .with(rule);
            last_as_long_as_naive_ones::<Gomoku>(&setup, positions, 1_000);
        }
    }
}

#[test]
fn every_isa_makes_the_same_rollouts() {
    isas_agree::<Reversi>(&reversi(), 20);
    for setup in connect4_setups() {
        isas_agree::<Connect4>(&setup, 10);
    }
    let gomoku = Setup::standard(GameKind::Gomoku);
    for (cols, rows) in [(5, 10), (15, 15), (16, 15), (20, 20), (22, 22)] {
        for rule in [Rule::Freestyle, Rule::Exact] {
            let setup = gomoku.with_size(cols, rows).with(rule);
            isas_agree::<Gomoku>(&setup, 8);
        }
    }
}

/// The second side has to pass with its only disc, and then loses it.
#[test]
fn a_rollout_can_begin_with_a_pass() {
    let [first, second] = [(0, Side::First), (1, Side::Second)];
    let stones = [first, second].map(|(col, side)| (Point { col, row: 0 }, side));
    let passing = Reversi::from_stones(&reversi(), &stones, Side::Second).expect("a position");
    let other = Reversi::new(&reversi()).expect("a setup of the game");
    let mut random = Random::seed_from_u64(17);
    for isa in Isa::all() {
        for count in [1, 2, 3, 8, 100] {
            let tally = passing.rollouts_on(isa, count, &mut random);
            assert_eq!(tally.wins, [count, 0], "{isa:?}");
        }
        for (passes, others) in (1..=LANES).flat_map(|all| (0..all).map(move |it| (all - it, it))) {
            let mut leaves = vec![&other; others];
            leaves.resize(others + passes, &passing);
            let mut tallies = vec![Tally::default(); leaves.len()];
            Reversi::rollouts_of_each(isa, &leaves, 1, &mut random, &mut tallies);
            let passed = &tallies[others..];
            assert!(
                passed.iter().all(|tally| tally.wins == [1, 0]),
                "{isa:?}, {others} others and {passed:?}"
            );
        }
    }
}

#[test]
fn rollouts_from_several_leaves_are_those_of_each() {
    leaves_agree::<Reversi>(&reversi());
    for setup in connect4_setups() {
        leaves_agree::<Connect4>(&setup);
    }
    leaves_agree::<Gomoku>(&Setup::standard(GameKind::Gomoku).with_size(7, 7));
}

#[test]
#[ignore = "takes minutes"]
fn ten_million_rollouts_agree_with_naive_ones() {
    let mut random = Random::seed_from_u64(12);
    ten_million_agree(&Reversi::new(&reversi()).unwrap(), 2_000_000);
    for position in random_positions::<Reversi>(&reversi(), 2, &mut random, |_| 12) {
        ten_million_agree(&position, 4_000_000);
    }
    let twelve = connect4().with_size(12, 12).with(Connect4Rules {
        hole: Some(Point { col: 5, row: 5 }),
        ..Connect4Rules::default()
    });
    for (setup, left) in [(connect4(), 12), (twelve, 20)] {
        ten_million_agree(&Connect4::new(&setup).unwrap(), 4_000_000);
        for position in random_positions::<Connect4>(&setup, 2, &mut random, |_| left) {
            ten_million_agree(&position, 4_000_000);
        }
    }
    let gomoku = Setup::standard(GameKind::Gomoku);
    ten_million_agree(&Gomoku::new(&gomoku.with_size(20, 20)).unwrap(), 100_000);
    for rule in [Rule::Freestyle, Rule::Exact] {
        let setup = gomoku.with(rule);
        ten_million_agree(&Gomoku::new(&setup).unwrap(), 300_000);
        for left in [60, 20] {
            for position in random_positions::<Gomoku>(&setup, 1, &mut random, |_| left) {
                ten_million_agree(&position, 1_000_000);
            }
        }
    }
    // The rules that are played in sequence.
    for rule in [Rule::Renju, Rule::Caro, Rule::ExactCaro] {
        let setup = gomoku.with(rule);
        for position in random_positions::<Gomoku>(&setup, 1, &mut random, |_| 30) {
            ten_million_agree(&position, 1_000_000);
        }
    }
}
