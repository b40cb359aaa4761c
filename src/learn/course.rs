//! A course of self-play: games are played and learned from batch by batch, the work is kept so that
//! it can go on, and every generation of weights must play as well as the one before.

use super::checkpoint;
use super::gate::Score;
use super::progress::Progress;
use crate::clock;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::ops::{AddAssign, Range};
use std::path::Path;
use std::time::Duration;

/// Games between checks whether a checkpoint is due: all are played with the same weights, so more
/// learn later, and fewer keep threads waiting for each other.
const BATCH: u64 = 256;

/// Batches that are learned from before the one that begins with this game. Each generation of so many
/// games begins with a new one.
#[must_use]
pub fn batches_before(game: u64, generation: u64) -> u64 {
    game / generation * generation.div_ceil(BATCH) + (game % generation).div_ceil(BATCH)
}

/// Time from checkpoint to checkpoint; each generation ends with one, too.
const KEPT_EVERY: Duration = Duration::from_secs(20);

/// How well positions were judged when they were first seen: before anything was learned from their
/// game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// Positions.
    pub count: u64,
    /// The sum of the sizes of the differences between values and their games' results.
    pub sum: f64,
}

impl Errors {
    /// The mean difference from the results.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }
}

impl AddAssign for Errors {
    fn add_assign(&mut self, other: Errors) {
        self.count += other.count;
        self.sum += other.sum;
    }
}

/// What learns in a course.
pub trait Pupil {
    /// What it learns, ready to play.
    type Weights;

    /// Plays the games with these numbers, all with the same weights, and learns from them.
    fn step(&mut self, games: Range<u64>, threads: usize) -> Errors;

    /// What it has learned so far.
    fn weights(&self) -> Self::Weights;

    /// A match between new weights and old ones.
    fn compare(&self, new: &Self::Weights, old: &Self::Weights, threads: usize) -> Score;

    /// Writes weights to their file, and beside it how these generations made them.
    ///
    /// # Errors
    /// When one of the files cannot be written.
    fn publish(
        &self,
        weights: &Self::Weights,
        generations: &[Generation],
        out: &Path,
    ) -> anyhow::Result<()>;

    /// Weights as bytes.
    fn write(weights: &Self::Weights) -> Vec<u8>;

    /// The weights that these bytes are.
    fn read(bytes: &[u8]) -> Option<Self::Weights>;

    /// All that is needed to go on later.
    fn save(&self) -> Vec<u8>;

    /// Goes on from what was saved. False: the bytes are something else.
    fn restore(&mut self, bytes: &[u8]) -> bool;
}

/// How a generation did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Games from the beginning.
    pub games: u64,
    /// The mean error in the games of the generation.
    pub error: f64,
    /// The share of the points against the best generation before, 0..1.
    pub score: f64,
    /// The standard error of the score.
    pub score_error: f64,
    /// It did not lose, so it is the best now.
    pub accepted: bool,
}

/// How work is done. What comes of it depends on none of this.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Threads.
    pub threads: usize,
    /// Where it goes. What stands beside it goes there, too.
    pub out: &'a Path,
    /// Goes on with what is there of the same work.
    pub resume: bool,
}

/// How long a course is, and where its work is kept.
pub struct Course<'a> {
    /// Everything that decides what is learned, as text.
    pub title: String,
    /// Games in all.
    pub games: u64,
    /// Games of a generation.
    pub generation: u64,
    /// How it is worked through. The best weights go to its file.
    pub job: Job<'a>,
}

/// How far a course is.
struct Standing<W> {
    games: u64,
    errors: Errors,
    best: W,
    generations: Vec<Generation>,
}

/// What stands before the pupil's bytes in a checkpoint.
#[derive(Serialize, Deserialize)]
struct Kept {
    games: u64,
    count: u64,
    sum: f64,
    /// Bytes of the best weights, which come next.
    best: usize,
    generations: Vec<Generation>,
}

