//! What somebody may have meant by a name that is none.

use crate::game::GameKind;

/// Letters that may be wrong, missing or too many in a name that was meant.
const MOST_WRONG: usize = 2;

/// What people call the games.
const OTHER_NAMES: [(&str, GameKind); 9] = [
    ("five-in-a-row", GameKind::Gomoku),
    ("gobang", GameKind::Gomoku),
    ("piskvorky", GameKind::Gomoku),
    ("othello", GameKind::Reversi),
    ("c4", GameKind::Connect4),
    ("connect-4", GameKind::Connect4),
    ("connect-four", GameKind::Connect4),
    ("connectfour", GameKind::Connect4),
    ("four-in-a-row", GameKind::Connect4),
];

/// `; did you mean level-7?`: the names nearest to `text`. Nothing where none is near.
#[must_use]
pub fn suggestion<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> String {
    let text = text.to_lowercase();
    let distance = |name: &str| strsim::osa_distance(&text, name);
    let names: Vec<(usize, &str)> = names.map(|name| (distance(name), name)).collect();
    let least = names.iter().map(|&(wrong, _)| wrong).min().unwrap_or(0);
    if least > MOST_WRONG || 2 * least >= text.chars().count() {
        return String::new();
    }
    let nearest = names.into_iter().filter(|&(wrong, _)| wrong == least);
    let nearest: Vec<&str> = nearest.map(|(_, name)| name).collect();
    format!("; did you mean {}?", nearest.join(" or "))
}

/// The game that people call so.
#[must_use]
pub fn game_called(text: &str) -> Option<GameKind> {
    let text = text.to_lowercase();
    let own = GameKind::ALL.into_iter().find(|game| game.name() == text);
    let other = || OTHER_NAMES.into_iter().find(|(name, _)| *name == text);
    own.or_else(|| other().map(|(_, game)| game))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_suggested() {
        let names = || ["level-1", "level-7", "random", "uct"].into_iter();
        for (text, suggested) in [
            ("level7", "; did you mean level-7?"),
            ("Random", "; did you mean random?"),
            ("level-0", "; did you mean level-1 or level-7?"),
            ("utc", "; did you mean uct?"),
            ("x", ""),
            ("", ""),
            ("rapfi", ""),
        ] {
            assert_eq!(suggestion(text, names()), suggested, "{text}");
        }
    }
}
