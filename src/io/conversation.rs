//! The loop that joins a protocol to a player: one message at a time.

use super::Message;
use super::files;
use super::reader::Line;
use super::terminal;
use super::wire::Wire;
use crate::clock;
use crate::player::Player;
use crate::protocol::{Protocol, Request, Requests, Urgency};
use crate::session::{Event, Order};
use crate::slices;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long all that is still thought may last once the other end has said that it is leaving, and a
/// thought that is not worth waiting for once the input has ended. Piskvork waits 700 ms for the
/// process to end.
const LEAVING: Duration = Duration::from_millis(500);

/// How long a thought may last once the input has ended. Where it would last longer by its limits,
/// it is answered soon: the other end is more likely gone than waiting (guess).
const UNATTENDED: Duration = Duration::from_secs(30);

/// More playouts than these take longer than that in every game.
const UNATTENDED_PLAYOUTS: u64 = 100_000_000;

/// Whether the conversation goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

/// A protocol, a player, and the lines that wait for an answer to the one before.
pub struct Conversation {
    protocol: Box<dyn Protocol>,
    player: Player,
    waiting: VecDeque<Line>,
    /// How many of these, from the first on, came before a stop.
    stopped: usize,
    /// The thinking whose answer is awaited.
    thinking: Option<Thinking>,
    /// When the input ended.
    ended: Option<Instant>,
    /// When everything must be answered, because the other end has said that it is leaving.
    leaving: Option<Instant>,
    /// A person types the lines.
    typed: bool,
}

struct Thinking {
    /// The numbers that its events carry: the session's and its own.
    session: u64,
    thought: u64,
    order: Order,
    /// When it is stopped, because nobody waits for it much longer.
    stop_at: Option<Instant>,
}

impl Conversation {
    /// A conversation at its beginning. A person gets help, if the lines are `typed`.
    pub fn new(protocol: Box<dyn Protocol>, player: Player, typed: bool) -> Self {
        Conversation {
            protocol,
            player,
            waiting: VecDeque::new(),
            stopped: 0,
            thinking: None,
            ended: None,
            leaving: None,
            typed,
        }
    }

