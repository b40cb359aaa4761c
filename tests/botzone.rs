//! The binary as Botzone, its runners and its Local AI meet it.

use crate::dialogue::{Dialogue, answers_within};
use assert_cmd::Command;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::time::Duration;
use tengen::game::{Action, GameKind, Point, Setup, Side, any};
use tengen::rollout::Random;

const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// What is written as -1, -1.
const NOTHING: [i64; 2] = [-1, -1];

/// A game as Botzone tells it to one player.
#[derive(Default)]
struct Record {
    requests: Vec<[i64; 2]>,
    responses: Vec<[i64; 2]>,
}

impl Record {
    fn json(&self) -> String {
        let objects = |pairs: &[[i64; 2]]| pairs.iter().copied().map(object).collect::<Vec<_>>();
        json!({
            "requests": objects(&self.requests),
            "responses": objects(&self.responses),
            "data": "",
            "globaldata": null,
            "time_limit": 1,
        })
        .to_string()
    }

    fn simple(&self) -> String {
        let mut lines = vec![self.requests.len().to_string()];
        for (index, [x, y]) in self.requests.iter().enumerate() {
            lines.push(format!("{x} {y}"));
            lines.extend(self.responses.get(index).map(|[x, y]| format!("{x} {y}")));
        }
        lines.join("\n")
    }

    /// The new request alone, each turn in another of the forms that runners use.
    fn newest(&self) -> String {
        let [x, y] = self.requests.last().copied().unwrap();
        match self.responses.len() % 4 {
            0 => format!("{x} {y}"),
            1 => object([x, y]).to_string(),
            2 => json!({ "requests": object([x, y]) }).to_string(),
            _ => json!({ "requests": [object([x, y])] }).to_string(),
        }
    }
}

fn object([x, y]: [i64; 2]) -> Value {
    json!({ "x": x, "y": y })
}

fn pair(action: Action) -> [i64; 2] {
    match action {
        Action::Point(Point { col, row }) => [col.into(), row.into()],
        _ => NOTHING,
    }
}

fn action([x, y]: [i64; 2]) -> Action {
    if [x, y] == NOTHING {
        return Action::Pass;
    }
    Action::point(x.try_into().unwrap(), y.try_into().unwrap())
}

