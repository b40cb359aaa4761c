//! Connect Four's exact solver: alpha-beta on bitboards.
//!
//! A score counts stones, as the public collections of positions do: the side to move wins
//! with its last stone but `score - 1`, or loses so to the other side, or draws with 0. On 7×6
//! a win with the fourth stone is 18.
//!
//! [`sight`] says what a position tells at sight, [`parity`] what parity proves, [`order`] which move to
//! try first; [`table`] keeps what was proven, [`search`]
//! looks for it, and [`Busy`] sends its threads different ways. [`opening`] lists the positions of the
//! opening book and its appendix, [`reach`] tells whether they apply.

pub mod opening;
pub mod order;
mod parity;
mod reach;
mod search;
mod sight;
mod table;

#[cfg(test)]
pub(super) mod tests;

use super::board::{Any, Board, Large, Middle, Shape, Small, Standard};
use super::book::{self, Book};
use crate::crew::Crew;
use crate::game::connect4::Connect4;
use crate::game::{Game, Move, Moves, Outcome, Playable, Setup};
use crate::knowledge::Effort;
use crate::knowledge::busy::Busy;
use order::{Orders, Weights};
use search::{Course, Searcher};
use sight::win_in;
use std::any::TypeId;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use table::{Bounds, Tabled, TranspositionTable};

/// Solves positions of one setup, and remembers what it found from one to the next.
pub struct Solver {
    setup: Setup,
    engine: Box<dyn Engine>,
    book: Option<Book<'static>>,
    nodes: AtomicU64,
}

/// The most bytes of the table that each thread has for itself: it should stay in a core's own
/// cache. A fourth of it takes 6 % more time, four times as much the same.
const NEAR_BYTES: usize = 512 << 10;

/// Until a search has looked at so many nodes it goes without the table of all threads, whose
/// pages the system would have to clear for it first: an easy position is solved by then. The
/// sets Test_L2_R1 and Test_L1_R1 take half and a third of the time, the others the same. After
/// a search that went further all of them use that table from the start, for the next position
/// is mostly near the last: of 1,500 positions of the opening book in a row the solver looks at
/// an eighth fewer nodes.
const EASY_NODES: u64 = 1 << 16;

impl Solver {
    /// A solver for a game that can be played so, with `threads` threads, 1 at the least. Its
    /// tables, one for each thread and one for all, take at most `bytes` bytes, but never less
    /// than 64 KiB each (32 on 7×6).
    #[must_use]
    pub fn new(setup: &Setup, bytes: usize, threads: u32) -> Solver {
        let bits = u32::from(setup.cols) * (u32::from(setup.rows) + 1);
        let is_standard = setup.hole().is_none()
            && (setup.cols, setup.rows, setup.connect4().connect) == (7, 6, 4);
        let engine: Box<dyn Engine> = match bits {
            _ if is_standard => {
                let mut threads = Threads::new(Standard, bytes, threads);
                if let Some(weights) = Weights::own() {
                    threads.try_in_order(&weights);
                }
                Box::new(threads)
            }
            0..=64 => Box::new(Threads::<Small>::new(Any::new(setup), bytes, threads)),
            65..=128 => Box::new(Threads::<Middle>::new(Any::new(setup), bytes, threads)),
            _ => Box::new(Threads::<Large>::new(Any::new(setup), bytes, threads)),
        };
        Solver {
            setup: *setup,
            engine,
            book: None,
            nodes: AtomicU64::new(0),
        }
    }

    /// The same with the opening book of this program, where it is made with one.
    #[must_use]
    pub fn with_own_book(self) -> Solver {
        match book::own() {
            Some(book) => self.with_book(book),
            None => self,
        }
    }

    /// The solver with this opening book, where the game is played on the standard board.
    #[must_use]
    pub fn with_book(mut self, book: Book<'static>) -> Solver {
        if self.engine.is_standard() {
            self.book = Some(book);
        }
        self
    }

    /// The solver with these weights for the order of the moves on 7×6. On other boards it keeps
    /// the order that it has.
    #[must_use]
    pub fn with_weights(mut self, weights: &Weights) -> Solver {
        self.engine.try_in_order(weights);
        self
    }

    /// A solver with one thread that shares the large table of this one, but not its book.
    #[must_use]
    pub fn sibling(&self) -> Solver {
        Solver {
            setup: self.setup,
            engine: self.engine.sibling(),
            book: None,
            nodes: AtomicU64::new(0),
        }
    }

