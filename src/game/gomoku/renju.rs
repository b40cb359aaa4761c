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
pub(crate) mod tests {
    use crate::game::gomoku::Gomoku;
    use crate::game::gomoku::tests::{drawn, empty_board};
    use crate::game::{Action, Game, GameKind, Moves, Outcome, Point, Rule, Setup, Side};
    use crate::rollout::Random;
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};

    /// A board of characters, judged by trying stones as the rules say it.
    #[derive(Clone)]
    struct Naive {
        cells: Vec<Vec<char>>,
    }

    type At = (i32, i32);

    const WAYS: [At; 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

    fn step((col, row): At, (across, down): At, steps: i32) -> At {
        (col + across * steps, row + down * steps)
    }

    impl Naive {
        fn of(game: &Gomoku) -> Naive {
            let Setup { cols, rows, .. } = game.setup();
            let stone = |col, row| match game.stone_at(Point { col, row }) {
                Some(Side::First) => 'X',
                Some(Side::Second) => 'O',
                None => '.',
            };
            let row = |row| (0..cols).map(|col| stone(col, row)).collect();
            Naive {
                cells: (0..rows).map(row).collect(),
            }
        }

        fn at(&self, (col, row): At) -> char {
            let (col, row) = (usize::try_from(col), usize::try_from(row));
            let cell = row.ok().and_then(|row| self.cells.get(row));
            let cell = cell.and_then(|cells| cells.get(col.ok()?));
            cell.copied().unwrap_or('#')
        }

        fn with(&self, at: At) -> Naive {
            let mut next = self.clone();
            next.cells[at.1 as usize][at.0 as usize] = 'X';
            next
        }

        /// Black's row through a stone, as places counted from it.
        fn row(&self, at: At, way: At) -> Vec<i32> {
            let stone = |n: &i32| self.at(step(at, way, *n)) == 'X';
            let before = (1..).map(|n| -n).take_while(stone);
            let mut row: Vec<i32> = before.chain((0..).take_while(stone)).collect();
            row.sort_unstable();
            row
        }

        fn rows(&self, at: At) -> Vec<usize> {
            WAYS.iter().map(|&way| self.row(at, way).len()).collect()
        }

        /// The empty places of a line on which black makes five with the stone, and the four
        /// stones that do it.
        fn fours(&self, at: At, way: At) -> Vec<(i32, Vec<i32>)> {
            let places = (-4..=4).filter(|&n| self.at(step(at, way, n)) == '.');
            let five = |n| {
                let mut row = self.with(step(at, way, n)).row(at, way);
                let makes_five = row.len() == 5 && row.contains(&n);
                row.retain(|&place| place != n);
                makes_five.then_some((n, row))
            };
            places.filter_map(five).collect()
        }

        fn is_straight_four(&self, at: At, way: At) -> bool {
            let fours = self.fours(at, way);
            self.row(at, way).len() == 4 && fours.len() == 2 && fours[0].1 == fours[1].1
        }

        fn has_three(&self, at: At, way: At) -> bool {
            let mut places = (-3..=3).filter(|&n| self.at(step(at, way, n)) == '.');
            places.any(|n| {
                let place = step(at, way, n);
                let next = self.with(place);
                next.row(at, way).contains(&n)
                    && next.is_straight_four(at, way)
                    && !next.rows(place).contains(&5)
                    && !self.forbids(place)
            })
        }

        fn forbids(&self, at: At) -> bool {
            let next = self.with(at);
            let rows = next.rows(at);
            if rows.contains(&5) {
                return false;
            }
            let fours = |way| {
                let mut fours: Vec<_> = next.fours(at, way).into_iter().map(|it| it.1).collect();
                fours.dedup();
                fours.len()
            };
            rows.iter().any(|&row| row > 5)
                || WAYS.map(fours).iter().sum::<usize>() > 1
                || WAYS.iter().filter(|&&way| next.has_three(at, way)).count() > 1
        }
    }

    /// Whether a stone of black's on this point would be forbidden in renju, by trying stones.
    pub(crate) fn naive_forbids(game: &Gomoku, at: Point) -> bool {
        Naive::of(game).forbids((i32::from(at.col), i32::from(at.row)))
    }

    /// The forbidden points of a drawing, where they are marked by `!`, and those found.
    fn marked(rows: &[&str]) -> [Vec<Point>; 2] {
        let game = drawn(Rule::Renju, Side::First, rows);
        let mark = |point: &Point| {
            let mut row = rows[usize::from(point.row)].chars().filter(|c| *c != ' ');
            row.nth(usize::from(point.col)) == Some('!')
        };
        let expected = game.setup().points().filter(mark).collect();
        let found = game.points_of(game.black().forbidden()).collect();
        [expected, found]
    }

    /// Diagrams with their judgement: `junghyun397/mintaka`, the page of its library on the
    /// rules of renju.
    const PUBLISHED: [&[&str]; 5] = [
        &[
            // Double fours in one line.
            ". . . . . . . . . . . . . . .",
            ". . . . X . X ! X . X . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . O O O O O O O . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . X . X X ! . X . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . O O O O O O O . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . X X . X ! . X X . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . O O O O O O O . . . .",
            ". . . . . . . . . . . . . . .",
            ". . X . X . X X . . X X . X .",
            ". . . . . . . . . . . . . . .",
        ],
        &[
            // Two fours that would be, were no overline there.
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . O . . . . . . .",
            ". . . . . O . . . . . . . . .",
            ". . . . . X X . . . . . . . .",
            ". . . . . . O X O . . . . . .",
            ". . . . . . O X O . . . . . .",
            ". . . . . . . . X X X O . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
        ],
        &[
            // One three of a double three rests on another.
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . O . . O . . . . . . . .",
            ". . . . X . . X . O . . . . .",
            ". . . . O X O X X . . . . . .",
            ". . . . . . X X ! . . . . . .",
            ". . . . . . O O X X . . . . .",
            ". . . . . X . . . . . . . . .",
            ". . . . O X . . . . . . . . .",
            ". . . . . O . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
        ],
        &[
            // Several that rest on each other.
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . X . . . . . . .",
            ". . . . . . . . . . . . X . .",
            ". . . . . O . . . ! . . O X .",
            ". . O X . . X O X X X O X . .",
            ". . . X O O . X O ! . . . . .",
            ". O . . X X ! . . X ! . . . .",
            ". . . . . . X . . . X X O . .",
            ". . . . O . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
        ],
        &[
            // Four around a square.
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . O O . . . . . . .",
            ". . . . . ! X X ! . . . . . .",
            ". . . . O X X X X O . . . . .",
            ". . . . O X X X X O . . . . .",
            ". . . . . ! X X ! . . . . . .",
            ". . . . . . O O . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
            ". . . . . . . . . . . . . . .",
        ],
    ];

    #[test]
    fn published_diagrams_are_judged_alike() {
        for rows in PUBLISHED {
            let [expected, found] = marked(rows);
            assert_eq!(found, expected, "{}", rows.join("\n"));
        }
    }

    #[test]
    fn each_rule_forbids_its_own() {
        for rows in [
            // An overline; a stone that makes five and an overline wins.
            [
                "XXX!XX...",
                ".........",
                ".........",
                ".........",
                ".........",
                ".........",
                ".........",
                ".........",
                ".........",
            ],
            [
                "XXX.XX...",
                "...X.....",
                "...X.....",
                "...X.....",
                "...X.....",
                ".........",
                ".........",
                ".........",
                ".........",
            ],
            // A double four and a double three.
            [
                "...O.....",
                ".........",
                "OXXX!....",
                "....X....",
                "....X....",
                "....X....",
                ".........",
                ".........",
                ".........",
            ],
            [
                ".........",
                ".........",
                "..XX!....",
                "....X....",
                "....X....",
                ".........",
                ".........",
                ".........",
                ".........",
            ],
            // A four and a three are allowed, and so are a three and one that is not open.
            [
                ".........",
                ".........",
                ".XXX.....",
                "....X....",
                "....X....",
                ".........",
                ".........",
                ".........",
                ".........",
            ],
            [
                ".........",
                ".........",
                "OXX......",
                "...X.....",
                "...X.....",
                ".........",
                ".........",
                ".........",
                ".........",
            ],
        ] {
            let [expected, found] = marked(&rows);
            assert_eq!(found, expected, "{}", rows.join("\n"));
        }
    }

    #[test]
    fn forbidden_moves_are_illegal_for_black_only() {
        let rows = ["......", "XXX.XX", "......", "......", "OOO.OO"];
        let mut black = drawn(Rule::Renju, Side::First, &rows);
        assert_eq!(black.parse_action(Action::point(3, 1)), None);
        black.play(black.parse_action(Action::point(0, 2)).unwrap());
        let mut white = black.clone();
        white.play(white.parse_action(Action::point(3, 4)).unwrap());
        assert_eq!(white.outcome(), Some(Outcome::win(Side::Second)));
        assert!(black.parse_action(Action::point(3, 1)).is_some());
    }

    #[test]
    fn black_without_a_move_draws() {
        let rows = ["OOXXOO", "XXX.XX", "OOXXO.", "XXOOXX", "OOXXOO"];
        let mut game = drawn(Rule::Renju, Side::Second, &rows);
        assert_eq!(game.outcome(), None);
        game.play(game.parse_action(Action::point(5, 2)).unwrap());
        assert_eq!(game.outcome(), Some(Outcome::DRAW));
        let mut moves = Moves::new();
        game.legal_moves(&mut moves);
        assert!(moves.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn random_boards_agree_with_the_definition(
            cols in 5u8..=17, rows in 5u8..=17, black in 5u32..45, white in 0u32..25, seed: u64,
        ) {
            let mut random = Random::seed_from_u64(seed);
            let setup = Setup { rule: Rule::Renju, ..Setup::standard(GameKind::Gomoku) };
            let setup = setup.with_size(cols, rows);
            let stones: Vec<(Point, Side)> = setup.points().filter_map(|point| {
                match random.random_range(0..100) {
                    n if n < black => Some((point, Side::First)),
                    n if n < black + white => Some((point, Side::Second)),
                    _ => None,
                }
            }).collect();
            let game = Gomoku::from_stones(&setup, &stones, Side::First).unwrap();
            let forbids = |point: &Point| {
                game.stone_at(*point).is_none() && naive_forbids(&game, *point)
            };
            let expected: Vec<Point> = setup.points().filter(forbids).collect();
            let found: Vec<Point> = game.points_of(game.black().forbidden()).collect();
            prop_assert_eq!(found, expected, "\n{}", game);
        }
    }

    #[test]
    fn the_empty_board_forbids_nothing() {
        for (cols, rows) in [(5, 5), (15, 15), (22, 22)] {
            let game = empty_board(cols, rows, Rule::Renju);
            assert!(game.black().forbidden().is_empty());
        }
    }
}
