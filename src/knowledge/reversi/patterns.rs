//! The learned evaluation of Reversi: the expected disc difference of a position, as the sum of a
//! weight for the contents of each shape on the board.
//!
//! There are weights for every stage of the game. The contents of the shapes are kept as numbers
//! that change by the discs put down and turned over ([`Features`]), so the children of a node are
//! judged from its own.

mod features;
mod file;
pub mod shapes;

pub use features::Features;
pub use file::WeightsError;

use crate::knowledge::exponential::exp;
use crate::knowledge::reversi::endgame::Board;
use crate::knowledge::reversi::shapes::{Turn, after};
use crate::simd::shorts::Shorts;
use crate::simd::{Isa, Kernel, Simd};
use file::Packed;
use shapes::{ADDENDS, BASES, TABLE};
use std::sync::OnceLock;

/// What a disc of difference counts: values are in this unit.
pub const DISC: i32 = 32;

/// Weights that are fitted are multiples of this, so that their file is small: of an eighth of a disc.
/// A course begins with smaller ones. (Consequence: `docs/EXPERIMENTS.md`, Reversi.)
pub const QUANTUM: i32 = DISC / 8;

/// Stages of the game, each with weights of its own.
pub const STAGES: usize = 15;

/// How many discs more lie on the board from stage to stage.
const DISCS_PER_STAGE: u32 = 4;

/// Numbers of discs on a board, from none to 64.
pub const COUNTS: usize = 65;

/// The weights of this program, as `weights.json` beside them says they are made.
const OWN: &[u8] = included!("weights-reversi", "weights.bin");

/// The stage of positions with so many discs.
#[inline]
#[must_use]
pub fn stage(discs: u32) -> usize {
    (discs.saturating_sub(DISCS_PER_STAGE) / DISCS_PER_STAGE).min(STAGES as u32 - 1) as usize
}

/// [`TABLE`] entries for each stage, as soon as it was asked for: a first answer need not wait for the
/// stages that it does not come to.
type Tables = [OnceLock<Box<[i16]>>; STAGES];

/// The weights, ready for use.
pub struct Patterns {
    tables: Tables,
    /// Where they come from.
    packed: Packed<'static>,
    /// By the number of discs on the board.
    constants: [i16; COUNTS],
    /// The disc difference in units of [`DISC`] at which the odds of winning are e to 1, by stage.
    scales: [f32; STAGES],
}

impl Clone for Patterns {
    fn clone(&self) -> Patterns {
        let table = |stage| Box::<[i16]>::from(self.stage_table(stage));
        Patterns {
            tables: std::array::from_fn(|stage| OnceLock::from(table(stage))),
            packed: Packed::default(),
            ..*self
        }
    }
}

impl Patterns {
    /// The weights of this program. `None`: it was built without.
    #[must_use]
    pub fn own() -> Option<&'static Patterns> {
        static LOADED: OnceLock<Option<Patterns>> = OnceLock::new();
        // A test rules out that they are there and cannot be read.
        LOADED.get_or_init(|| Patterns::begin(OWN).ok()).as_ref()
    }

    /// Weights that judge every position as even.
    #[must_use]
    pub fn blank() -> Patterns {
        /// Discs. (A guess, for games between players that know nothing.)
        const SCALE: f32 = 8.0;
        Patterns {
            tables: std::array::from_fn(|_| OnceLock::from(blank_table())),
            packed: Packed::default(),
            constants: [0; COUNTS],
            scales: [SCALE * DISC as f32; STAGES],
        }
    }

    /// The expected disc difference for the side to move, in units of [`DISC`].
    #[inline]
    #[must_use]
    pub fn evaluate(&self, features: &Features) -> i32 {
        self.constant(features.discs())
            + Isa::current().run(SumOfWeights {
                table: self.table(features.discs()),
                features,
            })
    }

    /// The chance 0..1 to win of a side that expects this disc difference, in units of [`DISC`],
    /// with so many discs on the board; a draw counts half.
    #[inline]
    #[must_use]
    pub fn win_chance(&self, difference: i32, discs: u32) -> f32 {
        1.0 / (1.0 + exp(-(difference as f32) / self.scales[stage(discs)]))
    }

    /// What is left of a chance 0..1 to win when so much of the expected difference is given up, in
    /// units of [`DISC`].
    #[must_use]
    pub fn chance_less(&self, chance: f32, given_up: i32, discs: u32) -> f32 {
        // Beyond, a chance says little of the difference.
        let chance = chance.clamp(0.001, 0.999);
        let expected = libm::logf(chance / (1.0 - chance)) * self.scales[stage(discs)];
        self.win_chance(expected as i32 - given_up, discs)
    }

    fn table(&self, discs: u32) -> &[i16] {
        self.stage_table(stage(discs))
    }

    #[inline]
    fn stage_table(&self, stage: usize) -> &[i16] {
        self.tables[stage].get_or_init(|| {
            let table = self.packed.table(stage, &self.tables);
            table.unwrap_or_else(blank_table)
        })
    }

    /// What every position with so many discs is worth beside its shapes.
    #[inline]
    pub(crate) fn constant(&self, discs: u32) -> i32 {
        i32::from(self.constants[discs as usize])
    }
}

