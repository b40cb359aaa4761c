use crate::game::gomoku::Gomoku;
use crate::game::gomoku::tests::{drawn, empty_board};
use crate::game::{Action, Game, GameKind, Moves, Outcome, Playable, Point, Rule, Setup, Side};
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
    for top in [
        // An overline; a stone that makes five and an overline wins.
        &["XXX!XX..."][..],
        &[
            "XXX.XX...",
            "...X.....",
            "...X.....",
            "...X.....",
            "...X.....",
        ],
        // A double four and a double three.
        &[
            "...O.....",
            ".........",
            "OXXX!....",
            "....X....",
            "....X....",
            "....X....",
        ],
        &[
            ".........",
            ".........",
            "..XX!....",
            "....X....",
            "....X....",
        ],
        // A four and a three are allowed, and so are a three and one that is not open.
        &[
            ".........",
            ".........",
            ".XXX.....",
            "....X....",
            "....X....",
        ],
        &[
            ".........",
            ".........",
            "OXX......",
            "...X.....",
            "...X.....",
        ],
    ] {
        let mut rows = vec!["........."; 9];
        rows[..top.len()].copy_from_slice(top);
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
        let setup = Setup::standard(GameKind::Gomoku).with(Rule::Renju);
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
