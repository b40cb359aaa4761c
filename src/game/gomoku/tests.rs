use super::renju::tests::naive_forbids;
use super::*;
use crate::game::perft::perft;
use crate::rollout::Random;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use std::ops::RangeInclusive;

/// An empty board.
pub(crate) fn empty_board(cols: u8, rows: u8, rule: Rule) -> Gomoku {
    let setup = Setup::standard(GameKind::Gomoku).with_size(cols, rows);
    Gomoku::new(&setup.with(rule)).unwrap()
}

/// A position drawn as `Display` does, without its letters and numbers.
pub(crate) fn drawn(rule: Rule, to_move: Side, rows: &[&str]) -> Gomoku {
    let rows: Vec<Vec<char>> = rows
        .iter()
        .map(|row| row.chars().filter(|c| *c != ' ').collect())
        .collect();
    let setup = Setup::standard(GameKind::Gomoku).with(rule);
    let setup = setup.with_size(rows[0].len() as u8, rows.len() as u8);
    let stones: Vec<(Point, Side)> = setup
        .points()
        .filter_map(
            |point| match rows[usize::from(point.row)][usize::from(point.col)] {
                'X' => Some((point, Side::First)),
                'O' => Some((point, Side::Second)),
                _ => None,
            },
        )
        .collect();
    Gomoku::from_stones(&setup, &stones, to_move).unwrap()
}

/// The legal moves.
pub(crate) fn legal(game: &Gomoku) -> Moves {
    let mut moves = Moves::new();
    game.legal_moves(&mut moves);
    moves
}

/// The position after a move.
pub(crate) fn after(game: &Gomoku, mv: Move) -> Gomoku {
    let mut next = game.clone();
    next.play(mv);
    next
}

/// The lengths of all rows through a cell, by walking over points.
pub(crate) fn naive_runs(game: &Gomoku, at: Point, side: Side) -> Vec<u32> {
    let walk = |dx: i32, dy: i32| {
        let stone = |n: &i32| {
            let (col, row) = (i32::from(at.col) + n * dx, i32::from(at.row) + n * dy);
            let point = u8::try_from(col).ok().zip(u8::try_from(row).ok());
            point.is_some_and(|(col, row)| game.stone_at(Point { col, row }) == Some(side))
        };
        (1..).take_while(stone).count() as u32
    };
    [(1, 0), (0, 1), (1, 1), (-1, 1)]
        .map(|(dx, dy)| 1 + walk(dx, dy) + walk(-dx, -dy))
        .to_vec()
}

/// Whether a stone of `side` at this point makes or is part of a winning row.
pub(crate) fn naive_wins(game: &Gomoku, at: Point, side: Side) -> bool {
    let runs = naive_runs(game, at, side);
    runs.iter()
        .zip(naive_ends(game, at, side))
        .any(|(&run, ends)| {
            let enclosed = ends == 2;
            match (game.rule(), side) {
                (Rule::Freestyle, _) | (Rule::Renju, Side::Second) => run >= 5,
                (Rule::Exact, _) | (Rule::Renju, Side::First) => run == 5,
                (Rule::Caro, _) => run > 5 || run == 5 && !enclosed,
                (Rule::ExactCaro, _) => run == 5 && !enclosed,
            }
        })
}

/// The point some steps away, if it is on the board.
fn stepped(game: &Gomoku, at: Point, (dx, dy): (i32, i32), steps: i32) -> Option<Point> {
    let col = u8::try_from(i32::from(at.col) + steps * dx).ok()?;
    let row = u8::try_from(i32::from(at.row) + steps * dy).ok()?;
    let point = Point { col, row };
    game.setup().contains(point).then_some(point)
}

const WAYS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// How many ends of each row through a cell have a stone of the opponent.
fn naive_ends(game: &Gomoku, at: Point, side: Side) -> [usize; 4] {
    WAYS.map(|way| {
        let taken = |sign: i32| {
            let stone = |n: &i32| Some(game.stone_at(stepped(game, at, way, sign * n)?));
            let end = (1..).find(|n| stone(n) != Some(Some(side))).unwrap();
            stone(&end) == Some(Some(side.other()))
        };
        [1, -1].into_iter().filter(|&sign| taken(sign)).count()
    })
}

