//! `tengen compliance` on Tengen, which keeps to its protocols, and on engines that do not.
#![cfg(unix)]

use crate::played;
use std::path::Path;
use std::process::Command;
use tengen::bots::BOTS;
use tengen::game::GameKind;

const TENGEN: &str = env!("CARGO_BIN_EXE_tengen");

/// Whether the exit code is 0, and what is written.
fn compliance(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(TENGEN)
        .arg("compliance")
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), text)
}

/// The names of the checks of this verdict.
fn checks<'a>(text: &'a str, verdict: &str) -> Vec<&'a str> {
    let lines = text.lines();
    let lines = lines.filter_map(|line| line.strip_prefix(&format!("{verdict:<7} ")));
    lines.map(|line| line[..20].trim_end()).collect()
}

#[test]
fn every_bot_keeps_to_gtp_in_every_game() {
    for bot in BOTS {
        for game in bot.games {
            let engine = format!(
                "gtp:{TENGEN} --protocol gtp --time 1000 --playouts 50 --game {game} --bot {}",
                bot.name
            );
            let (success, text) = compliance(&[&engine, "--game", game.name()]);
            assert!(success, "{engine}\n{text}");
            let skipped = match game {
                GameKind::Connect4 => &["boardsize"][..],
                GameKind::Gomoku | GameKind::Reversi => &[],
            };
            assert_eq!(checks(&text, "skipped"), skipped, "{engine}\n{text}");
        }
    }
}

#[test]
fn every_bot_keeps_to_gomocup() {
    for bot in BOTS {
        if !bot.games.contains(&GameKind::Gomoku) {
            continue;
        }
        let engine = format!("gomocup:{TENGEN} --playouts 50 --bot {}", bot.name);
        let (success, text) = compliance(&[&engine, "--time", "100"]);
        assert!(success, "{engine}\n{text}");
        assert_eq!(checks(&text, "skipped"), [""; 0], "{engine}\n{text}");
        assert!(text.contains("START 0 -> ERROR Gomoku boards"), "{text}");
    }
}

#[test]
fn time_is_kept_with_nothing_but_time_as_a_limit() {
    let engine = format!("gomocup:{TENGEN}");
    let (success, text) = compliance(&[&engine, "--time", "200", "--size", "20x20"]);
    assert!(success, "{text}");
}

/// What is found of a fixture in this mode.
fn fixture(mode: &str) -> (bool, String) {
    let engine = played::fixture("gomocup", Path::new("/dev/null"), mode);
    // The slow one is waited for, to be found late and not silent.
    let patience = if mode == "slow" { "5000" } else { "1500" };
    compliance(&[&engine, "--time", "100", "--patience", patience])
}

/// What even the fixture without a fault of its own does not do.
const SIMPLE: [&str; 6] = [
    "ABOUT",
    "impossible size",
    "occupied cell",
    "cell off the board",
    "move that is none",
    "lines end in CR LF",
];

#[test]
fn a_simple_engine_is_told_what_it_lacks() {
    let (success, text) = fixture("good");
    assert!(!success);
    assert_eq!(checks(&text, "FAIL"), SIMPLE, "{text}");
    let skipped = [
        "RECTSTART",
        "RESTART",
        "TAKEBACK",
        "small letters",
        "SWAP2BOARD",
        "PLAY",
    ];
    assert_eq!(checks(&text, "skipped"), skipped, "{text}");
    assert!(text.contains("ABOUT -> UNKNOWN: name"), "{text}");
    assert!(text.ends_with("6 of 25 checks failed\n"), "{text}");
}

#[test]
fn what_an_engine_does_wrong_is_found() {
    let modes = [
        (
            "slow",
            &["time for a move", "END in a thought"][..],
            "s of 100ms",
        ),
        ("stay", &["END", "end of input"], "still there after 700ms"),
        ("occupied", &["TURN"], "illegal move"),
        ("nonsense", &["BEGIN", "TURN", "BOARD"], "x,y is expected"),
        ("error", &["BEGIN", "TURN", "BOARD"], "x,y is expected"),
        ("silent", &["BEGIN", "TURN", "BOARD"], "no answer within"),
        ("flood", &["BEGIN"], "no end of lines"),
        ("crash", &["BEGIN"], "the engine ended"),
        ("close", &["BEGIN"], "the engine closed its output"),
        ("refuse", &["START", "OK alone"], "OK is expected"),
    ];
    std::thread::scope(|scope| {
        for (mode, found, words) in modes {
            scope.spawn(move || {
                let (success, text) = fixture(mode);
                assert!(!success);
                assert!(text.contains(words), "{mode}\n{text}");
                let failed = checks(&text, "FAIL");
                for check in found {
                    assert!(failed.contains(check), "{mode}: {check}\n{text}");
                }
            });
        }
    });
}

#[test]
fn more_than_ok_is_no_error_and_is_told() {
    let (_, text) = fixture("polite");
    assert_eq!(checks(&text, "FAIL"), SIMPLE, "{text}");
    assert!(checks(&text, "skipped").contains(&"OK alone"), "{text}");
    assert!(
        text.contains("OK - everything is good: two managers"),
        "{text}"
    );
}

#[test]
fn what_an_engine_proposes_and_confirms_is_checked() {
    for (mode, check, words) in [
        ("swap-two", "SWAP2BOARD", "three stones are expected"),
        ("swap-again", "SWAP2BOARD", "illegal move"),
        ("confirm-other", "PLAY", "the same move is expected"),
    ] {
        let (_, text) = fixture(mode);
        assert!(checks(&text, "FAIL").contains(&check), "{mode}\n{text}");
        assert!(text.contains(words), "{mode}\n{text}");
    }
}

#[test]
fn a_gtp_engine_is_told_what_it_lacks() {
    let engine = played::fixture("gtp", Path::new("/dev/null"), "good");
    let (success, text) = compliance(&[&engine, "--patience", "1500"]);
    assert!(!success);
    let failed = checks(&text, "FAIL");
    for check in ["protocol_version", "ids", "list_commands", "illegal move"] {
        assert!(failed.contains(&check), "{check}\n{text}");
    }
    let held = checks(&text, "ok");
    for check in ["boardsize", "play", "genmove", "unknown command", "quit"] {
        assert!(held.contains(&check), "{check}\n{text}");
    }
}

#[test]
fn what_cannot_be_checked_is_said() {
    for arguments in [
        &["tengen"][..],
        &["gomocup:/nonexistent/engine"],
        &["gomocup:true", "--game", "reversi"],
        &["gtp:true", "--game", "reversi", "--size", "9x9"],
    ] {
        let (success, text) = compliance(arguments);
        assert!(!success && text.is_empty(), "{arguments:?}: {text}");
    }
}
