//! One rollout of Connect Four.

use crate::game::connect4::board::{Large, Small, Stones, has_row};
use crate::game::connect4::{Connect4, MAX_SIZE};
use crate::game::{Game, Outcome, Playable};
use crate::rollout::pick::below;
use crate::rollout::{End, Random};
use crate::simd::{Isa, Kernel, Simd};
use rand::Rng;

/// Plays a game that is not over, and in which columns are all the moves, to its end.
pub fn roll_out(isa: Isa, position: &Connect4, random: &mut Random) -> End {
    match position.board() {
        Stones::Small(board) => isa.run(OnSmall {
            position,
            board,
            random,
        }),
        // The length is a constant in the loop, so that the test for a row is straight code.
        Stones::Large(board) => match position.rules().connect {
            3 => on_large::<3>(position, board, random),
            4 => on_large::<4>(position, board, random),
            _ => on_large::<5>(position, board, random),
        },
    }
}

/// A rollout on a small board.
struct OnSmall<'a> {
    position: &'a Connect4,
    board: &'a Small,
    random: &'a mut Random,
}

impl Kernel for OnSmall<'_> {
    type Output = End;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> End {
        match self.position.rules().connect {
            3 => self.roll_out::<3, S>(simd),
            4 => self.roll_out::<4, S>(simd),
            _ => self.roll_out::<5, S>(simd),
        }
    }
}

impl OnSmall<'_> {
    /// Adding the lowest cells to what is filled carries up to the cells where stones land.
    #[inline(always)]
    fn roll_out<const CONNECT: u8, S: Simd>(self, simd: S) -> End {
        let setup = self.position.setup();
        let cells = self.board.cells;
        let lowest = Small::rectangle(setup.cols, 1);
        let mut mover = self.position.side_to_move();
        let mut filled = self.board.filled;
        let mut own = self.board.stones[mover.index()];
        let mut other = self.board.stones[mover.other().index()];
        let outcome = loop {
            let landings = (filled + lowest) & !filled & cells;
            if landings == 0 {
                break Outcome::DRAW;
            }
            let stone = simd.set_bit_for(landings, self.random.next_u64());
            filled |= stone;
            own |= stone;
            if Small::has_row(own, CONNECT) {
                break Outcome::win(mover);
            }
            (own, other) = (other, own);
            mover = mover.other();
        };
        let plies = (filled ^ self.board.filled).count_ones();
        End { outcome, plies }
    }
}

fn on_large<const CONNECT: u8>(position: &Connect4, board: &Large, random: &mut Random) -> End {
    let mover = position.side_to_move();
    let sides = [mover, mover.other()];
    let mut lines = sides.map(|side| board.lines[side.index()]);
    let mut filled = board.filled;
    let (mut columns, mut open) = open_columns(position);
    let mut plies = 0;
    while open > 0 {
        let choice = below(open, random) as usize;
        let col = usize::from(columns[choice]);
        let height = filled[col].trailing_ones() as usize;
        let own = &mut lines[plies as usize % 2];
        own.place(col, height);
        if has_row(own.through(col, height), CONNECT) {
            let outcome = Outcome::win(sides[plies as usize % 2]);
            let plies = plies + 1;
            return End { outcome, plies };
        }
        filled[col] |= 1 << height;
        if filled[col] == board.full {
            open -= 1;
            columns[choice] = columns[open as usize];
        }
        plies += 1;
    }
    let outcome = Outcome::DRAW;
    End { outcome, plies }
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
