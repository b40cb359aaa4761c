//! UGI, the Universal Game Interface: chess's UCI for any game.
//!
//! Source: `kz04px/cutegames`, `ugi.md`, and how that runner talks with engines
//! (`src/engine/engine_ugi.cpp`). `protocol.md` shows every command at work. Where those leave a
//! choice:
//!
//! - The game is that of the command line.
//! - Moves are written as people write them, as in the rest of Tengen: `h8` in Gomoku, `f5` in
//!   Reversi, the column `4` in Connect Four. A pass is `0000`, UCI's move that is none, and
//!   so is the answer where there is no move. `pass` is read too.
//! - There is no `position fen`, for UGI leaves the text to the game and nobody has agreed on
//!   one for these games.
//! - `position` that only adds moves to the game on the board plays these, for runners send the
//!   whole game before every request.
//! - `go depth` limits the playouts (`depth.rs`). `go infinite` ends when the result is proven,
//!   without waiting for `stop`.
//! - Of an engine that has no pawns, `score cp` tells the expected result in hundredths: 100 is
//!   won, 0 even and -100 lost. `score mate` counts the moves of the side that mates.
//! - An error is told as `info string error: …`, which runners pass over.

use super::retold::RetoldGame;
use super::tentative::Tentative;
use super::text::shortened;
use super::{Defaults, Protocol, Request, Requests, Urgency, depth};
use crate::clock::TimeControl;
use crate::game::{Action, AnyGame, PlayError, Setup, SetupError, Side, notation};
use crate::knowledge::ProofResult;
use crate::options;
use crate::search::Report;
use crate::session::{Allowance, Event};
use smallvec::smallvec;
use std::str::FromStr;
use std::time::Duration;

/// The words that runners send.
pub const COMMANDS: [&str; 9] = [
    "ugi",
    "isready",
    "setoption",
    "uginewgame",
    "position",
    "query",
    "go",
    "stop",
    "quit",
];

/// How often a thinking reports. A guess at what people can follow.
const INTERVAL: Duration = Duration::from_secs(1);

/// The move that is none.
const NULL_MOVE: &str = "0000";

/// A translator for one runner.
pub struct Ugi {
    defaults: Defaults,
    board: Tentative<RetoldGame>,
    thinking: bool,
}

/// Why a command cannot be obeyed, as the runner is told.
#[derive(Debug, thiserror::Error)]
enum UgiError {
    #[error("unknown command {:?}", shortened(.0))]
    Unknown(String),
    #[error("expected: {0}")]
    Arguments(&'static str),
    #[error("there is no option {:?}", shortened(.0))]
    Option(String),
    #[error("the option cannot be {:?}", shortened(.0))]
    Value(String),
    #[error("positions are told by moves only")]
    Fen,
    #[error(transparent)]
    Setup(SetupError),
    #[error("{:?}: {error}", shortened(.0), error = .1)]
    Move(String, PlayError),
    #[error("the game is over")]
    Over,
}

impl Ugi {
    /// A translator that begins with the opening position of `defaults.setup`.
    ///
    /// # Errors
    /// When the game cannot be played with that setup.
    pub fn new(defaults: Defaults) -> Result<Ugi, SetupError> {
        Ok(Ugi {
            board: Tentative::new(RetoldGame::opening(&defaults.setup)?),
            defaults,
            thinking: false,
        })
    }

