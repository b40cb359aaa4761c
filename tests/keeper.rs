//! What engines start and leave behind ends: with them, with the match, or when the runner is
//! killed.
#![cfg(target_os = "linux")]

use crate::played::{assert_no_fault, records_of};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;
use tengen::arena::records::record::Termination;
use tengen::clock;

/// An engine of shell, in a folder of its own, whose path is in the command line of all that it
/// starts. `before` runs before it plays as `mode` says; `$mark` is its own path.
struct Engine {
    folder: PathBuf,
    path: PathBuf,
    mode: &'static str,
}

impl Engine {
    fn new(name: &str, before: &str, mode: &'static str) -> Engine {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("keeper-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("engine");
        let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
        // `sh -c SCRIPT NAME` has the name in its command line.
        let text = format!(
            "#!/bin/sh\nmark=$0\nleft='while :; do sleep 1; done'\n{before}\n\
             fixtures={fixtures}\n. $fixtures/gomocup.sh\n"
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Engine { folder, path, mode }
    }

    fn command(&self, arguments: &str) -> Command {
        let pids = self.folder.join("pids");
        let engine = format!(
            "gomocup:{} {} {}",
            self.path.display(),
            pids.display(),
            self.mode
        );
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.args(["match", &engine, "random", "--game", "gomoku"]);
        command.args(arguments.split(' '));
        command
    }

    /// The processes that have its path in their command line, but for keepers.
    fn processes(&self) -> usize {
        let name = self.path.to_str().unwrap().as_bytes();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|it| fs::read(it.path().join("cmdline")).ok());
        let is_its = |line: &Vec<u8>| {
            let mut words = line.split(|&byte| byte == 0);
            words.clone().any(|word| word == name) && !words.any(|word| word == b"keep")
        };
        lines.filter(is_its).count()
    }

    fn wait_for(&self, what: &str, is_so: impl Fn() -> bool) {
        let deadline = clock::now() + Duration::from_secs(20);
        while !is_so() {
            assert!(clock::now() < deadline, "not so: {what}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn assert_nothing_left(&self) {
        self.wait_for("nothing is left", || self.processes() == 0);
    }
}

/// One process in a session of its own, and one whose parent has ended too.
const LEAVE: &str = r#"
setsid sh -c "$left" "$mark" &
(setsid sh -c "$left" "$mark" >/dev/null 2>&1 </dev/null &)"#;

#[test]
fn sessions_of_an_engine_end_with_the_match() {
    let engine = Engine::new("sessions", LEAVE, "good");
    let mut command = engine.command("--games 2 --time 2000");
    let records = records_of("keeper-sessions", &mut command);
    assert_no_fault(&records, 2);
    engine.assert_nothing_left();
}

/// What is said of an engine with which no match begins.
fn refusal(engine: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(["match", engine, "random", "--game", "gomoku"]);
    let output = command.output().unwrap();
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Some shells block none by themselves, so these are no shells: one tells what is blocked, and one
/// ends the program that it runs by a signal.
#[test]
fn an_engine_is_started_with_no_signal_blocked() {
    let told = refusal("gomocup:grep SigBlk /proc/self/status");
    assert!(told.contains(r"SigBlk:\t0000000000000000"), "{told}");
    let told = refusal("gomocup:timeout 0.1 sleep 1000");
    assert!(told.contains("exit status: 124"), "{told}");
}

#[test]
fn a_killed_runner_leaves_no_engine() {
    // It neither reads nor ends with its input.
    let engine = Engine::new("killed", LEAVE, "deaf");
    let mut command = engine.command("--time 60000");
    let mut runner = command.stdout(Stdio::null()).spawn().unwrap();
    engine.wait_for("all run", || engine.processes() >= 3);
    runner.kill().unwrap();
    runner.wait().unwrap();
    engine.assert_nothing_left();
}

#[test]
fn a_server_outlives_the_engine_that_started_it_but_not_the_match() {
    let serve = r#"
folder=${mark%/*}
if [ -e "$folder/server" ]; then
    kill -0 "$(cat "$folder/server")" && echo yes >>"$folder/alive"
else
    (setsid sh -c "echo \$\$ >'$folder/server'; $left" "$mark" >/dev/null 2>&1 </dev/null &)
    while ! [ -s "$folder/server" ]; do sleep 0.01; done
fi"#;
    let engine = Engine::new("server", serve, "crash");
    let records = records_of(
        "keeper-server",
        &mut engine.command("--games 4 --time 2000"),
    );
    assert_eq!(records.len(), 4);
    for record in records {
        assert_eq!(
            record.termination,
            Termination::Crash,
            "{:?}",
            record.detail
        );
        assert_eq!(
            record.detail.unwrap(),
            "the engine ended (exit status: 3), its last words: \"no more memory\""
        );
    }
    let alive = fs::read_to_string(engine.folder.join("alive")).unwrap();
    assert!(alive.lines().count() >= 3, "{alive}");
    engine.assert_nothing_left();
}

#[test]
fn an_engine_that_cannot_be_started_is_told_with_the_reason() {
    let errors = refusal("gtp:/nonexistent/engine");
    assert!(
        errors.contains("cannot start /nonexistent/engine: No such file"),
        "{errors}"
    );
}
