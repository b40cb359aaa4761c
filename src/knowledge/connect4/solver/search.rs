//! Alpha-beta with null windows.
//!
//! A node is only searched where nobody can end the game at once: wins are seen and forced
//! replies taken when a move is generated, two plies before they would be played. What was
//! measured for the ways of doing it is told where they are; figures are nodes, or time, over
//! the public sets Test_L2_R2 and the first 40 positions of Test_L1_R2.

use super::order::Orders;
use super::parity;
use super::sight::{Node, Sight, look, loss_in, win_in};
use super::table::{Bounds, Place, Tabled, TranspositionTable, mix};
use crate::game::connect4::MAX_SIZE;
use crate::knowledge::busy::Busy;
use crate::knowledge::connect4::bits::Bits;
use crate::knowledge::connect4::board::{Board, Lines, Shape};
use crate::knowledge::connect4::book::Book;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Fewest free cells for which a table is asked.
const TABLE_FROM: u32 = 8;

/// Fewest free cells for which the table of all threads is asked; below it each thread has one
/// of its own that fits into the cache of a core. Against one large table: twice as fast.
const SHARED_FROM: u32 = 21;

/// Until a search has looked at so many nodes it expects a score far from zero.
const SOON_NODES: u64 = 1 << 14;

/// Fewest free cells for which all replies are looked up before the first is searched: a tenth
/// less time. From 12 it is a fifth fewer nodes, but no less time.
const LOOK_AHEAD_FROM: u32 = 15;

/// Fewest free cells for which a position and its mirror image share an entry. On 7×6 further
/// down hardly any position meets its mirror image, and the mirror costs more than it saves.
const MIRROR_FROM: u32 = 30;

/// Nodes between two looks at whether to stop: some 300 µs.
const POLL_EVERY: u64 = 1 << 10;

/// What the threads of one search share.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    /// The opening book, if it knows the positions that the search will meet.
    pub book: Option<&'a Book<'static>>,
    /// Until a thread has looked at so many nodes it goes without the table of all threads.
    pub easy_nodes: u64,
    /// Set to stop all threads.
    pub stop: &'a AtomicBool,
    /// Asked now and then whether to stop.
    pub expired: &'a (dyn Fn() -> bool + Sync),
    /// Nodes that may still be searched, all threads together.
    pub nodes_left: &'a AtomicU64,
    /// Where the threads are, if there are several.
    pub busy: Option<&'a Busy>,
}

/// One thread of a search.
pub struct Searcher<'a, S: Tabled> {
    shape: &'a S,
    far: &'a TranspositionTable<S::Entry>,
    near: &'a TranspositionTable<S::Entry>,
    symmetric: bool,
    /// Free cells of the positions in the book; no position has so many if there is none.
    book_left: u32,
    course: Course<'a>,
    orders: &'a Orders,
    /// Nodes searched.
    pub nodes: u64,
    stopped: bool,
}

/// A move that was generated, with what is known of the position after it.
#[derive(Clone, Copy)]
struct Child<B> {
    cell: B,
    wins: B,
    replies: B,
    order: i32,
}

impl<'a, S: Tabled> Searcher<'a, S> {
    /// A thread that shares `far` with others and has `near` for itself.
    pub fn new(
        shape: &'a S,
        far: &'a TranspositionTable<S::Entry>,
        near: &'a TranspositionTable<S::Entry>,
        course: Course<'a>,
        orders: &'a Orders,
    ) -> Self {
        Searcher {
            shape,
            far,
            near,
            symmetric: is_symmetric(shape),
            book_left: course
                .book
                .map_or(u32::MAX, |book| shape.cells().count() - book.plies()),
            course,
            orders,
            nodes: 0,
            stopped: false,
        }
    }

    /// The exact score of a position. `None`: the search was stopped.
    pub fn score(&mut self, board: Board<S::Cells>) -> Option<i32> {
        match look(self.shape, board) {
            Sight::Score(score) => Some(score),
            Sight::Open(node) => self.narrow(&node),
        }
    }

    /// Whether the score of a position is above `alpha`. `None`: the search was stopped.
    pub fn exceeds(&mut self, board: Board<S::Cells>, alpha: i32) -> Option<bool> {
        match look(self.shape, board) {
            Sight::Score(score) => Some(score > alpha),
            Sight::Open(node) => {
                let score = self.test(&node, alpha);
                (!self.stopped).then_some(score > alpha)
            }
        }
    }

