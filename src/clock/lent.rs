//! The clock where the system has none that the program could read: its caller lends one.

use std::ops::Add;
use std::sync::OnceLock;
use std::time::Duration;

/// How long ago the clock began, by the clock that was lent.
type Source = fn() -> Duration;

static SOURCE: OnceLock<Source> = OnceLock::new();

/// Lends a clock, which must never go back. Before that, time stands still: searches may be limited
/// by playouts then, but by no time. The clock that was lent first stands.
pub fn lend(source: Source) {
    // The second clock is dropped.
    let _ = SOURCE.set(source);
}

/// A moment, by the clock that was lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    /// The present moment.
    #[must_use]
    pub fn now() -> Instant {
        Instant(SOURCE.get().map(|source| source()).unwrap_or_default())
    }

    /// How long after another moment this is; nothing, if it is before it.
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, later: Duration) -> Instant {
        Instant(self.0 + later)
    }
}
