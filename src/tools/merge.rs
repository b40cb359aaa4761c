//! `tengen merge`: records of several files in, one table out.

use crate::arena::records::journal;
use crate::arena::records::ledger::Ledger;
use crate::arena::records::replacement::{Replacement, has_content, is_same};
use crate::arena::report::{crosstable, table};
use crate::arena::statistics::standing::Standings;
use anyhow::{bail, ensure};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  tengen match tengen greedy --games 1000 --seed 1 --json 0.jsonl --shard 0/2     on one machine
  tengen match tengen greedy --games 1000 --seed 1 --json 1.jsonl --shard 1/2     on another
  tengen merge 0.jsonl 1.jsonl --json all.jsonl

The same line in two files is counted once. Records of different matches are refused, and so
are two records of one game that tell different things. Matches that differ in nothing but where
their openings came from cannot be told apart. A file that a match still writes to may be read,
but not replaced. A last line without a line feed is a
game that was cut off, and not counted. Exit code: 0, or 1 when the records do not go together.";

/// Join the records of a match that was played in parts, and print its table.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct MergeArgs {
    /// Files of records that `tengen match --json` wrote
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write all records to this file, which may be one of FILE
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Replace other records in the file of --json
    #[arg(long, requires = "json")]
    force: bool,
}

/// Reads all files, and writes the table of their games to `out`. How many games are missing goes to `notes`.
///
/// # Errors
/// When a file cannot be read or written, there are no games, or the records do not go together.
pub fn run(args: &MergeArgs, out: &mut dyn Write, notes: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(json) = &args.json {
        let is_read = args.files.iter().any(|file| is_same(file, json));
        if !args.force && !is_read && has_content(json) {
            let name = json.display();
            match journal::has_records(json) {
                true => bail!(
                    "{name} holds records, and is none of the files that are read: --force \
                     replaces them"
                ),
                false => bail!("{name} is no file of records: --force replaces it"),
            }
        }
    }
    // Until the end: a match would write on to a file that has lost its name.
    let held = args.json.as_deref().map(journal::hold).transpose()?;
    let mut joined = args.json.as_deref().map(Replacement::create).transpose()?;
    let mut ledger = Ledger::default();
    let mut standings = Standings::default();
    for file in &args.files {
        journal::read(file, |line, record| {
            if ledger.enter(line, &record)? {
                standings.add(&record);
                if let Some(joined) = &mut joined {
                    writeln!(joined, "{line}")?;
                }
            }
            Ok(())
        })?;
    }
    ensure!(!ledger.is_empty(), "there are no games in the records");
    if let Some(joined) = joined {
        // Windows may not replace a file that is open.
        if cfg!(windows) {
            drop(held);
        }
        joined.finish()?;
    }
    match ledger.missing() {
        0 => {}
        missing => writeln!(
            notes,
            "{missing} games before the last ones are missing, as of a part that was not named"
        )?,
    }
    let (table, crosstable) = (table::render(&standings), crosstable::render(&standings));
    write!(out, "{table}{crosstable}")?;
    Ok(())
}
