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
//! - An analysis ends with any line, an empty one or a comment too. `lz-genmove_analyze` does
//!   not: it is answered like `genmove`.
//! - `rootInfo true` tells `playouts` beside `visits`, which count those of a kept tree too.

mod clock;
pub(crate) mod vertex;

use super::{Defaults, Protocol, Request, Requests, Urgency};
use crate::clock::TimeControl;
use crate::game::{Action, AnyGame, GameKind, PlayError, Setup, SetupError, Side, any};
use crate::search::Report;
use crate::session::Event;
use clock::{Clock, Terms};
use std::fmt;
use std::time::Duration;

/// Every command, as `list_commands` names them.
pub const COMMANDS: [&str; 31] = [
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
    "lz-analyze",
    "lz-genmove_analyze",
    "name",
    "play",
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

/// The games by the names that Quarry and GRhino have for them, or would have.
const GAMES: [(&str, GameKind); 3] = [
    ("Gomoku", GameKind::Gomoku),
    ("Othello", GameKind::Reversi),
    ("Connect4", GameKind::Connect4),
];

/// How often an analysis reports when it is not told. A guess at what people can follow.
const USUAL_INTERVAL: Duration = Duration::from_secs(1);

/// The clocks of `kata-time_settings`.
const CLOCKS: &str = "none absolute canadian fischer fischer-capped";

/// What GoGui shows in its menu of analyses: type, label and command.
const GOGUI_MENU: &str = "\
plist/Legal Moves/gogui-rules_legal_moves
string/Side to Move/gogui-rules_side_to_move
string/Final Result/gogui-rules_final_result";

/// A translator for one controller.
pub struct Gtp {
    defaults: Defaults,
    game: Box<dyn AnyGame>,
    /// The board, `plies` and the clock before the line fed last, if that line put up another board.
    before: Option<(Box<dyn AnyGame>, Vec<usize>, Clock)>,
    clock: Clock,
    /// How many plies each move of the controller made: mostly one, two if a pass was implied,
    /// none for a pass after the end.
    plies: Vec<usize>,
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
    /// `genmove`, after so many plies of implied pass. With an analysis, its `=` is written
    /// already.
    Move {
        implied: usize,
        analysis: Option<Analysis>,
    },
    /// `reg_genmove`.
    Opinion,
    Analysis(Analysis),
}

/// What a line of analysis tells.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Analysis {
    style: Style,
    /// The most moves.
    moves: usize,
    /// Whether it ends with what is known of all moves together.
    root: bool,
}

/// What follows the name of a command of analysis.
struct Parameters {
    side: Option<Side>,
    interval: Duration,
    analysis: Analysis,
}

/// How an analysis writes the win rate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Style {
    /// 0 to 10000.
    LeelaZero,
    /// 0 to 1.
    KataGo,
}

impl Style {
    fn win_rate(self, score: f64) -> String {
        match self {
            Style::LeelaZero => format!("{:.0}", 10_000.0 * score),
            Style::KataGo => format!("{score:.6}"),
        }
    }
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

/// Why a command fails, as the controller is told.
#[derive(Debug)]
enum Fault {
    UnknownCommand,
    Syntax(&'static str),
    IllegalMove,
    OutOfTurn(Side),
    Size(SetupError),
    Setup(SetupError),
    UnknownGame,
    CannotUndo,
    Over,
    NotOver,
    NoMove,
    /// The session's own words.
    Refused(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::UnknownCommand => f.write_str("unknown command"),
            Fault::Syntax(usage) => write!(f, "syntax error, expected: {usage}"),
            Fault::IllegalMove => f.write_str("illegal move"),
            Fault::OutOfTurn(side) => write!(f, "illegal move, {} is to move", colour(*side)),
            Fault::UnknownGame => f.write_str("unsupported game"),
            Fault::Size(error) => write!(f, "unacceptable size: {error}"),
            Fault::Setup(error) => error.fmt(f),
            Fault::CannotUndo => f.write_str("cannot undo"),
            Fault::Over => f.write_str("the game is over"),
            Fault::NotOver => f.write_str("the game is not over"),
            Fault::NoMove => f.write_str("there is no move"),
            Fault::Refused(reason) => f.write_str(reason),
        }
    }
}

impl From<PlayError> for Fault {
    fn from(error: PlayError) -> Fault {
        match error {
            PlayError::Illegal => Fault::IllegalMove,
            PlayError::Over => Fault::Over,
            PlayError::NothingToUndo => Fault::CannotUndo,
        }
    }
}

impl Gtp {
    /// A translator that begins with an empty board of `defaults.setup`.
    ///
    /// # Errors
    /// When the game is not played on that board, or the board has more than 25 columns or
    /// rows, which GTP cannot name.
    pub fn new(defaults: Defaults) -> Result<Gtp, SetupError> {
        Ok(Gtp {
            game: new_game(&defaults.setup)?,
            defaults,
            before: None,
            clock: Clock::default(),
            plies: Vec::new(),
            id: String::new(),
            pending: Pending::Nothing,
            interrupted: false,
        })
    }