    /// Answers `first` and every line that follows, until the other end quits or the input ends.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn hold(
        &mut self,
        first: Option<Line>,
        messages: &Receiver<Message>,
        wire: &mut Wire<'_>,
    ) -> anyhow::Result<()> {
        let mut flow = match first {
            Some(line) => self.line(line, wire)?,
            None => Flow::Continue,
        };
        while flow == Flow::Continue {
            flow = match self.next_waiting() {
                Some(line) => self.feed_waiting(line, wire)?,
                None if self.ended.is_some() && self.thinking.is_none() => self.end(wire)?,
                None => match self.receive(messages)? {
                    Some(message) => self.take(message, wire)?,
                    None => Flow::Continue,
                },
            };
        }
        Ok(())
    }

    /// A line whose turn has come: nothing is being thought, or what is now, which waited before
    /// it, is for this line to interrupt. Its time begins now, for the other end could not expect
    /// an answer before the one to the line before it.
    fn next_waiting(&mut self) -> Option<Line> {
        let first = self.waiting.front()?;
        let interrupts = |urgency| matches!(urgency, Urgency::AtOnce | Urgency::Stop);
        if self.thinking.is_some() && !interrupts(self.protocol.urgency(&first.text)) {
            return None;
        }
        let mut line = self.waiting.pop_front()?;
        line.received = clock::now();
        Some(line)
    }

    /// The next message. `None`: the time of a thinking that had to end soon is up, and it has
    /// been stopped.
    fn receive(&mut self, messages: &Receiver<Message>) -> anyhow::Result<Option<Message>> {
        let Some(stop_at) = self.thinking.as_ref().and_then(|thinking| thinking.stop_at) else {
            return Ok(Some(messages.recv()?));
        };
        // Messages that are there already must not put the stop off.
        let left = stop_at.saturating_duration_since(clock::now());
        if !left.is_zero() {
            match messages.recv_timeout(left) {
                Ok(message) => return Ok(Some(message)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.stop();
        Ok(None)
    }

    fn take(&mut self, message: Message, wire: &mut Wire<'_>) -> anyhow::Result<Flow> {
        match message {
            Message::Line(line) => return self.line(line, wire),
            Message::Event(session, thought, event, _unwritten) => {
                return self.event(session, thought, &event, wire);
            }
            // What ends the thought may wait behind what cannot be read now.
            Message::Full => self.stop(),
            Message::End => {
                self.ended = Some(clock::now());
                self.hurry();
            }
        }
        Ok(Flow::Continue)
    }

    fn line(&mut self, line: Line, wire: &mut Wire<'_>) -> anyhow::Result<Flow> {
        if self.typed && terminal::is_help(&line.text) {
            wire.heard(&line);
            wire.say(&terminal::help())?;
            return Ok(Flow::Continue);
        }
        if self.thinking.is_none() {
            return self.feed(line, wire);
        }
        match self.protocol.urgency(&line.text) {
            Urgency::AtOnce => return self.feed(line, wire),
            Urgency::Stop => {
                self.stopped = self.waiting.len();
                return self.feed(line, wire);
            }
            Urgency::InTurn => {}
            Urgency::Last => {
                self.leaving.get_or_insert(line.received + LEAVING);
                self.hurry();
            }
        }
        self.waiting.push_back(line);
        Ok(Flow::Continue)
    }

    /// Feeds a line that waited. What it asks to think about is stopped at once if a stop came after it.
    fn feed_waiting(&mut self, line: Line, wire: &mut Wire<'_>) -> anyhow::Result<Flow> {
        let flow = self.feed(line, wire)?;
        if self.stopped > 0 {
            self.stopped -= 1;
            self.stop();
        }
        Ok(flow)
    }

    fn feed(&mut self, line: Line, wire: &mut Wire<'_>) -> anyhow::Result<Flow> {
        wire.heard(&line);
        let mut out = Vec::new();
        let requests = self.protocol.feed(&line.text, &mut out);
        let requests = files::hear(&mut *self.protocol, requests, &mut out);
        let flow = match self.carry_out(requests, line.received) {
            Ok(flow) => flow,
            Err(reason) => {
                out.clear();
                self.protocol.refuse(&reason, &mut out);
                Flow::Continue
            }
        };
        wire.say(&out)?;
        Ok(flow)
    }

    fn event(
        &mut self,
        session: u64,
        thought: u64,
        event: &Event,
        wire: &mut Wire<'_>,
    ) -> anyhow::Result<Flow> {
        let awaited = |t: &Thinking| (t.session, t.thought) == (session, thought);
        if !self.thinking.as_ref().is_some_and(awaited) {
            return Ok(Flow::Continue);
        }
        let mut out = Vec::new();
        let requests = self.protocol.render(event, &mut out);
        // The answer goes out first: re-rooting the tree can wait, the referee's clock cannot.
        wire.say(&out)?;
        if let Event::Info(_) = event {
            return Ok(Flow::Continue);
        }
        self.thinking = None;
        let flow = self.carry_out(requests, clock::now());
        if self.thinking.is_none() {
            self.player.ponder();
        }
        Ok(flow.unwrap_or_else(|reason| {
            log::error!("a session refused the move that it chose: {reason}");
            Flow::Continue
        }))
    }

    fn end(&mut self, wire: &mut Wire<'_>) -> anyhow::Result<Flow> {
        let mut out = Vec::new();
        self.protocol.end(&mut out);
        wire.say(&out)?;
        Ok(Flow::Quit)
    }

    /// Does what a line asked for that arrived at `received`. `Err` tells why the session
    /// cannot; what was asked for after it is dropped.
    fn carry_out(&mut self, requests: Requests, received: Instant) -> Result<Flow, String> {
        for request in requests {
            match request {
                Request::Think(allowance) => self.think(Order {
                    received,
                    allowance,
                }),
                Request::Stop => self.player.session().stop(),
                Request::Abort => {
                    self.player.session().abort();
                    self.thinking = None;
                }
                Request::Write { path, text } => files::write(&path, &text)?,
                Request::Quit => return Ok(Flow::Quit),
                request => slices::apply(request, &mut self.player)?,
            }
        }
        Ok(Flow::Continue)
    }

    fn think(&mut self, order: Order) {
        let thought = self.player.session().think(order);
        self.thinking = Some(Thinking {
            session: self.player.session_number(),
            thought,
            order,
            stop_at: None,
        });
        self.hurry();
    }

    /// Has what is being thought end in time for the other end, if that is leaving or gone.
    fn hurry(&mut self) {
        let Some(order) = self.thinking.as_ref().map(|thinking| thinking.order) else {
            return;
        };
        let unattended = self.ended.map(|ended| {
            let rest = match self.ends_alone(&order) {
                true => UNATTENDED,
                false => LEAVING,
            };
            ended.max(order.received) + rest
        });
        let stop_at = [self.leaving, unattended].into_iter().flatten().min();
        if let Some(thinking) = &mut self.thinking {
            thinking.stop_at = stop_at;
        }
    }

    /// Whether a thought is worth waiting for with nobody there to end it.
    fn ends_alone(&mut self, order: &Order) -> bool {
        let plies_left = self.player.session().plies_to_think_about();
        let budget = order.allowance.time.budget(plies_left, Duration::ZERO);
        let is_short = budget.is_some_and(|budget| budget.hard <= UNATTENDED);
        let playouts = order.allowance.playouts;
        let is_small = playouts.is_some_and(|playouts| playouts <= UNATTENDED_PLAYOUTS);
        (is_short || is_small) && !self.protocol.is_open_ended()
    }

    fn stop(&mut self) {
        if let Some(thinking) = &mut self.thinking {
            thinking.stop_at = None;
            self.player.session().stop();
        }
    }
}
