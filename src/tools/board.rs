//! `tengen board`: a page to play on, served to the browsers of this machine.
//!
//! A page opens a stream of events, and a session of the engine lives as long as that stream. What
//! the page asks comes as small requests beside it, and every answer goes into the stream. The lines
//! both ways are those of [`crate::protocol::web`].
//!
//! | module | what it is |
//! |---|---|
//! | [`assets`] | the files of the page |
//! | [`http`] | requests in, within bounds; responses out |
//! | [`gate`] | which requests are for this server |
//! | [`pages`] | the pages that are open, with their sessions |
//! | [`server`] | connections |
//! | [`heap`] | memory goes back to the system when a page closes |
//!
//! The small HTTP crates tiny_http, and rouille upon it, bound neither threads nor slow requests. So the server is written here, on std's sockets and `httparse`.

mod assets;
mod gate;
mod heap;
mod http;
mod pages;
mod server;

use super::browser;
use crate::args::GameArgs;
use crate::clock::{TimeControl, USUAL_TIME};
use crate::game::GameKind;
use crate::protocol::Defaults;
use anyhow::Context;
use clap::Args;
use gate::Gate;
use pages::{Pages, Terms};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, TcpListener};

/// The port where nobody names one and it is free, so that the browser finds its settings again.
const USUAL_PORT: u16 = 8361;

const EXAMPLES: &str = "\
Examples:
  tengen board --open
  tengen board --game reversi --port 8080
  tengen board --listen 192.168.1.5      for other machines, too: only where you trust the network

The address that is printed has a secret in it. Who knows it can play; nobody else can.";

/// Play in the browser, with hints, exact scores and reviews.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct BoardArgs {
    #[command(flatten)]
    game: GameArgs,
    /// The port [default: 8361, or any that is free]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// The address of this machine that others may reach
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Threads of the search, for each page
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: u32,
    /// Size of the tree in MiB, for each page
    #[arg(long, value_name = "MiB", default_value_t = 64)]
    memory: u32,
}

/// Serves the page until the process is ended.
///
/// # Errors
/// When the game cannot be played so, or the address cannot be listened on.
pub fn run(args: &BoardArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let terms = Terms {
        settings: vec![
            ("threads".to_owned(), args.threads.to_string()),
            ("memory".to_owned(), args.memory.to_string()),
        ],
        defaults: Defaults {
            setup: args.game.setup(GameKind::Gomoku)?,
            time: TimeControl::per_move(USUAL_TIME),
            playouts: None,
        },
    };
    terms.check()?;
    heap::give_back_at_once();
    let listener = listen(args)?;
    let address = listener.local_addr()?;
    let gate = Gate::new(address);
    let url = gate.url();
    writeln!(out, "{url}")?;
    out.flush()?;
    if args.open {
        browser::open(url.as_ref())
            .with_context(|| format!("no browser could be opened: go to {url}"))?;
    }
    server::serve(&listener, gate, Pages::new(terms))
}

fn listen(args: &BoardArgs) -> anyhow::Result<TcpListener> {
    let bind = |port| TcpListener::bind((args.listen, port));
    let listener = match args.port {
        Some(port) => bind(port),
        None => bind(USUAL_PORT).or_else(|_| bind(0)),
    };
    listener.with_context(|| format!("cannot listen on {}", args.listen))
}
