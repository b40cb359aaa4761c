//! The shapes that the evaluation looks at. (Shapes: Buro, Experiments with
//! Multi-ProbCut and a New High-Quality Evaluation Function for Othello, 1997, Delorme's Edax and
//! Yamana's Egaroucid; what a shape of few squares has beside it, so that it has ten, and the last
//! three: guesses. Consequence: `docs/EXPERIMENTS.md`, Reversi.)
//!
//! ```text
//! corner   angle       edge + 2 X        block             row 2 + 2
//! 8 7 3    9 8 5 4 3   9 6 3 0 1 2 5 7   8 . 6 7 5 3 . 9   8 . . . . . . 9
//! 6 4 0    7 0 . . .   . 8 . . . . 4 .   . . 2 4 1 0 . .   6 5 2 4 1 0 3 7
//! 1 2 5    2 . . . .
//!          6 . . . .
//!          1 . . . .
//!
//! row 3             row 4             triangle   half diagonal   kite
//! 4 3 1 6 7 0 2 5   4 3 0 6 7 1 2 5   7 9 4 3    6 4 . .         9 . . . .
//!                                     8 6 5 .    8 5 2 .         . 8 4 6 0
//!                                     1 0 . .    . 3 7 0         . 3 7 . .
//!                                     2 . . .    . . 1 9         . 2 . 5 .
//!                                                                . 1 . . .
//!
//! middle of edge    centre            diagonal + 2 C
//! . . 8 7 6 5 . .   . . . . . . . .   9 2 . . . . . .
//! . . 2 4 3 1 . .   . . . 8 3 . . .   7 8 . . . . . .
//! . . . 9 0 . . .   . . 9 6 5 2 . .   . . 1 . . . . .
//!                   . . 1 7 4 0 . .   . . . 5 . . . .
//!                                     . . . . 4 . . .
//!                                     . . . . . 0 . .
//!                                     . . . . . . 3 .
//!                                     . . . . . . . 6
//!
//! diagonal of 7 + 2   diagonal of 6 + 4   diagonals of 5 and 4 + corner
//! 7 5 . . . . . .     . . 2 . . . 8 9     . . . 5 6 . . 9
//! . . 2 . . . . .     . . . 1 . . 6 7     . . . . 2 1 . .
//! . . . 0 . . . .     . . . . 5 . . .     . . . . . 0 3 .
//! . . . . 4 . . .     . . . . . 4 . .     . . . . . . 4 7
//! . . . . . 1 . .     . . . . . . 0 .     . . . . . . . 8
//! . . . . . . 3 .     . . . . . . . 3
//! . . . . . . . 8
//! . . . . . . . 6
//! ```
//!
//! Low places are for the squares that change most between the positions of a search, so that weights
//! it asks for lie on few cache lines. (Measured: `docs/EXPERIMENTS.md`, Reversi.)

use crate::knowledge::reversi::shapes::Shapes;
use crate::simd::shorts::{Bases, ShortArray};

/// The shapes.
#[rustfmt::skip]
pub const DRAWN: Shapes = Shapes([
    &[10, 16, 17, 2, 9, 18, 8, 1, 0],
    &[9, 32, 16, 4, 3, 2, 24, 8, 1, 0],
    &[3, 4, 5, 2, 14, 6, 1, 7, 9, 0],
    &[13, 12, 10, 5, 11, 4, 2, 3, 0, 7],
    &[13, 12, 10, 14, 11, 9, 8, 15, 0, 7],
    &[21, 18, 22, 17, 16, 23, 19, 20],
    &[26, 29, 30, 25, 24, 31, 27, 28],
    &[17, 16, 24, 3, 2, 10, 9, 0, 8, 1],
    &[19, 26, 10, 17, 1, 9, 0, 18, 8, 27],
    &[12, 33, 25, 17, 10, 27, 11, 18, 9, 0],
    &[45, 18, 1, 54, 36, 27, 63, 8, 9, 0],
    &[19, 37, 10, 46, 28, 1, 63, 0, 55],
    &[38, 11, 2, 47, 29, 20, 14, 15, 6, 7],
    &[21, 13, 12, 22, 30, 3, 4, 31, 39, 7],
    &[20, 13, 10, 12, 11, 5, 4, 3, 2, 19],
    &[29, 26, 21, 12, 28, 20, 19, 27, 11, 18],
]);

/// Entries of a table with a weight for the contents of each shape: some zeros stand at the end, as
/// every entry is read with the one after it.
pub const TABLE: usize = (DRAWN.entries() + 2).next_multiple_of(32);

/// What a disc on each square adds to the numbers of the contents.
pub static ADDENDS: [ShortArray; 64] = DRAWN.addends();

/// Where the weight of empty contents stands in a table, for each placement.
pub static BASES: Bases = DRAWN.bases();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_lie_where_they_are_drawn() {
        // Every square is in some shapes, and a corner in two placements of each of the five that have
        // two corners, and in one of each of the seven that have one.
        let placements = |square: usize| ADDENDS[square].0.iter().filter(|&&it| it != 0).count();
        assert!((0..64).all(|square| placements(square) >= 4));
        for corner in [0, 7, 56, 63] {
            assert_eq!(placements(corner), 17);
        }
    }
}
