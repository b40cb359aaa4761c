//! The moves that are forbidden to the first side, black, in renju.
//!
//! Source: The International Rules of Renju (RIF), with the terms *five*, *four*, *straight
//! four* and *three* as defined there. A stone that makes exactly five wins, whatever else it
//! makes. Otherwise it must not make
//!
//! - an overline: more than five in a row;
//! - a double four: two fours or more through it, which may lie in one line (`X.XXX.X`). A four
//!   is four stones that one more makes exactly five; a straight four has two such cells;
//! - a double three: threes in two directions or more. A three is three stones that one more
//!   makes a straight four, by a move that makes no five and is itself not forbidden. So what a
//!   three is depends on what is forbidden after the next stone, and so on: here for
//!   [`DEEPEST`] stones.

use super::bits::Bits;
use super::line::steps;

/// How many stones after a move are looked at for what is forbidden there (guess: games need one or
/// two). With no end to it, the forbidden cells of one position took 1.5 s.
const DEEPEST: u32 = 6;

/// Black's stones on a board.
#[derive(Clone, Copy)]
pub struct Black<const W: usize> {
    stones: Bits<W>,
    empty: Bits<W>,
    stride: u32,
}

/// What a stone of black's is that was just put down.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Five,
    Forbidden,
    Fair,
}

impl<const W: usize> Black<W> {
    /// These stones, with these cells free, on a board with this stride.
    #[inline]
    pub fn new(stones: Bits<W>, empty: Bits<W>, stride: u32) -> Self {
        Black {
            stones,
            empty,
            stride,
        }
    }

    /// Whether black may not move to this empty cell.
    pub fn forbids(&self, cell: usize) -> bool {
        self.judge(cell, DEEPEST) == Verdict::Forbidden
    }

    /// Every empty cell which black may not move to.
    pub fn forbidden(&self) -> Bits<W> {
        let mut forbidden = Bits::EMPTY;
        for cell in self.suspects().cells() {
            if self.forbids(cell) {
                forbidden.insert(cell);
            }
        }
        forbidden
    }

    /// Whether there is a cell which black may move to.
    pub fn may_move(&self) -> bool {
        self.empty.cells().any(|cell| !self.forbids(cell))
    }

    /// The empty cells with enough stones around them to be forbidden, and some more: two in
    /// each of two directions, or four in one, at most four cells away.
    fn suspects(&self) -> Bits<W> {
        let [mut some, mut enough] = [Bits::EMPTY; 2];
        for step in steps(self.stride) {
            let [mut ones, mut twos, mut fours] = [Bits::EMPTY; 3];
            let (mut before, mut after) = (self.stones, self.stones);
            for _ in 0..4 {
                (before, after) = (before.up(step), after.down(step));
                for stone in [before, after] {
                    let carry = ones & stone;
                    ones = ones ^ stone;
                    fours |= twos & carry;
                    twos = twos ^ carry;
                }
            }
            let pair = twos | fours;
            enough |= some & pair | fours;
            some |= pair;
        }
        enough & self.empty
    }

    /// What black's stone on this empty cell would be, with so many stones after it looked at.
    fn judge(&self, cell: usize, depth: u32) -> Verdict {
        let mut after = *self;
        after.stones.insert(cell);
        after.empty.remove_if(cell, true);
        let lines = steps(self.stride).map(|step| after.line(cell, step));
        let runs = lines.map(|line| line.run());
        if runs.contains(&5) {
            return Verdict::Five;
        }
        let overline = runs.iter().any(|&run| run > 5);
        let fours: u32 = lines.iter().map(|line| line.fours()).sum();
        if overline || fours > 1 || after.makes_threes(cell, &lines, depth) {
            Verdict::Forbidden
        } else {
            Verdict::Fair
        }
    }

    /// Whether the stone on `cell` is part of threes in two directions. `lines` are those
    /// through it, and `depth` is how many stones after it are looked at.
    fn makes_threes(&self, cell: usize, lines: &[Line; 4], depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let looks = lines.iter().filter(|line| line.straight_fours() != 0);
        if looks.count() < 2 {
            return false;
        }
        let threes = steps(self.stride).into_iter().zip(lines);
        let real = |&(step, line): &(u32, &Line)| {
            let mut places = Bits::<1>::from_words([line.straight_fours()]).cells();
            places.any(|place| {
                let verdict = self.judge(place_in(cell, step, place), depth);
                verdict == Verdict::Fair
            })
        };
        threes.filter(real).nth(1).is_some()
    }

    /// The line through `cell` in one direction.
    fn line(&self, cell: usize, step: u32) -> Line {
        let places = |set: &Bits<W>| {
            (0..Line::LENGTH).fold(0, |line, place| {
                line | u64::from(set.contains(place_in(cell, step, place))) << place
            })
        };
        let black = places(&self.stones);
        // With fewer than three stones nothing can come of the line, whatever is empty.
        let empty = match black.count_ones() {
            0..3 => 0,
            _ => places(&self.empty),
        };
        Line { black, empty }
    }
}

/// The cell at a place of the line through `cell`. Off the board it may be any number that is
/// on no board, or lie beyond the guard on another row, which no pattern reaches.
#[inline]
fn place_in(cell: usize, step: u32, place: usize) -> usize {
    let step = step as usize;
    (cell + place * step).wrapping_sub(Line::MIDDLE * step)
}

/// Eleven places in a line, with a stone of black's in the middle, which is bit 5.
///
/// ```text
/// bit  0 1 2 3 4 5 6 7 8 9 10
///      . . . X X X X . . . .     a straight four at bits 3 to 6
///      . X . X X X . X . . .     two fours: bits 1 to 5 and 3 to 7, each with one gap
/// ```
#[derive(Clone, Copy)]
struct Line {
    black: u64,
    empty: u64,
}

impl Line {
    const LENGTH: usize = 11;
    const MIDDLE: usize = 5;

    /// The length of the row through the middle.
    fn run(self) -> u32 {
        let after = (self.black >> Self::MIDDLE).trailing_ones();
        let before = (self.black << (63 - Self::MIDDLE)).leading_ones();
        before + after - 1
    }

    /// The number of fours with the middle stone in them.
    fn fours(self) -> u32 {
        let mut last = 0;
        let mut count = 0;
        for start in 1..=5 {
            let window = 0b1_1111 << start;
            let beyond = 0b100_0001 << (start - 1);
            let four = self.black & window;
            let is_four =
                four.count_ones() == 4 && self.empty & window != 0 && self.black & beyond == 0;
            // A straight four is found twice, by windows next to each other.
            if is_four && four != last {
                count += 1;
                last = four;
            }
        }
        count
    }

    /// The empty places on which a stone makes a straight four with the middle stone in it.
    fn straight_fours(self) -> u64 {
        let mut places = 0;
        for start in 2..=5 {
            let four = 0b1111 << start;
            let ends = 0b10_0001 << (start - 1);
            let beyond = 0b1000_0001 << (start - 2);
            let gap = self.empty & four;
            let is_straight = (self.black & four).count_ones() == 3
                && gap != 0
                && self.empty & ends == ends
                && self.black & beyond == 0;
            if is_straight {
                places |= gap;
            }
        }
        places
    }
}

#[cfg(test)]
pub(crate) mod tests;
