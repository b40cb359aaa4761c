//! How the fours of a line hang together.
//!
//! In a line without a move too many, every stone of the attacker but the last is one of a later
//! four. A stone that no later four has used is a *loose end*. Lines can be put in an order in
//! which few of them are open at a time, so a search that allows one, then two, and then any
//! number finds long lines in trees that are far too wide to be searched in whole.

use super::super::patterns::Patterns;
use crate::game::Side;
use crate::game::gomoku::line;

/// The most loose ends that are counted.
const MOST: usize = 3;

/// The loose ends of a line, and how many more there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// [`Chain::ANY`]: they are not counted.
    spare: u8,
    open: u8,
    ends: [u16; MOST],
}

impl Chain {
    /// Any number of loose ends.
    pub const ANY: u8 = 7;

    /// How many loose ends one search after the other allows.
    pub const WIDTHS: [u8; 4] = [1, 2, 3, Self::ANY];

    /// The beginning of a line that may have so many loose ends.
    pub fn new(width: u8) -> Chain {
        Chain {
            spare: width,
            open: 0,
            ends: [0; MOST],
        }
    }

    /// How many more loose ends there may be, or [`ANY`](Self::ANY).
    pub fn spare(self) -> u8 {
        self.spare
    }

    /// With a four of `side` on this cell, or `None` if that is a loose end too many.
    pub fn with(self, board: &Patterns, cell: usize, side: Side) -> Option<Chain> {
        if self.spare == Self::ANY {
            return Some(self);
        }
        let mut next = Chain {
            spare: self.spare + self.open,
            open: 0,
            ..self
        };
        for &end in &self.ends[..usize::from(self.open)] {
            if !is_of_four(board, usize::from(end), cell, side) {
                next = next.and(end)?;
            }
        }
        next.and(cell as u16)
    }

    /// With one more loose end.
    fn and(self, end: u16) -> Option<Chain> {
        let mut next = self;
        next.spare = self.spare.checked_sub(1)?;
        *next.ends.get_mut(usize::from(self.open))? = end;
        next.open += 1;
        Some(next)
    }
}

/// Whether a stone may belong to the four that `side` makes on this cell.
fn is_of_four(board: &Patterns, stone: usize, cell: usize, side: Side) -> bool {
    let distance = stone.abs_diff(cell) as u32;
    let mut steps = line::steps(board.stride()).into_iter().enumerate();
    steps.any(|(direction, step)| {
        distance.is_multiple_of(step)
            && distance / step <= 4
            && board.class(cell, direction, side).is_four()
    })
}
