//! The bots that are Tengen's search with certain options.
//!
//! The values of the coursework's systems are those of their reports.

use crate::game::GameKind;
use crate::knowledge::reversi::ReversiKnowledge;
use crate::search::{Choice, Judge, Options, Reward, Selection};

/// Tengen's own options for a game.
pub fn tengen(game: GameKind) -> Options {
    let options = Options::default();
    match game {
        GameKind::Gomoku => Options {
            exploration: 0.5,
            expand_visits: 4,
            rollouts: 4,
            ..options
        },
        // A batch of eight leaves made three times the playouts in the same time, and won 40-2-18
        // at 100 ms a move (2026-11-21). Siblings, which make half as many again, were level with
        // that at 40 ms, 302-67-287; with 0.5 they won 110-12-96 against it, with 1.0 lost
        // 74-16-114 (2026-11-23).
        GameKind::Reversi if ReversiKnowledge::own().is_some() => Options {
            selection: Selection::Puct,
            judge: Judge::Children,
            rollouts: 0,
            expand_visits: 0,
            c_puct: 1.25,
            prior_temperature: 6.0,
            minimax: 0.5,
            ..options
        },
        GameKind::Reversi => Options {
            judge: Judge::Siblings,
            ..options
        },
        // Eight playouts in lanes take little longer than one alone. On boards of 9 to 12 with a
        // hole at 50 ms a move, 16 of them were level with 8 (100-0-100), and against 0.7 the
        // exploration 0.45 won 96-0-64 and 1.0 lost 65-1-94; 0.3 won 64-1-55 against 0.45, but
        // lost 44-1-55 at 100 ms (2026-11-21). Siblings, one playout each and all in lanes, were
        // level with the eight of one leaf on 10×10 with a hole at 50 ms, 71-0-65 (with 0.3
        // 45-0-69, with 0.65 59-0-61), and filled the tree twice as fast (2026-11-23).
        GameKind::Connect4 => Options {
            exploration: 0.45,
            rollouts: 8,
            ..options
        },
    }
}

/// UCT with nothing added: one uniform playout a leaf, no proofs, children in random order.
pub fn uct(_: GameKind) -> Options {
    Options {
        exploration: 1.0,
        random_order: true,
        solver: false,
        ..Options::default()
    }
}

/// System A: a fresh tree for every move, c 1.414, the move of the best mean.
pub fn gomoku_mcts(game: GameKind) -> Options {
    Options {
        exploration: 1.414,
        choice: Choice::Mean,
        reuse: false,
        ..uct(game)
    }
}

/// System B: rewarded by the disc difference of won games, the move of the best UCB1.
pub fn reversi_mcts(game: GameKind) -> Options {
    Options {
        exploration: 1.414,
        choice: Choice::Ucb,
        reward: Reward::Margin,
        only_wins: true,
        reuse: false,
        ..uct(game)
    }
}

/// System D: wins less losses, the move of the best UCB1.
pub fn connect4_uct(game: GameKind) -> Options {
    Options {
        exploration: 1.0,
        choice: Choice::Ucb,
        reuse: false,
        ..uct(game)
    }
}

/// System E: 1 for a win and 0 for anything else, the move of the best mean.
pub fn mini_alphago(game: GameKind) -> Options {
    Options {
        exploration: 1.0,
        choice: Choice::Mean,
        only_wins: true,
        reuse: false,
        ..uct(game)
    }
}

/// System C: alpha-beta with its pattern values. (Its thesis lets the user choose the search and
/// the depth; these depths answer within a second.)
pub fn alphabeta(game: GameKind) -> Options {
    Options {
        depth: match game {
            GameKind::Gomoku => 4,
            GameKind::Reversi => 6,
            GameKind::Connect4 => 8,
        },
        ..Options::default()
    }
}

/// Flat Monte Carlo: no tree but the moves themselves, each with as many playouts as the others.
pub fn flat(game: GameKind) -> Options {
    Options {
        // So much that the least visited move is next, at least in some hundred playouts; after a
        // million a move that wins at once has a third more than one that loses.
        exploration: 1000.0,
        expand_visits: 1_000_000,
        choice: Choice::Mean,
        reuse: false,
        ..uct(game)
    }
}
