//! Openings of Gomoku with which neither side has won yet: a match from the empty board, or from random
//! stones far apart, tells who moved first rather than who plays better.

use crate::bots::presets;
use crate::clock;
use crate::game::gomoku::Gomoku;
use crate::game::{Action, Game, Move, Playable, Setup};
use crate::knowledge::gomoku::{GomokuKnowledge, Trace};
use crate::knowledge::{Expansion, Knowledge};
use crate::options::{Memory, SearchOptions};
use crate::rollout::Random;
use crate::search::{Limits, Search, StopFlag};
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Stones of an opening.
const STONES: RangeInclusive<usize> = 2..=8;

/// How far its stones may lie from its middle, in king's steps.
const SPREAD: RangeInclusive<i32> = 2..=5;

/// Openings looked at before giving up, as where a board is too small for any.
const ATTEMPTS: u32 = 1000;

/// What an opening has to pass: playouts, and how far from a half the score may be that they expect.
/// Few tell what is far from even, and many whether the rest is: see `docs/EXPERIMENTS.md`, Gomoku.
const TESTS: [(u64, f64); 4] = [(400, 0.25), (4000, 0.15), (16_000, 0.12), (60_000, 0.1)];

/// What each attempt adds to how far it may be. Half a hundred are usual. (A guess.)
const LENIENCE: f64 = 0.0002;

/// Memory of the search.
const MEMORY: u64 = 64 << 20;

/// Openings that are drawn once, however many games begin with them: searches choose each, which takes
/// seconds. Clones share what is known.
#[derive(Clone, Debug, Default)]
pub struct BalancedOpenings(Arc<Mutex<HashMap<(Setup, u64), Known>>>);

/// What is known of one setup and seed. Who comes first draws it, and others wait.
type Known = Arc<OnceLock<Option<Vec<Action>>>>;

impl BalancedOpenings {
    /// The moves of the opening of this seed. `None`: the board has none.
    #[must_use]
    pub fn of_seed(&self, setup: &Setup, seed: u64) -> Option<Vec<Action>> {
        let draw = || opening(setup, &mut Random::seed_from_u64(seed));
        self.known(setup, seed).get_or_init(draw).clone()
    }

    /// Takes these moves, which an earlier match began with, for the opening of this seed, if it
    /// draws them and none is known yet: no search judges them again.
    pub fn recall(&self, setup: &Setup, seed: u64, moves: &[Action]) {
        let known = self.known(setup, seed);
        if known.get().is_none() && draws(setup, &mut Random::seed_from_u64(seed), moves) {
            known.get_or_init(|| Some(moves.to_vec()));
        }
    }

    fn known(&self, setup: &Setup, seed: u64) -> Known {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry((*setup, seed)).or_default().clone()
    }
}

/// Whether these moves are among the openings that are looked at.
fn draws(setup: &Setup, random: &mut Random, moves: &[Action]) -> bool {
    let mut all = (0..ATTEMPTS).filter_map(|_| drawn(setup, random));
    all.any(|(game, drawn)| actions(&game, &drawn) == moves)
}

/// Random stones near each other, with which neither side is seen to win at once. Returns the
/// position and its moves.
pub fn drawn(setup: &Setup, random: &mut Random) -> Option<(Gomoku, Vec<Move>)> {
    let mut game = Gomoku::new(setup).ok()?;
    let count = random.random_range(STONES);
    let spread = random.random_range(SPREAD);
    let mut near = |middle: i32, size: u8| {
        let place = middle + random.random_range(-spread..=spread);
        place.clamp(0, i32::from(size) - 1) as u8
    };
    let [middle_col, middle_row] = [setup.cols, setup.rows].map(|size| i32::from(size) / 2);
    let mut moves = Vec::new();
    for _ in 0..count {
        let action = Action::point(near(middle_col, setup.cols), near(middle_row, setup.rows));
        let mv = game.parse_action(action)?;
        game.play(mv);
        moves.push(mv);
    }
    if game.outcome().is_some() {
        return None;
    }
    let mut expansion = Expansion::default();
    let knowledge = GomokuKnowledge::new(setup.rule(), 0);
    knowledge.expand(&game, &mut Trace::default(), &mut expansion);
    let is_quiet = expansion.proof.is_none() && !expansion.complete;
    is_quiet.then_some((game, moves))
}

/// The moves of an opening that a search takes to be balanced, the better so the sooner it is
/// found. `None`: this board has none.
fn opening(setup: &Setup, random: &mut Random) -> Option<Vec<Action>> {
    (0..ATTEMPTS).find_map(|attempt| {
        let (game, moves) = drawn(setup, random)?;
        is_balanced(&game, LENIENCE * f64::from(attempt)).then(|| actions(&game, &moves))
    })
}

fn actions(game: &Gomoku, moves: &[Move]) -> Vec<Action> {
    moves.iter().map(|&mv| game.action(mv)).collect()
}

/// Whether a search that goes on from test to test proves nothing and expects a score so near to a
/// half, or this much farther from it.
fn is_balanced(game: &Gomoku, lenience: f64) -> bool {
    let setup = game.setup();
    let options = SearchOptions {
        memory: Memory::Bytes(MEMORY),
        ..presets::tengen(setup.game())
    };
    let knowledge = GomokuKnowledge::own(setup.rule(), MEMORY as usize / 8);
    let mut search = Search::new(game.clone(), knowledge, options);
    TESTS.iter().all(|&(playouts, tolerance)| {
        let limits = Limits::playouts(clock::now(), playouts);
        let report = search.run(&limits, &StopFlag::new(), &mut |_| {});
        report.proof.is_none() && (report.value - 0.5).abs() < tolerance + lenience
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameKind, Rule};

    /// A board on which an opening is soon found.
    fn small() -> Setup {
        Setup {
            cols: 9,
            rows: 9,
            ..Setup::standard(GameKind::Gomoku)
        }
    }

    #[test]
    fn openings_are_drawn_again_from_the_same_seed_and_go_on() {
        let mut seen = Vec::new();
        for rule in [Rule::Freestyle, Rule::Renju] {
            let setup = small().with(rule);
            let draw = || BalancedOpenings::default().of_seed(&setup, 3).unwrap();
            let moves = draw();
            assert_eq!(draw(), moves);
            assert!(STONES.contains(&moves.len()));
            let mut game = Gomoku::new(&setup).unwrap();
            for action in &moves {
                game.play(game.parse_action(*action).unwrap());
            }
            assert!(game.outcome().is_none() && is_balanced(&game, 0.5));
            seen.push(moves);
        }
        let other = BalancedOpenings::default().of_seed(&small(), 4);
        assert_ne!(other.as_ref(), seen.first());
    }

    #[test]
    fn an_opening_of_an_earlier_match_is_taken_where_its_seed_draws_it() {
        let setup = Setup::standard(GameKind::Gomoku);
        let mut random = Random::seed_from_u64(3);
        let (game, moves) = (0..ATTEMPTS)
            .find_map(|_| drawn(&setup, &mut random))
            .unwrap();
        let first = actions(&game, &moves);
        let openings = BalancedOpenings::default();
        openings.recall(&setup, 4, &first);
        assert!(openings.known(&setup, 4).get().is_none());
        openings.clone().recall(&setup, 3, &first);
        assert_eq!(openings.of_seed(&setup, 3), Some(first));
    }
}
