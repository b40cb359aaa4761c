//! Hash keys of stones.
//!
//! A position's key is the exclusive or of the keys of its stones and of the side to move
//! (Zobrist 1970). The numbers come from SplitMix64 and are the same in every build.

use super::Side;

const CELLS: usize = 512;

static STONES: [[u64; CELLS]; 2] = stone_keys();

/// Changed with every move: the second side is to play.
pub const SECOND_TO_MOVE: u64 = mix(u64::MAX);

/// The key of a stone of `side` on the cell with this index, below 512.
#[must_use]
pub fn stone(side: Side, cell: usize) -> u64 {
    STONES[side.index()][cell]
}

/// SplitMix64's output function (Steele, Lea and Flood 2014).
const fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const fn stone_keys() -> [[u64; CELLS]; 2] {
    let mut keys = [[0; CELLS]; 2];
    let mut cell = 0;
    while cell < CELLS {
        keys[0][cell] = mix(2 * cell as u64 + 1);
        keys[1][cell] = mix(2 * cell as u64 + 2);
        cell += 1;
    }
    keys
}
