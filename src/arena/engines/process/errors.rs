//! What an engine writes to its standard error; the end is kept.

use super::log::DialogueLog;
use super::read_line;
use std::collections::VecDeque;
use std::io::{self, BufReader};
use std::process::ChildStderr;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Lines that are kept: what a program says before it dies is short.
const LINES: usize = 8;

/// Characters of a line that are kept.
const CHARACTERS: usize = 200;

/// The end of an engine's standard error.
#[derive(Debug)]
pub struct Errors {
    lines: Arc<Mutex<VecDeque<String>>>,
    /// Disconnected when the stream has ended.
    ended: Receiver<()>,
}

impl Errors {
    /// Reads the stream to its end on a thread of its own, so that the engine never waits.
    ///
    /// # Errors
    /// When there is no thread for it.
    pub fn read(pipe: ChildStderr, process: u32, log: DialogueLog) -> io::Result<Errors> {
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        let (reading, ended) = mpsc::sync_channel(0);
        let kept = Arc::clone(&lines);
        thread::Builder::new().spawn(move || {
            let _reading = reading;
            let mut reader = BufReader::new(pipe);
            while let Ok(Some(line)) = read_line(&mut reader) {
                ::log::debug!("{process} ! {line}");
                log.heard_error(&line);
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() == LINES {
                    kept.pop_front();
                }
                kept.push_back(line.chars().take(CHARACTERS).collect::<String>());
            }
        })?;
        Ok(Errors { lines, ended })
    }

    /// The last lines, parted by line feeds. Waits at most so long for the stream to end.
    pub fn last(&self, at_most: Duration) -> String {
        let _ = self.ended.recv_timeout(at_most);
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }
}
