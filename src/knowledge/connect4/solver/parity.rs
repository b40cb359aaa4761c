//! What the parity of the columns proves without a search.
//!
//! One side, the follower, has a plan for all the rest of the game against the side to move, the
//! leader. Where an even number of cells is free, the follower can always answer so: in the
//! column that the leader has just played in, as long as it has a cell left there; and by the
//! landing cell of another column with an odd number of free cells, if the leader has taken such a
//! landing cell, for their number is even. (These are the rules claimeven and baseinverse of
//! Allis, A knowledge-based approach of Connect-Four, 1988.) So the leader gets no cell with an
//! even number of cells above it but those landing cells. If its stones with all it can get hold no
//! row, it does not win; if the stones of the follower with the rest hold one, the follower does.
//!
//! Where an odd number is free, there are two ways. The leader can take the landing cell of an odd
//! column and be the follower from there. And the other side can follow at once, if one of the odd
//! columns has a cell on which it wins and above which an odd number of cells is free: in that
//! column the leader gets every other cell up to the one below it, and has to take that one at the
//! latest when all other columns are full (zugzwang).

use super::bits::Bits;
use super::board::{Lines, Shape};
use super::search::Node;

/// A bound of the score of a node that tells whether it is above `alpha`, if parity proves one.
#[inline]
pub fn bound<S: Shape>(shape: &S, node: &Node<S::Cells>, alpha: i32) -> Option<i32> {
    let sides = Sides::of(shape, node);
    if node.left.is_multiple_of(2) {
        return sides.is_followed(alpha).then(|| alpha.min(0));
    }
    if sides.leads(node, alpha) {
        return Some(alpha.max(-1) + 1);
    }
    sides.is_in_zugzwang(node, alpha).then(|| alpha.min(-1))
}

/// What each side has and can get.
struct Sides<'a, S: Shape> {
    shape: &'a S,
    /// Stones of the leader, and of the other side.
    own: S::Cells,
    theirs: S::Cells,
    /// Free cells with an odd number of cells above them, and those with an even number.
    lower: S::Cells,
    upper: S::Cells,
    /// The landing cells of the columns with an odd number of free cells.
    odd_columns: S::Cells,
}

impl<'a, S: Shape> Sides<'a, S> {
    #[inline]
    fn of(shape: &'a S, node: &Node<S::Cells>) -> Self {
        let free = shape.cells() & !node.board.filled;
        Sides {
            shape,
            own: node.board.own,
            theirs: node.board.theirs(shape),
            lower: free & !shape.upper(),
            upper: free & shape.upper(),
            odd_columns: shape.landings(node.board.filled) & shape.upper(),
        }
    }

    /// The cells that the follower gets for certain, and above which at least so many are free.
    #[inline]
    fn certain(&self, above: i32) -> S::Cells {
        self.upper & !self.odd_columns & self.shape.below_top(above.max(0) as u32)
    }

    /// Whether the other side, as the follower, holds the leader to `alpha`.
    #[inline]
    fn is_followed(&self, alpha: i32) -> bool {
        // A row that is full when so many cells are left scores one more than half of them.
        let wins = || {
            let cells = self.theirs | self.certain(2 * (-alpha - 1));
            self.shape.has_row(cells)
        };
        (alpha >= 0 || wins()) && !self.shape.has_row(self.own | self.lower | self.odd_columns)
    }

    /// Whether the leader exceeds `alpha` as the follower, after its next stone.
    #[inline]
    fn leads(&self, node: &Node<S::Cells>, alpha: i32) -> bool {
        let has_row = |stones| self.shape.has_row(stones);
        let theirs = self.theirs | self.lower;
        let own = self.own | self.certain(2 * alpha);
        if alpha >= 0 && !has_row(own | self.odd_columns) || has_row(theirs) {
            return false;
        }
        let mut rest = self.odd_columns & node.moves;
        while !rest.is_empty() {
            let cell = rest.lowest();
            rest = rest.without_lowest();
            if !has_row(theirs | self.odd_columns & !cell) && (alpha < 0 || has_row(own | cell)) {
                return true;
            }
        }
        false
    }

