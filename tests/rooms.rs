//! `unsafe` stays in its rooms, and each use says why it is sound; modules use those below them; files
//! stay short and tell no dates.

use std::fs;
use std::path::{Path, PathBuf};

/// Where `unsafe` may stand.
const ROOMS: [&str; 9] = [
    "src/simd/x86.rs",
    "src/simd/x86/floats.rs",
    "src/simd/x86/lanes.rs",
    "src/simd/x86/products.rs",
    "src/simd/x86/rays.rs",
    "src/simd/x86/shorts.rs",
    "src/host/library.rs",
    "examples/strategy.rs",
    "examples/web_page.rs",
];

/// The files below a folder whose names end in one of these; what is built is passed over.
fn files(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.ends_with("target") {
            continue;
        }
        if path.is_dir() {
            files(&path, extensions, found);
        } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
            found.push(path);
        }
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    files(folder, &["rs"], found);
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
            .filter(|line| line.contains("unsafe {") || line.contains("unsafe extern \"C\" {"))
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

/// Every source file of the library and the program, by its path below `src`, with its text.
fn library() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(&root).unwrap().to_str().unwrap();
        (name.replace('\\', "/"), text)
    };
    files.into_iter().map(read).collect()
}

/// The first word of a text.
fn word(text: &str) -> &str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !is_word(c)).next().unwrap_or_default()
}

/// The modules in the order of their table in `lib.rs`.
fn modules() -> Vec<String> {
    let map = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let rows = map.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    let modules: Vec<String> = rows.map(|row| word(row).to_owned()).collect();
    assert!(modules.len() > 15);
    modules
}

/// The modules that a line of code names by `crate::NAME` or `crate::{NAME, NAME}`.
fn used(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).flat_map(|path| {
        let group = path.strip_prefix('{');
        let names = group.map_or(path, |names| names.split('}').next().unwrap_or_default());
        let several = names.split(", ").map(word);
        several.take(if group.is_some() { usize::MAX } else { 1 })
    })
}

#[test]
fn no_module_uses_one_above_it() {
    let modules = modules();
    let floor = |name: &str| modules.iter().position(|module| module == name);
    for (name, text) in library() {
        // Tests may use what they like.
        let own = floor(word(&name));
        let Some(own) = own.filter(|_| !name.contains("/tests")) else {
            continue;
        };
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in lines {
            for used in used(line) {
                let used = floor(used);
                assert!(used.is_some_and(|used| used <= own), "{name}: {line}");
            }
        }
    }
}

#[test]
fn no_file_is_long() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "tests", "benches", "examples"] {
        files(
            &root.join(folder),
            &["rs", "js", "css", "html", "py"],
            &mut found,
        );
    }
    for file in found {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines < 600, "{} has {lines} lines", file.display());
    }
}

/// Whether a text has a day in it, as `2000-02-28`.
fn has_date(text: &str) -> bool {
    let is_date = |part: &[u8]| {
        part.iter().enumerate().all(|(at, c)| match at {
            4 | 7 => *c == b'-',
            _ => c.is_ascii_digit(),
        })
    };
    text.as_bytes().windows(10).any(is_date)
}

/// What was measured when stands in `docs`. Forms of dates may be shown as `code`.
#[test]
fn no_comment_tells_a_date() {
    for (name, text) in library() {
        let comments = text.lines().filter_map(|line| line.split_once("//"));
        for (_, comment) in comments {
            let prose = comment.split('`').step_by(2);
            assert!(!prose.into_iter().any(has_date), "src/{name}: {comment}");
        }
    }
}

#[test]
fn every_file_of_tests_is_a_part_of_their_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let program = fs::read_to_string(folder.join("all.rs")).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.extension().is_some_and(|it| it == "rs") && name != "all" {
            assert!(program.contains(&format!("\nmod {name};\n")), "{name}");
        }
    }
}
