//! The standard streams, and the loop that joins a protocol to a session.
//!
//! One thread reads lines and stamps them as they arrive; a session's thinking thread sends
//! events. Both go into one channel, and the loop works on one message at a time. This is the
//! only room that touches the standard streams; standard output belongs to the protocol.

mod conversation;
mod files;
mod post;
mod reader;
mod terminal;
mod wire;

pub use post::{Mailbox, Post, PostError, mailbox};

use crate::player::Player;
use crate::protocol::{self, Defaults, Framing, Protocol, ProtocolKind, detect};
use crate::session::{Event, ThinkingThread};
use anyhow::Context;
use conversation::Conversation;
use reader::{Line, read_first, read_lines};
#[cfg(target_os = "linux")]
use std::fs::File;
use std::io::{BufRead, IsTerminal, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::Builder;
use wire::Wire;

/// The standard input.
#[expect(clippy::disallowed_methods, reason = "this is the room of the streams")]
pub fn input() -> impl BufRead + Send + 'static {
    std::io::BufReader::new(std::io::stdin())
}

/// The standard output. The caller flushes.
#[expect(clippy::disallowed_methods, reason = "this is the room of the streams")]
pub fn output() -> impl Write {
    std::io::BufWriter::new(std::io::stdout())
}

/// Whether a person types the input and reads the output.
#[expect(clippy::disallowed_methods, reason = "this is the room of the streams")]
#[must_use]
pub fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
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
    /// Too many lines wait: no more are read for now.
    Full,
    /// The input ended.
    End,
    /// A session tells something: its number, the number of its thinking, and what. The last is held
    /// until it has been written.
    Event(u64, u64, Event, Arc<()>),
}

/// How to hold a conversation, until the other end says otherwise.
pub struct Config {
    /// Who plays.
    pub bot: &'static crate::bots::Bot,
    /// The options that were set, by name and value, in this order.
    pub settings: Vec<(String, String)>,
    /// The game, and the limits where the other end grants none.
    pub defaults: Defaults,
    /// The protocol. `None`: the first line tells.
    pub protocol: Option<ProtocolKind>,
    /// Takes every line both ways with a time stamp.
    pub transcript: Option<Box<dyn Write>>,
    /// A person types the lines, and is greeted and helped.
    pub typed: bool,
}

/// Speaks with the program or the person at the other end of `input` and `output`, until it quits or
/// the input ends. Blocks until then.
///
/// # Errors
/// When the bot cannot play the game, an option cannot be set, the system grants no threads, or a
/// stream fails; see [`is_closed`] for the failure that is none.
pub fn speak(
    config: Config,
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
) -> anyhow::Result<()> {
    let Config {
        bot,
        settings,
        defaults,
        protocol,
        transcript,
        typed,
    } = config;
    let mut wire = Wire::new(output, transcript);
    let protocol = protocol.map(|kind| open(kind, &defaults)).transpose()?;
    let framing = protocol.as_ref().map(|protocol| protocol.framing());
    let (sender, messages) = mpsc::channel();
    let thread = match start_threads(input, framing, sender.clone()) {
        Ok(thread) => thread,
        Err((input, error)) => {
            let first = read_first(input, framing);
            refuse(first.as_deref(), protocol, &defaults, &error, &mut wire)?;
            return Err(error).context("no thread can be started");
        }
    };
    let player = Player::new(bot, settings, defaults.setup, thread, events_to(sender));
    let player = player.map_err(anyhow::Error::msg)?;
    if typed {
        wire.say(&terminal::greeting())?;
    }
    let (protocol, first) = match protocol {
        Some(protocol) => (protocol, None),
        None => match first_line(&messages, typed, &mut wire)? {
            Some((kind, line)) => (open(kind, &defaults)?, Some(line)),
            None => return Ok(()),
        },
    };
    wire.set_framing(protocol.framing());
    Conversation::new(protocol, player, typed).hold(first, &messages, &mut wire)
}

/// Sends the loop what sessions tell. What was found so far is dropped while anything told before
/// waits to be written: where the other end does not read, it would pile up.
fn events_to(messages: Sender<Message>) -> impl Fn(u64, u64, Event) + Send + Sync + 'static {
    let unwritten = Arc::new(());
    move |session, thought, event| {
        let waits = Arc::strong_count(&unwritten) > 1;
        if waits && matches!(event, Event::Info(_)) {
            return;
        }
        // The loop is gone only when the conversation has ended.
        let _ = messages.send(Message::Event(session, thought, event, unwritten.clone()));
    }
}

/// Whether the error is that the other end closed the output: nobody is left to speak to.
#[must_use]
pub fn is_closed(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn open(kind: ProtocolKind, defaults: &Defaults) -> anyhow::Result<Box<dyn Protocol>> {
    protocol::open(kind, defaults.clone())
        .with_context(|| format!("the protocol {kind} cannot speak of this game"))
}

/// Starts the thread that thinks and the one that reads, before anything is promised.
///
/// # Errors
/// When the system does not grant both: the input is handed back.
fn start_threads<I: BufRead + Send + 'static>(
    input: I,
    framing: Option<Framing>,
    lines: Sender<Message>,
) -> Result<ThinkingThread, (I, std::io::Error)> {
    let thinking = match ThinkingThread::start() {
        Ok(thread) => thread,
        Err(error) => return Err((input, error)),
    };
    // A thread that cannot be started drops what it was given, so it is given the input later.
    let (hand, handed) = mpsc::channel();
    let read = move || {
        if let Ok(input) = handed.recv() {
            read_lines(input, framing, |message| lines.send(message).is_ok());
        }
    };
    if let Err(error) = Builder::new().name("reading".to_owned()).spawn(read) {
        return Err((input, error));
    }
    let handed = hand.send(input);
    handed.map_err(|mpsc::SendError(input)| (input, std::io::ErrorKind::Other.into()))?;
    Ok(thinking)
}

/// Answers the first line with the error of its protocol.
fn refuse(
    first: Option<&str>,
    protocol: Option<Box<dyn Protocol>>,
    defaults: &Defaults,
    error: &std::io::Error,
    wire: &mut Wire<'_>,
) -> anyhow::Result<()> {
    let told = || detect(first.unwrap_or_default());
    let detected = match protocol {
        None => told().map(|kind| open(kind, defaults)).transpose()?,
        named => named,
    };
    let mut out = Vec::new();
    if let (Some(mut protocol), Some(_)) = (detected, first) {
        wire.set_framing(protocol.framing());
        protocol.refuse(&format!("no thread can be started: {error}"), &mut out);
    }
    wire.say(&out)
}

/// The first line that tells a protocol. `None`: the input ended before it.
fn first_line(
    messages: &Receiver<Message>,
    typed: bool,
    wire: &mut Wire<'_>,
) -> anyhow::Result<Option<(ProtocolKind, Line)>> {
    while let Ok(message) = messages.recv() {
        let line = match message {
            Message::Line(line) => line,
            Message::Full => continue,
            Message::End | Message::Event(..) => break,
        };
        match detect(&line.text) {
            _ if typed && terminal::is_help(&line.text) => {
                wire.heard(&line);
                wire.say(&terminal::help())?;
            }
            Some(kind) => return Ok(Some((kind, line))),
            None => wire.heard(&line),
        }
    }
    Ok(None)
}
