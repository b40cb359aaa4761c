//! The Gomocup protocol, which Piskvork and the Gomoku tournaments speak.
//!
//! One command a line, points as `x,y` from 0 at the top left, any case. Source: "Gomoku AI
//! protocol" by Plastovicka (`Gomocup/GomocupJudge`, `doc/GomocupProtocol.md`); `protocol.md`
//! shows every command at work. Where that document leaves a choice:
//!
//! - `START` is answered by `OK` and nothing else, for two managers compare the whole line.
//! - There is a board from the beginning, that of the command line, so `START` may be missing.
//! - `INFO` is never answered, for managers do not read then. What Tengen cannot do (a rule that it
//!   does not know, say) is told as `ERROR` by every later command that would play on, until an
//!   `INFO` of the same key is better. That is what the document asks for.
//! - A `TURN` that ends the game leaves no move to answer with. It gets `ERROR` and is not
//!   played. Managers see the end themselves and do not send it.
//! - `BOARD` is all or nothing: one `ERROR` for the first bad line, and nothing for the rest of
//!   it. A half `BOARD` followed by another command than `INFO` is forgotten.
//! - `INFO evaluate` and `INFO folder` are accepted and passed over, as the document asks of a
//!   program that writes no files.
//! - In `BOARD` the stones may come in any order. Tengen is to move; it is the second side if
//!   the opponent has more stones, else the first, even where no game leads to such numbers.
//! - A continuous game (rule bit 2) is taken for a single one: it ends with the first five. What
//!   `BOARD` marks with 3 there, a stone of a line that has won or a forbidden cell, is taken, and
//!   counts for neither side.
//! - After `END` nothing is written, whatever was being thought or waits.
//! - The caro rule (8) is read as the referee of the tournament reads it: more than five win,
//!   unless exactly five is asked for too (9).
//! - After `SWAP2BOARD` the stones named by either side stand on the board, so that the game may
//!   go on with `TURN` as well as with `BOARD`.
//!
//! The words with `YX`, and some keys of `INFO`, are those of the Yixin protocol
//! (`accreator/Yixin-protocol`, `protocol.tex`). Its `INFO rule 2` for renju is not read so: here
//! 2 is Gomocup's continuous game.

mod clock;
mod list;
mod swap2;
mod text;

use super::text::split_word;
use super::{Defaults, Protocol, Request, Requests, Urgency};
use crate::game::{
    Action, AnyGame, GameKind, Outcome, PlayError, Point, Rule, Setup, SetupError, Side, any,
};
use crate::search::Report;
use crate::session::Event;
use clock::{Clock, limit};
use list::{List, Owner, Position, Stone};
use smallvec::smallvec;
use std::fmt;
use std::time::Duration;
use swap2::Choice;
pub(crate) use text::read_summary;
use text::{about, numbers, point, stones, summary, write};

/// The words that managers send.
pub const COMMANDS: [&str; 17] = [
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
    "SWAP2BOARD",
    "YXBOARD",
    "YXSTOP",
    "YXHASHCLEAR",
    "YXSHOWFORBID",
];

/// The rule bit of a continuous game.
const CONTINUOUS: i64 = 2;

/// Kibibytes in the unit of the option for the size of the tree, and the range of that option.
const KIB_PER_MIB: i64 = 1024;
const TREE_MIB: (i64, i64) = (1, 32767);

