//! Rollouts by random bisection: freestyle, and exactly five.
//!
//! A uniform rollout is a random order of the empty cells, taken in turn by both sides. It can
//! be drawn in another way: a coin gives every cell to a side, and each side takes its cells in
//! a random order. As long as neither has run out of cells, the first `n` cells of both are as
//! likely to be these as those. Who is first to five is then found without the whole order.
//!
//! Stones only lengthen rows, so a row of five or more appears in a side's order once and stays.
//! Where it does is known to lie between two sets: a set of the side's first stones, `few`, is
//! without, and a larger one, `enough`, has it or is all there is. Coins draw a set between the
//! two, of some number of stones; looking for a row in it moves one of the bounds there. This is
//! done for both sides at once, until the one's row is sure to come before the other's.
//!
//! With exactly five, a row of six or more does not win, and it could be the first. But where no
//! longer row stands in `enough`, none stood before, and the first row was one of five. While
//! one does stand there the bounds are moved on.
//!
//! Where the bounds have met and nothing is decided, because a side has run out of cells or
//! because the first row is too long, the game is [replayed](sequence::replay): in the order as
//! far as it was drawn, the rest of it drawn now. So nothing is approximate.
//!
//! The sets of both sides are looked at together: up to 256 cells they are the halves of eight
//! words, above that eight words each.

use super::sequence::{self, Bounds, Rules};
use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::{Gomoku, line};
use crate::game::{Game, Outcome};
use crate::rollout::{End, Random, Record};
use crate::simd::{Kernel, LANES, LaneRandom, Lanes, Simd};
use rand::Rng;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Not};

/// Rollouts of a game that is not over. With one register the board must be
/// [narrow](Gomoku::is_narrow); else there are two.
pub struct Rollouts<'a, R, const REGISTERS: usize, T> {
    position: &'a Gomoku,
    count: u32,
    random: &'a mut Random,
    rules: PhantomData<R>,
    record: PhantomData<T>,
}

impl<'a, R: Rules, const REGISTERS: usize, T> Rollouts<'a, R, REGISTERS, T> {
    /// `count` rollouts of this position.
    pub fn new(position: &'a Gomoku, count: u32, random: &'a mut Random) -> Self {
        Rollouts {
            position,
            count,
            random,
            rules: PhantomData,
            record: PhantomData,
        }
    }
}

impl<R: Rules, const REGISTERS: usize, T: Record> Kernel for Rollouts<'_, R, REGISTERS, T> {
    type Output = T;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> T {
        let start = Start::<S, REGISTERS>::of(self.position, simd);
        let mut coins = LaneRandom::new(simd, self.random.next_u64(), 0);
        let mut record = T::default();
        for _ in 0..self.count {
            record.add(start.bisect::<R, T>(&mut coins, self.random));
        }
        record
    }
}

/// The position that rollouts begin from.
struct Start<'a, S: Simd, const REGISTERS: usize> {
    position: &'a Gomoku,
    simd: S,
    stones: Pair<S::Lanes, REGISTERS>,
    /// The empty cells, for both sides.
    empty: Pair<S::Lanes, REGISTERS>,
    /// The numbers of stones.
    counts: [u32; 2],
    stride: u32,
}

impl<'a, S: Simd, const REGISTERS: usize> Start<'a, S, REGISTERS> {
    #[inline(always)]
    fn of(position: &'a Gomoku, simd: S) -> Self {
        let mover = position.side_to_move();
        let stones = [mover, mover.other()].map(|side| position.stones(side));
        Start {
            position,
            simd,
            stones: Pair::load(simd, stones),
            empty: Pair::load(simd, [position.empty_cells(); 2]),
            counts: stones.map(|stones| stones.count()),
            stride: position.stride(),
        }
    }

    /// One game. Sides are numbered from the one to move. Its length counts only where lengths
    /// are kept.
    #[inline(always)]
    fn bisect<R: Rules, T: Record>(&self, coins: &mut LaneRandom<S>, random: &mut Random) -> End {
        let mover = self.position.side_to_move();
        let all = self.stones | (self.empty & Pair::opposite(self.simd, coins));
        let mut few = self.stones;
        let mut enough = all;
        // How many stones there are in `few` and in `enough`, beside those of the position.
        let mut least = [0; 2];
        let mut most = all.counts_above(self.simd, self.counts);
        // Whether a row stands in `enough`, and whether it is sure to be one that wins.
        let mut has_row = [false; 2];
        let mut wins = [false; 2];
        loop {
            let tried = few | (enough & !few & Pair::random(coins));
            let counts = tried.counts_above(self.simd, self.counts);
            let [fives, longer] = tried.rows(self.stride);
            for side in 0..2 {
                if fives[side] {
                    most[side] = counts[side];
                    wins[side] = !R::EXACT || !longer[side];
                    has_row[side] = true;
                } else {
                    least[side] = counts[side];
                }
            }
            let mask = Pair::load(self.simd, fives.map(all_or_none));
            (few, enough) = (mask.choose(few, tried), mask.choose(tried, enough));
            // Which stone makes the row is known only where the bounds have met.
            let is_open = |side: usize| T::LENGTHS && most[side] - least[side] > 1;
            if wins[0] && most[0] <= least[1] + 1 {
                if is_open(0) {
                    continue;
                }
                return End {
                    outcome: Outcome::win(mover),
                    plies: 2 * most[0] - 1,
                };
            }
            if wins[1] && most[1] <= least[0] {
                if is_open(1) {
                    continue;
                }
                return End {
                    outcome: Outcome::win(mover.other()),
                    plies: 2 * most[1],
                };
            }
            let met = [0, 1].map(|side| most[side] - least[side] <= u32::from(has_row[side]));
            let too_long = |side: usize| met[side] && has_row[side] && !wins[side];
            if met == [true; 2] || too_long(0) || too_long(1) {
                let simd = self.simd;
                let [few, enough, all] = [few.bits(simd), enough.bits(simd), all.bits(simd)];
                let bounds = [0, 1].map(|side| Bounds {
                    few: few[side],
                    enough: enough[side],
                    all: all[side],
                });
                return sequence::replay::<R>(self.position, bounds, random);
            }
        }
    }
}

