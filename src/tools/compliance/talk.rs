//! A dialogue with one engine, remembered line by line.

use crate::arena::engines::process::{DialogueLog, Ending, FAREWELL, Line, Process};
use crate::arena::{Stop, Terms};
use crate::clock;
use crate::game::{AnyGame, PlayError, Setup, SetupError, any};
use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long nothing must come where nothing should come (guess).
const QUIET: Duration = Duration::from_millis(200);

/// Characters of a line that are shown.
const SHOWN: usize = 100;

/// Lines of a dialogue that are remembered: an engine may flood us.
const REMEMBERED: usize = 60;

/// Why a check is not simply ok.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It does not hold.
    Failed(String),
    /// The engine need not do this, and does not.
    Skipped(String),
}

/// That a check failed, and why.
pub fn failed(reason: impl Into<String>) -> Finding {
    Finding::Failed(reason.into())
}

impl From<SetupError> for Finding {
    fn from(error: SetupError) -> Finding {
        failed(error.to_string())
    }
}

impl From<PlayError> for Finding {
    fn from(error: PlayError) -> Finding {
        failed(error.to_string())
    }
}

/// An engine that is spoken with.
pub struct Talk {
    process: Process,
    terms: Terms,
    stop: Stop,
    dialogue: Vec<String>,
    /// Where in the dialogue that was said which the check is about.
    marked: Option<usize>,
    asked: Instant,
}

impl Talk {
    /// Starts an engine.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(mut command: Command, terms: &Terms) -> io::Result<Talk> {
        Ok(Talk {
            process: Process::spawn(&mut command, DialogueLog::default())?,
            terms: *terms,
            stop: Stop::default(),
            dialogue: Vec::new(),
            marked: None,
            asked: clock::now(),
        })
    }

    /// The game that is spoken of.
    pub fn setup(&self) -> Setup {
        self.terms.setup
    }

    /// The game at its beginning.
    ///
    /// # Errors
    /// Where there is no such game.
    pub fn new_game(&self) -> Result<Box<dyn AnyGame>, Finding> {
        Ok(any::new_game(&self.terms.setup)?)
    }

    /// What a move may take.
    pub fn time(&self) -> Duration {
        self.terms.time.per_move.unwrap_or(Terms::UNTIMED)
    }

    /// Says a line.
    pub fn say(&mut self, line: &str) {
        self.remember('>', line);
        self.asked = clock::now();
        self.process.send(line);
    }

    /// Waits for the next line.
    ///
    /// # Errors
    /// When none comes.
    pub fn hear(&mut self) -> Result<Line, Finding> {
        let patience = self.terms.patience;
        match self.process.receive(self.asked + patience, &self.stop) {
            Ok(line) if line.arrived > self.asked + patience => Err(failed("no end of lines")),
            Ok(line) => {
                self.remember('<', &line.text);
                Ok(line)
            }
            Err(silence) => Err(match self.process.ending(silence) {
                Ending::Silent => failed(format!("no answer within {patience:?}")),
                ending => failed(ending.to_string()),
            }),
        }
    }

    /// Waits a little, and returns a line that came.
    pub fn overhear(&mut self) -> Option<Line> {
        let line = self
            .process
            .receive(clock::now() + QUIET, &self.stop)
            .ok()?;
        self.remember('<', &line.text);
        Some(line)
    }

    /// What arrived then must have answered what was said last in the time for a move.
    ///
    /// # Errors
    /// When it did not.
    pub fn in_time(&self, arrived: Instant, time: Duration) -> Result<(), Finding> {
        let took = arrived.saturating_duration_since(self.asked);
        if took > time + self.terms.margin {
            return Err(failed(format!("took {took:.0?} of {time:.0?}")));
        }
        Ok(())
    }

    /// Closes the engine's input.
    pub fn close(&mut self) {
        self.remember('>', "(end of input)");
        self.process.close_input();
    }

    /// The engine must end now.
    ///
    /// # Errors
    /// When it does not.
    pub fn ends(&mut self) -> Result<(), Finding> {
        match self.process.farewell() {
            Some(status) => {
                self.remember('<', &format!("({status})"));
                Ok(())
            }
            None => Err(failed(format!(
                "the process is still there after {FAREWELL:?}"
            ))),
        }
    }

    /// Everything said so far, as far as it is remembered.
    pub fn dialogue(&self) -> &[String] {
        &self.dialogue
    }

    /// What was said last is what the check is about; the rest only shows that the game goes on.
    pub fn mark(&mut self) {
        self.marked = Some(self.last_said());
    }

    /// What was said that the check is about, and the answer to it.
    pub fn marked_exchange(&self) -> String {
        self.exchange(self.marked.unwrap_or_else(|| self.last_said()))
    }

    /// What was said last, and the answer to it.
    pub fn last_exchange(&self) -> String {
        self.exchange(self.last_said())
    }

    fn last_said(&self) -> usize {
        let said = |line: &String| line.starts_with('>');
        self.dialogue.iter().rposition(said).unwrap_or_default()
    }

    fn exchange(&self, said: usize) -> String {
        let for_people = |line: &str| line.starts_with("< MESSAGE") || line.starts_with("< DEBUG");
        let heard = self.dialogue.iter().skip(said + 1);
        let heard = heard.take_while(|line| line.starts_with('<'));
        let mut heard = heard.filter(|line| line.len() > "< ".len() && !for_people(line));
        let text = |line: Option<&String>| line.and_then(|line| line.get(2..)).map(str::to_owned);
        let said = text(self.dialogue.get(said)).unwrap_or_default();
        match text(heard.next()) {
            Some(heard) => format!("{said} -> {heard}"),
            None => said,
        }
    }

    fn remember(&mut self, direction: char, line: &str) {
        if self.dialogue.len() < REMEMBERED {
            let shown = line.chars().take(SHOWN);
            let shown: String = shown.flat_map(visible).collect();
            self.dialogue.push(format!("{direction} {shown}"));
        }
    }
}

/// The character itself, or where it cannot be seen, how Rust writes it.
fn visible(c: char) -> impl Iterator<Item = char> {
    let seen = (!c.is_control()).then_some(c);
    let escaped = c.is_control().then(|| c.escape_debug());
    seen.into_iter().chain(escaped.into_iter().flatten())
}