    /// Does what a command says. Where it fails, nothing has changed.
    fn obey(&mut self, words: &[&str], out: &mut Vec<String>) -> Result<Requests, UgiError> {
        match *words {
            [] => {}
            ["ugi", ..] => out.extend(identification()),
            ["isready", ..] => out.push("readyok".to_owned()),
            ["uginewgame", ..] => return self.new_game(),
            ["setoption", "name", name, "value", value] => return self.set_option(name, value),
            ["setoption", ..] => {
                return Err(UgiError::Arguments("setoption name NAME value VALUE"));
            }
            ["position", "startpos", ref moves @ ..] => return self.set_position(moves),
            ["position", "fen", ..] => return Err(UgiError::Fen),
            ["position", ..] => return Err(UgiError::Arguments("position startpos [moves ...]")),
            ["query", question] => out.push(format!("response {}", self.response(question)?)),
            ["query", ..] => return Err(UgiError::Arguments("query p1turn, gameover or result")),
            ["go", ref rest @ ..] => return self.go(rest, out),
            ["stop", ..] if self.thinking => return Ok(smallvec![Request::Stop]),
            ["stop", ..] => {}
            ["quit", ..] => return Ok(smallvec![Request::Quit]),
            [word, ..] => return Err(UgiError::Unknown(word.to_owned())),
        }
        Ok(Requests::new())
    }

    fn new_game(&mut self) -> Result<Requests, UgiError> {
        let setup = self.setup();
        self.board
            .replace(RetoldGame::opening(&setup).map_err(UgiError::Setup)?);
        Ok(smallvec![Request::NewGame(setup)])
    }

    fn set_position(&mut self, words: &[&str]) -> Result<Requests, UgiError> {
        let moves = match words {
            [] => &[],
            ["moves", moves @ ..] => moves,
            _ => return Err(UgiError::Arguments("position startpos [moves ...]")),
        };
        let mut target = RetoldGame::opening(&self.setup()).map_err(UgiError::Setup)?;
        for text in moves {
            let fault = |error| UgiError::Move((*text).to_owned(), error);
            let action = self.read(text).ok_or(PlayError::Illegal).map_err(fault)?;
            target.play(action).map_err(fault)?;
        }
        let requests = self.board.lead_to(&target);
        self.board.replace(target);
        Ok(requests)
    }

    /// A term of the game changes the board, which is empty then. UCI's name for the memory of
    /// the tree is `hash`.
    fn set_option(&mut self, name: &str, value: &str) -> Result<Requests, UgiError> {
        let lower = name.to_ascii_lowercase();
        if Setup::all_terms().contains(&&*lower) {
            let setup = self.setup().with_term(&lower, value);
            let setup = setup.map_err(|error| match error {
                SetupError::Value(..) => UgiError::Value(value.to_owned()),
                error => UgiError::Setup(error),
            })?;
            let board = RetoldGame::opening(&setup).map_err(UgiError::Setup)?;
            self.board.replace(board);
            return Ok(smallvec![Request::NewGame(setup)]);
        }
        let table_name = match &*lower {
            "hash" => "memory",
            other => other,
        };
        let row = options::TABLE.iter().find(|row| row.name == table_name);
        let row = row.ok_or_else(|| UgiError::Option(name.to_owned()))?;
        Ok(smallvec![Request::Set {
            name: row.name,
            value: value.to_owned(),
        }])
    }

    /// What is played: by the command line, until an option tells another board.
    fn setup(&self) -> Setup {
        self.board.game().setup()
    }

    fn response(&self, question: &str) -> Result<&'static str, UgiError> {
        let game = self.board.game();
        let outcome = game.outcome();
        let answer = |yes| if yes { "true" } else { "false" };
        Ok(match question {
            "p1turn" => answer(game.side_to_move() == Side::First),
            "gameover" => answer(outcome.is_some()),
            "result" => match outcome.map(|outcome| outcome.winner()) {
                None => "none",
                Some(None) => "draw",
                Some(Some(Side::First)) => "p1win",
                Some(Some(Side::Second)) => "p2win",
            },
            _ => return Err(UgiError::Arguments("query p1turn, gameover or result")),
        })
    }

    fn go(&mut self, words: &[&str], out: &mut Vec<String>) -> Result<Requests, UgiError> {
        let limits = Limits::read(words)?;
        if self.board.game().outcome().is_some() {
            // Who asks waits for a move.
            out.push(format!("info string error: {}", UgiError::Over));
            out.push(format!("bestmove {NULL_MOVE}"));
            return Ok(Requests::new());
        }
        let playouts = [limits.playouts(), self.defaults.playouts];
        self.thinking = true;
        Ok(smallvec![Request::Think(Allowance {
            time: limits.time(self.board.game().side_to_move(), self.defaults.time),
            playouts: playouts.into_iter().flatten().min(),
            report_every: Some(INTERVAL),
        })])
    }

