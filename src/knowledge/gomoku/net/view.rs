//! A position as a net sees it: the features of its cells and their mixes.

use super::lines::{ROWS, Sight};
use super::seen::Seen;
use super::{Mixer, Net, WIDTH};
use crate::game::Game;
use crate::game::gomoku::Gomoku;
use crate::game::gomoku::bits::Bits;
use crate::knowledge::gomoku::patterns::Patterns;
use crate::simd::prefetch;

/// Cells of the largest board with its guards, rounded up to a power of two, so that a remainder is
/// a mask.
const CELLS: usize = 512;

const _: () = assert!(CELLS >= 22 * 23);

/// Room before the first cell and after the last, so that each has eight around it.
const MARGIN: usize = 24;

/// Room for what is computed of positions, all of them by one net for each side to move. What the next
/// position has in common with the last one of the same side is not computed again.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    /// By the side to move.
    sides: [Plane; 2],
    listed: Listed,
}

/// What is known of the last position in which a side was to move.
#[derive(Clone, Debug)]
struct Plane {
    /// Of all cells, 0 where they do not count.
    features: Box<[[i16; WIDTH]; CELLS + 2 * MARGIN]>,
    /// The mixes of the cells that count, by cell. Others have what was there before.
    mixes: Box<[[i16; WIDTH]; CELLS]>,
    /// The sums of the mixes of empty cells and of stones.
    sums: [[i32; WIDTH]; 2],
    seen: Seen,
}

/// Cells to be computed.
#[derive(Clone, Debug)]
struct Listed {
    cells: Box<[u16; CELLS]>,
    /// The rows of their lines, in the same order.
    rows: Box<[[u16; 4]; CELLS]>,
}

impl Default for Plane {
    fn default() -> Self {
        Plane {
            features: Box::new([[0; WIDTH]; CELLS + 2 * MARGIN]),
            mixes: Box::new([[0; WIDTH]; CELLS]),
            sums: [[0; WIDTH]; 2],
            seen: Seen::NOTHING,
        }
    }
}

impl Default for Listed {
    fn default() -> Self {
        Listed {
            cells: Box::new([0; CELLS]),
            rows: Box::new([[0; 4]; CELLS]),
        }
    }
}

impl Planes {
    /// Whether all features are 0 but those of the cells that counted.
    #[cfg(test)]
    pub(super) fn is_consistent(&self) -> bool {
        self.sides.iter().all(|plane| {
            (0..).zip(plane.features.iter()).all(|(at, features)| {
                let counted = at >= MARGIN && plane.seen.near.contains(at - MARGIN);
                counted || *features == [0; WIDTH]
            })
        })
    }
}

/// A position as a net sees it.
pub(super) struct View<'a> {
    pub(super) net: &'a Net,
    sight: &'static Sight,
    stride: usize,
    seen: Seen,
    board: &'a Patterns,
    plane: &'a mut Plane,
    listed: &'a mut Listed,
}

impl<'a> View<'a> {
    pub(super) fn new(
        net: &'a Net,
        position: &Gomoku,
        board: &'a Patterns,
        planes: &'a mut Planes,
    ) -> View<'a> {
        let side = position.side_to_move();
        View {
            net,
            sight: Sight::of(side),
            stride: position.stride() as usize,
            seen: Seen::of(position),
            board,
            plane: &mut planes.sides[side.index()],
            listed: &mut planes.listed,
        }
    }

    /// The sums of the mixes of empty cells and of stones.
    #[inline(always)]
    pub(super) fn sums(&mut self) -> [[i32; WIDTH]; 2] {
        let (now, last) = (self.seen, self.plane.seen);
        let change = now.change_since(&last);
        self.take_back(&last, change.mixes);
        for cell in (change.features & last.near & !now.near).cells() {
            self.plane.features[MARGIN + cell % CELLS] = [0; WIDTH];
        }
        self.fill(change.features & now.near);
        let mixes = change.mixes & now.near;
        self.mix_all(mixes & !now.filled(), 0);
        self.mix_all(mixes & now.filled(), 1);
        self.plane.seen = now;
        self.plane.sums
    }

    /// Takes the mixes of these cells out of the sums of the last position.
    #[inline(always)]
    fn take_back(&mut self, last: &Seen, cells: Bits<8>) {
        if last.near & !cells == Bits::EMPTY {
            self.plane.sums = [[0; WIDTH]; 2];
            return;
        }
        let cells = last.near & cells;
        for (place, cells) in [cells & !last.filled(), cells & last.filled()]
            .into_iter()
            .enumerate()
        {
            let mut sums = self.plane.sums[place];
            for at in 0..self.list(cells) {
                let cell = usize::from(self.listed.cells[at % CELLS]);
                let mix = &self.plane.mixes[cell % CELLS];
                for i in 0..WIDTH {
                    sums[i] -= i32::from(mix[i]);
                }
            }
            self.plane.sums[place] = sums;
        }
    }

    /// Makes the mixes of these cells and adds them to these sums.
    #[inline(always)]
    fn mix_all(&mut self, cells: Bits<8>, place: usize) {
        let mut sums = self.plane.sums[place];
        for at in 0..self.list(cells) {
            let cell = usize::from(self.listed.cells[at % CELLS]);
            let mix = self.mixed(cell);
            for i in 0..WIDTH {
                sums[i] += i32::from(mix[i]);
            }
            self.plane.mixes[cell % CELLS] = mix;
        }
        self.plane.sums[place] = sums;
    }

    /// The mix of a cell once there are sums. None where the cell does not count.
    #[inline(always)]
    pub(super) fn mix(&self, cell: usize) -> Option<&[i16; WIDTH]> {
        match self.seen.near.contains(cell) {
            true => Some(&self.plane.mixes[cell % CELLS]),
            false => None,
        }
    }

    /// Lists cells. Returns how many there are.
    #[inline(always)]
    fn list(&mut self, cells: Bits<8>) -> usize {
        let mut count = 0;
        for (i, mut word) in cells.words().into_iter().enumerate() {
            while word != 0 {
                let cell = 64 * i + word.trailing_zeros() as usize;
                self.listed.cells[count % CELLS] = cell as u16;
                count += 1;
                word &= word - 1;
            }
        }
        count
    }

    /// Enters the features of these cells. All rows are fetched before the first is read, so that their
    /// cache misses overlap.
    #[inline(always)]
    fn fill(&mut self, cells: Bits<8>) {
        let Some(table) = self.net.rows.first_chunk::<ROWS>() else {
            return;
        };
        let count = self.list(cells);
        for at in 0..count {
            let cell = usize::from(self.listed.cells[at % CELLS]);
            let rows = self.sight.rows(self.board, cell);
            for direction in 0..4 {
                prefetch(&table[usize::from(rows[direction])]);
            }
            self.listed.rows[at % CELLS] = rows;
        }
        for at in 0..count {
            let cell = usize::from(self.listed.cells[at % CELLS]);
            let [a, b, c, d] = self.listed.rows[at % CELLS];
            let row = |row: u16| &table[usize::from(row)].0;
            let rows = [row(a), row(b), row(c), row(d)];
            enter_features(rows, &mut self.plane.features[MARGIN + cell % CELLS]);
        }
    }

    /// The mix of a cell, whose surroundings are filled in.
    #[inline(always)]
    fn mixed(&self, cell: usize) -> [i16; WIDTH] {
        let (at, stride) = (MARGIN + cell % CELLS, self.stride.min(MARGIN - 1));
        let planes = &self.plane.features;
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
