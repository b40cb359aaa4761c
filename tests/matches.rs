//! `tengen match` as a person runs it.

use crate::played::{assert_no_fault, records_in};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tengen::arena::records::record::{GameRecord, Termination};
use tengen::game::Point;

pub fn tengen_match(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.arg("match").args(arguments.split_whitespace());
    command
}

fn output(arguments: &str) -> Output {
    tengen_match(arguments).output().unwrap()
}

fn records_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.jsonl"))
}

/// Plays a match and returns its table and its records in the order of their numbers.
fn play(name: &str, arguments: &str) -> (String, Vec<GameRecord>) {
    let file = records_file(name);
    let output = output(&format!("{arguments} --force --json {}", file.display()));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let table = String::from_utf8(output.stdout).unwrap();
    (table, records_in(&file))
}

/// With few playouts, so that it takes seconds; the default match grants 100 ms a move.
#[test]
fn tengen_beats_random_and_greedy_in_every_game() {
    for (game, playouts) in [("gomoku", 1000), ("reversi", 1000), ("connect4", 10_000)] {
        let arguments = format!("--game {game} --games 20 --playouts {playouts}");
        let (table, records) = play(game, &arguments);
        assert_eq!(table.lines().count(), 3, "{table}");
        assert_eq!(records.len(), 40);
        for pairing in 0..2 {
            let games = records.iter().filter(|record| record.pairing == pairing);
            let won = games.filter(|record| record.winner == Some(0)).count();
            assert!(won >= 19, "{won} of 20 games won\n{table}");
        }
    }
}

#[test]
fn a_match_is_the_same_again_whatever_the_concurrency() {
    let arguments = "uct random --games 4 --playouts 50 --random-plies 3 --seed 5";
    let moves = |name, concurrency| {
        let (_, records) = play(name, &format!("{arguments} --concurrency {concurrency}"));
        let texts = |record: GameRecord| {
            let moves = record.moves.into_iter().map(|it| it.text);
            (record.opening, moves.collect::<Vec<String>>())
        };
        records.into_iter().map(texts).collect::<Vec<_>>()
    };
    let alone = moves("alone", 1);
    assert_eq!(alone.len(), 12);
    assert_eq!(moves("together", 3), alone);
    assert_ne!(alone[0].1, alone[2].1);
}

/// Whole games of bots that the other matches here do not have.
#[test]
fn reference_bots_play_to_the_end() {
    for game in ["gomoku", "reversi", "connect4"] {
        for pair in [
            "alphabeta:depth=2,algorithm=aspiration,history=on flat:playouts=100",
            "level-6 level-2",
        ] {
            let arguments = format!("{pair} --game {game} --games 2 --time 60000");
            let (table, records) = play("reference", &arguments);
            let ends = records.iter().map(|record| record.termination);
            let played = ends.filter(|end| !end.is_fault()).count();
            assert_eq!(played, 2, "{table}");
        }
    }
}

#[test]
fn a_board_with_a_hole_is_played_to_the_end() {
    let arguments = "random greedy --game connect4 --size 9x10 --hole 4,5 --games 6";
    let (_, records) = play("hole", arguments);
    assert_eq!(records.len(), 6);
    for record in records {
        assert_eq!(
            (record.setup.cols, record.setup.rows, record.setup.hole()),
            (9, 10, Some(Point { col: 4, row: 5 }))
        );
        assert!(matches!(
            record.termination,
            Termination::Win | Termination::Draw
        ));
    }
}

#[test]
fn what_cannot_be_played_is_said_and_fails() {
    for (arguments, said) in [
        ("tengen", "required"),
        ("tengen nobody", "no bot is called"),
        ("tengen random --games 3", "even number"),
        (
            "tengen five-tuple --game reversi",
            "five-tuple does not play reversi",
        ),
        (
            "five-tuple mini-alphago",
            "five-tuple plays gomoku, mini-alphago plays reversi",
        ),
        ("tengen level7", "did you mean level-7"),
        ("tengen othello", "it is a game: --game reversi"),
        ("tengen:foo=1 random", "tengen options"),
        ("tengen:trheads=2 random", "did you mean threads"),
        ("random random --game c4", "connect4"),
        ("random random --game revrsi", "did you mean reversi?"),
        (
            "tengen gtp:/nonexistent/engine --game gomoku",
            "does not begin",
        ),
        ("tengen gtp:/nonexistent/engine --playouts 10", "--time"),
        (
            "random random --game reversi --random-plies 100",
            "no opening of 100",
        ),
        ("random random --game reversi --size 9x9", "8"),
        ("random random --game reversi --hole 3,3", "has no hole"),
        ("random random --size 20x20", "--game"),
        ("random random --rule exact", "--game"),
        ("random random --steal", "--game"),
        ("random random --concurrency 0", "--concurrency"),
    ] {
        let output = output(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{arguments}");
        assert!(stderr.contains(said), "{arguments}: {stderr}");
        assert!(output.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn a_steal_is_agreed_on_with_both_engines() {
    let arguments =
        "tengen random --game connect4 --steal --games 4 --random-plies 0 --playouts 50";
    let (_, records) = play("steal", arguments);
    assert_no_fault(&records, 4);
    assert!(records.iter().all(|record| record.setup.connect4().steal));
}