/// A translator for one manager.
pub struct Gomocup {
    defaults: Defaults,
    game: Box<dyn AnyGame>,
    /// What was there before the line fed last, if that line put up another board.
    before: Option<Before>,
    clock: Clock,
    /// `INFO max_node`: the most playouts of a thinking.
    max_playouts: Option<u64>,
    /// `INFO show_detail`: a line for people comes before every move.
    tells: bool,
    /// What the thinking is for.
    question: Question,
    /// Openings proposed so far.
    proposals: usize,
    /// The `BOARD` being read.
    reading: Option<List>,
    /// The stones of the board, where they came by `YXBOARD`, as they were listed.
    shown: Vec<Stone>,
    /// The rule is that of a continuous game.
    continuous: bool,
    /// By `INFO` key: why the game cannot be played as the manager wishes.
    objections: Vec<(&'static str, String)>,
    /// The key of the line fed last, if it was an `INFO` with requests.
    informed: Option<&'static str>,
}

/// What a thinking is for.
#[derive(Clone, Copy)]
enum Question {
    /// A move, which is played.
    Move,
    /// The choice of the colour after an opening of three or five stones; after one of three,
    /// two more stones will do as well.
    Colour { may_place: bool },
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
    NotRenju,
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
            Fault::NotRenju => f.write_str("only renju forbids moves"),
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

/// A board that was replaced, and what was `shown` of it.
struct Before {
    game: Box<dyn AnyGame>,
    shown: Vec<Stone>,
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
            max_playouts: None,
            tells: true,
            question: Question::Move,
            proposals: 0,
            reading: None,
            shown: Vec::new(),
            continuous: false,
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
            "BOARD" => self.open_list(List::Stones {
                answered: true,
                listed: Vec::new(),
            }),
            "YXBOARD" => self.open_list(List::Stones {
                answered: false,
                listed: Vec::new(),
            }),
            "SWAP2BOARD" => self.open_list(List::Opening(Vec::new())),
            "DONE" => self.close_list(out),
            "YXSTOP" => Ok(smallvec![Request::Stop]),
            "YXHASHCLEAR" => Ok(smallvec![Request::Clear]),
            "YXSHOWFORBID" => self.show_forbidden(out),
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
        Ok(smallvec![self.think(Question::Move)])
    }

    fn turn(&mut self, point: Point) -> Result<Requests, Fault> {
        self.check_objections()?;
        if self.game.history().is_empty() && !self.shown.is_empty() {
            return self.turn_on_shown(point);
        }
        let action = Action::Point(point);
        self.game.play(action)?;
        if self.game.outcome().is_some() {
            self.game.undo()?;
            return Err(Fault::LastMove);
        }
        Ok(smallvec![Request::Play(action), self.think(Question::Move)])
    }

