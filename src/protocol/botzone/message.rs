//! The two forms of a message: JSON and the simple form.
//!
//! | | JSON | simple |
//! |---|---|---|
//! | the whole game | `{"requests":[…],"responses":[…]}` | `n`, then 2n-1 lines `x y`, or objects |
//! | the new request alone | `{"x":4,"y":5}`, or in `requests` | `4 5` |
//! | answer | `{"response":{"x":2,"y":3},"debug":"…"}` | `2 3`, then a line for people |

use super::super::{LONGEST_LINE, whole};
use crate::game::{PlayError, Point};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The line after which the runner keeps the process for the next turn.
pub const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// Characters of an error. Botzone takes 1 KiB of text for people.
const LONGEST_ERROR: usize = 200;

/// One request or response. `None` is written as -1, -1.
pub type Entry = Option<Point>;

/// How a message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Json,
    Simple,
}

impl Form {
    /// The form that this line is written in.
    fn of(line: &str) -> Form {
        if line.starts_with('{') {
            Form::Json
        } else {
            Form::Simple
        }
    }
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The whole game: the first request, the first response, …, the new request.
    Game(Vec<Entry>),
    /// The new request alone.
    Request(Entry),
    /// The whole game follows in the simple form, with this many requests.
    Turns(usize),
}

impl Message {
    /// What a line of a game in the simple form says.
    pub fn entry(self) -> Result<Entry, BotzoneError> {
        match self {
            Message::Request(entry) => Ok(entry),
            Message::Game(_) | Message::Turns(_) => Err(BotzoneError::Simple),
        }
    }
}

/// Why a line is refused.
#[derive(Debug, thiserror::Error)]
pub enum BotzoneError {
    #[error("bad JSON: {0}")]
    Json(serde_json::Error),
    #[error("a line of more than {} MiB", LONGEST_LINE >> 20)]
    TooLong,
    #[error("expected \"requests\", or \"x\" and \"y\"")]
    NoRequest,
    #[error("{responses} responses do not fit {requests} requests")]
    Responses { requests: usize, responses: usize },
    #[error("expected the number of requests, or x and y")]
    Simple,
    #[error("no game has so many turns")]
    Turns,
    #[error("{0} more lines of the game were expected")]
    Unfinished(usize),
    #[error("{0} {1} is off every board")]
    OffBoard(i64, i64),
    #[error("{}: {error}", Pair::of(*.0), error = .1)]
    Play(Entry, PlayError),
    #[error("-1 -1: no swap is possible here")]
    Swap,
    #[error("the game is over")]
    Over,
    #[error("there is no move")]
    NoMove,
    #[error("{0}")]
    Session(String),
}

impl BotzoneError {
    /// Whether what is read goes on.
    fn is_unfinished(&self) -> bool {
        matches!(self, BotzoneError::Json(error) if error.is_eof())
    }
}

/// Coordinates as they are sent: from 0, or both -1.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct Pair {
    #[serde(deserialize_with = "whole::number")]
    x: i64,
    #[serde(deserialize_with = "whole::number")]
    y: i64,
}

impl Pair {
    fn of(entry: Entry) -> Pair {
        entry.map_or(Pair { x: -1, y: -1 }, |point| Pair {
            x: point.col.into(),
            y: point.row.into(),
        })
    }

    fn entry(self) -> Result<Entry, BotzoneError> {
        let Pair { x, y } = self;
        if (x, y) == (-1, -1) {
            return Ok(None);
        }
        match (u8::try_from(x), u8::try_from(y)) {
            (Ok(col), Ok(row)) => Ok(Some(Point { col, row })),
            _ => Err(BotzoneError::OffBoard(x, y)),
        }
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.x, self.y)
    }
}

/// What a JSON line may hold. Other keys, such as `data` and `time_limit`, are passed over.
#[derive(Deserialize)]
struct JsonLine {
    requests: Option<OneOrMany>,
    responses: Option<Vec<Pair>>,
    #[serde(default, deserialize_with = "whole::option")]
    x: Option<i64>,
    #[serde(default, deserialize_with = "whole::option")]
    y: Option<i64>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected {\"x\":…,\"y\":…} or a list of them")]
enum OneOrMany {
    One(Pair),
    Many(Vec<Pair>),
}

/// Bytes of JSON that may go over many lines: Botzone keeps 100 KB of data for a bot.
const LONGEST_MESSAGE: usize = 1 << 17;