    /// The exact score by null windows. The further from zero a window is, the fewer plies are to
    /// be looked through. So the bounds are first moved towards zero by a quarter from either
    /// side, the wider one first, until one holds and decides the side; then only the far one.
    /// (Moved by half, as Pons does, the set Test_L1_R1 took 2.3 times the nodes.) Where
    /// that does not lead to the score soon it is mostly near zero, and the side is decided at
    /// once; from there the near bound moves by a third: a fifth fewer nodes for the hard
    /// positions of Test_L1_R3, as many for those of Test_L1_R2.
    fn narrow(&mut self, node: &Node<S::Cells>) -> Option<i32> {
        let (mut lower, mut upper) = bounds_at_sight(node.left);
        while lower < upper {
            let soon = self.nodes < SOON_NODES;
            let step = |width: i32| if soon { width * 3 / 4 } else { width / 3 };
            let alpha = if lower >= 0 {
                lower + step(upper - lower)
            } else if upper <= 0 {
                upper - 1 - step(upper - 1 - lower)
            } else if !soon {
                0
            } else if upper >= -lower {
                upper * 3 / 4
            } else {
                lower * 3 / 4
            };
            let score = self.test(node, alpha);
            if self.stopped {
                return None;
            }
            if score > alpha {
                lower = score;
            } else {
                upper = score;
            }
        }
        Some(lower)
    }

    /// Whether the score of a node is above `alpha`: then a lower bound of it that is above
    /// `alpha`, and else an upper bound that is not. Without meaning once the search stopped.
    fn test(&mut self, node: &Node<S::Cells>, alpha: i32) -> i32 {
        self.count_node();
        let (least, most) = bounds_at_sight(node.left);
        if least > alpha || least == most {
            return least;
        }
        if most <= alpha {
            return most;
        }
        if node.left == self.book_left
            && let Some(book) = self.course.book
        {
            return book.score(node.board.canonical_key(self.shape).words().0);
        }
        if let Some(bound) = parity::bound(self.shape, node, alpha) {
            return bound;
        }
        if node.left < TABLE_FROM {
            return self.search(node, alpha);
        }
        let table = self.table(node.left);
        let place = self.place(table, &node.board, node.left);
        let known = table.probe(place);
        let mut bounds = known.unwrap_or(Bounds {
            lower: least,
            upper: most,
        });
        if bounds.lower > alpha {
            return bounds.lower;
        }
        if bounds.upper <= alpha {
            return bounds.upper;
        }
        let before = self.nodes;
        let score = self.search(node, alpha);
        if self.stopped {
            return score;
        }
        if score > alpha {
            bounds.lower = score;
        } else {
            bounds.upper = score;
        }
        let work = self.nodes - before;
        table.store(place, bounds, work);
        score
    }

    /// Tries the moves of a node; the result is that of [`test`](Self::test).
    #[inline]
    fn search(&mut self, node: &Node<S::Cells>, alpha: i32) -> i32 {
        let mut children = S::all(Child::NONE);
        let Some(children) = self.generate(node, alpha, children.as_mut()) else {
            return win_in(3, node.left);
        };
        // Nothing wins in three plies.
        let most = win_in(5, node.left);
        if most <= alpha {
            return most;
        }
        if node.left >= LOOK_AHEAD_FROM
            && let Some(score) = self.refutation(node, children, alpha)
        {
            return score;
        }
        // Deeper down a thread has a table for itself, and nothing to gain from the others.
        match self.course.busy {
            Some(busy) if node.left > SHARED_FROM => self.try_apart(node, children, alpha, busy),
            _ => self.try_in_order(node, children, alpha),
        }
    }

    /// The best that these moves score, or the first score above `alpha`. They are tried one after
    /// the other: to give each of them a part of the nodes in turn took more nodes
    /// (`docs/EXPERIMENTS.md`, The solver of Connect Four).
    #[inline]
    fn try_in_order(
        &mut self,
        node: &Node<S::Cells>,
        children: &[Child<S::Cells>],
        alpha: i32,
    ) -> i32 {
        let mut best = loss_in(4, node.left);
        for child in children {
            let next = node.after(self.shape, child);
            best = best.max(-self.test(&next, -alpha - 1));
            if best > alpha || self.stopped {
                break;
            }
        }
        best
    }

    /// The same for one of several threads: those moves come last, of all but the first, that lead
    /// to where another one is. By then its answer is mostly in the table (ABDADA, Weill 1996, as
    /// T. Kerrigan has simplified it). Two threads then look at a fourth more
    /// nodes than one, without it at half as many again.
    fn try_apart(
        &mut self,
        node: &Node<S::Cells>,
        children: &[Child<S::Cells>],
        alpha: i32,
        busy: &Busy,
    ) -> i32 {
        let mut best = loss_in(4, node.left);
        let mut deferred = SmallVec::<[_; MAX_SIZE]>::new();
        for (number, child) in children.iter().enumerate() {
            let next = node.after(self.shape, child);
            let key = key_in_table(self.shape, self.symmetric, &next.board, next.left);
            let hash = mix(key);
            if number > 0 && busy.has(hash) {
                deferred.push((next, hash));
                continue;
            }
            best = best.max(self.answer(&next, hash, alpha, busy));
            if best > alpha || self.stopped {
                return best;
            }
        }
        for (next, hash) in deferred {
            best = best.max(self.answer(&next, hash, alpha, busy));
            if best > alpha || self.stopped {
                break;
            }
        }
        best
    }

    /// What a move scores that leads to this position.
    fn answer(&mut self, next: &Node<S::Cells>, hash: u64, alpha: i32, busy: &Busy) -> i32 {
        busy.enter(hash);
        let score = -self.test(next, -alpha - 1);
        busy.leave(hash);
        score
    }

