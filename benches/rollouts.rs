//! How fast uniform rollouts are, beside naive code on arrays.
//!
//! `cargo bench --bench rollouts` prints, for every game, ISA and batch, the rollouts a second
//! of processor time on one core, how many times those of the naive code that is, and which
//! shares of the rollouts the first side won and nobody. All of one game are timed in turn,
//! seven times over; the medians are printed.
//! `cargo bench --bench rollouts -- NAME` times the games whose name contains NAME.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and one that cannot go on stops"
)]

mod naive;
mod timing;

use rand::SeedableRng;
use std::process::ExitCode;
use std::time::Duration;
use tengen::game::connect4::Connect4;
use tengen::game::gomoku::Gomoku;
use tengen::game::reversi::Reversi;
use tengen::game::{Connect4Rules, GameKind, Outcome, Playable, Point, Rule, Setup};
use tengen::rollout::{Random, Rollout, Tally, naive_rollout};
use tengen::simd::Isa;
use timing::{median, thread_time};

/// Times in turn; the median counts.
const ROUNDS: usize = 7;

/// Each timing is repeated until it has taken so long.
const SPAN: Duration = Duration::from_millis(30);

/// Rollouts from one leaf: few and many.
const BATCHES: [u32; 5] = [1, 4, 8, 16, 1024];

/// Rollouts a second, of a function that makes some of them. All are added to `tally`.
fn rate(mut make: impl FnMut() -> Tally, tally: &mut Tally) -> f64 {
    let begun = thread_time();
    let mut made = 0_u64;
    loop {
        let more = make();
        made += u64::from(more.rollouts);
        *tally += more;
        let spent = thread_time() - begun;
        if spent >= SPAN {
            return made as f64 / spent.as_secs_f64();
        }
    }
}

/// One line of the table.
struct Row<'a> {
    name: String,
    make: Box<dyn FnMut() -> Tally + 'a>,
    rates: Vec<f64>,
    tally: Tally,
}

impl<'a> Row<'a> {
    fn new(name: String, make: impl FnMut() -> Tally + 'a) -> Row<'a> {
        let make = Box::new(make);
        Row {
            name,
            make,
            rates: Vec::new(),
            tally: Tally::default(),
        }
    }
}

/// Times a game. `naive` plays one game from the start on arrays.
fn time<G: Playable + Rollout>(name: &str, setup: &Setup, mut naive: impl FnMut() -> Outcome) {
    let position = G::new(setup).expect("a setup of the game");
    let random = || Random::seed_from_u64(1);
    let mut rules = random();
    let mut rows = vec![
        Row::new("naive, on arrays".to_owned(), move || one(naive())),
        Row::new("by the rules of the game".to_owned(), || {
            one(naive_rollout(&position, &mut rules).outcome)
        }),
    ];
    for isa in Isa::all() {
        for batch in BATCHES {
            let mut random = random();
            let position = &position;
            rows.push(Row::new(format!("{isa:?}, {batch} at a time"), move || {
                // Enough for reading the clock not to matter.
                let mut tally = Tally::default();
                for _ in 0..256 / batch.min(256) {
                    tally += position.rollouts_on(isa, batch, &mut random);
                }
                tally
            }));
        }
    }
    for _ in 0..ROUNDS {
        for row in &mut rows {
            row.rates.push(rate(&mut row.make, &mut row.tally));
        }
    }
    println!("\n{name}");
    let yardstick = median(&rows[0].rates);
    for row in &rows {
        let median = median(&row.rates);
        let share = |count| f64::from(count) / f64::from(row.tally.rollouts);
        let [first, second] = row.tally.wins;
        println!(
            "  {:<26} {:>9.0} a second {:>6.1} times   {:.4} won {:.4} drawn",
            row.name,
            median,
            median / yardstick,
            share(first),
            share(row.tally.rollouts - first - second),
        );
    }
}

/// The tally of one rollout.
fn one(outcome: Outcome) -> Tally {
    let mut tally = Tally::default();
    tally.add(outcome);
    tally
}

fn main() -> ExitCode {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let wanted = |name: &str| {
        wanted
            .as_ref()
            .is_none_or(|part| name.contains(part.as_str()))
    };
    let [gomoku, reversi, connect4] =
        [GameKind::Gomoku, GameKind::Reversi, GameKind::Connect4].map(Setup::standard);
    let hole = connect4.with_size(12, 12).with(Connect4Rules {
        hole: Some(Point { col: 5, row: 5 }),
        ..Connect4Rules::default()
    });
    let exact = gomoku.with(Rule::Exact);
    let mut random = naive::Random::new(1);
    if wanted("connect4") {
        time::<Connect4>("connect4 7x6", &connect4, || {
            naive::connect4(7, 6, None, &mut random)
        });
    }
    let mut random = naive::Random::new(1);
    if wanted("hole") {
        time::<Connect4>("connect4 12x12 with a hole", &hole, || {
            naive::connect4(12, 12, Some((5, 6)), &mut random)
        });
    }
    let mut random = naive::Random::new(1);
    if wanted("reversi") {
        time::<Reversi>("reversi", &reversi, || naive::reversi(&mut random));
    }
    for (name, setup) in [
        ("gomoku 15x15", gomoku),
        ("gomoku 20x20", gomoku.with_size(20, 20)),
        ("gomoku 15x15 exact", exact),
    ] {
        let mut random = naive::Random::new(1);
        let (size, exact) = (usize::from(setup.cols), setup.rule() == Rule::Exact);
        if wanted(name) {
            time::<Gomoku>(name, &setup, || naive::gomoku(size, exact, &mut random));
        }
    }
    ExitCode::SUCCESS
}
