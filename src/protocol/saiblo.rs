//! The protocol of saiblo.net, for its game of Connect Four with a forbidden cell.
//!
//! A message of the judge is a JSON object with its length in four digits before it and no line
//! end; an answer has its length in four bytes before it ([`Framing::LengthFirst`]). Sources: the
//! course's kit (`Boxworld1/iai-connect4`, `sdk/ai_client.hpp`) and its rules
//! (`saiblo/saiblo-docs`, `docs/games/connect4`). `protocol.md` shows every message at work.
//!
//! - `x` and `row` count rows from the top, `y` and `col` columns from the left.
//! - Every turn brings the whole board: 1 is a stone of the opponent and 2 one of Tengen's.
//!   Where it is the position after Tengen's last move and one more, that move is played, so
//!   that the tree is kept. Otherwise it is put up as it is.
//! - `top` and `lastx` say nothing that `board` and `lasty` do not, and are passed over.
//! - The protocol has no word for an error. A message that cannot be understood or obeyed is not
//!   answered, and changes nothing.

use super::retold::side_by_stones;
use super::tentative::Tentative;
use super::{Defaults, Framing, Protocol, Request, Requests, Urgency, whole};
use crate::clock::TimeControl;
use crate::game::{
    Action, AnyGame, Connect4Rules, GameKind, PlayError, Point, Setup, SetupError, Side, any,
};
use crate::session::{Allowance, Event};
use serde::Deserialize;
use smallvec::smallvec;
use std::time::Duration;

/// The time for a turn where the command line grants none. The judge allows 3 s; the rest is for
/// the stalls of a machine that others use too (guess).
const TURN: Duration = Duration::from_millis(2500);

/// Digits of the length before a message.
pub const LENGTH_DIGITS: usize = 4;

/// A translator for the judge.
pub struct Saiblo {
    defaults: Defaults,
    game: Tentative<Box<dyn AnyGame>>,
}

/// Why a message is passed over.
#[derive(Debug, thiserror::Error)]
enum SaibloError {
    #[error("it is not understood")]
    Nonsense,
    #[error("no game was begun")]
    NoStart,
    #[error("the board has another size")]
    BoardSize,
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Play(PlayError),
}

/// What the judge says.
enum Message {
    Start(Start),
    Turn(Turn),
    End,
}

/// The board of the game, and the cell that nobody may use.
#[derive(Deserialize)]
struct Start {
    #[serde(deserialize_with = "whole::number")]
    row: u8,
    #[serde(deserialize_with = "whole::number")]
    col: u8,
    #[serde(deserialize_with = "whole::number")]
    nox: i16,
    #[serde(deserialize_with = "whole::number")]
    noy: i16,
}

/// A position in which Tengen is to move.
#[derive(Deserialize)]
struct Turn {
    /// The cells row by row from the top.
    #[serde(deserialize_with = "whole::list")]
    board: Vec<u8>,
    /// The column of the last move; -1 if there was none.
    #[serde(deserialize_with = "whole::number")]
    lasty: i16,
}

#[derive(Deserialize)]
struct Tag {
    #[serde(rename = "type", deserialize_with = "whole::number")]
    number: u8,
}

/// Whether a line is a message of the judge: four digits and `{`.
#[must_use]
pub fn is_message(line: &str) -> bool {
    object(line).is_some_and(|text| text.starts_with('{'))
}

/// What follows the four digits.
fn object(line: &str) -> Option<&str> {
    let (length, object) = line.split_at_checked(LENGTH_DIGITS)?;
    let is_length = length.bytes().all(|byte| byte.is_ascii_digit());
    is_length.then_some(object)
}

fn read(line: &str) -> Option<Message> {
    let text = object(line)?;
    let Tag { number } = serde_json::from_str(text).ok()?;
    match number {
        0 => serde_json::from_str(text).ok().map(Message::Start),
        1 => serde_json::from_str(text).ok().map(Message::Turn),
        2 => Some(Message::End),
        _ => None,
    }
}

/// The judge writes -1 where there is no cell.
fn point(x: i16, y: i16) -> Option<Point> {
    Some(Point {
        col: u8::try_from(y).ok()?,
        row: u8::try_from(x).ok()?,
    })
}

impl Saiblo {
    /// A translator with the board of `defaults.setup`, until the judge says which it is.
    ///
    /// # Errors
    /// When there is no such board.
    pub fn new(defaults: Defaults) -> Result<Saiblo, SetupError> {
        Ok(Saiblo {
            game: Tentative::new(any::new_game(&defaults.setup)?),
            defaults,
        })
    }

