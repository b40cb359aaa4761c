//! The process that the arena starts. It runs nothing of the library, so that its word can be
//! trusted: it hands questions to the cell and answers back, and ends a cell that takes too much.

use super::{Hosting, QUIT, READY, Reply, cell, library, most_wait, root};
use crate::{clock, io};
use anyhow::Context;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::resource::{UsageWho, getrusage};
use signal_hook::consts::SIGTERM;
use signal_hook::flag;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

/// How often the cell is measured while it thinks: it can touch some 50 MiB in this time.
const POLL: Duration = Duration::from_millis(5);

/// How often it is measured while nothing is asked.
const IDLE_POLL: Duration = Duration::from_millis(50);

/// Threads of a library at a time (guess).
const THREADS: u64 = 256;

/// Memory of a process that does not count as resident: what was put out, tables of pages, and large
/// pages of the machine's.
const UNSEEN: [&str; 3] = ["VmSwap:", "VmPTE:", "HugetlbPages:"];

/// A library with at most so many threads has not used up those of the machine (guess).
const MODEST_THREADS: u64 = 16;

/// How often a question is asked again when the cell could not make a thread and we can.
const MOST_TRIES: u32 = 5;

/// The longest line that a cell may say, in bytes.
const LINE_BYTES: u64 = 4096;

/// Lines that may wait.
const QUEUE_LINES: usize = 64;

/// How long a cell that closed its output may take to end.
const ENDING: Duration = Duration::from_secs(1);

/// What a library is granted.
pub struct Terms {
    /// Processor time for a move.
    pub time: Duration,
    /// The rest.
    pub hosting: Hosting,
}

/// Answers the questions of the standard input until it ends. Blocks until then.
pub fn run(path: &Path, terms: &Terms) -> anyhow::Result<()> {
    // The arena asks a guard to end, like a keeper, by this signal, but closes its input as well.
    // So nobody reads the flag. What a library starts would inherit a mask, and no handler.
    flag::register(SIGTERM, Arc::default())?;
    let mut output = io::output();
    match Guard::start(path, terms) {
        Ok(guard) => guard.serve(&mut output),
        Err(reply) => {
            for line in io::input().lines() {
                if line? == QUIT {
                    break;
                }
                say(&reply, &mut output)?;
            }
            Ok(())
        }
    }
}

fn say(reply: &Reply, output: &mut impl Write) -> anyhow::Result<()> {
    writeln!(output, "{}", serde_json::to_string(reply)?)?;
    Ok(output.flush()?)
}

enum Event {
    /// The arena asks.
    Asked(String),
    /// The arena is gone.
    Gone,
    /// The cell says something.
    Said(String),
    /// The cell says nothing more.
    Closed,
}

struct Guard<'a> {
    terms: &'a Terms,
    cell: Cell,
    events: Receiver<Event>,
    question: Option<Asked>,
    /// Why the cell was ended: the answer to every further question.
    verdict: Option<Reply>,
    measured: Instant,
    threads: u64,
}

/// A question that waits for its answer.
struct Asked {
    line: String,
    at: Instant,
    /// The cell's processor time when it was asked.
    used: Duration,
    tries: u32,
}

