//! Connect Four's solver as a person runs it.

use crate::ffo::FFO;
use crate::folder::Folder;
use assert_cmd::Command;
use assert_cmd::assert::Assert;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use std::fs;
use tengen::game::reversi::Reversi;
use tengen::game::{Game, GameKind, Moves, Playable, Point, Setup, Side, drawing, notation};
use tengen::knowledge::reversi::endgame::Board;
use tengen::rollout::Random;

/// What `tengen` writes, by line, and what it complains of.
fn run(arguments: &[&str], input: &[u8]) -> (Vec<String>, String) {
    let mut command = Command::cargo_bin("tengen").unwrap();
    told(
        command
            .args(arguments)
            .write_stdin(input)
            .assert()
            .success(),
    )
}

/// The same of a program that has ended.
fn told(done: Assert) -> (Vec<String>, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let out = text(&done.get_output().stdout);
    let lines = out.lines().map(str::to_owned).collect();
    (lines, text(&done.get_output().stderr))
}

/// Positions and scores of the public sets Test_L2_R1 and Test_L3_R1 (Pascal Pons, 2015).
const PUBLIC: [&str; 4] = [
    "5554224333234511764415115 4",
    "52753311433677442422121 8",
    "2252576253462244111563365343671351441 -1",
    "7422341735647741166133573473242566 1",
];

#[cfg(target_os = "linux")]
#[test]
fn a_table_that_the_system_refuses_is_made_smaller() {
    let limited = "ulimit -v 1000000; exec \"$0\" solve --memory 8192";
    let done = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_tengen")])
        .write_stdin("52753311433677442422121")
        .assert()
        .success();
    assert_eq!(done.get_output().stdout, b"52753311433677442422121 8\n");
}

#[test]
fn a_bad_line_gives_an_empty_one_and_the_rest_is_solved() {
    let moves = PUBLIC.map(|line| line.split(' ').next().unwrap());
    let bad = ["8", "44444444", "x", "12121211", "steal", PUBLIC[1]];
    let bad = bad.map(str::as_bytes).into_iter().chain([&b"\xff\xfe"[..]]);
    // Some editors begin a file with a byte order mark.
    let mut input = format!("\u{feff}{}", moves[0]).into_bytes();
    for line in bad {
        input.push(b'\n');
        input.extend(line);
    }
    for line in &moves[1..] {
        input.extend(format!("\r\n{line}").as_bytes());
    }
    let (lines, errors) = run(&["solve", "--game", "connect4"], &input);
    let expected: Vec<_> = [PUBLIC[0], "", "", "", "", "", "", ""]
        .into_iter()
        .chain(PUBLIC[1..].iter().copied())
        .collect();
    assert_eq!(lines, expected);
    let numbers: Vec<_> = errors
        .lines()
        .map(|line| line.split(':').next().unwrap())
        .collect();
    let numbers_of_bad: Vec<_> = (2..=8).map(|number| format!("line {number}")).collect();
    assert_eq!(numbers, numbers_of_bad, "{errors}");
    assert!(errors.contains("line 3: move 7: 4 is full"), "{errors}");
    assert!(errors.contains("line 6: move 1: steal is not"), "{errors}");
    assert!(errors.contains("line 7: \"8\" stands apart"), "{errors}");
}

