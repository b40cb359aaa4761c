//! The server of `tengen board` as browsers and others meet it, over real sockets.
#![cfg(unix)]

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long anything is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
struct Server {
    child: Child,
    host: String,
    token: String,
}

impl Server {
    fn start() -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args([
                "board", "--port", "0", "--game", "connect4", "--memory", "8",
            ])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut url).unwrap();
        let url = url.trim().strip_prefix("http://").unwrap();
        let (host, token) = url.trim_end_matches('/').split_once('/').unwrap();
        Server {
            host: host.to_owned(),
            token: token.to_owned(),
            child,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes and returns everything that comes back.
    fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // A server that has seen enough may close before all is written.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str, headers: &str) -> String {
        let Server { host, token, .. } = self;
        self.exchange(
            format!("GET /{token}/{path} HTTP/1.1\r\n{headers}Host: {host}\r\n\r\n").as_bytes(),
        )
    }

    /// Threads and descriptors of the process.
    fn holds(&self) -> (usize, usize) {
        let count = |what| {
            let folder = format!("/proc/{}/{what}", self.child.id());
            fs::read_dir(folder).unwrap().count()
        };
        (count("task"), count("fd"))
    }

    /// Memory of the process that is in use, in KiB.
    fn resident(&self) -> i64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.unwrap()
            .trim()
            .trim_end_matches(" kB")
            .parse()
            .unwrap()
    }

    /// Waits until the process holds no more than this.
    fn settle(&self, (threads, descriptors): (usize, usize)) -> (usize, usize) {
        let mut holds = self.holds();
        for _ in 0..600 {
            if holds.0 <= threads && holds.1 <= descriptors {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
            holds = self.holds();
        }
        holds
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A page that is open.
struct Page<'a> {
    server: &'a Server,
    events: BufReader<TcpStream>,
    name: String,
}

impl<'a> Page<'a> {
    fn open(server: &'a Server) -> Page<'a> {
        let mut stream = server.connect();
        let Server { host, token, .. } = server;
        write!(
            stream,
            "GET /{token}/events HTTP/1.1\r\nHost: {host}\r\n\r\n"
        )
        .unwrap();
        let mut page = Page {
            server,
            events: BufReader::new(stream),
            name: String::new(),
        };
        page.name = page.next()["page"].as_str().unwrap().to_owned();
        page
    }

    /// The next thing that the page is told.
    fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(
                self.events.read_line(&mut line).unwrap() > 0,
                "the stream ended"
            );
            if let Some(text) = line.strip_prefix("data: ") {
                return serde_json::from_str(text).unwrap();
            }
        }
    }

    /// The next thing of a kind.
    fn next_of(&mut self, kind: &str) -> Value {
        loop {
            let told = self.next();
            assert!(told.get("error").is_none() || kind == "error", "{told}");
            if let Some(body) = told.get(kind) {
                return body.clone();
            }
        }
    }

    fn ask(&self, line: &Value) -> String {
        self.post(&line.to_string())
    }

    fn post(&self, body: &str) -> String {
        let Server { host, token, .. } = self.server;
        let (name, length) = (&self.name, body.len());
        self.server.exchange(
            format!(
                "POST /{token}/page/{name} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\
                 Content-Length: {length}\r\n\r\n{body}"
            )
            .as_bytes(),
        )
    }
}

#[test]
fn a_game_is_played_over_the_wire() {
    let server = Server::start();
    assert!(server.get("", "").contains("<!doctype html>"));
    for file in [
        "address.js",
        "app.js",
        "begin.js",
        "board.css",
        "board.js",
        "clock.js",
        "drawing.js",
        "engine.js",
        "panels.js",
        "reviews.js",
        "saving.js",
        "state.js",
        "style.css",
        "swap2.js",
        "texts.js",
    ] {
        assert!(server.get(file, "").starts_with("HTTP/1.1 200 "), "{file}");
    }
    let mut page = Page::open(&server);
    let answer = page.ask(&json!({ "do": "new", "game": "connect4", "moves": "121212" }));
    assert!(answer.starts_with("HTTP/1.1 204 "), "{answer}");
    assert_eq!(page.next_of("state")["ply"], 6);
    page.ask(&json!({ "do": "scores", "time": 10000 }));
    let scores = page.next_of("scores");
    assert_eq!(scores["moves"][0]["move"], "1");
    assert_eq!(scores["moves"].as_array().unwrap().len(), 7);
    page.ask(&json!({ "do": "think", "time": 5000 }));
    assert_eq!(page.next_of("best")["moves"][0]["move"], "1");
    let state = page.next_of("state");
    assert_eq!(
        (&state["ply"], &state["outcome"][0]),
        (&json!(7), &json!(0))
    );
    page.ask(&json!({ "do": "review", "playouts": 200 }));
    let review = page.next_of("review");
    assert_eq!(review["plies"].as_array().unwrap().len(), 7);
    assert_eq!(review["plies"][5]["kind"], "blunder");
}

