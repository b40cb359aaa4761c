//! What one more stone makes of a line, for every state of the cells around it.
//!
//! A *key* holds the neighbours of a cell in one direction, two bits each:
//!
//! ```text
//! radius 4     neighbour  -4 -3 -2 -1  cell  +1 +2 +3 +4
//!              bits      1:0 3:2 5:4 7:6    9:8 ..  15:14
//! ```
//!
//! Four neighbours on each side decide where five or more win. A row of exactly five, and one
//! that must have a free end, takes five on each side.

use crate::game::gomoku::line::Winning;

/// A cell of a key: empty, with a stone of the first or the second side, or off the board.
pub const EMPTY: u64 = 0b00;
/// A stone of the side that a view speaks of.
const OWN: u64 = 0b01;
/// A stone of the opponent.
const OTHER: u64 = 0b10;
/// Off the board.
pub const EDGE: u64 = 0b11;

/// What a stone on a cell makes of a line through it, counting only rows that hold the stone.
/// Ordered by worth, but for the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// No win will ever come of it.
    #[default]
    Nothing,
    /// Wins with four more stones.
    One,
    /// Wins with three more stones: one more makes a three.
    Two,
    /// One more stone makes an open three.
    OpenTwo,
    /// One more stone makes a four.
    Three,
    /// One more stone makes an open four.
    OpenThree,
    /// One more stone wins, and one stone of the opponent stops that.
    Four,
    /// Two fours in one line, which are forbidden: black's in renju. Elsewhere they are as good as
    /// an open four and are called so.
    TwinFour,
    /// One more stone wins, whatever single stone the opponent puts in the line.
    OpenFour,
    /// Wins.
    Five,
    /// A row that is too long, which is forbidden: black's in renju.
    Overline,
}

impl Class {
    /// All classes, lowest first.
    pub const ALL: [Class; 11] = [
        Class::Nothing,
        Class::One,
        Class::Two,
        Class::OpenTwo,
        Class::Three,
        Class::OpenThree,
        Class::Four,
        Class::TwinFour,
        Class::OpenFour,
        Class::Five,
        Class::Overline,
    ];

    /// The class with this number; numbers that no class has stand for nothing.
    #[inline]
    pub fn from_number(number: u8) -> Class {
        let class = Self::ALL.get(usize::from(number));
        class.copied().unwrap_or_default()
    }

    /// Whether one more stone wins.
    #[inline]
    pub fn is_four(self) -> bool {
        (Class::Four..=Class::OpenFour).contains(&self)
    }
}

/// By what a side wins, and what it must not make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Which rows win.
    pub winning: Winning,
    /// Black in renju.
    pub restricted: bool,
}

impl View {
    /// Neighbours on each side that decide what a stone makes.
    pub fn radius(self) -> u32 {
        let any_row = self.winning.longer && self.winning.enclosed;
        if any_row { 4 } else { 5 }
    }
}

/// The class of every key with `radius` neighbours on each side, by its number, as the side sees
/// it whose stones are [`OWN`]. Keys with an edge between cells of the board have no meaning.
pub fn classes(view: View, radius: u32) -> Box<[Class]> {
    let mut table = vec![Class::Nothing; 1 << (4 * radius)].into_boxed_slice();
    // A key with one more stone has one empty cell less, and must be known before.
    for key in keys_by_empties(&halves_by_empties(radius), radius) {
        table[key as usize] = Key { key, radius }.class(view, &table);
    }
    table
}

/// Every key that a board can show, those with fewer empty cells first, of halves as
/// [`halves_by_empties`] has them.
fn keys_by_empties(halves: &[Vec<u64>], radius: u32) -> impl Iterator<Item = u64> {
    let pairs = (0..2 * halves.len()).flat_map(move |empties| {
        let pair = move |it| Some((halves.get(it)?, halves.get(empties - it)?));
        (0..=empties).filter_map(pair)
    });
    pairs.flat_map(move |(befores, afters)| {
        befores.iter().flat_map(move |&before| {
            let key = move |&after| mirrored(before, radius) | after << (2 * radius);
            afters.iter().map(key)
        })
    })
}

/// The [`halves`] by how many of their cells are empty.
fn halves_by_empties(radius: u32) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new(); radius as usize + 1];
    for half in halves(radius) {
        let cells = (0..radius).map(|place| half >> (2 * place) & 0b11);
        all[cells.filter(|&cell| cell == EMPTY).count()].push(half);
    }
    all
}

/// Every state of the cells on one side, nearest first, with nothing but edge beyond an edge.
fn halves(radius: u32) -> Vec<u64> {
    (0..radius).rev().fold(vec![0], |farther, place| {
        let edges = (place + 1..radius).fold(0, |edges, it| edges | EDGE << (2 * it));
        let with = |cell: u64| farther.iter().map(move |rest| rest | cell << (2 * place));
        let mut all: Vec<u64> = [EMPTY, OWN, OTHER].into_iter().flat_map(with).collect();
        all.push(edges | EDGE << (2 * place));
        all
    })
}

fn mirrored(half: u64, radius: u32) -> u64 {
    (0..radius).fold(0, |mirror, place| mirror << 2 | half >> (2 * place) & 0b11)
}

/// The same key with the colours exchanged.
#[inline]
pub fn exchanged(key: u64) -> u64 {
    let low = 0x5555_5555_5555_5555;
    let stones = (key ^ key >> 1) & low;
    // Only where the two bits differ is there a stone.
    key ^ (stones | stones << 1)
}

#[derive(Clone, Copy)]
struct Key {
    key: u64,
    radius: u32,
}

impl Key {
    fn places(self) -> std::ops::Range<u32> {
        0..2 * self.radius
    }

