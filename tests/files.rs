//! What commands do with the files that they write, and with those that are in their way.

use crate::folder::Folder;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;
use tengen::arena::records::journal::{self, Journal};
use tengen::arena::records::record::GameRecord;

const MATCH: &str = "match random random --game connect4 --games 4";

/// Commands that compute something in a moment, up to the file that they write.
const COMPUTED: [&str; 3] = [
    "tune connect4 --positions 1 --tries 0 --out",
    "book connect4 --memory 1 --depth 2 --likely 3 --out",
    "learn gomoku --games 2 --playouts 2 --force --out",
];

fn tengen(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(arguments.split_whitespace());
    command
}

/// Leaves nothing to be computed where that is a book.
fn prepare(command: &str, out: &str) {
    if command.starts_with("book") {
        let title = "connect4 7x6, columns of likely positions with 2 stones";
        fs::write(format!("{out}.partial"), format!("{title}\n4-7")).unwrap();
    }
}

/// What a command prints, which must succeed.
fn succeeds(arguments: &str) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = tengen(arguments).output().unwrap();
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{arguments}: {stderr}");
    String::from_utf8(stdout).unwrap()
}

/// What a command says that must fail.
fn fails(arguments: &str) -> String {
    let output = tengen(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments}");
    String::from_utf8(output.stderr).unwrap()
}

/// Plays a short match, and returns the file of its records.
fn play(folder: &Folder, name: &str, arguments: &str) -> String {
    let path = folder.argument(name);
    succeeds(&format!("{MATCH} {arguments} --json {path}"));
    path
}

fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap()
}

/// Links stay, whether there was a file at their end or not.
#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_replaced() {
    let folder = Folder::new("files-links");
    fs::create_dir(folder.argument("below")).unwrap();
    let games = play(&folder, "games", "");
    let merge = format!("merge {games} --force --json");
    let report = format!("report {games} --html");
    for (number, command) in COMPUTED.into_iter().chain([&*merge, &*report]).enumerate() {
        let link = folder.argument(&format!("link{number}"));
        let target = folder.argument(&format!("below/{number}"));
        std::os::unix::fs::symlink(format!("below/{number}"), &link).unwrap();
        prepare(command, &link);
        for _ in 0..2 {
            succeeds(&format!("{command} {link}"));
            assert!(Path::new(&link).is_symlink(), "{command}");
            assert!(fs::metadata(&target).unwrap().len() > 0, "{command}");
        }
    }
}

/// A device of its own for this test: the real ones would be destroyed by what is tested for. `None`
/// where none can be made.
#[cfg(target_os = "linux")]
fn device(folder: &Folder, name: &str, minor: u64) -> Option<String> {
    use nix::sys::stat::{Mode, SFlag, makedev, mknod};
    let path = folder.argument(name);
    let mode = Mode::S_IRUSR | Mode::S_IWUSR;
    mknod(&*path, SFlag::S_IFCHR, mode, makedev(1, minor)).ok()?;
    // There are file systems on which devices cannot be opened.
    let opened = fs::OpenOptions::new().write(true).open(&path);
    opened.is_ok().then_some(path)
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_stays_one_and_errors_name_it() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new("files-devices");
    let (Some(null), Some(full)) = (device(&folder, "null", 3), device(&folder, "full", 7)) else {
        return;
    };
    let games = play(&folder, "games", "");
    let weights = "src/knowledge/reversi/weights.bin";
    let recorded = format!("learn reversi --from {weights} --games 1 --force --record");
    let (report, merge) = (
        format!("report {games} --html"),
        format!("merge {games} --json"),
    );
    let all = [&COMPUTED[..], &[&*report, &*merge]].concat();
    for command in &all {
        prepare(command, &null);
        prepare(command, &full);
        succeeds(&format!("{command} {null}"));
    }
    for command in [&all[..], &[&*recorded, &format!("{MATCH} --json")]].concat() {
        let said = fails(&format!("{command} {full}"));
        assert!(said.contains(&format!("cannot write {full}: ")), "{said}");
    }
    let said = fails(&format!("{recorded} {null}"));
    assert!(
        said.contains(&format!("cannot write {null}: it is no file")),
        "{said}"
    );
    for device in [null, full] {
        let there = fs::symlink_metadata(&device).unwrap();
        assert!(there.file_type().is_char_device(), "{device}");
    }
}

#[test]
fn no_records_are_replaced_while_a_match_writes_them() {
    let folder = Folder::new("files-live");
    let (live, other) = (
        play(&folder, "live", ""),
        play(&folder, "other", "--seed 1"),
    );
    let mut records = Vec::new();
    let resumed = Journal::resume(Path::new(&live), |_, record: GameRecord| {
        records.push(record);
        Ok(())
    });
    let mut journal = resumed.unwrap();
    for arguments in [format!("{other} --force"), live.clone()] {
        // Where locks are mandatory, the records cannot even be read.
        let said = fails(&format!("merge {arguments} --json {live}"));
        assert!(said.contains("a match writes to it"), "{said}");
    }
    journal.append(&records[0]).unwrap();
    drop(journal);
    assert_eq!(text(&live).lines().count(), 5);
    succeeds(&format!("merge {live} --json {live}"));
    assert_eq!(text(&live).lines().count(), 4);

    let held = journal::hold(Path::new(&live)).unwrap();
    assert!(fails(&format!("{MATCH} --json {live} --resume")).contains("writes to it"));
    drop(held);
    succeeds(&format!("{MATCH} --json {live} --resume"));
}

