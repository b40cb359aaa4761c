//! How fast the search is, and how evenly.
//!
//! `cargo bench --bench search` prints four tables. `cargo bench --bench search -- NAME` prints
//! those whose name contains NAME:
//!
//! - `rollouts`: leaves a second of processor time by the rollouts made from each, with plain UCT
//!   and with Tengen's own options.
//! - `threads`: playouts a second of real time with 1, 2, 4 … threads, and of as many searches of one
//!   thread each at the same time, which is what the machine has to give; in turn, medians of many
//!   trees. First as many playouts as one thread makes in a quarter of a second, then as much time
//!   each: a tree that has grown twice as large is deeper, and a playout in it takes longer.
//! - `full`: a minute at 20×20 in 256 MiB: playouts a second at the beginning and at the end, the
//!   longest time between two looks at the clock, and the most memory that was resident.
//! - `reroot`: how long a move takes in a tree of 50 million nodes.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and one that cannot go on stops"
)]

mod timing;

use std::fmt::{self, Display, Formatter};
use std::time::Duration;
use tengen::bots::Bot;
use tengen::clock::{self, Budget};
use tengen::game::connect4::Connect4;
use tengen::game::gomoku::Gomoku;
use tengen::game::reversi::Reversi;
use tengen::game::{Game, GameKind, Playable, Setup};
use tengen::knowledge::connect4::Connect4Knowledge;
use tengen::knowledge::gomoku::GomokuKnowledge;
use tengen::knowledge::reversi::ReversiKnowledge;
use tengen::knowledge::{Knowledge, NoKnowledge};
use tengen::options::{Memory, SearchOptions};
use tengen::rollout::Rollout;
use tengen::search::{Limits, NODE_BYTES, Report, Search, StopFlag};
use timing::{median, thread_time};

/// Times in turn; the median counts.
const ROUNDS: usize = 5;

/// The same where each time has its own seed. A tree that happens to be a third deeper than another
/// makes a third fewer playouts a second, which is more than what is measured.
const SEEDS: usize = 41;

const MIB: u64 = 1 << 20;

/// A way to search a game: makes the search, with these options.
type Make<'a> = Box<dyn Fn(SearchOptions) -> Box<dyn Run> + Sync + 'a>;

/// A search of any game.
trait Run {
    fn run(&mut self, limits: &Limits, on_info: &mut dyn FnMut(Report)) -> Report;
}

impl<G: Rollout, K: Knowledge<G>> Run for Search<G, K> {
    fn run(&mut self, limits: &Limits, on_info: &mut dyn FnMut(Report)) -> Report {
        Search::run(self, limits, &StopFlag::new(), on_info)
    }
}

/// The searches that are timed: name, options, and how to make one.
fn searches() -> Vec<(String, SearchOptions, Make<'static>)> {
    fn of<G: Playable + Rollout, K: Knowledge<G> + 'static>(
        bot: &str,
        game: GameKind,
        knowledge: fn(&Setup) -> K,
    ) -> (String, SearchOptions, Make<'static>) {
        let options = SearchOptions {
            solve_root: false,
            ..Bot::find(bot).expect("a bot").options(game).search
        };
        let make = move |options| -> Box<dyn Run> {
            let setup = Setup::standard(game);
            let position = G::new(&setup).expect("a setup of the game");
            Box::new(Search::new(position, knowledge(&setup), options))
        };
        (format!("{game} {bot}"), options, Box::new(make))
    }
    use GameKind::{Connect4 as C, Gomoku as G, Reversi as R};
    vec![
        of::<Connect4, _>("uct", C, |_| NoKnowledge),
        of::<Connect4, _>("tengen", C, |setup| Connect4Knowledge::new(setup, 0, 1)),
        of::<Reversi, _>("uct", R, |_| NoKnowledge),
        of::<Reversi, _>("tengen", R, |_| {
            ReversiKnowledge::own().expect("weights are a part of the program")
        }),
        of::<Gomoku, _>("uct", G, |_| NoKnowledge),
        of::<Gomoku, _>("tengen", G, |setup| GomokuKnowledge::new(setup.rule(), 0)),
    ]
}

