//! The last four empty squares, without lists of moves.
//!
//! All scores are fail-soft: where one exceeds `alpha`, the true score is no less, and else it is
//! no more.

use super::board::{Board, odd_quadrants, squares};
use crate::simd::{Kernel, Simd};

/// Less than any score.
pub const NONE: i32 = -128;

/// A search with `EMPTY` empty squares: three or four.
pub struct Last<const EMPTY: u32> {
    /// The board.
    pub board: Board,
    /// The score to exceed.
    pub alpha: i32,
}

impl<const EMPTY: u32> Kernel for Last<EMPTY> {
    type Output = i32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i32 {
        let Last { board, alpha } = self;
        let best = try_all::<S, EMPTY>(simd, board, alpha);
        if best != NONE {
            return best;
        }
        match try_all::<S, EMPTY>(simd, board.passed(), -alpha - 1) {
            NONE => board.final_score(),
            best => -best,
        }
    }
}

/// The best of the moves, those into odd quadrants first; [`NONE`] if there are none.
#[inline(always)]
fn try_all<S: Simd, const EMPTY: u32>(simd: S, board: Board, alpha: i32) -> i32 {
    let empty = board.empty();
    let odd = odd_quadrants(empty);
    let mut best = NONE;
    for group in [empty & odd, empty & !odd] {
        for square in squares(group) {
            let flips = board.flips(simd, square);
            if flips == 0 {
                continue;
            }
            let (board, bound) = (board.after(square, flips), -alpha - 1);
            let score = -match EMPTY {
                4 => simd.call(Last::<3> {
                    board,
                    alpha: bound,
                }),
                _ => two(simd, board, bound),
            };
            if score > alpha {
                return score;
            }
            best = best.max(score);
        }
    }
    best
}

/// Two empty squares.
#[inline(always)]
fn two<S: Simd>(simd: S, board: Board, alpha: i32) -> i32 {
    match try_two(simd, board, alpha) {
        NONE => match try_two(simd, board.passed(), -alpha - 1) {
            NONE => board.final_score(),
            best => -best,
        },
        best => best,
    }
}

/// The best of the moves to two squares; [`NONE`] if there are none.
#[inline(always)]
fn try_two<S: Simd>(simd: S, board: Board, alpha: i32) -> i32 {
    let empty = board.empty();
    let first = empty.trailing_zeros() as usize % 64;
    let second = 63 - empty.leading_zeros() as usize % 64;
    let mut best = NONE;
    let flips = board.flips(simd, first);
    if flips != 0 {
        best = -one(board.other ^ flips, second);
        if best > alpha {
            return best;
        }
    }
    let flips = board.flips(simd, second);
    if flips != 0 {
        best = best.max(-one(board.other ^ flips, first));
    }
    best
}

/// One empty square, where all others hold discs of the side to move or of its opponent.
#[inline(always)]
fn one(own: u64, square: usize) -> i32 {
    let discs = own.count_ones() as i32;
    let flips = last_flips(own, square);
    if flips > 0 {
        return 2 * (discs + flips + 1) - 64;
    }
    let flips = last_flips(!own & !(1 << square), square);
    if flips > 0 {
        return 2 * (discs - flips) - 64;
    }
    2 * (discs + i32::from(discs > 31)) - 64
}

/// How many discs the last disc of a game turns over, where all that are not of `own` are the
/// opponent's.
///
/// Each of the four lines is gathered into a byte by a product in which no two bits meet.
#[inline(always)]
fn last_flips(own: u64, square: usize) -> i32 {
    const FILE: u64 = 0x0101_0101_0101_0101;
    let (col, row) = (square % 8, square / 8);
    let along = &COUNTS[col];
    let at = |line: &[u8; 256], byte: u64| i32::from(line[byte as usize & 0xff]);
    let column = ((own >> col & FILE).wrapping_mul(0x0102_0408_1020_4080)) >> 56;
    let [falling, rising] = DIAGONALS[square];
    at(along, own >> (8 * row))
        + at(&COUNTS[row], column)
        + at(along, (own & falling).wrapping_mul(FILE) >> 56)
        + at(along, (own & rising).wrapping_mul(FILE) >> 56)
}

/// `COUNTS[at][own]`: how many discs of a line are turned over by one put at `at`, where those of
/// the mover are `own` and all others the opponent's.
static COUNTS: [[u8; 256]; 8] = counts();

const fn counts() -> [[u8; 256]; 8] {
    let mut counts = [[0; 256]; 8];
    let mut own = 0;
    while own < 256_usize {
        let mut at = 0;
        while at < 8 {
            let above = own >> at >> 1;
            if above != 0 {
                counts[at][own] += above.trailing_zeros() as u8;
            }
            let below = own & ((1 << at) - 1);
            if below != 0 {
                counts[at][own] += (at - 1) as u8 - below.ilog2() as u8;
            }
            at += 1;
        }
        own += 1;
    }
    counts
}

/// The diagonals through each square, itself left out: the one down to the right, and the one up
/// to the right.
static DIAGONALS: [[u64; 2]; 64] = diagonals();

const fn diagonals() -> [[u64; 2]; 64] {
    let mut diagonals = [[0; 2]; 64];
    let mut square = 0_i32;
    while square < 64 {
        let mut other = 0;
        while other < 64 {
            let across = other % 8 - square % 8;
            let down = other / 8 - square / 8;
            if across != 0 && across == down {
                diagonals[square as usize][0] |= 1 << other;
            }
            if across != 0 && across == -down {
                diagonals[square as usize][1] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    diagonals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::reversi::flips;
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus as Random;

    #[test]
    fn the_last_flips_are_counted_as_they_are_made() {
        let mut random = Random::seed_from_u64(1);
        for round in 0..10_000 {
            let square = round % 64;
            let own = random.next_u64() & random.next_u64() & !(1 << square);
            let other = !own & !(1 << square);
            let expected = flips(square, own, other).count_ones() as i32;
            assert_eq!(last_flips(own, square), expected, "{own:x} {square}");
        }
    }
}
