//! Reversi, also called Othello, on 8×8.
//!
//! Each side is one word. Bit `8 * row + col` stands for a square, so that a1 is bit 0 and the
//! number of a square is the code of the move that plays there; a pass is [`PASS`].
//!
//! ```text
//!      a  b  c  d  e  f  g  h
//!   1  0  1  2  3  4  5  6  7      row 0, the top
//!   2  8  9 10 11 12 13 14 15
//!   3 16 17 18 19 20 21 22 23
//!   4 24 25 26 27 28 29 30 31      d4 and e5 begin white (second side)
//!   5 32 33 34 35 36 37 38 39      e4 and d5 begin black (first side)
//!   6 40 41 42 43 44 45 46 47
//!   7 48 49 50 51 52 53 54 55
//!   8 56 57 58 59 60 61 62 63      row 7, the bottom
//! ```

use super::drawing::sign;
use super::zobrist::{self, SECOND_TO_MOVE};
use super::{
    Action, Game, GameKind, Move, Moves, Outcome, Playable, Point, Setup, SetupError, Side,
    to_move_and_outcome,
};
use std::fmt;

/// Columns, and rows.
const SIZE: u8 = 8;

/// The code of the forced pass, next after those of the squares.
pub const PASS: u16 = 64;

/// The columns b to g: a disc there has neighbours on both sides.
pub(crate) const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The discs of the opening position: e4 and d5 for the first side, d4 and e5 for the second.
const OPENING: [u64; 2] = [1 << 28 | 1 << 35, 1 << 27 | 1 << 36];

/// A position of Reversi.
#[derive(Clone, Debug)]
pub struct Reversi {
    /// The discs, by `Side::index`.
    discs: [u64; 2],
    /// Where the side to move may put a disc.
    legal: u64,
    to_move: Side,
    outcome: Option<Outcome>,
}

impl Reversi {
    /// The discs of a side.
    #[must_use]
    pub fn discs(&self, side: Side) -> u64 {
        self.discs[side.index()]
    }

    /// The squares where the side to move may put a disc. None: it must pass, or the game is
    /// over.
    #[must_use]
    pub fn legal_squares(&self) -> u64 {
        self.legal
    }

    /// The discs of the opponent that a disc of the side to move on `square` turns over.
    #[must_use]
    pub fn flips(&self, square: usize) -> u64 {
        let [own, other] = self.own_and_other();
        flips(square, own, other)
    }

    fn from_discs(discs: [u64; 2], to_move: Side) -> Reversi {
        let mut position = Reversi {
            discs,
            legal: 0,
            to_move,
            outcome: None,
        };
        position.settle();
        position
    }

    /// Works out what follows from the discs and the side to move.
    fn settle(&mut self) {
        let [own, other] = self.own_and_other();
        self.legal = mobility(own, other);
        if self.legal == 0 && mobility(other, own) == 0 {
            self.outcome = Some(final_score(self.discs));
        }
    }

    /// The discs of the side to move, and of the other.
    #[must_use]
    pub fn own_and_other(&self) -> [u64; 2] {
        let own = self.to_move.index();
        [self.discs[own], self.discs[1 - own]]
    }

    fn must_pass(&self) -> bool {
        self.legal == 0 && self.outcome.is_none()
    }

    fn is_legal(&self, mv: Move) -> bool {
        match mv.code() {
            PASS => self.must_pass(),
            square => square < PASS && self.legal >> square & 1 == 1,
        }
    }

    fn put_disc(&mut self, square: usize) {
        let flipped = self.flips(square);
        let own = self.to_move.index();
        self.discs[own] ^= flipped | 1 << square;
        self.discs[1 - own] ^= flipped;
    }
}

impl Game for Reversi {
    const MAX_MARGIN: i16 = 64;

    to_move_and_outcome!();

    fn legal_moves(&self, out: &mut Moves) {
        out.clear();
        out.extend(squares(self.legal).map(|square| Move::new(square as u16)));
        if self.must_pass() {
            out.push(Move::new(PASS));
        }
    }

    fn play(&mut self, mv: Move) {
        debug_assert!(
            Reversi::from_discs(self.discs, self.to_move).is_legal(mv),
            "{mv:?} is not legal in\n{self}"
        );
        self.play_through(mv);
        self.settle();
    }

    /// Leaves undone what [`settle`](Self::settle) works out.
    #[inline]
    fn play_through(&mut self, mv: Move) {
        if mv.code() != PASS {
            self.put_disc(usize::from(mv.code()));
        }
        self.to_move = self.to_move.other();
    }

    fn key(&self) -> u64 {
        let keys = |side: Side| {
            let squares = squares(self.discs[side.index()]);
            squares.fold(0, |key, square| key ^ zobrist::stone(side, square))
        };
        let turn = match self.to_move {
            Side::First => 0,
            Side::Second => SECOND_TO_MOVE,
        };
        keys(Side::First) ^ keys(Side::Second) ^ turn
    }

    /// Every move but a pass fills a square, and no pass follows another.
    fn max_plies_left(&self) -> u32 {
        if self.outcome.is_some() {
            return 0;
        }
        let empty = (self.discs[0] | self.discs[1]).count_zeros();
        2 * empty - u32::from(!self.must_pass())
    }

