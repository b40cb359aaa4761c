//! Rollouts of Connect Four by players who look one ply ahead, in eight lanes, a game in each.
//!
//! A player makes a row where it can. Else it stops a row that the opponent could make next.
//! Else it plays below two cells, one on top of the other, that would each complete a row of its
//! own, as only the lower one can be stopped. Else it leaves alone the cells right below those
//! that would complete a row of either side, as long as it has others: a stone there gives the
//! opponent the row, or the chance to stop one's own. All that is left is equally likely.
//!
//! So columns with a threat fill last, and who must open them is decided by the number of cells
//! left elsewhere, as it is among those who know the game. Playing on top of the last stone is how
//! they keep to the cells of their parity; without it, who profits from the parity was seen only
//! near the end.
//!
//! A set of cells is one word or more, with a field of bits for every column, the bottom at its
//! low end. A field has a bit more than its column has cells at the least, which no stone stands
//! on. Columns take turns among the words:
//!
//! ```text
//!            field    3       2       1       0
//!   word 0         column 9       6       3       0
//!   word 1               10       7       4       1
//!   word 2               11       8       5       2
//! ```
//!
//! So the neighbour of a column is in the same field of the next word, and a set moved sideways
//! is mostly the same words in another order.

use crate::game::connect4::{Connect4, MAX_SIZE};
use crate::game::{Game, Playable, Side};
use crate::rollout::{Random, Rollout, Tally};
use crate::simd::{Isa, Kernel, LaneRandom, Lanes, Simd, lane_count, union};
use rand::Rng;
use std::ops::{BitAnd, BitOr, Not};

/// A player who may play on top of the last stone does, but for one time in two to the power of
/// this. 3 won its matches: `docs/EXPERIMENTS.md`, Options of Connect Four.
const FOLLOW_BITS: u32 = 3;

/// The results of `count` such rollouts. As long as a stone may be stolen they are uniform. Every ISA
/// gives the same results.
#[must_use]
pub fn rollouts(position: &Connect4, isa: Isa, count: u32, random: &mut Random) -> Tally {
    if position.outcome().is_some() || position.awaits_steal() {
        return position.rollouts_on(isa, count, random);
    }
    let players = Knowing {
        position,
        isa,
        count,
        seed: random.next_u64(),
    };
    match position.rules().connect {
        3 => players.run::<3>(),
        4 => players.run::<4>(),
        _ => players.run::<5>(),
    }
}

struct Knowing<'a> {
    position: &'a Connect4,
    isa: Isa,
    count: u32,
    seed: u64,
}

impl Knowing<'_> {
    /// In as few words as hold the board.
    fn run<const CONNECT: usize>(&self) -> Tally {
        let setup = self.position.setup();
        match (setup.cols, setup.rows) {
            (..=8, ..=7) => self.run_in::<1, 8, CONNECT>(),
            (_, ..=9) => self.run_in::<2, 10, CONNECT>(),
            (..=10, ..=11) => self.run_in::<2, 12, CONNECT>(),
            _ => self.run_in::<3, 16, CONNECT>(),
        }
    }

    fn run_in<const WORDS: usize, const FIELD: u32, const CONNECT: usize>(&self) -> Tally {
        self.isa.run_lanes(Rollouts::<WORDS, FIELD, CONNECT> {
            position: self.position,
            count: self.count,
            seed: self.seed,
        })
    }
}

/// Such rollouts of a position that is not over and in which columns are all the moves, where
/// `CONNECT` in a row win. The board has fewer rows than a field has bits, and no more columns
/// than there are fields in all words.
#[derive(Clone, Copy)]
struct Rollouts<'a, const WORDS: usize, const FIELD: u32, const CONNECT: usize> {
    position: &'a Connect4,
    count: u32,
    /// Seed of the lanes' random words.
    seed: u64,
}

/// Sets of cells, one in each lane. Only cells of the board are in them, unless it is said.
///
/// Loops over words are written out all through this module: what closures and iterators call
/// is not compiled with the instructions of the ISA.
#[derive(Clone, Copy)]
struct Cells<L, const WORDS: usize, const FIELD: u32>([L; WORDS]);

