//! Threads that wait for work.
//!
//! The threads of a search stay alive from one search to the next, and stand on different cores
//! when it begins. Linux does neither see to the one nor to the other: it begins new threads on the
//! core of the thread that begins them more often than not, and may wake one there, too. They then
//! share it until the scheduler has seen for some time that another core is idle (`docs/EXPERIMENTS.md`,
//! Threads).

use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::iter::successors;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The calling thread, and others.
pub struct Crew {
    /// `None`: there are no others.
    others: Option<ThreadPool>,
    places: Places,
}

impl Crew {
    /// This many threads with the calling one; where the system does not grant all others, half as
    /// many, or half of these, and so on.
    #[must_use]
    pub fn new(threads: usize) -> Crew {
        let all = threads.saturating_sub(1);
        let mut sizes = successors(Some(all), |others| Some(others / 2)).take_while(|it| *it > 0);
        let pool = |others| ThreadPoolBuilder::new().num_threads(others).build().ok();
        let crew = Crew {
            others: sizes.find_map(pool),
            places: Places::new(threads),
        };
        if crew.threads() < threads {
            let granted = crew.threads();
            log::warn!("the system does not grant {threads} threads: {granted} do the work");
        }
        crew
    }

    /// How many threads there are, with the calling one.
    #[must_use]
    pub fn threads(&self) -> usize {
        1 + self
            .others
            .as_ref()
            .map_or(0, ThreadPool::current_num_threads)
    }

    /// Does `first` on the calling thread and `others` on the others at the same time, as far as
    /// there are threads, and blocks until all is done.
    pub fn work<'a, J>(&'a self, first: impl FnOnce(), others: impl IntoIterator<Item = J>)
    where
        J: FnOnce() + Send + 'a,
    {
        let Some(pool) = &self.others else {
            first();
            others.into_iter().for_each(|job| job());
            return;
        };
        self.places.stand_apart(0);
        pool.in_place_scope(|scope| {
            for (number, job) in (1..).zip(others) {
                scope.spawn(move |_| {
                    self.places.stand_apart(number);
                    job();
                    self.places.note(number, system::here());
                });
            }
            first();
        });
    }
}

/// The cores where the threads of a crew were seen last.
struct Places(Box<[AtomicUsize]>);

impl Places {
    /// A thread that was not seen yet.
    const NOWHERE: usize = usize::MAX;

    fn new(threads: usize) -> Places {
        let nowhere = || AtomicUsize::new(Places::NOWHERE);
        Places((0..threads).map(|_| nowhere()).collect())
    }

    /// The calling thread, which has this number, is on that core.
    fn note(&self, number: usize, core: usize) {
        if let Some(place) = self.0.get(number) {
            place.store(core, Ordering::Relaxed);
        }
    }

    /// Moves the calling thread to a core of its own, if it is on that of another.
    fn stand_apart(&self, number: usize) {
        let is_free = |core: usize| {
            let mut others = (0..).zip(&self.0).filter(|(other, _)| *other != number);
            others.all(|(_, place)| place.load(Ordering::Relaxed) != core)
        };
        let here = system::here();
        let moved = match is_free(here) {
            true => None,
            false => system::leave(here, is_free),
        };
        self.note(number, moved.unwrap_or(here));
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::Places;
    use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use nix::unistd::Pid;

    /// The calling thread.
    const SELF: Pid = Pid::from_raw(0);

    /// The core of the calling thread.
    pub fn here() -> usize {
        sched_getcpu().unwrap_or(Places::NOWHERE)
    }

    /// Moves the calling thread from this core to the next that will do, if it may be there, and
    /// leaves it free to be moved on. Returns that core; `None`: it was not moved.
    pub fn leave(here: usize, will_do: impl Fn(usize) -> bool) -> Option<usize> {
        let allowed = sched_getaffinity(SELF).ok()?;
        let count = CpuSet::count();
        let mut cores = (1..count).map(|step| here.wrapping_add(step) % count);
        let next = cores.find(|&core| allowed.is_set(core) == Ok(true) && will_do(core))?;
        let mut only = CpuSet::new();
        only.set(next).ok()?;
        sched_setaffinity(SELF, &only).ok()?;
        sched_setaffinity(SELF, &allowed).ok()?;
        Some(next)
    }
}

/// Elsewhere the system is trusted.
#[cfg(not(target_os = "linux"))]
mod system {
    pub fn here() -> usize {
        super::Places::NOWHERE
    }

    pub fn leave(_: usize, _: impl Fn(usize) -> bool) -> Option<usize> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use nix::sched::{CpuSet, sched_getaffinity};
    use nix::unistd::Pid;

    #[test]
    fn a_thread_leaves_the_core_of_another() {
        let allowed = || sched_getaffinity(Pid::from_raw(0)).unwrap();
        let before = allowed();
        let places = Places::new(2);
        places.note(1, system::here());
        places.stand_apart(0);
        let [own, other] = [0, 1].map(|number| places.0[number].load(Ordering::Relaxed));
        let cores = (0..CpuSet::count()).filter(|&core| before.is_set(core) == Ok(true));
        assert_eq!(own != other, cores.count() > 1);
        assert!(allowed() == before, "it may go on to any core");
    }
}
