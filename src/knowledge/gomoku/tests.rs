use super::threats::tests::CROSSING_THREES;
use super::*;
use crate::game::gomoku::tests::{
    after, any_rule, drawn, empty_board, legal, naive_wins, positions, random_position,
};
use crate::game::{Action, Outcome, Point};
use crate::rollout::Random;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

fn knowledge() -> GomokuKnowledge {
    GomokuKnowledge::new(Rule::Freestyle, 1 << 20)
}

fn expansion(game: &Gomoku) -> Expansion {
    let mut out = Expansion::default();
    out.all_moves(&empty_board(5, 5, Rule::Exact));
    knowledge().expand(game, &mut Trace::default(), &mut out);
    out
}

fn point_of(game: &Gomoku, mv: Move) -> Point {
    match game.action(mv) {
        Action::Point(point) => point,
        other => panic!("{other:?} is no point"),
    }
}

/// The moves with which a side, were it to move, would win at once.
fn naive_wins_of(game: &Gomoku, side: Side) -> Vec<Move> {
    let empty = game
        .setup()
        .points()
        .filter(|&p| game.stone_at(p).is_none());
    let wins = empty.filter(|&point| naive_wins(game, point, side));
    wins.filter_map(|point| Some(Gomoku::move_at(game.cell(point)?)))
        .collect()
}

/// Whether this move leaves the opponent, whatever it answers, with a five to be made
/// against it. Unlike `naive_wins_in_three`, this tries only answers that could help.
fn naive_forks(game: &Gomoku, mv: Move) -> bool {
    let next = after(game, mv);
    let side = game.side_to_move();
    let threatens = |game: &Gomoku| !naive_wins_of(game, side).is_empty();
    if next.outcome().is_some() || !threatens(&next) {
        return false;
    }
    legal(&next).into_iter().all(|reply| {
        let then = after(&next, reply);
        then.outcome().is_none() && threatens(&then)
    })
}

/// Whether the side to move wins with this move now or, whatever the answer, with its next.
fn naive_wins_in_three(game: &Gomoku, mv: Move) -> bool {
    let next = after(game, mv);
    next.outcome().is_none()
        && legal(&next).into_iter().all(|reply| {
            let then = after(&next, reply);
            then.outcome().is_none() && !naive_wins_of(&then, then.side_to_move()).is_empty()
        })
}

/// Whether any stone is near enough for a child.
fn naive_near(game: &Gomoku, at: Point) -> bool {
    game.setup().points().any(|point| {
        let distance = point.col.abs_diff(at.col).max(point.row.abs_diff(at.row));
        distance <= 2 && game.stone_at(point).is_some()
    })
}

/// Whether the opponent wins by continuous fours after this move.
fn loses_to_fours(game: &Gomoku, mv: Move) -> bool {
    const NODES: u32 = 100_000;
    let next = after(game, mv);
    let mut fours = Fours::with_bytes(BYTES_OF_THREAD);
    let win = fours.win(
        &mut Patterns::of(&next),
        next.side_to_move(),
        u16::MAX,
        NODES,
    );
    win.is_some()
}