    /// The score of a position of this setup. `None`: the effort was not enough, or a stone may
    /// still be stolen, which no score counts, or the game is over.
    #[must_use]
    pub fn score(&self, position: &Connect4, effort: &Effort<'_>) -> Option<i32> {
        self.ask(position, Question::Score, effort)
    }

    /// The score of a legal move for the side that plays it. `None` as above.
    #[must_use]
    pub fn move_score(&self, position: &Connect4, mv: Move, effort: &Effort<'_>) -> Option<i32> {
        let next = after(position, mv);
        match next.outcome() {
            Some(Outcome::DRAW) => Some(0),
            Some(_) => Some(win_in(1, position.max_plies_left())),
            None => Some(-self.score(&next, effort)?),
        }
    }

    /// The score of a game that is over, for the side that would move next. `None`: it goes on, or that
    /// side has the row, to which no game leads.
    #[must_use]
    pub fn score_at_end(position: &Connect4) -> Option<i32> {
        match position.outcome()? {
            Outcome::DRAW => Some(0),
            outcome if outcome.winner() == Some(position.side_to_move()) => None,
            // What its last move was worth to the other side.
            _ => Some(-win_in(1, position.free() + 1)),
        }
    }

    /// The score of a position and the moves that attain it: every one that draws, or else the
    /// fastest win or the slowest loss, the nearest to the centre of several. `None` as above.
    #[must_use]
    pub fn best(&self, position: &Connect4, effort: &Effort<'_>) -> Option<(Moves, i32)> {
        let score = self.score(position, effort)?;
        let moves = from_the_centre(position);
        let mut best = Moves::new();
        for (&mv, rest) in moves.iter().zip((0..moves.len()).rev()) {
            // Some move attains the score, so the last one needs no test.
            let only = rest == 0 && best.is_empty();
            if only || self.attains(&after(position, mv), score, effort)? {
                best.push(mv);
                if score != 0 {
                    break;
                }
            }
        }
        Some((best, score))
    }

    /// What a position is worth: 1, 0 or -1 if the side to move wins, draws or loses. It takes far
    /// less than the score. `None` as above.
    #[must_use]
    pub fn value(&self, position: &Connect4, effort: &Effort<'_>) -> Option<i32> {
        let exceeds = |bound| self.ask(position, Question::Exceeds(bound), effort);
        match exceeds(0)? {
            1 => Some(1),
            _ => Some(exceeds(-1)? - 1),
        }
    }

    /// What a position is worth, and the moves that keep that. `None`: the effort was not enough
    /// for the value, or as above.
    ///
    /// One move is looked at after the other, first the one that the book advises. Other orders
    /// took longer: `docs/EXPERIMENTS.md`, The solver of Connect Four.
    #[must_use]
    pub fn keeping(&self, position: &Connect4, effort: &Effort<'_>) -> Option<Keeping> {
        let value = self.value(position, effort)?;
        let mut keeping = Keeping {
            value,
            known: Moves::new(),
            open: self.advised_first(position),
        };
        if value < 0 {
            return Some(keeping);
        }
        for mv in std::mem::take(&mut keeping.open) {
            match self.attains(&after(position, mv), value, effort) {
                Some(true) => keeping.known.push(mv),
                Some(false) => {}
                None => keeping.open.push(mv),
            }
            if value > 0 && !keeping.known.is_empty() {
                break;
            }
        }
        if keeping.known.is_empty() && keeping.open.len() == 1 {
            std::mem::swap(&mut keeping.known, &mut keeping.open);
        }
        Some(keeping)
    }

    /// A move that scores as much as `score`, the nearest to the centre of several. `None` also
    /// where there is none.
    #[must_use]
    pub fn attaining(&self, position: &Connect4, score: i32, effort: &Effort<'_>) -> Option<Move> {
        let attains = |mv: &Move| self.attains(&after(position, *mv), score, effort) == Some(true);
        from_the_centre(position).into_iter().find(attains)
    }

    /// The least and the greatest score that a position of this setup can have, by what is still
    /// known from earlier questions. Nothing is searched. `None`: it was not met, it is decided at
    /// sight, or a stone may still be stolen.
    #[must_use]
    pub fn recall(&self, position: &Connect4) -> Option<(i32, i32)> {
        if position.awaits_steal() {
            return None;
        }
        let bounds = self.engine.recall(position)?;
        Some((bounds.lower, bounds.upper))
    }

