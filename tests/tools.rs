//! The subcommands as a person runs them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use assert_cmd::Command;
use serde_json::Value;

fn output(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("tengen").unwrap();
    let done = command.args(arguments).assert().success();
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

fn analysis(arguments: &[&str]) -> Value {
    let arguments = [&["analyze", "--json"], arguments].concat();
    serde_json::from_str(&output(&arguments)).unwrap()
}

#[test]
fn perft_prints_every_depth() {
    let text = output(&["perft", "--game", "reversi", "--depth", "5"]);
    let counts: Vec<_> = text
        .lines()
        .map(|line| line.split_whitespace().nth(3))
        .collect();
    assert_eq!(counts, ["4", "12", "56", "244", "1396"].map(Some));
}

#[test]
fn bench_is_the_same_every_time() {
    let nodes = || {
        let text = output(&["bench"]);
        let last = text.lines().last().unwrap().to_owned();
        let words: Vec<_> = last.split_whitespace().map(str::to_owned).collect();
        assert_eq!(
            (&*words[0], &*words[2], &*words[4]),
            ("Bench:", "nodes", "pps")
        );
        words[1].parse::<u64>().unwrap()
    };
    assert_eq!(nodes(), nodes());
}

#[test]
fn analyze_sees_a_win_in_one() {
    let report = analysis(&[
        "--game",
        "connect4",
        "--moves",
        "414141",
        "--playouts",
        "1000",
    ]);
    assert_eq!(report["best"], "4");
    assert_eq!(report["proof"], "win 1");
    let report = analysis(&["--moves", "h8 a1 h9 b1 h10 c1 h11", "--playouts", "1000"]);
    assert_eq!(
        report["best"], "h12",
        "an open four is stopped at one end, though in vain"
    );
    assert_eq!(report["proof"], "loss 2");
}

#[test]
fn analyze_ranks_the_moves() {
    let report = analysis(&["--game", "reversi", "--moves", "f5d6", "--playouts", "500"]);
    assert_eq!(report["playouts"], 500);
    let visits: Vec<u64> = report["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(visits)
        .collect();
    assert_eq!(visits.iter().sum::<u64>(), 500);
    assert!(visits.is_sorted_by(|a, b| a >= b), "{visits:?}");
    assert_eq!(report["moves"][0]["pv"][0], report["best"]);
}

fn visits(mv: &Value) -> u64 {
    mv["visits"].as_u64().unwrap()
}

#[test]
fn analyze_of_a_finished_game_has_no_move() {
    let report = analysis(&[
        "--game",
        "connect4",
        "--moves",
        "4141414",
        "--playouts",
        "10",
    ]);
    assert_eq!(report["best"], Value::Null);
    assert_eq!(report["moves"].as_array().unwrap().len(), 0);
}

#[test]
fn options_can_be_set_as_they_are_listed() {
    let text = output(&["options"]);
    let listed = text.lines().take_while(|line| !line.starts_with("Bots"));
    let names: Vec<&str> = listed
        .filter(|line| !line.starts_with([' ', 'O']))
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    let table: Vec<&str> = tengen::search::options::TABLE
        .iter()
        .map(|row| row.name)
        .collect();
    assert_eq!(names, table);
}
