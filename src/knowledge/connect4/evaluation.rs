//! How a Connect Four board stands: the lines that are still open to either side.
//!
//! An open line is a run of as many cells as a row needs, all free or one's own. The more stones
//! there are in it the more it is worth.

use super::{from_centre, wins_now};
use crate::game::connect4::{Connect4, MAX_SIZE, STEAL};
use crate::game::{Move, Playable, Side};
use crate::knowledge::Evaluate;

/// What an open line is worth by the stones that it still lacks, from one: the last one counts
/// most, for it may be a threat that decides the columns. (A guess.)
const WORTH: [i32; 4] = [32, 6, 1, 0];

/// More than any distance from the centre, in half columns: a row made, or one stopped.
const ROW: i32 = 1000;

/// The four ways of a line, as changes of column and height.
const WAYS: [(usize, i32); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

impl Evaluate for Connect4 {
    const ADVANTAGE: i32 = 60;

    fn standings(&self) -> [i32; 2] {
        [Side::First, Side::Second].map(|side| open_lines(self, side))
    }

    /// A row, else the nearer to the centre the better.
    fn promise(&self, mv: Move, side: Side) -> i32 {
        if mv == STEAL {
            return self
                .first_stone()
                .map_or(0, |(col, _)| -(from_centre(self, col) as i32));
        }
        let col = usize::from(mv.code());
        i32::from(wins_now(self, side, col)) * ROW - from_centre(self, col) as i32
    }
}

/// What the open lines of a side are worth together.
fn open_lines(position: &Connect4, side: Side) -> i32 {
    let setup = position.setup();
    let (own, filled) = (&position.columns(side), position.filled());
    let board = (1 << setup.rows) - 1;
    let free = std::array::from_fn(|col| match col < usize::from(setup.cols) {
        // What is filled by others: the opponent's stones, and the hole.
        true => board & (own[col] | !filled[col]),
        false => 0,
    });
    let starts = (0..usize::from(setup.cols)).flat_map(|col| WAYS.map(|way| (col, way)));
    let worths =
        starts.map(|(col, way)| worth_of_lines(own, &free, setup.connect4().connect, col, way));
    worths.sum()
}

/// What the open lines are worth that begin in a column and go one way. Each bit of the words is
/// the line that begins at its height.
fn worth_of_lines(
    own: &[u16; MAX_SIZE],
    free: &[u16; MAX_SIZE],
    connect: u8,
    col: usize,
    (across, up): (usize, i32),
) -> i32 {
    let connect = usize::from(connect);
    let mut open = u16::MAX;
    // The stones of each line, added up in binary. No line has eight.
    let [mut ones, mut twos, mut fours] = [0; 3];
    for step in 0..connect {
        let Some(&cells) = free.get(col + across * step) else {
            return 0;
        };
        let here = |cells: u16| match up * step as i32 {
            rise @ 0.. => cells >> rise,
            fall => cells << -fall,
        };
        let stone = here(own[col + across * step]);
        open &= here(cells);
        fours |= twos & ones & stone;
        twos ^= ones & stone;
        ones ^= stone;
    }
    let with_stones = |count: usize| {
        let digit = |digits: u16, bit: usize| if count & bit != 0 { digits } else { !digits };
        (open & digit(ones, 1) & digit(twos, 2) & digit(fours, 4)).count_ones() as i32
    };
    // A line without a stone is worth nothing.
    let worths = (1..connect).zip(WORTH);
    worths
        .map(|(lacking, worth)| worth * with_stones(connect - lacking))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Connect4Rules, Game, GameKind, Moves, Point, Setup};
    use crate::rollout::Random;
    use rand::{RngExt, SeedableRng};

    /// The same by walking every line cell by cell.
    fn naive(position: &Connect4, side: Side) -> i32 {
        let setup = position.setup();
        let mut sum = 0;
        for point in setup.points() {
            for (across, down) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let cells = (0..i16::from(setup.connect4().connect)).map(|step| Point {
                    col: (i16::from(point.col) + across * step) as u8,
                    row: (i16::from(point.row) + down * step) as u8,
                });
                let blocked = |cell: &Point| {
                    !setup.contains(*cell)
                        || setup.hole() == Some(*cell)
                        || position.stone_at(*cell) == Some(side.other())
                };
                if cells.clone().any(|cell| blocked(&cell)) {
                    continue;
                }
                let stones = cells
                    .filter(|&cell| position.stone_at(cell) == Some(side))
                    .count();
                if stones > 0 {
                    sum += WORTH[usize::from(setup.connect4().connect) - stones - 1];
                }
            }
        }
        sum
    }

    #[test]
    fn open_lines_are_counted_as_a_walk_over_the_board_does() {
        let hole = Some(Point { col: 3, row: 4 });
        for (cols, rows, connect, hole) in [
            (7, 6, 4, None),
            (4, 12, 3, hole),
            (12, 12, 5, hole),
            (9, 10, 4, hole),
        ] {
            let setup = Setup::standard(GameKind::Connect4)
                .with_size(cols, rows)
                .with(Connect4Rules {
                    hole,
                    connect,
                    ..Connect4Rules::default()
                });
            for seed in 0..10 {
                let mut random = Random::seed_from_u64(seed);
                let mut position = Connect4::new(&setup).unwrap();
                let mut moves = Moves::new();
                while position.outcome().is_none() {
                    let expected = [Side::First, Side::Second].map(|side| naive(&position, side));
                    assert_eq!(position.standings(), expected, "\n{position}");
                    position.legal_moves(&mut moves);
                    position.play(moves[random.random_range(0..moves.len())]);
                }
            }
        }
    }

    #[test]
    fn a_row_promises_more_than_the_centre() {
        let mut position = Connect4::new(&Setup::standard(GameKind::Connect4)).unwrap();
        for col in [0, 3, 0, 3, 0] {
            position.play(Move::new(col));
        }
        let promise = |col, side| position.promise(Move::new(col), side);
        assert_eq!(promise(0, Side::First), ROW - 6);
        assert_eq!(promise(0, Side::Second), -6);
        assert_eq!(promise(3, Side::Second), 0);
    }
}
