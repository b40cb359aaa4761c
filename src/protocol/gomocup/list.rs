//! The stones of `BOARD` and of commands like it, line by line up to `DONE`.

use super::super::retold::side_by_stones;
use super::error::GomocupError;
use super::text::{numbers, point, write};
use super::{Answer, Gomocup, Question, Request, Requests, swap2};
use crate::game::{AnyGame, Point, Setup, SetupError, Side, any};
use smallvec::smallvec;

/// A list being read.
pub enum List {
    /// `BOARD`, or `YXBOARD`, which is not `answered` with a move.
    Stones { answered: bool, listed: Vec<Stone> },
    /// `SWAP2BOARD`: black and white in turn.
    Opening(Vec<Point>),
    /// A line was bad; the rest is only read.
    Failed,
}

/// A stone of `BOARD`.
#[derive(Clone, Copy)]
pub struct Stone {
    pub point: Point,
    pub owner: Owner,
}

/// Who a stone belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Tengen.
    Own,
    Opponent,
    /// In a continuous game: it is a part of a line that has won, or nobody may play there.
    Nobody,
}

impl Owner {
    /// What the third number of a line says; 3 is a word of continuous games only.
    pub fn read(field: u8, continuous: bool) -> Option<Owner> {
        match field {
            1 => Some(Owner::Own),
            2 => Some(Owner::Opponent),
            3 if continuous => Some(Owner::Nobody),
            _ => None,
        }
    }
}

/// A position in which Tengen is to move.
pub struct Position {
    pub game: Box<dyn AnyGame>,
    pub stones: Vec<(Point, Side)>,
    pub to_move: Side,
}

impl Position {
    /// The position of these stones: see the two ways of [`colour`].
    pub fn of(setup: &Setup, listed: &[Stone]) -> Result<Position, SetupError> {
        let [one, other] = [false, true].map(|turned| Position::coloured(setup, listed, turned));
        match one {
            Ok(one) if one.game.outcome().is_some() => match other {
                Ok(other) if other.game.outcome().is_none() => Ok(other),
                _ => Ok(one),
            },
            one => one,
        }
    }

    fn coloured(setup: &Setup, listed: &[Stone], turned: bool) -> Result<Position, SetupError> {
        let count = |owner| listed.iter().filter(|stone| stone.owner == owner).count();
        let me = side_by_stones(count(Owner::Own), count(Owner::Opponent));
        let side = |stone: &Stone| match stone.owner {
            Owner::Own => me,
            Owner::Opponent => me.other(),
            Owner::Nobody => colour(stone.point, turned),
        };
        let stones: Vec<_> = listed.iter().map(|it| (it.point, side(it))).collect();
        Ok(Position {
            game: any::from_stones(setup, &stones, me)?,
            stones,
            to_move: me,
        })
    }
}

/// The colour that a stone of nobody's gets, as the rules know no others. No line holds more than
/// two of one colour beside each other, so that they stand in the way of both players; `turned`
/// exchanges the colours, where they make five with other stones.
///
/// ```text
///   X X O O X X
///   O O X X O O
/// ```
fn colour(point: Point, turned: bool) -> Side {
    let number = (u32::from(point.col) + 2 * u32::from(point.row)) / 2;
    match number.is_multiple_of(2) == turned {
        true => Side::Second,
        false => Side::First,
    }
}

impl Gomocup {
    pub(super) fn open_list(&mut self, reading: List) -> Answer {
        self.reading = Some(List::Failed);
        self.check_objections()?;
        self.reading = Some(reading);
        Ok(Requests::new())
    }

    /// A line between `BOARD`, or a command like it, and its `DONE`.
    pub(super) fn read_stone(&mut self, line: &str) -> Result<(), GomocupError> {
        let setup = self.game.board.setup();
        let continuous = *self.continuous;
        let check = |point, free| match setup.contains(point) && free {
            true => Ok(point),
            false => Err(SetupError::Stone(point)),
        };
        match &mut self.reading {
            Some(List::Stones { listed, .. }) => {
                const USAGE: GomocupError = GomocupError::Arguments("x,y,1 or x,y,2 or DONE");
                let [col, row, field] = numbers(line).ok_or(USAGE)?;
                let owner = Owner::read(field, continuous).ok_or(USAGE)?;
                let point = Point { col, row };
                let free = listed.iter().all(|stone| stone.point != point);
                let point = check(point, free)?;
                listed.push(Stone { point, owner });
            }
            Some(List::Opening(listed)) => {
                let point = point(line).ok_or(GomocupError::Arguments("x,y or DONE"))?;
                let free = !listed.contains(&point);
                listed.push(check(point, free)?);
            }
            Some(List::Failed) | None => {}
        }
        Ok(())
    }

    pub(super) fn close_list(&mut self, out: &mut Vec<String>) -> Answer {
        let reading = self.reading.take();
        if !matches!(reading, None | Some(List::Failed)) {
            // An `INFO` among the stones may have given cause for one.
            self.check_objections()?;
        }
        match reading {
            Some(List::Stones { answered, listed }) => self.set_up(&listed, answered),
            Some(List::Opening(points)) => self.open_game(&points, out),
            Some(List::Failed) => Ok(Requests::new()),
            None => Err(GomocupError::NoBoard),
        }
    }

    pub(super) fn set_up(&mut self, listed: &[Stone], answered: bool) -> Answer {
        let setup = self.game.board.setup();
        let Position {
            game,
            stones,
            to_move,
        } = Position::of(&setup, listed)?;
        let requests = match listed {
            [] => self.put_up(setup, stones, to_move)?,
            _ => {
                self.game.replace(game.into());
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
                self.game.shown = listed.to_vec();
                Ok(requests)
            }
        }
    }

    /// `SWAP2BOARD`: with no stones, Tengen proposes an opening; with three or five, it chooses.
    fn open_game(&mut self, points: &[Point], out: &mut Vec<String>) -> Answer {
        let setup = self.game.board.setup();
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
            _ => Err(GomocupError::Arguments("no, 3 or 5 lines x,y")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_of_nobody_make_no_line() {
        let steps = [(1, 0), (0, 1), (1, 1), (-1, 1)];
        for (at, turned) in (0..22 * 22).flat_map(|at| [(at, false), (at, true)]) {
            for (right, down) in steps {
                let colours = (0..3).filter_map(|step| {
                    let col = u8::try_from(at % 22 + right * step).ok()?;
                    let row = u8::try_from(at / 22 + down * step).ok()?;
                    Some(colour(Point { col, row }, turned))
                });
                let colours: Vec<Side> = colours.collect();
                let same = colours.iter().all(|&side| side == colours[0]);
                assert!(colours.len() < 3 || !same, "{at} {right} {down}");
            }
        }
    }
}
