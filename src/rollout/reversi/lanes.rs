//! Rollouts of Reversi in lanes, a game in each.
//!
//! All lanes go ply by ply in step. A lane without a legal move passes, and one whose game is
//! over passes on until all are, so that no lane ever has to be told from another.
//!
//! The runs of the opponent's discs that begin at one's own serve twice: the empty squares next
//! after them are the legal ones, and where such a run meets the one that begins at the new disc
//! it is turned over.

use super::end_of;
use crate::game::Game;
use crate::game::Side;
use crate::game::reversi::{INNER_COLUMNS, Reversi};
use crate::rollout::{End, Margins, OneOfEach, Record};
use crate::simd::{Kernel, LANES, LaneRandom, Lanes, Simd};
use std::marker::PhantomData;

/// Rollouts of a position that is not over.
#[derive(Clone, Copy)]
pub struct Rollouts<'a, T> {
    position: &'a Reversi,
    count: u32,
    seed: u64,
    record: PhantomData<T>,
}

impl<'a, T> Rollouts<'a, T> {
    /// `count` rollouts of this position. `seed` is that of the lanes' random words.
    pub fn new(position: &'a Reversi, count: u32, seed: u64) -> Self {
        Rollouts {
            position,
            count,
            seed,
            record: PhantomData,
        }
    }
}

impl<T: Record> Kernel for Rollouts<'_, T> {
    type Output = T;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> T {
        let mut record = T::default();
        for round in 0..self.count.div_ceil(LANES as u32) {
            // How long the games of a round last depends on which lanes are handled together.
            // The random words must not, so every round has its own.
            let mut random = LaneRandom::new(simd, self.seed, round);
            let mover = self.position.side_to_move();
            let start = [mover, mover.other()].map(|side| simd.splat(self.position.discs(side)));
            let discs = roll_out(start, simd, &mut random);
            let wanted = self.count - round * LANES as u32;
            for lane in simd.lanes().take_while(|&lane| (lane as u32) < wanted) {
                record.add(end_in_lane(self.position, &discs, lane));
            }
        }
        record
    }
}

impl Kernel for OneOfEach<&[&Reversi]> {
    type Output = Margins;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Margins {
        let mut start = [[0; LANES]; 2];
        for (lane, position) in self.positions.iter().enumerate() {
            let mover = position.side_to_move();
            start[0][lane] = position.discs(mover);
            start[1][lane] = position.discs(mover.other());
        }
        let start = [simd.load(start[0]), simd.load(start[1])];
        let mut random = LaneRandom::new(simd, self.seed, 0);
        let discs = roll_out(start, simd, &mut random);
        let mut margins = Margins::default();
        for lane in simd.lanes() {
            if let Some(position) = self.positions.get(lane) {
                let End { outcome, .. } = end_in_lane(position, &discs, lane);
                margins.0[lane] = outcome.margin(Side::First);
            }
        }
        margins
    }
}

/// The end of a rollout from here, after which a lane has these discs: those of the side to move
/// first.
#[inline(always)]
fn end_in_lane(position: &Reversi, discs: &[[u64; LANES]; 2], lane: usize) -> End {
    let [own, other] = [discs[0][lane], discs[1][lane]];
    match position.side_to_move() {
        Side::First => end_of(position, [own, other]),
        Side::Second => end_of(position, [other, own]),
    }
}

/// Plays the game in every lane to its end. Takes and returns the discs of the side that is to
/// move in the beginning, and those of the other.
#[inline(always)]
fn roll_out<S: Simd>(
    start: [S::Lanes; 2],
    simd: S,
    random: &mut LaneRandom<S>,
) -> [[u64; LANES]; 2] {
    let [mut own, mut other] = start;
    // The first turn may be a pass, as if a move had been made before it.
    let mut legal_before = simd.splat(u64::MAX);
    let mut swapped = false;
    loop {
        let runs = Runs::of(simd, own, other);
        let legal = runs.legal();
        if !(legal | legal_before).any() {
            let discs = [simd.words(own), simd.words(other)];
            return if swapped { [discs[1], discs[0]] } else { discs };
        }
        let disc = draw(simd, legal, random);
        let turned = runs.turned_by(disc);
        (own, other) = (other ^ turned, own | disc | turned);
        legal_before = legal;
        swapped = !swapped;
    }
}

