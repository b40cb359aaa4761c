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
use rand::RngExt;
use std::ops::RangeInclusive;

/// Stones of an opening.
const STONES: RangeInclusive<usize> = 2..=8;

/// How far its stones may lie from its middle, in king's steps.
const SPREAD: RangeInclusive<i32> = 2..=5;

/// Playouts by which an opening is judged. (A guess: a tenth of a second.)
const PLAYOUTS: u64 = 4000;

/// Openings looked at before giving up, as where a board is too small for any.
const ATTEMPTS: u32 = 1000;

/// How far the expected score may be from a half at first, and what each attempt adds.
const TOLERANCE: [f64; 2] = [0.1, 0.002];

/// Memory of the search.
const MEMORY: u64 = 32 << 20;

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

/// The moves of an opening that a short search takes to be balanced, the better so the sooner it is
/// found. `None`: this board has none.
pub fn opening(setup: &Setup, random: &mut Random) -> Option<Vec<Action>> {
    let [first, step] = TOLERANCE;
    for attempt in 0..ATTEMPTS {
        let tolerance = first + step * f64::from(attempt);
        let Some((game, moves)) = drawn(setup, random) else {
            continue;
        };
        if is_balanced(&game, tolerance) {
            let action = |&mv: &Move| game.action(mv);
            return Some(moves.iter().map(action).collect());
        }
    }
    None
}

/// Whether the search proves nothing and expects a score so near to a half.
fn is_balanced(game: &Gomoku, tolerance: f64) -> bool {
    let setup = game.setup();
    let options = SearchOptions {
        memory: Memory::Bytes(MEMORY),
        ..presets::tengen(setup.game())
    };
    let knowledge = GomokuKnowledge::own(setup.rule(), MEMORY as usize / 8);
    let mut search = Search::new(game.clone(), knowledge, options);
    let limits = Limits::playouts(clock::now(), PLAYOUTS);
    let report = search.run(&limits, &StopFlag::new(), &mut |_| {});
    report.proof.is_none() && (report.value - 0.5).abs() < tolerance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameKind, Rule};
    use rand::SeedableRng;

    #[test]
    fn openings_are_drawn_again_from_the_same_seed_and_go_on() {
        let mut seen = Vec::new();
        for rule in [Rule::Freestyle, Rule::Renju] {
            let setup = Setup::standard(GameKind::Gomoku).with(rule);
            let draw = || opening(&setup, &mut Random::seed_from_u64(3)).unwrap();
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
        let other = opening(
            &Setup::standard(GameKind::Gomoku),
            &mut Random::seed_from_u64(4),
        );
        assert_ne!(other.as_ref(), seen.first());
    }
}
