//! The lines through every cell of a board, and which row of the net's table each one has.
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
//! 3 states of the centre and 121 · 122 / 2 pairs of halves: 22,143 rows.

use crate::game::gomoku::{Gomoku, line};
use crate::game::{Playable, Side};
use std::sync::LazyLock;

/// How far a line reaches from its centre, in cells: as far as a five through it.
pub const REACH: usize = 4;

/// Rows of the table.
pub const ROWS: usize = rows_of(REACH);

/// The key's bits of a cell that is off the board.
const BORDER: u32 = 3;

/// Keys are below this.
const KEYS: usize = 1 << (2 * (2 * REACH + 1));

/// The largest board with its guards.
const CELLS: usize = 22 * 23;

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

/// The keys of all lines of a position.
#[derive(Clone)]
pub struct Lines {
    /// By cell and direction, the directions as in [`line::steps`].
    keys: [[u32; 4]; CELLS],
    cols: usize,
    rows: usize,
}

impl Default for Lines {
    fn default() -> Self {
        Lines {
            keys: [[0; 4]; CELLS],
            cols: 0,
            rows: 0,
        }
    }
}

impl Lines {
    /// The lines of a position.
    #[must_use]
    pub fn of(position: &Gomoku) -> Lines {
        let setup = position.setup();
        let mut lines = Lines {
            cols: usize::from(setup.cols),
            rows: usize::from(setup.rows),
            ..Lines::default()
        };
        lines.draw_borders();
        for side in [Side::First, Side::Second] {
            for cell in position.stones::<8>(side).cells() {
                lines.toggle(cell, side);
            }
        }
        lines
    }

    /// Puts a stone of `side` on a cell of the board, or takes it away where it stands.
    pub fn toggle(&mut self, cell: usize, side: Side) {
        let stone = side.index() as u32 + 1;
        self.change(cell, stone);
    }

    /// The lines of a cell as `side` sees them: its own stones have the state 1.
    #[inline(always)]
    pub fn keys(&self, cell: usize, side: Side) -> [u32; 4] {
        let keys = self.keys[cell];
        match side {
            Side::First => keys,
            Side::Second => keys.map(swapped),
        }
    }

    fn stride(&self) -> usize {
        self.cols + 1
    }

    fn change(&mut self, cell: usize, bits: u32) {
        let steps = line::steps(self.stride() as u32);
        for (direction, (step, reach)) in steps.into_iter().zip(self.reach(cell)).enumerate() {
            let first = cell - reach[0] * step as usize;
            // The cell is as far after the first centre as its bits are above the middle.
            let lowest = bits << (2 * (REACH + reach[0]));
            for i in 0..=reach[0] + reach[1] {
                self.keys[first + i * step as usize][direction] ^= lowest >> (2 * i);
            }
        }
    }

    /// How many cells of the board lie before and after a cell in each direction, 4 at the most.
    fn reach(&self, cell: usize) -> [[usize; 2]; 4] {
        let (col, row) = (cell % self.stride(), cell / self.stride());
        let [left, up] = [col, row];
        let [right, down] = [self.cols - 1 - col, self.rows - 1 - row];
        let reaches = [
            [left, right],
            [up, down],
            [up.min(left), down.min(right)],
            [up.min(right), down.min(left)],
        ];
        reaches.map(|reach| reach.map(|cells| cells.min(REACH)))
    }

    fn draw_borders(&mut self) {
        for row in 0..self.rows {
            for col in 0..self.cols {
                let cell = row * self.stride() + col;
                self.keys[cell] = self.reach(cell).map(|[before, after]| {
                    let off = (0..=2 * REACH).filter(|i| i + before < REACH || *i > REACH + after);
                    off.fold(0, |key, i| key | BORDER << (2 * i))
                });
            }
        }
    }
}

/// The key of a line with the colours exchanged.
#[inline(always)]
fn swapped(key: u32) -> u32 {
    (key & 0x15555) << 1 | key >> 1 & 0x15555
}

/// The rows of all keys.
pub static ROW_OF_KEY: LazyLock<Box<[u16; KEYS]>> = LazyLock::new(|| {
    let mut rows = Box::new([0; KEYS]);
    for (key, row) in rows.iter_mut().enumerate() {
        *row = row_within(key as u32, REACH) as u16;
    }
    rows
});

/// The row that a line has in a table of lines that reach `reach` cells, 4 at the most.
pub fn row_within(key: u32, reach: usize) -> usize {
    let state = |i: usize| (key >> (2 * i) & 3) as usize;
    let before = half_state((1..=reach).map(|i| state(REACH - i)));
    let after = half_state((1..=reach).map(|i| state(REACH + i)));
    let (low, high) = (before.min(after), before.max(after));
    let halves = half_states(reach);
    // A key with a centre off the board is never looked up.
    let centre = state(REACH) % 3;
    centre * (halves * (halves + 1) / 2) + high * (high + 1) / 2 + low
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

/// Whether a line has no stone.
#[inline(always)]
pub fn is_bare(key: u32) -> bool {
    // A cell has a stone where its two bits differ.
    (key ^ key >> 1) & 0x15555 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::gomoku::tests::{any_rule, random_position};
    use crate::game::{Game, Moves, Point};
    use proptest::prelude::*;

    /// The key of a line by walking over points.
    fn naive_key(game: &Gomoku, cell: usize, (dx, dy): (i32, i32)) -> u32 {
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
                    .map_or(0, |side| side.index() as u32 + 1),
            };
            key | state << (2 * i)
        })
    }

    fn check(game: &Gomoku, lines: &Lines) -> Result<(), TestCaseError> {
        for cell in game.board::<8>().cells() {
            let ways = [(1, 0), (0, 1), (1, 1), (-1, 1)];
            let naive = ways.map(|way| naive_key(game, cell, way));
            prop_assert_eq!(lines.keys(cell, Side::First), naive);
            for key in naive {
                prop_assert_eq!(swapped(swapped(key)), key);
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn keys_follow_the_moves_of_a_game(
            cols in 5u8..=22, rows in 5u8..=22, rule in any_rule(), plies in 0u32..60, seed: u64,
        ) {
            let mut game = random_position(cols, rows, rule, plies, seed);
            let mut lines = Lines::of(&game);
            check(&game, &lines)?;
            let mut moves = Moves::new();
            game.legal_moves(&mut moves);
            if let Some(&mv) = moves.get(seed as usize % moves.len().max(1)) {
                let (before, side) = (lines.clone(), game.side_to_move());
                lines.toggle(usize::from(mv.code()), side);
                game.play(mv);
                check(&game, &lines)?;
                lines.toggle(usize::from(mv.code()), side);
                prop_assert!(lines.keys == before.keys);
            }
        }
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
                let row = usize::from(ROW_OF_KEY[key as usize]);
                seen[row] += 1;
                assert_eq!(ROW_OF_KEY[reversed(key) as usize], row as u16);
            }
        }
        assert!(seen.iter().all(|&count| count == 1 || count == 2));
        assert_eq!((half_states(REACH), ROWS), (121, 22_143));
    }
}
