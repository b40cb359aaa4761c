//! How weights were made, told once. They are made from other weights and from games of other weights,
//! which were made likewise: told each time anew, the history of a generation would be some five times as
//! long as that of the one before.
//!
//! ```text
//! { "version": …, "made": … "from": "0123456789abcdef" …,
//!   "before": { "0123456789abcdef": { "version": …, "made": … }, … } }
//! ```
//!
//! So in what is written, weights that others are made from are only named, and told under `before`. Older
//! files have them in place of their names, and are read as well.

use crate::knowledge::packing::checksum;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Under which all that is named is told.
const BEFORE: &str = "before";

/// This, with all weights in it named.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn told_once(history: &impl Serialize) -> serde_json::Result<Value> {
    // By way of text, which has numbers of 32 bits as short as they are.
    let mut value: Value = serde_json::from_str(&serde_json::to_string(history)?)?;
    let mut before = Map::new();
    name_parts(&mut value, &mut before);
    if let Value::Object(fields) = &mut value
        && !before.is_empty()
    {
        fields.insert(BEFORE.to_owned(), before.into());
    }
    Ok(value)
}

/// What was written so.
///
/// # Errors
/// When it is none.
pub fn read<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    let mut value: Value = serde_json::from_slice(text)?;
    if let Value::Object(fields) = &mut value
        && let Some(Value::Object(before)) = fields.remove(BEFORE)
    {
        tell_parts(&mut value, &before, before.len());
    }
    serde_json::from_value(value)
}

/// Puts names in place of weights below this, and moves them to `before`.
fn name_parts(value: &mut Value, before: &mut Map<String, Value>) {
    for part in parts(value) {
        name_parts(part, before);
        if part.get("made").is_some() {
            let name = format!("{:016x}", checksum(part.to_string().as_bytes()));
            let weights = std::mem::replace(part, name.clone().into());
            before.insert(name, weights);
        }
    }
}

/// Puts what names stand for in their places, and in the places of names therein, so many deep: no deeper
/// can weights be made from each other.
fn tell_parts(value: &mut Value, before: &Map<String, Value>, deep: usize) {
    for part in parts(value) {
        match part.as_str().and_then(|name| before.get(name)) {
            Some(weights) if deep > 0 => {
                *part = weights.clone();
                tell_parts(part, before, deep - 1);
            }
            _ => tell_parts(part, before, deep),
        }
    }
}

/// What a value is made of.
fn parts(value: &mut Value) -> Box<dyn Iterator<Item = &mut Value> + '_> {
    match value {
        Value::Object(fields) => Box::new(fields.values_mut()),
        Value::Array(values) => Box::new(values.iter_mut()),
        _ => Box::new(std::iter::empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_told_once_is_read_in_full() {
        let first = json!({ "version": "1", "made": { "course": { "rate": 0.02 } } });
        let second =
            json!({ "made": { "fit": { "from": first, "records": [{ "by": first }, 7] } } });
        let third = json!({ "made": { "fit": { "from": second, "records": [{ "by": second }] } } });
        let once = told_once(&third).unwrap();
        assert_eq!(once["before"].as_object().unwrap().len(), 2);
        let name = once["made"]["fit"]["from"].as_str().unwrap();
        assert!(once["before"][name]["made"]["fit"]["from"].is_string());
        for written in [&once, &third] {
            let read: Value = read(written.to_string().as_bytes()).unwrap();
            assert_eq!(read, third);
        }
        assert_eq!(told_once(&first).unwrap(), first);
    }

    #[test]
    fn numbers_stay_short() {
        assert_eq!(told_once(&0.02_f32).unwrap().to_string(), "0.02");
    }

    #[test]
    fn a_name_that_stands_for_itself_comes_to_an_end() {
        let endless = json!({ "from": "a", "before": { "a": ["a"] } });
        let read: Value = read(endless.to_string().as_bytes()).unwrap();
        assert_eq!(read, json!({ "from": ["a"] }));
    }
}