/// Fields of a word.
const fn fields(field: u32) -> u32 {
    u64::BITS / field
}

/// The lowest bit of every field of a word.
const fn lowest_bits(field: u32) -> u64 {
    let mut bits = 0;
    let mut at = 0;
    while at < fields(field) {
        bits |= 1 << (at * field);
        at += 1;
    }
    bits
}

impl<L: Lanes, const WORDS: usize, const FIELD: u32> Cells<L, WORDS, FIELD> {
    /// The same columns in every lane: bit `height` of each.
    #[inline(always)]
    fn of_columns<S: Simd<Lanes = L>>(columns: [u16; MAX_SIZE], simd: S) -> Self {
        let mut words = [0; WORDS];
        for (col, cells) in columns.into_iter().enumerate() {
            let at = (col / WORDS) as u32;
            if at < fields(FIELD) {
                words[col % WORDS] |= u64::from(cells) << (at * FIELD);
            }
        }
        let mut cells = [simd.splat(0); WORDS];
        for word in 0..WORDS {
            cells[word] = simd.splat(words[word]);
        }
        Cells(cells)
    }

    /// Not zero where any cell is in the set.
    #[inline(always)]
    fn any(self) -> L {
        union(self.0)
    }

    /// These cells where `mask` has ones, `others` where it has none.
    #[inline(always)]
    fn choose(mask: L, these: Self, others: Self) -> Self {
        let mut cells = these;
        for word in 0..WORDS {
            cells.0[word] = mask.choose(these.0[word], others.0[word]);
        }
        cells
    }

    /// These cells in lanes where `mask` has ones, else none.
    #[inline(always)]
    fn in_lanes(mut self, mask: L) -> Self {
        for word in 0..WORDS {
            self.0[word] = self.0[word] & mask;
        }
        self
    }

    /// These cells in lanes where there are any, else the others.
    #[inline(always)]
    fn or_else(self, others: Self) -> Self {
        Self::choose(self.any().is_not_zero(), self, others)
    }

    /// The cells moved by so many columns to the right and so many rows up. What moves out of
    /// the board at its top or bottom may be anywhere; but from a cell one row off the board no
    /// stone can have come.
    #[inline(always)]
    fn moved(self, cols: i32, rows: i32) -> Self {
        let mut cells = self;
        for word in 0..WORDS {
            let from = word as i32 - cols;
            let source = self.0[from.rem_euclid(WORDS as i32) as usize];
            let up = rows - from.div_euclid(WORDS as i32) * FIELD as i32;
            cells.0[word] = match up {
                0 => source,
                1.. => source << up.unsigned_abs(),
                _ => source >> up.unsigned_abs(),
            };
        }
        cells
    }
}

macro_rules! operator {
    ($operator:ident, $name:ident, $op:tt) => {
        impl<L: Lanes, const WORDS: usize, const FIELD: u32> $operator for Cells<L, WORDS, FIELD> {
            type Output = Self;

            #[inline(always)]
            fn $name(mut self, other: Self) -> Self {
                for word in 0..WORDS {
                    self.0[word] = self.0[word] $op other.0[word];
                }
                self
            }
        }
    };
}

operator!(BitAnd, bitand, &);
operator!(BitOr, bitor, |);

impl<L: Lanes, const WORDS: usize, const FIELD: u32> Not for Cells<L, WORDS, FIELD> {
    type Output = Self;

    #[inline(always)]
    fn not(mut self) -> Self {
        for word in 0..WORDS {
            self.0[word] = !self.0[word];
        }
        self
    }
}

/// What one side has, in all lanes.
#[derive(Clone, Copy)]
struct Stones<C> {
    stones: C,
    /// The cells that complete a row; some may be filled.
    wins: C,
    /// The cells right below them.
    below: C,
    /// The cells right below two of them on top of each other.
    below_two: C,
}

