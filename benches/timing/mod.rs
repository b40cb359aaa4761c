//! What benchmarks measure with.

use std::time::Duration;

/// The time that this thread has run, which other programs do not add to.
#[cfg(unix)]
pub fn thread_time() -> Duration {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// Elsewhere the time of the day has to do.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGUN.elapsed()
}

/// The value in the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
