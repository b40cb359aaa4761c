//! The board of a protocol which tells the whole game again before every move.

use super::{Request, Requests};
use crate::game::{Action, AnyGame, PlayError, Point, Setup, SetupError, Side, any};

/// The side of a player whose turn it is, by the stones on the board: the second if the opponent
/// has more.
pub fn side_by_stones(own: usize, others: usize) -> Side {
    if others > own {
        Side::Second
    } else {
        Side::First
    }
}

/// A game, and how a session is brought to it.
pub struct RetoldGame {
    /// `NewGame` or `Position`.
    start: Request,
    game: Box<dyn AnyGame>,
}

impl RetoldGame {
    /// The opening position.
    ///
    /// # Errors
    /// When the game cannot be played with that setup.
    pub fn opening(setup: &Setup) -> Result<RetoldGame, SetupError> {
        Ok(RetoldGame {
            start: Request::NewGame(*setup),
            game: any::new_game(setup)?,
        })
    }

    /// A position given by its stones. Where these are the opening position, it is that.
    ///
    /// # Errors
    /// When the stones cannot stand so.
    pub fn position(
        setup: &Setup,
        stones: Vec<(Point, Side)>,
        to_move: Side,
    ) -> Result<RetoldGame, SetupError> {
        let game = any::from_stones(setup, &stones, to_move)?;
        let opening = RetoldGame::opening(setup)?;
        if opening.game.key() == game.key() {
            return Ok(opening);
        }
        let start = Request::Position {
            setup: *setup,
            stones,
            to_move,
        };
        Ok(RetoldGame { start, game })
    }

    /// The game as it stands.
    pub fn game(&self) -> &dyn AnyGame {
        &*self.game
    }

    /// Plays a move.
    ///
    /// # Errors
    /// When the game is over or the move is not legal.
    pub fn play(&mut self, action: Action) -> Result<(), PlayError> {
        self.game.play(action)
    }

    /// What leads a session from this game to `target`. Where that goes on from here, it is
    /// the moves that are missing, so that the session keeps its tree; otherwise it is
    /// everything from the start, for a tree is of no use in a position before its root.
    pub fn lead_to(&self, target: &RetoldGame) -> Requests {
        let moves = target.game.history();
        let missing = moves.strip_prefix(self.game.history());
        let (start, moves) = match missing.filter(|_| self.start == target.start) {
            Some(missing) => (None, missing),
            None => (Some(target.start.clone()), moves),
        };
        let plays = moves.iter().map(|&action| Request::Play(action));
        start.into_iter().chain(plays).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameKind;

    fn connect4(columns: &[u8]) -> RetoldGame {
        let mut board = RetoldGame::opening(&Setup::standard(GameKind::Connect4)).unwrap();
        for &col in columns {
            board.play(Action::Column(col)).unwrap();
        }
        board
    }

    fn play(col: u8) -> Request {
        Request::Play(Action::Column(col))
    }

    #[test]
    fn a_longer_game_is_reached_by_its_last_moves() {
        let board = connect4(&[3, 3]);
        assert_eq!(board.lead_to(&connect4(&[3, 3])).as_slice(), []);
        let requests = board.lead_to(&connect4(&[3, 3, 2, 1]));
        assert_eq!(requests.as_slice(), [play(2), play(1)]);
    }

    #[test]
    fn another_game_is_begun_anew() {
        let new = Request::NewGame(Setup::standard(GameKind::Connect4));
        let board = connect4(&[3, 3]);
        let requests = board.lead_to(&connect4(&[3, 2]));
        assert_eq!(requests.as_slice(), [new.clone(), play(3), play(2)]);
        assert_eq!(board.lead_to(&connect4(&[])).as_slice(), [new]);
    }

    #[test]
    fn the_opening_by_its_stones_is_the_opening() {
        let setup = Setup::standard(GameKind::Reversi);
        let opening = RetoldGame::opening(&setup).unwrap();
        let points = setup.points();
        let stones: Vec<_> = points
            .filter_map(|point| Some((point, opening.game().stone_at(point)?)))
            .collect();
        let same = RetoldGame::position(&setup, stones.clone(), Side::First).unwrap();
        assert_eq!(opening.lead_to(&same).as_slice(), []);
        let other = RetoldGame::position(&setup, stones, Side::Second).unwrap();
        assert!(matches!(
            opening.lead_to(&other).as_slice(),
            [Request::Position { .. }]
        ));
    }
}
