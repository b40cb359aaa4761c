//! Standings as text.

use super::standing::{Standing, Standings};
use super::stats::{Estimate, elo};

const HEADINGS: [&str; 9] = [
    "game",
    "engines",
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
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(standings.iter().map(row));
    let mut text = align(&rows);
    for standing in standings.iter() {
        text.push_str(&faults(standing));
    }
    text
}

fn row(standing: &Standing) -> Vec<String> {
    let [one, other] = &standing.engines;
    let estimate = standing.estimate();
    vec![
        standing.board.clone(),
        format!("{one} - {other}"),
        standing.games().to_string(),
        format!("{}-{}-{}", standing.wins, standing.draws, standing.losses),
        estimate.map_or_else(String::new, |it| format!("{:.1} %", 100.0 * it.score)),
        estimate.map_or_else(String::new, elo_with_interval),
        both(|engine| milliseconds(standing.times[engine].mean_ms())),
        both(|engine| milliseconds(standing.times[engine].max_ms())),
        both(|engine| standing.fault_count(engine).to_string()),
    ]
}

/// `+41 [+11, +71]`; a perfect score has only the end that is known, as in `>= +150`.
pub(super) fn elo_with_interval(estimate: Estimate) -> String {
    let (low, high) = (elo(estimate.low), elo(estimate.high));
    if estimate.score == 1.0 {
        format!(">= {low:+.0}")
    } else if estimate.score == 0.0 {
        format!("<= {high:+.0}")
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

/// A line for each kind of fault of each engine.
fn faults(standing: &Standing) -> String {
    let Standing { board, engines, .. } = standing;
    let lines = standing.faults.iter();
    let lines = lines.map(|((engine, kind), (count, detail))| {
        format!(
            "{board}: {}: {count} x {kind}, first: {detail}\n",
            engines[*engine]
        )
    });
    lines.collect()
}

/// Columns as wide as their longest text, two spaces apart.
pub(crate) fn align(rows: &[impl AsRef<[String]>]) -> String {
    let mut widths = Vec::new();
    for row in rows {
        for (column, cell) in row.as_ref().iter().enumerate() {
            widths.resize(widths.len().max(column + 1), 0);
            widths[column] = widths[column].max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells = row
            .as_ref()
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
        assert_eq!(shown(0, 0, 20), ">= +317");
        assert_eq!(shown(20, 0, 0), "<= -317");
        assert_eq!(shown(19, 0, 1), "-512 [-inf, -308]");
        assert_eq!(shown(50, 0, 50), "+0 [-69, +69]");
    }

    #[test]
    fn columns_are_as_wide_as_their_longest_text() {
        let rows = [["a", "bcd"], ["ef", "g"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(align(&rows), "a   bcd\nef  g\n");
    }
}
