//! What a search depth means to a search that has none.

/// Deeper than this is as good as without end: at a million playouts a second the playouts that
/// stand for one ply more would take half an hour (guess).
const DEEPEST: u32 = 30;

/// How many playouts stand for a search to `depth` plies: 2 to the power of `depth`. `None`:
/// more than anybody waits for, so that they are no limit.
///
/// One ply more costs an alpha-beta search of Reversi about twice the time, and the million
/// playouts for 20 plies take some seconds, as Edax does for its level 20 (guess).
#[must_use]
pub fn playouts(depth: u32) -> Option<u64> {
    (depth <= DEEPEST).then(|| 1 << depth)
}