/// Bytes of one message that are parsed anew as its lines come in, so that an error is told at once.
/// After so many it is parsed where its brackets are closed: a message of many short lines would
/// take seconds.
const MOST_PARSED: usize = 1 << 20;

/// Messages out of lines that are not empty: JSON made for people goes over many.
#[derive(Default)]
pub struct Messages {
    /// What goes on in the next line.
    unfinished: Unfinished,
    /// The message that was heard last is meant for a whole game, from its beginning.
    begins: bool,
}

/// The lines of a message so far.
#[derive(Default)]
struct Unfinished {
    text: String,
    brackets: Brackets,
    /// Bytes that were parsed, each as often as it was.
    parsed: usize,
}

/// The brackets of JSON that are open.
#[derive(Default)]
struct Brackets {
    open: usize,
    /// A string is open.
    quoted: bool,
    /// The next character belongs to a backslash.
    escaped: bool,
}

impl Messages {
    /// The form of what this line is a part of.
    pub fn form(&self, line: &str) -> Form {
        match self.unfinished.text.is_empty() {
            true => Form::of(line),
            false => Form::Json,
        }
    }

    /// What was said, once this line ends it. What was not finished is given up where another game is
    /// told from its beginning.
    pub fn hear(&mut self, line: &str) -> Result<Option<Message>, BotzoneError> {
        if begins(line) {
            self.unfinished = Unfinished::default();
        }
        match self.unfinished.hear(line) {
            None => Ok(None),
            Some(parsed) => {
                let Unfinished { text, .. } = std::mem::take(&mut self.unfinished);
                self.begins = begins(&text);
                parsed.map(Some)
            }
        }
    }

    /// Whether what was heard last was meant to tell a game in JSON from its beginning.
    pub fn begins(&self) -> bool {
        self.begins
    }

    /// What is wrong with the end of the input here.
    pub fn end(&mut self) -> Option<BotzoneError> {
        let Unfinished { text, .. } = std::mem::take(&mut self.unfinished);
        if text.is_empty() {
            return None;
        }
        parse(&text).err()
    }
}

impl Unfinished {
    /// Adds a line. `None`: the message goes on in the next.
    fn hear(&mut self, line: &str) -> Option<Result<Message, BotzoneError>> {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
        self.brackets.pass(line);
        let may_go_on = self.text.len() < LONGEST_MESSAGE;
        if may_go_on && self.parsed > MOST_PARSED && self.brackets.are_open() {
            return None;
        }
        self.parsed += self.text.len();
        match parse(&self.text) {
            Err(fault) if may_go_on && fault.is_unfinished() => None,
            parsed => Some(parsed),
        }
    }
}

impl Brackets {
    fn are_open(&self) -> bool {
        self.quoted || self.open > 0
    }

