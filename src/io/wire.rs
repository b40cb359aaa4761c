//! Lines in and out, and the transcript of both.

use super::Message;
use crate::clock;
use std::io::{BufRead, Read, Write};
use std::time::Instant;

/// What is longer than this is cut off, so that a flood cannot take the memory. No protocol
/// has lines of nearly this length (bytes).
const LONGEST_LINE: u64 = 1 << 20;

/// A line as it arrived, without its line end.
pub struct Line {
    /// When its last byte was read.
    pub received: Instant,
    /// The line. Bytes that are no text are replaced.
    pub text: String,
}

/// Reads lines until the input ends or fails, and hands each to `send` with its stamp, then
/// the end. Stops when `send` returns false. Blocks until then.
pub fn read_lines(mut input: impl BufRead, send: impl Fn(Message) -> bool) {
    while let Some(line) = read_line(&mut input) {
        if !send(Message::Line(line)) {
            return;
        }
    }
    send(Message::End);
}

fn read_line(input: &mut impl BufRead) -> Option<Line> {
    let mut bytes = Vec::new();
    let mut limited = input.by_ref().take(LONGEST_LINE);
    match limited.read_until(b'\n', &mut bytes) {
        Ok(0) => return None,
        Ok(_) => {}
        Err(error) => {
            log::warn!("reading ended: {error}");
            return None;
        }
    }
    let received = clock::now();
    if bytes.len() as u64 == LONGEST_LINE {
        skip_rest(input);
    }
    let text = String::from_utf8_lossy(&bytes);
    // Some programs put a byte order mark before the first line.
    let text = text.trim_start_matches('\u{feff}');
    let text = text.trim_end_matches(['\r', '\n']).to_owned();
    Some(Line { received, text })
}

/// Drops what follows up to the end of the line. An error shows at the next reading.
fn skip_rest(input: &mut impl BufRead) {
    while let Ok(buffer) = input.fill_buf() {
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let (skip, done) = match end {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(skip);
        if done {
            return;
        }
    }
}

/// Where answers go, and the transcript.
pub struct Wire<'a> {
    output: &'a mut dyn Write,
    transcript: Option<Box<dyn Write>>,
    begun: Instant,
}

impl<'a> Wire<'a> {
    /// A wire whose transcript counts time from now.
    pub fn new(output: &'a mut dyn Write, transcript: Option<Box<dyn Write>>) -> Self {
        Wire {
            output,
            transcript,
            begun: clock::now(),
        }
    }

    /// Writes a line that is now being read to the transcript, with the time of its arrival.
    pub fn heard(&mut self, line: &Line) -> anyhow::Result<()> {
        self.record(line.received, '>', &line.text)
    }

    /// Writes lines to the other end, at once.
    pub fn say(&mut self, lines: &[String]) -> anyhow::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        for line in lines {
            writeln!(self.output, "{line}")?;
        }
        self.output.flush()?;
        let now = clock::now();
        lines
            .iter()
            .try_for_each(|line| self.record(now, '<', line))
    }

    fn record(&mut self, time: Instant, direction: char, text: &str) -> anyhow::Result<()> {
        if let Some(file) = &mut self.transcript {
            let seconds = time.saturating_duration_since(self.begun).as_secs_f64();
            writeln!(file, "{seconds:10.4} {direction} {text}")?;
            file.flush()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let lines = RefCell::new(Vec::new());
        read_lines(bytes, |message| {
            if let Message::Line(line) = message {
                lines.borrow_mut().push(line.text);
            }
            true
        });
        lines.into_inner()
    }

    #[test]
    fn line_ends_of_all_kinds_are_taken_off() {
        assert_eq!(lines(b"a\r\nb\n\nc"), ["a", "b", "", "c"]);
        assert_eq!(lines("\u{feff}a\n".as_bytes()), ["a"]);
        assert_eq!(lines(b""), [""; 0]);
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        assert_eq!(lines(b"\xff\x00x\n1"), ["\u{fffd}\0x", "1"]);
    }

    #[test]
    fn a_flood_is_cut_off() {
        let mut flood = vec![b'x'; 3 << 20];
        flood.extend(b"\nafter\n");
        let lines = lines(&flood);
        assert_eq!(lines[0].len() as u64, LONGEST_LINE);
        assert_eq!(lines[1..], ["after"]);
    }
}
