//! Standings as text.

use crate::arena::statistics::standing::{Standing, Standings};
use crate::arena::statistics::stats::{Estimate, elo};

/// The headings of [`result_cells`].
pub(crate) const RESULT_HEADINGS: [&str; 7] = [
    "games",
    "W-D-L",
    "score",
    "Elo [95 %]",
    "mean ms",
    "max ms",
    "faults",
];

/// One row for every pairing that has games, then what the faults were.
#[must_use]
pub fn render(standings: &Standings) -> String {
    let headings = ["game", "engines"].into_iter().chain(RESULT_HEADINGS);
    let mut rows = vec![headings.map(str::to_owned).collect()];
    rows.extend(standings.iter().map(row));
    let mut text = align(&rows);
    for standing in standings.iter() {
        for fault in faults(standing) {
            text.push_str(&format!("{}: {fault}\n", standing.board));
        }
    }
    text
}

fn row(standing: &Standing) -> Vec<String> {
    let [one, other] = &standing.engines;
    let mut row = vec![standing.board.clone(), format!("{one} - {other}")];
    row.extend(result_cells(standing));
    row
}

/// How the games of a pairing went.
pub(crate) fn result_cells(standing: &Standing) -> [String; 7] {
    let estimate = standing.estimate();
    [
        standing.games().to_string(),
        format!("{}-{}-{}", standing.wins, standing.draws, standing.losses),
        estimate.map_or_else(String::new, |it| format!("{:.1} %", 100.0 * it.score)),
        estimate.map_or_else(String::new, elo_with_interval),
        both(|engine| milliseconds(standing.times[engine].mean_ms())),
        both(|engine| milliseconds(standing.times[engine].max_ms())),
        both(|engine| standing.fault_count(engine).to_string()),
    ]
}

/// `+41 [+11, +71]`; a perfect score has only the end that is known, as in `at least +150`.
pub(super) fn elo_with_interval(estimate: Estimate) -> String {
    let (low, high) = (elo(estimate.low), elo(estimate.high));
    if estimate.score == 1.0 {
        format!("at least {low:+.0}")
    } else if estimate.score == 0.0 {
        format!("at most {high:+.0}")
    } else {
        format!("{:+.0} [{low:+.0}, {high:+.0}]", elo(estimate.score))
    }
}

/// A cell that has a value for either engine.
fn both(value: impl Fn(usize) -> String) -> String {
    format!("{} / {}", value(0), value(1))
}

fn milliseconds(ms: Option<f64>) -> String {
    ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.1}"))
}

/// What each engine did wrong, a line for each kind.
pub(crate) fn faults(standing: &Standing) -> impl Iterator<Item = String> {
    let faults = standing.faults.iter();
    faults.map(|((engine, kind), (count, detail))| {
        let engine = visible(&standing.engines[*engine]);
        let detail = visible(detail);
        format!("{engine}: {count} x {kind}, first: {detail}")
    })
}

/// The text with no characters that a terminal obeys: `\u{1b}` instead of an escape.
pub(crate) fn visible(text: &str) -> String {
    let mut seen = String::new();
    for c in text.chars() {
        match c.is_control() {
            true => seen.extend(c.escape_unicode()),
            false => seen.push(c),
        }
    }
    seen
}

/// Columns as wide as their longest text, two spaces apart.
pub(crate) fn align(rows: &[impl AsRef<[String]>]) -> String {
    let seen = |row: &[String]| row.iter().map(|cell| visible(cell)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| seen(row.as_ref())).collect();
    let mut widths = Vec::new();
    for row in &rows {
        for (column, cell) in row.iter().enumerate() {
            widths.resize(widths.len().max(column + 1), 0);
            widths[column] = widths[column].max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in &rows {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, &width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(losses: u32, draws: u32, wins: u32) -> String {
        elo_with_interval(Estimate::of_games(losses, draws, wins).unwrap())
    }

    #[test]
    fn elo_is_shown_with_what_is_known_of_it() {
        // The first as fastchess has it (see `stats`); 0.05^(1/20) = 0.860891 is +317 points.
        assert_eq!(shown(96, 111, 136), "+41 [+11, +71]");
        assert_eq!(shown(0, 0, 20), "at least +317");
        assert_eq!(shown(20, 0, 0), "at most -317");
        assert_eq!(shown(19, 0, 1), "-512 [-inf, -308]");
        assert_eq!(shown(50, 0, 50), "+0 [-69, +69]");
    }

    #[test]
    fn columns_are_as_wide_as_their_longest_text() {
        let rows = [["a", "bcd"], ["ef", "g"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(align(&rows), "a   bcd\nef  g\n");
        let rows = [["\u{1b}[31m", "a"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(align(&rows), "\\u{1b}[31m  a\n");
    }
}
