//! Rollouts move by move, with the stones of each colour kept as lines.
//!
//! Every row, column and diagonal is a word with a bit for each of its cells, so that a new
//! stone is tested by looking at four words.

use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::renju::Black;
use crate::game::gomoku::{Gomoku, SIZES};
use crate::game::{Game, Outcome, Point, Side};
use crate::rollout::{End, Random};
use rand::RngExt;
use rand::seq::SliceRandom;

/// The longest side of a board.
const LONGEST: usize = *SIZES.end() as usize;

/// A rule of the game as a rollout needs it.
pub trait Rules {
    /// Moves can be forbidden to the first side, as in renju.
    const RESTRICTED: bool = false;

    /// Only rows of exactly five win, for both sides and whatever stands at their ends.
    const EXACT: bool = false;

    /// The places in a line at which a winning row of `side` begins. `other` is the line of
    /// the opponent.
    fn wins(own: u32, other: u32, side: Side) -> u32;
}

/// Five or more win.
pub struct Freestyle;
/// Exactly five win.
pub struct Exact;
/// Black is restricted and wins with exactly five.
pub struct Renju;
/// Five with a free end win, and more than five.
pub struct Caro;
/// Exactly five with a free end win.
pub struct ExactCaro;

impl Rules for Freestyle {
    #[inline]
    fn wins(own: u32, _: u32, _: Side) -> u32 {
        fives(own)
    }
}

impl Rules for Exact {
    const EXACT: bool = true;

    #[inline]
    fn wins(own: u32, _: u32, _: Side) -> u32 {
        exact_fives(own)
    }
}

impl Rules for Renju {
    const RESTRICTED: bool = true;

    #[inline]
    fn wins(own: u32, _: u32, side: Side) -> u32 {
        match side {
            Side::First => exact_fives(own),
            Side::Second => fives(own),
        }
    }
}

impl Rules for Caro {
    #[inline]
    fn wins(own: u32, other: u32, _: Side) -> u32 {
        fives(own) & !(exact_fives(own) & enclosed(other))
    }
}

impl Rules for ExactCaro {
    #[inline]
    fn wins(own: u32, other: u32, _: Side) -> u32 {
        exact_fives(own) & !enclosed(other)
    }
}

/// The places in a line at which five or more stones begin; none does before the last stone.
#[inline]
fn fives(line: u32) -> u32 {
    let pairs = line & line >> 1;
    let triples = pairs & pairs >> 1;
    triples & triples >> 2
}

/// The places at which exactly five begin: a longer row begins five at two neighbours.
#[inline]
fn exact_fives(line: u32) -> u32 {
    let fives = fives(line);
    fives & !(fives << 1) & !(fives >> 1)
}

/// The places at which five stones would begin between two stones of this line.
#[inline]
fn enclosed(line: u32) -> u32 {
    line << 1 & line >> 5
}

/// One rollout of a game that is not over.
pub fn rollout<R: Rules>(position: &Gomoku, random: &mut Random) -> End {
    let mut lines = [Lines::EMPTY; 2];
    for side in [Side::First, Side::Second] {
        for point in position.points_of(position.stones(side)) {
            lines[side.index()].add(point);
        }
    }
    let mut empty = [Point { col: 0, row: 0 }; LONGEST * LONGEST];
    let mut count = 0;
    for point in position.points_of(position.empty_cells()) {
        empty[count] = point;
        count += 1;
    }
    let mut limits = Limits::of(position);
    let mut side = position.side_to_move();
    for left in (1..=count).rev() {
        // Cells that turn out to be forbidden are put behind those still to be tried.
        let mut untried = left;
        let plies = (count - left) as u32;
        let chosen = loop {
            if untried == 0 {
                let outcome = Outcome::DRAW;
                return End { outcome, plies };
            }
            let chosen = random.random_range(0..untried as u32) as usize;
            let restricted = R::RESTRICTED && side == Side::First;
            if !restricted || !limits.forbid(&lines[0], empty[chosen]) {
                break chosen;
            }
            untried -= 1;
            empty.swap(chosen, untried);
        };
        empty.swap(chosen, left - 1);
        let point = empty[left - 1];
        let other = lines[side.other().index()].through(point);
        let own = lines[side.index()].add(point);
        let wins = |any, (own, other)| any | R::wins(own, other, side);
        if own.into_iter().zip(other).fold(0, wins) != 0 {
            let (outcome, plies) = (Outcome::win(side), plies + 1);
            return End { outcome, plies };
        }
        if R::RESTRICTED {
            limits.take(point, side);
        }
        side = side.other();
    }
    let (outcome, plies) = (Outcome::DRAW, count as u32);
    End { outcome, plies }
}

/// What is known of the order in which a side takes its cells.
pub struct Bounds {
    /// The stones of the position, and the cells that come first.
    pub few: Bits<8>,
    /// These, and the cells that come next.
    pub enough: Bits<8>,
    /// These, and the cells that come last.
    pub all: Bits<8>,
}

