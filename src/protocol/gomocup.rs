//! The Gomocup protocol, which Piskvork and the Gomoku tournaments speak.
//!
//! One command a line, points as `x,y` from 0 at the top left, any case. Source: "Gomoku AI
//! protocol" by Plastovicka (`Gomocup/GomocupJudge`, `doc/GomocupProtocol.md`); `protocol.md`
//! shows every command at work. Where that document leaves a choice:
//!
//! - `START` is answered by `OK` and nothing else, for two managers compare the whole line.
//! - There is a board from the beginning, that of the command line, so `START` may be missing.
//! - `INFO` is never answered, for managers do not read then. What Tengen cannot do (renju, say)
//!   is told as `ERROR` by every later command that would play on, until an `INFO` of the same
//!   key is better. That is what the document asks for.
//! - A `TURN` that ends the game leaves no move to answer with. It gets `ERROR` and is not
//!   played. Managers see the end themselves and do not send it.
//! - `BOARD` is all or nothing: one `ERROR` for the first bad line, and nothing for the rest of
//!   it. A half `BOARD` followed by another command is forgotten.
//! - In `BOARD` the stones may come in any order. Tengen is to move; it is the second side if
//!   the opponent has more stones, else the first, even where no game leads to such numbers.
//! - A continuous game (rule bit 2) is taken for a single one: it ends with the first five.

use super::{Defaults, OnEof, Protocol, Request, Requests, Urgency};
use crate::clock::TimeControl;
use crate::game::{
    Action, AnyGame, GameKind, PlayError, Point, Rule, Setup, SetupError, Side, any,
};
use crate::knowledge::ProofResult;
use crate::search::Report;
use crate::session::Event;
use smallvec::smallvec;
use std::fmt;
use std::time::Duration;

/// The words that managers send.
pub const COMMANDS: [&str; 12] = [
    "START",
    "RECTSTART",
    "RESTART",
    "BEGIN",
    "TURN",
    "BOARD",
    "DONE",
    "PLAY",
    "TAKEBACK",
    "INFO",
    "END",
    "ABOUT",
];

/// What `INFO time_left` says when the match has no limit.
const NO_LIMIT: i64 = 2_147_483_647;

/// Rule bits that Tengen does not play by: renju and caro.
const UNSUPPORTED_RULES: u32 = 4 | 8;

/// A translator for one manager.
pub struct Gomocup {
    defaults: Defaults,
    game: Box<dyn AnyGame>,
    /// The board before the line fed last, if that line put up another one.
    before: Option<Box<dyn AnyGame>>,
    clock: Clock,
    /// The `BOARD` being read.
    reading: Option<Reading>,
    /// By `INFO` key: why the game cannot be played as the manager wishes.
    objections: Vec<(&'static str, String)>,
    /// The key of the line fed last, if it was an `INFO` with requests.
    informed: Option<&'static str>,
}

/// A `BOARD` up to its `DONE`.
enum Reading {
    /// The stones so far: where, and whether they are Tengen's own.
    Stones(Vec<(Point, bool)>),
    /// A line was bad; the rest is only read.
    Failed,
}

/// Why a line is refused, as the manager is told.
#[derive(Debug)]
enum Fault {
    Unknown,
    Arguments(&'static str),
    Setup(SetupError),
    Play(PlayError),
    Objection(String),
    NotEmpty,
    LastMove,
    NotLast,
    NoBoard,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unknown => f.write_str("command"),
            Fault::Arguments(usage) => write!(f, "expected: {usage}"),
            Fault::Setup(error) => error.fmt(f),
            Fault::Play(error) => error.fmt(f),
            Fault::Objection(reason) => f.write_str(reason),
            Fault::NotEmpty => f.write_str("the board is not empty"),
            Fault::LastMove => f.write_str("this move ends the game"),
            Fault::NotLast => f.write_str("not the last move"),
            Fault::NoBoard => f.write_str("no BOARD was begun"),
        }
    }
}

