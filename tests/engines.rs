//! Engines of every protocol in the match. Tengen itself is the other end, by the protocols that
//! its own pages show, and so are its clocks.

use crate::played::records_of;
use std::process::Command;
use tengen::arena::records::record::{GameRecord, MoveRecord};

const TENGEN: &str = env!("CARGO_BIN_EXE_tengen");

/// The engine `protocol:tengen --protocol …` with these arguments.
fn engine(protocol: &str, arguments: &str) -> String {
    format!("{protocol}:{TENGEN} --protocol {protocol} --memory 16 {arguments}")
}

fn play(name: &str, engines: [&str; 2], arguments: &str) -> Vec<GameRecord> {
    let mut command = Command::new(TENGEN);
    command
        .arg("match")
        .args(engines)
        .args(arguments.split(' '));
    let records = records_of(name, &mut command);
    for record in &records {
        let fault = record.termination.is_fault();
        assert!(!fault, "{}: {:?}", record.termination, record.detail);
    }
    records
}

fn moves_of(record: &GameRecord, engine: usize) -> impl Iterator<Item = &MoveRecord> {
    let moves = record.moves.iter().enumerate();
    moves.filter_map(move |(index, it)| (record.mover(index) == engine).then_some(it))
}

#[test]
fn a_path_is_another_build() {
    let other = format!("{TENGEN}:playouts=20,memory=16");
    let arguments = "--game connect4 --size 9x9 --hole 3,4 --games 2 --time 1000";
    let records = play("another-build", ["random", &other], arguments);
    let moves = || records.iter().flat_map(|record| moves_of(record, 1));
    assert!(moves().count() > 0 && moves().all(|mv| mv.playouts.is_some_and(|count| count <= 20)));
}

#[test]
fn every_protocol_plays_its_games() {
    for (protocol, games) in [
        ("gomocup", &["gomoku"][..]),
        ("gtp", &["gomoku", "connect4"]),
        ("nboard", &["reversi"]),
        ("ugi", &["gomoku", "reversi", "connect4"]),
    ] {
        for game in games {
            let other = engine(protocol, &format!("--game {game} --bot greedy"));
            let name = format!("plays-{protocol}-{game}");
            let arguments = format!("--game {game} --games 4 --time 1000");
            let records = play(&name, ["random", &other], &arguments);
            assert_eq!(records.len(), 4);
            let lost = records.iter().filter(|record| record.winner == Some(0));
            assert!(lost.count() <= 2, "{name}: greedy is to beat random");
        }
    }
}

/// The engine's own command line does not tell the board.
#[test]
fn the_board_is_told_over_ugi() {
    let other = engine("ugi", "--game connect4 --bot greedy");
    let arguments = "--game connect4 --size 9x11 --hole 4,10 --games 4 --time 1000";
    let records = play("ugi-board", ["random", &other], arguments);
    let mut moves = records.iter().flat_map(|record| &record.moves);
    assert!(moves.any(|it| matches!(&*it.text, "8" | "9")));
}

/// The depth is told where a protocol has a word for it, and a bot may be left unbound.
#[test]
fn a_depth_is_told_and_a_bot_left_unbound() {
    for (protocol, game) in [("ugi", "connect4"), ("nboard", "reversi")] {
        let other = engine(protocol, &format!("--game {game} --bot uct"));
        let arguments = format!("--game {game} --games 2 --depth 5 --playouts 90 --time 100");
        let name = format!("depth-{protocol}");
        let unbound = "uct:playouts=0";
        for record in play(&name, [unbound, &other], &arguments) {
            assert_eq!(record.depth, Some(5));
            assert!(moves_of(&record, 0).any(|told| told.playouts > Some(90)));
            // 2^5; NBoard tells playouts of a kept tree, too.
            assert!(moves_of(&record, 1).all(|told| told.playouts <= Some(90)));
            assert!(moves_of(&record, 1).any(|told| told.depth.is_some()));
        }
    }
}

