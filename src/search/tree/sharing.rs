//! Children that the nodes of one position share: the tree is a graph then.
//!
//! Every block has an owner for each node whose children it holds, and is dead when it has none. A
//! thread may find a block that another gives up at that moment: it becomes an owner only where there
//! is one still. Blocks are only given up while no thread can be inside of them
//! (see [`prune`](super::super::prune)), and the first word of a block's room is never that of anything
//! but a header or a link of the free list, whatever is made of the room later.

use super::arena::Tree;
use super::positions::{Positions, hash};
use super::words::{Block, CHILD_MASK, Header, Link, Node};
use std::sync::atomic::Ordering;

impl Tree {
    /// The same tree, still without children, whose nodes of one position share what is below them.
    /// No position may come twice on one way down. A table of at most `bytes` bytes, beside those of
    /// the arena, finds the blocks.
    #[must_use]
    pub fn with_shared_children(mut self, bytes: u64) -> Tree {
        self.positions = Some(Positions::new(bytes));
        self
    }

    /// Whether nodes share children.
    pub fn shares_children(&self) -> bool {
        self.positions.is_some()
    }

    /// Lets other nodes of the position with this key have these children, which are new.
    pub fn offer(&self, children: Block, key: u64) {
        if let Some(positions) = &self.positions {
            let hash = hash(key);
            let header = self.word(self.header_of(children));
            header.fetch_or(Header::tag(hash), Ordering::Release);
            positions.enter(hash, children.first);
        }
    }

    /// Gives a node without children those that another node of its position has, with this key.
    pub fn adopt(&self, node: Node, key: u64) -> Option<Block> {
        let hash = hash(key);
        let first = self.positions.as_ref()?.find(hash)?;
        let add_owner = |old: u64| Some(Header(old).with_owner(hash)?.0);
        let header = self
            .word(first - 1)
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, add_owner)
            .ok()?;
        let link = Link(Header(header).link_bits(first));
        let children = link.children()?;
        let claim = |old: u64| (old & CHILD_MASK == 0).then_some(old | link.0);
        let claimed =
            self.word(node.link)
                .fetch_update(Ordering::Release, Ordering::Relaxed, claim);
        if claimed.is_err() {
            // Another thread was faster.
            self.discard(children);
            return None;
        }
        if children.nodes().any(|it| self.link(it).proof().is_some()) {
            self.mark_proven_child(node);
        }
        Some(children)
    }

    /// How many nodes have these children.
    #[cfg(test)]
    pub fn owners(&self, children: Block) -> u64 {
        let header = self.word(self.header_of(children));
        Header(header.load(Ordering::Relaxed)).owners()
    }

    /// Takes an owner from a block. Returns whether it was the last.
    pub(super) fn disown(&self, block: Block) -> bool {
        if self.positions.is_none() {
            return true;
        }
        let header = self.word(self.header_of(block));
        let old = header.fetch_sub(Header::OWNER, Ordering::AcqRel);
        Header(old).owners() == 1
    }
}
