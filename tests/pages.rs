//! What the pages for people name is there: links, files, commands with their options, and the list of
//! contents of `protocol.md`.

use assert_cmd::Command;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every page with its text.
fn pages() -> Vec<(PathBuf, String)> {
    let named = [
        "README.md",
        "HACKING.md",
        "protocol.md",
        "results/README.md",
    ];
    let named = named.iter().map(|name| root().join(name));
    let docs = fs::read_dir(root().join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|it| it == "md"));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    pages.chain(named).map(read).collect()
}

/// The lines outside of fenced blocks, and those of blocks of shell commands.
fn prose_and_commands(text: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut prose, mut commands) = (Vec::new(), Vec::new());
    let mut fence = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), fence) {
            (Some(_), Some(_)) => fence = None,
            (Some(language), None) => fence = Some(language),
            (None, Some("sh")) => commands.push(line),
            (None, Some(_)) => {}
            (None, None) => prose.push(line),
        }
    }
    (prose, commands)
}

/// What stands between `open` and `close`, each time.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    let parts = text.split(open).skip(1);
    parts
        .filter_map(|part| Some(part.split_once(close)?.0))
        .collect()
}

/// The headings with their level and the anchor that GitHub gives them: repeated ones are numbered.
fn headings(text: &str) -> Vec<(usize, String, String)> {
    let mut seen = BTreeMap::new();
    let heading = |line: &&str| {
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        (level > 0 && title.starts_with(' ')).then(|| (level, title.trim().to_owned()))
    };
    let (prose, _) = prose_and_commands(text);
    let titles = prose.iter().filter_map(heading);
    titles
        .map(|(level, title)| {
            let kept = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
            let slug = title.to_lowercase().replace(|c| !kept(c), "");
            let slug = slug.replace(' ', "-");
            let count = seen.entry(slug.clone()).or_insert(0);
            let number = *count;
            *count += 1;
            let anchor = match number {
                0 => slug,
                _ => format!("{slug}-{number}"),
            };
            (level, title, anchor)
        })
        .collect()
}

#[test]
fn links_lead_somewhere() {
    for (page, text) in pages() {
        let (prose, _) = prose_and_commands(&text);
        for link in between(&prose.join("\n"), "](", ")") {
            if link.starts_with("http") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.clone(),
                _ => page.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: no {link}", page.display());
            if !anchor.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                let has = headings(&text).iter().any(|(_, _, it)| it == anchor);
                assert!(has, "{}: no {link}", page.display());
            }
        }
    }
}

#[test]
fn files_that_are_named_are_there() {
    let folders = [
        "benches/",
        "docs/",
        "examples/",
        "fuzz/",
        "packaging/",
        "results/",
        "scripts/",
        "tests/",
    ];
    for (page, text) in pages() {
        let (prose, commands) = prose_and_commands(&text);
        let prose = prose.join("\n");
        let quoted = between(&prose, "`", "`");
        let words = quoted
            .iter()
            .chain(&commands)
            .flat_map(|it| it.split_whitespace());
        for word in words.filter(|it| folders.iter().any(|folder| it.starts_with(folder))) {
            let file = root().join(word.trim_end_matches(['`', ',', '.', ':']));
            assert!(file.exists(), "{}: no {word}", page.display());
        }
    }
}

/// What `tengen COMMAND --help` prints; with no command, of `tengen` itself.
fn help(command: Option<&str>) -> String {
    let mut tengen = Command::cargo_bin("tengen").unwrap();
    let done = tengen.args(command).arg("--help").assert().success();
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

#[test]
fn commands_and_their_options_exist() {
    let mut known = BTreeMap::new();
    let mut seen = 0;
    for (page, text) in pages() {
        let (_, commands) = prose_and_commands(&text);
        let text = commands.join("\n").replace("\\\n", " ");
        let lines = text.lines().map(|line| line.split(" #").next().unwrap());
        let own = lines.flat_map(|line| line.split('|')).filter_map(|line| {
            let line = line.trim().trim_start_matches("cargo run --release -- ");
            line.strip_prefix("tengen")
                .or((line == "match").then_some(line))
        });
        for line in own {
            let outside_quotes: String = line.split('\'').step_by(2).collect();
            let mut words = outside_quotes.split_whitespace().peekable();
            let command = words.next_if(|word| !word.starts_with('-'));
            let help = known
                .entry(command.map(str::to_owned))
                .or_insert_with(|| help(command));
            for option in words.filter(|word| word.starts_with("--")) {
                let name = option.split('=').next().unwrap();
                assert!(
                    help.contains(name),
                    "{}: {line}: no {option}",
                    page.display()
                );
            }
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen} commands");
}

#[test]
fn the_contents_of_the_protocols_are_whole() {
    let text = fs::read_to_string(root().join("protocol.md")).unwrap();
    let listed = between(&text, "[", ")");
    let headings = headings(&text);
    // The first is that of the page.
    let expected: Vec<String> = headings[1..]
        .iter()
        .map(|(_, title, anchor)| format!("{title}](#{anchor}"))
        .collect();
    let listed: Vec<&str> = listed.into_iter().filter(|it| it.contains("](#")).collect();
    assert_eq!(listed[..expected.len()], expected);
}
