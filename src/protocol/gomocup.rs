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
mod error;
mod info;
mod list;
mod swap2;
mod text;

use super::tentative::Tentative;
use super::text::split_word;
use super::{Defaults, Protocol, Request, Requests, Urgency};
use crate::game::{
    Action, AnyGame, GameKind, Outcome, PlayError, Point, Rule, Setup, SetupError, Side, any,
};
use crate::search::Report;
use crate::session::{Allowance, Event};
use clock::GomocupClock;
use error::GomocupError;
use list::{List, Owner, Stone};
use smallvec::smallvec;
use swap2::Choice;
pub use text::{Summary, read_summary};
use text::{about, numbers, point, summary, write};

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

/// A translator for one manager.
pub struct Gomocup {
    defaults: Defaults,
    game: Tentative<GomocupGame>,
    clock: Tentative<GomocupClock>,
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
    /// The rule is that of a continuous game.
    continuous: Tentative<bool>,
    /// By `INFO` key: why the game cannot be played as the manager wishes.
    objections: Vec<(&'static str, String)>,
    /// The key of the line fed last, if it was an `INFO` with requests.
    informed: Option<&'static str>,
}

/// A game, and how it was shown.
struct GomocupGame {
    board: Box<dyn AnyGame>,
    /// The stones of the board, where they came by `YXBOARD`, as they were listed.
    shown: Vec<Stone>,
}

impl From<Box<dyn AnyGame>> for GomocupGame {
    fn from(board: Box<dyn AnyGame>) -> GomocupGame {
        let shown = Vec::new();
        GomocupGame { board, shown }
    }
}

/// What a command asks for, or why it is refused.
type Answer = Result<Requests, GomocupError>;

/// What a thinking is for.
#[derive(Clone, Copy)]
enum Question {
    /// A move, which is played.
    Move,
    /// The choice of the colour after an opening of three or five stones; after one of three,
    /// two more stones will do as well.
    Colour { may_place: bool },
}

impl Gomocup {
    /// A translator that begins with an empty board of `defaults.setup`.
    ///
    /// # Errors
    /// When that is not Gomoku, or not a board that Gomoku is played on.
    pub fn new(defaults: Defaults) -> Result<Gomocup, SetupError> {
        if defaults.setup.game() != GameKind::Gomoku {
            return Err(SetupError::Rule("the Gomocup protocol plays Gomoku only"));
        }
        Ok(Gomocup {
            game: Tentative::new(any::new_game(&defaults.setup)?.into()),
            defaults,
            clock: Tentative::new(GomocupClock::default()),
            max_playouts: None,
            tells: true,
            question: Question::Move,
            proposals: 0,
            reading: None,
            continuous: Tentative::new(false),
            objections: Vec::new(),
            informed: None,
        })
    }

    fn obey(&mut self, word: &str, rest: &str, out: &mut Vec<String>) -> Answer {
        match word {
            "START" => {
                let size = rest
                    .parse()
                    .map_err(|_| GomocupError::Arguments("START size"))?;
                self.start(self.game.board.setup().with_size(size, size), out)
            }
            "RECTSTART" => {
                let [cols, rows] =
                    numbers(rest).ok_or(GomocupError::Arguments("RECTSTART width,height"))?;
                self.start(self.game.board.setup().with_size(cols, rows), out)
            }
            "RESTART" => self.start(self.game.board.setup(), out),
            "BEGIN" => self.begin(),
            "TURN" => self.turn(point(rest).ok_or(GomocupError::Arguments("TURN x,y"))?),
            "PLAY" => self.impose(point(rest).ok_or(GomocupError::Arguments("PLAY x,y"))?, out),
            "TAKEBACK" => self.take_back(
                point(rest).ok_or(GomocupError::Arguments("TAKEBACK x,y"))?,
                out,
            ),
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
            _ => Err(GomocupError::Unknown),
        }
    }

    fn start(&mut self, setup: Setup, out: &mut Vec<String>) -> Answer {
        self.check_objections()?;
        self.game.replace(any::new_game(&setup)?.into());
        let mut clock = *self.clock;
        clock.begin();
        self.clock.replace(clock);
        out.push("OK".to_owned());
        Ok(smallvec![Request::NewGame(setup)])
    }

    fn begin(&mut self) -> Answer {
        self.check_objections()?;
        if !self.game.board.stones().is_empty() {
            return Err(GomocupError::NotEmpty);
        }
        Ok(smallvec![self.think(Question::Move)])
    }

    fn turn(&mut self, point: Point) -> Answer {
        self.check_objections()?;
        if self.game.board.history().is_empty() && !self.game.shown.is_empty() {
            return self.turn_on_shown(point);
        }
        let action = Action::Point(point);
        self.game.board.play(action)?;
        if self.game.board.outcome().is_some() {
            self.game.board.undo()?;
            return Err(GomocupError::LastMove);
        }
        Ok(smallvec![Request::Play(action), self.think(Question::Move)])
    }

