//! The order in which the solver tries the moves of a position.
//!
//! The more cells win after a move, the earlier it is tried; last come the moves that give away a
//! cell where the own side would win (10 % fewer nodes). Equals are rated by the cell: from the
//! centre outwards, or, where the question is who wins 7×6, by [`Weights`] that `tengen tune` has
//! learned. They save a third to a half of the nodes (`docs/EXPERIMENTS.md`, The solver of Connect
//! Four).
//!
//! Also learned, but not worth it: weights for both questions, who wins and how soon (15 % fewer
//! nodes for both together); the row of a winning cell and another one below it (4 % fewer nodes,
//! which take as much longer each); other weights for the side that must win than for the one that
//! need not, open lines through the cell, the cell above, a single reply (nothing).
//!
//! The rating of a cell is the same all over the tree, so that searches meet again in the table: a
//! history of cutoffs in its place made 20 to 90 % more nodes, the last answer to the move before
//! 15 to 30 %, the cell above that move 20 to 60 %. The best move of an earlier window changed
//! nothing, the number of replies made it worse. UCT with 400 playouts tells more often which move
//! keeps the value (in 132 of 179 hard positions, this order in 60); but to let it order the first
//! one to four plies of a search saved 3 to 7 % of the nodes and no time, in 60 hard positions.

use crate::knowledge::connect4::board::{Shape, Standard};
use crate::rollout::Random;
use rand::RngExt;
use std::fmt;

/// The most bits of a board: see `Wide`.
const MAX_BITS: usize = 192;

/// What a cell that wins after the move adds to its rating: more than a cell does.
const PER_WIN: i32 = 64;

/// What a move loses that lets the opponent take a winning cell.
const GIVEN_AWAY: i32 = 2 * PER_WIN;

/// Columns of the left half of 7×6 with the middle one, and cells of each.
const COLUMNS: usize = 4;
const ROWS: usize = 6;

/// The weights for 7×6.
const OWN: &str = include_str!("7x6.order");

/// The side to move has other aims than its opponent, for who plays which cells in the end depends
/// on whether the number of free cells is even (0) or odd (1).
const SIDES: usize = 2;

/// The orders for all questions.
pub struct Orders {
    /// For the question who wins, by side.
    value: [Ratings; SIDES],
    /// For the questions how soon.
    score: Ratings,
}

/// Ratings of the cells, by bit.
#[derive(Clone, Copy)]
pub struct Ratings([i16; MAX_BITS]);

impl Orders {
    /// From the centre outwards.
    pub fn from_centre<S: Shape>(shape: &S) -> Orders {
        let ratings = Ratings::from_centre(shape);
        Orders {
            value: [ratings; SIDES],
            score: ratings,
        }
    }

    /// The same, but by weights for 7×6 where the question is who wins.
    pub fn weighted(weights: &Weights) -> Orders {
        Orders {
            value: weights.sides.map(SideWeights::ratings),
            score: Ratings::from_centre(&Standard),
        }
    }

    /// The ratings for the question whether the score is above `alpha` where `left` cells are free.
    #[inline]
    pub fn of(&self, alpha: i32, left: u32) -> &Ratings {
        match alpha {
            -1 | 0 => &self.value[(left % 2) as usize],
            _ => &self.score,
        }
    }
}

impl Ratings {
    fn from_centre<S: Shape>(shape: &S) -> Ratings {
        let mut cells = [0; MAX_BITS];
        let columns = shape.columns() as i16;
        for (column, cells) in (0..columns).zip(cells.chunks_mut(shape.stride() as usize)) {
            cells.fill(-(2 * column + 1 - columns).abs());
        }
        Ratings(cells)
    }

    /// How early a move is tried, higher is earlier: by the number of its cell, how many cells win
    /// after it, and whether it gives one away.
    #[inline]
    pub fn rate(&self, cell: usize, wins: u32, gives_away: bool) -> i32 {
        let rating = i32::from(self.0[cell]) + wins as i32 * PER_WIN;
        match gives_away {
            true => rating - GIVEN_AWAY,
            false => rating,
        }
    }
}

/// The weights of the cells on 7×6, for each side.
///
/// As text, a line for each side; one that begins with `#` says how they came about. A line goes
/// from the left column to the middle one, and in each from the bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    sides: [SideWeights; SIDES],
}

