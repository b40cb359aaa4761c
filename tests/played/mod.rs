//! Matches played by the program, for tests of their records, and engines to play against.

use std::fs;
use std::path::Path;
use std::process::Command;
use tengen::arena::records::record::GameRecord;
#[cfg(target_os = "linux")]
use tengen::arena::records::record::Termination;

/// An engine of tests/fixtures in this mode, which notes its process ids in a file.
#[cfg(unix)]
pub fn fixture(language: &str, pids: &Path, mode: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    format!(
        "{language}:sh {folder}/{language}.sh {} {mode}",
        pids.display()
    )
}

/// Plays the match that a command line of `tengen match` asks for, and returns its records in the
/// order of their games. `name` is the test's own.
pub fn records_of(name: &str, command: &mut Command) -> Vec<GameRecord> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.jsonl"));
    let output = command
        .args(["--force", "--json"])
        .arg(&file)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    records_in(&file)
}

/// The records of a file in the order of their games.
pub fn records_in(file: &Path) -> Vec<GameRecord> {
    let lines = fs::read_to_string(file).unwrap();
    let mut records: Vec<GameRecord> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    records.sort_by_key(|record| (record.pairing, record.number));
    records
}

/// The first engine lost both games by this reason, after so many moves of its own.
#[cfg(target_os = "linux")]
pub fn assert_lost(records: &[GameRecord], reason: Termination, moves: usize) {
    assert_eq!(records.len(), 2);
    for record in records {
        assert_eq!(record.termination, reason, "{:?}", record.detail);
        assert_eq!(record.winner, Some(1));
        let own = (0..record.moves.len()).filter(|&index| record.mover(index) == 0);
        assert_eq!(own.count(), moves);
    }
}

/// So many games were played, and each ended by the rules of its game.
pub fn assert_no_fault(records: &[GameRecord], games: usize) {
    assert_eq!(records.len(), games);
    for record in records {
        let fault = record.termination.is_fault();
        assert!(!fault, "{}: {:?}", record.termination, record.detail);
    }
}
