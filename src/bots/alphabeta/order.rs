//! Which moves a search looks at, and in which order.

use crate::game::{Move, Moves, Side};
use crate::knowledge::Evaluate;

/// Ranks moves by what they promise, and by what they did elsewhere in the tree.
pub struct Order {
    /// K1 and K2, in percent.
    weights: [i64; 2],
    /// For each side and move: how much it cut off. Without it moves keep the order of promise.
    history: Option<Box<[[u32; Move::LIMIT as usize]; 2]>>,
    moves: Moves,
    ranked: Vec<(i64, Move)>,
}

impl Order {
    /// An order by promise, K1 for the mover's and K2 for the opponent's, with or without the
    /// history heuristic.
    pub fn new(weights: [i64; 2], history: bool) -> Self {
        Order {
            weights,
            history: history.then(|| Box::new([[0; Move::LIMIT as usize]; 2])),
            moves: Moves::new(),
            ranked: Vec::new(),
        }
    }

    /// The moves of a position, best guess first; `first`, where it is one of them, before all
    /// others. `out` is overwritten.
    ///
    /// Which moves they are depends on the position alone: the history only changes the order.
    pub fn moves<G: Evaluate>(&mut self, position: &G, first: Option<Move>, out: &mut Vec<Move>) {
        let mover = position.side_to_move();
        let [attack, defence] = self.weights;
        position.candidates(&mut self.moves);
        self.ranked.clear();
        self.ranked.extend(self.moves.iter().map(|&mv| {
            let [own, other] =
                [mover, mover.other()].map(|side| i64::from(position.promise(mv, side)));
            (attack * own + defence * other, mv)
        }));
        // Stable, so that the order is the same on every machine.
        self.ranked
            .sort_by_key(|&(rank, _)| std::cmp::Reverse(rank));
        self.ranked.truncate(G::WIDTH);
        if let Some(history) = &self.history {
            let of_side = &history[mover.index()];
            self.ranked
                .sort_by_key(|(_, mv)| std::cmp::Reverse(of_side[usize::from(mv.code())]));
        }
        self.ranked.sort_by_key(|&(_, mv)| Some(mv) != first);
        out.clear();
        out.extend(self.ranked.iter().map(|&(_, mv)| mv));
    }

    /// A move of `side` cut the rest of its node off, `depth` plies above the end of the search.
    /// It counts 2^depth, as a cut saves more the higher it is (Schaeffer 1989).
    pub fn credit(&mut self, mv: Move, side: Side, depth: u32) {
        if let Some(history) = &mut self.history {
            let credit = &mut history[side.index()][usize::from(mv.code())];
            *credit = credit.saturating_add(1 << depth.min(16));
        }
    }
}
