//! Lines in and out, and the transcript of both.
//!
//! One protocol, Saiblo's, sends messages with no line end: four digits that tell the length, and
//! then so many bytes, the first of which is `{`. No other protocol has lines that begin so, so
//! the reader takes such a message for a line wherever it comes.

use super::Message;
use crate::clock;
use crate::protocol::Framing;
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// What is longer than this is cut off, so that a flood cannot take the memory. No protocol
/// has lines of nearly this length (bytes).
const LONGEST_LINE: u64 = 1 << 20;

/// How many lines may wait to be worked on.
const MOST_LINES: u32 = 1024;

/// Digits before a message without a line end.
const LENGTH_DIGITS: usize = 4;

/// A line as it arrived, without its line end; or a message without one, with its length.
pub struct Line {
    /// When its last byte was read.
    pub received: Instant,
    /// The line. Bytes that are no text are replaced.
    pub text: String,
    /// Its place among the lines that are not yet worked on, free once it is dropped.
    _place: Place,
}

/// The places of the lines that are read and not yet worked on. Where all are taken, reading
/// waits, so that a flood of lines cannot take the memory either.
struct Places {
    free: Mutex<u32>,
    freed: Condvar,
}

/// One such place.
pub struct Place(Arc<Places>);

impl Places {
    fn new(count: u32) -> Arc<Places> {
        Arc::new(Places {
            free: Mutex::new(count),
            freed: Condvar::new(),
        })
    }

    /// Blocks until there is one.
    fn take(self: &Arc<Places>) -> Place {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.freed.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Place(self.clone())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Place(places) = self;
        *places.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        places.freed.notify_one();
    }
}

/// Reads lines until the input ends or fails, and hands each to `send` with its stamp, then
/// the end. Stops when `send` returns false. Blocks until then.
pub fn read_lines(mut input: impl BufRead, send: impl Fn(Message) -> bool) {
    let places = Places::new(MOST_LINES);
    while let Some(line) = read_line(&mut input, places.take()) {
        if !send(Message::Line(line)) {
            return;
        }
    }
    send(Message::End);
}

fn read_line(input: &mut impl BufRead, place: Place) -> Option<Line> {
    let mut bytes = Vec::new();
    if let Err(error) = read_bytes(input, &mut bytes) {
        log::warn!("reading ended: {error}");
        return None;
    }
    if bytes.is_empty() {
        return None;
    }
    let received = clock::now();
    if bytes.len() as u64 == LONGEST_LINE && !bytes.ends_with(b"\n") {
        skip_rest(input);
    }
    let text = String::from_utf8_lossy(&bytes);
    // Some programs put a byte order mark before the first line.
    let text = text.trim_start_matches('\u{feff}');
    let text = text.trim_end_matches(['\r', '\n']).to_owned();
    Some(Line {
        received,
        text,
        _place: place,
    })
}

