//! The NBoard protocol, version 2, which the boards made for Othello speak.
//!
//! One command a line; the engine may write at any time. Source: "NBoard Protocol" by Welty
//! (`weltyc/ntest`, `instructions/Protocol.htm`), and how its board reads the answers
//! (`weltyc/nboard`). `protocol.md` shows every command at work. Where those leave a choice:
//!
//! - The game is Reversi whatever the command line says, from the first `nboard` on.
//! - Every line is obeyed at once, while Tengen thinks too. What changes the position or asks
//!   for something else ends the thinking with no answer; `set depth` holds from the next one.
//! - A line that is not understood is passed over, as the document wants. A known command that
//!   cannot be obeyed is told as `status Error: …`, which the board shows, and changes nothing.
//! - `set game` that only adds moves to the game on the board plays these, for boards send the
//!   whole game before every request.
//! - The depth limits the playouts (`depth.rs`). `go` is limited by the clock of the game too,
//!   or by the command line where the game has none; `hint` is not, for the board ends it;
//!   `analyze` gets for every position what the command line grants for a move.
//! - Values are in discs, from -64 to 64, but they are no disc counts: they tell the expected
//!   score, so that 0 is even and 32 wins three of four. `analyze` tells them for Black, as the
//!   board draws them in one curve.
//! - `set contempt` means nothing, for it is about draws in a book, and Tengen has none. So
//!   there is nothing to `learn` either.

use super::retold::RetoldGame;
use super::tentative::Tentative;
use super::text::{shortened, split_word};
use super::{Defaults, Protocol, Request, Requests, Urgency, depth};
use crate::clock::TimeControl;
use crate::game::ggf::{self, GgfError};
use crate::game::{Action, AnyGame, GameKind, PlayError, Setup, SetupError, Side, notation};
use crate::knowledge::{Proof, ProofResult};
use crate::search::{MoveReport, Report};
use crate::session::{Allowance, Event};
use smallvec::smallvec;
use std::time::Duration;

/// The words that boards send.
pub const COMMANDS: [&str; 9] = [
    "nboard", "set", "move", "hint", "go", "ping", "learn", "analyze", "quit",
];

/// The version of the protocol that is spoken here.
const VERSION: &str = "2";

/// How often a thinking reports. A guess at what people can follow.
const INTERVAL: Duration = Duration::from_millis(500);

/// The value of a won game.
const WON: f64 = 64.0;

const WAITING: &str = "status Tengen is waiting";
const THINKING: &str = "status Tengen is thinking";
const ANALYZING: &str = "status Tengen is analyzing";

/// A translator for one board.
pub struct NBoard {
    defaults: Defaults,
    game: Tentative<NBoardGame>,
    /// How deep to search, once it was set.
    depth: Option<u32>,
    pending: Pending,
}

/// A game, and what its clocks show.
struct NBoardGame {
    board: RetoldGame,
    /// What each side has left for the game.
    clocks: [Option<ggf::GameTime>; 2],
}

/// What the session is thinking about.
enum Pending {
    Nothing,
    /// `go`.
    Move,
    /// `hint`, with the number of moves wanted.
    Hint(usize),
    /// `analyze`.
    Game(Retrograde),
}

/// What a command asks for, or why it is refused.
type Answer = Result<Requests, NBoardError>;

/// Why a command cannot be obeyed, as the board shows it.
#[derive(Debug, thiserror::Error)]
enum NBoardError {
    #[error("expected: {0}")]
    Arguments(&'static str),
    #[error("cannot read the game: {0}")]
    Record(GgfError),
    #[error(transparent)]
    Play(PlayError),
    #[error(transparent)]
    Setup(SetupError),
    #[error("expected first: nboard 2")]
    NotBegun,
    #[error("only version 2 is spoken here: nboard 2")]
    Version,
}

impl NBoard {
    /// A translator that begins with `defaults.setup`, and turns to Reversi when it is spoken
    /// to.
    ///
    /// # Errors
    /// When that game cannot be played.
    pub fn new(defaults: Defaults) -> Result<NBoard, SetupError> {
        Ok(NBoard {
            game: Tentative::new(NBoardGame {
                board: RetoldGame::opening(&defaults.setup)?,
                clocks: [None; 2],
            }),
            defaults,
            depth: None,
            pending: Pending::Nothing,
        })
    }

