use super::*;
use crate::game::{Connect4Rules, GameKind, Move, Moves, Outcome, Point, Setup};
use crate::rollout::any_move;
use rand::{RngExt, SeedableRng};

/// Boards for every width of a field, with every length of a row.
fn setups() -> Vec<Setup> {
    let sizes = [
        (7, 6, None),
        (8, 7, Some((2, 3))),
        (12, 9, Some((0, 8))),
        (5, 8, None),
        (10, 11, Some((9, 4))),
        (12, 12, Some((6, 0))),
        (4, 12, Some((1, 10))),
    ];
    let setups = sizes.into_iter().flat_map(|(cols, rows, hole)| {
        let usual = Setup::standard(GameKind::Connect4).with_size(cols, rows);
        [3, 4, 5].map(|connect| {
            usual.with(Connect4Rules {
                connect,
                hole: hole.map(|(col, row)| Point { col, row }),
                ..usual.connect4()
            })
        })
    });
    setups.collect()
}

/// Positions of one setup that are not over, from early to late.
fn positions(setup: &Setup, count: u32, random: &mut Random) -> Vec<Connect4> {
    let opening = Connect4::new(setup).unwrap();
    let mut positions = Vec::new();
    while positions.len() < count as usize {
        let mut position = opening.clone();
        for _ in 0..random.random_range(0..40) {
            if position.outcome().is_none() {
                let mv = any_move(&position, &mut Moves::new(), random);
                position.play(mv);
            }
        }
        if position.outcome().is_none() {
            positions.push(position);
        }
    }
    positions
}

/// Whether a stone of `side` on a free cell makes a row, by walking from it.
fn completes(position: &Connect4, side: Side, col: i8, row: i8) -> bool {
    let is_own = |col: i8, row: i8| {
        let on_board = col >= 0 && row >= 0;
        let point = |_| Point {
            col: col as u8,
            row: row as u8,
        };
        on_board
            .then_some(())
            .map(point)
            .and_then(|point| position.stone_at(point))
            == Some(side)
    };
    [(0, 1), (1, 0), (1, 1), (1, -1)]
        .into_iter()
        .any(|(across, down)| {
            let run = |sign: i8| {
                (1..)
                    .take_while(|by| is_own(col + sign * by * across, row + sign * by * down))
                    .count()
            };
            run(1) + run(-1) + 1 >= usize::from(position.rules().connect)
        })
}

/// The rows of the free cells of a column, lowest first.
fn free_rows(position: &Connect4, col: u8) -> Vec<i8> {
    let setup = position.setup();
    let points = (0..setup.rows).rev().map(|row| Point { col, row });
    let free =
        points.filter(|&point| position.stone_at(point).is_none() && setup.hole() != Some(point));
    free.map(|point| point.row as i8).collect()
}

/// A game of players who look one ply ahead, by the rules alone.
fn naive(position: &Connect4, random: &mut Random) -> Outcome {
    /// From this one on the choices are quiet moves.
    const FIRST_QUIET: usize = 3;
    let mut position = position.clone();
    let mut moves = Moves::new();
    let mut last = None;
    loop {
        if let Some(outcome) = position.outcome() {
            return outcome;
        }
        let side = position.side_to_move();
        position.legal_moves(&mut moves);
        let makes = |mv: &Move, side: Side, ahead: usize| {
            let col = mv.code() as u8;
            let row = free_rows(&position, col).get(ahead).copied();
            row.is_some_and(|row| completes(&position, side, col as i8, row))
        };
        let only = |keep: &dyn Fn(&Move) -> bool| -> Moves {
            moves.iter().copied().filter(|mv| keep(mv)).collect()
        };
        let choices = [
            only(&|mv| makes(mv, side, 0)),
            only(&|mv| makes(mv, side.other(), 0)),
            only(&|mv| !makes(mv, side.other(), 1) && makes(mv, side, 1) && makes(mv, side, 2)),
            only(&|mv| !makes(mv, side.other(), 1) && !makes(mv, side, 1)),
            only(&|mv| !makes(mv, side.other(), 1)),
            moves.clone(),
        ];
        let (rule, choice) = (0..)
            .zip(&choices)
            .find(|(_, choice)| !choice.is_empty())
            .unwrap();
        let follows = rule >= FIRST_QUIET && random.random_range(0..1 << FOLLOW_BITS) > 0;
        let mv = match last.filter(|mv| follows && choice.contains(mv)) {
            Some(last) => last,
            None => choice[random.random_range(0..choice.len())],
        };
        last = Some(mv);
        position.play(mv);
    }
}

#[test]
fn rollouts_agree_with_naive_ones() {
    const NAIVE: u32 = 500;
    const LANES: u32 = 20_000;
    let mut random = Random::seed_from_u64(5);
    for setup in setups() {
        for position in positions(&setup, 2, &mut random) {
            let mut expected = Tally::default();
            for _ in 0..NAIVE {
                expected.add(naive(&position, &mut random));
            }
            let seen = rollouts(&position, Isa::current(), LANES, &mut random);
            assert_eq!(seen.rollouts, LANES);
            for side in [Side::First, Side::Second].map(Side::index) {
                let share = |tally: &Tally| f64::from(tally.wins[side]) / f64::from(tally.rollouts);
                let (seen, expected) = (share(&seen), share(&expected));
                let variance =
                    seen * (1.0 - seen) * (1.0 / f64::from(NAIVE) + 1.0 / f64::from(LANES));
                // Five standard deviations.
                assert!(
                    (seen - expected).abs() <= 5.0 * variance.sqrt() + 1e-9,
                    "{seen} and not {expected} of side {side} in\n{position}"
                );
            }
        }
    }
}

#[test]
fn every_isa_makes_the_same_rollouts() {
    let mut random = Random::seed_from_u64(6);
    for setup in setups() {
        for position in positions(&setup, 3, &mut random) {
            let seed = random.next_u64();
            for count in [1, 7, 8, 9, 100] {
                let on_isa = |isa| {
                    let mut random = Random::seed_from_u64(seed);
                    rollouts(&position, isa, count, &mut random)
                };
                let isas = Isa::all();
                let expected = on_isa(isas[isas.len() - 1]);
                assert_eq!(expected.rollouts, count);
                for isa in isas {
                    assert_eq!(on_isa(isa), expected, "{isa:?}, {count} of\n{position}");
                }
            }
        }
    }
}
