//! The shapes that the net looks at: all rows and diagonals of four squares and more, and blocks near
//! the corners, the edges and the centre. (Guesses, made better by trials: `docs/EXPERIMENTS.md`,
//! Reversi.)
//!
//! ```text
//! corner   angle     edge              block             slope     centre        arc
//! 0 1 2    0 1 2 3   . . 0 1 2 3 . .   . . . . . . . .   . . . .   . . . . .     . 0 1
//! 3 4 5    4 7 . .   . . 4 5 6 7 . .   . . 0 1 2 3 . .   . 0 1 2   . . . . .     2 6 4
//! 6 7 8    5 . . .                     . . 4 5 6 7 . .   . 3 5 6   . . 0 1 2     3 5 7
//!          6 . . .                                       . 4 7 .   . . 3 4 5
//!                                                                  . . 6 7 .
//! ```

use crate::knowledge::reversi::shapes::Shapes;
use crate::simd::shorts::{Bases, ShortArray};

/// The shapes.
#[rustfmt::skip]
pub const DRAWN: Shapes = Shapes([
    &[0, 1, 2, 3, 4, 5, 6, 7],
    &[8, 9, 10, 11, 12, 13, 14, 15],
    &[16, 17, 18, 19, 20, 21, 22, 23],
    &[24, 25, 26, 27, 28, 29, 30, 31],
    &[0, 9, 18, 27, 36, 45, 54, 63],
    &[1, 10, 19, 28, 37, 46, 55],
    &[2, 11, 20, 29, 38, 47],
    &[3, 12, 21, 30, 39],
    &[4, 13, 22, 31],
    &[0, 1, 2, 8, 9, 10, 16, 17, 18],
    &[0, 1, 2, 3, 8, 16, 24, 9],
    &[2, 3, 4, 5, 10, 11, 12, 13],
    &[10, 11, 12, 13, 18, 19, 20, 21],
    &[9, 10, 11, 17, 25, 18, 19, 26],
    &[18, 19, 20, 26, 27, 28, 34, 35],
    &[1, 2, 8, 16, 10, 17, 9, 18],
]);

/// What a disc on each square adds to the numbers of the contents.
pub static ADDENDS: [ShortArray; 64] = DRAWN.addends();

/// Where the row of empty contents stands in the table, for each placement.
pub static BASES: Bases = DRAWN.bases();
