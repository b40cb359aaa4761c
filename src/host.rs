//! A bot of the coursework from a shared library, in a process that can do no harm.
//!
//! `tengen host PATH` answers questions, a line each, which carry what the C interface asks for;
//! the arena's `so:PATH` starts it and asks. Two processes do so:
//!
//! * the guard, which the arena starts, runs nothing of the library. It starts the cell, hands
//!   questions and answers on, measures the cell's time, memory and threads, and ends it;
//! * the cell gives up what rights it has, loads the library and calls it: as in the course's
//!   referee on a new thread for every move, and the library stays from game to game.
//!
//! The guard ends with its input, and the cell with the guard, so that neither outlives the arena,
//! however that ends. What the library may and may not do stands in `docs/COURSES.md`. It shares
//! the cell's address space and can forge its own answers, but no word of the guard.
//!
//! | module | what it is |
//! |---|---|
//! | `guard` | the process that the arena starts: starts the cell, asks it, measures it, ends it |
//! | `cell` | the process of the library |
//! | `confine` | what the cell gives up, in order |
//! | `root` | namespaces, and a file system with nothing but the system's libraries |
//! | `calls` | the system calls that are left |
//! | `library` | loading and calling a library: one of the rooms of `unsafe` |

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod cell;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod library;
#[cfg(target_os = "linux")]
mod root;

use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// The processor time that the course allows for a move.
pub const COURSE_TIME: Duration = Duration::from_secs(3);

/// How long the answer of a library may take that is granted this processor time: a library that
/// computes has used that up by then, even on a busy machine.
#[must_use]
pub fn most_wait(time: Duration) -> Duration {
    2 * time + Duration::from_secs(1)
}

/// The memory that the course allows, in MiB.
const COURSE_MEMORY: u64 = 1024;

/// The line that asks whether the library is loaded.
pub const READY: &str = "ready";

/// The line that ends the processes.
pub const QUIT: &str = "quit";

/// A position, as the C interface tells it to the side that is to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Rows of the board.
    pub rows: i32,
    /// Columns of the board.
    pub cols: i32,
    /// For each column the row, from the top, above which it is filled: the next stone lands in
    /// the row before. 0: no stone can.
    pub top: Vec<i32>,
    /// The cells row by row from the top: 1 for a stone of the opponent, 2 for an own one.
    pub board: Vec<i32>,
    /// Row and column of the opponent's last move; -1 for both if there was none.
    pub last: [i32; 2],
    /// Row and column of the cell that nobody may use; -1 for both if there is none.
    pub hole: [i32; 2],
}

impl Question {
    /// Whether the lists are as long as the sizes say.
    #[cfg(target_os = "linux")]
    fn is_whole(&self) -> bool {
        let (rows, cols) = (usize::try_from(self.rows), usize::try_from(self.cols));
        let (Ok(rows), Ok(cols)) = (rows, cols) else {
            return false;
        };
        self.top.len() == cols && Some(self.board.len()) == rows.checked_mul(cols)
    }
}

/// The cell of the board that the library chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Row from the top.
    pub x: i32,
    /// Column from the left.
    pub y: i32,
}

/// What comes back for a line that was asked, as a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reply {
    /// The library is loaded.
    Ready,
    /// It moved.
    Move(Answer),
    /// It took too long.
    Late(String),
    /// It cannot be loaded, ended, or took more than it is granted.
    Crash(String),
    /// The machine or the kernel does not let us host a library. It is no fault of the library.
    Trouble(String),
}

/// What libraries are granted
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hosting {
    /// MiB of memory that a library of the coursework may use; what it reserves and never touches
    /// does not count
    #[arg(long, value_name = "MIB", default_value_t = COURSE_MEMORY)]
    pub library_memory: u64,
    /// Run libraries of the coursework with all your rights, not confined
    #[arg(long)]
    pub unconfined: bool,
}

impl Default for Hosting {
    fn default() -> Hosting {
        Hosting {
            library_memory: COURSE_MEMORY,
            unconfined: false,
        }
    }
}

impl Hosting {
    /// The arguments of a command line that say this.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let memory = [
            "--library-memory".to_owned(),
            self.library_memory.to_string(),
        ];
        let unconfined = self.unconfined.then(|| "--unconfined".to_owned());
        memory.into_iter().chain(unconfined).collect()
    }
}

/// Load a coursework bot and answer for it, as the match does for so:PATH
#[derive(Args, Clone, Debug)]
pub struct HostArgs {
    /// The shared library
    path: PathBuf,
    /// Milliseconds of processor time for a move
    #[arg(long, value_name = "MS", default_value_t = COURSE_TIME.as_millis() as u64)]
    time: u64,
    #[command(flatten)]
    hosting: Hosting,
    /// Be the process of the library, which the guard starts
    #[arg(long, hide = true)]
    cell: bool,
}

/// Answers questions on the standard streams until the input ends. Blocks until then.
///
/// # Errors
/// When a stream fails. A load failure is the answer to every question.
#[cfg(target_os = "linux")]
pub fn run(args: &HostArgs) -> anyhow::Result<()> {
    if args.cell {
        return cell::run(args.hosting.unconfined);
    }
    let terms = guard::Terms {
        time: Duration::from_millis(args.time),
        hosting: args.hosting,
    };
    guard::run(&args.path, &terms)
}

/// As above.
///
/// # Errors
/// Always: the means are those of Linux.
#[cfg(not(target_os = "linux"))]
pub fn run(_: &HostArgs) -> anyhow::Result<()> {
    anyhow::bail!("libraries are loaded on Linux only")
}
