//! `tengen book`: computes the opening book of Connect Four.

use crate::game::connect4::Connect4;
use crate::game::{Game, GameKind, Setup};
use crate::knowledge::Effort;
use crate::knowledge::connect4::book::{self, Book};
use crate::knowledge::connect4::solver::{Solver, opening};
use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

const EXAMPLES: &str = "\
Example: tengen book connect4 --depth 10 --threads 2 --memory 8192 --out 7x6.book

Every position with DEPTH stones gets its score. Those of them, and those with a stone more, that
take the solver more than 65,536 nodes for one question and are not lost get a column to play in,
and so do all positions with at least four stones less.
What is done is kept in FILE.partial, a letter for each position: begun again, the work goes on
from there.

DEPTH 10 takes four hours with two threads and huge pages, for which the environment has to say
GLIBC_TUNABLES=glibc.malloc.hugetlb=1: they make a large table half as fast again.";

/// Compute the opening book of Connect Four.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct BookArgs {
    /// connect4
    #[arg(value_name = "GAME")]
    game: GameKind,
    /// Stones of the positions in the book
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=12))]
    depth: u32,
    /// Threads, each with positions of its own
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Size of the table that they share, in MiB
    #[arg(long, value_name = "MiB", default_value = "1024", value_parser = clap::value_parser!(u32).range(1..=65536))]
    memory: u32,
    /// Where to write the book
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// A position to be worked on, and the number of its letter in the partial file.
struct Job {
    number: usize,
    key: u64,
}

/// Computes the book and writes it. Progress goes to `out`.
///
/// # Errors
/// When there is no book of that game, a file cannot be read or written, or the partial file is
/// not of this depth.
pub fn run(args: &BookArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    if args.game != GameKind::Connect4 {
        bail!("only Connect Four has an opening book");
    }
    let scored = opening::keys(args.depth);
    let later = opening::keys(args.depth + 1);
    let path = partial_path(&args.out);
    let mut partial = Partial::open(&path, args.depth, scored.len(), later.len())?;
    let setup = Setup::standard(GameKind::Connect4);
    let solver = Solver::new(&setup, (args.memory as usize) << 20, 1);

    let score_jobs = numbered(0, &scored);
    writeln!(out, "scores of positions with {} stones", args.depth)?;
    work_through(
        &solver,
        score_jobs,
        args.threads,
        &mut partial,
        score_letter,
        out,
    )?;
    let scores: Vec<(u64, i32)> = numbered(0, &scored)
        .map(|job| Some((job.key, score_of(partial.letter(job.number))?)))
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
    work_through(
        &solver,
        column_jobs(),
        args.threads,
        &mut partial,
        column_letter,
        out,
    )?;
    let mut columns: Vec<(u64, u8)> = column_jobs()
        .filter_map(|job| Some((job.key, column_of(partial.letter(job.number))?)))
        .collect();
    writeln!(out, "columns of positions with fewer")?;
    columns.extend(early_columns(args.depth, &scores)?);

    let bytes = book::write(args.depth, &scores, &columns)?;
    fs::write(&args.out, &bytes).with_context(|| format!("cannot write {}", args.out.display()))?;
    writeln!(out, "{}: {} bytes", args.out.display(), bytes.len())?;
    Ok(())
}

/// The positions with these keys; the first has the letter `first`.
fn numbered(first: usize, keys: &[u64]) -> impl Iterator<Item = Job> {
    (first..)
        .zip(keys)
        .map(|(number, &key)| Job { number, key })
}

