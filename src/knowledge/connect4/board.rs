//! Boards as sets of cells, and what follows from them by shifts.
//!
//! Every column has a bit for each cell, lowest first, and a spare bit above them that stays
//! empty, so that no line runs from one column over into another:
//!
//! ```text
//!   6 columns  6 13 20 27 34 41 48   spare
//!   of 6 + 1   5 12 19 26 33 40 47
//!   bits       4 11 18 25 32 39 46
//!              3 10 17 24 31 38 45
//!              2  9 16 23 30 37 44
//!              1  8 15 22 29 36 43
//!              0  7 14 21 28 35 42
//! ```
//!
//! The hole counts as filled by nobody. To add the bottom row to what is filled carries, in
//! every column, to the lowest free cell: that is where the next stone lands (Tromp's trick).

use super::bits::{Bits, Wide};
use crate::game::connect4::{Connect4, MAX_SIZE};
use crate::game::{Game, Point, Setup};

/// The size and the rule of a board. What is constant here is constant in the search.
pub trait Shape: Copy + Send + Sync {
    /// Sets of cells.
    type Cells: Bits;

    /// One of something for each column, or for more.
    type Columns<T: Copy>: AsMut<[T]>;

    /// The same for every column.
    fn all<T: Copy>(value: T) -> Self::Columns<T>;

    /// Bits of a column: its cells and the spare one.
    fn stride(&self) -> u32;

    /// How many in a row win.
    fn connect(&self) -> u32;

    /// The lowest cell of every column, even where it is the hole.
    fn bottom(&self) -> Self::Cells;

    /// Every cell but the hole.
    fn cells(&self) -> Self::Cells;

    /// The hole, if there is one.
    fn hole(&self) -> Self::Cells;

    /// The cells with an even number of cells above them in their column.
    fn upper(&self) -> Self::Cells;

    /// The cells with at least so many cells above them in their column.
    fn below_top(&self, above: u32) -> Self::Cells;

    /// How many columns there are.
    fn columns(&self) -> u32;
}

/// Seven columns of six cells, four in a row, no hole.
#[derive(Clone, Copy, Debug)]
pub struct Standard;

impl Standard {
    const BOTTOM: u64 = 0x0000_0408_1020_4081;
}

impl Shape for Standard {
    type Cells = u64;
    type Columns<T: Copy> = [T; 7];

    #[inline]
    fn all<T: Copy>(value: T) -> [T; 7] {
        [value; 7]
    }

    #[inline]
    fn stride(&self) -> u32 {
        7
    }

    #[inline]
    fn connect(&self) -> u32 {
        4
    }

    #[inline]
    fn bottom(&self) -> u64 {
        Self::BOTTOM
    }

    #[inline]
    fn cells(&self) -> u64 {
        Self::BOTTOM * 0b11_1111
    }

    #[inline]
    fn hole(&self) -> u64 {
        0
    }

    #[inline]
    fn upper(&self) -> u64 {
        Self::BOTTOM * 0b10_1010
    }

    #[inline]
    fn below_top(&self, above: u32) -> u64 {
        Self::BOTTOM * (0b11_1111 >> above.min(6))
    }

    #[inline]
    fn columns(&self) -> u32 {
        7
    }
}

/// Any board whose columns and spare bits fit into `B`.
#[derive(Clone, Copy, Debug)]
pub struct Any<B> {
    stride: u32,
    columns: u32,
    connect: u32,
    bottom: B,
    cells: B,
    hole: B,
    upper: B,
    /// The cells with at least so many cells above them.
    below_top: [B; MAX_SIZE + 1],
}

