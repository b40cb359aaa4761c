//! What ends a thought, a conversation and the process, and what may not be in its way.

use crate::dialogue::{Dialogue, answers_within, now};
use assert_cmd::Command;
use std::time::Duration;

/// As much as a busy machine may take for what is done at once; much less than any limit here.
const AT_ONCE: Duration = Duration::from_secs(20);

/// What the program writes when it gets this input and then its end, which it must do at once.
fn answers(arguments: &[&str], input: impl Into<Vec<u8>>) -> Vec<String> {
    answers_within(AT_ONCE, arguments, input)
}

/// A manager's program that thinks for longer than anybody waits.
fn thinking() -> Dialogue {
    let mut judge = Dialogue::start(&[]);
    assert_eq!(judge.ask("START 20"), "OK");
    judge.say("INFO timeout_turn 600000");
    judge.say("BEGIN");
    judge
}

#[test]
fn after_the_end_nothing_is_written() {
    let mut judge = thinking();
    judge.say("TURN 0,0\nTURN 1,1\nEND");
    let begun = now();
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut judge.output, &mut rest).unwrap();
    assert_eq!(rest, "");
    judge.exits_within(AT_ONCE);
    assert!(begun.elapsed() < AT_ONCE);
}

#[test]
fn lines_that_wait_hide_neither_a_stop_nor_the_end() {
    let flood = "query p1turn\n".repeat(100_000);
    let mut runner = Dialogue::start(&["--protocol", "ugi", "--game", "reversi"]);
    runner.say(&format!("go infinite\n{flood}stop"));
    let begun = now();
    while !runner.hear().starts_with("bestmove ") {}
    assert!(begun.elapsed() < AT_ONCE, "not stopped");
    drop(runner);

    let mut judge = thinking();
    judge.say(&format!("{}END", "INFO folder x\n".repeat(100_000)));
    judge.exits_within(AT_ONCE);

    let mut judge = thinking();
    judge.say(&"INFO folder x\n".repeat(100_000));
    judge.close();
    let answered = std::io::BufRead::lines(&mut judge.output).count();
    assert!(answered > 0);
}

#[test]
fn a_flood_that_nothing_can_hold_ends_the_thought() {
    let mut runner = Dialogue::start(&["--protocol", "ugi", "--game", "reversi"]);
    let line = "x".repeat(1 << 20);
    runner.say("go infinite");
    for _ in 0..20 {
        runner.say(&line);
    }
    while !runner.hear().starts_with("bestmove ") {}
}

#[test]
fn all_that_waits_is_answered_soon_after_quit() {
    let mut board = Dialogue::start(&["--protocol", "gtp", "--time", "600000"]);
    board.say("genmove b\ngenmove w\ngenmove b\nquit");
    let answers: Vec<String> = std::iter::from_fn(|| board.next()).collect();
    let moves = answers.iter().filter(|it| it.starts_with("= ")).count();
    assert_eq!(moves, 3, "{answers:?}");
    board.exits_within(AT_ONCE);
}

#[test]
fn a_huge_limit_ends_with_the_input() {
    let ugi = ["--protocol", "ugi", "--game", "gomoku"];
    for go in [
        "movetime 2147483647",
        "nodes 1000000000000",
        "p1time 2000000000 p2time 2000000000",
        "depth 28",
        "infinite",
    ] {
        let lines = answers(&ugi, format!("go {go}\n"));
        let last = lines.last().unwrap();
        assert!(last.starts_with("bestmove "), "{go}: {lines:?}");
    }
    let gtp = ["--protocol", "gtp", "--time", "2147483647"];
    let lines = answers(&gtp, "genmove b\ngenmove w\n");
    assert_eq!(lines.iter().filter(|it| it.starts_with("= ")).count(), 2);
    for line in ["go", "hint 2", "set depth 28\nhint 2"] {
        let lines = answers(&["--time", "2147483647"], format!("nboard 2\n{line}\n"));
        assert!(
            lines.contains(&"status Tengen is waiting".to_owned()),
            "{lines:?}"
        );
    }
}

#[test]
fn a_limit_that_people_wait_for_is_kept_after_the_input() {
    let lines = answers(
        &["--protocol", "ugi", "--game", "reversi"],
        "go nodes 2000\n",
    );
    let info = &lines[lines.len() - 2];
    assert!(info.contains(" nodes 2000 "), "{lines:?}");
}

#[test]
fn an_analysis_of_many_playouts_ends_with_its_input() {
    let arguments = ["--protocol", "gtp", "--playouts", "90000000"];
    let lines = answers(&arguments, "lz-analyze b 10\n");
    assert!(
        lines.iter().any(|it| it.starts_with("info move ")),
        "{lines:?}"
    );
    assert_eq!(lines.last().unwrap(), "", "not ended");
}

