//! Rollouts of Connect Four in eight lanes, a game in each.
//!
//! A side's stones are one word or three, with a field of bits for every column, the bottom at
//! its low end. A field has a bit more than its column has cells at the least, which no stone
//! stands on, so that no row runs over the top of a column into the next:
//!
//! ```text
//! up to 8 columns of 7 cells, 1 word      up to 12 columns of 12 cells, 3 words
//! field 7 .. field 1 field 0              fields 3 2 1 0 | 7 6 5 4 | 11 10 9 8
//!   8 bits each                             16 bits each
//! ```
//!
//! A lane draws a column; adding the lowest bit of its field to the cells that are filled
//! carries up to the cell where the stone lands, over a hole too. In a full column nothing
//! lands, and the lane draws again in the next step: all columns that are open stay equally
//! likely. Half a random word times the number of columns has a column in its upper half, and
//! what is left in the lower one gives the next (Brackett-Rozinsky and Lemire, Batched Ranged
//! Random Integer Generation, 2024).
//!
//! Rows are looked for after [`STEPS`] steps only, for both sides. That is cheaper than a look
//! after every stone, though games run on for some stones too many, which nobody counts. Where
//! both sides have a row by then, the boards as they were before tell who was first. A lane whose
//! game is over begins the next one.

use crate::game::connect4::board::Stones;
use crate::game::connect4::{Connect4, MAX_SIZE};
use crate::game::{Game, Playable, Side};
use crate::rollout::{Margins, OneOfEach, Record, Tally};
use crate::simd::{Kernel, LANES, LaneRandom, Lanes, Simd, lane_count, union};
use std::marker::PhantomData;
use std::ops::BitXor;

/// Steps from one look for rows to the next, an even number. Half a random word is enough for as many
/// draws. Measured: `docs/EXPERIMENTS.md`, Rollouts.
pub const STEPS: usize = 6;

const _: () = assert!(STEPS.is_multiple_of(2));

/// Rollouts of a position that is not over and in which columns are all the moves.
#[derive(Clone, Copy)]
pub struct Rollouts<'a, const WORDS: usize, T> {
    position: &'a Connect4,
    count: u32,
    seed: u64,
    record: PhantomData<T>,
}

impl<'a, const WORDS: usize, T> Rollouts<'a, WORDS, T> {
    /// `count` rollouts of this position. `seed` is that of the lanes' random words.
    pub fn new(position: &'a Connect4, count: u32, seed: u64) -> Self {
        Rollouts {
            position,
            count,
            seed,
            record: PhantomData,
        }
    }
}

/// Sets of cells, one in each lane.
///
/// Loops over words are written out all through this module: what closures and iterators call
/// is not compiled with the instructions of the ISA.
#[derive(Clone, Copy)]
struct Cells<L, const WORDS: usize>([L; WORDS]);

impl<L: Lanes, const WORDS: usize> Cells<L, WORDS> {
    /// The same columns in every lane: bit `height` of each.
    #[inline(always)]
    fn of_columns<S: Simd<Lanes = L>>(columns: [u16; MAX_SIZE], simd: S) -> Self {
        let mut cells = [simd.splat(0); WORDS];
        for (cells, word) in cells.iter_mut().zip(words::<WORDS>(columns)) {
            *cells = simd.splat(word);
        }
        Cells(cells)
    }

    /// Not zero where any cell is in the set.
    #[inline(always)]
    fn any(self) -> L {
        union(self.0)
    }

    /// The cells which have another of the set at a distance of `by` upwards.
    #[inline(always)]
    fn and_down(self, by: u32) -> Self {
        let mut cells = self;
        for word in 0..WORDS {
            let mut moved = self.0[word] >> by;
            if word + 1 < WORDS {
                moved = moved | self.0[word + 1] << (64 - by);
            }
            cells.0[word] = cells.0[word] & moved;
        }
        cells
    }

    /// These cells where `mask` has ones, `others` where it has none.
    #[inline(always)]
    fn or_else(self, mask: L, others: Self) -> Self {
        let mut cells = self;
        for word in 0..WORDS {
            cells.0[word] = mask.choose(self.0[word], others.0[word]);
        }
        cells
    }
}

impl<L: Lanes, const WORDS: usize> BitXor for Cells<L, WORDS> {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        let mut cells = self;
        for word in 0..WORDS {
            cells.0[word] = self.0[word] ^ other.0[word];
        }
        cells
    }
}

