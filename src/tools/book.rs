//! `tengen book`: computes the opening book of Connect Four.

use crate::game::GameKind;
use crate::knowledge::Effort;
use crate::knowledge::connect4::book;
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

Every position with DEPTH stones is solved. What is done is kept in FILE.partial, a letter for
each position: begun again, the work goes on from there.

DEPTH 10 takes two hours with two threads and huge pages, for which the environment has to say
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

/// Computes the book and writes it. Progress goes to `out`.
///
/// # Errors
/// When there is no book of that game, a file cannot be read or written, or the partial file is
/// not of this depth.
pub fn run(args: &BookArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    if args.game != GameKind::Connect4 {
        bail!("only Connect Four has an opening book");
    }
    let keys = opening::keys(args.depth);
    let mut partial = Partial::open(&partial_path(&args.out), args.depth, keys.len())?;
    let is_open = |number: &usize| partial.score(*number).is_none();
    let open: Vec<usize> = (0..keys.len()).filter(is_open).collect();
    writeln!(
        out,
        "{} positions, {} of them solved before",
        keys.len(),
        keys.len() - open.len()
    )?;
    out.flush()?;
    let progress = Progress::new(open.len() as u64);
    solve_all(&keys, &open, args, |number, score| {
        partial.add(number, score)?;
        progress.step(out)
    })?;
    progress.finish();
    let scored = (0..).zip(&keys);
    let positions: Option<Vec<_>> = scored
        .map(|(number, &key)| Some((key, partial.score(number)?)))
        .collect();
    let bytes = book::write(args.depth, &positions.context("a position was not solved")?)?;
    fs::write(&args.out, &bytes).with_context(|| format!("cannot write {}", args.out.display()))?;
    writeln!(out, "{}: {} bytes", args.out.display(), bytes.len())?;
    Ok(())
}

/// Solves the open ones of the positions on several threads and hands each number and score to
/// `done`, in no certain order.
fn solve_all(
    keys: &[u64],
    open: &[usize],
    args: &BookArgs,
    mut done: impl FnMut(usize, i32) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    /// Neighbours have columns in common, so the thread's own table serves them all.
    const TOGETHER: usize = 16;
    let setup = crate::game::Setup::standard(GameKind::Connect4);
    let shared = Solver::new(&setup, (args.memory as usize) << 20, 1);
    let parts = Mutex::new(open.chunks(TOGETHER));
    let take = || parts.lock().ok()?.next();
    let work = |results: Sender<anyhow::Result<(usize, i32)>>| {
        let solver = shared.sibling();
        while let Some(numbers) = take() {
            for &number in numbers {
                let score = solve(&solver, keys[number]);
                // The receiver is gone after an error: then nobody needs the rest.
                if results.send(score.map(|score| (number, score))).is_err() {
                    return;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..args.threads {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        for result in results {
            let (number, score) = result?;
            done(number, score)?;
        }
        Ok(())
    })
}

fn solve(solver: &Solver, key: u64) -> anyhow::Result<i32> {
    let position = opening::position(key)?;
    let score = solver.score(&position, &Effort::UNLIMITED);
    score.context("the game is over")
}

fn partial_path(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// What was solved so far, in memory and in a file: after a line that says what it is, a letter
/// for each position in the order of the keys.
struct Partial {
    file: File,
    title: String,
    letters: Vec<u8>,
}

impl Partial {
    /// Stands for a position that is not solved.
    const OPEN: u8 = b'.';

    /// Stands for a draw. A win by one stone more is the next letter, a loss the one before.
    const DRAW: u8 = b'P';

    /// Reads the file, or begins it.
    fn open(path: &Path, depth: u32, positions: usize) -> anyhow::Result<Partial> {
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
        let is_known = |&letter: &u8| letter == Self::OPEN || score_of(letter).is_some();
        if letters.len() > positions || !letters.iter().all(is_known) {
            bail!("{} is damaged", path.display());
        }
        let mut letters = letters.to_vec();
        letters.resize(positions, Self::OPEN);
        file.rewind()?;
        file.write_all(title.as_bytes())?;
        file.write_all(&letters)?;
        Ok(Partial {
            file,
            title,
            letters,
        })
    }

    /// The score of a position, by its number. `None`: it is not solved.
    fn score(&self, number: usize) -> Option<i32> {
        score_of(*self.letters.get(number)?)
    }

    fn add(&mut self, number: usize, score: i32) -> anyhow::Result<()> {
        let letter = (i32::from(Self::DRAW) + score) as u8;
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
        for cut in [0, 10, 60] {
            fs::write(&path, "").unwrap();
            let mut partial = Partial::open(&path, 3, 20).unwrap();
            partial.add(2, -18).unwrap();
            partial.add(19, 18).unwrap();
            let whole = fs::read(&path).unwrap();
            fs::write(&path, &whole[..cut.min(whole.len())]).unwrap();
            let mut partial = Partial::open(&path, 3, 20).unwrap();
            let kept = |number: usize| number + partial.title.len() < cut;
            assert_eq!(partial.score(2), kept(2).then_some(-18), "{cut}");
            assert_eq!(partial.score(19), kept(19).then_some(18), "{cut}");
            assert_eq!(partial.score(5), None);
            partial.add(5, 0).unwrap();
            let partial = Partial::open(&path, 3, 20).unwrap();
            assert_eq!(partial.score(5), Some(0), "{cut}");
            assert_eq!(fs::read(&path).unwrap().len(), whole.len());
        }
        fs::remove_file(&path).unwrap();
    }
}
