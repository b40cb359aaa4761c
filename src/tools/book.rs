//! `tengen book`: computes the opening book of Connect Four and its appendix.

mod partial;
mod work;

use crate::arena::records::replacement::{Replacement, has_content};
use crate::game::connect4::Connect4;
use crate::game::{GameKind, Playable, Setup};
use crate::knowledge::Effort;
use crate::knowledge::connect4::book::{self, Appendix, Book};
use crate::knowledge::connect4::solver::{Solver, opening};
use anyhow::{Context, bail, ensure};
use clap::Args;
use partial::{Partial, score_of};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use work::{Job, Work, numbered};

const EXAMPLES: &str = "\
Examples:
  tengen book connect4 --depth 10 --threads 2 --memory 8192 --out 7x6.book
  tengen book connect4 --depth 12 --likely 4116273 --threads 2 --memory 8192 --out 7x6.appendix

Every position with DEPTH stones gets its score. Those of them, and those with a stone more, that
take the solver more than 65,536 nodes for one question and are not lost get a column to play in,
and so do all positions with at least four stones less.

With --likely N there are no scores: of the N positions with DEPTH stones to which most games lead,
those get a column that are not lost and take the solver more than 262,144 nodes in all, or after the
first 1,400,000 more than 700,000.

What is done is kept in FILE.partial, a letter for each position: begun again, with the same N or a
greater one, the work goes on from there.

The first takes four hours and the second two and a half, with two threads and huge pages, which make
a large table half as fast again: GLIBC_TUNABLES=glibc.malloc.hugetlb=1 in the environment asks for
them.";

/// Compute the opening book of Connect Four, or its appendix.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct BookArgs {
    /// connect4
    #[arg(value_name = "GAME")]
    game: GameKind,
    /// Stones of the positions in the book or the appendix
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=12))]
    depth: u32,
    /// Make an appendix: columns alone, for so many positions at the most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    likely: Option<u32>,
    /// Threads, each with positions of its own
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Size of the table that they share, in MiB
    #[arg(long, value_name = "MiB", default_value = "1024", value_parser = clap::value_parser!(u32).range(1..=65536))]
    memory: u32,
    /// Where to write it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Computes the book, or the appendix, and writes it. Progress goes to `out`.
///
/// # Errors
/// When there is no book of that game, a file cannot be read or written, the partial file is of
/// another book, or the book would replace what is none.
pub fn run(args: &BookArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    if args.game != GameKind::Connect4 {
        bail!("only Connect Four has an opening book");
    }
    check_out(args)?;
    let setup = Setup::standard(GameKind::Connect4);
    let solver = Solver::new(&setup, (args.memory as usize) << 20, 1);
    let bytes = match args.likely {
        None => make_book(args, &solver, out)?,
        Some(count) => make_appendix(args, count, &solver, out)?,
    };
    Replacement::write(&args.out, &bytes)?;
    writeln!(out, "{}: {} bytes", args.out.display(), bytes.len())?;
    Ok(())
}

/// An earlier book may be replaced, and nothing else. A file that cannot be written is told before the
/// hours of work.
fn check_out(args: &BookArgs) -> anyhow::Result<()> {
    let out = args.out.display();
    if has_content(&args.out) {
        let bytes = fs::read(&args.out).with_context(|| format!("cannot read {out}"))?;
        let is_such = match args.likely {
            None => Book::read(&bytes).is_ok(),
            Some(_) => Appendix::read(&bytes).is_ok(),
        };
        let kind = args.likely.map_or("book", |_| "appendix");
        ensure!(
            is_such,
            "{out} is no {kind}, so that none is written over it"
        );
    }
    Replacement::check(&args.out)
}

fn make_book(args: &BookArgs, solver: &Solver, out: &mut dyn Write) -> anyhow::Result<Vec<u8>> {
    let scored = opening::keys(args.depth);
    let later = opening::keys(args.depth + 1);
    let title = format!(
        "connect4 7x6, positions with {} stones, P is a draw",
        args.depth
    );
    // A letter for the score of each position, one for its column, and one for the column of each
    // position with a stone more, in the order of the keys.
    let columns = scored.len() + later.len();
    let mut work = Work::begin(args, solver, &title, scored.len(), columns)?;

    writeln!(out, "scores of positions with {} stones", args.depth)?;
    work.go_through(numbered(0, &scored), score_letter, out)?;
    let scores: Vec<(u64, i32)> = numbered(0, &scored)
        .map(|job| Some((job.key, score_of(work.partial.letter(job.number))?)))
        .collect::<Option<_>>()
        .context("a position was not solved")?;

    let may_be_held = |job: &Job| scores.get(job.number).is_none_or(|&(_, score)| score >= 0);
    let column_jobs = || {
        let jobs = numbered(0, &scored).filter(may_be_held).map(|job| Job {
            number: scored.len() + job.number,
            ..job
        });
        jobs.chain(numbered(2 * scored.len(), &later))
    };
    writeln!(out, "columns of these, and of those with a stone more")?;
    work.go_through(column_jobs(), column_letter, out)?;
    let mut columns = work.columns(column_jobs());
    writeln!(out, "columns of positions with fewer")?;
    columns.extend(early_columns(args.depth, &scores)?);

    Ok(book::write(args.depth, &scores, &columns)?)
}

