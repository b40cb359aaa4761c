//! The positions of the opening book, by their keys.

use super::board::{Board, Lines, Shape, Standard};
use super::search::{Sight, look};
use crate::game::connect4::Connect4;
use crate::game::{Game, GameKind, Point, Setup, SetupError, Side};

/// The canonical keys of all positions of 7×6 with `plies` stones that are not settled at
/// sight, in ascending order.
#[must_use]
pub fn keys(plies: u32) -> Vec<u64> {
    let shape = Standard;
    let empty = Board { own: 0, filled: 0 };
    let mut keys = vec![empty.canonical_key(&shape)];
    for _ in 0..plies {
        let mut next: Vec<u64> = keys.iter().flat_map(|&key| replies(key)).collect();
        next.sort_unstable();
        next.dedup();
        keys = next;
    }
    keys.retain(|&key| matches!(look(&shape, board(key)), Sight::Open(_)));
    keys
}

/// The position with this key.
///
/// # Errors
/// When it is not the key of a position.
pub fn position(key: u64) -> Result<Connect4, SetupError> {
    let setup = Setup::standard(GameKind::Connect4);
    let board = board(key);
    let to_move = match board.filled.count_ones() % 2 {
        0 => Side::First,
        _ => Side::Second,
    };
    let stones: Vec<_> = setup
        .points()
        .filter_map(|point| {
            let cell = 1 << (Standard.stride() * u32::from(point.col)) << (5 - point.row);
            let owner = match (board.own & cell, board.filled & cell) {
                (0, 0) => return None,
                (0, _) => to_move.other(),
                _ => to_move,
            };
            Some((point, owner))
        })
        .collect::<Vec<(Point, Side)>>();
    Connect4::from_stones(&setup, &stones, to_move)
}

/// The canonical keys of the positions after one more stone, except where it wins.
fn replies(key: u64) -> impl Iterator<Item = u64> {
    let shape = Standard;
    let board = board(key);
    let landings = shape.landings(board.filled) & !shape.completions(board.own);
    let cells = (0..u64::BITS).map(|bit| 1 << bit);
    cells
        .filter(move |cell| landings & cell != 0)
        .map(move |cell| board.after(&shape, cell).canonical_key(&shape))
}

/// The stones of a key: in each column its highest bit tells the height, and those below are
/// the own stones.
fn board(key: u64) -> Board<u64> {
    let stride = Standard.stride();
    let mut board = Board { own: 0, filled: 0 };
    for shift in (0..Standard.columns()).map(|column| column * stride) {
        let column = key >> shift & 0x7f;
        let top = 1 << column.checked_ilog2().unwrap_or(0);
        board.own |= (column & !top) << shift;
        board.filled |= (top - 1) << shift;
    }
    board
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distinct positions with so many stones, mirror images counted twice: OEIS A212693.
    #[test]
    fn the_openings_are_all_there() {
        for (plies, count) in [(0, 1), (1, 7), (2, 49), (3, 238), (4, 1120)] {
            let both = |key: &u64| 1 + usize::from(Standard.mirrored(*key) != *key);
            assert_eq!(
                keys(plies).iter().map(both).sum::<usize>(),
                count,
                "{plies}"
            );
        }
    }

    #[test]
    fn keys_become_positions_again() {
        for key in keys(6) {
            let position = position(key).unwrap();
            assert_eq!(
                Board::of(&Standard, &position).canonical_key(&Standard),
                key
            );
            assert_eq!(position.max_plies_left(), 36);
        }
    }
}
