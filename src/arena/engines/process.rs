//! A child process that speaks in lines.
//!
//! One thread writes and one reads, so that nothing an engine does with its pipes can block the
//! referee. What waits between is bounded: an engine that floods its output fills
//! `QUEUE_LINES` lines of `LINE_BYTES` bytes and then waits for us at its own pipe. A third thread
//! reads the standard error.

mod errors;
mod group;
mod log;

pub use log::DialogueLog;

use crate::arena::Stop;
use crate::{clock, keeper};
use errors::Errors;
use group::Group;
use shared_child::SharedChild;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

/// Longer lines are cut; what follows up to the line feed is dropped.
const LINE_BYTES: u64 = 16 * 1024;

/// Lines of an engine that may wait for us.
const QUEUE_LINES: usize = 256;

/// Lines that may wait for an engine: twice what tells a full board of 22×22 in one question.
const SENT_LINES: usize = 1024;

/// How long an engine that never stops talking is listened to before it is asked something.
const FLOOD: Duration = Duration::from_millis(100);

/// How long an engine has to end by itself once it was asked to, or its input is closed. Piskvork
/// grants the same.
pub const FAREWELL: Duration = Duration::from_millis(700);

/// How long after its last line an engine may take to end, for its exit status to be known.
const EXIT: Duration = Duration::from_millis(500);

/// How often a wait looks at the stop flag.
const STOP_POLL: Duration = Duration::from_millis(50);

/// How long a keeper may take to end its engine.
const KEEPING: Duration = Duration::from_secs(2);

/// A line from an engine.
#[derive(Clone, Debug)]
pub struct Line {
    /// The text without its line end. Bytes that are no UTF-8 are replaced.
    pub text: String,
    /// When it was read from the pipe.
    pub arrived: Instant,
}

/// Why no line came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The deadline passed, or somebody asked to stop.
    Timeout,
    /// The engine ended or closed its output.
    Closed,
}

/// How an engine stands that says no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ended.
    Exit(ExitStatus),
    /// It runs with its output closed.
    OutputClosed,
    /// It runs, and is silent.
    Silent,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exit(status) => f.write_str(&ended(&status.to_string())),
            Ending::OutputClosed => f.write_str("the engine closed its output"),
            Ending::Silent => f.write_str("no answer"),
        }
    }
}

/// What to say of an engine that ended with this status.
pub fn ended(status: &str) -> String {
    format!("the engine ended ({status})")
}

/// A running child process. Dropping it kills it, with every process it started in its group,
/// and reaps it. A [`keeper`] is asked to end instead.
#[derive(Debug)]
pub struct Process {
    child: SharedChild,
    /// `None` only within `drop`.
    group: Option<Group>,
    /// `None`: the engine's input is closed.
    to_engine: Option<SyncSender<String>>,
    from_engine: Receiver<Line>,
    /// A program of ours, that ends what it started itself.
    is_keeper: bool,
    errors: Option<Errors>,
    log: DialogueLog,
    #[cfg(unix)]
    output: Option<std::os::fd::OwnedFd>,
}

