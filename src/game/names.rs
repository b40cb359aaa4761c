//! Values that are written and read by their names.

/// `by_name!(Type, "thing", listed)` lets a type with a `name` and an array `ALL` be written by its
/// name and read from it. `listed` joins the names, for the answer to another text.
macro_rules! by_name {
    ($type:ident, $thing:literal, $listed:expr) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let value = $type::ALL.into_iter().find(|value| value.name() == text);
                value.ok_or_else(|| {
                    let names = $listed(&$type::ALL.map($type::name));
                    format!("no {} is called {text:?}: {names}", $thing)
                })
            }
        }
    };
}

pub(crate) use by_name;

/// `gomoku, reversi or connect4`.
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [names @ .., last] => format!("{} or {last}", names.join(", ")),
    }
}
