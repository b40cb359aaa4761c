//! The searches: minimax, negamax, alpha-beta, fail-soft alpha-beta, aspiration and principal
//! variation search, each with or without the history heuristic where the order matters.
//!
//! All of them find the same value at the same depth: they look at the same moves and judge by
//! the same rule, and only pass over what cannot change the value at the root.

use super::order::Order;
use crate::clock;
use crate::game::{Action, Game, Move, Side};
use crate::knowledge::Evaluate;
use crate::options::{Algorithm, AlphaBetaOptions};
use crate::search::{Limits, StopFlag};

/// What a position is worth: hundredths of the game's own unit, as K1 and K2 are percentages,
/// or near [`WON`] where the game is decided.
pub type Value = i64;

/// A game that is won at once. Every ply until then takes one away. (Above every static value:
/// those are 32-bit numbers times at most 1000 percent, twice.)
const WON: Value = 1 << 48;

/// Beyond every value.
const INFINITE: Value = 1 << 50;

/// Nodes between two looks at the clock: some 0.2 ms where nodes are slowest, in Gomoku.
const POLL_EVERY: u64 = 64;

/// What a finished search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The value for the side to move.
    pub value: Value,
    /// The move that leads there.
    pub best: Move,
    /// Positions that this search looked at, the root and finished games among them.
    pub nodes: u64,
}

impl Found {
    /// Whether the end of the game is in sight, so that looking further changes nothing.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.value.abs() > WON / 2
    }

    /// The expected score 0..1, where a game with `advantage` is won three times of four.
    #[must_use]
    pub fn score(&self, advantage: i32) -> f64 {
        let advantages = self.value as f64 / (100.0 * f64::from(advantage));
        // Odds of three to one for each advantage.
        1.0 / (1.0 + libm::pow(3.0, -advantages))
    }
}

/// The values that can still matter: more than `alpha`, less than `beta`.
#[derive(Clone, Copy)]
struct Window {
    alpha: Value,
    beta: Value,
}

impl Window {
    const FULL: Window = Window {
        alpha: -INFINITE,
        beta: INFINITE,
    };

    /// The same window as the opponent sees it.
    fn flipped(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// The narrowest window, which only asks whether a value is above `alpha`.
    fn null(alpha: Value) -> Window {
        Window {
            alpha,
            beta: alpha + 1,
        }
    }
}

/// Searches one position again and again, to one depth after the other.
pub struct Searcher<'a, G> {
    root: &'a G,
    algorithm: Algorithm,
    limits: &'a Limits,
    most_nodes: u64,
    stop: &'a StopFlag,
    /// The side that K1 and K2 are seen from.
    side: Side,
    /// K1 and K2, in percent.
    weights: [Value; 2],
    /// Half the width of an aspiration window.
    reach: Value,
    order: Order,
    /// The moves at every ply, kept so that their memory serves again.
    moves: Vec<Vec<Move>>,
    depth: u32,
    nodes: u64,
    stopped: bool,
    /// The best move at the root, of this search or else of the one before.
    best: Option<Move>,
    /// The values that the last searches to an even and to an odd depth found. The side that
    /// moves last stands better, so that only those are alike.
    expected: [Option<Value>; 2],
}

impl<'a, G: Evaluate> Searcher<'a, G> {
    /// A searcher that looks at no more than the nodes and the time of `limits`, and ends soon
    /// after `stop` is set.
    pub fn new(
        root: &'a G,
        options: &AlphaBetaOptions,
        limits: &'a Limits,
        stop: &'a StopFlag,
    ) -> Self {
        let weights = [options.attack, options.defence].map(Value::from);
        let history = options.history && options.algorithm.prunes();
        Searcher {
            root,
            algorithm: options.algorithm,
            limits,
            most_nodes: limits.playouts.unwrap_or(u64::MAX),
            stop,
            side: root.side_to_move(),
            weights,
            // A guess; a window that is missed costs a second search.
            reach: 100 * Value::from(G::ADVANTAGE) / 4,
            order: Order::new(weights, history),
            moves: Vec::new(),
            depth: 0,
            nodes: 0,
            stopped: false,
            best: None,
            expected: [None; 2],
        }
    }

    /// All nodes looked at so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The move that looks best before any search, in a game that goes on.
    pub fn first_choice(&mut self) -> Option<Action> {
        let moves = self.moves_at(self.root, 0);
        moves.first().map(|&mv| self.root.action(mv))
    }

    /// Searches `depth` plies, at least one, in a game that goes on. `None`: a limit was reached
    /// first.
    pub fn search(&mut self, depth: u32) -> Option<Found> {
        let before = self.nodes;
        self.depth = depth;
        self.moves.resize(depth as usize, Vec::new());
        let root = self.root;
        let value = match self.algorithm {
            Algorithm::Minimax => self.minimax(root, 0),
            Algorithm::Negamax => self.negamax(root, 0),
            Algorithm::AlphaBeta | Algorithm::FailSoft | Algorithm::Pvs => {
                self.alpha_beta(root, 0, Window::FULL)
            }
            Algorithm::Aspiration => self.aspire(),
        };
        let best = self.best.filter(|_| !self.stopped)?;
        self.expected[depth as usize % 2] = Some(value);
        Some(Found {
            value,
            best,
            nodes: self.nodes - before,
        })
    }

