//! One game being played by one bot.

mod seat;
mod thread;

pub use seat::{Seat, Task, Thinker};
pub use thread::ThinkingThread;

use crate::clock::{Instant, TimeControl};
use crate::game::{Action, AnyGame, PlayError};
use crate::search::Report;
use std::sync::Arc;
use std::time::Duration;

/// An order to think about the position on the board.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// When the line arrived that asked for it; the clock has been running since.
    pub received: Instant,
    /// What the thinking may take.
    pub allowance: Allowance,
}

/// What a thinking may take, and how often it is heard of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// The time granted. With nothing granted and no `playouts`, the search goes on until it
    /// is stopped.
    pub time: TimeControl,
    /// The most playouts to make.
    pub playouts: Option<u64>,
    /// How often to tell what was found so far. `None`: never.
    pub report_every: Option<Duration>,
}

/// What a session tells while it thinks.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// What was found so far.
    Info(Report),
    /// The end of the thinking that was ordered. The move is not played yet.
    Best(Report),
}

/// Where a session sends its events: the number that `think` returned, and the event. Called
/// from the thinking thread.
pub type EventSink = Arc<dyn Fn(u64, Event) + Send + Sync>;

/// One game being played by one bot.
pub trait Session: Send {
    /// Plays a move on the board. Stops thinking first, with no answer, and keeps what was
    /// learned about the position that arises.
    ///
    /// # Errors
    /// When the move is not legal. Thinking has stopped; the game is as it was.
    fn play(&mut self, action: Action) -> Result<(), PlayError>;

    /// Takes the last move back. Stops thinking first, with no answer.
    ///
    /// # Errors
    /// When none was played.
    fn undo(&mut self) -> Result<(), PlayError>;

    /// Forgets what was learned. Stops thinking first, with no answer; the game is as it was.
    fn clear(&mut self);

    /// Begins to think and returns at once the number of this thinking, which its events
    /// carry. Ends in exactly one `Event::Best`, unless it is aborted. Aborts any thinking
    /// before it. When the game is over, `Best` follows with no move.
    fn think(&mut self, order: Order) -> u64;

    /// Begins to think until the next call of another method. Returns at once; sends nothing.
    fn ponder(&mut self);

    /// Ends the thinking: its `Best` follows at once. Does not block.
    fn stop(&mut self);

    /// Ends the thinking with no answer. Blocks until no thread is working, about a
    /// millisecond.
    fn abort(&mut self);

    /// About how many more plies of the game take time, by which what is left on a clock is shared
    /// out: as when it began, while it thinks.
    fn plies_to_think_about(&self) -> u32;

    /// The game as played so far.
    fn game(&self) -> &dyn AnyGame;
}
