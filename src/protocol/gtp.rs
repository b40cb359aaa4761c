//! The Go Text Protocol, version 2, for all games, with GoGui's rules extension and the
//! analysis that GTP boards draw.
//!
//! Black is the first side. Sources: "Specification of the Go Text Protocol, version 2, draft 2"
//! by Farnebäck; GoGui's manual, "Rules"; KataGo's `docs/GTP_Extensions.md` for the analysis and
//! the clocks that Go does not have.
//! `protocol.md` shows every command at work. Where those leave a choice:
//!
//! - The game is that of the command line; `boardsize` changes the size. One number asks for a
//!   square, but a board that fits into just this square stays, because GoGui knows only square
//!   boards and asks so for the one that it was told of.
//! - A move out of turn is refused, unless the side whose turn it is has to pass. Such a pass
//!   may be sent or left out: GRhino 0.16.1 passes by itself and does not even read `pass`.
//! - After the end `genmove` answers `pass` and `play` takes a pass, for controllers made for
//!   Go go on until both sides pass. Such passes are counted, so that `undo` takes them back.
//! - `komi` is accepted and means nothing.
//! - `loadsgf` reads every format that [`crate::game::files`] does, of the game being played, on the board of the file. A
//!   move number counts forced passes, and one beyond the last means the end. `printsgf` is an extension of
//!   GNU Go's that KataGo has too, with the moves of the game as there.
//! - An analysis ends with any line, an empty one or a comment too. `lz-genmove_analyze` does
//!   not: it is answered like `genmove`.
//! - `rootInfo true` tells `playouts` beside `visits`, which count those of a kept tree too, and
//!   the `depth` of the tree.

mod analysis;
mod clock;
mod error;
mod game;
mod questions;
mod record;
mod time;
pub(crate) mod vertex;
mod words;

use super::tentative::Tentative;
use super::{Defaults, Protocol, Request, Requests, Urgency};
use crate::clock::TimeControl;
use crate::game::{Action, AnyGame, Setup, SetupError, Side};
use crate::search::Report;
use crate::session::{Allowance, Event};
use analysis::{Analysis, Parameters, Style};
use clock::GtpClock;
use error::GtpError;
use game::GtpGame;
use std::time::Duration;
use words::{clean, parse_colour, split};

/// Every command, as `list_commands` names them.
pub const COMMANDS: [&str; 33] = [
    "boardsize",
    "clear_board",
    "final_score",
    "genmove",
    "gogui-analyze_commands",
    "gogui-rules_board",
    "gogui-rules_board_size",
    "gogui-rules_final_result",
    "gogui-rules_game_id",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
    "kata-analyze",
    "kata-list_time_settings",
    "kata-time_settings",
    "known_command",
    "komi",
    "list_commands",
    "list_games",
    "loadsgf",
    "lz-analyze",
    "lz-genmove_analyze",
    "name",
    "play",
    "printsgf",
    "protocol_version",
    "quit",
    "reg_genmove",
    "set_game",
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
];

/// A translator for one controller.
pub struct Gtp {
    defaults: Defaults,
    game: Tentative<GtpGame>,
    /// The id of the line fed last, as text; empty if it had none.
    id: String,
    pending: Pending,
    /// The line fed last ended an analysis.
    interrupted: bool,
}

/// What the session is thinking about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pending {
    Nothing,
    /// `genmove`, after `implied` forced passes. With an analysis, its `=` is written already.
    Move {
        implied: usize,
        analysis: Option<Analysis>,
    },
    /// `reg_genmove`.
    Opinion,
    /// `loadsgf`, up to so many moves: it is the file that is waited for.
    File(usize),
    Analysis(Analysis),
}

/// What a command is answered with.
enum Reply {
    /// This text, which may be empty or have several lines.
    Text(String),
    /// Nothing before the thinking has ended.
    Later,
    /// Lines that come while the thinking goes on.
    Stream,
}

impl Gtp {
    /// A translator that begins with an empty board of `defaults.setup`.
    ///
    /// # Errors
    /// When the game is not played on that board, or the board has more than 25 columns or
    /// rows, which GTP cannot name.
    pub fn new(defaults: Defaults) -> Result<Gtp, SetupError> {
        Ok(Gtp {
            game: Tentative::new(GtpGame::new(&defaults.setup, GtpClock::default())?),
            defaults,
            id: String::new(),
            pending: Pending::Nothing,
            interrupted: false,
        })
    }

