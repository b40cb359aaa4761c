//! Whether a position can arise in a game: the opening book knows no others.

use crate::game::connect4::Connect4;
use crate::game::{Game, Playable, Point, Side};
use std::collections::HashSet;

/// Stones of a column, lowest first.
type Column = Vec<Side>;

/// Whether the position has at most `most` stones and can arise from the empty board, the first
/// side to begin. Its board has no hole, and nobody has a row.
pub fn can_arise(position: &Connect4, most: u32) -> bool {
    let setup = position.setup();
    let column = |col| {
        let heights = (0..setup.rows).rev();
        let stones = heights.map_while(|row| position.stone_at(Point { col, row }));
        stones.collect::<Column>()
    };
    let columns: Vec<Column> = (0..setup.cols).map(column).collect();
    let stones: usize = columns.iter().map(Vec::len).sum();
    let last = position.side_to_move().other();
    let next = match stones % 2 {
        0 => Side::First,
        _ => Side::Second,
    };
    let mut heights: Vec<usize> = columns.iter().map(Vec::len).collect();
    stones <= most as usize
        && next == position.side_to_move()
        && unwind(&columns, &mut heights, last, &mut HashSet::new())
}

/// Whether the stones below `heights` can be taken off one by one, sides taking turns. `hopeless`
/// are heights from which they cannot.
fn unwind(
    columns: &[Column],
    heights: &mut Vec<usize>,
    side: Side,
    hopeless: &mut HashSet<Vec<usize>>,
) -> bool {
    if heights.iter().all(|&height| height == 0) {
        return true;
    }
    if hopeless.contains(heights) {
        return false;
    }
    for (col, column) in columns.iter().enumerate() {
        let top = heights[col].checked_sub(1);
        if top.and_then(|top| column.get(top)) == Some(&side) {
            heights[col] -= 1;
            let done = unwind(columns, heights, side.other(), hopeless);
            heights[col] += 1;
            if done {
                return true;
            }
        }
    }
    hopeless.insert(heights.clone());
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameKind, Setup};

    fn position(stones: &[(u8, u8, Side)], to_move: Side) -> Connect4 {
        let stones: Vec<_> = stones
            .iter()
            .map(|&(col, row, side)| (Point { col, row }, side))
            .collect();
        let setup = Setup::standard(GameKind::Connect4);
        Connect4::from_stones(&setup, &stones, to_move).unwrap()
    }

    #[test]
    fn only_positions_of_games_can_arise() {
        use Side::{First, Second};
        let can = |stones: &[_], to_move| can_arise(&position(stones, to_move), 10);
        assert!(can(&[], First));
        assert!(!can(&[], Second), "the first side begins");
        assert!(can(&[(3, 5, First), (3, 4, Second)], First));
        assert!(!can(&[(3, 5, Second), (3, 4, First)], First), "upside down");
        assert!(!can(&[(3, 5, First), (2, 5, First)], First), "out of turn");
        let crossed = [(0, 5, Second), (0, 4, First), (1, 5, First), (1, 4, Second)];
        assert!(can(&crossed, First), "first b, then a");
        let locked = [(0, 5, Second), (0, 4, First), (1, 5, Second), (1, 4, First)];
        assert!(
            !can(&locked, First),
            "nobody of the first side stands at the bottom"
        );
        assert!(!can_arise(&position(&crossed, First), 3), "too many");
    }
}
