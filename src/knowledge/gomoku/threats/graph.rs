//! The positions of a search for threats and the moves between them, with their numbers.

use crate::game::Move;
use std::ops::Range;

/// The number of what cannot be proven, or disproven.
pub const INFINITE: u32 = u32::MAX;

/// The root's place among the nodes.
pub const ROOT: usize = 0;

/// A position.
#[derive(Clone, Copy)]
pub struct Node {
    /// Of the stones, of the attacker and of whose turn it is.
    pub key: u64,
    /// How many leaves must at least be won to prove it.
    pub proof: u32,
    /// How many must fail to disprove it.
    pub disproof: u32,
    /// Where its moves begin; none before it is expanded.
    pub first_edge: u32,
    pub edges: u16,
    /// To the win at the most, where one is proven. At the defender's nodes that are not proven:
    /// if the defender lets things take their course.
    pub plies: u16,
}

/// A move, and the position after it.
#[derive(Clone, Copy)]
pub struct Edge {
    pub node: u32,
    pub mv: Move,
    /// What is added to the proof number of the node while it is not proven.
    pub cost: u16,
}

impl Node {
    pub fn new(key: u64) -> Node {
        Node {
            key,
            proof: 1,
            disproof: 1,
            first_edge: 0,
            edges: 0,
            plies: 0,
        }
    }

    pub fn is_decided(&self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// Where its moves are.
    pub fn edges(&self) -> Range<usize> {
        let first = self.first_edge as usize;
        first..first + usize::from(self.edges)
    }
}

/// The positions of a search and the moves between them.
pub struct Graph {
    pub nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// The number of a node by its key. It may have been made by an earlier search, or be another's.
    places: Box<[u32]>,
}

/// Bytes of the graph for each node: there are somewhat more moves, and two places.
const BYTES_OF_NODE: usize = size_of::<Node>() + size_of::<Edge>() * 3 / 2 + 2 * size_of::<u32>();

impl Graph {
    pub fn with_bytes(bytes: usize) -> Graph {
        let nodes = (bytes / BYTES_OF_NODE).max(1024);
        Graph {
            nodes: Vec::with_capacity(nodes),
            edges: Vec::with_capacity(nodes * 3 / 2),
            places: vec![0; nodes.next_power_of_two()].into_boxed_slice(),
        }
    }

    /// With a root alone.
    pub fn begin(&mut self, key: u64) {
        self.nodes.clear();
        self.edges.clear();
        self.nodes.push(Node::new(key));
    }

    /// Gives a node these moves, to nodes with these keys. Returns false where there is no room.
    pub fn expand(&mut self, at: usize, moves: &[Candidate]) -> bool {
        let is_full = self.nodes.len() + moves.len() > self.nodes.capacity()
            || self.edges.len() + moves.len() > self.edges.capacity();
        if is_full {
            return false;
        }
        self.nodes[at].first_edge = self.edges.len() as u32;
        self.nodes[at].edges = moves.len() as u16;
        for &Candidate { mv, cost, key } in moves {
            let node = self.node_of(key);
            self.edges.push(Edge { node, mv, cost });
        }
        true
    }

    /// The node with this key, which is made where there is none.
    fn node_of(&mut self, key: u64) -> u32 {
        let slot = key as usize & (self.places.len() - 1);
        let place = self.places[slot];
        if self
            .nodes
            .get(place as usize)
            .is_some_and(|it| it.key == key)
        {
            return place;
        }
        let place = self.nodes.len() as u32;
        self.nodes.push(Node::new(key));
        self.places[slot] = place;
        place
    }

    /// The moves of a node, each with the node after it.
    pub fn children(&self, at: usize) -> impl Iterator<Item = (&Edge, &Node)> + Clone {
        let edges = &self.edges[self.nodes[at].edges()];
        edges
            .iter()
            .map(|edge| (edge, &self.nodes[edge.node as usize]))
    }

    /// The proven moves from the root on, with the longest defence against the shortest attack.
    pub fn main_line(&self) -> Vec<Move> {
        let mut line = Vec::new();
        let mut at = ROOT;
        loop {
            let proven = self.children(at).filter(|(_, child)| child.proof == 0);
            // The attacker's nodes need one child proven, and the defender's all.
            let next = match self.nodes[at].plies % 2 {
                1 => proven.min_by_key(|(_, child)| child.plies),
                _ => proven.max_by_key(|(_, child)| child.plies),
            };
            let Some((edge, _)) = next else {
                return line;
            };
            line.push(edge.mv);
            at = edge.node as usize;
        }
    }
}

/// A move to be searched, its cost and the key of the position after it.
pub struct Candidate {
    pub mv: Move,
    pub cost: u16,
    pub key: u64,
}

/// The proof number of a child as its parent counts it, where one must be proven.
pub fn price(edge: &Edge, child: &Node) -> u32 {
    match child.proof {
        0 => 0,
        proof => proof.saturating_add(u32::from(edge.cost)),
    }
}
