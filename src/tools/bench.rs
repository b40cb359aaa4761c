//! `tengen bench`: the fingerprint of the search, and its speed.
//!
//! Fixed positions of all games are searched with a fixed number of playouts, one thread and
//! seed 0. The sum of the nodes made is the same on every machine; it changes only when the
//! search behaves otherwise. Where a game has a learned evaluation, the time of one is told, too.

use crate::bots::BOTS;
use crate::clock::{self, TimeControl};
use crate::game::gomoku::Gomoku;
use crate::game::reversi::Reversi;
use crate::game::{Connect4Rules, Game, GameKind, Move, Moves, Playable, Point, Rule, Setup};
use crate::knowledge::gomoku::{GomokuKnowledge, Trace};
use crate::knowledge::reversi::ReversiKnowledge;
use crate::knowledge::{self, Evaluation, Expansion, Judged, Knowledge, Leaf};
use crate::rollout::Random;
use crate::search::Report;
use crate::simd::Isa;
use anyhow::Context;
use clap::Args;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use std::io::Write;

/// Playouts for every position.
const PLAYOUTS: u64 = 20_000;

/// Search fixed positions: the fingerprint of the search, and its speed.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// The instructions that rollouts are made with, instead of the fastest: avx512, avx2 or
    /// portable. The nodes are the same with all of them.
    #[arg(long, value_name = "ISA")]
    simd: Option<String>,
}

struct Position {
    setup: Setup,
    moves: &'static str,
}

fn positions() -> Vec<Position> {
    let gomoku = Setup::standard(GameKind::Gomoku);
    let connect4 = Setup::standard(GameKind::Connect4);
    let reversi = Setup::standard(GameKind::Reversi);
    let hole = Some(Point { col: 3, row: 4 });
    let exact = Rule::Exact;
    let position = |setup, moves| Position { setup, moves };
    vec![
        position(gomoku, ""),
        position(gomoku, "h8 i9 h9 h10 i8 g8 j8"),
        position(gomoku.with_size(20, 20).with(exact), "j10 k11 k10"),
        position(reversi, ""),
        position(reversi, "f5d6c3d3c4f4"),
        position(connect4, ""),
        position(connect4, "44435"),
        position(
            connect4.with_size(9, 10).with(Connect4Rules {
                hole,
                ..Connect4Rules::default()
            }),
            "5,5,4,6",
        ),
    ]
}

/// Writes a line for every position, a line for every game, and the fingerprint.
///
/// # Errors
/// When `out` cannot be written, or the processor lacks the instructions asked for.
pub fn run(args: &BenchArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(name) = &args.simd {
        let all = Isa::all();
        let known: Vec<&str> = all.iter().map(|isa| isa.name()).collect();
        let isa = all.iter().find(|isa| isa.name() == name);
        let isa =
            isa.with_context(|| format!("no instructions {name:?} here: {}", known.join(" or ")))?;
        anyhow::ensure!(isa.choose(), "rollouts have been made before");
    }
    let mut reports = Vec::new();
    for Position { setup, moves } in positions() {
        let tengen = &BOTS[0];
        // Solvers would answer before the search begins.
        let mut options = tengen.options(setup.game());
        options.search.solve_root = false;
        let unlimited = TimeControl::default();
        let playouts = Some(PLAYOUTS);
        let report = super::think_once(tengen, &setup, moves, options, unlimited, playouts)?;
        writeln!(
            out,
            "{:<9} {:>5} {:<24} {:>7} nodes {:>9.0} pps",
            setup.game().name(),
            format!("{}x{}", setup.cols, setup.rows),
            moves,
            report.nodes,
            report.playouts_per_second(),
        )?;
        reports.push((setup.game(), report));
    }
    writeln!(out)?;
    for game in GameKind::ALL {
        let of_game = reports.iter().filter(|(of, _)| *of == game);
        let (_, pps) = total(of_game.map(|(_, report)| report));
        let time = time_of_evaluation(game);
        let time = time.map_or(String::new(), |ns| format!("  {ns:.1} ns an evaluation"));
        writeln!(out, "{:<9} {pps:>9.0} pps{time}", game.name())?;
    }
    let (nodes, pps) = total(reports.iter().map(|(_, report)| report));
    writeln!(out, "\nBench: {nodes} nodes {pps:.0} pps")?;
    Ok(())
}