impl<'a> Guard<'a> {
    /// Starts the cell. An error is the answer to every question.
    fn start(path: &Path, terms: &'a Terms) -> Result<Guard<'a>, Reply> {
        let bytes = read(path).map_err(|error| Reply::Crash(format!("{error:#}")))?;
        let trouble = |error| Reply::Trouble(format!("{error:#}"));
        let (cell, said) = Cell::start(path, &bytes, terms.hosting).map_err(trouble)?;
        let events = listen(said).context("cannot make a thread");
        Ok(Guard {
            terms,
            cell,
            events: events.map_err(trouble)?,
            question: None,
            verdict: None,
            measured: clock::now(),
            threads: 0,
        })
    }

    fn serve(mut self, output: &mut impl Write) -> anyhow::Result<()> {
        loop {
            let pause = self.question.as_ref().map_or(IDLE_POLL, |_| POLL);
            let reply = match self.events.recv_timeout(pause) {
                Ok(Event::Asked(line)) if line == QUIT => return Ok(()),
                Ok(Event::Asked(line)) => self.ask(line),
                Ok(Event::Said(line)) => self.hear(&line),
                Ok(Event::Closed) => self.closed(),
                Ok(Event::Gone) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => None,
            };
            let reply = reply.or_else(|| self.measure());
            if let Some(reply) = reply.filter(|_| self.question.take().is_some()) {
                say(&reply, output)?;
            }
        }
    }

    fn ask(&mut self, line: String) -> Option<Reply> {
        self.question = Some(Asked {
            line,
            at: clock::now(),
            used: self.cell.processor_time(),
            tries: 0,
        });
        self.pose()
    }

    /// Hands the question to the cell.
    fn pose(&mut self) -> Option<Reply> {
        let line = format!("{}\n", self.question.as_ref()?.line);
        if self.verdict.is_none() && self.cell.input.write_all(line.as_bytes()).is_err() {
            return self.closed();
        }
        self.verdict.clone()
    }

    fn hear(&mut self, line: &str) -> Option<Reply> {
        let question = self.question.as_mut()?;
        match serde_json::from_str(line) {
            Ok(Reply::Trouble(_)) if !self.cell.machine_is_short() => {
                question.tries += 1;
                if question.tries < MOST_TRIES {
                    return self.pose();
                }
                self.end(Reply::Crash("the library left us no thread".to_owned()))
            }
            Ok(Reply::Trouble(detail)) if self.threads <= MODEST_THREADS => {
                self.end(Reply::Trouble(detail))
            }
            Ok(Reply::Trouble(detail) | Reply::Crash(detail)) => self.end(Reply::Crash(detail)),
            Ok(reply @ (Reply::Ready | Reply::Move(_))) => Some(reply),
            Ok(Reply::Late(_)) | Err(_) => {
                self.end(Reply::Crash("the library spoke in our place".to_owned()))
            }
        }
    }

    /// The cell has ended, or cannot be spoken with any more.
    fn closed(&mut self) -> Option<Reply> {
        if self.verdict.is_some() {
            return self.verdict.clone();
        }
        let status = self.cell.ending();
        let killed = status.is_some_and(|status| status.signal() == Some(libc::SIGKILL));
        let modest = self.threads <= MODEST_THREADS;
        let text = match status {
            Some(status) => format!("the library ended ({status})"),
            None => "the library closed its input or output".to_owned(),
        };
        self.end(if killed && peak_memory() > self.memory() {
            self.too_much_memory()
        } else if killed && !self.terms.hosting.unconfined {
            // A confined library cannot send this signal, and it was not us.
            Reply::Trouble("the kernel ended the library: memory is short".to_owned())
        } else if modest && self.cell.machine_is_short() {
            Reply::Trouble(format!("{text} while no thread could be made"))
        } else {
            Reply::Crash(text)
        })
    }

    /// Ends a cell that takes more than it is granted.
    fn measure(&mut self) -> Option<Reply> {
        if self.verdict.is_some() || clock::now() - self.measured < POLL {
            return None;
        }
        self.measured = clock::now();
        if let Some(Usage { memory, threads }) = self.cell.usage() {
            self.threads = threads;
            if memory > self.memory() {
                return self.end(self.too_much_memory());
            }
            if threads > THREADS {
                let text = format!("the library made more than {THREADS} threads");
                return self.end(Reply::Crash(text));
            }
        }
        // For loading the arena has a limit.
        let question = self.question.as_ref().filter(|it| it.line != READY)?;
        let limit = self.terms.time;
        if self.cell.processor_time().saturating_sub(question.used) > limit {
            let text = format!("used more than {} ms of processor time", limit.as_millis());
            return self.end(Reply::Late(text));
        }
        let waited = clock::now() - question.at;
        if waited > most_wait(limit) {
            let text = format!("no answer after {} ms", waited.as_millis());
            return self.end(Reply::Late(text));
        }
        None
    }

    fn end(&mut self, verdict: Reply) -> Option<Reply> {
        self.cell.kill();
        self.verdict = Some(verdict);
        self.verdict.clone()
    }

    /// What the library may use, in KiB.
    fn memory(&self) -> u64 {
        self.terms.hosting.library_memory.saturating_mul(1024)
    }

    fn too_much_memory(&self) -> Reply {
        Reply::Crash(format!(
            "the library used more than {} MiB of memory (--library-memory)",
            self.terms.hosting.library_memory
        ))
    }
}

/// The most memory that a cell which has ended used, in KiB.
fn peak_memory() -> u64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
    usage.map_or(0, |usage| u64::try_from(usage.max_rss()).unwrap_or(0))
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let cannot = || format!("cannot read {}", path.display());
    // What is no file may have no end.
    let is_file = fs::metadata(path).with_context(cannot)?.is_file();
    anyhow::ensure!(is_file, "{}: it is no file", cannot());
    fs::read(path).with_context(cannot)
}