    /// Does what a command says. Where it fails, nothing has changed.
    fn obey(&mut self, word: &str, rest: &str, out: &mut Vec<String>) -> Answer {
        match word {
            "nboard" if rest == VERSION => self.begin(out),
            "nboard" => Err(NBoardError::Version),
            "set" => self.set(rest, out),
            "move" => self.play(rest, out),
            "go" => self.go(out),
            "hint" => self.hint(rest, out),
            "analyze" => self.analyze(out),
            "ping" => self.ping(rest, out),
            "learn" => {
                out.push("learned".to_owned());
                Ok(Requests::new())
            }
            "quit" => Ok(smallvec![Request::Quit]),
            _ => Ok(Requests::new()),
        }
    }

    fn begin(&mut self, out: &mut Vec<String>) -> Answer {
        let board = RetoldGame::opening(&Setup::standard(GameKind::Reversi));
        let board = board.map_err(NBoardError::Setup)?;
        let clocks = [None; 2];
        let requests = self.put_up(NBoardGame { board, clocks }, out);
        out.push("set myname Tengen".to_owned());
        Ok(requests)
    }

    fn set(&mut self, rest: &str, out: &mut Vec<String>) -> Answer {
        let (name, value) = split_word(rest);
        match name {
            "depth" => {
                let depth: u32 = value
                    .parse()
                    .map_err(|_| NBoardError::Arguments("set depth n"))?;
                self.depth = Some(depth);
            }
            "contempt" => {
                let _: i32 = value
                    .parse()
                    .map_err(|_| NBoardError::Arguments("set contempt n"))?;
            }
            "game" => {
                let game = NBoardGame::read(value).map_err(NBoardError::Record)?;
                return Ok(self.put_up(game, out));
            }
            _ => {}
        }
        Ok(Requests::new())
    }

    /// Ends the thinking and puts up another game, or what it has more than the one there.
    fn put_up(&mut self, game: NBoardGame, out: &mut Vec<String>) -> Requests {
        let mut requests = self.interrupt(out);
        requests.extend(self.game.board.lead_to(&game.board));
        self.game.replace(game);
        requests
    }

    fn play(&mut self, rest: &str, out: &mut Vec<String>) -> Answer {
        self.check_begun()?;
        let setup = self.game.board.game().setup();
        let (action, elapsed) =
            ggf::read_move(&setup, rest).ok_or(NBoardError::Arguments("move F5, or move PA"))?;
        let side = self.game.board.game().side_to_move();
        self.game.board.play(action).map_err(NBoardError::Play)?;
        let clock = &mut self.game.clocks[side.index()];
        *clock = clock.map(|clock| clock.after(elapsed));
        let mut requests = self.interrupt(out);
        requests.push(Request::Play(action));
        Ok(requests)
    }

    fn go(&mut self, out: &mut Vec<String>) -> Answer {
        self.check_going_on()?;
        let mut requests = self.interrupt(out);
        out.push(THINKING.to_owned());
        requests.push(self.think(self.game.grant().unwrap_or(self.defaults.time)));
        self.pending = Pending::Move;
        Ok(requests)
    }

    fn hint(&mut self, rest: &str, out: &mut Vec<String>) -> Answer {
        let count: usize = rest.parse().map_err(|_| NBoardError::Arguments("hint n"))?;
        self.check_going_on()?;
        let mut requests = self.interrupt(out);
        out.push(ANALYZING.to_owned());
        // Boards set a depth first. For one that does not, a hint is like a move.
        let time = match self.depth {
            Some(_) => TimeControl::default(),
            None => self.defaults.time,
        };
        requests.push(self.think(time));
        self.pending = Pending::Hint(count.max(1));
        Ok(requests)
    }

