//! One suite for every game: its rules against a naive reading of the board.
//!
//! A random game is a list of numbers, each choosing among the legal moves. When a check fails,
//! the list is shrunk to a short game that fails too.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;
use tengen::game::connect4::Connect4;
use tengen::game::gomoku::Gomoku;
use tengen::game::reversi::Reversi;
use tengen::game::{
    Action, AnyGame, Connect4Rules, GameKind, History, Move, Moves, Outcome, PlayError, Playable,
    Point, Rule, Setup, Side,
};

type Check = Result<(), TestCaseError>;

/// Names a test for each setup and says how many random games it plays.
macro_rules! conformance {
    ($($name:ident: $game:ty, $games:expr, $setup:expr;)*) => {
        $(
            #[test]
            fn $name() {
                conforms::<$game>($setup, $games);
            }
        )*
    };
}

conformance! {
    gomoku_5x5: Gomoku, 200, gomoku(5, 5, Rule::Freestyle);
    gomoku_5x5_exact: Gomoku, 200, gomoku(5, 5, Rule::Exact);
    gomoku_7x6_exact: Gomoku, 100, gomoku(7, 6, Rule::Exact);
    gomoku_6x9: Gomoku, 100, gomoku(6, 9, Rule::Freestyle);
    gomoku_15x15: Gomoku, 20, gomoku(15, 15, Rule::Freestyle);
    gomoku_15x15_exact: Gomoku, 20, gomoku(15, 15, Rule::Exact);
    gomoku_7x7_renju: Gomoku, 100, gomoku(7, 7, Rule::Renju);
    gomoku_15x15_renju: Gomoku, 20, gomoku(15, 15, Rule::Renju);
    gomoku_6x6_caro: Gomoku, 100, gomoku(6, 6, Rule::Caro);
    gomoku_8x7_exact_caro: Gomoku, 100, gomoku(8, 7, Rule::ExactCaro);
    gomoku_20x20: Gomoku, 5, gomoku(20, 20, Rule::Freestyle);
    gomoku_22x22_exact: Gomoku, 5, gomoku(22, 22, Rule::Exact);
    reversi: Reversi, 200, Setup::standard(GameKind::Reversi);
    connect4_7x6: Connect4, 200, connect4(7, 6, 4, None);
    connect4_4x4_three: Connect4, 200, connect4(4, 4, 3, None);
    connect4_4x12_hole: Connect4, 100, connect4(4, 12, 4, Some((1, 7)));
    connect4_12x4_five: Connect4, 100, connect4(12, 4, 5, None);
    connect4_9x9_hole_in_the_corner: Connect4, 100, connect4(9, 9, 4, Some((0, 0)));
    connect4_10x11_hole_on_the_ground: Connect4, 100, connect4(10, 11, 4, Some((4, 10)));
    connect4_9x7_steal: Connect4, 200, connect4(9, 7, 4, None).with(Connect4Rules { steal: true, ..Connect4Rules::default() });
    connect4_4x5_three_hole_steal: Connect4, 200, connect4(4, 5, 3, Some((1, 4))).with(Connect4Rules { steal: true, ..Connect4Rules::default() });
    connect4_12x12_five: Connect4, 50, connect4(12, 12, 5, None);
    connect4_12x12_hole: Connect4, 50, connect4(12, 12, 4, Some((6, 5)));
}

fn gomoku(cols: u8, rows: u8, rule: Rule) -> Setup {
    let standard = Setup::standard(GameKind::Gomoku).with_size(cols, rows);
    standard.with(rule)
}

fn connect4(cols: u8, rows: u8, connect: u8, hole: Option<(u8, u8)>) -> Setup {
    Setup::standard(GameKind::Connect4)
        .with_size(cols, rows)
        .with(Connect4Rules {
            hole: hole.map(|(col, row)| Point { col, row }),
            connect,
            ..Connect4Rules::default()
        })
}