    /// Whether the side to move wins within so many plies, an odd number. `None` as above.
    #[must_use]
    pub fn wins_within(
        &self,
        position: &Connect4,
        plies: u32,
        effort: &Effort<'_>,
    ) -> Option<bool> {
        let score = win_in(plies, position.max_plies_left()).max(1);
        Some(self.ask(position, Question::Exceeds(score - 1), effort)? == 1)
    }

    /// Whether the side that plays this legal move wins within so many plies, the move among
    /// them. `None` as above.
    #[must_use]
    pub fn wins_by(
        &self,
        position: &Connect4,
        mv: Move,
        plies: u32,
        effort: &Effort<'_>,
    ) -> Option<bool> {
        let score = win_in(plies, position.max_plies_left()).max(1);
        self.attains(&after(position, mv), score, effort)
    }

    /// Whether the move that led here scores as much as `score`.
    fn attains(&self, next: &Connect4, score: i32, effort: &Effort<'_>) -> Option<bool> {
        match next.outcome() {
            Some(Outcome::DRAW) => Some(score <= 0),
            Some(_) => Some(true),
            None => Some(self.ask(next, Question::Exceeds(-score), effort)? == 0),
        }
    }

    fn ask(&self, position: &Connect4, question: Question, effort: &Effort<'_>) -> Option<i32> {
        if position.setup() != self.setup || position.outcome().is_some() || position.awaits_steal()
        {
            return None;
        }
        let book = self.book.as_ref().filter(|_| self.is_in_book(position));
        let means = Means { book, effort };
        let (answer, nodes) = self.engine.ask(position, question, means);
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
        answer
    }

    /// A move that should keep the value of the position, where the opening book has one. It is
    /// no proof, for the book cannot tell the positions that it has from all others.
    #[must_use]
    pub fn advice(&self, position: &Connect4) -> Option<Move> {
        let book = self.book.as_ref()?;
        if position.awaits_steal() {
            return None;
        }
        let board = Board::of(&Standard, position);
        let stones = board.filled.count_ones();
        if !book.advises(stones) || !reach::can_arise(position, stones) {
            return None;
        }
        let key = board.canonical_key(&Standard);
        let column = u16::from(book.column(stones, key)?);
        let is_mirrored = key != board.key(&Standard);
        let column = if is_mirrored { 6 - column } else { column };
        let mut moves = from_the_centre(position).into_iter();
        moves.find(|mv| mv.code() == column)
    }

    /// The legal moves, first the one that the book advises, then the nearest to the centre.
    fn advised_first(&self, position: &Connect4) -> Moves {
        let mut moves = from_the_centre(position);
        let advice = self.advice(position);
        moves.sort_by_key(|&mv| Some(mv) != advice);
        moves
    }

    /// Whether the opening book leads on from this position.
    #[must_use]
    pub fn is_in_book(&self, position: &Connect4) -> bool {
        let book = self.book.as_ref().filter(|_| !position.awaits_steal());
        book.is_some_and(|book| reach::can_arise(position, book.plies()))
    }

    /// Nodes searched since the solver was made.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }
}

/// The legal moves, the nearest to the centre first.
fn from_the_centre(position: &Connect4) -> Moves {
    let mut moves = Moves::new();
    position.legal_moves(&mut moves);
    let centre = i32::from(position.setup().cols) - 1;
    moves.sort_by_key(|mv| (2 * i32::from(mv.code()) - centre).abs());
    moves
}

fn after(position: &Connect4, mv: Move) -> Connect4 {
    let mut next = position.clone();
    next.play(mv);
    next
}

/// What a position is worth, and which moves keep that.
#[derive(Clone, Debug)]
pub struct Keeping {
    /// 1, 0 or -1 if the side to move wins, draws or loses.
    pub value: i32,
    /// Moves that keep it: a winning one, or all that were found to draw. None where all lose.
    pub known: Moves,
    /// Moves that may keep it. One does if none is known.
    pub open: Moves,
}

#[derive(Clone, Copy)]
enum Question {
    /// What is the score?
    Score,
    /// Is the score above this? 1 if so, else 0.
    Exceeds(i32),
}

/// What may be spent and looked up for an answer.
#[derive(Clone, Copy)]
struct Means<'a> {
    book: Option<&'a Book<'static>>,
    effort: &'a Effort<'a>,
}