    /// Does what a command says. Where it fails, nothing has changed.
    fn obey(&mut self, words: &[&str], requests: &mut Requests) -> Result<Reply, GtpError> {
        match *words {
            ["quit", ..] => requests.push(Request::Quit),
            ["boardsize", ref sizes @ ..] => {
                let setup = self.game.sized(sizes)?;
                self.begin(&setup, requests).map_err(GtpError::Size)?;
            }
            ["clear_board", ..] => {
                let setup = self.game.board.setup();
                self.begin(&setup, requests).map_err(GtpError::Setup)?;
            }
            ["set_game", ref name @ ..] => {
                let setup = self.game.renamed(&name.join(" "))?;
                self.begin(&setup, requests).map_err(GtpError::Setup)?;
            }
            ["komi", komi] if komi.parse().is_ok_and(f32::is_finite) => {}
            ["komi", ..] => return Err(GtpError::Syntax("komi number")),
            ["play", side, vertex] => self.game.play(parse_colour(side)?, vertex, requests)?,
            ["play", ..] => return Err(GtpError::Syntax("play colour vertex")),
            ["undo", ..] => self.game.undo(requests)?,
            ["loadsgf", ref words @ ..] => return self.load(words, requests),
            ["printsgf", ref path @ ..] => return self.print(path, requests).map(Reply::Text),
            ["time_settings", ref terms @ ..] => time::agree_on_time(&mut self.game.clock, terms)?,
            ["kata-time_settings", ref terms @ ..] => {
                time::agree_on_clock(&mut self.game.clock, terms)?
            }
            ["time_left", ref left @ ..] => time::set_time_left(&mut self.game.clock, left)?,

            ["genmove", side] => return self.genmove(parse_colour(side)?, requests),
            ["genmove", ..] => return Err(GtpError::Syntax("genmove colour")),
            ["reg_genmove", side] => return self.reg_genmove(parse_colour(side)?, requests),
            ["reg_genmove", ..] => return Err(GtpError::Syntax("reg_genmove colour")),
            ["lz-analyze", ref rest @ ..] => {
                return self.analyze(&Parameters::read(Style::LeelaZero, rest)?, requests);
            }
            ["kata-analyze", ref rest @ ..] => {
                return self.analyze(&Parameters::read(Style::KataGo, rest)?, requests);
            }
            ["lz-genmove_analyze", ref rest @ ..] => {
                return self.genmove_analyze(&Parameters::read(Style::LeelaZero, rest)?, requests);
            }
            _ => return self.tell(words).map(Reply::Text),
        }
        Ok(Reply::Text(String::new()))
    }

    /// Puts up a new game.
    fn begin(&mut self, setup: &Setup, requests: &mut Requests) -> Result<(), SetupError> {
        let next = GtpGame::new(setup, self.game.clock.clone())?;
        self.game.replace(next);
        requests.push(Request::NewGame(*setup));
        Ok(())
    }

    fn genmove(&mut self, side: Side, requests: &mut Requests) -> Result<Reply, GtpError> {
        if self.game.pass_after_the_end() {
            return Ok(Reply::Text("pass".to_owned()));
        }
        self.think_of_move(side, None, None, requests)?;
        Ok(Reply::Later)
    }

    /// `lz-genmove_analyze [colour] [interval] [key value]…`: a `genmove` that tells what it
    /// finds on the way, and once more at the end.
    fn genmove_analyze(
        &mut self,
        parameters: &Parameters,
        requests: &mut Requests,
    ) -> Result<Reply, GtpError> {
        if self.game.pass_after_the_end() {
            return Ok(Reply::Text("\nplay pass".to_owned()));
        }
        let side = parameters.side.unwrap_or(self.game.side_to_move());
        let interval = Some(parameters.interval);
        self.think_of_move(side, Some(parameters.analysis), interval, requests)?;
        Ok(Reply::Stream)
    }

    fn think_of_move(
        &mut self,
        side: Side,
        analysis: Option<Analysis>,
        report_every: Option<Duration>,
        requests: &mut Requests,
    ) -> Result<(), GtpError> {
        let implied = self.game.pass_for_other(side)?;
        requests.extend((0..implied).map(|_| Request::Play(Action::Pass)));
        requests.push(self.think(self.time(side), report_every));
        self.pending = Pending::Move { implied, analysis };
        Ok(())
    }

    fn reg_genmove(&mut self, side: Side, requests: &mut Requests) -> Result<Reply, GtpError> {
        if self.game.is_over() {
            return Ok(Reply::Text("pass".to_owned()));
        }
        self.game.check_turn(side)?;
        requests.push(self.think(self.time(side), None));
        self.pending = Pending::Opinion;
        Ok(Reply::Later)
    }

