//! A file of played games that grows batch by batch and survives a crash: what is torn at its end is
//! cut off, and the games go on from there. A damaged batch before whole ones is an error.
//!
//! ```text
//! bytes  0..8      8..16            ..           then, for each batch of games
//!        tengen-p  length of title  title        length, checksum, games and content
//! ```
//!
//! Length and checksum are those of all that follows in the batch. Older files begin with `tengen-g`, and say
//! of no batch how many games it has. They are read as well, but nothing is added to them.

use super::course::Job;
use super::progress::Progress;
use super::selfplay;
use crate::arena::records::lock::lock;
use crate::knowledge::packing::checksum;
use crate::rollout::Random;
use anyhow::{Context, bail, ensure};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"tengen-p";
const OLD_MAGIC: &[u8; 8] = b"tengen-g";

/// Games of a batch. As many are lost in a crash, and some games take several seconds.
const BATCH: u64 = 32;

/// Bytes that are summed up, at the most, to find whole batches behind one that is not: it takes seconds.
const SUMMED: u64 = 1 << 33;

/// A file of records, open to be appended to.
pub struct Records {
    file: File,
    path: PathBuf,
    games: u64,
}

impl Records {
    /// Opens the file with this title for itself alone, or begins it. What is in it stays if `resume`.
    ///
    /// # Errors
    /// When it cannot be read or written, is open elsewhere, is damaged, or has another title.
    pub fn open(path: &Path, title: &str, resume: bool) -> anyhow::Result<Records> {
        let opened = || format!("cannot open {}", path.display());
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).with_context(opened)?;
        let written = || format!("cannot write {}", path.display());
        // Others cannot be read back, and a pipe has no end to be read up to.
        ensure!(
            file.metadata().with_context(opened)?.is_file(),
            "{}: it is no file",
            written()
        );
        lock(&file, path, "tengen learn")?;
        if !resume {
            file.set_len(0).with_context(written)?;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(opened)?;
        // It is new, or what was torn is its beginning.
        if header(title).starts_with(&bytes) {
            bytes = header(title);
            let begun = file.set_len(0).and_then(|()| file.rewind());
            let begun = begun.and_then(|()| file.write_all(&bytes));
            begun.with_context(written)?;
        }
        match parse_title(&bytes) {
            Some((own, rest)) if own == title.as_bytes() && bytes.starts_with(MAGIC) => {
                let (batches, torn) = batches(rest, true).with_context(opened)?;
                let whole = (bytes.len() - torn.len()) as u64;
                let cut = file.set_len(whole);
                let cut = cut.and_then(|()| file.seek(SeekFrom::Start(whole)));
                cut.with_context(written)?;
                let games = batches.into_iter().filter_map(take_word);
                Ok(Records {
                    file,
                    path: path.to_owned(),
                    games: games.map(|(games, _)| games).sum(),
                })
            }
            _ => bail!(
                "{} has no such games, or an earlier program wrote it: nothing is added to it",
                path.display()
            ),
        }
    }

    /// Games in the file.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Appends a batch of so many games.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, games: u64, content: &[u8]) -> anyhow::Result<()> {
        let counted = [&games.to_le_bytes(), content].concat();
        let header = [counted.len() as u64, checksum(&counted)];
        let mut bytes = header.map(u64::to_le_bytes).concat();
        bytes.extend(counted);
        let written = self.file.write_all(&bytes);
        written.with_context(|| format!("cannot write {}", self.path.display()))?;
        self.games += games;
        Ok(())
    }
}

/// The games that stand in these bytes one after the other. `None`: there is something else.
pub fn read_all<G>(mut bytes: &[u8], read: impl Fn(&mut &[u8]) -> Option<G>) -> Option<Vec<G>> {
    let mut games = Vec::new();
    while !bytes.is_empty() {
        games.push(read(&mut bytes)?);
    }
    Some(games)
}

/// How many games a file of records is to have, and how they are played.
pub struct Order<'a> {
    /// Everything that decides about the games, as text.
    pub title: String,
    /// The seed of their random numbers.
    pub seed: u64,
    /// Games.
    pub games: u64,
    /// How they are made, and where they go.
    pub job: Job<'a>,
}

