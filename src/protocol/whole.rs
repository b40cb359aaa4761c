//! Whole numbers in JSON, which need not be written as such.
//!
//! `7.0` and `7e0` are the number 7, and so a judge may write it whose language keeps all numbers
//! as fractions (Lua), or which divided before (Python, C++).

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Up to here, either way from 0, no fraction stands for another whole number than the one written.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Reads a number.
pub fn number<'de, D: Deserializer<'de>, T: TryFrom<i64>>(from: D) -> Result<T, D::Error> {
    Whole::deserialize(from).map(|Whole(number)| number)
}

/// Reads a number that may be missing, beside `#[serde(default)]`, or null.
pub fn option<'de, D: Deserializer<'de>, T: TryFrom<i64>>(from: D) -> Result<Option<T>, D::Error> {
    let number = Option::<Whole<T>>::deserialize(from)?;
    Ok(number.map(|Whole(number)| number))
}

/// Reads a list of numbers.
pub fn list<'de, D: Deserializer<'de>, T: TryFrom<i64>>(from: D) -> Result<Vec<T>, D::Error> {
    let numbers = Vec::<Whole<T>>::deserialize(from)?;
    Ok(numbers.into_iter().map(|Whole(number)| number).collect())
}

/// A number for a list or an option of them.
struct Whole<T>(T);

impl<'de, T: TryFrom<i64>> Deserialize<'de> for Whole<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(WholeVisitor(PhantomData)).map(Whole)
    }
}

struct WholeVisitor<T>(PhantomData<T>);

impl<T: TryFrom<i64>> Visitor<'_> for WholeVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        T::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let whole = i64::try_from(number).ok();
        whole
            .and_then(|whole| T::try_from(whole).ok())
            .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        let is_whole = number.fract() == 0.0 && number.abs() <= EXACT;
        match is_whole {
            true => self.visit_i64(number as i64),
            false => Err(E::invalid_value(Unexpected::Float(number), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: TryFrom<i64>>(text: &str) -> Option<T> {
        let whole: Option<Whole<T>> = serde_json::from_str(text).ok();
        whole.map(|Whole(number)| number)
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        for text in ["7", "7.0", "7e0", "0.7e1", "70E-1"] {
            assert_eq!(read::<u8>(text), Some(7), "{text}");
            assert_eq!(read::<i64>(text), Some(7), "{text}");
        }
        assert_eq!(read::<i16>("-1.0"), Some(-1));
        assert_eq!(read::<u8>("-0.0"), Some(0));
    }

    #[test]
    fn what_is_no_whole_number_is_refused() {
        for text in ["7.5", "1e300", "1e16", "\"7\"", "null", "true", "[7]"] {
            assert_eq!(read::<i64>(text), None, "{text}");
        }
        for text in ["256", "-1", "256.0", "18446744073709551615"] {
            assert_eq!(read::<u8>(text), None, "{text}");
        }
    }
}
