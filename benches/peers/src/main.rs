//! How fast Tengen's search is, beside other crates for Monte Carlo tree search.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml` prints, for Connect Four,
//! Reversi and Gomoku, how many iterations a second of processor time each of them makes, and how
//! many times as many Tengen makes. An iteration goes down the tree, gives a leaf children, plays
//! one uniform rollout to the end of the game and backs its result up. All search the opening
//! position on one thread, each for about a second, in turn, five times over; the medians are
//! printed. Tengen judges leaves one by one or all new children of a node at once, an iteration
//! each, and gives a node children at its second visit or only after eight; what it makes with
//! several rollouts a leaf is printed below.
//! `cargo run --release --manifest-path benches/peers/Cargo.toml -- NAME` times the games whose
//! name contains NAME.
//!
//! The others play by Tengen's own rules of the game ([`rules`]), so that only search and rollout
//! differ; Connect Four also on the bits of `board-game`, which are faster. Tengen plays as its
//! bot `uct`, which knows nothing of a game but its rules and proves nothing. Time goes from the
//! position to the answer, with all memory asked for in it; freeing the tree is left out.

mod peers;
mod rules;

use rules::Position;
use std::any::Any;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tengen::bots;
use tengen::clock;
use tengen::game::connect4::Connect4;
use tengen::game::gomoku::Gomoku;
use tengen::game::reversi::Reversi;
use tengen::game::{GameKind, Playable, Setup};
use tengen::knowledge::{Context, Evaluation, Knowledge, Leaf, NoKnowledge};
use tengen::options::{Judge, Memory, SearchOptions};
use tengen::rollout::Rollout;
use tengen::search::{Limits, NODE_BYTES, Search, StopFlag};

/// Times in turn; the median counts.
const ROUNDS: usize = 5;

/// What a search should take.
const SPAN: Duration = Duration::from_secs(1);

/// Bytes of Tengen's tree: more than it fills in that time.
const MEMORY: u64 = 6 << 30;

/// The ways to search; the first four make one rollout from each leaf.
const WAYS: [Way; 6] = [
    Way::new("leaf by leaf", false, 1, 1),
    Way::new("siblings at once", true, 1, 1),
    Way::new("leaf by leaf, children after 8", false, 8, 1),
    Way::new("siblings at once, after 8", true, 8, 1),
    Way::new("8 rollouts from a leaf", false, 1, 8),
    Way::new("16 rollouts from a leaf", false, 1, 16),
];

/// Options of Tengen's search.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    siblings: bool,
    expand_visits: u32,
    rollouts: u32,
}

impl Way {
    const fn new(name: &'static str, siblings: bool, expand_visits: u32, rollouts: u32) -> Way {
        Way {
            name,
            siblings,
            expand_visits,
            rollouts,
        }
    }
}

/// A search, as it stands when its time has been taken.
struct Made {
    iterations: u64,
    rollouts: u64,
    /// Room ran out, so that the tree stopped growing.
    full: bool,
    /// What is still to be freed.
    _tree: Box<dyn Any>,
}

impl Made {
    /// `iterations` with one rollout each.
    fn of(iterations: u64, tree: impl Any) -> Made {
        Made {
            iterations,
            rollouts: iterations,
            full: false,
            _tree: Box::new(tree),
        }
    }
}

/// Makes a search of so many iterations.
type Make = Box<dyn Fn(u64) -> Made>;

/// The processor time of all threads, which other programs do not add to.
#[cfg(target_os = "linux")]
fn time() -> Duration {
    clock::processor_time_of(std::process::id()).unwrap_or_default()
}

/// Elsewhere the time of the day has to do.
#[cfg(not(target_os = "linux"))]
fn time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGUN: LazyLock<Instant> = LazyLock::new(clock::now);
    clock::now() - *BEGUN
}

/// What Tengen's bot `uct` knows, which is nothing, and a count of its rollouts.
struct Counted(Arc<AtomicU64>);

impl<G: Rollout> Knowledge<G> for Counted {
    type Trace = ();

