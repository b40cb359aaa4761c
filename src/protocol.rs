//! Lines in, requests out; events in, lines out.
//!
//! A protocol is a pure translator. It keeps its own board by the rules, so that it answers
//! everything that needs no thinking itself, and what it asks of the session is always legal.

pub mod botzone;
pub mod codingame;
mod depth;
pub mod detect;
pub mod gomocup;
pub mod gtp;
pub mod nboard;
mod retold;
pub mod riddles;
pub mod saiblo;
mod tentative;
mod text;
pub mod ugi;
pub mod web;
mod whole;

pub use detect::{ProtocolKind, detect, open};

use crate::clock::{TimeControl, USUAL_TIME};
use crate::game::{Action, AnyGame, Point, Setup, Side};
use crate::session::{Allowance, Event};
use smallvec::SmallVec;
use std::path::PathBuf;

/// What holds until the other end of the line says otherwise. The session begins with a new
/// game of this `setup`, so a protocol that is content with it need not ask for one.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    /// The game, from the command line.
    pub setup: Setup,
    /// The time for a move where the other end grants none. Without a limit here or in
    /// `playouts`, what is usual for the protocol holds.
    pub time: TimeControl,
    /// The most playouts of every thinking.
    pub playouts: Option<u64>,
}

impl Defaults {
    /// Whether nothing limits a thinking.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.time == TimeControl::default() && self.playouts.is_none()
    }

    /// The same, with [`USUAL_TIME`] for a move if nothing was limited.
    #[must_use]
    pub fn limited(self) -> Defaults {
        if self.is_unlimited() {
            let time = TimeControl::per_move(USUAL_TIME);
            return Defaults { time, ..self };
        }
        self
    }
}

/// What a protocol asks of the loop that holds the session.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A new game from its opening position.
    NewGame(Setup),
    /// A new game from these stones. Where the position follows from the one on the board by
    /// one or two moves, the session keeps its tree.
    Position {
        /// What is agreed.
        setup: Setup,
        /// Every stone on the board.
        stones: Vec<(Point, Side)>,
        /// Whose turn it is.
        to_move: Side,
    },
    /// A legal move.
    Play(Action),
    /// Take the last move back.
    Undo,
    /// Forget what was learned about the position on the board, which stays.
    Clear,
    /// Think; an `Event::Best` is awaited. The time counts from the stamp of the line.
    Think(Allowance),
    /// Answer the thinking now.
    Stop,
    /// End the thinking with no answer.
    Abort,
    /// Set an option of the options table, for the session from now on.
    Set {
        /// The name in the table.
        name: &'static str,
        /// The value as text.
        value: String,
    },
    /// Let another bot sit at the game from now on, by its name. It knows nothing of what the one
    /// before found.
    Bot {
        /// The name in the table of bots, or that of [`crate::bots::SCORER`].
        name: &'static str,
    },
    /// Read a file, the last request of its line. [`Protocol::hear_file`] is given what it holds.
    Read(PathBuf),
    /// Write a game to a file, which may replace another game and nothing else.
    Write {
        /// Where.
        path: PathBuf,
        /// The whole file.
        text: String,
    },
    /// End the process, with success.
    Quit,
}

/// The requests of one line.
pub type Requests = SmallVec<[Request; 2]>;

/// When a line that arrives while the session thinks is given to the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// In its turn, after the answer.
    InTurn,
    /// At once.
    AtOnce,
    /// At once; and thoughts that lines before it ask for, which wait, are stopped as they begin.
    Stop,
    /// In its turn; but all that is thought before it is answered soon, for the process will end.
    Last,
}

/// Bytes of a line that are read; the rest of it is dropped, so that a flood cannot take the memory.
/// No protocol has lines of nearly this length.
pub const LONGEST_LINE: usize = 1 << 20;

/// How the lines that a protocol writes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// By the line feed that ends each.
    Lines,
    /// By its length before each, four bytes, the highest first. The line feed counts.
    LengthFirst,
}

/// A translator between the lines of one protocol and the requests and events of a session.
pub trait Protocol: Send {
    /// Reads one line, without its line end. Writes answers that need no thinking to `out`,
    /// one line each, and returns what the session must do, in this order. A line that is
    /// refused changes nothing.
    fn feed(&mut self, line: &str, out: &mut Vec<String>) -> Requests;

    /// Reads the file that the last line asked for by [`Request::Read`], or why it cannot be read; the rest
    /// is as for [`feed`](Self::feed). Where there are no files, that request is refused.
    fn hear_file(&mut self, _: Result<String, String>, _: &mut Vec<String>) -> Requests {
        Requests::new()
    }

    /// Writes the lines that tell of an event, and returns what the session must do then.
    ///
    /// [`Event::Best`] does not play its move, for a protocol may ask for a move without
    /// wanting it played. Where it should be played, this plays it on the protocol's own board
    /// and returns `Play`, which the loop hands to the session like any other request.
    /// Only events of the thinking that was asked for last come here; after `Abort` none do.
    fn render(&mut self, event: &Event, out: &mut Vec<String>) -> Requests;

    /// The session could not do what the last line asked; writes the protocol's error. The
    /// loop does not write what `feed` answered to that line, and drops its other requests.
    /// The protocol's own board goes back to what it was before the line.
    ///
    /// Only `NewGame`, `Position`, `Set` and `Bot` can be refused, for a bot need not play every game, and
    /// `Read` and `Write`, for a file cannot always be had.
    fn refuse(&mut self, reason: &str, out: &mut Vec<String>);

    /// When this line, arriving while the session thinks, is fed.
    fn urgency(&self, line: &str) -> Urgency;

    /// Whether what is being thought has no end of its own, but ends with any line: the end of the
    /// input ends it too.
    fn is_open_ended(&self) -> bool {
        false
    }

    /// The input has ended, and all lines that came are answered. Writes what is still to be said.
    fn end(&mut self, _: &mut Vec<String>) {}

    /// How the lines that it writes are told apart.
    fn framing(&self) -> Framing {
        Framing::Lines
    }

    /// The protocol's own board, which the session's equals once all requests are carried
    /// out.
    fn board(&self) -> &dyn AnyGame;
}
