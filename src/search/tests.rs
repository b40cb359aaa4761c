//! The search on games small enough to follow by hand.

mod puct;
mod root;
mod transpositions;

use super::evaluate::SCALE;
use super::*;
use crate::clock::Budget;
use crate::game::{Action, Game, Moves, Outcome};
use crate::knowledge::{
    Context, Effort, Evaluation, Expansion, Leaf, NoKnowledge, Proof, ProofResult, Solution,
};
use crate::options::{Judge, Memory};
use crate::rollout::Tally;
use rand::SeedableRng;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tree::Stats;

/// Two players fill `cells` cells in turn. The last stone decides: on an odd cell the player
/// who set it wins, on an even cell the player loses.
#[derive(Clone, Debug)]
struct Fill {
    cells: u8,
    taken: u32,
    outcome: Option<Outcome>,
}

impl Fill {
    fn new(cells: u8) -> Fill {
        Fill {
            cells,
            taken: 0,
            outcome: None,
        }
    }
}

impl fmt::Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:b}", self.taken)
    }
}

impl Game for Fill {
    fn side_to_move(&self) -> Side {
        match self.taken.count_ones() % 2 {
            0 => Side::First,
            _ => Side::Second,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, out: &mut Moves) {
        out.clear();
        out.extend(
            (0..u16::from(self.cells))
                .filter(|c| self.taken >> c & 1 == 0)
                .map(Move::new),
        );
    }

    fn play(&mut self, mv: Move) {
        let mover = self.side_to_move();
        self.taken |= 1 << mv.code();
        if self.taken.count_ones() == u32::from(self.cells) {
            let odd = mv.code() % 2 == 1;
            let winner = if odd { mover } else { mover.other() };
            self.outcome = Some(Outcome::win(winner));
        }
    }

    fn key(&self) -> u64 {
        u64::from(self.taken)
    }

    fn max_plies_left(&self) -> u32 {
        u32::from(self.cells) - self.taken.count_ones()
    }

    fn action(&self, mv: Move) -> Action {
        Action::Column(mv.code() as u8)
    }
}

impl Rollout for Fill {}

/// Leaves of a search that carries no trace.
type Leaves<'a> = [Leaf<'a, Fill, ()>];

/// Playouts end as the script says: won by the first side or not.
struct Script(Mutex<VecDeque<bool>>);

impl Knowledge<Fill> for Script {
    type Trace = ();

    fn evaluate(&self, leaves: &mut Leaves<'_>, _: &mut Context<'_>, out: &mut [Evaluation]) {
        let mut script = self.0.lock().unwrap();
        for (_, out) in leaves.iter().zip(out) {
            let won = script.pop_front().expect("the script goes on");
            let mut tally = Tally::default();
            tally.add(Outcome::win(if won { Side::First } else { Side::Second }));
            *out = Evaluation::Rollouts(tally);
        }
    }
}

/// What is judged at a leaf, where rollouts judge it.
const JUDGES: [Judge; 2] = [Judge::Leaf, Judge::Siblings];

fn no_info(_: Report) {}

fn playouts<G: Rollout, K: Knowledge<G>>(search: &mut Search<G, K>, count: u64) -> Report {
    let limits = Limits::playouts(clock::now(), count);
    search.run(&limits, &StopFlag::new(), &mut no_info)
}

fn coursework() -> SearchOptions {
    SearchOptions {
        exploration: 1.414,
        choice: Choice::Mean,
        proofs: false,
        memory: Memory::Bytes(1 << 20),
        ..SearchOptions::default()
    }
}

/// A child found by the moves that lead to it from the root.
fn node_at<K: Knowledge<Fill>>(search: &Search<Fill, K>, path: &[u16]) -> Node {
    path.iter().fold(Node::ROOT, |node, &code| {
        let block = search.tree.link(node).children().unwrap();
        let child = block
            .nodes()
            .find(|&n| search.tree.link(n).mv().code() == code);
        child.unwrap()
    })
}

/// UCB1 of a node's children as the thesis writes it, rewards -1..1 and cut to two decimals:
/// for the player who moves there, or for the opponent of that player.
fn ucb1<K: Knowledge<Fill>>(search: &Search<Fill, K>, path: &[u16], view: View) -> Vec<f64> {
    let parent = node_at(search, path);
    let visits = search.tree.stats(parent).visits();
    let block = search.tree.link(parent).children().unwrap();
    let value = |node: Node| {
        let stats = search.tree.stats(node);
        let value = 2.0 * f64::from(search.ucb().of_visits(visits).value(stats)) - 1.0;
        match view {
            View::Mover => value,
            View::Opponent => value - 2.0 * (2.0 * f64::from(stats.mean()) - 1.0),
        }
    };
    block
        .nodes()
        .map(|node| (value(node) * 100.0).trunc() / 100.0)
        .collect()
}

