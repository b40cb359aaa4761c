//! Every option of the search in one table, with its range, unit and default.

use std::fmt;

/// How the move to play is chosen among the root's children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The most visits.
    Visits,
    /// The highest mean score.
    Mean,
    /// The highest UCB1 value.
    Ucb,
}

/// What a finished game is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reward {
    /// Won 1, drawn 0, lost -1.
    Outcome,
    /// The margin: how much the game was won by.
    Margin,
}

/// The options of the search. A preset is a value of this type.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// c in `mean + c·sqrt(2·ln N / n)`, in units of the reward.
    pub exploration: f32,
    /// First-play urgency: the score 0..1 that an unvisited child is taken to have. Infinite:
    /// every child is visited once before any is visited twice.
    pub fpu: f32,
    /// Playouts from each leaf.
    pub rollouts: u32,
    /// Visits that a node must have before it gets children.
    pub expand_visits: u32,
    /// Children are tried in random order instead of best guess first.
    pub random_order: bool,
    /// How the move to play is chosen.
    pub choice: Choice,
    /// What a finished game is worth.
    pub reward: Reward,
    /// Only games that the searching side wins are rewarded.
    pub only_wins: bool,
    /// Exact results are found and used (MCTS-Solver, Winands et al. 2008).
    pub solver: bool,
    /// The subtree below a played move is kept.
    pub reuse: bool,
    /// Visits that a thread adds on its way down and takes back afterwards.
    pub virtual_loss: u32,
    /// Threads on the one tree.
    pub threads: u32,
    /// Bytes of the tree.
    pub memory: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Milliseconds kept back from every time limit, for the pipe and the scheduler.
    pub move_overhead: u64,
    /// The search goes on in the opponent's time.
    pub ponder: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            exploration: 0.7,
            fpu: f32::INFINITY,
            rollouts: 1,
            expand_visits: 1,
            random_order: false,
            choice: Choice::Visits,
            reward: Reward::Outcome,
            only_wins: false,
            solver: true,
            reuse: true,
            virtual_loss: 1,
            threads: 1,
            memory: 64 * MIB,
            seed: 0,
            move_overhead: 15,
            ponder: false,
        }
    }
}

const MIB: u64 = 1 << 20;

/// The most threads.
pub const MAX_THREADS: u32 = 256;

/// The most virtual loss.
pub const MAX_VIRTUAL_LOSS: u32 = 64;

/// What the process needs beside the tree: code, stacks, buffers. Measured on 2026-11-20 as
/// under 8 MiB resident at the end of a game, with two threads.
const PROCESS_OVERHEAD: u64 = 12 * MIB;

/// One row of the table.
pub struct OptionInfo {
    /// The name, as in `--set NAME=VALUE`.
    pub name: &'static str,
    /// What the value is measured in.
    pub unit: &'static str,
    /// The values allowed, for people.
    pub range: &'static str,
    /// What it does.
    pub help: &'static str,
    get: fn(&Options) -> String,
    set: fn(&mut Options, &str) -> Option<()>,
}

impl OptionInfo {
    /// The value in `options`, as `set` would read it.
    pub fn value(&self, options: &Options) -> String {
        (self.get)(options)
    }
}

/// Why an option was not set. The options are as they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// There is no option of this name.
    Unknown(String),
    /// The option does not take this value.
    Value {
        /// The option.
        name: &'static str,
        /// What was given.
        given: String,
        /// What it takes.
        range: &'static str,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown(name) => write!(f, "there is no option {name:?}"),
            OptionError::Value { name, given, range } => {
                write!(f, "option {name} takes {range}, not {given:?}")
            }
        }
    }
}

impl std::error::Error for OptionError {}

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
            range: row.range,
        })
    }
}