    /// `TURN` as the first command after `YXBOARD`, which does not say whose turn it is: the
    /// stone is the opponent's.
    fn turn_on_shown(&mut self, point: Point) -> Result<Requests, Fault> {
        let is_free = self.shown.iter().all(|stone| stone.point != point);
        if !is_free || !self.game.setup().contains(point) {
            return Err(PlayError::Illegal.into());
        }
        let shown = self.shown.clone();
        let owner = Owner::Opponent;
        let listed = [&shown[..], &[Stone { point, owner }]].concat();
        self.set_up(&listed, true)
            .inspect_err(|_| self.shown = shown)
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

    fn open_list(&mut self, reading: List) -> Result<Requests, Fault> {
        self.reading = Some(List::Failed);
        self.check_objections()?;
        self.reading = Some(reading);
        Ok(Requests::new())
    }

    /// A line between `BOARD`, or a command like it, and its `DONE`.
    fn read_stone(&mut self, line: &str) -> Result<(), Fault> {
        let setup = self.game.setup();
        let continuous = self.continuous;
        let check = |point, free| match setup.contains(point) && free {
            true => Ok(point),
            false => Err(SetupError::Stone(point)),
        };
        match &mut self.reading {
            Some(List::Stones { listed, .. }) => {
                const USAGE: Fault = Fault::Arguments("x,y,1 or x,y,2 or DONE");
                let [col, row, field] = numbers(line).ok_or(USAGE)?;
                let owner = Owner::read(field, continuous).ok_or(USAGE)?;
                let point = Point { col, row };
                let free = listed.iter().all(|stone| stone.point != point);
                let point = check(point, free)?;
                listed.push(Stone { point, owner });
            }
            Some(List::Opening(listed)) => {
                let point = point(line).ok_or(Fault::Arguments("x,y or DONE"))?;
                let free = !listed.contains(&point);
                listed.push(check(point, free)?);
            }
            Some(List::Failed) | None => {}
        }
        Ok(())
    }

    fn close_list(&mut self, out: &mut Vec<String>) -> Result<Requests, Fault> {
        let reading = self.reading.take();
        if !matches!(reading, None | Some(List::Failed)) {
            // An `INFO` among the stones may have given cause for one.
            self.check_objections()?;
        }
        match reading {
            Some(List::Stones { answered, listed }) => self.set_up(&listed, answered),
            Some(List::Opening(points)) => self.open_game(&points, out),
            Some(List::Failed) => Ok(Requests::new()),
            None => Err(Fault::NoBoard),
        }
    }

    fn set_up(&mut self, listed: &[Stone], answered: bool) -> Result<Requests, Fault> {
        let setup = self.game.setup();
        let Position {
            game,
            stones,
            to_move,
        } = Position::of(&setup, listed)?;
        let requests = match listed {
            [] => self.put_up(setup, stones, to_move)?,
            _ => {
                self.replace(game);
                smallvec![Request::Position {
                    setup,
                    stones,
                    to_move,
                }]
            }
        };
        match answered {
            true => self.and_think(requests, Question::Move),
            false => {
                self.shown = listed.to_vec();
                Ok(requests)
            }
        }
    }

    /// `SWAP2BOARD`: with no stones, Tengen proposes an opening; with three or five, it chooses.
    fn open_game(&mut self, points: &[Point], out: &mut Vec<String>) -> Result<Requests, Fault> {
        let setup = self.game.setup();
        match points.len() {
            0 => {
                let proposed = swap2::propose(&setup, self.proposals);
                self.proposals += 1;
                out.push(proposed.map(write).join(" "));
                Ok(self.put_up(setup, swap2::coloured(&proposed), Side::Second)?)
            }
            count @ (3 | 5) => {
                let stones = swap2::coloured(points);
                let requests = self.put_up(setup, stones, Side::Second)?;
                let may_place = count == 3;
                self.and_think(requests, Question::Colour { may_place })
            }
            _ => Err(Fault::Arguments("no, 3 or 5 lines x,y")),
        }
    }

    /// Asks for a thinking about the board just put up, which is taken away again where the
    /// game is over.
    fn and_think(&mut self, mut requests: Requests, question: Question) -> Result<Requests, Fault> {
        if self.game.outcome().is_some() {
            self.restore();
            return Err(PlayError::Over.into());
        }
        requests.push(self.think(question));
        Ok(requests)
    }

    /// `YXSHOWFORBID`: where black may not move, whosever turn it is.
    fn show_forbidden(&self, out: &mut Vec<String>) -> Result<Requests, Fault> {
        let setup = self.game.setup();
        if setup.rule != Rule::Renju {
            return Err(Fault::NotRenju);
        }
        let black = any::from_stones(&setup, &stones(&*self.game), Side::First)?;
        let goes_on = black.outcome().and_then(Outcome::winner).is_none();
        let forbidden = setup.points().filter(|&point| {
            goes_on && black.stone_at(point).is_none() && !black.is_legal(Action::Point(point))
        });
        let forbidden = forbidden.map(|Point { col, row }| format!("{col:02}{row:02}"));
        out.push(format!("FORBID {}.", forbidden.collect::<String>()));
        Ok(Requests::new())
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
            "time_increment" => {
                self.clock.increment = limit(number.max(0)).unwrap_or(Duration::ZERO);
            }
            "max_node" => self.max_playouts = u64::try_from(number).ok().filter(|&n| n > 0),
            "show_detail" => self.tells = number != 0,
            "max_memory" => {
                let bytes = number.max(0).to_string();
                return self.set("max_memory", "process_memory", bytes);
            }
            "hash_size" => return self.size_tree(number),
            "thread_num" => return self.set("thread_num", "threads", number.to_string()),
            "rule" => return self.set_rule(number),
            _ => {}
        }
        Requests::new()
    }

    /// The tree gets so many KiB, but no more than the limit of the process allows.
    fn size_tree(&mut self, kib: i64) -> Requests {
        let (least, most) = TREE_MIB;
        let mib = (kib / KIB_PER_MIB).clamp(least, most);
        self.set("hash_size", "memory", mib.to_string())
    }

    /// Asks for an option as an `INFO` of this key wants it.
    fn set(&mut self, key: &'static str, name: &'static str, value: String) -> Requests {
        self.begin_info(key);
        smallvec![Request::Set { name, value }]
    }

