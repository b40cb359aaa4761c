//! Every option in one table, a line each: its name, type, default, range, unit and purpose.
//!
//! An option is set by its name, as in `--set NAME=VALUE`, and read by its field. A preset is a
//! value of one of the three structs.

mod value;

pub use value::{Memory, Named, Value};

use std::fmt;
use value::Any;

/// How the move to play is chosen among the root's children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The most visits.
    Visits,
    /// The highest mean score.
    Mean,
    /// The highest UCB1 value.
    Ucb,
    /// The highest lower confidence bound of the mean, among those with a tenth of the most visits.
    Lcb,
}

impl Named for Choice {
    const ALL: &'static [Choice] = &[Choice::Visits, Choice::Mean, Choice::Ucb, Choice::Lcb];
}

/// What a finished game is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reward {
    /// Won 1, drawn 0, lost -1.
    Outcome,
    /// The margin: how much the game was won by.
    Margin,
}

impl Named for Reward {
    const ALL: &'static [Reward] = &[Reward::Outcome, Reward::Margin];
}

/// The rule by which a descent chooses among children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// mean + c·sqrt(2·ln N / n).
    Ucb1,
    /// value + c·prior·sqrt(N) / (1 + n).
    Puct,
}

impl Named for Selection {
    const ALL: &'static [Selection] = &[Selection::Ucb1, Selection::Puct];
}

/// What is judged when the search comes to a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// The leaf.
    Leaf,
    /// Each new child of the leaf, a rollout each.
    Siblings,
    /// All new children at once by static values, the best being that of the leaf. (PUCT only.)
    Children,
}

impl Named for Judge {
    const ALL: &'static [Judge] = &[Judge::Leaf, Judge::Siblings, Judge::Children];
}

/// The searches of the alpha-beta family. All of them find the same value at the same depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// One side takes the highest value, the other the lowest; nothing is passed over.
    Minimax,
    /// The same, written for both sides at once.
    Negamax,
    /// Alpha-beta with values kept inside the window (Knuth and Moore 1975).
    AlphaBeta,
    /// Alpha-beta with values that may lie outside the window (Fishburn 1983).
    FailSoft,
    /// Fail-soft with a narrow window around the value that is expected at the root.
    Aspiration,
    /// Principal variation search, or NegaScout: every move but the first is asked only whether
    /// it is better (Marsland and Campbell 1982, Reinefeld 1983).
    Pvs,
}

impl Named for Algorithm {
    const ALL: &'static [Algorithm] = &[
        Algorithm::Minimax,
        Algorithm::Negamax,
        Algorithm::AlphaBeta,
        Algorithm::FailSoft,
        Algorithm::Aspiration,
        Algorithm::Pvs,
    ];
}

impl Algorithm {
    /// Whether it cuts branches off, so that the order of moves matters.
    #[must_use]
    pub fn prunes(self) -> bool {
        !matches!(self, Algorithm::Minimax | Algorithm::Negamax)
    }
}

/// The name that the command line uses.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.write())
    }
}

const MIB: u64 = 1 << 20;

/// The largest tree, in MiB: its nodes have 32 bits for the word of a block.
pub const MAX_MEMORY: u64 = 32767;

/// The most threads.
pub const MAX_THREADS: u32 = 256;

/// The most leaves that are judged together.
pub const MAX_BATCH: u32 = 64;

/// The most virtual loss.
pub const MAX_VIRTUAL_LOSS: u32 = 64;

/// The deepest alpha-beta search.
pub const MAX_DEPTH: u32 = 64;

/// What the process needs beside the tree: code, weights, stacks, buffers. The most is Gomoku's by renju,
/// after freestyle: see `docs/MEASUREMENTS.md`, Memory.
const PROCESS_OVERHEAD: u64 = 24 * MIB;

/// What each thread of a search needs after the first (as above).
const THREAD_OVERHEAD: u64 = MIB;

/// The least that a process can do with.
const MIN_PROCESS: u64 = PROCESS_OVERHEAD + MIB;

/// An option of the table.
pub struct OptionInfo {
    /// The name, as in `--set NAME=VALUE`.
    pub name: &'static str,
    /// What the value is measured in.
    pub unit: &'static str,
    /// What it does.
    pub help: &'static str,
    range: fn() -> String,
    get: fn(&Options) -> String,
    set: fn(&mut Options, &str) -> Option<()>,
}

impl OptionInfo {
    /// The values allowed, for people.
    pub fn range(&self) -> String {
        (self.range)()
    }

    /// The value in `options`, as `set` would read it.
    pub fn value(&self, options: &Options) -> String {
        (self.get)(options)
    }
}

