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
use serde::de::{DeserializeOwned, Error};
use serde_json::{Map, Value};

/// Under which all that is named is told.
const BEFORE: &str = "before";

/// How deep weights may be made from each other, and how many may be told. Both are far more than there
/// are in any history, but few names can stand for more than memory holds.
const DEEPEST: usize = 64;
const MOST_TOLD: usize = 100_000;

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
/// When it is none, or would be too long.
pub fn read<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    let mut value: Value = serde_json::from_slice(text)?;
    if let Value::Object(fields) = &mut value
        && let Some(Value::Object(before)) = fields.remove(BEFORE)
    {
        let mut teller = Teller {
            before: &before,
            left: MOST_TOLD,
        };
        teller.tell_parts(&mut value, DEEPEST)?;
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

/// Puts weights in the places of their names.
struct Teller<'a> {
    before: &'a Map<String, Value>,
    /// How many more may be told.
    left: usize,
}

impl Teller<'_> {
    /// Puts what names stand for in their places, and in the places of names therein, so many deep.
    fn tell_parts(&mut self, value: &mut Value, deep: usize) -> serde_json::Result<()> {
        for part in parts(value) {
            let mut below = deep;
            if let Some(weights) = part.as_str().and_then(|name| self.before.get(name)) {
                let (Some(deeper), Some(left)) = (deep.checked_sub(1), self.left.checked_sub(1))
                else {
                    return Err(Error::custom("weights are made from others without end"));
                };
                *part = weights.clone();
                (below, self.left) = (deeper, left);
            }
            self.tell_parts(part, below)?;
        }
        Ok(())
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

    /// Weights that are made from the next ones so often each, so many deep.
    fn made_from_next(count: usize, often: usize) -> Vec<u8> {
        let weights = |number: usize| {
            let next = (number < count).then(|| vec![(number + 1).to_string(); often]);
            (number.to_string(), json!(next))
        };
        let before: Map<String, Value> = (1..=count).map(weights).collect();
        let history = json!({ "from": "1", "before": before });
        history.to_string().into_bytes()
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let endless = json!({ "from": "a", "before": { "a": ["a"] } }).to_string();
        assert!(read::<Value>(endless.as_bytes()).is_err());
        assert!(read::<Value>(&made_from_next(DEEPEST, 1)).is_ok());
        assert!(read::<Value>(&made_from_next(DEEPEST + 1, 1)).is_err());
        // Twice as many at each step.
        assert!(read::<Value>(&made_from_next(16, 2)).is_ok());
        assert!(read::<Value>(&made_from_next(17, 2)).is_err());
    }

    #[test]
    fn the_own_histories_are_told_as_they_were() {
        for text in [
            include_str!("../../knowledge/reversi/weights.json"),
            include_str!("../../knowledge/reversi/net.json"),
        ] {
            let told: Value = read(text.as_bytes()).unwrap();
            let once = told_once(&told).unwrap();
            assert_eq!(serde_json::to_string_pretty(&once).unwrap() + "\n", text);
        }
    }
}
