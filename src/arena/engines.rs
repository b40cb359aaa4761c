//! The players of a match.
//!
//! | module | what it is |
//! |---|---|
//! | [`words`] | a command line as words |
//! | [`process`] | a child process: lines out, stamped lines in, an end that leaves nothing behind |
//! | [`dialect`] | the manager's side of each protocol |
//! | [`clock`] | the clock of one side in one game |
//! | [`spec`] | how a player is named |
//! | [`engine`] | a player: how it is started, asked and restarted |

pub mod clock;
pub mod dialect;
pub mod engine;
pub mod process;
pub mod spec;
pub mod words;
