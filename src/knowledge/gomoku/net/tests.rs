//! The net against a plain computation of the same, with every instruction set.

use super::lines::{self, REACH};
use super::weights::WeightsError;
use super::*;
use crate::game::gomoku::tests::{any_rule, random_position};
use crate::game::{Action, Playable, Rule};
use crate::rollout::Random;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

/// A net of random numbers, some as large as they may be.
fn random_net(seed: u64) -> Net {
    let mut random = Random::seed_from_u64(seed);
    let mut number = |most: i16| match random.random_range(0..8) {
        0 => most,
        1 => -most,
        _ => random.random_range(-most / 8..=most / 8),
    };
    let rows = (0..ROWS)
        .map(|_| Row(std::array::from_fn(|_| number(2047))))
        .collect();
    let mut hidden = Box::new([[[0; 2]; WIDTH]; WIDTH / 2]);
    for pair in hidden.as_flattened_mut() {
        *pair = std::array::from_fn(|_| number(1023));
    }
    let policy = std::array::from_fn(|_| number(1023));
    let mut float = || random.random_range(-0.5..0.5);
    let mut floats = || std::array::from_fn(|_| float());
    Net {
        rows,
        hidden,
        hidden_bias: floats().map(|bias: f32| (bias * 65536.0) as i32),
        policy,
        value: Box::new(Value {
            first: std::array::from_fn(|_| floats()),
            first_bias: floats(),
            second: std::array::from_fn(|_| floats()),
            second_bias: floats(),
            last: std::array::from_fn(|_| floats()),
            last_bias: [0.1, -0.2, 0.3],
        }),
    }
}

fn judged(net: &Net, isa: Isa, game: &Gomoku) -> Judgement {
    let mut out = Judgement::default();
    net.judge_on(isa, game, &Lines::of(game), 0.5, &mut out);
    out
}

/// The logit of an empty cell, in wide integers.
fn naive_logit(net: &Net, game: &Gomoku, cell: usize) -> f64 {
    let keys = Lines::of(game).keys(cell, game.side_to_move());
    let features: Vec<i64> = (0..WIDTH)
        .map(|i| {
            let rows = keys.map(|key| i64::from(net.rows[lines::row_within(key, REACH)].0[i]));
            rows.iter().sum::<i64>().max(0)
        })
        .collect();
    let hidden = (0..WIDTH).map(|j| {
        let products = (0..WIDTH).map(|i| features[i] * i64::from(net.hidden[i / 2][j][i % 2]));
        let sum = i64::from(net.hidden_bias[j]) + products.sum::<i64>();
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
        let near = near_cells(&game) & game.empty_cells();
        for cell in game.board::<8>().cells() {
            let logit = match near.contains(cell) {
                true => naive_logit(&net, &game, cell) as f32,
                false => FAR,
            };
            prop_assert_eq!(expected.logits[cell], logit);
        }
        prop_assert!((expected.chances.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        prop_assert!((0.0..=1.0).contains(&expected.value()));
        for isa in Isa::all() {
            let other = judged(&net, isa, &game);
            prop_assert_eq!(other.chances, expected.chances, "{:?}", isa);
            prop_assert_eq!(&other.logits[..], &expected.logits[..], "{:?}", isa);
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
            prop_assert_eq!(other.chances, original.chances);
            for point in game.setup().points() {
                let cells = [game.cell(point).unwrap(), image.cell(moved(point)).unwrap()];
                prop_assert_eq!(original.logits[cells[0]], other.logits[cells[1]]);
            }
            // And with the colours exchanged.
            let exchanged: Vec<_> = stones.iter().map(|&(point, side)| (point, side.other())).collect();
            let side = game.side_to_move().other();
            let exchanged = Gomoku::from_stones(&game.setup(), &exchanged, side).unwrap();
            prop_assert_eq!(judged(&net, Isa::current(), &exchanged).chances, original.chances);
        }
    }
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let net = random_net(7);
    let bytes = net.to_bytes();
    assert_eq!(Net::from_bytes(&bytes), Ok(net));
    assert_eq!(Net::from_bytes(b"nothing"), Err(WeightsError::NotWeights));
    assert_eq!(Net::from_bytes(b"tengen-g"), Err(WeightsError::NotWeights));
    let mut newer = bytes.clone();
    newer[8] = 9;
    assert_eq!(Net::from_bytes(&newer), Err(WeightsError::Version(9)));
    for length in [12, 19, 20, 1000, bytes.len() - 1] {
        assert_eq!(
            Net::from_bytes(&bytes[..length]),
            Err(WeightsError::Damaged)
        );
    }
    let mut changed = bytes.clone();
    changed[5000] ^= 1;
    assert_eq!(Net::from_bytes(&changed), Err(WeightsError::Damaged));
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(Net::from_bytes(&longer), Err(WeightsError::Damaged));
}

#[test]
fn an_empty_board_is_judged() {
    let setup = crate::game::Setup::standard(crate::game::GameKind::Gomoku);
    let game = Gomoku::new(&setup).unwrap();
    let out = judged(&random_net(1), Isa::current(), &game);
    assert!(out.logits.iter().all(|&logit| logit == FAR));
    assert!(game.parse_action(Action::point(7, 7)).is_some());
}