impl Fault {
    /// The line that tells the manager.
    fn answer(&self) -> String {
        match self {
            Fault::Unknown => format!("UNKNOWN {self}"),
            _ => format!("ERROR {self}"),
        }
    }
}

impl From<SetupError> for Fault {
    fn from(error: SetupError) -> Fault {
        Fault::Setup(error)
    }
}

impl From<PlayError> for Fault {
    fn from(error: PlayError) -> Fault {
        Fault::Play(error)
    }
}

impl Gomocup {
    /// A translator that begins with an empty board of `defaults.setup`.
    ///
    /// # Errors
    /// When that is not Gomoku, or not a board that Gomoku is played on.
    pub fn new(defaults: Defaults) -> Result<Gomocup, SetupError> {
        if defaults.setup.game != GameKind::Gomoku {
            return Err(SetupError::Rule("the Gomocup protocol plays Gomoku only"));
        }
        Ok(Gomocup {
            game: any::new_game(&defaults.setup)?,
            defaults,
            before: None,
            clock: Clock::default(),
            reading: None,
            objections: Vec::new(),
            informed: None,
        })
    }

    fn obey(&mut self, word: &str, rest: &str, out: &mut Vec<String>) -> Result<Requests, Fault> {
        match word {
            "START" => {
                let size = rest.parse().map_err(|_| Fault::Arguments("START size"))?;
                self.start(self.game.setup().with_size(size, size), out)
            }
            "RECTSTART" => {
                let [cols, rows] =
                    numbers(rest).ok_or(Fault::Arguments("RECTSTART width,height"))?;
                self.start(self.game.setup().with_size(cols, rows), out)
            }
            "RESTART" => self.start(self.game.setup(), out),
            "BEGIN" => self.begin(),
            "TURN" => self.turn(point(rest).ok_or(Fault::Arguments("TURN x,y"))?),
            "PLAY" => self.impose(point(rest).ok_or(Fault::Arguments("PLAY x,y"))?, out),
            "TAKEBACK" => self.take_back(point(rest).ok_or(Fault::Arguments("TAKEBACK x,y"))?, out),
            "BOARD" => self.open_board(),
            "DONE" => self.close_board(),
            "INFO" => Ok(self.inform(rest)),
            "END" => Ok(smallvec![Request::Quit]),
            "ABOUT" => {
                out.push(about());
                Ok(Requests::new())
            }
            _ => Err(Fault::Unknown),
        }
    }

    fn start(&mut self, setup: Setup, out: &mut Vec<String>) -> Result<Requests, Fault> {
        self.check_objections()?;
        self.replace(any::new_game(&setup)?);
        self.clock.left = self.clock.game;
        out.push("OK".to_owned());
        Ok(smallvec![Request::NewGame(setup)])
    }

    fn begin(&mut self) -> Result<Requests, Fault> {
        self.check_objections()?;
        if !stones(&*self.game).is_empty() {
            return Err(Fault::NotEmpty);
        }
        Ok(smallvec![self.think()])
    }

    fn turn(&mut self, point: Point) -> Result<Requests, Fault> {
        self.check_objections()?;
        let action = Action::Point(point);
        self.game.play(action)?;
        if self.game.outcome().is_some() {
            self.game.undo()?;
            return Err(Fault::LastMove);
        }
        Ok(smallvec![Request::Play(action), self.think()])
    }

    /// `PLAY`: the manager chooses Tengen's move.
    fn impose(&mut self, point: Point, out: &mut Vec<String>) -> Result<Requests, Fault> {
        self.check_objections()?;
        let action = Action::Point(point);
        self.game.play(action)?;
        out.push(write(point));
        Ok(smallvec![Request::Play(action)])
    }

