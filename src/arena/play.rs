//! One game between two engines, and many.
//!
//! | module | what it is |
//! |---|---|
//! | [`balanced`] | openings of Gomoku that neither side has won yet |
//! | [`opening`] | fair openings by random plies, or from a list |
//! | [`opening_file`] | lists of openings in the formats of the field |
//! | [`referee`] | one game between two engines |
//! | [`tournament`] | who meets whom |
//! | [`schedule`] | many games over several workers |
//! | [`scorer`] | what becomes of a game when it is over |

pub mod balanced;
pub mod opening;
pub mod opening_file;
pub mod referee;
pub mod schedule;
pub mod scorer;
pub mod tournament;
