//! `tengen report` as a person runs it, and its data against the rules.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tengen::arena::records::record::{GameRecord, TopMove};
use tengen::arena::report::replay::Replay;
use tengen::game::any::{AnyGame, new_game};
use tengen::game::{Side, notation};

/// Games in which something happens that a page could get wrong: discs that turn and passes,
/// a hole, a stone that is stolen.
const MATCHES: [(&str, &str); 4] = [
    ("gomoku", "--game gomoku --size 10x8"),
    ("reversi", "--game reversi"),
    ("connect4", "--game connect4 --size 9x10 --hole 4,8"),
    ("steal", "--game connect4 --steal"),
];

fn tengen(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(arguments).output().unwrap()
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Plays a match of the random bot, and returns the file of its records.
fn play(name: &str, arguments: &str) -> PathBuf {
    let path = file(&format!("report-{name}.jsonl"));
    let command = format!(
        "match random random {arguments} --force --json {}",
        path.display()
    );
    let output = tengen(&command.split_whitespace().collect::<Vec<_>>());
    assert!(output.status.success(), "{output:?}");
    path
}

fn records(path: &Path) -> Vec<GameRecord> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn write_records(path: &Path, records: &[GameRecord]) {
    let lines = records
        .iter()
        .map(|record| serde_json::to_string(record).unwrap() + "\n");
    fs::write(path, lines.collect::<String>()).unwrap();
}

/// What stands in the page's element of this id.
fn element<'a>(page: &'a str, id: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("id=\"{id}\">\n")).unwrap();
    rest.split_once("\n</script>").unwrap().0
}

fn stones(game: &dyn AnyGame) -> Vec<Option<usize>> {
    let points = game.setup().points();
    points
        .map(|point| game.stone_at(point).map(Side::index))
        .collect()
}

/// Paints cells ply by ply as the page does, and compares every position with the rules.
#[test]
fn painting_the_cells_of_each_ply_shows_the_game() {
    let (mut turned, mut passes, mut steals) = (0, 0, 0);
    for (name, arguments) in MATCHES {
        let path = play(&format!("paint-{name}"), &format!("{arguments} --games 20"));
        for record in records(&path) {
            let setup = record.setup;
            let mut game = new_game(&setup).unwrap();
            let mut board = stones(&*game);
            for ply in Replay::new(&record).unwrap().plies {
                assert_eq!(ply.side, game.side_to_move().index());
                game.play(notation::parse(&setup, ply.text).unwrap())
                    .unwrap();
                let placed = ply
                    .cells
                    .iter()
                    .filter(|&&cell| board[usize::from(cell)].is_none());
                assert_eq!(
                    placed.count(),
                    usize::from(!["pass", "steal"].contains(&ply.text))
                );
                turned += ply.cells.len().saturating_sub(1);
                passes += usize::from(ply.text == "pass");
                steals += usize::from(ply.text == "steal");
                for &cell in &ply.cells {
                    board[usize::from(cell)] = Some(ply.side);
                }
                assert_eq!(board, stones(&*game), "{name}, after {}", ply.text);
            }
        }
    }
    assert!(
        turned > 0 && passes > 0 && steals > 0,
        "{turned} {passes} {steals}"
    );
}

#[test]
fn the_page_holds_every_game_and_counts_them_as_the_match_does() {
    let paths = MATCHES
        .map(|(name, arguments)| play(&format!("page-{name}"), &format!("{arguments} --games 6")));
    let page = file("report-page.html");
    let mut arguments = vec!["report", "--html", page.to_str().unwrap()];
    arguments.extend(paths.iter().map(|path| path.to_str().unwrap()));
    assert!(tengen(&arguments).status.success());
    let page = fs::read_to_string(page).unwrap();
    let games: Vec<Value> = element(&page, "games")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let tables: Value = serde_json::from_str(element(&page, "tables")).unwrap();
    assert_eq!(games.len(), 24);
    assert_eq!(tables["events"].as_array().unwrap().len(), 4);
    for row in tables["games"].as_array().unwrap() {
        let place = row[0].as_u64().unwrap() as usize;
        assert_eq!(
            games[place]["plies"].as_array().unwrap().len() as u64,
            row[6].as_u64().unwrap()
        );
    }
    let all: Vec<GameRecord> = paths.iter().flat_map(|path| records(path)).collect();
    for (winner, count) in [(Some(0), "wins"), (None, "draws"), (Some(1), "losses")] {
        let counted = tables["pairings"].as_array().unwrap().iter();
        let counted: u64 = counted
            .map(|pairing| pairing[count].as_u64().unwrap())
            .sum();
        let games = all.iter().filter(|record| record.winner == winner);
        assert_eq!(counted, games.count() as u64, "{count}");
    }
    let reversi = &tables["events"].as_array().unwrap().iter();
    let reversi = reversi
        .clone()
        .find(|event| event["board"]["game"] == "reversi")
        .unwrap();
    assert_eq!(
        reversi["board"]["start"],
        serde_json::json!([[28, 35], [27, 36]])
    );
}