    /// `TAKEBACK`: of the last move; or, where the order of the moves is not known because the
    /// stones came by `BOARD`, of any stone.
    fn take_back(&mut self, point: Point, out: &mut Vec<String>) -> Result<Requests, Fault> {
        let requests = match self.game.history().last() {
            Some(&last) if last == Action::Point(point) => {
                self.game.undo()?;
                smallvec![Request::Undo]
            }
            Some(_) => return Err(Fault::NotLast),
            None => {
                let mover = self.game.stone_at(point).ok_or(Fault::NotLast)?;
                let mut rest = stones(&*self.game);
                rest.retain(|&(at, _)| at != point);
                self.put_up(self.game.setup(), rest, mover)?
            }
        };
        out.push("OK".to_owned());
        Ok(requests)
    }

    fn open_board(&mut self) -> Result<Requests, Fault> {
        self.reading = Some(Reading::Failed);
        self.check_objections()?;
        self.reading = Some(Reading::Stones(Vec::new()));
        Ok(Requests::new())
    }

    /// A line `x,y,field` of `BOARD`.
    fn read_stone(&mut self, line: &str) -> Result<(), Fault> {
        let setup = self.game.setup();
        let Some(Reading::Stones(stones)) = &mut self.reading else {
            return Ok(());
        };
        let (point, own) = match numbers(line) {
            Some([col, row, field @ (1 | 2)]) => (Point { col, row }, field == 1),
            _ => return Err(Fault::Arguments("x,y,1 or x,y,2 or DONE")),
        };
        if !setup.contains(point) || stones.iter().any(|&(other, _)| other == point) {
            return Err(SetupError::Stone(point).into());
        }
        stones.push((point, own));
        Ok(())
    }

    fn close_board(&mut self) -> Result<Requests, Fault> {
        let listed = match self.reading.take() {
            Some(Reading::Stones(listed)) => listed,
            Some(Reading::Failed) => return Ok(Requests::new()),
            None => return Err(Fault::NoBoard),
        };
        let own = listed.iter().filter(|&&(_, own)| own).count();
        let me = if listed.len() - own > own {
            Side::Second
        } else {
            Side::First
        };
        let stones = listed
            .into_iter()
            .map(|(point, own)| (point, if own { me } else { me.other() }))
            .collect();
        let mut requests = self.put_up(self.game.setup(), stones, me)?;
        if self.game.outcome().is_some() {
            self.restore();
            return Err(PlayError::Over.into());
        }
        requests.push(self.think());
        Ok(requests)
    }

    /// Never answered; a value that is not understood is passed over.
    fn inform(&mut self, rest: &str) -> Requests {
        let (key, value) = split_word(rest);
        let Ok(number) = value.parse::<i64>() else {
            return Requests::new();
        };
        match key.to_ascii_lowercase().as_str() {
            "timeout_turn" => self.clock.turn = limit(number),
            "timeout_match" => {
                self.clock.game = limit(number).filter(|time| !time.is_zero());
                self.clock.left = self.clock.game;
            }
            "time_left" => self.clock.left = limit(number),
            "max_memory" => return self.limit_memory(number),
            "rule" => return self.set_rule(number),
            _ => {}
        }
        Requests::new()
    }

    fn limit_memory(&mut self, bytes: i64) -> Requests {
        self.begin_info("max_memory");
        smallvec![Request::Set {
            name: "process_memory",
            value: bytes.max(0).to_string(),
        }]
    }

    fn set_rule(&mut self, bits: i64) -> Requests {
        self.begin_info("rule");
        let rule = match u32::try_from(bits) {
            Ok(bits) if bits & UNSUPPORTED_RULES == 0 && bits & 1 == 0 => Rule::Freestyle,
            Ok(bits) if bits & UNSUPPORTED_RULES == 0 => Rule::Exact,
            _ => {
                self.object("rule", "only freestyle and exactly five are supported");
                return Requests::new();
            }
        };
        let setup = Setup {
            rule,
            ..self.game.setup()
        };
        if setup == self.game.setup() {
            return Requests::new();
        }
        let to_move = self.game.side_to_move();
        self.put_up(setup, stones(&*self.game), to_move)
            .unwrap_or_else(|error| {
                self.object("rule", &error.to_string());
                Requests::new()
            })
    }