/// The games of all lanes.
#[derive(Clone, Copy)]
struct Games<L, C> {
    /// The stones of the side to move.
    own: Stones<C>,
    other: Stones<C>,
    /// All stones, and the hole.
    filled: C,
    /// The last stone; none at the start, for the position does not tell it.
    last: C,
    /// All ones where the first side is to move, else none.
    turn: L,
}

/// What does not change in a game.
struct Rules<S: Simd, const WORDS: usize, const FIELD: u32, const CONNECT: usize> {
    simd: S,
    /// The cells of the board but the hole.
    cells: Cells<S::Lanes, WORDS, FIELD>,
    hole: Cells<S::Lanes, WORDS, FIELD>,
    /// The lowest cell of every column.
    bottom: Cells<S::Lanes, WORDS, FIELD>,
}

impl<const WORDS: usize, const FIELD: u32, const CONNECT: usize> Kernel
    for Rollouts<'_, WORDS, FIELD, CONNECT>
{
    type Output = Tally;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Tally {
        let rules = Rules::<S, WORDS, FIELD, CONNECT>::of(self.position, simd);
        let start = rules.games(self.position);
        let mut random = LaneRandom::new(simd, self.seed, 0);
        let lane_count = |lane| lane_count(self.count, lane);
        // Rollouts still to be finished by each lane.
        let mut left = simd.load(std::array::from_fn(|lane| u64::from(lane_count(lane))));
        let mut games = start;
        let mut wins = [simd.splat(0); 2];
        while left.any() {
            let draws = random.draw();
            for random in [draws, draws >> 32] {
                let landings = rules.landings(games.filled);
                let playing = left.is_not_zero();
                let won = (games.own.wins & landings).any().is_not_zero() & playing;
                let over = won | (playing & !landings.any().is_not_zero());
                // All ones are minus one.
                wins = [wins[0] - (won & games.turn), wins[1] - (won & !games.turn)];
                left = left + over;
                let candidates = rules.candidates(&games, landings, random);
                let stone = rules.draw(candidates, random);
                games = rules.after(&games, stone);
                if over.any() {
                    games = Games::choose(over, &start, &games);
                }
            }
        }
        let sum = |lanes| simd.words(lanes).into_iter().sum::<u64>() as u32;
        let rollouts = simd.lanes().map(lane_count).sum();
        Tally::of_wins(rollouts, [sum(wins[0]), sum(wins[1])])
    }
}

impl<L: Lanes, const WORDS: usize, const FIELD: u32> Stones<Cells<L, WORDS, FIELD>> {
    #[inline(always)]
    fn choose(mask: L, these: &Self, others: &Self) -> Self {
        Stones {
            stones: Cells::choose(mask, these.stones, others.stones),
            wins: Cells::choose(mask, these.wins, others.wins),
            below: Cells::choose(mask, these.below, others.below),
            below_two: Cells::choose(mask, these.below_two, others.below_two),
        }
    }
}

impl<L: Lanes, const WORDS: usize, const FIELD: u32> Games<L, Cells<L, WORDS, FIELD>> {
    #[inline(always)]
    fn choose(mask: L, these: &Self, others: &Self) -> Self {
        Games {
            own: Stones::choose(mask, &these.own, &others.own),
            other: Stones::choose(mask, &these.other, &others.other),
            filled: Cells::choose(mask, these.filled, others.filled),
            last: Cells::choose(mask, these.last, others.last),
            turn: mask.choose(these.turn, others.turn),
        }
    }
}