#[test]
fn hostile_names_stay_text() {
    let path = play("hostile", "--game gomoku --games 2");
    let mut records = records(&path);
    for record in &mut records {
        record.engines = [
            "</script><script>alert(1)</script>|".to_owned(),
            "<!--<b>".to_owned(),
        ];
        record.detail = Some("</script>".to_owned());
        record.moves[0].top = vec![TopMove {
            text: "<i>".to_owned(),
            visits: 1,
            value: 0.5,
        }];
    }
    write_records(&path, &records);
    let (plain, hostile) = (play("plain", "--game gomoku --games 2"), path);
    let scripts = |path: &Path| {
        let output = tengen(&["report", path.to_str().unwrap()]);
        assert!(output.status.success(), "{output:?}");
        let page = fs::read_to_string(path.with_extension("html")).unwrap();
        ["<script", "</script", "<!--", "<b>", "<i>"].map(|text| page.matches(text).count())
    };
    assert_eq!(scripts(&hostile), scripts(&plain));
    let output = tengen(&["report", hostile.to_str().unwrap(), "--markdown"]);
    let markdown = String::from_utf8(output.stdout).unwrap();
    assert!(
        markdown.contains(r"\</script\>\<script\>alert(1)\</script\>\|"),
        "{markdown}"
    );
}

#[test]
fn the_match_writes_the_same_page_and_a_table_in_markdown() {
    let path = file("report-same.html");
    let records = play(
        "same",
        &format!("--game connect4 --games 4 --html {}", path.display()),
    );
    let page = fs::read_to_string(&path).unwrap();
    let output = tengen(&[
        "report",
        records.to_str().unwrap(),
        "--markdown",
        "--html",
        path.to_str().unwrap(),
    ]);
    assert_eq!(fs::read_to_string(&path).unwrap(), page);
    let markdown = String::from_utf8(output.stdout).unwrap();
    assert!(
        markdown.starts_with("### connect4 7x6, 100 ms a move\n"),
        "{markdown}"
    );
    let widths = |line: &&str| line.matches('|').count();
    let table: Vec<&str> = markdown
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    // An engine against itself has no cross table, and is told apart from itself.
    assert_eq!(table.iter().map(widths).collect::<Vec<_>>(), [9, 9, 9]);
    assert!(markdown.contains(r"random \#1 - random \#2"), "{markdown}");
}

#[test]
fn no_page_is_written_over_records_or_openings() {
    let records = play("kept", "--game connect4 --games 2");
    let text = fs::read_to_string(&records).unwrap();
    let openings = file("report-kept-openings.txt");
    fs::write(&openings, "44\n45\n").unwrap();
    let [records, openings] = [&records, &openings].map(|path| path.to_str().unwrap());
    // Another spelling of the same path.
    let again = records.replace("/report-kept", "/./report-kept");
    let report = ["report", records, "--html", &again];
    let game = ["match", "random", "random", "--game", "connect4"];
    let resumed = ["--json", records, "--resume", "--html", &again];
    let opened = ["--openings", openings, "--json", openings];
    let shown = [
        "--openings",
        openings,
        "--json",
        "other",
        "--html",
        openings,
    ];
    for arguments in [
        report.to_vec(),
        [&game[..], &resumed].concat(),
        [&game[..], &opened].concat(),
        [&game[..], &shown].concat(),
    ] {
        let output = tengen(&arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains("file of"), "{stderr}");
        assert_eq!(fs::read_to_string(records).unwrap(), text);
        assert_eq!(fs::read_to_string(openings).unwrap(), "44\n45\n");
    }
}

