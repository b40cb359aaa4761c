//! The discs as the side to move sees them, and what follows from them.
//!
//! Bits stand for squares as in [`crate::game::reversi`]: a1 is bit 0, h8 bit 63.

use crate::game::reversi::{self, PASS, Reversi};
use crate::game::{Game, Move, Moves, Side};
use crate::knowledge::reversi::shapes::Turn;
use crate::simd::Simd;

/// The discs of the side to move and those of its opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    /// The discs of the side to move.
    pub own: u64,
    /// The discs of its opponent.
    pub other: u64,
}

impl From<&Reversi> for Board {
    fn from(position: &Reversi) -> Board {
        let mover = position.side_to_move();
        Board {
            own: position.discs(mover),
            other: position.discs(Side::other(mover)),
        }
    }
}

impl Board {
    /// How many discs there are.
    #[must_use]
    pub fn discs(self) -> u32 {
        (self.own | self.other).count_ones()
    }

    /// The empty squares.
    #[must_use]
    #[inline(always)]
    pub fn empty(self) -> u64 {
        !(self.own | self.other)
    }

    /// The squares where the side to move may put a disc.
    #[inline(always)]
    pub(super) fn moves<S: Simd>(self, simd: S) -> u64 {
        match S::ARE_FAST {
            true => simd.joined(run_ends(simd, self.own, self.other)) & self.empty(),
            false => reversi::mobility(self.own, self.other),
        }
    }

    /// The discs that a disc of the side to move on `square` turns over; none where it may not be
    /// put.
    #[inline(always)]
    pub(in crate::knowledge::reversi) fn flips<S: Simd>(self, simd: S, square: usize) -> u64 {
        if NEIGHBOURS[square] & self.other == 0 {
            return 0;
        }
        match S::ARE_FAST {
            true => simd.joined(runs_from(simd, square, self.own, self.other)),
            false => reversi::flips(square, self.own, self.other),
        }
    }

    /// What the legal move with this code changes.
    #[inline(always)]
    pub(in crate::knowledge::reversi) fn turn<S: Simd>(self, simd: S, mv: u16) -> Turn {
        match mv {
            PASS => Turn::Pass,
            square => {
                let square = usize::from(square);
                let flips = self.flips(simd, square);
                Turn::Disc { square, flips }
            }
        }
    }

    /// The board after a disc on `square` that turns over `flips`, as the opponent sees it.
    #[inline(always)]
    pub(super) fn after(self, square: usize, flips: u64) -> Board {
        Board {
            own: self.other ^ flips,
            other: self.own ^ flips ^ 1 << square,
        }
    }

    /// The board after a pass, as the opponent sees it.
    #[inline(always)]
    pub(super) fn passed(self) -> Board {
        Board {
            own: self.other,
            other: self.own,
        }
    }

    /// The legal moves; a pass where there is no other; none where the game is over.
    #[must_use]
    pub fn legal_moves(self) -> Moves {
        let legal = reversi::mobility(self.own, self.other);
        if legal == 0 && reversi::mobility(self.other, self.own) != 0 {
            return Moves::from_slice(&[Move::new(reversi::PASS)]);
        }
        squares(legal)
            .map(|square| Move::new(square as u16))
            .collect()
    }

    /// The board after a move, as the opponent sees it. `None`: it is not legal.
    #[must_use]
    pub fn play(self, mv: Move) -> Option<Board> {
        let legal = reversi::mobility(self.own, self.other);
        let square = usize::from(mv.code());
        let is_over = || reversi::mobility(self.other, self.own) == 0;
        match mv.code() {
            reversi::PASS => (legal == 0 && !is_over()).then(|| self.passed()),
            _ if square < 64 && legal >> square & 1 == 1 => {
                let flips = reversi::flips(square, self.own, self.other);
                Some(self.after(square, flips))
            }
            _ => None,
        }
    }

    /// The score when nobody can move: the disc difference for the side to move, with the empty
    /// squares given to the winner.
    #[inline(always)]
    pub(super) fn final_score(self) -> i32 {
        let own = self.own.count_ones() as i32;
        let other = self.other.count_ones() as i32;
        match own - other {
            0 => 0,
            1.. => 64 - 2 * other,
            _ => 2 * own - 64,
        }
    }
}

/// What a run that turns over can go through, by the way it goes: it must not leave the board.
const INNER: [u64; 8] = {
    const COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;
    const ROWS: u64 = 0x00ff_ffff_ffff_ff00;
    const BOTH: u64 = COLUMNS & ROWS;
    [COLUMNS, BOTH, ROWS, BOTH, COLUMNS, BOTH, ROWS, BOTH]
};

/// How far each way leads at a step: to the right, down to the left, down, down to the right, and
/// the opposite ways, as turns to the left.
const STEPS: [u64; 8] = [1, 7, 8, 9, 63, 57, 56, 55];

/// The squares next after a run of `other` that begins at a disc of `own`, each way.
///
/// A run has at most six discs. Fills by one, one, two and two reach them all (parallel prefix,
/// after Kogge and Stone).
#[inline(always)]
fn run_ends<S: Simd>(simd: S, own: u64, other: u64) -> S::Lanes {
    let (one, two) = (simd.load(STEPS), simd.load(TWO_STEPS));
    let through = simd.splat(other) & simd.load(INNER);
    let pairs = through & simd.rotate_left_each(through, one);
    let mut run = simd.rotate_left_each(simd.splat(own), one) & through;
    run = run | simd.rotate_left_each(run, one) & through;
    run = run | simd.rotate_left_each(run, two) & pairs;
    run = run | simd.rotate_left_each(run, two) & pairs;
    simd.rotate_left_each(run, one)
}

/// Two of [`STEPS`].
const TWO_STEPS: [u64; 8] = [2, 14, 16, 18, 62, 50, 48, 46];

