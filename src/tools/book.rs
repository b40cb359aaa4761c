//! `tengen book`: computes the opening book of Connect Four.

use crate::game::GameKind;
use crate::knowledge::Effort;
use crate::knowledge::connect4::book;
use crate::knowledge::connect4::solver::{Solver, opening};
use anyhow::{Context, anyhow, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

const EXAMPLES: &str = "\
Example: tengen book connect4 --depth 8 --threads 16 --memory 4096 --out 7x6.book

Every position with DEPTH stones is solved. What is done is kept in FILE.partial, a line for each
position: begun again, the work goes on from there.

It takes hours from DEPTH 6 on. With GLIBC_TUNABLES=glibc.malloc.hugetlb=1 in the environment the
table has huge pages, and a large one is half as fast again.";

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
    let path = partial(&args.out);
    let mut scores = read_partial(&path, args.depth)?;
    let open: Vec<u64> = keys
        .iter()
        .copied()
        .filter(|key| !scores.contains_key(key))
        .collect();
    writeln!(
        out,
        "{} positions, {} of them solved before",
        keys.len(),
        keys.len() - open.len()
    )?;
    out.flush()?;
    let mut log = Log::open(&path, args.depth, open.len() as u64)?;
    solve_all(&open, args.threads, args.memory, |key, score| {
        scores.insert(key, score);
        log.add(key, score, out)
    })?;
    log.finish()?;
    let of_key = |key| Some((key, *scores.get(&key)?));
    let positions: Option<Vec<_>> = keys.into_iter().map(of_key).collect();
    let bytes = book::write(args.depth, &positions.context("a position was not solved")?)?;
    fs::write(&args.out, &bytes).with_context(|| format!("cannot write {}", args.out.display()))?;
    writeln!(out, "{}: {} bytes", args.out.display(), bytes.len())?;
    Ok(())
}

/// Solves positions on several threads and hands each result to `done`, in no certain order.
fn solve_all(
    keys: &[u64],
    threads: u32,
    memory: u32,
    mut done: impl FnMut(u64, i32) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    /// Neighbours have columns in common, so the thread's own table serves them all.
    const TOGETHER: usize = 16;
    let setup = crate::game::Setup::standard(GameKind::Connect4);
    let shared = Solver::new(&setup, (memory as usize) << 20, 1);
    let next = AtomicUsize::new(0);
    let work = |results: Sender<anyhow::Result<(u64, i32)>>| {
        let solver = shared.sibling();
        loop {
            let from = next.fetch_add(TOGETHER, Ordering::Relaxed);
            let Some(keys) = keys.get(from..keys.len().min(from + TOGETHER)) else {
                return;
            };
            if keys.is_empty() {
                return;
            }
            for &key in keys {
                // The receiver is gone after an error: then nobody needs the rest.
                if results.send(solve(&solver, key)).is_err() {
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
            let (key, score) = result?;
            done(key, score)?;
        }
        Ok(())
    })
}

fn solve(solver: &Solver, key: u64) -> anyhow::Result<(u64, i32)> {
    let position = opening::position(key)?;
    let score = solver.score(&position, &Effort::UNLIMITED);
    Ok((key, score.context("the game is over")?))
}

fn partial(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// The first line of the partial file.
fn title(depth: u32) -> String {
    format!("connect4 7x6, positions with {depth} stones: key score")
}

/// What was solved before. A last line that was cut short is passed over.
fn read_partial(path: &Path, depth: u32) -> anyhow::Result<HashMap<u64, i32>> {
    if !path.exists() {
        return Ok(HashMap::new());
    }
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut lines = whole.lines();
    if lines.next().is_some_and(|line| line != title(depth)) {
        bail!("{} is not of this depth", path.display());
    }
    let parse = |line: &str| {
        let (key, score) = line.split_once(' ')?;
        Some((key.parse().ok()?, score.parse().ok()?))
    };
    let scores = lines.map(|line| parse(line).ok_or_else(|| anyhow!("bad line {line:?}")));
    scores.collect()
}

/// The partial file and the progress.
struct Log {
    file: BufWriter<File>,
    bar: ProgressBar,
}

impl Log {
    /// Begins the file, or goes on with it after its last whole line.
    fn open(path: &Path, depth: u32, open: u64) -> anyhow::Result<Log> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let mut file = BufWriter::new(file);
        match whole {
            "" => writeln!(file, "{}", title(depth))?,
            _ => file.write_all(whole.as_bytes())?,
        }
        file.flush()?;
        let bar = ProgressBar::new(open);
        let template = "{elapsed} [{wide_bar}] {pos}/{len} positions, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        Ok(Log { file, bar })
    }

    fn add(&mut self, key: u64, score: i32, plain: &mut dyn Write) -> anyhow::Result<()> {
        /// Lines of progress where there is no terminal.
        const PROGRESS_LINES: u64 = 1000;
        /// Results that are lost at the most when the process is killed.
        const UNWRITTEN: u64 = 64;
        writeln!(self.file, "{key} {score}")?;
        self.bar.inc(1);
        let (all, done) = (self.bar.length().unwrap_or(0), self.bar.position());
        if done.is_multiple_of(UNWRITTEN) {
            self.file.flush()?;
        }
        if self.bar.is_hidden() && done.is_multiple_of(all.div_ceil(PROGRESS_LINES).max(1)) {
            let seconds = self.bar.elapsed().as_secs_f64();
            writeln!(plain, "{done}/{all} in {seconds:.0} s")?;
            plain.flush()?;
        }
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<()> {
        self.file.flush()?;
        self.bar.finish_and_clear();
        Ok(())
    }
}
