//! What is agreed before a game begins: which game, how large, in which variant.

use super::connect4::Connect4Rules;
use super::gomoku::Rule;
use super::{GameKind, Point, Variant};
use std::fmt;
use std::str::FromStr;

/// What is agreed before a game begins. [`Playable::new`](super::Playable::new) says whether a game
/// can be played so.
///
/// As text it is the game, the size of the board and whatever is not usual in that game:
/// `connect4 9x10 hole=3,4 connect=5`. [`Setup::terms`] has the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// Columns of the board.
    pub cols: u8,
    /// Rows of the board.
    pub rows: u8,
    /// The game, and what is agreed on in it beside the size.
    pub variant: Variant,
}

/// What is agreed on in a game beside the size of its board, term by term.
pub trait Terms {
    /// The names, in the order in which they are written.
    fn names(&self) -> &'static [&'static str];

    /// The value of a term. `None`: there is no such term.
    fn get(&self, name: &str) -> Option<String>;

    /// Changes a term to a value that [`get`](Self::get) could write. `None`: there is no such term,
    /// or it has no such value; nothing has changed.
    fn set(&mut self, name: &str, value: &str) -> Option<()>;
}

/// Nothing is agreed on.
impl Terms for () {
    fn names(&self) -> &'static [&'static str] {
        &[]
    }

    fn get(&self, _: &str) -> Option<String> {
        None
    }

    fn set(&mut self, _: &str, _: &str) -> Option<()> {
        None
    }
}

impl From<Rule> for Variant {
    fn from(rule: Rule) -> Variant {
        Variant::Gomoku(rule)
    }
}

impl From<Connect4Rules> for Variant {
    fn from(rules: Connect4Rules) -> Variant {
        Variant::Connect4(rules)
    }
}

/// The term that every game has.
const SIZE: &str = "size";

impl Setup {
    /// The usual board of a game: Gomoku 15×15 freestyle, Reversi 8×8, Connect Four with 7
    /// columns and 6 rows and four in a row.
    #[must_use]
    pub fn standard(game: GameKind) -> Setup {
        let (cols, rows) = game.usual_size();
        Setup {
            cols,
            rows,
            variant: Variant::usual(game),
        }
    }

    /// Which game.
    #[must_use]
    pub fn game(&self) -> GameKind {
        self.variant.game()
    }

    /// On another board.
    #[must_use]
    pub fn with_size(self, cols: u8, rows: u8) -> Setup {
        Setup { cols, rows, ..self }
    }

    /// On the same board with something else agreed on.
    #[must_use]
    pub fn with(self, variant: impl Into<Variant>) -> Setup {
        Setup {
            variant: variant.into(),
            ..self
        }
    }

    /// Gomoku's winning rule; the usual one in another game.
    #[must_use]
    pub fn rule(&self) -> Rule {
        match self.variant {
            Variant::Gomoku(rule) => rule,
            _ => Rule::default(),
        }
    }

    /// What is agreed on in Connect Four; the usual in another game.
    #[must_use]
    pub fn connect4(&self) -> Connect4Rules {
        match self.variant {
            Variant::Connect4(rules) => rules,
            _ => Connect4Rules::default(),
        }
    }

    /// The cell that nobody may use.
    #[must_use]
    pub fn hole(&self) -> Option<Point> {
        self.connect4().hole
    }

    /// What was agreed on in this game, by name and value: `size` is `9x10`, and for example `rule`
    /// is `exact`.
    #[must_use]
    pub fn terms(&self) -> Vec<(&'static str, String)> {
        let names = [SIZE].iter().chain(self.variant.terms().names());
        let terms = names.map(|&name| Some((name, self.term(name)?)));
        terms.flatten().collect()
    }

    /// What is not usual in this game, as in [`terms`](Self::terms).
    #[must_use]
    pub fn unusual_terms(&self) -> Vec<(&'static str, String)> {
        let usual = Setup::standard(self.game()).terms();
        let terms = self.terms().into_iter();
        terms.filter(|term| !usual.contains(term)).collect()
    }

