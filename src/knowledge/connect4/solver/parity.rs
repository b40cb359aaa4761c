//! What the parity of the columns proves without a search.
//!
//! One side, the follower, has a plan for all the rest of the game against the side to move, the
//! leader. Where an even number of cells is free, the follower can always answer so: in the
//! column that the leader has just played in, as long as it has a cell left there; and by the
//! landing cell of another column with an odd number of free cells, if the leader has taken such a
//! landing cell, for their number is even. (These are the rules claimeven and baseinverse of
//! Allis, A knowledge-based approach of Connect-Four, 1988.) So the leader gets no cell with an
//! even number of cells above it but those landing cells; and none over a cell that the follower
//! gets for certain and wins on, for there the game is over (Allis's aftereven, for one cell). If
//! its stones with all it can get hold no row, it does not win; if the stones of the follower with
//! the rest hold one, the follower does.
//!
//! Where an odd number is free, the other side can follow at once if it wins on a cell with an
//! odd number of cells above it (zugzwang). Right below that cell it never plays. Without these
//! two and all above them an even number of columns has an odd number of cells left, so there is
//! an answer to every stone until the leader has nothing else to fill. In that column it gets no
//! cells but the landing cell and those with an even number of cells above them.
//!
//! In either case the side to move can have the other one's part: it plays any stone, and the
//! other side is the leader.
//!
//! What was tried and not kept is told in `docs/EXPERIMENTS.md`, The solver of Connect Four.

use super::sight::Node;
use crate::knowledge::connect4::bits::Bits;
use crate::knowledge::connect4::board::{Lines, Shape};

/// A bound of the score of a node that tells whether it is above `alpha`, if parity proves one.
#[inline]
pub fn bound<S: Shape>(shape: &S, node: &Node<S::Cells>, alpha: i32) -> Option<i32> {
    let sides = Sides::of(shape, node);
    if node.left.is_multiple_of(2) {
        if sides.is_followed(alpha) {
            return Some(alpha.min(0));
        }
        let forces = sides.forces_zugzwang(node.moves, alpha);
        forces.then(|| alpha.max(0) + 1)
    } else {
        if sides.leads(node.moves, alpha) {
            return Some(alpha.max(-1) + 1);
        }
        sides.is_in_zugzwang(alpha).then(|| alpha.min(-1))
    }
}

/// What each side has and can get.
struct Sides<'a, S: Shape> {
    shape: &'a S,
    /// Stones of the leader, and of the other side.
    own: S::Cells,
    theirs: S::Cells,
    /// Cells that complete a row of the leader, and of the other side; some may be filled by now.
    own_wins: S::Cells,
    their_wins: S::Cells,
    /// Free cells with an odd number of cells above them, and those with an even number.
    lower: S::Cells,
    upper: S::Cells,
    /// The landing cells of the columns.
    landings: S::Cells,
}

impl<'a, S: Shape> Sides<'a, S> {
    #[inline]
    fn of(shape: &'a S, node: &Node<S::Cells>) -> Self {
        let free = shape.cells() & !node.board.filled;
        Sides {
            shape,
            own: node.board.own,
            theirs: node.board.theirs(shape),
            own_wins: node.own_wins,
            their_wins: node.their_wins,
            lower: free & !shape.upper(),
            upper: free & shape.upper(),
            landings: shape.landings(node.board.filled),
        }
    }

    /// The same after a stone of the leader, so that the other side leads. Cells on which the
    /// stone makes it win are passed over.
    #[inline]
    fn after(&self, stone: S::Cells) -> Self {
        Sides {
            shape: self.shape,
            own: self.theirs,
            theirs: self.own | stone,
            own_wins: self.their_wins,
            their_wins: self.own_wins,
            lower: self.lower & !stone,
            upper: self.upper & !stone,
            landings: self.landings & !stone | self.shape.above(stone),
        }
    }

    /// The cells that the follower gets for certain.
    #[inline]
    fn certain(&self) -> S::Cells {
        self.upper & !self.landings
    }

    /// The cells that the leader can get.
    #[inline]
    fn reach(&self) -> S::Cells {
        let over = self.and_over(self.their_wins & self.certain());
        self.lower & !over | self.upper & self.landings
    }

