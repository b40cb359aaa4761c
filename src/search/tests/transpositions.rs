//! What the nodes of one position share.

use super::*;
use crate::knowledge::Judged;
use std::collections::HashMap;

/// Expects a half and so much more for the first side everywhere, sees the result of positions with two
/// free cells, and counts how often it judges the children of each position.
#[derive(Default)]
struct Counting {
    lean: f32,
    judged: Mutex<HashMap<u64, u32>>,
}

impl Counting {
    /// For the side to move.
    fn value(&self, at: &Fill) -> f32 {
        match at.side_to_move() {
            Side::First => 0.5 + self.lean,
            Side::Second => 0.5 - self.lean,
        }
    }
}

impl Knowledge<Fill> for Counting {
    type Trace = ();

    fn evaluate(&self, leaves: &mut Leaves<'_>, _: &mut Context<'_>, out: &mut [Evaluation]) {
        for (leaf, out) in leaves.iter().zip(out) {
            *out = Evaluation::value(self.value(leaf.position));
        }
    }

    fn evaluate_children(
        &self,
        at: &Fill,
        _: &mut (),
        moves: &[Move],
        _: &mut Context<'_>,
        out: &mut Judged,
    ) -> bool {
        *self.judged.lock().unwrap().entry(at.key()).or_default() += 1;
        out.values.extend(moves.iter().map(|_| self.value(at)));
        out.logits.extend(moves.iter().map(|_| 0.0));
        true
    }

    /// The opponent sets the last stone, and is left an even cell where there is one.
    fn prove(&self, at: &Fill, _: &mut (), nodes: u32) -> Option<Proof> {
        if nodes == 0 || at.max_plies_left() != 2 {
            return None;
        }
        let even = (0..at.cells).any(|cell| cell % 2 == 0 && at.taken >> cell & 1 == 0);
        Some(if even { Proof::win(2) } else { Proof::loss(2) })
    }
}

/// Every node is judged by its children where `judge` says so.
fn options(transpositions: bool, judge: Judge) -> SearchOptions {
    SearchOptions {
        selection: Selection::Puct,
        judge,
        rollouts: 0,
        expand_visits: u32::from(judge == Judge::Leaf),
        transpositions,
        memory: Memory::Bytes(8 << 20),
        ..SearchOptions::default()
    }
}

#[test]
fn children_are_judged_once_in_whatever_order_the_stones_before_were_set() {
    for (transpositions, once) in [(true, true), (false, false)] {
        let options = SearchOptions {
            proofs: false,
            ..options(transpositions, Judge::Children)
        };
        let mut search = Search::new(Fill::new(9), Counting::default(), options);
        playouts(&mut search, 500);
        let judged = search.knowledge.judged.lock().unwrap();
        let most = judged.values().max();
        assert_eq!(most == Some(&1), once, "{most:?} times");
    }
}

#[test]
fn a_result_is_found_sooner() {
    for judge in [Judge::Leaf, Judge::Children] {
        let [shared, alone] = [true, false].map(|transpositions| {
            let options = SearchOptions {
                prove_nodes: 1,
                ..options(transpositions, judge)
            };
            let mut search = Search::new(Fill::new(8), Counting::default(), options);
            playouts(&mut search, 1_000_000)
        });
        assert!(shared.proof.is_some() && shared.proof == alone.proof);
        assert!(
            shared.playouts * 4 < alone.playouts,
            "{judge:?}: {} and {} playouts",
            shared.playouts,
            alone.playouts
        );
    }
}

#[test]
fn threads_share_what_they_find() {
    for (cells, threads) in (4..=9).flat_map(|cells| [1, 4].map(|threads| (cells, threads))) {
        let options = SearchOptions {
            threads,
            ..options(true, Judge::Leaf)
        };
        let mut search = Search::new(Fill::new(cells), Counting::default(), options);
        let proof = playouts(&mut search, 1_000_000).proof.unwrap();
        let expected = match negamax(&Fill::new(cells)) {
            1 => ProofResult::Win,
            _ => ProofResult::Loss,
        };
        assert_eq!(proof.result, expected, "{cells} cells, {threads} threads");
        assert_eq!(proof.plies, u16::from(cells), "{threads} threads");
    }
}

#[test]
fn another_game_begins_with_nothing() {
    let options = || options(true, Judge::Leaf);
    let mut search = Search::new(Fill::new(6), Counting::default(), options());
    playouts(&mut search, 100_000);
    search.reset(Fill::new(5));
    let again = playouts(&mut search, 100_000).proof;
    let mut fresh = Search::new(Fill::new(5), Counting::default(), options());
    assert_eq!(again, playouts(&mut fresh, 100_000).proof);
    assert!(again.is_some());
}

#[test]
fn a_node_below_the_root_that_can_count_no_further_ends_the_search() {
    let options = SearchOptions {
        proofs: false,
        ..options(true, Judge::Leaf)
    };
    for threads in [1, 2] {
        let options = SearchOptions { threads, ..options };
        let mut search = Search::new(Fill::new(20), Counting::default(), options);
        playouts(&mut search, 200);
        let full = Stats::new(MAX_VISITS, MAX_VISITS * u64::from(SCALE));
        search.tree.add(node_at(&search, &[3]), full, true);
        let stop = StopFlag::new();
        let limits = Limits::playouts(clock::now(), 100_000);
        let report = search.run(&limits, &stop, &mut no_info);
        assert_eq!(stop.get(), Some(End::Visits));
        assert!(report.playouts < 50_000, "{}", report.playouts);
        let report = playouts(&mut search, 200);
        assert_eq!((report.reused, report.playouts), (0, 200));
    }
}

/// Arena and table are full after the first search, so that blocks which are shared are given up.
#[test]
fn a_full_arena_stays_whole() {
    for (threads, judge) in [1, 4]
        .into_iter()
        .flat_map(|threads| [Judge::Leaf, Judge::Children].map(|judge| (threads, judge)))
    {
        let options = SearchOptions {
            threads,
            proofs: false,
            memory: Memory::Bytes(1 << 19),
            ..options(true, judge)
        };
        let knowledge = Counting {
            lean: 0.4,
            ..Counting::default()
        };
        let mut search = Search::new(Fill::new(20), knowledge, options);
        for expected in [0.9, 0.1, 0.9, 0.1] {
            let report = playouts(&mut search, 20_000);
            assert!((report.value - expected).abs() < 0.01, "{}", report.value);
            check_owners(&search);
            let mv = search.position().parse_action(report.best.unwrap());
            search.advance(mv.unwrap());
        }
    }
}

/// Follows every link once: children are those of the position, and each block counts all nodes that
/// have it, beside dead ones.
fn check_owners(search: &Search<Fill, Counting>) {
    let tree = &search.tree;
    let mut owned: HashMap<u32, u64> = HashMap::new();
    let mut waiting = vec![(Node::ROOT, search.position().clone())];
    while let Some((node, position)) = waiting.pop() {
        let Some(children) = tree.link(node).children() else {
            continue;
        };
        let owned = owned.entry(children.first_word()).or_default();
        *owned += 1;
        assert!(*owned <= tree.owners(children));
        if *owned > 1 {
            continue;
        }
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        let mut made: Vec<Move> = children.nodes().map(|it| tree.link(it).mv()).collect();
        made.sort_by_key(|mv| mv.code());
        assert_eq!(made[..], moves[..]);
        for child in children.nodes() {
            let mut next = position.clone();
            next.play(tree.link(child).mv());
            waiting.push((child, next));
        }
    }
    assert!(
        owned.values().any(|&owners| owners > 1),
        "nothing is shared"
    );
}