/// A limit of time.
fn for_time(time: Duration) -> Limits {
    let budget = Budget {
        soft: time,
        hard: time,
    };
    Limits {
        budget: Some(budget),
        ..Limits::unlimited(clock::now())
    }
}

/// Times each of these ways to search in turn, and prints their medians beside the first. `rate`: of
/// a search in this way, in this round.
fn table<W: Copy + Display>(rounds: usize, ways: &[W], rate: impl Fn(W, usize) -> f64) {
    let mut rates = vec![Vec::new(); ways.len()];
    for round in 0..rounds {
        for (&way, rates) in ways.iter().zip(&mut rates) {
            rates.push(rate(way, round));
        }
    }
    let first = median(&rates[0]);
    for (way, rates) in ways.iter().zip(&rates) {
        let rate = median(rates);
        println!(
            "  {way:<12} {rate:>9.0} a second {:>6.2} times",
            rate / first
        );
    }
}

fn rollouts() {
    const LEAVES: u64 = 400_000;
    for (name, options, make) in searches() {
        println!("\n{name}, {LEAVES} leaves, by rollouts from each");
        table(ROUNDS, &[1, 4, 8, 16], |rollouts, _| {
            let mut search = make(SearchOptions {
                rollouts,
                memory: Memory::Bytes(512 * MIB),
                ..options.clone()
            });
            let begun = thread_time();
            let limits = Limits::playouts(clock::now(), LEAVES);
            let made = search.run(&limits, &mut |_| {}).playouts;
            made as f64 / (thread_time() - begun).as_secs_f64()
        });
    }
}

/// A number of searches at the same time, and the threads of each. One of the numbers is 1.
#[derive(Clone, Copy)]
struct AtOnce {
    searches: usize,
    threads: u32,
}

impl Display for AtOnce {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.searches, self.threads) {
            (1, 1) => f.pad("1 thread"),
            (1, threads) => f.pad(&format!("{threads} threads")),
            (searches, _) => f.pad(&format!("{searches} searches")),
        }
    }
}

impl AtOnce {
    /// One search of 1, 2, 4 … threads, and so many searches, as far as there are cores.
    fn all() -> Vec<AtOnce> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        let counts = (0..5).map(|n| 1 << n).take_while(|&n| n <= cores);
        let at_once = |searches, threads| AtOnce { searches, threads };
        counts
            .flat_map(|n| match n {
                1 => vec![at_once(1, 1)],
                n => vec![at_once(1, n), at_once(n as usize, 1)],
            })
            .collect()
    }

    /// Playouts a second of all together. `report`: of a search of so many threads with this seed.
    fn rate(self, seed: usize, report: &(impl Fn(u32, usize) -> Report + Sync)) -> f64 {
        let rate = |number| {
            let report = report(self.threads, self.searches * seed + number);
            report.playouts as f64 / report.elapsed.as_secs_f64()
        };
        std::thread::scope(|scope| {
            let others = (1..self.searches).map(|number| scope.spawn(move || rate(number)));
            let others: Vec<_> = others.collect();
            let others = others.into_iter().map(|other| other.join());
            rate(0) + others.map(|rate| rate.expect("a search")).sum::<f64>()
        })
    }
}

fn threads() {
    /// What a search of one thread should take.
    const SPAN: Duration = Duration::from_millis(250);
    /// More than a tree fills in that time: one that is full grows no more, which is faster.
    const AMPLE: u64 = 4 << 30;
    for (name, options, make) in searches() {
        let run = |threads, seed: usize, limits: &dyn Fn() -> Limits| {
            let mut search = make(SearchOptions {
                threads,
                seed: seed as u64,
                memory: Memory::Bytes(AMPLE),
                ..options.clone()
            });
            search.run(&limits(), &mut |_| {})
        };
        let timed = |threads, seed| run(threads, seed, &|| for_time(SPAN));
        let playouts = timed(1, 0).playouts;
        println!("\n{name}, {playouts} playouts");
        table(SEEDS, &AtOnce::all(), |at_once, seed| {
            at_once.rate(seed, &|threads, seed| {
                run(threads, seed, &|| Limits::playouts(clock::now(), playouts))
            })
        });
        println!("\n{name}, {} ms", SPAN.as_millis());
        table(SEEDS, &AtOnce::all(), |at_once, seed| {
            at_once.rate(seed, &timed)
        });
    }
}

