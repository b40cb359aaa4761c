//! Two puzzles of CodinGame: Connect 4 with its STEAL, and Othello.
//!
//! The referee sends turns of several lines and wants one line for each. Source: the statements at
//! `codingame.com/multiplayer/bot-programming`, `connect-4` and `othello-1`.
//!
//! ```text
//!              Connect 4 (9 columns, 7 rows)     Othello
//!   once       both ids on one line              the id, then the size of the board
//!   each turn  the number of the turn
//!              the rows, from the top            the rows, from the top
//!              how many actions there are        how many actions there are
//!              the actions: -2 is STEAL          the actions
//!              the opponent's last action
//!   answer     a column from 0, or STEAL         a square as in f4
//! ```
//!
//! - The first line tells the puzzle, whatever game the command line names.
//! - Player 0 is the first side. Cells are `.`, `0` and `1`.
//! - The referee passes for a player who cannot move, and does not ask him.
//! - Where the rows are no position that can be played on, or the move found is not listed, the
//!   first of the listed actions is the answer. Where it cannot be told how many lines the turn has,
//!   there is none, and the next line is taken for the first of a turn.
//! - The statements grant 1000 ms for the first turn and 100 ms for any other. Part of that is kept
//!   back, beside the move overhead, for a late answer is a lost game. A time from the command
//!   line holds for every turn instead.

use super::tentative::Tentative;
use super::{Defaults, Protocol, Request, Requests, Urgency};
use crate::clock::TimeControl;
use crate::game::{
    Action, AnyGame, Connect4Rules, GameKind, Point, Setup, SetupError, Side, any, notation,
};
use crate::session::{Allowance, Event};
use smallvec::smallvec;
use std::time::Duration;

/// What is used of the first turn's 1000 ms.
const FIRST_TURN: Duration = Duration::from_millis(900);

/// What is used of any other turn's 100 ms. With 90, a crowded machine answers in 99 ms at the latest
/// (`docs/EXPERIMENTS.md`, Protocols).
const LATER_TURN: Duration = Duration::from_millis(80);

/// The number that stands for the steal in lists of actions.
const STEAL: &str = "-2";

/// A translator for one referee.
pub struct CodinGame {
    defaults: Defaults,
    game: Tentative<Box<dyn AnyGame>>,
    stage: Stage,
    /// The next turn is the first.
    fresh: bool,
    /// What may be answered to the turn: the first where nothing better is found.
    actions: Vec<Action>,
}

/// What the next line is.
enum Stage {
    /// The first of the conversation.
    Ids,
    /// The size of the Othello board.
    BoardSize {
        /// Tengen's side.
        me: Side,
    },
    /// A line of a turn.
    Turn {
        /// Tengen's side.
        me: Side,
        /// What was read of the turn.
        turn: Turn,
    },
}

/// A turn as far as it was read.
#[derive(Default)]
struct Turn {
    /// How many of its lines were read.
    lines: usize,
    stones: Vec<(Point, Side)>,
    /// A row was no row of the board.
    blurred: bool,
    /// How many actions are listed, once that is known.
    listed: usize,
    /// Those that can be read.
    actions: Vec<Action>,
}

/// What a turn is after a line of it.
enum Progress {
    Unfinished,
    Finished,
    /// It cannot be told how many lines it has.
    Lost,
}

impl Turn {
    fn read(&mut self, setup: &Setup, line: &str) -> Progress {
        let frame = usize::from(setup.game() == GameKind::Connect4);
        let count_at = frame + usize::from(setup.rows);
        match self.lines {
            at if at < frame => {}
            at if at < count_at => self.read_row(setup, (at - frame) as u8, line),
            at if at == count_at => match line.parse::<u8>() {
                Ok(count) => self.listed = usize::from(count),
                Err(_) => return Progress::Lost,
            },
            at if at <= count_at + self.listed => self.actions.extend(read_action(setup, line)),
            _ => {}
        }
        self.lines += 1;
        if self.lines > count_at && self.lines == count_at + 1 + self.listed + frame {
            Progress::Finished
        } else {
            Progress::Unfinished
        }
    }

    fn read_row(&mut self, setup: &Setup, row: u8, line: &str) {
        self.blurred |= line.len() != usize::from(setup.cols);
        for (col, cell) in (0..setup.cols).zip(line.chars()) {
            match cell {
                '0' => self.stones.push((Point { col, row }, Side::First)),
                '1' => self.stones.push((Point { col, row }, Side::Second)),
                '.' => {}
                _ => self.blurred = true,
            }
        }
    }
}

impl CodinGame {
    /// A translator that begins with the board of `defaults.setup`, until the referee's first
    /// line tells the puzzle.
    ///
    /// # Errors
    /// When the game of `defaults.setup` cannot be played so.
    pub fn new(defaults: Defaults) -> Result<CodinGame, SetupError> {
        Ok(CodinGame {
            game: Tentative::new(any::new_game(&defaults.setup)?),
            defaults,
            stage: Stage::Ids,
            fresh: true,
            actions: Vec::new(),
        })
    }

    /// The ids: those of both players in Connect 4, Tengen's own in Othello.
    fn introduce(&mut self, line: &str) -> Requests {
        if let Some(me) = both_ids(line) {
            let usual = Setup::standard(GameKind::Connect4).with_size(9, 7);
            return self.begin(
                me,
                usual.with(Connect4Rules {
                    steal: true,
                    ..usual.connect4()
                }),
            );
        }
        if let Some(me) = id(line) {
            self.stage = Stage::BoardSize { me };
        }
        Requests::new()
    }

    fn begin_othello(&mut self, me: Side, line: &str) -> Requests {
        let size = line.parse().unwrap_or(0);
        self.begin(me, Setup::standard(GameKind::Reversi).with_size(size, size))
    }

