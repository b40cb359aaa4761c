//! Alpha-beta with null windows.
//!
//! All scores are fail-soft: where one exceeds `alpha`, the true score is no less, and else it is
//! no more.

use super::board::{Board, odd_quadrants, squares};
use super::last::{Last, NONE};
use super::order::{Candidates, Judge, by_counting, by_judgement};
use super::stability::{Edges, stable_discs_of_opponent};
use super::table::{Known, NO_MOVE, TranspositionTable, UNKNOWN, hash};
use crate::knowledge::busy::Busy;
use crate::simd::{Kernel, Simd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Fewest empty squares for which the table is asked and the moves are put in order.
const TABLE_FROM: u32 = 7;

/// Most empty squares for which a thread asks its own small table.
const NEAR_UP_TO: u32 = 9;

/// Fewest empty squares for which all replies are looked up before the first is searched.
const LOOK_AHEAD_FROM: u32 = 9;

/// Fewest empty squares for which a learned judgement orders the moves.
const JUDGE_FROM: u32 = 10;

/// Fewest empty squares for which threads go different ways.
const BUSY_FROM: u32 = 10;

/// Nodes between two looks at whether to stop.
const POLL_EVERY: u64 = 1 << 10;

/// What the threads of one search share.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    /// What was proven of positions with many empty squares.
    pub table: &'a TranspositionTable,
    /// Orders the moves where much is left to search.
    pub judge: Option<&'a dyn Judge>,
    /// Set where all are to stop.
    pub stop: &'a AtomicBool,
    /// Asked now and then whether to stop.
    pub expired: &'a (dyn Fn() -> bool + Sync),
    /// Nodes that may still be searched, all threads together.
    pub nodes_left: &'a AtomicU64,
    /// Where the threads are, if there are several.
    pub busy: Option<&'a Busy>,
}

/// One thread of a search.
pub struct Searcher<'a> {
    course: Course<'a>,
    /// What this thread has proven of positions with few empty squares: so small that it stays in
    /// the cache, where a look into the other table mostly waits for memory.
    near: &'a TranspositionTable,
    edges: &'static Edges,
    /// Nodes searched: positions with four empty squares or more.
    pub nodes: u64,
    /// The number of nodes at which was looked last whether to stop, and is looked next.
    polled_at: u64,
    poll_at: u64,
    /// Gave up. What is returned from then on says nothing.
    pub stopped: bool,
}

impl<'a> Searcher<'a> {
    /// A thread that begins.
    pub fn new(course: Course<'a>, near: &'a TranspositionTable) -> Searcher<'a> {
        Searcher {
            course,
            near,
            edges: Edges::get(),
            nodes: 0,
            polled_at: 0,
            poll_at: 0,
            stopped: false,
        }
    }

    /// The table that knows positions with so many empty squares.
    #[inline(always)]
    fn table(&self, left: u32) -> &'a TranspositionTable {
        match left {
            0..=NEAR_UP_TO => self.near,
            _ => self.course.table,
        }
    }

    #[inline(always)]
    fn put_in_order<S: Simd>(
        &self,
        simd: S,
        board: Board,
        candidates: &mut Candidates,
        known: [u8; 2],
        left: u32,
    ) {
        match self.course.judge {
            Some(judge) if left >= JUDGE_FROM => {
                by_judgement(simd, judge, board, candidates.all_mut(), known);
            }
            _ => by_counting(simd, board, candidates.all_mut(), known),
        }
    }

    /// Looks whether to stop.
    #[cold]
    fn poll(&mut self) {
        let Course {
            stop,
            expired,
            nodes_left,
            ..
        } = self.course;
        let spent = self.nodes - self.polled_at;
        let before = nodes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            Some(left.saturating_sub(spent))
        });
        let left = before.map_or(0, |before| before.saturating_sub(spent));
        if left == 0 || expired() {
            stop.store(true, Ordering::Relaxed);
        }
        self.stopped = stop.load(Ordering::Relaxed);
        self.polled_at = self.nodes;
        self.poll_at = self.nodes + left.min(POLL_EVERY);
    }
}

/// Whether the score of a board exceeds `alpha`, by any number of empty squares.
pub struct Exceeds<'a, 'b> {
    /// Who asks.
    pub searcher: &'a mut Searcher<'b>,
    /// The board.
    pub board: Board,
    /// The score to exceed.
    pub alpha: i32,
}

impl Kernel for Exceeds<'_, '_> {
    type Output = i32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i32 {
        exceeds(simd, self.searcher, self.board, self.alpha)
    }
}

/// The score of a board, between `alpha` and `beta`.
pub struct Score<'a, 'b> {
    /// Who asks.
    pub searcher: &'a mut Searcher<'b>,
    /// The board.
    pub board: Board,
    /// The score is of no interest where it is no more,
    pub alpha: i32,
    /// or no less.
    pub beta: i32,
}

