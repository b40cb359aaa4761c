//! What the nodes of one position share.

use super::*;
use std::collections::HashMap;

/// Expects a half and so much more for the first side everywhere, sees the result of positions with two
/// free cells, and counts how often it is asked about each.
#[derive(Default)]
struct Counting {
    lean: f32,
    judged: Counts,
    proven: Counts,
}

/// By the keys of positions.
#[derive(Default)]
struct Counts(Mutex<HashMap<u64, u32>>);

impl Counts {
    fn add(&self, position: &Fill) {
        *self.0.lock().unwrap().entry(position.key()).or_default() += 1;
    }

    fn most(&self) -> Option<u32> {
        self.0.lock().unwrap().values().max().copied()
    }
}

impl Knowledge<Fill> for Counting {
    type Trace = ();

    fn evaluate(
        &self,
        leaves: &mut [Leaf<'_, Fill, ()>],
        _: &mut Context<'_>,
        out: &mut [Evaluation],
    ) {
        for (leaf, out) in leaves.iter().zip(out) {
            self.judged.add(leaf.position);
            *out = Evaluation::Value(match leaf.position.side_to_move() {
                Side::First => 0.5 + self.lean,
                Side::Second => 0.5 - self.lean,
            });
        }
    }

    /// The opponent sets the last stone, and is left an even cell where there is one.
    fn prove(&self, at: &Fill, _: &mut (), nodes: u32) -> Option<Proof> {
        if nodes == 0 || at.max_plies_left() != 2 {
            return None;
        }
        self.proven.add(at);
        let even = (0..at.cells).any(|cell| cell % 2 == 0 && at.taken >> cell & 1 == 0);
        Some(if even { Proof::win(2) } else { Proof::loss(2) })
    }
}

fn options(transpositions: bool) -> SearchOptions {
    SearchOptions {
        selection: Selection::Puct,
        rollouts: 0,
        transpositions,
        memory: Memory::Bytes(8 << 20),
        ..SearchOptions::default()
    }
}

#[test]
fn a_position_is_judged_once_in_whatever_order_its_stones_were_set() {
    for (transpositions, once) in [(true, true), (false, false)] {
        let options = SearchOptions {
            proofs: false,
            ..options(transpositions)
        };
        let mut search = Search::new(Fill::new(9), Counting::default(), options);
        playouts(&mut search, 500);
        let most = search.knowledge.judged.most();
        assert_eq!(most == Some(1), once, "{most:?} times");
    }
}

#[test]
fn a_result_found_in_one_order_is_known_in_every_other() {
    let [shared, alone] = [true, false].map(|transpositions| {
        let options = SearchOptions {
            prove_nodes: 1,
            ..options(transpositions)
        };
        let mut search = Search::new(Fill::new(6), Counting::default(), options);
        let proof = playouts(&mut search, 100_000).proof;
        (proof.map(|it| it.result), search.knowledge.proven.most())
    });
    assert!(shared.0.is_some() && shared.0 == alone.0);
    assert_eq!(shared.1, Some(1));
    assert!(alone.1 > Some(1));
}

#[test]
fn threads_share_what_they_find() {
    for (cells, threads) in (4..=7).flat_map(|cells| [1, 4].map(|threads| (cells, threads))) {
        let options = SearchOptions {
            threads,
            ..options(true)
        };
        let mut search = Search::new(Fill::new(cells), Counting::default(), options);
        let proof = playouts(&mut search, 1_000_000).proof.unwrap();
        let expected = match negamax(&Fill::new(cells)) {
            1 => ProofResult::Win,
            _ => ProofResult::Loss,
        };
        assert_eq!(proof.result, expected, "{cells} cells, {threads} threads");
    }
}

#[test]
fn another_game_begins_with_nothing() {
    let mut search = Search::new(Fill::new(6), Counting::default(), options(true));
    playouts(&mut search, 100_000);
    search.reset(Fill::new(5));
    let again = playouts(&mut search, 100_000).proof;
    let mut fresh = Search::new(Fill::new(5), Counting::default(), options(true));
    assert_eq!(again, playouts(&mut fresh, 100_000).proof);
    assert!(again.is_some());
}

/// The table is full after the first search.
#[test]
fn a_mean_is_that_of_its_side() {
    let options = SearchOptions {
        proofs: false,
        memory: Memory::Bytes(1 << 18),
        ..options(true)
    };
    let knowledge = Counting {
        lean: 0.4,
        ..Counting::default()
    };
    let mut search = Search::new(Fill::new(20), knowledge, options);
    for expected in [0.9, 0.1, 0.9, 0.1] {
        let report = playouts(&mut search, 5_000);
        assert!((report.value - expected).abs() < 0.01, "{}", report.value);
        let mv = search.position().parse_action(report.best.unwrap());
        search.advance(mv.unwrap());
    }
}