    /// Does what a command says. Where it fails, nothing has changed.
    fn obey(&mut self, words: &[&str], requests: &mut Requests) -> Result<Reply, Fault> {
        match *words {
            ["quit", ..] => requests.push(Request::Quit),
            ["boardsize", ref sizes @ ..] => {
                let setup = self.sized(sizes)?;
                self.replace(new_game(&setup).map_err(Fault::Size)?, requests);
            }
            ["clear_board", ..] => {
                let setup = self.game.setup();
                self.replace(new_game(&setup).map_err(Fault::Setup)?, requests);
            }
            ["set_game", ref name @ ..] => {
                let setup = self.renamed(&name.join(" "))?;
                self.replace(new_game(&setup).map_err(Fault::Setup)?, requests);
            }
            ["komi", komi] if komi.parse().is_ok_and(f32::is_finite) => {}
            ["komi", ..] => return Err(Fault::Syntax("komi number")),
            ["play", side, vertex] => self.play(parse_colour(side)?, vertex, requests)?,
            ["play", ..] => return Err(Fault::Syntax("play colour vertex")),
            ["undo", ..] => self.undo(requests)?,
            ["time_settings", ref terms @ ..] => self.agree_on_time(terms)?,
            ["kata-time_settings", ref terms @ ..] => self.agree_on_clock(terms)?,
            ["time_left", ref left @ ..] => self.set_time_left(left)?,

            ["genmove", side] => return self.genmove(parse_colour(side)?, requests),
            ["genmove", ..] => return Err(Fault::Syntax("genmove colour")),
            ["reg_genmove", side] => return self.reg_genmove(parse_colour(side)?, requests),
            ["reg_genmove", ..] => return Err(Fault::Syntax("reg_genmove colour")),
            ["lz-analyze", ref rest @ ..] => {
                return self.analyze(Style::LeelaZero, rest, requests);
            }
            ["kata-analyze", ref rest @ ..] => return self.analyze(Style::KataGo, rest, requests),
            ["lz-genmove_analyze", ref rest @ ..] => {
                return self.genmove_analyze(Style::LeelaZero, rest, requests);
            }
            _ => return self.tell(words).map(Reply::Text),
        }
        Ok(Reply::Text(String::new()))
    }

    /// Answers the commands that only ask.
    fn tell(&self, words: &[&str]) -> Result<String, Fault> {
        let setup = self.game.setup();
        Ok(match *words {
            ["protocol_version", ..] => "2".to_owned(),
            ["name", ..] => "Tengen".to_owned(),
            ["version", ..] => env!("CARGO_PKG_VERSION").to_owned(),
            ["list_commands", ..] => COMMANDS.join("\n"),
            ["known_command", name] => COMMANDS.contains(&name).to_string(),
            ["known_command", ..] => return Err(Fault::Syntax("known_command name")),
            ["list_games", ..] => GAMES.map(|(name, _)| name).join("\n"),
            ["kata-list_time_settings", ..] => CLOCKS.to_owned(),
            ["showboard", ..] => vertex::draw(&*self.game),
            ["final_score", ..] => self.final_score()?,

            ["gogui-analyze_commands", ..] => GOGUI_MENU.to_owned(),
            ["gogui-rules_game_id", ..] => setup.game.name().to_owned(),
            ["gogui-rules_board", ..] => vertex::draw_square(&*self.game),
            ["gogui-rules_board_size", ..] => vertex::square(&setup).to_string(),
            ["gogui-rules_legal_moves", ..] => self.legal_moves(),
            ["gogui-rules_side_to_move", ..] => colour(self.game.side_to_move()).to_owned(),
            ["gogui-rules_final_result", ..] => self.final_result()?,
            _ => return Err(Fault::UnknownCommand),
        })
    }

