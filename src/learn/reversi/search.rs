//! A plain alpha-beta by the learned evaluation, for games of learning.

use crate::game::Side;
use crate::game::reversi::{PASS, Reversi, final_score, flips, mobility};
use crate::knowledge::reversi::Evaluator;
use crate::knowledge::reversi::endgame::{self, TranspositionTable, exact};
use crate::knowledge::reversi::patterns::{DISC, Features};

/// More than any value.
pub const INFINITY: i32 = i32::MAX;

/// The table for endings of a game: it fits into a cache.
pub const TABLE_BYTES: usize = 1 << 16;

/// A position as the side to move sees it.
#[derive(Clone, Copy)]
pub struct FeatureBoard {
    own: u64,
    other: u64,
    /// What the evaluation sees of it.
    pub features: Features,
}

impl FeatureBoard {
    /// This position.
    pub fn new(position: &Reversi) -> FeatureBoard {
        let [own, other] = position.own_and_other();
        FeatureBoard {
            own,
            other,
            features: Features::of_discs(own, other),
        }
    }

    /// The discs of the side to move, and of the other.
    pub fn discs(&self) -> [u64; 2] {
        [self.own, self.other]
    }

    /// Empty squares.
    pub fn empties(&self) -> u32 {
        64 - self.features.discs()
    }

    /// The codes of the legal moves; none when the game is over.
    pub fn moves(&self) -> impl Iterator<Item = u16> + use<> {
        let mut legal = mobility(self.own, self.other);
        let passes = legal == 0 && mobility(self.other, self.own) != 0;
        let squares = std::iter::from_fn(move || {
            let square = legal.trailing_zeros() as u16;
            legal &= legal.wrapping_sub(1);
            (square < PASS).then_some(square)
        });
        squares.chain(passes.then_some(PASS))
    }

    /// The position after a legal move.
    pub fn after(&self, mv: u16) -> FeatureBoard {
        let mut features = self.features;
        let flipped = match mv {
            PASS => 0,
            square => flips(usize::from(square), self.own, self.other),
        };
        let put = match mv {
            PASS => {
                features.pass();
                0
            }
            square => {
                features.play(usize::from(square), flipped);
                1 << square
            }
        };
        FeatureBoard {
            own: self.other & !flipped,
            other: self.own | flipped | put,
            features,
        }
    }

    /// The result of a game that is over, for the side to move.
    pub fn result(&self) -> i32 {
        let outcome = final_score([self.own, self.other]);
        i32::from(outcome.margin(Side::First))
    }

    /// The first of the moves with the best exact result. `None`: the game is over.
    pub fn best_exactly(&self, table: &TranspositionTable) -> Option<Judged> {
        let result = i32::from(exact(self.discs_of_endgame(), table));
        let attains =
            |mv: &u16| i32::from(exact(self.after(*mv).discs_of_endgame(), table)) == -result;
        let mv = self.moves().find(attains)?;
        let value = result * DISC;
        Some(Judged { mv, value })
    }

    fn discs_of_endgame(&self) -> endgame::Board {
        let (own, other) = (self.own, self.other);
        endgame::Board { own, other }
    }
}

/// A move and its value for the side that makes it, in units of [`DISC`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The code.
    pub mv: u16,
    /// Its value.
    pub value: i32,
}

/// The legal moves, each with what the evaluation says of it at once, the best first.
fn judge(evaluator: Evaluator<'_>, board: &FeatureBoard) -> Vec<Judged> {
    let mut values = [0; 64];
    let discs = board.discs_of_endgame();
    evaluator.judge_children(&board.features, discs, board.moves(), &mut values);
    let judged = board.moves().zip(values);
    let mut judged: Vec<_> = judged.map(|(mv, value)| Judged { mv, value }).collect();
    judged.sort_by_key(|it| -it.value);
    judged
}

