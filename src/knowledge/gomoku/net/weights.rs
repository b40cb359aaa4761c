//! The file that a net is kept in.
//!
//! ```text
//! bytes  0..8       8..12             12             13..              the last 8
//!        tengen-g   version, a u32    nets, 1 or 2   one or two nets   checksum of all before
//!
//! a net  0..4              4..
//!        length, a u32     the packed table of that length, mixer, hidden, its bias, context, policy, value
//! ```
//!
//! The numbers are those of [`Net`] in its order, little-endian; the checksum is FNV-1a of 64 bits.

use super::lines::{ROWS, shorter_rows};
use super::{Hidden, Mixer, Net, ROW_MOST, Row, SideNets, Value, WEIGHT_MOST, WIDTH};
use crate::knowledge::packing::{pack, unpack_rows};

const MAGIC: &[u8; 8] = b"tengen-g";
const VERSION: u32 = 6;
/// Files of this version have no doubts: their nets have not learned them.
const WITHOUT_DOUBTS: u32 = 5;
const CHECKSUM: usize = 8;

/// Why a file of weights is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// It does not begin as such a file does.
    #[error("this is no file of Gomoku weights")]
    NotWeights,
    /// It is of another version.
    #[error("weights of version {0}, not {VERSION}")]
    Version(u32),
    /// It is cut short, too long, or changed, or has numbers that are too large, or floats that are not finite.
    #[error("the file of weights is damaged")]
    Damaged,
}

impl SideNets {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// When these are not the bytes of such a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<SideNets, WeightsError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(WeightsError::NotWeights)?;
        let (version, _) = rest.split_first_chunk().ok_or(WeightsError::NotWeights)?;
        let version = u32::from_le_bytes(*version);
        if ![VERSION, WITHOUT_DOUBTS].contains(&version) {
            return Err(WeightsError::Version(version));
        }
        let (body, checksum) = bytes
            .split_last_chunk::<CHECKSUM>()
            .ok_or(WeightsError::Damaged)?;
        if checksum_of(body) != u64::from_le_bytes(*checksum) {
            return Err(WeightsError::Damaged);
        }
        let body = body.get(MAGIC.len() + size_of::<u32>()..);
        let mut reader = Reader {
            left: body.ok_or(WeightsError::Damaged)?,
            has_doubts: version == VERSION,
        };
        let nets = reader.nets().ok_or(WeightsError::Damaged)?;
        match reader.left.is_empty() {
            true => Ok(nets),
            false => Err(WeightsError::Damaged),
        }
    }

    /// The bytes of its file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.push(self.each().len() as u8);
        self.each().iter().for_each(|net| net.write(&mut out));
        let checksum = checksum_of(&out);
        out.extend(checksum.to_le_bytes());
        out
    }
}

impl Net {
    /// Whether its numbers are as small as those who add them up rely on.
    fn is_within_limits(&self) -> bool {
        let is_within = |numbers: &[i16], most: i16| {
            let mut numbers = numbers.iter();
            numbers.all(|number| number.unsigned_abs() <= most.unsigned_abs())
        };
        let hidden = self.hidden.as_flattened().as_flattened();
        self.rows.iter().all(|row| is_within(&row.0, ROW_MOST))
            && is_within(hidden, WEIGHT_MOST)
            && is_within(&self.policy, WEIGHT_MOST)
    }

