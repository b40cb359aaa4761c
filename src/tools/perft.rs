//! `tengen perft`: counts move sequences.

use crate::args::GameArgs;
use crate::clock;
use crate::game::{GameKind, any};
use clap::Args;
use std::io::Write;

/// Count move sequences.
#[derive(Args, Debug)]
#[command(after_help = "Example: tengen perft --game reversi --depth 9")]
pub struct PerftArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Length of the sequences in plies
    #[arg(long, value_name = "N")]
    depth: u32,
}

/// Writes a line for every depth up to the one asked for.
///
/// # Errors
/// When the game cannot be played so, or `out` cannot be written.
pub fn run(args: &PerftArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let game = any::new_game(&args.game.setup(GameKind::Gomoku)?)?;
    for depth in 1..=args.depth {
        let begun = clock::now();
        let count = game.perft(depth);
        let seconds = clock::now().duration_since(begun).as_secs_f64();
        writeln!(out, "perft {depth} = {count}  ({seconds:.2} s)")?;
        out.flush()?;
    }
    Ok(())
}