    fn evaluate(
        &self,
        leaves: &mut [Leaf<'_, G, ()>],
        context: &mut Context<'_>,
        out: &mut [Evaluation],
    ) {
        // One thread alone: a locked addition would only cost time.
        let rollouts = u64::from(context.rollouts) * leaves.len() as u64;
        let made = self.0.load(Ordering::Relaxed) + rollouts;
        self.0.store(made, Ordering::Relaxed);
        NoKnowledge.evaluate(leaves, context, out);
    }
}

/// Searches of a position in this way.
fn tengen<G: Playable + Rollout>(position: &G, way: Way) -> Make {
    let position = position.clone();
    let bot = bots::BOTS.iter().find(|bot| bot.name == "uct");
    let options = SearchOptions {
        judge: if way.siblings {
            Judge::Siblings
        } else {
            Judge::Leaf
        },
        expand_visits: way.expand_visits,
        rollouts: way.rollouts,
        memory: Memory::Bytes(MEMORY),
        ..bot
            .expect("a bot of this name")
            .options(position.setup().game())
            .search
    };
    Box::new(move |iterations| {
        let rollouts = Arc::new(AtomicU64::new(0));
        let knowledge = Counted(Arc::clone(&rollouts));
        let mut search = Search::new(position.clone(), knowledge, options.clone());
        let limits = Limits::playouts(clock::now(), iterations);
        let report = search.run(&limits, &StopFlag::new(), &mut |_| {});
        Made {
            iterations: report.playouts,
            rollouts: rollouts.load(Ordering::Relaxed),
            full: (report.nodes + report.nodes / 50) * NODE_BYTES as u64 > MEMORY,
            _tree: Box::new(search),
        }
    })
}

/// One line of the table.
struct Row {
    name: String,
    make: Make,
    /// Iterations that take about as long as they should.
    iterations: u64,
    /// Iterations and rollouts a second.
    rates: Vec<[f64; 2]>,
    full: bool,
}

impl Row {
    fn new((name, make): (String, Make)) -> Row {
        let mut iterations = 1000;
        let span = loop {
            let span = taken(&make, iterations).0;
            if span >= SPAN / 4 {
                break span;
            }
            iterations *= 2;
        };
        let scale = SPAN.as_secs_f64() / span.as_secs_f64();
        Row {
            name,
            make,
            iterations: (iterations as f64 * scale) as u64,
            rates: Vec::new(),
            full: false,
        }
    }

    fn time(&mut self) {
        let (span, made) = taken(&self.make, self.iterations);
        let rate = |count| count as f64 / span.as_secs_f64();
        self.rates
            .push([rate(made.iterations), rate(made.rollouts)]);
        self.full |= made.full;
    }

    fn median(&self, of: usize) -> f64 {
        let mut rates: Vec<f64> = self.rates.iter().map(|rates| rates[of]).collect();
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    }

    fn iterations(&self) -> f64 {
        self.median(0)
    }

    fn rollouts(&self) -> f64 {
        self.median(1)
    }
}

/// The time of a search. Its tree is not freed yet.
fn taken(make: &Make, iterations: u64) -> (Duration, Made) {
    let begun = time();
    let made = make(iterations);
    (time() - begun, made)
}

/// Times a game.
fn compare<G: Playable + Rollout>(name: &str, setup: &Setup, others: Vec<(String, Make)>) {
    let position = Position::<G>::new(setup);
    let ours = WAYS.map(|way| (way.name.to_owned(), tengen(position.game(), way)));
    let mut ours = ours.map(Row::new);
    let others = peers::by_the_rules(&position).into_iter().chain(others);
    let mut others: Vec<Row> = others.map(Row::new).collect();
    for _ in 0..ROUNDS {
        for row in ours.iter_mut().chain(&mut others) {
            row.time();
        }
    }
    let one_rollout = &ours[..4];
    println!("\n{name:<39} iterations/s   tengen to it, in the four ways");
    for row in one_rollout {
        let name = format!("tengen, {}", row.name);
        println!("  {name:<37} {:>12.0}", row.iterations());
    }
    for row in &others {
        let rate = row.iterations();
        print!("  {:<37} {rate:>12.0}      ", row.name);
        for ours in one_rollout {
            print!(" {:>8.2}", ours.iterations() / rate);
        }
        println!();
    }
    let fastest = others.iter().map(Row::iterations).fold(0.0, f64::max);
    println!("tengen beside the fastest of the others   rollouts/s          ratio");
    for row in &ours {
        let rate = row.rollouts();
        let ratio = rate / fastest;
        let full = if row.full {
            "   (its tree was full)"
        } else {
            ""
        };
        println!("  {:<37} {rate:>12.0} {ratio:>14.2}{full}", row.name);
    }
}

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let [connect4, reversi, gomoku] =
        [GameKind::Connect4, GameKind::Reversi, GameKind::Gomoku].map(Setup::standard);
    let name = "connect4 7x6";
    if name.contains(&wanted) {
        compare::<Connect4>(name, &connect4, peers::on_bits());
    }
    let name = "reversi";
    if name.contains(&wanted) {
        compare::<Reversi>(name, &reversi, Vec::new());
    }
    let name = "gomoku 15x15";
    if name.contains(&wanted) {
        compare::<Gomoku>(name, &gomoku, Vec::new());
    }
    ExitCode::SUCCESS
}
