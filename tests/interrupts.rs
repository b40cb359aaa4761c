//! `tengen match` when Ctrl-C ends it.
#![cfg(unix)]

use crate::matches::tengen_match;
use crate::played::fixture;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;
use tengen::clock;

/// Blocks until this holds, but not for ever.
fn wait_until(holds: impl Fn() -> bool) {
    let started = clock::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(10));
    }
}

/// Begins a match that says nothing while it lasts.
fn begin(command: &mut Command) -> Child {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What Ctrl-C sends.
fn interrupt(child: &Child) {
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
}

/// An engine that never answers to its first line.
#[test]
fn an_interrupt_ends_the_check_of_the_engines() {
    let begun = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check-begun");
    let _ = fs::remove_file(&begun);
    let engine = format!("gtp:sh -c 'touch {}; sleep 60'", begun.display());
    let mut child = begin(tengen_match("random --game gomoku").arg(engine));
    wait_until(|| begun.exists());
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// An engine that is silent at its first move: there is no game to make a page of.
#[test]
fn an_interrupt_before_the_first_game_is_over_ends_the_match_with_no_page() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let [pids, json, page] =
        ["pids", "jsonl", "html"].map(|it| folder.join("first.".to_owned() + it));
    let _ = fs::remove_file(&pids);
    let _ = fs::remove_file(&page);
    let mut command =
        tengen_match("random --game gomoku --games 2 --time 60000 --concurrency 1 --force");
    command.arg(fixture("gomocup", &pids, "silent"));
    command.args([Path::new("--json"), &json, Path::new("--html"), &page]);
    let mut child = begin(&mut command);
    // The first was started to be checked.
    wait_until(|| fs::read_to_string(&pids).is_ok_and(|text| text.lines().count() > 1));
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!page.exists());
}

/// Ctrl-C reaches the match alone, as its engines stand in groups of their own.
#[test]
fn an_interrupt_ends_the_match_with_a_table() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupted.jsonl");
    let _ = fs::remove_file(&path);
    let mut command = tengen_match("tengen random --game gomoku --games 1000 --time 50");
    let mut child = begin(command.args([Path::new("--force"), Path::new("--json"), &path]));
    wait_until(|| fs::metadata(&path).is_ok_and(|file| file.len() > 0));
    let interrupted = clock::now();
    interrupt(&child);
    let status = child.wait().unwrap();
    assert!(interrupted.elapsed() < Duration::from_secs(5));
    assert_eq!(status.code(), Some(130));
    let table = std::io::read_to_string(child.stdout.unwrap()).unwrap();
    assert!(table.starts_with("game"), "{table}");
}
