//! The graded opponents: ten levels in each game.
//!
//! What bounds them is playouts, nodes and plies, so that a level plays the same on every machine
//! that gives it the time. Only the highest use what Tengen knows of a game, so that the others stay
//! what they are while the engine learns. The limits were chosen by matches, so that
//! each level beats the one before it clearly and the last one answers within about a second.

use super::{Player, PlayerKind, presets};
use crate::game::GameKind;
use crate::options::{AlphaBetaOptions, SearchOptions};

/// The player of a level, 1 to 10, in a game.
pub fn level(game: GameKind, level: u8) -> Player {
    match game {
        GameKind::Gomoku => gomoku(level),
        GameKind::Reversi => reversi(level),
        _ => by_playouts(game, level),
    }
}

/// UCT alone is weak here, a search by patterns is not.
fn gomoku(level: u8) -> Player {
    let one_ply = AlphaBetaOptions {
        depth: 1,
        ..presets::alphabeta(GameKind::Gomoku)
    };
    match level {
        0..=1 => PlayerKind::Random.alone(),
        2 => plain_uct(GameKind::Gomoku, 300),
        3 => plain_uct(GameKind::Gomoku, 3000),
        4 => PlayerKind::Greedy.alone(),
        // Hardly looks at what the opponent has.
        5 => PlayerKind::AlphaBeta.with(AlphaBetaOptions {
            defence: 3,
            ..one_ply
        }),
        6 => PlayerKind::AlphaBeta.with(one_ply),
        7 => PlayerKind::FiveTuple.alone(),
        8 => by_depth(GameKind::Gomoku, 4),
        9 => by_depth(GameKind::Gomoku, 5),
        _ => by_depth(GameKind::Gomoku, 6).limited_to(100_000),
    }
}

/// A search by squares and mobility gains with every ply.
fn reversi(level: u8) -> Player {
    match level {
        0..=1 => PlayerKind::Random.alone(),
        2 => plain_uct(GameKind::Reversi, 10),
        3..=9 => by_depth(GameKind::Reversi, u32::from(level) - 2),
        _ => by_depth(GameKind::Reversi, 12).limited_to(400_000),
    }
}

/// Connect Four, and games that nothing is known of. UCT gains with every playout, where it finds and
/// uses exact results. The last two levels use what Tengen knows besides, for playouts alone gain
/// little more.
fn by_playouts(game: GameKind, level: u8) -> Player {
    let uct = PlayerKind::Plain.with(SearchOptions {
        exploration: 0.7,
        random_order: false,
        proofs: true,
        ..presets::uct(game)
    });
    let knowing = PlayerKind::Knowing.with(SearchOptions {
        // Solved to the end, there would be nothing to grade.
        solve_root: false,
        rollouts: 1,
        ..presets::tengen(game)
    });
    match level {
        0..=1 => PlayerKind::Random.alone(),
        2 => uct.limited_to(8),
        3 => uct.limited_to(24),
        4 => uct.limited_to(80),
        5 => uct.limited_to(300),
        6 => uct.limited_to(1000),
        7 => uct.limited_to(3500),
        8 => uct.limited_to(60_000),
        9 => knowing.limited_to(2500),
        _ => knowing.limited_to(300_000),
    }
}

/// Plain UCT with so many playouts a move.
fn plain_uct(game: GameKind, playouts: u64) -> Player {
    PlayerKind::Plain
        .with(presets::uct(game))
        .limited_to(playouts)
}

/// Alpha-beta that looks so many plies ahead.
fn by_depth(game: GameKind, depth: u32) -> Player {
    PlayerKind::AlphaBeta.with(AlphaBetaOptions {
        depth,
        ..presets::alphabeta(game)
    })
}
