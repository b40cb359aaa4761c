//! Time as GTP grants it: main time, then periods for a number of stones (Canadian byo-yomi); or,
//! by an extension of KataGo's, main time that grows with every move (Fischer).
//!
//! A controller should send `time_left` before each move. Where it does not, the clock counts
//! along by what the own thinking took.

use crate::clock::TimeControl;
use crate::game::Side;
use std::time::Duration;

/// The clocks of both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GtpClock {
    terms: Option<Terms>,
    left: [Option<Left>; 2],
}

/// What `time_settings` or `kata-time_settings` agreed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    /// The time before the periods.
    pub main: Duration,
    /// The length of a period.
    pub period: Duration,
    /// Stones to be played in a period. 0: there are no periods.
    pub stones: u32,
    /// What every move adds to the main time.
    pub increment: Duration,
    /// More main time than this is not kept.
    pub most_left: Option<Duration>,
    /// The most for a move.
    pub per_move: Option<Duration>,
}

/// What a side has left: main time if `stones` is 0, else the time for that many stones.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Left {
    time: Duration,
    stones: u32,
}

impl Terms {
    /// A period for no stones means no limit at all; no period means main time alone.
    pub fn canadian(main: Duration, period: Duration, stones: u32) -> Option<Terms> {
        let terms = Terms {
            main,
            period,
            stones: if period.is_zero() { 0 } else { stones },
            ..Terms::default()
        };
        (period.is_zero() || stones > 0).then_some(terms)
    }

    /// Main time that grows with every move.
    pub fn fischer(main: Duration, increment: Duration) -> Terms {
        Terms {
            main,
            increment,
            ..Terms::default()
        }
    }

    fn at_start(&self) -> Left {
        if self.main.is_zero() && self.stones > 0 {
            self.new_period()
        } else {
            Left {
                time: self.main,
                stones: 0,
            }
        }
    }

    fn new_period(&self) -> Left {
        Left {
            time: self.period,
            stones: self.stones,
        }
    }
}

impl GtpClock {
    /// From now on the game is played by these terms. `None`: without a limit.
    pub fn agree(&mut self, terms: Option<Terms>) {
        self.terms = terms;
        self.restart();
    }

    /// A new game begins.
    pub fn restart(&mut self) {
        self.left = [self.terms.map(|terms| terms.at_start()); 2];
    }

    /// `time_left`.
    pub fn set_left(&mut self, side: Side, time: Duration, stones: u32) {
        let used_up = time.is_zero() && stones == 0;
        let period = self.terms.filter(|terms| used_up && terms.stones > 0);
        let left = period.map_or(Left { time, stones }, |terms| terms.new_period());
        self.left[side.index()] = Some(left);
    }

    /// What `side` may use for its next move. `None` when nothing is limited.
    pub fn grant(&self, side: Side) -> Option<TimeControl> {
        let left = self.left[side.index()]?;
        let terms = self.terms.unwrap_or_default();
        let unlimited = TimeControl {
            per_move: terms.per_move,
            ..TimeControl::default()
        };
        Some(if left.stones > 0 {
            TimeControl {
                left: Some(left.time),
                moves_to_go: Some(left.stones),
                ..unlimited
            }
        } else {
            // The periods to come let every move cost its share of one, at the least.
            let share = terms.period.checked_div(terms.stones);
            TimeControl {
                left: Some(left.time),
                increment: terms.increment + share.unwrap_or_default(),
                ..unlimited
            }
        })
    }

    /// `side` has used so much for a move.
    pub fn spend(&mut self, side: Side, elapsed: Duration) {
        let Some(left) = &mut self.left[side.index()] else {
            return;
        };
        let terms = self.terms.unwrap_or_default();
        let overrun = elapsed.saturating_sub(left.time);
        left.time = left.time.saturating_sub(elapsed);
        if terms.stones == 0 {
            let grown = left.time.saturating_add(terms.increment);
            left.time = terms.most_left.map_or(grown, |most| grown.min(most));
            return;
        }
        if left.stones == 0 && left.time.is_zero() {
            *left = terms.new_period();
            left.time = left.time.saturating_sub(overrun);
        }
        match left.stones {
            0 => {}
            1 => *left = terms.new_period(),
            _ => left.stones -= 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn agreed(main: u64, period: u64, stones: u32) -> GtpClock {
        let mut clock = GtpClock::default();
        clock.agree(Terms::canadian(seconds(main), seconds(period), stones));
        clock
    }

    #[test]
    fn absolute_time_runs_down() {
        let mut clock = agreed(60, 0, 0);
        clock.spend(Side::First, seconds(20));
        let left = |side| clock.grant(side).and_then(|time| time.left);
        assert_eq!(left(Side::First), Some(seconds(40)));
        assert_eq!(left(Side::Second), Some(seconds(60)));
    }

    #[test]
    fn a_period_for_no_stones_is_no_limit() {
        assert_eq!(agreed(0, 1, 0).grant(Side::First), None);
        assert_eq!(agreed(60, 30, 0).grant(Side::First), None);
    }

    #[test]
    fn after_main_time_periods_are_granted() {
        let mut clock = agreed(60, 30, 5);
        let time = clock.grant(Side::Second).unwrap();
        assert_eq!((time.left, time.increment), (Some(seconds(60)), seconds(6)));
        clock.spend(Side::Second, seconds(70));
        let time = clock.grant(Side::Second).unwrap();
        assert_eq!((time.left, time.moves_to_go), (Some(seconds(20)), Some(4)));
        for _ in 0..4 {
            clock.spend(Side::Second, seconds(1));
        }
        let time = clock.grant(Side::Second).unwrap();
        assert_eq!((time.left, time.moves_to_go), (Some(seconds(30)), Some(5)));
    }

    #[test]
    fn time_grows_with_every_move() {
        let mut clock = GtpClock::default();
        clock.agree(Some(Terms {
            most_left: Some(seconds(62)),
            per_move: Some(seconds(20)),
            ..Terms::fischer(seconds(60), seconds(5))
        }));
        let left = |clock: &GtpClock| clock.grant(Side::First).unwrap().left;
        clock.spend(Side::First, seconds(10));
        assert_eq!(left(&clock), Some(seconds(55)));
        clock.spend(Side::First, seconds(70));
        assert_eq!(left(&clock), Some(seconds(5)));
        clock.set_left(Side::First, seconds(61), 0);
        clock.spend(Side::First, seconds(1));
        assert_eq!(left(&clock), Some(seconds(62)));
        let time = clock.grant(Side::First).unwrap();
        assert_eq!(
            (time.increment, time.per_move),
            (seconds(5), Some(seconds(20)))
        );
    }

    #[test]
    fn the_controller_has_the_last_word() {
        let mut clock = agreed(0, 30, 5);
        clock.set_left(Side::First, seconds(12), 2);
        let time = clock.grant(Side::First).unwrap();
        assert_eq!((time.left, time.moves_to_go), (Some(seconds(12)), Some(2)));
        clock.set_left(Side::First, seconds(0), 0);
        let time = clock.grant(Side::First).unwrap();
        assert_eq!((time.left, time.moves_to_go), (Some(seconds(30)), Some(5)));
        clock.restart();
        assert_eq!(clock, agreed(0, 30, 5));
    }
}