impl Process {
    /// Starts the program with its three streams to us. The dialogue goes to the log.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn spawn(command: &mut Command, log: DialogueLog) -> io::Result<Process> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (child, group) = Group::spawn(command)?;
        let (to_engine, outbox) = mpsc::sync_channel(SENT_LINES);
        let (inbox, from_engine) = mpsc::sync_channel(QUEUE_LINES);
        let mut process = Process {
            child: SharedChild::new(child)?,
            group: Some(group),
            to_engine: Some(to_engine),
            from_engine,
            is_keeper: keeper::is_keeper(command),
            errors: None,
            log,
            #[cfg(unix)]
            output: None,
        };
        if let Some(pipe) = process.child.take_stdin() {
            thread::Builder::new().spawn(move || write_lines(pipe, &outbox))?;
        }
        if let Some(pipe) = process.child.take_stderr() {
            let log = process.log.clone();
            process.errors = Some(Errors::read(pipe, process.id(), log)?);
        }
        if let Some(pipe) = process.child.take_stdout() {
            #[cfg(unix)]
            {
                use std::os::fd::AsFd;
                process.output = Some(pipe.as_fd().try_clone_to_owned()?);
            }
            thread::Builder::new().spawn(move || read_lines(pipe, &inbox))?;
        }
        Ok(process)
    }

    /// The process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line; the line feed is added. Never blocks and never fails: an engine that
    /// does not read, or is gone, shows by its silence. What it leaves unread beyond `SENT_LINES`
    /// lines is dropped.
    pub fn send(&self, line: &str) {
        ::log::trace!("{} < {line}", self.id());
        self.log.said(line);
        if let Some(to_engine) = &self.to_engine {
            let _ = to_engine.try_send(format!("{line}\n"));
        }
    }

    /// Closes the engine's input, once it has read what was sent. Does not block.
    pub fn close_input(&mut self) {
        self.to_engine = None;
    }

    /// Waits for the next line.
    ///
    /// # Errors
    /// When none came before the deadline or before `stop`, or when none can come any more.
    pub fn receive(&self, deadline: Instant, stop: &Stop) -> Result<Line, Silence> {
        loop {
            // Also between the lines of an engine that never stops talking.
            if stop.is_set() {
                return Err(Silence::Timeout);
            }
            let left = deadline.saturating_duration_since(clock::now());
            match self.from_engine.recv_timeout(left.min(STOP_POLL)) {
                Ok(line) => {
                    self.remember(&line);
                    return Ok(line);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Closed),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Silence::Timeout),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Passes over what the engine has said so far: it answers nothing that is asked from now on.
    /// What it says without end is not waited for.
    pub fn pass_over(&self, mut each: impl FnMut(&str)) {
        let deadline = clock::now() + FLOOD;
        loop {
            loop {
                match self.from_engine.try_recv() {
                    Ok(line) => {
                        self.remember(&line);
                        each(&line.text);
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
            // A full queue keeps the reader from what is left in the pipe.
            if !self.has_more() || clock::now() > deadline {
                return;
            }
            thread::yield_now();
        }
    }

    /// Whether something waits in the engine's pipe.
    #[cfg(unix)]
    fn has_more(&self) -> bool {
        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
        use std::os::fd::AsFd;
        self.output.as_ref().is_some_and(|output| {
            let mut waiting = [PollFd::new(output.as_fd(), PollFlags::POLLIN)];
            let ready = poll(&mut waiting, PollTimeout::ZERO);
            ready == Ok(1) && waiting[0].any() == Some(true)
        })
    }

    #[cfg(not(unix))]
    fn has_more(&self) -> bool {
        false
    }

    fn remember(&self, line: &Line) {
        ::log::trace!("{} > {}", self.id(), line.text);
        self.log.heard(&line.text, line.arrived);
    }

    /// The last lines of the engine's standard error. Waits at most so long for their end.
    #[must_use]
    pub fn last_errors(&self, at_most: Duration) -> String {
        let errors = self.errors.as_ref();
        errors.map_or_else(String::new, |errors| errors.last(at_most))
    }

    /// Why no more lines come, as far as it can be told after a short wait. An engine that ended
    /// may be silent too: a process that it left behind can hold its pipe open.
    #[must_use]
    pub fn ending(&self, silence: Silence) -> Ending {
        match (self.wait(EXIT), silence) {
            (Some(status), _) => Ending::Exit(status),
            (None, Silence::Closed) => Ending::OutputClosed,
            (None, Silence::Timeout) => Ending::Silent,
        }
    }

    /// Waits a little for an engine that was asked to end; `None`: it has not.
    pub fn farewell(&self) -> Option<ExitStatus> {
        self.wait(FAREWELL)
    }

    /// How the process ended; waits at most so long for it.
    fn wait(&self, at_most: Duration) -> Option<ExitStatus> {
        self.child.wait_timeout(at_most).ok().flatten()
    }
}

impl Process {
    /// Asks a keeper to end its engine, and waits for it. The keeper itself stays while it minds
    /// what the engine left behind.
    fn end_by_keeper(&mut self) {
        self.close_input();
        keeper::end(self.child.id());
        let deadline = clock::now() + KEEPING;
        while self.wait(STOP_POLL).is_none() && !self.is_closed() && clock::now() < deadline {}
    }

    /// Whether no line of the engine can come any more. Drops those that wait.
    fn is_closed(&self) -> bool {
        loop {
            match self.from_engine.try_recv() {
                Ok(line) if line.text.starts_with(keeper::ENDED) => return true,
                Ok(_) => {}
                Err(error) => return error == TryRecvError::Disconnected,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.is_keeper {
            self.end_by_keeper();
            // Not to be killed where it stays.
            if let Some(group) = self.group.take() {
                mem::forget(group);
            }
            return;
        }
        // Before the engine is reaped; see `Group`. Where `wait` has reaped it, its number would
        // have to be given out again since then.
        self.group = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ends when the process is dropped or the engine's pipe is closed.
fn write_lines(mut pipe: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if pipe.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

/// Ends when the engine's pipe is closed, or at its next line when the process is dropped.
fn read_lines(pipe: ChildStdout, lines: &SyncSender<Line>) {
    let at = clock::now();
    let mut reader = BufReader::new(Stamped { pipe, at });
    while let Ok(Some(text)) = read_line(&mut reader) {
        let arrived = reader.get_ref().at;
        if lines.send(Line { text, arrived }).is_err() {
            return;
        }
    }
}

/// Keeps the time of the last read: a line that was read together with others before it has
/// arrived with them, even if there was no place for it in the queue.
struct Stamped<R> {
    pipe: R,
    at: Instant,
}

impl<R: Read> Read for Stamped<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.pipe.read(bytes);
        self.at = clock::now();
        count
    }
}

/// The next line, cut to `LINE_BYTES`; `None` at the end.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    reader
        .by_ref()
        .take(LINE_BYTES)
        .read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") {
        reader.skip_until(b'\n')?;
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_the_next_is_whole() {
        let mut input = vec![b'x'; 3 * LINE_BYTES as usize];
        input.extend(b"\r\nnext\r\n\xff\n");
        let mut reader = input.as_slice();
        let first = read_line(&mut reader).unwrap().unwrap();
        assert_eq!(first.len(), LINE_BYTES as usize);
        assert_eq!(read_line(&mut reader).unwrap().unwrap(), "next");
        assert_eq!(read_line(&mut reader).unwrap().unwrap(), "\u{fffd}");
        assert_eq!(read_line(&mut reader).unwrap(), None);
    }

    /// A board of Gomoku is told stone by stone, and an engine may read it late.
    #[cfg(unix)]
    #[test]
    fn a_long_question_arrives_whole() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 0.3; wc -l"]);
        let mut process = Process::spawn(&mut command, DialogueLog::default()).unwrap();
        (0..600).for_each(|stone| process.send(&format!("{},{},1", stone % 20, stone / 20)));
        process.close_input();
        let deadline = clock::now() + Duration::from_secs(30);
        let counted = process.receive(deadline, &Stop::default()).unwrap();
        assert_eq!(counted.text.trim(), "600");
    }
}
