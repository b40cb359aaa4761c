//! What lines of text are made of, whatever the protocol.

use std::borrow::Cow;

/// The first word and the rest, with no white space around it.
pub fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

/// Characters of what the other end said that an error repeats.
const LONGEST_QUOTE: usize = 200;

/// The text, or its beginning where it is longer than anybody reads.
pub fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