    fn agree_on_time(&mut self, words: &[&str]) -> Result<(), Fault> {
        let usage = || Fault::Syntax("time_settings main period stones");
        let &[main, period, stones] = words else {
            return Err(usage());
        };
        let main = parse_term(main).ok_or_else(usage)?;
        let period = parse_term(period).ok_or_else(usage)?;
        let stones = stones.parse().map_err(|_| usage())?;
        self.clock.agree(Terms::canadian(main, period, stones));
        Ok(())
    }

    /// `kata-time_settings`: KataGo's commands for the clocks that Go does not have. Less than
    /// no time for a cap means no cap.
    fn agree_on_clock(&mut self, words: &[&str]) -> Result<(), Fault> {
        const USAGE: Fault = Fault::Syntax(
            "kata-time_settings none, absolute main, canadian main period stones, \
             fischer main increment, or fischer-capped main increment limit per-move",
        );
        let seconds = |text: &str| parse_term(text).ok_or(USAGE);
        let cap = |text: &str| match text.starts_with('-') {
            true => Ok(None),
            false => seconds(text).map(Some),
        };
        let terms = match *words {
            ["none"] => None,
            ["absolute", main] => Terms::canadian(seconds(main)?, Duration::ZERO, 0),
            ["canadian", main, period, stones] => {
                let stones = stones.parse().map_err(|_| USAGE)?;
                Terms::canadian(seconds(main)?, seconds(period)?, stones)
            }
            ["fischer", main, increment] => {
                Some(Terms::fischer(seconds(main)?, seconds(increment)?))
            }
            ["fischer-capped", main, increment, limit, per_move] => Some(Terms {
                most_left: cap(limit)?,
                per_move: cap(per_move)?,
                ..Terms::fischer(seconds(main)?, seconds(increment)?)
            }),
            _ => return Err(USAGE),
        };
        self.clock.agree(terms);
        Ok(())
    }

    fn set_time_left(&mut self, words: &[&str]) -> Result<(), Fault> {
        let usage = || Fault::Syntax("time_left colour time stones");
        let &[side, time, stones] = words else {
            return Err(usage());
        };
        let side = parse_colour(side)?;
        let time = parse_seconds(time).ok_or_else(usage)?;
        let stones = stones.parse().map_err(|_| usage())?;
        self.clock.set_left(side, time, stones);
        Ok(())
    }

    /// The setup that `boardsize` asks for.
    fn sized(&self, sizes: &[&str]) -> Result<Setup, Fault> {
        const USAGE: Fault = Fault::Syntax("boardsize size, or boardsize columns rows");
        // No board has as many as 255, so more are refused as those are.
        let fitted = |number: u64| u8::try_from(number).unwrap_or(u8::MAX);
        let parse = |text: &str| text.parse().map(fitted).map_err(|_| USAGE);
        let setup = self.game.setup();
        match *sizes {
            [size] => {
                let size = parse(size)?;
                let fits = size == vertex::square(&setup);
                Ok(if fits {
                    setup
                } else {
                    setup.with_size(size, size)
                })
            }
            [cols, rows] => Ok(setup.with_size(parse(cols)?, parse(rows)?)),
            _ => Err(USAGE),
        }
    }

    /// The setup of a game by its name. The game being played keeps its board.
    fn renamed(&self, name: &str) -> Result<Setup, Fault> {
        let setup = self.game.setup();
        let names = GAMES.into_iter().chain([("Reversi", GameKind::Reversi)]);
        let mut kinds = names.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        match kinds.next() {
            Some((_, kind)) if kind == setup.game => Ok(setup),
            Some((_, kind)) => Ok(Setup::standard(kind)),
            None => Err(Fault::UnknownGame),
        }
    }

    /// Puts up a new game.
    fn replace(&mut self, game: Box<dyn AnyGame>, requests: &mut Requests) {
        requests.push(Request::NewGame(game.setup()));
        let game = std::mem::replace(&mut self.game, game);
        let plies = std::mem::take(&mut self.plies);
        self.before = Some((game, plies, self.clock.clone()));
        self.clock.restart();
    }