    /// A setup that cannot be played sends the conversation back to its beginning.
    fn begin(&mut self, me: Side, setup: Setup) -> Requests {
        let Ok(game) = any::new_game(&setup) else {
            self.stage = Stage::Ids;
            return Requests::new();
        };
        self.game.replace(game);
        self.stage = Stage::Turn {
            me,
            turn: Turn::default(),
        };
        self.fresh = true;
        smallvec![Request::NewGame(setup)]
    }

    /// Answers a turn that was read to its end.
    fn act(&mut self, me: Side, turn: Turn, out: &mut Vec<String>) -> Requests {
        let setup = self.game.setup();
        self.actions = turn.actions;
        let fresh = std::mem::replace(&mut self.fresh, false);
        let game = any::from_stones(&setup, &turn.stones, me);
        let game = game.ok().filter(|game| !turn.blurred && can_move(&**game));
        let Some(game) = game else {
            out.extend(self.resort());
            return Requests::new();
        };
        self.game.replace(game);
        smallvec![
            Request::Position {
                setup,
                stones: turn.stones,
                to_move: me,
            },
            Request::Think(Allowance {
                time: self.grant(fresh),
                playouts: self.defaults.playouts,
                report_every: None,
            }),
        ]
    }

    /// The answer where nothing better is found.
    fn resort(&self) -> Option<String> {
        let action = self.actions.first()?;
        Some(write(&self.game.setup(), *action))
    }

    fn may_answer(&self, action: Action) -> bool {
        self.actions.is_empty() || self.actions.contains(&action)
    }

    fn grant(&self, fresh: bool) -> TimeControl {
        if !self.defaults.is_unlimited() {
            return self.defaults.time;
        }
        TimeControl::per_move(if fresh { FIRST_TURN } else { LATER_TURN })
    }
}

impl Protocol for CodinGame {
    fn feed(&mut self, line: &str, out: &mut Vec<String>) -> Requests {
        self.game.settle();
        self.actions.clear();
        let line = line.trim();
        if line.is_empty() {
            return Requests::new();
        }
        let (me, turn) = match &mut self.stage {
            Stage::Ids => return self.introduce(line),
            Stage::BoardSize { me } => {
                let me = *me;
                return self.begin_othello(me, line);
            }
            Stage::Turn { me, turn } => (*me, turn),
        };
        match turn.read(&self.game.setup(), line) {
            Progress::Unfinished => Requests::new(),
            Progress::Finished => {
                let turn = std::mem::take(turn);
                self.act(me, turn, out)
            }
            Progress::Lost => {
                *turn = Turn::default();
                Requests::new()
            }
        }
    }

    fn render(&mut self, event: &Event, out: &mut Vec<String>) -> Requests {
        let Event::Best(report) = event else {
            return Requests::new();
        };
        match report.best {
            Some(action) if self.may_answer(action) && self.game.play(action).is_ok() => {
                out.push(write(&self.game.setup(), action));
                smallvec![Request::Play(action)]
            }
            _ => {
                out.extend(self.resort());
                Requests::new()
            }
        }
    }

    /// A bot that does not play the game lets the first listed action be played.
    fn refuse(&mut self, _: &str, out: &mut Vec<String>) {
        self.game.restore();
        match self.resort() {
            Some(answer) => out.push(answer),
            None => self.stage = Stage::Ids,
        }
    }

    fn urgency(&self, _: &str) -> Urgency {
        Urgency::InTurn
    }

    fn board(&self) -> &dyn AnyGame {
        &**self.game
    }
}

/// Tengen's side by the line that begins Connect 4, which no other protocol begins with: its own
/// id and the opponent's.
pub fn both_ids(line: &str) -> Option<Side> {
    let (own, other) = line.trim().split_once(' ')?;
    let me = id(own)?;
    (id(other.trim_start())? != me).then_some(me)
}

fn id(text: &str) -> Option<Side> {
    match text {
        "0" => Some(Side::First),
        "1" => Some(Side::Second),
        _ => None,
    }
}

/// Whether the side to move has anything but a pass.
fn can_move(game: &dyn AnyGame) -> bool {
    game.outcome().is_none() && !game.is_legal(Action::Pass)
}

fn write(setup: &Setup, action: Action) -> String {
    match action {
        Action::Column(col) => col.to_string(),
        Action::Steal => "STEAL".to_owned(),
        Action::Point(_) | Action::Pass => notation::write(setup, action),
    }
}

fn read_action(setup: &Setup, text: &str) -> Option<Action> {
    match setup.game() {
        GameKind::Connect4 if text == STEAL => Some(Action::Steal),
        GameKind::Connect4 => text.parse().ok().map(Action::Column),
        _ => notation::parse(setup, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ids_are_told_from_anything_else() {
        assert_eq!(both_ids("0 1"), Some(Side::First));
        assert_eq!(both_ids(" 1  0 "), Some(Side::Second));
        for line in ["0", "0 0", "1 2", "0 1 0", "1 name", ""] {
            assert_eq!(both_ids(line), None, "{line}");
        }
    }

    #[test]
    fn a_time_of_the_command_line_holds_for_every_turn() {
        let codingame = |time| {
            CodinGame::new(Defaults {
                setup: Setup::standard(GameKind::Reversi),
                time,
                playouts: None,
            })
            .unwrap()
        };
        let own = TimeControl::per_move(Duration::from_secs(7));
        assert_eq!(codingame(own).grant(true), own);
        assert_eq!(codingame(own).grant(false), own);
        let usual = codingame(TimeControl::default());
        assert!(usual.grant(true).per_move < Some(Duration::from_millis(1000)));
        assert!(usual.grant(false).per_move < Some(Duration::from_millis(100)));
    }
}
