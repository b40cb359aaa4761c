//! Checkpoints of long work, whole whenever the program or the machine stops: see [`Replacement`].
//!
//! ```text
//! bytes  0..8      8..16        16..24    24..
//!        tengen-c  of the rest  of title  title, content
//! ```

use crate::arena::records::replacement::Replacement;
use crate::knowledge::packing::checksum;
use anyhow::{Context, bail};
use std::fs;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"tengen-c";
const HEADER: usize = 24;

/// Where the checkpoint of work on a file lies.
#[must_use]
pub fn path_of(out: &Path) -> PathBuf {
    with_suffix(out, ".partial")
}

/// Where the file lies that says how weights were made: beside them.
#[must_use]
pub fn sidecar_of(weights: &Path) -> PathBuf {
    weights.with_extension("json")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Writes a checkpoint of work that has this title.
///
/// # Errors
/// When it cannot be written.
pub fn save(path: &Path, title: &str, content: &[u8]) -> anyhow::Result<()> {
    let rest = [title.as_bytes(), content].concat();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(checksum(&rest).to_le_bytes());
    bytes.extend((title.len() as u64).to_le_bytes());
    bytes.extend(rest);
    Replacement::write(path, &bytes)
}

/// The content of a checkpoint, if there is one.
///
/// # Errors
/// When it cannot be read, is damaged, or is of work with another title.
pub fn load(path: &Path, title: &str) -> anyhow::Result<Option<Vec<u8>>> {
    if !path.exists() {
        return Ok(None);
    }
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let content = parse(&bytes).with_context(|| format!("{} is damaged", path.display()))?;
    match content {
        (own, content) if own == title.as_bytes() => Ok(Some(content.to_vec())),
        (own, _) => bail!(
            "{} is of other work: {}",
            path.display(),
            String::from_utf8_lossy(own)
        ),
    }
}

/// The title and the content of a file. `None`: it is no checkpoint, or damaged.
///
/// # Errors
/// When it cannot be read.
pub fn read(path: &Path) -> anyhow::Result<Option<(String, Vec<u8>)>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let parsed = parse(&bytes);
    Ok(parsed.map(|(title, content)| {
        (
            String::from_utf8_lossy(title).into_owned(),
            content.to_vec(),
        )
    }))
}

/// The title and the content.
fn parse(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (header, rest) = bytes.split_at_checked(HEADER)?;
    let word = |place: usize| {
        header[place..]
            .first_chunk()
            .map(|it| u64::from_le_bytes(*it))
    };
    if !header.starts_with(MAGIC) || word(8)? != checksum(rest) {
        return None;
    }
    rest.split_at_checked(usize::try_from(word(16)?).ok()?)
}

/// A file that only this process uses, for tests.
#[cfg(test)]
pub(crate) fn scratch(name: &str) -> PathBuf {
    let name = format!("tengen-{name}-{}", std::process::id());
    std::env::temp_dir().join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_read_back_and_a_damaged_one_refused() {
        let path = path_of(&scratch("checkpoint"));
        assert_eq!(load(&path, "work").unwrap(), None);
        for content in [b"some bytes".as_slice(), b"others, and more of them"] {
            save(&path, "work", content).unwrap();
            assert_eq!(load(&path, "work").unwrap().unwrap(), content);
        }
        let other = load(&path, "play").unwrap_err().to_string();
        assert!(other.contains("is of other work: work"), "{other}");
        let whole = fs::read(&path).unwrap();
        for length in [0, 10, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            let damaged = load(&path, "work").unwrap_err().to_string();
            assert!(damaged.contains("is damaged"), "{damaged}");
        }
        fs::remove_file(&path).unwrap();
    }
}
