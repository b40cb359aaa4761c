//! The games on arrays, as they are written in an afternoon: at every ply the legal moves are
//! listed, one is drawn, and the lines through the new stone are walked.

use tengen::game::{Outcome, Side};

/// The board: `cells[col][row]`.
type Board = Vec<Vec<u8>>;

const EMPTY: u8 = 0;
const HOLE: u8 = 3;

/// The eight ways to a neighbour; a way and the one after it are opposite.
const WAYS: [(i32, i32); 8] = [
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
    (1, 1),
    (-1, -1),
    (1, -1),
    (-1, 1),
];

/// A win of side 1 or 2, or a draw.
fn ending(winner: u8) -> Outcome {
    match winner {
        1 => Outcome::win(Side::First),
        2 => Outcome::win(Side::Second),
        _ => Outcome::DRAW,
    }
}

/// A xorshift generator (Marsaglia, Xorshift RNGs, 2003).
pub struct Random(u64);

impl Random {
    /// `seed` must not be 0.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * bound as u64) >> 32) as usize
    }
}

/// The cell, if it is on the board.
fn at(board: &Board, col: i32, row: i32) -> Option<u8> {
    let column = board.get(usize::try_from(col).ok()?)?;
    column.get(usize::try_from(row).ok()?).copied()
}

/// How many stones of `side` follow on a cell in one way.
fn run(board: &Board, side: u8, (col, row): (usize, usize), (across, down): (i32, i32)) -> usize {
    let mut length = 0;
    let (mut col, mut row) = (col as i32 + across, row as i32 + down);
    while at(board, col, row) == Some(side) {
        length += 1;
        (col, row) = (col + across, row + down);
    }
    length
}

/// Whether a row through this stone wins.
fn wins(board: &Board, cell: (usize, usize), enough: impl Fn(usize) -> bool) -> bool {
    let side = board[cell.0][cell.1];
    let row = |ways: &[(i32, i32)]| {
        1 + ways
            .iter()
            .map(|&way| run(board, side, cell, way))
            .sum::<usize>()
    };
    WAYS.chunks(2).any(|ways| enough(row(ways)))
}

/// One game of Connect Four. Row 0 is the lowest; a hole must lie above it.
pub fn connect4(
    cols: usize,
    rows: usize,
    hole: Option<(usize, usize)>,
    random: &mut Random,
) -> Outcome {
    let mut board = vec![vec![EMPTY; rows]; cols];
    if let Some((col, row)) = hole {
        board[col][row] = HOLE;
    }
    // Where the next stone of every column lands.
    let mut tops = vec![0; cols];
    let mut side = 1;
    loop {
        let legal: Vec<usize> = (0..cols).filter(|&col| tops[col] < rows).collect();
        if legal.is_empty() {
            return ending(0);
        }
        let col = legal[random.below(legal.len())];
        let row = tops[col];
        board[col][row] = side;
        if wins(&board, (col, row), |length| length >= 4) {
            return ending(side);
        }
        tops[col] += 1;
        if hole == Some((col, tops[col])) {
            tops[col] += 1;
        }
        side = 3 - side;
    }
}

/// One game of Gomoku.
pub fn gomoku(size: usize, exact: bool, random: &mut Random) -> Outcome {
    let mut board = vec![vec![EMPTY; size]; size];
    let mut side = 1;
    loop {
        let mut legal = Vec::new();
        for (col, cells) in board.iter().enumerate() {
            for (row, &cell) in cells.iter().enumerate() {
                if cell == EMPTY {
                    legal.push((col, row));
                }
            }
        }
        if legal.is_empty() {
            return ending(0);
        }
        let (col, row) = legal[random.below(legal.len())];
        board[col][row] = side;
        let enough = |length| if exact { length == 5 } else { length >= 5 };
        if wins(&board, (col, row), enough) {
            return ending(side);
        }
        side = 3 - side;
    }
}

/// How many discs a disc of `side` turns over in one way.
fn turned(board: &Board, side: u8, cell: (usize, usize), way: (i32, i32)) -> usize {
    let length = run(board, 3 - side, cell, way);
    let end = length as i32 + 1;
    let flanked = at(
        board,
        cell.0 as i32 + end * way.0,
        cell.1 as i32 + end * way.1,
    ) == Some(side);
    if flanked { length } else { 0 }
}

/// One game of Reversi.
pub fn reversi(random: &mut Random) -> Outcome {
    let mut board = vec![vec![EMPTY; 8]; 8];
    (board[3][3], board[4][4], board[4][3], board[3][4]) = (2, 2, 1, 1);
    let mut side = 1;
    let mut passed = false;
    loop {
        let mut legal = Vec::new();
        for col in 0..8 {
            for row in 0..8 {
                let turns = |&way: &(i32, i32)| turned(&board, side, (col, row), way) > 0;
                if board[col][row] == EMPTY && WAYS.iter().any(turns) {
                    legal.push((col, row));
                }
            }
        }
        if legal.is_empty() {
            if passed {
                break;
            }
        } else {
            let (col, row) = legal[random.below(legal.len())];
            for (across, down) in WAYS {
                for step in 1..=turned(&board, side, (col, row), (across, down)) as i32 {
                    board[(col as i32 + step * across) as usize]
                        [(row as i32 + step * down) as usize] = side;
                }
            }
            board[col][row] = side;
        }
        passed = legal.is_empty();
        side = 3 - side;
    }
    let count = |side| board.iter().flatten().filter(|&&cell| cell == side).count();
    let winner = match count(1).cmp(&count(2)) {
        std::cmp::Ordering::Greater => 1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Less => 2,
    };
    ending(winner)
}