    fn pass(&mut self, line: &str) {
        for byte in line.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.quoted => self.escaped = true,
                b'"' => self.quoted = !self.quoted,
                _ if self.quoted => {}
                b'{' | b'[' => self.open += 1,
                b'}' | b']' => self.open = self.open.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// Reads a message that is not empty.
fn parse(line: &str) -> Result<Message, BotzoneError> {
    match Form::of(line) {
        Form::Json => parse_json(line),
        Form::Simple => match numbers(line)?[..] {
            [turns] => usize::try_from(turns)
                .map(Message::Turns)
                .map_err(|_| BotzoneError::Turns),
            [x, y] => Ok(Message::Request(Pair { x, y }.entry()?)),
            _ => Err(BotzoneError::Simple),
        },
    }
}

/// Whether this text is meant to tell a game in JSON from its beginning.
fn begins(text: &str) -> bool {
    text.starts_with('{') && text.contains("\"requests\"")
}

fn numbers(line: &str) -> Result<Vec<i64>, BotzoneError> {
    let numbers = line.split_whitespace().take(3);
    let numbers: Result<_, _> = numbers.map(str::parse).collect();
    numbers.map_err(|_| BotzoneError::Simple)
}

fn parse_json(line: &str) -> Result<Message, BotzoneError> {
    let line: JsonLine = serde_json::from_str(line).map_err(BotzoneError::Json)?;
    match line {
        JsonLine {
            requests: Some(OneOrMany::Many(requests)),
            responses,
            ..
        } => parse_game(&requests, responses.as_deref()),
        JsonLine {
            requests: Some(OneOrMany::One(pair)),
            ..
        } => Ok(Message::Request(pair.entry()?)),
        JsonLine {
            x: Some(x),
            y: Some(y),
            ..
        } => Ok(Message::Request(Pair { x, y }.entry()?)),
        _ => Err(BotzoneError::NoRequest),
    }
}

/// `responses` may be missing where there is only the new request.
fn parse_game(requests: &[Pair], responses: Option<&[Pair]>) -> Result<Message, BotzoneError> {
    let [first, later @ ..] = requests else {
        return Err(BotzoneError::NoRequest);
    };
    let first = first.entry()?;
    let responses = match responses {
        None if later.is_empty() => return Ok(Message::Request(first)),
        responses => responses.unwrap_or_default(),
    };
    if responses.len() != later.len() {
        return Err(BotzoneError::Responses {
            requests: requests.len(),
            responses: responses.len(),
        });
    }
    let mut entries = vec![first];
    for (response, request) in responses.iter().zip(later) {
        entries.push(response.entry()?);
        entries.push(request.entry()?);
    }
    Ok(Message::Game(entries))
}

#[derive(Serialize)]
struct JsonAnswer<'a> {
    response: Option<Pair>,
    #[serde(skip_serializing_if = "Option::is_none")]
    debug: Option<&'a str>,
}

impl JsonAnswer<'_> {
    fn write(&self) -> String {
        // Numbers and text are always written; what cannot be would be no answer either.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The lines that answer with an entry and, for people, a short text.
pub fn answer(form: Form, entry: Entry, debug: Option<&str>) -> Vec<String> {
    let pair = Pair::of(entry);
    match form {
        Form::Json => {
            let response = Some(pair);
            vec![JsonAnswer { response, debug }.write()]
        }
        Form::Simple => {
            let lines = std::iter::once(pair.to_string());
            lines.chain(debug.map(str::to_owned)).collect()
        }
    }
}

/// The line that answers what cannot be obeyed. No judge takes it for a move, and Botzone
/// shows it in the record of the match.
pub fn error(form: Form, fault: &BotzoneError) -> String {
    let text = format!("error: {fault}");
    // JSON errors quote what they complain of.
    let text: String = text.chars().take(LONGEST_ERROR).collect();
    match form {
        Form::Json => {
            let debug = Some(text.as_str());
            JsonAnswer {
                response: None,
                debug,
            }
            .write()
        }
        Form::Simple => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(col: u8, row: u8) -> Entry {
        Some(Point { col, row })
    }

    #[test]
    fn a_request_alone_has_many_forms() {
        for line in [
            "4 5",
            "\t4  5 ",
            r#"{"x":4,"y":5}"#,
            r#"{"x":4.0,"y":5e0}"#,
            r#"{"requests":{"x":4,"y":5}}"#,
            r#"{"requests":{"x":4.0,"y":50e-1}}"#,
            r#"{"requests":[{"x":4,"y":5}]}"#,
            r#"{"requests":[{"x":4,"y":5}],"responses":null}"#,
        ] {
            assert_eq!(parse(line).unwrap(), Message::Request(at(4, 5)), "{line}");
        }
    }

    #[test]
    fn a_whole_game_is_interleaved() {
        let line = r#"{"requests":[{"x":-1,"y":-1},{"x":7,"y":8}],"responses":[{"x":7,"y":7}],
            "data":null,"globaldata":"a","time_limit":1,"memory_limit":"256"}"#;
        let entries = vec![None, at(7, 7), at(7, 8)];
        assert_eq!(parse(line).unwrap(), Message::Game(entries));
        let line = r#"{"requests":[{"x":1,"y":2}],"responses":[]}"#;
        assert_eq!(parse(line).unwrap(), Message::Game(vec![at(1, 2)]));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for line in [
            "{",
            "{}",
            "x",
            "-1",
            "1 2 3",
            "4 300",
            "-1 4",
            "99999999999999999999",
            r#"{"x":4}"#,
            r#"{"x":1.5,"y":2}"#,
            r#"{"requests":[{"x":1.5,"y":2}]}"#,
            r#"{"requests":[]}"#,
            r#"{"requests":[{"x":1,"y":1},{"x":2,"y":2}]}"#,
            r#"{"requests":[{"x":1,"y":1}],"responses":[{"x":2,"y":2}]}"#,
            r#"{"requests":[{"x":1,"y":-1}],"responses":[]}"#,
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