    /// The moves of a node in order, in the array that is given for them. `None`: one of them wins
    /// in three plies, for every reply to it loses at once.
    ///
    /// All moves at once in the lanes of AVX-512 took 2 % less time than this code compiled for the
    /// same processor, and that 7 % less than for any.
    #[inline]
    fn generate<'c>(
        &self,
        node: &Node<S::Cells>,
        alpha: i32,
        children: &'c mut [Child<S::Cells>],
    ) -> Option<&'c [Child<S::Cells>]> {
        let shape = self.shape;
        let ratings = self.orders.of(alpha, node.left);
        let landings = shape.landings(node.board.filled);
        let mut count = 0;
        let mut rest = node.moves;
        while !rest.is_empty() {
            let cell = rest.lowest();
            rest = rest.without_lowest();
            let above = shape.above(cell);
            let wins = shape.completions(node.board.own | cell) & !node.board.filled;
            let replies = shape.quiet_moves(landings & !cell | above, wins);
            if replies.is_empty() {
                return None;
            }
            let gives_away = node.own_wins.meets(above);
            let order = ratings.rate(cell.index(), wins.count(), gives_away);
            let mut slot = count;
            while slot > 0 && children[slot - 1].order < order {
                children[slot] = children[slot - 1];
                slot -= 1;
            }
            children[slot] = Child {
                cell,
                wins,
                replies,
                order,
            };
            count += 1;
        }
        children.get(..count)
    }

    /// A lower bound above `alpha` that a table knows of a move (enhanced transposition
    /// cutoff, Schaeffer and Plaat 1996).
    fn refutation(
        &self,
        node: &Node<S::Cells>,
        children: &[Child<S::Cells>],
        alpha: i32,
    ) -> Option<i32> {
        let left = node.left - 1;
        let table = self.table(left);
        let scores = children.iter().filter_map(|child| {
            let board = node.board.after(self.shape, child.cell);
            Some(-table.probe(self.place(table, &board, left))?.upper)
        });
        scores.filter(|&score| score > alpha).max()
    }

    fn table(&self, left: u32) -> &'a TranspositionTable<S::Entry> {
        if left < SHARED_FROM || self.nodes < self.course.easy_nodes {
            self.near
        } else {
            self.far
        }
    }

    #[inline]
    fn place(
        &self,
        table: &TranspositionTable<S::Entry>,
        board: &Board<S::Cells>,
        left: u32,
    ) -> Place {
        table.place(key_in_table(self.shape, self.symmetric, board, left))
    }

    #[inline]
    fn count_node(&mut self) {
        self.nodes += 1;
        if self.nodes.is_multiple_of(POLL_EVERY) {
            self.poll();
        }
    }

    #[cold]
    fn poll(&mut self) {
        let spend = |left: u64| left.checked_sub(POLL_EVERY);
        let order = Ordering::Relaxed;
        let spent = self.course.nodes_left.fetch_update(order, order, spend);
        self.stopped = self.stopped
            || self.course.stop.load(order)
            || spent.is_err()
            || (self.course.expired)();
    }
}

impl<B: Bits> Node<B> {
    /// The position after a move that was generated here.
    #[inline]
    fn after<S: Shape<Cells = B>>(&self, shape: &S, child: &Child<B>) -> Node<B> {
        Node {
            board: self.board.after(shape, child.cell),
            own_wins: self.their_wins,
            their_wins: child.wins,
            moves: child.replies,
            left: self.left - 1,
        }
    }
}

impl<B: Bits> Child<B> {
    const NONE: Child<B> = Child {
        cell: B::ZERO,
        wins: B::ZERO,
        replies: B::ZERO,
        order: 0,
    };
}

/// The least and the greatest score of a node: nobody wins in two plies.
#[inline]
fn bounds_at_sight(left: u32) -> (i32, i32) {
    if left <= 2 {
        return (0, 0);
    }
    (loss_in(4, left), win_in(3, left))
}

/// The key under which a position with `left` free cells is kept.
#[inline]
fn key_in_table<S: Shape>(
    shape: &S,
    is_symmetric: bool,
    board: &Board<S::Cells>,
    left: u32,
) -> (u64, u64) {
    let key = match left >= MIRROR_FROM && is_symmetric {
        true => board.canonical_key(shape),
        false => board.key(shape),
    };
    key.words()
}

/// What the table of a thread and that of all threads know of a position with `left` free cells.
pub fn recall<S: Tabled>(
    shape: &S,
    near: &TranspositionTable<S::Entry>,
    far: &TranspositionTable<S::Entry>,
    board: &Board<S::Cells>,
    left: u32,
) -> Option<Bounds> {
    let key = key_in_table(shape, is_symmetric(shape), board, left);
    let of = |table: &TranspositionTable<S::Entry>| table.probe(table.place(key));
    match left {
        ..TABLE_FROM => None,
        TABLE_FROM..SHARED_FROM => of(near),
        SHARED_FROM.. => of(far),
    }
}

fn is_symmetric(shape: &impl Shape) -> bool {
    shape.mirrored(shape.hole()) == shape.hole()
}
