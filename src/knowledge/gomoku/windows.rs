//! Threats on the whole board at once, by shifting sets of stones.

use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::line::{self, Winning};

/// The empty cells on which one more stone wins. `other` are the stones of the opponent.
pub fn completing<const W: usize>(
    stones: Bits<W>,
    other: Bits<W>,
    empty: Bits<W>,
    stride: u32,
    winning: Winning,
) -> Bits<W> {
    let mut cells = Bits::EMPTY;
    for step in line::steps(stride) {
        // Sets of the cells with so many stones in a row right before and right after them.
        let mut before = [!Bits::EMPTY; 6];
        let mut after = [!Bits::EMPTY; 6];
        for i in 1..6 {
            before[i] = (before[i - 1] & stones).up(step);
            after[i] = (after[i - 1] & stones).down(step);
        }
        let joining = |stones: usize| {
            (0..=stones).fold(Bits::EMPTY, |set, i| set | before[i] & after[stones - i])
        };
        let fours = joining(4) & empty;
        if fours.is_empty() {
            continue;
        }
        cells |= match (winning.longer, winning.enclosed) {
            (true, true) => fours,
            (false, true) => fours & !joining(5),
            (true, false) => joining(5) | with_free_end(&before, &after, other, step),
            (false, false) => with_free_end(&before, &after, other, step) & !joining(5),
        };
    }
    cells & empty
}

/// The cells that join four stones to five of which an end at least is not taken by `other`.
/// Cells that join more are not to be relied on. `before` and `after`: as in `completing`.
fn with_free_end<const W: usize>(
    before: &[Bits<W>; 6],
    after: &[Bits<W>; 6],
    other: Bits<W>,
    step: u32,
) -> Bits<W> {
    // Sets of the cells with a stone of the opponent so many steps before and after them.
    let mut other_before = [other; 6];
    let mut other_after = [other; 6];
    for i in 1..6 {
        other_before[i] = other_before[i - 1].up(step);
        other_after[i] = other_after[i - 1].down(step);
    }
    (0..=4).fold(Bits::EMPTY, |set, i| {
        let enclosed = other_before[i + 1] & other_after[5 - i];
        set | before[i] & after[4 - i] & !enclosed
    })
}

/// The empty cells in windows of five cells in a row that hold a given number of stones of
/// one colour and else nothing.
pub struct Windows<const W: usize> {
    /// Those in one such window or more.
    pub once: Bits<W>,
    /// Those in two such windows or more, of any directions.
    pub twice: Bits<W>,
}

impl<const W: usize> Windows<W> {
    /// The windows with just `count` of `stones`, which is at most 3.
    pub fn with_stones(count: u32, stones: Bits<W>, empty: Bits<W>, stride: u32) -> Self {
        let [mut once, mut twice] = [Bits::EMPTY; 2];
        let free = stones | empty;
        for step in line::steps(stride) {
            // The five cells of the window that begins at each cell, added up in binary.
            let mut window = !Bits::EMPTY;
            let [mut ones, mut twos, mut fours] = [Bits::EMPTY; 3];
            let (mut stone, mut unblocked) = (stones, free);
            for _ in 0..5 {
                window &= unblocked;
                fours |= twos & ones & stone;
                twos = twos ^ ones & stone;
                ones = ones ^ stone;
                (stone, unblocked) = (stone.down(step), unblocked.down(step));
            }
            let bit = |digits: Bits<W>, set: bool| if set { digits } else { !digits };
            let mut cell = window & !fours & bit(twos, count & 2 != 0) & bit(ones, count & 1 != 0);
            for _ in 0..5 {
                twice |= once & cell;
                once |= cell;
                cell = cell.up(step);
            }
        }
        Windows {
            once: once & empty,
            twice: twice & empty,
        }
    }
}

/// The cells of the set and their eight neighbours on the board.
pub fn grown<const W: usize>(set: Bits<W>, board: Bits<W>, stride: u32) -> Bits<W> {
    let wide = (set | set.up(1) | set.down(1)) & board;
    (wide | wide.up(stride) | wide.down(stride)) & board
}
