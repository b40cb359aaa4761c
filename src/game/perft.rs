//! Counting move sequences: the test of a move generator.

use super::{Game, Moves};

/// The number of move sequences of exactly `depth` plies from `position`; a pass is a ply and a
/// finished game has no continuation.
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Moves::new();
    position.legal_moves(&mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut count = 0;
    for &mv in &moves {
        let mut next = position.clone();
        next.play(mv);
        count += perft(&next, depth - 1);
    }
    count
}
