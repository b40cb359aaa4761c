//! Examples as they are now.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a program that must succeed says.
pub fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Builds an example in the profile of this test; returns the folder of examples.
pub fn build_example(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let (profile, folder) = match cfg!(debug_assertions) {
        true => ("dev", "debug"),
        false => ("release", "release"),
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.args(["build", "--quiet", "--locked", "--example", name]);
    cargo
        .args(["--profile", profile, "--target-dir"])
        .arg(target);
    succeed(&mut cargo);
    target.join(folder).join("examples")
}