/// The response in the lines of an answer, which may be in either form.
fn response(lines: &[String]) -> [i64; 2] {
    let first = &lines[0];
    if first.starts_with('{') {
        let answer: Value = serde_json::from_str(first).unwrap();
        let number = |key| answer["response"][key].as_i64();
        return [number("x"), number("y")].map(|it| it.unwrap_or_else(|| panic!("{first}")));
    }
    let numbers: Vec<i64> = first.split(' ').map(|it| it.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

/// Plays a game in which `answer` has the side `seat` and the other side moves at random.
fn play(
    game: GameKind,
    seat: Side,
    seed: u64,
    mut answer: impl FnMut(&Record) -> [i64; 2],
) -> Record {
    let mut referee = any::new_game(&Setup::standard(game)).unwrap();
    let mut random = Random::seed_from_u64(seed);
    let mut record = Record::default();
    if seat == Side::First {
        record.requests.push(NOTHING);
    }
    while referee.outcome().is_none() {
        if referee.side_to_move() == seat {
            let response = answer(&record);
            record.responses.push(response);
            referee.play(action(response)).unwrap();
        } else {
            let legal = referee.legal_actions();
            let chosen = legal[random.random_range(0..legal.len())];
            referee.play(chosen).unwrap();
            record.requests.push(pair(chosen));
        }
    }
    record
}

/// What a process answers that hears everything at once.
fn one_shot(arguments: &[&str], input: String) -> Vec<String> {
    answers_within(Duration::from_secs(60), arguments, input)
}

/// A process that stays.
struct Bot(Dialogue);

impl Bot {
    fn start(arguments: &[&str]) -> Bot {
        Bot(Dialogue::start(arguments))
    }

    /// The lines of the answer, without the one that asks to stay.
    fn ask(&mut self, message: &str) -> Vec<String> {
        self.0.say(message);
        let lines = std::iter::from_fn(|| self.0.next());
        lines.take_while(|line| line != KEEP_RUNNING).collect()
    }

    /// Ends the input and waits for the process.
    fn end(mut self) {
        self.0.close();
        self.0.exits_within(Duration::from_secs(5));
    }
}

#[test]
fn one_process_a_turn_plays_whole_games() {
    for (game, seat) in [
        (GameKind::Gomoku, Side::First),
        (GameKind::Gomoku, Side::Second),
        (GameKind::Reversi, Side::Second),
    ] {
        let arguments = ["--game", game.name(), "--playouts", "30"];
        play(game, seat, 1, |record| {
            let lines = one_shot(&arguments, record.json() + "\n");
            assert_eq!(lines.len(), 1, "{lines:?}");
            response(&lines)
        });
    }
}

#[test]
fn the_simple_form_plays_whole_games_with_passes() {
    // A player that moves at random has to pass now and then.
    let arguments = ["--game", "reversi", "--bot", "random"];
    let mut passes = [0, 0];
    for seed in 0..6 {
        let seat = [Side::First, Side::Second][seed as usize % 2];
        let record = play(GameKind::Reversi, seat, seed, |record| {
            // `data` and `globaldata` may follow, and the last line may lack its end.
            let lines = one_shot(&arguments, record.simple() + "\nsome data\nglobal\n1 2");
            assert_eq!(lines.len(), 1, "{lines:?}");
            response(&lines)
        });
        let count = |pairs: &[[i64; 2]]| pairs.iter().filter(|&&it| it == NOTHING).count();
        passes[0] += count(&record.requests[1..]);
        passes[1] += count(&record.responses);
    }
    assert!(passes[0] > 0 && passes[1] > 0, "other seeds: {passes:?}");
}

#[test]
fn a_process_that_stays_plays_whole_games_and_keeps_its_tree() {
    for (game, seat, seed) in [
        (GameKind::Gomoku, Side::First, 2),
        (GameKind::Gomoku, Side::Second, 2),
        (GameKind::Reversi, Side::First, 3),
        (GameKind::Reversi, Side::Second, 2),
        (GameKind::Reversi, Side::First, 4),
        (GameKind::Reversi, Side::Second, 3),
    ] {
        let protocol = ["--protocol", "botzone-keep", "--game", game.name()];
        let mut bot = Bot::start(&[&protocol[..], &["--playouts", "4000"]].concat());
        let mut reused = Vec::new();
        play(game, seat, seed, |record| {
            let first = record.responses.is_empty();
            let lines = bot.ask(&if first {
                record.json()
            } else {
                record.newest()
            });
            reused.push(lines.join(" ").contains("visits reused"));
            response(&lines)
        });
        assert!(!reused[0], "{reused:?}");
        if game == GameKind::Reversi {
            // Few replies are possible, so that each has been looked at, in nearly every game.
            assert!(reused[1..10].iter().all(|&it| it), "{reused:?}");
        }
        bot.end();
    }
}

#[test]
fn a_process_for_one_turn_ends_though_its_input_stays_open() {
    let mut bot = Bot::start(&["--playouts", "30"]);
    let record = Record {
        requests: vec![[7, 7]],
        responses: Vec::new(),
    };
    let lines = bot.ask(&record.json());
    assert_eq!(lines.len(), 1, "{lines:?}");
    bot.0.exits_within(Duration::from_secs(5));
}

#[test]
fn the_end_of_the_input_lets_the_answer_finish() {
    let lines = one_shot(&["--time", "400"], r#"{"x":7,"y":7}"#.to_owned());
    response(&lines);
}

#[test]
fn both_sides_of_a_swap_are_played() {
    let arguments = ["--protocol", "botzone-swap1-keep", "--playouts", "2000"];
    let mut bot = Bot::start(&arguments);
    // A stone in the corner is not worth taking over.
    assert_ne!(response(&bot.ask("0 0")), NOTHING);
    // The other way round, the opponent swaps, and Tengen plays on with White.
    let stone = response(&bot.ask(r#"{"requests":[{"x":-1,"y":-1}],"responses":[]}"#));
    assert_ne!(stone, NOTHING);
    let white = response(&bot.ask("-1 -1"));
    assert!(white != NOTHING && white != stone);
    bot.end();
}

#[test]
fn broken_input_is_answered_and_survived() {
    let mut bot = Bot::start(&["--protocol", "botzone-keep", "--playouts", "30"]);
    for bad in [
        r#"{"requests":[{"x":7]}"#,
        r#"{"requests":[{"x":7,"y":7}],"responses":[{"x":7,"y":7}]}"#,
        r#"{"requests":"[]"}"#,
        "{\u{0}",
        "START 15",
        "7 7 7",
        "99 99",
    ] {
        let lines = bot.ask(bad);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("error: "), "{lines:?}");
    }
    response(&bot.ask("7 7"));
    bot.end();
}

/// What a process for one turn of this game writes.
fn written(game: &str, input: &str) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let output = program
        .args(["--protocol", "botzone", "--playouts", "30"])
        .args(["--game", game])
        .write_stdin(input.to_owned())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_simple_game_that_ends_too_soon_is_answered() {
    let answer = written("reversi", "3\n-1 -1\n2 3\n");
    assert_eq!(answer, "error: 3 more lines of the game were expected\n");
    let answer = written("reversi", "3\n-1 -1\n0 0\n");
    assert_eq!(answer, "error: 0 0: illegal move\n");
}

#[test]
fn whole_numbers_may_be_written_as_fractions() {
    let game =
        r#"{"requests":[{"x":-1.0,"y":-1.0},{"x":5,"y":5e0}],"responses":[{"x":5.0,"y":4}]}"#;
    response(&[written("reversi", game)]);
    let answer = written("gomoku", r#"{"x":7.5,"y":7}"#);
    assert!(answer.contains("error: bad JSON"), "{answer}");
}

#[test]
fn json_may_go_over_lines_and_end_too_soon() {
    let answers = |input: &str| written("gomoku", input);
    let game = json!({ "requests": [{ "x": 7, "y": 7 }], "responses": [], "data": "{\n" });
    let answer = answers(&serde_json::to_string_pretty(&game).unwrap());
    assert_eq!(answer.lines().count(), 1, "{answer}");
    assert_ne!(response(&[answer]), NOTHING);
    let answer = answers("{\n\"requests\": [\n{\"x\": 7,");
    assert!(answer.contains("error: bad JSON: EOF"), "{answer}");
}

#[test]
fn json_over_many_lines_takes_no_longer_than_on_one() {
    let begin = r#"{"requests":[{"x":-1,"y":-1}],"responses":[],"data":["#;
    let game = format!("{begin}\n{}1]}}\n", "1,\n".repeat(43_000));
    let arguments = ["--protocol", "botzone", "--playouts", "30"];
    let lines = answers_within(Duration::from_secs(10), &arguments, game);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_ne!(response(&lines), NOTHING);
    // What is wrong there is told at the end of the input at the latest.
    let game = format!("{begin}\n{}1 1", "1,\n".repeat(43_000));
    let lines = answers_within(Duration::from_secs(10), &arguments, game);
    assert!(lines[0].contains("error: bad JSON: expected"), "{lines:?}");
}

#[test]
fn lines_of_the_simple_form_may_be_objects() {
    let own = [7, 7];
    for (arguments, game, entries) in [
        (
            ["--protocol", "botzone"],
            "gomoku",
            vec![NOTHING, own, [7, 8]],
        ),
        (
            ["--protocol", "botzone-swap1"],
            "gomoku",
            vec![NOTHING, own, [7, 8]],
        ),
        (
            ["--protocol", "botzone-renju"],
            "gomoku",
            vec![NOTHING, own, [7, 8]],
        ),
        (
            ["--protocol", "botzone"],
            "reversi",
            vec![NOTHING, [2, 3], [2, 4]],
        ),
    ] {
        let lines: Vec<_> = entries.iter().map(|&it| object(it).to_string()).collect();
        let over_many = lines[2].replace(',', ",\n");
        let mixed = format!("{} {}", entries[1][0], entries[1][1]);
        for input in [
            format!("2\n{}\n{}\n{}\n", lines[0], lines[1], lines[2]),
            format!("2\n{}\n{mixed}\n{over_many}\n", lines[0]),
        ] {
            let arguments = [&arguments[..], &["--game", game, "--playouts", "30"]].concat();
            let answer = answers_within(Duration::from_secs(20), &arguments, input);
            let point = response(&answer);
            assert!(!entries.contains(&point), "{arguments:?}: {answer:?}");
        }
    }
}

#[test]
fn a_simple_game_is_given_up_for_a_game_in_json() {
    let game = json!({ "requests": [{ "x": 7, "y": 7 }], "responses": [] });
    let pretty = serde_json::to_string_pretty(&game).unwrap();
    for game in [game.to_string(), pretty] {
        let answer = written("gomoku", &format!("3\n-1 -1\n{game}\n"));
        assert_eq!(answer.lines().count(), 1, "{answer}");
        assert_ne!(response(&[answer]), NOTHING);
    }
}

#[test]
fn the_local_ai_plays_many_matches_at_once() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/botzone_local.py");
    Command::new("python3")
        .args(["-B", script, env!("CARGO_BIN_EXE_tengen")])
        .timeout(Duration::from_secs(300))
        .assert()
        .success();
}