    /// The names of the terms of any game.
    #[must_use]
    pub fn all_terms() -> Vec<&'static str> {
        let mut names = vec![SIZE];
        for game in GameKind::ALL {
            let variant = Variant::usual(game);
            let new = |name: &&&str| !names.contains(*name);
            let fresh: Vec<_> = variant
                .terms()
                .names()
                .iter()
                .filter(new)
                .copied()
                .collect();
            names.extend(fresh);
        }
        names
    }

    fn term(&self, name: &str) -> Option<String> {
        match name {
            SIZE => Some(format!("{}x{}", self.cols, self.rows)),
            _ => self.variant.terms().get(name),
        }
    }

    /// The same with one term changed to a value as in [`terms`](Self::terms).
    ///
    /// # Errors
    /// When this game has no such term, or the term has no such value.
    pub fn with_term(mut self, name: &str, value: &str) -> Result<Setup, SetupError> {
        let wrong = || SetupError::Value(name.to_owned(), value.to_owned());
        if name == SIZE {
            let (cols, rows) = two_numbers(value, 'x').ok_or_else(wrong)?;
            return Ok(self.with_size(cols, rows));
        }
        let terms = self.variant.terms_mut();
        if !terms.names().contains(&name) {
            return Err(SetupError::Term(self.game(), name.to_owned()));
        }
        terms.set(name, value).ok_or_else(wrong)?;
        Ok(self)
    }

    /// Whether the point lies on the board.
    #[must_use]
    pub fn contains(&self, point: Point) -> bool {
        point.col < self.cols && point.row < self.rows
    }

    /// Every point of the board, row by row from the top left.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let (cols, rows) = (self.cols, self.rows);
        (0..rows).flat_map(move |row| (0..cols).map(move |col| Point { col, row }))
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}x{}", self.game(), self.cols, self.rows)?;
        let unusual = self.unusual_terms().into_iter();
        for (name, value) in unusual.filter(|&(name, _)| name != SIZE) {
            write!(f, " {name}={value}")?;
        }
        Ok(())
    }
}

impl FromStr for Setup {
    type Err = String;

    /// Whatever is not told is usual.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let mut setup = Setup::standard(words.next().unwrap_or_default().parse()?);
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((SIZE, word));
            let changed = setup.with_term(name, value);
            setup = changed.map_err(|error| error.to_string())?;
        }
        Ok(setup)
    }
}

/// Reads `15x15` or `3,2`.
#[must_use]
pub fn two_numbers(text: &str, between: char) -> Option<(u8, u8)> {
    let (one, other) = text.split_once(between)?;
    Some((one.parse().ok()?, other.parse().ok()?))
}

/// Why a game cannot begin so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The game is not played on a board of this size. The text says which sizes are.
    #[error("{0}")]
    Size(&'static str),
    /// The game is not played by this rule, connect length or forbidden cell.
    #[error("{0}")]
    Rule(&'static str),
    /// The game has no such term to agree on.
    #[error("{0} has no {1} to choose")]
    Term(GameKind, String),
    /// The term has no such value.
    #[error("{0} cannot be {1:?}")]
    Value(String, String),
    /// The setup is that of another game than this one.
    #[error("this is no setup of {0}")]
    Game(GameKind),
    /// A stone is off the board, on an occupied or forbidden cell, or in the air.
    #[error("no stone can stand at {},{}", .0.col, .0.row)]
    Stone(Point),
    /// A drawn board of so many cells is no such board.
    #[error("a board has {0} characters, X, O, . or -, and the side to move after them")]
    Drawing(usize),
    /// A term was asked for that the game of a file does not have.
    #[error("the file has a game of {0}, so {1} cannot be {2}")]
    File(Setup, &'static str, String),
    /// The bot does not play this game.
    #[error("{0}")]
    Bot(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Side, any};

    #[test]
    fn a_setup_is_read_back() {
        for text in [
            "gomoku 15x15",
            "gomoku 20x18 rule=exact-caro",
            "reversi 8x8",
            "connect4 9x10 hole=3,4 connect=5 steal=true",
        ] {
            let setup: Setup = text.parse().unwrap();
            assert_eq!(setup.to_string(), text);
            let begun = any::new_game(&setup).unwrap();
            let given = any::from_stones(&setup, &[], Side::First).unwrap();
            assert_eq!([begun.setup(), given.setup()], [setup; 2]);
        }
        for game in GameKind::ALL {
            let usual = Setup::standard(game);
            assert_eq!(game.name().parse(), Ok(usual));
            assert_eq!(usual.to_string().parse(), Ok(usual));
        }
    }

    #[test]
    fn what_is_no_setup_is_refused() {
        for (text, error) in [
            ("", "no game is called \"\": gomoku, reversi or connect4"),
            ("gomoku 15", "size cannot be \"15\""),
            ("gomoku rule=any", "rule cannot be \"any\""),
            ("reversi rule=exact", "reversi has no rule to choose"),
            ("gomoku hole=3,4", "gomoku has no hole to choose"),
            ("connect4 hole=3", "hole cannot be \"3\""),
            ("connect4 steal", "size cannot be \"steal\""),
        ] {
            assert_eq!(text.parse::<Setup>(), Err(error.to_owned()));
        }
    }

    #[test]
    fn a_game_is_not_played_by_the_setup_of_another() {
        use crate::game::{Playable, connect4::Connect4, gomoku::Gomoku, reversi::Reversi};
        let [gomoku, reversi, connect4] = GameKind::ALL.map(Setup::standard);
        let of_another = [
            Gomoku::new(&connect4).err(),
            Reversi::new(&gomoku.with_size(8, 8)).err(),
            Connect4::new(&reversi).err(),
        ];
        assert_eq!(
            of_another,
            GameKind::ALL.map(|game| Some(SetupError::Game(game)))
        );
    }
}