#[test]
fn a_game_that_is_over_has_its_score() {
    // On 7x6 a win with the fourth stone is 18, and is -18 to who would move next.
    let solve = |arguments: &[&str], input: &str| {
        let (lines, errors) = run(&[&["solve"], arguments].concat(), input.as_bytes());
        assert_eq!(errors, "", "{input}");
        lines[0].strip_prefix(input).unwrap().trim().to_owned()
    };
    assert_eq!(solve(&[], "1212121"), "-18");
    assert_eq!(solve(&[], "121212"), "18");
    assert_eq!(solve(&["--wld"], "1212121"), "-1");
    assert_eq!(solve(&["--all"], "1212121"), "- - - - - - -");
    let full = ["--size", "4x4"];
    assert_eq!(solve(&full, "4321311144234232"), "0");
    for (end, wld, score) in [
        (format!("{}OO X", "X".repeat(62)), "1", "60"),
        (format!("{}OO O", "X".repeat(62)), "-1", "-60"),
        (format!("{}--- O", "X".repeat(61)), "-1", "-64"),
        (format!("{}{} O", "X".repeat(32), "O".repeat(32)), "0", "0"),
        ("e6f4e3f6g5d6e7f5c5".to_owned(), "-1", "-64"),
    ] {
        let game = ["--game", "reversi"];
        assert_eq!(solve(&game, &end), score, "{end}");
        assert_eq!(solve(&[&game[..], &["--wld"]].concat(), &end), wld, "{end}");
        assert_eq!(solve(&[&game[..], &["--all"]].concat(), &end), "-", "{end}");
    }
    // No game goes on after a row.
    let (lines, errors) = run(&["solve", "--size", "4x4"], b".... .... OOO. XXXX X\n");
    assert_eq!(lines, [""]);
    assert!(errors.contains("over before"), "{errors}");
}

#[test]
fn a_line_that_takes_too_long_is_given_up() {
    for all in [&[][..], &["--all"]] {
        let arguments = [&["solve", "--no-book", "--time", "300"], all].concat();
        let (lines, errors) = run(&arguments, b"\n111111334455\n");
        assert_eq!(lines[0], "", "{lines:?}");
        assert!(lines[1].starts_with("111111334455 "), "{lines:?}");
        assert_eq!(errors, "line 1: not solved in its time\n");
    }
}

#[test]
fn every_column_gets_its_score() {
    // Three in a row with both ends free, and a full column at the left.
    let (lines, _) = run(&["solve", "--all"], b"111111334455\n");
    let scores: Vec<_> = lines[0].split(' ').skip(1).collect();
    assert_eq!(scores.len(), 7);
    assert_eq!((scores[0], scores[1], scores[5]), ("-", "15", "15"));
    let (line, _) = run(&["solve"], b"111111334455\n");
    assert_eq!(line, ["111111334455 15"]);
}

#[test]
fn other_boards_are_solved() {
    // Four columns of four cells: nobody can win (as may be counted by hand with --all).
    let (lines, errors) = run(&["solve", "--size", "4x4", "--threads", "2"], b"\n");
    assert_eq!((&lines[..], &*errors), (&[" 0".to_owned()][..], ""));
    // A row of three on twelve columns, around a hole: the third stone beside it does not win.
    let wide = [
        "solve",
        "--size",
        "12x12",
        "--connect",
        "3",
        "--hole",
        "2,11",
    ];
    let (lines, _) = run(&wide, b"1,1,2,2\n12 12 11 11\n12,12,13\n");
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines[1], "12 12 11 11 70",
        "a win with the third stone of 72"
    );
    assert_ne!(lines[0], "1,1,2,2 70");
    assert_eq!(lines[2], "");
}

fn analysis(moves: &str, playouts: &str) -> Value {
    let arguments = ["analyze", "--json", "--game", "connect4", "--moves", moves];
    let (lines, _) = run(&[&arguments[..], &["--playouts", playouts]].concat(), b"");
    serde_json::from_str(&lines.join("\n")).unwrap()
}

#[test]
fn a_search_ends_with_the_solution_of_its_root() {
    for (moves, proof) in [
        ("5554224333234511764415115", "win 11"),
        ("5455174361263362", "loss 26"),
    ] {
        let report = analysis(moves, "100000");
        assert_eq!(report["proof"], proof, "{moves}");
        // Those of the first look at the clock.
        assert!(report["playouts"].as_u64().unwrap() <= 16, "{moves}");
        assert_eq!(report["moves"][0]["proof"], proof, "{moves}");
    }
}