fn make_appendix(
    args: &BookArgs,
    count: u32,
    solver: &Solver,
    out: &mut dyn Write,
) -> anyhow::Result<Vec<u8>> {
    let keys = opening::likely_keys(args.depth, count as usize);
    let title = format!(
        "connect4 7x6, columns of likely positions with {} stones",
        args.depth
    );
    let mut work = Work::begin(args, solver, &title, 0, keys.len())?;
    writeln!(out, "columns of positions with {} stones", args.depth)?;
    work.go_through(numbered(0, &keys), late_column_letter, out)?;
    let columns = work.columns(numbered(0, &keys));
    writeln!(out, "{} of them have one", columns.len())?;
    Ok(book::write_appendix(args.depth, &columns)?)
}

/// The letter of a score: that of a draw, so many letters on.
fn score_letter(solver: &Solver, job: &Job) -> anyhow::Result<u8> {
    let score = solver.score(&opening::position(job.key)?, &Effort::UNLIMITED);
    Ok((i32::from(Partial::DRAW) + score.context("the game is over")?) as u8)
}

/// The digit of a column, from 1, or else the letter for none: the position is lost, or so easy that
/// it needs no book.
///
/// What is easy depends a little on what the other threads have just found; the columns do not.
fn column_letter(solver: &Solver, job: &Job) -> anyhow::Result<u8> {
    /// What a solver finds out with so many nodes for each question, a hundredth of a second, is
    /// easy: whether the position is won, whether it is lost, and of one move after the other
    /// whether it keeps that.
    const EASY: u64 = 1 << 16;
    let position = opening::position(job.key)?;
    let effort = Effort {
        nodes: EASY,
        expired: &|| false,
    };
    if let Some(value) = solver.value(&position, &effort)
        && (value < 0 || beginners_nodes(&position, EASY).is_some())
    {
        return Ok(Partial::NONE);
    }
    keeping_letter(solver, &position)
}

/// The same for a position of the appendix, where positions are numbered by how many games lead to
/// them, and those that few lead to must be harder, so that the book stays below a megabyte. Here
/// easy does not depend on what was found before.
fn late_column_letter(solver: &Solver, job: &Job) -> anyhow::Result<u8> {
    /// Nearly nine tenths of the games of random plies lead to these.
    const LIKELY: usize = 1_400_000;
    // In all, for a solver that knows nothing yet: a third of what it can do at 100 ms a move, or
    // three quarters.
    let easy = if job.number < LIKELY {
        1 << 18
    } else {
        700_000
    };
    let position = opening::position(job.key)?;
    match beginners_nodes(&position, easy) {
        Some(nodes) if nodes <= easy => Ok(Partial::NONE),
        _ => keeping_letter(solver, &position),
    }
}

/// The digit of a column that keeps a win or a draw, or else the letter for none.
fn keeping_letter(solver: &Solver, position: &Connect4) -> anyhow::Result<u8> {
    let value = solver.value(position, &Effort::UNLIMITED);
    let value = value.context("the game is over")?;
    if value < 0 {
        return Ok(Partial::NONE);
    }
    let mv = solver.attaining(position, value, &Effort::UNLIMITED);
    Ok(b'1' + mv.context("no move keeps the value")?.code() as u8)
}

/// The keys of the positions from which the solver needs some time to get to these scores, and
/// their best columns.
fn early_columns(depth: u32, scores: &[(u64, i32)]) -> anyhow::Result<Vec<(u64, u8)>> {
    // The solver keeps its book for good, and this program ends soon.
    let bytes = Box::leak(book::write(depth, scores, &[])?.into_boxed_slice());
    let setup = Setup::standard(GameKind::Connect4);
    let solver = Solver::new(&setup, 64 << 20, 1).with_book(Book::read(bytes)?);
    let plies = 0..(depth + 1).saturating_sub(book::EARLIER);
    let keys = plies.flat_map(opening::keys);
    keys.map(|key| {
        let best = solver.best(&opening::position(key)?, &Effort::UNLIMITED);
        let mv = best.and_then(|(moves, _)| moves.first().copied());
        Ok((key, mv.context("the game is over")?.code() as u8))
    })
    .collect()
}

/// How many nodes a solver that knows nothing yet takes to find that a position is lost, or a move
/// that keeps its value. `None`: for some question more than `most`.
fn beginners_nodes(position: &Connect4, most: u64) -> Option<u64> {
    let solver = Solver::new(&position.setup(), 1 << 20, 1);
    let effort = Effort {
        nodes: most,
        expired: &|| false,
    };
    let value = solver.value(position, &effort)?;
    if value >= 0 {
        solver.attaining(position, value, &effort)?;
    }
    Some(solver.nodes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Move};

    #[test]
    fn hard_positions_of_the_appendix_get_a_column() {
        let setup = Setup::standard(GameKind::Connect4);
        let solver = Solver::new(&setup, 16 << 20, 1);
        // Draws that take 1,500,000 and 537,000 nodes, a loss that takes 300,000, and an easy win: in
        // a likely position and in another one.
        for (moves, likely, unlikely) in [
            ("657657752755", b'4', b'4'),
            ("112421722443", b'3', Partial::NONE),
            ("623442221451", Partial::NONE, Partial::NONE),
            ("436756412341", Partial::NONE, Partial::NONE),
        ] {
            let mut position = Connect4::new(&setup).unwrap();
            for digit in moves.bytes() {
                position.play(Move::new(u16::from(digit - b'1')));
            }
            for (number, letter) in [(0, likely), (2_000_000, unlikely)] {
                let key = opening::key(&position);
                let found = late_column_letter(&solver, &Job { number, key });
                assert_eq!(found.unwrap(), letter, "{moves} {number}");
            }
        }
    }
}
