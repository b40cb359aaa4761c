//! A position as a net sees it: the features of its cells and their mixes.

use super::lines::{ROWS, Sight};
use super::{Mixer, Net, WIDTH};
use crate::game::Game;
use crate::game::gomoku::Gomoku;
use crate::game::gomoku::bits::Bits;
use crate::knowledge::gomoku::near::grown;
use crate::knowledge::gomoku::patterns::Patterns;
use crate::simd::prefetch;

/// Cells of the largest board with its guards, rounded up to a power of two, so that a remainder is
/// a mask.
const CELLS: usize = 512;

const _: () = assert!(CELLS >= 22 * 23);

/// Room before the first cell and after the last, so that each has eight around it.
const MARGIN: usize = 24;

/// Room for what is computed of a position.
#[derive(Clone, Debug)]
pub struct Planes {
    /// Of all cells.
    features: Box<[[i16; WIDTH]; CELLS + 2 * MARGIN]>,
    /// The cells whose features may not be 0: those that counted in the last position.
    filled: Bits<8>,
    /// The cells that count: the empty ones, then those with stones.
    cells: Box<[u16; CELLS]>,
    /// The rows of their lines, in the same order.
    rows: Box<[[u16; 4]; CELLS]>,
    /// The mixes of the cells that count, by cell. Others have what was there before.
    mixes: Box<[[i16; WIDTH]; CELLS]>,
}

impl Default for Planes {
    fn default() -> Self {
        Planes {
            features: Box::new([[0; WIDTH]; CELLS + 2 * MARGIN]),
            filled: Bits::EMPTY,
            cells: Box::new([0; CELLS]),
            rows: Box::new([[0; 4]; CELLS]),
            mixes: Box::new([[0; WIDTH]; CELLS]),
        }
    }
}

impl Planes {
    /// Whether all features are 0 but those of the cells that counted.
    #[cfg(test)]
    pub(super) fn is_consistent(&self) -> bool {
        (0..).zip(self.features.iter()).all(|(at, features)| {
            let counted = at >= MARGIN && self.filled.contains(at - MARGIN);
            counted || *features == [0; WIDTH]
        })
    }
}

/// The cells that count: those of the board within two king's steps of a stone.
#[inline]
pub(crate) fn near_cells(position: &Gomoku) -> Bits<8> {
    fn near<const W: usize>(position: &Gomoku) -> Bits<8> {
        let (board, stride) = (position.board::<W>(), position.stride());
        let empty = position.empty_cells::<W>();
        grown(grown(board & !empty, board, stride), board, stride).resized()
    }
    match position.is_narrow() {
        true => near::<4>(position),
        false => near::<8>(position),
    }
}

/// A position as a net sees it.
pub(super) struct View<'a> {
    pub(super) net: &'a Net,
    sight: &'static Sight,
    stride: usize,
    near: Bits<8>,
    empty: Bits<8>,
    board: &'a Patterns,
    planes: &'a mut Planes,
}

