//! The solver against plain negamax, and against public scores.

use super::*;
use crate::game::{Connect4Rules, GameKind, Point, notation};
use proptest::prelude::*;
use std::collections::HashMap;
use std::ops::RangeInclusive;

const BYTES: usize = 1 << 20;

pub fn moves(position: &Connect4) -> Moves {
    let mut moves = Moves::new();
    position.legal_moves(&mut moves);
    moves
}

/// The score by the rules alone; `known` has those of the positions met before, by their keys.
pub fn negamax(position: &Connect4, known: &mut HashMap<u64, i32>) -> i32 {
    if let Some(&score) = known.get(&position.key()) {
        return score;
    }
    let score = |mv| negamax_of_move(position, mv, known);
    let score = moves(position).into_iter().map(score).max().unwrap();
    known.insert(position.key(), score);
    score
}

/// The same of a legal move, for the side that plays it.
pub fn negamax_of_move(position: &Connect4, mv: Move, known: &mut HashMap<u64, i32>) -> i32 {
    let next = after(position, mv);
    match next.outcome() {
        Some(Outcome::DRAW) => 0,
        Some(_) => (position.max_plies_left() as i32 + 1) / 2,
        None => -negamax(&next, known),
    }
}

/// A solver of the position's board, with one thread.
fn solver_for(position: &Connect4) -> Solver {
    Solver::new(&position.setup(), BYTES, 1)
}

/// The score of `solver` for a position, with all the effort it takes.
fn score(solver: &Solver, position: &Connect4) -> i32 {
    solver.score(position, &Effort::UNLIMITED).unwrap()
}

/// The moves that score as much as the position, by solving the position after each.
fn attaining(solver: &Solver, position: &Connect4) -> Vec<Move> {
    let of_move = |mv| solver.move_score(position, mv, &Effort::UNLIMITED).unwrap();
    let scores: Vec<_> = moves(position)
        .iter()
        .map(|&mv| (mv, of_move(mv)))
        .collect();
    let best = scores.iter().map(|&(_, score)| score).max().unwrap();
    assert_eq!(best, score(solver, position), "\n{position}");
    let attaining = scores.into_iter().filter(|&(_, score)| score == best);
    attaining.map(|(mv, _)| mv).collect()
}

/// The position in a mirror, on a mirrored board.
fn mirrored(position: &Connect4) -> Connect4 {
    let setup = position.setup();
    let flip = |Point { col, row }| Point {
        col: setup.cols - 1 - col,
        row,
    };
    let stones: Vec<_> = setup
        .points()
        .filter_map(|point| Some((flip(point), position.stone_at(point)?)))
        .collect();
    let setup = setup.with(Connect4Rules {
        hole: setup.hole().map(flip),
        ..setup.connect4()
    });
    Connect4::from_stones(&setup, &stones, position.side_to_move()).unwrap()
}

/// Boards of all sizes, lengths of a row and holes, with few free cells or many.
pub fn setups() -> impl Strategy<Value = Setup> {
    let hole = (any::<bool>(), 0..12_u8, 0..12_u8);
    let sizes = prop_oneof![
        (4..=6_u8, 4..=5_u8),
        Just((7, 6)),
        (4..=12_u8, 4..=12_u8),
        (10..=12_u8, 11..=12_u8),
    ];
    (sizes, 3..=5_u8, hole).prop_map(|((cols, rows), connect, (holed, col, row))| {
        Setup::standard(GameKind::Connect4)
            .with_size(cols, rows)
            .with(Connect4Rules {
                hole: holed.then_some(Point {
                    col: col % cols,
                    row: row % rows,
                }),
                connect: connect.min(cols.max(rows)),
                ..Connect4Rules::default()
            })
    })
}

/// Plays moves that end nothing until at most `left` cells are free or every move ends the game.
pub fn play_on(position: &mut Connect4, left: u32, choices: &[u16]) {
    for &choice in choices {
        let mut quiet = moves(position);
        quiet.retain(|&mut mv| after(position, mv).outcome().is_none());
        if position.max_plies_left() <= left || quiet.is_empty() {
            return;
        }
        position.play(quiet[usize::from(choice) % quiet.len()]);
    }
}

/// Positions with at most so many free cells.
pub fn late_positions(left: RangeInclusive<u32>) -> impl Strategy<Value = Connect4> {
    let choices = prop::collection::vec(any::<u16>(), 144);
    let games = (setups(), left, choices);
    games.prop_filter_map("every move ends the game", |(setup, left, choices)| {
        let mut position = Connect4::new(&setup).unwrap();
        play_on(&mut position, left, &choices);
        (position.max_plies_left() <= left).then_some(position)
    })
}

