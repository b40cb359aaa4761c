//! A real opponent: GRhino of Debian, which `scripts/test` installs, over GTP.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

const GRHINO: &str = "/usr/games/gtp-rhino";

#[test]
fn whole_games_against_grhino_end_by_the_rules() {
    assert!(
        Path::new(GRHINO).exists(),
        "apt-get install grhino, as scripts/test does"
    );
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join("grhino.jsonl");
    let mut command = Command::cargo_bin("tengen").unwrap();
    command
        .args(["match", "tengen", &format!("gtp:{GRHINO}")])
        .args([
            "--game", "reversi", "--games", "4", "--time", "50", "--seed", "7",
        ])
        .args(["--force", "--json"])
        .arg(&records)
        .assert()
        .success();
    let text = std::fs::read_to_string(&records).unwrap();
    let games: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(games.len(), 4);
    for game in &games {
        let end = game["termination"].as_str().unwrap();
        assert!(["win", "draw"].contains(&end), "{game}");
    }
}
