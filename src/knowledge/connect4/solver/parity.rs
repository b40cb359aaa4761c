//! What the parity of the columns proves without a search.
//!
//! Suppose an even number of cells is free and the first side is to move. The second side can
//! always answer so: in the column that the first side has just played in, as long as it has a
//! cell left there; and by the landing cell of another column with an odd number of free cells,
//! if the first side has taken such a landing cell, for their number is even. (These are the
//! rules claimeven and baseinverse of Allis, A knowledge-based approach of Connect-Four, 1988.)
//! So the first side gets no cell with an even number of cells above it but those landing
//! cells. If its stones with all it can get hold no row, it does not win.
//!
//! Where an odd number is free, the side to move can take the landing cell of an odd column and
//! be the second in that sense.

use super::bits::Bits;
use super::board::{Lines, Shape};
use super::search::Node;

/// Zero, if the score of a node is proven to be on the same side of `alpha` as zero is.
#[inline]
pub fn bound<S: Shape>(shape: &S, node: &Node<S::Cells>, alpha: i32) -> Option<i32> {
    let is_even = node.left.is_multiple_of(2);
    // An even number bounds the score from above, an odd one from below.
    if is_even != (alpha >= 0) {
        return None;
    }
    let free = shape.cells() & !node.board.filled;
    let lower = free & !shape.upper();
    let odd_columns = shape.landings(node.board.filled) & shape.upper();
    if is_even {
        return (!shape.has_row(node.board.own | lower | odd_columns)).then_some(0);
    }
    let theirs = node.board.theirs(shape) | lower;
    if shape.has_row(theirs) {
        return None;
    }
    let mut rest = odd_columns & node.moves;
    while !rest.is_empty() {
        let cell = rest.lowest();
        rest = rest.without_lowest();
        if !shape.has_row(theirs | odd_columns & !cell) {
            return Some(0);
        }
    }
    None
}