    fn play(&mut self, side: Side, text: &str, requests: &mut Requests) -> Result<(), Fault> {
        let action = vertex::parse(&self.game.setup(), text).ok_or(Fault::IllegalMove)?;
        if self.game.outcome().is_some() {
            if action != Action::Pass {
                return Err(Fault::Over);
            }
            self.plies.push(0);
            return Ok(());
        }
        let implied = self.pass_for_other(side)?;
        if let Err(error) = self.game.play(action) {
            self.take_back(implied)?;
            return Err(error.into());
        }
        requests.extend((0..implied).map(|_| Request::Play(Action::Pass)));
        requests.push(Request::Play(action));
        self.plies.push(implied + 1);
        Ok(())
    }

    /// Makes it the turn of `side`, by a forced pass if need be. Returns how many plies that
    /// took.
    fn pass_for_other(&mut self, side: Side) -> Result<usize, Fault> {
        let to_move = self.game.side_to_move();
        if side == to_move {
            return Ok(0);
        }
        let must_pass = self.game.is_legal(Action::Pass);
        if !must_pass || self.game.play(Action::Pass).is_err() {
            return Err(Fault::OutOfTurn(to_move));
        }
        Ok(1)
    }

    fn take_back(&mut self, plies: usize) -> Result<(), PlayError> {
        (0..plies).try_for_each(|_| self.game.undo().map(drop))
    }

    fn undo(&mut self, requests: &mut Requests) -> Result<(), Fault> {
        let plies = self.plies.pop().ok_or(Fault::CannotUndo)?;
        self.take_back(plies)?;
        requests.extend((0..plies).map(|_| Request::Undo));
        Ok(())
    }

    fn genmove(&mut self, side: Side, requests: &mut Requests) -> Result<Reply, Fault> {
        if self.pass_after_the_end() {
            return Ok(Reply::Text("pass".to_owned()));
        }
        self.think_of_move(side, None, None, requests)?;
        Ok(Reply::Later)
    }

    /// `lz-genmove_analyze [colour] [interval] [key value]…`: a `genmove` that tells what it
    /// finds on the way, and once more at the end.
    fn genmove_analyze(
        &mut self,
        style: Style,
        words: &[&str],
        requests: &mut Requests,
    ) -> Result<Reply, Fault> {
        let parameters = parse_parameters(style, words)?;
        if self.pass_after_the_end() {
            return Ok(Reply::Text("\nplay pass".to_owned()));
        }
        let side = parameters.side.unwrap_or(self.game.side_to_move());
        let interval = Some(parameters.interval);
        self.think_of_move(side, Some(parameters.analysis), interval, requests)?;
        Ok(Reply::Stream)
    }

    /// Whether the game is over, so that the move asked for is a pass that counts for nothing.
    fn pass_after_the_end(&mut self) -> bool {
        let over = self.game.outcome().is_some();
        if over {
            self.plies.push(0);
        }
        over
    }

    fn think_of_move(
        &mut self,
        side: Side,
        analysis: Option<Analysis>,
        report_every: Option<Duration>,
        requests: &mut Requests,
    ) -> Result<(), Fault> {
        let implied = self.pass_for_other(side)?;
        requests.extend((0..implied).map(|_| Request::Play(Action::Pass)));
        requests.push(self.think(self.time(side), report_every));
        self.pending = Pending::Move { implied, analysis };
        Ok(())
    }

    fn reg_genmove(&mut self, side: Side, requests: &mut Requests) -> Result<Reply, Fault> {
        if self.game.outcome().is_some() {
            return Ok(Reply::Text("pass".to_owned()));
        }
        self.check_turn(side)?;
        requests.push(self.think(self.time(side), None));
        self.pending = Pending::Opinion;
        Ok(Reply::Later)
    }

    /// `lz-analyze [colour] [interval] [key value]…`.
    fn analyze(
        &mut self,
        style: Style,
        words: &[&str],
        requests: &mut Requests,
    ) -> Result<Reply, Fault> {
        let parameters = parse_parameters(style, words)?;
        if let Some(side) = parameters.side {
            self.check_turn(side)?;
        }
        if self.game.outcome().is_some() {
            return Err(Fault::Over);
        }
        requests.push(self.think(TimeControl::default(), Some(parameters.interval)));
        self.pending = Pending::Analysis(parameters.analysis);
        Ok(Reply::Stream)
    }