#[test]
fn a_match_that_does_not_begin_leaves_the_records() {
    let records = play("left", "--game connect4 --games 2");
    let text = fs::read_to_string(&records).unwrap();
    let json = ["--json", records.to_str().unwrap()];
    let no_engine = [
        "match",
        "random",
        "gomocup:/nonexistent",
        "--game",
        "gomoku",
    ];
    let no_opening = [
        "match",
        "random",
        "random",
        "--game",
        "connect4",
        "--random-plies",
        "99",
    ];
    let no_page = [
        "match",
        "random",
        "random",
        "--game",
        "connect4",
        "--html",
        "/nonexistent/a",
    ];
    let other_game = ["experiment", "D", "--engine", "five-tuple", "--games", "2"];
    for (arguments, said) in [
        (&no_engine[..], "does not begin"),
        (&no_opening, "no opening"),
        (&no_page, "cannot write /nonexistent/a:"),
        (&other_game, "five-tuple does not play connect4"),
    ] {
        let output = tengen(&[arguments, &json].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains(said), "{stderr}");
        assert_eq!(fs::read_to_string(&records).unwrap(), text, "{arguments:?}");
    }
}

#[test]
fn a_report_that_fails_leaves_the_page_as_it_was() {
    let records = play("whole", "--game connect4 --games 2");
    let torn = file("report-torn.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    fs::write(&torn, format!("{text}nonsense\n")).unwrap();
    let page = file("report-whole.html");
    let report = |records: &Path| {
        let paths = [records, &page].map(|path| path.to_str().unwrap());
        tengen(&["report", paths[0], "--html", paths[1]])
    };
    assert!(report(&records).status.success());
    let whole = fs::read_to_string(&page).unwrap();
    for bad in [&torn, Path::new("missing.jsonl")] {
        assert_eq!(report(bad).status.code(), Some(1));
        assert_eq!(fs::read_to_string(&page).unwrap(), whole);
        assert!(!file("report-whole.html.part").exists());
    }
}

#[test]
fn three_engines_have_a_cross_table_with_ratings() {
    let path = file("report-three.jsonl");
    let path = path.to_str().unwrap();
    let command =
        format!("match random greedy five-tuple --game gomoku --games 2 --force --json {path}");
    let output = tengen(&command.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{output:?}");
    let output = tengen(&["report", path, "--markdown"]);
    let markdown = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<&str> = markdown.lines().filter(|line| line.contains('±')).collect();
    assert_eq!(rows.len(), 3, "{markdown}");
    assert!(rows[2].starts_with("| 3 | random |"), "{markdown}");
    assert!(rows[2].contains("| 0/4 | 0.0 % |"), "{markdown}");
}

#[test]
fn what_cannot_be_shown_is_said_and_fails() {
    let good = play("good", "--game gomoku --games 2");
    let twice = [records(&good), records(&good)].concat();
    let with = |change: fn(&mut GameRecord)| {
        let mut changed = records(&good);
        change(&mut changed[1]);
        changed
    };
    for (name, records, said) in [
        ("twice", twice, "was there before"),
        (
            "illegal",
            with(|it| it.moves[0].text = it.opening[0].clone()),
            "line 2: ply 3",
        ),
        (
            "unreadable",
            with(|it| it.moves[2].text = "z99".to_owned()),
            "ply 5",
        ),
        ("engine", with(|it| it.winner = Some(2)), "0 or 1"),
        ("size", with(|it| it.setup.cols = 255), "line 2"),
        ("none", Vec::new(), "no games"),
    ] {
        let path = file(&format!("report-bad-{name}.jsonl"));
        write_records(&path, &records);
        let output = tengen(&["report", path.to_str().unwrap()]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(stderr.contains(said), "{name}: {stderr}");
    }
    let chess = file("report-bad-game.jsonl");
    let text = fs::read_to_string(&good).unwrap();
    fs::write(&chess, text.replace("gomoku 15x15", "chess 8x8")).unwrap();
    let (good, chess) = (good.to_str().unwrap(), chess.to_str().unwrap());
    for (arguments, said) in [
        (vec!["report"], "RECORDS"),
        (vec!["report", chess], "chess"),
        (
            vec!["report", "/nonexistent.jsonl"],
            "cannot read /nonexistent.jsonl",
        ),
        (vec!["report", good, "--html", good], "is a file of records"),
        (vec!["match", "--html", "page.html"], "--json"),
    ] {
        let output = tengen(&arguments);
        assert!(!output.status.success());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(said), "{arguments:?}: {stderr}");
    }
}
