//! The binary as a judge or a board meets it: through its standard streams.

use crate::dialogue::{Dialogue, answers_within, now};
use crate::folder::Folder;
use assert_cmd::Command;
use std::fs;
use std::io::{BufReader, Read, Write};
use std::process::{ChildStdout, Stdio};
use std::time::Duration;

/// What the program writes when it gets this input and then its end.
fn answers(arguments: &[&str], input: impl Into<Vec<u8>>) -> Vec<String> {
    let mut lines = answers_within(Duration::from_secs(60), arguments, input);
    lines.retain(|line| !line.starts_with("MESSAGE"));
    lines
}

fn point(text: &str) -> (u8, u8) {
    let (col, row) = text
        .split_once(',')
        .unwrap_or_else(|| panic!("{text:?} is no point"));
    (col.parse().unwrap(), row.parse().unwrap())
}

#[test]
fn a_judge_that_writes_everything_at_once_gets_every_answer() {
    let input = "START 15\r\nINFO timeout_turn 300\r\nBEGIN\r\nTURN 0,0\r\n";
    let lines = answers(&[], input);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[0], "OK");
    let (one, other) = (point(&lines[1]), point(&lines[2]));
    assert!(one != other && other != (0, 0));
    assert!([one, other].iter().all(|&(col, row)| col < 15 && row < 15));
}

#[test]
fn a_search_to_a_depth_is_finished_at_the_end_of_the_input() {
    let told = |input: String, start: &str| {
        let lines = answers(&[], input);
        assert!(
            lines.iter().any(|line| line.starts_with(start)),
            "{lines:?}"
        );
    };
    // Nobody waits for the deeper one, so it is stopped.
    for (depth, hinted) in [(5, "search "), (60, "status Tengen is waiting")] {
        told(format!("nboard 2\nset depth {depth}\nhint 1\n"), hinted);
        told(
            format!("ugi\nposition startpos\ngo depth {depth}\n"),
            "bestmove ",
        );
    }
}

#[test]
fn the_end_of_the_input_lets_answers_finish() {
    let lines = answers(
        &["--protocol", "gtp", "--playouts", "50"],
        "genmove b\ngenmove w",
    );
    let moves: Vec<_> = lines.iter().filter(|line| line.starts_with("= ")).collect();
    assert_eq!(moves.len(), 2, "{lines:?}");
}

#[test]
fn an_endless_analysis_ends_with_the_input() {
    let arguments = ["--protocol", "gtp", "--time", "20"];
    let lines = answers(&arguments, "lz-analyze b 1\n");
    assert_eq!(lines[0].trim_end(), "=");
    assert_eq!(lines.last().unwrap(), "", "not ended");
    let lines = answers(&arguments, "genmove b\nkata-analyze w 1\n");
    assert_eq!(lines[2].trim_end(), "=");
    assert_eq!(lines.last().unwrap(), "", "not ended");
}

#[test]
fn a_stop_before_leaving_is_answered() {
    let lines = answers(&["--protocol", "ugi"], "go infinite\nstop\nquit\n");
    // On a busy machine the search may have had time to tell something before.
    let (last, before) = lines.split_last().expect("an answer");
    assert!(last.starts_with("bestmove "), "{lines:?}");
    assert!(before.iter().all(|it| it.starts_with("info ")), "{lines:?}");
}

#[test]
fn a_rule_that_comes_among_the_stones_is_objected_to_at_their_end() {
    for list in ["BOARD\nINFO rule 12\n7,7,2", "SWAP2BOARD\nINFO rule 12"] {
        let lines = answers(
            &["--playouts", "10"],
            format!("START 15\n{list}\nDONE\nINFO rule 0\nBOARD\n7,7,2\nDONE\n"),
        );
        assert_eq!(lines.len(), 3, "{list}: {lines:?}");
        assert!(lines[1].starts_with("ERROR"), "{list}: {lines:?}");
        point(&lines[2]);
    }
}

#[test]
fn a_stop_while_thinking_is_answered_at_once() {
    let mut judge = Dialogue::start(&[]);
    assert_eq!(judge.ask("START 20"), "OK");
    judge.say("INFO timeout_turn 60000");
    judge.say("BEGIN");
    std::thread::sleep(Duration::from_millis(100));
    let begun = now();
    let opening = point(&judge.ask("YXSTOP"));
    judge.say(&format!("TURN {},{}", opening.0, opening.1 - 1));
    let answer = point(&judge.ask("YXSTOP"));
    assert!(begun.elapsed() < Duration::from_secs(2), "not stopped");
    assert_ne!(answer, opening);
    // With nothing to stop, it changes nothing.
    judge.say("YXSTOP");
    assert!(judge.ask("ABOUT").starts_with("name="));
}

