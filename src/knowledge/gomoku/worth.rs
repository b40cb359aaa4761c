//! What kinds of cells are worth: a first opinion of moves and of positions, set by hand.

use super::patterns::Patterns;
use super::patterns::kind::CellKind;
use crate::game::Side;

/// Logits of a move by the kind of its cell for the side that moves. (These tables are guesses, in
/// the order in which threats are commonly ranked.)
const ATTACK: [f32; 16] = [
    -1.0, // Nothing
    0.0,  // One
    0.3,  // Two
    0.9,  // OpenTwo
    1.6,  // OpenTwos
    0.9,  // Three
    1.6,  // ThreeTwo
    2.0,  // Threes
    2.2,  // OpenThree
    4.0,  // OpenThrees
    1.0,  // Four
    4.0,  // FourThree
    6.0,  // OpenFour
    8.0,  // Five
    -2.0, // Suspect
    -8.0, // Forbidden
];

/// Logits of the same move by the kind of the cell for the opponent.
const DEFENCE: [f32; 16] = [
    -0.5, 0.0, 0.2, 0.6, 1.1, 0.6, 1.1, 1.4, 1.5, 3.0, 0.8, 3.4, 5.0, 7.0, 0.5, 0.0,
];

/// What cells of each kind add to the logit of the value for the side to move.
const OWN: [f32; 16] = [
    0.0, 0.0, 0.01, 0.05, 0.15, 0.06, 0.2, 0.35, 0.3, 1.2, 0.25, 1.5, 3.0, 9.0, 0.1, 0.0,
];

/// What they take from it for the opponent, which moves later.
const OTHERS: [f32; 16] = [
    0.0, 0.0, 0.008, 0.035, 0.1, 0.04, 0.13, 0.22, 0.2, 0.8, 0.15, 1.0, 2.0, 3.0, 0.05, 0.0,
];

/// How good a move to an empty cell looks, as a logit.
pub fn of_move(board: &Patterns, cell: usize, side: Side) -> f32 {
    let [own, other] = [side, side.other()].map(|side| board.kind(cell, side) as usize);
    ATTACK[own] + DEFENCE[other]
}

/// How a position stands for `side`, which is to move, as a logit.
pub fn of_position(board: &Patterns, side: Side) -> f32 {
    let worth = |cell: usize| {
        let [own, other] = [side, side.other()].map(|side| board.kind(cell, side) as usize);
        OWN[own] - OTHERS[other]
    };
    board.empty().cells().map(worth).sum()
}

/// The score 0..1 that this logit stands for.
pub fn value(logit: f32) -> f32 {
    // The library's, so that the tree is the same on every machine.
    1.0 / (1.0 + libm::expf(-logit))
}

const _: () = assert!(CellKind::ALL.len() == ATTACK.len());
