use super::super::fitting::Fitting;
use super::super::model::{
    CENTRE, CONTEXT, CORNERS, DOUBT, DOUBT_BIAS, FIRST, FIRST_BIAS, HIDDEN, HIDDEN_BIAS, LAST,
    LINES, MIX_BIAS, POLICY, SECOND, SECOND_BIAS, SIDES,
};
use super::*;
use crate::game::gomoku::Gomoku;
use crate::game::gomoku::tests::random_position;
use crate::game::{Move, Playable, Rule};
use crate::knowledge::gomoku::net::Planes;
use crate::rollout::Random;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

fn training() -> Training {
    Fitting::new(1).training
}

/// Some plies of random play, the last with a target.
fn record(seed: u64) -> Record {
    let mut random = Random::seed_from_u64(seed);
    let game = random_position(9, 9, Rule::Freestyle, 0, seed);
    let mut record = Record {
        setup: game.setup(),
        opening: 12,
        result: Some(1.0),
        plies: Vec::new(),
    };
    let mut cells: Vec<u16> = game.board::<8>().cells().map(|cell| cell as u16).collect();
    for _ in 0..13 {
        let cell = cells.swap_remove(random.random_range(0..cells.len()));
        record.plies.push(Ply {
            cell,
            value: Some(0.25),
            policy: vec![(cell, 3), (cells[0], 1)],
        });
    }
    record
}

fn sample(seed: u64) -> Sample {
    let record = record(seed);
    Sample::new(&record, 12, &record.plies[12], 0.5).unwrap()
}

fn loss(fitter: &mut Fitter, sample: &Sample) -> f64 {
    let errors = fitter.errors(std::slice::from_ref(sample));
    errors.value + f64::from(training().policy) * errors.policy
}

#[test]
fn targets_are_half_result_and_half_search() {
    let sample = sample(1);
    // The first side is to move, which won.
    assert_eq!(sample.chances, [0.625, 0.0, 0.375]);
}

#[test]
fn doubts_learn_how_far_searches_are_from_values() {
    let mut fitter = Fitter::new(Model::new(3), training());
    fitter.set_rate(3e-3);
    let samples: Vec<Sample> = (0..8).map(sample).collect();
    fitter.step(&samples);
    let told = |fitter: &Fitter| [DOUBT, DOUBT_BIAS].map(|row| fitter.model.rows[row]);
    assert_eq!(
        told(&fitter),
        [[0.0; WIDTH]; 2],
        "results tell nothing of it"
    );

    let leaf = |seed| {
        let record = Record {
            result: None,
            ..record(seed)
        };
        Sample::new(&record, 12, &record.plies[12], 1.0).unwrap()
    };
    let leaf = [leaf(1)];
    let mut random = Random::seed_from_u64(1);
    for number in fitter.model.rows[DOUBT..COUNT].as_flattened_mut() {
        *number = random.random_range(-0.3..0.3);
    }
    let model = fitter.model.clone();
    fitter.run(&leaf, true);
    let mut moved = Fitter::new(model.clone(), training());
    for (row, i) in (0..WIDTH).map(|i| (DOUBT, i)).chain([(DOUBT_BIAS, 0)]) {
        let mut by = |step: f32| {
            moved.model.rows[row][i] = model.rows[row][i] + step;
            moved.errors(&leaf).doubt
        };
        let slope = (by(1e-2) - by(-1e-2)) / 2e-2;
        by(0.0);
        let gradient = f64::from(fitter.gradients.rows[row][i]);
        assert!(
            (slope - gradient).abs() < 1e-4 + 0.01 * gradient.abs(),
            "{row} {i} {slope} {gradient}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn gradients_are_slopes(seed: u64) {
        let model = Model::new(seed);
        let sample = sample(seed);
        let mut fitter = Fitter::new(model.clone(), training());
        fitter.run(std::slice::from_ref(&sample), true);
        fitter.share_gradients();
        let mut moved = Fitter::new(model.clone(), training());
        let mut random = Random::seed_from_u64(seed);
        let first = fitter.gradients.touched.iter().copied().find(|&row| row < ROWS).unwrap();
        let sevens = fitter.gradients.touched.iter().copied().rfind(|&row| row < LINES).unwrap();
        let rows = [
            first, sevens, CENTRE, SIDES, CORNERS, MIX_BIAS, HIDDEN + 3, HIDDEN_BIAS, CONTEXT + 7, POLICY, FIRST + 5, FIRST + 40, FIRST_BIAS,
            SECOND + 9, SECOND_BIAS, LAST, LAST + 2,
        ];
        let (mut wrong, mut all) = (0, 0);
        for row in rows {
            for _ in 0..4 {
                let i = random.random_range(0..WIDTH);
                let mut by = |step: f32| {
                    moved.model.rows[row][i] = model.rows[row][i] + step;
                    loss(&mut moved, &sample)
                };
                let slope = (by(2e-3) - by(-2e-3)) / 4e-3;
                by(0.0);
                let gradient = f64::from(fitter.gradients.rows[row][i]);
                all += 1;
                // Where a number crosses 0 in between, the slope is another.
                wrong += u32::from((slope - gradient).abs() > 2e-3 + 0.05 * gradient.abs());
            }
        }
        prop_assert!(wrong * 10 <= all, "{wrong} of {all} differ");
    }
}

#[test]
fn what_is_repeated_is_learned_and_the_integers_say_the_same() {
    let samples: Vec<Sample> = (0..8).map(sample).collect();
    let mut fitter = Fitter::new(Model::new(3), training());
    fitter.set_rate(3e-3);
    let before = fitter.errors(&samples).mean();
    for _ in 0..150 {
        fitter.step(&samples);
    }
    let after = fitter.errors(&samples).mean();
    assert!(after.square < before.square / 4.0, "{before:?} {after:?}");
    assert!(after.policy < before.policy - 1.0, "{before:?} {after:?}");

    // Saved and restored it goes on alike.
    let mut other = Fitter::new(Model::new(9), training());
    assert!(!other.restore(&fitter.save()[1..]));
    assert!(other.restore(&fitter.save()));
    other.set_rate(3e-3);
    let errors = [&mut fitter, &mut other].map(|it| it.step(&samples).mean().policy);
    assert_eq!(errors[0], errors[1]);

    let net = fitter.model.net();
    let again = Model::of(&net).net();
    assert_eq!(again, net);
    let record = record(5);
    let mut game = Gomoku::new(&record.setup).unwrap();
    for ply in &record.plies[..12] {
        game.play(Move::new(ply.cell));
    }
    let worth = worth::of_position(&Patterns::of(&game), game.side_to_move());
    let verdict = net.judge(&game, &Patterns::of(&game), worth, &mut Planes::default());
    let target = sample(5);
    let value = verdict.score();
    assert!((value - target.chances[0]).abs() < 0.1, "{value}");
}
