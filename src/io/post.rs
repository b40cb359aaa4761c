//! A conversation whose lines somebody else reads, such as a server.

use super::conversation::Conversation;
use super::reader::{Backlog, Line};
use super::wire::Wire;
use super::{Message, events_to, open};
use crate::bots::Bot;
use crate::player::Player;
use crate::protocol::{Defaults, ProtocolKind};
use crate::session::ThinkingThread;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

/// Bytes of lines that may wait.
const MOST_WAITING: usize = 1 << 20;

/// Takes lines for a conversation, from any thread.
#[derive(Clone)]
pub struct Post {
    lines: Sender<Message>,
    backlog: Arc<Backlog>,
}

/// Where the lines come out.
pub struct Mailbox {
    lines: Sender<Message>,
    messages: Receiver<Message>,
}

/// Why a line was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostError {
    /// Too much waits.
    Full,
    /// The conversation has ended.
    Ended,
}

/// A way for lines, and its end.
#[must_use]
pub fn mailbox() -> (Post, Mailbox) {
    let (lines, messages) = mpsc::channel();
    let post = Post {
        lines: lines.clone(),
        backlog: Backlog::new(),
    };
    (post, Mailbox { lines, messages })
}

impl Post {
    /// Hands on a line, as if it had just arrived.
    ///
    /// # Errors
    /// When too much waits already, or nobody listens any more. The line is lost then.
    pub fn send(&self, text: &str) -> Result<(), PostError> {
        if self.backlog.waiting() > MOST_WAITING {
            return Err(PostError::Full);
        }
        let line = Line::now(text.to_owned(), &self.backlog);
        let sent = self.lines.send(Message::Line(line));
        sent.map_err(|_| PostError::Ended)
    }
}

impl Mailbox {
    /// Answers the lines on `output` until one of them ends it, or the output fails. Blocks until
    /// then.
    ///
    /// # Errors
    /// When the bot cannot play the game, an option cannot be set, the system grants no thread, or
    /// the output fails.
    pub fn hold(
        self,
        kind: ProtocolKind,
        bot: &'static Bot,
        settings: Vec<(String, String)>,
        defaults: &Defaults,
        output: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let Mailbox { lines, messages } = self;
        let protocol = open(kind, defaults)?;
        let thread = ThinkingThread::start()?;
        let player = Player::new(bot, settings, defaults.setup, thread, events_to(lines));
        let player = player.map_err(anyhow::Error::msg)?;
        let mut wire = Wire::new(output, None);
        Conversation::new(protocol, player, false).hold(None, &messages, &mut wire)
    }
}