impl<'a> View<'a> {
    pub(super) fn new(
        net: &'a Net,
        position: &Gomoku,
        board: &'a Patterns,
        planes: &'a mut Planes,
    ) -> View<'a> {
        View {
            net,
            sight: Sight::of(position.side_to_move()),
            stride: position.stride() as usize,
            near: near_cells(position),
            empty: position.empty_cells(),
            board,
            planes,
        }
    }

    /// The sums of the mixes of empty cells and of stones.
    #[inline(always)]
    pub(super) fn sums(&mut self) -> [[i32; WIDTH]; 2] {
        let empty = self.list(self.near & self.empty, 0);
        let all = self.list(self.near & !self.empty, empty);
        self.clear();
        self.fill(all);
        [self.sum_of_mixes(0, empty), self.sum_of_mixes(empty, all)]
    }

    /// The sum over the cells that are listed at these places, whose mixes are noted.
    #[inline(always)]
    fn sum_of_mixes(&mut self, from: usize, to: usize) -> [i32; WIDTH] {
        let mut sums = [0; WIDTH];
        for at in from..to {
            let cell = usize::from(self.planes.cells[at % CELLS]);
            let mix = self.mixed(cell);
            for i in 0..WIDTH {
                sums[i] += i32::from(mix[i]);
            }
            self.planes.mixes[cell % CELLS] = mix;
        }
        sums
    }

    /// The mix of a cell once there are sums. None where the cell does not count.
    #[inline(always)]
    pub(super) fn mix(&self, cell: usize) -> Option<&[i16; WIDTH]> {
        match self.near.contains(cell) {
            true => Some(&self.planes.mixes[cell % CELLS]),
            false => None,
        }
    }

    /// Lists cells behind the first `count`. Returns how many are listed then.
    #[inline(always)]
    fn list(&mut self, cells: Bits<8>, mut count: usize) -> usize {
        for (i, mut word) in cells.words().into_iter().enumerate() {
            while word != 0 {
                let cell = 64 * i + word.trailing_zeros() as usize;
                self.planes.cells[count % CELLS] = cell as u16;
                count += 1;
                word &= word - 1;
            }
        }
        count
    }

    /// Takes back the features of cells that count no more.
    #[inline(always)]
    fn clear(&mut self) {
        for cell in (self.planes.filled & !self.near).cells() {
            self.planes.features[MARGIN + cell % CELLS] = [0; WIDTH];
        }
        self.planes.filled = self.near;
    }

    /// Enters the features of the cells that are listed. All rows are fetched before the first is
    /// read, so that their cache misses overlap.
    #[inline(always)]
    fn fill(&mut self, count: usize) {
        let Some(table) = self.net.rows.first_chunk::<ROWS>() else {
            return;
        };
        for at in 0..count {
            let cell = usize::from(self.planes.cells[at % CELLS]);
            let rows = self.sight.rows(self.board, cell);
            for direction in 0..4 {
                prefetch(&table[usize::from(rows[direction])]);
            }
            self.planes.rows[at % CELLS] = rows;
        }
        for at in 0..count {
            let cell = usize::from(self.planes.cells[at % CELLS]);
            let [a, b, c, d] = self.planes.rows[at % CELLS];
            let row = |row: u16| &table[usize::from(row)].0;
            let rows = [row(a), row(b), row(c), row(d)];
            enter_features(rows, &mut self.planes.features[MARGIN + cell % CELLS]);
        }
    }

    /// The mix of a cell, whose surroundings are filled in.
    #[inline(always)]
    fn mixed(&self, cell: usize) -> [i16; WIDTH] {
        let (at, stride) = (MARGIN + cell % CELLS, self.stride.min(MARGIN - 1));
        let planes = &self.planes.features;
        let around = |near: usize, far: usize| {
            [
                &planes[at - far],
                &planes[at - near],
                &planes[at + near],
                &planes[at + far],
            ]
        };
        let (sides, corners) = (around(1, stride), around(stride - 1, stride + 1));
        self.net.mixer.mix(&planes[at], sides, corners)
    }
}

/// Enters the features of a cell by the rows of its lines, in one loop, so that they stay in registers.
#[inline(always)]
fn enter_features([a, b, c, d]: [&[i16; WIDTH]; 4], features: &mut [i16; WIDTH]) {
    for i in 0..WIDTH {
        features[i] = sum_of_four(a[i], b[i], c[i], d[i]).max(0);
    }
}

/// The sum of four numbers. Numbers of rows are at most [`ROW_MOST`](super::ROW_MOST), and features four
/// times that, so that nothing overflows.
#[inline(always)]
fn sum_of_four(a: i16, b: i16, c: i16, d: i16) -> i16 {
    a.wrapping_add(b).wrapping_add(c.wrapping_add(d))
}

impl Mixer {
    /// The mix of a cell by its features and by those beside it and at its corners.
    #[inline(always)]
    fn mix(
        &self,
        own: &[i16; WIDTH],
        [a, b, c, d]: [&[i16; WIDTH]; 4],
        [e, f, g, h]: [&[i16; WIDTH]; 4],
    ) -> [i16; WIDTH] {
        /// A sum of four is four times a mean, and so much above a weight's unit.
        const SHIFT: u32 = 16;
        let times = |sum: i16, weight: i16| ((i32::from(sum) * i32::from(weight)) >> SHIFT) as i16;
        let mut mix = [0i16; WIDTH];
        for i in 0..WIDTH {
            let sides = sum_of_four(a[i], b[i], c[i], d[i]);
            let corners = sum_of_four(e[i], f[i], g[i], h[i]);
            mix[i] = times(own[i] << 2, self.centre[i])
                .saturating_add(times(sides, self.sides[i]))
                .saturating_add(times(corners, self.corners[i]))
                .saturating_add(self.bias[i])
                .max(0);
        }
        mix
    }
}
