//! A session around any thinker: it lends the thinker to the thinking thread, and owns the history of
//! the game.

use super::{Event, EventSink, Order, Session, ThinkingThread};
use crate::game::{Action, AnyGame, Game, History, Move, PlayError, Playable};
use crate::options::SessionOptions;
use crate::search::{End, Limits, Report, StopFlag};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// How a thinker is to think.
pub struct Task<'a> {
    /// What it may spend.
    pub limits: &'a Limits,
    /// Ends the thinking soon after it is set.
    pub stop: &'a StopFlag,
    /// Is told what was found so far, as often as the limits say.
    pub on_info: &'a mut dyn FnMut(Report),
}

/// What chooses moves: a search, or a bot without one.
pub trait Thinker<G: Game>: Send + 'static {
    /// The move was played; `position` is the one after it. By default nothing is kept of a game.
    fn advance(&mut self, _mv: Move, _position: &G) {}

    /// The board changed in another way. By default nothing is kept of a game.
    fn reset(&mut self, _position: &G) {}

    /// About how many more plies of the game take it time, by which it shares out what is left on a
    /// clock.
    fn plies_to_think_about(&self, position: &G) -> u32 {
        position.likely_plies_left()
    }

    /// Chooses a move in a game that goes on, and blocks until it is chosen.
    fn choose(&mut self, position: &G, task: Task<'_>) -> Report;

    /// Chooses a move, or tells the outcome of a game that is over.
    fn think(&mut self, position: &G, task: Task<'_>) -> Report {
        match position.outcome() {
            Some(outcome) => Report::of_outcome(outcome, position.side_to_move()),
            None => self.choose(position, task),
        }
    }
}

/// One game being played by one thinker, which is on the thinking thread while it thinks.
pub struct Seat<G: Playable, T> {
    game: History<G>,
    thread: ThinkingThread,
    thinker: Option<T>,
    thinking: Option<Thinking<T>>,
    thoughts: u64,
    move_overhead: Duration,
    /// The most playouts of a search, whatever the order allows. `None`: as many as that.
    most_playouts: Option<u64>,
    events: EventSink,
}

/// What is being thought.
struct Thinking<T> {
    /// Hands the thinker back at the end.
    thinker: Receiver<T>,
    stop: Arc<StopFlag>,
    silent: Arc<AtomicBool>,
    /// How many plies it was to think about when it began.
    plies: u32,
}

impl<G: Playable, T: Thinker<G>> Seat<G, T> {
    /// A game that begins with the position which `thinker` was made for. The option
    /// `move_overhead` is kept back from every time limit, and `playouts` bounds every search.
    pub fn new(
        start: G,
        thinker: T,
        options: &SessionOptions,
        thread: &ThinkingThread,
        events: EventSink,
    ) -> Self {
        Seat {
            game: History::new(start),
            thread: thread.clone(),
            thinker: Some(thinker),
            thinking: None,
            thoughts: 0,
            move_overhead: Duration::from_millis(options.move_overhead),
            most_playouts: options.playouts,
            events,
        }
    }

    fn start(&mut self, mut limits: Limits, silent: bool) {
        self.abort();
        let bounds = [limits.playouts, self.most_playouts];
        limits.playouts = bounds.into_iter().flatten().min();
        let Some(mut thinker) = self.thinker.take() else {
            return;
        };
        self.thoughts += 1;
        let thought = self.thoughts;
        let position = self.game.position().clone();
        let plies = thinker.plies_to_think_about(&position);
        let stop = Arc::new(StopFlag::new());
        let silent = Arc::new(AtomicBool::new(silent));
        let (flag, muted, events) = (stop.clone(), silent.clone(), self.events.clone());
        let (hand_back, thinker_back) = mpsc::channel();
        self.thread.run(move || {
            let tell = |event| {
                if !muted.load(Ordering::Acquire) {
                    events(thought, event);
                }
            };
            let task = Task {
                limits: &limits,
                stop: &flag,
                on_info: &mut |report| tell(Event::Info(report)),
            };
            let report = thinker.think(&position, task);
            tell(Event::Best(report));
            // Nobody takes it back where the session is gone.
            let _ = hand_back.send(thinker);
        });
        self.thinking = Some(Thinking {
            thinker: thinker_back,
            stop,
            silent,
            plies,
        });
    }

    /// The thinker at rest. `None` only after its thread was lost.
    fn rest(&mut self) -> Option<&mut T> {
        self.abort();
        self.thinker.as_mut()
    }
}

impl<G: Playable, T: Thinker<G>> Session for Seat<G, T> {
    fn play(&mut self, action: Action) -> Result<(), PlayError> {
        self.abort();
        let mv = self.game.position().parse_action(action);
        self.game.play(action)?;
        let position = self.game.position().clone();
        if let (Some(mv), Some(thinker)) = (mv, self.rest()) {
            thinker.advance(mv, &position);
        }
        Ok(())
    }

    fn undo(&mut self) -> Result<(), PlayError> {
        self.abort();
        self.game.undo()?;
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        let position = self.game.position().clone();
        if let Some(thinker) = self.rest() {
            thinker.reset(&position);
        }
    }

    fn think(&mut self, order: Order) -> u64 {
        self.abort();
        let plies_left = self.plies_to_think_about();
        let Order {
            received,
            allowance,
        } = order;
        let limits = Limits {
            since: received,
            budget: allowance.time.budget(plies_left, self.move_overhead),
            playouts: allowance.playouts,
            report_every: allowance.report_every,
        };
        self.start(limits, false);
        self.thoughts
    }

    fn ponder(&mut self) {
        self.start(Limits::unlimited(crate::clock::now()), true);
    }

    fn stop(&mut self) {
        if let Some(thinking) = &self.thinking {
            thinking.stop.set(End::Asked);
        }
    }

    fn abort(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            thinking.silent.store(true, Ordering::Release);
            thinking.stop.set(End::Asked);
            self.thinker = thinking.thinker.recv().ok();
        }
    }

    fn plies_to_think_about(&self) -> u32 {
        let position = self.game.position();
        match (&self.thinker, &self.thinking) {
            (Some(thinker), _) => thinker.plies_to_think_about(position),
            (None, Some(thinking)) => thinking.plies,
            // Its thread was lost.
            (None, None) => 0,
        }
    }

    fn game(&self) -> &dyn AnyGame {
        &self.game
    }
}

impl<G: Playable, T> Drop for Seat<G, T> {
    fn drop(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            thinking.silent.store(true, Ordering::Release);
            thinking.stop.set(End::Asked);
            // Nobody is left to tell of a thread that was lost.
            let _ = thinking.thinker.recv();
        }
    }
}
