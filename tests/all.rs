//! All tests of the library and the program from outside, as one program: it is built and linked
//! once. `cargo test --test all board::` runs those of `tests/board.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod built;
mod common;
#[path = "common/dialogue.rs"]
mod dialogue;
#[path = "../benches/ffo/mod.rs"]
mod ffo;
#[path = "common/folder.rs"]
mod folder;
mod played;
mod samples;
#[path = "common/table.rs"]
mod table;

mod arena;
mod board;
mod boards;
mod botzone;
mod c_interface;
mod compliance;
mod computed;
mod conformance;
mod endings;
mod engines;
mod files;
mod fuzz_protocols;
mod grhino;
mod host;
mod interrupts;
mod judges;
mod keeper;
mod learn;
mod matches;
mod pages;
mod perft;
mod report;
mod reversi;
mod rollouts;
mod rooms;
mod solve;
mod speak;
mod terminal;
mod tictactoe;
mod tools;
mod tournament;
mod transcripts;
mod traps;
mod web;