    fn info(&self, report: &Report) -> String {
        let mut line = format!(
            "info depth {} nodes {} time {} nps {:.0} score {}",
            report.depth,
            report.playouts,
            report.elapsed.as_millis(),
            report.playouts_per_second(),
            score(report)
        );
        for (index, &action) in report.pv().iter().enumerate() {
            line.push_str(if index == 0 { " pv " } else { " " });
            line.push_str(&self.write(action));
        }
        line
    }

    fn read(&self, text: &str) -> Option<Action> {
        read_move(&self.setup(), text)
    }

    fn write(&self, action: Action) -> String {
        write_move(&self.setup(), action)
    }
}

/// Reads a move as UGI writes it here.
pub(crate) fn read_move(setup: &Setup, text: &str) -> Option<Action> {
    match text {
        NULL_MOVE => Some(Action::Pass),
        _ => notation::parse(setup, text),
    }
}

/// A move as UGI writes it here.
pub(crate) fn write_move(setup: &Setup, action: Action) -> String {
    match action {
        Action::Pass => NULL_MOVE.to_owned(),
        _ => notation::write(setup, action),
    }
}

impl Protocol for Ugi {
    fn feed(&mut self, line: &str, out: &mut Vec<String>) -> Requests {
        self.board.settle();
        let words: Vec<&str> = line.split_whitespace().collect();
        self.obey(&words, out).unwrap_or_else(|fault| {
            out.push(format!("info string error: {fault}"));
            Requests::new()
        })
    }

    fn render(&mut self, event: &Event, out: &mut Vec<String>) -> Requests {
        let (Event::Info(report) | Event::Best(report)) = event;
        if report.playouts > 0 || report.proof.is_some() {
            out.push(self.info(report));
        }
        if let Event::Best(report) = event {
            self.thinking = false;
            let best = report.best.map(|action| self.write(action));
            let best = best.unwrap_or_else(|| NULL_MOVE.to_owned());
            out.push(format!("bestmove {best}"));
        }
        Requests::new()
    }

    fn refuse(&mut self, reason: &str, out: &mut Vec<String>) {
        self.board.restore();
        out.push(format!("info string error: {}", shortened(reason)));
    }

    fn urgency(&self, line: &str) -> Urgency {
        match line.split_whitespace().next() {
            Some("isready") => Urgency::AtOnce,
            Some("stop") => Urgency::Stop,
            Some("quit") => Urgency::Last,
            _ => Urgency::InTurn,
        }
    }

    fn board(&self) -> &dyn AnyGame {
        self.board.game()
    }
}

/// What `go` allows.
#[derive(Debug, Default, PartialEq)]
struct Limits {
    /// What each side has left for the game.
    left: [Option<Duration>; 2],
    increment: [Duration; 2],
    moves_to_go: Option<u32>,
    per_move: Option<Duration>,
    nodes: Option<u64>,
    depth: Option<u32>,
    infinite: bool,
}