/// What came before it, all in one write, is answered at once too; what comes after it is thought about.
#[test]
fn a_stop_ends_what_waits_before_it_as_well() {
    let begun = now();
    let mut judge = Dialogue::start(&[]);
    judge.say("START 15\nINFO timeout_turn 60000\nBEGIN\nTURN 0,0\nTURN 0,1\nYXSTOP\nABOUT");
    assert_eq!(judge.hear(), "OK");
    let answers = [judge.hear(), judge.hear(), judge.hear()].map(|answer| point(&answer));
    assert!(answers[0] != answers[1] && answers[1] != answers[2]);
    assert!(judge.hear().starts_with("name="));

    let mut board = Dialogue::start(&["--protocol", "ugi"]);
    let shown = "go infinite\nstop\nposition startpos moves h8\n";
    board.say(&format!("{}go nodes 700\nisready", shown.repeat(5)));
    for _ in 0..5 {
        while !board.hear().starts_with("bestmove ") {}
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "not stopped");
    let told = loop {
        match board.hear() {
            line if line.starts_with("info ") => break line,
            line => assert_eq!(line, "readyok"),
        }
    };
    assert!(told.contains(" nodes 7"), "{told}");
}

#[test]
fn an_analysis_that_waited_is_interrupted_by_the_line_that_waited_behind_it() {
    let mut board = Dialogue::start(&["--protocol", "gtp", "--time", "300"]);
    board.say("1 genmove b\n2 lz-analyze 10\n3 name");
    let begun = now();
    let mut answered = Vec::new();
    while answered.last().is_none_or(|answer| answer != "=3 Tengen") {
        assert!(begun.elapsed() < Duration::from_secs(5), "not interrupted");
        let line = board.hear();
        if line.starts_with('=') {
            answered.push(line.trim_end().to_owned());
        }
    }
    assert_eq!(answered.len(), 3, "{answered:?}");
}

#[test]
fn what_is_found_does_not_pile_up_where_nobody_reads() {
    let arguments = ["--protocol", "gtp", "--game", "connect4", "--size", "12x12"];
    let mut board = Dialogue::start(&arguments);
    board.say("lz-analyze b 1");
    std::thread::sleep(Duration::from_secs(3));
    board.say("name");
    let mut unread = 0;
    loop {
        let line = board.hear();
        if line == "= Tengen" {
            break;
        }
        unread += line.len();
    }
    // Linux keeps 64 KiB for a pipe; beyond it there is what was being written then.
    assert!(unread < 80 << 10, "{unread} bytes");
}

#[test]
fn a_colour_is_chosen_by_searching() {
    let mut judge = Dialogue::start(&["--playouts", "300"]);
    assert_eq!(judge.ask("START 15"), "OK");
    judge.say("SWAP2BOARD");
    let proposed = judge.ask("DONE");
    let stones: Vec<(u8, u8)> = proposed.split(' ').map(point).collect();
    assert_eq!(stones.len(), 3);
    // Black has an open four: nobody wants to stay white.
    assert_eq!(judge.ask("RESTART"), "OK");
    judge.say("SWAP2BOARD");
    for point in ["7,7", "0,0", "8,7", "14,14", "9,7"] {
        judge.say(point);
    }
    assert_eq!(judge.ask("DONE"), "SWAP");
}

#[test]
fn a_closed_pipe_ends_the_process() {
    let mut judge = Dialogue::start(&["--protocol", "gtp", "--time", "100"]);
    assert!(judge.ask("name").starts_with("= "));
    // Nobody reads any more, and the input stays open.
    judge.output = BufReader::new(unread());
    judge.say("genmove b");
    judge.exits_within(Duration::from_secs(5));
}

/// The output of a process that has ended.
fn unread() -> ChildStdout {
    let mut ended = std::process::Command::new("true")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    ended.wait().unwrap();
    ended.stdout.take().unwrap()
}

#[test]
fn bad_lines_cost_neither_the_game_nor_the_process() {
    let mut judge = Dialogue::start(&[]);
    assert_eq!(judge.ask("START 15"), "OK");
    judge.say("INFO timeout_turn 50");
    for bad in [
        "NONSENSE",
        "TURN",
        "TURN 15,0",
        "TURN x,y",
        "START 99",
        "TAKEBACK 3,3",
    ] {
        let answer = judge.ask(bad);
        assert!(
            answer.starts_with("ERROR") || answer.starts_with("UNKNOWN"),
            "{bad}: {answer}"
        );
    }
    let mut input = judge.input.as_ref().unwrap();
    input.write_all(b"\xff\xfe\x00\n").unwrap();
    assert!(judge.hear().starts_with("UNKNOWN"));
    let answer = judge.ask("TURN 7,7");
    assert_ne!(point(&answer), (7, 7));
    assert!(judge.ask("TURN 7,7").starts_with("ERROR"));
    assert!(judge.ask(&format!("TURN {answer}")).starts_with("ERROR"));
    let corner = if answer == "0,0" { "1,0" } else { "0,0" };
    point(&judge.ask(&format!("TURN {corner}")));
    judge.say("END");
    judge.exits_within(Duration::from_secs(2));
}

