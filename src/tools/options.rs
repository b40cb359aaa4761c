//! `tengen options`: the table of options, with each game's defaults.

use crate::bots::BOTS;
use crate::game::GameKind;
use crate::options::{OptionInfo, Options, TABLE};
use std::io::Write;

/// Writes the options and the bots that they can be set for.
///
/// # Errors
/// When `out` cannot be written.
pub fn run(out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "Options, set with --set NAME=VALUE. Defaults are those of the bot tengen.\n"
    )?;
    for row in TABLE {
        writeln!(out, "{}={}", row.name, defaults(row))?;
        writeln!(out, "    {}", row.help)?;
        let unit = match row.unit {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        writeln!(out, "    {}{unit}", row.range())?;
    }
    writeln!(out, "\nBots, named with --bot NAME.\n")?;
    for alike in BOTS.chunk_by(|one, next| one.help == next.help) {
        let bot = &alike[0];
        let last = alike.iter().skip(1).next_back();
        let last = last.map_or_else(String::new, |last| format!(" to {}", last.name));
        let games: Vec<_> = bot.games.iter().map(|game| game.name()).collect();
        let games = games.join(", ");
        writeln!(out, "{}{last}  ({games})\n    {}", bot.name, bot.help)?;
        let set = deviations(&bot.options(bot.games[0]));
        if bot.games.len() == 1 && !set.is_empty() {
            writeln!(out, "    {}", set.join(" "))?;
        }
    }
    Ok(())
}

/// The value of an option for Tengen: one, or one for each game.
fn defaults(row: &OptionInfo) -> String {
    let of_game = |game| row.value(&BOTS[0].options(game));
    let values = GameKind::ALL.map(of_game);
    if values.iter().all(|value| *value == values[0]) {
        return values[0].clone();
    }
    let named = GameKind::ALL.iter().zip(&values);
    let named: Vec<_> = named
        .map(|(game, value)| format!("{value} ({game})"))
        .collect();
    named.join(", ")
}

/// What a preset sets otherwise than the default.
fn deviations(options: &Options) -> Vec<String> {
    let default = Options::default();
    let rows = TABLE
        .iter()
        .filter(|row| row.value(options) != row.value(&default));
    rows.map(|row| format!("{}={}", row.name, row.value(options)))
        .collect()
}