    /// Passes are rare: a side that is left with the last squares may make two moves in a row.
    fn likely_plies_left(&self) -> u32 {
        let empty = (self.discs[0] | self.discs[1]).count_zeros();
        self.max_plies_left().min(empty + 2)
    }

    fn action(&self, mv: Move) -> Action {
        match mv.code() {
            PASS => Action::Pass,
            square => Action::point(square as u8 % SIZE, square as u8 / SIZE),
        }
    }

    fn parse_action(&self, action: Action) -> Option<Move> {
        let mv = match action {
            Action::Point(point) => Move::new(bit(point)?.trailing_zeros() as u16),
            Action::Pass => Move::new(PASS),
            Action::Column(_) | Action::Steal => return None,
        };
        self.is_legal(mv).then_some(mv)
    }
}

impl Playable for Reversi {
    fn new(setup: &Setup) -> Result<Self, SetupError> {
        check(setup)?;
        Ok(Reversi::from_discs(OPENING, Side::First))
    }

    fn from_stones(
        setup: &Setup,
        stones: &[(Point, Side)],
        to_move: Side,
    ) -> Result<Self, SetupError> {
        check(setup)?;
        let mut discs = [0; 2];
        for &(point, side) in stones {
            let bit = bit(point).ok_or(SetupError::Stone(point))?;
            if (discs[0] | discs[1]) & bit != 0 {
                return Err(SetupError::Stone(point));
            }
            discs[side.index()] |= bit;
        }
        Ok(Reversi::from_discs(discs, to_move))
    }

    /// There is one setup of Reversi.
    fn setup(&self) -> Setup {
        Setup::standard(GameKind::Reversi)
    }

    fn stone_at(&self, point: Point) -> Option<Side> {
        let bit = bit(point)?;
        let holds = |side: &Side| self.discs[side.index()] & bit != 0;
        [Side::First, Side::Second].into_iter().find(holds)
    }
}

impl fmt::Display for Reversi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  a b c d e f g h")?;
        for row in 0..SIZE {
            write!(f, "{}", row + 1)?;
            for col in 0..SIZE {
                write!(f, " {}", sign(self.stone_at(Point { col, row })))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Whether the game can be played so.
fn check(setup: &Setup) -> Result<(), SetupError> {
    if setup.game() != GameKind::Reversi {
        return Err(SetupError::Game(GameKind::Reversi));
    }
    if (setup.cols, setup.rows) != (SIZE, SIZE) {
        return Err(SetupError::Size("Reversi is played on 8x8"));
    }
    Ok(())
}

/// The bit of a square. `None`: off the board.
fn bit(point: Point) -> Option<u64> {
    let on_board = point.col < SIZE && point.row < SIZE;
    on_board.then(|| 1 << (SIZE * point.row + point.col))
}

/// The numbers of the set bits, lowest first.
fn squares(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let square = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (square < 64).then_some(square)
    })
}

/// The result when nobody can move: the disc difference, with the empty squares given to the
/// winner. `discs` by `Side::index`.
pub(crate) fn final_score(discs: [u64; 2]) -> Outcome {
    let [first, second] = discs.map(|discs| discs.count_ones() as i16);
    let difference = first - second;
    let empty = 64 - first - second;
    Outcome::from_margin(difference + difference.signum() * empty)
}

/// The empty squares where `own` may put a disc against `other`.
#[inline]
pub(crate) fn mobility(own: u64, other: u64) -> u64 {
    // A run that turns over must not leave the board by its left or right edge.
    let inner = other & INNER_COLUMNS;
    let ends = run_ends(own, other, 8)
        | run_ends(own, inner, 1)
        | run_ends(own, inner, 7)
        | run_ends(own, inner, 9);
    ends & !(own | other)
}

/// The squares next after a run of `through` that begins at a disc of `own`, in both senses of
/// one direction; `step` is the distance of neighbours there, in bits.
///
/// A run has at most six discs. Fills by one, one, two and two reach them all (parallel prefix,
/// after Kogge and Stone).
#[inline]
fn run_ends(own: u64, through: u64, step: u32) -> u64 {
    let pairs_up = through & (through << step);
    let pairs_down = pairs_up >> step;
    let mut up = (own << step) & through;
    let mut down = (own >> step) & through;
    up |= (up << step) & through;
    down |= (down >> step) & through;
    for _ in 0..2 {
        up |= (up << (2 * step)) & pairs_up;
        down |= (down >> (2 * step)) & pairs_down;
    }
    (up << step) | (down >> step)
}

/// The discs of `other` that a disc of `own` put on `square` turns over.
///
/// Along each ray only the first square that does not hold a disc of `other` matters: when it
/// is of `own`, all before it are turned. Towards the higher bits a carry finds it, towards the
/// lower ones the count of leading zeros.
#[inline]
pub(crate) fn flips(square: usize, own: u64, other: u64) -> u64 {
    let rays = &RAYS[square];
    let mut flipped = 0;
    for ray in rays.up {
        let end = (other | !ray).wrapping_add(1) & ray & own;
        flipped |= end.wrapping_sub(u64::from(end != 0)) & ray;
    }
    for ray in rays.down {
        // Bit 0 stands in where the whole ray holds discs of `other`.
        let stops = (ray & !other) | 1;
        let end = (1 << 63 >> stops.leading_zeros()) & ray & own;
        flipped |= (end << 1).wrapping_neg() & ray;
    }
    flipped
}

