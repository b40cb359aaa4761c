//! How far a match is: a bar on a terminal, else a few plain lines.

use crate::arena::report::table::visible;
use crate::arena::statistics::standing::{Standing, Standings};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Plain progress lines of a whole match or experiment, where no bar can be drawn.
const LINES: u64 = 10;

/// Engines that a line about the progress of a match names.
const MOST_NAMED: usize = 4;

/// Characters of an engine's name in such a line: it may be a whole command line.
const MOST_CHARACTERS: usize = 24;

/// A bar on the standard error stream, or plain lines where that is no terminal.
pub struct Progress<'a> {
    bar: ProgressBar,
    unit: &'static str,
    plain: &'a mut dyn Write,
}

impl<'a> Progress<'a> {
    /// Before the first of so many, which are called `unit`.
    pub fn new(all: u64, unit: &'static str, plain: &'a mut dyn Write) -> Progress<'a> {
        let bar = ProgressBar::new(all);
        let template = "{elapsed} [{wide_bar}] {pos}/{len} UNIT, {eta} left, {msg}";
        if let Ok(style) = ProgressStyle::with_template(&template.replace("UNIT", unit)) {
            bar.set_style(style);
        }
        Progress { bar, unit, plain }
    }

    /// One more is done; the message says how it stands.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn advance(&mut self, message: String) -> io::Result<()> {
        self.bar.inc(1);
        let all = self.bar.length().unwrap_or(0);
        let done = self.bar.position();
        if self.bar.is_hidden() && done.is_multiple_of(all.div_ceil(LINES).max(1)) {
            writeln!(self.plain, "{done}/{all} {}, {message}", self.unit)?;
        }
        self.bar.set_message(message);
        Ok(())
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// How the match stands: `tengen 3-0-1`, wins, draws and losses, where one engine meets all
/// others; else the points of the engines with the highest scores.
#[must_use]
pub fn score(standings: &Standings) -> String {
    let mut first = standings.iter().map(|standing| &standing.engines[0]);
    let one = first.next();
    if let Some(one) = one.filter(|one| first.all(|other| other == *one)) {
        let sum = |count: fn(&Standing) -> u32| standings.iter().map(count).sum::<u32>();
        return format!(
            "{} {}-{}-{}",
            shortened(one),
            sum(|standing| standing.wins),
            sum(|standing| standing.draws),
            sum(|standing| standing.losses)
        );
    }
    let mut points: Vec<_> = points(standings).into_iter().collect();
    let share = |(_, (won, games)): &(&str, (f64, f64))| won / games;
    points.sort_by(|one, other| share(other).total_cmp(&share(one)));
    let texts = points.iter().take(MOST_NAMED);
    let texts = texts.map(|(name, (won, games))| format!("{} {won}/{games}", shortened(name)));
    texts.collect::<Vec<_>>().join(", ")
}

/// The points and the games of every engine.
fn points(standings: &Standings) -> BTreeMap<&str, (f64, f64)> {
    let mut points: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for standing in standings.iter() {
        let games = f64::from(standing.games());
        let won = f64::from(standing.wins) + 0.5 * f64::from(standing.draws);
        for (engine, won) in standing.engines.iter().zip([won, games - won]) {
            let sum = points.entry(engine).or_default();
            sum.0 += won;
            sum.1 += games;
        }
    }
    points
}

fn shortened(name: &str) -> String {
    let name = visible(name);
    match name.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}
