//! The manager's side of each protocol.
//!
//! A dialect is asked for a move with the game as it stands; it tells the engine whatever of
//! it the engine has not seen yet. So an opening is nothing special, and an engine that was
//! restarted can be told a whole game.

pub mod gomocup;
pub mod gtp;
mod library;
mod nboard;
mod ugi;

pub use gomocup::Gomocup;
pub use gtp::Gtp;
pub use library::Library;
pub use nboard::NBoard;
pub use ugi::Ugi;

use crate::arena::engines::process::{Ending, Line, Process, Silence, ended};
use crate::arena::records::record::{Termination, TopMove};
use crate::arena::{Stop, Terms};
use crate::clock::{self, TimeControl};
use crate::game::{Action, AnyGame, Side};
use crate::keeper;
use std::time::{Duration, Instant};

/// How long the end of what it wrote to its standard error may take to come.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// What an engine did that loses it the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub termination: Termination,
    /// What happened, in words.
    pub detail: String,
}

impl Fault {
    pub(crate) fn new(termination: Termination, detail: impl Into<String>) -> Fault {
        let detail = detail.into();
        Fault {
            termination,
            detail,
        }
    }

    /// The engine answered `answer` to `question`, which its protocol does not allow.
    fn nonsense(question: &str, answer: &str) -> Fault {
        let shown: String = answer.chars().take(80).collect();
        Fault::new(
            Termination::Protocol,
            format!("answered {shown:?} to {question:?}"),
        )
    }
}

/// What an engine chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A move, legal or not.
    Move(Action),
    /// It gives up.
    Resign,
}

/// What an engine told of its choice, as far as its protocol says it for sure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// The score 0..1 that it expects for itself.
    pub value: Option<f64>,
    /// Playouts, or nodes, that it made for this move.
    pub playouts: Option<u64>,
    /// How many plies it looked ahead.
    pub depth: Option<u32>,
    /// The moves that it looked at, best first: at most
    /// [`MoveRecord::MOST_TOP`](crate::arena::records::record::MoveRecord::MOST_TOP).
    pub top: Vec<TopMove>,
}

#[cfg(test)]
impl Told {
    /// What is read from these lines, one after the other: the value and the playouts.
    fn of_lines(lines: &[&str], read: impl Fn(&str, &mut Told)) -> (Option<f64>, Option<u64>) {
        let mut told = Told::default();
        lines.iter().for_each(|line| read(line, &mut told));
        (told.value, told.playouts)
    }
}

/// An engine's choice with the time of its arrival.
#[derive(Clone, Debug)]
pub struct Reply {
    /// What was chosen.
    pub choice: Choice,
    /// What was told of it.
    pub told: Told,
    /// When the line was read.
    pub arrived: Instant,
}

/// A question for a move.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// The game as it stands.
    pub game: &'a dyn AnyGame,
    /// What either side may use now, by [`Side::index`].
    pub time: [TimeControl; 2],
    /// When an engine that has not answered hangs.
    pub deadline: Instant,
}

impl Turn<'_> {
    /// What the side to move may use.
    fn own_time(&self) -> TimeControl {
        self.time[self.side().index()]
    }

    fn side(&self) -> Side {
        self.game.side_to_move()
    }
}

/// What a manager says to an engine, and what it makes of the answers.
pub trait Dialect: Send {
    /// Begins a game from its opening position.
    ///
    /// # Errors
    /// When the engine refuses, is silent or is gone.
    fn new_game(&mut self, wire: &Wire<'_>) -> Result<(), Fault>;

    /// Tells what was played and asks for the next move.
    ///
    /// # Errors
    /// When what came is no move, or nothing came before the deadline.
    fn ask(&mut self, wire: &Wire<'_>, turn: &Turn<'_>) -> Result<Reply, Fault>;

    /// The least that the engine is granted for a move where the terms limit moves: some
    /// protocols cannot say every time.
    fn least_time(&self) -> Duration {
        Duration::ZERO
    }

    /// The line that asks the engine to end.
    fn farewell(&self) -> &'static str;
}

/// An engine's process as a dialect uses it.
pub struct Wire<'a> {
    process: &'a Process,
    stop: &'a Stop,
    patience: Duration,
}

impl<'a> Wire<'a> {
    /// The lines to and from a process, under the terms of its game.
    pub(crate) fn new(process: &'a Process, terms: &Terms, stop: &'a Stop) -> Wire<'a> {
        Wire {
            process,
            stop,
            patience: terms.patience,
        }
    }

    /// Sends a line.
    pub(crate) fn send(&self, line: &str) {
        self.process.send(line);
    }

    /// When an answer that needs no thinking is due.
    pub(crate) fn soon(&self) -> Instant {
        clock::now() + self.patience
    }

    /// The next line that arrived after `asked`. What came earlier answers no question and is
    /// dropped.
    pub(crate) fn next(&self, asked: Instant, deadline: Instant) -> Result<Line, Fault> {
        loop {
            let line = self.process.receive(deadline, self.stop);
            let line = line.map_err(|silence| self.explain(silence))?;
            if let Some(fault) = self.word_of_keeper(&line.text) {
                return Err(fault);
            }
            // A flood of lines must not extend the deadline.
            if line.arrived > deadline {
                return Err(hang());
            }
            if line.arrived >= asked {
                return Ok(line);
            }
        }
    }

    /// Passes over what the engine has said so far: it answers nothing that is asked from now on.
    ///
    /// # Errors
    /// When it has ended meanwhile.
    pub(crate) fn pass_over(&self) -> Result<(), Fault> {
        let mut ended = Ok(());
        self.process.pass_over(|line| {
            if let Some(fault) = self.word_of_keeper(line) {
                ended = Err(fault);
            }
        });
        ended
    }

    /// What a keeper says of the engine in its place.
    fn word_of_keeper(&self, line: &str) -> Option<Fault> {
        if let Some(status) = line.strip_prefix(keeper::ENDED) {
            return Some(self.ended(status));
        }
        let reason = line.strip_prefix(keeper::CANNOT_START)?;
        let detail = format!("cannot start {reason}");
        Some(Fault::new(Termination::Crash, detail))
    }

    /// A limit of processor time ends a process by a signal of its own, where one was set when the
    /// engine was started.
    fn ended(&self, status: &str) -> Fault {
        if status.contains("SIGXCPU") {
            return Fault::new(Termination::Time, "used up its processor time");
        }
        let mut detail = ended(status);
        let errors = self.process.last_errors(LAST_WORDS);
        if !errors.is_empty() {
            detail.push_str(&format!(", its last words: {errors:?}"));
        }
        Fault::new(Termination::Crash, detail)
    }

    /// Asks the engine to end, and waits a little for it.
    pub(crate) fn say_farewell(&self, line: &str) {
        self.send(line);
        let _ = self.process.farewell();
    }

    fn explain(&self, silence: Silence) -> Fault {
        match self.process.ending(silence) {
            Ending::Exit(status) => self.ended(&status.to_string()),
            Ending::Silent => hang(),
            ending => Fault::new(Termination::Crash, ending.to_string()),
        }
    }
}

fn hang() -> Fault {
    Fault::new(Termination::Hang, Ending::Silent.to_string())
}