/// Every option that can be set.
pub static TABLE: &[OptionInfo] = &[
    OptionInfo {
        name: "exploration",
        unit: "reward",
        range: "a number 0..1000",
        help: "c in mean + c*sqrt(2*ln N / n); rewards span -1..1, or all margins with reward=margin",
        get: |o| o.exploration.to_string(),
        set: |o, text| assign(&mut o.exploration, number(text, 0.0, 1000.0)),
    },
    OptionInfo {
        name: "fpu",
        unit: "score",
        range: "a number 0..2, or inf",
        help: "value of an unvisited child; inf: every child once before any twice",
        get: |o| o.fpu.to_string(),
        set: |o, text| {
            let value = match text {
                "inf" => Some(f32::INFINITY),
                _ => number(text, 0.0, 2.0),
            };
            assign(&mut o.fpu, value)
        },
    },
    OptionInfo {
        name: "rollouts",
        unit: "playouts",
        range: "a whole number 1..1024",
        help: "random games from each leaf",
        get: |o| o.rollouts.to_string(),
        set: |o, text| assign(&mut o.rollouts, number(text, 1, 1024)),
    },
    OptionInfo {
        name: "expand_visits",
        unit: "visits",
        range: "a whole number 1..1000000",
        help: "visits that a node must have before it gets children",
        get: |o| o.expand_visits.to_string(),
        set: |o, text| assign(&mut o.expand_visits, number(text, 1, 1_000_000)),
    },
    OptionInfo {
        name: "random_order",
        unit: "",
        range: "true or false",
        help: "try children in random order instead of best guess first",
        get: |o| o.random_order.to_string(),
        set: |o, text| assign(&mut o.random_order, text.parse().ok()),
    },
    OptionInfo {
        name: "choice",
        unit: "",
        range: "visits, mean or ucb",
        help: "how the move to play is chosen",
        get: |o| name(o.choice),
        set: |o, text| {
            let all = [Choice::Visits, Choice::Mean, Choice::Ucb];
            assign(&mut o.choice, named(&all, text))
        },
    },
    OptionInfo {
        name: "reward",
        unit: "",
        range: "outcome or margin",
        help: "what a finished game is worth: won, drawn, lost, or the score difference",
        get: |o| name(o.reward),
        set: |o, text| {
            let all = [Reward::Outcome, Reward::Margin];
            assign(&mut o.reward, named(&all, text))
        },
    },
    OptionInfo {
        name: "only_wins",
        unit: "",
        range: "true or false",
        help: "reward only games that the searching side wins",
        get: |o| o.only_wins.to_string(),
        set: |o, text| assign(&mut o.only_wins, text.parse().ok()),
    },
    OptionInfo {
        name: "solver",
        unit: "",
        range: "true or false",
        help: "find and use exact results (needs reward=outcome and only_wins=false)",
        get: |o| o.solver.to_string(),
        set: |o, text| assign(&mut o.solver, text.parse().ok()),
    },
    OptionInfo {
        name: "reuse",
        unit: "",
        range: "true or false",
        help: "keep the subtree below a played move",
        get: |o| o.reuse.to_string(),
        set: |o, text| assign(&mut o.reuse, text.parse().ok()),
    },
    OptionInfo {
        name: "virtual_loss",
        unit: "visits",
        range: "a whole number 0..64",
        help: "visits added on the way down while other threads search",
        get: |o| o.virtual_loss.to_string(),
        set: |o, text| assign(&mut o.virtual_loss, number(text, 0, MAX_VIRTUAL_LOSS)),
    },
    OptionInfo {
        name: "threads",
        unit: "threads",
        range: "a whole number 1..256",
        help: "threads on the one tree",
        get: |o| o.threads.to_string(),
        set: |o, text| assign(&mut o.threads, number(text, 1, MAX_THREADS)),
    },
    OptionInfo {
        name: "memory",
        unit: "MiB",
        range: "a whole number 1..32767",
        help: "size of the tree",
        get: |o| o.memory.div_ceil(MIB).to_string(),
        set: |o, text| {
            assign(
                &mut o.memory,
                number(text, 1, 32767).map(|mib: u64| mib * MIB),
            )
        },
    },
    OptionInfo {
        name: "process_memory",
        unit: "bytes",
        range: "a whole number, 0 for no limit",
        help: "most memory of the whole process; makes the tree smaller, never larger",
        get: |o| (o.memory + PROCESS_OVERHEAD).to_string(),
        set: |o, text| {
            match text.parse().ok()? {
                0 => {}
                bytes => {
                    let left = u64::saturating_sub(bytes, PROCESS_OVERHEAD);
                    o.memory = o.memory.min(left.max(MIB));
                }
            }
            Some(())
        },
    },
    OptionInfo {
        name: "seed",
        unit: "",
        range: "a whole number from 0",
        help: "seed of all random numbers",
        get: |o| o.seed.to_string(),
        set: |o, text| assign(&mut o.seed, text.parse().ok()),
    },
    OptionInfo {
        name: "move_overhead",
        unit: "ms",
        range: "a whole number 0..10000",
        help: "kept back from every time limit for the pipe and the scheduler",
        get: |o| o.move_overhead.to_string(),
        set: |o, text| assign(&mut o.move_overhead, number(text, 0, 10_000)),
    },
    OptionInfo {
        name: "ponder",
        unit: "",
        range: "true or false",
        help: "search on in the opponent's time; judges charge or forbid it",
        get: |o| o.ponder.to_string(),
        set: |o, text| assign(&mut o.ponder, text.parse().ok()),
    },
];

fn assign<T>(slot: &mut T, value: Option<T>) -> Option<()> {
    *slot = value?;
    Some(())
}

/// The name of a variant, as users write it.
fn name(variant: impl fmt::Debug) -> String {
    format!("{variant:?}").to_lowercase()
}

fn named<T: Copy + fmt::Debug>(all: &[T], text: &str) -> Option<T> {
    all.iter().copied().find(|&variant| name(variant) == text)
}

fn number<T: std::str::FromStr + PartialOrd>(text: &str, least: T, most: T) -> Option<T> {
    text.parse().ok().filter(|n| *n >= least && *n <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_takes_its_own_default() {
        for row in TABLE.iter().filter(|row| row.name != "process_memory") {
            let mut options = Options::default();
            let text = row.value(&options);
            assert_eq!(options.set(row.name, &text), Ok(()), "{}", row.name);
            assert_eq!(options, Options::default(), "{}", row.name);
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
            ("solver", "1"),
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
    fn a_process_limit_only_shrinks_the_tree() {
        let mut options = Options::default();
        options.set("process_memory", "0").unwrap();
        options.set("process_memory", "999999999999").unwrap();
        assert_eq!(options.memory, 64 * MIB);
        options.set("process_memory", "20971520").unwrap();
        assert_eq!(options.memory, 8 * MIB);
    }
}