/// Reads one line with its end, or one message that says its length. None at the end.
fn read_bytes(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<()> {
    if let Some(left) = read_length(input, bytes)? {
        input.take(left).read_to_end(bytes)?;
    } else if !bytes.ends_with(b"\n") {
        let left = LONGEST_LINE - bytes.len() as u64;
        input.take(left).read_until(b'\n', bytes)?;
    }
    Ok(())
}

/// Reads byte by byte while they are four digits and `{`, so never past the end of a line.
/// Returns how many bytes are left of the message that begins so.
fn read_length(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<Option<u64>> {
    let mut length = 0;
    for _ in 0..LENGTH_DIGITS {
        match read_byte(input, bytes)? {
            Some(digit @ b'0'..=b'9') => length = length * 10 + u64::from(digit - b'0'),
            _ => return Ok(None),
        }
    }
    let begins = read_byte(input, bytes)? == Some(b'{');
    Ok(begins.then(|| length.saturating_sub(1)))
}

fn read_byte(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<Option<u8>> {
    let read = input.take(1).read_to_end(bytes)?;
    Ok(bytes.last().copied().filter(|_| read == 1))
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
    framing: Framing,
    begun: Instant,
}

impl<'a> Wire<'a> {
    /// A wire whose transcript counts time from now.
    pub fn new(output: &'a mut dyn Write, transcript: Option<Box<dyn Write>>) -> Self {
        Wire {
            output,
            transcript,
            framing: Framing::Lines,
            begun: clock::now(),
        }
    }

    /// From now on, answers are told apart so.
    pub fn set_framing(&mut self, framing: Framing) {
        self.framing = framing;
    }

    /// Writes a line that is now being read to the transcript, with the time of its arrival.
    pub fn heard(&mut self, line: &Line) {
        self.record(line.received, '>', &line.text);
    }

    /// Writes lines to the other end, at once.
    pub fn say(&mut self, lines: &[String]) -> anyhow::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        for line in lines {
            if self.framing == Framing::LengthFirst {
                let length = u32::try_from(line.len() + 1)?;
                self.output.write_all(&length.to_be_bytes())?;
            }
            writeln!(self.output, "{line}")?;
        }
        self.output.flush()?;
        let now = clock::now();
        for line in lines {
            self.record(now, '<', line);
        }
        Ok(())
    }

    /// A transcript that cannot be written ends; the game does not.
    fn record(&mut self, time: Instant, direction: char, text: &str) {
        let seconds = time.saturating_duration_since(self.begun).as_secs_f64();
        let written = self.transcript.as_mut().map(|file| {
            writeln!(file, "{seconds:10.4} {direction} {text}")?;
            file.flush()
        });
        if let Some(Err(error)) = written {
            log::error!("the transcript ends here: {error}");
            self.transcript = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::RefCell;

    fn lines(bytes: &[u8]) -> Vec<String> {
        lines_of(bytes)
    }

    fn lines_of(input: impl BufRead) -> Vec<String> {
        let lines = RefCell::new(Vec::new());
        read_lines(input, |message| {
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
        let messages = b"0010{\"type\":2}0003{\n}1234 name\n12\n1234\n\n0005{a";
        let expected = [
            "0010{\"type\":2}",
            "0003{\n}",
            "1234 name",
            "12",
            "1234",
            "",
            "0005{a",
        ];
        assert_eq!(lines(messages), expected);
        assert_eq!(lines(b"0000{}\n1234"), ["0000{", "}", "1234"]);
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
            let mut input = io::BufReader::with_capacity(1, Judge(message.as_bytes()));
            let line = read_line(&mut input, Places::new(1).take()).unwrap();
            assert_eq!(line.text, message.trim_end(), "{message}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_their_end(
            bytes in prop::collection::vec(
                prop_oneof![2 => b'0'..=b'9', 1 => Just(b'{'), 1 => Just(b'\n'), 1 => any::<u8>()],
                0..200,
            ),
        ) {
            let read = lines(&bytes);
            let slowly = io::BufReader::with_capacity(1, &bytes[..]);
            prop_assert_eq!(&read, &lines_of(slowly));
            // Nothing is lost but line ends, and nothing is made up.
            let ends = |byte: &u8| [b'\r', b'\n'].contains(byte);
            let said = bytes.iter().copied().filter(|byte| !ends(byte) && byte.is_ascii());
            let heard = read.concat().into_bytes().into_iter();
            let heard = heard.filter(|byte| !ends(byte) && byte.is_ascii());
            prop_assert_eq!(heard.collect::<Vec<u8>>(), said.collect::<Vec<u8>>());
        }
    }

    #[test]
    fn an_answer_may_have_its_length_before_it() {
        let mut output = Vec::new();
        let mut wire = Wire::new(&mut output, None);
        wire.set_framing(Framing::LengthFirst);
        wire.say(&["{}".to_owned(), "x".repeat(300)]).unwrap();
        assert_eq!(output[..8], *b"\0\0\0\x03{}\n\0");
        assert_eq!(output[8..11], [0, 1, 45]);
    }

    #[test]
    fn a_flood_is_cut_off() {
        let mut flood = vec![b'x'; 3 << 20];
        flood.extend(b"\nafter\n");
        let lines = lines(&flood);
        assert_eq!(lines[0].len() as u64, LONGEST_LINE);
        assert_eq!(lines[1..], ["after"]);
        let mut fits = vec![b'x'; LONGEST_LINE as usize - 1];
        fits.extend(b"\nafter\n");
        assert_eq!(self::lines(&fits)[1..], ["after"]);
    }

    #[test]
    fn reading_waits_while_too_many_lines_are_not_worked_on() {
        let places = Places::new(2);
        let mut taken = vec![places.take(), places.take()];
        let waiting = std::thread::spawn({
            let places = places.clone();
            move || drop(places.take())
        });
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!waiting.is_finished());
        taken.pop();
        waiting.join().unwrap();
    }
}
