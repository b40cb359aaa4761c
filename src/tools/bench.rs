//! `tengen bench`: the fingerprint of the search, and its speed.
//!
//! Fixed positions of all games are searched with a fixed number of playouts, one thread and
//! seed 0. The sum of the nodes made is the same on every machine; it changes only when the
//! search behaves otherwise. Where a game has a learned evaluation, the time of one is told, too.

use crate::bots::BOTS;
use crate::clock::{self, TimeControl};
use crate::game::reversi::Reversi;
use crate::game::{Connect4Rules, Game, GameKind, Moves, Playable, Point, Rule, Setup};
use crate::knowledge::reversi::ReversiKnowledge;
use crate::knowledge::{self, Judged, Knowledge};
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
        let isa = Isa::all().into_iter().find(|isa| isa.name() == name);
        let isa = isa.with_context(|| format!("this processor cannot run {name:?}"))?;
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

/// Nanoseconds of one learned evaluation of a child, all children of a position being judged together,
/// in the positions of a random game. The least of several rounds.
fn time_of_evaluation(game: GameKind) -> Option<f64> {
    const ROUNDS: usize = 20;
    const TIMES: u32 = 50;
    let knowledge = ReversiKnowledge::own().filter(|_| game == GameKind::Reversi)?;
    let mut position = Reversi::new(&Setup::standard(game)).ok()?;
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
    let mut context = knowledge::Context {
        isa: Isa::current(),
        rollouts: 0,
        random: &mut random,
    };
    let rounds = (0..ROUNDS).map(|_| {
        let begun = clock::now();
        for (position, moves) in (0..TIMES).flat_map(|_| &positions) {
            knowledge.evaluate_children(position, &mut (), moves, &mut context, &mut judged);
            std::hint::black_box(&judged);
        }
        (clock::now() - begun).as_secs_f64()
    });
    let least = rounds.fold(f64::INFINITY, f64::min);
    Some(least * 1e9 / f64::from(TIMES) / children as f64)
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
