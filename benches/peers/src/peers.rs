//! The other crates, each made to do plain UCT on one thread with one uniform rollout a leaf,
//! played to the end of the game.

mod board_game;
mod mcts;
mod minimax;
mod monte_carlo_tree_search;

use crate::Make;
use crate::rules::{Position, Rules};
use ::board_game::board::AltBoard;
use ::board_game::games::connect4::Connect4 as BitBoard;
use tengen::game::Game;

/// c in `mean + c·sqrt(ln N / n)` with scores 0..1, where a crate lets one set it: that of
/// Tengen's bot `uct`, whose c of 1 is before `sqrt(2·ln N / n)` and scores -1..1.
const EXPLORATION: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Every crate with a game by Tengen's rules.
pub fn by_the_rules<G: Game>(position: &Position<G>) -> Vec<(String, Make)> {
    on("", position)
}

/// Every crate with Connect Four on a board that board-game brings.
pub fn on_bits() -> Vec<(String, Make)> {
    on(", on bits", &BitBoard::default())
}

/// Every crate with a game. `board` is added to their names.
fn on<R: Rules + AltBoard>(board: &str, position: &R) -> Vec<(String, Make)> {
    let crates: [(&str, Make); 4] = [
        ("minimax 0.6", minimax::search(position.clone())),
        ("mcts 0.3", mcts::search(position.clone())),
        (
            "monte-carlo-tree-search 0.3",
            monte_carlo_tree_search::search(position.clone()),
        ),
        ("board-game 0.8", board_game::search(position.clone())),
    ];
    let named = crates.map(|(name, make)| (format!("{name}{board}"), make));
    named.into()
}
