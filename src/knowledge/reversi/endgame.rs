//! Reversi's exact solver: alpha-beta on bitboards.
//!
//! A score is the disc difference at the end for the side to move when both sides play best, with
//! the empty squares given to the winner: an even number from -64 to 64.
//!
//! [`Solver`] answers questions about a position at the root, with several threads and as much time
//! as it is given. [`exact`] and [`Solver::value_alone`] solve a position with few empty squares from
//! anywhere: they allocate nothing, and any number of threads may share one [`TranspositionTable`] among
//! them.
//!
//! ```
//! use tengen::game::reversi::Reversi;
//! use tengen::game::{Game, GameKind, Moves, Playable, Setup};
//! use tengen::knowledge::reversi::endgame::{self, Solver, TranspositionTable};
//!
//! // Always the first legal move, until the game is nearly over.
//! let mut position = Reversi::new(&Setup::standard(GameKind::Reversi)).unwrap();
//! let mut moves = Moves::new();
//! while position.outcome().is_none() && position.max_plies_left() > 12 {
//!     position.legal_moves(&mut moves);
//!     position.play(moves[0]);
//! }
//! let table = TranspositionTable::new(1 << 20);
//! let score = endgame::exact((&position).into(), &table);
//! let value = Solver::new(1 << 20, 1).value_alone((&position).into(), &table, u64::MAX);
//! assert_eq!(value, Some(i32::from(score.signum())));
//! ```
//!
//! [`board`] are the discs, [`stability`] those that stay, [`order`] says which move to try first,
//! [`table`] keeps what was proven, [`search`] looks for it down to the [`last`] four empty squares,
//! [`Busy`] sends its threads different ways.

mod board;
mod last;
mod order;
mod search;
mod stability;
mod table;

#[cfg(test)]
mod tests;

pub use board::Board;
pub use order::{JUDGED_DISC, Judge};
pub use table::TranspositionTable;

