//! The standard streams, and the loop that joins a protocol to a session.
//!
//! One thread reads lines and stamps them as they arrive; a session's thinking thread sends
//! events. Both go into one channel, and the loop works on one message at a time. This is the
//! only room that touches the standard streams; standard output belongs to the protocol.

mod player;
mod wire;

pub use player::Player;

use crate::clock;
use crate::protocol::{Defaults, Protocol, Request, Requests, Urgency, detect};
use crate::session::{Event, Order};
use anyhow::Context;
use std::collections::VecDeque;
#[cfg(target_os = "linux")]
use std::fs::File;
use std::io::{BufRead, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use wire::{Line, Wire, read_lines};

/// How long a thinking may last once the other end has said that it is leaving. Piskvork
/// waits 700 ms for the process to end.
const LEAVING: Duration = Duration::from_millis(500);

/// The standard input.
#[expect(clippy::disallowed_methods, reason = "this is the room of the streams")]
pub fn input() -> impl BufRead + Send + 'static {
    std::io::BufReader::new(std::io::stdin())
}

/// The standard output. Whoever writes flushes.
#[expect(clippy::disallowed_methods, reason = "this is the room of the streams")]
pub fn output() -> impl Write {
    std::io::BufWriter::new(std::io::stdout())
}

/// Takes the standard input and output out of the reach of whatever else runs in this process,
/// and of what it starts: they move to descriptors of their own, and `/dev/null` takes the place
/// of all three standard streams.
///
/// # Errors
/// When a descriptor cannot be had.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "this is the room of the streams")]
pub fn take_streams() -> std::io::Result<(impl BufRead, impl Write)> {
    use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout};
    use std::os::fd::AsFd;

    let input = std::io::stdin().as_fd().try_clone_to_owned()?;
    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    let null = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(&null)?;
    let input = std::io::BufReader::new(File::from(input));
    Ok((input, std::io::BufWriter::new(File::from(output))))
}

/// The standard error stream, for progress that is not a log.
pub fn errors() -> impl Write {
    std::io::stderr()
}

/// What the loop works on.
enum Message {
    /// A line arrived.
    Line(Line),
    /// The input ended.
    End,
    /// A session tells something: its number, the number of its thinking, and what.
    Event(u64, u64, Event),
}

/// How a conversation is to be held, until the other end says otherwise.
pub struct Config {
    /// Who plays.
    pub bot: &'static crate::bots::Bot,
    /// The options that were set, by name and value, in this order.
    pub settings: Vec<(String, String)>,
    /// The game, and the limits where the other end grants none.
    pub defaults: Defaults,
    /// The protocol. `None`: the first line tells.
    pub protocol: Option<detect::Kind>,
    /// Takes every line both ways with a time stamp.
    pub transcript: Option<Box<dyn Write>>,
}

/// Speaks with whoever is at the other end of `input` and `output`, until it quits or the
/// input ends. Blocks until then.
///
/// # Errors
/// When the bot cannot play the game, an option cannot be set, or a stream fails; see
/// [`is_closed`] for the failure that is none.
pub fn speak(
    config: Config,
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
) -> anyhow::Result<()> {
    let (sender, messages) = mpsc::channel();
    let lines = sender.clone();
    std::thread::spawn(move || read_lines(input, |message| lines.send(message).is_ok()));
    let mut wire = Wire::new(output, config.transcript);

    let events = move |session, thought, event| {
        // The loop is gone only when the process is about to end.
        let _ = sender.send(Message::Event(session, thought, event));
    };
    let setup = config.defaults.setup;
    let player = Player::new(config.bot, config.settings, setup, events)?;
    let (kind, first) = match config.protocol {
        Some(kind) => (kind, None),
        None => match first_line(&messages, &mut wire)? {
            Some((kind, line)) => (kind, Some(line)),
            None => return Ok(()),
        },
    };
    let protocol = detect::open(kind, config.defaults)
        .with_context(|| format!("the protocol {kind} cannot speak of this game"))?;
    wire.set_framing(protocol.framing());
    Conversation::new(protocol, player).hold(first, &messages, &mut wire)
}

