//! The file of the weights.
//!
//! ```text
//! bytes  0..8      8        9       10    11    12..20       20..28    28..88        88..218       218..
//!        tengen-r  version  stages  unit  zero  of the       of what   scales, by    constants,    weights,
//!                                           shapes       follows   stage, f32    i16           / unit, packed
//! ```
//!
//! The unit is [`QUANTUM`] where all weights are multiples of it, else 1. All numbers are
//! little-endian. Among contents that are mirror images of each other only the one with the lower
//! number has a weight.

use super::shapes::{SHAPES, TABLE, contents, first_entry, mirror_images};
use super::{COUNTS, Patterns, QUANTUM, STAGES, blank_table};
use crate::knowledge::packing::{Unpacker, pack};
use std::fmt;
use std::sync::{Mutex, OnceLock};

const MAGIC: &[u8; 8] = b"tengen-r";
const VERSION: u8 = 2;
const HEADER: usize = 28;

/// Why weights cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsError {
    /// The bytes are not those of weights, or of another version.
    Format,
    /// They are for other shapes or stages.
    Shapes,
    /// They are damaged.
    Checksum,
}

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WeightsError::Format => "these are no weights of Reversi",
            WeightsError::Shapes => "these weights are for other shapes",
            WeightsError::Checksum => "these weights are damaged",
        })
    }
}

impl std::error::Error for WeightsError {}

/// Which entries of a table share a weight.
pub struct Sharing {
    /// The weight of each entry.
    weights: Vec<u32>,
    /// The entries of each weight, twice the same where it has one.
    entries: Vec<[u32; 2]>,
}

impl Sharing {
    /// Mirror images share one.
    #[must_use]
    pub fn new() -> Sharing {
        let mut weights = vec![0; TABLE];
        let mut entries: Vec<[u32; 2]> = Vec::new();
        for shape in 0..SHAPES {
            let first = first_entry(shape);
            for (entry, image) in (0..contents(shape)).zip(mirror_images(shape)) {
                let (entry, image) = (first + entry, first + image as usize);
                weights[entry] = if image < entry {
                    weights[image]
                } else {
                    entries.push([entry as u32, image as u32]);
                    entries.len() as u32 - 1
                };
            }
        }
        Sharing { weights, entries }
    }

    /// How many weights a stage has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// The weight of an entry.
    #[inline]
    #[must_use]
    pub fn weight(&self, entry: usize) -> usize {
        self.weights[entry] as usize
    }

    /// The entries of a weight.
    #[inline]
    #[must_use]
    pub fn entries(&self, weight: usize) -> [usize; 2] {
        self.entries[weight].map(|entry| entry as usize)
    }
}

impl Default for Sharing {
    fn default() -> Self {
        Sharing::new()
    }
}

/// The tables that were not taken from a file yet.
#[derive(Default)]
pub(super) struct Unread<'a> {
    unpacker: Unpacker<'a>,
    unit: i16,
    /// Made for the first table.
    sharing: Option<Sharing>,
    /// Room for the weights of a stage.
    weights: Vec<i16>,
}

impl<'a> Unread<'a> {
    fn new(packed: &'a [u8], unit: i16) -> Unread<'a> {
        Unread {
            unpacker: Unpacker::new(packed),
            unit,
            ..Unread::default()
        }
    }

    /// The next table; one that judges every position as even where there is none.
    pub(super) fn next_table(&mut self) -> Box<[i16]> {
        self.try_next_table().unwrap_or_else(blank_table)
    }

    /// The next table. `None`: the bytes end before.
    fn try_next_table(&mut self) -> Option<Box<[i16]>> {
        let sharing = self.sharing.get_or_insert_default();
        self.weights.resize(sharing.count(), 0);
        self.unpacker.fill(&mut self.weights)?;
        let mut table = blank_table();
        for (&weight, &entries) in self.weights.iter().zip(&sharing.entries) {
            for entry in entries {
                table[entry as usize] = weight.wrapping_mul(self.unit);
            }
        }
        Some(table)
    }
}

impl Patterns {
    /// The weights that these bytes are.
    ///
    /// # Errors
    /// When they are none, for other shapes, or damaged.
    pub fn read(bytes: &[u8]) -> Result<Patterns, WeightsError> {
        let (mut patterns, content, unit) = Patterns::without_tables(bytes)?;
        let mut unread = Unread::new(content, unit);
        for table in &mut patterns.tables {
            *table = OnceLock::from(unread.try_next_table().ok_or(WeightsError::Format)?);
        }
        match unread.unpacker.is_at_end() {
            true => Ok(patterns),
            false => Err(WeightsError::Format),
        }
    }

    /// The same, but each stage is read when it is first asked for. Only a clone, which has all of them, is to
    /// be changed.
    ///
    /// # Errors
    /// When they are none, for other shapes, or damaged.
    pub(super) fn begin(bytes: &'static [u8]) -> Result<Patterns, WeightsError> {
        let (patterns, content, unit) = Patterns::without_tables(bytes)?;
        Ok(Patterns {
            unread: Mutex::new(Unread::new(content, unit)),
            ..patterns
        })
    }

    /// All but the tables, and the packed weights with their unit.
    fn without_tables(bytes: &[u8]) -> Result<(Patterns, &[u8], i16), WeightsError> {
        let (header, content) = bytes
            .split_at_checked(HEADER)
            .filter(|(header, _)| header.starts_with(MAGIC) && header[8] == VERSION)
            .filter(|(header, _)| [1, QUANTUM].contains(&i32::from(header[10])))
            .ok_or(WeightsError::Format)?;
        if header[9] != STAGES as u8 || header[12..20] != fingerprint().to_le_bytes() {
            return Err(WeightsError::Shapes);
        }
        if header[20..28] != checksum(content).to_le_bytes() {
            return Err(WeightsError::Checksum);
        }
        let (patterns, packed) = Patterns::of_content(content).ok_or(WeightsError::Format)?;
        Ok((patterns, packed, i16::from(header[10])))
    }