/// Makes the structs and the table of lines `name: type = default, range, unit, help;`.
macro_rules! table {
    ($($(#[$about:meta])* $part:ident: $Part:ident {
        $($name:ident: $Type:ty = $default:expr, $range:expr, $unit:literal, $help:literal;)*
    })*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Debug, PartialEq)]
            pub struct $Part {
                $(#[doc = $help] pub $name: $Type,)*
            }

            impl Default for $Part {
                fn default() -> Self {
                    $Part { $($name: $default,)* }
                }
            }

            impl From<$Part> for Options {
                fn from($part: $Part) -> Options {
                    Options { $part, ..Options::default() }
                }
            }
        )*

        /// The options of a bot.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Options {
            $($(#[$about])* pub $part: $Part,)*
        }

        /// Every option that can be set, in the order in which they are listed.
        pub static TABLE: &[OptionInfo] = &[$($(
            OptionInfo {
                name: stringify!($name),
                unit: $unit,
                help: $help,
                range: || <$Type>::describe(&$range),
                get: |options| options.$part.$name.write(),
                set: |options, text| {
                    options.$part.$name = <$Type>::read(text, &$range)?;
                    Some(())
                },
            },
        )*)*];
    };
}

table! {
    /// The options of the search.
    search: SearchOptions {
        exploration: f32 = 0.7, 0.0..=1000.0, "reward", "c in mean + c*sqrt(2*ln N / n); rewards span -1..1, or all margins with reward=margin";
        fpu: f32 = f32::INFINITY, 0.0..=f32::INFINITY, "score", "value of an unvisited child; inf: every child once before any twice";
        rollouts: u32 = 1, 0..=1024, "rollouts", "rollouts (random games) from each leaf; 0: a static value in their place, where the game has one";
        judge: Judge = Judge::Leaf, Any, "", "what is judged at a leaf: itself, its new children by rollouts, or they by static values";
        batch: u32 = 1, 1..=MAX_BATCH, "leaves", "leaves that are judged together, kept apart by virtual loss";
        selection: Selection = Selection::Ucb1, Any, "", "the rule by which a descent chooses among children";
        c_puct: f32 = 1.25, 0.0..=100.0, "score", "PUCT: c in value + c*prior*sqrt(N)/(1+n)";
        c_puct_growth: f32 = 0.0, 0.0..=100.0, "share", "PUCT: c grows with the visits of a node, c_puct*(1 + this*ln(1 + N/1000))";
        fpu_reduction: f32 = 0.0, 0.0..=1.0, "score", "PUCT: how much less than its parent an unjudged child is taken to be worth";
        prior_temperature: f32 = 1.0, 0.01..=1000.0, "logits", "PUCT: temperature of the softmax that makes priors; in discs in Reversi";
        prior_uniform: f32 = 0.0, 0.0..=1.0, "share", "PUCT: share of the priors that all children have alike, whatever is thought of them";
        minimax: f32 = 0.0, 0.0..=1.0, "share", "PUCT: share of the value that is backed up by minimax, the rest is the mean";
        prove_nodes: u32 = 0, 0..=1_000_000, "positions", "most positions that the proof of a leaf may look at; 0: none is tried";
        stay: f32 = 0.0, 0.0..=1.0, "share", "a child that is chosen keeps descents for this share of its visits, and one more, before its parent chooses again";
        expand_visits: u32 = 1, 0..=1_000_000, "visits", "visits that a node must have before it gets children";
        transpositions: bool = false, Any, "", "the orders of moves that lead to a position share the tree below it";
        random_order: bool = false, Any, "", "try children in random order instead of best guess first";
        choice: Choice = Choice::Visits, Any, "", "how the move to play is chosen";
        variety: f32 = 0.0, 0.0..=64.0, "logits", "play any move that gives up so much at most, for games that differ; in discs in Reversi, elsewhere nothing; seed=0: differently every time";
        reward: Reward = Reward::Outcome, Any, "", "what a finished game is worth: won, drawn, lost, or the score difference";
        only_wins: bool = false, Any, "", "reward only games that the searching side wins";
        proofs: bool = true, Any, "", "find and use exact results (needs reward=outcome and only_wins=false)";
        solve_root: bool = true, Any, "", "solve the root within a part of the time, where possible (needs proofs=true)";
        reuse: bool = true, Any, "", "keep the subtree below a played move";
        virtual_loss: u32 = 0, 0..=MAX_VIRTUAL_LOSS, "visits", "visits added on the way down while other threads search";
        threads: u32 = 1, 1..=MAX_THREADS, "threads", "threads on the one tree";
        memory: Memory = Memory::Usual, 1..=MAX_MEMORY, "MiB", "size of the tree, with the tables of positions where there are any";
        seed: u64 = 0, 0..=u64::MAX, "", "seed of all random numbers";
    }
    /// The options of a bot in its session.
    session: SessionOptions {
        process_memory: Option<u64> = None, MIN_PROCESS..=u64::MAX, "bytes", "most memory of the whole process; the tree gets the rest of it, or less with memory";
        move_overhead: u64 = 20, 0..=10_000, "ms", "kept back from every time limit for the pipe and the scheduler";
        ponder: bool = false, Any, "", "search on in the opponent's time; judges charge or forbid it";
        playouts: Option<u64> = None, 1..=u64::MAX, "playouts", "most playouts for a move, or nodes of an alpha-beta search";
    }
    /// The options of the alpha-beta family.
    alphabeta: AlphaBetaOptions {
        depth: u32 = 4, 1..=MAX_DEPTH, "plies", "how far an alpha-beta search looks ahead";
        algorithm: Algorithm = Algorithm::Pvs, Any, "", "which of the alpha-beta family searches";
        history: bool = false, Any, "", "alpha-beta: try moves first that cut branches off elsewhere (Schaeffer 1989)";
        attack: u32 = 100, 0..=1000, "percent", "alpha-beta: K1, the weight of what the searching side has";
        defence: u32 = 100, 0..=1000, "percent", "alpha-beta: K2, the weight of what its opponent has";
    }
}

