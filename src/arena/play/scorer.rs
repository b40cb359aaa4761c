//! What becomes of a game when it is over: it is written down, counted, and may end the match.

use crate::arena::Stop;
use crate::arena::records::export::GameFiles;
use crate::arena::records::journal::Journal;
use crate::arena::records::record::GameRecord;
use crate::arena::statistics::sprt::{Sprt, Verdict};
use crate::arena::statistics::standing::Standings;
use std::fmt;

/// Writes down and counts the games of a match, and ends it when they ask for it.
#[derive(Debug, Default)]
pub struct Scorer {
    /// Where the records go.
    pub journal: Option<Journal>,
    /// Where the games go as files for other programs.
    pub files: Option<GameFiles>,
    /// The test that ends the match when it is decided. It looks at the first pairing.
    pub sprt: Option<Sprt>,
    /// Whether the first fault of an engine ends the match.
    pub fail_fast: bool,
    /// What the games add up to.
    pub standings: Standings,
    /// Why the match ended before all its games were played, if it did.
    pub ending: Option<Ending>,
}

/// Why a match ends early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The test was decided.
    Decided(Verdict),
    /// An engine misbehaved: who and how.
    Fault(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Decided(verdict) => verdict.fmt(f),
            Ending::Fault(text) => f.write_str(text),
        }
    }
}

impl Scorer {
    /// A game that was played before, and is in the journal already.
    ///
    /// # Errors
    /// When its file for other programs cannot be written.
    pub fn game_before(&mut self, record: &GameRecord) -> anyhow::Result<()> {
        self.standings.add(record);
        self.files
            .as_ref()
            .map_or(Ok(()), |files| files.write(record))
    }

    /// A game that was just played. Sets `stop` when it ends the match; games that others are
    /// still playing, or that end at the same time, do not belong to the match then.
    ///
    /// # Errors
    /// When its record cannot be written.
    pub fn game_over(&mut self, record: &GameRecord, stop: &Stop) -> anyhow::Result<()> {
        if self.ending.is_some() {
            return Ok(());
        }
        if let Some(journal) = &mut self.journal {
            journal.append(record)?;
        }
        self.game_before(record)?;
        self.ending = self.fault(record).or_else(|| self.decision());
        if self.ending.is_some() {
            stop.set();
        }
        Ok(())
    }

    /// The decision of the test, if it is decided.
    #[must_use]
    pub fn decision(&self) -> Option<Ending> {
        let (sprt, llr) = self.llr()?;
        sprt.verdict(llr).map(Ending::Decided)
    }

    fn fault(&self, record: &GameRecord) -> Option<Ending> {
        let loser = 1 - record.winner?.min(1);
        (self.fail_fast && record.termination.is_fault()).then(|| {
            Ending::Fault(format!(
                "{} lost game {} of pairing {}: {}: {}",
                record.engines[loser],
                record.number,
                record.pairing,
                record.termination,
                record.detail.as_deref().unwrap_or_default()
            ))
        })
    }

    /// The test and how it stands.
    fn llr(&self) -> Option<(&Sprt, f64)> {
        let sprt = self.sprt.as_ref()?;
        let llr = self
            .standings
            .get(0)
            .map_or(0.0, |standing| standing.llr(sprt));
        Some((sprt, llr))
    }

    /// How the test stands, as a line for people; empty without one.
    #[must_use]
    pub fn sprt_line(&self) -> String {
        let Some((sprt, llr)) = self.llr() else {
            return String::new();
        };
        let (low, high) = sprt.bounds();
        let verdict = sprt.verdict(llr);
        let verdict = verdict.map_or_else(|| "not decided".to_owned(), |it| it.to_string());
        let Sprt {
            elo0,
            elo1,
            alpha,
            beta,
        } = sprt;
        format!(
            "SPRT of logistic Elo {elo0} (H0) against {elo1} (H1), alpha {alpha}, beta {beta}: \
             LLR {llr:.2} in [{low:.2}, {high:.2}], {verdict}\n"
        )
    }
}