/// The solver of one shape.
trait Engine: Send + Sync {
    /// The answer, and the nodes that it took.
    fn ask(&self, position: &Connect4, question: Question, means: Means<'_>) -> (Option<i32>, u64);

    /// What the tables know of a position: that of all threads, and that of the first.
    fn recall(&self, position: &Connect4) -> Option<Bounds>;

    /// Whether the board is the one of the book and of the weights.
    fn is_standard(&self) -> bool;

    /// Goes by these weights from now on, if the board is theirs.
    fn try_in_order(&mut self, weights: &Weights);

    /// One thread that shares the large table.
    fn sibling(&self) -> Box<dyn Engine>;
}

/// The threads of a search, with their tables.
struct Threads<S: Tabled> {
    shape: S,
    far: Arc<TranspositionTable<S::Entry>>,
    near: Vec<TranspositionTable<S::Entry>>,
    orders: Arc<Orders>,
    /// Whether a search has used the far table.
    warm: AtomicBool,
    /// Where the threads are, if there are several.
    busy: Option<Busy>,
    crew: Crew,
}

impl<S: Tabled> Threads<S> {
    fn new(shape: S, bytes: usize, threads: u32) -> Threads<S> {
        let threads = threads.max(1);
        let near_bytes = NEAR_BYTES.min(bytes / 2 / threads as usize);
        let far_bytes = bytes - near_bytes * threads as usize;
        Threads {
            shape,
            far: Arc::new(TranspositionTable::new(far_bytes, key_bits(&shape))),
            near: (0..threads)
                .map(|_| TranspositionTable::new(near_bytes, key_bits(&shape)))
                .collect(),
            orders: Arc::new(Orders::from_centre(&shape)),
            warm: AtomicBool::new(false),
            busy: (threads > 1).then(Busy::new),
            crew: Crew::new(threads as usize),
        }
    }
}

fn key_bits(shape: &impl Shape) -> u32 {
    shape.columns() * shape.stride()
}

impl<S: Tabled + 'static> Engine for Threads<S> {
    fn is_standard(&self) -> bool {
        TypeId::of::<S>() == TypeId::of::<Standard>()
    }

    fn try_in_order(&mut self, weights: &Weights) {
        if self.is_standard() {
            self.orders = Arc::new(Orders::weighted(weights));
        }
    }

    fn recall(&self, position: &Connect4) -> Option<Bounds> {
        let board = Board::of(&self.shape, position);
        let near = self.near.first()?;
        search::recall(
            &self.shape,
            near,
            &self.far,
            &board,
            position.max_plies_left(),
        )
    }

    fn sibling(&self) -> Box<dyn Engine> {
        Box::new(Threads {
            shape: self.shape,
            far: self.far.clone(),
            near: vec![TranspositionTable::new(NEAR_BYTES, key_bits(&self.shape))],
            orders: self.orders.clone(),
            warm: AtomicBool::new(self.warm.load(Ordering::Relaxed)),
            busy: None,
            crew: Crew::new(1),
        })
    }

    /// All threads search the same, by different ways, and share what they find: the first answer
    /// ends the others.
    fn ask(&self, position: &Connect4, question: Question, means: Means<'_>) -> (Option<i32>, u64) {
        let board = Board::of(&self.shape, position);
        let easy_nodes = match self.warm.load(Ordering::Relaxed) {
            true => 0,
            false => EASY_NODES,
        };
        let Means { book, effort } = means;
        let course = Course {
            book,
            easy_nodes,
            stop: &AtomicBool::new(false),
            expired: effort.expired,
            nodes_left: &AtomicU64::new(effort.nodes),
            busy: self.busy.as_ref(),
        };
        let run = |near| {
            let mut searcher = Searcher::new(&self.shape, &self.far, near, course, &self.orders);
            let answer = match question {
                Question::Score => searcher.score(board),
                Question::Exceeds(bound) => searcher.exceeds(board, bound).map(i32::from),
            };
            if answer.is_some() {
                course.stop.store(true, Ordering::Relaxed);
            }
            if searcher.nodes > EASY_NODES {
                self.warm.store(true, Ordering::Relaxed);
            }
            (answer, searcher.nodes)
        };
        let mut results = vec![(None, 0); self.near.len()];
        let threads = self.near.iter().zip(&mut results);
        let mut jobs = threads.map(|(near, result)| move || *result = run(near));
        if let Some(first) = jobs.next() {
            self.crew.work(first, jobs);
        }
        results
            .into_iter()
            .fold((None, 0), |(answer, nodes), (other, more)| {
                (answer.or(other), nodes + more)
            })
    }
}