    fn start(&mut self, start: &Start) -> Result<Requests, SaibloError> {
        let standard = Setup::standard(GameKind::Connect4);
        let setup = standard
            .with_size(start.col, start.row)
            .with(Connect4Rules {
                hole: point(start.nox, start.noy),
                ..Connect4Rules::default()
            });
        self.game.replace(any::new_game(&setup)?);
        Ok(smallvec![Request::NewGame(setup)])
    }

    fn turn(&mut self, turn: &Turn) -> Result<Requests, SaibloError> {
        let setup = self.game.setup();
        if setup.game() != GameKind::Connect4 {
            return Err(SaibloError::NoStart);
        }
        if turn.board.len() != usize::from(setup.cols) * usize::from(setup.rows) {
            return Err(SaibloError::BoardSize);
        }
        let (stones, me) = stones(&setup, &turn.board);
        let position = any::from_stones(&setup, &stones, me)?;
        if position.outcome().is_some() {
            return Err(SaibloError::Play(PlayError::Over));
        }
        let mut requests = Requests::new();
        if let Some((action, game)) = self.last_move(&*position, turn) {
            self.game.replace(game);
            requests.push(Request::Play(action));
        } else if self.game.key() != position.key() {
            self.game.replace(position);
            requests.push(Request::Position {
                setup,
                stones,
                to_move: me,
            });
        }
        requests.push(Request::Think(Allowance {
            time: self.grant(),
            playouts: self.defaults.playouts,
            report_every: None,
        }));
        Ok(requests)
    }

    /// A stone in the column of the last move, if it leads from Tengen's own board to this
    /// position, and the board then.
    fn last_move(&self, position: &dyn AnyGame, turn: &Turn) -> Option<(Action, Box<dyn AnyGame>)> {
        let action = Action::Column(u8::try_from(turn.lasty).ok()?);
        let mut game = self.game.clone_box();
        game.play(action).ok()?;
        (game.key() == position.key()).then_some((action, game))
    }

    fn grant(&self) -> TimeControl {
        if self.defaults.is_unlimited() {
            TimeControl::per_move(TURN)
        } else {
            self.defaults.time
        }
    }

    /// The cell where a stone in this column lands.
    fn landing(&self, action: Action) -> Option<Point> {
        let col = match action {
            Action::Column(col) => col,
            Action::Point(point) => point.col,
            Action::Steal | Action::Pass => return None,
        };
        let cells = (0..self.game.setup().rows).map(|row| Point { col, row });
        let mut cells = cells.filter(|&cell| self.game.is_legal(Action::Point(cell)));
        cells.next()
    }
}

/// The stones on a board that has 1 for the opponent's and 2 for one's own, row by row from the
/// top, and one's own side: the second if the opponent has more.
///
/// The libraries of the coursework are given such boards too.
#[must_use]
pub fn stones(setup: &Setup, board: &[u8]) -> (Vec<(Point, Side)>, Side) {
    let count = |field| board.iter().filter(|&&it| it == field).count();
    let me = side_by_stones(count(2), count(1));
    let owner = |field: u8| match field {
        1 => Some(me.other()),
        2 => Some(me),
        _ => None,
    };
    let stones = setup.points().zip(board);
    let stones = stones.filter_map(|(point, &field)| Some((point, owner(field)?)));
    (stones.collect(), me)
}

impl Protocol for Saiblo {
    fn feed(&mut self, line: &str, _: &mut Vec<String>) -> Requests {
        self.game.settle();
        let line = line.trim();
        if line.is_empty() {
            return Requests::new();
        }
        let done = match read(line) {
            Some(Message::Start(start)) => self.start(&start),
            Some(Message::Turn(turn)) => self.turn(&turn),
            Some(Message::End) => Ok(smallvec![Request::Quit]),
            None => Err(SaibloError::Nonsense),
        };
        done.unwrap_or_else(|fault| {
            log::warn!("a message is passed over: {fault}");
            Requests::new()
        })
    }

    fn render(&mut self, event: &Event, out: &mut Vec<String>) -> Requests {
        let Event::Best(report) = event else {
            return Requests::new();
        };
        let cell = report.best.and_then(|action| self.landing(action));
        match (report.best, cell) {
            (Some(action), Some(Point { col, row })) if self.game.play(action).is_ok() => {
                out.push(format!("{{\"X\":{row},\"Y\":{col}}}"));
                smallvec![Request::Play(action)]
            }
            _ => Requests::new(),
        }
    }

    fn refuse(&mut self, reason: &str, _: &mut Vec<String>) {
        self.game.restore();
        log::warn!("a message is passed over: {reason}");
    }

    fn urgency(&self, line: &str) -> Urgency {
        match read(line.trim()) {
            Some(Message::End) => Urgency::AtOnce,
            _ => Urgency::InTurn,
        }
    }

    fn framing(&self) -> Framing {
        Framing::LengthFirst
    }

    fn board(&self) -> &dyn AnyGame {
        &**self.game
    }
}
