//! Files that are written over others, and those that must not be.

use anyhow::Context;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that appears under its name when it is complete, so that one of those that it is made
/// from may be replaced, and a failure leaves what was there before. What is no file, such as a
/// pipe, is written to at once.
pub struct Replacement {
    out: BufWriter<File>,
    path: PathBuf,
    /// The file until it is complete, if it is one.
    part: Option<PathBuf>,
}

impl Replacement {
    /// Tries whether a file could begin there, and leaves all as it was. What is no file is not
    /// opened for that: its reader would take it for the end.
    ///
    /// # Errors
    /// When it could not.
    pub fn check(path: &Path) -> anyhow::Result<()> {
        match is_file(path) {
            true => Replacement::create(path).map(drop),
            false => Ok(()),
        }
    }

    /// Begins a file with no content.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path) -> anyhow::Result<Replacement> {
        let path = resolved(path);
        let part = is_file(&path).then(|| {
            let mut part = path.as_os_str().to_owned();
            part.push(".part");
            PathBuf::from(part)
        });
        let file = File::create(part.as_ref().unwrap_or(&path));
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Replacement {
            out: BufWriter::new(file),
            path,
            part,
        })
    }

    /// The file is complete.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let flushed = self.out.flush();
        let renamed = flushed.and_then(|()| match &self.part {
            Some(part) => fs::rename(part, &self.path),
            None => Ok(()),
        });
        renamed.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // Gone already where the file was finished.
            let _ = fs::remove_file(part);
        }
    }
}

/// Whether a file with something in it lies there, which would be lost if it were written over.
#[must_use]
pub fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0)
}

/// Whether a path leads to a file, or will, once something is there.
fn is_file(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |there| there.is_file())
}

/// Whether two paths lead to the same file, or will, once it is there.
#[must_use]
pub fn is_same(one: &Path, other: &Path) -> bool {
    resolved(one) == resolved(other)
}

/// The one path among all that lead to a file, as far as the system can tell it. Where
/// there is no file yet, there must be its folder.
fn resolved(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent()?;
        let folder = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    let known = path.canonicalize().ok().or_else(in_folder);
    known.unwrap_or_else(|| path.to_owned())
}
