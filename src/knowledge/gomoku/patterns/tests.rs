use super::*;
use crate::game::gomoku::tests::{any_rule, empty_board, naive_wins, positions};
use crate::game::{Game, Moves};
use crate::rollout::Random;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

const WAYS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// A line of the board through one of its cells, judged by putting stones on it.
struct Line {
    rule: Rule,
    /// Whose stones `X` are.
    side: Side,
    cells: Vec<char>,
    at: usize,
}

impl Line {
    /// The line through an empty cell, with a stone of `side` there.
    fn of(patterns: &Patterns, cell: usize, way: (i32, i32), side: Side) -> Line {
        let stride = patterns.stride() as i32;
        let (col, row) = (cell as i32 % stride, cell as i32 / stride);
        let contents = |steps: i32| {
            let (col, row) = (col + steps * way.0, row + steps * way.1);
            let inside = (0..stride - 1).contains(&col) && row >= 0;
            let cell = (row * stride + col) as usize;
            match () {
                () if !inside => None,
                () if patterns.empty().contains(cell) => Some('.'),
                () if patterns.stones(side).contains(cell) => Some('X'),
                () if patterns.stones(side.other()).contains(cell) => Some('O'),
                () => None,
            }
        };
        let mut cells: Vec<char> = (1..).map(|n| -n).map_while(contents).collect();
        cells.reverse();
        let at = cells.len();
        cells.push('X');
        cells.extend((1..).map_while(contents));
        Line {
            rule: patterns.rule,
            side,
            cells,
            at,
        }
    }

    /// What comes of a line with this in the place of one of its cells.
    fn with<T>(&mut self, place: usize, stone: char, judge: impl FnOnce(&mut Line) -> T) -> T {
        let before = std::mem::replace(&mut self.cells[place], stone);
        let result = judge(self);
        self.cells[place] = before;
        result
    }

    fn empties(&self) -> Vec<usize> {
        let near = self.at.saturating_sub(5)..self.cells.len().min(self.at + 6);
        near.filter(|&place| self.cells[place] == '.').collect()
    }

    /// The length of the row through the stone, and how many ends the opponent has taken.
    fn row(&self) -> (usize, usize) {
        let before = self.cells[..self.at]
            .iter()
            .rev()
            .take_while(|it| **it == 'X')
            .count();
        let after = self.cells[self.at..]
            .iter()
            .take_while(|it| **it == 'X')
            .count();
        let ends = [(self.at - before).checked_sub(1), Some(self.at + after)];
        let other = |end: &&Option<usize>| end.and_then(|end| self.cells.get(end)) == Some(&'O');
        (before + after, ends.iter().filter(other).count())
    }

    fn is_restricted(&self) -> bool {
        self.rule == Rule::Renju && self.side == Side::First
    }

    fn wins(&self) -> bool {
        let (row, taken) = self.row();
        match (self.rule, self.side) {
            (Rule::Freestyle, _) | (Rule::Renju, Side::Second) => row >= 5,
            (Rule::Exact, _) | (Rule::Renju, Side::First) => row == 5,
            (Rule::Caro, _) => row > 5 || row == 5 && taken < 2,
            (Rule::ExactCaro, _) => row == 5 && taken < 2,
        }
    }

    fn is_four(&mut self) -> bool {
        let mut empties = self.empties().into_iter();
        empties.any(|place| self.with(place, 'X', |line| line.wins()))
    }

    fn class(&mut self) -> Class {
        if self.wins() {
            return Class::Five;
        }
        if self.is_restricted() && self.row().0 > 5 {
            return Class::Overline;
        }
        if self.is_four() {
            let mut replies = self.empties().into_iter();
            let held = replies.all(|place| self.with(place, 'O', Line::is_four));
            return match held {
                false => Class::Four,
                true if self.is_restricted() && self.row().0 != 4 => Class::TwinFour,
                true => Class::OpenFour,
            };
        }
        let next = self.empties().into_iter();
        let next = next.map(|place| self.with(place, 'X', Line::class));
        let best = next.filter(|&class| class != Class::Overline).max();
        match best.unwrap_or_default() {
            Class::OpenFour => Class::OpenThree,
            Class::TwinFour | Class::Four => Class::Three,
            Class::OpenThree => Class::OpenTwo,
            Class::Three => Class::Two,
            Class::OpenTwo | Class::Two => Class::One,
            _ => Class::Nothing,
        }
    }
}

/// That some of the cells have the classes that they should have.
fn check_classes(patterns: &Patterns, random: &mut Random) {
    let cells: Vec<usize> = patterns.empty().cells().collect();
    for _ in 0..3.min(cells.len()) {
        let cell = cells[random.random_range(0..cells.len())];
        for side in [Side::First, Side::Second] {
            for (direction, way) in WAYS.into_iter().enumerate() {
                let mut line = Line::of(patterns, cell, way, side);
                let found = patterns.class(cell, direction, side);
                assert_eq!(
                    found,
                    line.class(),
                    "{:?} {:?} {side:?}",
                    line.cells,
                    patterns.rule
                );
            }
        }
    }
}

/// That kinds follow from classes and sets from kinds.
fn check_sets(patterns: &Patterns) {
    for side in [Side::First, Side::Second] {
        let restricted = patterns.is_restricted(side);
        let kind = |cell: usize| {
            let classes = [0, 1, 2, 3].map(|direction| patterns.class(cell, direction, side));
            CellKind::of(classes, restricted)
        };
        for cell in patterns.empty().cells() {
            assert_eq!(patterns.kind(cell, side), kind(cell));
        }
        for number in CellKind::OpenThree as u8..16 {
            let listed: Vec<usize> = patterns
                .cells(side, CellKind::from_number(number))
                .cells()
                .collect();
            let of_kind = |cell: &usize| kind(*cell) as u8 == number;
            let expected: Vec<usize> = patterns.empty().cells().filter(of_kind).collect();
            assert_eq!(listed, expected);
        }
    }
}

