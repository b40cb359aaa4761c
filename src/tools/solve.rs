//! `tengen solve`: the exact scores of Connect Four positions.

use crate::args::GameArgs;
use crate::clock;
use crate::game::connect4::Connect4;
use crate::game::{Action, Game, GameKind, Moves, Setup, notation};
use crate::knowledge::Effort;
use crate::knowledge::connect4::solver::Solver;
use anyhow::{anyhow, bail};
use clap::Args;
use std::io::{BufRead, Write};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  echo 2252576253462244111563365343671351441 | tengen solve --game connect4
  tengen solve --all --threads 4 <positions.txt
  echo '6 7 6 7 7 6 5 5 8 8 4 4 9 9' | tengen solve --size 12x4 --hole 3,0
  cut -d' ' -f1 Test_L1_R1 | tengen solve --time 10000

Each line of the input holds the columns played, from 1 at the left, and nothing else; on boards with
more than nine columns they are parted by spaces or commas. Large boards with few stones take longer
than anybody waits: --time gives up a line. The line comes back with the score: 0 is a draw, 1 a
win of the side to move with its last stone, 2 with the one before it, and so on; losses are
negative. With --all there is a score for every column instead, and - where none can be played.
Where a line is no position or is given up, an empty line comes back, and the reason on the standard
error.";

/// Print the exact scores of Connect Four positions.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct SolveArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Score every column
    #[arg(long)]
    all: bool,
    /// Threads of the solver
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Size of the table in MiB
    #[arg(long, value_name = "MiB", default_value = "64", value_parser = clap::value_parser!(u32).range(1..=65536))]
    memory: u32,
    /// Give up a line after so many milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// Do not look into the opening book
    #[arg(long)]
    no_book: bool,
    /// Tell nodes and time on the standard error at the end
    #[arg(long)]
    stats: bool,
}

/// Solves every line of `input`. Errors of lines go to `errors`.
///
/// # Errors
/// When the game cannot be played so, the input cannot be read or `out` cannot be written.
pub fn run(
    args: &SolveArgs,
    input: impl BufRead,
    out: &mut dyn Write,
    errors: &mut dyn Write,
) -> anyhow::Result<()> {
    let setup = args.game.setup(GameKind::Connect4);
    if setup.game != GameKind::Connect4 {
        bail!("only Connect Four can be solved");
    }
    let start = Connect4::new(&setup)?;
    let bytes = (args.memory as usize) << 20;
    let solver = Solver::new(&setup, bytes, args.threads);
    let solver = match args.no_book {
        true => solver,
        false => solver.with_own_book(),
    };
    let begun = clock::now();
    let mut count = 0_u64;
    for (number, line) in (1..).zip(input.split(b'\n')) {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        // Some programs put a byte order mark before the first line.
        let line = line.trim_start_matches('\u{feff}').trim_end();
        match answer(&solver, &start, line, args) {
            Ok(scores) => writeln!(out, "{line} {scores}")?,
            Err(error) => {
                writeln!(out)?;
                writeln!(errors, "line {number}: {error:#}")?;
            }
        }
        out.flush()?;
        count += 1;
    }
    if args.stats {
        let seconds = clock::now().duration_since(begun).as_secs_f64();
        let per_line = 1000.0 * seconds / count.max(1) as f64;
        let nodes = solver.nodes();
        writeln!(
            errors,
            "{count} lines, {per_line:.3} ms each, {nodes} nodes, {:.0} a second",
            nodes as f64 / seconds.max(1e-9)
        )?;
    }
    Ok(())
}

/// The score of a line, or of every column after it.
fn answer(
    solver: &Solver,
    start: &Connect4,
    line: &str,
    args: &SolveArgs,
) -> anyhow::Result<String> {
    let position = follow(start, line)?;
    if position.awaits_steal() {
        bail!("no score counts a steal, which is still possible");
    }
    let begun = clock::now();
    let time = args.time.map(Duration::from_millis);
    let effort = Effort {
        expired: &|| time.is_some_and(|time| clock::now().duration_since(begun) >= time),
        ..Effort::UNLIMITED
    };
    let unsolved = || anyhow!("not solved in its time");
    if !args.all {
        let score = solver.score(&position, &effort);
        return Ok(score.ok_or_else(unsolved)?.to_string());
    }
    let mut moves = Moves::new();
    position.legal_moves(&mut moves);
    let mut scores = vec!["-".to_owned(); usize::from(start.setup().cols)];
    for &mv in &moves {
        let score = solver.move_score(&position, mv, &effort);
        if let Some(text) = scores.get_mut(usize::from(mv.code())) {
            *text = score.ok_or_else(unsolved)?.to_string();
        }
    }
    Ok(scores.join(" "))
}

/// What stands apart from moves that are side by side, such as the score in a line of the public
/// sets, which would be taken for more moves.
fn apart_from_digits<'a>(setup: &Setup, line: &'a str) -> Option<&'a str> {
    let words = || line.split_whitespace();
    let is_joined = setup.cols <= 9 && words().any(|word| word.len() > 1);
    words().nth(1).filter(|_| is_joined)
}

/// The position after the columns of a line, in which the game must go on.
fn follow(start: &Connect4, line: &str) -> anyhow::Result<Connect4> {
    let setup: Setup = start.setup();
    if let Some(word) = apart_from_digits(&setup, line) {
        bail!("{word:?} stands apart from the moves: a line holds nothing else");
    }
    let actions = notation::parse_list(&setup, line)
        .map_err(|text| anyhow!("{text:?} is no column of this board"))?;
    let mut position = start.clone();
    for (number, action) in (1..).zip(actions) {
        if position.outcome().is_some() {
            bail!("move {number}: the game is over");
        }
        let mv = position.parse_action(action);
        let mv = mv.ok_or_else(|| {
            let text = notation::write(&setup, action);
            match action {
                Action::Column(_) => anyhow!("move {number}: {text} is full"),
                _ => anyhow!("move {number}: {text} is not possible"),
            }
        })?;
        position.play(mv);
    }
    if position.outcome().is_some() {
        bail!("the game is over");
    }
    Ok(position)
}