/// Plays random games with this setup and makes every check in every position of them.
fn conforms<G: Playable>(setup: Setup, games: u32) {
    // No game has more than a move and a pass for every cell.
    let longest = 2 * setup.points().count();
    let config = Config {
        cases: games,
        failure_persistence: None,
        ..Config::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let transposed = Cell::new(0_u32);
    TestRunner::new_with_rng(config, random)
        .run(
            &prop::collection::vec(any::<u16>(), 0..=longest),
            |choices| {
                let mut game = start::<G>(&setup)?;
                for choice in choices {
                    check_position(game.position())?;
                    check_refusals(&mut game)?;
                    let moves = legal_moves(game.position());
                    if moves.is_empty() {
                        break;
                    }
                    let mv = moves[usize::from(choice) % moves.len()];
                    let action = game.position().action(mv);
                    check_undo(&mut game, action)?;
                }
                check_position(game.position())?;
                check_bounds(&game)?;
                transposed.set(transposed.get() + check_transpositions(&game)?);
                Ok(())
            },
        )
        .unwrap_or_else(|failure| panic!("{setup:?}: {failure}"));
    assert!(
        transposed.get() > 0,
        "no game could be played in another order"
    );
}

fn start<G: Playable>(setup: &Setup) -> Result<History<G>, TestCaseError> {
    let position = G::new(setup).map_err(|error| TestCaseError::fail(error.to_string()))?;
    Ok(History::new(position))
}

fn legal_moves<G: Playable>(position: &G) -> Vec<Move> {
    let mut moves = Moves::new();
    position.legal_moves(&mut moves);
    moves.to_vec()
}

fn check_position<G: Playable>(position: &G) -> Check {
    check_moves(position)?;
    check_outcome(position)?;
    check_rebuilt(position)
}

/// Everything that a protocol could ask for, a little beyond the board.
fn conceivable_actions(setup: &Setup) -> impl Iterator<Item = Action> + use<> {
    let beyond = setup.with_size(setup.cols + 2, setup.rows + 2);
    let extremes = [Action::point(255, 255), Action::Column(255)];
    let extremes = extremes.into_iter().chain([Action::Pass, Action::Steal]);
    let columns = (0..beyond.cols).map(Action::Column);
    beyond
        .points()
        .map(Action::Point)
        .chain(columns)
        .chain(extremes)
}

/// The legal moves are those that can be asked for, each once, and each is read back.
fn check_moves<G: Playable>(position: &G) -> Check {
    let mut listed = legal_moves(position);
    for &mv in &listed {
        prop_assert!(mv.code() < Move::LIMIT);
        prop_assert_eq!(
            position.parse_action(position.action(mv)),
            Some(mv),
            "\n{}",
            position
        );
    }
    listed.sort();
    let mut parsed: Vec<Move> = conceivable_actions(&position.setup())
        .filter_map(|action| position.parse_action(action))
        .collect();
    parsed.sort();
    parsed.dedup();
    prop_assert_eq!(&listed, &parsed, "\n{}", position);
    prop_assert_eq!(
        listed.is_empty(),
        position.outcome().is_some(),
        "\n{}",
        position
    );
    Ok(())
}

/// The outcome is the one that the stones tell.
fn check_outcome<G: Playable>(position: &G) -> Check {
    let setup = position.setup();
    let expected = match setup.game() {
        GameKind::Gomoku => {
            let wins = |row: Row| match setup.rule() {
                Rule::Freestyle => row.length >= 5,
                Rule::Exact => row.length == 5,
                Rule::Renju => row.length == 5 || row.length > 5 && row.side == Side::Second,
                Rule::Caro => row.length > 5 || row.length == 5 && row.enclosed < 2,
                Rule::ExactCaro => row.length == 5 && row.enclosed < 2,
            };
            outcome_by_lines(position, wins)
        }
        GameKind::Connect4 => {
            outcome_by_lines(position, |row| row.length >= setup.connect4().connect)
        }
        GameKind::Reversi => outcome_by_discs(position),
    };
    prop_assert_eq!(position.outcome(), expected, "\n{}", position);
    Ok(())
}

/// The point `steps` steps away. Off the board where it leaves the range of a `u8`.
fn shifted(from: Point, (across, down): (i8, i8), steps: u8) -> Option<Point> {
    let mut point = from;
    for _ in 0..steps {
        point = Point {
            col: point.col.checked_add_signed(across)?,
            row: point.row.checked_add_signed(down)?,
        };
    }
    Some(point)
}

/// The stones that stand in line beyond a point, in one direction, up to the first gap.
fn stones_beyond<G: Playable>(position: &G, from: Point, way: (i8, i8)) -> Vec<Side> {
    (1..)
        .map_while(|steps| position.stone_at(shifted(from, way, steps)?))
        .collect()
}

/// A row of stones in a line.
struct Row {
    side: Side,
    length: u8,
    /// How many of its ends have a stone of the opponent.
    enclosed: usize,
}

/// The winner by a row that `wins`, or a draw on a full board. (In renju the game is also drawn
/// when black may not move at all. Random play does not get there.)
fn outcome_by_lines<G: Playable>(position: &G, wins: impl Fn(Row) -> bool) -> Option<Outcome> {
    let setup = position.setup();
    for point in setup.points() {
        let Some(side) = position.stone_at(point) else {
            continue;
        };
        for (across, down) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            let arms = [(across, down), (-across, -down)].map(|way| {
                let beyond = stones_beyond(position, point, way);
                let own = beyond.iter().take_while(|&&stone| stone == side).count();
                (own, own < beyond.len())
            });
            let row = Row {
                side,
                length: 1 + (arms[0].0 + arms[1].0) as u8,
                enclosed: arms.iter().filter(|arm| arm.1).count(),
            };
            if wins(row) {
                return Some(Outcome::win(side));
            }
        }
    }
    let usable = |point: &Point| setup.game() != GameKind::Connect4 || setup.hole() != Some(*point);
    let full = setup
        .points()
        .filter(usable)
        .all(|point| position.stone_at(point).is_some());
    full.then_some(Outcome::DRAW)
}

