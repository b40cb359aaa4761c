//! The shapes that the evaluation looks at, where they lie on the board, and how their contents are
//! numbered.
//!
//! A shape lies on the board four times, turned by quarters. (Shapes: Buro, Experiments with
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
//! Contents are a number in base 3: the square at place i of a shape counts 3^i times 1 with a disc
//! of the side to move, -1 with one of the opponent, 0 when empty. To change sides is to change the
//! sign. Low places are for the squares that change most between the positions of a search, so that weights
//! it asks for lie on few cache lines. (Measured: `docs/EXPERIMENTS.md`, Reversi.)

use crate::simd::shorts::{Bases, SHORTS, ShortArray};

/// Shapes.
pub const SHAPES: usize = 16;

/// How often a shape lies on the board: it is turned by quarters.
const TURNS: usize = 4;

/// Shapes on the board, each turned in every way.
pub const PLACEMENTS: usize = SHAPES * TURNS;

/// The squares of each shape where it lies first.
#[rustfmt::skip]
const SQUARES: [&[u8]; SHAPES] = [
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
];

/// The contents of every shape: 3^squares of each.
const CONTENTS: usize = first_entry(SHAPES);

/// Entries of a table with a weight for the contents of each shape: some zeros stand at the end, as
/// every entry is read with the one after it.
pub const TABLE: usize = (CONTENTS + 2).next_multiple_of(32);

/// How many contents a shape can have.
#[must_use]
pub const fn contents(shape: usize) -> usize {
    3_usize.pow(SQUARES[shape].len() as u32)
}

/// Where the weights of a shape begin in a table.
#[must_use]
pub const fn first_entry(shape: usize) -> usize {
    let mut sum = 0;
    let mut earlier = 0;
    while earlier < shape {
        sum += contents(earlier);
        earlier += 1;
    }
    sum
}

/// What a disc on each square adds to the numbers of the contents.
pub static ADDENDS: [ShortArray; 64] = addends();

const fn addends() -> [ShortArray; 64] {
    let mut addends = [ShortArray::ZERO; 64];
    let mut placement = 0;
    let mut shape = 0;
    while shape < SHAPES {
        let mut turn = 0;
        while turn < TURNS {
            let mut place = 0;
            while place < SQUARES[shape].len() {
                let square = turned(SQUARES[shape][place], turn);
                addends[square as usize].0[placement] = 3_i16.pow(place as u32);
                place += 1;
            }
            placement += 1;
            turn += 1;
        }
        shape += 1;
    }
    assert!(placement == PLACEMENTS && PLACEMENTS == SHORTS);
    addends
}

/// The square after so many quarter turns of the board.
const fn turned(square: u8, turns: usize) -> u8 {
    let mut square = square;
    let mut done = 0;
    while done < turns {
        square = 8 * (square % 8) + 7 - square / 8;
        done += 1;
    }
    square
}

/// Where the weight of empty contents stands in a table, for each placement.
pub static BASES: Bases = bases();

const fn bases() -> Bases {
    let mut bases = [0; SHORTS];
    let mut placement = 0;
    let mut shape = 0;
    while shape < SHAPES {
        let base = first_entry(shape) + contents(shape) / 2;
        let mut turn = 0;
        while turn < TURNS {
            bases[placement] = base as i32;
            placement += 1;
            turn += 1;
        }
        shape += 1;
    }
    Bases(bases)
}

/// For each entry of a shape, counted from its first, the entry of the mirror image. Both have the
/// same weight.
#[must_use]
pub fn mirror_images(shape: usize) -> Vec<u32> {
    let places = mirrored_places(SQUARES[shape]);
    let mut images = vec![0_u32];
    for place in places {
        let unit = 3_u32.pow(place as u32);
        let below = images.len();
        for digit in 1..3 {
            images.extend_from_within(..below);
            let added = images.len() - below;
            for image in &mut images[added..] {
                *image += digit * unit;
            }
        }
    }
    images
}

/// The place of each square's mirror image, by that symmetry of the board which maps the shape to
/// itself.
fn mirrored_places(squares: &[u8]) -> Vec<usize> {
    /// Left and right, and the two diagonals.
    const MIRRORS: [fn(u8) -> u8; 3] = [
        |square| square ^ 7,
        |square| 8 * (square % 8) + square / 8,
        |square| 63 - (8 * (square % 8) + square / 8),
    ];
    let place_of = |square| squares.iter().position(|&own| own == square);
    let image = |mirror: fn(u8) -> u8| {
        let places: Option<Vec<usize>> = squares.iter().map(|&it| place_of(mirror(it))).collect();
        // A diagonal is not mirrored by itself.
        places.filter(|places| !places.is_sorted())
    };
    MIRRORS.into_iter().find_map(image).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_has_its_own_mirror() {
        for (shape, squares) in SQUARES.iter().enumerate() {
            assert_eq!(mirrored_places(squares).len(), squares.len());
            let images = mirror_images(shape);
            assert_eq!(images.len(), contents(shape));
            for (entry, &image) in (0..).zip(&images) {
                assert_eq!(images[image as usize], entry, "{shape}");
            }
        }
        // f2 and c2 in row 2.
        assert_eq!(mirror_images(4)[1], 3_u32.pow(2));
    }

    #[test]
    fn shapes_lie_where_they_are_drawn() {
        // Every square is in some shapes, and a corner in two placements of each of the five that have
        // two corners, and in one of each of the seven that have one.
        let placements = |square: usize| ADDENDS[square].0.iter().filter(|&&it| it != 0).count();
        assert!((0..64).all(|square| placements(square) >= 4));
        for corner in [0, 7, 56, 63] {
            assert_eq!(placements(corner), 17);
        }
        // All placements together have the squares of every shape four times.
        let squares: usize = (0..64).map(placements).sum();
        let of_shapes: usize = SQUARES.iter().map(|it| it.len()).sum();
        assert_eq!(squares, TURNS * of_shapes);
    }
}
