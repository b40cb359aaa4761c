//! Gomoku: five in a row, on boards of 5 to 22 columns and as many rows.
//!
//! Each colour has a set of 512 bits. A row of the board takes one bit more than it has
//! columns; the last is a guard which no stone ever stands on, so that a shift by one step in
//! any direction never carries a stone over the edge to another row. On the smallest board,
//! with a stride of six:
//!
//! ```text
//!        col 0   1   2   3   4  guard
//! row 0      0   1   2   3   4  ( 5)       steps: right            1
//! row 1      6   7   8   9  10  (11)              down             stride
//! row 2     12  13  14  15  16  (17)              down and right   stride + 1
//! row 3     18  19  20  21  22  (23)              down and left    stride - 1
//! row 4     24  25  26  27  28  (29)
//! ```
//!
//! The largest board has 22 · 23 = 506 cells with its guards. A move's code is its cell.
//!
//! In renju a move that is [forbidden](renju) is not legal. Where the first side has no legal
//! move left the game is drawn: the renju rules let a player pass and call two passes a draw,
//! and the referees of tournaments stop the game long before, 25 cells before the board is
//! full at Gomocup.

pub(crate) mod bits;
pub(crate) mod line;
pub(crate) mod renju;
mod rule;

pub use rule::Rule;

use super::drawing::sign;
use super::{
    Action, Game, GameKind, Move, Moves, Outcome, Playable, Point, Setup, SetupError, Side,
    Variant, to_move_and_outcome, zobrist,
};
use bits::Bits;
use line::Winning;
use renju::Black;
use std::fmt;
use std::ops::RangeInclusive;

/// The sides that a board may have, in cells (Gomocup's protocol allows no others).
pub const SIZES: RangeInclusive<u8> = 5..=22;

/// Words for the largest board.
const WORDS: usize = 8;

/// How many sizes a side may have.
const SIDES: usize = (*SIZES.end() - *SIZES.start() + 1) as usize;

/// The cells of every board, guards left out: `BOARDS[rows - 5][cols - 5]`.
static BOARDS: [[Bits<WORDS>; SIDES]; SIDES] = boards();

/// A position of Gomoku.
#[derive(Clone, Debug)]
pub struct Gomoku {
    /// By `Side::index`.
    stones: [Bits<WORDS>; 2],
    key: u64,
    empties: u16,
    cols: u8,
    rows: u8,
    rule: Rule,
    to_move: Side,
    outcome: Option<Outcome>,
}

impl Gomoku {
    /// The rule by which a row wins.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// How many cells have no stone.
    #[must_use]
    pub fn empties(&self) -> u32 {
        u32::from(self.empties)
    }

    /// What the cell number grows by from one row to the next.
    pub(crate) fn stride(&self) -> u32 {
        u32::from(self.cols) + 1
    }

    /// Whether sets of four words hold this board, as they do up to 15×15.
    pub(crate) fn is_narrow(&self) -> bool {
        u32::from(self.rows) * self.stride() <= Bits::<4>::CAPACITY as u32
    }

    /// The stones of one side. Four words only if the board [is narrow](Self::is_narrow).
    #[inline]
    pub(crate) fn stones<const W: usize>(&self, side: Side) -> Bits<W> {
        self.stones[side.index()].resized()
    }

    /// All cells of the board. Four words only if the board [is narrow](Self::is_narrow).
    #[inline]
    pub(crate) fn board<const W: usize>(&self) -> Bits<W> {
        let [row, col] = [self.rows, self.cols].map(|side| usize::from(side - SIZES.start()));
        BOARDS[row][col].resized()
    }

    /// The cells with no stone. Four words only if the board [is narrow](Self::is_narrow).
    #[inline]
    pub(crate) fn empty_cells<const W: usize>(&self) -> Bits<W> {
        self.board() & !(self.stones(Side::First) | self.stones(Side::Second))
    }

    /// The move on a cell by its number.
    #[inline]
    pub(crate) fn move_at(cell: usize) -> Move {
        Move::new(cell as u16)
    }

