//! The binary at the other end of two pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The lines of the program when it gets this input and then its end. It must end by itself within
/// this time.
pub fn answers_within(
    limit: Duration,
    arguments: &[&str],
    input: impl Into<Vec<u8>>,
) -> Vec<String> {
    let output = assert_cmd::Command::cargo_bin("tengen")
        .unwrap()
        .args(arguments)
        .write_stdin(input)
        .timeout(limit)
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// A program that is spoken with line by line. It ends with its test, whatever becomes of it.
pub struct Dialogue {
    child: Child,
    /// `None`: its input has ended.
    pub input: Option<ChildStdin>,
    pub output: BufReader<ChildStdout>,
}

impl Dialogue {
    pub fn start(arguments: &[&str]) -> Dialogue {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Dialogue {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    pub fn say(&mut self, line: &str) {
        writeln!(self.input.as_ref().unwrap(), "{line}").unwrap();
    }

    /// The next line that is not for people, without its end. `None` at the end of the output.
    pub fn next(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).unwrap();
            if read == 0 {
                return None;
            }
            if !line.starts_with("MESSAGE") {
                return Some(line.trim_end().to_owned());
            }
        }
    }

    /// The next line, where one must come: the program is not gone.
    pub fn hear(&mut self) -> String {
        self.next().unwrap()
    }

    pub fn ask(&mut self, line: &str) -> String {
        self.say(line);
        self.hear()
    }

    /// Ends the program's input.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// The program must end by itself within this time, and well.
    pub fn exits_within(&mut self, limit: Duration) {
        let begun = now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return assert!(status.success(), "{status}");
            }
            assert!(begun.elapsed() < limit, "still there after {limit:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The most memory that the process has had resident, in bytes.
    pub fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        kib * 1024
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        // A test that failed leaves no process behind; one that passed has none.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "a test reads the clock itself")]
pub fn now() -> Instant {
    Instant::now()
}