fn check_expansion(game: &Gomoku) -> Result<(), TestCaseError> {
    let out = expansion(game);
    let mut listed: Vec<Move> = out.moves.to_vec();
    listed.sort_unstable();
    listed.dedup();
    prop_assert_eq!(listed.len(), out.moves.len(), "a move is listed twice");
    let legal_moves = legal(game);
    prop_assert!(!listed.is_empty() && listed.iter().all(|mv| legal_moves.contains(mv)));

    let side = game.side_to_move();
    let [wins, threats] = [side, side.other()].map(|side| naive_wins_of(game, side));
    if !wins.is_empty() {
        prop_assert!(wins.contains(&out.moves[0]));
        prop_assert!(out.complete);
        let proof = Proof::win(1);
        prop_assert_eq!(out.proof, Some(proof));
        return Ok(());
    }
    let threatened = !threats.is_empty();
    let holds = |mv: &Move| {
        let next = after(game, *mv);
        naive_wins_of(&next, next.side_to_move()).is_empty()
    };
    let stops: Vec<Move> = match threatened {
        true => legal_moves.iter().copied().filter(holds).collect(),
        false => Vec::new(),
    };
    if threatened && stops.is_empty() {
        prop_assert!(out.complete);
        let proof = Proof::loss(2);
        prop_assert_eq!(out.proof, Some(proof));
        return Ok(());
    }
    let forks = |mv: &&Move| (!threatened || stops.contains(*mv)) && naive_forks(game, **mv);
    if legal_moves.iter().any(|mv| forks(&mv)) {
        prop_assert!(out.complete);
        prop_assert_eq!(out.proof.map(|it| it.result), Some(ProofResult::Win));
    }
    if out.proof.is_some() {
        // Checked where proofs are made.
        return Ok(());
    }
    prop_assert!(out.moves.len() == 1 || out.logits.len() == out.moves.len());
    if threatened {
        prop_assert!(listed.iter().all(|mv| stops.contains(mv)));
        prop_assert!(out.complete);
    } else if legal_moves.len() == game.setup().points().count() {
        let setup = game.setup();
        let centre = Point {
            col: setup.cols / 2,
            row: setup.rows / 2,
        };
        prop_assert_eq!(point_of(game, listed[0]), centre);
        prop_assert!(listed.len() == 1 && !out.complete);
    } else {
        let setup = game.setup();
        let is_second = legal_moves.len() + 1 == setup.points().count();
        let near = |mv: &Move| {
            let point = point_of(game, *mv);
            let is_middle = (point.col, point.row) == (setup.cols / 2, setup.rows / 2);
            naive_near(game, point) || is_second && is_middle
        };
        let mut expected: Vec<Move> = legal_moves.iter().copied().filter(near).collect();
        if expected.is_empty() {
            expected = legal_moves.to_vec();
        }
        if listed != expected {
            prop_assert!(out.complete);
            let mut left_out = legal_moves.iter().filter(|mv| !listed.contains(mv));
            prop_assert!(left_out.all(|&mv| loses_to_fours(game, mv)));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_claim_is_true_on_random_boards(game in positions(22, 0..=100)) {
        if game.outcome().is_none() {
            check_expansion(&game)?;
        }
    }
}

proptest! {
    // Each case is a whole game.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_claim_is_true_throughout_a_crowded_game(rule in any_rule(), seed: u64) {
        for plies in 0..49 {
            let game = random_position(7, 7, rule, plies, seed);
            if game.outcome().is_none() {
                check_expansion(&game)?;
            }
        }
    }
}

#[test]
fn boards_of_every_size_are_expanded() {
    for cols in 5..=22 {
        for rows in 5..=22 {
            for plies in [0, 1, 7] {
                let game = random_position(cols, rows, Rule::Freestyle, plies, 5);
                check_expansion(&game).unwrap();
            }
        }
    }
}

#[test]
fn an_open_three_wins_in_three_plies() {
    let rows = ["........", "..XXX...", "........", "...OO...", "...O...."];
    for rule in Rule::ALL {
        let out = expansion(&drawn(rule, Side::First, &rows));
        let proof = Proof::win(3);
        assert_eq!(out.proof, Some(proof));
        assert!(naive_wins_in_three(
            &drawn(rule, Side::First, &rows),
            out.moves[0]
        ));
    }
}

#[test]
fn an_overline_is_no_threat_by_the_exact_rule() {
    let rows = ["XXX.XX..", "........", "........", "OO..O...", "O......."];
    let free = expansion(&drawn(Rule::Freestyle, Side::Second, &rows));
    assert_eq!((free.moves.len(), free.complete), (1, true));
    let exact = expansion(&drawn(Rule::Exact, Side::Second, &rows));
    assert!(exact.moves.len() > 1 && !exact.complete);
}

#[test]
fn a_five_is_stopped_at_its_end_by_caro() {
    let rows = [
        "...........",
        "..OXXXX....",
        "...........",
        "O.O.O......",
        "...........",
    ];
    let stops = |rule| -> Vec<u8> {
        let game = drawn(rule, Side::Second, &rows);
        let moves = expansion(&game).moves;
        let mut cols: Vec<u8> = moves.iter().map(|&mv| point_of(&game, mv).col).collect();
        cols.sort_unstable();
        cols
    };
    assert_eq!(stops(Rule::Freestyle), [7]);
    assert_eq!(stops(Rule::Caro), [7, 8]);
}

#[test]
fn white_wins_where_black_may_not_stop() {
    // White leaves a gap between its stones, on which black would make two threes.
    let rows = [
        ".........",
        ".........",
        "......X..",
        ".....X...",
        "XOOO.....",
        "....X....",
        "....X....",
        ".........",
        ".........",
    ];
    let renju = drawn(Rule::Renju, Side::Second, &rows);
    let out = expansion(&renju);
    let proof = Proof::win(3);
    assert_eq!(out.proof, Some(proof));
    assert_eq!(point_of(&renju, out.moves[0]), Point { col: 5, row: 4 });
    assert!(naive_wins_in_three(&renju, out.moves[0]));
    assert_eq!(
        expansion(&drawn(Rule::Exact, Side::Second, &rows)).proof,
        None
    );
}

/// Whether a side wins that gets all empty cells.
fn wins_with_the_rest(game: &Gomoku, side: Side) -> bool {
    let setup = game.setup();
    let stone = |point| (point, game.stone_at(point).unwrap_or(side));
    let stones: Vec<_> = setup.points().map(stone).collect();
    let full = Gomoku::from_stones(&setup, &stones, side).unwrap();
    full.outcome() == Some(Outcome::win(side))
}

#[test]
fn a_dead_board_is_drawn() {
    let mut random = Random::seed_from_u64(11);
    let mut dead = 0;
    for rule in Rule::ALL.into_iter().cycle().take(200) {
        let mut game = empty_board(6, 5, rule);
        let mut was_dead = false;
        while game.outcome().is_none() {
            let is_dead = is_dead(&Patterns::of(&game));
            let out = expansion(&game);
            let is_drawn = out.proof.is_some_and(|it| it.result == ProofResult::Draw);
            assert_eq!(is_drawn, is_dead, "{game}");
            let moves = legal(&game);
            assert!(out.moves.iter().all(|mv| moves.contains(mv)));
            if rule == Rule::Freestyle {
                let sides = [Side::First, Side::Second];
                let is_live = sides.iter().any(|&side| wins_with_the_rest(&game, side));
                assert_eq!(is_dead, !is_live, "{game}");
            }
            assert!(is_dead || !was_dead, "{game}");
            was_dead = is_dead;
            game.play(moves[random.random_range(0..moves.len())]);
        }
        assert!(!was_dead || game.outcome() == Some(Outcome::DRAW), "{game}");
        dead += u32::from(was_dead);
    }
    assert!(dead > 50, "{dead} dead boards");
}

#[test]
fn a_trace_follows_the_game() {
    for rule in Rule::ALL {
        let root = random_position(15, 15, rule, 20, 3);
        let (knowledge, mut trace) = (knowledge(), Trace::default());
        knowledge.begin(&mut trace, &root);
        let mut game = root;
        for _ in 0..30 {
            let mv = expansion(&game).moves[0];
            let mut fresh = Expansion::default();
            knowledge.expand(&game, &mut trace, &mut fresh);
            assert_eq!(fresh.moves[0], mv);
            game.play(mv);
            if game.outcome().is_some() {
                break;
            }
            knowledge.follow(&mut trace, &game, mv);
        }
    }
}

#[test]
fn a_trace_goes_back_for_another_way() {
    let mut random = Random::seed_from_u64(5);
    for rule in Rule::ALL {
        let roots = [3, 4].map(|seed| random_position(15, 15, rule, 20, seed));
        let knowledge = GomokuKnowledge::own(rule, 1 << 16);
        let begun = |root: &Gomoku| {
            let mut trace = Trace::default();
            knowledge.begin(&mut trace, root);
            trace
        };
        let mut trace = Trace::default();
        for _ in 0..40 {
            let mut game = roots[usize::from(random.random_range(0..8) == 0)].clone();
            trace.clone_from(&begun(&game));
            for _ in 0..random.random_range(1..8) {
                let moves = expansion(&game).moves;
                let mv = moves[random.random_range(0..moves.len().min(3))];
                game.play(mv);
                if game.outcome().is_some() {
                    break;
                }
                knowledge.follow(&mut trace, &game, mv);
            }
            if game.outcome().is_some() {
                continue;
            }
            // What it remembers of other positions lets it see more.
            trace.fours = None;
            let [mut found, mut expected] = [Expansion::default(), Expansion::default()];
            knowledge.expand(&game, &mut trace, &mut found);
            knowledge.expand(&game, &mut begun(&game), &mut expected);
            assert_eq!(found.moves, expected.moves);
            assert_eq!(found.logits, expected.logits);
        }
    }
}

#[test]
fn the_root_is_solved_by_threats() {
    let rows = CROSSING_THREES;
    let won = drawn(Rule::Freestyle, Side::First, &rows);
    let effort = Effort {
        nodes: 100_000,
        ..Effort::UNLIMITED
    };
    let solution = knowledge().solve(&won, &effort).unwrap();
    assert_eq!(solution.proof.map(|it| it.result), Some(ProofResult::Win));
    // The other side must do something about it, and most moves do nothing.
    let defended = drawn(Rule::Freestyle, Side::Second, &rows);
    let solution = knowledge().solve(&defended, &effort).unwrap();
    assert_eq!(solution.proof, None);
    assert!(solution.best.len() < legal(&defended).len());
}

#[test]
fn the_longest_line_is_counted_over_gaps() {
    let rows = ["X....", "XX.XX", "X.X..", "...X.", "OOO.."];
    let game = drawn(Rule::Freestyle, Side::First, &rows);
    let length =
        |col, row| longest_line(&game, game.parse_action(Action::point(col, row)).unwrap());
    assert_eq!(length(2, 1), 5);
    assert_eq!(length(0, 3), 4);
    assert_eq!(length(4, 4), 5);
    assert_eq!(length(4, 2), 2);
    assert_eq!(length(3, 4), 2);
}