/// The outcome by looking at every stone. Black may be left with forbidden points alone: then
/// the game is drawn, too.
fn naive_outcome(game: &Gomoku) -> Option<Outcome> {
    let points = || game.setup().points();
    let wins = |point| {
        let side = game.stone_at(point)?;
        naive_wins(game, point, side).then_some(Outcome::win(side))
    };
    let restricted = game.is_restricted(game.side_to_move());
    let is_open = |point: Point| {
        game.stone_at(point).is_none() && !(restricted && naive_forbids(game, point))
    };
    let stuck = || (!points().any(is_open)).then_some(Outcome::DRAW);
    points().find_map(wins).or_else(stuck)
}

/// The board after `plies` random moves, or earlier where the game ends.
pub(crate) fn random_position(cols: u8, rows: u8, rule: Rule, plies: u32, seed: u64) -> Gomoku {
    let mut random = Random::seed_from_u64(seed);
    let mut game = empty_board(cols, rows, rule);
    let mut moves = Moves::new();
    for _ in 0..plies {
        game.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        let mut next = game.clone();
        next.play(moves[random.random_range(0..moves.len())]);
        game = next;
    }
    game
}

pub(crate) fn any_rule() -> impl Strategy<Value = Rule> {
    prop::sample::select(&Rule::ALL[..])
}

/// Positions on boards of up to so many columns and rows, with stones on so many percent of the cells
/// unless the game was over before.
pub(crate) fn positions(most: u8, shares: RangeInclusive<u32>) -> impl Strategy<Value = Gomoku> {
    let drawn = (5..=most, 5..=most, any_rule(), shares, any::<u64>());
    drawn.prop_map(|(cols, rows, rule, share, seed)| {
        let plies = u32::from(cols) * u32::from(rows) * share / 100;
        random_position(cols, rows, rule, plies, seed)
    })
}

#[test]
fn perft_of_the_usual_board() {
    let game = empty_board(15, 15, Rule::Freestyle);
    assert_eq!(
        [1, 2, 3].map(|depth| perft(&game, depth)),
        [225, 50_400, 11_239_200]
    );
}

#[test]
fn the_position_is_small() {
    assert!(size_of::<Gomoku>() <= 152);
}

#[test]
fn boards_of_other_sizes_are_refused() {
    for (cols, rows) in [(4, 15), (15, 4), (23, 15), (15, 23), (0, 0), (255, 255)] {
        let setup = Setup::standard(GameKind::Gomoku).with_size(cols, rows);
        assert!(matches!(Gomoku::new(&setup), Err(SetupError::Size(_))));
    }
}

#[test]
fn stones_off_the_board_or_doubled_are_refused() {
    let setup = Setup::standard(GameKind::Gomoku);
    let on = |col, row| (Point { col, row }, Side::First);
    for bad in [on(15, 0), on(0, 15), on(255, 255), on(7, 7)] {
        let result = Gomoku::from_stones(&setup, &[on(7, 7), bad], Side::First);
        assert_eq!(result.err(), Some(SetupError::Stone(bad.0)));
    }
}

#[test]
fn a_standing_row_ends_the_game() {
    let five = ["XXXXX.", "......", "......", "......", "......"];
    let six = ["......", "XXXXXX", "......", "......", "......"];
    let won = Some(Outcome::win(Side::First));
    for to_move in [Side::First, Side::Second] {
        assert_eq!(drawn(Rule::Freestyle, to_move, &five).outcome(), won);
        assert_eq!(drawn(Rule::Freestyle, to_move, &six).outcome(), won);
        assert_eq!(drawn(Rule::Exact, to_move, &five).outcome(), won);
        assert_eq!(drawn(Rule::Exact, to_move, &six).outcome(), None);
    }
    let both = ["XXXXX.", "......", "OOOOO.", "......", "......"];
    for to_move in [Side::First, Side::Second] {
        let outcome = drawn(Rule::Exact, to_move, &both).outcome();
        assert_eq!(outcome, Some(Outcome::win(to_move.other())));
    }
}