/// Whether the error is that the other end closed the output: nobody is left to speak to.
#[must_use]
pub fn is_closed(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// The first line that tells a protocol. `None`: the input ended before it.
fn first_line(
    messages: &Receiver<Message>,
    wire: &mut Wire<'_>,
) -> anyhow::Result<Option<(detect::Kind, Line)>> {
    while let Ok(Message::Line(line)) = messages.recv() {
        match detect::detect(&line.text) {
            Some(kind) => return Ok(Some((kind, line))),
            None => wire.heard(&line),
        }
    }
    Ok(None)
}

/// Whether the conversation goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

/// A protocol, a player, and the lines that wait for an answer to the one before.
struct Conversation {
    protocol: Box<dyn Protocol>,
    player: Player,
    waiting: VecDeque<Line>,
    /// The thinking whose answer is awaited.
    thinking: Option<Thinking>,
    /// The input has ended.
    ended: bool,
    /// The other end has said that it is leaving.
    leaving: bool,
}

struct Thinking {
    /// The numbers that its events carry: the session's and its own.
    session: u64,
    thought: u64,
    /// Nothing ends it but a stop.
    endless: bool,
    /// When it is stopped, because the other end is leaving.
    stop_at: Option<Instant>,
}

impl Conversation {
    fn new(protocol: Box<dyn Protocol>, player: Player) -> Self {
        Conversation {
            protocol,
            player,
            waiting: VecDeque::new(),
            thinking: None,
            ended: false,
            leaving: false,
        }
    }

    fn hold(
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
                Some(line) => self.feed(line, wire)?,
                None if self.ended && self.thinking.is_none() => self.end(wire)?,
                None => match self.receive(messages)? {
                    Some(Message::Line(line)) => self.line(line, wire)?,
                    Some(Message::Event(session, thought, event)) => {
                        self.event(session, thought, &event, wire)?
                    }
                    Some(Message::End) => {
                        self.end_of_input();
                        Flow::Continue
                    }
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
        if self.thinking.is_some() && self.protocol.urgency(&first.text) != Urgency::AtOnce {
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
        match messages.recv_timeout(stop_at.saturating_duration_since(clock::now())) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => {
                self.stop_at(None);
                self.player.session().stop();
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn line(&mut self, line: Line, wire: &mut Wire<'_>) -> anyhow::Result<Flow> {
        if self.thinking.is_none() {
            return self.feed(line, wire);
        }
        match self.protocol.urgency(&line.text) {
            Urgency::AtOnce => return self.feed(line, wire),
            Urgency::InTurn => {}
            Urgency::Last => {
                self.leaving = true;
                self.stop_at(Some(line.received + LEAVING));
            }
        }
        self.waiting.push_back(line);
        Ok(Flow::Continue)
    }

    fn feed(&mut self, line: Line, wire: &mut Wire<'_>) -> anyhow::Result<Flow> {
        wire.heard(&line);
        let mut out = Vec::new();
        let requests = self.protocol.feed(&line.text, &mut out);
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

    /// No more lines will come: what nothing else would end is answered now.
    fn end_of_input(&mut self) {
        self.ended = true;
        if self
            .thinking
            .as_ref()
            .is_some_and(|thinking| thinking.endless)
        {
            self.player.session().stop();
        }
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
                Request::NewGame(setup) => self.player.new_game(setup)?,
                Request::Position {
                    setup,
                    stones,
                    to_move,
                } => self.player.set_position(setup, stones, to_move)?,
                Request::Set { name, value } => self.player.set(name, value)?,
                Request::Play(action) => {
                    let played = self.player.session().play(action);
                    played.map_err(|error| error.to_string())?;
                }
                Request::Undo => {
                    let undone = self.player.session().undo();
                    undone.map_err(|error| error.to_string())?;
                }
                Request::Clear => self.player.session().clear(),
                Request::Think {
                    time,
                    playouts,
                    report_every,
                } => self.think(Order {
                    received,
                    time,
                    playouts,
                    report_every,
                }),
                Request::Stop => self.player.session().stop(),
                Request::Abort => {
                    self.player.session().abort();
                    self.thinking = None;
                }
                Request::Quit => return Ok(Flow::Quit),
            }
        }
        Ok(Flow::Continue)
    }

    fn think(&mut self, order: Order) {
        let time = order.time;
        let endless = time.per_move.is_none() && time.left.is_none() && order.playouts.is_none();
        let thought = self.player.session().think(order);
        self.thinking = Some(Thinking {
            session: self.player.session_number(),
            thought,
            endless,
            stop_at: self.leaving.then(|| order.received + LEAVING),
        });
        if endless && self.ended {
            self.player.session().stop();
        }
    }

    fn stop_at(&mut self, time: Option<Instant>) {
        if let Some(thinking) = &mut self.thinking {
            thinking.stop_at = time;
        }
    }
}
