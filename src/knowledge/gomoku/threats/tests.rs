use super::*;
use crate::game::gomoku::tests::{
    after, any_rule, drawn, empty_board, legal, naive_wins, random_position,
};
use crate::game::{Game, Outcome, Playable, Rule, Setup};
use crate::rollout::Random;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

fn searches() -> Threats {
    Threats::with_bytes(1 << 22)
}

const EFFORT: Effort<'static> = Effort {
    nodes: 10_000,
    ..Effort::UNLIMITED
};

/// A random position in which the game goes on, on a board of 7×7 to 9×9: of a game with even
/// seeds, else of [scattered stones](scattered).
fn small_position(rule: Rule, seed: u64) -> Option<Gomoku> {
    let mut random = Random::seed_from_u64(seed);
    let [cols, rows] = [0; 2].map(|_| random.random_range(7..=9));
    let cells = u32::from(cols) * u32::from(rows);
    let plies = cells * random.random_range(10..70) / 100;
    let game = match seed % 2 {
        0 => random_position(cols, rows, rule, plies, seed),
        _ => scattered(empty_board(cols, rows, rule).setup(), &mut random),
    };
    game.outcome().is_none().then_some(game)
}

/// Stones that no game need have led to, and either side to move. Each side has its own share of the
/// cells, so that one may have more threats than the other can answer.
fn scattered(setup: Setup, random: &mut Random) -> Gomoku {
    let shares: [u32; 2] = [0; 2].map(|_| random.random_range(5..35));
    let mut stones = Vec::new();
    for point in setup.points() {
        let number = random.random_range(0..100);
        if number < shares[0] {
            stones.push((point, Side::First));
        } else if number < shares[0] + shares[1] {
            stones.push((point, Side::Second));
        }
    }
    let to_move = [Side::First, Side::Second][random.random_range(0..2)];
    Gomoku::from_stones(&setup, &stones, to_move).unwrap()
}

/// Whether the side to move wins with these searches against every legal reply, by the rules of
/// the game alone. With a bound, by fours in so many plies.
fn holds(threats: &mut Threats, game: &Gomoku, plies: Option<u16>) -> bool {
    let side = game.side_to_move();
    let mut board = Patterns::of(game);
    let by_fours = threats
        .fours
        .win(&mut board, side, plies.unwrap_or(u16::MAX), 1 << 20);
    let mv = match by_fours {
        Some(_) => threats.fours.first_move(),
        None if plies.is_some() => None,
        None => {
            let win = threats.solve(&mut board, side, &EFFORT);
            win.and_then(|win| win.line.first().copied())
        }
    };
    let Some(mv) = mv else { return false };
    if !legal(game).contains(&mv) {
        return false;
    }
    let next = after(game, mv);
    let won = Outcome::win(side);
    if let Some(outcome) = next.outcome() {
        return outcome == won;
    }
    let left = by_fours.map(|plies| plies - 2).or(plies);
    legal(&next).into_iter().all(|reply| {
        let then = after(&next, reply);
        // A five that can be made at once needs no search.
        let five = || {
            let mut moves = legal(&then).into_iter();
            moves.any(|mv| after(&then, mv).outcome() == Some(won))
        };
        then.outcome().is_none() && (five() || holds(threats, &then, left))
    })
}

/// Plain search: whether the side to move wins in `plies` with moves that each threaten a five.
fn naive_fours(game: &Gomoku, plies: u32) -> bool {
    let side = game.side_to_move();
    let moves = legal(game);
    let wins = |game: &Gomoku| {
        let mut points = game.setup().points();
        points.any(|at| game.stone_at(at).is_none() && naive_wins(game, at, side))
    };
    if plies == 0 || !wins(game) && plies < 3 {
        return false;
    }
    wins(game)
        || moves.into_iter().any(|mv| {
            let next = after(game, mv);
            next.outcome().is_none()
                && wins(&next)
                && legal(&next).into_iter().all(|reply| {
                    let then = after(&next, reply);
                    then.outcome().is_none() && naive_fours(&then, plies - 2)
                })
        })
}

/// Whether the side to move has a move after which it wins in three plies whatever is answered,
/// and that is of a kind which is tried.
fn naive_threat(threats: &mut Threats, game: &Gomoku) -> bool {
    let side = game.side_to_move();
    let board = Patterns::of(game);
    legal(game).into_iter().any(|mv| {
        let kind = board.kind(usize::from(mv.code()), side);
        let next = after(game, mv);
        kind >= crate::knowledge::gomoku::patterns::kind::CellKind::ThreeTwo
            && next.outcome().is_none()
            && legal(&next).into_iter().all(|reply| {
                let then = after(&next, reply);
                let mut board = Patterns::of(&then);
                then.outcome().is_none()
                    && threats.fours.win(&mut board, side, 3, 1 << 20).is_some()
            })
    })
}

