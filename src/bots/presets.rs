//! The bots that are Tengen's search with certain options.
//!
//! The values of the coursework's systems are those of their reports.

use crate::game::GameKind;
use crate::knowledge::reversi::ReversiKnowledge;
use crate::options::{AlphaBetaOptions, Choice, Judge, Reward, SearchOptions, Selection};

/// Tengen's own options for a game.
pub fn tengen(game: GameKind) -> SearchOptions {
    let options = SearchOptions::default();
    match game {
        GameKind::Gomoku => SearchOptions {
            selection: Selection::Puct,
            rollouts: 0,
            // Won their matches: `docs/EXPERIMENTS.md`, Gomoku.
            c_puct: 0.8,
            c_puct_growth: 0.4,
            fpu_reduction: 0.1,
            // Better than the most visits, if there is a difference: `docs/EXPERIMENTS.md`, Gomoku.
            choice: Choice::Lcb,
            // Between two values that won their matches: `docs/EXPERIMENTS.md`, Gomoku.
            prior_temperature: 1.5,
            // So that replies which the net does not expect are looked at: `docs/EXPERIMENTS.md`, Gomoku.
            prior_uniform: 0.06,
            prove_nodes: 30,
            // Takes four fifths of the time: `docs/EXPERIMENTS.md`, Evaluations and selection.
            transpositions: true,
            ..options
        },
        GameKind::Reversi if ReversiKnowledge::own().is_some() => SearchOptions {
            selection: Selection::Puct,
            judge: Judge::Children,
            rollouts: 0,
            expand_visits: 0,
            // Won their matches: `docs/EXPERIMENTS.md`, Reversi.
            c_puct: 1.0,
            prior_temperature: 6.0,
            minimax: 0.5,
            // As good as more (`docs/EXPERIMENTS.md`, Reversi), and soon done: the clock is looked at
            // between playouts.
            prove_nodes: 2_000,
            // Makes more playouts a second: `docs/EXPERIMENTS.md`, Evaluations and selection.
            stay: 0.03,
            transpositions: true,
            ..options
        },
        GameKind::Reversi => SearchOptions {
            judge: Judge::Siblings,
            ..options
        },
        // Connect Four, and games that nothing is known of. Eight rollouts in lanes take little longer
        // than one alone. The values won their matches: `docs/EXPERIMENTS.md`, Options of Connect Four.
        _ => SearchOptions {
            exploration: 0.45,
            rollouts: 8,
            ..options
        },
    }
}

/// UCT with nothing added: one uniform rollout a leaf, no proofs, children in random order.
pub fn uct(_: GameKind) -> SearchOptions {
    SearchOptions {
        exploration: 1.0,
        random_order: true,
        proofs: false,
        ..SearchOptions::default()
    }
}

/// System A: a fresh tree for every move, c 1.414, the move of the best mean.
pub fn gomoku_mcts(game: GameKind) -> SearchOptions {
    SearchOptions {
        exploration: 1.414,
        choice: Choice::Mean,
        reuse: false,
        ..uct(game)
    }
}

/// System B: rewarded by the disc difference of won games, the move of the best UCB1.
pub fn reversi_mcts(game: GameKind) -> SearchOptions {
    SearchOptions {
        exploration: 1.414,
        choice: Choice::Ucb,
        reward: Reward::Margin,
        only_wins: true,
        reuse: false,
        ..uct(game)
    }
}

/// System D: wins less losses, the move of the best UCB1.
pub fn connect4_uct(game: GameKind) -> SearchOptions {
    SearchOptions {
        exploration: 1.0,
        choice: Choice::Ucb,
        reuse: false,
        ..uct(game)
    }
}

/// System E: 1 for a win and 0 for anything else, the move of the best mean.
pub fn mini_alphago(game: GameKind) -> SearchOptions {
    SearchOptions {
        exploration: 1.0,
        choice: Choice::Mean,
        only_wins: true,
        reuse: false,
        ..uct(game)
    }
}

/// System C: alpha-beta with its pattern values. (Its thesis lets the user choose the search and
/// the depth; these depths answer within a second.)
pub fn alphabeta(game: GameKind) -> AlphaBetaOptions {
    AlphaBetaOptions {
        depth: match game {
            GameKind::Gomoku => 4,
            GameKind::Reversi => 6,
            _ => 8,
        },
        ..AlphaBetaOptions::default()
    }
}

/// Flat Monte Carlo: no tree but the moves themselves, each with as many playouts as the others.
pub fn flat(game: GameKind) -> SearchOptions {
    SearchOptions {
        // So much that the least visited move is next, at least in some hundred playouts; after a
        // million a move that wins at once has a third more than one that loses.
        exploration: 1000.0,
        expand_visits: 1_000_000,
        choice: Choice::Mean,
        reuse: false,
        ..uct(game)
    }
}