#[test]
fn what_is_called_like_a_part_stays() {
    let folder = Folder::new("files-parts");
    let part = play(&folder, "all.part", "");
    let games = text(&part);
    let all = folder.argument("all");
    succeeds(&format!("merge {part} --json {all}"));
    assert_eq!([text(&part), text(&all)], [&*games, &*games]);
    fs::write(&part, format!("{games}nonsense\n")).unwrap();
    fails(&format!("merge {part} --force --json {all}"));
    assert_eq!(text(&part), format!("{games}nonsense\n"));

    let notes = folder.argument("all.html.part");
    fs::write(&notes, "somebody's").unwrap();
    succeeds(&format!("report {all} --html {all}.html"));
    succeeds(&format!("{MATCH} --force --json {all} --html {all}.html"));
    assert_eq!(text(&notes), "somebody's");
    assert_eq!(
        folder.names(),
        ["all", "all.html", "all.html.part", "all.part"]
    );
}

/// The page goes to a pipe that nobody reads, so the match waits, and others may have the records.
#[cfg(unix)]
#[test]
fn the_records_are_free_when_the_page_is_written() {
    use nix::sys::stat::Mode;
    let folder = Folder::new("files-free");
    let (games, page) = (folder.argument("games"), folder.argument("page"));
    nix::unistd::mkfifo(&*page, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
    let mut command = tengen(&format!("{MATCH} --json {games} --html {page}"));
    let mut playing = command.stdout(Stdio::null()).spawn().unwrap();
    let is_free = (0..2000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        let file = fs::File::open(&games);
        file.is_ok_and(|file| text(&games).lines().count() == 4 && file.try_lock().is_ok())
    });
    let html = text(&page);
    assert!(playing.wait().unwrap().success());
    assert!(html.ends_with("</html>\n"));
    assert!(is_free);
}

#[test]
fn matches_that_differ_in_their_openings_or_terms_are_reported_together() {
    let folder = Folder::new("files-mixed");
    let files = [
        ("two", "--random-plies 2"),
        ("four", "--random-plies 4"),
        ("adjudicated", "--adjudicate 0.1,2"),
        ("late", "--margin 5000"),
    ]
    .map(|(name, arguments)| play(&folder, name, arguments));
    let page = folder.argument("page.html");
    succeeds(&format!("report {} --html {page}", files.join(" ")));
    let page = text(&page);
    let (_, tables) = page.split_once("id=\"tables\">\n").unwrap();
    let tables = tables.split_once("\n</script>").unwrap().0;
    let tables: serde_json::Value = serde_json::from_str(tables).unwrap();
    let pairings = tables["pairings"].as_array().unwrap();
    let games = |pairing: &serde_json::Value| {
        ["wins", "draws", "losses"].map(|it| pairing[it].as_u64().unwrap())
    };
    let games: Vec<u64> = pairings.iter().map(|it| games(it).iter().sum()).collect();
    assert_eq!(games, [8, 4, 4]);
    // The pairs of both openings are whole.
    let steps = pairings[0]["progress"].as_array().unwrap();
    assert_eq!(steps.last().unwrap()[0], 8);
    let said = fails(&format!(
        "report {0} {0} --html {1}",
        files[1],
        folder.argument("b.html")
    ));
    assert!(said.contains("was there before"), "{said}");
}

#[test]
fn a_file_without_records_is_not_said_to_hold_some() {
    let folder = Folder::new("files-notes");
    let games = play(&folder, "games", "");
    let notes = folder.argument("notes");
    for kept in ["somebody's", "somebody's\n", "{\"name\": 1}\n"] {
        fs::write(&notes, kept).unwrap();
        for command in [MATCH, &format!("merge {games}"), "experiment D --games 2"] {
            let said = fails(&format!("{command} --json {notes}"));
            assert!(said.contains("is no file of records: --force"), "{said}");
        }
        fails(&format!("{MATCH} --json {notes} --resume"));
        assert_eq!(text(&notes), kept);
    }
    // A game that was cut off is one.
    let record = text(&games);
    fs::write(&notes, &record[..100]).unwrap();
    for command in [MATCH, &format!("merge {games}")] {
        let said = fails(&format!("{command} --json {notes}"));
        assert!(said.contains("holds records"), "{said}");
    }
    succeeds(&format!("{MATCH} --json {notes} --resume"));
    assert_eq!(text(&notes).lines().count(), 4);
}
