//! The rules by which a row of stones wins.

use crate::game::setup::Terms;
use std::fmt;
use std::str::FromStr;

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

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rule = Rule::ALL.into_iter().find(|rule| rule.name() == text);
        rule.ok_or_else(|| {
            format!("no rule is called {text:?}: freestyle, exact, renju, caro or exact-caro")
        })
    }
}

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