    fn of_content(content: &[u8]) -> Option<(Patterns, &[u8])> {
        let mut patterns = Patterns {
            tables: [const { OnceLock::new() }; STAGES],
            ..Patterns::blank()
        };
        let (scales, content) = content.split_at_checked(4 * STAGES)?;
        for (scale, bytes) in patterns.scales.iter_mut().zip(scales.as_chunks().0) {
            *scale = f32::from_le_bytes(*bytes);
        }
        let (constants, content) = content.split_at_checked(2 * COUNTS)?;
        for (constant, bytes) in patterns.constants.iter_mut().zip(constants.as_chunks().0) {
            *constant = i16::from_le_bytes(*bytes);
        }
        Some((patterns, content))
    }

    /// The bytes of these weights.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let sharing = Sharing::new();
        let scales = self.scales.iter().flat_map(|it| it.to_le_bytes());
        let constants = self.constants.iter().flat_map(|it| it.to_le_bytes());
        let mut content: Vec<u8> = scales.chain(constants).collect();
        let mut weights = Vec::with_capacity(STAGES * sharing.count());
        for stage in 0..STAGES {
            let table = self.stage_table(stage);
            weights.extend(sharing.entries.iter().map(|it| table[it[0] as usize]));
        }
        let is_coarse = weights.iter().all(|weight| weight % QUANTUM as i16 == 0);
        let unit = if is_coarse { QUANTUM } else { 1 };
        weights.iter_mut().for_each(|weight| *weight /= unit as i16);
        content.extend(pack(&weights));

        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, STAGES as u8, unit as u8, 0]);
        bytes.extend(fingerprint().to_le_bytes());
        bytes.extend(checksum(&content).to_le_bytes());
        bytes.extend(content);
        bytes
    }

    /// Changes the weight of these entries of a stage.
    #[inline]
    pub fn set_weight(&mut self, stage: usize, entries: [usize; 2], weight: i16) {
        if let Some(table) = self.tables[stage].get_mut() {
            for entry in entries {
                table[entry] = weight;
            }
        }
    }

    /// The weight of an entry of a stage.
    #[must_use]
    pub fn weight(&self, stage: usize, entry: usize) -> i16 {
        self.stage_table(stage)[entry]
    }

    /// The tables of all stages, each with a weight for every entry.
    pub fn stage_tables_mut(&mut self) -> impl Iterator<Item = &mut [i16]> {
        self.tables
            .iter_mut()
            .filter_map(|it| it.get_mut().map(|table| &mut **table))
    }

    /// What every position with so many discs is worth beside its shapes, to be changed.
    pub fn constant_mut(&mut self, discs: u32) -> &mut i16 {
        &mut self.constants[discs as usize]
    }

    /// The scale of [`win_chance`](Self::win_chance) in a stage, to be changed.
    pub fn scale_mut(&mut self, stage: usize) -> &mut f32 {
        &mut self.scales[stage]
    }
}

/// Tells these shapes, and the order of their squares, from others.
fn fingerprint() -> u64 {
    let addends = super::ADDENDS.iter().flat_map(|it| it.0);
    let bytes: Vec<u8> = addends.flat_map(i16::to_le_bytes).collect();
    checksum(&bytes)
}

/// FNV-1a of Fowler, Noll and Vo.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_come_out_as_they_went_in() {
        let sharing = Sharing::new();
        assert_eq!(sharing.count(), 395_199);
        let lengths = [1, QUANTUM as i16].map(|unit| {
            let mut patterns = Patterns::blank();
            for number in 0..sharing.count() {
                let weight = unit * ((number * 7919 % 1001) as i16 - 500);
                patterns.set_weight(number % STAGES, sharing.entries(number), weight);
            }
            *patterns.constant_mut(33) = -77;
            *patterns.scale_mut(3) = 123.5;
            let bytes = patterns.write();
            let read = Patterns::read(&bytes).unwrap();
            assert!(read.tables == patterns.tables);
            assert_eq!(read.constants, patterns.constants);
            assert_eq!(read.scales, patterns.scales);
            bytes.len()
        });
        assert_eq!(lengths[0], lengths[1]);
    }

    #[test]
    fn what_are_no_weights_is_refused() {
        let bytes = Patterns::blank().write();
        assert!(Patterns::read(&bytes).is_ok());
        let refused = |bytes: &[u8]| Patterns::read(bytes).err();
        for length in [0, 7, HEADER - 1] {
            assert_eq!(refused(&bytes[..length]), Some(WeightsError::Format));
        }
        assert_eq!(refused(&bytes[..300]), Some(WeightsError::Checksum));
        let changed = |place: usize| {
            let mut bytes = bytes.clone();
            bytes[place] ^= 1;
            bytes
        };
        assert_eq!(refused(&changed(0)), Some(WeightsError::Format));
        assert_eq!(refused(&changed(9)), Some(WeightsError::Shapes));
        assert_eq!(refused(&changed(10)), Some(WeightsError::Format));
        assert_eq!(refused(&changed(12)), Some(WeightsError::Shapes));
        assert_eq!(refused(&changed(200)), Some(WeightsError::Checksum));
    }
}