#[derive(Clone, Copy)]
enum View {
    Mover,
    Opponent,
}

/// The worked example of the Gomoku thesis: a 2×2 board with one stone, so three moves b, c, d.
///
/// The thesis expands c before d and e before g, and where two children are equal takes the
/// later one; Tengen takes the first of equals. So d stands before c and g before e here. Each
/// pair had the same results until the tie, so that every number of the example is the same.
#[test]
fn the_worked_example_of_the_thesis() {
    let (b, d, c) = (0, 1, 2);
    let (g, e) = (b, c);
    let (won, lost) = (true, false);
    let script = Script(Mutex::new([lost, won, won, won, lost, won].into()));
    let mut search = Search::new(Fill::new(3), script, coursework());

    playouts(&mut search, 3);
    assert_eq!(ucb1(&search, &[], View::Mover), [1.09, 3.09, 3.09]);
    playouts(&mut search, 1);
    assert_eq!(search.tree.stats(node_at(&search, &[d])).visits(), 2);
    assert_eq!(ucb1(&search, &[], View::Mover), [1.35, 2.66, 3.35]);
    playouts(&mut search, 1);
    assert_eq!(search.tree.stats(node_at(&search, &[c])).visits(), 2);
    assert_eq!(ucb1(&search, &[], View::Mover), [1.53, 2.79, 1.79]);
    playouts(&mut search, 1);
    assert_eq!(search.tree.stats(node_at(&search, &[d])).visits(), 3);
    assert_eq!(ucb1(&search, &[], View::Mover), [1.67, 2.54, 1.89]);

    // d is fully expanded. The thesis keeps the computer's view there; the mover's view makes
    // the same choice.
    for path in [[d, g], [d, e]] {
        assert_eq!(search.tree.stats(node_at(&search, &path)), Stats::new(1, 0));
    }
    assert_eq!(ucb1(&search, &[d], View::Mover), [1.09, 1.09]);
    assert_eq!(ucb1(&search, &[d], View::Opponent), [3.09, 3.09]);

    // The seventh playout goes through g to the end of the game at h, where the human wins.
    let report = playouts(&mut search, 1);
    assert_eq!(search.tree.stats(node_at(&search, &[d, g, e])).visits(), 1);
    let mean = |cell| 2.0 * search.tree.stats(node_at(&search, &[cell])).mean() - 1.0;
    assert_eq!([mean(c), mean(b), mean(d)], [0.0, -1.0, 0.5]);
    assert_eq!(report.best, Some(Action::Column(d as u8)));
    assert_eq!(report.visits, 7);
}

/// The exact result for the side to move by plain negamax: 1 won, -1 lost.
fn negamax(position: &Fill) -> i16 {
    if let Some(outcome) = position.outcome() {
        return outcome.margin(position.side_to_move());
    }
    let mut moves = Moves::new();
    position.legal_moves(&mut moves);
    let after = |&mv: &Move| {
        let mut next = position.clone();
        next.play(mv);
        -negamax(&next)
    };
    moves.iter().map(after).max().unwrap()
}

#[test]
fn proofs_agree_with_negamax() {
    let all = (1..=7).flat_map(|cells| JUDGES.map(|judge| (cells, judge)));
    let all = all.flat_map(|each| [false, true].map(|transpositions| (each, transpositions)));
    for ((cells, judge), transpositions) in all {
        let options = SearchOptions {
            judge,
            transpositions,
            stay: if transpositions { 0.5 } else { 0.0 },
            ..SearchOptions::default()
        };
        let mut search = Search::new(Fill::new(cells), NoKnowledge, options);
        let report = playouts(&mut search, 200_000);
        let result = match negamax(&Fill::new(cells)) {
            1 => ProofResult::Win,
            _ => ProofResult::Loss,
        };
        let plies = u16::from(cells);
        assert_eq!(report.proof, Some(Proof { result, plies }), "{cells} cells");
        assert!(report.playouts < 200_000, "a proof ends the search");
    }
}

