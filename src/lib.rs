//! Tengen plays Gomoku, Reversi and gravity Connect Four by UCT.
//!
//! One search plays them all, and any other [`Game`](game::Game): `examples/tictactoe.rs` brings its own
//! rules. Connect Four against itself, a thousand playouts a move:
//!
//! ```
//! use tengen::clock;
//! use tengen::game::connect4::Connect4;
//! use tengen::game::{Game, GameKind, Playable, Setup, SetupError};
//! use tengen::knowledge::NoKnowledge;
//! use tengen::options::SearchOptions;
//! use tengen::search::{Limits, Search, StopFlag};
//!
//! let start = Connect4::new(&Setup::standard(GameKind::Connect4))?;
//! let mut search = Search::new(start, NoKnowledge, SearchOptions::default());
//! while search.position().outcome().is_none() {
//!     let limits = Limits::playouts(clock::now(), 1000);
//!     let report = search.run(&limits, &StopFlag::new(), &mut |_| {});
//!     let position = search.position();
//!     let best = report.best.and_then(|action| position.parse_action(action));
//!     let Some(mv) = best else { break };
//!     println!("{position}");
//!     search.advance(mv);
//! }
//! println!("{}", search.position());
//! # assert!(search.position().outcome().is_some());
//! # Ok::<(), SetupError>(())
//! ```
//!
//! Lowest first: a file uses the modules above its own in this list and never one below.
//!
//! | module | what it is |
//! |---|---|
//! | [`crew`] | threads that wait for work |
//! | [`simd`] | the same computation with the instructions of every kind of processor |
//! | [`cache_lines`] | words that all threads share, for tables of positions |
//! | [`options`] | every option in one table |
//! | [`game`] | the rules of the games and nothing else |
//! | [`rollout`] | random games as fast as the machine allows |
//! | [`knowledge`] | what a game knows beyond its rules |
//! | [`clock`] | what the referee granted, and how long to think |
//! | [`search`] | one UCT for all games |
//! | [`session`] | one game being played by one bot |
//! | [`bots`] | the players: Tengen, and the reference bots of the field |
//! | [`player`] | a bot in its session, made anew when the game or the options change |
//! | [`args`] | command line arguments that several commands share |
//! | [`protocol`] | lines in, requests out; events in, lines out |
//! | [`slices`] | the loop that joins a protocol to a session where there are no threads |
//! | [`io`] | the standard streams, and the loop that joins a protocol to a session |
//! | [`keeper`] | ends what an engine leaves behind |
//! | [`host`] | a bot of the coursework from a shared library |
//! | [`arena`] | engines as child processes, the referee, the statistics |
//! | [`learn`] | evaluations from self-play: games, fit, matches between generations |
//! | [`tools`] | the subcommands: match, merge, bench, perft, analyze, board, play, solve, book, tune, learn, compliance, experiment, options, report |
//! | [`cli`] | arguments in, exit code out |
//!
//! [`args`], [`io`] and all below them are the program, which the feature `cli` adds. What is above
//! them, [`protocol`] and [`slices`] included, needs no streams and no files, and also compiles for WebAssembly.
//!
//! `unsafe` has two rooms here: `src/simd/x86.rs` with what is below it, the instructions of vector
//! units, and `src/host/library.rs`, where a library is loaded and called. `tests/rooms.rs` checks
//! that it is nowhere else but in the C interface of `examples/strategy.rs`, and in what
//! `examples/web_page.rs` exports to a browser.

#![deny(unsafe_code)]

#[cfg(feature = "cli")]
pub mod arena;
#[cfg(feature = "cli")]
pub mod args;
pub mod bots;
pub mod cache_lines;
#[cfg(feature = "cli")]
pub mod cli;
pub mod clock;
pub mod crew;
pub mod game;
#[cfg(feature = "cli")]
pub mod host;
#[cfg(feature = "cli")]
pub mod io;
#[cfg(feature = "cli")]
pub mod keeper;
pub mod knowledge;
#[cfg(feature = "cli")]
pub mod learn;
pub mod options;
pub mod player;
pub mod protocol;
pub mod rollout;
pub mod search;
pub mod session;
pub mod simd;
pub mod slices;
#[cfg(feature = "cli")]
pub mod tools;
