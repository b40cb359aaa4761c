//! What the lines of the protocol are made of.

use crate::game::{Action, AnyGame, Point, Side};
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

/// Every stone on the board.
pub fn stones(game: &dyn AnyGame) -> Vec<(Point, Side)> {
    let points = game.setup().points();
    points
        .filter_map(|point| Some((point, game.stone_at(point)?)))
        .collect()
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
        .map(|number| number.trim().parse().ok())
        .collect();
    numbers?.try_into().ok()
}
