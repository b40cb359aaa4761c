//! A player of a match: how it is started, asked and restarted.

use super::clock::GameClock;
use super::dialect::{Choice, Dialect, Fault, Reply, Told, Turn, Wire};
use super::process::{DialogueLog, Process};
use super::spec::EngineSpec;
use crate::arena::records::record::Termination;
use crate::arena::{Stop, Terms};
use crate::clock::{self, TimeControl};
use crate::game::AnyGame;
use std::io;
use std::time::{Duration, Instant};

/// A move with the time it took.
#[derive(Clone, Debug)]
pub struct Timed {
    /// What the engine chose.
    pub choice: Choice,
    /// What it told of it.
    pub told: Told,
    /// From the question to the answer, telling the opponent's move included.
    pub took: Duration,
}

/// An engine that plays one game after the other. Its process is started when a game begins
/// and none is running; after a fault the engine is not trusted again and its process ends.
pub struct Engine {
    spec: EngineSpec,
    terms: Terms,
    stop: Stop,
    log: DialogueLog,
    running: Option<Running>,
}

struct Running {
    process: Process,
    dialect: Box<dyn Dialect>,
}

impl Engine {
    /// An engine that is not started yet.
    #[must_use]
    pub fn new(spec: EngineSpec, terms: Terms, stop: Stop) -> Engine {
        Engine {
            spec,
            terms,
            stop,
            log: DialogueLog::default(),
            running: None,
        }
    }

    /// Which engine it is.
    #[must_use]
    pub fn spec(&self) -> &EngineSpec {
        &self.spec
    }

    /// Where the dialogue with it is written down.
    #[must_use]
    pub fn log(&self) -> &DialogueLog {
        &self.log
    }

    /// Begins a game. Blocks for [`Terms::patience`] at most for each answer.
    ///
    /// A built-in bot is started anew, for its seed is an argument: so its play depends on
    /// the game's number and not on the games that its worker happened to play before.
    ///
    /// # Errors
    /// When the engine cannot be started, refuses, is silent or ends.
    pub fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        if self.spec.is_built_in() {
            self.kill();
        }
        let running = match self.running.take() {
            Some(running) => running,
            None => self
                .start(seed)
                .map_err(|error| self.spec.cannot_start(&error))?,
        };
        let running = self.running.insert(running);
        let wire = Wire::new(&running.process, &self.terms, &self.stop);
        let begun = running.dialect.new_game(&wire);
        if begun.is_err() {
            self.kill();
        }
        begun.map_err(|fault| self.spec.cannot_begin(fault))
    }

    fn start(&self, seed: u64) -> io::Result<Running> {
        let mut command = self.spec.command(&self.terms, seed)?;
        let process = Process::spawn(&mut command, self.log.clone())?;
        log::debug!("{} is process {}", self.spec, process.id());
        let dialect = self.spec.dialect(&self.terms);
        Ok(Running { process, dialect })
    }

    /// What either side is granted for a game.
    #[must_use]
    pub fn time(&self) -> TimeControl {
        self.terms.time
    }

    /// Asks for a move; `clocks` are those of the sides, in their order. Blocks until the
    /// answer, or until the engine hangs by the terms.
    ///
    /// # Errors
    /// When the answer is late, is no move, or does not come. The process has ended then.
    pub fn ask(&mut self, game: &dyn AnyGame, clocks: &[GameClock; 2]) -> Result<Timed, Fault> {
        let Some(running) = &mut self.running else {
            return Err(Fault::new(Termination::Crash, "the engine is not running"));
        };
        let wire = Wire::new(&running.process, &self.terms, &self.stop);
        if let Err(fault) = wire.pass_over() {
            self.kill();
            return Err(fault);
        }
        let own = &clocks[game.side_to_move().index()];
        let limit = own.limit(running.dialect.least_time(), self.terms.margin);
        let limit = limit.unwrap_or(Terms::UNTIMED);
        let asked = clock::now();
        let turn = Turn {
            game,
            time: clocks.each_ref().map(GameClock::time),
            deadline: asked + limit + self.terms.patience,
        };
        let reply = running.dialect.ask(&wire, &turn);
        let timed = reply.and_then(|reply| in_time(reply, asked, limit));
        if timed.is_err() {
            self.kill();
        }
        timed
    }

    /// Ends the process at once, if one runs.
    pub fn kill(&mut self) {
        self.running = None;
    }

    /// Asks the engine to end, grants it a moment, and ends it.
    pub fn quit(&mut self) {
        if let Some(running) = self.running.take() {
            let wire = Wire::new(&running.process, &self.terms, &self.stop);
            wire.say_farewell(running.dialect.farewell());
        }
    }
}

fn in_time(reply: Reply, asked: Instant, limit: Duration) -> Result<Timed, Fault> {
    let took = reply.arrived.saturating_duration_since(asked);
    if took > limit {
        let detail = format!("answered after {} ms", took.as_millis());
        return Err(Fault::new(Termination::Time, detail));
    }
    Ok(Timed {
        choice: reply.choice,
        told: reply.told,
        took,
    })
}
