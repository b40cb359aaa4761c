//! What a position tells at sight, and wins by force.
//!
//! A row that can be made now is made. A move after which the opponent makes a row at once loses
//! in two plies, and is left out while there is another: this covers the moves that leave a
//! threat standing as well as those that lift the opponent onto one.
//!
//! A win by force is a sequence of moves each of which leaves the opponent a single reply that
//! does not lose at once, until one leaves none: two threats, or one on top of another. As all
//! other replies lose, it is a proof.

use super::solver::bits::Bits;
use super::solver::board::{Any, Board, Large, Lines, Middle, Shape, Small};
use super::solver::search::{Node, quiet_moves};
use crate::game::connect4::Connect4;
use crate::game::{Game, Setup};
use crate::knowledge::{Proof, ProofResult};

/// The most columns of a board.
const MAX_COLUMNS: usize = 12;

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
    /// The columns worth playing in: bit `col`. Those that win at once, or the one that wins by
    /// force; else those after which the opponent has no row at once; where there is none,
    /// those that stop a row, or else all.
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

    /// Looks at a position that is not over. A win by force is looked for in this position and
    /// at most `nodes` others.
    pub fn look(&self, position: &Connect4, nodes: u32) -> Outlook {
        match self {
            Lookout::Small(shape) => look(shape, position, nodes),
            Lookout::Middle(shape) => look(shape, position, nodes),
            Lookout::Large(shape) => look(shape, position, nodes),
        }
    }
}

fn look<B: Bits>(shape: &Any<B>, position: &Connect4, nodes: u32) -> Outlook {
    let mover = position.side_to_move();
    let own = shape.of_columns(&position.columns(mover));
    let board = Board {
        own,
        filled: shape.of_columns(&position.filled()),
    };
    let landings = shape.landings(board.filled);
    let own_wins = shape.completions(own) & !board.filled;
    if own_wins.meets(landings) {
        return Outlook::proven(shape, own_wins & landings, ProofResult::Win, 1);
    }
    let their_wins = shape.completions(board.theirs(shape)) & !board.filled;
    let moves = quiet_moves(shape, landings, their_wins);
    if moves.is_empty() {
        let stops = landings & their_wins;
        let moves = if stops.is_empty() { landings } else { stops };
        return Outlook::proven(shape, moves, ProofResult::Loss, 2);
    }
    let node = Node {
        board,
        own_wins,
        their_wins,
        moves,
        left: position.max_plies_left(),
    };
    let mut nodes_left = nodes;
    if let Some(win) = forced_win(shape, &node, &mut nodes_left) {
        return Outlook::proven(shape, win.first, ProofResult::Win, win.plies);
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

/// A win by force.
struct ForcedWin<B> {
    /// Its first move.
    first: B,
    /// It takes so many plies at the most.
    plies: u16,
}

/// A move that leaves one reply.
#[derive(Clone, Copy)]
struct Attack<B> {
    cell: B,
    reply: B,
    /// The cells where the attacker would win after it.
    wins: B,
}

/// Looks for a win by moves that leave the other side at most one reply after which it does not
/// lose at once. `nodes` is how many positions may still be looked at after this one.
fn forced_win<S: Shape>(
    shape: &S,
    node: &Node<S::Cells>,
    nodes: &mut u32,
) -> Option<ForcedWin<S::Cells>> {
    let none = S::Cells::ZERO;
    let mut attacks = [Attack {
        cell: none,
        reply: none,
        wins: none,
    }; MAX_COLUMNS];
    let mut count = 0;
    let landings = shape.landings(node.board.filled);
    let mut rest = node.moves;
    while !rest.is_empty() {
        let cell = rest.lowest();
        rest = rest.without_lowest();
        let wins = shape.completions(node.board.own | cell) & !(node.board.filled | cell);
        let replies = quiet_moves(shape, landings & !cell | shape.above(cell), wins);
        if replies.is_empty() {
            // Where the board is full after the move, it is a draw.
            if node.left == 1 {
                return None;
            }
            return Some(ForcedWin {
                first: cell,
                plies: 3,
            });
        }
        if !replies.is_several() {
            attacks[count] = Attack {
                cell,
                reply: replies,
                wins,
            };
            count += 1;
        }
    }
    for attack in &attacks[..count] {
        if *nodes == 0 {
            return None;
        }
        *nodes -= 1;
        let board = node
            .board
            .after(shape, attack.cell)
            .after(shape, attack.reply);
        let their_wins = shape.completions(board.theirs(shape)) & !board.filled;
        let next = Node {
            board,
            own_wins: attack.wins & !board.filled,
            their_wins,
            moves: quiet_moves(shape, shape.landings(board.filled), their_wins),
            left: node.left - 2,
        };
        if let Some(win) = forced_win(shape, &next, nodes) {
            return Some(ForcedWin {
                first: attack.cell,
                plies: win.plies + 2,
            });
        }
    }
    None
}

impl<B: Bits> Any<B> {
    /// The cells of these columns: bit `height` of each.
    fn of_columns(&self, columns: &[u16; MAX_COLUMNS]) -> B {
        let columns = columns.iter().take(self.columns() as usize).rev();
        columns.fold(B::ZERO, |cells, &column| {
            cells << self.stride() | B::from_low(u64::from(column))
        })
    }

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
    use super::super::solver::tests::{moves, negamax, play_on, setups};
    use super::*;
    use crate::game::{Move, Outcome};
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Compares what is seen of a position with its exact score.
    fn check(
        lookout: &Lookout,
        position: &Connect4,
        known: &mut HashMap<u64, i32>,
    ) -> Result<(), TestCaseError> {
        let left = position.max_plies_left();
        let outlook = lookout.look(position, 50);
        let exact = proof_of_score(negamax(position, known), left);
        let mut score = |col: &u16| {
            let mut next = position.clone();
            next.play(Move::new(*col));
            match next.outcome() {
                Some(Outcome::DRAW) => 0,
                Some(_) => (left as i32 + 1) / 2,
                None => -negamax(&next, known),
            }
        };
        let columns = (0..12).filter(|col| outlook.columns >> col & 1 == 1);
        let best = columns.map(|col| score(&col)).max();
        let legal = moves(position)
            .iter()
            .fold(0, |all, mv| all | 1 << mv.code());
        prop_assert_eq!(outlook.columns & !legal, 0);
        match outlook.proof {
            Some(proof) => {
                prop_assert_eq!(proof.result, exact.result, "\n{}", position);
                match proof.result {
                    ProofResult::Win => {
                        prop_assert!(proof.plies >= exact.plies, "\n{}", position);
                        prop_assert!(best > Some(0), "\n{}", position);
                    }
                    _ => prop_assert_eq!(proof.plies, exact.plies, "\n{}", position),
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
            setup in setups(),
            left in 1..=11_u32,
            choices in prop::collection::vec(any::<u16>(), 144),
        ) {
            let mut position = Connect4::new(&setup).unwrap();
            play_on(&mut position, left, &choices);
            prop_assume!(position.max_plies_left() <= left);
            let lookout = Lookout::new(&setup);
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
