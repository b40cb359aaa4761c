//! Words in cache lines, which all threads read and write without a lock: what tables of positions
//! are made of.

use crate::simd::prefetch;
use std::sync::atomic::AtomicU64;

/// Words of a cache line.
pub const LINE: usize = 8;

/// Zeroed words in whole cache lines of 64 bytes. The system hands the memory out as it is used.
pub struct CacheLines {
    words: Box<[AtomicU64]>,
    /// The first word that begins a cache line.
    skip: usize,
    lines: usize,
}

impl CacheLines {
    /// At most `bytes` bytes, but never less than `least` lines. Where the system has not so much,
    /// there are fewer.
    ///
    /// # Panics
    /// When there is no memory for the least.
    #[must_use]
    pub fn new(bytes: u64, least: usize) -> CacheLines {
        // One less, for the words before the first.
        let mut lines = ((bytes / (8 * LINE as u64)) as usize).saturating_sub(1);
        let words = loop {
            lines = lines.max(least);
            let words = lines * LINE + LINE - 1;
            if lines == least {
                break bytemuck::allocation::zeroed_slice_box(words);
            }
            match bytemuck::allocation::try_zeroed_slice_box(words) {
                Ok(words) => break words,
                Err(()) => {
                    log::warn!("no memory for a table of {} MiB: trying half", words >> 17);
                    lines /= 2;
                }
            }
        };
        let words: Box<[AtomicU64]> = words;
        CacheLines {
            skip: words.as_ptr().align_offset(64).min(LINE - 1),
            words,
            lines,
        }
    }

    /// The first word of the line where a position with this hash belongs: its upper bits decide.
    #[inline(always)]
    pub fn place(&self, hash: u64) -> usize {
        self.place_among(self.lines, hash)
    }

    /// The same among the first `lines` lines.
    #[inline(always)]
    pub fn place_among(&self, lines: usize, hash: u64) -> usize {
        let line = (u128::from(hash) * lines as u128) >> 64;
        line as usize * LINE + self.skip
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.lines
    }

    /// Brings the line with this first word into the cache, for a question that is about to come.
    #[inline(always)]
    pub fn fetch(&self, first: usize) {
        prefetch(&self.words[first]);
    }

    /// The line with this first word.
    #[inline(always)]
    pub fn line(&self, first: usize) -> &[AtomicU64] {
        &self.words[first..first + LINE]
    }

    /// The line with this first word, in pairs.
    #[inline(always)]
    pub fn pairs(&self, first: usize) -> impl Iterator<Item = [&AtomicU64; 2]> {
        let line = self.line(first);
        line.chunks_exact(2).map(|pair| [&pair[0], &pair[1]])
    }
}
