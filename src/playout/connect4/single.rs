//! One playout of Connect Four.

use crate::game::connect4::board::{Board, Large, Small, has_row};
use crate::game::connect4::{Connect4, MAX_SIZE};
use crate::game::{Game, Outcome};
use crate::playout::Random;
use crate::playout::pick::below;
use crate::simd::{Kernel, Path, Simd};
use rand::Rng;

/// Plays a game that is not over, and in which columns are all the moves, to its end.
pub fn play_out(path: Path, position: &Connect4, random: &mut Random) -> Outcome {
    match position.board() {
        Board::Small(board) => path.run(OnSmall {
            position,
            board,
            random,
        }),
        // The length is a constant in the loop, so that the test for a row is straight code.
        Board::Large(board) => match position.setup().connect {
            3 => on_large::<3>(position, board, random),
            4 => on_large::<4>(position, board, random),
            _ => on_large::<5>(position, board, random),
        },
    }
}

/// A playout on a small board.
struct OnSmall<'a> {
    position: &'a Connect4,
    board: &'a Small,
    random: &'a mut Random,
}

impl Kernel for OnSmall<'_> {
    type Output = Outcome;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Outcome {
        match self.position.setup().connect {
            3 => self.play_out::<3, S>(simd),
            4 => self.play_out::<4, S>(simd),
            _ => self.play_out::<5, S>(simd),
        }
    }
}

impl OnSmall<'_> {
    /// Adding the lowest cells to what is filled carries up to the cells where stones land.
    #[inline(always)]
    fn play_out<const CONNECT: u8, S: Simd>(self, simd: S) -> Outcome {
        let setup = self.position.setup();
        let cells = self.board.cells;
        let lowest = Small::rectangle(setup.cols, 1);
        let mut mover = self.position.side_to_move();
        let mut filled = self.board.filled;
        let mut own = self.board.stones[mover.index()];
        let mut other = self.board.stones[mover.other().index()];
        loop {
            let landings = (filled + lowest) & !filled & cells;
            if landings == 0 {
                return Outcome::DRAW;
            }
            let stone = simd.set_bit_for(landings, self.random.next_u64());
            filled |= stone;
            own |= stone;
            if Small::has_row(own, CONNECT) {
                return Outcome::win(mover);
            }
            (own, other) = (other, own);
            mover = mover.other();
        }
    }
}

fn on_large<const CONNECT: u8>(position: &Connect4, board: &Large, random: &mut Random) -> Outcome {
    let (mut lines, mut filled) = (board.lines, board.filled);
    let mut mover = position.side_to_move();
    let (mut columns, mut open) = open_columns(position);
    while open > 0 {
        let choice = below(open, random) as usize;
        let col = usize::from(columns[choice]);
        let height = filled[col].trailing_ones() as usize;
        let own = &mut lines[mover.index()];
        own.place(col, height);
        if has_row(own.through(col, height), CONNECT) {
            return Outcome::win(mover);
        }
        filled[col] |= 1 << height;
        if filled[col] == board.full {
            open -= 1;
            columns[choice] = columns[open as usize];
        }
        mover = mover.other();
    }
    Outcome::DRAW
}

/// The columns that take another stone, and how many they are.
fn open_columns(position: &Connect4) -> ([u8; MAX_SIZE], u32) {
    let mut columns = [0; MAX_SIZE];
    let mut open = 0;
    for (slot, col) in columns.iter_mut().zip(position.open_columns()) {
        *slot = col as u8;
        open += 1;
    }
    (columns, open)
}
