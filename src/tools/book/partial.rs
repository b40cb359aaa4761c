//! What is done of a book, kept so that the work can go on from there.

use crate::arena::records::lock::lock;
use anyhow::{Context, bail};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Where the partial file of a book lies.
pub fn partial_path(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// What was found so far, in memory and in a file: after a line that says what it is, a letter
/// for each thing to be found.
pub struct Partial {
    file: File,
    path: PathBuf,
    title: String,
    letters: Vec<u8>,
}

impl Partial {
    /// Stands for what is still to be found.
    pub const OPEN: u8 = b'.';

    /// Stands for no column.
    pub const NONE: u8 = b'-';

    /// Stands for a draw. A win by one stone more is the next letter, a loss the one before.
    pub const DRAW: u8 = b'P';

    /// Reads the file, or begins it, for so many letters, and keeps it for itself alone. The first `scored` of them stand for
    /// scores, the others for columns.
    ///
    /// # Errors
    /// When it cannot be read or written, is open elsewhere, is damaged, or has another title.
    pub fn open(
        path: &Path,
        title: &str,
        scored: usize,
        columns: usize,
    ) -> anyhow::Result<Partial> {
        let read = || format!("cannot read {}", path.display());
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).with_context(read)?;
        lock(&file, path, "tengen book")?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).with_context(read)?;
        let title = format!("{title}\n");
        let letters = match text.strip_prefix(title.as_bytes()) {
            Some(letters) => letters,
            None if title.as_bytes().starts_with(&text) => &[],
            None => bail!("{} is of another book", path.display()),
        };
        let is_known = |(number, &letter): (usize, &u8)| match letter {
            Self::OPEN => true,
            _ if number < scored => score_of(letter).is_some(),
            _ => letter == Self::NONE || column_of(letter).is_some(),
        };
        let length = scored + columns;
        if letters.len() > length || !letters.iter().enumerate().all(is_known) {
            bail!("{} is damaged, or of more positions", path.display());
        }
        let mut letters = letters.to_vec();
        letters.resize(length, Self::OPEN);
        let begun = file.rewind();
        let begun = begun.and_then(|()| file.write_all(title.as_bytes()));
        let begun = begun.and_then(|()| file.write_all(&letters));
        begun.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Partial {
            file,
            path: path.to_owned(),
            title,
            letters,
        })
    }

    /// The letter with this number.
    pub fn letter(&self, number: usize) -> u8 {
        self.letters.get(number).copied().unwrap_or(Self::OPEN)
    }

    /// Sets a letter, in the file, too.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&mut self, number: usize, letter: u8) -> anyhow::Result<()> {
        self.letters[number] = letter;
        let place = self.title.len() + number;
        let sought = self.file.seek(SeekFrom::Start(place as u64));
        let written = sought.and_then(|_| self.file.write_all(&[letter]));
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// The score that a letter stands for. On 7×6 nobody wins by more than 18.
pub fn score_of(letter: u8) -> Option<i32> {
    let score = i32::from(letter) - i32::from(Partial::DRAW);
    (-18..=18).contains(&score).then_some(score)
}

/// The column that a digit stands for, from 0.
pub fn column_of(letter: u8) -> Option<u8> {
    matches!(letter, b'1'..=b'7').then(|| letter - b'1')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::checkpoint::scratch;
    use std::fs;

    #[test]
    fn the_file_goes_on_wherever_it_was_cut_short() {
        let path = scratch("partial");
        let open = || Partial::open(&path, "a book", 8, 12).unwrap();
        for cut in [0, 3, 10, 60] {
            fs::write(&path, "").unwrap();
            let mut partial = open();
            partial.put(2, b'>').unwrap();
            partial.put(19, b'7').unwrap();
            let refused = Partial::open(&path, "a book", 8, 12).err().unwrap();
            assert!(format!("{refused}").contains("another tengen book writes to it"));
            drop(partial);
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
            drop(partial);
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
