//! Where answers go, and the transcript of both directions.

use super::reader::Line;
use crate::clock;
use crate::protocol::Framing;
use std::io::Write;
use std::time::Instant;

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

    /// A transcript that cannot be written ends, and that is told; the game goes on.
    fn record(&mut self, time: Instant, direction: char, text: &str) {
        let seconds = time.saturating_duration_since(self.begun).as_secs_f64();
        let written = self.transcript.as_mut().map(|file| {
            writeln!(file, "{seconds:10.4} {direction} {text}")?;
            file.flush()
        });
        if let Some(Err(error)) = written {
            let _ = writeln!(super::errors(), "tengen: the transcript ends here: {error}");
            self.transcript = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_may_have_its_length_before_it() {
        let mut output = Vec::new();
        let mut wire = Wire::new(&mut output, None);
        wire.set_framing(Framing::LengthFirst);
        wire.say(&["{}".to_owned(), "x".repeat(300)]).unwrap();
        assert_eq!(output[..8], *b"\0\0\0\x03{}\n\0");
        assert_eq!(output[8..11], [0, 1, 45]);
    }
}