use super::patterns::Patterns;
use crate::crew::Crew;
use crate::game::{Move, Moves};
use crate::knowledge::Effort;
use crate::knowledge::busy::Busy;
use order::expected_score;
use search::{Course, Searcher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The score of a board. It takes some 10 µs with eight empty squares, and three to four times as
/// long with each square more.
#[must_use]
pub fn exact(board: Board, table: &TranspositionTable) -> i8 {
    let score = |searcher: &mut Searcher<'_>| converge(0, |alpha| searcher.exceeds(board, alpha));
    alone([table; 2], None, u64::MAX, score).unwrap_or(0) as i8
}

/// The score by questions whether it exceeds a bound, which begin near `guess`: every answer is a bound
/// of the score and the next guess (MTD(f): Plaat, Schaeffer, Pijls and de Bruin, 1996). `None`: one was not
/// answered.
fn converge(guess: i32, mut exceeds: impl FnMut(i32) -> Option<i32>) -> Option<i32> {
    let (mut least, mut most) = (-64, 64);
    let mut score = guess;
    while least < most {
        // Scores are even.
        let bound = score.clamp(least + 2, most) - 1;
        score = exceeds(bound)?;
        if score > bound {
            least = score;
        } else {
            most = score;
        }
    }
    Some(least)
}

/// Asks one thread that keeps to itself, with a table and one for few empty squares.
fn alone<T>(
    [table, near]: [&TranspositionTable; 2],
    judge: Option<&dyn Judge>,
    nodes: u64,
    ask: impl FnOnce(&mut Searcher<'_>) -> Option<T>,
) -> Option<T> {
    let course = Course {
        table,
        judge,
        stop: &AtomicBool::new(false),
        expired: &|| false,
        nodes_left: &AtomicU64::new(nodes),
        busy: None,
    };
    ask(&mut Searcher::new(course, near))
}

/// Solves positions with several threads, and remembers what it found from one to the next.
pub struct Solver {
    table: TranspositionTable,
    /// A small table of each thread.
    near: Box<[TranspositionTable]>,
    judge: Option<&'static dyn Judge>,
    /// Where the threads are, if there are several.
    busy: Option<Busy>,
    crew: Crew,
    nodes: AtomicU64,
}

/// Bytes of a thread's own table: with the weights that order the moves it fits into the cache of a
/// core.
const NEAR_BYTES: usize = 256 << 10;

impl Solver {
    /// A solver with `threads` threads, 1 at the least, and tables of at most `bytes` bytes, but
    /// never less than 16 KiB each.
    #[must_use]
    pub fn new(bytes: usize, threads: u32) -> Solver {
        let each = NEAR_BYTES.min(bytes / 4 / threads.max(1) as usize);
        let near: Box<[TranspositionTable]> = (0..threads.max(1))
            .map(|_| TranspositionTable::new(each))
            .collect();
        Solver {
            table: TranspositionTable::new(bytes.saturating_sub(each * near.len())),
            near,
            judge: None,
            busy: (threads > 1).then(Busy::new),
            crew: Crew::new(threads.max(1) as usize),
            nodes: AtomicU64::new(0),
        }
    }

    /// The solver with the learned patterns of this program to order the moves, where it was built
    /// with them.
    #[must_use]
    pub fn with_own_judge(self) -> Solver {
        match Patterns::own() {
            Some(patterns) => self.with_judge(patterns),
            None => self,
        }
    }

    /// The solver with a judgement that orders the moves.
    #[must_use]
    pub fn with_judge(self, judge: &'static dyn Judge) -> Solver {
        Solver {
            judge: Some(judge),
            ..self
        }
    }

    /// Nodes searched since the solver was made: positions with four empty squares or more.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// The score of a board. `None`: the effort was not enough.
    #[must_use]
    pub fn score(&self, board: Board, effort: &Effort<'_>) -> Option<i32> {
        let likely = self.judge.map_or(0, |judge| expected_score(judge, board));
        let (least, most) = self.recall(board).unwrap_or((-64, 64));
        converge(likely.clamp(least, most), |alpha| {
            self.ask(board, alpha, effort)
        })
    }

    /// What a board is worth: 1, 0 or -1 if the side to move wins, draws or loses. `None`: the
    /// effort was not enough.
    #[must_use]
    pub fn value(&self, board: Board, effort: &Effort<'_>) -> Option<i32> {
        Some(match self.exceeds(board, 0, effort)? {
            true => 1,
            false if self.exceeds(board, -1, effort)? => 0,
            false => -1,
        })
    }

    /// What a board is worth, by the calling thread alone, which keeps what it finds of few empty squares in
    /// `near`. Any number of threads may ask at a time. It takes less than half of the time of the score.
    /// `None`: some `nodes` positions, give or take a thousand, were not enough.
    #[must_use]
    pub fn value_alone(&self, board: Board, near: &TranspositionTable, nodes: u64) -> Option<i32> {
        let tables = [&self.table, near];
        alone(tables, self.judge, nodes, |searcher| {
            let mut exceeds = |alpha| Some(searcher.exceeds(board, alpha)? > alpha);
            Some(match exceeds(0)? {
                true => 1,
                false if exceeds(-1)? => 0,
                false => -1,
            })
        })
    }

    /// Whether the score of a board is above `bound`. `None`: the effort was not enough.
    #[must_use]
    pub fn exceeds(&self, board: Board, bound: i32, effort: &Effort<'_>) -> Option<bool> {
        Some(self.ask(board, bound, effort)? > bound)
    }

    /// The score of a legal move for the side that makes it, which may be a pass. `None`: the effort
    /// was not enough, or the move is not legal.
    #[must_use]
    pub fn move_score(&self, board: Board, mv: Move, effort: &Effort<'_>) -> Option<i32> {
        Some(-self.score(board.play(mv)?, effort)?)
    }

    /// The score of a board, and every legal move that attains it. `None`: the effort was not
    /// enough.
    #[must_use]
    pub fn best(&self, board: Board, effort: &Effort<'_>) -> Option<(Moves, i32)> {
        let score = self.score(board, effort)?;
        let mut best = Moves::new();
        for mv in self.likely_first(board) {
            if self.attains(board, mv, score, effort)? {
                best.push(mv);
            }
        }
        best.sort_by_key(|mv| mv.code());
        Some((best, score))
    }

    /// A move that scores as much as `score`. `None` also where there is none.
    #[must_use]
    pub fn attaining(&self, board: Board, score: i32, effort: &Effort<'_>) -> Option<Move> {
        let attains = |mv: &Move| self.attains(board, *mv, score, effort) == Some(true);
        self.likely_first(board).into_iter().find(attains)
    }

    /// The moves until the end of the game when both sides play best, where `score` is that of the
    /// board. It ends early where the effort is not enough.
    #[must_use]
    pub fn line(&self, mut board: Board, mut score: i32, effort: &Effort<'_>) -> Vec<Move> {
        let mut line = Vec::new();
        while let Some(mv) = self.attaining(board, score, effort)
            && let Some(next) = board.play(mv)
        {
            line.push(mv);
            (board, score) = (next, -score);
        }
        line
    }

    /// The least and the greatest score that a board can have, by what is still known from earlier
    /// questions. Nothing is searched. `None`: it was not met.
    #[must_use]
    pub fn recall(&self, board: Board) -> Option<(i32, i32)> {
        if !self.table.was_asked() {
            return None;
        }
        let known = self.table.recall(self.table.place(board))?;
        Some((known.lower, known.upper))
    }

    /// Whether a legal move scores as much as `score`. `None`: the effort was not enough, or the move is
    /// not legal.
    #[must_use]
    pub fn attains(&self, board: Board, mv: Move, score: i32, effort: &Effort<'_>) -> Option<bool> {
        Some(!self.exceeds(board.play(mv)?, -score, effort)?)
    }

    /// The legal moves, first the one that was last found to be best.
    #[must_use]
    pub fn likely_first(&self, board: Board) -> Moves {
        let known = self.table.recall(self.table.place(board));
        let mut moves = board.legal_moves();
        moves.sort_by_key(|mv| known.is_none_or(|known| u16::from(known.moves[0]) != mv.code()));
        moves
    }

    /// The value of a legal move for the side that makes it: see [`value`](Self::value). `None` as
    /// for [`move_score`](Self::move_score).
    #[must_use]
    pub fn move_value(&self, board: Board, mv: Move, effort: &Effort<'_>) -> Option<i32> {
        Some(-self.value(board.play(mv)?, effort)?)
    }

    /// The score, fail-soft, where it exceeds `alpha` or not. All threads search the same, by different
    /// ways, and share what they find: the first answer ends the others.
    fn ask(&self, board: Board, alpha: i32, effort: &Effort<'_>) -> Option<i32> {
        self.table.begin_question(board.empty().count_ones());
        let stop = AtomicBool::new(false);
        let course = Course {
            table: &self.table,
            judge: self.judge,
            stop: &stop,
            expired: effort.expired,
            nodes_left: &AtomicU64::new(effort.nodes),
            busy: self.busy.as_ref(),
        };
        let run = |near| {
            let searcher = &mut Searcher::new(course, near);
            let answer = searcher.exceeds(board, alpha);
            self.nodes.fetch_add(searcher.nodes, Ordering::Relaxed);
            if answer.is_some() {
                stop.store(true, Ordering::Relaxed);
            }
            answer
        };
        let mut answers = vec![None; self.crew.threads()];
        let places = answers.iter_mut().zip(&self.near);
        let mut jobs = places.map(|(answer, near)| || *answer = run(near));
        if let Some(first) = jobs.next() {
            self.crew.work(first, jobs);
        }
        answers.into_iter().flatten().next()
    }
}
