//! Which cells of a position a net looks at, and which of them it must look at again after another
//! position.

use super::lines::REACH;
use crate::game::Side;
use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::{Gomoku, line};
use crate::knowledge::gomoku::near::grown;

/// What a net looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    board: Bits<8>,
    stride: u32,
    stones: [Bits<8>; 2],
    /// The cells that count: see [`near_cells`].
    pub(super) near: Bits<8>,
}

/// What is to be computed again, of the cells that count in one of two positions.
pub(super) struct Change {
    pub(super) features: Bits<8>,
    pub(super) mixes: Bits<8>,
}

impl Seen {
    /// Before the first position.
    pub(super) const NOTHING: Seen = Seen {
        board: Bits::EMPTY,
        stride: 0,
        stones: [Bits::EMPTY; 2],
        near: Bits::EMPTY,
    };

    pub(super) fn of(position: &Gomoku) -> Seen {
        Seen {
            board: position.board(),
            stride: position.stride(),
            stones: [Side::First, Side::Second].map(|side| position.stones(side)),
            near: near_cells(position),
        }
    }

    /// The cells with a stone.
    #[inline(always)]
    pub(super) fn filled(&self) -> Bits<8> {
        self.stones[0] | self.stones[1]
    }

    /// What may differ from another position; all mixes where most of them do, as it costs less to make
    /// some that are the same than to take the others out of the sums. (The part is a guess.)
    #[inline(always)]
    pub(super) fn change_since(&self, last: &Seen) -> Change {
        let near = self.near | last.near;
        if (self.board, self.stride) != (last.board, last.stride) {
            return Change {
                features: near,
                mixes: near,
            };
        }
        let differ = |side: usize| self.stones[side] ^ last.stones[side];
        let lines = on_lines(differ(0) | differ(1), self.stride);
        let features = lines & near | self.near ^ last.near;
        let mixes = grown(features, self.board, self.stride) & near;
        let are_most = 4 * mixes.count() > 3 * self.near.count();
        Change {
            features,
            mixes: if are_most { near } else { mixes },
        }
    }
}

/// The cells with a line through one of these, and some that are not on the board.
#[inline(always)]
fn on_lines(cells: Bits<8>, stride: u32) -> Bits<8> {
    const { assert!(REACH == 4) };
    let lines = line::steps(stride).map(|step| {
        let one = cells | cells.up(step) | cells.down(step);
        let two = one | one.up(step) | one.down(step);
        two | two.up(2 * step) | two.down(2 * step)
    });
    lines[0] | lines[1] | lines[2] | lines[3]
}

/// The cells that count: those of the board within two king's steps of a stone.
#[inline]
pub(crate) fn near_cells(position: &Gomoku) -> Bits<8> {
    fn near<const W: usize>(position: &Gomoku) -> Bits<8> {
        let (board, stride) = (position.board::<W>(), position.stride());
        let empty = position.empty_cells::<W>();
        grown(grown(board & !empty, board, stride), board, stride).resized()
    }
    match position.is_narrow() {
        true => near::<4>(position),
        false => near::<8>(position),
    }
}