/// One of the set bits of every lane, all equally likely up to 33 in 2^64; none where none is
/// set.
#[inline(always)]
fn draw<S: Simd>(simd: S, bits: S::Lanes, random: &mut LaneRandom<S>) -> S::Lanes {
    let (numbers, bits) = (simd.words(random.draw()), simd.words(bits));
    let mut drawn = [0; LANES];
    for lane in simd.lanes() {
        drawn[lane] = simd.set_bit_for(bits[lane], numbers[lane]);
    }
    simd.load(drawn)
}

/// The runs of the opponent's discs next to discs of the side to move.
struct Runs<L> {
    empty: L,
    ways: [Way<L>; 4],
}

/// The runs in both senses of one direction.
#[derive(Clone, Copy)]
struct Way<L> {
    /// The distance of neighbours, in bits.
    step: u32,
    /// The opponent's discs that a run can go through.
    through: L,
    /// Those of them whose neighbour towards the lower bits is one too, and towards the higher.
    pairs: [L; 2],
    /// The runs from the side's discs towards higher bits, and towards lower ones.
    runs: [L; 2],
}

impl<L: Lanes> Runs<L> {
    #[inline(always)]
    fn of<S: Simd<Lanes = L>>(simd: S, own: L, other: L) -> Self {
        // A run that turns over must not leave the board by its left or right edge.
        let inner = other & simd.splat(INNER_COLUMNS);
        Runs {
            empty: !(own | other),
            ways: [
                Way::of(own, other, 8),
                Way::of(own, inner, 1),
                Way::of(own, inner, 7),
                Way::of(own, inner, 9),
            ],
        }
    }

    /// The squares where a disc may be put.
    #[inline(always)]
    fn legal(&self) -> L {
        let [a, b, c, d] = &self.ways;
        (a.ends() | b.ends() | c.ends() | d.ends()) & self.empty
    }

    /// The discs that this new one turns over.
    #[inline(always)]
    fn turned_by(&self, disc: L) -> L {
        let [a, b, c, d] = &self.ways;
        a.turned_by(disc) | b.turned_by(disc) | c.turned_by(disc) | d.turned_by(disc)
    }
}

impl<L: Lanes> Way<L> {
    #[inline(always)]
    fn of(own: L, through: L, step: u32) -> Self {
        let above = through & through << step;
        let mut way = Way {
            step,
            through,
            pairs: [above, above >> step],
            runs: [own; 2],
        };
        way.runs = [way.up(own), way.down(own)];
        way
    }

    /// The runs from these discs towards higher bits.
    ///
    /// A run has at most six discs. Fills by one, one, two and two reach them all (parallel
    /// prefix, after Kogge and Stone).
    #[inline(always)]
    fn up(&self, discs: L) -> L {
        let step = self.step;
        let mut run = discs << step & self.through;
        run = run | run << step & self.through;
        run = run | run << (2 * step) & self.pairs[0];
        run | run << (2 * step) & self.pairs[0]
    }

    /// The runs from these discs towards lower bits.
    #[inline(always)]
    fn down(&self, discs: L) -> L {
        let step = self.step;
        let mut run = discs >> step & self.through;
        run = run | run >> step & self.through;
        run = run | run >> (2 * step) & self.pairs[1];
        run | run >> (2 * step) & self.pairs[1]
    }

    /// The squares next after the runs.
    #[inline(always)]
    fn ends(&self) -> L {
        self.runs[0] << self.step | self.runs[1] >> self.step
    }

    #[inline(always)]
    fn turned_by(&self, disc: L) -> L {
        self.up(disc) & self.runs[1] | self.down(disc) & self.runs[0]
    }
}