/// Every cell.
const ALL: Bits<LANES> = Bits::from_words([u64::MAX; LANES]);

/// Every cell if `all`, else none.
#[inline(always)]
fn all_or_none(all: bool) -> Bits<LANES> {
    if all { ALL } else { Bits::EMPTY }
}

/// A set of cells for each side.
#[derive(Clone, Copy)]
struct Pair<L, const REGISTERS: usize>([L; REGISTERS]);

impl<L: Lanes, const REGISTERS: usize> Pair<L, REGISTERS> {
    /// Words that one set takes.
    const WORDS: usize = LANES * REGISTERS / 2;

    #[inline(always)]
    fn load<S: Simd<Lanes = L>>(simd: S, sets: [Bits<LANES>; 2]) -> Self {
        let [first, second] = sets.map(Bits::words);
        let mut pair = [simd.load(first); REGISTERS];
        if REGISTERS == 1 {
            let mut words = first;
            words[Self::WORDS..].copy_from_slice(&second[..Self::WORDS]);
            pair[0] = simd.load(words);
        } else {
            pair[1] = simd.load(second);
        }
        Pair(pair)
    }

    #[inline(always)]
    fn bits<S: Simd<Lanes = L>>(self, simd: S) -> [Bits<LANES>; 2] {
        let first = simd.words(self.0[0]);
        let sets = if REGISTERS == 1 {
            let mut sets = [[0; LANES]; 2];
            for (set, words) in sets.iter_mut().zip(first.chunks_exact(Self::WORDS)) {
                set[..Self::WORDS].copy_from_slice(words);
            }
            sets
        } else {
            [first, simd.words(self.0[1])]
        };
        sets.map(Bits::from_words)
    }

    /// A coin for every cell, the same for both sides, that comes out opposite for them.
    #[inline(always)]
    fn opposite<S: Simd<Lanes = L>>(simd: S, coins: &mut LaneRandom<S>) -> Self {
        let coin = coins.draw();
        let mut pair = [coin; REGISTERS];
        if REGISTERS == 1 {
            pair[0] = coin.lower_twice() ^ Self::load(simd, [Bits::EMPTY, ALL]).0[0];
        } else {
            pair[1] = !coin;
        }
        Pair(pair)
    }

    /// A coin for every cell and side.
    #[inline(always)]
    fn random<S: Simd<Lanes = L>>(coins: &mut LaneRandom<S>) -> Self {
        let mut pair = [coins.draw(); REGISTERS];
        for coin in pair.iter_mut().skip(1) {
            *coin = coins.draw();
        }
        Pair(pair)
    }

    /// How many cells more than these there are in each set.
    #[inline(always)]
    fn counts_above<S: Simd<Lanes = L>>(self, simd: S, these: [u32; 2]) -> [u32; 2] {
        let mut counts = [0; 2];
        for register in 0..REGISTERS {
            let words = simd.words(self.0[register]);
            for (i, word) in words.into_iter().enumerate() {
                counts[(register * LANES + i) / Self::WORDS] += word.count_ones();
            }
        }
        [counts[0] - these[0], counts[1] - these[1]]
    }

    /// Whether five or more stones stand in a row somewhere, and whether more than five do, in
    /// each set.
    #[inline(always)]
    fn rows(self, stride: u32) -> [[bool; 2]; 2] {
        let [mut fives, mut longer] = [self & !self; 2];
        for step in line::steps(stride) {
            let pairs = self.and_down(step);
            let triples = pairs.and_down(step);
            let found = triples.and_down(2 * step);
            fives = fives | found;
            longer = longer | found.and_down(step);
        }
        [fives.any(), longer.any()]
    }

    /// Whether each set has a cell.
    #[inline(always)]
    fn any(self) -> [bool; 2] {
        let bits = self.0[0].not_zero_bits();
        if REGISTERS == 1 {
            [bits & 0x0f != 0, bits & 0xf0 != 0]
        } else {
            [bits != 0, self.0[1].any()]
        }
    }

    /// The cells which have another of their set at a distance of `by` upwards.
    #[inline(always)]
    fn and_down(self, by: u32) -> Self {
        let mut pair = self;
        for cells in &mut pair.0 {
            let above = if REGISTERS == 1 {
                cells.next_words::<4>()
            } else {
                cells.next_words::<8>()
            };
            *cells = *cells & (*cells >> by | above << (64 - by));
        }
        pair
    }

    #[inline(always)]
    fn choose(self, these: Self, others: Self) -> Self {
        let mut pair = self;
        for register in 0..REGISTERS {
            pair.0[register] = self.0[register].choose(these.0[register], others.0[register]);
        }
        pair
    }
}

macro_rules! operator {
    ($operator:ident, $name:ident, $op:tt) => {
        impl<L: Lanes, const REGISTERS: usize> $operator for Pair<L, REGISTERS> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                let mut pair = self;
                for register in 0..REGISTERS {
                    pair.0[register] = self.0[register] $op other.0[register];
                }
                pair
            }
        }
    };
}

operator!(BitAnd, bitand, &);
operator!(BitOr, bitor, |);

impl<L: Lanes, const REGISTERS: usize> Not for Pair<L, REGISTERS> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        let mut pair = self;
        for cells in &mut pair.0 {
            *cells = !*cells;
        }
        pair
    }
}
