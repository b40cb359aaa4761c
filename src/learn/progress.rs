//! How far the work is: a bar on a terminal, else a few plain lines.

use crate::clock;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::time::Instant;

/// Plain lines of the whole work, where no bar can be drawn.
const LINES: u64 = 50;

/// Counts games.
pub struct Progress<'a> {
    bar: ProgressBar,
    plain: &'a mut dyn Write,
    began: Instant,
    before: u64,
}

impl<'a> Progress<'a> {
    /// Shows `games` games; `before` of them were played earlier.
    pub fn new(before: u64, games: u64, plain: &'a mut dyn Write) -> Progress<'a> {
        let bar = ProgressBar::new(games).with_position(before);
        let template = "{elapsed} [{wide_bar}] {pos}/{len} games, {eta} left, {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.reset_eta();
        Progress {
            bar,
            plain,
            began: clock::now(),
            before,
        }
    }

    /// `games` games are played now; `state` says how the learning goes.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn reach(&mut self, games: u64, state: impl FnOnce() -> String) -> io::Result<()> {
        let all = self.bar.length().unwrap_or(games).max(1);
        let line = |games: u64| games * LINES / all;
        let was = self.bar.position();
        self.bar.set_position(games);
        let seconds = (clock::now() - self.began).as_secs_f64().max(1e-9);
        let rate = (games - self.before) as f64 / seconds;
        if !self.bar.is_hidden() {
            self.bar
                .set_message(format!("{rate:.0} games/s, {}", state()));
        } else if line(was) != line(games) || games == all {
            writeln!(
                self.plain,
                "{games}/{all} games, {rate:.0} games/s, {}",
                state()
            )?;
            self.plain.flush()?;
        }
        Ok(())
    }

    /// Tells something that stays.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn say(&mut self, line: &str) -> io::Result<()> {
        self.bar.suspend(|| {
            writeln!(self.plain, "{line}")?;
            self.plain.flush()
        })
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
