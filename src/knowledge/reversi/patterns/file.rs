//! The file of the weights.
//!
//! ```text
//! bytes  0..8      8        9       10    11    12..20   20..28   28..88       88..148      148..278    278..
//!        tengen-r  version  stages  unit  zero  of the   of what  scales, by   lengths, by  constants,  weights,
//!                                               shapes   follows  stage, f32   stage, u32   i16         / unit
//! ```
//!
//! The unit is [`QUANTUM`] where all weights are multiples of it, else 1. All numbers are
//! little-endian. The weights of each stage are packed in so many bytes. Among contents that are mirror images of each other only the one with the lower
//! number has a weight. Every third stage, from the first one on, is packed as it is, and the others as
//! their differences from the stage before.

use super::shapes::DRAWN;
use super::{COUNTS, Patterns, QUANTUM, STAGES, Tables, blank_table};
use crate::knowledge::packing::{checksum, pack, pack_differences, unpack, unpack_differences};
use crate::knowledge::reversi::shapes::Sharing;
use std::sync::OnceLock;

const MAGIC: &[u8; 8] = b"tengen-r";
const VERSION: u8 = 4;
const HEADER: usize = 28;

/// Of so many stages, one is packed as it is: so many are unpacked at most before a first answer, and
/// more differences make a smaller file. (Measured: `docs/EXPERIMENTS.md`, Reversi.)
const PERIOD: usize = 3;

/// Why weights cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// The bytes are not those of weights, or of another version.
    #[error("these are no weights of Reversi")]
    Format,
    /// They are for other shapes or stages.
    #[error("these weights are for other shapes")]
    Shapes,
    /// They are damaged.
    #[error("these weights are damaged")]
    Checksum,
}

/// The tables of all stages as they are in a file.
#[derive(Default)]
pub(super) struct Packed<'a> {
    stages: [&'a [u8]; STAGES],
    unit: i16,
    /// Made for the first table.
    sharing: OnceLock<Sharing>,
}

impl Packed<'_> {
    /// The table of a stage. `None`: the bytes do not hold one. `tables` are those that are there.
    pub(super) fn table(&self, stage: usize, tables: &Tables) -> Option<Box<[i16]>> {
        let sharing = self.sharing.get_or_init(|| Sharing::new(&DRAWN));
        let weights = self.weights(stage, tables, sharing)?;
        let mut table = blank_table();
        for (&weight, entries) in weights.iter().zip(sharing.all()) {
            for entry in entries {
                table[entry] = weight.wrapping_mul(self.unit);
            }
        }
        Some(table)
    }

    /// The weights of all shares in a stage, in units.
    fn weights(&self, stage: usize, tables: &Tables, sharing: &Sharing) -> Option<Vec<i16>> {
        let bytes = self.stages[stage];
        match stage.checked_sub(1) {
            Some(before) if !stage.is_multiple_of(PERIOD) => {
                let before = match tables[before].get() {
                    Some(table) => shared_weights(table, sharing, self.unit),
                    None => self.weights(before, tables, sharing)?,
                };
                unpack_differences(bytes, before)
            }
            _ => unpack(bytes, sharing.count()),
        }
    }
}

/// The weights of all shares of a table, in this unit.
fn shared_weights(table: &[i16], sharing: &Sharing, unit: i16) -> Vec<i16> {
    sharing
        .all()
        .map(|[entry, _]| table[entry] / unit)
        .collect()
}

impl Patterns {
    /// The weights that these bytes are.
    ///
    /// # Errors
    /// When they are none, for other shapes, or damaged.
    pub fn read(bytes: &[u8]) -> Result<Patterns, WeightsError> {
        let (mut patterns, packed) = Patterns::without_tables(bytes)?;
        for stage in 0..STAGES {
            let table = packed.table(stage, &patterns.tables);
            patterns.tables[stage] = OnceLock::from(table.ok_or(WeightsError::Format)?);
        }
        Ok(patterns)
    }

    /// The same, but each stage is unpacked when it is first asked for. Only a clone, which has all of them,
    /// is to be changed.
    ///
    /// # Errors
    /// When they are none, for other shapes, or damaged.
    pub(super) fn begin(bytes: &'static [u8]) -> Result<Patterns, WeightsError> {
        let (patterns, packed) = Patterns::without_tables(bytes)?;
        Ok(Patterns { packed, ..patterns })
    }

    /// All but the tables, and these as they are packed.
    fn without_tables(bytes: &[u8]) -> Result<(Patterns, Packed<'_>), WeightsError> {
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
        let unit = i16::from(header[10]);
        Patterns::of_content(content, unit).ok_or(WeightsError::Format)
    }

    fn of_content(content: &[u8], unit: i16) -> Option<(Patterns, Packed<'_>)> {
        let mut patterns = Patterns {
            tables: [const { OnceLock::new() }; STAGES],
            ..Patterns::blank()
        };
        let (scales, content) = content.split_at_checked(4 * STAGES)?;
        for (scale, bytes) in patterns.scales.iter_mut().zip(scales.as_chunks().0) {
            *scale = f32::from_le_bytes(*bytes);
            if !(scale.is_finite() && *scale > 0.0) {
                return None;
            }
        }
        let (lengths, content) = content.split_at_checked(4 * STAGES)?;
        let (constants, mut content) = content.split_at_checked(2 * COUNTS)?;
        for (constant, bytes) in patterns.constants.iter_mut().zip(constants.as_chunks().0) {
            *constant = i16::from_le_bytes(*bytes);
        }
        let mut packed = Packed {
            unit,
            ..Packed::default()
        };
        for (stage, length) in packed.stages.iter_mut().zip(lengths.as_chunks().0) {
            (*stage, content) = content.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        }
        content.is_empty().then_some((patterns, packed))
    }

    /// The bytes of these weights.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let sharing = Sharing::new(&DRAWN);
        let tables = (0..STAGES).map(|stage| self.stage_table(stage));
        let mut weights = tables.clone().flatten();
        let is_coarse = weights.all(|weight| weight % QUANTUM as i16 == 0);
        let unit = if is_coarse { QUANTUM } else { 1 };
        let weights: Vec<Vec<i16>> = tables
            .map(|table| shared_weights(table, &sharing, unit as i16))
            .collect();
        let stages: Vec<Vec<u8>> = (0..STAGES)
            .map(|stage| match stage.is_multiple_of(PERIOD) {
                true => pack(&weights[stage]),
                false => pack_differences(&weights[stage], &weights[stage - 1]),
            })
            .collect();
        let scales = self.scales.iter().flat_map(|it| it.to_le_bytes());
        let lengths = stages.iter().flat_map(|it| (it.len() as u32).to_le_bytes());
        let constants = self.constants.iter().flat_map(|it| it.to_le_bytes());
        let mut content: Vec<u8> = scales.chain(lengths).chain(constants).collect();
        content.extend(stages.concat());

        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, STAGES as u8, unit as u8, 0]);
        bytes.extend(fingerprint().to_le_bytes());
        bytes.extend(checksum(&content).to_le_bytes());
        bytes.extend(content);
        bytes
    }

    /// Changes the weight of these entries of a stage.
    #[cfg(test)]
    pub(super) fn set_weight(&mut self, stage: usize, entries: [usize; 2], weight: i16) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_come_out_as_they_went_in() {
        let sharing = Sharing::new(&DRAWN);
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
        for scale in [0.0, -6.0, f32::NAN, f32::INFINITY] {
            let mut patterns = Patterns::blank();
            patterns.scales[3] = scale;
            assert_eq!(refused(&patterns.write()), Some(WeightsError::Format));
        }
    }
}