impl<S: Simd, const WORDS: usize, const FIELD: u32, const CONNECT: usize>
    Rules<S, WORDS, FIELD, CONNECT>
{
    #[inline(always)]
    fn of(position: &Connect4, simd: S) -> Self {
        let setup = position.setup();
        let columns = |cells: u16| {
            let mut columns = [0; MAX_SIZE];
            for column in columns.iter_mut().take(usize::from(setup.cols)) {
                *column = cells;
            }
            columns
        };
        let stones = [Side::First, Side::Second].map(|side| position.columns(side));
        let filled = position.filled();
        let hole = std::array::from_fn(|i| filled[i] & !stones[0][i] & !stones[1][i]);
        let hole = Cells::of_columns(hole, simd);
        Rules {
            simd,
            cells: Cells::of_columns(columns((1 << setup.rows) - 1), simd) & !hole,
            hole,
            bottom: Cells::of_columns(columns(1), simd),
        }
    }

    /// A game from this position in every lane.
    #[inline(always)]
    fn games(&self, position: &Connect4) -> Games<S::Lanes, Cells<S::Lanes, WORDS, FIELD>> {
        let mover = position.side_to_move();
        let stones = |side| Cells::of_columns(position.columns(side), self.simd);
        let turn = match mover {
            Side::First => u64::MAX,
            Side::Second => 0,
        };
        Games {
            own: self.stones(stones(mover)),
            other: self.stones(stones(mover.other())),
            filled: Cells::of_columns(position.filled(), self.simd),
            last: Cells::of_columns([0; MAX_SIZE], self.simd),
            turn: self.simd.splat(turn),
        }
    }

    #[inline(always)]
    fn stones(
        &self,
        stones: Cells<S::Lanes, WORDS, FIELD>,
    ) -> Stones<Cells<S::Lanes, WORDS, FIELD>> {
        let wins = self.completions(stones);
        let below = self.below(wins);
        Stones {
            stones,
            wins,
            below,
            below_two: self.below(wins & below),
        }
    }

    /// The cells right below these, and below the hole right below these.
    #[inline(always)]
    fn below(&self, cells: Cells<S::Lanes, WORDS, FIELD>) -> Cells<S::Lanes, WORDS, FIELD> {
        let below = cells.moved(0, -1);
        below | (below & self.hole).moved(0, -1)
    }

    /// The games after a stone of the side to move.
    #[inline(always)]
    fn after(
        &self,
        games: &Games<S::Lanes, Cells<S::Lanes, WORDS, FIELD>>,
        stone: Cells<S::Lanes, WORDS, FIELD>,
    ) -> Games<S::Lanes, Cells<S::Lanes, WORDS, FIELD>> {
        Games {
            own: games.other,
            other: self.stones(games.own.stones | stone),
            filled: games.filled | stone,
            last: stone,
            turn: !games.turn,
        }
    }

    /// Where the next stone of every column that is not full lands: to add the lowest cell to
    /// what is filled carries up to there, over the hole too.
    #[inline(always)]
    fn landings(&self, filled: Cells<S::Lanes, WORDS, FIELD>) -> Cells<S::Lanes, WORDS, FIELD> {
        let mut carried = filled;
        for word in 0..WORDS {
            carried.0[word] = filled.0[word] + self.bottom.0[word];
        }
        carried & self.cells & !filled
    }

    /// The cells that complete a row with these stones; some may be filled.
    #[inline(always)]
    fn completions(&self, stones: Cells<S::Lanes, WORDS, FIELD>) -> Cells<S::Lanes, WORDS, FIELD> {
        let mut found = stones.moved(0, 1);
        for by in 2..CONNECT as i32 {
            found = found & stones.moved(0, by);
        }
        for rise in -1..=1 {
            // The cells that have stones before them at these distances, or behind.
            let mut before = [stones; CONNECT];
            let mut behind = [stones; CONNECT];
            for by in 1..CONNECT {
                let step = by as i32;
                before[by] = stones.moved(step, step * rise);
                behind[by] = stones.moved(-step, -step * rise);
            }
            found = found | Self::joined(before, behind);
        }
        found & self.cells
    }

    /// The cells that are one of `CONNECT` in a line whose others are all there; some of them
    /// may be off the board. Element 0 of both arrays is not used.
    #[inline(always)]
    fn joined(
        before: [Cells<S::Lanes, WORDS, FIELD>; CONNECT],
        behind: [Cells<S::Lanes, WORDS, FIELD>; CONNECT],
    ) -> Cells<S::Lanes, WORDS, FIELD> {
        let (two_before, two_behind) = (before[1] & before[2], behind[1] & behind[2]);
        match CONNECT {
            3 => two_before | before[1] & behind[1] | two_behind,
            4 => two_before & (before[3] | behind[1]) | two_behind & (behind[3] | before[1]),
            _ => {
                two_before & before[3] & (before[4] | behind[1])
                    | two_before & two_behind
                    | two_behind & behind[3] & (behind[4] | before[1])
            }
        }
    }

    /// The cells right above these, and above the hole right above these.
    #[inline(always)]
    fn above(&self, cells: Cells<S::Lanes, WORDS, FIELD>) -> Cells<S::Lanes, WORDS, FIELD> {
        let above = cells.moved(0, 1);
        above | (above & self.hole).moved(0, 1)
    }

    /// Which landing cells a player chooses from who cannot make a row. Takes the lowest bits of
    /// `random`.
    #[inline(always)]
    fn candidates(
        &self,
        games: &Games<S::Lanes, Cells<S::Lanes, WORDS, FIELD>>,
        landings: Cells<S::Lanes, WORDS, FIELD>,
        random: S::Lanes,
    ) -> Cells<S::Lanes, WORDS, FIELD> {
        let stops = landings & games.other.wins;
        let safe = landings & !games.other.below;
        let winning = safe & games.own.below_two;
        let patient = safe & !games.own.below;
        let quiet = patient.or_else(safe.or_else(landings));
        // The lowest bits of a word hardly matter to the rank that is drawn with it.
        let follows = (random & self.simd.splat((1 << FOLLOW_BITS) - 1)).is_not_zero();
        let follow = (quiet & self.above(games.last)).in_lanes(follows);
        stops.or_else(winning.or_else(follow.or_else(quiet)))
    }

    /// One of the cells, each as likely as the others (but for some parts in 2^32). At most one
    /// of a column is among them; where there is none, none is drawn. Takes the lower half of
    /// `random`.
    ///
    /// In all fields at once it is counted how many columns up to here have a cell; the first
    /// whose count exceeds a random rank is drawn.
    #[inline(always)]
    fn draw(
        &self,
        cells: Cells<S::Lanes, WORDS, FIELD>,
        random: S::Lanes,
    ) -> Cells<S::Lanes, WORDS, FIELD> {
        let lowest = lowest_bits(FIELD);
        let last = FIELD * (fields(FIELD) - 1);
        let top = self.simd.splat(lowest << (FIELD - 1));
        let below_top = self.simd.splat((lowest << (FIELD - 1)) - lowest);
        let field = self.simd.splat((1 << FIELD) - 1);
        let mut counts = cells;
        let mut total = self.simd.splat(0);
        for word in 0..WORDS {
            let mut count = ((cells.0[word] + below_top) & top) >> (FIELD - 1);
            let mut by = FIELD;
            while by <= last {
                count = count + (count << by);
                by *= 2;
            }
            count = count + Self::in_all_fields(total);
            total = (count >> last) & field;
            counts.0[word] = count;
        }
        let rank = random.multiply_low(total) >> 32;
        let least = below_top - Self::in_all_fields(rank);
        let mut drawn = cells;
        let mut reached_before = self.simd.splat(0);
        for word in 0..WORDS {
            let reached = (counts.0[word] + least) & top;
            let first = reached & !(reached << FIELD | reached_before);
            drawn.0[word] = cells.0[word] & (first - (first >> (FIELD - 1)));
            reached_before = reached >> last;
        }
        drawn
    }

    /// A small number in every field.
    #[inline(always)]
    fn in_all_fields(number: S::Lanes) -> S::Lanes {
        let mut numbers = number;
        let mut by = FIELD;
        while by < FIELD * fields(FIELD) {
            numbers = numbers | numbers << by;
            by *= 2;
        }
        numbers
    }
}

#[cfg(test)]
mod tests;
