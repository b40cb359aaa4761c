//! Records of games, or of an experiment's steps, in a file, one line of JSON each.
//!
//! The file is the whole state of a match. A line is written in one piece when its game is
//! over, so whatever ends the program leaves whole lines and at most one torn line after them.

use crate::arena::records::lock::lock;
use crate::arena::records::record::GameRecord;
use crate::arena::records::replacement::has_content;
use anyhow::{Context, anyhow, bail, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that takes records.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// A new file. One that was there is emptied if `force` says so.
    ///
    /// # Errors
    /// When it cannot be written, or has content that must not be lost; whether that is records of
    /// this kind, the error says.
    pub fn create<R: DeserializeOwned>(path: &Path, force: bool) -> anyhow::Result<Journal> {
        let journal = Journal::open(path)?;
        let name = path.display();
        if !force && has_content(path) {
            match begins_with::<R>(&journal.file) {
                true => {
                    bail!("{name} holds records: --resume goes on with them, --force replaces them")
                }
                false => bail!("{name} is no file of records: --force replaces it"),
            }
        }
        // A pipe or a terminal cannot be emptied.
        let is_file = journal.file.metadata().map(|there| there.is_file());
        let emptied = is_file.and_then(|is_file| match is_file {
            true => journal.file.set_len(0),
            false => Ok(()),
        });
        emptied.with_context(|| format!("cannot write {name}"))?;
        Ok(journal)
    }

    /// Goes on with a file, or begins it where there is none. Hands every record in it to
    /// `on_record`, and cuts off a torn last line.
    ///
    /// # Errors
    /// When it cannot be read or written, a line is no record, or `on_record` fails; they name
    /// the line. A file that begins with no record is left alone.
    pub fn resume<R: DeserializeOwned>(
        path: &Path,
        on_record: impl FnMut(&str, R) -> anyhow::Result<()>,
    ) -> anyhow::Result<Journal> {
        let mut journal = Journal::open(path)?;
        let Lines { whole, torn } = read_lines(&journal.file, path, on_record)?;
        ensure!(
            whole > 0 || torn.is_empty() || torn.starts_with(RECORD_START),
            "{} is no file of records",
            path.display()
        );
        let cut = journal.file.set_len(whole);
        let cut = cut.and_then(|()| journal.file.seek(SeekFrom::Start(whole)));
        cut.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(journal)
    }

    /// Opens the file for this match alone, or makes it.
    fn open(path: &Path) -> anyhow::Result<Journal> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let write = || format!("cannot write {}", path.display());
        let file = options.open(path).with_context(write)?;
        lock(&file, path, "match or merge")?;
        Ok(Journal {
            file,
            path: path.to_owned(),
        })
    }

    /// Adds a record. It is in the hands of the operating system when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, record: &impl Serialize) -> anyhow::Result<()> {
        let line = serde_json::to_string(record)? + "\n";
        let written = self.file.write_all(line.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Keeps matches from writing to a file, which may be read, while the result is held. `None`: there
/// is no file.
///
/// # Errors
/// When a match writes to it, or it cannot be read.
pub fn hold(path: &Path) -> anyhow::Result<Option<File>> {
    if !path.is_file() {
        return Ok(None);
    }
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => bail!(
            "{}: a match writes to it, and would lose its later records",
            path.display()
        ),
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(file)),
    }
}

/// Whether a file begins with a record of a game.
#[must_use]
pub fn has_records(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| begins_with::<GameRecord>(&file))
}

/// Whether the rest of a file begins with a record of this kind, be it torn.
fn begins_with<R: DeserializeOwned>(file: &File) -> bool {
    let mut line = Vec::new();
    let read = BufReader::new(file.take(MOST_LINE)).read_until(b'\n', &mut line);
    let is_torn = line.starts_with(RECORD_START) && !line.ends_with(b"\n");
    read.is_ok() && (is_torn || serde_json::from_slice::<R>(&line).is_ok())
}

/// What every record begins with.
const RECORD_START: &[u8] = b"{";

/// Bytes of a line that are read to tell what it is; a game has less.
const MOST_LINE: u64 = 1 << 24;

