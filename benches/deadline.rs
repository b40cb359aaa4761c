//! How late the worst answer is: two engines at once, 50 ms a move, both cores busy.
//!
//! `cargo bench --bench deadline` starts two engines that play Gomoku against their own
//! reflection, 200 moves each, and prints the slowest answers, measured from the line written
//! to the line read; then by the rule of caro, whose leaves take longest. An answer is late after 50 ms;
//! one late answer fails the benchmark.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const ENGINES: usize = 2;
const MOVES: usize = 200;
const RULES: [&str; 2] = ["freestyle", "caro"];
const LIMIT: Duration = Duration::from_millis(50);

type Failure = Box<dyn Error + Send + Sync>;

struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(rule: &str) -> Result<Engine, Failure> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(["--protocol", "gomocup", "--size", "15x15", "--rule", rule])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("no standard input")?;
        let output = child.stdout.take().ok_or("no standard output")?;
        let output = BufReader::new(output);
        Ok(Engine {
            child,
            input,
            output,
        })
    }

    /// The first line of the answer that is no message, and how long it took to come.
    fn ask(&mut self, line: &str) -> Result<(String, Duration), Failure> {
        let begun = clock();
        writeln!(self.input, "{line}")?;
        loop {
            let mut answer = String::new();
            if self.output.read_line(&mut answer)? == 0 {
                return Err("the engine is gone".into());
            }
            if !answer.starts_with("MESSAGE") {
                return Ok((answer.trim().to_owned(), begun.elapsed()));
            }
        }
    }

    /// Plays the first moves of games until `MOVES` answers are timed.
    fn time_moves(mut self) -> Result<Vec<Duration>, Failure> {
        let mut times = Vec::new();
        writeln!(self.input, "INFO timeout_turn {}", LIMIT.as_millis())?;
        while times.len() < MOVES {
            self.ask("START 15")?;
            let mut board = vec![false; 225];
            let (mut answer, mut time) = self.ask("BEGIN")?;
            for _ in 0..20 {
                times.push(time);
                take(&mut board, &answer)?;
                let free = board.iter().position(|taken| !taken).ok_or("full board")?;
                let reply = format!("{},{}", free % 15, free / 15);
                take(&mut board, &reply)?;
                (answer, time) = self.ask(&format!("TURN {reply}"))?;
                if answer.starts_with("ERROR") {
                    break;
                }
            }
        }
        writeln!(self.input, "END")?;
        self.child.wait()?;
        times.truncate(MOVES);
        Ok(times)
    }
}

fn take(board: &mut [bool], point: &str) -> Result<(), Failure> {
    let (col, row) = point
        .split_once(',')
        .ok_or_else(|| format!("no move: {point}"))?;
    let cell = row.parse::<usize>()? * 15 + col.parse::<usize>()?;
    *board.get_mut(cell).ok_or("off the board")? = true;
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock itself"
)]
fn clock() -> Instant {
    Instant::now()
}

fn main() -> Result<ExitCode, Failure> {
    let mut late = 0;
    for rule in RULES {
        late += measure(rule)?;
    }
    Ok(if late == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Prints how long the answers take by this rule. Returns how many are late.
#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn measure(rule: &'static str) -> Result<usize, Failure> {
    let engines: Vec<_> = (0..ENGINES)
        .map(|_| thread::spawn(move || Engine::start(rule)?.time_moves()))
        .collect();
    let mut times = Vec::new();
    for engine in engines {
        times.extend(engine.join().map_err(|_| "a player panicked")??);
    }
    times.sort();
    let ms = |time: &Duration| time.as_secs_f64() * 1e3;
    let late = times.iter().filter(|time| **time > LIMIT).count();
    let median = times.get(times.len() / 2).map_or(0.0, ms);
    let worst: Vec<String> = times
        .iter()
        .rev()
        .take(5)
        .map(|t| format!("{:.1}", ms(t)))
        .collect();
    println!(
        "{rule}: {} answers at {} ms: {late} late",
        times.len(),
        LIMIT.as_millis()
    );
    println!("median {median:.1} ms, slowest {} ms", worst.join(", "));
    Ok(late)
}
