//! Whole games through the binary, with a board at the other end that behaves as the documents
//! of its protocol say: NBoard, and cutegames for UGI.

use crate::dialogue::{Dialogue, now};
use rand::{RngExt, SeedableRng};
use std::time::Duration;
use tengen::game::{Action, AnyGame, GameKind, Setup, Side, any, notation};
use tengen::rollout::Random;

/// What a command that ends a thinking may take. Generous, for tests run side by side.
const AT_ONCE: Duration = Duration::from_secs(2);

/// The binary, as a board speaks with it.
struct Engine(Dialogue);

impl Engine {
    fn start(arguments: &[&str]) -> Engine {
        Engine(Dialogue::start(arguments))
    }

    fn say(&mut self, line: &str) {
        self.0.say(line);
    }

    /// The lines up to the first that begins so, that one last.
    fn hear_until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let Some(line) = self.0.next() else {
                panic!("the program is gone after {lines:?}");
            };
            let last = line.starts_with(beginning);
            lines.push(line);
            let refused = |line: &String| line.to_lowercase().contains("error");
            assert!(!lines.iter().any(refused), "{lines:?}");
            if last {
                return lines;
            }
        }
    }

    /// The rest of the first line that begins with this word.
    fn ask(&mut self, line: &str, word: &str) -> String {
        self.say(line);
        let answer = self.hear_until(word).pop().unwrap();
        answer[word.len()..].trim().to_owned()
    }

    fn quit(mut self) {
        self.say("quit");
        self.0.exits_within(AT_ONCE);
    }
}

fn opening(game: GameKind) -> Box<dyn AnyGame> {
    any::new_game(&Setup::standard(game)).unwrap()
}

fn any_move(game: &dyn AnyGame, random: &mut Random) -> Action {
    let actions = game.legal_actions();
    actions[random.random_range(0..actions.len())]
}

/// A move as NBoard writes it.
fn nboard_move(game: &dyn AnyGame, action: Action) -> String {
    match action {
        Action::Pass => "PA".to_owned(),
        _ => notation::write(&game.setup(), action).to_uppercase(),
    }
}

fn read_nboard_move(game: &dyn AnyGame, text: &str) -> Action {
    match text {
        "PA" => Action::Pass,
        _ => notation::parse(&game.setup(), text).unwrap(),
    }
}

/// The game as NBoard sends it.
fn ggf(moves: &str) -> String {
    format!(
        "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[Ann]PW[Bo]RE[?]TI[15:00]TY[8]\
         BO[8 ---------------------------O*------*O--------------------------- *]{moves};)"
    )
}

/// Plays a game of Tengen's first side against random moves. Tells the moves by `move`, or, as
/// NBoard itself does, by the whole game before every request. Returns how many moves were
/// passes.
fn nboard_game(by_move: bool, seed: u64) -> usize {
    let mut engine = Engine::start(&[]);
    let mut random = Random::seed_from_u64(seed);
    let mut game = opening(GameKind::Reversi);
    let mut record = String::new();
    let mut pings = 0;
    assert_eq!(engine.ask("nboard 2", "set"), "myname Tengen");
    while game.outcome().is_none() {
        let own = game.side_to_move() == Side::First;
        let action = if own {
            if !by_move {
                engine.say(&format!("set game {}", ggf(&record)));
            }
            engine.say("set contempt 0");
            engine.say("set depth 8");
            pings += 1;
            assert_eq!(
                engine.ask(&format!("ping {pings}"), "pong"),
                pings.to_string()
            );
            let answer = engine.ask("go", "===");
            let parts: Vec<&str> = answer.split('/').collect();
            let [square, value, seconds] = parts[..] else {
                panic!("{answer}");
            };
            assert!(value.parse::<f64>().unwrap().abs() <= 64.0, "{answer}");
            assert!(seconds.parse::<f64>().unwrap() >= 0.0, "{answer}");
            read_nboard_move(&*game, square)
        } else {
            any_move(&*game, &mut random)
        };
        let text = nboard_move(&*game, action);
        let colour = if own { 'B' } else { 'W' };
        record.push_str(&format!("{colour}[{text}//0.5]"));
        if by_move {
            engine.say(&format!("move {text}//0.5"));
        }
        game.play(action).unwrap();
    }
    engine.quit();
    let passes = game.history().iter().filter(|it| **it == Action::Pass);
    passes.count()
}

#[test]
fn nboard_plays_whole_games() {
    let passes: Vec<usize> = (0..16)
        .map(|seed| nboard_game(seed % 2 == 0, seed))
        .collect();
    assert!(passes.iter().sum::<usize>() > 0, "no pass was tried");
}

#[test]
fn a_hint_ends_when_the_board_wants_something_else() {
    let mut engine = Engine::start(&["--protocol", "nboard"]);
    let game = opening(GameKind::Reversi);
    engine.say("nboard 2");
    engine.say(&format!("set game {}", ggf("")));
    engine.say("set depth 40");
    engine.say("hint 3");
    let mut lines = engine.hear_until("nodestats");
    lines.retain(|line| line.starts_with("search "));
    assert_eq!(lines.len(), 3);
    for line in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(game.is_legal(read_nboard_move(&*game, &words[1][..2])));
        assert_eq!(words[3], "0");
        assert!(words[4].parse::<u32>().is_ok(), "{line}");
    }
    let begun = now();
    assert_eq!(engine.ask("ping 7", "pong"), "7");
    engine.say("hint 1");
    engine.say("move F5");
    engine.say("set depth 8");
    engine.ask("go", "===");
    assert!(begun.elapsed() < AT_ONCE);
    engine.say("hint 1");
    engine.say("analyze");
    engine.quit();
}

