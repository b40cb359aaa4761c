//! Uniform random playouts of Reversi.

use super::{Playout, Random, pick};
use crate::game::reversi::{Reversi, final_score, flips, mobility};
use crate::game::{Game, Outcome, Side};

impl Playout for Reversi {
    /// The two words of discs alone: no list of moves, no key.
    fn rollout(&self, random: &mut Random) -> Outcome {
        let mut mover = self.side_to_move();
        let mut own = self.discs(mover);
        let mut other = self.discs(mover.other());
        let mut legal = self.legal_squares();
        let mut passed = false;
        loop {
            if legal != 0 {
                let square = pick::set_bit(legal, random);
                let flipped = flips(square, own, other);
                own ^= flipped | 1 << square;
                other ^= flipped;
            } else if passed {
                break;
            }
            passed = legal == 0;
            std::mem::swap(&mut own, &mut other);
            mover = mover.other();
            legal = mobility(own, other);
        }
        match mover {
            Side::First => final_score([own, other]),
            Side::Second => final_score([other, own]),
        }
    }
}