impl<B: Bits> Any<B> {
    /// The shape of a game that can be played so.
    pub fn new(setup: &Setup) -> Any<B> {
        let stride = u32::from(setup.rows) + 1;
        let cell = |point: Point| bit::<B>(stride, point.col, setup.rows - 1 - point.row);
        let union = |points: &mut dyn Iterator<Item = Point>| {
            points.fold(B::ZERO, |cells, point| cells | cell(point))
        };
        let above = |point: Point| {
            let hole = setup.hole().filter(|hole| hole.col == point.col);
            point.row - u8::from(hole.is_some_and(|hole| hole.row < point.row))
        };
        let playable = || setup.points().filter(|&point| setup.hole() != Some(point));
        Any {
            stride,
            columns: u32::from(setup.cols),
            connect: u32::from(setup.connect4().connect),
            bottom: union(&mut setup.points().filter(|point| point.row == setup.rows - 1)),
            cells: union(&mut playable()),
            hole: union(&mut setup.hole().into_iter()),
            upper: union(&mut playable().filter(|&point| above(point) % 2 == 0)),
            below_top: std::array::from_fn(|least| {
                union(&mut playable().filter(|&point| usize::from(above(point)) >= least))
            }),
        }
    }
}

/// Methods that read the fields of their names.
macro_rules! getters {
    ($($field:ident: $type:ty),+) => {$(
        #[inline]
        fn $field(&self) -> $type {
            self.$field
        }
    )+};
}

impl<B: Bits> Shape for Any<B> {
    type Cells = B;
    type Columns<T: Copy> = [T; MAX_SIZE];

    #[inline]
    fn all<T: Copy>(value: T) -> [T; MAX_SIZE] {
        [value; MAX_SIZE]
    }

    getters!(stride: u32, connect: u32, columns: u32);
    getters!(bottom: B, cells: B, hole: B, upper: B);

    #[inline]
    fn below_top(&self, above: u32) -> B {
        self.below_top[(above as usize).min(MAX_SIZE)]
    }
}

/// Boards of up to 64 bits.
pub type Small = Any<u64>;
/// Boards of up to 128 bits.
pub type Middle = Any<u128>;
/// Boards of up to 192 bits: all there are.
pub type Large = Any<Wide>;

fn bit<B: Bits>(stride: u32, col: u8, height: u8) -> B {
    // A step of a column at a time: wide sets are not shifted by more than 63 bits at once.
    let column = (0..col).fold(B::ONE, |cell, _| cell << stride);
    column << u32::from(height)
}

/// What is derived from a shape by shifts.
pub trait Lines: Shape {
    /// The cells that would complete a row of `stones`, whether free or not.
    #[inline]
    fn completions(&self, stones: Self::Cells) -> Self::Cells {
        let up = self.stride();
        let vertical = (1..self.connect()).fold(self.cells(), |row, by| row & (stones << by));
        let sideways = match self.connect() {
            3 => [up - 1, up, up + 1].map(|by| third_of_three(stones, by)),
            4 => [up - 1, up, up + 1].map(|by| fourth_of_four(stones, by)),
            _ => [up - 1, up, up + 1].map(|by| fifth_of_five(stones, by)),
        };
        vertical | (sideways[0] | sideways[1] | sideways[2]) & self.cells()
    }

    /// Whether `stones` hold a row.
    #[inline]
    fn has_row(&self, stones: Self::Cells) -> bool {
        let up = self.stride();
        [1, up, up + 1, up - 1].into_iter().any(|by| {
            let mut row = stones;
            let mut next = stones;
            for _ in 1..self.connect() {
                next = next >> by;
                row = row & next;
            }
            !row.is_empty()
        })
    }

    /// Where the next stone of every column that is not full lands.
    #[inline]
    fn landings(&self, filled: Self::Cells) -> Self::Cells {
        filled.plus(self.bottom()) & self.cells() & !filled
    }

    /// The cells right below these, over a hole if need be; other cells may be among them.
    #[inline]
    fn below(&self, cells: Self::Cells) -> Self::Cells {
        let below = cells >> 1;
        below | (below & self.hole()) >> 1
    }

    /// The cells right above these, over a hole if need be.
    #[inline]
    fn above(&self, cells: Self::Cells) -> Self::Cells {
        let above = cells << 1;
        (above | (above & self.hole()) << 1) & self.cells()
    }