/// Hands every record of a file to `on_record`, with the line that it stands on. What follows
/// the last line feed is a line that was torn, and passed over.
///
/// # Errors
/// When the file cannot be read, a line is no record, or `on_record` fails; they name the line.
pub fn read(
    path: &Path,
    on_record: impl FnMut(&str, GameRecord) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    read_lines(&file, path, on_record).map(|_| ())
}

/// What a file of lines has.
struct Lines {
    /// Bytes up to and with the last line feed.
    whole: u64,
    /// What comes after it.
    torn: Vec<u8>,
}

fn read_lines<R: DeserializeOwned>(
    file: &File,
    path: &Path,
    mut on_record: impl FnMut(&str, R) -> anyhow::Result<()>,
) -> anyhow::Result<Lines> {
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let mut whole = 0;
    for number in 1_u64.. {
        let place = || format!("{}, line {number}", path.display());
        line.clear();
        reader.read_until(b'\n', &mut line).with_context(place)?;
        if !line.ends_with(b"\n") {
            break;
        }
        line.pop();
        whole += line.len() as u64 + 1;
        let text = str::from_utf8(&line).with_context(place)?;
        let record = serde_json::from_str(text);
        let record = record.map_err(|error| anyhow!("no record: {error}"));
        record
            .and_then(|record| on_record(text, record))
            .with_context(place)?;
    }
    Ok(Lines { whole, torn: line })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::records::record::{Termination, sample};
    use std::fs;
    use std::path::PathBuf;

    fn file(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("tengen-{}-{name}.jsonl", std::process::id()))
    }

    fn numbers(path: &Path) -> Vec<u32> {
        let mut numbers = Vec::new();
        read(path, |_, record| {
            numbers.push(record.number);
            Ok(())
        })
        .unwrap();
        numbers
    }

    #[test]
    fn a_torn_line_is_cut_off_and_written_again() {
        let path = file("torn");
        let record = |number| sample(number, Some(0), Termination::Win);
        let mut journal = Journal::create::<GameRecord>(&path, true).unwrap();
        journal.append(&record(0)).unwrap();
        journal.append(&record(1)).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            Journal::create::<GameRecord>(&path, true).is_err(),
            "two matches in one file"
        );
        drop(journal);
        for torn in [text.len() - 1, text.len() - 20, text.len() / 2 + 1] {
            fs::write(&path, &text[..torn]).unwrap();
            assert_eq!(numbers(&path), [0]);
            let mut seen = Vec::new();
            let mut journal = Journal::resume(&path, |_, record: GameRecord| {
                seen.push(record.number);
                Ok(())
            })
            .unwrap();
            journal.append(&record(1)).unwrap();
            assert_eq!(seen, [0]);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_broken_line_is_named() {
        let path = file("broken");
        let good = serde_json::to_string(&sample(0, None, Termination::Draw)).unwrap();
        fs::write(&path, format!("{good}\n{{}}\n{good}\n")).unwrap();
        let error = read(&path, |_, _| Ok(())).unwrap_err();
        assert!(
            format!("{error:#}").contains("line 2: no record"),
            "{error:#}"
        );
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn records_name_engines_that_there_are_and_ends_that_count() {
        let path = file("counted");
        let good = serde_json::to_string(&sample(0, Some(1), Termination::Win)).unwrap();
        for (old, new, said) in [
            (
                r#""winner":1"#,
                r#""winner":7"#,
                "an engine is 0 or 1, not 7",
            ),
            (r#""first":0"#, r#""first":2"#, "an engine is 0 or 1, not 2"),
            (r#""termination":"win""#, r#""termination":"host""#, "host"),
        ] {
            assert!(good.contains(old), "{good}");
            fs::write(&path, good.replace(old, new) + "\n").unwrap();
            let error = format!("{:#}", read(&path, |_, _| Ok(())).unwrap_err());
            assert!(
                error.contains("line 1: no record") && error.contains(said),
                "{error}"
            );
        }
        for draw in [r#""winner":null,"#, ""] {
            fs::write(&path, good.replace(r#""winner":1,"#, draw) + "\n").unwrap();
            assert_eq!(numbers(&path), [0]);
        }
        fs::remove_file(path).unwrap();
    }
}