    /// The cell of a point on the board; `None` off the board.
    pub(crate) fn cell(&self, point: Point) -> Option<usize> {
        let on_board = point.col < self.cols && point.row < self.rows;
        on_board.then(|| usize::from(point.row) * self.stride() as usize + usize::from(point.col))
    }

    /// The point of a cell.
    pub(crate) fn point(&self, cell: usize) -> Point {
        let stride = self.stride() as usize;
        Point {
            col: (cell % stride) as u8,
            row: (cell / stride) as u8,
        }
    }

    /// The points of a set of cells, row by row.
    #[inline]
    pub(crate) fn points_of(&self, cells: Bits<WORDS>) -> impl Iterator<Item = Point> + use<> {
        let stride = self.stride() as usize;
        // Going along the rows is faster than a division for each cell.
        let (mut row, mut end) = (0, stride);
        cells.cells().map(move |cell| {
            while cell >= end {
                (row, end) = (row + 1, end + stride);
            }
            let col = (cell + stride - end) as u8;
            Point { col, row }
        })
    }

    /// Whether a stone of the side to move on `cell` wins.
    fn wins_at(&self, cell: usize) -> bool {
        let [own, other] =
            [self.to_move, self.to_move.other()].map(|side| &self.stones[side.index()]);
        line::wins_at(own, other, cell, self.stride(), self.winning(self.to_move))
    }

    /// Which rows win for this side.
    #[inline]
    pub(crate) fn winning(&self, side: Side) -> Winning {
        Winning::of(self.rule, side)
    }

    /// Whether moves can be forbidden to this side.
    #[inline]
    pub(crate) fn is_restricted(&self, side: Side) -> bool {
        self.rule == Rule::Renju && side == Side::First
    }

    /// The board as black sees it in renju.
    fn black(&self) -> Black<WORDS> {
        Black::new(self.stones(Side::First), self.empty_cells(), self.stride())
    }

    /// The empty cells which the side to move may move to.
    fn open_cells(&self) -> Bits<WORDS> {
        let empty = self.empty_cells();
        if self.is_restricted(self.to_move) {
            empty & !self.black().forbidden()
        } else {
            empty
        }
    }

    /// Whether the side to move may move to this empty cell.
    fn may_move_to(&self, cell: usize) -> bool {
        !self.is_restricted(self.to_move) || !self.black().forbids(cell)
    }

    /// Whether the side to move has any legal move.
    fn may_move(&self) -> bool {
        self.empties > 0 && (!self.is_restricted(self.to_move) || self.black().may_move())
    }

    /// Whether either side has more than five stones in a row.
    pub(crate) fn has_long_row(&self) -> bool {
        let mut sides = self.stones.into_iter();
        sides.any(|stones| line::has_longer(stones, self.stride()))
    }

    /// Who wins by the stones as they stand; `mover` where both do.
    fn standing_win(&self, mover: Side) -> Option<Side> {
        let mut sides = [mover, mover.other()].into_iter();
        sides.find(|&side| {
            let [own, other] = [side, side.other()].map(|side| self.stones::<WORDS>(side));
            line::has_win(own, other, self.stride(), self.winning(side))
        })
    }

    fn put(&mut self, cell: usize, side: Side) {
        self.stones[side.index()].insert(cell);
        self.key ^= zobrist::stone(side, cell);
        self.empties -= 1;
    }
}

impl Game for Gomoku {
    to_move_and_outcome!();

    fn legal_moves(&self, out: &mut Moves) {
        out.clear();
        if self.outcome.is_none() {
            out.reserve(usize::from(self.empties));
            out.extend(self.open_cells().cells().map(Self::move_at));
        }
    }

    fn play(&mut self, mv: Move) {
        let cell = cell_of(mv);
        debug_assert!(self.outcome.is_none() && self.empty_cells::<WORDS>().contains(cell));
        debug_assert!(self.may_move_to(cell));
        let mover = self.to_move;
        let won = self.wins_at(cell);
        self.play_through(mv);
        if won {
            self.outcome = Some(Outcome::win(mover));
        } else if !self.may_move() {
            self.outcome = Some(Outcome::DRAW);
        }
    }

