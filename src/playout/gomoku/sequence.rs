//! Playouts move by move, with the stones of each colour kept as lines.
//!
//! Every row, column and diagonal is a word with a bit for each of its cells, so that a new
//! stone is tested by looking at four words.

use crate::game::gomoku::{Gomoku, SIZES};
use crate::game::{Game, Outcome, Point, Side};
use crate::playout::Random;
use rand::RngExt;

/// The longest side of a board.
const LONGEST: usize = *SIZES.end() as usize;

/// One playout of a game that is not over. `EXACT`: a row of more than five does not win.
pub fn rollout<const EXACT: bool>(position: &Gomoku, random: &mut Random) -> Outcome {
    let mut lines = [Lines::EMPTY; 2];
    for side in [Side::First, Side::Second] {
        for point in position.points_of(position.stones(side)) {
            lines[side.index()].add(point);
        }
    }
    let mut empty = [Point { col: 0, row: 0 }; LONGEST * LONGEST];
    let mut count = 0;
    for point in position.points_of(position.empty_cells()) {
        empty[count] = point;
        count += 1;
    }
    let mut side = position.side_to_move();
    for left in (1..=count).rev() {
        let chosen = random.random_range(0..left as u32) as usize;
        empty.swap(chosen, left - 1);
        let point = empty[left - 1];
        let touched = lines[side.index()].add(point);
        if touched
            .into_iter()
            .fold(0, |any, line| any | fives::<EXACT>(line))
            != 0
        {
            return Outcome::win(side);
        }
        side = side.other();
    }
    Outcome::DRAW
}

/// The stones of one colour, as the lines they stand on.
struct Lines {
    /// By row; bits by column.
    rows: [u32; LONGEST],
    /// By column; bits by row.
    cols: [u32; LONGEST],
    /// By column plus row; bits by row.
    rising: [u32; 2 * LONGEST - 1],
    /// By column minus row, from `1 - LONGEST`; bits by row.
    falling: [u32; 2 * LONGEST - 1],
}

impl Lines {
    const EMPTY: Lines = Lines {
        rows: [0; LONGEST],
        cols: [0; LONGEST],
        rising: [0; 2 * LONGEST - 1],
        falling: [0; 2 * LONGEST - 1],
    };

    /// Adds a stone and returns the four lines it stands on.
    #[inline]
    fn add(&mut self, at: Point) -> [u32; 4] {
        let (col, row) = (usize::from(at.col), usize::from(at.row));
        let [in_row, in_col] = [1 << col, 1 << row];
        [
            (&mut self.rows[row], in_row),
            (&mut self.cols[col], in_col),
            (&mut self.rising[col + row], in_col),
            (&mut self.falling[col + LONGEST - 1 - row], in_col),
        ]
        .map(|(line, stone)| {
            *line |= stone;
            *line
        })
    }
}

/// The places in a line at which a winning row begins; none does before the last stone.
#[inline]
fn fives<const EXACT: bool>(line: u32) -> u32 {
    let pairs = line & line >> 1;
    let triples = pairs & pairs >> 1;
    let fives = triples & triples >> 2;
    if EXACT {
        // A longer row begins five stones at two neighbouring places.
        fives & !(fives << 1) & !(fives >> 1)
    } else {
        fives
    }
}
