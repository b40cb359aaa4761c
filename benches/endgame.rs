//! How fast Reversi's endgame solver is.
//!
//! `cargo bench --bench endgame` prints, for the positions FFO 40 to 49, the empty squares, the
//! score, the nodes of the last round and the seconds of the median round, with one thread and with
//! two. The seconds of one thread are its processor time, those of several are by the clock.
//! `-- 40` times only that position, `-- 40-44` a range, `--threads 1` only one thread;
//! `--rounds 3` solves each three times, always from nothing.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and one that cannot go on stops"
)]

mod ffo;
mod timing;

use ffo::FFO;
use std::ops::RangeInclusive;
use std::process::ExitCode;
use tengen::clock;
use tengen::game::reversi::Reversi;
use tengen::game::{GameKind, Setup, drawing};
use tengen::knowledge::Effort;
use tengen::knowledge::reversi::endgame::{Board, Solver};
use timing::{median, thread_time};

/// The number of the first position.
const FIRST: usize = 40;

/// Bytes of the solver's table.
const BYTES: usize = 64 << 20;

/// What was measured of a position.
struct Measured {
    score: Option<i32>,
    nodes: u64,
    seconds: f64,
}

/// Solves a position from nothing.
fn solve(board: Board, threads: u32) -> Measured {
    let solver = Solver::new(BYTES, threads).with_own_judge();
    let begun = (thread_time(), clock::now());
    let score = solver.score(board, &Effort::UNLIMITED);
    let spent = match threads {
        1 => thread_time() - begun.0,
        _ => clock::now() - begun.1,
    };
    Measured {
        score,
        nodes: solver.nodes(),
        seconds: spent.as_secs_f64(),
    }
}

/// Solves the positions with these numbers, and prints how. Whether all scores are right.
fn solve_all(numbers: RangeInclusive<usize>, threads: u32, rounds: usize) -> bool {
    println!("{threads} threads");
    println!("FFO  empty  score        nodes  seconds  Mnodes/s");
    let mut sum = (0, 0.0);
    let mut is_right = true;
    let reversi = Setup::standard(GameKind::Reversi);
    for number in numbers {
        let found = FFO.get(number.wrapping_sub(FIRST));
        let &(text, expected, _) = found.expect("a position from 40 to 49");
        let position: Reversi = drawing::position(&reversi, text).expect("a position");
        let board = Board::from(&position);
        let all: Vec<_> = (0..rounds).map(|_| solve(board, threads)).collect();
        let seconds: Vec<_> = all.iter().map(|it| it.seconds).collect();
        let seconds = median(&seconds);
        let nodes = all.last().map_or(0, |it| it.nodes);
        let right = all.iter().all(|it| it.score == Some(expected));
        let empty = board.empty().count_ones();
        let wrong = if right { "" } else { "  wrong" };
        print_row(
            &format!("{number:3}  {empty:5}  {expected:+5}"),
            nodes,
            seconds,
            wrong,
        );
        sum = (sum.0 + nodes, sum.1 + seconds);
        is_right &= right;
    }
    print_row("sum              ", sum.0, sum.1, "");
    is_right
}

fn print_row(name: &str, nodes: u64, seconds: f64, verdict: &str) {
    let rate = nodes as f64 / seconds / 1e6;
    println!("{name}  {nodes:11}  {seconds:7.3}  {rate:8.1}{verdict}");
}

fn parse(range: &str) -> Option<RangeInclusive<usize>> {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    Some(first.parse().ok()?..=last.parse().ok()?)
}

fn main() -> ExitCode {
    let mut wanted = FIRST..=FIRST + FFO.len() - 1;
    let mut threads = vec![1, 2];
    let mut rounds = 1;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next()?.parse().ok();
        match argument.as_str() {
            "--bench" => {}
            "--threads" => threads = vec![number().expect("--threads takes a number")],
            "--rounds" => rounds = number().expect("--rounds takes a number") as usize,
            range => wanted = parse(range).expect("a position or a range, as 40 or 40-44"),
        }
    }
    let all_right = threads
        .into_iter()
        .map(|threads| solve_all(wanted.clone(), threads, rounds.max(1)))
        .fold(true, |all, right| all & right);
    if all_right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
