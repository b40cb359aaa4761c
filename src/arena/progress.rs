//! How far a match is: a bar on a terminal, else a few plain lines.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};

/// Plain progress lines of a whole match, where no bar can be drawn.
const LINES: u64 = 10;

/// A bar on the standard error stream, or plain lines where that is no terminal.
pub struct Progress<'a> {
    bar: ProgressBar,
    plain: &'a mut dyn Write,
}

impl<'a> Progress<'a> {
    /// Before the first of so many games.
    pub fn new(games: u64, plain: &'a mut dyn Write) -> Progress<'a> {
        let bar = ProgressBar::new(games);
        let template = "{elapsed} [{wide_bar}] {pos}/{len} games, {eta} left, {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar, plain }
    }

    /// Another game is over; `score` is the score of all.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn game_over(&mut self, score: String) -> io::Result<()> {
        self.bar.inc(1);
        let games = self.bar.length().unwrap_or(0);
        let over = self.bar.position();
        if self.bar.is_hidden() && over.is_multiple_of(games.div_ceil(LINES).max(1)) {
            writeln!(self.plain, "{over}/{games} games, {score}")?;
        }
        self.bar.set_message(score);
        Ok(())
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
