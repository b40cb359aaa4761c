//! What a position tells at sight, and the scores of wins and losses.

use crate::knowledge::connect4::bits::Bits;
use crate::knowledge::connect4::board::{Board, Lines, Shape};

/// A position in which the side to move cannot win at once and does not lose at once.
#[derive(Clone, Copy)]
pub struct Node<B> {
    /// The stones.
    pub board: Board<B>,
    /// Cells that complete a row of the side to move; some may be filled by now. A stone cannot
    /// land on any of them.
    pub own_wins: B,
    /// Cells that complete a row of the other side; some may be filled by now.
    pub their_wins: B,
    /// The moves after which the other side does not win at once: one at least.
    pub moves: B,
    /// Free cells.
    pub left: u32,
}

/// What a position tells at sight.
pub enum Sight<B> {
    /// Its score.
    Score(i32),
    /// Nothing: it has to be searched.
    Open(Node<B>),
}

/// What a position tells at sight. The game must not be over.
pub fn look<S: Shape>(shape: &S, board: Board<S::Cells>) -> Sight<S::Cells> {
    let free = shape.cells() & !board.filled;
    let left = free.count();
    let landings = shape.landings(board.filled);
    let own_wins = shape.completions(board.own) & free;
    if own_wins.meets(landings) {
        return Sight::Score(win_in(1, left));
    }
    let their_wins = shape.completions(board.theirs(shape)) & free;
    let moves = shape.quiet_moves(landings, their_wins);
    if moves.is_empty() {
        return Sight::Score(loss_in(2, left));
    }
    Sight::Open(Node {
        board,
        own_wins,
        their_wins,
        moves,
        left,
    })
}

/// The score of a win with the stone of this ply, counted from 1 for the next, where `left`
/// cells are free.
#[inline]
pub fn win_in(ply: u32, left: u32) -> i32 {
    (left as i32 + 2 - ply as i32) / 2
}

/// The score of a loss by the stone of this ply.
#[inline]
pub fn loss_in(ply: u32, left: u32) -> i32 {
    -win_in(ply, left)
}