    /// `lz-analyze [colour] [interval] [key value]…`.
    fn analyze(
        &mut self,
        parameters: &Parameters,
        requests: &mut Requests,
    ) -> Result<Reply, GtpError> {
        if let Some(side) = parameters.side {
            self.game.check_turn(side)?;
        }
        if self.game.is_over() {
            return Err(GtpError::Over);
        }
        requests.push(self.think(TimeControl::default(), Some(parameters.interval)));
        self.pending = Pending::Analysis(parameters.analysis);
        Ok(Reply::Stream)
    }

    fn time(&self, side: Side) -> TimeControl {
        self.game.clock.grant(side).unwrap_or(self.defaults.time)
    }

    fn think(&self, time: TimeControl, report_every: Option<Duration>) -> Request {
        Request::Think(Allowance {
            time,
            playouts: self.defaults.playouts,
            report_every,
        })
    }

    /// The answer to `genmove`: plays the move, or takes back the passes before it where there is none.
    fn make_move(
        &mut self,
        report: &Report,
        implied: usize,
        requests: &mut Requests,
    ) -> Result<String, GtpError> {
        match self.play_best(report, implied) {
            Ok((action, text)) => {
                requests.push(Request::Play(action));
                Ok(text)
            }
            Err(fault) => {
                self.game.take_back(implied, requests)?;
                Err(fault)
            }
        }
    }

    fn play_best(&mut self, report: &Report, implied: usize) -> Result<(Action, String), GtpError> {
        let action = report.best.ok_or(GtpError::NoMove)?;
        let text = vertex::write(&*self.game.board, action);
        self.game.make_move(action, implied, report.elapsed)?;
        Ok((action, text))
    }

    fn opinion(&self, report: &Report) -> Result<String, GtpError> {
        let action = report.best.ok_or(GtpError::NoMove)?;
        Ok(vertex::write(&*self.game.board, action))
    }

    /// A whole response, which an empty line ends.
    fn respond(&self, answer: Result<String, GtpError>, out: &mut Vec<String>) {
        let (sign, text) = match answer {
            Ok(text) => ('=', text),
            Err(fault) => ('?', fault.to_string()),
        };
        let space = if text.is_empty() || text.starts_with('\n') {
            ""
        } else {
            " "
        };
        let response = format!("{sign}{}{space}{text}", self.id);
        out.extend(response.lines().map(str::to_owned));
        out.push(String::new());
    }
}

impl Protocol for Gtp {
    fn feed(&mut self, line: &str, out: &mut Vec<String>) -> Requests {
        let mut requests = Requests::new();
        self.game.settle();
        self.interrupted = matches!(self.pending, Pending::Analysis(_));
        self.pending = Pending::Nothing;
        if self.interrupted {
            out.push(String::new());
            requests.push(Request::Abort);
        }
        let line = clean(line);
        let (id, words) = split(&line);
        if id.is_empty() && words.is_empty() {
            return requests;
        }
        self.id = id.to_owned();
        match self.obey(&words, &mut requests) {
            Ok(Reply::Text(text)) => self.respond(Ok(text), out),
            Ok(Reply::Stream) => out.push(format!("={}", self.id)),
            Ok(Reply::Later) => {}
            Err(fault) => self.respond(Err(fault), out),
        }
        requests
    }

    fn hear_file(&mut self, text: Result<String, String>, out: &mut Vec<String>) -> Requests {
        let Pending::File(moves) = std::mem::replace(&mut self.pending, Pending::Nothing) else {
            return Requests::new();
        };
        let put_up = text.map_err(GtpError::Load).and_then(|text| {
            let put_up = self.put_up(&text, moves);
            put_up.map_err(|error| GtpError::Load(error.to_string()))
        });
        let (answer, requests) = match put_up {
            Ok(requests) => (Ok(String::new()), requests),
            Err(error) => (Err(error), Requests::new()),
        };
        self.respond(answer, out);
        requests
    }

