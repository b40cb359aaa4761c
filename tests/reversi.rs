//! What Tengen knows of Reversi, as every protocol shows it.

use assert_cmd::Command;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use std::collections::HashSet;
use tengen::game::reversi::Reversi;
use tengen::game::{Action, Game, GameKind, Moves, Playable, Point, Setup, Side, notation};
use tengen::knowledge::Effort;
use tengen::knowledge::reversi::endgame::{Board, Solver};
use tengen::rollout::Random;

/// A position near the end, and how it came about.
struct Ending {
    position: Reversi,
    history: Vec<Action>,
    /// The moves of the best score, as people write them.
    best: Vec<String>,
}

fn setup() -> Setup {
    Setup::standard(GameKind::Reversi)
}

/// After a random game without passes, with ten empty squares, where some moves are better than
/// others.
fn ending(seed: u64) -> Option<Ending> {
    let mut random = Random::seed_from_u64(seed);
    let mut position = Reversi::new(&setup()).unwrap();
    let mut history = Vec::new();
    let mut moves = Moves::new();
    for _ in 0..50 {
        position.outcome().is_none().then_some(())?;
        position.legal_moves(&mut moves);
        let chosen = *moves.choose(&mut random)?;
        history.push(position.action(chosen));
        position.play(chosen);
    }
    position.outcome().is_none().then_some(())?;
    position.legal_moves(&mut moves);
    if history.contains(&Action::Pass) || moves.len() < 3 {
        return None;
    }
    let solver = Solver::new(1 << 20, 1);
    let (best, _) = solver.best(Board::from(&position), &Effort::UNLIMITED)?;
    let text = |&mv| notation::write(&setup(), position.action(mv)).to_lowercase();
    let best: Vec<String> = best.iter().map(text).collect();
    (best.len() < moves.len()).then_some(Ending {
        position,
        history,
        best,
    })
}

impl Ending {
    /// The moves that were played, each written by `write` from its side and its text.
    fn written(&self, write: impl Fn(&str, &str) -> String) -> String {
        let sides = ["b", "w"].into_iter().cycle();
        let moves = self.history.iter().zip(sides);
        let texts = moves.map(|(&action, side)| write(side, &notation::write(&setup(), action)));
        texts.collect()
    }

    fn gtp(&self) -> String {
        let played = self.written(|side, mv| format!("play {side} {mv}\n"));
        format!("{played}genmove {}\n", ["b", "w"][self.history.len() % 2])
    }

    fn nboard(&self) -> String {
        let played = self.written(|side, mv| format!("{}[{mv}]", side.to_uppercase()));
        let start = "BO[8 ---------------------------O*------*O--------------------------- *]";
        format!("nboard 2\nset game (;GM[Othello]{start}{played};)\ngo\n")
    }

    fn ugi(&self) -> String {
        let played = self.written(|_, mv| format!(" {mv}"));
        format!("ugi\nposition startpos moves{played}\ngo movetime 5000\n")
    }