#[test]
fn every_move_of_a_proven_position_has_its_score_and_its_line() {
    let moves = "5554224333234511764415115";
    let (lines, _) = run(&["solve", "--all"], format!("{moves}\n").as_bytes());
    let scores: Vec<_> = lines[0].split(' ').skip(1).collect();
    let report = analysis(moves, "100000");
    let told = report["moves"].as_array().unwrap();
    let legal = scores.iter().filter(|score| **score != "-");
    assert_eq!(told.len(), legal.count());
    for mv in told {
        let column: usize = mv["move"].as_str().unwrap().parse().unwrap();
        assert_eq!(mv["score"].to_string(), scores[column - 1], "{mv}");
        let won = (1 + mv["score"].as_i64().unwrap().signum()) as f64 / 2.0;
        assert!(mv["visits"] != 0 || mv["mean"] == won, "{mv}");
        let line = mv["pv"].as_array().unwrap();
        let proof = mv["proof"].as_str().unwrap();
        if let Some(plies) = proof.strip_prefix("win ").or(proof.strip_prefix("loss ")) {
            assert_eq!(line.len().to_string(), plies, "{mv}");
        } else {
            assert_eq!(moves.len() + line.len(), 42, "{mv}");
        }
    }
}

#[test]
fn a_drawn_root_is_searched_among_the_moves_that_draw() {
    let moves = "57122125723724271141";
    let (lines, _) = run(&["solve", "--all"], format!("{moves}\n").as_bytes());
    let scores: Vec<_> = lines[0].split(' ').skip(1).collect();
    assert_eq!(scores.iter().filter(|score| **score == "0").count(), 4);
    let report = analysis(moves, "100000");
    assert_eq!(report["proof"], "draw");
    assert_eq!(report["playouts"], 100_000);
    for mv in report["moves"].as_array().unwrap() {
        let column: usize = mv["move"].as_str().unwrap().parse().unwrap();
        let loses = mv["proof"]
            .as_str()
            .is_some_and(|proof| proof.starts_with("loss"));
        assert_eq!(loses, scores[column - 1] != "0", "{mv}");
        assert_ne!(mv["proof"], "loss 1", "nobody loses by an own stone");
    }
}

#[test]
fn without_effort_there_is_no_solution() {
    assert_eq!(analysis("5455174361263362", "100")["proof"], Value::Null);
}

#[test]
fn a_won_game_is_won_as_soon_and_lost_as_late_as_can_be() {
    let mut moves = "5554224333234511764415115".to_owned();
    let begun = moves.len();
    loop {
        let report = analysis(&moves, "100000");
        match report["best"].as_str() {
            Some(best) => moves.push_str(best),
            None => break,
        }
    }
    assert_eq!(moves.len() - begun, 11, "{moves}");
}

#[test]
fn wins_by_threats_in_gomoku_are_proven() {
    // A three with both ends open, the same as a record, a bare opening, and what is no game.
    let record = "(;GM[4];B[hh];W[aa];B[ih];W[ac];B[jh];W[ae])";
    let lines = ["h8 a1 i8 a3 j8 a5", record, "h8 i9", "h8 h8", "z9"];
    let (answers, errors) = run(
        &["solve", "--game", "gomoku", "--time", "1000"],
        (lines.join("\n") + "\n").as_bytes(),
    );
    let answer = |at: usize| {
        let answer: &String = &answers[at];
        answer.strip_prefix(lines[at]).unwrap_or_default().trim()
    };
    for at in [0, 1] {
        let words: Vec<&str> = answer(at).split(' ').collect();
        assert_eq!(
            (words[0], words[1], words.len()),
            ("win", "3", 5),
            "{words:?}"
        );
        assert!(["g8", "k8"].contains(&words[2]), "{words:?}");
    }
    assert_eq!(answer(2), "unknown");
    assert_eq!((answers[3].as_str(), answers[4].as_str()), ("", ""));
    assert_eq!(
        errors,
        "line 4: move 2: h8 is not legal\nline 5: \"z9\" is no point of this board\n"
    );
}

#[test]
fn a_proof_does_not_depend_on_the_lines_before() {
    let lines = ["h8 a1 i8 a3 h9 a5", "H8A1I8A3H9A5"];
    let (answers, errors) = run(&["solve", "--game", "gomoku"], lines.join("\n").as_bytes());
    assert_eq!(errors, "");
    let [first, second] = [0, 1].map(|at| answers[at].strip_prefix(lines[at]).unwrap_or_default());
    assert!(first.starts_with(" win "), "{first}");
    assert_eq!(second, first);
}

