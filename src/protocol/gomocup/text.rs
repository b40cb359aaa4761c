//! What the lines of the protocol are made of.

use crate::game::{Action, Point};
use crate::knowledge::ProofResult;
use crate::search::Report;

/// The answer to `ABOUT`.
pub fn about() -> String {
    format!(
        "name=\"Tengen\", version=\"{}\", author=\"Tengen developers\"",
        env!("CARGO_PKG_VERSION")
    )
}

/// One line for the people who watch.
pub fn summary(report: &Report) -> String {
    let value = match report.proof {
        None => format!("win rate {:.1} %", 100.0 * report.value),
        Some(proof) => match proof.result {
            ProofResult::Win => format!("won in {} plies", proof.plies),
            ProofResult::Draw => "drawn".to_owned(),
            ProofResult::Loss => format!("lost in {} plies", proof.plies),
        },
    };
    let mut line = format!(
        "MESSAGE depth {}, {} playouts, {:.0} a second, {value}, pv",
        report.depth,
        report.playouts,
        report.playouts_per_second()
    );
    for action in report.pv() {
        if let Action::Point(point) = action {
            line.push(' ');
            line.push_str(&write(*point));
        }
    }
    line
}

/// What a [`summary`] tells for sure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The score 0..1 that the side to move expects.
    pub value: f64,
    /// Playouts of the search.
    pub playouts: u64,
    /// The length of the longest playout in the tree, in plies.
    pub depth: u32,
}

/// Reads a [`summary`]. `None`: the line is something else.
#[must_use]
pub fn read_summary(line: &str) -> Option<Summary> {
    let mut parts = line.strip_prefix("MESSAGE depth ")?.split(", ");
    let depth = parts.next()?.parse().ok()?;
    let playouts = parts.next()?.strip_suffix(" playouts")?.parse().ok()?;
    let value = parts.nth(1)?;
    let value = if let Some(rest) = value.strip_prefix("win rate ") {
        let percent: f64 = rest.strip_suffix(" %")?.parse().ok()?;
        percent / 100.0
    } else if value.starts_with("won in ") {
        1.0
    } else if value.starts_with("lost in ") {
        0.0
    } else {
        (value == "drawn").then_some(0.5)?
    };
    (0.0..=1.0).contains(&value).then_some(Summary {
        value,
        playouts,
        depth,
    })
}

/// A point as managers write it.
pub fn write(point: Point) -> String {
    format!("{},{}", point.col, point.row)
}

/// A point as managers write it.
pub fn point(text: &str) -> Option<Point> {
    let [col, row] = numbers(text)?;
    Some(Point { col, row })
}

/// Exactly `N` numbers parted by commas, with or without white space.
pub fn numbers<const N: usize>(text: &str) -> Option<[u8; N]> {
    let numbers: Option<Vec<u8>> = text
        .split(',')
        .take(N + 1)
        .map(|number| number.trim().parse::<u8>().ok())
        .collect();
    numbers?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Proof;

    #[test]
    fn a_summary_is_read_back() {
        let report = |value, proof| Report {
            proof,
            playouts: 52_000,
            depth: 3,
            ..Report::of_move(None, value)
        };
        let proven = |result| Some(Proof { result, plies: 5 });
        for (report, value) in [
            (report(0.534, None), 0.534),
            (report(0.7, proven(ProofResult::Win)), 1.0),
            (report(0.7, proven(ProofResult::Draw)), 0.5),
            (report(0.7, proven(ProofResult::Loss)), 0.0),
        ] {
            let read = read_summary(&summary(&report)).unwrap();
            assert!((read.value - value).abs() < 1e-9, "{}", read.value);
            assert_eq!((read.playouts, read.depth), (52_000, 3));
        }
        for line in [
            "",
            "MESSAGE",
            "MESSAGE depth 3",
            "MESSAGE depth 1, x playouts, 1 a second, drawn, pv",
        ] {
            assert!(read_summary(line).is_none(), "{line}");
        }
    }
}