    fn analyze(&mut self, out: &mut Vec<String>) -> Answer {
        self.check_begun()?;
        let mut requests = self.interrupt(out);
        let mut retrograde = Retrograde::new(self.game.board.game());
        out.push(ANALYZING.to_owned());
        if let Some(outcome) = retrograde.walk.outcome() {
            out.push(retrograde.line(f64::from(outcome.margin(Side::First))));
            match retrograde.step_back() {
                Some(undo) => requests.push(undo),
                None => {
                    out.push(WAITING.to_owned());
                    return Ok(requests);
                }
            }
        }
        requests.push(self.think(self.defaults.time));
        self.pending = Pending::Game(retrograde);
        Ok(requests)
    }

    fn ping(&mut self, rest: &str, out: &mut Vec<String>) -> Answer {
        let number: i64 = rest.parse().map_err(|_| NBoardError::Arguments("ping n"))?;
        let requests = self.interrupt(out);
        out.push(format!("pong {number}"));
        Ok(requests)
    }

    /// Ends the thinking, with no answer.
    fn interrupt(&mut self, out: &mut Vec<String>) -> Requests {
        let mut requests = Requests::new();
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => return requests,
            Pending::Move | Pending::Hint(_) => requests.push(Request::Abort),
            Pending::Game(retrograde) => {
                requests.push(Request::Abort);
                requests.extend(retrograde.return_to_the_end());
            }
        }
        out.push(WAITING.to_owned());
        requests
    }

    fn check_begun(&self) -> Result<(), NBoardError> {
        let game = self.game.board.game().setup().game();
        if game == GameKind::Reversi {
            Ok(())
        } else {
            Err(NBoardError::NotBegun)
        }
    }

    fn check_going_on(&self) -> Result<(), NBoardError> {
        self.check_begun()?;
        match self.game.board.game().outcome() {
            Some(_) => Err(NBoardError::Play(PlayError::Over)),
            None => Ok(()),
        }
    }

    fn think(&self, time: TimeControl) -> Request {
        let limits = [self.depth.and_then(depth::playouts), self.defaults.playouts];
        Request::Think(Allowance {
            time,
            playouts: limits.into_iter().flatten().min(),
            report_every: Some(INTERVAL),
        })
    }

    /// `analyze` has found the value of a position: goes on with the one before it, or ends.
    fn analyzed(
        &self,
        mut retrograde: Retrograde,
        report: &Report,
        out: &mut Vec<String>,
    ) -> (Requests, Pending) {
        let value = value(report.value, report.proof);
        let for_black = match retrograde.walk.side_to_move() {
            Side::First => value,
            Side::Second => -value,
        };
        out.push(retrograde.line(for_black));
        match retrograde.step_back() {
            Some(undo) => {
                let requests = smallvec![undo, self.think(self.defaults.time)];
                (requests, Pending::Game(retrograde))
            }
            None => {
                out.push(WAITING.to_owned());
                let requests = retrograde.return_to_the_end().collect();
                (requests, Pending::Nothing)
            }
        }
    }

    /// The lines about the best `count` moves, and how much was searched.
    fn found(&self, report: &Report, count: usize, out: &mut Vec<String>) {
        let moves = report.known_moves().take(count);
        out.extend(moves.map(|mv| self.search_line(report, mv)));
        out.push(format!(
            "nodestats {} {:.2}",
            report.playouts,
            report.elapsed.as_secs_f64()
        ));
    }

    /// `search`, the line expected, its value, 0 games of a book, the depth, and text for
    /// people. The depth `100%W` means that the result is proven.
    fn search_line(&self, report: &Report, mv: &MoveReport) -> String {
        let line: String = match mv.pv.as_slice() {
            [] => self.write(mv.action),
            pv => pv.iter().map(|&action| self.write(action)).collect(),
        };
        let value = value(mv.mean, mv.proof);
        let depth = match mv.proof {
            Some(_) => "100%W".to_owned(),
            None => report.depth.to_string(),
        };
        format!("search {line} {value:.2} 0 {depth} {} playouts", mv.visits)
    }

