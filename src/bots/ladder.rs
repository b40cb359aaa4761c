//! The graded opponents: ten levels in each game.
//!
//! What bounds them is playouts, nodes and plies, so that a level plays the same on every machine
//! that gives it the time. Only the highest use what Tengen knows of a game, so that the others stay
//! what they are while the engine learns. The limits were chosen by matches, so that
//! each level beats the one before it clearly and the last one answers within about a second.

use super::{Player, PlayerKind, presets};
use crate::game::GameKind;
use crate::search::Options;

/// The player of a level, 1 to 10, in a game.
pub fn level(game: GameKind, level: u8) -> Player {
    match game {
        GameKind::Gomoku => gomoku(level),
        GameKind::Reversi => reversi(level),
        GameKind::Connect4 => connect4(level),
    }
}

/// UCT alone is weak here, a search by patterns is not.
fn gomoku(level: u8) -> Player {
    let one_ply = Options {
        depth: 1,
        ..presets::alphabeta(GameKind::Gomoku)
    };
    match level {
        0..=1 => PlayerKind::Random.alone(),
        2 => plain_uct(GameKind::Gomoku, 300),
        3 => plain_uct(GameKind::Gomoku, 3000),
        4 => PlayerKind::Greedy.alone(),
        // Hardly looks at what the opponent has.
        5 => PlayerKind::AlphaBeta.with(Options {
            defence: 3,
            ..one_ply
        }),
        6 => PlayerKind::AlphaBeta.with(one_ply),
        7 => PlayerKind::FiveTuple.alone(),
        8 => by_depth(GameKind::Gomoku, 4),
        9 => by_depth(GameKind::Gomoku, 5),
        _ => PlayerKind::AlphaBeta.with(Options {
            depth: 6,
            playouts: 100_000,
            ..Options::default()
        }),
    }
}

/// A search by squares and mobility gains with every ply.
fn reversi(level: u8) -> Player {
    match level {
        0..=1 => PlayerKind::Random.alone(),
        2 => plain_uct(GameKind::Reversi, 10),
        3..=9 => by_depth(GameKind::Reversi, u32::from(level) - 2),
        _ => PlayerKind::AlphaBeta.with(Options {
            depth: 12,
            playouts: 400_000,
            ..Options::default()
        }),
    }
}

/// UCT gains with every playout, where it finds and uses exact results. The last two levels use
/// what Tengen knows besides, for playouts alone gain little more.
fn connect4(level: u8) -> Player {
    let uct = |playouts| {
        PlayerKind::Plain.with(Options {
            playouts,
            exploration: 0.7,
            random_order: false,
            proofs: true,
            ..presets::uct(GameKind::Connect4)
        })
    };
    let knowing = |playouts| {
        PlayerKind::Knowing.with(Options {
            playouts,
            // Solved to the end, there would be nothing to grade.
            solve_root: false,
            rollouts: 1,
            ..presets::tengen(GameKind::Connect4)
        })
    };
    match level {
        0..=1 => PlayerKind::Random.alone(),
        2 => uct(8),
        3 => uct(24),
        4 => uct(80),
        5 => uct(300),
        6 => uct(1000),
        7 => uct(3500),
        8 => uct(60_000),
        9 => knowing(2500),
        _ => knowing(300_000),
    }
}

/// Plain UCT with so many playouts a move.
fn plain_uct(game: GameKind, playouts: u64) -> Player {
    PlayerKind::Plain.with(Options {
        playouts,
        ..presets::uct(game)
    })
}

/// Alpha-beta that looks so many plies ahead.
fn by_depth(game: GameKind, depth: u32) -> Player {
    PlayerKind::AlphaBeta.with(Options {
        depth,
        ..presets::alphabeta(game)
    })
}