/// Takes the arena's lines and the cell's.
fn listen(said: BufReader<ChildStdout>) -> std::io::Result<Receiver<Event>> {
    let (sender, events) = mpsc::sync_channel(QUEUE_LINES);
    let asked = sender.clone();
    thread::Builder::new().spawn(move || pass_on(said, &sender, Event::Said, Event::Closed))?;
    thread::Builder::new()
        .spawn(move || pass_on(io::input(), &asked, Event::Asked, Event::Gone))?;
    Ok(events)
}

fn pass_on(
    mut from: impl BufRead,
    to: &SyncSender<Event>,
    event: fn(String) -> Event,
    at_end: Event,
) {
    while let Ok(Some(line)) = read_line(&mut from) {
        if to.send(event(line)).is_err() {
            return;
        }
    }
    let _ = to.send(at_end);
}

/// The next line. `None`: it is too long, or there is none.
fn read_line(from: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut line = String::new();
    from.take(LINE_BYTES).read_line(&mut line)?;
    Ok(line.strip_suffix('\n').map(str::to_owned))
}

/// The process of the library. Dropping it ends it, with what it started.
struct Cell {
    process: Child,
    input: ChildStdin,
    unconfined: bool,
}

/// What a process uses now.
struct Usage {
    /// In KiB.
    memory: u64,
    threads: u64,
}

impl Cell {
    /// Starts a cell and waits until it has given up its rights.
    fn start(
        path: &Path,
        library: &[u8],
        hosting: Hosting,
    ) -> anyhow::Result<(Cell, BufReader<ChildStdout>)> {
        library::keep_descriptors_from_children().context("cannot close descriptors")?;
        if hosting.unconfined {
            crate::keeper::adopt_orphans()?;
        } else {
            // Before there are threads. Where it is not granted, the cell sees what is left.
            root::own_users();
        }
        let mut command = Command::new("/proc/self/exe");
        command.arg0("tengen").args(["host", "--cell"]);
        command.args(hosting.arguments()).arg("--").arg(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null()).process_group(0);
        let mut process = start(command, hosting.unconfined).context("cannot start a process")?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let (mut input, output) = input.zip(output).context("no pipe")?;
        let mut output = BufReader::new(output);
        // A cell that refuses before it has read everything says why.
        let sent = writeln!(input, "{}", library.len()).and_then(|()| input.write_all(library));
        let word = read_line(&mut output)?;
        let word = word.context("the process of the library ended before it was confined")?;
        match serde_json::from_str(&word)? {
            Reply::Ready => sent?,
            Reply::Trouble(detail) => anyhow::bail!(detail),
            other => anyhow::bail!("the process of the library said {other:?}"),
        }
        // A library that keeps us from being read must not keep us from measuring it.
        fcntl(&input, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        let cell = Cell {
            process,
            input,
            unconfined: hosting.unconfined,
        };
        Ok((cell, output))
    }

    /// The processor time that it has used until now.
    fn processor_time(&self) -> Duration {
        clock::processor_time_of(self.process.id()).unwrap_or_default()
    }

    /// What it uses now. `None`: it has ended.
    fn usage(&self) -> Option<Usage> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?;
        let number = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse().ok()
        };
        Some(Usage {
            memory: number("VmRSS:")? + UNSEEN.into_iter().filter_map(number).sum::<u64>(),
            threads: number("Threads:")?,
        })
    }

    /// Whether nobody can make a thread now, as the library could not.
    fn machine_is_short(&self) -> bool {
        let thread = thread::Builder::new().spawn(|| {});
        thread.is_err()
    }

    /// How it ended. `None`: it had not, and is ended now.
    fn ending(&mut self) -> Option<ExitStatus> {
        let deadline = clock::now() + ENDING;
        while clock::now() < deadline {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Some(cause(status));
            }
            thread::sleep(POLL);
        }
        self.kill();
        None
    }

    fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The status with the signal that the library sent to itself, which the cell may have to tell by
/// its exit code.
fn cause(status: ExitStatus) -> ExitStatus {
    match status.code() {
        Some(cell::ABORTED) => ExitStatus::from_raw(libc::SIGABRT),
        _ => status,
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.kill();
        if self.unconfined {
            crate::keeper::end_descendants();
        }
    }
}

/// Starts the command on a thread that stays for as long as this process: the cell ends with the
/// thread that started it. Only the thread's children are in the new namespace of processes, for
/// a thread cannot be made in another than its process's.
fn start(mut command: Command, unconfined: bool) -> std::io::Result<Child> {
    let (sender, child) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        if !unconfined {
            root::own_processes();
        }
        let _ = sender.send(command.spawn());
        loop {
            thread::park();
        }
    })?;
    child.recv().map_err(std::io::Error::other)?
}