    /// The answer to `go`.
    fn answer(&self, report: &Report) -> String {
        let Some(action) = report.best else {
            return NBoardError::Play(PlayError::Over).to_status();
        };
        // What `search` says of it; the mean of all playouts counts the other moves, too.
        let value = match report.known_moves().next() {
            Some(best) => value(best.mean, best.proof),
            None => value(report.value, report.proof),
        };
        let seconds = report.elapsed.as_secs_f64();
        format!("=== {}/{value:.2}/{seconds:.2}", self.write(action))
    }

    fn write(&self, action: Action) -> String {
        match action {
            Action::Pass => "PA".to_owned(),
            _ => notation::write(&self.game.board.game().setup(), action).to_ascii_uppercase(),
        }
    }
}

impl NBoardError {
    fn to_status(&self) -> String {
        format!("status Error: {}", shortened(&self.to_string()))
    }
}

impl Protocol for NBoard {
    fn feed(&mut self, line: &str, out: &mut Vec<String>) -> Requests {
        self.game.settle();
        let (word, rest) = split_word(line.trim());
        self.obey(word, rest, out).unwrap_or_else(|fault| {
            out.push(fault.to_status());
            Requests::new()
        })
    }

    fn render(&mut self, event: &Event, out: &mut Vec<String>) -> Requests {
        let report = match event {
            Event::Best(report) => report,
            Event::Info(report) => {
                match self.pending {
                    Pending::Move => self.found(report, 1, out),
                    Pending::Hint(count) => self.found(report, count, out),
                    Pending::Game(_) | Pending::Nothing => {}
                }
                return Requests::new();
            }
        };
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => return Requests::new(),
            Pending::Move => {
                self.found(report, 1, out);
                out.push(self.answer(report));
            }
            Pending::Hint(count) => self.found(report, count, out),
            Pending::Game(retrograde) => {
                let (requests, pending) = self.analyzed(retrograde, report, out);
                self.pending = pending;
                return requests;
            }
        }
        out.push(WAITING.to_owned());
        Requests::new()
    }

    fn refuse(&mut self, reason: &str, out: &mut Vec<String>) {
        self.game.restore();
        out.push(format!("status Error: {}", shortened(reason)));
    }

    fn urgency(&self, _: &str) -> Urgency {
        Urgency::AtOnce
    }

    fn board(&self) -> &dyn AnyGame {
        match &self.pending {
            Pending::Game(retrograde) => &*retrograde.walk,
            _ => self.game.board.game(),
        }
    }
}

impl NBoardGame {
    /// The game of a record, at its end.
    fn read(text: &str) -> Result<NBoardGame, GgfError> {
        let record = ggf::read(text)?;
        let game = record.replay()?;
        let clocks = [Side::First, Side::Second].map(|side| record.time_left(side));
        let mut board = RetoldGame::position(&record.setup, record.stones, record.to_move)
            .map_err(GgfError::Setup)?;
        for (index, &action) in game.history().iter().enumerate() {
            let refused = |error| GgfError::Play(index + 1, error);
            board.play(action).map_err(refused)?;
        }
        Ok(NBoardGame { board, clocks })
    }

    /// What the side to move may use of its clock.
    fn grant(&self) -> Option<TimeControl> {
        let clock = self.clocks[self.board.game().side_to_move().index()]?;
        Some(TimeControl {
            left: Some(clock.time),
            increment: clock.increment,
            ..TimeControl::default()
        })
    }
}

/// A walk from the end of a game back to its start.
struct Retrograde {
    /// The position under analysis, with the moves that led to it.
    walk: Box<dyn AnyGame>,
    /// The moves taken back, the last of the game first.
    undone: Vec<Action>,
}

impl Retrograde {
    fn new(game: &dyn AnyGame) -> Retrograde {
        Retrograde {
            walk: game.clone_box(),
            undone: Vec::new(),
        }
    }

    /// What is told of the position under analysis.
    fn line(&self, for_black: f64) -> String {
        format!("analysis {} {for_black:.2}", self.walk.history().len())
    }

    /// Goes one move back; `None` at the start.
    fn step_back(&mut self) -> Option<Request> {
        self.undone.push(self.walk.undo().ok()?);
        Some(Request::Undo)
    }

