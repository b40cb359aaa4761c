//! How evaluations are learned from games that the program plays with itself.
//!
//! What games have in common is here: games on several threads ([`selfplay`]), files of them ([`records`]), weights that set their own
//! rates ([`coherence`], which Reversi uses), the course of the work ([`course`]), files that survive a crash ([`checkpoint`]),
//! matches between an old evaluation and a new one ([`gate`]), and how far the work is ([`progress`]). A game adds
//! how it plays a game and what it keeps of it, and which weights a position has.
//!
//! Nothing depends on the number of threads: every game has its own random numbers, all games of a
//! batch are played with the same weights, and they are learned from in order.

pub mod checkpoint;
pub mod coherence;
pub mod course;
pub mod gate;
pub mod gomoku;
pub mod progress;
pub mod records;
pub mod reversi;
pub mod selfplay;
