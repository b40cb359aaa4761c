//! What becomes of a game when it is over: it is written down and counted.

use super::journal::Journal;
use super::record::GameRecord;
use super::standing::{Standing, Standings};

/// Writes down and counts the games of a match.
#[derive(Debug, Default)]
pub struct Scorer {
    /// Where the records go.
    pub journal: Option<Journal>,
    /// What the games add up to.
    pub standings: Standings,
}

impl Scorer {
    /// A game that was just played.
    ///
    /// # Errors
    /// When its record cannot be written.
    pub fn game_over(&mut self, record: &GameRecord) -> anyhow::Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.append(record)?;
        }
        self.standings.add(record);
        Ok(())
    }

    /// Wins, draws and losses of the first engines of all pairings together.
    #[must_use]
    pub fn score(&self) -> String {
        let sum = |count: fn(&Standing) -> u32| self.standings.iter().map(count).sum::<u32>();
        format!(
            "{}-{}-{}",
            sum(|standing| standing.wins),
            sum(|standing| standing.draws),
            sum(|standing| standing.losses)
        )
    }
}