    fn return_to_the_end(self) -> impl Iterator<Item = Request> {
        self.undone.into_iter().rev().map(Request::Play)
    }
}

/// The value for the side that plays, in discs, of an expected score.
fn value(score: f64, proof: Option<Proof>) -> f64 {
    match proof.map(|proof| proof.result) {
        Some(ProofResult::Win) => WON,
        Some(ProofResult::Draw) => 0.0,
        Some(ProofResult::Loss) => -WON,
        None => WON * (2.0 * score - 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> NBoard {
        NBoard::new(Defaults {
            setup: Setup::standard(GameKind::Reversi),
            time: TimeControl::default(),
            playouts: Some(100),
        })
        .unwrap()
    }

    /// What is answered when this is found, and that it is proven.
    fn found(protocol: &mut NBoard, result: ProofResult) -> Vec<String> {
        let action = Action::point(5, 4);
        let proof = Some(Proof { result, plies: 9 });
        let report = Report {
            proof,
            moves: vec![MoveReport {
                action,
                visits: 0,
                mean: 0.5,
                proof,
                score: None,
                pv: Vec::new(),
            }],
            ..Report::of_move(Some(action), 0.5)
        };
        let mut out = Vec::new();
        protocol.render(&Event::Best(report), &mut out);
        out
    }

    #[test]
    fn a_proven_result_is_told_as_such() {
        let (mut nboard, mut out) = (open(), Vec::new());
        for (result, value) in [
            (ProofResult::Win, "64.00"),
            (ProofResult::Draw, "0.00"),
            (ProofResult::Loss, "-64.00"),
        ] {
            nboard.feed("go", &mut out);
            let lines = found(&mut nboard, result);
            assert_eq!(lines[0], format!("search F5 {value} 0 100%W 0 playouts"));
            assert_eq!(lines[2], format!("=== F5/{value}/0.00"));
        }
    }

    #[test]
    fn nothing_waits_and_nothing_is_left_behind() {
        let found = Report::of_move(Some(Action::point(5, 5)), 0.5);
        let (info, best) = (Event::Info(found.clone()), Event::Best(found));
        // The analysis has found the last position and gone one move back.
        let again = Request::Play(Action::point(5, 4));
        for (line, event, expected) in [
            ("go", &info, vec![Request::Abort]),
            ("hint 2", &info, vec![Request::Abort]),
            ("analyze", &best, vec![Request::Abort, again]),
        ] {
            let (mut nboard, mut out) = (open(), Vec::new());
            nboard.feed("move F5", &mut out);
            let before = nboard.board().key();
            nboard.feed(line, &mut out);
            assert_eq!(nboard.urgency("set depth 3"), Urgency::AtOnce);
            assert!(nboard.feed("set depth 3", &mut out).is_empty(), "{line}");
            nboard.render(event, &mut out);
            assert_eq!(nboard.urgency("ping 1"), Urgency::AtOnce);
            out.clear();
            assert_eq!(nboard.feed("ping 1", &mut out).into_vec(), expected);
            assert_eq!(out, [WAITING, "pong 1"], "{line}");
            assert_eq!(nboard.board().key(), before, "{line}");
            out.clear();
            assert!(nboard.render(&best, &mut out).is_empty(), "{line}");
            assert!(nboard.feed("ping 2", &mut out).is_empty(), "{line}");
            assert_eq!(out, ["pong 2"], "{line}");
        }
    }

    #[test]
    fn the_playouts_of_the_command_line_limit_every_thinking() {
        let (mut nboard, mut out) = (open(), Vec::new());
        for (depth, expected) in [("set depth 4", 16), ("set depth 99999", 100)] {
            nboard.feed(depth, &mut out);
            for line in ["go", "hint 2", "analyze"] {
                let requests = nboard.feed(line, &mut out);
                let limited = matches!(requests.as_slice(), [.., Request::Think(Allowance { playouts, .. })] if *playouts == Some(expected));
                assert!(limited, "{depth}, {line}: {requests:?}");
            }
        }
    }
}
