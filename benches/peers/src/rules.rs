//! The games, as the other crates are given them.

use board_game::board::{Board, Outcome as BoardOutcome, Player};
use board_game::games::connect4::Connect4 as BitBoard;
use std::cell::RefCell;
use std::fmt;
use tengen::game::{Game, Move, Moves, Outcome, Playable, Setup, Side};

/// What every one of the crates asks of a game, a forced pass being a move.
pub trait Rules: Clone + Send + Sync + 'static {
    /// A move.
    type Move: Copy + Eq + Send + Sync + 'static;

    /// Whose turn it is; at the end of the game, whose turn it would be.
    fn to_move(&self) -> Side;

    /// The result, if the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// Writes every legal move to `out`, which is cleared first. Empty when the game is over.
    fn legal_moves(&self, out: &mut Vec<Self::Move>);

    /// Plays a legal move.
    fn play(&mut self, mv: Self::Move);
}

/// A position of a game by Tengen's rules.
#[derive(Clone)]
pub struct Position<G> {
    game: G,
    to_move: Side,
}

/// A move of such a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(Move);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.code())
    }
}

impl<G: Game> Position<G> {
    /// The opening position.
    pub fn new(setup: &Setup) -> Position<G>
    where
        G: Playable,
    {
        let game = G::new(setup).expect("a setup of the game");
        let to_move = game.side_to_move();
        Position { game, to_move }
    }

    /// The game itself.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Hands the legal moves over without an allocation.
    pub fn with_moves<T>(&self, take: impl FnOnce(&[Move]) -> T) -> T {
        thread_local! {
            static MOVES: RefCell<Moves> = RefCell::default();
        }
        MOVES.with_borrow_mut(|moves| {
            self.game.legal_moves(moves);
            take(moves)
        })
    }

    /// A legal move by its place among them; `choose` is told how many there are.
    pub fn any_move(&self, choose: impl FnOnce(usize) -> usize) -> Code {
        self.with_moves(|moves| Code(moves[choose(moves.len())]))
    }
}

impl<G: Game> Rules for Position<G> {
    type Move = Code;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn legal_moves(&self, out: &mut Vec<Code>) {
        out.clear();
        self.with_moves(|moves| out.extend(moves.iter().copied().map(Code)));
    }

    fn play(&mut self, mv: Code) {
        self.game.play(mv.0);
        self.to_move = self.to_move.other();
    }
}

/// Connect Four on two words of 64 bits, which board-game brings.
impl Rules for BitBoard {
    type Move = u8;

    fn to_move(&self) -> Side {
        match self.next_player() {
            Player::A => Side::First,
            Player::B => Side::Second,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        Board::outcome(self).map(|outcome| match outcome {
            BoardOutcome::WonBy(Player::A) => Outcome::win(Side::First),
            BoardOutcome::WonBy(Player::B) => Outcome::win(Side::Second),
            BoardOutcome::Draw => Outcome::DRAW,
        })
    }

    fn legal_moves(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend((0..BitBoard::WIDTH).filter(|&col| self.is_available_move(col) == Ok(true)));
    }

    fn play(&mut self, mv: u8) {
        Board::play(self, mv).expect("a legal move");
    }
}
