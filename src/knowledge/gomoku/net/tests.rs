//! The net against a plain computation of the same, with every instruction set.

use super::lines::{ROWS, Sight};
use super::seen::near_cells;
use super::weights::WeightsError;
use super::*;
use crate::game::gomoku::tests::{any_rule, random_position};
use crate::game::{Action, Game, Playable, Rule};
use crate::rollout::Random;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;

/// A net of random numbers, some as large as they may be.
fn random_net(seed: u64) -> Net {
    let mut random = Random::seed_from_u64(seed);
    let mut number = |most: i16| match random.random_range(0..8) {
        0 => most,
        1 => -most,
        _ => random.random_range(-most / 8..=most / 8),
    };
    let rows = (0..ROWS)
        .map(|_| Row(std::array::from_fn(|_| number(ROW_MOST))))
        .collect();
    let mut hidden = Box::new([[[0; 2]; WIDTH]; WIDTH / 2]);
    for pair in hidden.as_flattened_mut() {
        *pair = std::array::from_fn(|_| number(WEIGHT_MOST));
    }
    let policy = std::array::from_fn(|_| number(WEIGHT_MOST));
    let mut mixer_row = |most| std::array::from_fn(|_| number(most));
    let mixer = Mixer {
        centre: mixer_row(i16::MAX),
        sides: mixer_row(i16::MAX),
        corners: mixer_row(i16::MAX),
        bias: mixer_row(1000),
    };
    let mut float = || random.random_range(-0.5..0.5);
    let mut floats = || std::array::from_fn(|_| float());
    Net {
        rows,
        mixer,
        hidden,
        hidden_bias: floats().map(|bias: f32| (bias * 65536.0) as i32),
        context: Box::new(std::array::from_fn(|_| floats())),
        policy,
        value: Box::new(Value {
            first: std::array::from_fn(|_| floats()),
            first_bias: floats(),
            second: std::array::from_fn(|_| floats()),
            second_bias: floats(),
            last: std::array::from_fn(|_| floats()),
            last_bias: [0.1, -0.2, 0.3],
            doubt: floats(),
            doubt_bias: -0.4,
        }),
    }
}

/// What a net says of a position.
#[derive(Debug, PartialEq)]
struct Judgement {
    verdict: Verdict,
    /// By the number of the empty cell.
    logits: Vec<(usize, f32)>,
}

fn judged(net: &Net, isa: Isa, game: &Gomoku) -> Judgement {
    judged_after(net, isa, game, &mut Planes::default())
}

fn judged_after(net: &Net, isa: Isa, game: &Gomoku, planes: &mut Planes) -> Judgement {
    let board = Patterns::of(game);
    let verdict = net.judge_on(isa, game, &board, 0.5, planes);
    let cells: Vec<usize> = game.empty_cells::<8>().cells().collect();
    let moves: Vec<Move> = cells.iter().map(|&cell| Gomoku::move_at(cell)).collect();
    let mut logits = vec![0.0; moves.len()];
    net.rate_on(isa, game, &board, planes, &moves, &mut logits);
    assert!(planes.is_consistent());
    Judgement {
        verdict,
        logits: cells.into_iter().zip(logits).collect(),
    }
}

/// The mixes of all cells near stones, in wide integers, by cell.
fn naive_mixes(net: &Net, game: &Gomoku) -> HashMap<usize, [i64; WIDTH]> {
    let board = Patterns::of(game);
    let near = near_cells(game);
    let feature = |cell: usize, i: usize| {
        let rows = Sight::of(game.side_to_move()).rows(&board, cell);
        let rows = rows.map(|row| i64::from(net.rows[usize::from(row)].0[i]));
        rows.iter().sum::<i64>().max(0)
    };
    let mix = |cell: usize| {
        let at = game.point(cell);
        std::array::from_fn(|i| {
            let sum = |steps: [(i32, i32); 4]| {
                let beside = steps.into_iter().filter_map(|(dx, dy)| {
                    let col = u8::try_from(i32::from(at.col) + dx).ok()?;
                    let row = u8::try_from(i32::from(at.row) + dy).ok()?;
                    let point = crate::game::Point { col, row };
                    game.setup().contains(point).then(|| game.cell(point))?
                });
                let near = beside.filter(|&cell| near.contains(cell));
                near.map(|cell| feature(cell, i)).sum::<i64>()
            };
            let Mixer {
                centre,
                sides,
                corners,
                bias,
            } = &net.mixer;
            let parts = [
                (4 * feature(cell, i), centre[i]),
                (sum([(1, 0), (-1, 0), (0, 1), (0, -1)]), sides[i]),
                (sum([(1, 1), (-1, -1), (1, -1), (-1, 1)]), corners[i]),
            ];
            let parts = parts.map(|(sum, weight)| (sum * i64::from(weight)).div_euclid(4 * 16384));
            // What a short integer cannot hold stays at its end, from step to step.
            let [first, rest @ ..] = [parts[0], parts[1], parts[2], i64::from(bias[i])];
            let sum = rest
                .iter()
                .fold(first, |sum, part| (sum + part).clamp(-32768, 32767));
            sum.max(0)
        })
    };
    near.cells().map(|cell| (cell, mix(cell))).collect()
}