/// The runs of `other` that go from a square to a disc of `own`, each way.
///
/// Along each ray only the nearest square that does not hold a disc of `other` matters: when it is
/// of `own`, all before it are turned.
#[inline(always)]
fn runs_from<S: Simd>(simd: S, square: usize, own: u64, other: u64) -> S::Lanes {
    let ray = simd.load(RAYS[square]);
    let end = simd.nearest_bits(ray & !simd.splat(other));
    // On the ways up the squares before the end are the bits below it, on the ways down those above.
    let below = end - simd.splat(1);
    let before = (below ^ simd.load(DOWN)) & !end & ray;
    simd.where_not_zero(end & simd.splat(own), before)
}

/// All bits for the ways towards lower bits.
const DOWN: [u64; 8] = [0, 0, 0, 0, u64::MAX, u64::MAX, u64::MAX, u64::MAX];

/// The squares that can be reached from each square by each way, itself left out.
static RAYS: [[u64; 8]; 64] = rays();

const fn rays() -> [[u64; 8]; 64] {
    let mut rays = [[0; 8]; 64];
    let mut square = 0;
    while square < 64 {
        let mut way = 0;
        while way < 8 {
            // A step that turns around the border does not end next to where it began.
            let mut here = (1_u64 << square).rotate_left(STEPS[way] as u32);
            let mut before = square as i32;
            while is_next(before, here.trailing_zeros() as i32) {
                rays[square][way] |= here;
                before = here.trailing_zeros() as i32;
                here = here.rotate_left(STEPS[way] as u32);
            }
            way += 1;
        }
        square += 1;
    }
    rays
}

/// Whether two squares touch.
const fn is_next(one: i32, other: i32) -> bool {
    (one % 8 - other % 8).abs() <= 1 && (one / 8 - other / 8).abs() <= 1
}

/// The squares in the quadrants of the board that have an odd number of these squares.
#[inline(always)]
pub(super) fn odd_quadrants(squares: u64) -> u64 {
    // The corner nearest to a1 of each quadrant gathers its parity: first along the rows, then
    // down the columns.
    let mut parity = squares ^ squares >> 1;
    parity ^= parity >> 2;
    parity ^= parity >> 8;
    parity ^= parity >> 16;
    (parity & 0x0000_0011_0000_0011) * 0x0f0f_0f0f
}

/// The set bits of a word, lowest first, by number.
#[inline(always)]
pub(super) fn squares(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let square = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        Some(square)
    })
}

/// The squares next to each square, diagonally too.
static NEIGHBOURS: [u64; 64] = neighbours();

const fn neighbours() -> [u64; 64] {
    let mut neighbours = [0; 64];
    let mut square = 0;
    while square < 64 {
        let row = 0b111_u64 << (square % 8) >> 1 & 0xff;
        let rows = row | row << 8 | row << 16;
        let around = match square / 8 {
            0 => rows >> 8,
            row => rows << (8 * (row - 1)),
        };
        neighbours[square] = around & !(1 << square);
        square += 1;
    }
    neighbours
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Isa, Kernel};
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus as Random;

    /// The moves of a board, and what each turns over.
    struct Moves(Board);

    impl Kernel for Moves {
        type Output = (u64, [u64; 64]);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let flips = std::array::from_fn(|square| self.0.flips(simd, square));
            (self.0.moves(simd), flips)
        }
    }

    #[test]
    fn every_isa_makes_the_same_moves() {
        let mut random = Random::seed_from_u64(1);
        for round in 0..20_000 {
            let mut filled = random.next_u64() | random.next_u64();
            if round % 2 == 0 {
                filled &= random.next_u64();
            }
            let own = random.next_u64() & filled;
            let board = Board {
                own,
                other: filled & !own,
            };
            let moves = reversi::mobility(board.own, board.other);
            for isa in Isa::all() {
                let (seen, seen_flips) = isa.run(Moves(board));
                assert_eq!(seen, moves, "{isa:?} {board:?}");
                for square in squares(board.empty()) {
                    let expected = reversi::flips(square, own, board.other);
                    assert_eq!(seen_flips[square], expected, "{isa:?} {board:?} {square}");
                }
            }
        }
    }

    #[test]
    fn a_pass_is_legal_where_the_other_side_can_move() {
        let pass = Move::new(PASS);
        // On the first row: a move to d1, none of either side, and none but of the opponent.
        for (own, other, is_legal) in [(0b010, 0b100, false), (1, 0, false), (0b10, 0b01, true)] {
            let board = Board { own, other };
            assert_eq!(board.play(pass).is_some(), is_legal, "{board:?}");
            assert_eq!(board.legal_moves().contains(&pass), is_legal, "{board:?}");
        }
    }

    #[test]
    fn quadrants_with_an_odd_number_of_squares_are_found() {
        let quadrant = |square: usize| (square % 8 / 4, square / 32);
        for squares_set in [
            0,
            1 << 9,
            1 << 63 | 1 << 28,
            0x1234_5678_9abc_def0,
            u64::MAX,
        ] {
            let odd = odd_quadrants(squares_set);
            for square in 0..64 {
                let same = squares(squares_set).filter(|it| quadrant(*it) == quadrant(square));
                assert_eq!(odd >> square & 1, same.count() as u64 % 2, "{square}");
            }
        }
    }

    #[test]
    fn neighbours_are_one_step_away() {
        for (square, &seen) in NEIGHBOURS.iter().enumerate() {
            let expected = (0..64_usize).filter(|&it| {
                let (across, down) = ((it % 8).abs_diff(square % 8), (it / 8).abs_diff(square / 8));
                it != square && across <= 1 && down <= 1
            });
            assert!(squares(seen).eq(expected), "{square}");
        }
    }
}
