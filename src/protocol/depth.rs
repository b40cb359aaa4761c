//! What a search depth means to a search that has none.

/// Deeper than this is as good as without end: a million million playouts.
const DEEPEST: u32 = 40;

/// How many playouts stand for a search to `depth` plies: 2 to the power of `depth`.
///
/// One ply more costs an alpha-beta search of Reversi about twice the time, and the million
/// playouts for 20 plies take some seconds, as Edax does for its level 20 (guess).
#[must_use]
pub fn playouts(depth: u32) -> u64 {
    1 << depth.min(DEEPEST)
}
