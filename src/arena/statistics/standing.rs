//! What the records of a match add up to.

use crate::arena::records::record::{GameRecord, Termination};
use crate::arena::statistics::sprt::Sprt;
use crate::arena::statistics::stats::Estimate;
use std::collections::{BTreeMap, HashMap};

/// The games of a match, by pairing. Its size does not grow with the games.
#[derive(Clone, Debug, Default)]
pub struct Standings(BTreeMap<usize, Standing>);

impl Standings {
    /// Counts a game.
    pub fn add(&mut self, record: &GameRecord) {
        let standing = self.0.entry(record.pairing);
        standing
            .or_insert_with(|| Standing::new(record))
            .add(record);
    }

    /// The standing of a pairing; `None` before its first game.
    #[must_use]
    pub fn get(&self, pairing: usize) -> Option<&Standing> {
        self.0.get(&pairing)
    }

    /// The standings in the order of their pairings.
    pub fn iter(&self) -> impl Iterator<Item = &Standing> {
        self.0.values()
    }
}

/// The games of one pairing, seen by the first of its engines.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Both engines as the command line names them.
    pub engines: [String; 2],
    /// The game and the size of its board, as in `gomoku 15x15`.
    pub board: String,
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// The times of either engine.
    pub times: [Times; 2],
    /// By engine and kind: how often, and what happened the first time.
    pub faults: BTreeMap<(usize, Termination), (u32, String)>,
    /// Complete pairs that brought 0 to 4 half points.
    pairs: [u32; 5],
    /// The half points of games whose partner is not over yet, by number and opening of the pair.
    halves: HashMap<(u32, Vec<String>), usize>,
}

/// How long an engine's moves took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    moves: u32,
    total_ms: f64,
    longest_ms: f64,
}

impl Times {
    fn add(&mut self, ms: f64) {
        self.moves += 1;
        self.total_ms += ms;
        self.longest_ms = self.longest_ms.max(ms);
    }

    /// The mean in ms; `None` when no move was made.
    #[must_use]
    pub fn mean_ms(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.total_ms / f64::from(self.moves))
    }

    /// The longest in ms; `None` when no move was made.
    #[must_use]
    pub fn max_ms(&self) -> Option<f64> {
        (self.moves > 0).then_some(self.longest_ms)
    }
}

impl Standing {
    /// The standing before the first game of the pairing that the record belongs to.
    #[must_use]
    pub fn new(record: &GameRecord) -> Standing {
        Standing {
            engines: record.engines.clone(),
            board: format!(
                "{} {}x{}",
                record.setup.game(),
                record.setup.cols,
                record.setup.rows
            ),
            wins: 0,
            draws: 0,
            losses: 0,
            times: [Times::default(); 2],
            faults: BTreeMap::new(),
            pairs: [0; 5],
            halves: HashMap::new(),
        }
    }

    /// Counts a game of this pairing.
    pub fn add(&mut self, record: &GameRecord) {
        let half_points = match record.winner {
            Some(0) => 2,
            Some(_) => 0,
            None => 1,
        };
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
        let pair = (record.number / 2, record.opening.clone());
        match self.halves.remove(&pair) {
            Some(partner) => self.pairs[partner + half_points] += 1,
            None => {
                self.halves.insert(pair, half_points);
            }
        }
        for (index, played) in record.moves.iter().enumerate() {
            self.times[record.mover(index)].add(played.ms);
        }
        self.add_fault(record);
    }

    fn add_fault(&mut self, record: &GameRecord) {
        if let (Some(winner), true) = (record.winner, record.termination.is_fault()) {
            let first = || (0, record.detail.clone().unwrap_or_default());
            let fault = self.faults.entry((1 - winner.min(1), record.termination));
            fault.or_insert_with(first).0 += 1;
        }
    }

    /// Games counted.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// The log-likelihood ratio of the test: from the pairs that are complete, or from games
    /// while none is.
    #[must_use]
    pub fn llr(&self, sprt: &Sprt) -> f64 {
        match self.pairs {
            [0, 0, 0, 0, 0] => sprt.llr(&[self.losses, self.draws, self.wins]),
            pairs => sprt.llr(&pairs),
        }
    }

    /// Whether the first engine scored more than half.
    #[must_use]
    pub fn is_won(&self) -> bool {
        self.wins > self.losses
    }

    /// How often an engine, 0 or 1, misbehaved.
    #[must_use]
    pub fn fault_count(&self, engine: usize) -> u32 {
        let own = self.faults.iter().filter(|((who, _), _)| *who == engine);
        own.map(|(_, (count, _))| count).sum()
    }

    /// The score with its interval: from pairs, or from games while a pair is not complete.
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        if self.halves.is_empty() {
            Estimate::of_pairs(&self.pairs)
        } else {
            Estimate::of_games(self.losses, self.draws, self.wins)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::records::record::sample as record;

    #[test]
    fn pairs_are_joined_in_whatever_order_their_games_end() {
        let mut standing = Standing::new(&record(0, None, Termination::Draw));
        for (number, winner) in [(3, Some(0)), (0, Some(1)), (2, None), (1, Some(0))] {
            standing.add(&record(number, winner, Termination::Win));
        }
        assert_eq!((standing.wins, standing.draws, standing.losses), (2, 1, 1));
        assert_eq!(standing.estimate(), Estimate::of_pairs(&[0, 0, 1, 1, 0]));
        standing.add(&record(4, Some(0), Termination::Win));
        assert_eq!(standing.estimate(), Estimate::of_games(1, 1, 3));
        let sprt: Sprt = "0,10".parse().unwrap();
        assert_eq!(standing.llr(&sprt), sprt.llr(&[0, 0, 1, 1, 0]));
    }

    #[test]
    fn times_and_faults_are_counted_for_the_right_engine() {
        let mut standing = Standing::new(&record(0, None, Termination::Draw));
        // One ply is given, so in game 0 the second engine moves first: 1 and 3 ms are its.
        standing.add(&record(0, Some(0), Termination::Crash));
        assert_eq!(standing.times[0].mean_ms(), Some(10.0));
        assert_eq!(standing.times[1].mean_ms(), Some(2.0));
        assert_eq!(standing.times[1].max_ms(), Some(3.0));
        assert_eq!((standing.fault_count(0), standing.fault_count(1)), (0, 1));
        standing.add(&record(1, Some(1), Termination::Resign));
        assert_eq!((standing.fault_count(0), standing.fault_count(1)), (0, 1));
    }
}
