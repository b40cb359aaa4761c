//! The referee's side of the coursework's C interface, spoken with [`crate::host`]: Connect Four
//! only.

use super::{Choice, Dialect, Fault, Reply, Told, Turn, Wire};
use crate::arena::Terms;
use crate::arena::records::record::Termination;
use crate::clock;
use crate::game::{Action, AnyGame, Connect4Rules, GameKind, Point, Setup};
use crate::host::{Answer, COURSE_TIME, Hosting, QUIT, Question, READY, Reply as Said, most_wait};
use std::time::{Duration, Instant};

/// A referee that asks a library.
pub struct Library {
    setup: Setup,
    hosting: Hosting,
    /// The processor time for a move.
    time: Duration,
}

impl Library {
    /// Under these terms.
    #[must_use]
    pub fn new(terms: &Terms) -> Library {
        Library {
            setup: terms.setup,
            hosting: terms.hosting,
            time: Library::time(terms),
        }
    }

    /// The processor time for a move under these terms. The interface has no word for time: every
    /// library uses what the course allows.
    #[must_use]
    pub fn time(terms: &Terms) -> Duration {
        terms.time.per_move.unwrap_or_default().max(COURSE_TIME)
    }

    /// The interface has no word for other rules.
    fn check_rules(&self) -> Result<(), Fault> {
        let usual = Setup::standard(GameKind::Connect4);
        let Setup { cols, rows, .. } = self.setup;
        let hole = self.setup.hole();
        let sized = usual.with_size(cols, rows).with(Connect4Rules {
            hole,
            ..Connect4Rules::default()
        });
        if sized == self.setup {
            return Ok(());
        }
        let detail = "libraries of the coursework play four in a row without a steal";
        Err(Fault::new(Termination::Protocol, detail))
    }

    /// What the guard says to a question, and when. It is ours, so that an end of its own is no
    /// fault of the library: but one that is not confined may end it.
    fn hear(
        &self,
        wire: &Wire<'_>,
        question: &str,
        deadline: Instant,
    ) -> Result<(Said, Instant), Fault> {
        let asked = clock::now();
        wire.send(question);
        let line = wire.next(asked, deadline).map_err(|fault| Fault {
            termination: match fault.termination {
                Termination::Crash if !self.hosting.unconfined => Termination::Host,
                other => other,
            },
            ..fault
        })?;
        match serde_json::from_str(&line.text) {
            Ok(Said::Late(detail)) => Err(Fault::new(Termination::Time, detail)),
            Ok(Said::Crash(detail)) => Err(Fault::new(Termination::Crash, detail)),
            Ok(Said::Trouble(detail)) => Err(Fault::new(Termination::Host, detail)),
            Ok(said) => Ok((said, line.arrived)),
            Err(_) => Err(Fault::nonsense(question, &line.text)),
        }
    }

    fn question(&self, game: &dyn AnyGame) -> Question {
        let Setup { cols, rows, .. } = self.setup;
        let me = game.side_to_move();
        let cell = |point| match game.stone_at(point) {
            None => 0,
            Some(side) if side == me => 2,
            Some(_) => 1,
        };
        let top = (0..cols).map(|col| landing(game, col).map_or(0, |row| i32::from(row) + 1));
        let numbers = |point: Option<Point>| {
            point.map_or([-1, -1], |point| {
                [i32::from(point.row), i32::from(point.col)]
            })
        };
        Question {
            rows: i32::from(rows),
            cols: i32::from(cols),
            top: top.collect(),
            board: self.setup.points().map(cell).collect(),
            last: numbers(last_cell(game)),
            hole: numbers(self.setup.hole()),
        }
    }
}

/// The row where a stone in this column lands.
fn landing(game: &dyn AnyGame, col: u8) -> Option<u8> {
    let mut rows = 0..game.setup().rows;
    rows.find(|&row| game.is_legal(Action::point(col, row)))
}

/// The cell of the last move.
fn last_cell(game: &dyn AnyGame) -> Option<Point> {
    let mut before = game.clone_box();
    match before.undo().ok()? {
        Action::Point(point) => Some(point),
        Action::Column(col) => landing(&*before, col).map(|row| Point { col, row }),
        Action::Pass | Action::Steal => None,
    }
}

