//! The lines through a cell, and which row of the net's table each one has.
//!
//! A line is nine cells: a centre and four to either side in one direction. Its key has two bits
//! for each cell, the cell four steps before the centre lowest:
//!
//! ```text
//! bits   1-0  3-2  5-4  7-6 | 9-8 | 11-10 13-12 15-14 17-16     0 empty   1 a stone of the first side
//! cell    -4   -3   -2   -1 |  0  |   +1    +2    +3    +4      3 border  2 a stone of the second side
//! ```
//!
//! A line and its reverse share a row, so the net is blind to rotations and reflections. A half
//! of a line has 1 + 3 + 9 + 27 + 81 states, as the border ends it after 0 to 4 cells. There are
//! 3 states of the centre and 121 · 122 / 2 pairs of halves: 22,143 rows. For the second side a [`Sight`]
//! exchanges the colours.

use super::super::patterns::Patterns;
use crate::game::Side;
use std::sync::LazyLock;

/// How far a line reaches from its centre, in cells: as far as a five through it.
pub const REACH: usize = 4;

/// Rows of the table.
pub const ROWS: usize = rows_of(REACH);

/// The key's bits of a cell that is off the board.
const BORDER: u32 = 3;

/// Keys are below this.
pub const KEYS: usize = 1 << (2 * (2 * REACH + 1));

/// States of half a line that reaches so far.
const fn half_states(reach: usize) -> usize {
    let (mut states, mut longest, mut cells) = (1, 1, 0);
    while cells < reach {
        longest *= 3;
        states += longest;
        cells += 1;
    }
    states
}

/// Rows of a table of lines that reach so far.
pub const fn rows_of(reach: usize) -> usize {
    let halves = half_states(reach);
    3 * halves * (halves + 1) / 2
}

/// Half a line: its number h in the low 16 bits, and in the others h (h + 1) / 2, the number of the
/// first pair of halves whose higher one it is.
type Half = u32;

/// What a side sees of lines: which row each has.
pub struct Sight {
    /// The half before the centre by its eight bits of the key, and that after it.
    halves: [[Half; 256]; 2],
    /// The first row of the lines with this state of the centre.
    centres: [u16; 4],
}

impl Sight {
    /// For this side, whose own stones have the state 1.
    pub fn of(side: Side) -> &'static Sight {
        static SIGHTS: [LazyLock<Sight>; 2] = [
            LazyLock::new(|| Sight::new(Side::First)),
            LazyLock::new(|| Sight::new(Side::Second)),
        ];
        &SIGHTS[side.index()]
    }

    fn new(side: Side) -> Sight {
        let seen = |state: usize| match side {
            Side::First => state,
            // Where the two bits of a state are exchanged, so are the colours.
            Side::Second => state >> 1 | state << 1 & 2,
        };
        let state = |half: usize, i: usize| seen(half >> (2 * i) & 3);
        let half = |number: usize| (number | (number * (number + 1) / 2) << 16) as Half;
        let before = |bits| half(half_state((0..REACH).rev().map(|i| state(bits, i))));
        let after = |bits| half(half_state((0..REACH).map(|i| state(bits, i))));
        Sight {
            halves: [std::array::from_fn(before), std::array::from_fn(after)],
            centres: std::array::from_fn(|centre| first_row(seen(centre), REACH) as u16),
        }
    }

    /// The rows of the lines through a cell, by direction.
    #[inline(always)]
    pub fn rows(&self, board: &Patterns, cell: usize) -> [u16; 4] {
        let keys = board.nines(cell);
        let mut rows = [0; 4];
        for direction in 0..4 {
            rows[direction] = self.row(keys[direction]);
        }
        rows
    }

    #[inline(always)]
    fn row(&self, key: u32) -> u16 {
        let [before, centre, after] = [key, key >> (2 * REACH), key >> (2 * REACH + 2)];
        let before = self.halves[0][before as usize & 255];
        let after = self.halves[1][after as usize & 255];
        let pair = (before.max(after) >> 16) as u16 + before.min(after) as u16;
        self.centres[centre as usize & 3] + pair
    }
}

/// The row that a line has for the first side, in a table of lines that reach `reach` cells, 4 at the most.
pub fn row_within(key: u32, reach: usize) -> usize {
    let state = |i: usize| (key >> (2 * i) & 3) as usize;
    let before = half_state((1..=reach).map(|i| state(REACH - i)));
    let after = half_state((1..=reach).map(|i| state(REACH + i)));
    first_row(state(REACH), reach) + pair([before, after])
}

/// The number of a pair of halves.
fn pair([a, b]: [usize; 2]) -> usize {
    let (low, high) = (a.min(b), a.max(b));
    high * (high + 1) / 2 + low
}

/// The first row of the lines with this state of the centre. None is off the board.
fn first_row(centre: usize, reach: usize) -> usize {
    centre % 3 * rows_of(reach) / 3
}

/// The number of half a line, whose states come from the centre outwards: halves that are cut
/// short come first.
fn half_state(states: impl Iterator<Item = usize>) -> usize {
    let on_board = states.take_while(|&state| state != BORDER as usize);
    let (mut shorter, mut digits, mut count) = (0, 0, 1);
    for state in on_board {
        shorter += count;
        digits = 3 * digits + state;
        count *= 3;
    }
    shorter + digits
}

