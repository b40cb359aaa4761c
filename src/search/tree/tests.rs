//! What is made, given up and made again.

use super::allocator::{RECYCLED_AT_ONCE, RECYCLED_WHEN_FULL};
use super::*;
use crate::game::Move;
use crate::knowledge::Proof;
use std::collections::VecDeque;

fn moves(count: u16) -> Vec<Move> {
    (0..count).map(Move::new).collect()
}

#[test]
fn a_link_keeps_its_fields_apart() {
    let mut allocator = Allocator::default();
    let tree = Tree::new(1 << 20, 1, false);
    assert!(tree.expand(Node::ROOT, &moves(484), &[], true, &mut allocator));
    let proof = Proof::win(483);
    let block = tree.link(Node::ROOT).children().unwrap();
    let last = block.node(483);
    tree.prove(last, proof);
    tree.mark_proven_child(Node::ROOT);
    assert_eq!(block.len(), 484);
    assert_eq!(tree.link(last).mv(), Move::new(483));
    assert_eq!(tree.link(last).proof(), Some(proof));
    assert_eq!(tree.link(last).children(), None);
    assert!(tree.link(Node::ROOT).is_complete());
    assert!(tree.link(Node::ROOT).has_proven_child());
    assert_eq!(tree.link(Node::ROOT).proof(), None);
}

#[test]
fn a_full_arena_refuses_and_stays_whole() {
    let mut allocator = Allocator::default();
    let tree = Tree::new(0, 1, false);
    assert!(tree.expand(Node::ROOT, &moves(200), &[], true, &mut allocator));
    let block = tree.link(Node::ROOT).children().unwrap();
    let made = block
        .nodes()
        .filter(|&node| tree.expand(node, &moves(200), &[], true, &mut allocator))
        .count();
    assert!((1..200).contains(&made));
    assert!(allocator.is_full());
    allocator.report(&tree);
    assert!(tree.nodes() > 400);
    assert!(tree.nodes() * NODE_BYTES as u64 <= tree.bytes());
    let refused = block.nodes().find(|&n| tree.link(n).children().is_none());
    assert_eq!(tree.link(refused.unwrap()).mv().code(), made as u16);
}

#[test]
fn dead_subtrees_are_recycled() {
    let mut allocators = [Allocator::default()];
    let mut tree = Tree::new(0, 1, false);
    for _ in 0..1000 {
        let [allocator] = &mut allocators;
        if tree.link(Node::ROOT).children().is_none() {
            assert!(tree.expand(Node::ROOT, &moves(30), &[], true, allocator));
        }
        let block = tree.link(Node::ROOT).children().unwrap();
        for node in block.nodes() {
            if tree.link(node).children().is_none() {
                tree.expand(node, &moves(29), &[], true, allocator);
            }
        }
        tree.add(block.node(7), Stats::new(5, 3), true);
        tree.reroot(block.node(7));
        allocators[0].try_again();
        assert_eq!(tree.stats(Node::ROOT), Stats::new(5, 3));
        assert_eq!(tree.link(Node::ROOT).mv(), Move::new(7));
    }
    assert!(!allocators[0].is_full());
}

/// Adds children, `count` to the root and one fewer at each level, until there is no room or
/// `most` nodes have got some.
fn grow(tree: &Tree, allocator: &mut Allocator, count: u16, most: usize) {
    let mut parents = VecDeque::from([(Node::ROOT, count)]);
    let mut grown = 0;
    while grown < most
        && let Some((parent, count)) = parents.pop_front()
    {
        if tree.link(parent).children().is_none() {
            allocator.try_again();
            if !tree.expand(parent, &moves(count), &[], true, allocator) {
                return;
            }
            grown += 1;
        }
        let children = tree.link(parent).children().unwrap();
        parents.extend(children.nodes().map(|child| (child, count - 1)));
    }
}

