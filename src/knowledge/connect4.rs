//! What Tengen knows of Connect Four: what three plies of looking ahead tell ([`lookout`]), rollouts
//! of players who see one ply ahead ([`knowing`]), the exact [`solver`] where it is fast enough, and
//! where it is not, what it finds to be decided within a few plies ([`foresight`]). [`bits`] are sets
//! of cells, [`board`](mod@board) says what follows from them by shifts.
//!
//! What was tried and not kept is told in `docs/EXPERIMENTS.md`, Knowledge of Connect Four.

mod bits;
mod board;
pub mod book;
pub mod evaluation;
mod foresight;
mod knowing;
mod lookout;
pub mod solver;

use super::{
    Context, Effort, Evaluation, Expansion, Knowledge, Leaf, Proof, ProofResult, Solution,
};
use crate::game::connect4::{Connect4, STEAL};
use crate::game::{Game, GameKind, Move, Moves, Playable, Setup, Side};
use foresight::foresee;
use lookout::Lookout;
use smallvec::SmallVec;
use solver::{Keeping, Solver};
use std::time::Duration;

/// Three plies of foresight in the tree, and a solver at its root.
pub struct Connect4Knowledge {
    solver: Solver,
    lookout: Lookout,
    /// The board is 7×6, where the solver does most.
    is_standard: bool,
}

/// The most free cells with which a position is worth trying to solve (guess: on 7×6 with
/// fewer it takes seconds at the most, and larger boards are decided later).
const SOLVED_UP_TO: u32 = 36;

impl Connect4Knowledge {
    /// For a game that can be played so. The solver has `threads` threads and tables of at most
    /// `bytes` bytes.
    #[must_use]
    pub fn new(setup: &Setup, bytes: usize, threads: u32) -> Self {
        Connect4Knowledge {
            solver: Solver::new(setup, bytes, threads).with_own_book(),
            lookout: Lookout::new(setup),
            is_standard: *setup == Setup::standard(GameKind::Connect4),
        }
    }

    /// Whether a position is worth trying to solve, rather than to look some plies ahead.
    fn is_to_be_solved(&self, position: &Connect4) -> bool {
        position.max_plies_left() <= SOLVED_UP_TO || self.solver.is_in_book(position)
    }
}

impl Knowledge<Connect4> for Connect4Knowledge {
    type Trace = ();

    fn solve(&self, position: &Connect4, effort: &Effort<'_>) -> Option<Solution> {
        if !self.is_to_be_solved(position) {
            return foresee(&self.solver, position, effort);
        }
        let left = position.max_plies_left();
        let advice = self.solver.advice(position);
        // Which moves keep the value is known long before how fast it is won.
        let Some(Keeping { value, known, open }) = self.solver.keeping(position, effort) else {
            return advice.map(|mv| Solution {
                safe: Moves::from_slice(&[mv]),
                ..unproven(position)
            });
        };
        if let Some((best, score)) = self.solver.best(position, effort) {
            return Some(Solution::new(Some(proof_of_score(score, left)), best));
        }
        let safe = match advice {
            _ if !known.is_empty() => known.clone(),
            Some(mv) if open.contains(&mv) => Moves::from_slice(&[mv]),
            _ => open.clone(),
        };
        match value {
            // With the last stone at the latest.
            1 if !known.is_empty() => Some(Solution::new(Some(proof_of_score(1, left)), known)),
            // The other moves may draw.
            1 => Some(Solution {
                safe,
                ..unproven(position)
            }),
            0 => Some(Solution {
                proof: Some(proof_of_score(0, left)),
                best: known.iter().chain(&open).copied().collect(),
                safe,
                exact: open.is_empty(),
                line: Moves::new(),
            }),
            _ => None,
        }
    }

    /// Where the solver did not come to an end, it still has proven much of what the tree meets.
    /// A fourth fewer moves change the value of hard positions on 7×6; on 9×9 it gained nothing
    /// (`docs/EXPERIMENTS.md`, The solver of Connect Four).
    fn prove(&self, position: &Connect4, (): &mut (), _: u32) -> Option<Proof> {
        let left = position.max_plies_left();
        if !self.is_standard || left > SOLVED_UP_TO {
            return None;
        }
        let (least, most) = self.solver.recall(position)?;
        let is_decided = least > 0 || most < 0 || least == most;
        // Won by then at the latest, or lost no sooner.
        is_decided.then(|| proof_of_score(least, left))
    }

    /// Shares by matches and hard positions: `docs/EXPERIMENTS.md`, The solver of Connect Four.
    fn solver_share(&self, position: &Connect4, _: Duration) -> f64 {
        if !self.is_to_be_solved(position) {
            0.25
        } else if self.is_standard {
            0.92
        } else {
            0.5
        }
    }

