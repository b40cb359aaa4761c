//! Fast playouts have the distribution of uniform ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use rand::{Rng, RngExt, SeedableRng};
use std::collections::BTreeMap;
use tengen::game::connect4::Connect4;
use tengen::game::gomoku::Gomoku;
use tengen::game::reversi::Reversi;
use tengen::game::{Action, Game, GameKind, Moves, Outcome, Point, Rule, Setup, Side};
use tengen::playout::{Playout, Random, Tally, naive_rollout};
use tengen::simd::Path;

/// How many standard deviations a sample may lie off. Chance alone passes this once in two
/// million comparisons; the seeds are fixed, so that a test that passes goes on passing.
const DEVIATIONS: f64 = 5.0;

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

/// How far the share of an event with this probability may lie off in `count` games.
fn tolerance(probability: f64, count: u32) -> f64 {
    const ROUNDING: f64 = 1e-9;
    let variance = probability * (1.0 - probability) / f64::from(count);
    DEVIATIONS * variance.max(0.0).sqrt() + ROUNDING
}

/// A position with at most `left` more moves possible, reached by random play that avoids the end
/// of the game. `None` when it could not be avoided.
fn random_position<G: Game>(setup: &Setup, left: u32, random: &mut Random) -> Option<G> {
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

/// So many random positions, each with at most `left()` more moves possible.
fn random_positions<G: Game>(
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

/// Compares many playouts at once with the exact distribution: how often each side wins, and by
/// how much.
fn tally_agrees<G: Playout>(position: &G, exact: &Distribution, count: u32, random: &mut Random) {
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

/// Compares playouts with all games that can still be played, near the end.
fn agrees_with_enumeration<G: Playout>(setup: &Setup, left: u32, positions: usize) {
    const COUNT: u32 = 20_000;
    let mut random = Random::seed_from_u64(7);
    for position in random_positions::<G>(setup, positions, &mut random, |_| left) {
        let mut exact = Distribution::new();
        enumerate(&position, 1.0, &mut exact);
        tally_agrees(&position, &exact, COUNT, &mut random);
        let found = sample(COUNT, || position.rollout(&mut random));
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

/// Compares playouts with naive ones from positions of every phase of the game.
fn agrees_with_naive_playouts<G: Playout>(setup: &Setup, positions: usize) {
    const COUNT: u32 = 4_000;
    let mut random = Random::seed_from_u64(8);
    let longest = G::new(setup).expect("a setup of the game").max_plies_left();
    let left = |random: &mut Random| random.random_range(1..=longest);
    for position in random_positions::<G>(setup, positions, &mut random, left) {
        let fast = sample(COUNT, || position.rollout(&mut random));
        let naive = sample(COUNT, || naive_rollout(&position, &mut random));
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

/// Every path gives the same playouts, whatever their number.
fn paths_agree<G: Playout>(setup: &Setup, positions: usize) {
    let mut random = Random::seed_from_u64(6);
    let longest = G::new(setup).expect("a setup of the game").max_plies_left();
    let left = |random: &mut Random| random.random_range(1..=longest);
    for (seed, position) in (0..).zip(random_positions::<G>(setup, positions, &mut random, left)) {
        for count in [1, 2, 3, 4, 7, 8, 9, 100] {
            let of_path = |path: Path| {
                let mut random = Random::seed_from_u64(seed);
                let tally = position.rollouts_on(path, count, &mut random);
                (tally, random.next_u64())
            };
            let paths = Path::all();
            let expected = of_path(paths[paths.len() - 1]);
            assert_eq!(expected.0.rollouts, count);
            for path in paths {
                assert_eq!(of_path(path), expected, "{path:?}, {count} of\n{position}");
            }
        }
    }
}

/// Compares ten million playouts of every path with naive ones, of which there are so many:
/// wins and draws lie within three standard errors.
fn ten_million_agree<G: Playout>(position: &G, naive_count: u32) {
    const COUNT: u32 = 10_000_000;
    let mut random = Random::seed_from_u64(10);
    let mut naive = Tally::default();
    for _ in 0..naive_count {
        naive.add(naive_rollout(position, &mut random));
    }
    let shares = |tally: &Tally| {
        let count = f64::from(tally.rollouts);
        let [first, second] = tally.wins.map(|wins| f64::from(wins) / count);
        [first, 1.0 - first - second]
    };
    for path in Path::all() {
        let fast = position.rollouts_on(path, COUNT, &mut Random::seed_from_u64(11));
        for (fast, naive) in shares(&fast).into_iter().zip(shares(&naive)) {
            let mean = (fast + naive) / 2.0;
            let per_count = 1.0 / f64::from(COUNT) + 1.0 / f64::from(naive_count);
            let error = (mean * (1.0 - mean) * per_count).max(0.0).sqrt();
            assert!(
                (fast - naive).abs() <= 3.0 * error + 1e-9,
                "{path:?}: {fast} and not {naive} ±{error} in\n{position}"
            );
        }
    }
}

/// Compares playouts from the opening with shares measured with other programs.
fn agrees_with_known_shares<G: Playout>(setup: &Setup, first: f64, drawn: Option<f64>) {
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

/// Compares the mean length of naive playouts from the opening, in plies that are no passes, with
/// that of other programs.
///
/// They are the yardstick for the fast ones, of which most have no length: lanes of Connect Four
/// drop stones after the end and Gomoku is bisected. A game that ended too early or too late would
/// change who wins near the end, where every game is tried.
fn naive_playouts_last<G: Game>(setup: &Setup, count: u32, expected: f64) {
    /// A unit in the second decimal, to which they are known.
    const LAST_DIGIT: f64 = 0.01;
    let mut random = Random::seed_from_u64(13);
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut moves = Moves::new();
    for _ in 0..count {
        let mut position = G::new(setup).expect("a setup of the game");
        let mut plies = 0.0;
        while position.outcome().is_none() {
            position.legal_moves(&mut moves);
            let mv = moves[random.random_range(0..moves.len())];
            plies += f64::from(u8::from(position.action(mv) != Action::Pass));
            position.play(mv);
        }
        sum += plies;
        squares += plies * plies;
    }
    let count = f64::from(count);
    let mean = sum / count;
    let error = ((squares / count - mean * mean) / count).sqrt();
    assert!(
        (mean - expected).abs() <= 3.0 * error + LAST_DIGIT,
        "{mean} ±{error} plies and not {expected}"
    );
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
    let board = |cols, rows, connect, hole: Option<(u8, u8)>| Setup {
        connect,
        hole: hole.map(|(col, row)| Point { col, row }),
        ..connect4().with_size(cols, rows)
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
fn reversi_playouts_agree_with_enumeration() {
    agrees_with_enumeration::<Reversi>(&reversi(), 11, 60);
}

#[test]
fn reversi_playouts_agree_with_naive_ones() {
    agrees_with_naive_playouts::<Reversi>(&reversi(), 40);
}

#[test]
fn reversi_playouts_agree_with_known_shares() {
    agrees_with_known_shares::<Reversi>(&reversi(), 0.454, Some(0.0418));
}

#[test]
fn connect4_playouts_agree_with_enumeration() {
    for setup in connect4_setups() {
        agrees_with_enumeration::<Connect4>(&setup, 8, 12);
    }
}

#[test]
fn connect4_playouts_agree_with_naive_ones() {
    for setup in connect4_setups() {
        agrees_with_naive_playouts::<Connect4>(&setup, 20);
    }
}

#[test]
fn a_steal_is_as_likely_as_any_column() {
    let three = Setup {
        connect: 3,
        steal: true,
        ..connect4().with_size(4, 4)
    };
    // Sixteen stones and the steal are still to come, then fifteen and the steal.
    for left in [17, 16] {
        agrees_with_enumeration::<Connect4>(&three, left, 1);
    }
}

#[test]
fn connect4_playouts_agree_with_known_shares() {
    agrees_with_known_shares::<Connect4>(&connect4(), 0.5556, Some(0.0026));
    agrees_with_known_shares::<Connect4>(&connect4().with_size(12, 12), 0.5525, None);
}

#[test]
fn naive_playouts_last_as_long_as_known() {
    let gomoku = Setup::standard(GameKind::Gomoku);
    naive_playouts_last::<Connect4>(&connect4(), 100_000, 21.31);
    naive_playouts_last::<Connect4>(&connect4().with_size(12, 12), 50_000, 26.30);
    naive_playouts_last::<Reversi>(&reversi(), 20_000, 59.97);
    naive_playouts_last::<Gomoku>(&gomoku, 4_000, 109.06);
    naive_playouts_last::<Gomoku>(&gomoku.with_size(20, 20), 2_000, 166.1);
}

#[test]
fn every_path_makes_the_same_playouts() {
    paths_agree::<Reversi>(&reversi(), 20);
    for setup in connect4_setups() {
        paths_agree::<Connect4>(&setup, 10);
    }
    let gomoku = Setup::standard(GameKind::Gomoku);
    for (cols, rows) in [(5, 10), (15, 15), (16, 15), (20, 20), (22, 22)] {
        for rule in [Rule::Freestyle, Rule::Exact] {
            let setup = Setup {
                rule,
                ..gomoku.with_size(cols, rows)
            };
            paths_agree::<Gomoku>(&setup, 8);
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn ten_million_playouts_agree_with_naive_ones() {
    let mut random = Random::seed_from_u64(12);
    ten_million_agree(&Reversi::new(&reversi()).unwrap(), 2_000_000);
    for position in random_positions::<Reversi>(&reversi(), 2, &mut random, |_| 12) {
        ten_million_agree(&position, 4_000_000);
    }
    let twelve = Setup {
        hole: Some(Point { col: 5, row: 5 }),
        ..connect4().with_size(12, 12)
    };
    for (setup, left) in [(connect4(), 12), (twelve, 20)] {
        ten_million_agree(&Connect4::new(&setup).unwrap(), 4_000_000);
        for position in random_positions::<Connect4>(&setup, 2, &mut random, |_| left) {
            ten_million_agree(&position, 4_000_000);
        }
    }
    for rule in [Rule::Freestyle, Rule::Exact] {
        let setup = Setup {
            rule,
            ..Setup::standard(GameKind::Gomoku)
        };
        ten_million_agree(&Gomoku::new(&setup).unwrap(), 300_000);
        for position in random_positions::<Gomoku>(&setup, 1, &mut random, |_| 60) {
            ten_million_agree(&position, 1_000_000);
        }
    }
}