/// The squares that can be reached from one square in a straight line, itself left out.
#[derive(Clone, Copy)]
struct Rays {
    /// To the right, and down to the left, straight and to the right: towards higher bits.
    up: [u64; 4],
    /// The opposite ways: towards lower bits.
    down: [u64; 4],
}

static RAYS: [Rays; 64] = all_rays();

const fn all_rays() -> [Rays; 64] {
    /// The ways towards higher bits, as changes of column and row.
    const WAYS: [(i32, i32); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
    let empty = Rays {
        up: [0; 4],
        down: [0; 4],
    };
    let mut rays = [empty; 64];
    let mut square = 0;
    while square < 64 {
        let mut way = 0;
        while way < 4 {
            let (across, down) = WAYS[way];
            rays[square].up[way] = ray(square, across, down);
            rays[square].down[way] = ray(square, -across, -down);
            way += 1;
        }
        square += 1;
    }
    rays
}

const fn ray(square: usize, across: i32, down: i32) -> u64 {
    let mut squares = 0;
    let mut col = (square % 8) as i32 + across;
    let mut row = (square / 8) as i32 + down;
    while 0 <= col && col < 8 && 0 <= row && row < 8 {
        squares |= 1 << (8 * row + col);
        col += across;
        row += down;
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus as Random;

    const SETUP: fn() -> Setup = || Setup::standard(GameKind::Reversi);

    #[test]
    fn the_opening_stands_as_in_the_books() {
        let position = Reversi::new(&SETUP()).unwrap();
        let expected = "  a b c d e f g h
1 . . . . . . . .
2 . . . . . . . .
3 . . . . . . . .
4 . . . O X . . .
5 . . . X O . . .
6 . . . . . . . .
7 . . . . . . . .
8 . . . . . . . .
";
        assert_eq!(position.to_string(), expected);
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        let texts = moves
            .iter()
            .map(|&mv| super::super::notation::write(&SETUP(), position.action(mv)));
        assert_eq!(texts.collect::<Vec<_>>(), ["d3", "c4", "f5", "e6"]);
    }

    #[test]
    fn other_sizes_and_doubled_or_stray_discs_are_refused() {
        let small = SETUP().with_size(6, 6);
        assert!(matches!(Reversi::new(&small), Err(SetupError::Size(_))));
        let corner = Point { col: 0, row: 0 };
        let outside = Point { col: 8, row: 0 };
        let twice = [(corner, Side::First), (corner, Side::Second)];
        let refused = |stones| Reversi::from_stones(&SETUP(), stones, Side::First).unwrap_err();
        assert_eq!(refused(&twice), SetupError::Stone(corner));
        assert_eq!(
            refused(&[(outside, Side::First)]),
            SetupError::Stone(outside)
        );
    }

    #[test]
    fn the_winner_gets_the_empty_squares() {
        assert_eq!(final_score([0b111, 0b1000]), Outcome::from_margin(62));
        assert_eq!(final_score([0b1, 0b1110]), Outcome::from_margin(-62));
        assert_eq!(final_score([0b1, 0b10]), Outcome::DRAW);
    }

    #[test]
    fn a_side_without_a_move_passes() {
        // a1 X, b1 O, and X to follow on c1: the second side has no move.
        let stones = [
            (Point { col: 0, row: 0 }, Side::First),
            (Point { col: 1, row: 0 }, Side::Second),
        ];
        let mut position = Reversi::from_stones(&SETUP(), &stones, Side::Second).unwrap();
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        assert_eq!(moves.as_slice(), [Move::new(PASS)]);
        position.play(Move::new(PASS));
        assert_eq!(position.parse_action(Action::Pass), None);
        position.play(Move::new(2));
        assert_eq!(position.outcome(), Some(Outcome::from_margin(64)));
    }

    #[test]
    fn a_clock_is_shared_out_over_the_squares_and_never_taken_for_the_last_move_too_soon() {
        let mut random = Random::seed_from_u64(1);
        for _ in 0..200 {
            let mut position = Reversi::new(&SETUP()).unwrap();
            assert_eq!(position.likely_plies_left(), 62);
            let mut told = Vec::new();
            while position.outcome().is_none() {
                let moves_told = position.likely_plies_left().div_ceil(2);
                told.push((position.side_to_move(), moves_told));
                let mut moves = Moves::new();
                position.legal_moves(&mut moves);
                position.play(moves[random.random_range(0..moves.len())]);
            }
            for (number, &(side, moves_told)) in told.iter().enumerate() {
                let left = told[number..].iter().filter(|it| it.0 == side).count();
                assert!(moves_told > 1 || left == 1, "{left} left in {position}");
            }
        }
    }
}