/// One rollout of a game that is not over, in which each side takes its cells in a random order
/// within these bounds, that of the side to move given first. A side that has run out of cells
/// takes those of the other. Without restrictions.
#[cold]
#[inline(never)]
pub fn replay<R: Rules>(position: &Gomoku, bounds: [Bounds; 2], random: &mut Random) -> End {
    const { assert!(!R::RESTRICTED) };
    let mover = position.side_to_move();
    let sides = [mover, mover.other()];
    let mut lines = [Lines::EMPTY; 2];
    for side in sides {
        for point in position.points_of(position.stones(side)) {
            lines[side.index()].add(point);
        }
    }
    let mut queues = [Queue::EMPTY; 2];
    for (queue, (side, bounds)) in queues.iter_mut().zip(sides.into_iter().zip(bounds)) {
        // A queue is taken from its end.
        queue.put(position, bounds.all & !bounds.enough, random);
        queue.put(position, bounds.enough & !bounds.few, random);
        queue.put(position, bounds.few & !position.stones(side), random);
    }
    let mut plies = 0;
    loop {
        let index = plies as usize % 2;
        let next = queues[index].take().or_else(|| {
            let other = &mut queues[1 - index];
            other.shuffle_from(0, random);
            other.take()
        });
        let Some(point) = next else {
            let outcome = Outcome::DRAW;
            return End { outcome, plies };
        };
        plies += 1;
        let side = sides[index];
        let other = lines[side.other().index()].through(point);
        let own = lines[side.index()].add(point);
        let wins = |any, (own, other)| any | R::wins(own, other, side);
        if own.into_iter().zip(other).fold(0, wins) != 0 {
            let outcome = Outcome::win(side);
            return End { outcome, plies };
        }
    }
}

/// Points in the order that they are taken in, the last one first.
struct Queue {
    points: [Point; LONGEST * LONGEST],
    count: usize,
}

impl Queue {
    const EMPTY: Queue = Queue {
        points: [Point { col: 0, row: 0 }; LONGEST * LONGEST],
        count: 0,
    };

    /// Adds these cells in random order.
    fn put(&mut self, position: &Gomoku, cells: Bits<8>, random: &mut Random) {
        let begin = self.count;
        for point in position.points_of(cells) {
            self.points[self.count] = point;
            self.count += 1;
        }
        self.shuffle_from(begin, random);
    }

    fn shuffle_from(&mut self, begin: usize, random: &mut Random) {
        self.points[begin..self.count].shuffle(random);
    }

    fn take(&mut self) -> Option<Point> {
        self.count = self.count.checked_sub(1)?;
        Some(self.points[self.count])
    }
}

/// What black may not do in renju.
struct Limits {
    black: Bits<8>,
    empty: Bits<8>,
    stride: u32,
}

impl Limits {
    fn of(position: &Gomoku) -> Limits {
        Limits {
            black: position.stones(Side::First),
            empty: position.empty_cells(),
            stride: position.stride(),
        }
    }

    /// A stone is put on an empty point.
    fn take(&mut self, at: Point, side: Side) {
        let cell = self.cell(at);
        self.empty.remove_if(cell, true);
        if side == Side::First {
            self.black.insert(cell);
        }
    }

    /// Whether black, whose lines these are, may not move to this empty point.
    fn forbid(&self, black: &Lines, at: Point) -> bool {
        is_suspect(black, at)
            && Black::new(self.black, self.empty, self.stride).forbids(self.cell(at))
    }

    fn cell(&self, at: Point) -> usize {
        usize::from(at.row) * self.stride as usize + usize::from(at.col)
    }
}

/// Whether enough of black's stones stand around the point for it to be forbidden: two in each
/// of two directions, or four in one, at most four cells away. This spares most tests.
#[inline]
fn is_suspect(black: &Lines, at: Point) -> bool {
    let [row, col, rising, falling] = black.through(at);
    let near = |line: u32, place: u8| ((line << 4 >> place) & 0x1ff).count_ones();
    let counts = [
        near(row, at.col),
        near(col, at.row),
        near(rising, at.row),
        near(falling, at.row),
    ];
    let pairs = counts.into_iter().filter(|&count| count >= 2).count();
    pairs >= 2 || counts.into_iter().any(|count| count >= 4)
}

/// The stones of one colour, as the lines they stand on.
struct Lines {
    /// By row; bits by column.
    rows: [u32; LONGEST],
    /// By column; bits by row.
    cols: [u32; LONGEST],
    /// By column plus row; bits by row.
    rising: [u32; 2 * LONGEST - 1],
    /// By column minus row, from `1 - LONGEST`; bits by row.
    falling: [u32; 2 * LONGEST - 1],
}

impl Lines {
    const EMPTY: Lines = Lines {
        rows: [0; LONGEST],
        cols: [0; LONGEST],
        rising: [0; 2 * LONGEST - 1],
        falling: [0; 2 * LONGEST - 1],
    };

    /// The four lines through a point: its row, its column, and its diagonals.
    #[inline]
    fn through(&self, at: Point) -> [u32; 4] {
        let (col, row) = (usize::from(at.col), usize::from(at.row));
        [
            self.rows[row],
            self.cols[col],
            self.rising[col + row],
            self.falling[col + LONGEST - 1 - row],
        ]
    }

    /// Adds a stone and returns the four lines it stands on.
    #[inline]
    fn add(&mut self, at: Point) -> [u32; 4] {
        let (col, row) = (usize::from(at.col), usize::from(at.row));
        let [in_row, in_col] = [1 << col, 1 << row];
        [
            (&mut self.rows[row], in_row),
            (&mut self.cols[col], in_col),
            (&mut self.rising[col + row], in_col),
            (&mut self.falling[col + LONGEST - 1 - row], in_col),
        ]
        .map(|(line, stone)| {
            *line |= stone;
            *line
        })
    }
}