/// Random games of Reversi are full of passes.
#[test]
fn passes_are_told_and_made() {
    for protocol in ["nboard", "ugi", "gtp"] {
        let other = engine(protocol, "--game reversi --bot random --seed 5");
        let name = format!("passes-{protocol}");
        let records = play(
            &name,
            ["random", &other],
            "--game reversi --games 10 --time 1000",
        );
        for engine in 0..2 {
            let mut moves = records.iter().flat_map(|record| moves_of(record, engine));
            assert!(moves.any(|it| it.text == "pass"), "{protocol}");
        }
    }
}

#[test]
fn what_bots_tell_is_recorded() {
    let other = engine("ugi", "--game connect4 --bot uct");
    let arguments = "--game connect4 --games 2 --playouts 300 --random-plies 2";
    for record in play("told", ["uct", &other], arguments) {
        for told in moves_of(&record, 0) {
            assert!(told.value.is_some_and(|value| (0.0..=1.0).contains(&value)));
            assert!(told.playouts.is_some_and(|playouts| playouts <= 300));
            assert!(told.top.iter().any(|top| top.text == told.text), "{told:?}");
            assert!(told.top.len() <= 7);
        }
        assert!(moves_of(&record, 0).any(|told| told.playouts == Some(300)));
        assert!(moves_of(&record, 1).any(|told| told.playouts == Some(300)));
        assert!(moves_of(&record, 1).all(|told| told.top.is_empty()));
    }
    let other = engine("gomocup", "--bot uct");
    let arguments = "--game gomoku --games 2 --playouts 40 --time 5000";
    for record in play("told-gomocup", ["random", &other], arguments) {
        // The limit is told by INFO max_node.
        assert!(moves_of(&record, 1).any(|told| told.playouts == Some(40)));
        assert!(moves_of(&record, 1).all(|told| told.value.is_some()));
        assert!(moves_of(&record, 0).all(|told| told.playouts.is_none() && told.top.is_empty()));
    }
}

/// Every engine is told its clock and keeps to it: together its moves take no more than what it
/// was granted.
#[test]
fn games_are_played_by_the_clock() {
    let (granted, increment, margin) = (1500.0, 20.0, 1000.0);
    for (protocol, game) in [
        // On a larger board plain bots may be through in five moves.
        ("gomocup", "gomoku --size 5x5"),
        ("gtp", "connect4"),
        ("nboard", "reversi"),
        ("ugi", "connect4"),
    ] {
        let other = engine(protocol, &format!("--game {game} --bot uct"));
        let arguments = format!("--game {game} --games 2 --game-time 1500 --increment 20");
        for record in play(&format!("clock-{protocol}"), ["uct", &other], &arguments) {
            assert_eq!((record.time_ms, record.game_time_ms), (None, Some(1500)));
            assert_eq!(record.increment_ms, Some(20));
            for engine in 0..2 {
                let took: f64 = moves_of(&record, engine).map(|it| it.ms).sum();
                let moves = moves_of(&record, engine).count() as f64;
                let most = granted + moves * increment + margin;
                assert!(
                    took > 300.0 && took < most,
                    "{protocol}: {took} ms, {moves} moves"
                );
            }
        }
    }
}

#[test]
fn both_limits_hold_at_once() {
    let other = engine("ugi", "--game connect4 --bot uct");
    let arguments = "--game connect4 --games 2 --game-time 60000 --time 60";
    for record in play("both", ["uct", &other], arguments) {
        assert_eq!(
            (record.time_ms, record.game_time_ms),
            (Some(60), Some(60_000))
        );
        for engine in 0..2 {
            let mut times: Vec<f64> = moves_of(&record, engine).map(|it| it.ms).collect();
            times.sort_by(f64::total_cmp);
            // The median, for a busy machine may hold up some of them.
            assert!(times[times.len() / 2] < 200.0, "{times:?}");
        }
    }
}