    /// What was wrong with the last `INFO` of this key no longer counts.
    fn begin_info(&mut self, key: &'static str) {
        self.objections.retain(|&(other, _)| other != key);
        self.informed = Some(key);
    }

    fn object(&mut self, key: &'static str, reason: &str) {
        self.objections.push((key, reason.to_owned()));
    }

    fn check_objections(&self) -> Result<(), Fault> {
        match self.objections.first() {
            Some((_, reason)) => Err(Fault::Objection(reason.clone())),
            None => Ok(()),
        }
    }

    /// Begins a game from stones, or an ordinary one if there are none.
    fn put_up(
        &mut self,
        setup: Setup,
        stones: Vec<(Point, Side)>,
        to_move: Side,
    ) -> Result<Requests, SetupError> {
        if stones.is_empty() {
            self.replace(any::new_game(&setup)?);
            return Ok(smallvec![Request::NewGame(setup)]);
        }
        self.replace(any::from_stones(&setup, &stones, to_move)?);
        Ok(smallvec![Request::Position {
            setup,
            stones,
            to_move,
        }])
    }

    fn replace(&mut self, game: Box<dyn AnyGame>) {
        self.before = Some(std::mem::replace(&mut self.game, game));
    }

    /// Puts up again what `replace` took away.
    fn restore(&mut self) {
        if let Some(game) = self.before.take() {
            self.game = game;
        }
    }

    fn think(&self) -> Request {
        Request::Think {
            time: self.clock.grant().unwrap_or(self.defaults.time),
            playouts: self.defaults.playouts,
            report_every: None,
        }
    }
}

impl Protocol for Gomocup {
    fn feed(&mut self, line: &str, out: &mut Vec<String>) -> Requests {
        self.before = None;
        self.informed = None;
        let line = line.trim();
        if line.is_empty() {
            return Requests::new();
        }
        let (word, rest) = split_word(line);
        let word = word.to_ascii_uppercase();
        let known = COMMANDS.contains(&word.as_str());
        if self.reading.is_some() && !known {
            if let Err(fault) = self.read_stone(line) {
                self.reading = Some(Reading::Failed);
                out.push(fault.answer());
            }
            return Requests::new();
        }
        if word != "DONE" {
            self.reading = None;
        }
        self.obey(&word, rest, out).unwrap_or_else(|fault| {
            out.push(fault.answer());
            Requests::new()
        })
    }

    fn render(&mut self, event: &Event, out: &mut Vec<String>) -> Requests {
        let Event::Best(report) = event else {
            return Requests::new();
        };
        self.clock.spend(report.elapsed);
        match report.best {
            Some(action @ Action::Point(point)) if self.game.play(action).is_ok() => {
                if report.playouts > 0 {
                    out.push(summary(report));
                }
                out.push(write(point));
                smallvec![Request::Play(action)]
            }
            _ => {
                out.push("ERROR there is no move".to_owned());
                Requests::new()
            }
        }
    }

    fn refuse(&mut self, reason: &str, out: &mut Vec<String>) {
        self.restore();
        match self.informed {
            Some(key) => self.object(key, reason),
            None => out.push(format!("ERROR {reason}")),
        }
    }

    fn urgency(&self, line: &str) -> Urgency {
        let (word, _) = split_word(line.trim());
        if word.eq_ignore_ascii_case("END") {
            Urgency::Last
        } else {
            Urgency::InTurn
        }
    }

    fn on_eof(&self) -> OnEof {
        OnEof::FinishThenQuit
    }

    fn board(&self) -> &dyn AnyGame {
        &*self.game
    }
}

