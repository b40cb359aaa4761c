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
use super::{COUNTS, Patterns, QUANTUM, STAGES};
use crate::knowledge::packing::{Unpacker, pack};
use std::fmt;

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

impl Patterns {
    /// The weights that these bytes are.
    ///
    /// # Errors
    /// When they are none, for other shapes, or damaged.
    pub fn read(bytes: &[u8]) -> Result<Patterns, WeightsError> {
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
        Patterns::of_content(content, i16::from(header[10])).ok_or(WeightsError::Format)
    }

    fn of_content(content: &[u8], unit: i16) -> Option<Patterns> {
        let sharing = Sharing::new();
        let mut patterns = Patterns::blank();
        let (scales, content) = content.split_at_checked(4 * STAGES)?;
        for (scale, bytes) in patterns.scales.iter_mut().zip(scales.as_chunks().0) {
            *scale = f32::from_le_bytes(*bytes);
        }
        let (constants, content) = content.split_at_checked(2 * COUNTS)?;
        for (constant, bytes) in patterns.constants.iter_mut().zip(constants.as_chunks().0) {
            *constant = i16::from_le_bytes(*bytes);
        }
        // Stage by stage, as the weights of all stages would take as long for their memory as to be read.
        let mut unpacker = Unpacker::new(content);
        let mut weights = vec![0; sharing.count()];
        for table in patterns.stage_tables_mut() {
            unpacker.fill(&mut weights)?;
            for (&weight, &entries) in weights.iter().zip(&sharing.entries) {
                for entry in entries {
                    table[entry as usize] = weight.wrapping_mul(unit);
                }
            }
        }
        unpacker.is_at_end().then_some(patterns)
    }

    /// The bytes of these weights.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let sharing = Sharing::new();
        let scales = self.scales.iter().flat_map(|it| it.to_le_bytes());
        let constants = self.constants.iter().flat_map(|it| it.to_le_bytes());
        let mut content: Vec<u8> = scales.chain(constants).collect();
        let mut weights = Vec::with_capacity(STAGES * sharing.count());
        for table in self.tables.chunks(TABLE) {
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
        for entry in entries {
            self.tables[stage * TABLE + entry] = weight;
        }
    }

    /// The weight of an entry of a stage.
    #[must_use]
    pub fn weight(&self, stage: usize, entry: usize) -> i16 {
        self.tables[stage * TABLE + entry]
    }

    /// The tables of all stages, each with a weight for every entry.
    pub fn stage_tables_mut(&mut self) -> impl Iterator<Item = &mut [i16]> {
        self.tables.chunks_mut(TABLE)
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
