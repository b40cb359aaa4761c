//! Alpha-beta with null windows.
//!
//! All scores are fail-soft: where one exceeds `alpha`, the true score is no less, and else it is
//! no more.

use super::board::{Board, odd_quadrants, squares};
use super::last::{Last, NONE};
use super::order::{Candidate, Candidates, Judge, by_counting, by_judgement};
use super::stability::{Edges, stable_discs_of_opponent};
use super::table::{Known, NO_MOVE, TranspositionTable, UNKNOWN, hash};
use crate::knowledge::busy::Busy;
use crate::simd::{Isa, Kernel, Simd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Fewest empty squares for which the table is asked and the moves are put in order.
const TABLE_FROM: u32 = 7;

/// Most empty squares for which a thread asks its own small table.
const NEAR_UP_TO: u32 = 9;

/// Fewest empty squares for which all replies are looked up before the first is searched.
const LOOK_AHEAD_FROM: u32 = 9;

/// Fewest empty squares for which a learned judgement orders the moves. (Measured:
/// `docs/EXPERIMENTS.md`, Reversi.)
const JUDGE_FROM: u32 = 12;

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

    /// The score of a board, fail-soft, where it exceeds `alpha` or not. `None`: it gave up.
    pub fn exceeds(&mut self, board: Board, alpha: i32) -> Option<i32> {
        let score = Isa::current().run(Exceeds(&mut *self, board, alpha));
        (!self.stopped).then_some(score)
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
        known: u8,
        left: u32,
    ) {
        match self.course.judge {
            Some(judge) if left >= JUDGE_FROM => {
                by_judgement(simd, judge, board, candidates.rest_mut(), known);
            }
            _ => by_counting(simd, board, candidates.rest_mut(), known),
        }
    }

    /// Where the threads are, if they go different ways with so many empty squares.
    #[inline(always)]
    fn busy(&self, left: u32) -> Option<&'a Busy> {
        self.course.busy.filter(|_| left >= BUSY_FROM)
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

/// [`exceeds`] as a kernel.
struct Exceeds<'a, 'b>(&'a mut Searcher<'b>, Board, i32);

impl Kernel for Exceeds<'_, '_> {
    type Output = i32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i32 {
        exceeds(simd, self.0, self.1, self.2)
    }
}

/// The score of a board, fail-soft, by any number of empty squares.
#[inline(always)]
fn exceeds<S: Simd>(simd: S, searcher: &mut Searcher<'_>, board: Board, alpha: i32) -> i32 {
    match board.empty().count_ones() {
        4 => simd.call(Last::<4> { board, alpha }),
        0..TABLE_FROM => simd.call(Shallow(searcher, board, alpha)),
        left => simd.call(Deep(searcher, board, alpha, left)),
    }
}

/// The same with a few empty squares: no table, and no order but by parity.
struct Shallow<'a, 'b>(&'a mut Searcher<'b>, Board, i32);

impl Kernel for Shallow<'_, '_> {
    type Output = i32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i32 {
        let Shallow(searcher, board, alpha) = self;
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
                false => simd.call(Shallow(&mut *searcher, next, alpha_next)),
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

/// The same with many empty squares, whose number is the last field.
struct Deep<'a, 'b>(&'a mut Searcher<'b>, Board, i32, u32);

impl Kernel for Deep<'_, '_> {
    type Output = i32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i32 {
        let Deep(searcher, board, alpha, left) = self;
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
            return -simd.call(Deep(searcher, passed, -alpha - 1, left));
        }
        let begun = searcher.nodes;
        let mut candidates = Candidates::default();
        candidates.add(simd, board, moves);
        if left >= LOOK_AHEAD_FROM
            && let Some(score) = look_ahead(searcher.table(left - 1), &candidates, alpha)
        {
            return score;
        }
        let [first, second] = known.moves;
        let mut best = (NONE, NO_MOVE);
        if let Some(mv) = candidates.take_square(first) {
            best = (follow(simd, searcher, mv, alpha, left), mv.square);
        }
        // Mostly a move that is known decides, and the others need no order.
        if best.0 <= alpha {
            searcher.put_in_order(simd, board, &mut candidates, second, left);
            best = try_candidates(simd, searcher, &mut candidates, best, alpha, left);
        }
        let (best, mv) = best;
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

/// The best score and its move, by those that were not tried yet and what the others have.
#[inline(always)]
fn try_candidates<S: Simd>(
    simd: S,
    searcher: &mut Searcher<'_>,
    candidates: &mut Candidates,
    mut best: (i32, u8),
    alpha: i32,
    left: u32,
) -> (i32, u8) {
    let busy = searcher.busy(left);
    while let Some(mv) = candidates.take() {
        // The first is searched by all threads, for mostly it decides. While another thread searches
        // one of the rest, the others come first.
        let is_busy = || busy.is_some_and(|busy| busy.has(hash(mv.next)));
        if best.0 != NONE && is_busy() && candidates.put_off(mv) {
            continue;
        }
        let score = follow(simd, searcher, mv, alpha, left);
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

/// The score of a move, which counts as busy meanwhile.
#[inline(always)]
fn follow<S: Simd>(
    simd: S,
    searcher: &mut Searcher<'_>,
    mv: Candidate,
    alpha: i32,
    left: u32,
) -> i32 {
    let Some(busy) = searcher.busy(left) else {
        return -exceeds(simd, searcher, mv.next, -alpha - 1);
    };
    let hash = hash(mv.next);
    busy.enter(hash);
    let score = -exceeds(simd, searcher, mv.next, -alpha - 1);
    busy.leave(hash);
    score
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
