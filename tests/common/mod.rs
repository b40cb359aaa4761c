//! What the tests of the protocols share.

use tengen::game::{Action, AnyGame, Setup, Side, any};
use tengen::protocol::Request;

/// A stand-in for the session: it does on its own board what the protocol asks for, and does
/// not think.
pub struct Follower {
    pub game: Box<dyn AnyGame>,
}

impl Follower {
    pub fn new(setup: &Setup) -> Follower {
        Follower {
            game: any::new_game(setup).unwrap(),
        }
    }

    /// Panics if the request cannot be carried out, for protocols ask only for what is legal.
    pub fn obey(&mut self, request: &Request) {
        match request {
            Request::NewGame(setup) => self.game = any::new_game(setup).unwrap(),
            Request::Position {
                setup,
                stones,
                to_move,
            } => self.game = any::from_stones(setup, stones, *to_move).unwrap(),
            Request::Play(action) => self.game.play(*action).unwrap(),
            Request::Undo => drop(self.game.undo().unwrap()),
            Request::Think(_)
            | Request::Stop
            | Request::Clear
            | Request::Abort
            | Request::Set { .. }
            | Request::Bot { .. }
            | Request::Read(_)
            | Request::Write { .. }
            | Request::Quit => {}
        }
    }
}

/// Everything about a game that a protocol can change.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    setup: Setup,
    key: u64,
    to_move: Side,
    over: bool,
    history: Vec<Action>,
    stones: Vec<Option<Side>>,
}

impl Snapshot {
    pub fn of(game: &dyn AnyGame) -> Snapshot {
        let points = game.setup().points();
        Snapshot {
            setup: game.setup(),
            key: game.key(),
            to_move: game.side_to_move(),
            over: game.outcome().is_some(),
            history: game.history().to_vec(),
            stones: points.map(|point| game.stone_at(point)).collect(),
        }
    }
}
