//! How far samples of rollouts may differ by chance.

use tengen::rollout::{Measured, Tally};

/// How many standard deviations a sample may lie off. Chance alone passes this once in two
/// million comparisons; the seeds are fixed, so that a test that passes goes on passing.
pub const DEVIATIONS: f64 = 5.0;

/// The mean length of rollouts, and the variance of this mean.
pub fn mean_length(rollouts: &Measured) -> (f64, f64) {
    let count = f64::from(rollouts.tally.rollouts);
    let mean = rollouts.plies as f64 / count;
    (
        mean,
        (rollouts.squares as f64 / count - mean * mean) / count,
    )
}

/// By how many standard errors the mean lengths of two samples differ.
pub fn deviation_of_lengths(some: &Measured, others: &Measured) -> f64 {
    let [(some, variance), (others, other_variance)] = [some, others].map(mean_length);
    ratio(some - others, variance + other_variance)
}

/// By how many standard errors two samples differ: in the shares of rollouts that the first side
/// wins and that nobody wins.
pub fn deviations_of_shares(some: &Tally, others: &Tally) -> [f64; 2] {
    let events = |tally: &Tally| {
        let [first, second] = tally.wins;
        [first, tally.rollouts - first - second].map(f64::from)
    };
    let counts = [some, others].map(|tally| f64::from(tally.rollouts));
    let per_count = counts.map(|count| 1.0 / count);
    let [some, others] = [some, others].map(events);
    [0, 1].map(|event| {
        let mean = (some[event] + others[event]) / (counts[0] + counts[1]);
        let difference = some[event] * per_count[0] - others[event] * per_count[1];
        ratio(
            difference,
            mean * (1.0 - mean) * (per_count[0] + per_count[1]),
        )
    })
}

/// A difference in standard errors. One that rounding explains is none.
fn ratio(difference: f64, variance: f64) -> f64 {
    const ROUNDING: f64 = 1e-9;
    if difference.abs() <= ROUNDING {
        return 0.0;
    }
    difference / variance.max(0.0).sqrt()
}

/// How far the share of an event with this probability may lie off in `count` games.
pub fn tolerance(probability: f64, count: u32) -> f64 {
    const ROUNDING: f64 = 1e-9;
    let variance = probability * (1.0 - probability) / f64::from(count);
    DEVIATIONS * variance.max(0.0).sqrt() + ROUNDING
}
