//! `tengen merge`: records of several files in, one table out.

use super::ledger::Ledger;
use super::standing::Standings;
use super::{crosstable, journal, table};
use anyhow::Context;
use clap::Args;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  tengen match tengen greedy --games 1000 --seed 1 --json 0.jsonl --shard 0/2     on one machine
  tengen match tengen greedy --games 1000 --seed 1 --json 1.jsonl --shard 1/2     on another
  tengen merge 0.jsonl 1.jsonl --json all.jsonl

The same line in two files is counted once. Records of different matches are refused, and so
are two records of one game that tell different things. A last line without a line feed is a
game that was cut off, and not counted. Exit code: 0, or 1 when the records do not go together.";

/// Join the records of a match that was played in parts, and print its table.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct MergeArgs {
    /// Files of records that `tengen match --json` wrote
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write all records to this file. It is replaced once all are read and go together
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Reads all files, and writes the table of their games to `out`.
///
/// # Errors
/// When a file cannot be read or written, or the records do not go together.
pub fn run(args: &MergeArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut joined = args.json.as_deref().map(Joined::create).transpose()?;
    let mut ledger = Ledger::default();
    let mut standings = Standings::default();
    for file in &args.files {
        journal::read(file, |line, record| {
            if ledger.enter(line, &record)? {
                standings.add(&record);
                if let Some(joined) = &mut joined {
                    joined.add(line)?;
                }
            }
            Ok(())
        })?;
    }
    if let Some(joined) = joined {
        joined.finish()?;
    }
    let (table, crosstable) = (table::render(&standings), crosstable::render(&standings));
    write!(out, "{table}{crosstable}")?;
    Ok(())
}

/// A file that appears under its name when it is complete, so that one of the files that are
/// read may be replaced, and a merge that fails leaves nothing behind.
struct Joined<'a> {
    file: BufWriter<File>,
    part: PathBuf,
    path: &'a Path,
}

impl<'a> Joined<'a> {
    fn create(path: &'a Path) -> anyhow::Result<Joined<'a>> {
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::create(&part);
        let file = file.with_context(|| format!("cannot write {}", part.display()))?;
        Ok(Joined {
            file: BufWriter::new(file),
            part,
            path,
        })
    }

    fn add(&mut self, line: &str) -> anyhow::Result<()> {
        let written = writeln!(self.file, "{line}");
        written.with_context(|| format!("cannot write {}", self.part.display()))
    }

    fn finish(mut self) -> anyhow::Result<()> {
        let renamed = self.file.flush();
        let renamed = renamed.and_then(|()| fs::rename(&self.part, self.path));
        renamed.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl Drop for Joined<'_> {
    fn drop(&mut self) {
        // Gone already where the file was finished.
        let _ = fs::remove_file(&self.part);
    }
}
