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

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Every file.
pub static ASSETS: [Asset; 11] = [
    Asset {
        name: "",
        kind: "text/html; charset=utf-8",
        text: include_str!("../../web/index.html"),
    },
    Asset {
        name: "style.css",
        kind: "text/css; charset=utf-8",
        text: include_str!("../../web/style.css"),
    },
    Asset {
        name: "app.js",
        kind: SCRIPT,
        text: include_str!("../../web/app.js"),
    },
    Asset {
        name: "board.js",
        kind: SCRIPT,
        text: include_str!("../../web/board.js"),
    },
    Asset {
        name: "address.js",
        kind: SCRIPT,
        text: include_str!("../../web/address.js"),
    },
    Asset {
        name: "engine.js",
        kind: SCRIPT,
        text: include_str!("../../web/engine.js"),
    },
    Asset {
        name: "panels.js",
        kind: SCRIPT,
        text: include_str!("../../web/panels.js"),
    },
    Asset {
        name: "state.js",
        kind: SCRIPT,
        text: include_str!("../../web/state.js"),
    },
    Asset {
        name: "drawing.js",
        kind: SCRIPT,
        text: include_str!("../../web/drawing.js"),
    },
    Asset {
        name: "saving.js",
        kind: SCRIPT,
        text: include_str!("../../web/saving.js"),
    },
    Asset {
        name: "texts.js",
        kind: SCRIPT,
        text: include_str!("../../web/texts.js"),
    },
];