/// The time that the manager grants.
#[derive(Clone, Copy, Default)]
struct Clock {
    /// For one move.
    turn: Option<Duration>,
    /// For a whole game.
    game: Option<Duration>,
    /// For the rest of this game.
    left: Option<Duration>,
}

impl Clock {
    /// `None` when the manager limits nothing.
    fn grant(&self) -> Option<TimeControl> {
        (self.turn.is_some() || self.left.is_some()).then_some(TimeControl {
            per_move: self.turn,
            left: self.left,
            ..TimeControl::default()
        })
    }

    /// Most managers send `time_left` before every move. For those which do not, count along.
    fn spend(&mut self, elapsed: Duration) {
        self.left = self.left.map(|left| left.saturating_sub(elapsed));
    }
}

/// A time in milliseconds, which is below zero once it is used up.
fn limit(milliseconds: i64) -> Option<Duration> {
    let time = Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0));
    (milliseconds < NO_LIMIT).then_some(time)
}

fn about() -> String {
    format!(
        "name=\"Tengen\", version=\"{}\", author=\"Tengen developers\"",
        env!("CARGO_PKG_VERSION")
    )
}

/// One line for the people who watch.
fn summary(report: &Report) -> String {
    let value = match report.proof {
        None => format!("win rate {:.1} %", 100.0 * report.value),
        Some(proof) => match proof.result {
            ProofResult::Win => format!("won in {} plies", proof.plies),
            ProofResult::Draw => "drawn".to_owned(),
            ProofResult::Loss => format!("lost in {} plies", proof.plies),
        },
    };
    let mut line = format!(
        "MESSAGE depth {}, {} playouts, {:.0} a second, {value}, pv",
        report.depth,
        report.playouts,
        report.playouts_per_second()
    );
    for action in report.pv() {
        if let Action::Point(point) = action {
            line.push(' ');
            line.push_str(&write(*point));
        }
    }
    line
}

fn stones(game: &dyn AnyGame) -> Vec<(Point, Side)> {
    let points = game.setup().points();
    points
        .filter_map(|point| Some((point, game.stone_at(point)?)))
        .collect()
}

fn write(point: Point) -> String {
    format!("{},{}", point.col, point.row)
}

fn point(text: &str) -> Option<Point> {
    let [col, row] = numbers(text)?;
    Some(Point { col, row })
}

/// Exactly `N` numbers parted by commas, with or without white space.
fn numbers<const N: usize>(text: &str) -> Option<[u8; N]> {
    let numbers: Option<Vec<u8>> = text
        .split(',')
        .take(N + 1)
        .map(|number| number.trim().parse().ok())
        .collect();
    numbers?.try_into().ok()
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text
        .split_once(|c: char| c.is_ascii_whitespace())
        .unwrap_or((text, ""));
    (word, rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults(game: GameKind) -> Defaults {
        Defaults {
            setup: Setup::standard(game),
            time: TimeControl::default(),
            playouts: Some(1),
        }
    }

    #[test]
    fn only_the_end_is_urgent() {
        let gomocup = Gomocup::new(defaults(GameKind::Gomoku)).unwrap();
        assert_eq!(gomocup.urgency(" end "), Urgency::Last);
        assert_eq!(gomocup.urgency("INFO timeout_turn 0"), Urgency::InTurn);
        assert_eq!(gomocup.on_eof(), OnEof::FinishThenQuit);
    }

    #[test]
    fn other_games_are_not_spoken_of() {
        assert!(Gomocup::new(defaults(GameKind::Reversi)).is_err());
    }

    #[test]
    fn no_limit_is_not_a_long_time() {
        assert_eq!(limit(NO_LIMIT), None);
        assert_eq!(limit(-20), Some(Duration::ZERO));
        assert_eq!(limit(0), Some(Duration::ZERO));
        assert_eq!(limit(1500), Some(Duration::from_millis(1500)));
    }
}
