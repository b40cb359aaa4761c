//! Which move to try first.

use super::board::{Board, odd_quadrants};
use super::table::NO_MOVE;
use crate::knowledge::reversi::patterns::{self, Features, Patterns};
use crate::simd::Simd;
use smallvec::SmallVec;

/// A learned judgement of moves, by which they are ordered where much is left to search.
///
/// Without one the solver goes by what is counted on the board. It changes how long a solution
/// takes, never the solution.
pub trait Judge: Send + Sync {
    /// The expected score after a disc on each of these squares, for the side that puts it there, in
    /// units of a [`JUDGED_DISC`]th of a disc. All are legal; there are as many `values`.
    fn judge(&self, board: Board, squares: &[u8], values: &mut [i32]);
}

/// Units of [`Judge::judge`] in a disc.
pub const JUDGED_DISC: i32 = patterns::DISC;

impl Judge for Patterns {
    fn judge(&self, board: Board, squares: &[u8], values: &mut [i32]) {
        let features = Features::of_discs(board.own, board.other);
        let moves = squares.iter().map(|&square| u16::from(square));
        self.judge_children(&features, board.own, board.other, moves, values);
    }
}

/// A legal move, with what follows from it.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// The board after it, as the opponent sees it.
    pub next: Board,
    /// The square of the disc.
    pub square: u8,
    /// The higher, the earlier it is tried.
    pub order: i32,
}

/// The most legal moves that a position can have are 33; that many are kept.
const MOST_MOVES: usize = 34;

/// The legal moves of a position.
pub(super) struct Candidates {
    all: SmallVec<[Candidate; 32]>,
    taken: usize,
    put_off: usize,
    is_last_round: bool,
}

impl Candidates {
    /// Every move to one of `squares`, in no order.
    #[inline(always)]
    pub fn of<S: Simd>(simd: S, board: Board, squares: u64) -> Candidates {
        let mut candidates = Candidates {
            all: SmallVec::new(),
            taken: 0,
            put_off: 0,
            is_last_round: false,
        };
        for square in super::board::squares(squares) {
            let flips = board.flips(simd, square);
            candidates.all.push(Candidate {
                next: board.after(square, flips),
                square: square as u8,
                order: 0,
            });
        }
        candidates
    }

    /// All of them.
    #[inline(always)]
    pub fn all(&self) -> &[Candidate] {
        &self.all
    }

    /// All of them.
    #[inline(always)]
    pub fn all_mut(&mut self) -> &mut [Candidate] {
        &mut self.all
    }

    /// The first of those that were not taken yet; after them, those that were put off.
    #[inline(always)]
    pub fn take(&mut self) -> Option<Candidate> {
        if self.taken == self.all.len() && self.put_off > 0 {
            self.all.truncate(self.put_off);
            (self.taken, self.put_off) = (0, 0);
            self.is_last_round = true;
        }
        let rest = self.all.get_mut(self.taken..)?;
        let best = (0..rest.len()).max_by_key(|&at| (rest[at].order, usize::MAX - at))?;
        rest.swap(0, best);
        self.taken += 1;
        rest.first().copied()
    }

    /// Puts off a candidate that was taken, until all others were taken. False: it was put off
    /// before.
    #[inline(always)]
    pub fn put_off(&mut self, candidate: Candidate) -> bool {
        if !self.is_last_round {
            self.all[self.put_off] = candidate;
            self.put_off += 1;
        }
        !self.is_last_round
    }
}

/// The orders of the best moves known, above those of all others.
const BEST: i32 = 1 << 30;

/// Orders the moves of `parent` by how little they leave the opponent to choose from (fastest
/// first), by squares, corners and parity.
#[inline(always)]
pub(super) fn by_counting<S: Simd>(
    simd: S,
    parent: Board,
    moves: &mut [Candidate],
    known: [u8; 2],
) {
    let odd = odd_quadrants(parent.empty());
    for mv in moves {
        mv.order = match known.iter().position(|known| *known == mv.square) {
            Some(rank) => BEST - rank as i32,
            None => {
                let parity = (odd >> mv.square & 1) as i32 * PARITY;
                parity + SQUARES[usize::from(mv.square)] - freedom(simd, mv.next)
            }
        };
    }
}

/// Orders the moves by what a learned judgement expects of them, less what the opponent may choose
/// from.
#[inline(always)]
pub(super) fn by_judgement<S: Simd>(
    simd: S,
    judge: &dyn Judge,
    parent: Board,
    moves: &mut [Candidate],
    known: [u8; 2],
) {
    let mut squares = [NO_MOVE; MOST_MOVES];
    let mut values = [0; MOST_MOVES];
    for (square, mv) in squares.iter_mut().zip(&*moves) {
        *square = mv.square;
    }
    let count = moves.len();
    judge.judge(parent, &squares[..count], &mut values[..count]);
    for (mv, value) in moves.iter_mut().zip(values) {
        mv.order = match known.iter().position(|known| *known == mv.square) {
            Some(rank) => BEST - rank as i32,
            None => value - REPLY * mv.next.moves(simd).count_ones() as i32,
        };
    }
}

/// What each move of the opponent counts against a move, in units of [`Judge::judge`]: 2.5 discs. The
/// more replies there are, the longer it takes to refute them.
const REPLY: i32 = JUDGED_DISC * 5 / 2;

/// What a move into a quadrant with an odd number of empty squares is worth, in the unit of
/// [`freedom`].
const PARITY: i32 = 10;

/// What the side to move may do: its moves, those to corners twice, and the empty squares next to
/// the opponent's discs, from where moves may come.
#[inline(always)]
fn freedom<S: Simd>(simd: S, board: Board) -> i32 {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    let moves = board.moves(simd);
    let near = around(board.other) & board.empty();
    let count = |squares: u64| squares.count_ones() as i32;
    32 * (count(moves) + count(moves & CORNERS)) + 4 * count(near)
}

/// These squares and those next to them.
#[inline(always)]
fn around(squares: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let wide = squares | squares << 1 & NOT_A | squares >> 1 & NOT_H;
    wide | wide << 8 | wide >> 8
}

/// What a move to a square is worth, in the unit of [`freedom`].
#[rustfmt::skip]
const SQUARES: [i32; 64] = [
    36,  4, 20, 16, 16, 20,  4, 36,
     4,  0,  8, 10, 10,  8,  0,  4,
    20,  8, 14, 12, 12, 14,  8, 20,
    16, 10, 12,  0,  0, 12, 10, 16,
    16, 10, 12,  0,  0, 12, 10, 16,
    20,  8, 14, 12, 12, 14,  8, 20,
     4,  0,  8, 10, 10,  8,  0,  4,
    36,  4, 20, 16, 16, 20,  4, 36,
];