/// Why an option was not set. The options are as they were.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// There is no option of this name.
    #[error("there is no option {0:?}")]
    Unknown(String),
    /// The option does not take this value.
    #[error("option {name} takes {range}, not {given:?}")]
    Value {
        /// The option.
        name: &'static str,
        /// What was given.
        given: String,
        /// What it takes.
        range: String,
    },
}

impl Options {
    /// Sets an option by its name in [`TABLE`].
    ///
    /// # Errors
    /// When there is no such option, or it does not take this value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let row = TABLE.iter().find(|row| row.name == name);
        let row = row.ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
        (row.set)(self, value.trim()).ok_or_else(|| OptionError::Value {
            name: row.name,
            given: value.to_owned(),
            range: row.range(),
        })
    }

    /// The options of the search with what the process may have: no larger a tree, and no more threads than
    /// half of what the tree could have is enough for.
    #[must_use]
    pub fn within_memory(&self) -> SearchOptions {
        let Some(bytes) = self.session.process_memory else {
            return self.search.clone();
        };
        let for_threads = bytes.saturating_sub(MIN_PROCESS) / 2;
        let others = (for_threads / THREAD_OVERHEAD).min(u64::from(MAX_THREADS)) as u32;
        let threads = self.search.threads.min(1 + others);
        let overhead = PROCESS_OVERHEAD + u64::from(threads - 1) * THREAD_OVERHEAD;
        let granted = bytes.saturating_sub(overhead).max(MIB);
        SearchOptions {
            threads,
            memory: self.search.memory.within(granted.min(MAX_MEMORY * MIB)),
            ..self.search
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_takes_its_own_default() {
        for row in TABLE {
            let mut options = Options::default();
            let text = row.value(&options);
            assert_eq!(options.set(row.name, &text), Ok(()), "{}", row.name);
            assert_eq!(row.value(&options), text, "{}", row.name);
        }
    }

    #[test]
    fn values_out_of_range_change_nothing() {
        let mut options = Options::default();
        for (name, value) in [
            ("exploration", "-1"),
            ("exploration", "NaN"),
            ("threads", "0"),
            ("choice", "best"),
            ("memory", "99999999999999999999"),
            ("proofs", "1"),
            ("process_memory", "26214399"),
        ] {
            assert!(options.set(name, value).is_err(), "{name}={value}");
        }
        assert!(matches!(
            options.set("x", "1"),
            Err(OptionError::Unknown(_))
        ));
        assert_eq!(options, Options::default());
    }

    #[test]
    fn an_error_tells_what_an_option_takes() {
        for (name, range) in [
            ("fpu", "a number 0..inf"),
            ("threads", "a whole number 1..256"),
            ("seed", "a whole number from 0"),
            ("judge", "leaf, siblings or children"),
            ("playouts", "a whole number from 1, or 0 for no limit"),
            ("ponder", "true or false (on or off)"),
        ] {
            let error = Options::default().set(name, "?").unwrap_err();
            let expected = format!("option {name} takes {range}, not \"?\"");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn switches_are_turned_on_and_off() {
        let mut options = Options::default();
        for (text, value) in [("on", true), ("off", false), ("true", true)] {
            options.set("history", text).unwrap();
            assert_eq!(options.alphabeta.history, value);
        }
    }

    #[test]
    fn the_search_gets_what_the_process_may_have_or_what_was_asked_for() {
        let mut options = Options::default();
        for (name, value, mib, threads) in [
            ("process_memory", "29360128", 4, 1),
            ("process_memory", "0", 64, 1),
            ("process_memory", "367001600", 326, 1),
            ("memory", "100", 100, 1),
            ("process_memory", "29360128", 4, 1),
            ("process_memory", "999999999999", 100, 1),
            ("threads", "256", 100, 256),
            ("process_memory", "367001600", 100, 163),
            ("process_memory", "83886080", 29, 28),
            ("process_memory", "29360128", 3, 2),
            ("process_memory", "26214400", 1, 1),
        ] {
            options.set(name, value).unwrap();
            let within = options.within_memory();
            let given = (within.memory.bytes(), within.threads);
            assert_eq!(given, (mib * MIB, threads), "{name}={value}");
        }
    }
}
