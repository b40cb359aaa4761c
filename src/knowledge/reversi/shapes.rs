//! Sets of squares on the board whose contents are learned, and how the contents are numbered.
//!
//! A shape lies on the board four times, turned by quarters, and is its own mirror image.
//!
//! Contents are a number in base 3: the square at place i of a shape counts 3^i times 1 with a disc
//! of the side to move, -1 with one of the opponent, 0 when empty. To change sides is to change the
//! sign.

use crate::simd::Simd;
use crate::simd::shorts::{Bases, SHORTS, ShortArray};

/// How many shapes are looked at together.
pub const SHAPES: usize = 16;

/// How often a shape lies on the board: it is turned by quarters.
pub const TURNS: usize = 4;

/// Shapes on the board, each turned in every way.
pub const PLACEMENTS: usize = SHAPES * TURNS;

/// Shapes: the squares of each where it lies first. Entries of a table for their contents stand shape
/// by shape, by the number of the contents.
pub struct Shapes(pub [&'static [u8]; SHAPES]);

impl Shapes {
    /// How many contents a shape can have.
    #[must_use]
    pub const fn contents(&self, shape: usize) -> usize {
        3_usize.pow(self.0[shape].len() as u32)
    }

    /// Where the entries of a shape begin in a table.
    #[must_use]
    pub const fn first_entry(&self, shape: usize) -> usize {
        let mut sum = 0;
        let mut earlier = 0;
        while earlier < shape {
            sum += self.contents(earlier);
            earlier += 1;
        }
        sum
    }

    /// The contents of all shapes.
    #[must_use]
    pub const fn entries(&self) -> usize {
        self.first_entry(SHAPES)
    }

    /// What a disc on each square adds to the numbers of the contents.
    #[must_use]
    pub const fn addends(&self) -> [ShortArray; 64] {
        let mut addends = [ShortArray::ZERO; 64];
        let mut placement = 0;
        let mut shape = 0;
        while shape < SHAPES {
            let mut turn = 0;
            while turn < TURNS {
                let mut place = 0;
                while place < self.0[shape].len() {
                    let square = turned(self.0[shape][place], turn);
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

    /// Where the entry of empty contents stands in a table, for each placement.
    #[must_use]
    pub const fn bases(&self) -> Bases {
        let mut bases = [0; SHORTS];
        let mut placement = 0;
        let mut shape = 0;
        while shape < SHAPES {
            let base = self.first_entry(shape) + self.contents(shape) / 2;
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

    /// For each entry of a shape, counted from its first, the entry of the mirror image. Both mean the
    /// same.
    #[must_use]
    pub fn mirror_images(&self, shape: usize) -> Vec<u32> {
        let places = mirrored_places(self.0[shape]);
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

/// Which entries of a table share what is learned.
pub struct Sharing {
    /// The number of each entry's share.
    shares: Vec<u32>,
    /// The entries of each share, twice the same where it has one.
    entries: Vec<[u32; 2]>,
}

impl Sharing {
    /// Mirror images share one.
    #[must_use]
    pub fn new(shapes: &Shapes) -> Sharing {
        let mut shares = vec![0; shapes.entries()];
        let mut entries: Vec<[u32; 2]> = Vec::new();
        for shape in 0..SHAPES {
            let first = shapes.first_entry(shape);
            for (entry, image) in (0..shapes.contents(shape)).zip(shapes.mirror_images(shape)) {
                let (entry, image) = (first + entry, first + image as usize);
                shares[entry] = if image < entry {
                    shares[image]
                } else {
                    entries.push([entry as u32, image as u32]);
                    entries.len() as u32 - 1
                };
            }
        }
        Sharing { shares, entries }
    }

    /// How many shares there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// The share of an entry.
    #[inline]
    #[must_use]
    pub fn of(&self, entry: usize) -> usize {
        self.shares[entry] as usize
    }

    /// The entries of a share.
    #[inline]
    #[must_use]
    pub fn entries(&self, share: usize) -> [usize; 2] {
        self.entries[share].map(|entry| entry as usize)
    }

    /// The entries of each share, in order.
    pub fn all(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        (0..self.count()).map(|share| self.entries(share))
    }
}

/// The numbers of the contents where the side to move has `own` and the opponent `other`.
#[inline(always)]
pub(crate) fn numbers<S: Simd>(
    simd: S,
    addends: &[ShortArray; 64],
    own: u64,
    other: u64,
) -> S::Shorts {
    sum_of_addends(simd, addends, own) - sum_of_addends(simd, addends, other)
}

/// What a move changes on the board.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    /// A disc on this square, and the discs that it turns over.
    Disc {
        square: usize,
        flips: u64,
    },
    Pass,
}

/// The numbers after a move, as the opponent sees them.
#[inline(always)]
pub(crate) fn after<S: Simd>(
    simd: S,
    addends: &[ShortArray; 64],
    before: S::Shorts,
    turn: Turn,
) -> S::Shorts {
    let seen = match turn {
        Turn::Disc { square, flips } => {
            let turned_over = sum_of_addends(simd, addends, flips);
            // A disc that is turned over goes from -1 to 1.
            before + turned_over + turned_over + simd.shorts(&addends[square])
        }
        Turn::Pass => before,
    };
    simd.shorts(&ShortArray::ZERO) - seen
}

/// What discs of the side to move on these squares add to the numbers.
#[inline(always)]
fn sum_of_addends<S: Simd>(simd: S, addends: &[ShortArray; 64], discs: u64) -> S::Shorts {
    let mut sum = simd.shorts(&ShortArray::ZERO);
    let mut left = discs;
    while left != 0 {
        sum = sum + simd.shorts(&addends[left.trailing_zeros() as usize]);
        left &= left - 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::reversi::{net, patterns};

    #[test]
    fn every_shape_has_its_own_mirror() {
        for shapes in [&patterns::shapes::DRAWN, &net::shapes::DRAWN] {
            for (shape, squares) in shapes.0.iter().enumerate() {
                assert_eq!(mirrored_places(squares).len(), squares.len());
                let images = shapes.mirror_images(shape);
                assert_eq!(images.len(), shapes.contents(shape));
                for (entry, &image) in (0..).zip(&images) {
                    assert_eq!(images[image as usize], entry, "{shape}");
                }
            }
        }
        // f2 and c2 in row 2.
        let images = patterns::shapes::DRAWN.mirror_images(4);
        assert_eq!(images[1], 3_u32.pow(2));
    }

    #[test]
    fn all_placements_have_every_square_of_a_shape_four_times() {
        for shapes in [&patterns::shapes::DRAWN, &net::shapes::DRAWN] {
            let addends = shapes.addends();
            let placed = addends.iter().flat_map(|it| it.0).filter(|&it| it != 0);
            let of_shapes: usize = shapes.0.iter().map(|it| it.len()).sum();
            assert_eq!(placed.count(), TURNS * of_shapes);
        }
    }
}