fn same(one: &Patterns, other: &Patterns) -> bool {
    let cells = || one.empty().cells();
    one.lines == other.lines
        && [0, 1]
            .iter()
            .all(|&side| one.threats[side][1..] == other.threats[side][1..])
        && one.stones == other.stones
        && one.empty == other.empty
        && one.key == other.key
        && cells().all(|cell| one.codes[cell] == other.codes[cell])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn classes_agree_with_trying_stones(game in positions(22, 0..=80), seed: u64) {
        let patterns = Patterns::of(&game);
        check_sets(&patterns);
        check_classes(&patterns, &mut Random::seed_from_u64(seed));
    }

    #[test]
    fn playing_and_taking_back_agree_with_a_new_board(
        cols in 5u8..=22, rows in 5u8..=22, rule in any_rule(), seed: u64,
    ) {
        let mut random = Random::seed_from_u64(seed);
        let mut game = empty_board(cols, rows, rule);
        let mut patterns = Patterns::of(&game);
        let mut moves = Moves::new();
        let mut before = vec![patterns.clone()];
        while game.outcome().is_none() {
            game.legal_moves(&mut moves);
            let mv = moves[random.random_range(0..moves.len())];
            patterns.play(mv, game.side_to_move());
            game.play(mv);
            prop_assert!(same(&patterns, &Patterns::of(&game)));
            before.push(patterns.clone());
        }
        while let Some(earlier) = before.pop() {
            prop_assert_eq!(patterns.played(), before.len());
            prop_assert!(same(&patterns, &earlier));
            if !before.is_empty() {
                patterns.undo();
            }
        }
    }

    #[test]
    fn a_probe_sees_all_threats(game in positions(22, 0..=80), plies in 1usize..24, seed: u64) {
        let mut random = Random::seed_from_u64(seed);
        let before = Patterns::of(&game);
        let (mut probed, mut played) = (before.clone(), before.clone());
        for side in [Side::First, Side::Second].into_iter().cycle().take(plies) {
            let cells: Vec<usize> = played.empty().cells().collect();
            if cells.is_empty() {
                break;
            }
            let mv = Gomoku::move_at(cells[random.random_range(0..cells.len())]);
            played.play(mv, side);
            match random.random() {
                true => probed.probe(mv, side),
                false => probed.play(mv, side),
            }
            if random.random_range(0..4) == 0 {
                played.undo();
                probed.undo();
            }
        }
        for side in [Side::First, Side::Second] {
            let threats = |of: &Patterns| of.threats[side.index()][1..].to_vec();
            prop_assert_eq!(threats(&probed), threats(&played));
            for cell in played.empty().cells() {
                for direction in 0..4 {
                    let class = |of: &Patterns| of.class(cell, direction, side);
                    let is_threat = |class: &Class| *class >= Class::Three;
                    let [found, exact] = [class(&probed), class(&played)];
                    prop_assert_eq!(
                        Some(found).filter(is_threat),
                        Some(exact).filter(is_threat)
                    );
                }
            }
        }
        probed.rewind(0);
        prop_assert!(same(&probed, &before));
    }

    #[test]
    fn a_four_is_completed_where_the_next_stone_wins(game in positions(15, 20..=60)) {
        let mut patterns = Patterns::of(&game);
        for side in [Side::First, Side::Second] {
            for cell in patterns.cells(side, CellKind::Four).cells() {
                let completion = patterns.completion(cell, side);
                patterns.play(Gomoku::move_at(cell), side);
                let fives = patterns.fives(side);
                patterns.undo();
                prop_assert!(completion.is_some_and(|it| fives.contains(it)));
            }
        }
    }

    #[test]
    fn no_four_is_left_where_fours_end(game in positions(15, 10..=60)) {
        let mut patterns = Patterns::of(&game);
        for side in [Side::First, Side::Second] {
            for cell in patterns.cells(side, CellKind::Four).cells() {
                let Some(answer) = patterns.completion(cell, side) else { continue };
                if patterns.fives(side).is_empty() && patterns.ends_fours(cell, answer, side) {
                    patterns.play(Gomoku::move_at(cell), side);
                    patterns.play(Gomoku::move_at(answer), side.other());
                    let left = patterns.fours(side) | patterns.fives(side);
                    patterns.rewind(0);
                    prop_assert!(left.is_empty(), "{side:?} {cell} {answer}");
                }
            }
        }
    }

    #[test]
    fn fives_and_forbidden_cells_are_those_of_the_rules(game in positions(15, 20..=80)) {
        let patterns = Patterns::of(&game);
        for point in game.setup().points().filter(|&point| game.stone_at(point).is_none()) {
            let cell = game.cell(point).unwrap();
            for side in [Side::First, Side::Second] {
                let wins = patterns.fives(side).contains(cell);
                prop_assert_eq!(wins, naive_wins(&game, point, side));
            }
            if game.setup().rule() == Rule::Renju {
                let forbidden = crate::game::gomoku::renju::tests::naive_forbids(&game, point);
                prop_assert_eq!(patterns.allows(cell, Side::First), !forbidden);
            }
        }
    }
}