impl Course<'_> {
    /// Runs the course, and returns what became of each generation, and the best weights. They are
    /// written whenever they change. Progress goes to `told`.
    ///
    /// # Errors
    /// When a file cannot be written, or the checkpoint is of another course.
    pub fn run<P: Pupil>(
        &self,
        pupil: &mut P,
        told: &mut dyn Write,
    ) -> anyhow::Result<(Vec<Generation>, P::Weights)> {
        let partial = checkpoint::path_of(self.job.out);
        let mut standing = self.begin(pupil, &partial)?;
        let mut progress = Progress::new(standing.games, self.games, told);
        let mut kept = clock::now();
        while standing.games < self.games {
            let generation = standing.games / self.generation;
            let end = self.games.min((generation + 1) * self.generation);
            let batch = standing.games..end.min(standing.games + BATCH);
            standing.games = batch.end;
            standing.errors += pupil.step(batch, self.job.threads);
            // A new generation begins with none.
            let error = standing.errors.mean();
            if standing.games == end {
                let line = self.graduate(pupil, &mut standing)?;
                progress.say(&line)?;
            }
            progress.reach(standing.games, || format!("error {error:.3}"))?;
            if standing.games == end || clock::now() - kept > KEPT_EVERY {
                self.keep(pupil, &standing, &partial)?;
                kept = clock::now();
            }
        }
        progress.finish();
        Ok((standing.generations, standing.best))
    }

    fn begin<P: Pupil>(
        &self,
        pupil: &mut P,
        partial: &Path,
    ) -> anyhow::Result<Standing<P::Weights>> {
        let saved = match self.job.resume {
            true => checkpoint::load(partial, &self.title)?,
            false => None,
        };
        match saved {
            Some(bytes) => restore(pupil, &bytes)
                .with_context(|| format!("{} is of another version", partial.display())),
            None => {
                let standing = Standing {
                    games: 0,
                    errors: Errors::default(),
                    best: pupil.weights(),
                    generations: Vec::new(),
                };
                // Weights without a checkpoint could not be gone on from.
                self.keep(pupil, &standing, partial)?;
                Ok(standing)
            }
        }
    }

    /// Plays the match of the generation that is complete, and keeps its weights if it does not lose.
    fn graduate<P: Pupil>(
        &self,
        pupil: &P,
        standing: &mut Standing<P::Weights>,
    ) -> anyhow::Result<String> {
        let weights = pupil.weights();
        let score = pupil.compare(&weights, &standing.best, self.job.threads);
        let accepted = score.share() >= 0.5;
        let generation = Generation {
            games: standing.games,
            error: standing.errors.mean(),
            score: score.share(),
            score_error: score.error(),
            accepted,
        };
        let line = format!(
            "{} games: error {:.3}, {:.3} ± {:.3} against the best before",
            generation.games, generation.error, generation.score, generation.score_error
        );
        standing.generations.push(generation);
        standing.errors = Errors::default();
        if accepted {
            standing.best = weights;
            pupil.publish(&standing.best, &standing.generations, self.job.out)?;
        }
        Ok(line)
    }

    fn keep<P: Pupil>(
        &self,
        pupil: &P,
        standing: &Standing<P::Weights>,
        partial: &Path,
    ) -> anyhow::Result<()> {
        let best = P::write(&standing.best);
        let kept = Kept {
            games: standing.games,
            count: standing.errors.count,
            sum: standing.errors.sum,
            best: best.len(),
            generations: standing.generations.clone(),
        };
        let mut content = serde_json::to_vec(&kept)?;
        content.push(b'\n');
        content.extend(best);
        content.extend(pupil.save());
        checkpoint::save(partial, &self.title, &content)
    }
}

/// Goes on from the content of a checkpoint.
fn restore<P: Pupil>(pupil: &mut P, content: &[u8]) -> Option<Standing<P::Weights>> {
    let (kept, best, saved) = parts(content)?;
    let standing = Standing {
        games: kept.games,
        errors: Errors {
            count: kept.count,
            sum: kept.sum,
        },
        best: P::read(best)?,
        generations: kept.generations,
    };
    pupil.restore(saved).then_some(standing)
}

/// How far the course of a checkpoint with this content has come, the best weights, and what its pupil
/// saved.
fn parts(content: &[u8]) -> Option<(Kept, &[u8], &[u8])> {
    let end = content.iter().position(|&byte| byte == b'\n')?;
    let (kept, rest) = content.split_at_checked(end)?;
    let kept: Kept = serde_json::from_slice(kept).ok()?;
    let (best, saved) = rest.get(1..)?.split_at_checked(kept.best)?;
    Some((kept, best, saved))
}