#[test]
fn positions_of_gomoku_are_read_from_files() {
    let folder = Folder::new("gomoku");
    let files = [
        (
            "record.sgf",
            "(;GM[4]SZ[15]\nAB[hh][ih][jh]\nAW[aa]PL[B])\n",
        ),
        (
            "game.psq",
            "Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n1,1,0\r\n9,8,0\r\n1,3,0\r\n10,8,0\r\n1,5,0\r\n",
        ),
    ];
    let paths = files.map(|(name, text)| {
        let path = folder.argument(name);
        fs::write(&path, text).unwrap();
        path
    });
    let mut arguments = vec!["solve", "--game", "gomoku"];
    arguments.extend(paths.iter().map(String::as_str));
    // A record tells the game itself.
    let (answers, _) = run(
        &[&["solve", "--rule", "freestyle"], &arguments[3..]].concat(),
        b"",
    );
    assert!(
        answers.iter().all(|it| it.contains(" win 3 ")),
        "{answers:?}"
    );
    let mut command = Command::cargo_bin("tengen").unwrap();
    let other = command.args(["solve", "--game", "connect4", &paths[0]]);
    let (answers, errors) = told(other.assert().code(1));
    assert_eq!(answers, [""]);
    let reason = "this is a record of gomoku: --game gomoku";
    assert!(errors.contains(reason), "{errors}");
    let (answers, errors) = run(&["solve"], b"(;GM[4];B[hh])\n");
    assert_eq!(answers, [""]);
    assert!(errors.contains(reason), "{errors}");
    for (command, default) in [("solve", "or connect4]"), ("analyze", "[default: gomoku")] {
        let (help, _) = run(&[command, "--help"], b"");
        let help = help.join(" ");
        let game = help.split("--game <GAME>").last().unwrap();
        let game = game.split("--size").next().unwrap();
        assert!(game.contains(default), "{command}: {game}");
    }
    let [missing, lines] = ["missing.sgf", "lines.txt"].map(|name| folder.argument(name));
    fs::write(&lines, "h8 i9\nh8 j9\n").unwrap();
    arguments.extend([&*missing, &*lines]);
    let mut command = Command::cargo_bin("tengen").unwrap();
    let (answers, errors) = told(command.args(&arguments).assert().code(1));
    for (answer, path) in answers.iter().zip(&paths) {
        let answer = answer.strip_prefix(path.as_str()).unwrap();
        assert!(answer.starts_with(" win 3 "), "{answer}");
    }
    assert_eq!(answers[2..], ["", ""]);
    assert!(errors.starts_with(&missing), "{errors}");
    for part in ["are read from the standard input", "1 of 4 files could"] {
        assert!(errors.contains(part), "{errors}");
    }
}

#[test]
fn an_empty_file_is_no_position() {
    let folder = Folder::new("empty");
    let paths = [("empty.sgf", ""), ("blank.txt", "\u{feff} \n\n")].map(|(name, text)| {
        let path = folder.argument(name);
        fs::write(&path, text).unwrap();
        path
    });
    for game in ["connect4", "gomoku"] {
        let mut command = Command::cargo_bin("tengen").unwrap();
        let command = command.args(["solve", "--game", game]).args(&paths);
        let (answers, errors) = told(command.assert().code(1));
        assert_eq!(answers, ["", ""]);
        let reasons = paths
            .each_ref()
            .map(|path| format!("{path}: the file is empty\n"));
        assert!(errors.starts_with(&reasons.concat()), "{errors}");
    }
    // An empty line is the opening.
    assert_eq!(run(&["solve"], b"\n").0, [" 1"]);
}