#[inline(always)]
fn exceeds<S: Simd>(simd: S, searcher: &mut Searcher<'_>, board: Board, alpha: i32) -> i32 {
    match board.empty().count_ones() {
        4 => simd.call(Last::<4> { board, alpha }),
        0..TABLE_FROM => simd.call(Shallow {
            searcher,
            board,
            alpha,
        }),
        left => simd.call(Deep {
            searcher,
            board,
            alpha,
            left,
        }),
    }
}

/// A few empty squares: no table, and no order but by parity.
struct Shallow<'a, 'b> {
    searcher: &'a mut Searcher<'b>,
    board: Board,
    alpha: i32,
}

impl Kernel for Shallow<'_, '_> {
    type Output = i32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i32 {
        let Shallow {
            searcher,
            board,
            alpha,
        } = self;
        searcher.nodes += 1;
        if let Some(score) = cut_by_stability(searcher, board, alpha) {
            return score;
        }
        let best = try_all(simd, searcher, board, alpha);
        if best != NONE {
            return best;
        }
        let best = try_all(simd, searcher, board.passed(), -alpha - 1);
        if best == NONE {
            board.final_score()
        } else {
            -best
        }
    }
}

/// The best of the moves, those into odd quadrants first; [`NONE`] if there are none.
#[inline(always)]
fn try_all<S: Simd>(simd: S, searcher: &mut Searcher<'_>, board: Board, alpha: i32) -> i32 {
    let moves = board.moves(simd);
    let odd = odd_quadrants(board.empty());
    let is_last = board.empty().count_ones() == 5;
    let mut best = NONE;
    for group in [moves & odd, moves & !odd] {
        for square in squares(group) {
            let next = board.after(square, board.flips(simd, square));
            let alpha_next = -alpha - 1;
            let score = -match is_last {
                true => {
                    searcher.nodes += 1;
                    simd.call(Last::<4> {
                        board: next,
                        alpha: alpha_next,
                    })
                }
                false => simd.call(Shallow {
                    searcher: &mut *searcher,
                    board: next,
                    alpha: alpha_next,
                }),
            };
            if score > alpha {
                return score;
            }
            best = best.max(score);
        }
    }
    best
}

/// The most that the stable discs of the opponent leave, if that does not exceed `alpha`.
#[inline(always)]
fn cut_by_stability(searcher: &Searcher<'_>, board: Board, alpha: i32) -> Option<i32> {
    /// By empty squares: below this score it is hardly ever worth the time.
    const FROM: [i32; 64] = stability_from();
    let left = board.empty().count_ones() as usize & 63;
    if alpha < FROM[left] {
        return None;
    }
    let stable = stable_discs_of_opponent(board, searcher.edges).count_ones() as i32;
    let most = 64 - 2 * stable;
    (most <= alpha).then_some(most)
}

const fn stability_from() -> [i32; 64] {
    let mut from = [0; 64];
    let mut left = 0;
    while left < 64 {
        from[left] = match left {
            0..6 => 20,
            6..8 => 0,
            8..12 => -20,
            12..20 => -10,
            _ => 10,
        };
        left += 1;
    }
    from
}

/// Many empty squares.
struct Deep<'a, 'b> {
    searcher: &'a mut Searcher<'b>,
    board: Board,
    alpha: i32,
    left: u32,
}

impl Kernel for Deep<'_, '_> {
    type Output = i32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i32 {
        let Deep {
            searcher,
            board,
            alpha,
            left,
        } = self;
        searcher.nodes += 1;
        if searcher.nodes >= searcher.poll_at {
            searcher.poll();
        }
        if searcher.stopped {
            return alpha;
        }
        let table = searcher.table(left);
        let place = table.place(board);
        if let Some(score) = cut_by_stability(searcher, board, alpha) {
            return score;
        }
        let known = table.recall(place).unwrap_or(UNKNOWN);
        if known.lower > alpha {
            return known.lower;
        }
        if known.upper <= alpha {
            return known.upper;
        }
        let moves = board.moves(simd);
        if moves == 0 {
            let passed = board.passed();
            if passed.moves(simd) == 0 {
                return board.final_score();
            }
            return -simd.call(Deep {
                searcher,
                board: passed,
                alpha: -alpha - 1,
                left,
            });
        }
        let begun = searcher.nodes;
        let mut candidates = Candidates::default();
        candidates.add(simd, board, moves);
        if left >= LOOK_AHEAD_FROM
            && let Some(score) = look_ahead(searcher.table(left - 1), &candidates, alpha)
        {
            return score;
        }
        searcher.put_in_order(simd, board, &mut candidates, known.moves, left);
        let (best, mv) = try_candidates(simd, searcher, &mut candidates, alpha, left);
        if searcher.stopped {
            return alpha;
        }
        let known = known.with(best, alpha, mv);
        table.store(place, known, searcher.nodes - begun);
        best
    }
}

/// The score of a move that is known to exceed `alpha`.
#[inline(always)]
fn look_ahead(table: &TranspositionTable, candidates: &Candidates, alpha: i32) -> Option<i32> {
    // All are fetched at once: memory answers none sooner than all.
    for mv in candidates.all() {
        table.fetch(table.place(mv.next));
    }
    candidates.all().iter().find_map(|mv| {
        let score = -table.recall(table.place(mv.next))?.upper;
        (score > alpha).then_some(score)
    })
}

