//! What lines of text are made of, whatever the protocol.

/// The first word and the rest, with no white space around it.
pub fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}