/// What `tengen solve --game reversi` answers to each line after the line itself, and what it
/// complains of.
fn solve_reversi(options: &[&str], input: &[String]) -> (Vec<String>, String) {
    let arguments = [&["solve", "--game", "reversi"], options].concat();
    let (lines, errors) = run(&arguments, input.join("\n").as_bytes());
    assert_eq!(lines.len(), input.len(), "{errors}");
    let answers = lines.iter().zip(input).map(|(line, input)| {
        let answer = line.strip_prefix(input.as_str()).unwrap_or(line);
        answer.trim_start().to_owned()
    });
    (answers.collect(), errors)
}

/// A game of random moves until so many squares are empty: its moves, and the position.
fn random_game(seed: u64, empty: u32) -> (String, Reversi) {
    let mut random = Random::seed_from_u64(seed);
    loop {
        let mut position = Reversi::new(&Setup::standard(GameKind::Reversi)).unwrap();
        let mut text = String::new();
        let mut moves = Moves::new();
        while position.outcome().is_none() {
            if Board::from(&position).empty().count_ones() == empty {
                return (text.trim_end().to_owned(), position);
            }
            position.legal_moves(&mut moves);
            let mv = moves[random.random_range(0..moves.len())];
            text += &notation::write(&position.setup(), position.action(mv));
            text.push(' ');
            position.play(mv);
        }
    }
}

/// The public form of a position.
fn board_line(position: &Reversi) -> String {
    let sign = |side| match side {
        Some(Side::First) => 'X',
        Some(Side::Second) => 'O',
        None => '-',
    };
    let points = (0..64).map(|square| Point {
        col: square % 8,
        row: square / 8,
    });
    let board: String = points.map(|point| sign(position.stone_at(point))).collect();
    format!("{board} {}", sign(Some(position.side_to_move())))
}

/// The margin for the side to move when these moves were played and ended the game.
fn margin_after(position: &Reversi, moves: &[&str]) -> i32 {
    let mut end = position.clone();
    for text in moves {
        let action = notation::parse(&end.setup(), text).unwrap();
        let mv = end.parse_action(action).unwrap();
        end.play(mv);
    }
    i32::from(end.outcome().unwrap().margin(position.side_to_move()))
}