    fn evaluate(
        &self,
        leaves: &mut [Leaf<'_, Connect4, ()>],
        context: &mut Context<'_>,
        out: &mut [Evaluation],
    ) {
        let Context {
            isa,
            rollouts,
            ref mut random,
        } = *context;
        for (leaf, out) in leaves.iter().zip(out) {
            let tally = knowing::rollouts(leaf.position, isa, rollouts, random);
            *out = Evaluation::Rollouts(tally);
        }
    }

    /// The columns that are worth playing in, from the centre outwards.
    fn expand(&self, position: &Connect4, (): &mut (), out: &mut Expansion) {
        let outlook = self.lookout.look(position);
        let mut columns = centre_first(position);
        columns.retain(|col| outlook.columns >> *col & 1 == 1);
        out.moves.clear();
        out.moves.extend(columns.iter().copied().map(move_in));
        // Nobody makes a row of two stones, so a steal is as safe as any column.
        if position.may_steal() {
            out.moves.push(STEAL);
        }
        out.complete = true;
        out.proof = outlook.proof;
        if out
            .proof
            .is_some_and(|proof| proof.result == ProofResult::Win)
        {
            out.moves.truncate(1);
        }
    }
}

/// The solution where of no move is known that it is worse than another.
fn unproven(position: &Connect4) -> Solution {
    Solution::new(None, position.open_columns().map(move_in).collect())
}

/// What a solver's score means for the side to move, where `left` cells are free.
pub(crate) fn proof_of_score(score: i32, left: u32) -> Proof {
    let last = left as i32 + 2 - 2 * score.abs();
    // The own stones are those of the odd plies from here, the opponent's those of the even.
    let (result, ply) = match score {
        1.. => (ProofResult::Win, last - i32::from(last % 2 == 0)),
        0 => (ProofResult::Draw, left as i32),
        _ => (ProofResult::Loss, last - last % 2),
    };
    Proof {
        result,
        plies: ply as u16,
    }
}

/// How good a move looks to a player who sees one ply ahead, higher is better: a win, then
/// stopping a win of the opponent, then the nearer to the centre; a stolen stone is as good as one
/// put there.
#[must_use]
pub fn greedy_score(position: &Connect4, mv: Move) -> i32 {
    /// More than any distance from the centre.
    const STOP: i32 = 100;
    const WIN: i32 = 2 * STOP;
    let side = position.side_to_move();
    let col = match position.first_stone() {
        Some((col, _)) if mv == STEAL => return -(from_centre(position, col) as i32),
        _ => usize::from(mv.code()),
    };
    let row = if wins_now(position, side, col) {
        WIN
    } else if wins_now(position, side.other(), col) {
        STOP
    } else {
        0
    };
    row - from_centre(position, col) as i32
}

type Columns = SmallVec<[usize; 12]>;

/// The open columns, the nearest to the centre first and the left one of two as near.
fn centre_first(position: &Connect4) -> Columns {
    let mut columns: Columns = position.open_columns().collect();
    columns.sort_by_key(|&col| from_centre(position, col));
    columns
}

fn move_in(col: usize) -> Move {
    Move::new(col as u16)
}

/// The distance of a column from the centre of the board, in half columns.
fn from_centre(position: &Connect4, col: usize) -> usize {
    (2 * col + 1).abs_diff(usize::from(position.setup().cols))
}

/// Whether the next stone in the column would make a row of `side`.
fn wins_now(position: &Connect4, side: Side, col: usize) -> bool {
    let landing = position.free_heights(col).next();
    landing.is_some_and(|height| position.completes_row(side, col, height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Connect4Rules, GameKind, Outcome, Point};
    use proptest::prelude::*;

    /// Boards of all sizes, lengths of a row and holes.
    fn setups() -> impl Strategy<Value = Setup> {
        let hole = (any::<bool>(), 0..12_u8, 0..12_u8);
        (4..=12_u8, 4..=12_u8, 3..=5_u8, hole, any::<bool>()).prop_map(
            |(cols, rows, connect, (holed, col, row), steal)| {
                let hole = Point {
                    col: col % cols,
                    row: row % rows,
                };
                Setup::standard(GameKind::Connect4)
                    .with_size(cols, rows)
                    .with(Connect4Rules {
                        hole: holed.then_some(hole),
                        connect: connect.min(cols.max(rows)),
                        steal,
                    })
            },
        )
    }

    fn after(position: &Connect4, mv: Move) -> Connect4 {
        let mut next = position.clone();
        next.play(mv);
        next
    }

    fn legal(position: &Connect4) -> Vec<Move> {
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        moves.to_vec()
    }

    fn knowledge(position: &Connect4) -> Connect4Knowledge {
        Connect4Knowledge::new(&position.setup(), 1 << 16, 1)
    }

    /// The moves that make a row, found by playing them all.
    fn wins(position: &Connect4) -> Vec<Move> {
        let win = Some(Outcome::win(position.side_to_move()));
        let mut moves = legal(position);
        moves.retain(|&mv| after(position, mv).outcome() == win);
        moves
    }

    fn sorted(moves: &[Move]) -> Vec<Move> {
        let mut moves = moves.to_vec();
        moves.sort();
        moves
    }

    /// Compares the knowledge with a search of two plies, where it sees no win by force.
    fn check(position: &Connect4) -> Result<(), TestCaseError> {
        let mut found = Expansion::default();
        knowledge(position).expand(position, &mut (), &mut found);
        prop_assert!(found.complete);
        let wins_at_once = wins(position);
        if !wins_at_once.is_empty() {
            prop_assert_eq!(found.moves.len(), 1);
            prop_assert!(wins_at_once.contains(&found.moves[0]));
            let win = Proof::win(1);
            prop_assert_eq!(found.proof, Some(win));
            return Ok(());
        }
        let mut safe = legal(position);
        safe.retain(|&mv| wins(&after(position, mv)).is_empty());
        if safe.is_empty() {
            let loss = Proof::loss(2);
            prop_assert_eq!(found.proof, Some(loss));
            prop_assert!(!found.moves.is_empty());
            prop_assert!(found.moves.iter().all(|mv| legal(position).contains(mv)));
        } else if let Some(proof) = found.proof {
            prop_assert_eq!(proof.result, ProofResult::Win);
            prop_assert!(proof.plies % 2 == 1 && proof.plies >= 3);
            prop_assert_eq!(found.moves.len(), 1);
            prop_assert!(safe.contains(&found.moves[0]));
        } else {
            prop_assert_eq!(sorted(&found.moves), sorted(&safe));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn expansions_agree_with_a_search_of_two_plies(
            setup in setups(),
            choices in prop::collection::vec(any::<u16>(), 0..144),
        ) {
            let mut position = Connect4::new(&setup).unwrap();
            for choice in choices {
                if position.outcome().is_some() {
                    break;
                }
                check(&position)?;
                let moves = legal(&position);
                position.play(moves[usize::from(choice) % moves.len()]);
            }
        }
    }

    #[test]
    fn quiet_columns_come_from_the_centre_outwards() {
        let position = Connect4::new(&Setup::standard(GameKind::Connect4)).unwrap();
        let mut found = Expansion::default();
        knowledge(&position).expand(&position, &mut (), &mut found);
        let columns: Vec<u16> = found.moves.iter().map(|mv| mv.code()).collect();
        assert_eq!(columns, [3, 2, 4, 1, 5, 0, 6]);
    }

    /// To find out who wins takes 1,300,000 nodes.
    #[cfg(feature = "book")]
    #[test]
    fn the_book_is_heard_where_the_solver_gives_up() {
        let mut position = Connect4::new(&Setup::standard(GameKind::Connect4)).unwrap();
        for col in [4, 0, 4, 3, 4, 4, 0, 3, 1, 3, 3] {
            position.play(Move::new(col));
        }
        let knowledge = knowledge(&position);
        let effort = Effort {
            nodes: 5000,
            expired: &|| false,
        };
        let solution = knowledge.solve(&position, &effort).unwrap();
        assert_eq!(solution.proof, None);
        assert_eq!(sorted(&solution.best), legal(&position));
        let advice = knowledge.solver.advice(&position).unwrap();
        assert_eq!(solution.safe.to_vec(), [advice]);
    }

    #[test]
    fn the_greedy_player_wins_then_stops_then_centres() {
        let row = |col, row, side| (Point { col, row }, side);
        // Both sides have three on top of each other, in columns 1 and 7.
        let stones = [5, 4, 3]
            .into_iter()
            .flat_map(|r| [row(0, r, Side::First), row(6, r, Side::Second)])
            .collect::<Vec<_>>();
        let setup = Setup::standard(GameKind::Connect4);
        let position = Connect4::from_stones(&setup, &stones, Side::First).unwrap();
        let mut columns: Vec<u16> = (0..7).collect();
        columns.sort_by_key(|&col| -greedy_score(&position, Move::new(col)));
        assert_eq!(columns, [0, 6, 3, 2, 4, 1, 5]);
    }
}