/// Two descents in one: the second child of the root is gone into, and both cells after it are
/// judged.
#[test]
fn new_children_are_judged_at_once() {
    let (b, d, c) = (0, 1, 2);
    let (won, lost) = (true, false);
    let script = Script(Mutex::new([lost, won, lost, won, lost].into()));
    let options = SearchOptions {
        judge: Judge::Siblings,
        ..coursework()
    };
    let mut search = Search::new(Fill::new(3), script, options);
    playouts(&mut search, 3);
    let report = playouts(&mut search, 2);
    assert_eq!((report.playouts, report.visits, report.depth), (2, 5, 2));
    let stats = |path: &[u16]| search.tree.stats(node_at(&search, path));
    assert_eq!(stats(&[d]), Stats::new(3, 2 * u64::from(SCALE)));
    // Their scores are those of the second side.
    assert_eq!(stats(&[d, b]), Stats::new(1, 0));
    assert_eq!(stats(&[d, c]), Stats::new(1, SCALE.into()));
}

/// Seven of nine children are judged, as a limit says, and the others by the next search.
#[test]
fn a_limit_holds_among_children_judged_at_once() {
    let options = SearchOptions {
        judge: Judge::Siblings,
        proofs: false,
        ..SearchOptions::default()
    };
    let mut search = Search::new(Fill::new(10), NoKnowledge, options);
    assert_eq!(playouts(&mut search, 10).playouts, 10);
    let report = playouts(&mut search, 7);
    assert_eq!((report.playouts, report.visits), (7, 17));
    let gone_into = search.tree.link(Node::ROOT).children().unwrap();
    let gone_into = gone_into
        .nodes()
        .find_map(|node| search.tree.link(node).children());
    let visits = || {
        let children = gone_into.unwrap().nodes();
        children.map(|node| search.tree.stats(node).visits())
    };
    assert!(visits().eq([1, 1, 1, 1, 1, 1, 1, 0, 0]));
}

#[test]
fn one_thread_and_one_seed_give_one_tree() {
    let run = |seed, judge| {
        let options = SearchOptions {
            seed,
            judge,
            random_order: true,
            proofs: false,
            ..SearchOptions::default()
        };
        let mut search = Search::new(Fill::new(20), NoKnowledge, options);
        playouts(&mut search, 3000);
        search.advance(Move::new(3));
        let report = playouts(&mut search, 3000);
        (report.moves, report.nodes, report.visits, report.depth)
    };
    for judge in JUDGES {
        assert_eq!(run(1, judge), run(1, judge));
        assert_ne!(run(1, judge), run(2, judge));
    }
}

/// Every node below `node`, by its path, with its stats.
fn subtree<K: Knowledge<Fill>>(
    search: &Search<Fill, K>,
    node: Node,
    path: u64,
) -> Vec<(u64, Stats)> {
    let mut nodes = vec![(path, search.tree.stats(node))];
    for child in search
        .tree
        .link(node)
        .children()
        .into_iter()
        .flat_map(|b| b.nodes())
    {
        let code = u64::from(search.tree.link(child).mv().code());
        nodes.extend(subtree(search, child, path * 32 + code + 1));
    }
    nodes
}

#[test]
fn playing_a_move_keeps_every_visit_below_it() {
    let mut search = Search::new(Fill::new(24), NoKnowledge, SearchOptions::default());
    playouts(&mut search, 20_000);
    for code in [5, 11, 0] {
        let before = subtree(&search, node_at(&search, &[code]), 0);
        assert!(before.len() > 10);
        search.advance(Move::new(code));
        assert_eq!(subtree(&search, Node::ROOT, 0), before);
        playouts(&mut search, 2000);
    }
}

#[test]
fn a_full_arena_keeps_searching() {
    // UCB1 keeps no values of children, by which a leaf could be judged.
    for (judge, expand_visits) in [(Judge::Leaf, 1), (Judge::Children, 0)] {
        let options = SearchOptions {
            memory: Memory::Bytes(0),
            proofs: false,
            judge,
            expand_visits,
            ..SearchOptions::default()
        };
        let mut search = Search::new(Fill::new(24), NoKnowledge, options);
        for code in 0..20 {
            let report = playouts(&mut search, 5000);
            assert_eq!(report.playouts, 5000);
            assert!(report.nodes * NODE_BYTES as u64 <= search.tree.bytes());
            search.advance(Move::new(code));
        }
    }
}

