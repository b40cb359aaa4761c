//! What three plies of looking ahead tell.
//!
//! A row that can be made now is made. A move after which the opponent makes a row at once loses
//! in two plies, and is left out while there is another: this covers the moves that leave a
//! threat standing as well as those that lift the opponent onto one.
//!
//! A double threat wins in three plies: two rows that could be made next, or one on top of another:
//! a single reply cannot stop both. Nothing shorter wins where it is looked for, so what
//! is seen is exact.

use super::bits::Bits;
use super::board::{Any, Board, Large, Lines, Middle, Shape, Small};
use crate::game::Setup;
use crate::game::connect4::Connect4;
use crate::knowledge::{Proof, ProofResult};

/// Looks at positions of one setup.
pub enum Lookout {
    /// Boards of up to 64 bits.
    Small(Small),
    /// Boards of up to 128 bits.
    Middle(Middle),
    /// All others.
    Large(Large),
}

/// What is seen of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// The columns worth playing in: bit `col`. Those that win at once, or the one that makes a
    /// double threat; else those after which the opponent has no row at once; where there is
    /// none, those that stop a row, or else all.
    pub columns: u16,
    /// The result for the side to move, where it is seen.
    pub proof: Option<Proof>,
}

impl Lookout {
    /// For a game that can be played so.
    pub fn new(setup: &Setup) -> Lookout {
        match u32::from(setup.cols) * (u32::from(setup.rows) + 1) {
            0..=64 => Lookout::Small(Any::new(setup)),
            65..=128 => Lookout::Middle(Any::new(setup)),
            _ => Lookout::Large(Any::new(setup)),
        }
    }

    /// Looks at a position that is not over.
    pub fn look(&self, position: &Connect4) -> Outlook {
        match self {
            Lookout::Small(shape) => look(shape, position),
            Lookout::Middle(shape) => look(shape, position),
            Lookout::Large(shape) => look(shape, position),
        }
    }
}

fn look<B: Bits>(shape: &Any<B>, position: &Connect4) -> Outlook {
    let board = Board::of(shape, position);
    let landings = shape.landings(board.filled);
    let wins = shape.completions(board.own) & landings;
    if !wins.is_empty() {
        return Outlook::proven(shape, wins, ProofResult::Win, 1);
    }
    let their_wins = shape.completions(board.theirs(shape)) & !board.filled;
    let moves = shape.quiet_moves(landings, their_wins);
    if moves.is_empty() {
        let stops = landings & their_wins;
        let moves = if stops.is_empty() { landings } else { stops };
        return Outlook::proven(shape, moves, ProofResult::Loss, 2);
    }
    if let Some(cell) = double_threat(shape, &board, landings, moves) {
        return Outlook::proven(shape, cell, ProofResult::Win, 3);
    }
    Outlook {
        columns: shape.columns_with(moves),
        proof: None,
    }
}

impl Outlook {
    fn proven<B: Bits>(shape: &Any<B>, moves: B, result: ProofResult, plies: u16) -> Outlook {
        Outlook {
            columns: shape.columns_with(moves),
            proof: Some(Proof { result, plies }),
        }
    }
}

/// One of the moves, if any, after which every reply loses at once.
fn double_threat<S: Shape>(
    shape: &S,
    board: &Board<S::Cells>,
    landings: S::Cells,
    moves: S::Cells,
) -> Option<S::Cells> {
    let mut rest = moves;
    while !rest.is_empty() {
        let cell = rest.lowest();
        rest = rest.without_lowest();
        let wins = shape.completions(board.own | cell) & !(board.filled | cell);
        let next = landings & !cell | shape.above(cell);
        // With no reply at all the board is full, and the game drawn.
        if !next.is_empty() && shape.quiet_moves(next, wins).is_empty() {
            return Some(cell);
        }
    }
    None
}

impl<B: Bits> Any<B> {
    /// The columns that have any of these cells: bit `col`.
    fn columns_with(&self, cells: B) -> u16 {
        let mut columns = 0;
        let mut rest = cells;
        while !rest.is_empty() {
            columns |= 1 << (rest.index() as u32 / self.stride());
            rest = rest.without_lowest();
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::super::proof_of_score;
    use super::super::solver::tests::{late_positions, moves, negamax, negamax_of_move};
    use super::*;
    use crate::game::{Game, Move, Playable};
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Compares what is seen of a position with its exact score.
    fn check(
        lookout: &Lookout,
        position: &Connect4,
        known: &mut HashMap<u64, i32>,
    ) -> Result<(), TestCaseError> {
        let left = position.max_plies_left();
        let outlook = lookout.look(position);
        let exact = proof_of_score(negamax(position, known), left);
        let mut score = |col: u16| negamax_of_move(position, Move::new(col), known);
        let columns = (0..12).filter(|col| outlook.columns >> col & 1 == 1);
        let best = columns.map(&mut score).max();
        let legal = moves(position)
            .iter()
            .fold(0, |all, mv| all | 1 << mv.code());
        prop_assert_eq!(outlook.columns & !legal, 0);
        match outlook.proof {
            Some(proof) => {
                prop_assert_eq!(proof.result, exact.result, "\n{}", position);
                prop_assert_eq!(proof.plies, exact.plies, "\n{}", position);
                if proof.result == ProofResult::Win {
                    prop_assert!(best > Some(0), "\n{}", position);
                }
            }
            None => {
                prop_assert!(exact.plies > 3 || exact.result == ProofResult::Draw);
                let best = best.map(|score| proof_of_score(score, left));
                prop_assert_eq!(best, Some(exact), "\n{}", position);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn what_is_seen_agrees_with_plain_negamax(
            mut position in late_positions(1..=11_u32),
            choices in prop::collection::vec(any::<u16>(), 144),
        ) {
            let lookout = Lookout::new(&position.setup());
            let mut known = HashMap::new();
            for choice in choices {
                check(&lookout, &position, &mut known)?;
                let moves = moves(&position);
                position.play(moves[usize::from(choice) % moves.len()]);
                if position.outcome().is_some() {
                    break;
                }
            }
        }
    }
}
