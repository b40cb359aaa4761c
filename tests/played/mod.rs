//! Matches played by the program, for tests of their records.

use std::fs;
use std::path::Path;
use std::process::Command;
use tengen::arena::records::record::GameRecord;

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
