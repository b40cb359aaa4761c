//! What the tree says: the move to play, and the lines expected.

use super::backup::rank;
use super::report::MoveReport;
use super::select::Ucb;
use super::tree::{Block, Link, Node, Stats, Tree};
use crate::game::{Action, Game, Move};
use crate::knowledge::{Proof, ProofResult};
use crate::options::Choice;
use crate::rollout::Random;
use rand::RngExt;
use std::cmp::Ordering;

/// How many plies of a line are told.
const LONGEST_LINE: usize = 24;

/// How many moves are told with their line. To follow one takes microseconds, after the time of
/// the move is up, and a board may have hundreds.
const MOVES_WITH_LINES: usize = 10;

/// [`Choice::Lcb`] looks at children with one visit for so many of the child with the most. (The share
/// that Rapfi's tree search has.)
const LCB_SHARE: u32 = 10;

/// Reads the tree by one rule of choice.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    tree: &'a Tree,
    choice: Choice,
    ucb: Ucb,
    /// Parts of a visit.
    parts: u32,
}

impl<'a> Reader<'a> {
    /// A reader that chooses by `choice`, of a tree whose visits have so many parts.
    pub fn new(tree: &'a Tree, choice: Choice, ucb: Ucb, parts: u32) -> Self {
        Reader {
            tree,
            choice,
            ucb: ucb.in_parts(parts),
            parts,
        }
    }

    /// Whole visits of these stats, some part of one for a whole one.
    pub fn visits(self, stats: Stats) -> u64 {
        stats.visits().div_ceil(self.parts).into()
    }

    /// Every child of the root, best first; equals stay in the order of expansion.
    pub fn moves<G: Game>(self, root: &G) -> Vec<MoveReport> {
        let Some(block) = self.tree.link(Node::ROOT).children() else {
            return Vec::new();
        };
        let mut children: Vec<_> = self.graded(Node::ROOT, block).collect();
        children.sort_by(|(_, a), (_, b)| a.compare(b));
        (0..)
            .zip(children)
            .map(|(rank, (node, _))| self.move_report(root, node, rank < MOVES_WITH_LINES))
            .collect()
    }

    /// The child that the rule chooses below `node`; the first of equals.
    pub fn best(self, node: Node) -> Option<Node> {
        let block = self.tree.link(node).children()?;
        let best = self
            .graded(node, block)
            .min_by(|(_, a), (_, b)| a.compare(b));
        best.map(|(child, _)| child)
    }

    /// The moves of a playout from the root to its leaf, drawn at random among all that the tree has seen.
    pub fn playout(self, random: &mut Random) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut node = Node::ROOT;
        while let Some(child) = self.child_by_visits(node, random) {
            moves.push(self.tree.link(child).mv());
            node = child;
        }
        moves
    }

    /// A child, each as likely as it has visits.
    fn child_by_visits(self, node: Node, random: &mut Random) -> Option<Node> {
        let children = self.tree.link(node).children()?;
        let visits = |child| self.tree.stats(child).visits();
        let all: u32 = children.nodes().map(visits).sum();
        let mut left = (all > 0).then(|| random.random_range(0..all))?;
        children.nodes().find(|&child| {
            let is_here = left < visits(child);
            left = left.saturating_sub(visits(child));
            is_here
        })
    }

    fn graded(self, parent: Node, block: Block) -> impl Iterator<Item = (Node, Grade)> {
        let ucb = self
            .ucb
            .of_visits(self.tree.stats(parent).visits() / self.parts);
        let visits = block.nodes().map(|node| self.tree.stats(node).visits());
        let most = visits.max().unwrap_or_default();
        block.nodes().map(move |node| {
            let (stats, link) = (self.tree.stats(node), self.tree.link(node));
            let measure = match self.choice {
                Choice::Visits => f64::from(stats.visits()),
                Choice::Mean => f64::from(mean(stats, link)),
                Choice::Ucb if stats.visits() == 0 => -1.0,
                Choice::Ucb => f64::from(ucb.value(stats)),
                // A proven draw leaves no doubt, however seldom it was visited.
                Choice::Lcb if link.proof().is_some() => f64::from(mean(stats, link)),
                Choice::Lcb if stats.visits() < most / LCB_SHARE => -1.0,
                Choice::Lcb => {
                    let visits = f64::from(stats.visits()) / f64::from(self.parts);
                    f64::from(mean(stats, link)) - standard_error(visits)
                }
            };
            let grade = Grade {
                proof: link.proof().map(rank_among_unproven),
                measure,
                visits: stats.visits(),
            };
            (node, grade)
        })
    }

    fn move_report<G: Game>(self, root: &G, node: Node, with_line: bool) -> MoveReport {
        let (stats, link) = (self.tree.stats(node), self.tree.link(node));
        let action = root.action(link.mv());
        MoveReport {
            action,
            visits: self.visits(stats),
            mean: f64::from(mean(stats, link)),
            proof: link.proof().map(|proof| Proof {
                plies: proof.plies + 1,
                ..proof
            }),
            score: None,
            pv: match with_line {
                true => self.line(root, node),
                false => vec![action],
            },
        }
    }

    /// The line that begins with `node`, as far as the tree has visited it.
    fn line<G: Game>(self, root: &G, node: Node) -> Vec<Action> {
        let mut position = root.clone();
        let mut line = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next.filter(|_| line.len() < LONGEST_LINE) {
            let mv = self.tree.link(node).mv();
            line.push(position.action(mv));
            position.play(mv);
            next = self
                .best(node)
                .filter(|&child| self.tree.stats(child).visits() > 0);
        }
        line
    }
}

