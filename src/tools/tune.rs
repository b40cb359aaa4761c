//! `tengen tune`: learns in which order Connect Four's solver tries the moves when it is asked who
//! wins.
//!
//! Weights are changed by chance, and a change is kept if the solver then takes fewer nodes: a race
//! over positions, which a bad change loses soon. What counts is the mean logarithm of the nodes,
//! so that no position outweighs the others. No chance but that of the seed is in it, whatever the
//! number of threads.

use crate::arena::records::replacement::{Replacement, has_content};
use crate::game::connect4::Connect4;
use crate::game::{Game, GameKind, Moves, Playable, Setup};
use crate::knowledge::Effort;
use crate::knowledge::connect4::solver::Solver;
use crate::knowledge::connect4::solver::order::Weights;
use crate::learn::selfplay;
use crate::rollout::Random;
use anyhow::{Context, bail, ensure};
use clap::Args;
use rand::{RngExt, SeedableRng};
use std::fs;
use std::io::Write;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Example: tengen tune connect4 --seed 1 --tries 2000 --threads 2 --out 7x6.order

The weights are for 7x6. It begins with the order of other boards and tells every change that it
keeps, with the mean logarithm of the nodes. FILE always has the weights so far, and 2,000 tries
take some ten minutes with two threads. Nothing is gained by more.";

/// Learn the order in which Connect Four's solver tries moves.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct TuneArgs {
    /// connect4
    #[arg(value_name = "GAME")]
    game: GameKind,
    /// Seed of the positions and of the changes
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Positions of the race
    #[arg(long, value_name = "N", default_value = "300", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    positions: u32,
    /// Changes tried
    #[arg(long, value_name = "N", default_value = "2000")]
    tries: u64,
    /// Threads, each with positions of its own
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Where to write the weights
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Learns the weights and writes them. Progress goes to `out`.
///
/// # Errors
/// When there is no such order in that game, something cannot be written, or the weights would replace
/// what are none.
pub fn run(args: &TuneArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    if args.game != GameKind::Connect4 {
        bail!("only Connect Four has an order to be learned");
    }
    check_out(&args.out)?;
    let mut random = Random::seed_from_u64(args.seed);
    let positions: Vec<Connect4> = (0..args.positions).map(|_| draw(&mut random)).collect();
    let mut tuner = Tuner {
        known: vec![None; positions.len()],
        positions,
        weights: Weights::untrained(),
        threads: args.threads,
    };
    for number in 0..=args.tries {
        if number == 0 || tuner.try_change(&mut random) {
            writeln!(out, "{number}: {:.4}", tuner.mean())?;
            out.flush()?;
            let text = format!("{}\n{}", title(args, number), tuner.weights);
            Replacement::write(&args.out, text.as_bytes())?;
        }
    }
    Ok(())
}

/// Earlier weights may be replaced, and nothing else. A file that cannot be written is told before
/// the positions are drawn.
fn check_out(out: &Path) -> anyhow::Result<()> {
    let name = out.display();
    if has_content(out) {
        let bytes = fs::read(out).with_context(|| format!("cannot read {name}"))?;
        let text = String::from_utf8_lossy(&bytes);
        ensure!(
            Weights::read(&text).is_some(),
            "{name} is no order, so that none is written over it"
        );
    }
    Replacement::check(out)
}

/// Says how the weights came about.
fn title(args: &TuneArgs, tries: u64) -> String {
    format!(
        "# tengen tune connect4 --seed {} --positions {} --tries {tries}",
        args.seed, args.positions
    )
}

/// A random position that takes the untrained solver neither few nodes nor many.
fn draw(random: &mut Random) -> Connect4 {
    /// The opening book ends with 11 stones, its appendix knows but some positions with 12, and with
    /// fewer free cells the solver is soon done. (A guess.)
    const STONES: RangeInclusive<u32> = 12..=15;
    /// Enough for the order to matter, and few enough for thousands of tries. (A guess.)
    const NODES: Range<u64> = 30_000..300_000;
    loop {
        let stones = random.random_range(STONES);
        let drawn = play_out(stones, random);
        let cost =
            drawn.map(|position| (nodes(&position, &Weights::untrained(), NODES.end), position));
        match cost {
            Some((nodes, position)) if NODES.contains(&nodes) => return position,
            _ => {}
        }
    }
}