#[test]
fn requests_for_others_are_refused() {
    let server = Server::start();
    let Server { host, token, .. } = &server;
    let status = |bytes: &str| {
        server
            .exchange(bytes.as_bytes())
            .get(9..12)
            .map(str::to_owned)
    };
    let expect = |code: &str, bytes: &str| {
        assert_eq!(status(bytes).as_deref(), Some(code), "{bytes}");
    };
    expect(
        "403",
        &format!("GET /{token}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
    );
    expect("400", &format!("GET /{token}/ HTTP/1.1\r\n\r\n"));
    expect(
        "400",
        &format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n"),
    );
    expect(
        "403",
        &format!(
            "GET /{token}/events HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example\r\n\r\n"
        ),
    );
    expect("404", &format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    expect(
        "404",
        &format!("GET /{}/ HTTP/1.1\r\nHost: {host}\r\n\r\n", "0".repeat(32)),
    );
    expect(
        "404",
        &format!("GET /{token}/../Cargo.toml HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    );
    expect(
        "404",
        &format!(
            "POST /{token}/page/nobody HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n\r\n{{}}"
        ),
    );
    expect(
        "405",
        &format!("DELETE /{token}/ HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    );
    expect(
        "411",
        &format!(
            "POST /{token}/page/x HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
    );
    expect("400", "nonsense\r\n\r\n");
    expect(
        "431",
        &format!(
            "GET /{token}/ HTTP/1.1\r\nX: {}\r\n\r\n",
            "x".repeat(20_000)
        ),
    );
    assert!(server.get("", "").contains("default-src 'none'"));
}

#[test]
fn hostile_requests_harm_no_page() {
    let server = Server::start();
    let mut page = Page::open(&server);
    page.ask(&json!({ "do": "play", "move": "4" }));
    assert_eq!(page.next_of("state")["ply"], 1);
    let body = page.post(&"x".repeat(10 << 20));
    assert!(body.starts_with("HTTP/1.1 413 "), "{body}");
    // Half a request, and one that never begins.
    let half = server.connect();
    (&half).write_all(b"GET / HT").unwrap();
    half.shutdown(Shutdown::Write).unwrap();
    let silent = server.connect();
    for line in [
        "{}",
        "nonsense",
        r#"{"do":"dance"}"#,
        r#"{"do":"play","move":"9"}"#,
    ] {
        page.post(line);
        assert!(page.next()["error"].is_string(), "{line}");
    }
    for line in ["{}\n{}", "\u{0}\r"] {
        assert!(page.post(line).starts_with("HTTP/1.1 400 "), "{line:?}");
    }
    // A flood of connections gets as many answers as there is room for.
    let flood: Vec<TcpStream> = (0..300).map(|_| server.connect()).collect();
    drop(flood);
    drop(silent);
    // The page waits for room like everybody else.
    let mut answer = String::new();
    for _ in 0..600 {
        answer = page.ask(&json!({ "do": "play", "move": "4" }));
        if answer.starts_with("HTTP/1.1 204 ") {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(answer.starts_with("HTTP/1.1 204 "), "{answer}");
    assert_eq!(page.next_of("state")["ply"], 2);
}

#[test]
fn pages_that_close_leave_nothing() {
    let server = Server::start();
    let before = server.holds();
    // What is made at the first use stays: only growth over the second hundred pages is a leak.
    let mut resident = 0;
    for round in 0..20 {
        if round == 10 {
            server.settle(before);
            resident = server.resident();
        }
        let pages: Vec<Page> = (0..10).map(|_| Page::open(&server)).collect();
        for page in pages.iter().take(round % 3) {
            // It thinks when its page closes.
            page.ask(&json!({ "do": "analyze", "time": 600_000 }));
        }
    }
    let after = server.settle(before);
    assert!(
        after.0 <= before.0 && after.1 <= before.1,
        "{before:?}, then {after:?}"
    );
    // Half of one page's 8 MiB.
    let more = server.resident() - resident;
    assert!(more < 4 << 10, "{more} KiB more");
    let mut page = Page::open(&server);
    page.ask(&json!({ "do": "state" }));
    assert_eq!(page.next_of("state")["ply"], 0);
}