/// For each row, that of the line whose longer half the border cuts one cell shorter, or both halves where
/// they are as long. `None`: the halves have no cells.
pub fn shorter_rows() -> impl Iterator<Item = Option<usize>> {
    (0..3).flat_map(|centre| {
        let pairs = (0..half_states(REACH)).flat_map(|high| (0..=high).map(move |low| (high, low)));
        pairs.map(move |(high, low)| {
            let longer = length_of(high).checked_sub(1)?;
            let halves = [high, low].map(|half| cut(half, longer));
            Some(first_row(centre, REACH) + pair(halves))
        })
    })
}

/// The cells of the half of a line that has this number.
fn length_of(half: usize) -> usize {
    (0..REACH)
        .filter(|&reach| half >= half_states(reach))
        .count()
}

/// The half of a line without the cells behind the first `longest`; it is one cell longer at the most.
fn cut(half: usize, longest: usize) -> usize {
    match length_of(half) > longest {
        true => {
            (half - half_states(longest)) / 3 + half_states(longest) - 3usize.pow(longest as u32)
        }
        false => half,
    }
}

/// Whether a line has no stone.
#[inline(always)]
pub fn is_bare(key: u32) -> bool {
    // A cell has a stone where its two bits differ.
    (key ^ key >> 1) & 0x15555 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::gomoku::Gomoku;
    use crate::game::gomoku::tests::{any_rule, random_position};
    use crate::game::{Playable, Point};
    use proptest::prelude::*;

    /// The key of a line by walking over points.
    fn naive_key(game: &Gomoku, cell: usize, (dx, dy): (i32, i32), seen_by: Side) -> u32 {
        let at = game.point(cell);
        (0..=2 * REACH).fold(0, |key, i| {
            let steps = i as i32 - REACH as i32;
            let col = u8::try_from(i32::from(at.col) + steps * dx);
            let row = u8::try_from(i32::from(at.row) + steps * dy);
            let point = col.ok().zip(row.ok()).map(|(col, row)| Point { col, row });
            let state = match point.filter(|&point| game.setup().contains(point)) {
                None => BORDER,
                Some(point) => game
                    .stone_at(point)
                    .map_or(0, |side| if side == seen_by { 1 } else { 2 }),
            };
            key | state << (2 * i)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn rows_are_those_of_the_stones_around(
            cols in 5u8..=22, rows in 5u8..=22, rule in any_rule(), plies in 0u32..60, seed: u64,
        ) {
            let game = random_position(cols, rows, rule, plies, seed);
            let board = Patterns::of(&game);
            for cell in game.board::<8>().cells() {
                for side in [Side::First, Side::Second] {
                    let ways = [(1, 0), (0, 1), (1, 1), (-1, 1)];
                    let keys = ways.map(|way| naive_key(&game, cell, way, side));
                    let rows = keys.map(|key| row_within(key, REACH) as u16);
                    prop_assert_eq!(Sight::of(side).rows(&board, cell), rows);
                }
            }
        }
    }

    #[test]
    fn rows_of_shorter_lines_come_first() {
        let row = |halves: [&[usize]; 2]| {
            first_row(1, REACH) + pair(halves.map(|half| half_state(half.iter().copied())))
        };
        let shorter: Vec<_> = shorter_rows().collect();
        assert_eq!(shorter.len(), ROWS);
        for (long, short) in [
            (
                [&[0, 1, 2, 2][..], &[1, 1, 0, 2][..]],
                [&[0, 1, 2][..], &[1, 1, 0][..]],
            ),
            ([&[0, 1, 2, 2], &[1, 1]], [&[0, 1, 2], &[1, 1]]),
            ([&[0, 0, 0, 0], &[2, 2, 2]], [&[0, 0, 0], &[2, 2, 2]]),
            ([&[0, 1], &[2]], [&[0], &[2]]),
            ([&[2], &[]], [&[], &[]]),
        ] {
            assert_eq!(shorter[row(long)], Some(row(short)));
        }
        assert_eq!(shorter[row([&[], &[]])], None);
        assert!(
            shorter
                .iter()
                .enumerate()
                .all(|(row, shorter)| *shorter < Some(row))
        );
    }

    #[test]
    fn every_row_is_some_line_and_shared_with_its_reverse_alone() {
        let mut seen = vec![0; ROWS];
        let reversed =
            |key: u32| (0..9).fold(0, |other, i| other | (key >> (2 * i) & 3) << (2 * (8 - i)));
        let borders_last = |key: u32, side: [usize; 4]| {
            let states = side.map(|i| key >> (2 * i) & 3);
            states
                .windows(2)
                .all(|pair| pair[0] != BORDER || pair[1] == BORDER)
        };
        for key in 0..KEYS as u32 {
            let is_line = borders_last(key, [3, 2, 1, 0])
                && borders_last(key, [5, 6, 7, 8])
                && key >> 8 & 3 != BORDER;
            if is_line {
                let row = row_within(key, REACH);
                seen[row] += 1;
                assert_eq!(row_within(reversed(key), REACH), row);
            }
        }
        assert!(seen.iter().all(|&count| count == 1 || count == 2));
        assert_eq!((half_states(REACH), ROWS), (121, 22_143));
    }
}
