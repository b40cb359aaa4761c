//! The cells of a Connect Four board, in one of two forms by its size.
//!
//! A cell is named by its column from the left and its height from the bottom, both from zero.
//! Up to eight columns of seven cells fit into one word for each side, a byte for a column. The
//! highest bit of a byte is no cell's, so that no row runs over the top of a column into the
//! next:
//!
//! ```text
//!   height                      bit 8 * col + height
//!     7   (  7 15 23 31 .. )    nobody's
//!     :      :  :  :  :
//!     1      1  9 17 25 ..
//!     0      0  8 16 24 ..
//!   col      0  1  2  3
//! ```
//!
//! On a larger board every line is a word for each side: columns, rows and both kinds of
//! diagonals. A stone is the bit `height` in the word of its column, and the bit `col` in the
//! words of the three other lines through it:
//!
//! ```text
//!   height                                 line    number             bit
//!     3    . . . .   rise 8: a .. d        cols    col                height
//!     2    . . c .   (col - height = -3)   rows    height             col
//!     1    . b . .                         rise    col + 11 - height  col
//!     0    a . . .                         fall    col + height       col
//!   col    0 1 2 3
//! ```
//!
//! So a stone costs four bits to set, and only the four words through it can hold a new row.
//! They fit into one `u64`, 16 bits each, and are tested together.

use super::MAX_SIZE;
use crate::game::{Setup, Side};

/// Diagonals of one kind on the largest board.
const DIAGONALS: usize = 2 * MAX_SIZE - 1;

/// Bits from a column of a [`Small`] board to the next.
const COLUMN: usize = 8;

/// What stands on the cells of a board.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "in a box, a large board were an allocation for every rollout"
)]
pub enum Stones {
    /// A board of up to eight columns of up to seven cells.
    Small(Small),
    /// A board of any size.
    Large(Large),
}

impl Stones {
    /// The empty board of a setup.
    pub fn new(setup: &Setup) -> Stones {
        let is_small = usize::from(setup.cols) <= 64 / COLUMN && usize::from(setup.rows) < COLUMN;
        if is_small {
            Stones::Small(Small {
                stones: [0; 2],
                filled: 0,
                cells: Small::rectangle(setup.cols, setup.rows),
            })
        } else {
            Stones::Large(Large {
                lines: [Lines::default(); 2],
                filled: [0; MAX_SIZE],
                full: (1 << setup.rows) - 1,
                free: setup.cols * setup.rows,
            })
        }
    }

    /// Whether a column of the board takes another stone.
    #[inline]
    pub fn is_open(&self, col: usize) -> bool {
        match self {
            Stones::Small(board) => {
                let free = board.cells & !board.filled;
                Small::column(free, col) != 0
            }
            Stones::Large(board) => board.filled[col] != board.full,
        }
    }

    /// How many cells are free.
    #[inline]
    pub fn free(&self) -> u32 {
        match self {
            Stones::Small(board) => (board.cells & !board.filled).count_ones(),
            Stones::Large(board) => board.free.into(),
        }
    }

    /// Whether no cell is free.
    #[inline]
    pub fn is_full(&self) -> bool {
        match self {
            Stones::Small(board) => board.filled == board.cells,
            Stones::Large(board) => board.free == 0,
        }
    }

    /// The stones of a side in a column: bit `height`.
    #[inline]
    pub fn column(&self, side: Side, col: usize) -> u16 {
        match self {
            Stones::Small(board) => Small::column(board.stones[side.index()], col),
            Stones::Large(board) => board.lines[side.index()].cols[col],
        }
    }

    /// The stones of both sides and the hole in a column: bit `height`.
    #[inline]
    pub fn filled(&self, col: usize) -> u16 {
        match self {
            Stones::Small(board) => Small::column(board.filled, col),
            Stones::Large(board) => board.filled[col],
        }
    }

    /// Fills a cell that nobody may use.
    pub fn block(&mut self, col: usize, height: usize) {
        match self {
            Stones::Small(board) => board.filled |= Small::cell(col, height),
            Stones::Large(board) => board.fill(col, height),
        }
    }

    /// Puts a stone on a free cell.
    pub fn put(&mut self, side: Side, col: usize, height: usize) {
        self.block(col, height);
        match self {
            Stones::Small(board) => board.stones[side.index()] |= Small::cell(col, height),
            Stones::Large(board) => board.lines[side.index()].place(col, height),
        }
    }

    /// Drops a stone into a column that is not full.
    #[inline]
    pub fn drop_stone(&mut self, side: Side, col: usize) {
        match self {
            Stones::Small(board) => {
                // The sum carries up to the cell where the stone lands.
                let stone = (board.filled + Small::cell(col, 0)) & !board.filled;
                board.filled |= stone;
                board.stones[side.index()] |= stone;
            }
            Stones::Large(board) => {
                let height = board.filled[col].trailing_ones() as usize;
                board.fill(col, height);
                board.lines[side.index()].place(col, height);
            }
        }
    }

