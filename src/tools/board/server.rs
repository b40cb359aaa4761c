//! Connections: each has a thread of its own, and there are only so many.

use super::assets::ASSETS;
use super::gate::Gate;
use super::http::{self, Request, Status};
use super::pages::Pages;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;
use std::time::Duration;

/// The most connections at a time: every page with its stream and its questions, and some more.
const MOST: usize = 128;

/// How long to wait where the system has no room for another connection.
const BREATH: Duration = Duration::from_millis(50);

/// What every connection needs.
struct Shared {
    gate: Gate,
    pages: Pages,
    connections: AtomicUsize,
}

/// Serves the page for ever.
///
/// # Errors
/// When no connection can be accepted any more.
pub fn serve(listener: &TcpListener, gate: Gate, pages: Pages) -> anyhow::Result<()> {
    let shared = Arc::new(Shared {
        gate,
        pages,
        connections: AtomicUsize::new(0),
    });
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => begin(stream, &shared),
            // Descriptors come back when other connections end.
            Err(_) => std::thread::sleep(BREATH),
        }
    }
    Ok(())
}

fn begin(mut stream: TcpStream, shared: &Arc<Shared>) {
    let place = Place::take(shared);
    if shared.connections.load(Ordering::Relaxed) > MOST {
        // It is dropped, whether it takes this or not.
        let _ = http::refuse(&mut stream, Status::Unavailable);
        return;
    }
    // A thread that the system does not grant drops the connection.
    let _ = Builder::new().name("connection".to_owned()).spawn(move || {
        answer(&mut stream, &place.0);
        let _ = stream.shutdown(Shutdown::Both);
    });
}

/// The place of a connection among those that are counted.
struct Place(Arc<Shared>);

impl Place {
    fn take(shared: &Arc<Shared>) -> Place {
        shared.connections.fetch_add(1, Ordering::Relaxed);
        Place(shared.clone())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

fn answer(stream: &mut TcpStream, shared: &Shared) {
    let answered = match http::read(stream) {
        Ok(request) => obey(&request, stream, shared),
        Err(Some(status)) => Err(status),
        Err(None) => return,
    };
    if let Err(status) = answered {
        // Who does not wait for it needs no answer.
        let _ = http::refuse(stream, status);
    }
}

fn obey(request: &Request, stream: &mut TcpStream, shared: &Shared) -> Result<(), Status> {
    let path = shared.gate.admit(request)?;
    let gone = |_| Status::BadRequest;
    match (&*request.method, path) {
        ("GET", "events") => shared.pages.attend(stream),
        ("GET", name) => {
            let asset = ASSETS.iter().find(|asset| asset.name == name);
            let asset = asset.ok_or(Status::NotFound)?;
            http::send(stream, asset.kind, asset.text).map_err(gone)
        }
        ("POST", path) => {
            let page = path.strip_prefix("page/").ok_or(Status::NotFound)?;
            let text = str::from_utf8(&request.body).map_err(|_| Status::BadRequest)?;
            if text.contains(['\n', '\r']) {
                return Err(Status::BadRequest);
            }
            shared.pages.tell(page, text)?;
            http::send_nothing(stream).map_err(gone)
        }
        _ => Err(Status::MethodNotAllowed),
    }
}
