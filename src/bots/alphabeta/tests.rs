use super::*;
use crate::clock::TimeControl;
use crate::game::connect4::Connect4;
use crate::game::gomoku::Gomoku;
use crate::game::reversi::Reversi;
use crate::game::{
    Action, Connect4Rules, Game, GameKind, Moves, Outcome, Playable, Point, Setup, notation,
};
use crate::knowledge::Proof;
use crate::options::{Algorithm, AlphaBetaOptions, Named};
use crate::rollout::Random;
use crate::search::{End, StopFlag};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use std::time::Duration;

/// A position after so many random moves; fewer where the game would be over.
fn random_position<G: Playable>(setup: &Setup, plies: usize, seed: u64) -> G {
    let mut random = Random::seed_from_u64(seed);
    let mut position = G::new(setup).unwrap();
    let mut moves = Moves::new();
    for _ in 0..plies {
        position.legal_moves(&mut moves);
        let mut next = position.clone();
        next.play(moves[random.random_range(0..moves.len())]);
        if next.outcome().is_some() {
            break;
        }
        position = next;
    }
    position
}

fn options(algorithm: Algorithm, history: bool) -> AlphaBetaOptions {
    AlphaBetaOptions {
        algorithm,
        history,
        attack: 120,
        ..AlphaBetaOptions::default()
    }
}

/// What the last of the searches to depth 1, 2, .. `depth` finds.
fn found<G: Evaluate>(position: &G, options: &AlphaBetaOptions, depth: u32) -> Found {
    let (limits, stop) = (unlimited(), StopFlag::new());
    let mut searcher = Searcher::new(position, options, &limits, &stop);
    let searches = (1..=depth).map(|depth| searcher.search(depth).unwrap());
    searches.last().unwrap()
}

fn unlimited() -> Limits {
    Limits::unlimited(clock::now())
}

/// Every search finds what minimax finds, and those that prune look at no more.
fn check_agreement<G: Evaluate>(position: &G, depth: u32) -> Result<(), TestCaseError> {
    let of = |algorithm, history| found(position, &options(algorithm, history), depth);
    let minimax = of(Algorithm::Minimax, false);
    let agrees = |found: Found, name: &str| {
        prop_assert_eq!(found.value, minimax.value, "{} in\n{}", name, position);
        Ok(())
    };
    let negamax = of(Algorithm::Negamax, false);
    agrees(negamax, "negamax")?;
    prop_assert_eq!(negamax.nodes, minimax.nodes);
    for history in [false, true] {
        let fail_hard = of(Algorithm::AlphaBeta, history);
        let fail_soft = of(Algorithm::FailSoft, history);
        agrees(fail_hard, "alphabeta")?;
        agrees(fail_soft, "failsoft")?;
        agrees(of(Algorithm::Aspiration, history), "aspiration")?;
        agrees(of(Algorithm::Pvs, history), "pvs")?;
        prop_assert!(fail_hard.nodes <= minimax.nodes);
        prop_assert_eq!(fail_hard.nodes, fail_soft.nodes);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn all_searches_agree_in_gomoku(plies in 0..40usize, depth in 1..=3u32, seed: u64) {
        let setup = Setup::standard(GameKind::Gomoku).with_size(11, 9);
        check_agreement::<Gomoku>(&random_position(&setup, plies, seed), depth)?;
    }

    #[test]
    fn all_searches_agree_in_reversi(plies in 0..60usize, depth in 1..=4u32, seed: u64) {
        let setup = Setup::standard(GameKind::Reversi);
        check_agreement::<Reversi>(&random_position(&setup, plies, seed), depth)?;
    }

    #[test]
    fn all_searches_agree_in_connect4(plies in 0..42usize, depth in 1..=5u32, seed: u64) {
        let setup = Setup::standard(GameKind::Connect4).with(Connect4Rules { hole: Some(Point { col: 2, row: 4 }), steal: true, ..Connect4Rules::default() });
        check_agreement::<Connect4>(&random_position(&setup, plies, seed), depth)?;
    }
}

fn connect4_after(moves: &str) -> Connect4 {
    notation::position(&Setup::standard(GameKind::Connect4), moves).unwrap()
}

fn think<G: Evaluate>(position: &G, options: AlphaBetaOptions, limits: &Limits) -> Report {
    think_until(&StopFlag::new(), position, options, limits)
}

fn think_until<G: Evaluate>(
    stop: &StopFlag,
    position: &G,
    options: AlphaBetaOptions,
    limits: &Limits,
) -> Report {
    let on_info = &mut |_| {};
    let task = Task {
        limits,
        stop,
        on_info,
    };
    AlphaBeta::new(options).think(position, task)
}

#[test]
fn a_win_is_made_and_a_loss_is_seen() {
    for &algorithm in Algorithm::ALL {
        let of = |moves, depth| {
            let options = AlphaBetaOptions {
                depth,
                ..options(algorithm, false)
            };
            think(&connect4_after(moves), options, &unlimited())
        };
        let win = of("414141", 6);
        assert_eq!((win.best, win.depth), (Some(Action::Column(3)), 1));
        assert!(win.value > 0.999);
        // Three in a row with both ends open: stopping one end only chooses the other.
        let loss = of("33445", 6);
        assert!(loss.value < 0.001, "{algorithm}: {}", loss.value);
    }
}

#[test]
fn a_finished_game_has_no_move() {
    let position = connect4_after("4141414");
    assert_eq!(position.outcome(), Some(Outcome::from_margin(1)));
    let report = think(&position, AlphaBetaOptions::default(), &unlimited());
    let lost = Proof::loss(0);
    let expected = Report {
        value: 0.0,
        proof: Some(lost),
        ..Report::default()
    };
    assert_eq!(report, expected);
}

#[test]
fn nodes_are_limited() {
    let position = connect4_after("44");
    for most in [1, 2, 10, 1000] {
        let limits = Limits {
            playouts: Some(most),
            ..unlimited()
        };
        let options = AlphaBetaOptions {
            depth: 64,
            ..options(Algorithm::FailSoft, true)
        };
        let report = think(&position, options, &limits);
        assert!(report.best.is_some());
        assert_eq!(report.playouts, most);
    }
}

#[test]
fn a_search_ends_with_its_time_or_when_told() {
    let setup = Setup::standard(GameKind::Gomoku).with_size(20, 20);
    let position = random_position::<Gomoku>(&setup, 30, 1);
    let options = AlphaBetaOptions {
        depth: 64,
        ..options(Algorithm::Minimax, false)
    };
    let time = TimeControl::per_move(Duration::from_millis(50));
    let limits = Limits {
        budget: time.budget(100, Duration::ZERO),
        ..unlimited()
    };
    let report = think(&position, options.clone(), &limits);
    assert!(report.best.is_some() && report.depth < 64);

    let stop = StopFlag::new();
    stop.set(End::Asked);
    let report = think_until(&stop, &position, options, &unlimited());
    assert!(report.best.is_some());
    assert_eq!(report.depth, 0);
}

#[test]
fn attack_and_defence_change_what_a_position_is_worth() {
    let position = connect4_after("4455");
    let value = |attack, defence| {
        let options = AlphaBetaOptions {
            attack,
            defence,
            ..AlphaBetaOptions::default()
        };
        found(&position, &options, 2).value
    };
    assert!(value(100, 0) >= 0 && value(0, 100) <= 0);
    assert!(value(200, 100) > value(100, 100));
}