    /// Drops a stone as above. Returns whether it makes a row of `connect`.
    #[inline]
    pub fn drop_makes_row(&mut self, side: Side, col: usize, connect: u8) -> bool {
        let filled = self.filled(col);
        self.drop_stone(side, col);
        match self {
            Stones::Small(board) => Small::has_row(board.stones[side.index()], connect),
            Stones::Large(board) => {
                let height = filled.trailing_ones() as usize;
                has_row(board.lines[side.index()].through(col, height), connect)
            }
        }
    }

    /// Whether a stone of `side` on a free cell would make a row of `connect`. There must be none
    /// on the board yet.
    #[inline]
    pub fn would_make_row(&self, side: Side, col: usize, height: usize, connect: u8) -> bool {
        match self {
            Stones::Small(board) => {
                let cell = Small::cell(col, height);
                Small::has_row(board.stones[side.index()] | cell, connect)
            }
            Stones::Large(board) => {
                let own = &board.lines[side.index()];
                has_row(
                    own.through(col, height) | stone_in_lines(col, height),
                    connect,
                )
            }
        }
    }

    /// Whether there is a row of `connect` anywhere.
    pub fn has_row(&self, side: Side, connect: u8) -> bool {
        match self {
            Stones::Small(board) => Small::has_row(board.stones[side.index()], connect),
            Stones::Large(board) => board.lines[side.index()].has_row(connect),
        }
    }

    /// Every stone changes sides.
    pub fn swap_sides(&mut self) {
        match self {
            Stones::Small(board) => board.stones.swap(0, 1),
            Stones::Large(board) => board.lines.swap(0, 1),
        }
    }
}

/// The cells of a small board. The layout is drawn above.
#[derive(Clone, Copy, Debug)]
pub struct Small {
    /// The stones, by `Side::index`.
    pub stones: [u64; 2],
    /// The stones of both sides and the hole.
    pub filled: u64,
    /// All cells of the board.
    pub cells: u64,
}

impl Small {
    fn cell(col: usize, height: usize) -> u64 {
        1 << (COLUMN * col + height)
    }

    fn column(cells: u64, col: usize) -> u16 {
        (cells >> (COLUMN * col) & 0xff) as u16
    }

    /// All cells of the lowest rows of the leftmost columns.
    pub fn rectangle(cols: u8, rows: u8) -> u64 {
        (0..usize::from(cols)).fold(0, |cells, col| cells | ((1 << rows) - 1) << (COLUMN * col))
    }

    /// Whether there is a row of `connect`, from 3 to 5, among these stones.
    #[inline(always)]
    pub fn has_row(stones: u64, connect: u8) -> bool {
        const STEPS: [usize; 4] = [1, COLUMN, COLUMN + 1, COLUMN - 1];
        let mut rows = 0;
        for step in STEPS {
            let pairs = stones & stones >> step;
            rows |= match connect {
                3 => pairs & pairs >> step,
                4 => pairs & pairs >> (2 * step),
                _ => pairs & pairs >> (2 * step) & stones >> (4 * step),
            };
        }
        rows != 0
    }
}

/// The cells of a board of any size. The layout is drawn above.
#[derive(Clone, Debug)]
pub struct Large {
    /// The stones, by `Side::index`.
    pub lines: [Lines; 2],
    /// The stones of both sides and the hole, by column: bit `height`.
    pub filled: [u16; MAX_SIZE],
    /// A column without a free cell.
    pub full: u16,
    /// How many cells are free.
    free: u8,
}

impl Large {
    fn fill(&mut self, col: usize, height: usize) {
        self.filled[col] |= 1 << height;
        self.free -= 1;
    }
}

/// The stones of one side, a word for every line of the board.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines {
    cols: [u16; MAX_SIZE],
    rows: [u16; MAX_SIZE],
    rise: [u16; DIAGONALS],
    fall: [u16; DIAGONALS],
}

impl Lines {
    /// Puts a stone on a cell.
    #[inline]
    pub fn place(&mut self, col: usize, height: usize) {
        self.cols[col] |= 1 << height;
        self.rows[height] |= 1 << col;
        self.rise[col + MAX_SIZE - 1 - height] |= 1 << col;
        self.fall[col + height] |= 1 << col;
    }

    /// The four lines through a cell, 16 bits each.
    #[inline]
    pub fn through(&self, col: usize, height: usize) -> u64 {
        u64::from(self.cols[col])
            | u64::from(self.rows[height]) << 16
            | u64::from(self.rise[col + MAX_SIZE - 1 - height]) << 32
            | u64::from(self.fall[col + height]) << 48
    }

    fn has_row(&self, connect: u8) -> bool {
        let lines = self
            .cols
            .iter()
            .chain(&self.rows)
            .chain(&self.rise)
            .chain(&self.fall);
        lines
            .into_iter()
            .any(|&line| has_row(u64::from(line), connect))
    }
}

/// A stone in the four lines through its cell, as [`Lines::through`] gives them.
fn stone_in_lines(col: usize, height: usize) -> u64 {
    1 << height | 1 << (16 + col) | 1 << (32 + col) | 1 << (48 + col)
}

/// Whether one of four lines, 16 bits each, has `connect` stones side by side.
///
/// A shift carries bits of the next line into the spare bits of a line only, which are empty.
#[inline]
pub fn has_row(lines: u64, connect: u8) -> bool {
    let mut row = lines;
    for shift in 1..connect {
        row &= lines >> shift;
    }
    row != 0
}
