//! `tengen analyze`: searches a position and ranks its moves.

mod exact;

use super::{Sitting, read_game};
use crate::args::{GameArgs, LimitArgs, PlayerArgs};
use crate::bots::{BOTS, Start};
use crate::game::{Setup, drawing, notation};
use crate::knowledge::{Proof, ProofResult};
use crate::search::{MoveReport, Report};
use clap::Args;
use exact::{Scores, score};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  tengen analyze --game gomoku --moves 'h8 i9 h9' --time 2000
  tengen analyze --game reversi --moves f5d6c3 --playouts 100000 --json
  tengen analyze --game connect4 --moves 4,4,3 --time 500
  tengen analyze --file game.sgf --ply 20
  tengen analyze --game connect4 --size 4x4 --board '.... .... .XO. OXXO X'

Where the position is proven, every line is led to its end, and in Connect Four every move has its
score as solve prints it, for the side to move.

Moves: h8 in Gomoku (row 1 at the bottom), f5 in Reversi (row 1 at the top), the column from 1
in Connect Four. --board takes what solve reads as a board. A --rule goes before that of the --file, and
whatever else is asked of the game must be as in the file.";

/// Search a position and rank its moves.
#[derive(Args, Debug)]
#[command(
    after_long_help = EXAMPLES,
    after_help = "Examples: see --help",
    mut_arg("game", |arg| arg.help("gomoku, reversi or connect4 [default: gomoku, or what the --bot plays]"))
)]
pub struct AnalyzeArgs {
    #[command(flatten)]
    game: GameArgs,
    /// The moves played so far; forced passes may be left out
    #[arg(long, default_value = "", hide_default_value = true)]
    moves: String,
    /// The cells row by row from the top, X, O or ., and the side to move, in place of --moves
    #[arg(
        long,
        value_name = "CELLS",
        allow_hyphen_values = true,
        conflicts_with = "moves"
    )]
    board: Option<String>,
    /// A game of SGF, PSQ, GGF or PGN in place of --game and --moves
    #[arg(long, value_name = "FILE", conflicts_with_all = ["moves", "board", "game"])]
    file: Option<PathBuf>,
    /// The position after so many plies of the file [default: its last]
    #[arg(long, value_name = "N", requires = "file", conflicts_with = "moves")]
    ply: Option<usize>,
    #[command(flatten)]
    player: PlayerArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Write one JSON object
    #[arg(long)]
    json: bool,
}

/// Writes the position and its moves, best first.
///
/// # Errors
/// When the game or the moves cannot be played, or `out` cannot be written.
pub fn run(args: &AnalyzeArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let bot = args.player.bot()?;
    let file = args.file.as_deref();
    let file = file.map(|path| read_game(path, &args.game)).transpose()?;
    let setup = match &file {
        Some(file) => file.setup,
        None => args.game.setup(bot.games[0])?,
    };
    let mut options = bot.options(setup.game());
    for (name, value) in args.player.settings() {
        options.set(&name, &value)?;
    }
    let mut sitting = match (&file, &args.board) {
        (Some(file), _) => Sitting::at_file(bot, file, args.ply, options)?,
        (None, Some(board)) => {
            let (stones, to_move) = drawing::read(&setup, board)?;
            let start = Start::Stones {
                setup,
                stones,
                to_move,
            };
            Sitting::begin(bot, &start, options)?
        }
        (None, None) => Sitting::new(bot, &setup, &args.moves, options)?,
    };
    let mut report = sitting.think(args.limits.time(), args.limits.playouts())?;
    // The reference bots are taken at their word.
    let scores = match bot.name == BOTS[0].name {
        true => exact::complete(&mut report, &mut sitting)?,
        false => Scores::new(),
    };
    if args.json {
        writeln!(out, "{}", json(&setup, &report, &scores))?;
    } else {
        write!(out, "{}", sitting.game().diagram())?;
        write_table(&setup, &report, &scores, out)?;
    }
    Ok(())
}

fn write_table(
    setup: &Setup,
    report: &Report,
    scores: &Scores,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let Some(best) = report.best else {
        writeln!(out, "the game is over")?;
        return Ok(());
    };
    let proof = report.proof.map(|proof| format!(", {}", proof_text(proof)));
    writeln!(
        out,
        "best {}{}  {} playouts, {:.0} a second, {} visits, {} nodes, depth {}, {} ms",
        notation::write(setup, best),
        proof.unwrap_or_default(),
        report.playouts,
        report.playouts_per_second(),
        report.visits,
        report.nodes,
        report.depth,
        report.elapsed.as_millis(),
    )?;
    writeln!(
        out,
        "{:>5} {:>10} {:>6} {:>8} {:>5}  pv",
        "move", "visits", "mean", "proof", "score"
    )?;
    for mv in report.known_moves() {
        writeln!(
            out,
            "{:>5} {:>10} {:>6.3} {:>8} {:>5}  {}",
            notation::write(setup, mv.action),
            mv.visits,
            mv.mean,
            mv.proof.map(proof_text).unwrap_or_default(),
            score(scores, mv.action)
                .map(|it| it.to_string())
                .unwrap_or_default(),
            line(setup, mv).join(" "),
        )?;
    }
    Ok(())
}

fn json(setup: &Setup, report: &Report, scores: &Scores) -> Value {
    let moves: Vec<Value> = report
        .known_moves()
        .map(|mv| {
            let mut object = json!({
                "move": notation::write(setup, mv.action),
                "visits": mv.visits,
                "mean": mv.mean,
                "proof": mv.proof.map(proof_text),
                "pv": line(setup, mv),
            });
            if let Some(score) = score(scores, mv.action) {
                object["score"] = score.into();
            }
            object
        })
        .collect();
    json!({
        "best": report.best.map(|best| notation::write(setup, best)),
        "value": report.value,
        "proof": report.proof.map(proof_text),
        "playouts": report.playouts,
        "playouts_per_second": report.playouts_per_second().round(),
        "visits": report.visits,
        "nodes": report.nodes,
        "depth": report.depth,
        "ms": report.elapsed.as_millis() as u64,
        "moves": moves,
    })
}

fn line(setup: &Setup, mv: &MoveReport) -> Vec<String> {
    let actions = mv.pv.iter();
    actions
        .map(|&action| notation::write(setup, action))
        .collect()
}

/// `win 5`: after five plies at the latest from the position analysed; `loss 4`: after four at the
/// soonest, and `loss` where nothing is known of when; or `draw`. In Reversi the plies are the squares
/// left, whatever passes there are.
fn proof_text(proof: Proof) -> String {
    match proof.result {
        ProofResult::Win => format!("win {}", proof.plies),
        ProofResult::Draw => "draw".to_owned(),
        ProofResult::Loss if proof.plies <= 1 => "loss".to_owned(),
        ProofResult::Loss => format!("loss {}", proof.plies),
    }
}