/// Every claim about a position. Returns whether a win by fours is proven, and one by other threats,
/// of either side.
fn check(threats: &mut Threats, game: &Gomoku) -> [bool; 2] {
    let side = game.side_to_move();
    let mut board = Patterns::of(game);
    let by_fours = threats.fours.win(&mut board, side, u16::MAX, 1 << 20);
    if let Some(plies) = by_fours {
        let line = threats.fours.line();
        assert_eq!(line.len(), usize::from(plies), "\n{game}");
        check_line(game, &line);
        assert!(
            holds(threats, game, Some(plies)),
            "{:?}\n{game}",
            game.rule()
        );
    }
    let win = threats.solve(&mut board, side, &EFFORT);
    assert!(by_fours.is_none() || win.is_some());
    if let Some(win) = &win
        && by_fours.is_none()
    {
        check_line(game, &win.line);
        assert!(holds(threats, game, None), "{:?}\n{game}", game.rule());
    }
    let lost = threats.wins(&mut board, side.other(), side, &EFFORT);
    assert!(win.is_none() || lost.is_none());
    if lost.is_some() {
        for mv in legal(game) {
            let next = after(game, mv);
            assert!(
                next.outcome().is_none() && holds(threats, &next, None),
                "\n{game}"
            );
        }
    }
    check_defences(threats, game);
    assert_eq!(board.played(), 0);
    let is_won = win.is_some() && by_fours.is_none() || lost.is_some();
    [by_fours.is_some(), is_won]
}

/// That a line is legal and ends with a win of the side that begins it.
fn check_line(game: &Gomoku, line: &[Move]) {
    let mut then = game.clone();
    for &mv in line {
        assert!(legal(&then).contains(&mv), "{line:?}\n{game}");
        then.play(mv);
    }
    assert_eq!(
        then.outcome(),
        Some(Outcome::win(game.side_to_move())),
        "{line:?}\n{game}"
    );
}

fn check_defences(threats: &mut Threats, game: &Gomoku) {
    let side = game.side_to_move();
    let mut board = Patterns::of(game);
    if !board.fives(side).is_empty() {
        return;
    }
    let Some(defences) = threats.fours.defences(&mut board, side, 1000) else {
        return;
    };
    for mv in legal(game) {
        if !defences.moves.contains(&mv) {
            let next = after(game, mv);
            let loses = next.outcome().is_none() && holds(threats, &next, Some(defences.plies - 1));
            assert!(loses, "{:?} {mv:?}\n{game}", game.rule());
        }
    }
}

