//! The rules of a game and nothing else.
//!
//! [`Game`] is what the search, the rollouts and the bots build upon, and [`Playable`] what protocols
//! need besides; [`AnyGame`] is the same game with its history behind one object-safe face. [`kinds`]
//! is the table of games.
//! Points are counted from zero at the top left corner, whatever the text of a protocol says.

pub mod any;
pub mod connect4;
pub mod drawing;
pub mod files;
pub mod ggf;
pub mod gomoku;
pub mod kinds;
pub(crate) mod names;
pub mod notation;
pub mod perft;
pub mod reversi;
pub mod row;
pub mod setup;
pub mod zobrist;

pub use any::{AnyGame, History, PlayError};
pub use connect4::Connect4Rules;
pub use gomoku::Rule;
pub use kinds::{GameKind, Variant};
pub use setup::{Setup, SetupError, two_numbers};

use smallvec::SmallVec;
use std::fmt::Display;

/// One of the two players. `First` makes the first move of the game (black, or player 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The player who moves first.
    First,
    /// The player who moves second.
    Second,
}

impl Side {
    /// The opponent.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first side and 1 for the second.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// The result of a finished game: the margin for the first side.
///
/// +1, 0 or -1 in games that are only won, drawn or lost; in Reversi the disc difference, with
/// the empty squares given to the winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome(i16);

impl Outcome {
    /// Nobody won.
    pub const DRAW: Outcome = Outcome(0);

    /// A win of `side` by a margin of one.
    #[must_use]
    pub fn win(side: Side) -> Outcome {
        match side {
            Side::First => Outcome(1),
            Side::Second => Outcome(-1),
        }
    }

    /// A result by its margin for the first side.
    #[must_use]
    pub fn from_margin(margin: i16) -> Outcome {
        Outcome(margin)
    }

    /// The margin as seen by `side`: positive when it won.
    #[must_use]
    pub fn margin(self, side: Side) -> i16 {
        match side {
            Side::First => self.0,
            Side::Second => -self.0,
        }
    }

    /// Who won; `None` for a draw.
    #[must_use]
    pub fn winner(self) -> Option<Side> {
        match self.0 {
            0 => None,
            1.. => Some(Side::First),
            _ => Some(Side::Second),
        }
    }
}

/// A cell of the board, counted from zero at the top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// Column, from the left.
    pub col: u8,
    /// Row, from the top.
    pub row: u8,
}

/// A move as protocols see it, with a meaning that no game has to explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A stone or disc on this cell.
    Point(Point),
    /// A stone dropped into this column, counted from zero at the left.
    Column(u8),
    /// A forced pass.
    Pass,
    /// Connect Four: the first stone changes sides, instead of a stone of one's own.
    Steal,
}

impl Action {
    /// A stone at `col`, `row`, both from zero at the top left.
    #[must_use]
    pub fn point(col: u8, row: u8) -> Action {
        Action::Point(Point { col, row })
    }
}

/// A move as the search stores it: a code below [`Move::LIMIT`] that only its game can read.
///
/// One type for all games, so that the tree is compiled once and knows no game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

impl Move {
    /// Codes are below this: a tree node has ten bits for its move.
    pub const LIMIT: u16 = 1 << 10;

    /// The move with this code, which must be below [`Move::LIMIT`].
    #[must_use]
    pub const fn new(code: u16) -> Move {
        debug_assert!(code < Self::LIMIT);
        Move(code)
    }

    /// The code, below [`Move::LIMIT`].
    #[must_use]
    pub fn code(self) -> u16 {
        self.0
    }
}

/// A list of moves. Kept and cleared by its owner, so that hot loops do not allocate.
pub type Moves = SmallVec<[Move; 64]>;

/// A position of a game, with its rules.
///
/// A forced pass is a move, so that in every position which is not over `side_to_move` has at
/// least one legal move.
pub trait Game: Clone + Display + Send + Sync + 'static {
    /// The largest margin that a game can be won by.
    const MAX_MARGIN: i16 = 1;

    /// Whose turn it is. Not meaningful once the game is over.
    fn side_to_move(&self) -> Side;

    /// The result, if the game is over. O(1): `play` settles it.
    fn outcome(&self) -> Option<Outcome>;

    /// Writes every legal move to `out`, which is cleared first. Empty only if the game is over.
    fn legal_moves(&self, out: &mut Moves);

    /// Plays a move, which must be legal (checked in debug builds only).
    fn play(&mut self, mv: Move);

    /// Plays a legal move after which the game is known to go on. The next thing done with the
    /// position is another move, by this method or by [`play`](Self::play), so what is not
    /// needed for that may be left undone, but for [`key`](Self::key) and
    /// [`side_to_move`](Self::side_to_move).
    fn play_through(&mut self, mv: Move) {
        self.play(mv);
    }

    /// A hash of everything that decides the rest of the game. Worked out when asked for.
    fn key(&self) -> u64;

    /// How many more moves can be made at the most, the longest possible game assumed.
    fn max_plies_left(&self) -> u32;

    /// About how many more moves will be made at the most, by which players share out what is left on
    /// a clock. The last moves of a game are not told as fewer than they are.
    fn likely_plies_left(&self) -> u32 {
        self.max_plies_left()
    }

    /// The move as protocols see it.
    fn action(&self, mv: Move) -> Action;

    /// The move that a protocol means. `None`: not legal here.
    fn parse_action(&self, action: Action) -> Option<Move> {
        let mut moves = Moves::new();
        self.legal_moves(&mut moves);
        moves.into_iter().find(|&mv| self.action(mv) == action)
    }
}

/// The methods of [`Game`] that read the fields `to_move` and `outcome`.
macro_rules! to_move_and_outcome {
    () => {
        fn side_to_move(&self) -> Side {
            self.to_move
        }

        fn outcome(&self) -> Option<Outcome> {
            self.outcome
        }
    };
}

use to_move_and_outcome;

/// A game of the table ([`kinds`]), with what protocols and referees need of it.
pub trait Playable: Game {
    /// The opening position of `setup`.
    ///
    /// # Errors
    /// When this game cannot be played with that size or rule.
    fn new(setup: &Setup) -> Result<Self, SetupError>;

    /// The position with exactly these stones and `to_move` to play.
    ///
    /// # Errors
    /// When the game cannot be played with that setup, or when the stones cannot stand so: off
    /// the board, two on one cell, or in the air.
    fn from_stones(
        setup: &Setup,
        stones: &[(Point, Side)],
        to_move: Side,
    ) -> Result<Self, SetupError>;

    /// The setup which this game was begun with.
    fn setup(&self) -> Setup;

    /// The stone on a cell. `None` when it is empty, forbidden or off the board.
    fn stone_at(&self, point: Point) -> Option<Side>;
}