    /// The moves after which the other side, which wins on `their_wins`, does not win at once.
    #[inline]
    fn quiet_moves(&self, landings: Self::Cells, their_wins: Self::Cells) -> Self::Cells {
        let threatened = landings & their_wins;
        let candidates = if threatened.is_empty() {
            landings
        } else if threatened.is_several() {
            return Self::Cells::ZERO;
        } else {
            threatened
        };
        candidates & !self.below(their_wins)
    }

    /// The board seen in a mirror: the columns in reverse order.
    #[inline]
    fn mirrored(&self, cells: Self::Cells) -> Self::Cells {
        let column = !(!Self::Cells::ZERO << self.stride());
        let mut rest = cells;
        (0..self.columns()).fold(Self::Cells::ZERO, |mirrored, _| {
            let next = mirrored << self.stride() | (rest & column);
            rest = rest >> self.stride();
            next
        })
    }
}

impl<S: Shape> Lines for S {}

/// The cells that complete a row of three in steps of `by` bits; some may be off the board.
#[inline]
fn third_of_three<B: Bits>(stones: B, by: u32) -> B {
    let (before, behind) = (stones << by, stones >> by);
    before & (before << by | behind) | behind & (behind >> by)
}

/// The cells that complete a row of four.
#[inline]
fn fourth_of_four<B: Bits>(stones: B, by: u32) -> B {
    let (before, behind) = (stones << by, stones >> by);
    // A cell with two stones right before it, or right behind it, lacks one more.
    let pair = stones & before;
    pair << by & (stones << (3 * by) | behind) | pair >> (2 * by) & (stones >> (3 * by) | before)
}

/// The cells that complete a row of five.
#[inline]
fn fifth_of_five<B: Bits>(stones: B, by: u32) -> B {
    let (before, behind) = (stones << by, stones >> by);
    let pair = stones & before;
    let (two_before, two_behind) = (pair << by, pair >> (2 * by));
    let three_before = two_before & stones << (3 * by);
    let three_behind = two_behind & stones >> (3 * by);
    three_before & (stones << (4 * by) | behind)
        | two_before & two_behind
        | three_behind & (stones >> (4 * by) | before)
}

/// A position: the stones of the side to move, and what is filled by either side or the hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board<B> {
    /// Stones of the side to move.
    pub own: B,
    /// Stones of both sides and the hole.
    pub filled: B,
}

impl<B: Bits> Board<B> {
    /// The stones of a position.
    pub fn of<S: Shape<Cells = B>>(shape: &S, position: &Connect4) -> Board<B> {
        let cells = |columns: [u16; MAX_SIZE]| {
            let columns = columns.iter().take(shape.columns() as usize).rev();
            columns.fold(B::ZERO, |cells, &column| {
                cells << shape.stride() | B::from_low(u64::from(column))
            })
        };
        Board {
            own: cells(position.columns(position.side_to_move())),
            filled: cells(position.filled()),
        }
    }

    /// The stones of the other side.
    #[inline]
    pub fn theirs<S: Shape<Cells = B>>(&self, shape: &S) -> B {
        self.filled & !self.own & shape.cells()
    }

    /// The position after a stone on `cell`, the other side to move.
    #[inline]
    pub fn after<S: Shape<Cells = B>>(&self, shape: &S, cell: B) -> Board<B> {
        Board {
            own: self.theirs(shape),
            filled: self.filled | cell,
        }
    }

    /// A set of bits that no other position of this shape has: in each column the own stones
    /// and, on top of it, a bit that marks its height.
    #[inline]
    pub fn key<S: Shape<Cells = B>>(&self, shape: &S) -> B {
        // Own stones are part of what is filled, so that the sum of both and the bottom has
        // a one above the filled cells: own + (filled + bottom).
        self.own.plus(self.filled.plus(shape.bottom()))
    }

    /// The key of the position or of its mirror image, the same for both. Without meaning where
    /// the mirror moves the hole.
    #[inline]
    pub fn canonical_key<S: Shape<Cells = B>>(&self, shape: &S) -> B {
        let key = self.key(shape);
        let mirrored = shape.mirrored(key);
        if mirrored.words() < key.words() {
            mirrored
        } else {
            key
        }
    }
}