    fn botzone(&self) -> String {
        let points = self.history.iter().map(|action| match action {
            Action::Point(Point { col, row }) => format!(r#"{{"x":{col},"y":{row}}}"#),
            _ => unreachable!(),
        });
        let mut points: Vec<String> = points.collect();
        // Black, who begins, is asked with no move.
        if self.history.len().is_multiple_of(2) {
            points.insert(0, r#"{"x":-1,"y":-1}"#.to_owned());
        }
        let every_other = |first: usize| {
            let chosen: Vec<&str> = points
                .iter()
                .skip(first)
                .step_by(2)
                .map(|it| &**it)
                .collect();
            chosen.join(",")
        };
        let (requests, responses) = (every_other(0), every_other(1));
        format!("{{\"requests\":[{requests}],\"responses\":[{responses}]}}\n")
    }

    /// Othello of CodinGame, which packaging/ai_player.py speaks, too.
    fn codingame(&self) -> String {
        let mover = self.position.side_to_move();
        let mut text = format!("{}\n8\n", mover.index());
        let discs = [Side::First, Side::Second].map(|side| self.position.discs(side));
        for row in 0..8 {
            for col in 0..8 {
                let holds = |discs: u64| discs >> (8 * row + col) & 1 == 1;
                text.push(match discs.map(holds) {
                    [true, _] => '0',
                    [_, true] => '1',
                    _ => '.',
                });
            }
            text.push('\n');
        }
        let mut moves = Moves::new();
        self.position.legal_moves(&mut moves);
        text += &format!("{}\n", moves.len());
        for &mv in &moves {
            text += &notation::write(&setup(), self.position.action(mv));
            text.push('\n');
        }
        text
    }
}

/// What the program answers, in small letters.
fn run(protocol: &str, input: &str) -> String {
    let mut command = Command::cargo_bin("tengen").unwrap();
    let done = command
        .args(["--game", "reversi", "--protocol", protocol])
        .write_stdin(input)
        .assert()
        .success();
    String::from_utf8_lossy(&done.get_output().stdout).to_lowercase()
}

/// The word after `mark` in the last line that has it.
fn answer(out: &str, mark: &str) -> String {
    let found = out.lines().rev().find_map(|line| line.split_once(mark));
    let (_, rest) = found.unwrap_or_else(|| unreachable!("no {mark:?} in {out}"));
    let word = rest.trim().split([' ', '/']).next().unwrap();
    word.to_owned()
}

/// A point of Botzone as people write it.
fn of_botzone(out: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    let number = |axis: &str| value["response"][axis].as_u64().unwrap() as u8;
    let (col, row) = (number("x"), number("y"));
    notation::write(&setup(), Action::point(col, row)).to_lowercase()
}

#[test]
#[cfg(feature = "weights-reversi")]
fn every_protocol_plays_endings_exactly() {
    for ending in (0..).filter_map(ending).take(3) {
        let played = [
            answer(&run("gtp", &ending.gtp()), "= "),
            answer(&run("nboard", &ending.nboard()), "=== "),
            answer(&run("ugi", &ending.ugi()), "bestmove "),
            of_botzone(&run("botzone", &ending.botzone())),
            answer(&run("codingame", &ending.codingame()), ""),
        ];
        for mv in played {
            assert!(ending.best.contains(&mv), "{mv}: {}", ending.position);
        }
    }
}

/// The first hint of NBoard's is the best move, with its score.
#[test]
#[cfg(feature = "weights-reversi")]
fn hints_of_endings_are_exact() {
    let ending = (0..).find_map(ending).unwrap();
    let hinted = ending
        .nboard()
        .replace("\ngo\n", "\nset depth 10\nhint 1\n");
    let mv = answer(&run("nboard", &hinted), "search ");
    let is_best = ending.best.iter().any(|best| mv.starts_with(best));
    assert!(is_best, "{mv}: {}", ending.position);
}

/// Answers to f5: d6 and f6 are as good, f4 gives something away.
#[test]
#[cfg(feature = "weights-reversi")]
fn games_vary_where_that_is_asked_for() {
    let answers = |variety: &str| -> HashSet<String> {
        let of_seed = |seed: u64| {
            let mut command = Command::cargo_bin("tengen").unwrap();
            let options = [
                "playouts=1000".to_owned(),
                format!("variety={variety}"),
                format!("seed={seed}"),
            ];
            let settings = options.iter().flat_map(|option| ["--set", option]);
            let done = command
                .args(["--game", "reversi", "--protocol", "gtp"])
                .args(settings)
                .write_stdin("play b f5\ngenmove w\n")
                .assert()
                .success();
            answer(&String::from_utf8_lossy(&done.get_output().stdout), "= ")
        };
        (1..=12).map(of_seed).collect()
    };
    assert_eq!(answers("0").len(), 1);
    assert_eq!(answers("0.3"), ["D6", "F6"].map(str::to_owned).into());
}
