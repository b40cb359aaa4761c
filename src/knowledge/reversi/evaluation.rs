//! How a Reversi board stands: the squares that are held, and how many moves there are.

use crate::game::reversi::{PASS, Reversi, mobility};
use crate::game::{Move, Side};
use crate::knowledge::Evaluate;

/// What a disc on a square is worth: corners are safe for good, and the squares beside them give
/// them away. (Source: Norvig, Paradigms of Artificial Intelligence Programming, 1992, ch. 18.)
#[rustfmt::skip]
const SQUARES: [i32; 64] = [
    120, -20, 20,  5,  5, 20, -20, 120,
    -20, -40, -5, -5, -5, -5, -40, -20,
     20,  -5, 15,  3,  3, 15,  -5,  20,
      5,  -5,  3,  3,  3,  3,  -5,   5,
      5,  -5,  3,  3,  3,  3,  -5,   5,
     20,  -5, 15,  3,  3, 15,  -5,  20,
    -20, -40, -5, -5, -5, -5, -40, -20,
    120, -20, 20,  5,  5, 20, -20, 120,
];

/// What every legal move of a side is worth, in the unit of [`SQUARES`] (guess).
const MOVE: i32 = 12;

impl Evaluate for Reversi {
    const ADVANTAGE: i32 = 100;

    fn standings(&self) -> [i32; 2] {
        [Side::First, Side::Second].map(|side| {
            let own = self.discs(side);
            let moves = mobility(own, self.discs(side.other()));
            squares(own) + MOVE * moves.count_ones() as i32
        })
    }

    /// The square, which is worth the same to both.
    fn promise(&self, mv: Move, _: Side) -> i32 {
        match mv.code() {
            PASS => 0,
            square => SQUARES[usize::from(square)],
        }
    }
}

fn squares(discs: u64) -> i32 {
    let held = (0..)
        .zip(SQUARES)
        .filter(|(square, _)| discs >> square & 1 == 1);
    held.map(|(_, worth)| worth).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameKind, Playable, Point, Setup};

    #[test]
    fn squares_and_moves_are_added_up() {
        let setup = Setup::standard(GameKind::Reversi);
        assert_eq!(
            Reversi::new(&setup).unwrap().standings(),
            [2 * 3 + 4 * MOVE; 2]
        );
        // X on a1 and b2, O on c3: X may move to d4, O nowhere.
        let at = |col, row| Point { col, row };
        let stones = [
            (at(0, 0), Side::First),
            (at(1, 1), Side::First),
            (at(2, 2), Side::Second),
        ];
        let position = Reversi::from_stones(&setup, &stones, Side::First).unwrap();
        assert_eq!(position.standings(), [120 - 40 + MOVE, 15]);
    }

    #[test]
    fn the_board_is_worth_the_same_from_every_corner() {
        for square in 0..64 {
            let (col, row) = (square % 8, square / 8);
            assert_eq!(SQUARES[square], SQUARES[8 * col + row]);
            assert_eq!(SQUARES[square], SQUARES[63 - square]);
        }
    }
}
