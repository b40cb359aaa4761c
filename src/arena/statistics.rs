//! What the records of a match add up to.
//!
//! | module | what it is |
//! |---|---|
//! | [`stats`] | score and Elo with their 95 % intervals |
//! | [`sprt`] | the sequential probability ratio test |
//! | [`rating`] | ratings of many players by all their games |
//! | [`standing`] | the games of each pairing |

pub mod rating;
pub mod sprt;
pub mod standing;
pub mod stats;
