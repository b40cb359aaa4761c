//! Playouts by random bisection, for freestyle only.
//!
//! A uniform playout is a random order of the empty cells, taken in turn by both sides until
//! one has five in a row. Stones only add rows, so the ply of the first five can be found by
//! bisection, and no order need be drawn for that: the cells of the first `n` plies of a random
//! order are a random set of `n` cells, divided among the sides at random; and given which they
//! are, the order within them and the order of the rest are random again.
//!
//! First the plies are counted up, by about half of the cells that are left each time, until
//! somebody has five or no cell is left, which is a draw. If both have it, it came too late: the
//! ply is then sought between the last stones without five and these, by taking about half of
//! the stones between for both sides, the same number for both. As soon as one side has five
//! and the other not, with the stones of the same ply, the game is decided.
//!
//! Nothing is approximate. Coins put every cell in or out of a set, and random cells then
//! leave the larger set until the sizes are right; no cell is preferred to another, so all
//! sets of that size are equally likely.

use crate::game::gomoku::Gomoku;
use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::line;
use crate::game::{Game, Outcome};
use crate::playout::Random;
use rand::Rng;

/// A set for the side to move, and one for the other.
type Pair<const W: usize> = [Bits<W>; 2];

/// One playout of a freestyle game that is not over. `W` words must hold the board.
pub fn rollout<const W: usize>(position: &Gomoku, random: &mut Random) -> Outcome {
    let mover = position.side_to_move();
    let sides = [mover, mover.other()];
    let stones = sides.map(|side| position.stones::<W>(side));
    match first_five(stones, position.empty_cells(), position.stride(), random) {
        Some(index) => Outcome::win(sides[index]),
        None => Outcome::DRAW,
    }
}

/// Who is first to five when the empty cells are taken in turn and in random order: 0 for the
/// side to move, 1 for the other. Neither has five yet.
fn first_five<const W: usize>(
    mut few: Pair<W>,
    mut rest: Bits<W>,
    stride: u32,
    random: &mut Random,
) -> Option<usize> {
    let mut next = 0;
    let mut enough = loop {
        if rest.is_empty() {
            return None;
        }
        let plies = rest & coins(random);
        let (dealt, after) = deal(plies, next, random);
        let tried = [few[0] | dealt[0], few[1] | dealt[1]];
        match line::have_five(tried, stride) {
            [true, false] => return Some(0),
            [false, true] => return Some(1),
            [true, true] => break tried,
            [false, false] => (few, next) = (tried, after),
        }
        rest &= !plies;
    };
    // The side whose turn it is after `few` wins if its next stone is the one that is enough.
    while (enough[next] & !few[next]).count() > 1 {
        let tried = halve(few, enough, random);
        match line::have_five(tried, stride) {
            [true, false] => return Some(0),
            [false, true] => return Some(1),
            [true, true] => enough = tried,
            [false, false] => few = tried,
        }
    }
    Some(next)
}

/// Deals these cells in turn and in random order, first to the side `next`. Also returns whose
/// turn it is afterwards.
fn deal<const W: usize>(cells: Bits<W>, next: usize, random: &mut Random) -> (Pair<W>, usize) {
    let heads = cells & coins(random);
    let mut dealt = [heads, cells & !heads];
    let [first, second] = dealt.map(|set| set.count());
    let count = first + second;
    // The side whose turn it is gets the odd cell.
    let wanted = (count + u32::from(next == 0)) / 2;
    let larger = usize::from(first < wanted);
    thin(&mut dealt[larger], first.abs_diff(wanted), random);
    dealt[1 - larger] = cells & !dealt[larger];
    let after = if count % 2 == 0 { next } else { 1 - next };
    (dealt, after)
}

/// About half the stones between `few` and `enough`, the same number for both sides, and `few`.
fn halve<const W: usize>(few: Pair<W>, enough: Pair<W>, random: &mut Random) -> Pair<W> {
    // No cell is between the sets of both sides, so the same coins serve both.
    let coins = coins(random);
    let between = [enough[0] & !few[0], enough[1] & !few[1]];
    let mut added = between.map(|set| set & coins);
    let [first, mut second] = added.map(|set| set.count());
    // Heads or tails, whichever is nearer to the number of the other side.
    let tails = between[1].count() - second;
    if tails.abs_diff(first) < second.abs_diff(first) {
        added[1] = between[1] & !coins;
        second = tails;
    }
    let larger = usize::from(first < second);
    thin(&mut added[larger], first.abs_diff(second), random);
    [few[0] | added[0], few[1] | added[1]]
}

/// A set that holds every cell with a chance of one half.
fn coins<const W: usize>(random: &mut Random) -> Bits<W> {
    Bits::from_words(std::array::from_fn(|_| random.next_u64()))
}

/// Takes `excess` cells out of the set, all equally likely.
fn thin<const W: usize>(set: &mut Bits<W>, mut excess: u32, random: &mut Random) {
    // Random numbers of cells, of which those in the set count.
    const { assert!(Bits::<W>::CAPACITY.is_power_of_two()) };
    let bits = Bits::<W>::CAPACITY.trailing_zeros();
    while excess > 0 {
        let mut numbers = random.next_u64();
        for _ in 0..u64::BITS / bits {
            let cell = numbers as usize % Bits::<W>::CAPACITY;
            numbers >>= bits;
            excess -= u32::from(set.remove_if(cell, excess > 0));
        }
    }
}
