//! How values tell the chance to win.

use super::games::{Game, Manner};
use crate::knowledge::reversi::patterns::{DISC, Patterns, STAGES, stage};
use crate::learn::course::Errors;
use crate::learn::selfplay;
use std::ops::Range;

/// Enough games for the scales to be known to a few hundredths.
pub const GAMES: u64 = 2000;

/// Fits the chances to win by games with these numbers, and returns the mean difference between the
/// values of their positions and their results, in discs. After the random beginning of a game the
/// best moves are played.
pub fn fit(
    patterns: &mut Patterns,
    manner: &Manner,
    seed: u64,
    numbers: Range<u64>,
    threads: usize,
) -> f64 {
    let manner = Manner {
        exploration: 0.0,
        ..*manner
    };
    let games = selfplay::play(threads, seed, numbers, |_, random| {
        Game::play((&*patterns).into(), &manner, random)
    });
    fit_to(patterns, games.iter())
}

/// The same by games that were played.
pub fn fit_to<'a>(patterns: &mut Patterns, games: impl Iterator<Item = &'a Game>) -> f64 {
    let mut of_stages: [Vec<(f32, f32)>; STAGES] = Default::default();
    let mut errors = Errors::default();
    for seen in games.flat_map(Game::unspoilt) {
        let value = patterns.evaluate(&seen.features) as f32;
        of_stages[stage(seen.features.discs())].push((value, seen.result));
        errors += Errors {
            count: 1,
            sum: f64::from((value / DISC as f32 - seen.result).abs()),
        };
    }
    for (stage, seen) in of_stages.iter().enumerate() {
        // A stage that was not met keeps the scale that it has.
        if let Some(scale) = fit_scale(seen) {
            *patterns.scale_mut(stage) = scale;
        }
    }
    errors.mean()
}

/// The scale by which values tell the chance to win best: with the least mean logarithm of the
/// chances that the results had. `seen`: values and results. `None`: there are none.
fn fit_scale(seen: &[(f32, f32)]) -> Option<f32> {
    if seen.is_empty() {
        return None;
    }
    /// The range in discs, and how finely it is searched.
    const RANGE: Range<u32> = 4..256;
    const PER_DISC: f32 = 4.0;
    let scales = RANGE.map(|step| step as f32 / PER_DISC * DISC as f32);
    let loss = |scale: f32| -> f64 {
        let losses = seen.iter().map(|&(value, result)| {
            let score = 0.5 + 0.5 * f64::from(result.partial_cmp(&0.0).map_or(0, |it| it as i8));
            let chance = 1.0 / (1.0 + libm::exp(-f64::from(value / scale)));
            let chance = chance.clamp(1e-9, 1.0 - 1e-9);
            -score * libm::log(chance) - (1.0 - score) * libm::log(1.0 - chance)
        });
        losses.sum()
    };
    let best = scales.map(|scale| (scale, loss(scale)));
    let best = best.min_by(|one, other| one.1.total_cmp(&other.1));
    best.map(|(scale, _)| scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_found_again() {
        // Values of 10 discs win three games of four, and so on: the odds are e to 1 at 9.1 discs.
        let seen = |value: f32, wins: usize| {
            let results = (0..100).map(move |game| if game < wins { 1.0 } else { -1.0 });
            results.map(move |result| (value * DISC as f32, result))
        };
        let seen: Vec<_> = seen(10.0, 75)
            .chain(seen(-10.0, 25))
            .chain(seen(0.0, 50))
            .collect();
        assert_eq!(fit_scale(&[]), None);
        let scale = fit_scale(&seen).unwrap() / DISC as f32;
        assert!((scale - 10.0 / 3.0_f32.ln()).abs() < 0.2, "{scale}");
    }
}