#[test]
fn an_overline_wins_in_freestyle_only() {
    let rows = ["......", "XXX.XX", "......", "......", "......"];
    for (rule, expected) in [
        (Rule::Freestyle, Some(Outcome::win(Side::First))),
        (Rule::Exact, None),
    ] {
        let mut game = drawn(rule, Side::First, &rows);
        game.play(game.parse_action(Action::point(3, 1)).unwrap());
        assert_eq!(game.outcome(), expected);
    }
}

#[test]
fn caro_wants_a_free_end() {
    let wins = |row: &str, rule, side| {
        let col = row.find('?').unwrap();
        let row = row.replace('?', ".");
        let blank = ".........";
        let mut game = drawn(rule, side, &[blank, blank, &row, blank, blank]);
        game.play(game.parse_action(Action::point(col as u8, 2)).unwrap());
        game.outcome() == Some(Outcome::win(side))
    };
    for (row, caro, exact_caro) in [
        ("..XXX?X..", true, true),
        (".OXXX?X..", true, true),
        ("..XXX?XO.", true, true),
        (".OXXX?XO.", false, false),
        // The edge is no stone.
        ("XXX?XO...", true, true),
        ("...OX?XXX", true, true),
        // More than five.
        (".XXX?XX..", true, false),
        ("OXXX?XXO.", true, false),
    ] {
        for (rule, expected) in [(Rule::Caro, caro), (Rule::ExactCaro, exact_caro)] {
            assert_eq!(wins(row, rule, Side::First), expected, "{row} {rule}");
            let swapped: String = row
                .chars()
                .map(|c| match c {
                    'X' => 'O',
                    'O' => 'X',
                    other => other,
                })
                .collect();
            assert_eq!(wins(&swapped, rule, Side::Second), expected, "{row} {rule}");
        }
    }
}

#[test]
fn the_diagram_counts_rows_from_the_bottom() {
    let mut game = empty_board(6, 5, Rule::Freestyle);
    for point in [(0, 4), (5, 0)] {
        game.play(game.parse_action(Action::point(point.0, point.1)).unwrap());
    }
    let expected = "   a b c d e f\n 5 . . . . . O\n 4 . . . . . .\n 3 . . . . . .\n 2 . . . . . .\n 1 X . . . . .\n";
    assert_eq!(game.to_string(), expected);
}

proptest! {
    #[test]
    fn random_games_agree_with_a_naive_scan(
        cols in 5u8..=22, rows in 5u8..=22, rule in any_rule(), seed: u64,
    ) {
        let mut random = Random::seed_from_u64(seed);
        let mut game = empty_board(cols, rows, rule);
        let mut stones = Vec::new();
        let mut moves = Moves::new();
        while game.outcome().is_none() {
            game.legal_moves(&mut moves);
            // Trying stones is slow: in renju only some of the positions are checked.
            let restricted = game.is_restricted(game.side_to_move());
            if !restricted || game.empties().is_multiple_of(16) {
                let naive: Vec<Action> = game.setup().points()
                    .filter(|&point| game.stone_at(point).is_none())
                    .filter(|&point| !restricted || !naive_forbids(&game, point))
                    .map(Action::Point)
                    .collect();
                let actions: Vec<Action> = moves.iter().map(|&mv| game.action(mv)).collect();
                prop_assert_eq!(actions, naive);
            }
            let mv = moves[random.random_range(0..moves.len())];
            let action = game.action(mv);
            prop_assert_eq!(game.parse_action(action), Some(mv));
            let Action::Point(point) = action else { panic!("{action:?} is no point") };
            stones.push((point, game.side_to_move()));
            game.play(mv);
            prop_assert_eq!(game.parse_action(action), None);
            prop_assert_eq!(game.outcome(), naive_outcome(&game));
            let again = Gomoku::from_stones(&game.setup(), &stones, game.side_to_move()).unwrap();
            prop_assert_eq!(again.key(), game.key());
            prop_assert_eq!(again.outcome(), game.outcome());
            prop_assert_eq!(again.max_plies_left(), game.max_plies_left());
        }
        game.legal_moves(&mut moves);
        prop_assert!(moves.is_empty());
    }
}
