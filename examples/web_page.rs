//! The engine of the page that no program serves: compiled for WebAssembly by `packaging/web_page`, run
//! by `src/web/alone/worker.js`.
//!
//! Text goes in and out byte by byte, so that no memory has to be shared: `put` a line, `hear` it,
//! `step` while there is something to think, and `take` what is answered until it is -1.

use std::cell::RefCell;
use std::collections::VecDeque;
use tengen::clock::{TimeControl, USUAL_TIME};
use tengen::game::{GameKind, Setup};
use tengen::protocol::{self, Defaults, ProtocolKind};
use tengen::slices::Slices;

/// MiB of the tree.
const MEMORY: &str = "64";

/// The engine and the text on its way, both ways.
#[derive(Default)]
struct Host {
    engine: Option<Slices>,
    line: Vec<u8>,
    answers: VecDeque<u8>,
}

thread_local! {
    static HOST: RefCell<Host> = RefCell::default();
}

impl Host {
    /// The engine, made when it is needed first.
    fn engine(&mut self) -> Option<&mut Slices> {
        if self.engine.is_none() {
            lend_clock();
            let defaults = Defaults {
                setup: Setup::standard(GameKind::Gomoku),
                time: TimeControl::per_move(USUAL_TIME),
                playouts: None,
            };
            let settings = [("memory", MEMORY), ("move_overhead", "0")];
            let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let protocol = protocol::open(ProtocolKind::Web, defaults).ok()?;
            self.engine = Slices::new(protocol, settings.to_vec()).ok();
        }
        self.engine.as_mut()
    }

    fn answer(&mut self, lines: Vec<String>) {
        for line in lines {
            self.answers.extend(line.bytes().chain([b'\n']));
        }
    }
}

#[cfg(target_family = "wasm")]
fn lend_clock() {
    use std::time::Duration;

    #[link(wasm_import_module = "page")]
    // SAFETY: the worker provides this function, which takes nothing and returns a number.
    #[expect(unsafe_code, reason = "the clock of the browser")]
    unsafe extern "C" {
        /// Milliseconds since the worker began.
        safe fn now() -> f64;
    }
    tengen::clock::lend(|| Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default());
}

#[cfg(not(target_family = "wasm"))]
fn lend_clock() {}

/// Adds a byte to the line.
#[expect(unsafe_code, reason = "exported by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn put(byte: u8) {
    HOST.with_borrow_mut(|host| host.line.push(byte));
}

/// Hears the line.
#[expect(unsafe_code, reason = "exported by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn hear() {
    HOST.with_borrow_mut(|host| {
        let line = std::mem::take(&mut host.line);
        let mut out = Vec::new();
        if let Some(engine) = host.engine() {
            engine.hear(&String::from_utf8_lossy(&line), &mut out);
        }
        host.answer(out);
    });
}

/// Thinks for a slice; 1 where more is left to think.
#[expect(unsafe_code, reason = "exported by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn step() -> u32 {
    HOST.with_borrow_mut(|host| {
        let mut out = Vec::new();
        let more = host.engine().is_some_and(|engine| engine.step(&mut out));
        host.answer(out);
        more.into()
    })
}

/// The next byte of the answers, or -1.
#[expect(unsafe_code, reason = "exported by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn take() -> i32 {
    HOST.with_borrow_mut(|host| host.answers.pop_front().map_or(-1, i32::from))
}