/// A table that judges every position as even.
fn blank_table() -> Box<[i16]> {
    vec![0; TABLE].into()
}

struct SumOfWeights<'a> {
    table: &'a [i16],
    features: &'a Features,
}

impl Kernel for SumOfWeights<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i32 {
        let numbers = simd.shorts(self.features.numbers());
        numbers.sum_of_entries(self.table, &BASES)
    }
}

/// The expected disc difference after each of some legal moves for the side that makes it, in units of
/// [`DISC`]. Whether a move ends the game is not looked at.
pub(super) struct Expected<'a, E, M> {
    /// What evaluates.
    pub by: E,
    pub features: &'a Features,
    pub board: Board,
    /// The codes of the moves.
    pub moves: M,
    /// No more moves are evaluated than it has places.
    pub out: &'a mut [i32],
}

impl<M: Iterator<Item = u16>> Kernel for Expected<'_, &Patterns, M> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let children = Children::new(simd, self.by, self.features);
        for (mv, value) in self.moves.zip(self.out) {
            *value = children.value(simd, self.board.turn(simd, mv));
        }
    }
}

/// What is known of a position before its children are judged.
pub(super) struct Children<'a, S: Simd> {
    after_disc: (&'a [i16], i32),
    after_pass: (&'a [i16], i32),
    parent: S::Shorts,
}

impl<'a, S: Simd> Children<'a, S> {
    #[inline(always)]
    pub(super) fn new(simd: S, patterns: &'a Patterns, features: &Features) -> Self {
        let of = |discs| (patterns.table(discs), patterns.constant(discs));
        let discs = features.discs();
        Children {
            // On a full board there is no move.
            after_disc: of((discs + 1).min(64)),
            after_pass: of(discs),
            parent: simd.shorts(features.numbers()),
        }
    }

    /// The expected disc difference for the side that makes this move, in units of [`DISC`].
    #[inline(always)]
    pub(super) fn value(&self, simd: S, turn: Turn) -> i32 {
        let (table, constant) = match turn {
            Turn::Disc { .. } => self.after_disc,
            Turn::Pass => self.after_pass,
        };
        let child = after(simd, &ADDENDS, self.parent, turn);
        // The child's value is its side to move's, who is the opponent.
        -(constant + child.sum_of_entries(table, &BASES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::reversi::PASS;
    use crate::game::reversi::Reversi;
    use crate::game::{Game, GameKind, Moves, Playable, Setup};
    use crate::knowledge::reversi::shapes::Sharing;
    use crate::rollout::Random;
    use rand::{Rng, RngExt, SeedableRng};

    /// Weights that are as good as any for comparisons.
    fn noise(random: &mut Random) -> Patterns {
        let mut patterns = Patterns::blank();
        let sharing = Sharing::new(&shapes::DRAWN);
        for stage in 0..STAGES {
            for number in 0..sharing.count() {
                let weight = (random.next_u64() as i16) >> 4;
                patterns.set_weight(stage, sharing.entries(number), weight);
            }
        }
        for discs in 0..COUNTS as u32 {
            *patterns.constant_mut(discs) = random.next_u64() as i16;
        }
        patterns
    }

    /// Calls `check` with every position of random games.
    fn positions(random: &mut Random, games: u32, mut check: impl FnMut(&Reversi, &Features)) {
        for _ in 0..games {
            let mut position = Reversi::new(&Setup::standard(GameKind::Reversi)).unwrap();
            let mut features = Features::new(&position);
            while position.outcome().is_none() {
                check(&position, &features);
                let mut moves = Moves::new();
                position.legal_moves(&mut moves);
                let mv = moves[random.random_range(0..moves.len())];
                match mv.code() {
                    PASS => features.pass(),
                    code => {
                        let square = usize::from(code);
                        features.play(square, position.flips(square));
                    }
                }
                position.play(mv);
            }
        }
    }

    #[test]
    #[cfg(feature = "weights-reversi")]
    fn stages_are_read_when_they_are_asked_for() {
        let (begun, read) = (Patterns::begin(OWN).unwrap(), Patterns::read(OWN).unwrap());
        for (number, asked) in [3, 0, STAGES - 1].into_iter().enumerate() {
            assert!(begun.stage_table(asked) == read.stage_table(asked));
            let is_there = |table: &&OnceLock<_>| table.get().is_some();
            assert_eq!(begun.tables.iter().filter(is_there).count(), number + 1);
        }
        assert!(begun.clone().tables == read.tables);
    }

    #[test]
    fn features_follow_the_moves() {
        let mut random = Random::seed_from_u64(1);
        positions(&mut random, 50, |position, features| {
            assert_eq!(*features, Features::new(position));
        });
    }

    #[test]
    fn children_are_worth_what_they_are_worth_alone() {
        let mut random = Random::seed_from_u64(2);
        let patterns = noise(&mut random);
        positions(&mut random, 20, |position, features| {
            let mut moves = Moves::new();
            position.legal_moves(&mut moves);
            let mut values = [0; 64];
            Isa::current().run(Expected {
                by: &patterns,
                features,
                board: Board::from(position),
                moves: moves.iter().map(|mv| mv.code()),
                out: &mut values,
            });
            for (&mv, &value) in moves.iter().zip(&values) {
                let mut child = position.clone();
                child.play(mv);
                // A game that is over has no side to move; the numbers are the opponent's.
                let mut seen = Features::new(&child);
                if child.side_to_move() == position.side_to_move() {
                    seen.pass();
                }
                assert_eq!(value, -patterns.evaluate(&seen));
            }
        });
    }

    /// Every ISA finds what a sum in plain words finds.
    #[test]
    fn every_isa_finds_the_same() {
        let mut random = Random::seed_from_u64(3);
        let patterns = noise(&mut random);
        positions(&mut random, 20, |position, features| {
            let discs = features.discs();
            let entry = |(&number, base): (&i16, i32)| (base + i32::from(number)) as usize;
            let entries = features.contents().iter().zip(BASES.0).map(entry);
            let weights = entries.map(|entry| i32::from(patterns.weight(stage(discs), entry)));
            let plain = weights.sum::<i32>() + patterns.constant(discs);
            assert_eq!(patterns.evaluate(features), plain);
            let moves = position.legal_squares();
            let values = Isa::all().into_iter().map(|isa| {
                let mut values = [0; 64];
                isa.run(Expected {
                    by: &patterns,
                    features,
                    board: Board::from(position),
                    moves: (0..64).filter(|square| moves >> square & 1 == 1),
                    out: &mut values,
                });
                let sum = SumOfWeights {
                    table: patterns.table(discs),
                    features,
                };
                (values, isa.run(sum))
            });
            let values: Vec<_> = values.collect();
            assert!(values.windows(2).all(|two| two[0] == two[1]));
        });
    }

    #[test]
    fn stages_are_four_discs_wide() {
        assert_eq!(
            [4, 7, 8, 59, 60, 63, 64].map(stage),
            [0, 0, 1, 13, 14, 14, 14]
        );
    }

    #[test]
    fn chances_are_even_when_nobody_is_ahead() {
        let patterns = Patterns::blank();
        assert_eq!(patterns.win_chance(0, 30), 0.5);
        assert!(patterns.win_chance(8 * DISC, 30) > 0.7);
        let sides = [-300, 300].map(|difference| patterns.win_chance(difference, 30));
        assert!((sides[0] + sides[1] - 1.0).abs() < 1e-6);
        let less = patterns.chance_less(patterns.win_chance(5 * DISC, 30), 2 * DISC, 30);
        assert!((less - patterns.win_chance(3 * DISC, 30)).abs() < 1e-3);
    }

    #[cfg(feature = "weights-reversi")]
    #[test]
    fn this_program_has_weights() {
        assert!(Patterns::read(OWN).is_ok());
    }
}
