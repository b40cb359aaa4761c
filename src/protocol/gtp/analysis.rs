//! The analysis that GTP boards draw: what it was asked for, and its lines.

use super::error::GtpError;
use super::vertex;
use super::words::parse_colour;
use crate::game::{AnyGame, Side};
use crate::search::Report;
use std::time::Duration;

/// How often an analysis reports when it is not told. A guess at what people can follow.
const USUAL_INTERVAL: Duration = Duration::from_secs(1);

/// What a line of analysis tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analysis {
    pub style: Style,
    /// The most moves.
    pub moves: usize,
    /// Whether it ends with what is known of all moves together.
    pub root: bool,
}

/// What follows the name of a command of analysis.
pub struct Parameters {
    pub side: Option<Side>,
    pub interval: Duration,
    pub analysis: Analysis,
}

/// How an analysis writes the win rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Style {
    /// 0 to 10000.
    LeelaZero,
    /// 0 to 1.
    KataGo,
}

impl Style {
    fn win_rate(self, score: f64) -> String {
        match self {
            Style::LeelaZero => format!("{:.0}", 10_000.0 * score),
            Style::KataGo => format!("{score:.6}"),
        }
    }
}

impl Analysis {
    /// One line about the moves that were looked at.
    pub fn line(&self, game: &dyn AnyGame, report: &Report) -> Option<String> {
        let moves = report.known_moves().take(self.moves);
        let mut texts: Vec<String> = moves
            .enumerate()
            .map(|(order, mv)| {
                format!(
                    "info move {} visits {} winrate {} order {order} pv {}",
                    vertex::write(game, mv.action),
                    mv.visits,
                    self.style.win_rate(mv.mean),
                    vertex::write_line(game, &mv.pv).join(" ")
                )
            })
            .collect();
        if texts.is_empty() {
            return None;
        }
        if self.root {
            texts.push(format!(
                "rootInfo visits {} winrate {} playouts {} depth {}",
                report.visits,
                self.style.win_rate(report.value),
                report.playouts,
                report.depth
            ));
        }
        Some(texts.join(" "))
    }
}

impl Parameters {
    /// Reads `[colour] [interval] [key value]…`, the interval in hundredths of a second. Keys that
    /// mean nothing here are passed over.
    pub fn read(style: Style, words: &[&str]) -> Result<Parameters, GtpError> {
        let mut parameters = Parameters {
            side: None,
            interval: USUAL_INTERVAL,
            analysis: Analysis {
                style,
                moves: usize::MAX,
                root: false,
            },
        };
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            if let Ok(side) = parse_colour(word) {
                parameters.side = Some(side);
            } else if word.starts_with(|c: char| c.is_ascii_digit()) {
                parameters.interval = parse_interval(word)?;
            } else {
                let value = words.next().unwrap_or_default();
                match word {
                    "interval" => parameters.interval = parse_interval(value)?,
                    "maxmoves" => {
                        let moves = value.parse();
                        parameters.analysis.moves =
                            moves.map_err(|_| GtpError::Syntax("maxmoves number"))?;
                    }
                    "rootInfo" => parameters.analysis.root = value == "true",
                    _ => {}
                }
            }
        }
        Ok(parameters)
    }
}

/// The interval of an analysis, at least a hundredth of a second.
fn parse_interval(text: &str) -> Result<Duration, GtpError> {
    let hundredths: u32 = text
        .parse()
        .map_err(|_| GtpError::Syntax("an interval in hundredths of a second"))?;
    Ok(Duration::from_millis(10 * u64::from(hundredths.max(1))))
}
