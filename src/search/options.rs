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

/// The rule by which a descent chooses among children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// mean + c·sqrt(2·ln N / n).
    Ucb1,
    /// value + c·prior·sqrt(N) / (1 + n).
    Puct,
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

impl Algorithm {
    /// All of them, in the order in which tables list them.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Minimax,
        Algorithm::Negamax,
        Algorithm::AlphaBeta,
        Algorithm::FailSoft,
        Algorithm::Aspiration,
        Algorithm::Pvs,
    ];

    /// Whether it cuts branches off, so that the order of moves matters.
    #[must_use]
    pub fn prunes(self) -> bool {
        !matches!(self, Algorithm::Minimax | Algorithm::Negamax)
    }
}

/// The name that the command line uses.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name(self))
    }
}

/// The options of the search. A preset is a value of this type.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// c in `mean + c·sqrt(2·ln N / n)`, in units of the reward.
    pub exploration: f32,
    /// First-play urgency: the score 0..1 that an unvisited child is taken to have. Infinite:
    /// every child is visited once before any is visited twice.
    pub fpu: f32,
    /// Rollouts from each leaf. 0: a static value in their place, where the game has one.
    pub rollouts: u32,
    /// What is judged at a leaf.
    pub judge: Judge,
    /// Leaves that are judged together, each after a descent of its own.
    pub batch: u32,
    /// The rule of selection.
    pub selection: Selection,
    /// PUCT: c in `value + c·prior·sqrt(N) / (1 + n)`.
    pub c_puct: f32,
    /// PUCT: how much less than its parent a child is taken to be worth that nobody has judged, 0..1.
    pub fpu_reduction: f32,
    /// PUCT: the temperature of the softmax that makes priors, in the unit of the game's logits.
    pub prior_temperature: f32,
    /// PUCT: the share of the value that is backed up by minimax, 0..1. The rest is the mean.
    pub minimax: f32,
    /// Positions that a proof may look at in each leaf. 0: none is tried.
    pub prove_nodes: u32,
    /// Visits that a node must have before it gets children.
    pub expand_visits: u32,
    /// Children are tried in random order instead of best guess first.
    pub random_order: bool,
    /// How the move to play is chosen.
    pub choice: Choice,
    /// How much a move may give up that is played in place of the best, in the unit of the game's
    /// logits. 0: the best is played.
    pub variety: f32,
    /// What a finished game is worth.
    pub reward: Reward,
    /// Only games that the searching side wins are rewarded.
    pub only_wins: bool,
    /// Exact results are found and used (MCTS-Solver, Winands et al. 2008).
    pub proofs: bool,
    /// The root is solved exactly within a part of the time, where the game has a solver for it.
    pub solve_root: bool,
    /// The subtree below a played move is kept.
    pub reuse: bool,
    /// Visits that a thread adds on its way down and takes back afterwards. They are not added to the
    /// copies that each thread has of the nodes where most playouts come by, and elsewhere two
    /// threads seldom meet: without them two threads are as strong, and make up to a tenth more
    /// playouts, as nothing is added atomically then. See `docs/EXPERIMENTS.md`, Threads.
    pub virtual_loss: u32,
    /// Threads on the one tree.
    pub threads: u32,
    /// Bytes of the tree.
    pub memory: u64,
    /// Bytes of the tree that were asked for by name.
    pub asked_memory: Option<u64>,
    /// The most bytes of the whole process.
    pub process_memory: Option<u64>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Milliseconds kept back from every time limit, for the pipe and the scheduler.
    pub move_overhead: u64,
    /// The search goes on in the opponent's time.
    pub ponder: bool,
    /// The most playouts for a move, or the most nodes of an alpha-beta search. 0: no limit.
    pub playouts: u64,
    /// Alpha-beta: how many plies are looked ahead.
    pub depth: u32,
    /// Alpha-beta: which search.
    pub algorithm: Algorithm,
    /// Alpha-beta: moves that cut branches off are tried earlier elsewhere (Schaeffer 1989).
    pub history: bool,
    /// Alpha-beta: K1, the weight in percent of what the searching side has.
    pub attack: u32,
    /// Alpha-beta: K2, the weight in percent of what its opponent has.
    pub defence: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            exploration: 0.7,
            fpu: f32::INFINITY,
            rollouts: 1,
            judge: Judge::Leaf,
            batch: 1,
            selection: Selection::Ucb1,
            c_puct: 1.25,
            fpu_reduction: 0.0,
            prior_temperature: 1.0,
            minimax: 0.0,
            prove_nodes: 0,
            expand_visits: 1,
            random_order: false,
            choice: Choice::Visits,
            variety: 0.0,
            reward: Reward::Outcome,
            only_wins: false,
            proofs: true,
            solve_root: true,
            reuse: true,
            virtual_loss: 0,
            threads: 1,
            memory: USUAL_MEMORY,
            asked_memory: None,
            process_memory: None,
            seed: 0,
            move_overhead: 20,
            ponder: false,
            playouts: 0,
            depth: 4,
            algorithm: Algorithm::Pvs,
            history: false,
            attack: 100,
            defence: 100,
        }
    }
}