    fn write(&self, out: &mut Vec<u8>) {
        let shorts = |out: &mut Vec<u8>, row: &[i16]| {
            out.extend(row.iter().flat_map(|number| number.to_le_bytes()));
        };
        let floats = |out: &mut Vec<u8>, row: &[f32]| {
            out.extend(row.iter().flat_map(|number| number.to_le_bytes()));
        };
        let table = packed(&self.rows);
        out.extend((table.len() as u32).to_le_bytes());
        out.extend(table);
        let Mixer {
            centre,
            sides,
            corners,
            bias,
        } = &self.mixer;
        for row in [centre, sides, corners, bias] {
            shorts(out, row);
        }
        self.hidden
            .iter()
            .for_each(|row| shorts(out, row.as_flattened()));
        out.extend(self.hidden_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        self.context.iter().for_each(|row| floats(out, row));
        shorts(out, &self.policy);
        let value = &*self.value;
        value.first.iter().for_each(|row| floats(out, row));
        floats(out, &value.first_bias);
        value.second.iter().for_each(|row| floats(out, row));
        floats(out, &value.second_bias);
        value.last.iter().for_each(|row| floats(out, row));
        floats(out, &value.last_bias);
        floats(out, &value.doubt);
        floats(out, &[value.doubt_bias]);
    }
}

/// The table as differences from the row of each line cut shorter, which is often all that was learned
/// of it.
fn packed(rows: &[Row]) -> Vec<u8> {
    let mut differences = Vec::with_capacity(rows.len() * WIDTH);
    for (row, shorter) in rows.iter().zip(shorter_rows()) {
        let known = shorter.map_or([0; WIDTH], |shorter| rows[shorter].0);
        differences.extend(
            row.0
                .iter()
                .zip(known)
                .map(|(it, known)| it.wrapping_sub(known)),
        );
    }
    pack(&differences)
}

/// The table that was packed. `None`: the bytes are something else.
fn unpacked(bytes: &[u8]) -> Option<Box<[Row]>> {
    let mut rows = vec![Row([0; WIDTH]); ROWS].into_boxed_slice();
    unpack_rows(bytes, rows.iter_mut().map(|row| &mut row.0))?;
    for (row, shorter) in shorter_rows().enumerate() {
        let Some(shorter) = shorter else { continue };
        let known = rows[shorter].0;
        for (number, known) in rows[row].0.iter_mut().zip(known) {
            *number = number.wrapping_add(known);
        }
    }
    Some(rows)
}

/// The numbers that are left to read.
struct Reader<'a> {
    left: &'a [u8],
    has_doubts: bool,
}

impl Reader<'_> {
    fn nets(&mut self) -> Option<SideNets> {
        let (&count, rest) = self.left.split_first()?;
        self.left = rest;
        match count {
            1 => Some(SideNets::same(self.net()?)),
            2 => Some(SideNets::different([self.net()?, self.net()?])),
            _ => None,
        }
    }

    fn net(&mut self) -> Option<Net> {
        let [length] = self.numbers(u32::from_le_bytes)?;
        let (table, rest) = self.left.split_at_checked(length as usize)?;
        self.left = rest;
        let net = Net {
            rows: unpacked(table)?,
            mixer: Mixer {
                centre: self.shorts()?,
                sides: self.shorts()?,
                corners: self.shorts()?,
                bias: self.shorts()?,
            },
            hidden: self.hidden()?,
            hidden_bias: self.numbers(i32::from_le_bytes)?,
            context: Box::new(self.layer(Self::floats)?),
            policy: self.shorts()?,
            value: Box::new(Value {
                first: self.layer(Self::floats)?,
                first_bias: self.floats()?,
                second: self.layer(Self::floats)?,
                second_bias: self.floats()?,
                last: self.layer(Self::floats)?,
                last_bias: self.floats()?,
                doubt: self.doubts()?,
                doubt_bias: self.doubts().map(|[bias]| bias)?,
            }),
        };
        net.is_within_limits().then_some(net)
    }

    fn hidden(&mut self) -> Option<Box<Hidden>> {
        let mut hidden = Box::new([[[0; 2]; WIDTH]; WIDTH / 2]);
        for pair in hidden.as_flattened_mut() {
            *pair = self.shorts()?;
        }
        Some(hidden)
    }

    fn layer<T: Copy + Default, const INPUTS: usize>(
        &mut self,
        read: impl Fn(&mut Self) -> Option<[T; WIDTH]>,
    ) -> Option<[[T; WIDTH]; INPUTS]> {
        let mut layer = [[T::default(); WIDTH]; INPUTS];
        for row in &mut layer {
            *row = read(self)?;
        }
        Some(layer)
    }

    fn shorts<const COUNT: usize>(&mut self) -> Option<[i16; COUNT]> {
        self.numbers(i16::from_le_bytes)
    }

    fn floats<const COUNT: usize>(&mut self) -> Option<[f32; COUNT]> {
        let floats = self.numbers(f32::from_le_bytes)?;
        floats.iter().all(|it| it.is_finite()).then_some(floats)
    }

    fn doubts<const COUNT: usize>(&mut self) -> Option<[f32; COUNT]> {
        match self.has_doubts {
            true => self.floats(),
            false => Some([0.0; COUNT]),
        }
    }

    fn numbers<T: Copy + Default, const SIZE: usize, const COUNT: usize>(
        &mut self,
        read: impl Fn([u8; SIZE]) -> T,
    ) -> Option<[T; COUNT]> {
        let mut numbers = [T::default(); COUNT];
        for number in &mut numbers {
            let (bytes, rest) = self.left.split_first_chunk()?;
            *number = read(*bytes);
            self.left = rest;
        }
        Some(numbers)
    }
}

/// FNV-1a (Fowler, Noll and Vo).
pub(super) fn checksum_of(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
