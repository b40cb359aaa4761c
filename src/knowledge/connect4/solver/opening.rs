//! The positions of the opening book and its appendix, by their keys.

use super::sight::{Sight, look};
use crate::game::connect4::Connect4;
use crate::game::{GameKind, Playable, Point, Setup, SetupError, Side};
use crate::knowledge::connect4::board::{Board, Lines, Shape, Standard};
use std::cmp::Reverse;

/// The canonical keys of all positions of 7×6 with `plies` stones that are not settled at
/// sight, in ascending order.
#[must_use]
pub fn keys(plies: u32) -> Vec<u64> {
    let games = games(plies).into_iter();
    games.map(|(key, _)| key).filter(is_open).collect()
}

/// The `count` of these keys to which most games lead, those with the most games first.
#[must_use]
pub fn likely_keys(plies: u32, count: usize) -> Vec<u64> {
    let mut games = games(plies);
    games.retain(|(key, _)| is_open(key));
    games.sort_unstable_by_key(|&(key, games)| (Reverse(games), key));
    let keys = games.into_iter().map(|(key, _)| key);
    keys.take(count).collect()
}

/// The canonical keys of all positions with `plies` stones that nobody has won, in ascending order,
/// and how many games lead to each or to its mirror image.
fn games(plies: u32) -> Vec<(u64, u64)> {
    let empty = Board { own: 0, filled: 0 };
    let mut games = vec![(empty.canonical_key(&Standard), 1)];
    for _ in 0..plies {
        let longer = |&(key, games): &(u64, u64)| replies(key).map(move |reply| (reply, games));
        let mut next: Vec<(u64, u64)> = games.iter().flat_map(longer).collect();
        next.sort_unstable();
        next.dedup_by(|(key, games), (kept, sum)| {
            let same = key == kept;
            *sum += if same { *games } else { 0 };
            same
        });
        games = next;
    }
    games
}

/// Whether a position is not settled at sight.
fn is_open(&key: &u64) -> bool {
    matches!(look(&Standard, board(key)), Sight::Open(_))
}

/// The key that a position shares with its mirror image.
#[cfg(test)]
pub fn key(position: &Connect4) -> u64 {
    Board::of(&Standard, position).canonical_key(&Standard)
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
    use crate::game::{Game, notation};
    use std::collections::HashMap;

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

    /// None of the 7^4 ways to play four stones ends a game or fills a column.
    #[test]
    fn every_game_is_counted() {
        let games = games(4);
        assert_eq!(
            games.iter().map(|(_, games)| games).sum::<u64>(),
            7_u64.pow(4)
        );
        // The first side has the outermost columns and the second those beside them, in any order:
        // this is its own mirror image.
        let apart = key(&after("1276"));
        assert!(games.contains(&(apart, 4)));
        // 1123, 1321 or 2311, or the same from the right.
        let stacked = key(&after("1123"));
        assert!(games.contains(&(stacked, 6)));
    }

    #[test]
    fn likely_positions_come_first() {
        let all = keys(6);
        let likely = likely_keys(6, all.len());
        assert_eq!(likely_keys(6, 10), likely[..10]);
        let games: HashMap<u64, u64> = games(6).into_iter().collect();
        assert!(likely.is_sorted_by_key(|key| Reverse(games[key])));
        let mut sorted = likely;
        sorted.sort_unstable();
        assert_eq!(sorted, all);
    }

    fn after(columns: &str) -> Connect4 {
        notation::position(&Setup::standard(GameKind::Connect4), columns).unwrap()
    }

    #[test]
    fn keys_become_positions_again() {
        for its_key in keys(6) {
            let position = position(its_key).unwrap();
            assert_eq!(key(&position), its_key);
            assert_eq!(position.max_plies_left(), 36);
        }
    }
}