    /// `TURN` as the first command after `YXBOARD`, which does not say whose turn it is: the
    /// stone is the opponent's.
    fn turn_on_shown(&mut self, point: Point) -> Answer {
        let is_free = self.game.shown.iter().all(|stone| stone.point != point);
        if !is_free || !self.game.board.setup().contains(point) {
            return Err(PlayError::Illegal.into());
        }
        let shown = self.game.shown.clone();
        let owner = Owner::Opponent;
        let listed = [&shown[..], &[Stone { point, owner }]].concat();
        self.set_up(&listed, true)
            .inspect_err(|_| self.game.shown = shown)
    }

    /// `PLAY`: the manager chooses Tengen's move.
    fn impose(&mut self, point: Point, out: &mut Vec<String>) -> Answer {
        self.check_objections()?;
        let action = Action::Point(point);
        self.game.board.play(action)?;
        out.push(write(point));
        Ok(smallvec![Request::Play(action)])
    }

    /// `TAKEBACK`: of the last move; or, where the order of the moves is not known because the
    /// stones came by `BOARD`, of any stone.
    fn take_back(&mut self, point: Point, out: &mut Vec<String>) -> Answer {
        let requests = match self.game.board.history().last() {
            Some(&last) if last == Action::Point(point) => {
                self.game.board.undo()?;
                smallvec![Request::Undo]
            }
            Some(_) => return Err(GomocupError::NotLast),
            None => {
                let mover = self
                    .game
                    .board
                    .stone_at(point)
                    .ok_or(GomocupError::NotLast)?;
                let mut rest = self.game.board.stones();
                rest.retain(|&(at, _)| at != point);
                self.put_up(self.game.board.setup(), rest, mover)?
            }
        };
        out.push("OK".to_owned());
        Ok(requests)
    }

    /// Asks for a thinking about the board just put up, which is taken away again where the
    /// game is over.
    fn and_think(&mut self, mut requests: Requests, question: Question) -> Answer {
        if self.game.board.outcome().is_some() {
            self.game.restore();
            return Err(PlayError::Over.into());
        }
        requests.push(self.think(question));
        Ok(requests)
    }

    /// `YXSHOWFORBID`: where black may not move, whosever turn it is.
    fn show_forbidden(&self, out: &mut Vec<String>) -> Answer {
        let setup = self.game.board.setup();
        if setup.rule() != Rule::Renju {
            return Err(GomocupError::NotRenju);
        }
        let black = any::from_stones(&setup, &self.game.board.stones(), Side::First)?;
        let goes_on = black.outcome().and_then(Outcome::winner).is_none();
        let forbidden = setup.points().filter(|&point| {
            goes_on && black.stone_at(point).is_none() && !black.is_legal(Action::Point(point))
        });
        let forbidden = forbidden.map(|Point { col, row }| format!("{col:02}{row:02}"));
        out.push(format!("FORBID {}.", forbidden.collect::<String>()));
        Ok(Requests::new())
    }

    /// Begins a game from stones, or an ordinary one if there are none.
    fn put_up(
        &mut self,
        setup: Setup,
        stones: Vec<(Point, Side)>,
        to_move: Side,
    ) -> Result<Requests, SetupError> {
        if stones.is_empty() {
            self.game.replace(any::new_game(&setup)?.into());
            return Ok(smallvec![Request::NewGame(setup)]);
        }
        self.game
            .replace(any::from_stones(&setup, &stones, to_move)?.into());
        Ok(smallvec![Request::Position {
            setup,
            stones,
            to_move,
        }])
    }

    fn think(&mut self, question: Question) -> Request {
        self.question = question;
        let limits = [self.max_playouts, self.defaults.playouts];
        let mut clock = *self.clock;
        let time = clock.grant();
        self.clock.replace(clock);
        Request::Think(Allowance {
            time: time.unwrap_or(self.defaults.time),
            playouts: limits.into_iter().flatten().min(),
            report_every: None,
        })
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
            self.game.board.play(action).ok()?;
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
        self.game.settle();
        self.clock.settle();
        self.continuous.settle();
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
        self.game.restore();
        self.clock.restore();
        self.continuous.restore();
        match self.informed {
            Some(key) => self.object(key, reason),
            None => out.push(format!("ERROR {reason}")),
        }
    }

    fn urgency(&self, line: &str) -> Urgency {
        let (word, _) = split_word(line.trim());
        match word.to_ascii_uppercase().as_str() {
            "END" => Urgency::AtOnce,
            "YXSTOP" => Urgency::Stop,
            _ => Urgency::InTurn,
        }
    }

    fn board(&self) -> &dyn AnyGame {
        &*self.game.board
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
        assert_eq!(gomocup.urgency("yxstop"), Urgency::Stop);
        assert_eq!(gomocup.urgency("INFO timeout_turn 0"), Urgency::InTurn);
    }

    #[test]
    fn other_games_are_not_spoken_of() {
        assert!(Gomocup::new(defaults(GameKind::Reversi)).is_err());
    }
}