/// The games that the course of a checkpoint with this content has come to, and what its pupil saved.
pub(super) fn saved(content: &[u8]) -> Option<(u64, &[u8])> {
    let (kept, _, saved) = parts(content)?;
    Some((kept.games, saved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::{self, ErrorKind};

    /// Counts: its weights are the sum of the numbers of its games.
    #[derive(Default)]
    struct Counter {
        sum: u64,
        batches: u64,
    }

    const GENERATION: u64 = 1000;

    impl Pupil for Counter {
        type Weights = u64;

        fn step(&mut self, games: Range<u64>, _: usize) -> Errors {
            assert_eq!(self.batches, batches_before(games.start, GENERATION));
            self.batches += 1;
            let count = games.end - games.start;
            self.sum += games.sum::<u64>();
            Errors { count, sum: 1.0 }
        }

        fn weights(&self) -> u64 {
            self.sum
        }

        fn compare(&self, new: &u64, old: &u64, _: usize) -> Score {
            Score::of_pair([if new > old { 1 } else { -1 }; 2])
        }

        fn publish(&self, weights: &u64, _: &[Generation], out: &Path) -> anyhow::Result<()> {
            Ok(fs::write(out, Self::write(weights))?)
        }

        fn write(weights: &u64) -> Vec<u8> {
            weights.to_le_bytes().to_vec()
        }

        fn read(bytes: &[u8]) -> Option<u64> {
            Some(u64::from_le_bytes(*bytes.first_chunk()?))
        }

        fn save(&self) -> Vec<u8> {
            [self.sum, self.batches].map(|it| Self::write(&it)).concat()
        }

        fn restore(&mut self, bytes: &[u8]) -> bool {
            let parts = bytes.as_chunks().0.iter();
            let [sum, batches] = parts.map(|it| u64::from_le_bytes(*it)).collect::<Vec<_>>()[..]
            else {
                return false;
            };
            *self = Counter { sum, batches };
            true
        }
    }

    /// A course of so many games that goes on if it can.
    fn course(out: &Path, games: u64) -> Course<'_> {
        Course {
            title: "count".to_owned(),
            games,
            generation: GENERATION,
            job: Job {
                threads: 1,
                out,
                resume: true,
            },
        }
    }

    fn remove(out: &Path) {
        fs::remove_file(checkpoint::path_of(out)).unwrap();
        fs::remove_file(out).unwrap();
    }

    #[test]
    fn a_course_goes_on_where_it_was() {
        let out = checkpoint::scratch("course");
        let (mut counter, mut told) = (Counter::default(), Vec::new());
        let (whole, best) = course(&out, 2500).run(&mut counter, &mut told).unwrap();
        assert_eq!((whole.len(), best), (3, counter.sum));
        assert!(whole.iter().all(|generation| generation.accepted));
        assert_eq!(counter.sum, 2500 * 2499 / 2);
        assert_eq!(fs::read(&out).unwrap(), Counter::write(&counter.sum));
        // The last lines of generations, too, tell the error of what was played.
        let lines = String::from_utf8(told.clone()).unwrap();
        assert!(lines.contains("2500/2500 games, "), "{lines}");
        assert!(!lines.contains("error 0.000"), "{lines}");

        // All of it is done; the same course to a later end goes on from there.
        let mut other = Counter::default();
        let (longer, _) = course(&out, 3000).run(&mut other, &mut told).unwrap();
        assert_eq!(other.sum, 3000 * 2999 / 2);
        assert_eq!(longer.len(), 4);
        remove(&out);
    }

    #[test]
    fn a_course_goes_on_within_a_generation() {
        let [whole, killed] = ["whole-course", "killed-course"].map(checkpoint::scratch);
        let (mut counter, mut told) = (Counter::default(), Vec::new());
        let (expected, _) = course(&whole, 2500).run(&mut counter, &mut told).unwrap();

        let (part, partial) = (course(&killed, 1000), checkpoint::path_of(&killed));
        part.run(&mut Counter::default(), &mut told).unwrap();
        let mut other = Counter::default();
        let mut standing = part.begin(&mut other, &partial).unwrap();
        standing.games += BATCH;
        standing.errors += other.step(1000..standing.games, 1);
        part.keep(&other, &standing, &partial).unwrap();

        let mut other = Counter::default();
        let (generations, _) = course(&killed, 2500).run(&mut other, &mut told).unwrap();
        assert_eq!(generations, expected);
        assert_eq!(other.sum, counter.sum);
        remove(&whole);
        remove(&killed);
    }

    /// A listener that goes away once this file is there.
    struct Until<'a>(&'a Path);

    impl Write for Until<'_> {
        fn write(&mut self, told: &[u8]) -> io::Result<usize> {
            match self.0.exists() {
                true => Err(ErrorKind::BrokenPipe.into()),
                false => Ok(told.len()),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_course_goes_on_after_its_first_weights() {
        let out = checkpoint::scratch("first-weights");
        let ended = course(&out, 2500).run(&mut Counter::default(), &mut Until(&out));
        assert!(ended.is_err() && out.exists());
        let kept = checkpoint::load(&checkpoint::path_of(&out), "count").unwrap();
        assert_eq!(saved(&kept.unwrap()).unwrap().0, 0);

        let mut counter = Counter::default();
        course(&out, 2500)
            .run(&mut counter, &mut Vec::new())
            .unwrap();
        assert_eq!(counter.sum, 2500 * 2499 / 2);
        remove(&out);
    }

    /// A figure that is one off in its last place makes a course that goes on another one.
    #[test]
    fn sums_are_read_back_as_they_were() {
        let kept = Kept {
            games: 7,
            count: 7,
            sum: 2.592_857_167_124_748_2,
            best: 0,
            generations: Vec::new(),
        };
        let text = serde_json::to_string(&kept).unwrap();
        let read: Kept = serde_json::from_str(&text).unwrap();
        assert_eq!(read.sum.to_bits(), kept.sum.to_bits(), "{text}");
    }
}
