//! The subcommands as a person runs them.

use crate::folder::Folder;
#[cfg(unix)]
use crate::played::fixture;
use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::{Value, json};
#[cfg(unix)]
use std::path::Path;
use tengen::options::{Options, TABLE};

fn output(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("tengen").unwrap();
    let done = command.args(arguments).assert().success();
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

/// What it wrote to the standard error stream.
fn errors(done: &Assert) -> String {
    String::from_utf8_lossy(&done.get_output().stderr).into_owned()
}

fn analysis(arguments: &[&str]) -> Value {
    let arguments = [&["analyze", "--json"], arguments].concat();
    serde_json::from_str(&output(&arguments)).unwrap()
}

/// What the program needs of itself, and what writes its source anew, is in nobody's way.
#[test]
fn help_lists_what_people_use() {
    let text = output(&["--help"]);
    let listed = |name: &str| text.lines().any(|line| line.trim_start().starts_with(name));
    for name in ["match ", "analyze ", "solve ", "learn ", "report "] {
        assert!(listed(name), "{name} is not listed: {text}");
    }
    for name in ["host ", "keep ", "book ", "tune "] {
        assert!(!listed(name), "{name} is listed: {text}");
        assert!(output(&[name.trim(), "--help"]).contains("Usage"));
    }
}

#[test]
fn perft_prints_every_depth() {
    let text = output(&["perft", "--game", "reversi", "--depth", "5"]);
    let counts: Vec<_> = text
        .lines()
        .map(|line| line.split_whitespace().nth(3))
        .collect();
    assert_eq!(counts, ["4", "12", "56", "244", "1396"].map(Some));
}

#[test]
fn bench_is_the_same_every_time() {
    let nodes = |arguments: &[&str]| {
        let text = output(&[&["bench"], arguments].concat());
        let last = text.lines().last().unwrap().to_owned();
        let words: Vec<_> = last.split_whitespace().map(str::to_owned).collect();
        assert_eq!(
            (&*words[0], &*words[2], &*words[4]),
            ("Bench:", "nodes", "pps")
        );
        words[1].parse::<u64>().unwrap()
    };
    assert_eq!(nodes(&[]), nodes(&["--simd", "portable"]));
}

#[test]
fn bench_refuses_instructions_that_nobody_has() {
    let mut command = Command::cargo_bin("tengen").unwrap();
    let done = command
        .args(["bench", "--simd", "abacus"])
        .assert()
        .failure();
    let error = errors(&done);
    assert!(error.contains("abacus"), "{error}");
}

#[test]
fn analyze_sees_a_win_in_one() {
    let report = analysis(&[
        "--game",
        "connect4",
        "--moves",
        "414141",
        "--playouts",
        "1000",
    ]);
    assert_eq!(report["best"], "4");
    assert_eq!(report["proof"], "win 1");
    let report = analysis(&["--moves", "h8 a1 h9 b1 h10 c1 h11", "--playouts", "1000"]);
    assert_eq!(
        report["best"], "h12",
        "an open four is stopped at one end, though in vain"
    );
    assert_eq!(report["proof"], "loss 2");
}

#[test]
fn analyze_leads_a_proven_line_to_its_end() {
    // Three in a row with nothing beside them: a straight four, and then five.
    let moves = "h8 a1 i8 a3 j8 a5";
    let report = analysis(&["--moves", moves, "--playouts", "5000"]);
    let line = &report["moves"][0]["pv"];
    assert_eq!(report["proof"], "win 3", "{report}");
    assert_eq!(line.as_array().unwrap().len(), 3, "{line}");
}

#[test]
fn analyze_ranks_the_moves() {
    for bot in ["tengen", "uct"] {
        let position = ["--game", "reversi", "--moves", "f5d6"];
        let report = analysis(&[&position[..], &["--playouts", "500", "--bot", bot]].concat());
        assert_eq!(report["playouts"], 500);
        let moves = report["moves"].as_array().unwrap();
        let visits: Vec<u64> = moves.iter().map(visits).collect();
        // Tengen's own values count as more or less than one visit, and those of each move are rounded up.
        let all = report["visits"].as_u64().unwrap();
        let sum: u64 = visits.iter().sum();
        match bot {
            "uct" => assert_eq!((sum, all), (500, 500)),
            _ => assert!((all..all + moves.len() as u64).contains(&sum), "{report}"),
        }
        assert!(visits.is_sorted_by(|a, b| a >= b), "{visits:?}");
        assert_eq!(moves[0]["pv"][0], report["best"]);
    }
}

fn visits(mv: &Value) -> u64 {
    mv["visits"].as_u64().unwrap()
}

#[test]
fn analyze_of_a_finished_game_has_no_move() {
    let report = analysis(&[
        "--game",
        "connect4",
        "--moves",
        "4141414",
        "--playouts",
        "10",
    ]);
    assert_eq!(report["best"], Value::Null);
    assert_eq!(report["moves"].as_array().unwrap().len(), 0);
    assert_eq!(
        (&report["value"], &report["proof"]),
        (&json!(0.0), &json!("loss"))
    );
    for bot in ["tengen", "greedy"] {
        let drawn = "4321311144234232";
        let size = ["--size", "4x4", "--moves", drawn, "--bot", bot];
        let report = analysis(&[&["--game", "connect4"], &size[..]].concat());
        assert_eq!(
            (&report["value"], &report["proof"]),
            (&json!(0.5), &json!("draw"))
        );
    }
}

/// The centre wins at once, so nothing is found out about the others, though three of them win, too.
#[test]
fn analyze_says_nothing_of_moves_that_it_did_not_look_at() {
    let report = analysis(&["--game", "connect4", "--moves", "121", "--time", "100"]);
    let moves = report["moves"].as_array().unwrap();
    assert_eq!(report["proof"], moves[0]["proof"]);
    assert!(
        moves
            .iter()
            .all(|mv| mv["visits"] != 0 || mv["proof"] != Value::Null)
    );
}

#[test]
fn options_can_be_set_as_they_are_listed() {
    let text = output(&["options"]);
    let listed = text.lines().take_while(|line| !line.starts_with("Bots"));
    let rows: Vec<_> = listed
        .filter(|line| !line.starts_with([' ', 'O']))
        .filter_map(|line| line.split_once('='))
        .collect();
    let names: Vec<&str> = rows.iter().map(|&(name, _)| name).collect();
    let table: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
    assert_eq!(names, table);
    for (name, values) in rows {
        for value in values.split(", ") {
            let value = value.split(' ').next().unwrap();
            let set = Options::default().set(name, value);
            assert!(set.is_ok(), "{name}={value}: {set:?}");
        }
    }
}

#[test]
fn the_ladder_is_one_entry_of_the_bots() {
    let text = output(&["options"]);
    let graded = text.lines().filter(|line| line.contains("a graded"));
    assert_eq!(graded.count(), 1, "{text}");
    assert!(text.contains("level-1 to level-10  ("), "{text}");
}

/// The rows of the table in an experiment's output, without its headings.
fn experiment(arguments: &[&str]) -> (String, Vec<Vec<String>>) {
    let text = output(&[&["experiment"], arguments].concat());
    let rows = text.lines().skip(3).take_while(|line| !line.is_empty());
    let rows = rows.map(cells).collect();
    (text, rows)
}

fn cells(line: &str) -> Vec<String> {
    let cells = line.split("  ").map(str::trim);
    let cells = cells.filter(|cell| !cell.is_empty());
    cells.map(str::to_owned).collect()
}

#[test]
fn the_matches_of_the_reports_are_played() {
    for (arguments, opponents) in [
        (
            &["A", "--games", "2", "--time", "10"][..],
            &["random", "five-tuple", "five-tuple"][..],
        ),
        (
            &["B", "--games", "2", "--time", "5"],
            &["random", "low", "middle", "high"],
        ),
        (
            &[
                "D",
                "--games",
                "4",
                "--time",
                "5",
                "--engine",
                "connect4-uct",
            ],
            &["greedy", "level-4", "level-6", "level-8"],
        ),
    ] {
        let (text, rows) = experiment(arguments);
        let opponent = usize::from(arguments[0] != "B");
        let named: Vec<&str> = rows.iter().map(|row| &*row[opponent]).collect();
        assert_eq!(named, opponents, "{text}");
        for row in &rows {
            assert_eq!(row[2], arguments[2], "{text}");
        }
    }
}

#[test]
fn nodes_are_counted_for_every_search() {
    let (text, rows) = experiment(&["C", "--depth", "2"]);
    assert_eq!(rows.len(), 10, "{text}");
    let nodes = |row: usize| rows[row][3].parse::<u64>().unwrap();
    assert_eq!((&*rows[0][0], &*rows[1][0]), ("minimax", "negamax"));
    assert_eq!(nodes(0), nodes(1), "{text}");
    assert!((2..10).all(|row| nodes(row) < nodes(0)), "{text}");
    assert!(text.contains("same value at every depth"), "{text}");
}

#[test]
fn every_move_of_a_game_is_told() {
    let arguments = ["E", "--time", "5", "--opponent", "random"];
    let (text, rows) = experiment(&arguments);
    // A pass is a ply, too, so that black has every other one. White may have lost all discs early.
    let (reported, rows) = rows.split_at(2);
    let known = ["53.19 %", "20485", "20", "55.22 %", "22910", "20"];
    assert_eq!(
        [&reported[0][1..], &reported[1][1..]].concat(),
        known,
        "{text}"
    );
    for (number, row) in rows.iter().enumerate() {
        assert_eq!(row[0], (2 * number + 1).to_string(), "{text}");
    }
    let (_, discs) = text.split_once("Discs at the end: ").unwrap();
    let numbers = discs.split(|c: char| !c.is_ascii_digit());
    let counts: Vec<usize> = numbers.filter_map(|word| word.parse().ok()).collect();
    let discs = counts[0] + counts[1];
    assert!((5..=64).contains(&discs), "{text}");
    let of_black = rows.iter().filter(|row| row[1] != "pass").count();
    let of_white = discs - 4 - of_black;
    assert!(of_white <= rows.len(), "{text}");
    assert!(text.contains("the report: 1024 and 1145"), "{text}");
}

/// Faults and times are told, and no report that gives no figures.
#[cfg(unix)]
#[test]
fn faults_are_part_of_an_experiment() {
    let engine = fixture("gtp", Path::new("/dev/null"), "crash");
    let arguments = ["D", "--games", "2", "--time", "5", "--engine", &engine];
    let (text, rows) = experiment(&arguments);
    assert_eq!((&*rows[0][3], &*rows[0][8]), ("0-0-2", "2 / 0"), "{text}");
    assert!(text.contains("crash: 2 x crash, first: "), "{text}");
    assert!(!text.contains("report") && !text.contains("inf"), "{text}");
}

/// What was played stays, and with more games more is played, on boards of their own if asked for.
#[test]
fn an_experiment_goes_on() {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/experiment.jsonl");
    let play = |more: &[&str]| {
        let begun = ["D", "--time", "5", "--engine", "greedy", "--json", path];
        experiment(&[&begun, more].concat());
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<String>>()
    };
    let boards = |lines: &[String]| {
        let records = lines.iter().map(|line| serde_json::from_str(line).unwrap());
        let board = |it: Value| it["setup"].to_string();
        records
            .map(board)
            .collect::<std::collections::BTreeSet<_>>()
            .len()
    };
    let two = play(&["--games", "2", "--force"]);
    assert_eq!((two.len(), boards(&two)), (8, 1));
    std::fs::write(path, two[..5].join("\n") + "\n{\"torn").unwrap();
    let four = play(&["--games", "4", "--resume"]);
    assert_eq!((&four[..5], four.len(), boards(&four)), (&two[..5], 16, 2));
    let own = play(&["--games", "2", "--force", "--own-boards"]);
    assert_eq!(boards(&own), 4);
}

/// What was found before an interruption is not looked for again, the times of it included.
#[test]
fn an_experiment_that_is_no_match_goes_on() {
    let c = ["C", "--depth", "2"];
    let e = ["E", "--time", "5", "--opponent", "random"];
    for arguments in [&c[..], &e] {
        let name = format!("steps-{}.jsonl", arguments[0]);
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let file = ["--json", path.to_str().unwrap()];
        let run = |more: &str| experiment(&[arguments, &file, &[more]].concat()).0;
        let lines = || {
            let text = std::fs::read_to_string(&path).unwrap();
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        run("--force");
        let begun = lines();
        std::fs::write(&path, begun[..3].join("\n") + "\n{\"torn").unwrap();
        let whole = run("--resume");
        assert_eq!(lines()[..3], begun[..3]);
        assert!(lines().len() > 8, "{whole}");
        assert_eq!(run("--resume"), whole);
        let mut other = Command::cargo_bin("tengen").unwrap();
        other.arg("experiment").args(arguments).args(file);
        let refused = other.assert().failure();
        let error = errors(&refused);
        assert!(error.contains("--resume"), "{error}");
        let mut other = Command::cargo_bin("tengen").unwrap();
        let mut arguments = arguments.to_vec();
        arguments[2] = "1";
        other.arg("experiment").args(arguments).args(file);
        let refused = other.arg("--resume").assert().failure();
        let error = errors(&refused);
        assert!(error.contains("another experiment"), "{error}");
    }
}

#[test]
fn a_folder_without_bots_is_refused() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let mut command = Command::cargo_bin("tengen").unwrap();
    let refused = command.args(["experiment", "D", "--bots", folder]).assert();
    let refused = refused.failure();
    let error = errors(&refused);
    assert!(error.contains("no .so file"), "{error}");
}

#[test]
fn flat_monte_carlo_spreads_its_playouts_evenly() {
    let report = analysis(&["--game", "connect4", "--bot", "flat", "--playouts", "700"]);
    let moves = report["moves"].as_array().unwrap();
    let visits: Vec<u64> = moves.iter().map(visits).collect();
    assert_eq!(visits, [100; 7]);
    let means: Vec<f64> = moves
        .iter()
        .map(|mv| mv["mean"].as_f64().unwrap())
        .collect();
    assert!(means.is_sorted_by(|a, b| a >= b), "{means:?}");
}

#[test]
fn a_bot_makes_no_more_playouts_than_its_option_says() {
    for bot in ["uct", "alphabeta"] {
        let set = ["--set", "playouts=300", "--set", "depth=20"];
        let bot = ["--game", "reversi", "--bot", bot, "--time", "20000"];
        assert_eq!(analysis(&[&bot[..], &set].concat())["playouts"], 300);
    }
}

#[test]
fn a_game_is_played_at_the_terminal() {
    let said = |lines: &[u8], arguments: &[&str]| {
        let mut command = Command::cargo_bin("tengen").unwrap();
        let done = command
            .arg("play")
            .args(arguments)
            .write_stdin(lines)
            .assert()
            .success();
        String::from_utf8(done.get_output().stdout.clone()).unwrap()
    };
    let small = ["--game", "connect4", "--level", "1"];
    let text = said(
        b"4\n9\n\xe9\nundo\nlevel 11\nlevel 2\nhint\nmoves\nquit\n4\n",
        &small,
    );
    for part in [
        "level-1 plays ",
        "9 is no legal move",
        "\u{fffd} is no legal move",
        "levels are 1 to 10",
        "X to move: ",
        "wins  4",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Every column again and again fills the board, unless somebody wins before.
    let columns = "1\n2\n3\n4\n5\n6\n7\n".repeat(42);
    let text = said(columns.as_bytes(), &small);
    assert!(
        text.contains(" wins\n") || text.contains("drawn\n"),
        "{text}"
    );
    let text = said(b"", &["--game", "reversi", "--second", "--time", "50"]);
    assert!(
        text.contains("tengen plays ") && text.ends_with("O to move: "),
        "{text}"
    );
}

#[test]
fn analyze_reads_a_file() {
    let folder = Folder::new("analyze");
    let file = folder.argument("game.pgn");
    std::fs::write(&file, "[Board \"7x6\"]\n\n1. 4 1 2. 4 1 3. 4 1 4. 4 1-0\n").unwrap();
    let report = analysis(&["--file", &file, "--ply", "6", "--playouts", "1000"]);
    assert_eq!(report["best"], "4");
    assert_eq!(report["proof"], "win 1");
}

#[test]
fn what_is_asked_of_a_file_is_obeyed_or_refused() {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/asked.txt");
    let analyze = |text: &str, asked: &str| {
        std::fs::write(path, text).unwrap();
        let mut command = Command::cargo_bin("tengen").unwrap();
        let limits = ["--playouts", "300", "--json"];
        command.args(["analyze", "--file", path]).args(limits);
        command.args(asked.split_whitespace()).assert()
    };
    // A sixth stone between three and two wins unless exactly five are asked for.
    let psq = "Piskvorky 15x15, 11:11, 0\n1,1,0\n1,3,0\n2,1,0\n1,5,0\n3,1,0\n1,7,0\n5,1,0\n1,9,0\n6,1,0\n1,11,0\n";
    let sgf = "(;GM[4]SZ[15]RU[exact];B[aa];W[ac];B[ba];W[ae];B[ca];W[ag];B[ea];W[ai];B[fa];W[ak])";
    for (text, asked, is_won) in [
        (psq, "", true),
        (psq, "--rule exact", false),
        (psq, "--size 15x15", true),
        (sgf, "", false),
        (sgf, "--rule freestyle", true),
    ] {
        let done = analyze(text, asked).success();
        let report: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
        assert_eq!(report["proof"] == "win 1", is_won, "{asked}: {report}");
    }
    let pgn = "[Board \"7x6\"]\n\n1. 4 4 2. 3\n";
    for (text, asked, reason) in [
        (psq, "--size 9x9", "of gomoku 15x15, so size cannot be 9x9"),
        (psq, "--hole 1,1", "gomoku has no hole to choose"),
        (psq, "--connect 5", "gomoku has no connect to choose"),
        (psq, "--steal", "gomoku has no steal to choose"),
        (pgn, "--rule exact", "connect4 has no rule to choose"),
        (pgn, "--connect 5", "so connect cannot be 5"),
        (pgn, "--hole 1,1", "so hole cannot be 1,1"),
        (pgn, "--steal", "so steal cannot be true"),
    ] {
        let error = errors(&analyze(text, asked).failure());
        assert!(error.contains(reason), "{asked}: {error}");
    }
}

/// Moves, and the board that they lead to.
const BOARDS: [(&str, &str, &str, &str); 3] = [
    (
        "gomoku",
        "6x6",
        "c3 d3 c4 b2",
        "------/------/--X---/--XO--/-O----/------/X",
    ),
    (
        "reversi",
        "8x8",
        "f5 d6",
        "........ ........ ........ ...OX... ...OXX.. ...O.... ........ ........ X",
    ),
    ("connect4", "4x4", "1 2 2 3", ".... .... .X.. XOO. X"),
];

#[test]
fn analyze_reads_a_board() {
    for (game, size, moves, board) in BOARDS {
        let of = |option, position| {
            let shared = [
                "--game",
                game,
                "--size",
                size,
                "--playouts",
                "300",
                "--seed",
                "1",
            ];
            let mut report = analysis(&[&shared[..], &[option, position]].concat());
            for timed in ["ms", "playouts_per_second"] {
                report[timed] = json!(0);
            }
            report
        };
        let report = of("--moves", moves);
        assert_eq!(of("--board", board), report, "{board}");
        if game != "connect4" {
            let black = board.strip_suffix('X').unwrap().to_owned() + "B";
            assert_eq!(of("--board", &black), report, "{black}");
        }
    }
    let mut command = Command::cargo_bin("tengen").unwrap();
    command.args(["analyze", "--game", "reversi", "--board", "XO"]);
    let error = errors(&command.assert().failure());
    assert!(error.contains("a board has 64 characters"), "{error}");
}

#[test]
fn solve_passes_over_the_numbers_of_moves() {
    let lines = ["1223", "1. 1 2 2. 2 3", "1.1 1...2 2.2 3", "1. 1223"];
    let with_scores = ["1223 2", "1. 1223 2"];
    let mut command = Command::cargo_bin("tengen").unwrap();
    let input = [&lines[..], &with_scores].concat().join("\n");
    command.args(["solve", "--size", "4x4"]).write_stdin(input);
    let done = command.assert().success();
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    let answers: Vec<&str> = text.lines().collect();
    let scores = lines.iter().zip(&answers);
    let scores: Vec<_> = scores
        .map(|(line, answer)| answer.strip_prefix(line))
        .collect();
    assert!(scores[0].is_some_and(|score| score.len() > 1), "{text}");
    assert_eq!(scores, [scores[0]; 4], "{text}");
    assert_eq!(answers[4..], ["", ""], "{text}");
    let error = errors(&done);
    assert_eq!(error.matches("\"2\" stands apart").count(), 2, "{error}");
}

#[test]
fn solve_reads_a_board_of_connect_four() {
    let solve = |board: &str, arguments: &[&str]| {
        let mut command = Command::cargo_bin("tengen").unwrap();
        let shared = ["solve", "--size", "4x4", "--hole", "3,3"];
        command
            .args(shared)
            .args(arguments)
            .write_stdin(format!("{board}\n"));
        let done = command.assert().success();
        let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        let answer = text.trim_end().strip_prefix(board).map(str::to_owned);
        (answer.unwrap_or_default(), errors(&done))
    };
    let board = ".... .... .X.. XOO# X";
    for arguments in [&[][..], &["--all"]] {
        let answer = solve("1 2 2 3", arguments);
        assert!(answer.0.len() > 1 && answer.1.is_empty(), "{answer:?}");
        assert_eq!(solve(board, arguments), answer);
    }
    let over = solve("X... X... X... XOO# O", &[]);
    assert_eq!(over, (" -5".to_owned(), String::new()));
    let wrong = solve("XXXX ---- ---- ---# O", &[]);
    let reason = "no stone can stand at 0,0";
    assert!(wrong.0.is_empty() && wrong.1.contains(reason), "{wrong:?}");
}
