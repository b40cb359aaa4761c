//! The file of the net.
//!
//! ```text
//! bytes  0..8      8        9      10..18   18..26   26..4186     4186..5176       5176..
//!        tengen-n  version  width  of the   of what  biases, i16  of each stage:   rows, packed
//!                                  shapes   follows               weights and bias,
//!                                                                 i16
//! ```
//!
//! All numbers are little-endian. Among contents that are mirror images of each other only the one with
//! the lower number has a row.

use super::shapes::{ADDENDS, DRAWN};
use super::{COUNTS, MOST, Net, Output, STAGES, WIDTH, WeightsError};
use crate::knowledge::packing::{checksum, pack, unpack};
use crate::knowledge::reversi::shapes::Sharing;
use crate::simd::shorts::Row;

const MAGIC: &[u8; 8] = b"tengen-n";
const VERSION: u8 = 1;
const HEADER: usize = 26;

/// Numbers of a stage.
const OF_STAGE: usize = WIDTH + 1;

impl Net {
    /// The net that these bytes are.
    ///
    /// # Errors
    /// When they are none, for other shapes, or damaged.
    pub fn read(bytes: &[u8]) -> Result<Net, WeightsError> {
        let (header, content) = bytes
            .split_at_checked(HEADER)
            .filter(|(header, _)| header.starts_with(MAGIC) && header[8] == VERSION)
            .ok_or(WeightsError::Format)?;
        if header[9] != WIDTH as u8 || header[10..18] != fingerprint().to_le_bytes() {
            return Err(WeightsError::Shapes);
        }
        if header[18..26] != checksum(content).to_le_bytes() {
            return Err(WeightsError::Checksum);
        }
        Net::of_content(content).ok_or(WeightsError::Format)
    }

    fn of_content(content: &[u8]) -> Option<Net> {
        let mut net = Net::blank();
        let (biases, content) = content.split_at_checked(2 * COUNTS * WIDTH)?;
        let numbers = net.biases.as_flattened_mut().iter_mut();
        numbers
            .zip(shorts(biases))
            .for_each(|(it, read)| *it = read);
        let (outputs, rows) = content.split_at_checked(2 * STAGES * OF_STAGE)?;
        let read: Vec<i16> = shorts(outputs).collect();
        for (output, read) in net.outputs.iter_mut().zip(read.as_chunks::<OF_STAGE>().0) {
            let [weights @ .., bias] = read;
            if weights
                .iter()
                .any(|weight| weight.unsigned_abs() > MOST as u16)
            {
                return None;
            }
            *output = Output {
                weights: *weights,
                bias: *bias,
            };
        }
        let sharing = Sharing::new(&DRAWN);
        let rows = unpack(rows, sharing.count() * WIDTH)?;
        for (row, entries) in rows.as_chunks::<WIDTH>().0.iter().zip(sharing.all()) {
            for entry in entries {
                net.rows[entry] = Row(row.map(|it| it as i8));
            }
        }
        Some(net)
    }

    /// The bytes of this net.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let outputs = self.outputs.iter().flat_map(|it| {
            let weights = it.weights.iter().copied();
            weights.chain([it.bias])
        });
        let numbers = self.biases.as_flattened().iter().copied().chain(outputs);
        let mut content: Vec<u8> = numbers.flat_map(i16::to_le_bytes).collect();
        let sharing = Sharing::new(&DRAWN);
        let rows = sharing.all().flat_map(|[entry, _]| self.rows[entry].0);
        content.extend(pack(&rows.map(i16::from).collect::<Vec<_>>()));

        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, WIDTH as u8]);
        bytes.extend(fingerprint().to_le_bytes());
        bytes.extend(checksum(&content).to_le_bytes());
        bytes.extend(content);
        bytes
    }
}

fn shorts(bytes: &[u8]) -> impl Iterator<Item = i16> {
    let pairs = bytes.as_chunks().0.iter();
    pairs.map(|pair| i16::from_le_bytes(*pair))
}

/// Tells these shapes, and the order of their squares, from others.
fn fingerprint() -> u64 {
    let addends = ADDENDS.iter().flat_map(|it| it.0);
    let bytes: Vec<u8> = addends.flat_map(i16::to_le_bytes).collect();
    checksum(&bytes)
}