/// The best move by a search to this depth, at least 1. `None`: the game is over.
pub fn best(evaluator: Evaluator<'_>, board: &FeatureBoard, depth: u32) -> Option<Judged> {
    search(evaluator, board, depth, -INFINITY, INFINITY)
}

/// How much a search may change what the evaluation says of a move at once, as a search that does
/// not reach the end of the game takes for granted (guess; the idea: Buro, ProbCut, 1995).
const MARGIN: i32 = 8 * DISC;

/// The best move: its value is at least `beta`, or at most `alpha`, or what such a search finds.
fn search(
    evaluator: Evaluator<'_>,
    board: &FeatureBoard,
    depth: u32,
    alpha: i32,
    beta: i32,
) -> Option<Judged> {
    let mut judged = judge(evaluator, board);
    let margin = match board.empties() > depth {
        true => MARGIN,
        false => INFINITY,
    };
    let first = *judged.first()?;
    if depth <= 1 || first.value.saturating_sub(margin) >= beta {
        return Some(first);
    }
    let mut best = Judged {
        value: -INFINITY,
        ..first
    };
    for it in &mut judged {
        let alpha = alpha.max(best.value);
        let most = it.value.saturating_add(margin);
        if most <= alpha {
            best.value = best.value.max(most);
            break;
        }
        it.value = child_value(evaluator, &board.after(it.mv), depth - 1, alpha, beta);
        if it.value > best.value {
            best = *it;
        }
        if best.value >= beta {
            break;
        }
    }
    Some(best)
}

/// The value of a child for the side that moved there: whether it is above `alpha` is asked first,
/// if there is another move already.
fn child_value(
    evaluator: Evaluator<'_>,
    child: &FeatureBoard,
    depth: u32,
    alpha: i32,
    beta: i32,
) -> i32 {
    let ask = |alpha: i32, beta: i32| {
        let found = search(evaluator, child, depth, -beta, -alpha);
        -found.map_or_else(|| child.result() * DISC, |it| it.value)
    };
    if alpha > -INFINITY && beta - 1 > alpha {
        let value = ask(alpha, alpha + 1);
        if value <= alpha || value >= beta {
            return value;
        }
    }
    ask(alpha, beta)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::reversi::patterns::Patterns;
    use crate::rollout::Random;
    use rand::{RngExt, SeedableRng};

    /// Without any cut-off.
    fn plain(board: &FeatureBoard) -> i32 {
        let values = board.moves().map(|mv| -plain(&board.after(mv)));
        values.max().unwrap_or_else(|| board.result())
    }

    fn random_board(random: &mut Random, empties: u32) -> FeatureBoard {
        let setup = crate::game::Setup::standard(crate::game::GameKind::Reversi);
        loop {
            let start = <Reversi as crate::game::Playable>::new(&setup).unwrap();
            let mut board = FeatureBoard::new(&start);
            loop {
                let moves: Vec<u16> = board.moves().collect();
                if moves.is_empty() {
                    break;
                }
                if board.empties() == empties {
                    return board;
                }
                board = board.after(moves[random.random_range(0..moves.len())]);
            }
        }
    }

    #[test]
    fn endings_are_solved() {
        let mut random = Random::seed_from_u64(1);
        let table = TranspositionTable::new(1 << 16);
        for _ in 0..200 {
            let board = random_board(&mut random, 6);
            let best = board.best_exactly(&table).unwrap();
            assert_eq!(best.value, plain(&board) * DISC);
            assert_eq!(-plain(&board.after(best.mv)), plain(&board));
        }
    }

    #[test]
    fn a_search_to_the_end_is_exact() {
        let mut random = Random::seed_from_u64(2);
        let patterns = Patterns::blank();
        for _ in 0..50 {
            let board = random_board(&mut random, 5);
            let best = best((&patterns).into(), &board, 12).unwrap();
            assert_eq!(best.value, plain(&board) * DISC);
            assert_eq!(-plain(&board.after(best.mv)), plain(&board));
        }
    }
}