/// The best score and the move that has it.
#[inline(always)]
fn try_candidates<S: Simd>(
    simd: S,
    searcher: &mut Searcher<'_>,
    candidates: &mut Candidates,
    alpha: i32,
    left: u32,
) -> (i32, u8) {
    let busy = searcher.course.busy.filter(|_| left >= BUSY_FROM);
    let mut best = (NONE, NO_MOVE);
    while let Some(mv) = candidates.take() {
        // The first is searched by all threads, for mostly it decides. While another thread searches
        // one of the rest, the others come first.
        let is_busy = || busy.is_some_and(|busy| busy.has(hash(mv.next)));
        if best.0 != NONE && is_busy() && candidates.put_off(mv) {
            continue;
        }
        let score = -enter(busy, mv.next, || {
            exceeds(simd, searcher, mv.next, -alpha - 1)
        });
        if searcher.stopped {
            return best;
        }
        if score > best.0 {
            best = (score, mv.square);
            if score > alpha {
                return best;
            }
        }
    }
    best
}

/// Does this while the board counts as busy.
#[inline(always)]
fn enter<T>(busy: Option<&Busy>, board: Board, search: impl FnOnce() -> T) -> T {
    let Some(busy) = busy else {
        return search();
    };
    let hash = hash(board);
    busy.enter(hash);
    let result = search();
    busy.leave(hash);
    result
}

impl Known {
    /// With a score that was found fail-soft for `alpha`, and its move.
    #[inline(always)]
    fn with(mut self, score: i32, alpha: i32, mv: u8) -> Known {
        if score > alpha {
            self.lower = self.lower.max(score);
        } else {
            self.upper = self.upper.min(score);
        }
        if score > alpha || self.moves[0] == NO_MOVE {
            self.remember(mv);
        }
        self
    }

    #[inline(always)]
    fn remember(&mut self, mv: u8) {
        if self.moves[0] != mv {
            self.moves = [mv, self.moves[0]];
        }
    }
}

impl Kernel for Score<'_, '_> {
    type Output = i32;

    /// Principal variation search: the first move with the whole window, the others only where
    /// they exceed what was found.
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i32 {
        let Score {
            searcher,
            board,
            alpha,
            beta,
        } = self;
        let left = board.empty().count_ones();
        if left < TABLE_FROM {
            return climb(simd, searcher, board, alpha, beta);
        }
        searcher.nodes += 1;
        let table = searcher.table(left);
        let place = table.place(board);
        let known = table.recall(place).unwrap_or(UNKNOWN);
        if known.lower >= beta || known.lower == known.upper {
            return known.lower;
        }
        if known.upper <= alpha {
            return known.upper;
        }
        let moves = board.moves(simd);
        if moves == 0 {
            let board = board.passed();
            if board.moves(simd) == 0 {
                return -board.final_score();
            }
            return -simd.call(Score {
                searcher,
                board,
                alpha: -beta,
                beta: -alpha,
            });
        }
        let begun = searcher.nodes;
        let mut candidates = Candidates::default();
        candidates.add(simd, board, moves);
        searcher.put_in_order(simd, board, &mut candidates, known.moves, left);
        let mut best = (NONE, NO_MOVE);
        let busy = searcher.course.busy.filter(|_| left >= BUSY_FROM);
        while let Some(mv) = candidates.take() {
            let bound = alpha.max(best.0);
            let is_busy = || busy.is_some_and(|busy| busy.has(hash(mv.next)));
            if best.0 != NONE && is_busy() && candidates.put_off(mv) {
                continue;
            }
            let score = enter(busy, mv.next, || {
                let least = match best.0 {
                    NONE => alpha,
                    _ => -exceeds(simd, searcher, mv.next, -bound - 1) - 1,
                };
                if best.0 != NONE && (least < bound || least >= beta - 1) {
                    return least + 1;
                }
                -simd.call(Score {
                    searcher: &mut *searcher,
                    board: mv.next,
                    alpha: -beta,
                    beta: -least,
                })
            });
            if searcher.stopped {
                return alpha;
            }
            if score > best.0 {
                best = (score, mv.square);
                if score >= beta {
                    break;
                }
            }
        }
        let (score, mv) = best;
        let mut known = known;
        if score > alpha {
            known.lower = known.lower.max(score);
            known.remember(mv);
        }
        if score < beta {
            known.upper = known.upper.min(score);
        }
        table.store(place, known, searcher.nodes - begun);
        score
    }
}

/// The score by null windows, from below.
#[inline(always)]
fn climb<S: Simd>(
    simd: S,
    searcher: &mut Searcher<'_>,
    board: Board,
    alpha: i32,
    beta: i32,
) -> i32 {
    let mut score = exceeds(simd, searcher, board, alpha);
    let mut bound = alpha;
    while bound < score && score < beta {
        bound = score;
        score = exceeds(simd, searcher, board, bound);
    }
    // Where the last one does not exceed the bound, the score lies between: it is the bound.
    if bound > alpha {
        score.max(bound)
    } else {
        score
    }
}
