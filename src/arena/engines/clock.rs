//! The clock of one side in one game.

use crate::clock::TimeControl;
use std::time::Duration;

/// What a side was granted and what it has used.
#[derive(Clone, Debug, PartialEq)]
pub struct GameClock {
    agreed: TimeControl,
    /// For the game up to now, with the increments of the moves made. `None`: no limit.
    granted: Option<Duration>,
    spent: Duration,
}

impl GameClock {
    /// At the beginning of a game, for which `agreed.left` is granted as a whole.
    #[must_use]
    pub fn new(agreed: TimeControl) -> GameClock {
        GameClock {
            granted: agreed.left,
            agreed,
            spent: Duration::ZERO,
        }
    }

    /// What the side may use now.
    #[must_use]
    pub fn time(&self) -> TimeControl {
        let left = |granted: Duration| granted.saturating_sub(self.spent);
        TimeControl {
            left: self.granted.map(left),
            ..self.agreed
        }
    }

    /// How long the next move may take before the game is lost. `None`: no limit.
    ///
    /// A move may overrun its own limit by the `margin` every time, but all moves together
    /// overrun the limit of the game by one margin only. The limit for a move is `least` at
    /// the least.
    #[must_use]
    pub fn limit(&self, least: Duration, margin: Duration) -> Option<Duration> {
        let for_move = self.agreed.per_move.map(|time| time.max(least) + margin);
        let for_game = self
            .granted
            .map(|granted| (granted + margin).saturating_sub(self.spent));
        [for_move, for_game].into_iter().flatten().min()
    }

    /// A move took so long.
    pub fn spend(&mut self, took: Duration) {
        self.spent += took;
        self.granted = self.granted.map(|granted| granted + self.agreed.increment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn the_game_may_be_overrun_by_one_margin_in_all() {
        let mut clock = GameClock::new(TimeControl {
            left: Some(10 * S),
            increment: S,
            ..TimeControl::default()
        });
        assert_eq!(clock.limit(Duration::ZERO, 2 * S), Some(12 * S));
        clock.spend(11 * S);
        assert_eq!(clock.time().left, Some(Duration::ZERO));
        assert_eq!(clock.limit(Duration::ZERO, 2 * S), Some(2 * S));
        clock.spend(2 * S);
        assert_eq!(clock.limit(Duration::ZERO, 2 * S), Some(S));
        clock.spend(Duration::ZERO);
        assert_eq!(clock.time().left, Some(Duration::ZERO));
        assert_eq!(clock.limit(Duration::ZERO, 2 * S), Some(2 * S));
    }

    #[test]
    fn the_stricter_limit_holds() {
        let mut clock = GameClock::new(TimeControl {
            per_move: Some(3 * S),
            left: Some(5 * S),
            ..TimeControl::default()
        });
        assert_eq!(clock.limit(Duration::ZERO, S), Some(4 * S));
        assert_eq!(clock.limit(10 * S, S), Some(6 * S));
        clock.spend(4 * S);
        assert_eq!(clock.limit(Duration::ZERO, S), Some(2 * S));
        assert_eq!(clock.time().per_move, Some(3 * S));
        assert_eq!(GameClock::new(TimeControl::default()).limit(S, S), None);
    }
}