const MIB: u64 = 1 << 20;

/// The size of the tree where nothing is said.
const USUAL_MEMORY: u64 = 64 * MIB;

/// The largest tree, in MiB: its nodes have 32 bits for the word of a block.
const MAX_MEMORY: u64 = 32767;

/// The most threads.
pub const MAX_THREADS: u32 = 256;

/// The most leaves that are judged together.
pub const MAX_BATCH: u32 = 64;

/// The most virtual loss.
pub const MAX_VIRTUAL_LOSS: u32 = 64;

/// The deepest alpha-beta search.
pub const MAX_DEPTH: u32 = 64;

/// The largest weight of K1 and K2, in percent.
const MAX_WEIGHT: u32 = 1000;

/// What the process needs beside the tree: code, stacks, buffers. Measured as
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

    /// The tree has what was asked for; else, what the process may have. Never more than that.
    fn share_memory(&mut self) {
        let granted = self
            .process_memory
            .map(|bytes| (bytes - PROCESS_OVERHEAD).min(MAX_MEMORY * MIB));
        let wanted = self.asked_memory.or(granted).unwrap_or(USUAL_MEMORY);
        self.memory = granted.map_or(wanted, |most| wanted.min(most));
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
        unit: "rollouts",
        range: "a whole number 0..1024",
        help: "rollouts (random games) from each leaf; 0: a static value in their place, where the game has one",
        get: |o| o.rollouts.to_string(),
        set: |o, text| assign(&mut o.rollouts, number(text, 0, 1024)),
    },
    OptionInfo {
        name: "judge",
        unit: "",
        range: "leaf, siblings or children",
        help: "what is judged at a leaf: itself, its new children by rollouts, or they by static values",
        get: |o| name(o.judge),
        set: |o, text| {
            let all = [Judge::Leaf, Judge::Siblings, Judge::Children];
            assign(&mut o.judge, named(&all, text))
        },
    },
    OptionInfo {
        name: "batch",
        unit: "leaves",
        range: "a whole number 1..64",
        help: "leaves that are judged together, kept apart by virtual loss",
        get: |o| o.batch.to_string(),
        set: |o, text| assign(&mut o.batch, number(text, 1, MAX_BATCH)),
    },
    OptionInfo {
        name: "selection",
        unit: "",
        range: "ucb1 or puct",
        help: "the rule by which a descent chooses among children",
        get: |o| name(o.selection),
        set: |o, text| {
            let all = [Selection::Ucb1, Selection::Puct];
            assign(&mut o.selection, named(&all, text))
        },
    },
    OptionInfo {
        name: "c_puct",
        unit: "score",
        range: "a number 0..100",
        help: "PUCT: c in value + c*prior*sqrt(N)/(1+n)",
        get: |o| o.c_puct.to_string(),
        set: |o, text| assign(&mut o.c_puct, number(text, 0.0, 100.0)),
    },
    OptionInfo {
        name: "fpu_reduction",
        unit: "score",
        range: "a number 0..1",
        help: "PUCT: how much less than its parent an unjudged child is taken to be worth",
        get: |o| o.fpu_reduction.to_string(),
        set: |o, text| assign(&mut o.fpu_reduction, number(text, 0.0, 1.0)),
    },
    OptionInfo {
        name: "prior_temperature",
        unit: "logits",
        range: "a number 0.01..1000",
        help: "PUCT: temperature of the softmax that makes priors; in discs in Reversi",
        get: |o| o.prior_temperature.to_string(),
        set: |o, text| assign(&mut o.prior_temperature, number(text, 0.01, 1000.0)),
    },
    OptionInfo {
        name: "minimax",
        unit: "share",
        range: "a number 0..1",
        help: "PUCT: share of the value that is backed up by minimax, the rest is the mean",
        get: |o| o.minimax.to_string(),
        set: |o, text| assign(&mut o.minimax, number(text, 0.0, 1.0)),
    },
    OptionInfo {
        name: "prove_nodes",
        unit: "positions",
        range: "a whole number 0..1000000",
        help: "most positions that the proof of a leaf may look at; 0: none is tried",
        get: |o| o.prove_nodes.to_string(),
        set: |o, text| assign(&mut o.prove_nodes, number(text, 0, 1_000_000)),
    },
    OptionInfo {
        name: "expand_visits",
        unit: "visits",
        range: "a whole number 0..1000000",
        help: "visits that a node must have before it gets children",
        get: |o| o.expand_visits.to_string(),
        set: |o, text| assign(&mut o.expand_visits, number(text, 0, 1_000_000)),
    },
    OptionInfo {
        name: "random_order",
        unit: "",
        range: "true or false (on or off)",
        help: "try children in random order instead of best guess first",
        get: |o| o.random_order.to_string(),
        set: |o, text| assign(&mut o.random_order, switch(text)),
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
        name: "variety",
        unit: "logits",
        range: "a number 0..64",
        help: "play any move that gives up so much at most, for games that differ; in discs in Reversi, elsewhere nothing; seed=0: differently every time",
        get: |o| o.variety.to_string(),
        set: |o, text| assign(&mut o.variety, number(text, 0.0, 64.0)),
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
        range: "true or false (on or off)",
        help: "reward only games that the searching side wins",
        get: |o| o.only_wins.to_string(),
        set: |o, text| assign(&mut o.only_wins, switch(text)),
    },
    OptionInfo {
        name: "proofs",
        unit: "",
        range: "true or false (on or off)",
        help: "find and use exact results (needs reward=outcome and only_wins=false)",
        get: |o| o.proofs.to_string(),
        set: |o, text| assign(&mut o.proofs, switch(text)),
    },
    OptionInfo {
        name: "solve_root",
        unit: "",
        range: "true or false (on or off)",
        help: "solve the root within a part of the time, where possible (needs proofs=true)",
        get: |o| o.solve_root.to_string(),
        set: |o, text| assign(&mut o.solve_root, switch(text)),
    },
    OptionInfo {
        name: "reuse",
        unit: "",
        range: "true or false (on or off)",
        help: "keep the subtree below a played move",
        get: |o| o.reuse.to_string(),
        set: |o, text| assign(&mut o.reuse, switch(text)),
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
        help: "size of the tree, in Connect Four with the table of the solver",
        get: |o| o.memory.div_ceil(MIB).to_string(),
        set: |o, text| {
            let mib: u64 = number(text, 1, MAX_MEMORY)?;
            o.asked_memory = Some(mib * MIB);
            o.share_memory();
            Some(())
        },
    },
    OptionInfo {
        name: "process_memory",
        unit: "bytes",
        range: "a whole number from 13631488 (13 MiB), or 0 for no limit",
        help: "most memory of the whole process; the tree gets the rest of it, or less with memory",
        get: |o| o.process_memory.unwrap_or(0).to_string(),
        set: |o, text| {
            o.process_memory = match text.parse().ok()? {
                0 => None,
                bytes if bytes >= PROCESS_OVERHEAD + MIB => Some(bytes),
                _ => return None,
            };
            o.share_memory();
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
        range: "true or false (on or off)",
        help: "search on in the opponent's time; judges charge or forbid it",
        get: |o| o.ponder.to_string(),
        set: |o, text| assign(&mut o.ponder, switch(text)),
    },
    OptionInfo {
        name: "playouts",
        unit: "playouts",
        range: "a whole number from 0",
        help: "most playouts for a move, or nodes of an alpha-beta search; 0 for no limit",
        get: |o| o.playouts.to_string(),
        set: |o, text| assign(&mut o.playouts, text.parse().ok()),
    },
    OptionInfo {
        name: "depth",
        unit: "plies",
        range: "a whole number 1..64",
        help: "how far an alpha-beta search looks ahead",
        get: |o| o.depth.to_string(),
        set: |o, text| assign(&mut o.depth, number(text, 1, MAX_DEPTH)),
    },
    OptionInfo {
        name: "algorithm",
        unit: "",
        range: "minimax, negamax, alphabeta, failsoft, aspiration or pvs",
        help: "which of the alpha-beta family searches",
        get: |o| name(o.algorithm),
        set: |o, text| assign(&mut o.algorithm, named(&Algorithm::ALL, text)),
    },
    OptionInfo {
        name: "history",
        unit: "",
        range: "true or false (on or off)",
        help: "alpha-beta: try moves first that cut branches off elsewhere",
        get: |o| o.history.to_string(),
        set: |o, text| assign(&mut o.history, switch(text)),
    },
    OptionInfo {
        name: "attack",
        unit: "percent",
        range: "a whole number 0..1000",
        help: "alpha-beta: K1, the weight of what the searching side has",
        get: |o| o.attack.to_string(),
        set: |o, text| assign(&mut o.attack, number(text, 0, MAX_WEIGHT)),
    },
    OptionInfo {
        name: "defence",
        unit: "percent",
        range: "a whole number 0..1000",
        help: "alpha-beta: K2, the weight of what its opponent has",
        get: |o| o.defence.to_string(),
        set: |o, text| assign(&mut o.defence, number(text, 0, MAX_WEIGHT)),
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

fn switch(text: &str) -> Option<bool> {
    match text {
        "true" | "on" => Some(true),
        "false" | "off" => Some(false),
        _ => None,
    }
}

fn number<T: std::str::FromStr + PartialOrd>(text: &str, least: T, most: T) -> Option<T> {
    text.parse().ok().filter(|n| *n >= least && *n <= most)
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
            options.asked_memory = None;
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
            ("proofs", "1"),
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
    fn switches_are_turned_on_and_off() {
        let mut options = Options::default();
        for (text, value) in [("on", true), ("off", false), ("true", true)] {
            options.set("history", text).unwrap();
            assert_eq!(options.history, value);
        }
    }

    #[test]
    fn the_tree_gets_what_the_process_may_have_or_what_was_asked_for() {
        let mut options = Options::default();
        for (name, value, mib) in [
            ("process_memory", "20971520", 8),
            ("process_memory", "0", 64),
            ("process_memory", "367001600", 338),
            ("memory", "100", 100),
            ("process_memory", "20971520", 8),
            ("process_memory", "999999999999", 100),
        ] {
            options.set(name, value).unwrap();
            assert_eq!(options.memory, mib * MIB, "{name}={value}");
        }
        assert!(options.set("process_memory", "13631487").is_err());
        assert_eq!(options.memory, 100 * MIB);
    }
}
