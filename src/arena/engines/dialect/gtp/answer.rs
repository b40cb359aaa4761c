//! Answers of GTP engines, for matches and for compliance.

use crate::arena::engines::process::Line;
use std::collections::VecDeque;
use std::time::Instant;

/// More lines of one answer are not kept: the newest are.
const ANSWER_LINES: usize = 512;

/// What an engine answered to a command.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Whether it begins with `=`, and not with `?`.
    pub success: bool,
    /// The first line after that sign.
    head: String,
    /// The lines after it.
    more: VecDeque<String>,
    /// When its empty line came.
    pub arrived: Instant,
}

impl Answer {
    /// Reads an answer up to its empty line. Some engines end an answer with more than one empty
    /// line, so the next one may begin with such.
    ///
    /// # Errors
    /// Those of `next`, and that of `no_answer` for a line that does not begin one.
    pub fn read<E>(
        mut next: impl FnMut() -> Result<Line, E>,
        no_answer: impl FnOnce(&str) -> E,
    ) -> Result<Answer, E> {
        let mut first = next()?;
        while first.text.trim().is_empty() {
            first = next()?;
        }
        let (success, head) = match first.text.split_at_checked(1) {
            Some(("=", rest)) => (true, rest.to_owned()),
            Some(("?", rest)) => (false, rest.to_owned()),
            _ => return Err(no_answer(&first.text)),
        };
        let mut more = VecDeque::new();
        loop {
            let Line { text, arrived } = next()?;
            if text.trim().is_empty() {
                return Ok(Answer {
                    success,
                    head,
                    more,
                    arrived,
                });
            }
            if more.len() == ANSWER_LINES {
                more.pop_front();
            }
            more.push_back(text);
        }
    }

    /// The number right after the sign, which repeats that of the command; empty without one.
    pub fn id(&self) -> &str {
        let digits = self.head.trim_start_matches(|c: char| c.is_ascii_digit());
        &self.head[..self.head.len() - digits.len()]
    }

    /// The first line without sign and number.
    pub fn head(&self) -> &str {
        self.head[self.id().len()..].trim()
    }

    /// The lines, the first without sign and number.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let more = self.more.iter().map(String::as_str);
        std::iter::once(self.head()).chain(more)
    }

    /// The lines, parted by line feeds.
    pub fn text(&self) -> String {
        self.lines().collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    fn read(lines: &[&str]) -> Result<Answer, String> {
        let mut lines = lines.iter();
        let next = || {
            let text = lines.next().ok_or("the end")?.to_string();
            let arrived = clock::now();
            Ok(Line { text, arrived })
        };
        Answer::read(next, str::to_owned)
    }

    #[test]
    fn signs_numbers_and_lines_are_told_apart() {
        let answer = read(&["", "=17 A1", "more", ""]).unwrap();
        assert!(answer.success);
        assert_eq!((answer.id(), answer.head()), ("17", "A1"));
        assert_eq!(answer.text(), "A1\nmore");
        let refusal = read(&["? no", ""]).unwrap();
        assert_eq!(
            (refusal.success, refusal.id(), refusal.head()),
            (false, "", "no")
        );
        let broken = [
            (["thinking", "= A1"], "thinking"),
            (["= A1", "no end"], "the end"),
        ];
        for (lines, error) in broken {
            assert_eq!(read(&lines).unwrap_err(), error);
        }
        let mut flood = vec!["="];
        flood.extend(["x"; 3 * ANSWER_LINES]);
        flood.push("");
        assert_eq!(read(&flood).unwrap().lines().count(), ANSWER_LINES + 1);
    }
}
