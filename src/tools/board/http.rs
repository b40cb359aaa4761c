//! HTTP/1.1 within bounds: requests in, responses out, one for each connection.

use crate::clock;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Bytes of a request's head.
const LONGEST_HEAD: usize = 8 << 10;

/// Headers of a request.
const MOST_HEADERS: usize = 64;

/// Bytes of a body: games of thousands of moves are far shorter.
const LONGEST_BODY: usize = 256 << 10;

/// How long a request may take to arrive, and a response to be taken.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of a body that is too large which are read all the same, so that the other end reads the
/// answer before it finds the connection closed.
const DRAINED: u64 = 16 << 20;

/// What a page asks.
#[derive(Debug)]
pub struct Request {
    /// `GET`, `POST` or another.
    pub method: String,
    /// The path, with its query.
    pub path: String,
    /// The header `Host`.
    pub host: Option<String>,
    /// The header `Origin`.
    pub origin: Option<String>,
    /// The body, empty where there is none.
    pub body: Vec<u8>,
}

/// What a request is refused with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    BadRequest,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    Timeout,
    LengthRequired,
    TooLarge,
    TooManyRequests,
    HeadersTooLarge,
    Unavailable,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::BadRequest => "400 Bad Request",
            Status::Forbidden => "403 Forbidden",
            Status::NotFound => "404 Not Found",
            Status::MethodNotAllowed => "405 Method Not Allowed",
            Status::Timeout => "408 Request Timeout",
            Status::LengthRequired => "411 Length Required",
            Status::TooLarge => "413 Content Too Large",
            Status::TooManyRequests => "429 Too Many Requests",
            Status::HeadersTooLarge => "431 Request Header Fields Too Large",
            Status::Unavailable => "503 Service Unavailable",
        })
    }
}

/// Reads a request.
///
/// # Errors
/// What it is refused with; `None` where nobody is there to be answered.
pub fn read(stream: &mut TcpStream) -> Result<Request, Option<Status>> {
    let until = clock::now() + PATIENCE;
    let mut bytes = Vec::new();
    let (mut request, length, body_at) = loop {
        if let Some(read) = parse(&bytes)? {
            break read;
        }
        if bytes.len() >= LONGEST_HEAD {
            return Err(Some(Status::HeadersTooLarge));
        }
        receive(stream, &mut bytes, LONGEST_HEAD, until)?;
    };
    if length > LONGEST_BODY {
        drain(stream, until);
        return Err(Some(Status::TooLarge));
    }
    let all = body_at + length;
    while bytes.len() < all {
        receive(stream, &mut bytes, all, until)?;
    }
    request.body = bytes.get(body_at..all).unwrap_or_default().to_vec();
    Ok(request)
}

/// Reads some more bytes, up to `most` in all.
fn receive(
    stream: &mut TcpStream,
    bytes: &mut Vec<u8>,
    most: usize,
    until: Instant,
) -> Result<(), Option<Status>> {
    let left = until.saturating_duration_since(clock::now());
    if left.is_zero() {
        return Err(Some(Status::Timeout));
    }
    stream.set_read_timeout(Some(left)).map_err(|_| None)?;
    let mut buffer = [0; 4096];
    let room = most.saturating_sub(bytes.len()).min(buffer.len());
    let buffer = buffer.get_mut(..room).ok_or(None)?;
    match stream.read(buffer) {
        Ok(0) => Err(None),
        Ok(count) => {
            bytes.extend(buffer.iter().take(count));
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        Err(error) if is_timeout(&error) => Err(Some(Status::Timeout)),
        Err(_) => Err(None),
    }
}

/// Whether a read ended because nothing came.
pub fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

fn drain(stream: &mut TcpStream, until: Instant) {
    let left = until.saturating_duration_since(clock::now());
    if stream.set_read_timeout(Some(left)).is_ok() {
        // Whatever ends it, the answer comes next.
        let _ = io::copy(&mut stream.take(DRAINED), &mut io::sink());
    }
}

/// A request without its body, the length of that, and where it begins. `None`: the head is not yet
/// complete.
fn parse(bytes: &[u8]) -> Result<Option<(Request, usize, usize)>, Option<Status>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let status = parsed.parse(bytes).map_err(|error| match error {
        httparse::Error::TooManyHeaders => Some(Status::HeadersTooLarge),
        _ => Some(Status::BadRequest),
    })?;
    let httparse::Status::Complete(body_at) = status else {
        return Ok(None);
    };
    let header = |name: &str| -> Result<Option<String>, Option<Status>> {
        let mut found = parsed
            .headers
            .iter()
            .filter(|header| header.name.eq_ignore_ascii_case(name));
        let value = found.next().map(|header| header.value);
        // Two of one kind would mean different things to different readers.
        if found.next().is_some() {
            return Err(Some(Status::BadRequest));
        }
        let text = value.map(|value| str::from_utf8(value).map(str::to_owned));
        text.transpose().map_err(|_| Some(Status::BadRequest))
    };
    if header("transfer-encoding")?.is_some() {
        return Err(Some(Status::LengthRequired));
    }
    let length = match header("content-length")? {
        Some(text) => text.parse().map_err(|_| Some(Status::BadRequest))?,
        None => 0,
    };
    let request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: parsed.path.unwrap_or_default().to_owned(),
        host: header("host")?,
        origin: header("origin")?,
        body: Vec::new(),
    };
    Ok(Some((request, length, body_at)))
}

/// What every response begins with, so that no browser does more with it than it should.
const SAFETY: &str = "\
Cache-Control: no-store\r\n\
Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Referrer-Policy: no-referrer\r\n\
X-Content-Type-Options: nosniff\r\n\
Connection: close\r\n";

/// Sends a file.
///
/// # Errors
/// When the other end does not take it.
pub fn send(stream: &mut TcpStream, kind: &str, body: &str) -> io::Result<()> {
    respond(stream, "200 OK", kind, body)
}

/// Says that a request was obeyed.
///
/// # Errors
/// When the other end does not take it.
pub fn send_nothing(stream: &mut TcpStream) -> io::Result<()> {
    set_patience(stream)?;
    stream.write_all(format!("HTTP/1.1 204 No Content\r\n{SAFETY}\r\n").as_bytes())
}

/// Refuses a request.
///
/// # Errors
/// When the other end does not take it.
pub fn refuse(stream: &mut TcpStream, status: Status) -> io::Result<()> {
    let text = status.to_string();
    respond(stream, &text, "text/plain; charset=utf-8", &text)
}

/// Begins a stream of events.
///
/// # Errors
/// When the other end does not take it.
pub fn begin_events(stream: &mut TcpStream) -> io::Result<()> {
    set_patience(stream)?;
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{SAFETY}\r\n");
    stream.write_all(head.as_bytes())
}

fn respond(stream: &mut TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    set_patience(stream)?;
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{SAFETY}\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

fn set_patience(stream: &TcpStream) -> io::Result<()> {
    // Small answers must not wait for more.
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(PATIENCE))
}