impl Order<'_> {
    /// Writes what `play` makes of each number from 0 on and of its random numbers. Progress goes to `told`.
    ///
    /// # Errors
    /// When the file cannot be read or written, or has other games.
    pub fn fill(
        &self,
        play: impl Fn(u64, &mut Random) -> Vec<u8> + Sync,
        told: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let job = self.job;
        let mut records = Records::open(job.out, &self.title, job.resume)?;
        let mut progress = Progress::new(records.games(), self.games, told);
        while records.games() < self.games {
            let numbers = records.games()..self.games.min(records.games() + BATCH);
            let count = numbers.end - numbers.start;
            let batch = selfplay::play(job.threads, self.seed, numbers, &play);
            let bytes = batch.concat();
            records.append(count, &bytes)?;
            progress.reach(records.games(), || {
                format!("{} kB more", bytes.len() / 1000)
            })?;
        }
        progress.finish();
        Ok(())
    }
}

/// What is known of each of these files, and the records of all, by `read`. How many there are goes to
/// `told`.
///
/// # Errors
/// When a file cannot be read, or there are no records.
pub fn gather<K, G>(
    files: &[PathBuf],
    read: impl Fn(&Path) -> anyhow::Result<(K, Vec<G>)>,
    told: &mut dyn Write,
) -> anyhow::Result<(Vec<K>, Vec<G>)> {
    let (mut known, mut games) = (Vec::new(), Vec::new());
    for file in files {
        let (of_file, mut more) = read(file)?;
        writeln!(told, "{}: {} records", file.display(), more.len())?;
        known.push(of_file);
        games.append(&mut more);
    }
    ensure!(!games.is_empty(), "no games to fit to");
    Ok((known, games))
}

/// The title of a file of records, and its whole batches.
///
/// # Errors
/// When it cannot be read, is damaged, or has no records.
pub fn read(path: &Path) -> anyhow::Result<(String, Vec<Vec<u8>>)> {
    let unread = || format!("cannot read {}", path.display());
    let bytes = fs::read(path).with_context(unread)?;
    let parsed = parse_title(&bytes);
    let (title, rest) = parsed.with_context(|| format!("{} has no records", path.display()))?;
    let is_counted = bytes.starts_with(MAGIC);
    let (batches, _) = batches(rest, is_counted).with_context(unread)?;
    let contents = batches.into_iter().filter_map(|content| {
        let counted = take_word(content).map(|(_, content)| content);
        if is_counted { counted } else { Some(content) }.map(<[u8]>::to_vec)
    });
    Ok((
        String::from_utf8_lossy(title).into_owned(),
        contents.collect(),
    ))
}

fn header(title: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend((title.len() as u64).to_le_bytes());
    bytes.extend(title.as_bytes());
    bytes
}

/// The title, and what comes after it.
fn parse_title(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let bytes = bytes
        .strip_prefix(MAGIC)
        .or_else(|| bytes.strip_prefix(OLD_MAGIC))?;
    let (length, rest) = take_word(bytes)?;
    rest.split_at_checked(usize::try_from(length).ok()?)
}

/// The contents of the whole batches, which say how many games they have or not, and what is torn after
/// them.
///
/// # Errors
/// When a batch is damaged and whole ones come after it.
fn batches(bytes: &[u8], is_counted: bool) -> anyhow::Result<(Vec<&[u8]>, &[u8])> {
    let (mut contents, mut left) = (Vec::new(), bytes);
    while let Some(batch) = first_batch(left).filter(Batch::is_whole) {
        contents.push(batch.content);
        left = batch.rest;
    }
    match may_have_batches(left, is_counted, SUMMED) {
        true => bail!("batch {} is damaged, and not the last", contents.len() + 1),
        false => Ok((contents, left)),
    }
}

/// Whether a whole batch begins anywhere behind the first byte, for the length of the one before may be
/// damaged. Where more than `left` bytes would be summed up to tell, there may be some: then nothing is
/// cut off.
fn may_have_batches(bytes: &[u8], is_counted: bool, mut left: u64) -> bool {
    let begun =
        |at: usize| first_batch(bytes.get(at..)?).filter(|it| !is_counted || it.has_games());
    for batch in (1..bytes.len()).filter_map(begun) {
        match left.checked_sub(batch.content.len() as u64) {
            Some(fewer) if !batch.is_whole() => left = fewer,
            _ => return true,
        }
    }
    false
}

/// A batch, and what comes after it.
struct Batch<'a> {
    content: &'a [u8],
    /// Its checksum, when it was written.
    expected: u64,
    rest: &'a [u8],
}

impl Batch<'_> {
    fn is_whole(&self) -> bool {
        checksum(self.content) == self.expected
    }

    /// Whether it says that there are games in it, and not more than bytes.
    fn has_games(&self) -> bool {
        let most = self.content.len() as u64;
        take_word(self.content).is_some_and(|(games, _)| (1..=most).contains(&games))
    }
}