    /// Asks in a narrow window around the value expected, and again in what is left when the
    /// value lies outside.
    fn aspire(&mut self) -> Value {
        let Some(expected) = self.expected[self.depth as usize % 2] else {
            return self.alpha_beta(self.root, 0, Window::FULL);
        };
        let window = Window {
            alpha: expected - self.reach,
            beta: expected + self.reach,
        };
        let value = self.alpha_beta(self.root, 0, window);
        // A value outside is a bound on its own side.
        let rest = if value <= window.alpha {
            Window {
                beta: value + 1,
                ..Window::FULL
            }
        } else if value >= window.beta {
            Window {
                alpha: value - 1,
                ..Window::FULL
            }
        } else {
            return value;
        };
        self.alpha_beta(self.root, 0, rest)
    }

    /// The value for the searching side. It takes the highest, its opponent the lowest.
    fn minimax(&mut self, position: &G, ply: u32) -> Value {
        if let Some(value) = self.visit(position, ply) {
            return value;
        }
        let highest = position.side_to_move() == self.side;
        let mut best = if highest { -INFINITE } else { INFINITE };
        let moves = self.moves_at(position, ply);
        for &mv in &moves {
            let value = self.minimax(&after(position, mv), ply + 1);
            if highest && value > best || !highest && value < best {
                best = value;
                self.choose(mv, ply);
            }
        }
        self.keep(moves, ply);
        best
    }

    /// The value for the side to move, which takes the highest of what the opponent is denied.
    fn negamax(&mut self, position: &G, ply: u32) -> Value {
        if let Some(value) = self.visit(position, ply) {
            return self.seen_by_mover(value, position);
        }
        let mut best = -INFINITE;
        let moves = self.moves_at(position, ply);
        for &mv in &moves {
            let value = -self.negamax(&after(position, mv), ply + 1);
            if value > best {
                best = value;
                self.choose(mv, ply);
            }
        }
        self.keep(moves, ply);
        best
    }

    /// The value for the side to move where it lies in the window; else a bound on it, beyond
    /// the same end of the window. Moves after one that reaches beta are passed over: the
    /// opponent has something better before.
    fn alpha_beta(&mut self, position: &G, ply: u32, mut window: Window) -> Value {
        if let Some(value) = self.visit(position, ply) {
            return self.seen_by_mover(value, position);
        }
        let mut best = match self.algorithm {
            Algorithm::AlphaBeta => window.alpha,
            _ => -INFINITE,
        };
        let moves = self.moves_at(position, ply);
        for (index, &mv) in moves.iter().enumerate() {
            let next = after(position, mv);
            let value = self.value_after(&next, ply + 1, window, index == 0);
            if value > best {
                best = value;
                self.choose(mv, ply);
            }
            if best >= window.beta {
                let left = self.depth - ply;
                self.order.credit(mv, position.side_to_move(), left);
                break;
            }
            window.alpha = window.alpha.max(best);
        }
        self.keep(moves, ply);
        best
    }

    /// What a move is worth to its mover: `next` is the position after it, `window` the mover's.
    fn value_after(&mut self, next: &G, ply: u32, window: Window, is_first: bool) -> Value {
        if self.algorithm == Algorithm::Pvs && !is_first {
            let asked = Window::null(window.alpha);
            let value = -self.alpha_beta(next, ply, asked.flipped());
            if value <= window.alpha || value >= window.beta {
                return value;
            }
        }
        -self.alpha_beta(next, ply, window.flipped())
    }

    /// Counts a node. Returns its value for the searching side where the search goes no further.
    fn visit(&mut self, position: &G, ply: u32) -> Option<Value> {
        if self.stopped || self.must_stop() {
            self.stopped = true;
            return Some(0);
        }
        self.nodes += 1;
        if let Some(outcome) = position.outcome() {
            let sign = Value::from(outcome.margin(self.side).signum());
            return Some(sign * (WON - Value::from(ply)));
        }
        (ply == self.depth).then(|| {
            let standings = position.standings().map(Value::from);
            let [attack, defence] = self.weights;
            attack * standings[self.side.index()] - defence * standings[self.side.other().index()]
        })
    }

    fn must_stop(&self) -> bool {
        if self.nodes >= self.most_nodes {
            return true;
        }
        self.nodes.is_multiple_of(POLL_EVERY) && (self.stop.get().is_some() || self.is_late())
    }

    fn is_late(&self) -> bool {
        let used = || clock::now().saturating_duration_since(self.limits.since);
        self.limits
            .budget
            .is_some_and(|budget| used() >= budget.hard)
    }

    fn seen_by_mover(&self, value: Value, position: &G) -> Value {
        if position.side_to_move() == self.side {
            value
        } else {
            -value
        }
    }

    /// A move is the best so far.
    fn choose(&mut self, mv: Move, ply: u32) {
        if ply == 0 && !self.stopped {
            self.best = Some(mv);
        }
    }

    /// The moves to look at, the best of the search before first.
    fn moves_at(&mut self, position: &G, ply: u32) -> Vec<Move> {
        let kept = self.moves.get_mut(ply as usize);
        let mut moves = kept.map(std::mem::take).unwrap_or_default();
        let first = self.best.filter(|_| ply == 0);
        self.order.moves(position, first, &mut moves);
        moves
    }

    fn keep(&mut self, moves: Vec<Move>, ply: u32) {
        self.moves[ply as usize] = moves;
    }
}

fn after<G: Game>(position: &G, mv: Move) -> G {
    let mut next = position.clone();
    next.play(mv);
    next
}
