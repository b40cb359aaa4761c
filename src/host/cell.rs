//! The process of the library, which the guard starts.
//!
//! Its input begins with the library: its length in bytes as a line, and its bytes. The answer to
//! it tells whether the process is confined. Each line after that is a question.

use super::library::Library;
use super::{Question, READY, Reply, confine};
use anyhow::Context;
use nix::sys::signal::Signal;
use std::io::{self, BufRead, Read, Write};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::thread;

/// The stack that a thread has by default on Linux, and so in the course's referee.
const STACK: usize = 8 << 20;

/// The exit status of a cell whose library aborted: as shells write the signal.
pub const ABORTED: i32 = 128 + Signal::SIGABRT as i32;

/// Answers the guard until it is gone. Blocks until then.
pub fn run(unconfined: bool) -> anyhow::Result<()> {
    let (mut input, mut output) = crate::io::take_streams()?;
    confine::end_with_the_guard()?;
    end_on_abort().context("cannot handle signals")?;
    let bytes = read_library(&mut input)?;
    let place = match unconfined {
        true => confine::copy_to_memory(&bytes),
        false => confine::confine(&bytes),
    };
    let confined = match &place {
        Ok(_) => Reply::Ready,
        Err(error) => Reply::Trouble(format!("{error:#}")),
    };
    say(&confined, &mut output)?;
    let Ok(place) = place else {
        return Ok(());
    };
    drop(bytes);
    let library = Library::load(&place);
    for line in input.lines() {
        let reply = match &library {
            Ok(library) => reply(*library, &line?),
            Err(error) => Reply::Crash(format!("cannot load the library: {error:#}")),
        };
        say(&reply, &mut output)?;
    }
    Ok(())
}

/// Ends this process with [`ABORTED`] when the library calls `abort`. The first process of a namespace
/// does not end by a signal that it sends itself: `abort` would go on until it faults, and the
/// status would be that of a segmentation fault.
fn end_on_abort() -> io::Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    let signal = Signal::SIGABRT as i32;
    signal_hook::flag::register_conditional_shutdown(signal, ABORTED, always)?;
    Ok(())
}

fn say(reply: &Reply, output: &mut impl Write) -> anyhow::Result<()> {
    writeln!(output, "{}", serde_json::to_string(reply)?)?;
    Ok(output.flush()?)
}

fn read_library(input: &mut impl BufRead) -> anyhow::Result<Vec<u8>> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    let length = line.trim_end().parse().context("no length")?;
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 == length, "the library is not whole");
    Ok(bytes)
}

fn reply(library: Library, line: &str) -> Reply {
    if line == READY {
        return Reply::Ready;
    }
    let question = serde_json::from_str(line).ok().filter(Question::is_whole);
    let Some(question) = question else {
        return Reply::Crash("not a question".to_owned());
    };
    let (sender, answer) = mpsc::channel();
    let thread = thread::Builder::new().stack_size(STACK).spawn(move || {
        let _ = sender.send(library.ask(&question));
    });
    match thread {
        Ok(_) => match answer.recv() {
            Ok(answer) => Reply::Move(answer),
            Err(_) => std::process::abort(),
        },
        Err(error) => Reply::Trouble(format!("cannot make a thread: {error}")),
    }
}