    fn check_turn(&self, side: Side) -> Result<(), Fault> {
        let to_move = self.game.side_to_move();
        if side == to_move {
            Ok(())
        } else {
            Err(Fault::OutOfTurn(to_move))
        }
    }

    fn time(&self, side: Side) -> TimeControl {
        self.clock.grant(side).unwrap_or(self.defaults.time)
    }

    fn think(&self, time: TimeControl, report_every: Option<Duration>) -> Request {
        Request::Think {
            time,
            playouts: self.defaults.playouts,
            report_every,
        }
    }

    /// The answer to `genmove`: plays the move.
    fn make_move(
        &mut self,
        report: &Report,
        implied: usize,
        requests: &mut Requests,
    ) -> Result<String, Fault> {
        let action = report.best.ok_or(Fault::NoMove)?;
        let text = vertex::write(&*self.game, action);
        let side = self.game.side_to_move();
        self.game.play(action)?;
        self.clock.spend(side, report.elapsed);
        self.plies.push(implied + 1);
        requests.push(Request::Play(action));
        Ok(text)
    }

    fn opinion(&self, report: &Report) -> Result<String, Fault> {
        let action = report.best.ok_or(Fault::NoMove)?;
        Ok(vertex::write(&*self.game, action))
    }

    /// One line about the moves that were looked at.
    fn analysis(&self, analysis: Analysis, report: &Report) -> Option<String> {
        let moves = report.known_moves().take(analysis.moves);
        let mut texts: Vec<String> = moves
            .enumerate()
            .map(|(order, mv)| {
                format!(
                    "info move {} visits {} winrate {} order {order} pv {}",
                    vertex::write(&*self.game, mv.action),
                    mv.visits,
                    analysis.style.win_rate(mv.mean),
                    vertex::write_line(&*self.game, &mv.pv).join(" ")
                )
            })
            .collect();
        if texts.is_empty() {
            return None;
        }
        if analysis.root {
            texts.push(format!(
                "rootInfo visits {} winrate {} playouts {}",
                report.visits,
                analysis.style.win_rate(report.value),
                report.playouts
            ));
        }
        Some(texts.join(" "))
    }

    fn legal_moves(&self) -> String {
        let actions = self.game.legal_actions();
        let texts: Vec<String> = actions
            .into_iter()
            .map(|action| vertex::write(&*self.game, action))
            .collect();
        texts.join(" ")
    }

    /// `B+12`, `W+1` or `0`.
    fn final_score(&self) -> Result<String, Fault> {
        let outcome = self.game.outcome().ok_or(Fault::NotOver)?;
        Ok(match outcome.winner() {
            None => "0".to_owned(),
            Some(Side::First) => format!("B+{}", outcome.margin(Side::First)),
            Some(Side::Second) => format!("W+{}", outcome.margin(Side::Second)),
        })
    }

    /// The result as GoGui shows it to people.
    fn final_result(&self) -> Result<String, Fault> {
        let outcome = self.game.outcome().ok_or(Fault::NotOver)?;
        let Some(winner) = outcome.winner() else {
            return Ok("draw".to_owned());
        };
        Ok(match self.game.setup().game {
            GameKind::Reversi => format!("{} wins by {}", colour(winner), outcome.margin(winner)),
            GameKind::Gomoku | GameKind::Connect4 => format!("{} wins", colour(winner)),
        })
    }

    /// A whole response, which an empty line ends.
    fn respond(&self, answer: Result<String, Fault>, out: &mut Vec<String>) {
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
        self.before = None;
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

    fn render(&mut self, event: &Event, out: &mut Vec<String>) -> Requests {
        let mut requests = Requests::new();
        let (Event::Info(report) | Event::Best(report)) = event;
        let analysis = match self.pending {
            Pending::Analysis(analysis) => Some(analysis),
            Pending::Move { analysis, .. } => analysis,
            Pending::Nothing | Pending::Opinion => None,
        };
        out.extend(analysis.and_then(|analysis| self.analysis(analysis, report)));
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
            Pending::Nothing | Pending::Analysis(_) => return requests,
        };
        self.respond(answer, out);
        requests
    }