#[test]
fn one_thread_and_one_seed_play_one_game() {
    let game = |seed: &str| {
        let arguments = [
            "--game",
            "connect4",
            "--protocol",
            "gtp",
            "--playouts",
            "200",
        ];
        let arguments = [&arguments[..], &["--seed", seed, "--bot", "uct"]].concat();
        let moves = ["genmove b\ngenmove w\n"; 10].concat();
        answers(&arguments, moves)
    };
    assert_eq!(game("3"), game("3"));
    assert_ne!(game("3"), game("4"));
}

/// The judge of saiblo.net sends no line ends and waits for each answer.
#[test]
fn messages_in_frames_are_answered_in_frames() {
    let mut judge = Dialogue::start(&["--time", "100"]);
    let mut input = judge.input.take().unwrap();
    let mut send = |text: &str| write!(input, "{:04}{text}", text.len()).unwrap();
    send(r#"{"type":0,"row":9,"col":9,"nox":8,"noy":0}"#);
    let mut board = ["0"; 81];
    for turn in 0..3 {
        let (mut lastx, mut lasty) = (-1, -1);
        if turn > 0 {
            // A free cell of the bottom row, where a stone lands at once; the first is forbidden.
            let at = (73..81).find(|&at| board[at] == "0").unwrap();
            board[at] = "1";
            (lastx, lasty) = (8, at as i32 - 72);
        }
        let fields = board.join(",");
        send(&format!(
            r#"{{"type":1,"top":[],"board":[{fields}],"lastx":{lastx},"lasty":{lasty}}}"#
        ));
        let mut length = [0; 4];
        judge.output.read_exact(&mut length).unwrap();
        let mut answer = vec![0; u32::from_be_bytes(length) as usize];
        judge.output.read_exact(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.ends_with("}\n"), "{answer:?}");
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let number = |key: &str| answer[key].as_u64().unwrap() as usize;
        let at = number("X") * 9 + number("Y");
        assert_eq!(board[at], "0");
        board[at] = "2";
    }
    send(r#"{"type":2}"#);
    judge.exits_within(Duration::from_secs(2));
}

#[test]
fn memory_stays_under_the_limit_of_the_referee() {
    // Renju has the most weights, beside those of freestyle, which is what a game begins as.
    for (rule, threads) in [(0, 1), (4, 1), (0, 8)] {
        memory_stays_under_a_limit(rule, threads);
    }
}

fn memory_stays_under_a_limit(rule: u32, threads: u64) {
    // Little more than the least that is accepted, and 1 MiB for each thread after the first.
    let limit = (25 + threads) << 20;
    let thirsty = [
        "--set",
        "expand_visits=1",
        "--set",
        "rollouts=1",
        "--playouts",
        "40000",
    ];
    let mut judge = Dialogue::start(&thirsty);
    judge.say(&format!("INFO thread_num {threads}"));
    judge.say(&format!("INFO max_memory {limit}"));
    assert_eq!(judge.ask("START 20"), "OK");
    judge.say(&format!("INFO rule {rule}"));
    let mut taken = vec![point(&judge.ask("BEGIN"))];
    // Three more answers cannot end a game that needs five.
    for _ in 0..3 {
        let corners = (0..20).flat_map(|row| [(0, row), (19, row)]);
        let (col, row) = corners
            .into_iter()
            .find(|corner| !taken.contains(corner))
            .unwrap();
        let answer = judge.ask(&format!("TURN {col},{row}"));
        taken.extend([(col, row), point(&answer)]);
    }
    let peak = judge.peak_memory();
    assert!(peak < limit, "{peak} bytes of {limit}, rule {rule}");
    assert!(
        peak > limit / 2,
        "{peak} bytes: the tree did not fill its part"
    );
}

#[test]
fn every_bot_plays_every_game_it_claims() {
    for bot in tengen::bots::BOTS {
        for game in bot.games {
            let arguments = [
                "--protocol",
                "gtp",
                "--playouts",
                "20",
                "--game",
                game.name(),
            ];
            let arguments = [&arguments[..], &["--bot", bot.name]].concat();
            let lines = answers(&arguments, "genmove b\ngenmove w\nshowboard\n");
            let moves = lines.iter().filter(|line| line.starts_with("= ")).count();
            assert_eq!(moves, 2, "{} at {game}: {lines:?}", bot.name);
        }
    }
}

#[test]
fn a_transcript_holds_both_sides_of_every_conversation() {
    let folder = Folder::new("transcript");
    let file = folder.argument("transcript");
    for line in ["name", "version"] {
        let input = format!("{line}\nquit\n");
        answers(&["--protocol", "gtp", "--transcript", &file], input);
    }
    let text = fs::read_to_string(file).unwrap();
    for said in ["> name", "< = Tengen", "> version"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    for arguments in [
        &["--size", "15"][..],
        &["--bot", "nobody"],
        &["--set", "threads=0"],
        &["--set", "nothing=1"],
        &["--protocol", "morse"],
        &["perft", "--game", "chess", "--depth", "1"],
        &["analyze", "--game", "gomoku", "--moves", "z99"],
        &[
            "perft", "--game", "reversi", "--size", "10x10", "--depth", "1",
        ],
    ] {
        let output = Command::cargo_bin("tengen")
            .unwrap()
            .args(arguments)
            .assert()
            .failure();
        assert!(!output.get_output().stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn games_are_loaded_from_files_and_printed_to_them() {
    let folder = Folder::new("sgf");
    let file = |name: &str| folder.argument(name);
    let [game, copy, notes] = ["game.sgf", "copy.sgf", "notes"].map(file);
    fs::write(&game, "(;GM[4]SZ[9];B[ee];W[dd];B[ff])").unwrap();
    fs::write(&notes, "somebody's").unwrap();
    let [lost, whole] = [file("lost.sgf"), file("")];
    let input = format!(
        "boardsize 15\nplay b h8\nloadsgf {lost}\nloadsgf {whole}\nloadsgf {notes}\nprintsgf {notes}\n\
         reg_genmove w\nloadsgf {game} 3\nprintsgf {copy}\nloadsgf {game}\nundo\nprintsgf {copy}\n\
         loadsgf {copy}\nprintsgf\n"
    );
    let arguments = ["--protocol", "gtp", "--rule", "exact", "--playouts", "50"];
    let lines = answers(&arguments, input);
    let mut told = lines.iter().filter(|line| !line.is_empty());
    for expected in [
        "=",
        "=",
        "? cannot load file: ",
        "? cannot load file: it is no file",
        "? cannot load file: neither SGF, PSQ, GGF nor PGN",
        "? cannot write ",
        "= ",
        "=",
        "=",
        "=",
        "=",
        "=",
        "=",
    ] {
        let line = told.next().unwrap();
        assert!(line.starts_with(expected), "{expected}: {lines:?}");
    }
    let printed: Vec<&str> = told.map(String::as_str).collect();
    let text = fs::read_to_string(&copy).unwrap();
    assert_eq!(format!("= {}", text.trim_end()), printed.join("\n"));
    assert!(text.contains("SZ[9]RU[exact]"), "{text}");
    assert!(text.ends_with("\n;B[ee]\n;W[dd])\n"), "{text}");
    assert_eq!(fs::read_to_string(&notes).unwrap(), "somebody's");
}

/// What a program says that is to load this game.
fn loaded(folder: &Folder, text: &str) -> (Dialogue, String) {
    let game = folder.argument("game.sgf");
    fs::write(&game, text).unwrap();
    let mut engine = Dialogue::start(&["--protocol", "gtp", "--game", "gomoku"]);
    let answer = engine.ask(&format!("loadsgf {game}"));
    (engine, answer)
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_name_in_a_file_is_kept_once() {
    let folder = Folder::new("sgf-name");
    let peak = |name: &str| {
        let properties = name.to_owned() + &"[]".repeat(20_000);
        let (engine, answer) = loaded(&folder, &format!("(;GM[4]SZ[15]{properties};B[hh])"));
        assert!(answer.starts_with('='), "{answer}");
        engine.peak_memory()
    };
    let more = peak(&"A".repeat(20_000)).saturating_sub(peak("A"));
    assert!(more < 64 << 20, "{more} bytes");
}

#[test]
fn a_board_may_be_set_up_in_many_nodes() {
    let folder = Folder::new("sgf-nodes");
    let nodes = ";AB[aa:vv];AE[aa:vv]".repeat(200_000);
    let (_, answer) = loaded(&folder, &format!("(;GM[4]SZ[22]{nodes};B[hh])"));
    assert!(answer.starts_with('='), "{answer}");
    let nodes = ";AB[a1:z255]".repeat(3000);
    let (_, answer) = loaded(&folder, &format!("(;GM[4]SZ[255]{nodes})"));
    assert!(answer.contains("boards have 5 to 22 columns"), "{answer}");
}
