//! A command line as words, by one rule on every system.
//!
//! Blanks part words. Quotes of either kind keep what is between them as it is. Outside of quotes
//! a backslash takes a blank or quote that follows it into the word. Any other backslash stands for
//! itself, as in `C:\engines\pbrain.exe`, which is where a shell's rule differs.

/// The words of a command line. `None`: a quote is not closed.
#[must_use]
pub fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\t' | '\r' | '\n' => words.extend(word.take()),
            '"' | '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        next if next == char => break,
                        next => word.push(next),
                    }
                }
            }
            '\\' => {
                let taken = chars.next_if(|&next| matches!(next, ' ' | '\t' | '"' | '\''));
                word.get_or_insert_default().push(taken.unwrap_or('\\'));
            }
            char => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_quotes_and_backslashes_are_understood() {
        for (line, expected) in [
            ("", &[] as &[&str]),
            (" \t ", &[]),
            ("a  b\tc ", &["a", "b", "c"]),
            (r#"'a b' "c d"e f'g'"#, &["a b", "c de", "fg"]),
            (r#""" '' a"#, &["", "", "a"]),
            (r#""it's" '"'"#, &["it's", "\""]),
            (r"a\ b \' \", &["a b", "'", r"\"]),
            (r"C:\x\y.exe -d C:\z\", &[r"C:\x\y.exe", "-d", r"C:\z\"]),
            (r#""C:\a b\y.exe" "C:\z\""#, &[r"C:\a b\y.exe", r"C:\z\"]),
            (r"\\server\share\y.exe", &[r"\\server\share\y.exe"]),
        ] {
            assert_eq!(split(line).unwrap(), expected, "{line}");
        }
    }

    #[test]
    fn an_open_quote_is_refused() {
        for line in ["'", "a \"b", "'a\"", r#"'a' "b\"#] {
            assert_eq!(split(line), None, "{line}");
        }
    }
}
