//! What the match runner takes for itself.
//!
//! `cargo bench --bench runner` plays short and long matches of Connect Four in turn between two
//! processes that answer at random, over UGI and over GTP. What a long match takes more than a
//! short one, beyond the time that its engines were waited for, is the runner's own; the median of
//! five is printed, for each move. Without the difference the start of the processes would count.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and prints, and one that cannot go on stops"
)]

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;
use tengen::arena::records::record::GameRecord;

const ROUNDS: usize = 5;
const SHORT: u32 = 20;
const LONG: u32 = 220;

/// Milliseconds that a match took beyond those that engines were waited for, and its moves.
fn play(protocol: &str, games: u32) -> (f64, usize) {
    let program = env!("CARGO_BIN_EXE_tengen");
    let engine = format!("{protocol}:{program} --protocol {protocol} --game connect4 --bot random");
    let name = format!("tengen-runner-{}.jsonl", std::process::id());
    let records = std::env::temp_dir().join(name);
    let begun = Instant::now();
    let status = Command::new(program)
        .args(["match", &engine, &engine, "--game", "connect4"])
        .args(["--games", &games.to_string(), "--concurrency", "1"])
        .arg("--json")
        .arg(&records)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the program starts");
    let taken = 1000.0 * begun.elapsed().as_secs_f64();
    assert!(status.success(), "the match failed");
    let text = fs::read_to_string(&records).expect("the records");
    fs::remove_file(&records).expect("the records can go");
    let records = text.lines().map(serde_json::from_str::<GameRecord>);
    let records: Vec<GameRecord> = records.collect::<Result<_, _>>().expect("records");
    let moves = || records.iter().flat_map(|record| &record.moves);
    let waited: f64 = moves().map(|it| it.ms).sum();
    (taken - waited, moves().count())
}

fn main() {
    for protocol in ["ugi", "gtp"] {
        let mut own: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let ((short, few), (long, many)) = (play(protocol, SHORT), play(protocol, LONG));
                (long - short) / (many - few) as f64
            })
            .collect();
        own.sort_by(f64::total_cmp);
        println!("{protocol}: {:.3} ms a move", own[ROUNDS / 2]);
    }
}