#[test]
fn forced_passes_may_be_left_out_of_the_moves() {
    let mut games = (0..).map(|seed| random_game(seed, 8).0);
    let moves = games.find(|moves| moves.contains("pass ")).unwrap();
    let without = moves.replace("pass ", "");
    let answers = [moves, without].map(|it| solve_reversi(&[], &[it]));
    assert!(answers[0].1.is_empty(), "{}", answers[0].1);
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn reversi_positions_are_solved_as_boards_and_as_moves() {
    let games: Vec<_> = (0..6).map(|seed| random_game(seed, 11)).collect();
    let moves: Vec<_> = games.iter().map(|(moves, _)| moves.clone()).collect();
    let boards: Vec<_> = games.iter().map(|(_, it)| board_line(it)).collect();
    let (answers, errors) = solve_reversi(&[], &moves);
    assert_eq!(errors, "");
    let scores = |answers: &[String]| -> Vec<String> {
        let scores = answers
            .iter()
            .map(|it| it.split(' ').next().unwrap_or_default().to_owned());
        scores.collect()
    };
    let (shared, _) = solve_reversi(&["--threads", "2"], &boards);
    assert_eq!(scores(&shared), scores(&answers));
    assert_eq!(solve_reversi(&[], &boards).0, answers);
    let scored = [format!("{}; a1:+2;", boards[0])];
    assert_eq!(solve_reversi(&[], &scored).0, answers[..1]);
    let (all, _) = solve_reversi(&["--all"], &boards);
    let (values, _) = solve_reversi(&["--wld"], &moves);
    let (all_values, _) = solve_reversi(&["--wld", "--all"], &moves);
    for (at, (_, position)) in games.iter().enumerate() {
        let words: Vec<_> = answers[at].split(' ').collect();
        let score: i32 = words[0].parse().unwrap();
        // The line that both sides play ends with the score.
        assert_eq!(margin_after(position, &words[1..]), score, "{position}");
        assert_eq!(values[at], score.signum().to_string());
        let mut legal = Moves::new();
        position.legal_moves(&mut legal);
        let scores = |line: &str| -> Vec<(String, i32)> {
            let pairs = line.split(' ').map(|pair| pair.split_once(':').unwrap());
            pairs
                .map(|(mv, score)| (mv.to_owned(), score.parse().unwrap()))
                .collect()
        };
        let of_moves = scores(&all[at]);
        assert_eq!(of_moves.len(), legal.len());
        assert_eq!(of_moves[0].1, score);
        assert!(of_moves.is_sorted_by(|a, b| a.1 >= b.1), "{}", all[at]);
        let best = of_moves.iter().find(|(mv, _)| mv == words[1]);
        assert_eq!(best.unwrap().1, score);
        for (mv, value) in scores(&all_values[at]) {
            let exact = of_moves.iter().find(|(it, _)| *it == mv).unwrap().1;
            assert_eq!(value, exact.signum());
        }
    }
}

#[test]
fn a_bad_line_of_reversi_gives_an_empty_one() {
    let (moves, position) = random_game(1, 8);
    let good = board_line(&position);
    let input = [
        &moves,
        "f5 f5",
        "f5q9",
        "4435",
        &good[..64],
        &good[1..],
        &format!("{good} 4"),
        &good,
    ]
    .map(str::to_owned);
    let (answers, errors) = solve_reversi(&[], &input);
    assert_eq!(answers[0], answers[7]);
    assert!(!answers[0].is_empty());
    assert!(answers[1..7].iter().all(String::is_empty), "{answers:?}");
    let expected = [
        "line 2: move 2: f5 is not legal",
        "line 3: \"q9\" is no square of this board",
        "line 4: \"4435\" is no square of this board",
        "line 5: a board has 64 characters, X, O, . or -, and the side to move after them",
        "line 6: a board has 64 characters, X, O, . or -, and the side to move after them",
        "line 7: a board has 64 characters, X, O, . or -, and the side to move after them",
    ];
    assert_eq!(errors.lines().collect::<Vec<_>>(), expected);
    // The opening takes longer than anybody waits.
    let (answers, errors) = solve_reversi(&["--time", "100"], &["f5".to_owned(), moves.clone()]);
    assert_eq!(answers[0], "");
    assert!(!answers[1].is_empty());
    assert_eq!(errors, "line 1: not solved in its time\n");
}

#[test]
fn a_reversi_search_ends_with_the_solution_of_its_root() {
    for seed in 0..4 {
        let (moves, position) = random_game(seed, 13);
        let (all, _) = solve_reversi(&["--all"], std::slice::from_ref(&moves));
        let best = all[0].split(' ').next().unwrap();
        let score: i32 = best.split_once(':').unwrap().1.parse().unwrap();
        let arguments = ["analyze", "--json", "--game", "reversi", "--moves", &moves];
        let (lines, _) = run(&[&arguments[..], &["--playouts", "1000000"]].concat(), b"");
        let report: Value = serde_json::from_str(&lines.join("\n")).unwrap();
        let chosen = format!("{}:{score}", report["best"].as_str().unwrap());
        assert!(
            all[0].split(' ').any(|it| it == chosen),
            "{report} {position}"
        );
        let proof = match score {
            1.. => "win",
            0 => "draw",
            _ => "loss",
        };
        assert!(
            report["proof"].as_str().unwrap().starts_with(proof),
            "{report}"
        );
    }
}

/// Ten public positions with 20 to 26 empty squares.
#[test]
#[ignore = "takes a minute"]
fn the_public_endgames_of_reversi_are_exact() {
    let input = FFO.map(|(line, ..)| line.to_owned());
    let (answers, _) = solve_reversi(&["--threads", "2", "--memory", "256"], &input);
    for (answer, (line, score, best)) in answers.iter().zip(FFO) {
        let words: Vec<_> = answer.split(' ').collect();
        assert_eq!(words[0], score.to_string(), "{line}");
        assert!(best.split(' ').any(|mv| mv == words[1]), "{line} {answer}");
        let setup = Setup::standard(GameKind::Reversi);
        let position: Reversi = drawing::position(&setup, line).unwrap();
        assert_eq!(margin_after(&position, &words[1..]), score, "{line}");
    }
}
