//! A setup as records tell it: its text, under the key `setup`.
//!
//! Records of older builds have a key for each term, those of other games among them.

use crate::game::{Connect4Rules, Point, Rule, Setup, Variant};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text {
        setup: String,
    },
    Terms {
        game: String,
        cols: u8,
        rows: u8,
        rule: String,
        connect: u8,
        hole: Option<[u8; 2]>,
        #[serde(default)]
        steal: bool,
    },
}

impl Written {
    fn read(self) -> Result<Setup, String> {
        let (game, cols, rows, rule, rules) = match self {
            Written::Text { setup } => return setup.parse(),
            Written::Terms {
                game,
                cols,
                rows,
                rule,
                connect,
                hole,
                steal,
            } => {
                let hole = hole.map(|[col, row]| Point { col, row });
                let rules = Connect4Rules {
                    hole,
                    connect,
                    steal,
                };
                (game, cols, rows, rule, rules)
            }
        };
        let usual = Setup::standard(game.parse()?).with_size(cols, rows);
        Ok(match usual.variant {
            Variant::Gomoku(_) => usual.with(rule.parse::<Rule>()?),
            Variant::Connect4(_) => usual.with(rules),
            _ => usual,
        })
    }
}

/// Writes a setup, for a flattened field.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(setup: &Setup, serializer: S) -> Result<S::Ok, S::Error> {
    let setup = setup.to_string();
    Written::Text { setup }.serialize(serializer)
}

/// Reads a setup, for a flattened field.
///
/// # Errors
/// When it is no setup.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Setup, D::Error> {
    let written = Written::deserialize(deserializer)?;
    written.read().map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameKind;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Record {
        before: u8,
        #[serde(flatten, with = "super")]
        setup: Setup,
        after: u64,
    }

    #[test]
    fn records_of_either_kind_are_read() {
        let usual = Setup::standard(GameKind::Connect4).with_size(9, 10);
        let setup = usual.with(Connect4Rules {
            hole: Some(Point { col: 3, row: 4 }),
            steal: true,
            ..usual.connect4()
        });
        let (before, after) = (1, u64::MAX);
        let record = Record {
            before,
            setup,
            after,
        };
        let text = serde_json::to_string(&record).unwrap();
        let expected = "{\"before\":1,\"setup\":\"connect4 9x10 hole=3,4 steal=true\",\
                        \"after\":18446744073709551615}";
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        let old = "{\"before\":1,\"game\":\"connect4\",\"cols\":9,\"rows\":10,\"rule\":\"freestyle\",\
                   \"connect\":4,\"hole\":[3,4],\"steal\":true,\"after\":18446744073709551615}";
        assert_eq!(serde_json::from_str::<Record>(old).unwrap(), record);
    }

    #[test]
    fn what_is_no_setup_is_refused() {
        for setup in ["chess 8x8", "connect4 9x", ""] {
            let text = format!("{{\"before\":1,\"setup\":\"{setup}\",\"after\":2}}");
            assert!(serde_json::from_str::<Record>(&text).is_err(), "{setup}");
        }
        let old = "{\"before\":1,\"game\":\"gomoku\",\"cols\":15,\"rows\":15,\"rule\":\"any\",\
                   \"connect\":4,\"after\":2}";
        assert!(serde_json::from_str::<Record>(old).is_err());
    }
}