fn full() {
    const MINUTE: Duration = Duration::from_secs(60);
    println!("\n60 s at 20x20 in 256 MiB");
    let setup = Setup::standard(GameKind::Gomoku).with_size(20, 20);
    for bot in ["uct", "tengen"] {
        let options = SearchOptions {
            // The rest of the process has some MiB, too.
            memory: Memory::Bytes(248 * MIB),
            ..Bot::find(bot)
                .expect("a bot")
                .options(GameKind::Gomoku)
                .search
        };
        let position = Gomoku::new(&setup).expect("a setup of the game");
        let mut search: Box<dyn Run> = match bot {
            "uct" => Box::new(Search::new(position, NoKnowledge, options)),
            _ => Box::new(Search::new(
                position,
                GomokuKnowledge::new(setup.rule(), 0),
                options,
            )),
        };
        let limits = Limits {
            report_every: Some(Duration::from_millis(1)),
            ..for_time(MINUTE)
        };
        // The processor time at every look, for the machine may be busy with other things, too.
        let mut looks: Vec<(Duration, u64)> = Vec::new();
        let report = search.run(&limits, &mut |report| {
            looks.push((thread_time(), report.playouts));
        });
        let gaps = looks.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let sixth = looks.len() / 6;
        let (early, late) = (rate(&looks[..sixth]), rate(&looks[looks.len() - sixth..]));
        println!(
            "  {bot:<8} {early:>9.0} a second at first, {late:>9.0} at last ({:.2}), longest gap {:.1} ms, {} MiB resident, {} MiB of nodes",
            late / early,
            1000.0 * gaps.max().unwrap_or_default().as_secs_f64(),
            peak_memory() / MIB,
            report.nodes * NODE_BYTES as u64 / MIB,
        );
    }
}

/// Playouts a second between the first look and the last.
fn rate(looks: &[(Duration, u64)]) -> f64 {
    match looks {
        [first, .., last] => (last.1 - first.1) as f64 / (last.0 - first.0).as_secs_f64(),
        _ => 0.0,
    }
}

/// The most bytes that were resident; 0 where the system does not tell.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|number| number.parse::<u64>().ok())
        .unwrap_or(0)
        << 10
}

fn reroot() {
    const NODES: u64 = 50_000_000;
    println!("\na move in a tree of {NODES} nodes");
    let options = SearchOptions {
        memory: Memory::Bytes(1024 * MIB),
        ..Bot::find("uct")
            .expect("a bot")
            .options(GameKind::Gomoku)
            .search
    };
    let position = Gomoku::new(&Setup::standard(GameKind::Gomoku)).expect("a setup of the game");
    let mut search = Search::new(position, NoKnowledge, options);
    let mut report = Report::default();
    while report.nodes < NODES {
        let limits = Limits::playouts(clock::now(), 100_000);
        report = search.run(&limits, &StopFlag::new(), &mut |_| {});
    }
    for _ in 0..3 {
        let best = report.best.expect("a move");
        let mv = search.position().parse_action(best).expect("a legal move");
        let begun = clock::now();
        search.advance(mv);
        let taken = clock::now() - begun;
        println!(
            "  {} nodes: {:.4} ms",
            report.nodes,
            1000.0 * taken.as_secs_f64()
        );
        let limits = Limits::playouts(clock::now(), 1);
        report = search.run(&limits, &StopFlag::new(), &mut |_| {});
    }
}

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let tables: [(&str, fn()); 4] = [
        ("rollouts", rollouts),
        ("threads", threads),
        ("full", full),
        ("reroot", reroot),
    ];
    for (name, print) in tables {
        if wanted
            .as_ref()
            .is_none_or(|part| name.contains(part.as_str()))
        {
            print();
        }
    }
}
