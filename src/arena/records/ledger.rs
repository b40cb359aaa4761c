//! Which games of a match are there already, so that none is counted twice.

use crate::arena::records::record::GameRecord;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// The games that were entered. Takes some tens of bytes a game.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// By pairing and number: a hash of the record's line. Two of n records with errors
    /// in them have the same hash with a chance below n² / 2^65.
    games: HashMap<(usize, u32), u64>,
    /// By pairing: what its games have in common.
    pairings: HashMap<usize, GameRecord>,
}

/// Why a record cannot be entered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// Games of this pairing that were entered before had other engines, terms or another seed.
    #[error("a game of another match: its pairing {0} differs")]
    OtherMatch(usize),
    /// This game of this pairing was entered before and went another way.
    #[error("game {1} of pairing {0} was recorded before, and went another way")]
    Conflict(usize, u32),
}

impl Ledger {
    /// Enters a record and the line it was read from. Tells whether the game is new; the same
    /// line may come again.
    ///
    /// # Errors
    /// When the record does not go together with those entered before.
    pub fn enter(&mut self, line: &str, record: &GameRecord) -> Result<bool, LedgerError> {
        let common = in_common(record);
        let pairing = self.pairings.entry(record.pairing);
        if *pairing.or_insert_with(|| common.clone()) != common {
            return Err(LedgerError::OtherMatch(record.pairing));
        }
        let hash = BuildHasherDefault::<DefaultHasher>::new().hash_one(line);
        match self.games.entry((record.pairing, record.number)) {
            Entry::Vacant(place) => {
                place.insert(hash);
                Ok(true)
            }
            Entry::Occupied(before) if *before.get() == hash => Ok(false),
            Entry::Occupied(_) => Err(LedgerError::Conflict(record.pairing, record.number)),
        }
    }

    /// Whether the game was entered.
    #[must_use]
    pub fn has(&self, pairing: usize, number: u32) -> bool {
        self.games.contains_key(&(pairing, number))
    }

    /// How many games were entered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// How many games were not entered though a later one of their pairing was.
    #[must_use]
    pub fn missing(&self) -> usize {
        let mut whole = HashMap::new();
        for &(pairing, number) in self.games.keys() {
            let games = whole.entry(pairing).or_insert(0);
            *games = (number as usize + 1).max(*games);
        }
        whole.values().sum::<usize>() - self.games.len()
    }

    /// Whether no game was entered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }
}

/// What all games of a pairing were agreed on.
fn in_common(record: &GameRecord) -> GameRecord {
    GameRecord {
        number: 0,
        first: 0,
        opening: Vec::new(),
        ..record.agreement()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::records::record::{Termination, sample};

    #[test]
    fn a_game_is_entered_once() {
        let mut ledger = Ledger::default();
        let record = sample(0, Some(0), Termination::Win);
        assert_eq!(ledger.enter("a line", &record), Ok(true));
        assert_eq!(ledger.enter("a line", &record), Ok(false));
        let conflict = Err(LedgerError::Conflict(0, 0));
        assert_eq!(ledger.enter("another line", &record), conflict);
        let next = sample(1, None, Termination::Draw);
        assert_eq!(ledger.enter("a line", &next), Ok(true));
        assert_eq!(ledger.len(), 2);
        assert!(ledger.has(0, 1) && !ledger.has(0, 2) && !ledger.has(1, 0));
        assert_eq!(ledger.missing(), 0);
        let later = sample(4, None, Termination::Draw);
        assert_eq!(ledger.enter("a line", &later), Ok(true));
        assert_eq!(ledger.missing(), 2);
    }

    #[test]
    fn games_of_another_match_are_refused() {
        let mut ledger = Ledger::default();
        let record = sample(0, Some(0), Termination::Win);
        ledger.enter("", &record).unwrap();
        let differing = [
            GameRecord {
                seed: 1,
                number: 1,
                ..record.clone()
            },
            GameRecord {
                engines: ["one".to_owned(), "third".to_owned()],
                number: 1,
                ..record.clone()
            },
            GameRecord {
                time_ms: Some(5),
                number: 1,
                ..record.clone()
            },
        ];
        for other in differing {
            assert_eq!(ledger.enter("", &other), Err(LedgerError::OtherMatch(0)));
        }
        assert_eq!(ledger.len(), 1);
    }
}
