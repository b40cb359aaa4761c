//! The time that a manager grants, as its `INFO` lines tell.

use crate::clock::TimeControl;
use std::time::Duration;

/// What `INFO time_left` says when the match has no limit.
const NO_LIMIT: i64 = 2_147_483_647;

/// The time that the manager grants.
#[derive(Clone, Copy, Default)]
pub struct GomocupClock {
    /// For one move.
    pub turn: Option<Duration>,
    /// For a whole game.
    pub game: Option<Duration>,
    /// For the rest of this game.
    pub left: Option<Duration>,
    /// Whether the manager has told what is left since the last move was asked for.
    is_told: bool,
    /// What is added to `left` after every move.
    pub increment: Duration,
}

impl GomocupClock {
    /// The time for the move that is asked for. `None` when the manager limits nothing.
    pub fn grant(&mut self) -> Option<TimeControl> {
        self.is_told = false;
        (self.turn.is_some() || self.left.is_some()).then_some(TimeControl {
            per_move: self.turn,
            left: self.left,
            increment: self.increment,
            ..TimeControl::default()
        })
    }

    /// So much is left, whatever a game has.
    pub fn tell(&mut self, left: Option<Duration>) {
        self.left = left;
        self.is_told = true;
    }

    /// A game begins. Some managers tell what is left before it does.
    pub fn begin(&mut self) {
        if !self.is_told {
            self.left = self.game;
        }
    }

    /// A move took so long. Most managers send `time_left` before every move. For those which do not, count along.
    pub fn spend(&mut self, elapsed: Duration) {
        self.left = self
            .left
            .map(|left| left.saturating_sub(elapsed) + self.increment);
    }
}

/// A time in milliseconds, which is below zero once it is used up.
pub fn limit(milliseconds: i64) -> Option<Duration> {
    let time = Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0));
    (milliseconds < NO_LIMIT).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_goes_before_what_a_game_has() {
        let seconds = |number| Some(Duration::from_secs(number));
        let mut clock = GomocupClock {
            game: seconds(100),
            ..GomocupClock::default()
        };
        clock.tell(seconds(3));
        clock.begin();
        assert_eq!(clock.left, seconds(3));
        assert_eq!(clock.grant().and_then(|it| it.left), seconds(3));
        clock.spend(Duration::from_secs(1));
        assert_eq!(clock.left, seconds(2));
        clock.begin();
        assert_eq!(clock.left, seconds(100));
    }

    #[test]
    fn no_limit_is_not_a_long_time() {
        assert_eq!(limit(NO_LIMIT), None);
        assert_eq!(limit(-20), Some(Duration::ZERO));
        assert_eq!(limit(0), Some(Duration::ZERO));
        assert_eq!(limit(1500), Some(Duration::from_millis(1500)));
    }
}
