//! The lines of the board as words: two bits a cell, with the edge before the first and after the last.

use super::CELLS;
use crate::game::Side;
use std::sync::OnceLock;

/// The most cells of a line, and columns of a board.
const LONGEST: usize = 22;

/// Rows, columns and the diagonals of both directions are 131. A number of eight bits needs no check
/// against this length.
pub(super) const LINES: usize = 1 << 8;

/// The lines through every cell of a board, by direction, and its place in each.
pub(super) type Places = [[(u8, u8); 4]; CELLS];

/// The places on boards with `cols` columns, [`LONGEST`] at the most.
pub(super) fn places_of(cols: u8) -> &'static Places {
    static ALL: [OnceLock<Places>; LONGEST + 1] = [const { OnceLock::new() }; LONGEST + 1];
    let cols = cols.min(LONGEST as u8);
    ALL[usize::from(cols)].get_or_init(|| std::array::from_fn(|cell| places_at(cell, cols)))
}

fn places_at(cell: usize, cols: u8) -> [(u8, u8); 4] {
    let cols = usize::from(cols);
    let [row, col] = [cell / (cols + 1), cell % (cols + 1)];
    let columns = LONGEST;
    let falling = columns + LONGEST;
    let rising = falling + 2 * LONGEST;
    let lines = [
        row,
        columns + col,
        falling + row + cols - col,
        rising + row + col,
    ];
    let places = [col, row, row, row];
    std::array::from_fn(|i| (lines[i] as u8, places[i] as u8))
}

/// Cells off the board before the first of a line.
pub(super) const MARGIN: u32 = 5;

/// The low bit of every cell of a word.
pub(super) const LOW: u64 = 0x5555_5555_5555_5555;

/// What a line's word shows where a side has a stone.
#[inline]
pub(super) fn stone_bits(side: Side) -> u64 {
    1 << side.index()
}

/// How far left the bits of a place stand in the word of a line.
#[inline]
pub(super) fn shift_of(place: u32) -> u32 {
    2 * (place + MARGIN)
}

/// The key of the cell whose bits stand at `shift` in a line's word.
#[inline]
pub(super) fn line_key(word: u64, shift: u32, radius: u32) -> usize {
    let side = (1 << (2 * radius)) - 1;
    let around = word >> (shift - 2 * radius);
    (around & side | (around >> 2) & (side << (2 * radius))) as usize
}

/// Whether a new stone of `side` can make or break a [`Class::Three`] or more in a line's word; `around`
/// has the low bits of the cells within the radius. A three needs two stones beside the cell in
/// question: this one and another of its side or, to be broken, two of the opponent.
///
/// [`Class::Three`]: super::class::Class::Three
#[inline(always)]
pub(super) fn may_be_threats(word: u64, around: u64, side: Side) -> bool {
    let [low, high] = [word & around, word >> 1 & around];
    let [first, second] = [low & !high, high & !low];
    let (own, others) = match side {
        Side::First => (first, second),
        Side::Second => (second, first),
    };
    own != 0 || others & others.wrapping_sub(1) != 0
}
