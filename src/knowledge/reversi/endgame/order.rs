//! Which move to try first.

use super::board::{Board, odd_quadrants};
use crate::game::reversi;
use crate::knowledge::reversi::MOST_MOVES;
use crate::knowledge::reversi::patterns::{self, Expected, Features, Patterns};
use crate::simd::{Isa, Simd};
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
        Isa::current().run(Expected {
            by: self,
            features: &features,
            board,
            moves,
            out: values,
        });
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

/// The legal moves of a position.
#[derive(Default)]
pub(super) struct Candidates {
    all: SmallVec<[Candidate; 32]>,
    taken: usize,
    put_off: usize,
    is_last_round: bool,
}

impl Candidates {
    /// Adds every move to one of `squares`, in no order. Candidates are made in place, as to move them
    /// takes a fiftieth of the solver's time.
    #[inline(always)]
    pub fn add<S: Simd>(&mut self, simd: S, board: Board, squares: u64) {
        for square in super::board::squares(squares) {
            let flips = board.flips(simd, square);
            self.all.push(Candidate {
                next: board.after(square, flips),
                square: square as u8,
                order: 0,
            });
        }
    }

    /// All of them.
    #[inline(always)]
    pub fn all(&self) -> &[Candidate] {
        &self.all
    }

    /// Those that were not taken yet.
    #[inline(always)]
    pub fn rest_mut(&mut self) -> &mut [Candidate] {
        &mut self.all[self.taken..]
    }

    /// The move to this square, before any other was taken.
    #[inline(always)]
    pub fn take_square(&mut self, square: u8) -> Option<Candidate> {
        let at = self.all.iter().position(|mv| mv.square == square)?;
        self.all.swap(0, at);
        self.taken = 1;
        self.all.first().copied()
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

/// The order of a move that was once best, above those of all others.
const BEST: i32 = 1 << 30;

/// Orders the moves of `parent`, after the one to `known`, by how little they leave the opponent to
/// choose from (fastest first), by squares, corners and parity.
#[inline(always)]
pub(super) fn by_counting<S: Simd>(simd: S, parent: Board, moves: &mut [Candidate], known: u8) {
    let odd = odd_quadrants(parent.empty());
    for mv in moves {
        mv.order = if mv.square == known {
            BEST
        } else {
            let parity = (odd >> mv.square & 1) as i32 * PARITY;
            parity + SQUARES[usize::from(mv.square)] - freedom(simd, mv.next)
        };
    }
}

/// Orders the moves, after the one to `known`, by what a learned judgement expects of them, less what
/// the opponent may choose from. With many empty squares the judgement looks some plies ahead.
#[inline(always)]
pub(super) fn by_judgement<S: Simd>(
    simd: S,
    judge: &dyn Judge,
    parent: Board,
    moves: &mut [Candidate],
    known: u8,
) {
    let squares: SmallVec<[u8; 32]> = moves.iter().map(|mv| mv.square).collect();
    let mut values = [0; MOST_MOVES];
    judge.judge(parent, &squares, &mut values[..squares.len()]);
    let plies = plies_ahead(parent.empty().count_ones());
    for (mv, &value) in moves.iter_mut().zip(&values) {
        mv.order = if mv.square == known {
            BEST
        } else {
            let replied = expect(judge, mv.next, plies, [-FAR, FAR]);
            let replies = mv.next.moves(simd).count_ones() as i32;
            replied.map_or(value, |reply| -reply) - REPLY * replies
        };
    }
}

/// The score that a side to move can expect, by a few plies.
pub(super) fn expected_score(judge: &dyn Judge, board: Board) -> i32 {
    let expected = expect(judge, board, MOST_PLIES, [-FAR, FAR]).unwrap_or(0);
    2 * (expected / (2 * JUDGED_DISC))
}

/// How many plies after a move are looked at to put it in order.
fn plies_ahead(empty: u32) -> u32 {
    let plies = (empty + 1)
        .saturating_sub(SEARCHED_FROM)
        .div_ceil(SQUARES_A_PLY);
    plies.min(MOST_PLIES)
}

/// Fewest empty squares for which the opponent's best reply puts a move in order.
const SEARCHED_FROM: u32 = 14;

/// With so many squares more another ply is looked at,
const SQUARES_A_PLY: u32 = 3;

/// up to so many.
const MOST_PLIES: u32 = 3;

/// More than any value, and its negative is less.
const FAR: i32 = i32::MAX;

/// What the side to move can expect by a search of so many plies, where that lies between two
/// values. `None`: nothing is searched, or it must pass.
fn expect(judge: &dyn Judge, board: Board, plies: u32, [alpha, beta]: [i32; 2]) -> Option<i32> {
    if plies == 0 {
        return None;
    }
    let legal = reversi::mobility(board.own, board.other);
    let squares: SmallVec<[u8; 32]> = super::board::squares(legal).map(|it| it as u8).collect();
    let mut values = [0; MOST_MOVES];
    judge.judge(board, &squares, &mut values[..squares.len()]);
    let values = &values[..squares.len()];
    if plies == 1 {
        return values.iter().copied().max();
    }
    let mut moves: SmallVec<[(i32, u8); 32]> = SmallVec::new();
    moves.extend(values.iter().copied().zip(squares.iter().copied()));
    moves.sort_unstable_by_key(|&(value, _)| -value);
    let mut best = None;
    for &(value, square) in &moves {
        let least = best.map_or(alpha, |best| alpha.max(best));
        if least >= beta {
            break;
        }
        let flips = reversi::flips(usize::from(square), board.own, board.other);
        let next = board.after(usize::from(square), flips);
        let replied = expect(judge, next, plies - 1, [-beta, -least]);
        best = best.max(Some(replied.map_or(value, |reply| -reply)));
    }
    best
}

/// What each move of the opponent counts against a move, in units of [`Judge::judge`]: 3 discs. The
/// more replies there are, the longer it takes to refute them.
const REPLY: i32 = JUDGED_DISC * 3;

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

#[cfg(test)]
#[cfg(feature = "weights-reversi")]
mod tests {
    use super::super::tests::random_position;
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus as Random;

    /// The same without a window.
    fn plain(judge: &dyn Judge, board: Board, plies: u32) -> Option<i32> {
        let legal = reversi::mobility(board.own, board.other);
        let values = super::super::board::squares(legal).map(|square| {
            let flips = reversi::flips(square, board.own, board.other);
            let after = (plies > 1).then(|| plain(judge, board.after(square, flips), plies - 1));
            after.flatten().map_or_else(
                || {
                    let mut value = [0];
                    judge.judge(board, &[square as u8], &mut value);
                    value[0]
                },
                |reply| -reply,
            )
        });
        values.max()
    }

    #[test]
    fn a_search_with_a_window_finds_the_same() {
        let judge = Patterns::own().unwrap();
        let mut random = Random::seed_from_u64(1);
        for empty in [10, 16, 20, 24, 30] {
            let board = Board::from(&random_position(&mut random, empty));
            for plies in 1..=4 {
                let found = expect(judge, board, plies, [-FAR, FAR]);
                assert!(found.is_some());
                assert_eq!(found, plain(judge, board, plies), "{board:?} {plies}");
            }
        }
        assert_eq!(
            [13, 14, 16, 17, 20, 60].map(plies_ahead),
            [0, 1, 1, 2, 3, 3]
        );
    }
}
