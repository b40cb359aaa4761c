//! The moves that are given at the start of a game: drawn at random, or from a list.

use super::balanced::BalancedOpenings;
use crate::game::any::{AnyGame, new_game};
use crate::game::{Action, PlayError, Setup, SetupError, notation};
use crate::rollout::Random;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

/// Openings drawn before giving up. With a share of fair ones above one in ten, giving up
/// by bad luck has a chance below 1e-40.
const ATTEMPTS: u32 = 1000;

/// Where the openings of a match come from.
#[derive(Clone, Debug)]
pub enum Openings {
    /// A number of random moves.
    RandomPlies(u32),
    /// Stones of Gomoku with which neither side has won yet.
    Balanced(BalancedOpenings),
    /// These, one after the other, and then from the first again.
    Listed(Arc<[Vec<Action>]>),
}

impl Openings {
    /// The opening of a pair of games: the game after its moves. The pairs of a match are
    /// numbered from zero, and each has a seed of its own. Blocks for seconds where searches
    /// choose the opening.
    ///
    /// # Errors
    /// When there is no such opening on that board.
    pub fn of_pair(
        &self,
        setup: &Setup,
        pair: u32,
        seed: u64,
    ) -> Result<Box<dyn AnyGame>, OpeningError> {
        match self {
            Openings::RandomPlies(plies) => {
                random_opening(setup, *plies, &mut Random::seed_from_u64(seed))
                    .map_err(OpeningError::Setup)?
                    .ok_or(OpeningError::NotFound(*plies))
            }
            Openings::Balanced(openings) => {
                let moves = openings.of_seed(setup, seed);
                play_out(setup, &moves.ok_or(OpeningError::NotBalanced)?)
            }
            Openings::Listed(list) => {
                let index = pair as usize % list.len().max(1);
                play_out(setup, list.get(index).map_or(&[], Vec::as_slice))
            }
        }
    }

    /// Takes these moves, which an earlier match began with, for the opening of this seed where it
    /// can be so, and a search would have to find it again.
    pub fn recall(&self, setup: &Setup, seed: u64, moves: &[Action]) {
        if let Openings::Balanced(openings) = self {
            openings.recall(setup, seed, moves);
        }
    }
}

/// Why there is no such opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The game cannot be played with that setup.
    #[error(transparent)]
    Setup(SetupError),
    /// No fair opening of so many random moves was found.
    #[error("no opening of {0} random moves leaves a game to play")]
    NotFound(u32),
    /// No balanced opening was found.
    #[error("this board has no balanced opening")]
    NotBalanced,
    /// This move cannot be played.
    #[error("{0}: {1}")]
    Move(String, PlayError),
    /// The game is over when the opening is.
    #[error("the opening leaves no game to play")]
    Over,
}

/// The game after these moves, which it must go on after.
///
/// # Errors
/// When the game cannot be played with that setup, or not with these moves.
pub fn play_out(setup: &Setup, moves: &[Action]) -> Result<Box<dyn AnyGame>, OpeningError> {
    let mut game = new_game(setup).map_err(OpeningError::Setup)?;
    for &action in moves {
        game.play(action)
            .map_err(|error| OpeningError::Move(notation::write(setup, action), error))?;
    }
    match game.outcome() {
        None => Ok(game),
        Some(_) => Err(OpeningError::Over),
    }
}

/// A game that stands where the engines take over: after `plies` random legal moves, with the
/// game going on and no win in one for the side to move.
///
/// `None` when no such opening was found, as where the plies outlast the game.
///
/// # Errors
/// When the game cannot be played with that setup.
fn random_opening(
    setup: &Setup,
    plies: u32,
    random: &mut Random,
) -> Result<Option<Box<dyn AnyGame>>, SetupError> {
    let start = new_game(setup)?;
    for _ in 0..ATTEMPTS {
        let mut game = start.clone_box();
        for _ in 0..plies {
            let actions = game.legal_actions();
            if actions.is_empty() {
                break;
            }
            let action = actions[random.random_range(0..actions.len())];
            if game.play(action).is_err() {
                break;
            }
        }
        let whole = game.history().len() == plies as usize;
        if whole && game.outcome().is_none() && !wins_at_once(&*game) {
            return Ok(Some(game));
        }
    }
    Ok(None)
}

/// Whether the side to move has a move that wins.
fn wins_at_once(game: &dyn AnyGame) -> bool {
    let mover = game.side_to_move();
    game.legal_actions().into_iter().any(|action| {
        let mut after = game.clone_box();
        after.play(action).is_ok() && after.outcome().and_then(|end| end.winner()) == Some(mover)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameKind;

    fn opening(setup: &Setup, plies: u32, seed: u64) -> Option<Box<dyn AnyGame>> {
        random_opening(setup, plies, &mut Random::seed_from_u64(seed)).unwrap()
    }

    #[test]
    fn openings_are_unfinished_and_not_lost_at_once() {
        for kind in GameKind::ALL {
            for seed in 0..20 {
                let game = opening(&Setup::standard(kind), 12, seed).unwrap();
                assert_eq!(game.history().len(), 12);
                assert_eq!(game.outcome(), None);
                assert!(!wins_at_once(&*game));
            }
        }
    }

    #[test]
    fn the_seed_decides() {
        let setup = Setup::standard(GameKind::Gomoku);
        let moves = |seed| opening(&setup, 6, seed).unwrap().history().to_vec();
        assert_eq!(moves(1), moves(1));
        assert_ne!(moves(1), moves(2));
    }

    #[test]
    fn an_opening_longer_than_the_game_is_not_found() {
        assert!(opening(&Setup::standard(GameKind::Reversi), 200, 1).is_none());
    }
}
