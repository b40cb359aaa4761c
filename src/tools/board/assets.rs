//! The files of the page.

/// A file as it is served.
pub struct Asset {
    /// Its name; empty for the page itself.
    pub name: &'static str,
    /// Its type, as HTTP names it.
    pub kind: &'static str,
    /// What it holds.
    pub text: &'static str,
}

const PAGE: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// A file of the folder, by its own name or by another.
macro_rules! asset {
    ($file:literal, $kind:expr) => {
        asset!($file, $kind, $file)
    };
    ($file:literal, $kind:expr, $name:literal) => {
        Asset {
            name: $name,
            kind: $kind,
            text: include_str!(concat!("../../web/", $file)),
        }
    };
}

/// Every file.
pub static ASSETS: [Asset; 16] = [
    asset!("index.html", PAGE, ""),
    asset!("board.css", STYLE),
    asset!("style.css", STYLE),
    asset!("app.js", SCRIPT),
    asset!("board.js", SCRIPT),
    asset!("address.js", SCRIPT),
    asset!("begin.js", SCRIPT),
    asset!("clock.js", SCRIPT),
    asset!("swap2.js", SCRIPT),
    asset!("engine.js", SCRIPT),
    asset!("panels.js", SCRIPT),
    asset!("state.js", SCRIPT),
    asset!("drawing.js", SCRIPT),
    asset!("reviews.js", SCRIPT),
    asset!("saving.js", SCRIPT),
    asset!("texts.js", SCRIPT),
];