/// The games of all lanes.
#[derive(Clone, Copy)]
struct Games<S: Simd, const WORDS: usize> {
    /// The stones of the first side.
    first: Cells<S::Lanes, WORDS>,
    /// All stones, and the hole.
    filled: Cells<S::Lanes, WORDS>,
    /// All ones where the first side is to move, else none.
    turn: S::Lanes,
}

/// What does not change in a game.
struct Rules<S: Simd, const WORDS: usize> {
    simd: S,
    /// The cells of the board, and the hole.
    board: Cells<S::Lanes, WORDS>,
    hole: Cells<S::Lanes, WORDS>,
    columns: S::Lanes,
    /// Draws that leave less than this would favour some columns.
    surplus: S::Lanes,
    connect: u8,
}

impl<const WORDS: usize, T: Record> Kernel for Rollouts<'_, WORDS, T> {
    type Output = T;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> T {
        let rules = Rules::<S, WORDS>::of(self.position, simd);
        let start = Games::of(self.position, simd);
        let mut random = LaneRandom::new(simd, self.seed, 0);
        let lane_count = |lane| lane_count(self.count, lane);
        // Rollouts still to be finished by each lane.
        let mut left = simd.load(std::array::from_fn(|lane| u64::from(lane_count(lane))));
        let mut playing = left.is_not_zero();
        let mut games = start.or_full(playing, &rules);
        let mut wins = [simd.splat(0); 2];
        let mut record = T::default();
        while playing.any() {
            let word = random.draw();
            for half in [word, word >> 32] {
                let (after, [first_won, second_won]) = games.go_on(&rules, half);
                let over = (first_won | second_won | games.are_full(&rules)) & playing;
                // All ones are minus one.
                wins = [
                    wins[0] - (first_won & playing),
                    wins[1] - (second_won & playing),
                ];
                left = left + over;
                if T::LENGTHS {
                    add_lengths(&start, &after, over, &rules, &mut record);
                }
                playing = left.is_not_zero();
                let next = start.or_full(playing, &rules);
                games = Games::choose(over, &next, &games);
            }
        }
        let sum = |lanes| simd.words(lanes).into_iter().sum::<u64>() as u32;
        let rollouts = simd.lanes().map(lane_count).sum();
        *record.tally() = Tally::of_wins(rollouts, [sum(wins[0]), sum(wins[1])]);
        record
    }
}

/// The positions are not over, columns are all their moves, and a word holds their board.
impl Kernel for OneOfEach<&[&Connect4]> {
    type Output = Margins;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Margins {
        let mut margins = Margins::default();
        let Some(any) = self.positions.first() else {
            return margins;
        };
        let rules = Rules::<S, 1>::of(any, simd);
        let mut games = Games::of_each(self.positions, simd);
        let mut random = LaneRandom::new(simd, self.seed, 0);
        let mut playing = simd.load(std::array::from_fn(|lane| {
            u64::from(lane < self.positions.len() && simd.lanes().contains(&lane))
        }));
        playing = playing.is_not_zero();
        let mut won = [simd.splat(0); 2];
        while playing.any() {
            let word = random.draw();
            for half in [word, word >> 32] {
                let (_, [first_won, second_won]) = games.go_on(&rules, half);
                won = [won[0] | first_won & playing, won[1] | second_won & playing];
                playing = playing & !(first_won | second_won | games.are_full(&rules));
            }
        }
        let [first_won, second_won] = [simd.words(won[0]), simd.words(won[1])];
        for lane in simd.lanes() {
            margins.0[lane] = i16::from(first_won[lane] != 0) - i16::from(second_won[lane] != 0);
        }
        margins
    }
}

/// Counts the lengths of the games of lanes that are over, which were so `after` each of the
/// last steps: they ended with the first in which a row stood, or else on a full board.
#[inline(always)]
fn add_lengths<S: Simd, const WORDS: usize>(
    start: &Games<S, WORDS>,
    after: &[Games<S, WORDS>; STEPS],
    over: S::Lanes,
    rules: &Rules<S, WORDS>,
    record: &mut impl Record,
) {
    let mut end = after[STEPS - 1].filled;
    for games in after.iter().rev() {
        let [first, second] = games.rows(rules);
        end = games.filled.or_else(first | second, end);
    }
    let mut plies = [0; LANES];
    for word in (end ^ start.filled).0 {
        let words = rules.simd.words(word);
        for lane in rules.simd.lanes() {
            plies[lane] += words[lane].count_ones();
        }
    }
    let over = rules.simd.words(over);
    for lane in rules.simd.lanes() {
        if over[lane] != 0 {
            record.add_length(plies[lane]);
        }
    }
}