/// The batch at the beginning. `None`: it is not all there.
fn first_batch(bytes: &[u8]) -> Option<Batch<'_>> {
    let (length, rest) = take_word(bytes)?;
    let (expected, rest) = take_word(rest)?;
    let (content, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    Some(Batch {
        content,
        expected,
        rest,
    })
}

fn take_word(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (word, rest) = bytes.split_first_chunk()?;
    Some((u64::from_le_bytes(*word), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::checkpoint::scratch;

    #[test]
    fn what_is_torn_is_cut_off() {
        let path = scratch("records");
        let contents: [&[u8]; 3] = [b"one", b"", b"three and more"];
        let mut records = Records::open(&path, "games", false).unwrap();
        for (games, content) in (1..).zip(contents) {
            records.append(games, content).unwrap();
        }
        for resume in [true, false] {
            let error = Records::open(&path, "games", resume).err().unwrap();
            assert!(format!("{error}").contains("another tengen learn writes to it"));
        }
        drop(records);
        let whole = fs::read(&path).unwrap();
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut records = Records::open(&path, "games", true).unwrap();
            let kept = [0, 1, 3, 6].binary_search(&records.games()).unwrap();
            assert_eq!(kept == 3, length == whole.len());
            for (games, content) in (1..).zip(contents).skip(kept) {
                records.append(games, content).unwrap();
            }
            drop(records);
            assert_eq!(fs::read(&path).unwrap(), whole, "{length}");
        }
        let (title, read) = read(&path).unwrap();
        assert_eq!(title, "games");
        assert_eq!(read, contents);
        assert!(Records::open(&path, "others", true).is_err());
        assert_eq!(Records::open(&path, "others", false).unwrap().games(), 0);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_damaged_batch_costs_no_others() {
        let path = scratch("damaged-records");
        let mut records = Records::open(&path, "games", false).unwrap();
        let title = fs::metadata(&path).unwrap().len() as usize;
        records.append(1, b"one").unwrap();
        records.append(1, b"two").unwrap();
        drop(records);
        let whole = fs::read(&path).unwrap();
        let content = whole.windows(3).position(|it| it == b"one").unwrap();
        // A content, and lengths that are less, more, and more than the file has.
        for (place, bit) in [(content, 1), (title, 1), (title, 16), (title + 5, 1)] {
            let mut bytes = whole.clone();
            bytes[place] ^= bit;
            fs::write(&path, &bytes).unwrap();
            let told = [
                Records::open(&path, "games", true).err().unwrap(),
                read(&path).unwrap_err(),
            ];
            for error in told {
                assert!(
                    format!("{error:#}").contains("batch 1 is damaged"),
                    "{error:#}"
                );
            }
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_takes_too_long_to_tell_is_not_cut_off() {
        // A batch of 40 bytes seems to begin with each word, as far as there are so many.
        let words: Vec<u8> = (0..20_u64).flat_map(|_| 40_u64.to_le_bytes()).collect();
        let places = (words.len() - 16 - 40) / 8;
        for (is_counted, bytes) in [(true, 40), (false, 40), (true, 39)] {
            let is_told = may_have_batches(&words, is_counted, places as u64 * bytes);
            assert_eq!(is_told, bytes < 40);
        }
    }

    #[test]
    fn files_without_games_are_told() {
        let none = |_: &Path| Ok(((), Vec::<u8>::new()));
        let error = gather(&[PathBuf::from("some.games")], none, &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "no games to fit to");
    }

    #[test]
    fn older_files_are_read_and_others_kept() {
        let path = scratch("old-records");
        let content = b"some";
        let mut bytes = OLD_MAGIC.to_vec();
        for part in [b"games".as_slice(), content] {
            bytes.extend((part.len() as u64).to_le_bytes());
            if part == content {
                bytes.extend(checksum(content).to_le_bytes());
            }
            bytes.extend(part);
        }
        fs::write(&path, &bytes).unwrap();
        let (title, contents) = read(&path).unwrap();
        assert_eq!(
            (title.as_str(), contents),
            ("games", vec![b"some".to_vec()])
        );
        for kept in [bytes.as_slice(), b"tengen-pictures", b"weights"] {
            fs::write(&path, kept).unwrap();
            assert!(Records::open(&path, "games", true).is_err());
            assert_eq!(fs::read(&path).unwrap(), kept);
        }
        fs::remove_file(path).unwrap();
    }
}
