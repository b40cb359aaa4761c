//! What is agreed on in Connect Four beside the size of the board.

use crate::game::Point;
use crate::game::setup::{Terms, two_numbers};

/// What is agreed on in Connect Four beside the size of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Connect4Rules {
    /// The cell that nobody may use.
    pub hole: Option<Point>,
    /// How many in a row win.
    pub connect: u8,
    /// The second side's first move may be to take over the first stone.
    pub steal: bool,
}

impl Default for Connect4Rules {
    fn default() -> Self {
        Connect4Rules {
            hole: None,
            connect: 4,
            steal: false,
        }
    }
}

/// No hole is written as `none`.
impl Terms for Connect4Rules {
    fn names(&self) -> &'static [&'static str] {
        &["hole", "connect", "steal"]
    }

    fn get(&self, name: &str) -> Option<String> {
        Some(match name {
            "hole" => self.hole.map_or_else(
                || "none".to_owned(),
                |Point { col, row }| format!("{col},{row}"),
            ),
            "connect" => self.connect.to_string(),
            "steal" => self.steal.to_string(),
            _ => return None,
        })
    }

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "hole" if value == "none" => self.hole = None,
            "hole" => {
                let (col, row) = two_numbers(value, ',')?;
                self.hole = Some(Point { col, row });
            }
            "connect" => self.connect = value.parse().ok()?,
            "steal" => self.steal = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }
}
