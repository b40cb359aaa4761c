//! The table of games: everything that is said of a game outside its own rules.
//!
//! A new game is its file of rules, which implements [`Game`](super::Game) and [`Playable`], and a row
//! here. Whatever plays without knowledge of a game, plays it then.

use super::connect4::Connect4Rules;
use super::gomoku::Rule;
use super::names::{by_name, listed};
use super::setup::Terms;
use super::{AnyGame, History, Playable, Point, Setup, SetupError, Side};

/// How a game is named and shown.
#[derive(Debug)]
struct Row {
    /// The name that the command line and the protocols use.
    name: &'static str,
    /// What people call it besides, in lower case.
    other_names: &'static [&'static str],
    /// The name that Quarry and GRhino have for it over GTP, or would have.
    gtp_name: &'static str,
    /// Columns and rows of the usual board.
    size: (u8, u8),
    /// What a move names.
    moves: MoveText,
    /// Where the row is that players call 1.
    first_row: Edge,
    /// Whether the margin of a win is told.
    shows_margin: bool,
    /// Whether the first side is called black and the second white.
    is_black_and_white: bool,
}

/// What the text of a move names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveText {
    /// A cell, such as `h8`.
    Cell,
    /// A column, counted from 1.
    Column,
}

/// The side of a board from which rows are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// As Reversi is drawn.
    Top,
    /// As Go is.
    Bottom,
}

/// Takes the rows of the table: the game, the type of its positions, what is agreed on beside the
/// size of the board, and its [`Row`]. The first argument is a dollar sign, for the macro inside.
macro_rules! games {
    (($dollar:tt) $($(#[$doc:meta])* $kind:ident($position:ty, $variant:ty) = $row:expr;)*) => {
        /// The games that Tengen plays.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum GameKind {
            $($(#[$doc])* $kind),*
        }

        impl GameKind {
            /// All games, in the order in which tables list them.
            pub const ALL: [GameKind; [$(GameKind::$kind),*].len()] = [$(GameKind::$kind),*];

            fn row(self) -> &'static Row {
                match self {
                    $(GameKind::$kind => const { &$row }),*
                }
            }
        }

        /// What is agreed on in a game beside the size of its board.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Variant {
            $($(#[$doc])* $kind($variant)),*
        }

        impl Variant {
            /// What is usual in a game.
            #[must_use]
            pub fn usual(game: GameKind) -> Variant {
                match game {
                    $(GameKind::$kind => Variant::$kind(<$variant>::default())),*
                }
            }

            /// The game that it is a variant of.
            #[must_use]
            pub fn game(&self) -> GameKind {
                match self {
                    $(Variant::$kind(_) => GameKind::$kind),*
                }
            }

            pub(super) fn terms(&self) -> &dyn Terms {
                match self {
                    $(Variant::$kind(terms) => terms),*
                }
            }

            pub(super) fn terms_mut(&mut self) -> &mut dyn Terms {
                match self {
                    $(Variant::$kind(terms) => terms),*
                }
            }
        }

        /// `with_game!(kind, G => expression)` is the expression with `G` for the type of the game's
        /// positions.
        macro_rules! with_game {
            ($dollar kind:expr, $dollar game:ident => $dollar body:expr) => {
                match $dollar kind {
                    $($crate::game::GameKind::$kind => {
                        type $dollar game = $position;
                        $dollar body
                    })*
                }
            };
        }
        pub(crate) use with_game;
    };
}

games! {
    ($)
    /// Five in a row.
    Gomoku(crate::game::gomoku::Gomoku, Rule) = Row {
        name: "gomoku",
        other_names: &["five-in-a-row", "gobang", "piskvorky"],
        gtp_name: "Gomoku",
        size: (15, 15),
        moves: MoveText::Cell,
        first_row: Edge::Bottom,
        shows_margin: false,
        is_black_and_white: true,
    };
    /// Reversi, or Othello, on 8×8.
    Reversi(crate::game::reversi::Reversi, ()) = Row {
        name: "reversi",
        other_names: &[],
        gtp_name: "Othello",
        size: (8, 8),
        moves: MoveText::Cell,
        first_row: Edge::Top,
        shows_margin: true,
        is_black_and_white: true,
    };
    /// Connect Four with gravity, on any size, with or without a forbidden cell.
    Connect4(crate::game::connect4::Connect4, Connect4Rules) = Row {
        name: "connect4",
        other_names: &["c4", "connect-4", "connect-four", "connectfour", "four-in-a-row"],
        gtp_name: "Connect4",
        size: (7, 6),
        moves: MoveText::Column,
        first_row: Edge::Bottom,
        shows_margin: false,
        is_black_and_white: false,
    };
}

impl GameKind {
    /// The name that the command line and the protocols use.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The name that Quarry and GRhino have for it over GTP, or would have.
    #[must_use]
    pub fn gtp_name(self) -> &'static str {
        self.row().gtp_name
    }

    /// The game that people call so, in letters of any size.
    #[must_use]
    pub fn called(text: &str) -> Option<GameKind> {
        let text = text.to_lowercase();
        let is_called = |game: &GameKind| {
            let row = game.row();
            let names = [row.name, row.gtp_name];
            let is_name = names.iter().any(|name| name.eq_ignore_ascii_case(&text));
            is_name || row.other_names.contains(&&*text)
        };
        GameKind::ALL.into_iter().find(is_called)
    }

    /// Columns and rows of the usual board.
    #[must_use]
    pub fn usual_size(self) -> (u8, u8) {
        self.row().size
    }

    /// What the text of a move names.
    #[must_use]
    pub fn moves(self) -> MoveText {
        self.row().moves
    }

    /// Where the row is that players call 1.
    #[must_use]
    pub fn first_row(self) -> Edge {
        self.row().first_row
    }

    /// Whether the margin of a win is told.
    #[must_use]
    pub fn shows_margin(self) -> bool {
        self.row().shows_margin
    }

    /// Whether the first side is called black and the second white.
    #[must_use]
    pub fn is_black_and_white(self) -> bool {
        self.row().is_black_and_white
    }
}

by_name!(GameKind, "game", listed);

/// The opening position of any game.
///
/// # Errors
/// When the game cannot be played with that setup.
pub fn new_game(setup: &Setup) -> Result<Box<dyn AnyGame>, SetupError> {
    with_game!(setup.game(), G => Ok(Box::new(History::new(G::new(setup)?))))
}

/// A game of any kind begun from given stones.
///
/// # Errors
/// When the stones cannot stand so.
pub fn from_stones(
    setup: &Setup,
    stones: &[(Point, Side)],
    to_move: Side,
) -> Result<Box<dyn AnyGame>, SetupError> {
    with_game!(setup.game(), G => {
        Ok(Box::new(History::new(G::from_stones(setup, stones, to_move)?)))
    })
}
