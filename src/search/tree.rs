//! The tree: one arena of a stated number of bytes.
//!
//! The arena is an array of 64-bit words. The children of a node lie together in one block, as
//! a structure of arrays, so that selection scans consecutive words:
//!
//! ```text
//! block of n children, 2n words:   stats 0 … stats n-1 | link 0 … link n-1
//!            or, with PUCT, 3n:   and after them | opinion 0 … opinion n-1
//!       where nodes share them:   a header before them
//!
//! stats   63        36 35                                0
//!         |  visits   |  sum of scores, SCALE a visit     |
//! link    63   62  61   53 52   51 50   42 41    32 31    0
//!         |heir|all| plies |proof |count  | move   | child |
//! ```
//!
//! opinion 63                       32 31                 0
//!         |  prior, 2^24 is certain  |  value, 2^24 a win |
//!
//! header  63     62  61   53 52    40 39      0
//!         |in use|all| count |owners  | position |
//!
//! A node is 16 bytes, and 24 where the search keeps opinions: its stats belong to the player who moved into it. Both halves of a stats
//! word change in one addition, so a reader never sees a visit without its score. `child` is
//! the first word of the children's block (0: none; [`EXPANDING`]: another thread is making
//! it), `count` how many there are, `all` whether they stand for every legal move (see
//! `Expansion::complete`), `heir` whether any of them is proven. `proof` and `plies` are the
//! exact result for the player who moved in, and the plies from here to the end. `owners` is how many
//! nodes have the block for their children, `position` the upper bits of a hash.
//!
//! What is given up serves again: dead blocks are taken apart little by little, and wait in lists by
//! size (see `Allocator`). Blocks come in few sizes, so that one fits where another was.
//!
//! The words are zeroed by the system when first touched, so a large arena costs nothing until
//! it is used. Words 1 to 3 are the root's block.

mod allocator;
mod arena;
mod positions;
mod sharing;
mod words;

#[cfg(test)]
mod tests;

pub use allocator::Allocator;
pub use arena::Tree;
pub use words::{
    Block, Link, MAX_CHILDREN, MAX_VISITS, MOST_PARTS, NODE_BYTES, Node, OPINION_ONE, Opinion,
    Stats,
};
