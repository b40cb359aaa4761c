//! Rows of stones, and which of them win.
//!
//! A direction is its *step*: what the cell number grows by from a cell to the next one. With
//! the guard column of the layout, a row of stones never runs over an edge of the board.

use super::bits::Bits;
use crate::game::{Rule, Side};

/// Which rows of five or more win for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Winning {
    /// Rows of more than five do.
    pub longer: bool,
    /// A row of just five does even with a stone of the opponent at both ends. The edge of
    /// the board is no stone.
    pub enclosed: bool,
}

impl Winning {
    /// What the rule says for this side. That the edge encloses nothing, and that more than
    /// five win by caro unless exactly five is asked for, is how the referee of the Gomocup
    /// tournament counts (`Gomocup/GomocupJudge`, `client/ai_match.py`).
    #[inline]
    pub fn of(rule: Rule, side: Side) -> Winning {
        let (longer, enclosed) = match rule {
            Rule::Freestyle => (true, true),
            Rule::Exact => (false, true),
            Rule::Renju => (side == Side::Second, true),
            Rule::Caro => (true, false),
            Rule::ExactCaro => (false, false),
        };
        Winning { longer, enclosed }
    }
}

/// The steps of the four directions on a board with this stride: along the row, down the
/// column, down to the right, and down to the left.
#[inline]
pub fn steps(stride: u32) -> [u32; 4] {
    [1, stride, stride + 1, stride - 1]
}

/// The cells at which five stones in a row begin, going by `step`; longer rows count too.
#[inline]
fn fives<const W: usize>(stones: Bits<W>, step: u32) -> Bits<W> {
    let pairs = stones & stones.down(step);
    let triples = pairs & pairs.down(step);
    triples & triples.down(2 * step)
}

/// Whether more than five stones stand in a row somewhere.
pub fn has_longer<const W: usize>(stones: Bits<W>, stride: u32) -> bool {
    steps(stride).into_iter().any(|step| {
        let fives = fives(stones, step);
        !(fives & fives.down(step)).is_empty()
    })
}

/// Whether a row that wins stands somewhere. `other` are the stones of the opponent.
pub fn has_win<const W: usize>(
    stones: Bits<W>,
    other: Bits<W>,
    stride: u32,
    winning: Winning,
) -> bool {
    steps(stride).into_iter().any(|step| {
        let fives = fives(stones, step);
        // A longer row begins five stones at two neighbouring cells.
        let longer = fives & (fives.up(step) | fives.down(step));
        let mut wins = fives & !longer;
        if !winning.enclosed {
            let behind = other.down(2 * step).down(2 * step).down(step);
            wins &= !(other.up(step) & behind);
        }
        if winning.longer {
            wins |= longer;
        }
        !wins.is_empty()
    })
}

/// How many stones stand in a row right before and right after `cell`.
#[inline]
pub fn run_around<const W: usize>(stones: &Bits<W>, cell: usize, step: u32) -> [u32; 2] {
    let step = step as usize;
    // Above the first row the number wraps to one that no set contains.
    let run = |toward: usize| {
        let mut length = 0;
        let mut next = cell.wrapping_add(toward);
        while stones.contains(next) {
            length += 1;
            next = next.wrapping_add(toward);
        }
        length
    };
    [run(step.wrapping_neg()), run(step)]
}

/// How many stones stand in a row through `cell`, whether or not a stone is there: the cell
/// itself is counted.
#[inline]
pub fn run_through<const W: usize>(stones: &Bits<W>, cell: usize, step: u32) -> u32 {
    let [before, after] = run_around(stones, cell, step);
    before + 1 + after
}

/// The two cells beyond the row through `cell`. Either may lie off the board, where no set of
/// stones contains it.
#[inline]
pub fn ends<const W: usize>(stones: &Bits<W>, cell: usize, step: u32) -> [usize; 2] {
    let [before, after] = run_around(stones, cell, step).map(|run| run as usize + 1);
    let step = step as usize;
    [cell.wrapping_sub(before * step), cell + after * step]
}

/// Whether the row through `cell` wins once a stone is there.
#[inline]
pub fn wins_at<const W: usize>(
    stones: &Bits<W>,
    other: &Bits<W>,
    cell: usize,
    stride: u32,
    winning: Winning,
) -> bool {
    steps(stride).into_iter().any(|step| {
        let length = run_through(stones, cell, step);
        let free = || {
            let [before, after] = ends(stones, cell, step);
            winning.enclosed || !other.contains(before) || !other.contains(after)
        };
        length > 5 && winning.longer || length == 5 && free()
    })
}