/// Finds the letters of those jobs that have none, on several threads, and puts them into the
/// partial file.
fn work_through(
    solver: &Solver,
    jobs: impl Iterator<Item = Job>,
    threads: u32,
    partial: &mut Partial,
    letter: impl Fn(&Solver, u64) -> anyhow::Result<u8> + Sync,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    /// Neighbours have columns in common, so the thread's own table serves them all.
    const TOGETHER: usize = 16;
    let jobs: Vec<Job> = jobs.collect();
    let all = jobs.len();
    let is_open = |job: &Job| partial.letter(job.number) == Partial::OPEN;
    let open: Vec<Job> = jobs.into_iter().filter(is_open).collect();
    writeln!(
        out,
        "{all} positions, {} of them done before",
        all - open.len()
    )?;
    out.flush()?;
    let progress = Progress::new(open.len() as u64);
    let parts = Mutex::new(open.chunks(TOGETHER));
    let take = || parts.lock().ok()?.next();
    let work = |results: Sender<anyhow::Result<(usize, u8)>>| {
        let solver = solver.sibling();
        while let Some(jobs) = take() {
            for job in jobs {
                let found = letter(&solver, job.key).map(|letter| (job.number, letter));
                // The receiver is gone after an error: then nobody needs the rest.
                if results.send(found).is_err() {
                    return;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        for result in results {
            let (number, letter) = result?;
            partial.put(number, letter)?;
            progress.step(out)?;
        }
        anyhow::Ok(())
    })?;
    progress.finish();
    Ok(())
}

/// The letter of a score: that of a draw, so many letters on.
fn score_letter(solver: &Solver, key: u64) -> anyhow::Result<u8> {
    let score = solver.score(&opening::position(key)?, &Effort::UNLIMITED);
    Ok((i32::from(Partial::DRAW) + score.context("the game is over")?) as u8)
}

/// The digit of a column that keeps a win or a draw, from 1, or else the letter for none: the
/// position is lost, or so easy that it needs no book.
///
/// What is easy depends a little on what the other threads have just found; the columns do not.
fn column_letter(solver: &Solver, key: u64) -> anyhow::Result<u8> {
    /// What a solver finds out with so many nodes for each question, a hundredth of a second, is
    /// easy: whether the position is won, whether it is lost, and of one move after the other
    /// whether it keeps that.
    const EASY: Effort<'static> = Effort {
        nodes: 1 << 16,
        expired: &|| false,
    };
    let position = opening::position(key)?;
    if let Some(value) = solver.value(&position, &EASY)
        && (value < 0 || is_easy(&position, &EASY))
    {
        return Ok(Partial::NONE);
    }
    let value = solver.value(&position, &Effort::UNLIMITED);
    let value = value.context("the game is over")?;
    if value < 0 {
        return Ok(Partial::NONE);
    }
    let mv = solver.attaining(&position, value, &Effort::UNLIMITED);
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

/// Whether a solver that knows nothing yet finds a move that keeps the value.
fn is_easy(position: &Connect4, effort: &Effort<'_>) -> bool {
    let solver = Solver::new(&position.setup(), 1 << 20, 1);
    let value = solver.value(position, effort);
    value.is_some_and(|value| solver.attaining(position, value, effort).is_some())
}

fn partial_path(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// What was found so far, in memory and in a file: after a line that says what it is, a letter
/// for the score of each position, one for its column, and one for the column of each position
/// with a stone more, in the order of the keys.
struct Partial {
    file: File,
    title: String,
    letters: Vec<u8>,
}

impl Partial {
    /// Stands for what is still to be found.
    const OPEN: u8 = b'.';

    /// Stands for no column.
    const NONE: u8 = b'-';

    /// Stands for a draw. A win by one stone more is the next letter, a loss the one before.
    const DRAW: u8 = b'P';

    /// Reads the file, or begins it, for so many positions with `depth` stones and with one more.
    fn open(path: &Path, depth: u32, scored: usize, later: usize) -> anyhow::Result<Partial> {
        let read = || format!("cannot read {}", path.display());
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).with_context(read)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).with_context(read)?;
        let title = format!("connect4 7x6, positions with {depth} stones, P is a draw\n");
        let letters = match text.strip_prefix(title.as_bytes()) {
            Some(letters) => letters,
            None if title.as_bytes().starts_with(&text) => &[],
            None => bail!("{} is not of this depth", path.display()),
        };
        let is_known = |(number, &letter): (usize, &u8)| match letter {
            Self::OPEN => true,
            _ if number < scored => score_of(letter).is_some(),
            _ => letter == Self::NONE || column_of(letter).is_some(),
        };
        let length = 2 * scored + later;
        if letters.len() > length || !letters.iter().enumerate().all(is_known) {
            bail!("{} is damaged", path.display());
        }
        let mut letters = letters.to_vec();
        letters.resize(length, Self::OPEN);
        file.rewind()?;
        file.write_all(title.as_bytes())?;
        file.write_all(&letters)?;
        Ok(Partial {
            file,
            title,
            letters,
        })
    }

    fn letter(&self, number: usize) -> u8 {
        self.letters.get(number).copied().unwrap_or(Self::OPEN)
    }

    fn put(&mut self, number: usize, letter: u8) -> anyhow::Result<()> {
        self.letters[number] = letter;
        let place = self.title.len() + number;
        self.file.seek(SeekFrom::Start(place as u64))?;
        self.file.write_all(&[letter])?;
        Ok(())
    }
}

/// The score that a letter stands for. On 7×6 nobody wins by more than 18.
fn score_of(letter: u8) -> Option<i32> {
    let score = i32::from(letter) - i32::from(Partial::DRAW);
    (-18..=18).contains(&score).then_some(score)
}

/// The column that a digit stands for, from 0.
fn column_of(letter: u8) -> Option<u8> {
    matches!(letter, b'1'..=b'7').then(|| letter - b'1')
}

/// How far the work is: a bar, or lines where there is no terminal.
struct Progress(ProgressBar);

impl Progress {
    fn new(open: u64) -> Progress {
        let bar = ProgressBar::new(open);
        let template = "{elapsed} [{wide_bar}] {pos}/{len} positions, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        Progress(bar)
    }

    /// One position more is solved. A line, if it is time for one, goes to `plain`.
    fn step(&self, plain: &mut dyn Write) -> anyhow::Result<()> {
        const LINES: u64 = 1000;
        let bar = &self.0;
        bar.inc(1);
        let (all, done) = (bar.length().unwrap_or(0), bar.position());
        if bar.is_hidden() && done.is_multiple_of(all.div_ceil(LINES).max(1)) {
            writeln!(
                plain,
                "{done}/{all} in {:.0} s",
                bar.elapsed().as_secs_f64()
            )?;
            plain.flush()?;
        }
        Ok(())
    }

    fn finish(self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_goes_on_wherever_it_was_cut_short() {
        let name = format!("tengen-partial-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let open = || Partial::open(&path, 3, 8, 4).unwrap();
        for cut in [0, 10, 60] {
            fs::write(&path, "").unwrap();
            let mut partial = open();
            partial.put(2, b'>').unwrap();
            partial.put(19, b'7').unwrap();
            let whole = fs::read(&path).unwrap();
            fs::write(&path, &whole[..cut.min(whole.len())]).unwrap();
            let mut partial = open();
            let is_kept = |number: usize| number + partial.title.len() < cut;
            let kept = |number, letter| {
                if is_kept(number) {
                    letter
                } else {
                    Partial::OPEN
                }
            };
            assert_eq!(partial.letter(2), kept(2, b'>'), "{cut}");
            assert_eq!(partial.letter(19), kept(19, b'7'), "{cut}");
            assert_eq!(partial.letter(5), Partial::OPEN);
            partial.put(5, Partial::DRAW).unwrap();
            assert_eq!(open().letter(5), Partial::DRAW, "{cut}");
            assert_eq!(fs::read(&path).unwrap().len(), whole.len());
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn letters_stand_for_scores_and_columns() {
        assert_eq!(score_of(Partial::DRAW), Some(0));
        assert_eq!(score_of(b'R'), Some(2));
        assert_eq!(score_of(Partial::OPEN), None);
        assert_eq!(score_of(Partial::NONE), None);
        assert_eq!(column_of(b'1'), Some(0));
        assert_eq!(column_of(b'7'), Some(6));
        assert_eq!(column_of(Partial::NONE), None);
    }
}