    /// Whether the other side, as the follower, holds the leader to `alpha`.
    #[inline]
    fn is_followed(&self, alpha: i32) -> bool {
        // A row that is full when so many cells are left scores one more than half of them.
        let wins = || {
            let in_time = self.certain() & self.shape.below_top(2 * (-alpha - 1) as u32);
            self.shape.has_row(self.theirs | in_time)
        };
        (alpha >= 0 || wins()) && !self.shape.has_row(self.own | self.reach())
    }

    /// Whether the leader exceeds `alpha` by one of these stones and as the follower after it.
    #[inline]
    fn leads(&self, stones: S::Cells, alpha: i32) -> bool {
        // Whatever the stone, the other side gets these.
        let over = self.and_over(self.own_wins & self.certain());
        let rest = self.lower & !self.landings & !over;
        if self.shape.has_row(self.theirs | rest) {
            return false;
        }
        let can_win = || {
            let in_time = self.certain() & self.shape.below_top(2 * alpha as u32);
            self.shape.has_row(self.own | in_time | stones)
        };
        (alpha < 0 || can_win())
            && each(stones).any(|stone| self.after(stone).is_followed(-alpha - 1))
    }

    /// Whether the other side, as the follower, wins by zugzwang and holds the leader to `alpha`.
    #[inline]
    fn is_in_zugzwang(&self, alpha: i32) -> bool {
        let wins = self.zugzwangs(self.their_wins, -alpha - 1);
        if wins.is_empty() {
            return false;
        }
        let reach = self.reach();
        each(wins).any(|cell| {
            let under = self.under(cell);
            let elsewhere = reach & !(under | self.and_over(cell));
            let there = under & (self.upper | self.landings);
            !self.shape.has_row(self.own | elsewhere | there)
        })
    }

    /// Whether the leader exceeds `alpha` by one of these stones and zugzwang after it.
    #[inline]
    fn forces_zugzwang(&self, stones: S::Cells, alpha: i32) -> bool {
        !self.zugzwangs(self.own_wins, alpha).is_empty()
            && each(stones).any(|stone| self.after(stone).is_in_zugzwang(-alpha - 1))
    }

    /// The cells of `wins` below which the rival has to play in the end, so that the winner
    /// exceeds `alpha`.
    #[inline]
    fn zugzwangs(&self, wins: S::Cells, alpha: i32) -> S::Cells {
        let in_time = self.shape.below_top((2 * alpha + 1).max(0) as u32);
        wins & self.lower & !self.landings & in_time
    }

    /// The free cells under this one.
    #[inline]
    fn under(&self, cell: S::Cells) -> S::Cells {
        let free = self.lower | self.upper;
        let mut under = self.shape.below(cell) & free;
        loop {
            let more = under | self.shape.below(under) & free;
            if more == under {
                return under;
            }
            under = more;
        }
    }

    /// These free cells and all over them.
    #[inline]
    fn and_over(&self, cells: S::Cells) -> S::Cells {
        // In each column the sum clears what there is from the lowest of the cells upwards, and
        // sets the others again.
        let columns = self.lower | self.upper | self.shape.hole();
        columns & !columns.plus(cells) | cells
    }
}

/// These cells, one at a time.
#[inline]
fn each<B: Bits>(cells: B) -> impl Iterator<Item = B> {
    let mut rest = cells;
    std::iter::from_fn(move || {
        let cell = rest.lowest();
        rest = rest.without_lowest();
        (!cell.is_empty()).then_some(cell)
    })
}

#[cfg(test)]
mod tests {
    use super::super::sight::{Sight, look};
    use super::super::tests::{negamax, play_on, setups};
    use super::*;
    use crate::game::connect4::Connect4;
    use crate::game::{Game, GameKind, Playable, Setup};
    use crate::knowledge::connect4::board::{Any, Board, Large, Standard};
    use crate::rollout::Random;
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
        let zugzwang = [(false, false, -1), (true, true, 1)];
        let all = [&followed[..], &leads, &zugzwang].concat();
        assert_eq!(proven, all.into_iter().collect());
    }
}