/// The disc difference, empty squares to the winner, when neither side turns over anything.
fn outcome_by_discs<G: Playable>(position: &G) -> Option<Outcome> {
    let points = || position.setup().points();
    let may_move = |side| points().any(|point| turns_over(position, point, side));
    if may_move(Side::First) || may_move(Side::Second) {
        return None;
    }
    let count = |stone| points().filter(|&p| position.stone_at(p) == stone).count() as i16;
    let difference = count(Some(Side::First)) - count(Some(Side::Second));
    Some(Outcome::from_margin(
        difference + difference.signum() * count(None),
    ))
}

/// Whether a disc of `side` on this point encloses discs of the opponent.
fn turns_over<G: Playable>(position: &G, point: Point, side: Side) -> bool {
    let ways = (-1..=1).flat_map(|across| (-1..=1).map(move |down| (across, down)));
    let encloses = |way| {
        let beyond = stones_beyond(position, point, way);
        beyond
            .iter()
            .position(|&stone| stone == side)
            .is_some_and(|others| others > 0)
    };
    let free = position.stone_at(point).is_none();
    free && ways.filter(|&way| way != (0, 0)).any(encloses)
}

/// The position that is set up from the same stones is the same.
fn check_rebuilt<G: Playable>(position: &G) -> Check {
    let setup = position.setup();
    let stone = |point| position.stone_at(point).map(|side| (point, side));
    let stones: Vec<_> = setup.points().filter_map(stone).collect();
    let rebuilt = G::from_stones(&setup, &stones, position.side_to_move())
        .map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(rebuilt.key(), position.key(), "\n{}", position);
    prop_assert_eq!(rebuilt.to_string(), position.to_string());
    prop_assert_eq!(rebuilt.outcome(), position.outcome(), "\n{}", position);
    prop_assert_eq!(
        rebuilt.max_plies_left(),
        position.max_plies_left(),
        "\n{}",
        position
    );
    let [mut moves, mut expected] = [&rebuilt, position].map(legal_moves);
    moves.sort();
    expected.sort();
    prop_assert_eq!(moves, expected, "\n{}", position);
    Ok(())
}

/// What is not legal is refused, and the game is as it was.
fn check_refusals<G: Playable>(game: &mut History<G>) -> Check {
    let (key, drawing, plies) = (game.key(), game.diagram(), game.history().len());
    let reason = match game.outcome() {
        Some(_) => PlayError::Over,
        None => PlayError::Illegal,
    };
    for action in conceivable_actions(&game.setup()) {
        if game.position().parse_action(action).is_none() {
            prop_assert_eq!(game.play(action), Err(reason));
        }
    }
    prop_assert_eq!(
        (game.key(), game.diagram(), game.history().len()),
        (key, drawing, plies)
    );
    Ok(())
}

/// Plays a move, takes it back, and plays it again.
fn check_undo<G: Playable>(game: &mut History<G>, action: Action) -> Check {
    let (key, drawing, side) = (game.key(), game.diagram(), game.side_to_move());
    prop_assert_eq!(game.play(action), Ok(()));
    prop_assert_ne!(game.key(), key, "a move leaves the key\n{}", game.diagram());
    prop_assert_eq!(game.undo(), Ok(action));
    prop_assert_eq!(
        (game.key(), game.diagram(), game.side_to_move()),
        (key, drawing, side)
    );
    prop_assert_eq!(game.play(action), Ok(()));
    Ok(())
}

/// At every ply of the game no more moves were made than the bound allowed, and a finished game
/// has none left.
fn check_bounds<G: Playable>(game: &History<G>) -> Check {
    let mut replay = start::<G>(&game.setup())?;
    let plies = game.history().len();
    for (ply, &action) in game.history().iter().enumerate() {
        prop_assert!(
            replay.max_plies_left() as usize >= plies - ply,
            "ply {}",
            ply
        );
        prop_assert_eq!(replay.play(action), Ok(()));
    }
    prop_assert_eq!(replay.max_plies_left() == 0, replay.outcome().is_some());
    Ok(())
}

/// Swaps two moves of a side with one move between them, wherever that leads to the same board.
/// The keys must be the same. Returns how often it did.
fn check_transpositions<G: Playable>(game: &History<G>) -> Result<u32, TestCaseError> {
    let mut found = 0;
    for first in 0..game.history().len().saturating_sub(2) {
        let mut actions = game.history().to_vec();
        actions.swap(first, first + 2);
        let mut other = start::<G>(&game.setup())?;
        if actions.iter().any(|&action| other.play(action).is_err()) {
            continue;
        }
        if other.diagram() == game.diagram() && other.side_to_move() == game.side_to_move() {
            prop_assert_eq!(
                other.key(),
                game.key(),
                "swapped {} in\n{}",
                first,
                game.diagram()
            );
            found += u32::from(actions != game.history());
        }
    }
    Ok(found)
}