/// The first layer of the value.
fn naive_first(net: &Net, game: &Gomoku, mixes: &HashMap<usize, [i64; WIDTH]>) -> [f32; WIDTH] {
    let empty = game.empty_cells::<8>();
    let sum = |is_empty: bool, i: usize| {
        let cells = mixes
            .iter()
            .filter(|(cell, _)| empty.contains(**cell) == is_empty);
        cells.map(|(_, mix)| mix[i]).sum::<i64>() as f32 / (256.0 * SUM_UNIT)
    };
    std::array::from_fn(|j| {
        let mut number = net.value.first_bias[j];
        for i in 0..2 * WIDTH {
            number += sum(i < WIDTH, i % WIDTH) * net.value.first[i][j];
        }
        number.max(0.0)
    })
}

/// The logit of an empty cell with this mix, in wide integers.
fn naive_logit(net: &Net, first: &[f32; WIDTH], mix: &[i64; WIDTH]) -> f64 {
    let hidden = (0..WIDTH).map(|j| {
        let mut context = 0.0f32;
        for (number, weights) in first.iter().zip(net.context.iter()) {
            context += number * weights[j];
        }
        let context = (context.clamp(-CONTEXT_MOST, CONTEXT_MOST) * 65536.0) as i64;
        let products = (0..WIDTH).map(|i| mix[i] * i64::from(net.hidden[i / 2][j][i % 2]));
        let sum = i64::from(net.hidden_bias[j]) + context + products.sum::<i64>();
        (sum.max(0) / 256).min(32767)
    });
    let logit: i64 = hidden.zip(net.policy).map(|(a, b)| a * i64::from(b)).sum();
    logit as f64 / 65536.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_instruction_set_says_the_same(
        cols in 5u8..=22, rows in 5u8..=22, rule in any_rule(), plies in 0u32..80, seed: u64,
    ) {
        let net = random_net(seed);
        let game = random_position(cols, rows, rule, plies, seed);
        let portable = Isa::all().into_iter().find(|isa| isa.is_portable()).unwrap();
        let expected = judged(&net, portable, &game);
        let mixes = naive_mixes(&net, &game);
        let first = naive_first(&net, &game, &mixes);
        for &(cell, logit) in &expected.logits {
            let naive = mixes.get(&cell).map_or(0.0, |mix| naive_logit(&net, &first, mix) as f32);
            prop_assert_eq!(logit, naive);
        }
        prop_assert!((expected.verdict.chances.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        prop_assert!((0.0..=1.0).contains(&expected.verdict.score()));
        for isa in Isa::all() {
            let other = judged(&net, isa, &game);
            prop_assert_eq!(&other, &expected, "{:?}", isa);
        }
    }

    #[test]
    fn what_was_judged_before_does_not_matter(
        size in 5u8..=22, other_size in 5u8..=22, rule in any_rule(),
        plies in prop::collection::vec(0u32..80, 2..12), seed: u64,
    ) {
        let (net, isa) = (random_net(seed), Isa::current());
        let mut planes = Planes::default();
        let of_game = |plies: u32| random_position(size, size, rule, plies, seed);
        let last = plies[0];
        // Near and far positions of one game, then one on another board, and back.
        let mut games: Vec<Gomoku> = plies.into_iter().map(of_game).collect();
        games.extend([last, last + 1, last + 2, last].map(of_game));
        games.push(random_position(other_size, size, rule, last, seed));
        games.push(of_game(last));
        for game in &games {
            prop_assert_eq!(judged_after(&net, isa, game, &mut planes), judged(&net, isa, game));
        }
    }

    #[test]
    fn symmetric_positions_are_judged_alike(plies in 0u32..60, size in 5u8..=22, seed: u64) {
        let net = random_net(seed);
        let game = random_position(size, size, Rule::Freestyle, plies, seed);
        let original = judged(&net, Isa::current(), &game);
        for symmetry in 0..8 {
            let moved = |point: crate::game::Point| {
                let last = size - 1;
                let (col, row) = match symmetry & 1 {
                    0 => (point.col, point.row),
                    _ => (point.row, point.col),
                };
                let col = if symmetry & 2 == 0 { col } else { last - col };
                let row = if symmetry & 4 == 0 { row } else { last - row };
                crate::game::Point { col, row }
            };
            let stones: Vec<_> = game.setup().points()
                .filter_map(|point| Some((moved(point), game.stone_at(point)?)))
                .collect();
            let image = Gomoku::from_stones(&game.setup(), &stones, game.side_to_move()).unwrap();
            let other = judged(&net, Isa::current(), &image);
            prop_assert_eq!(other.verdict, original.verdict);
            for point in game.setup().points() {
                let cells = [game.cell(point).unwrap(), image.cell(moved(point)).unwrap()];
                let logit = |of: &Judgement, cell: usize| {
                    of.logits.iter().find(|it| it.0 == cell).map(|it| it.1)
                };
                prop_assert_eq!(logit(&original, cells[0]), logit(&other, cells[1]));
            }
            // And with the colours exchanged.
            let exchanged: Vec<_> = stones.iter().map(|&(point, side)| (point, side.other())).collect();
            let side = game.side_to_move().other();
            let exchanged = Gomoku::from_stones(&game.setup(), &exchanged, side).unwrap();
            prop_assert_eq!(judged(&net, Isa::current(), &exchanged).verdict, original.verdict);
        }
    }
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let different = SideNets::different([random_net(5), random_net(6)]);
    let read = SideNets::from_bytes(&different.to_bytes()).unwrap();
    assert_eq!((read.each().len(), read), (2, different));
    let same = SideNets::same(random_net(7));
    let bytes = same.to_bytes();
    let read = SideNets::from_bytes(&bytes).unwrap();
    assert_eq!((read.each().len(), read), (1, same));
    assert_eq!(
        SideNets::from_bytes(b"nothing"),
        Err(WeightsError::NotWeights)
    );
    assert_eq!(
        SideNets::from_bytes(b"tengen-g"),
        Err(WeightsError::NotWeights)
    );
    let mut newer = bytes.clone();
    newer[8] = 9;
    assert_eq!(SideNets::from_bytes(&newer), Err(WeightsError::Version(9)));
    for length in [12, 20, 21, 25, 1000, bytes.len() - 1] {
        assert_eq!(
            SideNets::from_bytes(&bytes[..length]),
            Err(WeightsError::Damaged)
        );
    }
    let mut changed = bytes.clone();
    changed[5000] ^= 1;
    assert_eq!(SideNets::from_bytes(&changed), Err(WeightsError::Damaged));
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(SideNets::from_bytes(&longer), Err(WeightsError::Damaged));
}

#[test]
fn numbers_that_are_too_large_or_none_are_refused() {
    let changes: [fn(&mut Net); 6] = [
        |net| net.rows[7].0[9] = ROW_MOST + 1,
        |net| net.rows[ROWS - 1].0[0] = i16::MIN,
        |net| net.hidden[31][63][1] = -WEIGHT_MOST - 1,
        |net| net.policy[5] = WEIGHT_MOST + 1,
        |net| net.value.second[3][2] = f32::NAN,
        |net| net.value.doubt_bias = f32::INFINITY,
    ];
    for change in changes {
        let mut net = random_net(8);
        change(&mut net);
        let read = SideNets::from_bytes(&SideNets::same(net).to_bytes());
        assert_eq!(read, Err(WeightsError::Damaged));
    }
}

#[cfg(feature = "weights-gomoku")]
#[test]
fn every_rule_has_nets_of_this_program() {
    for rule in Rule::ALL {
        assert!(SideNets::own(rule).is_some(), "{rule}");
    }
}

#[test]
fn nets_of_the_version_before_have_no_doubts() {
    let net = random_net(7);
    let bytes = SideNets::same(net.clone()).to_bytes();
    let doubts = (WIDTH + 1) * size_of::<f32>();
    let mut old = bytes[..bytes.len() - size_of::<u64>() - doubts].to_vec();
    old[8] = 5;
    old.extend(weights::checksum_of(&old).to_le_bytes());
    let read = SideNets::from_bytes(&old).unwrap();
    let mut expected = net;
    (expected.value.doubt, expected.value.doubt_bias) = ([0.0; WIDTH], 0.0);
    assert_eq!(read, SideNets::same(expected));
}

#[test]
fn an_empty_board_is_judged() {
    let setup = crate::game::Setup::standard(crate::game::GameKind::Gomoku);
    let game = Gomoku::new(&setup).unwrap();
    let out = judged(&random_net(1), Isa::current(), &game);
    assert!(out.logits.iter().all(|&(_, logit)| logit == 0.0));
    assert!(game.parse_action(Action::point(7, 7)).is_some());
}