fn check_completeness(threats: &mut Threats, game: &Gomoku) {
    let side = game.side_to_move();
    let mut board = Patterns::of(game);
    for plies in [1, 3] {
        let found = threats
            .fours
            .win(&mut board, side, plies, 1 << 20)
            .is_some();
        assert_eq!(
            found,
            naive_fours(game, plies.into()),
            "{plies} {:?}\n{game}",
            game.rule()
        );
    }
    if naive_threat(threats, game) {
        let effort = Effort {
            nodes: 100 * EFFORT.nodes,
            ..EFFORT
        };
        let win = threats.solve(&mut board, side, &effort);
        assert!(win.is_some(), "{:?}\n{game}", game.rule());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_proof_withstands_every_reply(rule in any_rule(), seed: u64) {
        if let Some(game) = small_position(rule, seed) {
            check(&mut searches(), &game);
        }
    }

    #[test]
    fn short_wins_are_never_missed(rule in any_rule(), seed: u64) {
        if let Some(game) = small_position(rule, seed) {
            check_completeness(&mut searches(), &game);
        }
    }
}

#[allow(clippy::print_stdout, reason = "the number of proofs is a result")]
fn ten_thousand_positions(rule: Rule) {
    let mut threats = searches();
    let mut proofs = [0; 2];
    let positions = (0..).filter_map(|seed| small_position(rule, seed));
    for game in positions.take(10_000) {
        let proven = check(&mut threats, &game).map(u32::from);
        proofs = [0, 1].map(|kind| proofs[kind] + proven[kind]);
        check_completeness(&mut threats, &game);
    }
    println!(
        "{rule}: {} proofs by fours, {} by threats",
        proofs[0], proofs[1]
    );
    assert!(proofs.iter().all(|&proofs| proofs >= 500), "{proofs:?}");
}

/// Names a test for each rule.
macro_rules! ten_thousand_positions {
    ($($name:ident: $rule:expr;)*) => {
        $(
            #[test]
            #[ignore = "takes minutes"]
            fn $name() {
                ten_thousand_positions($rule);
            }
        )*
    };
}

ten_thousand_positions! {
    ten_thousand_positions_of_freestyle: Rule::Freestyle;
    ten_thousand_positions_of_exactly_five: Rule::Exact;
    ten_thousand_positions_of_renju: Rule::Renju;
    ten_thousand_positions_of_caro: Rule::Caro;
    ten_thousand_positions_of_caro_with_exactly_five: Rule::ExactCaro;
}

fn solved(rule: Rule, rows: &[&str]) -> Option<u16> {
    let game = drawn(rule, Side::First, rows);
    let win = searches().solve(&mut Patterns::of(&game), Side::First, &EFFORT)?;
    assert!(holds(&mut searches(), &game, None));
    Some(win.plies)
}

/// Two threes that cross, with nothing against them.
pub const CROSSING_THREES: [&str; 9] = [
    ".........",
    ".........",
    "....X....",
    "....X....",
    "..XX.....",
    ".........",
    ".......O.",
    ".OO....O.",
    ".........",
];

#[test]
fn two_crossing_threes_win() {
    let rows = CROSSING_THREES;
    assert!(solved(Rule::Freestyle, &rows).is_some());
    assert_eq!(
        searches().prove(
            &mut Patterns::of(&drawn(Rule::Freestyle, Side::First, &rows)),
            Side::First,
            1000
        ),
        None
    );
}

/// A win by some twelve fours, among so many that lead nowhere that depth first 27,000 nodes were
/// looked at.
#[rustfmt::skip]
const CROWDED: [&str; 15] = [
    "...............",
    "......XO..XX...",
    "....OOX..X.OX..",
    "....X..OO..O.X.",
    "..X..O..XO..O..",
    "..X...XXOXXO...",
    ".XXO.O...O.X...",
    "..OOX..O..O.X..",
    "..X.XO..O.XXO..",
    ".OX...O.....O..",
    ".X.OO..O.O.O...",
    ".X....X.X...OX.",
    "...OX...OOXXX..",
    ".XOO.X..X..O...",
    "...............",
];

#[test]
fn few_loose_ends_are_tried_first() {
    let game = drawn(Rule::Freestyle, Side::First, &CROWDED);
    let mut board = Patterns::of(&game);
    let mut threats = searches();
    let (mv, plies) = threats.prove(&mut board, Side::First, 500).unwrap();
    assert!(plies >= 15 && legal(&game).contains(&mv));
    check_line(&game, &threats.fours.line());
}

#[test]
fn an_effort_is_parted_without_loss() {
    let effort = Effort {
        nodes: 1000,
        ..Effort::UNLIMITED
    };
    let sizes: Vec<u64> = parts(&effort, 300).map(|part| part.nodes).collect();
    assert_eq!(sizes, [300, 600, 100]);
    let over = Effort {
        expired: &|| true,
        ..effort
    };
    assert_eq!(parts(&over, 300).count(), 0);
}

#[test]
fn fours_that_the_defender_turns_into_its_own_fail() {
    // The forced answer to the four in the second row completes four of the opponent's.
    let rows = [
        ".........",
        "OXXX.....",
        "....O....",
        "....O....",
        "....O....",
        ".........",
        ".........",
        ".........",
        ".........",
    ];
    let mut board = Patterns::of(&drawn(Rule::Freestyle, Side::First, &rows));
    let found = searches().prove(&mut board, Side::First, 1000);
    assert_eq!(found, None);
}

#[test]
fn an_open_three_leaves_the_moves_that_stop_it() {
    let rows = [
        ".........",
        ".........",
        "..OOO....",
        ".........",
        ".........",
        ".....X...",
        "....X....",
        ".........",
        ".........",
    ];
    let game = drawn(Rule::Freestyle, Side::First, &rows);
    let mut board = Patterns::of(&game);
    let defences = searches()
        .fours
        .defences(&mut board, Side::First, 1000)
        .unwrap();
    let mut cells: Vec<usize> = defences
        .moves
        .iter()
        .map(|mv| usize::from(mv.code()))
        .collect();
    cells.sort_unstable();
    // Both ends of the three, and nothing outside its row.
    assert!(cells.contains(&21) && cells.contains(&25), "{cells:?}");
    assert!(
        cells.iter().all(|cell| (20..29).contains(cell)),
        "{cells:?}"
    );
}