impl Dialect for Library {
    fn new_game(&mut self, wire: &Wire<'_>) -> Result<(), Fault> {
        self.check_rules()?;
        match self.hear(wire, READY, wire.soon())? {
            (Said::Ready, _) => Ok(()),
            (other, _) => Err(Fault::nonsense(READY, &format!("{other:?}"))),
        }
    }

    fn ask(&mut self, wire: &Wire<'_>, turn: &Turn<'_>) -> Result<Reply, Fault> {
        let question = self.question(turn.game);
        let question = serde_json::to_string(&question).unwrap_or_default();
        match self.hear(wire, &question, turn.deadline)? {
            (Said::Move(answer), arrived) => Ok(Reply {
                choice: Choice::Move(read(turn.game, answer)?),
                told: Told::default(),
                arrived,
            }),
            (other, _) => Err(Fault::nonsense(&question, &format!("{other:?}"))),
        }
    }

    /// The guard measures processor time: by the clock, a library would lose because the machine is
    /// busy.
    fn least_time(&self) -> Duration {
        most_wait(self.time)
    }

    fn farewell(&self) -> &'static str {
        QUIT
    }
}

/// A cell where no stone lands is an illegal move, even if its column is open.
fn read(game: &dyn AnyGame, Answer { x, y }: Answer) -> Result<Action, Fault> {
    let point = match (u8::try_from(x), u8::try_from(y)) {
        (Ok(row), Ok(col)) => Action::point(col, row),
        _ => {
            let detail = format!("played row {x}, column {y}");
            return Err(Fault::new(Termination::Illegal, detail));
        }
    };
    Ok(match point {
        Action::Point(cell) if game.is_legal(point) => Action::Column(cell.col),
        _ => point,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TimeControl;
    use crate::game::any;

    /// Four columns of four rows, the forbidden cell at the bottom of the second.
    fn game(columns: &[u8]) -> (Library, Box<dyn AnyGame>) {
        let setup = Setup::standard(GameKind::Connect4)
            .with_size(4, 4)
            .with(Connect4Rules {
                hole: Some(Point { col: 1, row: 3 }),
                ..Connect4Rules::default()
            });
        let mut game = any::new_game(&setup).unwrap();
        for &col in columns {
            game.play(Action::Column(col)).unwrap();
        }
        (Library::new(&Terms::new(setup)), game)
    }

    #[test]
    fn the_mover_sees_its_own_stones_as_two() {
        let (library, game) = game(&[0, 1, 0]);
        let question = library.question(&*game);
        assert_eq!(question.top, [2, 2, 4, 4]);
        assert_eq!(
            question.board,
            [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 1, 0, 0, 0]
        );
        assert_eq!((question.last, question.hole), ([2, 0], [3, 1]));
    }

    #[test]
    fn a_full_column_has_no_top_and_a_first_move_no_last() {
        let (library, empty) = game(&[]);
        assert_eq!(library.question(&*empty).last, [-1, -1]);
        let (library, full) = game(&[0, 0, 0, 0]);
        assert_eq!(library.question(&*full).top, [0, 3, 4, 4]);
    }

    #[test]
    fn only_the_cell_where_a_stone_lands_is_a_move() {
        let (_, game) = game(&[]);
        let played = |x, y| read(&*game, Answer { x, y });
        assert_eq!(played(2, 1), Ok(Action::Column(1)));
        assert_eq!(played(0, 1), Ok(Action::point(1, 0)));
        assert_eq!(played(3, 9), Ok(Action::point(9, 3)));
        assert_eq!(played(-1, 0).unwrap_err().termination, Termination::Illegal);
    }

    #[test]
    fn the_clock_ends_no_move_before_the_guard_does() {
        let seconds = Duration::from_secs;
        for (asked, granted) in [(1, 7), (10, 21)] {
            let terms = Terms {
                time: TimeControl::per_move(seconds(asked)),
                ..Terms::new(Setup::standard(GameKind::Connect4))
            };
            assert_eq!(Library::new(&terms).least_time(), seconds(granted));
        }
    }

    #[test]
    fn other_rules_are_refused() {
        let setup = Setup::standard(GameKind::Connect4);
        for other in [
            setup.with(Connect4Rules {
                connect: 5,
                ..setup.connect4()
            }),
            setup.with(Connect4Rules {
                steal: true,
                ..setup.connect4()
            }),
        ] {
            assert!(Library::new(&Terms::new(other)).check_rules().is_err());
        }
        assert!(game(&[]).0.check_rules().is_ok());
    }
}