fn standard(text: &str) -> Connect4 {
    notation::position(&Setup::standard(GameKind::Connect4), text).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn scores_agree_with_plain_negamax(position in late_positions(1..=11_u32)) {
        let solver = solver_for(&position);
        let exact = negamax(&position, &mut HashMap::new());
        prop_assert_eq!(score(&solver, &position), exact, "\n{}", position);
        let (best, of_best) = solver.best(&position, &Effort::UNLIMITED).unwrap();
        prop_assert_eq!(of_best, exact);
        let attaining = attaining(&solver, &position);
        prop_assert!(best.iter().all(|mv| attaining.contains(mv)));
        prop_assert_eq!(best.len(), if exact == 0 { attaining.len() } else { 1 });
        let Keeping { value, known, open } =
            solver.keeping(&position, &Effort::UNLIMITED).unwrap();
        prop_assert_eq!(value, exact.signum());
        let keeps = |&mv: &Move| {
            let score = solver.move_score(&position, mv, &Effort::UNLIMITED);
            score.unwrap().signum() == exact.signum()
        };
        prop_assert!(known.iter().all(keeps));
        let all = moves(&position).iter().filter(|&mv| keeps(mv)).count();
        match value {
            1 => prop_assert_eq!(known.len(), 1),
            0 => prop_assert_eq!((known.len(), open.len()), (all, 0)),
            _ => prop_assert_eq!((known.len(), open.len()), (0, all)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Both tables, the look ahead and all widths of words take part with so many free cells.
    #[test]
    fn a_mirror_changes_no_score(position in late_positions(12..=24_u32)) {
        let image = mirrored(&position);
        let solver = solver_for(&position);
        let of_image = score(&Solver::new(&image.setup(), BYTES, 2), &image);
        prop_assert_eq!(score(&solver, &position), of_image, "\n{}", position);
        attaining(&solver, &position);
    }

    #[test]
    fn what_is_recalled_of_the_next_positions_is_true(position in late_positions(12..=24_u32)) {
        let solver = solver_for(&position);
        score(&solver, &position);
        for mv in moves(&position) {
            let mut next = position.clone();
            next.play(mv);
            if next.outcome().is_none() && let Some((least, most)) = solver.recall(&next) {
                let exact = score(&solver_for(&next), &next);
                prop_assert!((least..=most).contains(&exact), "\n{}", next);
            }
        }
    }

    #[test]
    fn what_is_remembered_changes_no_score(
        setup in (4..=5_u8, 4..=4_u8).prop_map(|(cols, rows)| {
            Setup::standard(GameKind::Connect4).with_size(cols, rows)
        }),
        games in prop::collection::vec(prop::collection::vec(any::<u16>(), 20), 4),
    ) {
        let solver = Solver::new(&setup, BYTES, 2);
        for choices in games {
            let mut position = Connect4::new(&setup).unwrap();
            play_on(&mut position, 9, &choices);
            let exact = negamax(&position, &mut HashMap::new());
            prop_assert_eq!(score(&solver, &position), exact, "\n{}", position);
        }
    }
}

/// The first lines of the public sets Test_L1_R1 to Test_L3_R1 (Pascal Pons, 2015), with words
/// of every width, every kind of table and several threads.
#[test]
fn public_positions_have_their_public_scores() {
    let setup = Setup::standard(GameKind::Connect4);
    let solver = Solver::new(&setup, 8 * BYTES, 1);
    let engines: [Box<dyn Engine>; 4] = [
        Box::new(Threads::new(Standard, 8 * BYTES, 3)),
        Box::new(Threads::<Small>::new(Any::new(&setup), 8 * BYTES, 1)),
        Box::new(Threads::<Middle>::new(Any::new(&setup), 8 * BYTES, 2)),
        Box::new(Threads::<Large>::new(Any::new(&setup), 8 * BYTES, 1)),
    ];
    for (moves, score) in [
        ("2252576253462244111563365343671351441", -1),
        ("7422341735647741166133573473242566", 1),
        ("5554224333234511764415115", 4),
        ("52753311433677442422121", 8),
        ("274552224131661", 0),
        ("5455174361263362", -1),
        ("32164625", 11),
    ] {
        let (position, all) = (standard(moves), Effort::UNLIMITED);
        assert_eq!(solver.score(&position, &all), Some(score), "{moves}");
        for engine in &engines {
            let means = Means {
                book: None,
                effort: &all,
            };
            let (answer, _) = engine.ask(&position, Question::Score, means);
            assert_eq!(answer, Some(score), "{moves}");
        }
    }
}

#[test]
fn a_search_ends_when_its_effort_is_spent() {
    let setup = Setup::standard(GameKind::Connect4);
    let solver = Solver::new(&setup, BYTES, 1);
    let few = Effort {
        nodes: 5000,
        ..Effort::UNLIMITED
    };
    assert_eq!(solver.score(&standard(""), &few), None);
    assert!(
        (4000..=8000).contains(&solver.nodes()),
        "{}",
        solver.nodes()
    );
    let asked = AtomicU64::new(0);
    let expired = || asked.fetch_add(1, Ordering::Relaxed) == 2;
    let short = Effort {
        nodes: u64::MAX,
        expired: &expired,
    };
    assert_eq!(solver.score(&standard(""), &short), None);
    assert_eq!(asked.into_inner(), 3);
}

#[test]
fn what_has_no_score_gets_none() {
    let setup = Setup::standard(GameKind::Connect4).with_size(4, 4);
    let stealing = setup.with(Connect4Rules {
        steal: true,
        ..setup.connect4()
    });
    let solver = Solver::new(&stealing, BYTES, 1);
    let score = |position: &Connect4| solver.score(position, &Effort::UNLIMITED);
    let mut position = Connect4::new(&stealing).unwrap();
    for _ in 0..2 {
        assert_eq!(score(&position), None, "a steal is possible");
        position.play(Move::new(0));
    }
    assert!(score(&position).is_some());
    let other = Connect4::new(&setup).unwrap();
    assert_eq!(score(&other), None, "another setup");
    let over = standard("1212121");
    let solver = solver_for(&over);
    assert_eq!(solver.score(&over, &Effort::UNLIMITED), None);
}

/// 7×6 is a win of the first side with its last stone, by the centre alone (Allis 1988).
#[cfg(feature = "book")]
#[test]
fn the_book_knows_the_opening() {
    let solver = Solver::new(&Setup::standard(GameKind::Connect4), 8 * BYTES, 1).with_own_book();
    let scores = (0..7).map(|col| {
        let mv = Move::new(col);
        solver.move_score(&standard(""), mv, &Effort::UNLIMITED)
    });
    let expected = [-2, -1, 0, 1, 0, -1, -2].map(Some);
    assert_eq!(scores.collect::<Vec<_>>(), expected);
    let best = solver.best(&standard(""), &Effort::UNLIMITED);
    assert_eq!(best, Some((Moves::from_slice(&[Move::new(3)]), 1)));
}

/// Positions that take the solver 250,000 to 1,500,000 nodes.
#[cfg(feature = "book")]
#[test]
fn the_book_advises_where_the_solver_takes_long() {
    let setup = Setup::standard(GameKind::Connect4);
    let solver = Solver::new(&setup, 64 * BYTES, 1).with_own_book();
    for text in [
        "2317333755",
        "2131242217",
        "34174563112",
        "51545514244",
        "77676375766",
        "111676711232",
        "441657234433",
    ] {
        let position = standard(text);
        let advice = solver.advice(&position).unwrap();
        let value = solver.value(&position, &Effort::UNLIMITED).unwrap();
        let keeps = solver.attains(&after(&position, advice), value, &Effort::UNLIMITED);
        assert_eq!(keeps, Some(true), "{text}");
        let mirrored = solver.advice(&mirrored(&position)).unwrap();
        assert_eq!(mirrored.code(), 6 - advice.code(), "{text}");
    }
    for other in ["231733375", "6576577527554"] {
        assert_eq!(solver.advice(&standard(other)), None, "{other}");
    }
}

#[cfg(feature = "book")]
#[test]
fn the_book_advises_the_best_after_few_stones() {
    let setup = Setup::standard(GameKind::Connect4);
    let solver = Solver::new(&setup, 64 * BYTES, 1).with_own_book();
    for text in ["", "2", "6", "43", "4444", "17626", "552713"] {
        let position = standard(text);
        let advice = solver.advice(&position).unwrap();
        let score = solver.score(&position, &Effort::UNLIMITED);
        let attained = solver.move_score(&position, advice, &Effort::UNLIMITED);
        assert_eq!(attained, score, "{text}");
    }
    assert_eq!(solver.advice(&standard("5527134")), None);
}

#[cfg(feature = "book")]
#[test]
fn the_book_is_silent_where_a_stone_may_be_stolen() {
    let setup = Setup::standard(GameKind::Connect4).with(Connect4Rules {
        steal: true,
        ..Connect4Rules::default()
    });
    let solver = Solver::new(&setup, BYTES, 1).with_own_book();
    let mut position = Connect4::new(&setup).unwrap();
    for stones in 0..2 {
        assert_eq!(solver.advice(&position), None, "{stones}");
        assert!(!solver.is_in_book(&position), "{stones}");
        position.play(Move::new(3));
    }
    assert!(solver.is_in_book(&position));
}

#[test]
fn what_was_solved_is_recalled() {
    let setup = Setup::standard(GameKind::Connect4);
    let mut position = Connect4::new(&setup).unwrap();
    for col in "171343344133613666644747".bytes() {
        position.play(Move::new(u16::from(col - b'1')));
    }
    let solver = Solver::new(&setup, BYTES, 1);
    assert_eq!(solver.recall(&position), None);
    let exact = score(&solver, &position);
    assert_eq!(solver.recall(&position), Some((exact, exact)));
}