/// Threads share what re-rooting sets free: none starves while others have plenty.
#[test]
fn the_arena_stays_in_use_over_a_game() {
    for threads in [1, 2, 4] {
        let options = SearchOptions {
            memory: Memory::Bytes(1 << 20),
            threads,
            proofs: false,
            ..SearchOptions::default()
        };
        let mut search = Search::new(Fill::new(24), NoKnowledge, options);
        let arena = search.tree.bytes() as usize / NODE_BYTES;
        for _ in 0..8 {
            let report = playouts(&mut search, 60_000);
            let live = subtree(&search, Node::ROOT, 0).len();
            assert!(
                live * 2 > arena,
                "{threads} threads: {live} of {arena} nodes live"
            );
            let Some(Action::Column(best)) = report.best else {
                panic!("no move");
            };
            search.advance(Move::new(u16::from(best)));
        }
    }
}

#[test]
fn threads_make_every_playout_once_and_take_virtual_loss_back() {
    for (threads, judge, virtual_loss, stay) in [
        (4, Judge::Leaf, 0, 0.0),
        (4, Judge::Leaf, 3, 0.0),
        (4, Judge::Leaf, 3, 0.2),
        (4, Judge::Siblings, 3, 0.0),
        (1, Judge::Siblings, 1, 0.2),
    ] {
        let options = SearchOptions {
            threads,
            judge,
            virtual_loss,
            stay,
            proofs: false,
            ..SearchOptions::default()
        };
        let mut search = Search::new(Fill::new(24), NoKnowledge, options);
        let report = playouts(&mut search, 10_000);
        assert_eq!(report.playouts, 10_000);
        assert_eq!(report.visits, 10_000);
        let visits: u64 = report.moves.iter().map(|mv| mv.visits).sum();
        assert_eq!(visits, 10_000, "{threads} {judge:?} {virtual_loss} {stay}");
    }
}

#[test]
fn a_search_that_is_stopped_at_once_still_has_a_move() {
    let mut search = Search::new(Fill::new(5), NoKnowledge, SearchOptions::default());
    let stop = StopFlag::new();
    stop.set(End::Asked);
    let limits = Limits::playouts(clock::now(), 1000);
    let report = search.run(&limits, &stop, &mut no_info);
    assert_eq!(report.playouts, 0);
    assert_eq!(report.best, Some(Action::Column(0)));
    assert_eq!(stop.get(), Some(End::Asked));
}

/// Looks at the first legal move only.
struct Narrow;

impl Knowledge<Fill> for Narrow {
    type Trace = ();

    fn expand(&self, at: &Fill, _: &mut (), out: &mut Expansion) {
        out.all_moves(at);
        out.moves.truncate(1);
        out.complete = out.moves.len() as u32 == at.max_plies_left();
    }
}

#[test]
fn a_search_ends_where_every_move_that_it_looks_at_is_lost() {
    let options = SearchOptions {
        memory: Memory::Bytes(1 << 20),
        ..SearchOptions::default()
    };
    let mut search = Search::new(Fill::new(2), Narrow, options);
    let stop = StopFlag::new();
    let limits = Limits::playouts(clock::now(), 1_000_000);
    let report = search.run(&limits, &stop, &mut no_info);
    assert_eq!(stop.get(), Some(End::Proven));
    assert_eq!(report.best, Some(Action::Column(0)));
}

#[test]
fn a_finished_game_has_no_move() {
    let mut position = Fill::new(1);
    position.play(Move::new(0));
    let mut search = Search::new(position, NoKnowledge, SearchOptions::default());
    assert_eq!(playouts(&mut search, 10).best, None);
}

#[test]
fn playouts_are_drawn_as_often_as_they_were_made() {
    const DRAWN: u64 = 4000;
    let mut search = Search::new(Fill::new(6), NoKnowledge, coursework());
    let report = playouts(&mut search, 500);
    let mut random = Random::seed_from_u64(1);
    let mut first = [0; 6];
    for _ in 0..DRAWN {
        let line = search.playout(&mut random);
        let mut position = Fill::new(6);
        for &mv in &line {
            assert_eq!(position.taken >> mv.code() & 1, 0);
            position.play(mv);
        }
        first[usize::from(line[0].code())] += 1;
    }
    for mv in &report.moves {
        let Action::Column(cell) = mv.action else {
            unreachable!()
        };
        let [made, drawn] = [
            mv.visits as f64 / report.visits as f64,
            f64::from(first[usize::from(cell)]) / DRAWN as f64,
        ];
        // Six standard errors.
        let within = 6.0 * (made * (1.0 - made) / DRAWN as f64).sqrt();
        assert!((made - drawn).abs() <= within, "{made} {drawn}");
    }
    assert!(
        Search::new(Fill::new(6), NoKnowledge, coursework())
            .playout(&mut random)
            .is_empty()
    );
}