/// All ones where the first side was first to a row, of lanes in which both sides have one `after`
/// the last steps, which began with the games `before`.
#[inline(always)]
fn first_of_both<S: Simd, const WORDS: usize>(
    before: Games<S, WORDS>,
    after: &[Games<S, WORDS>; STEPS],
    rules: &Rules<S, WORDS>,
) -> S::Lanes {
    // From the last pair of steps to the first. Where both rows came with the same pair, the side that
    // moved first in it is the first.
    let mut is_first = after[STEPS - 3].turn;
    for last in (1..STEPS - 2).step_by(2).rev() {
        let turn = if last == 1 {
            before.turn
        } else {
            after[last - 2].turn
        };
        let [first, second] = after[last].rows(rules);
        let of_pair = (first ^ second).choose(first, turn);
        is_first = (first | second).choose(of_pair, is_first);
    }
    is_first
}

impl<S: Simd, const WORDS: usize> Games<S, WORDS> {
    #[inline(always)]
    fn of(position: &Connect4, simd: S) -> Self {
        let turn = match position.side_to_move() {
            Side::First => u64::MAX,
            Side::Second => 0,
        };
        Games {
            first: Cells::of_columns(position.columns(Side::First), simd),
            filled: Cells::of_columns(position.filled(), simd),
            turn: simd.splat(turn),
        }
    }

    /// [`STEPS`] steps, by the lower halves of random words. Returns the games after each of them,
    /// and all ones where a side was the first to have a row, by `Side::index`.
    #[inline(always)]
    fn go_on(&mut self, rules: &Rules<S, WORDS>, half: S::Lanes) -> ([Self; STEPS], [S::Lanes; 2]) {
        let before = *self;
        let draws = rules.draws(half);
        let mut after = [before; STEPS];
        for step in 0..STEPS {
            self.drop_stones(rules, draws[step]);
            after[step] = *self;
        }
        let [mut first_won, mut second_won] = self.rows(rules);
        let both = first_won & second_won;
        if both.any() {
            let first = first_of_both(before, &after, rules);
            first_won = first_won & !(both & !first);
            second_won = second_won & !(both & first);
        }
        (after, [first_won, second_won])
    }

    /// These games, with a full board where `playing` has no ones.
    #[inline(always)]
    fn or_full(mut self, playing: S::Lanes, rules: &Rules<S, WORDS>) -> Self {
        self.filled = self.filled.or_else(playing, rules.board);
        self
    }

    #[inline(always)]
    fn choose(mask: S::Lanes, these: &Self, others: &Self) -> Self {
        Games {
            first: these.first.or_else(mask, others.first),
            filled: these.filled.or_else(mask, others.filled),
            turn: mask.choose(these.turn, others.turn),
        }
    }

    /// One step: a stone in every lane whose draw is of an open column.
    #[inline(always)]
    fn drop_stones(&mut self, rules: &Rules<S, WORDS>, draw: S::Lanes) {
        let bits = rules.bits(draw);
        let mut landed = rules.simd.splat(0);
        for word in 0..WORDS {
            let bit = bits.0[word];
            let filled = self.filled.0[word];
            let stone = (filled + bit) & !filled & rules.board.0[word];
            self.filled.0[word] = filled | stone;
            self.first.0[word] = self.first.0[word] | (stone & self.turn);
            landed = landed | stone;
        }
        self.turn = self.turn ^ landed.is_not_zero();
    }

    /// All ones where a side has a row, by `Side::index`.
    #[inline(always)]
    fn rows(&self, rules: &Rules<S, WORDS>) -> [S::Lanes; 2] {
        let second = self.filled ^ rules.hole ^ self.first;
        [
            rules.find_rows(self.first).is_not_zero(),
            rules.find_rows(second).is_not_zero(),
        ]
    }

    /// All ones where no cell is free.
    #[inline(always)]
    fn are_full(&self, rules: &Rules<S, WORDS>) -> S::Lanes {
        !(self.filled ^ rules.board).any().is_not_zero()
    }
}

