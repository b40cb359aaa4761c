//! A bot of the coursework from a shared library, in a process that can do no harm.
//!
//! `tengen host PATH` loads the library and answers questions, a line of JSON each, which carry
//! what the C interface asks for; the arena's `so:PATH` starts it and asks. As the course's
//! referee does, it keeps the library from game to game and calls it on a new thread for every
//! move.
//!
//! The library is not trusted. Before it is loaded, the process
//!
//! * moves the streams to its parent to descriptors of its own and puts `/dev/null` in their
//!   place, so that what the library prints is not taken for an answer;
//! * limits its memory, and allows no file to grow, no core and few descriptors;
//! * gives up what rights it has: root becomes nobody, and nothing it starts gets more.
//!
//! A call that takes too long ends the process by SIGXCPU, which the arena knows as a loss on
//! time. A crash of the library is one of this process. What remains: the library shares the
//! address space, so it could forge its own answers; and it can read what everybody can.
//!
//! | module | what it is |
//! |---|---|
//! | `library` | loading and calling a library: one of the rooms of `unsafe` |
//! | `confine` | what the process gives up |

#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod library;

use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// The processor time that the course allows for a move.
pub const COURSE_TIME: Duration = Duration::from_secs(3);

/// The line that asks whether the library is loaded, and the answer if it is.
pub const READY: &str = "ready";

/// The line that ends the process.
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

/// The cell that the library chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Row from the top.
    pub x: i32,
    /// Column from the left.
    pub y: i32,
}

/// Load a coursework bot and answer for it, as the match does for so:PATH
#[derive(Args, Clone, Debug)]
pub struct HostArgs {
    /// The shared library
    path: PathBuf,
    /// Milliseconds of processor time for a move
    #[arg(long, value_name = "MS", default_value_t = COURSE_TIME.as_millis() as u64)]
    time: u64,
}

/// Answers questions on the standard streams until the input ends. Blocks until then.
///
/// # Errors
/// When a stream fails. That the library cannot be loaded is told to who asks.
#[cfg(target_os = "linux")]
pub fn run(args: &HostArgs) -> anyhow::Result<()> {
    use std::io::{BufRead, Write};

    let (input, mut output) = crate::io::take_streams()?;
    let library = load(&args.path);
    for line in input.lines() {
        let line = line?;
        if line == QUIT {
            break;
        }
        let answer = match &library {
            Ok(library) => reply(*library, &line, Duration::from_millis(args.time)),
            Err(error) => format!("{error:#}"),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

/// As above.
///
/// # Errors
/// Always: the means are those of Linux.
#[cfg(not(target_os = "linux"))]
pub fn run(_: &HostArgs) -> anyhow::Result<()> {
    anyhow::bail!("libraries are loaded on Linux only")
}

/// The file is copied to memory while this process may still read it.
#[cfg(target_os = "linux")]
fn load(path: &std::path::Path) -> anyhow::Result<library::Library> {
    use anyhow::Context;

    let copy = confine::copy_to_memory(path);
    let copy = copy.with_context(|| format!("cannot read {}", path.display()))?;
    confine::give_up_rights().context("cannot confine the library")?;
    let library = library::Library::load(copy);
    confine::forbid_debugging().context("cannot confine the library")?;
    library.with_context(|| format!("cannot load {}", path.display()))
}

#[cfg(target_os = "linux")]
fn reply(library: library::Library, line: &str, limit: Duration) -> String {
    if line == READY {
        return READY.to_owned();
    }
    let question = serde_json::from_str(line).ok().filter(Question::is_whole);
    let Some(question) = question else {
        return "not a question".to_owned();
    };
    let answer = confine::within(limit, move || library.ask(&question));
    serde_json::to_string(&answer).unwrap_or_else(|error| error.to_string())
}
