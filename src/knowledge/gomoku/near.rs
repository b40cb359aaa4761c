//! The surroundings of stones.

use crate::game::gomoku::bits::Bits;

/// The cells of the set and their eight neighbours on the board.
pub fn grown<const W: usize>(set: Bits<W>, board: Bits<W>, stride: u32) -> Bits<W> {
    let wide = (set | set.up(1) | set.down(1)) & board;
    (wide | wide.up(stride) | wide.down(stride)) & board
}