    fn set_rule(&mut self, bits: i64) -> Requests {
        self.begin_info("rule");
        self.continuous = bits & CONTINUOUS != 0;
        let rule = match bits & !CONTINUOUS {
            0 => Rule::Freestyle,
            1 => Rule::Exact,
            4 | 5 => Rule::Renju,
            8 => Rule::Caro,
            9 => Rule::ExactCaro,
            _ => {
                self.object("rule", "no such rule is played: 0, 1, 4, 8 or 9");
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
        let shown = self.shown.clone();
        match self.put_up(setup, stones(&*self.game), to_move) {
            Ok(requests) => {
                // The same stones, and nobody has said whose turn it is.
                self.shown = shown;
                requests
            }
            Err(error) => {
                self.object("rule", &error.to_string());
                Requests::new()
            }
        }
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
        let game = std::mem::replace(&mut self.game, game);
        let shown = std::mem::take(&mut self.shown);
        self.before = Some(Before { game, shown });
    }

    /// Puts up again what `replace` took away.
    fn restore(&mut self) {
        if let Some(Before { game, shown }) = self.before.take() {
            self.game = game;
            self.shown = shown;
        }
    }

    fn think(&mut self, question: Question) -> Request {
        self.question = question;
        let limits = [self.max_playouts, self.defaults.playouts];
        Request::Think {
            time: self.clock.grant().unwrap_or(self.defaults.time),
            playouts: limits.into_iter().flatten().min(),
            report_every: None,
        }
    }

    /// Plays the move that was found.
    fn answer_move(&mut self, report: &Report, out: &mut Vec<String>) -> Option<Requests> {
        let best = report.best?;
        self.play_out(&[best], report, out)
    }

    /// Chooses a colour by what was found for white.
    fn answer_colour(
        &mut self,
        report: &Report,
        may_place: bool,
        out: &mut Vec<String>,
    ) -> Option<Requests> {
        match swap2::choose(report, may_place)? {
            Choice::Swap => {
                self.tell(report, out);
                out.push("SWAP".to_owned());
                Some(Requests::new())
            }
            Choice::Stay(action) => self.play_out(&[action], report, out),
            Choice::Place(actions) => self.play_out(&actions, report, out),
        }
    }

    /// Plays moves and names them on one line. `None` when they cannot be played.
    fn play_out(
        &mut self,
        actions: &[Action],
        report: &Report,
        out: &mut Vec<String>,
    ) -> Option<Requests> {
        let mut points = Vec::new();
        for &action in actions {
            let Action::Point(point) = action else {
                return None;
            };
            self.game.play(action).ok()?;
            points.push(write(point));
        }
        self.tell(report, out);
        out.push(points.join(" "));
        Some(actions.iter().copied().map(Request::Play).collect())
    }

    fn tell(&self, report: &Report, out: &mut Vec<String>) {
        if self.tells && report.playouts > 0 {
            out.push(summary(report));
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
                self.reading = Some(List::Failed);
                out.push(fault.answer());
            }
            return Requests::new();
        }
        if !matches!(word.as_str(), "DONE" | "INFO") {
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
        let answer = match self.question {
            Question::Move => self.answer_move(report, out),
            Question::Colour { may_place } => self.answer_colour(report, may_place, out),
        };
        answer.unwrap_or_else(|| {
            out.push("ERROR there is no move".to_owned());
            Requests::new()
        })
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
        match word.to_ascii_uppercase().as_str() {
            "END" | "YXSTOP" => Urgency::AtOnce,
            _ => Urgency::InTurn,
        }
    }

    fn board(&self) -> &dyn AnyGame {
        &*self.game
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TimeControl;

    fn defaults(game: GameKind) -> Defaults {
        Defaults {
            setup: Setup::standard(game),
            time: TimeControl::default(),
            playouts: Some(1),
        }
    }

    #[test]
    fn only_the_end_and_a_stop_are_urgent() {
        let gomocup = Gomocup::new(defaults(GameKind::Gomoku)).unwrap();
        assert_eq!(gomocup.urgency(" end "), Urgency::AtOnce);
        assert_eq!(gomocup.urgency("yxstop"), Urgency::AtOnce);
        assert_eq!(gomocup.urgency("INFO timeout_turn 0"), Urgency::InTurn);
    }

    #[test]
    fn other_games_are_not_spoken_of() {
        assert!(Gomocup::new(defaults(GameKind::Reversi)).is_err());
    }
}
