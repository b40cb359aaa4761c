//! The program on a terminal, where a person types.
#![cfg(unix)]

use nix::pty::openpty;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// The lines up to one that begins so, as the terminal shows them.
fn read_to(screen: &mut impl BufRead, start: &str) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        assert_ne!(screen.read_line(&mut line).unwrap(), 0, "{lines:?}");
        lines.push(line.trim_end().to_owned());
        if line.starts_with(start) {
            return lines;
        }
    }
}

#[test]
fn a_person_is_greeted_and_helped() {
    let terminal = openpty(None, None).unwrap();
    let end = || Stdio::from(terminal.slave.try_clone().unwrap());
    let mut program = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(["--playouts", "10"])
        .stdin(end())
        .stdout(end())
        .spawn()
        .unwrap();
    let mut keys = File::from(terminal.master.try_clone().unwrap());
    let mut screen = BufReader::new(File::from(terminal.master));
    let greeting = read_to(&mut screen, "help ");
    assert_eq!(greeting.len(), 3, "{greeting:?}");
    assert!(greeting[0].starts_with("Tengen "), "{greeting:?}");
    // Before the protocol is known, and after.
    for line in ["help", "START 15\nHelp"] {
        writeln!(keys, "{line}").unwrap();
        let help = read_to(&mut screen, "Other things");
        assert!(help.iter().any(|it| it.contains("Gomocup")), "{help:?}");
    }
    writeln!(keys, "ABOUT\nEND").unwrap();
    read_to(&mut screen, "name=\"Tengen\"");
    assert!(program.wait().unwrap().success());
}

#[test]
fn a_pipe_gets_answers_only() {
    let output = assert_cmd::Command::cargo_bin("tengen")
        .unwrap()
        .write_stdin("help\n")
        .assert()
        .success();
    let output = output.get_output();
    assert_eq!(output.stdout, b"? unknown command\n\n");
    assert!(output.stderr.is_empty());
}
