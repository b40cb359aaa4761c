//! Records of games.
//!
//! | module | what it is |
//! |---|---|
//! | [`date`] | the day of a game |
//! | [`adjudication`] | games that are ended because both engines say the same of them |
//! | [`setup`] | a setup as records tell it |
//! | [`record`] | one game as a line of JSON |
//! | [`replacement`] | files that are written over others, and those that must not be |
//! | [`lock`] | files that one program at a time writes to |
//! | [`journal`] | records in a file |
//! | [`ledger`] | which games are there already |
//! | [`export`] | games as files that other programs read |

pub mod adjudication;
pub mod date;
pub mod export;
pub mod journal;
pub mod ledger;
pub mod lock;
pub mod record;
pub mod replacement;
pub mod setup;