/// What Tengen writes from the beginning of an analysis to its end.
fn analysis(engine: &mut Engine, command: &str) -> Vec<String> {
    engine.say(command);
    engine.hear_until("status Tengen is analyzing");
    engine.hear_until("status Tengen is waiting")
}

/// The visits of all moves that `hint` tells of, and the playouts of this hint alone.
fn hint(engine: &mut Engine) -> (u64, u64) {
    let lines = analysis(engine, "hint 60");
    let last = lines
        .iter()
        .rposition(|line| line.starts_with("nodestats"))
        .unwrap();
    let number =
        |line: &str, at: usize| -> u64 { line.split(' ').nth(at).unwrap().parse().unwrap() };
    let before = lines[..last].iter().rev();
    let moves = before.take_while(|line| line.starts_with("search "));
    (
        moves.map(|line| number(line, 5)).sum(),
        number(&lines[last], 1),
    )
}

#[test]
fn the_tree_is_kept_from_one_game_to_the_next() {
    let mut engine = Engine::start(&[]);
    engine.ask("nboard 2", "set");
    engine.say("set depth 14");
    engine.say(&format!("set game {}", ggf("B[F5]")));
    let (visits, playouts) = hint(&mut engine);
    assert!(visits <= playouts + 1, "{visits} visits of {playouts}");
    let best = engine.ask("go", "===")[..2].to_owned();
    let mut game = opening(GameKind::Reversi);
    game.play(Action::point(5, 4)).unwrap();
    game.play(read_nboard_move(&*game, &best)).unwrap();
    let reply = nboard_move(&*game, game.legal_actions()[0]);
    engine.say(&format!(
        "set game {}",
        ggf(&format!("B[F5]W[{best}]B[{reply}]"))
    ));
    let (visits, playouts) = hint(&mut engine);
    assert!(visits > playouts + 10, "{visits} visits of {playouts}");
    engine.quit();
}

#[test]
fn a_game_is_analyzed_from_its_end() {
    let mut engine = Engine::start(&["--playouts", "50"]);
    engine.ask("nboard 2", "set");
    engine.say(&format!("set game {}", ggf("B[F5]W[D6]B[C3]W[D3]")));
    let mut lines = analysis(&mut engine, "analyze");
    lines.retain(|line| line.starts_with("analysis "));
    let numbers: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.split(' ').nth(1))
        .collect();
    assert_eq!(numbers, ["4", "3", "2", "1", "0"]);
    // The game is where it was.
    engine.say("move c4");
    engine.ask("go", "===");
    engine.quit();
}

/// Plays a game as cutegames plays one: two engines, the whole game before every question.
fn ugi_game(game: GameKind, limit: &str) {
    let mut referee = opening(game);
    let mut engines = [11, 12].map(|seed: u32| {
        let seed = seed.to_string();
        Engine::start(&["--game", game.name(), "--seed", &seed])
    });
    for engine in &mut engines {
        engine.say("ugi");
        engine.hear_until("ugiok");
        engine.say("setoption name hash value 16");
        engine.ask("isready", "readyok");
        engine.say("uginewgame");
    }
    let mut position = "position startpos".to_owned();
    loop {
        for engine in &mut engines {
            engine.say(&position);
            let over = engine.ask("query gameover", "response");
            assert_eq!(over == "true", referee.outcome().is_some());
        }
        if referee.outcome().is_some() {
            break;
        }
        let side = referee.side_to_move();
        let engine = &mut engines[side.index()];
        let first = engine.ask("query p1turn", "response");
        assert_eq!(first == "true", side == Side::First);
        let text = engine.ask(limit, "bestmove");
        let action = match text.as_str() {
            "0000" => Action::Pass,
            _ => notation::parse(&referee.setup(), &text).unwrap(),
        };
        referee.play(action).unwrap();
        if referee.history().len() == 1 {
            position.push_str(" moves");
        }
        position.push_str(&format!(" {text}"));
    }
    let expected = match referee.outcome().unwrap().winner() {
        None => "draw",
        Some(Side::First) => "p1win",
        Some(Side::Second) => "p2win",
    };
    for mut engine in engines {
        assert_eq!(engine.ask("query result", "response"), expected);
        engine.quit();
    }
}

#[test]
fn ugi_plays_whole_games() {
    ugi_game(GameKind::Connect4, "go nodes 200");
    ugi_game(
        GameKind::Reversi,
        "go p1time 1000 p2time 1000 p1inc 10 p2inc 10",
    );
    ugi_game(GameKind::Gomoku, "go movetime 10");
}

#[test]
fn a_runner_is_answered_while_tengen_thinks() {
    let mut engine = Engine::start(&["--game", "reversi"]);
    engine.say("ugi");
    engine.hear_until("ugiok");
    engine.say("position startpos moves f5");
    let begun = now();
    engine.say("go infinite");
    engine.ask("isready", "readyok");
    engine.say("query p1turn");
    assert_ne!(engine.ask("stop", "bestmove"), "0000");
    assert_eq!(engine.hear_until("response"), ["response false"]);
    assert!(begun.elapsed() < AT_ONCE);
    engine.say("go infinite");
    engine.quit();
}
