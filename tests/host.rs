//! Libraries of the coursework in the match: good ones play, bad ones lose for the right reason,
//! and neither harms the match or leaves a process behind.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod played;

use played::records_of;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;
use tengen::arena::record::{GameRecord, Termination};
use tengen::clock;

const BOARD: &str = "--game connect4 --size 9x10 --hole 4,5";

/// Builds a library that misbehaves from its call `from` on, in a folder of its own: tests run
/// beside each other, and none may load what another is writing.
fn library(folder: &str, mode: &str, from: u32) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/bot.c");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).unwrap();
    let library = folder.join(format!("lib{mode}{from}.so"));
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-O1", "-fPIC", "-shared"]);
    cc.arg(format!("-DMODE={mode}"))
        .arg(format!("-DFROM={from}"));
    let built = cc.arg("-o").arg(&library).arg(source).status();
    assert!(built.unwrap().success());
    library
}

fn play(name: &str, engines: &[String; 2], arguments: &str) -> Vec<GameRecord> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.arg("match").args(engines);
    command.args(BOARD.split(' ')).args(arguments.split(' '));
    records_of(name, &mut command)
}

/// No process has the library in its command line.
fn assert_nothing_left(library: &Path) {
    let deadline = clock::now() + Duration::from_secs(2);
    let name = library.to_str().unwrap();
    let is_left = || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let mut lines = processes.filter_map(|it| fs::read(it.path().join("cmdline")).ok());
        lines.any(|line| {
            line.split(|&byte| byte == 0)
                .any(|word| word == name.as_bytes())
        })
    };
    while is_left() {
        assert!(clock::now() < deadline, "a process of {name} is left");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The library loses both games by this reason, after its first `moves` moves.
fn assert_loses(mode: &str, reason: Termination, moves: usize) {
    let library = library(&format!("loses-{mode}"), mode, moves as u32 + 1);
    let engines = [format!("so:{}", library.display()), "random".to_owned()];
    let records = play(mode, &engines, "--games 2 --time 3000");
    assert_eq!(records.len(), 2);
    for record in records {
        assert_eq!(record.termination, reason, "{:?}", record.detail);
        assert_eq!(record.winner, Some(1));
        let own = (0..record.moves.len()).filter(|&index| record.mover(index) == 0);
        assert_eq!(own.count(), moves);
    }
    assert_nothing_left(&library);
}

/// Plays whole games against another library.
fn assert_plays(mode: &str) {
    let folder = format!("plays-{mode}");
    let (library, other) = (library(&folder, mode, 1), library(&folder, "good", 1));
    let engines = [&library, &other].map(|path| format!("so:{}", path.display()));
    let records = play(mode, &engines, "--games 4");
    assert_eq!(records.len(), 4);
    for record in records {
        let fault = record.termination.is_fault();
        assert!(!fault, "{}: {:?}", record.termination, record.detail);
    }
    assert_nothing_left(&library);
}

#[test]
fn libraries_play_whole_games_on_a_new_thread_each_move() {
    assert_plays("good");
}

#[test]
fn a_library_is_confined() {
    assert_plays("confined");
}

#[test]
fn what_a_library_prints_and_reads_is_its_own_affair() {
    assert_plays("flood");
}

#[test]
fn what_a_library_starts_ends_with_it() {
    assert_plays("fork");
}

#[test]
fn a_crash_loses_the_game_and_nothing_else() {
    assert_loses("crash", Termination::Crash, 2);
    assert_loses("exit", Termination::Crash, 0);
}

#[test]
fn more_memory_than_allowed_is_a_crash() {
    assert_loses("memory", Termination::Crash, 1);
}

#[test]
fn a_call_without_end_loses_on_time() {
    assert_loses("loop", Termination::Time, 0);
}

#[test]
fn cells_where_no_stone_lands_are_illegal() {
    assert_loses("outside", Termination::Illegal, 1);
    assert_loses("air", Termination::Illegal, 0);
    assert_loses("null", Termination::Illegal, 0);
}

#[test]
fn what_is_no_library_is_told_before_the_match() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for (path, said) in [
        (path, "cannot load"),
        ("/nonexistent/lib.so", "cannot read"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.args(["match", &format!("so:{path}"), "random"]);
        let output = command.args(BOARD.split(' ')).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(
            stderr.contains(said) && stderr.contains("does not begin"),
            "{stderr}"
        );
    }
}