    fn refuse(&mut self, reason: &str, out: &mut Vec<String>) {
        if self.interrupted {
            out.push(String::new());
        }
        if let Some((game, plies, clock)) = self.before.take() {
            self.game = game;
            self.plies = plies;
            self.clock = clock;
        }
        self.respond(Err(Fault::Refused(reason.to_owned())), out);
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
        &*self.game
    }
}

/// A new game on a board that vertices can name.
fn new_game(setup: &Setup) -> Result<Box<dyn AnyGame>, SetupError> {
    if vertex::square(setup) > vertex::LARGEST {
        return Err(SetupError::Size(
            "GTP boards have at most 25 columns and rows",
        ));
    }
    any::new_game(setup)
}

/// The line without its comment and control characters, as GTP demands before it is read.
fn clean(line: &str) -> String {
    let end = line.find('#').unwrap_or(line.len());
    line[..end]
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| !c.is_control())
        .collect()
}

/// The id, empty if there is none, and the words of the command.
fn split(line: &str) -> (&str, Vec<&str>) {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    match words.first() {
        Some(&id) if id.bytes().all(|byte| byte.is_ascii_digit()) => {
            words.remove(0);
            (id, words)
        }
        _ => ("", words),
    }
}

fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "black",
        Side::Second => "white",
    }
}

fn parse_colour(text: &str) -> Result<Side, Fault> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::First),
        "w" | "white" => Ok(Side::Second),
        _ => Err(Fault::Syntax("black or white")),
    }
}

/// Seconds, whole or with a fraction; less than none is none. `None`: not a time.
fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    let seconds = if seconds < 0.0 { 0.0 } else { seconds };
    Duration::try_from_secs_f64(seconds).ok()
}

/// A time that is agreed on, which is never less than none.
fn parse_term(text: &str) -> Option<Duration> {
    parse_seconds(text).filter(|_| !text.starts_with('-'))
}

/// Reads `[colour] [interval] [key value]…`, the interval in hundredths of a second. Keys that
/// mean nothing here are passed over.
fn parse_parameters(style: Style, words: &[&str]) -> Result<Parameters, Fault> {
    let mut parameters = Parameters {
        side: None,
        interval: USUAL_INTERVAL,
        analysis: Analysis {
            style,
            moves: usize::MAX,
            root: false,
        },
    };
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if let Ok(side) = parse_colour(word) {
            parameters.side = Some(side);
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            parameters.interval = parse_interval(word)?;
        } else {
            let value = words.next().unwrap_or_default();
            match word {
                "interval" => parameters.interval = parse_interval(value)?,
                "maxmoves" => {
                    let moves = value.parse();
                    parameters.analysis.moves =
                        moves.map_err(|_| Fault::Syntax("maxmoves number"))?;
                }
                "rootInfo" => parameters.analysis.root = value == "true",
                _ => {}
            }
        }
    }
    Ok(parameters)
}

/// The interval of an analysis, at least a hundredth of a second.
fn parse_interval(text: &str) -> Result<Duration, Fault> {
    let hundredths: u32 = text
        .parse()
        .map_err(|_| Fault::Syntax("an interval in hundredths of a second"))?;
    Ok(Duration::from_millis(10 * u64::from(hundredths.max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let clock = gtp.clock.clone();
        gtp.feed("lz-analyze 10", &mut out);
        gtp.feed("boardsize 20", &mut out);
        assert_ne!(gtp.clock, clock);
        out.clear();
        gtp.refuse("too large", &mut out);
        assert_eq!(out, ["", "? too large", ""]);
        assert_eq!(gtp.board().setup().cols, 15);
        assert_eq!(gtp.clock, clock);
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
    fn what_is_no_number_is_no_time() {
        for (text, time) in [
            ("1.5", Some(Duration::from_millis(1500))),
            ("-3", Some(Duration::ZERO)),
            ("nan", None),
            ("inf", None),
            ("1e30", None),
            ("soon", None),
        ] {
            assert_eq!(parse_seconds(text), time, "{text}");
        }
        for (text, time) in [("0.5", Some(Duration::from_millis(500))), ("-3", None)] {
            assert_eq!(parse_term(text), time, "{text}");
        }
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
            let limited = matches!(requests.as_slice(), [.., Request::Think { playouts, .. }] if *playouts == Some(1));
            assert!(limited, "{line}");
        }
    }
}