/// The standard error of a mean of so many scores 0..1, at the most.
fn standard_error(visits: f64) -> f64 {
    0.5 / visits.max(1.0).sqrt()
}

/// The mean score 0..1 of the player who moved in; exact where the node is proven.
pub fn mean(stats: Stats, link: Link) -> f32 {
    let proof = link.proof();
    proof.map_or_else(|| stats.mean(), |proof| proof.result.score())
}

/// How good a child is to play: proven wins first and proven losses last, then the measure of
/// the rule, then visits.
struct Grade {
    proof: Option<i32>,
    measure: f64,
    visits: u32,
}

impl Grade {
    /// `Less`: the first comes before the second.
    fn compare(&self, other: &Grade) -> Ordering {
        let proofs = (self.proof.unwrap_or(0), other.proof.unwrap_or(0));
        proofs
            .1
            .cmp(&proofs.0)
            .then(other.measure.total_cmp(&self.measure))
            .then(other.visits.cmp(&self.visits))
    }
}

/// A proven draw is one candidate among the open ones.
fn rank_among_unproven(proof: Proof) -> i32 {
    match proof.result {
        ProofResult::Draw => 0,
        _ => rank(proof),
    }
}

#[cfg(test)]
mod tests {
    use super::super::evaluate::SCALE;
    use super::super::tree::Allocator;
    use super::*;

    /// A root whose children have these visits, of which so many were won, in parts of a visit.
    fn tree_of(children: &[(u64, u64)], parts: u32) -> Tree {
        let mut allocator = Allocator::default();
        let tree = Tree::new(1 << 16, 1, false);
        let moves: Vec<Move> = (0..children.len() as u16).map(Move::new).collect();
        assert!(tree.expand(Node::ROOT, &moves, &[], true, &mut allocator));
        let block = tree.link(Node::ROOT).children().unwrap();
        for (node, &(visits, won)) in block.nodes().zip(children) {
            let [visits, won] = [visits, won].map(|it| it * u64::from(parts));
            let stats = Stats::new(visits, won * u64::from(SCALE));
            tree.add(node, stats, true);
            tree.add(Node::ROOT, stats, true);
        }
        tree
    }

    fn reader(tree: &Tree, choice: Choice, parts: u32) -> Reader<'_> {
        Reader::new(tree, choice, Ucb::new(0.5, f32::INFINITY), parts)
    }

    fn measures(children: &[(u64, u64)], choice: Choice, parts: u32) -> Vec<f64> {
        let tree = tree_of(children, parts);
        let block = tree.link(Node::ROOT).children().unwrap();
        let graded = reader(&tree, choice, parts).graded(Node::ROOT, block);
        graded.map(|(_, grade)| grade.measure).collect()
    }

    #[test]
    fn a_proven_draw_is_as_good_as_a_draw_with_few_visits_too() {
        for (won, better) in [(80, 1), (240, 0)] {
            let tree = tree_of(&[(400, won), (1, 0)], 1);
            let block = tree.link(Node::ROOT).children().unwrap();
            let (result, plies) = (ProofResult::Draw, 3);
            tree.prove(block.node(1), Proof { result, plies });
            let best = reader(&tree, Choice::Lcb, 1).best(Node::ROOT);
            assert_eq!(best, Some(block.node(better)), "{won} of 400");
        }
    }

    #[test]
    fn bounds_are_the_same_in_parts_of_a_visit() {
        let children = [(40, 20), (10, 6), (3, 1), (0, 0)];
        for choice in [Choice::Ucb, Choice::Lcb, Choice::Mean] {
            let whole = measures(&children, choice, 1);
            for parts in [2, 4] {
                let divided = measures(&children, choice, parts);
                for (one, other) in whole.iter().zip(divided) {
                    assert!((one - other).abs() < 1e-6, "{choice:?}: {one} {other}");
                }
            }
        }
    }
}
