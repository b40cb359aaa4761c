//! What the referee granted, and how long to think: pure arithmetic on `Duration`, and the one
//! place that reads the clock.

#[cfg(target_family = "wasm")]
mod lent;

#[cfg(target_family = "wasm")]
pub use lent::{Instant, lend};
use std::time::Duration;
#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;
#[cfg(feature = "cli")]
use std::time::SystemTime;

/// The time now. Every stamp and every deadline of the program comes from here.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "this is the room of the clock")]
pub fn now() -> Instant {
    Instant::now()
}

/// How long ago 1970 began, by the clock of the day, which may be set at any time.
#[cfg(feature = "cli")]
#[must_use]
pub fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
}

/// The processor time that this process has used on all its threads.
#[cfg(target_os = "linux")]
#[must_use]
pub fn processor_time() -> Duration {
    use nix::time::{ClockId, clock_gettime};
    // The clock is there in every process.
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    time.map(Duration::from).unwrap_or_default()
}

/// The processor time that a process has used on all its threads; `None` if there is none with
/// this number.
#[cfg(target_os = "linux")]
#[must_use]
pub fn processor_time_of(process: u32) -> Option<Duration> {
    use nix::time::{clock_getcpuclockid, clock_gettime};
    let process = nix::unistd::Pid::from_raw(i32::try_from(process).ok()?);
    let clock = clock_getcpuclockid(process).ok()?;
    clock_gettime(clock).ok().map(Duration::from)
}

/// The time for a move where nobody limits anything (guess).
pub const USUAL_TIME: Duration = Duration::from_millis(1000);

/// What a referee granted for a move. `None` means: not limited so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeControl {
    /// The most that this move may take.
    pub per_move: Option<Duration>,
    /// What is left for the rest of the game.
    pub left: Option<Duration>,
    /// What is added to `left` after each move.
    pub increment: Duration,
    /// How many moves `left` must last, where the referee grants a new period after them.
    pub moves_to_go: Option<u32>,
}

/// How long a search thinks, both counted from the stamp of the line that asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// After this the search may stop; it goes on while the best move is in doubt.
    pub soft: Duration,
    /// After this the search must have stopped.
    pub hard: Duration,
}

/// A longer time is taken for this long: some 136 years, which no arithmetic here overflows.
const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

/// How many more moves of ours a game is taken to last at the most, where only its whole time
/// is known: long games are decided sooner than the board is full. (Measured: `docs/EXPERIMENTS.md`,
/// Time.)
const HORIZON: u32 = 20;

impl TimeControl {
    /// So much for every move and no other limit.
    #[must_use]
    pub fn per_move(time: Duration) -> TimeControl {
        TimeControl {
            per_move: Some(time),
            ..TimeControl::default()
        }
    }

    /// How long to think about a move when the game lasts at most `plies_left` more plies and
    /// `overhead` is lost on the way to the referee. `None`: nothing is limited.
    ///
    /// With a limit per move all of it is used. A move gets an even share of the time left for
    /// the game and most of the increment, and up to three times as much while the best move
    /// is in doubt, but no more than half of what is left, except for the last move. The overhead
    /// is kept back, and half of it for every later move (guess).
    #[must_use]
    pub fn budget(&self, plies_left: u32, overhead: Duration) -> Option<Budget> {
        let per_move = self
            .per_move
            .map(|time| usable(time.min(LONGEST), overhead));
        let Some(left) = self.left.map(|time| time.min(LONGEST)) else {
            return per_move.map(|time| Budget {
                soft: time,
                hard: time,
            });
        };
        let to_end = plies_left.div_ceil(2).max(1);
        let to_go = self.moves_to_go.map_or(to_end, |it| it.clamp(1, to_end));
        let moves = self.moves_to_go.map_or(to_go.min(HORIZON), |_| to_go);
        let increment = self.increment.min(LONGEST);
        let later = (overhead / 2).saturating_sub(increment) * (to_go - 1);
        let free = left.saturating_sub(overhead.saturating_add(later));
        let share = free / moves + increment.saturating_sub(overhead) * 4 / 5;
        let most = if moves == 1 { free } else { free / 2 };
        // Where little is left, a quarter of it lasts to the end.
        let least = left / 4 / to_go;
        let within = |time: Duration| {
            let time = time.min(most).max(least);
            per_move.map_or(time, |limit| time.min(limit))
        };
        Some(Budget {
            soft: within(share),
            hard: within(share * 3),
        })
    }
}

/// What can be used of a limit. A limit near or below the overhead still leaves a quarter,
/// for a late move is better than none.
fn usable(limit: Duration, overhead: Duration) -> Duration {
    limit.saturating_sub(overhead).max(limit / 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_move_limit_is_used_up_to_the_overhead() {
        let budget = TimeControl::per_move(300 * MS).budget(50, 15 * MS).unwrap();
        assert_eq!(budget.soft, 285 * MS);
        assert_eq!(budget.hard, 285 * MS);
    }

    #[test]
    fn no_limit_is_no_budget() {
        assert_eq!(TimeControl::default().budget(10, MS), None);
    }

    #[test]
    fn the_last_move_may_use_all_that_is_left() {
        let time = TimeControl {
            left: Some(1000 * MS),
            ..TimeControl::default()
        };
        assert_eq!(time.budget(1, 10 * MS).unwrap().hard, 990 * MS);
    }

    #[test]
    fn times_beyond_all_bounds_are_bounded() {
        let time = TimeControl {
            per_move: Some(Duration::MAX),
            left: Some(Duration::MAX),
            increment: Duration::MAX,
            moves_to_go: Some(u32::MAX),
        };
        for plies in [0, 1, 7, u32::MAX] {
            assert!(time.budget(plies, MS).unwrap().hard <= LONGEST);
        }
    }

    proptest! {
        /// However long each move is thought about, and though a part of the overhead is lost on its way.
        #[test]
        fn a_game_played_by_its_budgets_never_runs_out(
            beside in 10u32..600_000,
            increment in 0u32..2000,
            plies in 2u32..400,
            overhead in 0u32..40,
        ) {
            let moves = plies.div_ceil(2);
            let overhead = overhead * MS;
            let mut time = TimeControl {
                left: Some(overhead + overhead * moves * 3 / 4 + beside * MS),
                increment: increment * MS,
                ..TimeControl::default()
            };
            for ply in (1..=plies).rev().step_by(2) {
                let budget = time.budget(ply, overhead).unwrap();
                prop_assert!(budget.soft <= budget.hard);
                let before = time.left.unwrap();
                let after = before.checked_sub(budget.hard + overhead * 3 / 8);
                prop_assert!(after.is_some(), "{before:?} is left, {budget:?}");
                time.left = after.map(|left| left + time.increment);
            }
        }
    }
}
