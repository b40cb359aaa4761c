//! The rules by which a row of stones wins.

use crate::game::names::{by_name, listed};
use crate::game::setup::Terms;

/// The rule by which a row of stones wins in Gomoku.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Five or more in a row win.
    #[default]
    Freestyle,
    /// Exactly five in a row win ("standard" in tournaments).
    Exact,
    /// Exactly five win for the first side, which may make no row of more, no two fours at
    /// once and no two open threes at once; five or more win for the second.
    Renju,
    /// Five win unless a stone of the opponent stands at both ends; more than five always win.
    Caro,
    /// Exactly five win, unless a stone of the opponent stands at both ends.
    ExactCaro,
}

impl Rule {
    /// All rules, in the order in which tables list them.
    pub const ALL: [Rule; 5] = [
        Rule::Freestyle,
        Rule::Exact,
        Rule::Renju,
        Rule::Caro,
        Rule::ExactCaro,
    ];

    /// The name that the command line uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Exact => "exact",
            Rule::Renju => "renju",
            Rule::Caro => "caro",
            Rule::ExactCaro => "exact-caro",
        }
    }
}

by_name!(Rule, "rule", listed);

impl Terms for Rule {
    fn names(&self) -> &'static [&'static str] {
        &["rule"]
    }

    fn get(&self, name: &str) -> Option<String> {
        (name == "rule").then(|| self.to_string())
    }

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        *self = (name == "rule").then(|| value.parse().ok())??;
        Some(())
    }
}
