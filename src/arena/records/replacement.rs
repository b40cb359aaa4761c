//! Files that are written over others, and those that must not be.

use anyhow::{Context, ensure};
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file that appears under its name when it is complete and on the disk, so that one of those
/// that it is made from may be replaced, and a failure leaves what was there before. A link stays,
/// and what it leads to is replaced. What is no file, such as a pipe, is written to at once.
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
        let name = path.display();
        ensure!(!path.is_dir(), "cannot write {name}: it is a folder");
        match is_replaced(&resolved(path)) {
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
        let begun = match is_replaced(&path) {
            true => new_beside(&path).map(|(file, part)| (file, Some(part))),
            false => File::create(&path).map(|file| (file, None)),
        };
        let (file, part) = begun.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Replacement {
            out: BufWriter::new(file),
            path,
            part,
        })
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let mut file = Replacement::create(path)?;
        file.write_all(bytes)?;
        file.finish()
    }

    /// The file is complete.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let flushed = self.out.flush();
        let renamed = flushed.and_then(|()| match &self.part {
            Some(part) => {
                self.out.get_ref().sync_all()?;
                fs::rename(part, &self.path)
            }
            None => Ok(()),
        });
        renamed.with_context(|| format!("cannot write {}", self.path.display()))?;
        // The name may be that of another program's file by now.
        self.part = None;
        Ok(())
    }

    /// An error that names the file.
    fn named(&self, error: &io::Error) -> io::Error {
        let text = format!("cannot write {}: {error}", self.path.display());
        io::Error::new(error.kind(), text)
    }
}

/// Makes a file that was not there, for what takes the place of this one.
fn new_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    /// Enough for what programs that were killed have left.
    const MOST: u32 = 1000;
    let names = (0..MOST).map(|number| {
        let mut name = path.as_os_str().to_owned();
        name.push(".part");
        if number > 0 {
            name.push(number.to_string());
        }
        PathBuf::from(name)
    });
    for part in names {
        match File::create_new(&part) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (file, part)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Errors name the file.
impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(|error| self.named(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(|error| self.named(&error))
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            let _ = fs::remove_file(part);
        }
    }
}

/// Whether a file with something in it lies there, which would be lost if it were written over.
#[must_use]
pub fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0)
}

/// Whether a path is that of a file, or will be, once something is there. A link that cannot be
/// resolved, as that to an open file which has no name any more, is written to.
fn is_replaced(path: &Path) -> bool {
    let is_file = fs::metadata(path).map_or(true, |there| there.is_file());
    is_file && !path.is_symlink()
}

/// Whether two paths lead to the same file, or will, once it is there.
#[must_use]
pub fn is_same(one: &Path, other: &Path) -> bool {
    resolved(one) == resolved(other)
}

/// The one path among all that lead to a file, as far as the system can tell it. Where
/// there is no file yet, there must be its folder.
fn resolved(path: &Path) -> PathBuf {
    let path = &end_of_links(path);
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

/// Where links end that lead to nothing yet; other paths as they are.
fn end_of_links(path: &Path) -> PathBuf {
    /// As many as Linux follows.
    const MOST: u32 = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        if path.exists() {
            break;
        }
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path.set_file_name(target);
    }
    path
}