    fn at(self, place: u32) -> u64 {
        self.key >> (2 * place) & 0b11
    }

    fn empties(self) -> impl Iterator<Item = u32> {
        self.places().filter(move |&place| self.at(place) == EMPTY)
    }

    /// The stones in a row right before and right after the cell.
    fn run(self) -> [u32; 2] {
        let own = |place: &u32| self.at(*place) == OWN;
        let before = (0..self.radius).rev().take_while(own).count();
        let after = self.places().skip(self.radius as usize).take_while(own);
        [before, after.count()].map(|run| run as u32)
    }

    /// Whether the row is stopped by the opponent's stones at both ends.
    fn is_enclosed(self) -> bool {
        let [before, after] = self.run();
        let before = self.radius.checked_sub(before + 1);
        let ends = [before, Some(self.radius + after)];
        let other = |end: Option<u32>| end.is_some_and(|it| self.at(it) == OTHER);
        ends.into_iter().all(other)
    }

    fn class(self, view: View, known: &[Class]) -> Class {
        let [before, after] = self.run();
        let row = before + 1 + after;
        let Winning { longer, enclosed } = view.winning;
        if row > 5 && longer || row == 5 && (enclosed || !self.is_enclosed()) {
            return Class::Five;
        }
        if row > 5 && view.restricted {
            return Class::Overline;
        }
        let with = |place: u32, cell: u64| known[(self.key | cell << (2 * place)) as usize];
        let next = self.empties().map(|place| with(place, OWN));
        let next = next.filter(|&class| class != Class::Overline).max();
        match next.unwrap_or_default() {
            Class::Five => {
                let held = self.empties().all(|place| with(place, OTHER).is_four());
                match held {
                    false => Class::Four,
                    // Both ends of four in a row, or two different fours.
                    true if view.restricted && row != 4 => Class::TwinFour,
                    true => Class::OpenFour,
                }
            }
            Class::OpenFour => Class::OpenThree,
            Class::TwinFour | Class::Four => Class::Three,
            Class::OpenThree => Class::OpenTwo,
            Class::Three => Class::Two,
            Class::OpenTwo | Class::Two | Class::One => Class::One,
            Class::Nothing | Class::Overline => Class::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: View = View {
        winning: Winning {
            longer: true,
            enclosed: true,
        },
        restricted: false,
    };
    const EXACT: View = View {
        winning: Winning {
            longer: false,
            enclosed: true,
        },
        restricted: false,
    };
    const BLACK: View = View {
        restricted: true,
        ..EXACT
    };
    const CARO: View = View {
        winning: Winning {
            longer: true,
            enclosed: false,
        },
        restricted: false,
    };

    /// The class of the stone `*` in a line: `X` are stones beside it, `O` the opponent's, and
    /// all that is not drawn is off the board.
    fn class(table: &[Class], line: &str) -> Class {
        let radius = 5;
        let middle = line.find('*').unwrap() as i32;
        let cell = |offset: i32| {
            let at = usize::try_from(middle + offset).ok();
            match at.and_then(|at| line.as_bytes().get(at)) {
                Some(b'.') => EMPTY,
                Some(b'X') => OWN,
                Some(b'O') => OTHER,
                _ => EDGE,
            }
        };
        let offsets = (-radius..=radius).filter(|&offset| offset != 0);
        let key = offsets
            .zip(0..)
            .fold(0, |key, (offset, place)| key | cell(offset) << (2 * place));
        table[key as usize]
    }

    #[test]
    fn lines_of_textbooks_have_their_names() {
        let table = classes(FREE, 5);
        for (line, expected) in [
            ("XX*XX", Class::Five),
            ("...X*XX...", Class::OpenFour),
            ("..OX*XX...", Class::Four),
            ("..XX.X*...", Class::Four),
            ("..X.X*X.X.", Class::OpenFour),
            ("...X*X....", Class::OpenThree),
            (".OX*X..", Class::Three),
            ("OX*X.O", Class::Nothing),
            ("OX*X..O", Class::Three),
            ("O.X*X.O", Class::Three),
            ("O..X*X.O", Class::OpenThree),
            ("...X*.....", Class::OpenTwo),
            ("OX*....", Class::Two),
            (".....*.....", Class::One),
            ("O..*.O", Class::Nothing),
            ("..*..", Class::One),
        ] {
            assert_eq!(class(&table, line), expected, "{line}");
        }
    }

    #[test]
    fn longer_rows_count_by_the_rule() {
        let tables = [FREE, EXACT, BLACK, CARO].map(|view| classes(view, 5));
        for (line, free, exact, black, caro) in [
            (
                "XXX*XX",
                Class::Five,
                Class::Nothing,
                Class::Overline,
                Class::Five,
            ),
            ("XX*XX", Class::Five, Class::Five, Class::Five, Class::Five),
            (
                "OXX*XXO",
                Class::Five,
                Class::Five,
                Class::Five,
                Class::Nothing,
            ),
            (
                "X.X*XX.",
                Class::OpenFour,
                Class::Four,
                Class::Four,
                Class::OpenFour,
            ),
            (
                "OXX*X.O",
                Class::Four,
                Class::Four,
                Class::Four,
                Class::Nothing,
            ),
            (
                "X.X*X.X",
                Class::OpenFour,
                Class::OpenFour,
                Class::TwinFour,
                Class::OpenFour,
            ),
        ] {
            for (table, expected) in tables.iter().zip([free, exact, black, caro]) {
                assert_eq!(class(table, line), expected, "{line}");
            }
        }
    }

    #[test]
    fn exchanging_colours_keeps_what_is_empty() {
        assert_eq!(exchanged(0b11_10_01_00), 0b11_01_10_00);
    }
}
