//! What somebody may have meant by a name that is none.

/// Letters that may be wrong, missing or too many in a name that was meant.
const MOST_WRONG: usize = 2;

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