impl Limits {
    /// Reads what follows `go`. Words that are not known are passed over.
    fn read(words: &[&str]) -> Result<Limits, UgiError> {
        let mut limits = Limits::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut number = || whole::<i64>(words.next());
            match word {
                "p1time" => limits.left[0] = Some(milliseconds(number()?)),
                "p2time" => limits.left[1] = Some(milliseconds(number()?)),
                "p1inc" => limits.increment[0] = milliseconds(number()?),
                "p2inc" => limits.increment[1] = milliseconds(number()?),
                "movetime" => limits.per_move = Some(milliseconds(number()?)),
                // None are none that were told.
                "movestogo" => {
                    limits.moves_to_go = u32::try_from(number()?).ok().filter(|&moves| moves > 0);
                }
                "nodes" => limits.nodes = Some(whole(words.next())?),
                "depth" => limits.depth = Some(whole(words.next())?),
                "infinite" => limits.infinite = true,
                _ => {}
            }
        }
        Ok(limits)
    }

    /// What `side` may use; `default` where nothing is limited and an end is wanted.
    fn time(&self, side: Side, default: TimeControl) -> TimeControl {
        let left = self.left[side.index()];
        if left.is_some() || self.per_move.is_some() {
            TimeControl {
                per_move: self.per_move,
                left,
                increment: self.increment[side.index()],
                moves_to_go: self.moves_to_go,
            }
        } else if self.infinite || self.nodes.is_some() || self.depth.is_some() {
            TimeControl::default()
        } else {
            default
        }
    }

    fn playouts(&self) -> Option<u64> {
        let by_depth = self.depth.and_then(depth::playouts);
        [self.nodes, by_depth].into_iter().flatten().min()
    }
}

/// A whole number. One that its type does not hold is none.
fn whole<T: FromStr>(word: Option<&&str>) -> Result<T, UgiError> {
    let number = word.and_then(|text| text.parse().ok());
    number.ok_or(UgiError::Arguments("a whole number after each limit of go"))
}

/// A time in milliseconds, which may be below zero once it is used up.
fn milliseconds(number: i64) -> Duration {
    Duration::from_millis(u64::try_from(number).unwrap_or(0))
}

fn identification() -> Vec<String> {
    let mut lines = vec![
        format!("id name Tengen {}", env!("CARGO_PKG_VERSION")),
        "id author Tengen developers".to_owned(),
    ];
    let options = options::TABLE.iter();
    let names = options.map(|row| row.name).chain(Setup::all_terms());
    lines.extend(names.map(|name| format!("option name {name} type string")));
    lines.push("ugiok".to_owned());
    lines
}

/// `cp` or `mate`, for the side to move.
fn score(report: &Report) -> String {
    let moves = |plies: u16| plies.div_ceil(2);
    match report.proof.map(|proof| (proof.result, proof.plies)) {
        None => format!("cp {:.0}", 100.0 * (2.0 * report.value - 1.0)),
        Some((ProofResult::Draw, _)) => "cp 0".to_owned(),
        Some((ProofResult::Win, plies)) => format!("mate {}", moves(plies)),
        Some((ProofResult::Loss, plies)) => format!("mate -{}", moves(plies)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameKind;
    use crate::knowledge::Proof;

    #[test]
    fn mates_are_counted_in_moves() {
        for (result, plies, expected) in [
            (ProofResult::Win, 1, "mate 1"),
            (ProofResult::Win, 5, "mate 3"),
            (ProofResult::Loss, 4, "mate -2"),
            (ProofResult::Draw, 20, "cp 0"),
        ] {
            let report = Report {
                proof: Some(Proof { result, plies }),
                ..Report::of_move(None, 0.5)
            };
            assert_eq!(score(&report), expected);
        }
        assert_eq!(score(&Report::of_move(None, 0.1)), "cp -80");
    }

    #[test]
    fn only_what_ends_or_checks_a_thinking_is_urgent() {
        let defaults = Defaults {
            setup: Setup::standard(GameKind::Connect4),
            time: TimeControl::default(),
            playouts: Some(100),
        };
        let (mut ugi, mut out) = (Ugi::new(defaults).unwrap(), Vec::new());
        assert_eq!(ugi.urgency("isready"), Urgency::AtOnce);
        assert_eq!(ugi.urgency(" stop"), Urgency::Stop);
        assert_eq!(ugi.urgency("quit"), Urgency::Last);
        for line in ["position startpos", "query p1turn", "go", ""] {
            assert_eq!(ugi.urgency(line), Urgency::InTurn, "{line}");
        }
        ugi.feed("go nodes 5000", &mut out);
        let requests = ugi.feed("go depth 60", &mut out);
        let limited = matches!(requests.as_slice(), [Request::Think(Allowance { playouts, .. })] if *playouts == Some(100));
        assert!(limited, "{requests:?}");
    }
}
