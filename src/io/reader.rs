//! Lines in, each with the time of its arrival.
//!
//! One protocol, Saiblo's, sends messages with no line end: four digits that tell the length, and
//! then that many bytes, the first being `{`. No other protocol has lines that begin so. The
//! first such message shows that messages follow to the end of the input.

use super::Message;
use crate::clock;
use crate::protocol::saiblo::LENGTH_DIGITS;
use crate::protocol::{Framing, LONGEST_LINE};
use std::io::{self, BufRead, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// Bytes of lines that may wait to be worked on. A flood that is larger waits in the pipe.
const BACKLOG: usize = 16 << 20;

/// What a line takes beside its text (bytes).
const LINE_COST: usize = size_of::<Line>();

/// A line as it arrived, without its line end; or a message without one, with its length.
pub struct Line {
    /// When its last byte was read.
    pub received: Instant,
    /// The line. Bytes that are no text are replaced.
    pub text: String,
    /// Its place among the lines that are not yet worked on, free once it is dropped.
    _place: Place,
}

impl Line {
    /// A line that has just arrived.
    pub fn now(text: String, backlog: &Arc<Backlog>) -> Line {
        Line {
            received: clock::now(),
            _place: backlog.place(text.len() + LINE_COST),
            text,
        }
    }
}

/// How much of the lines that are read is not yet worked on.
pub struct Backlog {
    bytes: Mutex<usize>,
    freed: Condvar,
}

/// What one line takes of it.
struct Place {
    backlog: Arc<Backlog>,
    bytes: usize,
}

impl Backlog {
    /// One with nothing in it.
    pub fn new() -> Arc<Backlog> {
        Arc::new(Backlog {
            bytes: Mutex::new(0),
            freed: Condvar::new(),
        })
    }

    /// Bytes that wait.
    pub fn waiting(&self) -> usize {
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes place for a line, however large.
    fn place(self: &Arc<Backlog>, bytes: usize) -> Place {
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) += bytes;
        Place {
            backlog: self.clone(),
            bytes,
        }
    }

    /// Blocks while it is full; calls `on_full` before every wait.
    fn wait(&self, on_full: impl Fn()) {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |bytes: &mut usize| {
            let is_full = *bytes >= BACKLOG;
            if is_full {
                on_full();
            }
            is_full
        };
        drop(self.freed.wait_while(bytes, is_full));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Backlog { bytes, freed } = &*self.backlog;
        *bytes.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        freed.notify_one();
    }
}

/// Reads lines until the input ends or fails, and hands each to `send` with its stamp, then
/// the end. Stops when `send` returns false. Blocks until then. `framing` is that of the protocol,
/// where it was named.
///
/// What ends a thought must be seen behind any number of lines that wait for the thought, so
/// reading goes on while they wait. Once they fill the backlog, `send` gets `Full`.
pub fn read_lines(input: impl BufRead, framing: Option<Framing>, send: impl Fn(Message) -> bool) {
    let backlog = Backlog::new();
    let mut reader = Reader::new(input, framing);
    loop {
        backlog.wait(|| {
            send(Message::Full);
        });
        let Some((received, text)) = reader.next() else {
            send(Message::End);
            return;
        };
        let line = Line {
            received,
            _place: backlog.place(text.len() + LINE_COST),
            text,
        };
        if !send(Message::Line(line)) {
            return;
        }
    }
}

/// The first line of an input, or none.
pub fn read_first(input: impl BufRead, framing: Option<Framing>) -> Option<String> {
    Reader::new(input, framing).next().map(|(_, text)| text)
}

/// Cuts the input into lines, or into messages that tell their length.
struct Reader<R> {
    input: R,
    /// `None`: the protocol is not known yet, or has lines.
    framing: Option<Framing>,
    /// Bytes read that are no part of the line before.
    bytes: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    fn new(input: R, framing: Option<Framing>) -> Self {
        Reader {
            input,
            framing,
            bytes: Vec::new(),
        }
    }

    fn next(&mut self) -> Option<(Instant, String)> {
        let read = match self.framing {
            Some(Framing::LengthFirst) => self.message(),
            _ => self.line(),
        };
        let bytes = read.unwrap_or_else(|error| {
            log::warn!("reading ended: {error}");
            Vec::new()
        });
        if bytes.is_empty() {
            return None;
        }
        let received = clock::now();
        let text = String::from_utf8_lossy(&bytes);
        // Some programs put a byte order mark before the first line.
        let text = text.trim_start_matches('\u{feff}');
        Some((received, text.trim_end_matches(['\r', '\n']).to_owned()))
    }

    /// One line with its end, or the first message. Empty at the end of the input.
    ///
    /// Digits are read byte by byte, so never past the end of a message.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        while let Some(byte) = self.byte()? {
            if byte == b'{' && self.framing.is_none() && self.begins_message() {
                self.framing = Some(Framing::LengthFirst);
                return self.message();
            }
            if !byte.is_ascii_digit() || self.is_full() {
                break;
            }
        }
        if !self.bytes.is_empty() && !self.bytes.ends_with(b"\n") {
            let left = LONGEST_LINE - self.bytes.len();
            let mut rest = (&mut self.input).take(left as u64);
            rest.read_until(b'\n', &mut self.bytes)?;
            if self.is_full() && !self.bytes.ends_with(b"\n") {
                self.skip_rest();
            }
        }
        Ok(std::mem::take(&mut self.bytes))
    }

    /// One message with its length. What is none comes as a message of its own, once the next
    /// one begins or the input ends.
    fn message(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(length) = self.length() {
                if self.bytes.len() > LENGTH_DIGITS + 1 {
                    let next = self.bytes.split_off(self.bytes.len() - LENGTH_DIGITS - 1);
                    return Ok(std::mem::replace(&mut self.bytes, next));
                }
                let mut rest = (&mut self.input).take(length.saturating_sub(1));
                rest.read_to_end(&mut self.bytes)?;
                break;
            }
            if self.bytes == [b'0'; LENGTH_DIGITS] || self.is_full() || self.byte()?.is_none() {
                break;
            }
            if let [b'\r' | b'\n'] = *self.bytes {
                self.bytes.clear();
            }
        }
        Ok(std::mem::take(&mut self.bytes))
    }

    /// The length of the message that the last bytes read begin: four digits and `{`.
    fn length(&self) -> Option<u64> {
        let [digits @ .., b'{'] = self.bytes.last_chunk::<{ LENGTH_DIGITS + 1 }>()? else {
            return None;
        };
        let value = |sum: u64, digit: &u8| 10 * sum + u64::from(digit - b'0');
        let are_digits = digits.iter().all(u8::is_ascii_digit);
        are_digits.then(|| digits.iter().fold(0, value))
    }

    /// Whether what was read is the beginning of a message, after any number of empty ones, which
    /// are dropped.
    fn begins_message(&mut self) -> bool {
        let zeros = self.bytes.iter().take_while(|&&byte| byte == b'0').count();
        let before = self.bytes.len().saturating_sub(LENGTH_DIGITS + 1);
        let begins = before <= zeros && before.is_multiple_of(LENGTH_DIGITS);
        let begins = begins && self.length().is_some();
        if begins {
            self.bytes.drain(..before);
        }
        begins
    }

    fn is_full(&self) -> bool {
        self.bytes.len() >= LONGEST_LINE
    }

    /// Reads the next byte to the others.
    fn byte(&mut self) -> io::Result<Option<u8>> {
        let read = (&mut self.input).take(1).read_to_end(&mut self.bytes)?;
        Ok(self.bytes.last().copied().filter(|_| read == 1))
    }

    /// Drops what follows up to the end of the line. An error shows at the next reading.
    fn skip_rest(&mut self) {
        while let Ok(buffer) = self.input.fill_buf() {
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let (skip, done) = match end {
                Some(at) => (at + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.input.consume(skip);
            if done {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::RefCell;
    use std::sync::mpsc;

    fn lines(bytes: &[u8]) -> Vec<String> {
        lines_of(bytes)
    }

    fn lines_of(input: impl BufRead) -> Vec<String> {
        let lines = RefCell::new(Vec::new());
        read_lines(input, None, |message| {
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
    fn a_message_may_say_its_length_instead_of_ending_a_line() {
        let messages = b"12\n1234 name\n1234\n\n0010{\"type\":2}0003{\n}0010{\"type\":2}\n0005{a";
        let expected = [
            "12",
            "1234 name",
            "1234",
            "",
            "0010{\"type\":2}",
            "0003{\n}",
            "0010{\"type\":2}",
            "0005{a",
        ];
        assert_eq!(lines(messages), expected);
    }

    #[test]
    fn bytes_between_messages_cost_no_message() {
        assert_eq!(lines(b"00000002{}"), ["0002{}"]);
        assert_eq!(
            lines(b"0002{}00000002{}0004ab\n 0002{}0002{}"),
            ["0002{}", "0000", "0002{}", "0004ab\n ", "0002{}", "0002{}"]
        );
        assert_eq!(lines(b"0002{}12345678{}"), ["0002{}", "1234", "5678{}"]);
    }

    /// Gives one byte at a time and must not be asked for more than it has: that would block.
    struct Judge<'a>(&'a [u8]);

    impl Read for Judge<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let (&byte, rest) = self.0.split_first().expect("the reader would block");
            self.0 = rest;
            buffer[0] = byte;
            Ok(1)
        }
    }

    #[test]
    fn reading_stops_at_the_end_of_a_message() {
        for message in [
            "0010{\"type\":2}",
            "123\n",
            "1234\n",
            "1234x\n",
            "\n",
            "START 15\n",
        ] {
            let input = io::BufReader::with_capacity(1, Judge(message.as_bytes()));
            let line = read_first(input, None).unwrap();
            assert_eq!(line, message.trim_end(), "{message}");
        }
        let input = io::BufReader::with_capacity(1, Judge(b"0000"));
        let line = read_first(input, Some(Framing::LengthFirst));
        assert_eq!(line.as_deref(), Some("0000"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_their_end(
            bytes in prop::collection::vec(
                prop_oneof![2 => b'1'..=b'9', 1 => Just(b'{'), 1 => Just(b'\n'), 1 => any::<u8>()],
                0..200,
            ),
        ) {
            let read = lines(&bytes);
            let slowly = io::BufReader::with_capacity(1, &bytes[..]);
            prop_assert_eq!(&read, &lines_of(slowly));
            // Nothing is lost but line ends and empty messages, and nothing is made up.
            let ends = |byte: &u8| b"\r\n0".contains(byte);
            let said = bytes.iter().copied().filter(|byte| !ends(byte) && byte.is_ascii());
            let heard = read.concat().into_bytes().into_iter();
            let heard = heard.filter(|byte| !ends(byte) && byte.is_ascii());
            prop_assert_eq!(heard.collect::<Vec<u8>>(), said.collect::<Vec<u8>>());
        }
    }

    #[test]
    fn a_flood_is_cut_off() {
        let mut flood = vec![b'x'; 3 << 20];
        flood.extend(b"\nafter\n");
        let lines = lines(&flood);
        assert_eq!(lines[0].len(), LONGEST_LINE);
        assert_eq!(lines[1..], ["after"]);
        let mut fits = vec![b'x'; LONGEST_LINE - 1];
        fits.extend(b"\nafter\n");
        assert_eq!(self::lines(&fits)[1..], ["after"]);
        let digits = vec![b'7'; LONGEST_LINE + 5];
        assert_eq!(self::lines(&digits)[0].len(), LONGEST_LINE);
    }

    #[test]
    fn reading_waits_while_the_backlog_is_full_and_tells_so() {
        let long = [vec![b'x'; LONGEST_LINE / 2], vec![b'\n']].concat();
        let count = 2 * (BACKLOG / LONGEST_LINE) + 2;
        let (sender, messages) = mpsc::channel();
        let reading = std::thread::spawn(move || {
            read_lines(&long.repeat(count)[..], None, |it| sender.send(it).is_ok());
        });
        let mut waiting = Vec::new();
        loop {
            match messages.recv().unwrap() {
                Message::Line(line) => waiting.push(line),
                Message::Full => break,
                _ => panic!("all was read"),
            }
        }
        assert!(waiting.len() < count && !reading.is_finished());
        waiting.clear();
        let rest = messages.iter().filter(|it| matches!(it, Message::Line(_)));
        assert!(rest.count() > 0);
        reading.join().unwrap();
    }
}