    #[inline]
    fn play_through(&mut self, mv: Move) {
        self.put(cell_of(mv), self.to_move);
        self.to_move = self.to_move.other();
        self.key ^= zobrist::SECOND_TO_MOVE;
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn max_plies_left(&self) -> u32 {
        match self.outcome {
            Some(_) => 0,
            None => self.empties(),
        }
    }

    fn action(&self, mv: Move) -> Action {
        Action::Point(self.point(cell_of(mv)))
    }

    fn parse_action(&self, action: Action) -> Option<Move> {
        let Action::Point(point) = action else {
            return None;
        };
        let cell = self.cell(point)?;
        let legal = self.outcome.is_none() && self.stone_at(point).is_none();
        (legal && self.may_move_to(cell)).then(|| Self::move_at(cell))
    }
}

impl Playable for Gomoku {
    fn new(setup: &Setup) -> Result<Self, SetupError> {
        let Variant::Gomoku(rule) = setup.variant else {
            return Err(SetupError::Game(GameKind::Gomoku));
        };
        if !SIZES.contains(&setup.cols) || !SIZES.contains(&setup.rows) {
            return Err(SetupError::Size(
                "Gomoku boards have 5 to 22 columns and rows",
            ));
        }
        Ok(Gomoku {
            stones: [Bits::EMPTY; 2],
            key: 0,
            empties: u16::from(setup.cols) * u16::from(setup.rows),
            cols: setup.cols,
            rows: setup.rows,
            rule,
            to_move: Side::First,
            outcome: None,
        })
    }

    /// Any stones may stand on the board, also in unequal numbers. Where a winning row stands
    /// already the game is over; where both sides have one, the side that moved last won.
    fn from_stones(
        setup: &Setup,
        stones: &[(Point, Side)],
        to_move: Side,
    ) -> Result<Self, SetupError> {
        let mut game = Self::new(setup)?;
        for &(point, side) in stones {
            let free = game.cell(point).filter(|_| game.stone_at(point).is_none());
            game.put(free.ok_or(SetupError::Stone(point))?, side);
        }
        if to_move == Side::Second {
            game.to_move = Side::Second;
            game.key ^= zobrist::SECOND_TO_MOVE;
        }
        game.outcome = match game.standing_win(to_move.other()) {
            Some(winner) => Some(Outcome::win(winner)),
            None => (!game.may_move()).then_some(Outcome::DRAW),
        };
        Ok(game)
    }

    fn setup(&self) -> Setup {
        Setup {
            cols: self.cols,
            rows: self.rows,
            variant: self.rule.into(),
        }
    }

    fn stone_at(&self, point: Point) -> Option<Side> {
        let cell = self.cell(point)?;
        let mut sides = [Side::First, Side::Second].into_iter();
        sides.find(|side| self.stones[side.index()].contains(cell))
    }
}

/// The board with a letter above each column and a number before each row, row 1 at the
/// bottom: `X` is the first side, `O` the second.
impl fmt::Display for Gomoku {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("  ")?;
        for col in 0..self.cols {
            write!(f, " {}", char::from(b'a' + col))?;
        }
        writeln!(f)?;
        for row in 0..self.rows {
            write!(f, "{:2}", self.rows - row)?;
            for col in 0..self.cols {
                write!(f, " {}", sign(self.stone_at(Point { col, row })))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[inline]
fn cell_of(mv: Move) -> usize {
    usize::from(mv.code())
}

const fn boards() -> [[Bits<WORDS>; SIDES]; SIDES] {
    let mut boards = [[Bits::EMPTY; SIDES]; SIDES];
    let mut i = 0;
    while i < SIDES * SIDES {
        let smallest = *SIZES.start() as usize;
        boards[i / SIDES][i % SIDES] = board(i % SIDES + smallest, i / SIDES + smallest);
        i += 1;
    }
    boards
}

const fn board(cols: usize, rows: usize) -> Bits<WORDS> {
    let mut words = [0; WORDS];
    let mut row = 0;
    while row < rows {
        let mut col = 0;
        while col < cols {
            let cell = row * (cols + 1) + col;
            words[cell / 64] |= 1 << (cell % 64);
            col += 1;
        }
        row += 1;
    }
    Bits::from_words(words)
}

#[cfg(test)]
pub(crate) mod tests;
