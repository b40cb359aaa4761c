//! A game of your own, searched by Tengen: tic-tac-toe plays itself and prints the board.
//!
//! ```sh
//! cargo run --example tictactoe --no-default-features
//! ```

#![allow(clippy::print_stdout, reason = "that is all it does")]

use std::fmt;
use tengen::clock;
use tengen::game::{Action, Game, Move, Moves, Outcome, Side};
use tengen::knowledge::NoKnowledge;
use tengen::options::SearchOptions;
use tengen::rollout::Rollout;
use tengen::search::{Limits, Search, StopFlag};

/// The cells of each row, column and diagonal; cell `3 * row + col` is that bit.
const LINES: [u16; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// All nine cells.
const FULL: u16 = 0o777;

/// A position: the cells of the player who moved last, and of the one who is to move.
#[derive(Clone)]
struct TicTacToe {
    last: u16,
    own: u16,
}

impl TicTacToe {
    fn taken(&self) -> u16 {
        self.last | self.own
    }
}

impl Game for TicTacToe {
    fn side_to_move(&self) -> Side {
        match self.taken().count_ones() % 2 {
            0 => Side::First,
            _ => Side::Second,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        if LINES.iter().any(|line| self.last & line == *line) {
            return Some(Outcome::win(self.side_to_move().other()));
        }
        (self.taken() == FULL).then_some(Outcome::DRAW)
    }

    fn legal_moves(&self, out: &mut Moves) {
        out.clear();
        if self.outcome().is_none() {
            out.extend(
                (0..9)
                    .filter(|cell| self.taken() >> cell & 1 == 0)
                    .map(Move::new),
            );
        }
    }

    fn play(&mut self, mv: Move) {
        let moved = self.own | 1 << mv.code();
        (self.last, self.own) = (moved, self.last);
    }

    fn key(&self) -> u64 {
        u64::from(self.last) << 9 | u64::from(self.own)
    }

    fn max_plies_left(&self) -> u32 {
        9 - self.taken().count_ones()
    }

    fn action(&self, mv: Move) -> Action {
        Action::point(mv.code() as u8 % 3, mv.code() as u8 / 3)
    }
}

/// Its random games are played move by move.
impl Rollout for TicTacToe {}

impl fmt::Display for TicTacToe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [last, own] = match self.side_to_move() {
            Side::First => ['O', 'X'],
            Side::Second => ['X', 'O'],
        };
        for cell in 0..9 {
            let sign = match (self.last >> cell & 1, self.own >> cell & 1) {
                (1, _) => last,
                (_, 1) => own,
                _ => '.',
            };
            let end = if cell % 3 == 2 { '\n' } else { ' ' };
            write!(f, "{sign}{end}")?;
        }
        Ok(())
    }
}

fn main() {
    let start = TicTacToe { last: 0, own: 0 };
    let mut search = Search::new(start, NoKnowledge, SearchOptions::default());
    while search.position().outcome().is_none() {
        let limits = Limits::playouts(clock::now(), 10_000);
        let report = search.run(&limits, &StopFlag::new(), &mut |_| {});
        let position = search.position();
        let best = report.best.and_then(|action| position.parse_action(action));
        let Some(mv) = best else { break };
        println!("{position}");
        search.advance(mv);
    }
    println!("{}", search.position());
}
