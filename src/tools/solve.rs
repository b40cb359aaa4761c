//! `tengen solve`: the exact scores of positions.
//!
//! What a line means and what is answered is a matter of the game: one file each.

mod connect4;
mod gomoku;
mod reversi;

use crate::args::GameArgs;
use crate::clock;
use crate::game::{Action, GameKind, Playable, Setup, files, notation};
use crate::knowledge::Effort;
use anyhow::{Context, anyhow, bail, ensure};
use clap::Args;
use std::fmt::Display;
use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  echo 2252576253462244111563365343671351441 | tengen solve --game connect4
  tengen solve --all --threads 4 <positions.txt
  echo '6 7 6 7 7 6 5 5 8 8 4 4 9 9' | tengen solve --size 12x4 --hole 3,0
  cut -d' ' -f1 Test_L1_R1 | tengen solve --time 10000
  tengen solve --game reversi --threads 4 --memory 1024 < fforum-40-59.obf
  echo 'h8 a1 i8 a3 h9 a5' | tengen solve --game gomoku --time 1000
  tengen solve --game gomoku --rule renju puzzles/*.sgf

Boards are read in every game: the cells row by row from the top, X and O for the stones of the first and the
second side, . or - for none, # for Connect Four's hole, and the side to move after them, X or O. In Reversi
and Gomoku it may also be B for black, the first side, or W for white.

Connect Four: each line of the input is a board or holds the columns played, from 1 at the left, and nothing
else but numbers of moves, as in 1. 4 4 2. 3; on boards with more than nine columns they are parted by spaces
or commas. The line comes back with the score: 0 is a draw, 1 a win of the side to move with its last stone, 2
with the one before it, and so on; losses are negative. With --all there is a score for every column instead,
and - where none can be played. A game that is over has the score of its last move with the sign turned.

Reversi: each line is a board or holds the moves played, as in f5d6c3, of which forced passes may be left
out. The line comes back with the score in discs for the side to move, with the empty squares given to the
winner, and the moves that both sides play best, the best move first. With --all there is every legal move
with its score instead, as in a2:38, the best first. A game that is over has its score alone, and - with
--all. What follows a semicolon, as in files of OBF, is passed over.

Gomoku: each line is a board, holds the moves played, as in h8 i9, or is a record in SGF, where AB, AW, AE
and PL put up a position. The line comes back with the word win, the plies after which the side to move has won
at the latest, and the moves of the proof with the longest defence that was looked at, which may be fewer; or
with unknown, if no win by continuous threats was found, which proves nothing. The search for one ends after ten
seconds unless --time says otherwise.

With --wld a score is 1, 0 or -1 for a win, a draw or a loss, and in Reversi stands alone. Positions
with many free squares take longer than anybody waits: --time gives up a line. Where a line is no
position or is given up, an empty line comes back, and the reason on the standard error.

Each FILE is one position, in place of the lines of the standard input, and its name comes back with the
answer. In Gomoku it may be a record in SGF or PSQ; where one is among them, --game need not be given. The exit
status is 1 where a file is empty or cannot be read.";

/// Print the exact scores of positions, or the wins that are proven.
#[derive(Args, Debug)]
#[command(
    after_long_help = EXAMPLES,
    after_help = "Examples: see --help",
    mut_arg("game", |arg| arg.help("gomoku, reversi or connect4 [default: that of a record, or connect4]"))
)]
pub struct SolveArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Score every move
    #[arg(long)]
    all: bool,
    /// Tell only who wins
    #[arg(long)]
    wld: bool,
    /// Threads of the solver
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Size of the table in MiB
    #[arg(long, value_name = "MiB", default_value = "64", value_parser = clap::value_parser!(u32).range(1..=65536))]
    memory: u32,
    /// Give up a line after so many milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// Do not look into the opening book of Connect Four
    #[arg(long)]
    no_book: bool,
    /// Tell nodes and time on the standard error at the end
    #[arg(long)]
    stats: bool,
    /// Files with one position each
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl SolveArgs {
    /// The size of the table in bytes.
    fn bytes(&self) -> usize {
        (self.memory as usize) << 20
    }
}

/// Solves the lines of one game.
trait Lines {
    /// What a line is answered with.
    ///
    /// # Errors
    /// Why the line is no position that can be solved, or that the effort was not enough.
    fn answer(&self, line: &str, effort: &Effort<'_>) -> anyhow::Result<String>;

    /// Whether a text may be a record of a game.
    fn reads_records(&self) -> bool {
        false
    }

    /// Milliseconds for a line where nothing else is said. `None`: until it is solved.
    fn patience(&self) -> Option<u64> {
        None
    }

    /// Nodes searched so far.
    fn nodes(&self) -> u64;
}

type MakeLines = fn(&Setup, &SolveArgs) -> anyhow::Result<Box<dyn Lines>>;

/// The games that can be solved.
const SOLVERS: &[(GameKind, MakeLines)] = &[
    (GameKind::Connect4, |setup, args| {
        Ok(Box::new(connect4::Columns::new(setup, args)?))
    }),
    (GameKind::Reversi, |setup, args| {
        Ok(Box::new(reversi::Boards::new(setup, args)?))
    }),
    (GameKind::Gomoku, |setup, args| {
        Ok(Box::new(gomoku::Records::new(setup, args)?))
    }),
];

/// The lines of a game that can be played so.
fn lines_of(setup: &Setup, args: &SolveArgs) -> anyhow::Result<Box<dyn Lines>> {
    let game = setup.game();
    let solver = SOLVERS.iter().find(|(solved, _)| *solved == game);
    let (_, lines) = solver.with_context(|| format!("{game} cannot be solved"))?;
    lines(setup, args)
}

/// Solves every line of `input`. Errors of lines go to `errors`.
///
/// # Errors
/// When the game cannot be played so, the input or a file cannot be read, or `out` cannot be written.
pub fn run(
    args: &SolveArgs,
    input: impl BufRead,
    out: &mut dyn Write,
    errors: &mut dyn Write,
) -> anyhow::Result<()> {
    let paths = args.files.iter();
    let files: Vec<_> = paths.map(|path| (path.display(), text_of(path))).collect();
    let texts = files.iter().filter_map(|(_, text)| text.as_ref().ok());
    let setup = args.game.setup(recorded_game(texts))?;
    let lines = lines_of(&setup, args)?;
    let begun = clock::now();
    let mut count = 0_u64;
    let mut unread = 0;
    for (name, text) in files {
        let text = text.and_then(|text| check_record(&*lines, &setup, &text).map(|()| text));
        unread += usize::from(text.is_err());
        let answer = text.and_then(|text| {
            answer(&*lines, &text, args.time).map_err(|error| match text.contains('\n') {
                true => anyhow!("{error:#} {ONE_A_FILE}"),
                false => error,
            })
        });
        tell(&name, &name, answer, out, errors)?;
        count += 1;
    }
    if args.files.is_empty() {
        for (number, line) in (1..).zip(input.split(b'\n')) {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            // Some programs put a byte order mark before the first line.
            let line = line.trim_start_matches('\u{feff}').trim_end();
            let answer =
                check_record(&*lines, &setup, line).and_then(|()| answer(&*lines, line, args.time));
            tell(&line, &format_args!("line {number}"), answer, out, errors)?;
            count += 1;
        }
    }
    if args.stats {
        let seconds = clock::now().duration_since(begun).as_secs_f64();
        let per_line = 1000.0 * seconds / count.max(1) as f64;
        let nodes = lines.nodes();
        writeln!(
            errors,
            "{count} lines, {per_line:.3} ms each, {nodes} nodes, {:.0} a second",
            nodes as f64 / seconds.max(1e-9)
        )?;
    }
    if unread > 0 {
        bail!("{unread} of {} files could not be read", args.files.len());
    }
    Ok(())
}

/// What a file holds, which must be something: no moves at all would stand for the opening.
fn text_of(path: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}').trim_end();
    ensure!(!text.is_empty(), "the file is empty");
    Ok(text.to_owned())
}

/// The game where none is named: that of the first record.
fn recorded_game<'a>(mut texts: impl Iterator<Item = &'a String>) -> GameKind {
    let recorded = texts.find_map(|text| files::game(text).ok());
    recorded.unwrap_or(GameKind::Connect4)
}

/// A record of a game must be one of the game that is solved, and be read in it.
fn check_record(lines: &dyn Lines, setup: &Setup, text: &str) -> anyhow::Result<()> {
    if !files::is_file(text) {
        return Ok(());
    }
    let recorded = files::game(text)?;
    if recorded != setup.game() {
        bail!("this is a record of {recorded}: --game {recorded}");
    }
    if !lines.reads_records() {
        bail!("records of {recorded} are not read here, only moves and boards");
    }
    Ok(())
}

/// What is added where a file of several lines is not understood.
const ONE_A_FILE: &str =
    "(the file was read as one position; lines of them are read from the standard input)";

/// What one position is answered with, in `time` milliseconds or as long as the game has patience.
fn answer(lines: &dyn Lines, text: &str, time: Option<u64>) -> anyhow::Result<String> {
    let begun = clock::now();
    let time = time.or(lines.patience()).map(Duration::from_millis);
    let effort = Effort {
        expired: &|| time.is_some_and(|time| clock::now().duration_since(begun) >= time),
        ..Effort::UNLIMITED
    };
    lines.answer(text, &effort)
}

/// Prints the answer to a `question`, or an empty line and what was wrong at its `place`.
fn tell(
    question: &dyn Display,
    place: &dyn Display,
    answer: anyhow::Result<String>,
    out: &mut dyn Write,
    errors: &mut dyn Write,
) -> anyhow::Result<()> {
    match answer {
        Ok(scores) => writeln!(out, "{question} {scores}")?,
        Err(error) => {
            writeln!(out)?;
            writeln!(errors, "{place}: {error:#}")?;
        }
    }
    out.flush()?;
    Ok(())
}

/// What a line that takes too long is told.
fn unsolved() -> anyhow::Error {
    anyhow!("not solved in its time")
}

/// The position after these moves. `refused` tells why a move is not
/// possible, by its text.
fn follow<G: Playable>(
    start: &G,
    actions: Vec<Action>,
    refused: impl Fn(Action, &str) -> String,
) -> anyhow::Result<G> {
    let mut position = start.clone();
    for (number, action) in (1..).zip(actions) {
        if position.outcome().is_some() {
            bail!("move {number}: the game is over");
        }
        let mv = position.parse_action(action);
        let mv = mv.ok_or_else(|| {
            let text = notation::write(&start.setup(), action);
            anyhow!("move {number}: {}", refused(action, &text))
        })?;
        position.play(mv);
    }
    Ok(position)
}
