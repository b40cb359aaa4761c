//! Many games on several threads, as if they were played one after the other.

use crate::rollout::Random;
use rand::SeedableRng;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::Builder;

/// How numbers are spread over seeds: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The random numbers of a game, the same on every thread.
#[must_use]
pub fn random_of(seed: u64, number: u64) -> Random {
    Random::seed_from_u64(seed ^ number.wrapping_mul(SPREAD))
}

/// Plays the games with these numbers by `play`, and returns what it returns of each, in order.
pub fn play<R: Send>(
    threads: usize,
    seed: u64,
    numbers: Range<u64>,
    play: impl Fn(u64, &mut Random) -> R + Sync,
) -> Vec<R> {
    for_each(threads, numbers, |number| {
        play(number, &mut random_of(seed, number))
    })
}

/// What `work` makes of each of these numbers, in order. A thread that is done with one takes the next.
/// Where the system does not grant all threads, fewer do the work.
pub fn for_each<R: Send>(
    threads: usize,
    numbers: Range<u64>,
    work: impl Fn(u64) -> R + Sync,
) -> Vec<R> {
    let next = AtomicU64::new(numbers.start);
    let work = &|| {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return done;
            }
            done.push((number, work(number)));
        }
    };
    let mut done = std::thread::scope(|scope| {
        let begun = (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, work).ok());
        let others: Vec<_> = begun.collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Does the parts of some work on as many threads, and returns what comes of each, in order.
pub fn share<P: Send, R: Send>(parts: Vec<P>, work: impl Fn(P) -> R + Sync) -> Vec<R> {
    let parts: Vec<_> = parts.into_iter().map(|it| Mutex::new(Some(it))).collect();
    let results = for_each(parts.len(), 0..parts.len() as u64, |number| {
        let part = parts.get(number as usize)?.lock().ok()?.take()?;
        Some(work(part))
    });
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn threads_change_nothing() {
        let by = |threads| {
            play(threads, 7, 5..200, |number, random| {
                (number, random.next_u64())
            })
        };
        let alone = by(1);
        assert_eq!(alone.len(), 195);
        assert_eq!(alone[3].0, 8);
        assert_eq!(alone, by(3));
    }
}
