//! The shared library of `examples/strategy.rs` as the course's referee meets it: loaded by a C
//! program, called on a new thread for every move, for several games in one process.
#![cfg(unix)]

use crate::built::{build_example, succeed};
use crate::played::{assert_no_fault, records_of};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the referee allows for a move. Its moves take 20 ms; the rest is for a busy machine.
const LIMIT_MS: &str = "3000";

/// The library as it is now.
fn library() -> PathBuf {
    build_example("strategy").join("libstrategy.so")
}

fn referee() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/referee.c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("referee");
    let mut cc = Command::new("cc");
    cc.args([
        "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread", "-o",
    ]);
    succeed(cc.arg(&program).arg(source).arg("-ldl"));
    program
}

#[test]
fn the_referee_finds_no_fault() {
    let (library, referee) = (library(), referee());
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libcopy.so");
    std::fs::copy(&library, &copy).unwrap();
    // A library against itself is loaded once and plays both sides; a copy is loaded beside it.
    for opponent in [&library, &copy] {
        let mut game = Command::new(&referee);
        game.env("TENGEN_TIME_MS", "20").arg(&library).arg(opponent);
        let games = succeed(game.args(["2", "7", LIMIT_MS]));
        assert_eq!(games.lines().count(), 4, "{games}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_match_finds_no_fault() {
    let engine = format!("so:{}", library().display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.env("TENGEN_TIME_MS", "20");
    command.args(["match", &engine, &engine, "--games", "2"]);
    command.args(["--game", "connect4", "--size", "9x10", "--hole", "4,5"]);
    let records = records_of("c-interface", &mut command);
    assert_no_fault(&records, 2);
    for record in records {
        assert!(
            record.moves.iter().all(|it| it.ms < 1000.0),
            "the time was not told"
        );
    }
}
