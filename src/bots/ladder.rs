//! The graded opponents: ten levels in each game.
//!
//! What bounds them is playouts, nodes and plies, never time, so that a level plays the same on
//! every machine.

use super::{Kind, Player, presets};
use crate::game::GameKind;
use crate::search::Options;

/// The player of a level, 1 to 10, in a game.
pub fn level(game: GameKind, level: usize) -> Player {
    match game {
        GameKind::Gomoku => gomoku(level),
        GameKind::Reversi => reversi(level),
        GameKind::Connect4 => connect4(level),
    }
}

fn gomoku(level: usize) -> Player {
    match level {
        1 => Kind::Random.alone(),
        2 => plain(GameKind::Gomoku, 500),
        3 => Kind::Greedy.alone(),
        4 => alpha_beta(GameKind::Gomoku, 1),
        level => alpha_beta(GameKind::Gomoku, level as u32 - 3),
    }
}

fn reversi(level: usize) -> Player {
    match level {
        1 => Kind::Random.alone(),
        2 => Kind::Greedy.alone(),
        level => alpha_beta(GameKind::Reversi, level as u32 - 2),
    }
}

fn connect4(level: usize) -> Player {
    match level {
        1 => Kind::Random.alone(),
        2 => Kind::Greedy.alone(),
        level => alpha_beta(GameKind::Connect4, level as u32 - 2),
    }
}

/// Plain UCT with so many playouts a move.
fn plain(game: GameKind, playouts: u64) -> Player {
    Kind::Plain.with(Options {
        playouts,
        ..presets::uct(game)
    })
}

/// Alpha-beta that looks so many plies ahead.
fn alpha_beta(game: GameKind, depth: u32) -> Player {
    Kind::AlphaBeta.with(Options {
        depth,
        ..presets::alphabeta(game)
    })
}