    fn render(&mut self, event: &Event, out: &mut Vec<String>) -> Requests {
        let mut requests = Requests::new();
        let (Event::Info(report) | Event::Best(report)) = event;
        let analysis = match self.pending {
            Pending::Analysis(analysis) => Some(analysis),
            Pending::Move { analysis, .. } => analysis,
            Pending::Nothing | Pending::Opinion | Pending::File(_) => None,
        };
        out.extend(analysis.and_then(|analysis| analysis.line(&*self.game.board, report)));
        if matches!(event, Event::Info(_)) || matches!(self.pending, Pending::Analysis(_)) {
            return requests;
        }
        let answer = match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Move { implied, analysis } => {
                let answer = self.make_move(report, implied, &mut requests);
                if analysis.is_some() {
                    // The answer was begun as one of success.
                    let text = answer.unwrap_or_else(|_| "resign".to_owned());
                    out.extend([format!("play {text}"), String::new()]);
                    return requests;
                }
                answer
            }
            Pending::Opinion => self.opinion(report),
            Pending::Nothing | Pending::File(_) | Pending::Analysis(_) => return requests,
        };
        self.respond(answer, out);
        requests
    }

    fn refuse(&mut self, reason: &str, out: &mut Vec<String>) {
        if self.interrupted {
            out.push(String::new());
        }
        self.game.restore();
        self.respond(Err(GtpError::Refused(reason.to_owned())), out);
    }

    fn urgency(&self, line: &str) -> Urgency {
        if matches!(self.pending, Pending::Analysis(_)) {
            return Urgency::AtOnce;
        }
        match split(&clean(line)).1.first() {
            Some(&"quit") => Urgency::Last,
            _ => Urgency::InTurn,
        }
    }

    fn is_open_ended(&self) -> bool {
        matches!(self.pending, Pending::Analysis(_))
    }

    fn end(&mut self, out: &mut Vec<String>) {
        // Nobody is left to interrupt an analysis.
        if matches!(self.pending, Pending::Analysis(_)) {
            out.push(String::new());
        }
    }

    fn board(&self) -> &dyn AnyGame {
        &*self.game.board
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameKind;

    fn open() -> Gtp {
        let playouts = Some(1);
        let setup = Setup::standard(GameKind::Gomoku);
        let time = TimeControl::default();
        Gtp::new(Defaults {
            setup,
            time,
            playouts,
        })
        .unwrap()
    }

    #[test]
    fn only_an_analysis_is_interrupted() {
        let (mut gtp, mut out) = (open(), Vec::new());
        gtp.feed("genmove b", &mut out);
        assert_eq!(gtp.urgency("showboard"), Urgency::InTurn);
        assert_eq!(gtp.urgency("7 quit # now"), Urgency::Last);
        gtp.feed("lz-analyze 10", &mut out);
        assert_eq!(gtp.urgency("showboard"), Urgency::AtOnce);
        assert_eq!(gtp.urgency(""), Urgency::AtOnce);
        gtp.feed("", &mut out);
        assert_eq!(gtp.urgency("showboard"), Urgency::InTurn);
    }

    #[test]
    fn a_game_that_is_refused_leaves_the_old_one() {
        let (mut gtp, mut out) = (open(), Vec::new());
        gtp.feed("play b h8", &mut out);
        gtp.feed("time_settings 300 0 0", &mut out);
        gtp.feed("time_left b 1 0", &mut out);
        let clock = gtp.game.clock.clone();
        gtp.feed("lz-analyze 10", &mut out);
        gtp.feed("boardsize 20", &mut out);
        assert_ne!(gtp.game.clock, clock);
        out.clear();
        gtp.refuse("too large", &mut out);
        assert_eq!(out, ["", "? too large", ""]);
        assert_eq!(gtp.board().setup().cols, 15);
        assert_eq!(gtp.game.clock, clock);
        out.clear();
        gtp.feed("undo", &mut out);
        assert_eq!(out, ["=", ""]);
    }

    #[test]
    fn a_size_is_refused_as_one_however_large() {
        let (mut gtp, mut out) = (open(), Vec::new());
        for size in ["26", "255", "271", "1000000000000"] {
            out.clear();
            gtp.feed(&format!("boardsize {size}"), &mut out);
            assert!(out[0].starts_with("? unacceptable size"), "{size}: {out:?}");
        }
    }

    #[test]
    fn a_komi_is_a_number() {
        let (mut gtp, mut out) = (open(), Vec::new());
        gtp.feed("komi nan", &mut out);
        gtp.feed("komi -6.5", &mut out);
        assert!(out[0].starts_with('?') && out[2] == "=", "{out:?}");
    }

    #[test]
    fn the_playouts_of_the_command_line_limit_every_thinking() {
        let (mut gtp, mut out) = (open(), Vec::new());
        for line in ["genmove b", "reg_genmove b", "lz-analyze 10"] {
            let requests = gtp.feed(line, &mut out);
            let limited = matches!(requests.as_slice(), [.., Request::Think(Allowance { playouts, .. })] if *playouts == Some(1));
            assert!(limited, "{line}");
        }
    }
}