#[test]
fn an_empty_frame_is_no_message() {
    let start = r#"0043{"type":0,"row":10,"col":9,"nox":9,"noy":4}"#;
    let board = ["0"; 90].join(",");
    let turn = format!(r#"{{"type":1,"top":[],"board":[{board}],"lastx":-1,"lasty":-1}}"#);
    let turn = format!("{:04}{turn}", turn.len());
    for frames in [
        format!("{start}0000{turn}"),
        format!("0000{start}00000000{turn}"),
        format!("{start}0004abcd{turn}"),
        format!("{start}\n{turn}\n"),
    ] {
        let arguments = ["--playouts", "50"];
        let output = Command::cargo_bin("tengen").unwrap();
        let output = { output }
            .args(arguments)
            .write_stdin(frames.clone())
            .assert();
        let answer = output.success().get_output().stdout.clone();
        assert!(answer.ends_with(b"}\n"), "{frames}");
    }
}

#[test]
fn what_cannot_be_obeyed_is_not_repeated_at_length() {
    let long = "x".repeat(1 << 19);
    for line in [
        long.clone(),
        format!("setoption name {long} value 1"),
        format!("setoption name threads value {long}"),
        format!("position startpos moves {long}"),
    ] {
        let lines = answers(&["--protocol", "ugi"], format!("{line}\n"));
        assert!(lines[0].starts_with("info string error: "));
        assert!(lines[0].len() < 500, "{} bytes", lines[0].len());
    }
}

#[test]
fn no_playouts_tell_no_score() {
    let lines = answers(&["--protocol", "ugi", "--game", "reversi"], "go nodes 0\n");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("bestmove "), "{lines:?}");
}

#[test]
fn a_line_that_is_too_long_is_called_so() {
    let line = format!(
        r#"{{"requests":[{{"x":7,"y":7}}],"data":"{}"}}"#,
        "x".repeat(1 << 20)
    );
    let lines = answers(&["--playouts", "10"], format!("{line}\n"));
    assert!(lines[0].contains("more than 1 MiB"), "{lines:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_transcript_that_cannot_be_written_is_told_of() {
    let output = Command::cargo_bin("tengen")
        .unwrap()
        .args(["--protocol", "gtp", "--transcript", "/dev/full"])
        .write_stdin("name\nversion\n")
        .assert()
        .success();
    let output = output.get_output();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        errors.matches("the transcript ends here").count(),
        1,
        "{errors}"
    );
    assert!(output.stdout.starts_with(b"= Tengen"));
}

#[test]
fn either_variable_asks_for_the_log() {
    for name in ["TENGEN_LOG", "RUST_LOG"] {
        let output = Command::cargo_bin("tengen")
            .unwrap()
            .env(name, "warn")
            .args(["--protocol", "saiblo"])
            .write_stdin("0002{}")
            .assert()
            .success();
        let errors = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(errors.contains("passed over"), "{name}: {errors}");
    }
}

#[test]
fn memory_that_a_manager_grants_is_used_and_too_little_is_reported() {
    let mut judge = Dialogue::start(&["--playouts", "10"]);
    judge.say("INFO max_memory 1000000");
    assert!(judge.ask("START 15").starts_with("ERROR"), "too little");
    judge.say("INFO max_memory 367001600");
    assert_eq!(judge.ask("START 15"), "OK");
    judge.ask("BEGIN");
    judge.say("END");
    judge.exits_within(AT_ONCE);
}

/// With so many processes allowed, a thread each.
#[cfg(target_os = "linux")]
mod threads {
    use super::AT_ONCE;
    use crate::folder::Folder;
    use assert_cmd::Command;
    use std::os::unix::fs::PermissionsExt;

    /// A user whom nobody else is.
    const USER: &str = "54329";

    /// What a program writes that may have so many threads; `None` where that cannot be tried.
    fn answers(threads: u32, arguments: &[&str], input: &str) -> Option<(bool, Vec<String>)> {
        if !nix::unistd::geteuid().is_root() {
            return None;
        }
        let folder = Folder::new("threads");
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path(), open).unwrap();
        let program = folder.file(&format!("tengen-{threads}"));
        std::fs::copy(env!("CARGO_BIN_EXE_tengen"), &program).unwrap();
        let limit = format!("--nproc={threads}");
        let output = Command::new("setpriv")
            .args(["--reuid", USER, "--regid", USER, "--clear-groups"])
            .args(["prlimit", &limit])
            .arg(&program)
            .args(arguments)
            .current_dir("/")
            .write_stdin(input)
            .timeout(AT_ONCE)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text.lines().map(str::to_owned).collect();
        Some((output.status.success(), lines))
    }

    #[test]
    fn one_of_each_is_enough() {
        let input = "genmove b\ngenmove w\nboardsize 9\ngenmove b\n";
        let arguments = ["--protocol", "gtp", "--playouts", "200", "--threads", "8"];
        let Some((success, lines)) = answers(3, &arguments, input) else {
            return;
        };
        let moves = lines.iter().filter(|it| it.starts_with("= ")).count();
        assert!(success && moves == 3, "{lines:?}");
    }

    #[test]
    fn without_them_the_error_is_the_protocol_s() {
        for threads in [1, 2] {
            for (first, error) in [
                ("START 15\n", "ERROR no thread"),
                ("1 name\n", "? no thread"),
                ("ugi\n", "info string error: no thread"),
            ] {
                let Some((success, lines)) = answers(threads, &[], first) else {
                    return;
                };
                assert!(!success && lines[0].starts_with(error), "{lines:?}");
            }
        }
    }
}
