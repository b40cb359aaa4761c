//! The pages that are open, each with a session of the engine.

use super::gate::secret;
use super::http::{self, Status, is_timeout};
use crate::bots::BOTS;
use crate::io::{Post, PostError, mailbox};
use crate::options::Options;
use crate::protocol::{self, Defaults, ProtocolKind};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The most pages at a time. Each has a thread that answers, one that thinks and one that sees it close
/// (guess: more than a person opens).
const MOST: usize = 32;

/// How often a page that is told nothing is sent a mark, so that one that is gone without a word is
/// noticed.
const MARK_EVERY: Duration = Duration::from_secs(15);

/// What holds for every page until it says otherwise.
pub struct Terms {
    /// Options of the engine.
    pub settings: Vec<(String, String)>,
    /// The game, and the limits of a thought.
    pub defaults: Defaults,
}

impl Terms {
    /// Tries whether a page could be played on.
    ///
    /// # Errors
    /// When the game cannot be played so, or an option cannot be set.
    pub fn check(&self) -> anyhow::Result<()> {
        protocol::open(ProtocolKind::Web, self.defaults.clone())?;
        let mut options = Options::default();
        for (name, value) in &self.settings {
            options.set(name, value)?;
        }
        Ok(())
    }
}

/// The pages that are open, by their names.
pub struct Pages {
    terms: Terms,
    open: Mutex<HashMap<String, Post>>,
}

impl Pages {
    /// No page.
    pub fn new(terms: Terms) -> Pages {
        Pages {
            terms,
            open: Mutex::new(HashMap::new()),
        }
    }

    /// Hands a line of the page with this name to its session.
    ///
    /// # Errors
    /// When there is no such page, or it asks too much.
    pub fn tell(&self, name: &str, line: &str) -> Result<(), Status> {
        let post = self.lock().get(name).cloned().ok_or(Status::NotFound)?;
        post.send(line).map_err(|error| match error {
            PostError::Full => Status::TooManyRequests,
            PostError::Ended => Status::NotFound,
        })
    }

    /// Plays with the page at the other end of `stream` until it closes. Blocks until then.
    ///
    /// # Errors
    /// When too many are open, or the system does not grant what a page needs.
    pub fn attend(&self, stream: &mut TcpStream) -> Result<(), Status> {
        let (post, mailbox) = mailbox();
        let name = self.enter(post.clone())?;
        // From here on the page is forgotten at the end, however it comes.
        let _entry = Entry {
            pages: self,
            name: &name,
        };
        let unavailable = |_| Status::Unavailable;
        let output = stream.try_clone().map_err(unavailable)?;
        let watched = stream.try_clone().map_err(unavailable)?;
        let gone = |_| Status::BadRequest;
        http::begin_events(stream).map_err(gone)?;
        let output = Mutex::new(output);
        let mut events = Events::new(&output);
        writeln!(events, "{{\"page\":\"{name}\"}}").map_err(gone)?;
        std::thread::scope(|scope| {
            let watch = || watch(watched, &output, &post);
            let watcher = std::thread::Builder::new().spawn_scoped(scope, watch);
            if watcher.is_ok() {
                let Terms { settings, defaults } = &self.terms;
                let (kind, bot) = (ProtocolKind::Web, &BOTS[0]);
                let held = mailbox.hold(kind, bot, settings.clone(), defaults, &mut events);
                log::debug!("a page ended: {held:?}");
            }
            // The watcher sees the end.
            let _ = stream.shutdown(Shutdown::Both);
        });
        Ok(())
    }

    fn enter(&self, post: Post) -> Result<String, Status> {
        let mut open = self.lock();
        if open.len() >= MOST {
            return Err(Status::Unavailable);
        }
        let name = secret();
        open.insert(name.clone(), post);
        Ok(name)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Post>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a page among the others.
struct Entry<'a> {
    pages: &'a Pages,
    name: &'a str,
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.pages.lock().remove(self.name);
    }
}

/// Waits for the page to close, and ends its session then.
fn watch(mut stream: TcpStream, output: &Mutex<TcpStream>, post: &Post) {
    let mut buffer = [0; 64];
    if stream.set_read_timeout(Some(MARK_EVERY)).is_ok() {
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_timeout(&error) => {
                    // The page passes over it.
                    if put(output, b":\n\n").is_err() {
                        break;
                    }
                }
                Err(_) => break,
            }
        }
    }
    // Where it has ended already, nobody takes this.
    let _ = post.send(r#"{"do":"quit"}"#);
}

/// Lines as events of a stream.
struct Events<'a> {
    stream: &'a Mutex<TcpStream>,
    /// The beginning of a line.
    begun: Vec<u8>,
}

impl<'a> Events<'a> {
    fn new(stream: &'a Mutex<TcpStream>) -> Events<'a> {
        Events {
            stream,
            begun: Vec::new(),
        }
    }
}

impl Write for Events<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                let line = std::mem::take(&mut self.begun);
                put(self.stream, &[b"data: ", &*line, b"\n\n"].concat())?;
            } else {
                self.begun.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes an event as a whole, for two threads write.
fn put(stream: &Mutex<TcpStream>, bytes: &[u8]) -> io::Result<()> {
    let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
    stream.write_all(bytes)
}