/// The numbers of a line of weights.
const NUMBERS: usize = COLUMNS * ROWS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SideWeights([i16; NUMBERS]);

impl SideWeights {
    fn ratings(self) -> Ratings {
        let SideWeights(numbers) = self;
        let stride = Standard.stride() as usize;
        let mut cells = [0; MAX_BITS];
        for (column, cells) in cells.chunks_mut(stride).take(2 * COLUMNS - 1).enumerate() {
            let half = column.min(2 * COLUMNS - 2 - column);
            cells[..ROWS].copy_from_slice(&numbers[half * ROWS..][..ROWS]);
        }
        Ratings(cells)
    }
}

impl Weights {
    /// Those of this program. `None`: its file is damaged, which a test rules out.
    #[must_use]
    pub fn own() -> Option<Weights> {
        Weights::read(OWN)
    }

    /// Those from which learning begins: the order from the centre, as on other boards.
    #[must_use]
    pub fn untrained() -> Weights {
        let mut numbers = [0; NUMBERS];
        for (column, cells) in (1..).zip(numbers.chunks_mut(ROWS)) {
            cells.fill(2 * (column - COLUMNS as i16));
        }
        Weights {
            sides: [SideWeights(numbers); SIDES],
        }
    }

    /// The same with one of them changed by chance, or those of a row or of a column, for one side
    /// or for both.
    #[must_use]
    pub fn varied(&self, random: &mut Random) -> Weights {
        const MOST: i16 = 6;
        let step = [-1, 1][random.random_range(0..2)] * random.random_range(1..=MOST);
        let cell = random.random_range(0..NUMBERS);
        let (column, row) = (cell / ROWS, cell % ROWS);
        let chosen: Vec<usize> = match random.random_range(0..4) {
            0 => (row..NUMBERS).step_by(ROWS).collect(),
            1 => (column * ROWS..(column + 1) * ROWS).collect(),
            _ => vec![cell],
        };
        let sides = [&[0][..], &[1], &[0, 1]][random.random_range(0..3)];
        let mut varied = self.clone();
        for (&side, &number) in sides
            .iter()
            .flat_map(|side| chosen.iter().map(move |it| (side, it)))
        {
            varied.sides[side].0[number] += step;
        }
        varied
    }

    /// The weights that a text holds.
    #[must_use]
    pub fn read(text: &str) -> Option<Weights> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut sides = [SideWeights([0; NUMBERS]); SIDES];
        for SideWeights(numbers) in &mut sides {
            let mut words = lines.next()?.split_whitespace();
            for number in numbers {
                *number = words.next()?.parse().ok()?;
            }
            if words.next().is_some() {
                return None;
            }
        }
        lines.next().is_none().then_some(Weights { sides })
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for SideWeights(numbers) in &self.sides {
            let words: Vec<String> = numbers.iter().map(i16::to_string).collect();
            writeln!(f, "{}", words.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn weights_are_read_as_they_are_written() {
        let mut weights = Weights::untrained();
        let mut random = Random::seed_from_u64(1);
        for _ in 0..50 {
            let text = format!("# 50 times\n{weights}");
            assert_eq!(Weights::read(&text), Some(weights.clone()));
            let varied = weights.varied(&mut random);
            assert_ne!(varied, weights);
            weights = varied;
        }
    }

    #[test]
    fn what_are_no_weights_is_refused() {
        let text = Weights::untrained().to_string();
        assert_eq!(Weights::read(&text[..text.len() - 5]), None);
        assert_eq!(Weights::read(&format!("{text}1\n")), None);
        assert_eq!(Weights::read(&text.replacen('6', "x", 1)), None);
        assert_eq!(Weights::read(""), None);
    }

    #[test]
    fn untrained_weights_are_the_order_of_other_boards() {
        let weighted = Orders::weighted(&Weights::untrained());
        let plain = Orders::from_centre(&Standard);
        let cells = (0..64).filter(|bit| Standard.cells() >> bit & 1 == 1);
        for (cell, alpha) in cells.flat_map(|cell| (-2..2).map(move |alpha| (cell, alpha))) {
            for left in [20, 21] {
                let rate = |orders: &Orders| orders.of(alpha, left).rate(cell, 1, false);
                assert_eq!(rate(&weighted), rate(&plain));
            }
        }
    }

    #[test]
    fn this_program_has_weights() {
        assert!(Weights::own().is_some());
    }
}
