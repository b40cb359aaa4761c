//! What the pattern board of Gomoku takes for a stone.
//!
//! `cargo bench --bench patterns` puts sixty stones on the middle of a board and takes them away
//! again, for every rule, and prints the time of one stone there and back. The least of many rounds
//! counts: the others were disturbed.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

mod timing;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use tengen::game::gomoku::Gomoku;
use tengen::game::{Action, Game, GameKind, Move, Playable, Rule, Setup, SetupError, Side};
use tengen::knowledge::gomoku::patterns::Patterns;
use tengen::rollout::Random;
use timing::{median, thread_time};

const STONES: usize = 60;
const REPEATS: u32 = 200;
const ROUNDS: u64 = 50;

/// Stones within five steps of the middle, shuffled.
fn stones(game: &Gomoku, seed: u64) -> Vec<Move> {
    let middle = game.setup().cols / 2;
    let near = game
        .setup()
        .points()
        .filter(|point| point.col.abs_diff(middle) <= 5 && point.row.abs_diff(middle) <= 5);
    let mut moves: Vec<Move> = near
        .filter_map(|point| game.parse_action(Action::Point(point)))
        .collect();
    moves.shuffle(&mut Random::seed_from_u64(seed));
    moves.truncate(STONES);
    moves
}

/// Nanoseconds for a stone put down and taken back.
fn measure(patterns: &mut Patterns, moves: &[Move]) -> f64 {
    let begun = thread_time();
    for _ in 0..REPEATS {
        let mut side = Side::First;
        for &mv in moves {
            patterns.play(mv, side);
            side = side.other();
        }
        patterns.rewind(0);
    }
    let taken = (thread_time() - begun).as_nanos() as f64;
    taken / f64::from(REPEATS) / moves.len() as f64
}

fn main() -> Result<(), SetupError> {
    for rule in Rule::ALL {
        for size in [15, 20] {
            let setup = Setup::standard(GameKind::Gomoku).with_size(size, size);
            let game = Gomoku::new(&setup.with(rule))?;
            let mut patterns = Patterns::of(&game);
            let times: Vec<f64> = (0..ROUNDS)
                .map(|seed| measure(&mut patterns, &stones(&game, seed)))
                .collect();
            let least = times.iter().copied().fold(f64::INFINITY, f64::min);
            let middle = median(&times);
            println!("{rule} {size}×{size}: {least:.0} ns, median {middle:.0}");
        }
    }
    Ok(())
}