    /// Whether the other side follows at once, wins in the end on a cell below which the leader
    /// has to play, and holds it to `alpha` so.
    #[inline]
    fn is_in_zugzwang(&self, node: &Node<S::Cells>, alpha: i32) -> bool {
        let shape = self.shape;
        let least_above = (-2 * alpha - 1).max(1) as u32;
        let mut rest = node.their_wins & self.lower & shape.below_top(least_above);
        while !rest.is_empty() {
            let cell = rest.lowest();
            rest = rest.without_lowest();
            let (under, over) = (self.under(cell), self.over(cell));
            if !under.meets(self.odd_columns) {
                continue;
            }
            let column = under | cell | over;
            let elsewhere = (self.lower | self.odd_columns) & !column;
            if !shape.has_row(self.own | elsewhere | under & self.upper) {
                return true;
            }
        }
        false
    }

    /// The free cells under this one.
    #[inline]
    fn under(&self, cell: S::Cells) -> S::Cells {
        let free = self.lower | self.upper;
        fill(cell, |cells| self.shape.below(cells) & free)
    }

    /// The cells over this one.
    #[inline]
    fn over(&self, cell: S::Cells) -> S::Cells {
        fill(cell, |cells| self.shape.above(cells))
    }
}

/// The cells that one is followed by, step by step.
#[inline]
fn fill<B: Bits>(cell: B, step: impl Fn(B) -> B) -> B {
    let mut filled = step(cell);
    loop {
        let more = filled | step(filled);
        if more == filled {
            return filled;
        }
        filled = more;
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::{Any, Board, Large, Standard};
    use super::super::search::{Sight, look};
    use super::super::tests::{negamax, play_on, setups};
    use super::*;
    use crate::game::connect4::Connect4;
    use crate::game::{Game, GameKind, Setup};
    use crate::playout::Random;
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use std::collections::{HashMap, HashSet};

    /// The bounds of a position for every `alpha`, none where it is settled at sight.
    fn bounds<S: Shape>(shape: &S, position: &Connect4) -> Vec<(i32, i32)> {
        let Sight::Open(node) = look(shape, Board::of(shape, position)) else {
            return Vec::new();
        };
        let most = position.max_plies_left() as i32 / 2 + 1;
        let proven = |alpha| Some((alpha, bound(shape, &node, alpha)?));
        (-most..=most).filter_map(proven).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn bounds_hold(
            setup in setups(),
            left in 3..=12_u32,
            choices in prop::collection::vec(any::<u16>(), 144),
        ) {
            let mut position = Connect4::new(&setup).unwrap();
            play_on(&mut position, left, &choices);
            let bounds = bounds::<Large>(&Any::new(&setup), &position);
            // Many games end early, and parity has nothing to say of many positions.
            if position.max_plies_left() > left || bounds.is_empty() {
                return Ok(());
            }
            let exact = negamax(&position, &mut HashMap::new());
            for (alpha, bound) in bounds {
                let holds = if bound > alpha { exact >= bound } else { exact <= bound };
                prop_assert!(holds, "{alpha}: {bound}, is {exact}\n{position}");
            }
        }
    }

    /// Else the property would say little.
    #[test]
    fn every_plan_proves_something() {
        let setup = Setup::standard(GameKind::Connect4);
        let mut proven = HashSet::new();
        for game in 0..500 {
            let mut random = Random::seed_from_u64(game);
            let choices: Vec<u16> = (0..42).map(|_| random.random()).collect();
            for left in [5, 6, 9, 10] {
                let mut position = Connect4::new(&setup).unwrap();
                play_on(&mut position, left, &choices);
                let left = position.max_plies_left();
                for (alpha, bound) in bounds(&Standard, &position) {
                    proven.insert((left % 2 == 0, bound > alpha, bound.signum()));
                }
            }
        }
        let followed = [(true, false, 0), (true, false, -1)];
        let leads = [(false, true, 0), (false, true, 1)];
        let zugzwang = [(false, false, -1)];
        assert_eq!(
            proven,
            followed.into_iter().chain(leads).chain(zugzwang).collect()
        );
    }
}