impl<S: Simd> Games<S, 1> {
    /// A position in each lane; lanes that are left over have an empty board.
    #[inline(always)]
    fn of_each(positions: &[&Connect4], simd: S) -> Self {
        let (mut first, mut filled, mut turn) = ([0; LANES], [0; LANES], [0; LANES]);
        for (lane, position) in positions.iter().enumerate() {
            // The board is laid out as here.
            if let Stones::Small(board) = position.board() {
                first[lane] = board.stones[Side::First.index()];
                filled[lane] = board.filled;
            }
            turn[lane] = match position.side_to_move() {
                Side::First => u64::MAX,
                Side::Second => 0,
            };
        }
        Games {
            first: Cells([simd.load(first)]),
            filled: Cells([simd.load(filled)]),
            turn: simd.load(turn),
        }
    }
}

impl<S: Simd, const WORDS: usize> Rules<S, WORDS> {
    #[inline(always)]
    fn of(position: &Connect4, simd: S) -> Self {
        let setup = position.setup();
        let columns = u64::from(setup.cols);
        let mut board = [0; MAX_SIZE];
        for column in board.iter_mut().take(usize::from(setup.cols)) {
            *column = (1 << setup.rows) - 1;
        }
        let stones = [Side::First, Side::Second].map(|side| position.columns(side));
        let filled = position.filled();
        let hole = std::array::from_fn(|i| filled[i] & !stones[0][i] & !stones[1][i]);
        Rules {
            simd,
            board: Cells::of_columns(board, simd),
            hole: Cells::of_columns(hole, simd),
            columns: simd.splat(columns),
            surplus: simd.splat(surplus(columns)),
            connect: setup.connect4().connect,
        }
    }

    /// Draws of [`STEPS`] columns, each in the upper half, by the lower half of a random word. Where
    /// that would favour some columns they are of none: all ones.
    #[inline(always)]
    fn draws(&self, half: S::Lanes) -> [S::Lanes; STEPS] {
        let simd = self.simd;
        let mut draws = [half; STEPS];
        let mut rest = half;
        for draw in &mut draws {
            rest = rest.multiply_low(self.columns);
            *draw = rest;
        }
        let rest = rest & simd.splat(u32::MAX.into());
        let refused = ((rest - self.surplus) >> 63).is_not_zero();
        if refused.any() {
            for draw in &mut draws {
                *draw = *draw | refused;
            }
        }
        draws
    }

    /// The lowest bit of the field that was drawn.
    #[inline(always)]
    fn bits(&self, draw: S::Lanes) -> Cells<S::Lanes, WORDS> {
        let simd = self.simd;
        let one = simd.splat(1);
        let by_field = field::<WORDS>().trailing_zeros();
        let mut bits = [simd.splat(0); WORDS];
        if WORDS == 1 {
            // No column at all is taken for the last one: it has no cells, as eight columns are
            // always drawn evenly. So no shift goes too far, which would have to be looked at.
            let shift = (draw >> (32 - by_field)) & simd.splat(u64::from(64 - field::<WORDS>()));
            bits[0] = one.shift_left_each(shift);
        } else {
            let shift = draw >> 32 << by_field;
            for (word, bit) in bits.iter_mut().enumerate() {
                // A shift by a negative number, which is a large one, leaves nothing of the bit.
                *bit = one.shift_left_each(shift - simd.splat(64 * word as u64));
            }
        }
        Cells(bits)
    }

    /// Not zero where a row stands among these stones.
    #[inline(always)]
    fn find_rows(&self, stones: Cells<S::Lanes, WORDS>) -> S::Lanes {
        let field = field::<WORDS>();
        let mut found = self.simd.splat(0);
        for step in [1, field, field + 1, field - 1] {
            let pairs = stones.and_down(step);
            let rows = match self.connect {
                3 => pairs.and_down(step),
                4 => pairs.and_down(2 * step),
                _ => pairs.and_down(2 * step).and_down(step),
            };
            found = found | rows.any();
        }
        found
    }
}

/// Half words that leave less than this after [`STEPS`] draws are too many for all columns to be
/// equally likely.
pub const fn surplus(columns: u64) -> u64 {
    (1 << 32) % columns.pow(STEPS as u32)
}

/// The cells of a board by its columns.
fn words<const WORDS: usize>(columns: [u16; MAX_SIZE]) -> [u64; WORDS] {
    let field = field::<WORDS>() as usize;
    let mut words = [0; WORDS];
    for (col, cells) in columns.into_iter().enumerate() {
        if let Some(word) = words.get_mut(col * field / 64) {
            *word |= u64::from(cells) << (col * field % 64);
        }
    }
    words
}

/// Bits from a column to the next.
#[inline(always)]
const fn field<const WORDS: usize>() -> u32 {
    if WORDS == 1 { 8 } else { 16 }
}
