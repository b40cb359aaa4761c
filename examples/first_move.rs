//! The first move in every game, by the library without the program around it:
//!
//! ```sh
//! cargo run --example first_move --no-default-features
//! ```
//!
//! It also compiles for WebAssembly, where nothing reads what it prints. `examples/web_page.rs` is an
//! engine for browsers.

#![allow(clippy::print_stdout, reason = "that is all it does")]

use tengen::clock;
use tengen::game::connect4::Connect4;
use tengen::game::gomoku::Gomoku;
use tengen::game::reversi::Reversi;
use tengen::game::{GameKind, Playable, Setup, SetupError, notation};
use tengen::knowledge::connect4::Connect4Knowledge;
use tengen::knowledge::gomoku::GomokuKnowledge;
use tengen::knowledge::{Knowledge, NoKnowledge};
use tengen::options::SearchOptions;
use tengen::rollout::Rollout;
use tengen::search::{Limits, Search, StopFlag};

/// Bytes for the exact solver of Connect Four.
const SOLVER_BYTES: usize = 1 << 20;

fn show<G: Playable + Rollout, K: Knowledge<G>>(
    setup: &Setup,
    knowledge: K,
) -> Result<(), SetupError> {
    let mut search = Search::new(G::new(setup)?, knowledge, SearchOptions::default());
    let limits = Limits::playouts(clock::now(), 1000);
    let report = search.run(&limits, &StopFlag::default(), &mut |_| {});
    if let Some(action) = report.best {
        println!("{}: {}", setup.game(), notation::write(setup, action));
    }
    Ok(())
}

fn main() -> Result<(), SetupError> {
    let gomoku = Setup::standard(GameKind::Gomoku);
    show::<Gomoku, _>(&gomoku, GomokuKnowledge::new(gomoku.rule(), 0))?;
    show::<Reversi, _>(&Setup::standard(GameKind::Reversi), NoKnowledge)?;
    let setup = Setup::standard(GameKind::Connect4);
    let knowledge = Connect4Knowledge::new(&setup, SOLVER_BYTES, 1);
    show::<Connect4, _>(&setup, knowledge)
}
