//! `unsafe` stays in its rooms, and each use says why it is sound.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// Where `unsafe` may stand.
const ROOMS: [&str; 7] = [
    "src/simd/x86.rs",
    "src/simd/x86/floats.rs",
    "src/simd/x86/products.rs",
    "src/simd/x86/rays.rs",
    "src/simd/x86/shorts.rs",
    "src/host/library.rs",
    "examples/strategy.rs",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The word itself, in code: not in comments, and not as a part of `unsafe_code`.
fn has_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.split(|c| !is_word(c)).any(|word| word == "unsafe")
}

#[test]
fn unsafe_stays_in_its_rooms() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "examples", "benches"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 50);
    let mut rooms = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let name = file
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let allows = ["allow(unsafe_code", "expect(unsafe_code"];
        let opens = allows.iter().any(|allow| text.contains(allow));
        if opens || text.lines().any(has_unsafe) {
            rooms.push(name);
        }
    }
    rooms.sort();
    let mut expected = ROOMS.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(rooms, expected);
}

#[test]
fn every_unsafe_block_says_why() {
    for room in ROOMS {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(room)).unwrap();
        let blocks = text
            .lines()
            .filter(|line| line.contains("unsafe {"))
            .count();
        let reasons = text
            .lines()
            .filter(|line| line.contains("// SAFETY:"))
            .count();
        assert!(
            blocks > 0 && blocks <= reasons,
            "{room}: {blocks} blocks, {reasons} reasons"
        );
    }
}
