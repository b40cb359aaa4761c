//! Engines as child processes, the referee between them, and what their games add up to.
//!
//! A folder uses those above its own in this list, and in it a file those above its own:
//!
//! | module | what it is |
//! |---|---|
//! | [`records`] | games as lines of JSON, and as files that other programs read |
//! | [`statistics`] | what the records of a match add up to |
//! | [`engines`] | players: how they are named, started, spoken with and ended |
//! | [`play`] | one game, and many |
//! | [`report`] | tables as text, as Markdown and as a page |

pub mod engines;
pub mod play;
pub mod records;
pub mod report;
pub mod statistics;

use crate::clock::TimeControl;
use crate::game::Setup;
use crate::host::Hosting;
use records::adjudication::Adjudication;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What both engines of a game are granted.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Which game, on which board, by which rule.
    pub setup: Setup,
    /// The time of either side: for a move, for the whole game (`left`) with an increment, or
    /// both. Without a limit a move may take [`Terms::UNTIMED`].
    pub time: TimeControl,
    /// The most playouts a move, or nodes; told to the engines whose protocol has a word for it.
    pub playouts: Option<u64>,
    /// How many plies to look ahead; told to the engines whose protocol has a word for it.
    pub depth: Option<u32>,
    /// When a game is ended because both engines say the same of it.
    pub adjudication: Option<Adjudication>,
    /// How much later than its time an answer is still in time; see [`engines::clock::GameClock::limit`].
    pub margin: Duration,
    /// How long an answer that needs no thinking may take, and how long after its time an
    /// engine is waited for before it is said to hang.
    pub patience: Duration,
    /// What libraries of the coursework are granted besides.
    pub hosting: Hosting,
}

impl Terms {
    /// The default margin, which is what the judge of Gomocup grants: for the stalls of a busy
    /// machine, not for thinking, which the longest time of the table shows. With two cores and
    /// a load of seven a stall of 380 ms was seen.
    pub const MARGIN: Duration = Duration::from_millis(1000);

    /// The default patience. A guess that leaves room for an engine which loads large tables.
    pub const PATIENCE: Duration = Duration::from_secs(10);

    /// After this a move hangs even where no time was agreed.
    pub const UNTIMED: Duration = Duration::from_secs(600);

    /// A game with no limits and the default tolerances.
    #[must_use]
    pub fn new(setup: Setup) -> Terms {
        Terms {
            setup,
            time: TimeControl::default(),
            playouts: None,
            depth: None,
            adjudication: None,
            margin: Self::MARGIN,
            patience: Self::PATIENCE,
            hosting: Hosting::default(),
        }
    }
}

/// The exit code of a match that was interrupted: that of a program ended by SIGINT.
pub const INTERRUPTED: u8 = 130;

/// A flag that ends a match early. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks everybody who looks at the flag to stop.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Asks to stop at Ctrl-C.
    pub fn set_on_interrupt(&self) {
        let stop = self.clone();
        if let Err(error) = ctrlc::set_handler(move || stop.set()) {
            log::warn!("Ctrl-C will not print a table: {error}");
        }
    }

    /// Whether somebody asked to stop.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