/// Nanoseconds of one learned evaluation. The same few positions come again and again, so that all it reads
/// is near, which it is not in a search.
fn time_of_evaluation(game: GameKind) -> Option<f64> {
    match game {
        GameKind::Reversi => time_of_child(),
        GameKind::Gomoku => time_of_leaf(),
        GameKind::Connect4 => None,
    }
}

/// Nanoseconds that a child in Reversi takes, all children of a position being judged together, in the
/// positions of a random game.
fn time_of_child() -> Option<f64> {
    let knowledge = ReversiKnowledge::own()?;
    let mut position = Reversi::new(&Setup::standard(GameKind::Reversi)).ok()?;
    let mut random = Random::seed_from_u64(0);
    let mut positions = Vec::new();
    while position.outcome().is_none() {
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        let chosen = *moves.choose(&mut random)?;
        positions.push((position.clone(), moves));
        position.play(chosen);
    }
    let children: usize = positions.iter().map(|(_, moves)| moves.len()).sum();
    let mut judged = Judged::default();
    let mut context = context(&mut random);
    let seconds = least_seconds(|| {
        for (position, moves) in &positions {
            knowledge.evaluate_children(position, &mut (), moves, &mut context, &mut judged);
            std::hint::black_box(&judged);
        }
    });
    Some(seconds * 1e9 / children as f64)
}

/// Nanoseconds that a leaf in Gomoku takes, with the way down to it: the likely moves at every ply of a
/// game of the likeliest ones.
fn time_of_leaf() -> Option<f64> {
    const CHILDREN: usize = 8;
    let setup = Setup::standard(GameKind::Gomoku);
    let knowledge = GomokuKnowledge::new(setup.rule(), 0);
    let mut position = Gomoku::new(&setup).ok()?;
    let mut begun = Trace::default();
    knowledge.begin(&mut begun, &position);
    let mut trace = begun.clone();
    let mut expansion = Expansion::default();
    let mut way: Vec<(Move, Gomoku)> = Vec::new();
    let mut leaves = Vec::new();
    while position.outcome().is_none() {
        knowledge.expand(&position, &mut trace, &mut expansion);
        for &mv in expansion.moves.iter().take(CHILDREN) {
            let mut leaf = position.clone();
            leaf.play(mv);
            if leaf.outcome().is_none() {
                leaves.push((way.len(), mv, leaf));
            }
        }
        let &mv = expansion.moves.first()?;
        position.play(mv);
        knowledge.follow(&mut trace, &position, mv);
        way.push((mv, position.clone()));
    }
    let mut random = Random::seed_from_u64(0);
    let mut context = context(&mut random);
    let mut judged = [Evaluation::value(0.5)];
    let seconds = least_seconds(|| {
        for (depth, mv, position) in &leaves {
            trace.clone_from(&begun);
            for (mv, after) in way.iter().take(*depth) {
                knowledge.follow(&mut trace, after, *mv);
            }
            knowledge.follow(&mut trace, position, *mv);
            let trace = &mut trace;
            knowledge.evaluate(&mut [Leaf { position, trace }], &mut context, &mut judged);
            std::hint::black_box(&judged);
        }
    });
    Some(seconds * 1e9 / leaves.len() as f64)
}

fn context(random: &mut Random) -> knowledge::Context<'_> {
    knowledge::Context {
        isa: Isa::current(),
        rollouts: 0,
        random,
    }
}

/// The seconds that `work` takes, in the best of several rounds.
fn least_seconds(mut work: impl FnMut()) -> f64 {
    const ROUNDS: usize = 20;
    const TIMES: u32 = 50;
    let rounds = (0..ROUNDS).map(|_| {
        let begun = clock::now();
        (0..TIMES).for_each(|_| work());
        (clock::now() - begun).as_secs_f64()
    });
    rounds.fold(f64::INFINITY, f64::min) / f64::from(TIMES)
}

/// The nodes of several searches, and their playouts a second taken together.
fn total<'a>(reports: impl Iterator<Item = &'a Report>) -> (u64, f64) {
    let sum = |(nodes, playouts, seconds), report: &Report| {
        let seconds: f64 = seconds;
        let more = report.elapsed.as_secs_f64();
        (
            nodes + report.nodes,
            playouts + report.playouts,
            seconds + more,
        )
    };
    let (nodes, playouts, seconds) = reports.fold((0, 0, 0.0), sum);
    (nodes, playouts as f64 / seconds.max(1e-6))
}