#[test]
fn one_thread_can_use_the_arena_that_another_has_begun_to_recycle() {
    for most in [1, 30, 300, 3000] {
        let mut tree = Tree::new(1 << 20, 2, false);
        let arena = tree.bytes() / NODE_BYTES as u64;
        let mut allocators = [Allocator::default(), Allocator::default()];
        for allocator in &mut allocators {
            grow(&tree, allocator, 24, usize::MAX);
        }
        // Most blocks have the size of the fourth level, which nobody asks for any more.
        for _ in 0..2 {
            let first = tree.link(Node::ROOT).children().unwrap().node(0);
            tree.reroot(first);
        }
        let [stopped, other] = &mut allocators;
        for (allocator, most) in [(stopped, most), (other, usize::MAX)] {
            grow(&tree, allocator, 22, most);
            allocator.report(&tree);
        }
        // What is dead and not recycled is not in use either.
        let live = live(&tree, Node::ROOT);
        assert!(live * 6 > arena * 5, "{most}: {live} of {arena} nodes");
    }
}

/// The nodes below this one.
fn live(tree: &Tree, node: Node) -> u64 {
    let children = tree.link(node).children();
    let nodes = children.into_iter().flat_map(Block::nodes);
    nodes.map(|child| 1 + live(tree, child)).sum()
}

#[test]
fn recycling_is_done_in_small_parts() {
    let mut allocators = [Allocator::default()];
    let mut tree = Tree::new(1 << 20, 1, false);
    let [allocator] = &mut allocators;
    assert!(tree.expand(Node::ROOT, &moves(30), &[], true, allocator));
    let first = tree.link(Node::ROOT).children().unwrap();
    let mut parents: Vec<Node> = first.nodes().skip(1).collect();
    while let Some(parent) = parents.pop() {
        if !tree.expand(parent, &moves(30), &[], true, allocator) {
            break;
        }
        parents.splice(0..0, tree.link(parent).children().unwrap().nodes());
    }
    // All of the arena is dead but one leaf, and no block has the size that it asks for.
    allocator.report(&tree);
    let full = tree.nodes();
    tree.reroot(first.node(0));
    allocators[0].try_again();
    let [allocator] = &mut allocators;
    assert!(tree.expand(Node::ROOT, &moves(29), &[], true, allocator));
    allocator.report(&tree);
    let freed = full + 29 - tree.nodes();
    assert!(
        freed <= (RECYCLED_AT_ONCE + RECYCLED_WHEN_FULL) as u64 * 30,
        "{freed}"
    );
}

#[test]
fn children_live_as_long_as_any_node_has_them() {
    let key = |number: u64| 77 * number;
    let mut allocator = Allocator::default();
    let tree = Tree::new(0, 1, true).with_shared_children(0);
    assert!(tree.expand(Node::ROOT, &moves(4), &[], true, &mut allocator));
    let above: Vec<Node> = tree.link(Node::ROOT).children().unwrap().nodes().collect();
    assert_eq!(tree.adopt(above[0], key(1)), None);
    assert!(tree.expand(above[0], &moves(5), &[], false, &mut allocator));
    let children = tree.link(above[0]).children().unwrap();
    tree.prove(children.node(3), Proof::win(1));
    tree.offer(children, key(1));
    for node in [above[1], above[2]] {
        assert_eq!(tree.adopt(node, key(2)), None);
        assert_eq!(tree.adopt(node, key(1)), Some(children));
        assert_eq!(tree.link(node).children(), Some(children));
        assert!(tree.link(node).has_proven_child() && !tree.link(node).is_complete());
    }
    assert_eq!(tree.adopt(above[1], key(1)), None, "it has some");
    assert_eq!(tree.owners(children), 3);
    let give_up = |node| tree.discard(tree.take_children(node).unwrap());
    give_up(above[0]);
    give_up(above[1]);
    // All that is free is used and given up, some of it twice.
    for _ in 0..2 * tree.end() {
        if tree.expand(above[0], &moves(5), &[], true, &mut allocator) {
            give_up(above[0]);
        }
    }
    assert_eq!(tree.adopt(above[0], key(1)), Some(children));
    assert_eq!(tree.link(children.node(3)).proof(), Some(Proof::win(1)));
    give_up(above[0]);
    give_up(above[2]);
    assert_eq!(tree.adopt(above[0], key(1)), None, "nobody has them");
    let reused = (0..tree.end()).any(|_| {
        let made = tree.expand(above[3], &moves(5), &[], true, &mut allocator);
        let same = made && tree.link(above[3]).children() == Some(children);
        if !same && made {
            give_up(above[3]);
        }
        same
    });
    assert!(reused);
    assert_eq!(tree.adopt(above[0], key(1)), None, "another's");
    tree.offer(children, key(3));
    assert_eq!(tree.adopt(above[0], key(3)), Some(children));
}
