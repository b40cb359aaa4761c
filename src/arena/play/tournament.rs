//! Who meets whom.

use clap::ValueEnum;

/// Who meets whom in a match of several engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tournament {
    /// Every engine meets every other
    RoundRobin,
    /// The first engine meets every other
    Gauntlet,
    /// The first engine meets the others in turn, while it scores more than half
    Ladder,
}

impl Tournament {
    /// The pairs that meet, as indices of engines, in the order in which they play.
    #[must_use]
    pub fn pairs(self, engines: usize) -> Vec<[usize; 2]> {
        let firsts = match self {
            Tournament::RoundRobin => engines,
            Tournament::Gauntlet | Tournament::Ladder => engines.min(1),
        };
        let rest = |one| (one + 1..engines).map(move |other| [one, other]);
        (0..firsts).flat_map(rest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_four_engines() {
        let all = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        assert_eq!(Tournament::RoundRobin.pairs(4), all);
        assert_eq!(Tournament::Gauntlet.pairs(4), all[..3]);
        assert_eq!(Tournament::Ladder.pairs(4), all[..3]);
        assert_eq!(Tournament::RoundRobin.pairs(2), [[0, 1]]);
    }
}