/// The position after so many random moves. `None`: the game was over.
fn play_out(stones: u32, random: &mut Random) -> Option<Connect4> {
    let mut position = Connect4::new(&Setup::standard(GameKind::Connect4)).ok()?;
    for _ in 0..stones {
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        position.play(moves[random.random_range(0..moves.len())]);
        if position.outcome().is_some() {
            return None;
        }
    }
    Some(position)
}

/// The nodes that a solver which knows nothing yet takes to tell who wins, `most` at the most.
fn nodes(position: &Connect4, weights: &Weights, most: u64) -> u64 {
    let effort = Effort {
        nodes: most,
        expired: &|| false,
    };
    let solver = Solver::new(&position.setup(), 8 << 20, 1).with_weights(weights);
    // Even where they were not enough, the nodes are what counts.
    let _ = solver.value(position, &effort);
    solver.nodes()
}

struct Tuner {
    positions: Vec<Connect4>,
    weights: Weights,
    /// The cost of each position with these weights, where it is known.
    known: Vec<Option<f64>>,
    threads: u32,
}

impl Tuner {
    /// Changes the weights by chance, and keeps that if it wins the race.
    fn try_change(&mut self, random: &mut Random) -> bool {
        /// Positions between two looks at the race.
        const BLOCK: usize = 30;
        let varied = self.weights.varied(random);
        let count = self.positions.len();
        let first = random.random_range(0..count);
        let numbers: Vec<usize> = (first..first + count)
            .map(|number| number % count)
            .collect();
        let mut costs = Vec::with_capacity(count);
        let mut race = Race::default();
        for block in numbers.chunks(BLOCK) {
            self.learn(block);
            for (&number, cost) in block.iter().zip(self.costs(block, &varied)) {
                costs.push((number, cost));
                race.add(cost - self.known[number].unwrap_or(cost));
            }
            match race.standing() {
                Standing::Lost => return false,
                Standing::Won => break,
                Standing::Open => {}
            }
        }
        self.weights = varied;
        self.known.fill(None);
        for (number, cost) in costs {
            self.known[number] = Some(cost);
        }
        true
    }

    /// The mean cost of all positions.
    fn mean(&mut self) -> f64 {
        let all: Vec<usize> = (0..self.positions.len()).collect();
        self.learn(&all);
        self.known.iter().flatten().sum::<f64>() / all.len() as f64
    }

    /// Sees to it that the costs of these positions are known.
    fn learn(&mut self, numbers: &[usize]) {
        let unknown = numbers.iter().copied();
        let unknown: Vec<usize> = unknown.filter(|&it| self.known[it].is_none()).collect();
        let costs = self.costs(&unknown, &self.weights);
        for (number, cost) in unknown.into_iter().zip(costs) {
            self.known[number] = Some(cost);
        }
    }

    /// The costs of these positions: logarithms of nodes.
    fn costs(&self, numbers: &[usize], weights: &Weights) -> Vec<f64> {
        const MOST_NODES: u64 = 4_000_000;
        selfplay::for_each(self.threads as usize, 0..numbers.len() as u64, |place| {
            let position = &self.positions[numbers[place as usize]];
            let nodes = nodes(position, weights, MOST_NODES);
            (nodes.max(1) as f64).ln()
        })
    }
}

/// What the costs of the positions so far say of a change.
#[derive(Default)]
struct Race {
    count: f64,
    sum: f64,
    squares: f64,
}

enum Standing {
    Open,
    Lost,
    Won,
}

impl Race {
    /// How much more a position costs after the change.
    fn add(&mut self, difference: f64) {
        self.count += 1.0;
        self.sum += difference;
        self.squares += difference * difference;
    }

    /// A change must be ahead at every look, and has won when chance is ruled out. (The bounds
    /// are guesses.)
    fn standing(&self) -> Standing {
        const AHEAD: f64 = -0.3;
        const CERTAIN: f64 = -3.0;
        const ENOUGH: f64 = 100.0;
        let mean = self.sum / self.count;
        let variance = self.squares / self.count - mean * mean;
        let error = (variance / self.count).sqrt().max(f64::MIN_POSITIVE);
        match mean / error {
            z if z > AHEAD => Standing::Lost,
            z if z < CERTAIN && self.count >= ENOUGH => Standing::Won,
            _ => Standing::Open,
        }
    }
}
