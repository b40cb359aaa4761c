//! The tables of a report as Markdown, for a README or an issue.

use super::summary::{Event, PairingRow, Player, Tables};
use std::fmt::Write;

/// The characters of plain text that mean something in Markdown.
const SPECIAL: &str = r"\`*_[]<>|#~&@";

/// For each event its cross table, a table of its pairings, and what the faults were.
#[must_use]
pub fn render(tables: &Tables) -> String {
    let mut text = String::new();
    for (index, event) in tables.events.iter().enumerate() {
        let pairings = tables.pairings.iter();
        let own: Vec<_> = pairings.filter(|pairing| pairing.event == index).collect();
        // Writing to a String does not fail.
        let _ = write_event(&mut text, event, &own);
    }
    text
}

fn write_event(text: &mut String, event: &Event, pairings: &[&PairingRow]) -> std::fmt::Result {
    if !text.is_empty() {
        text.push('\n');
    }
    writeln!(text, "### {}\n", plain(&event.title))?;
    if !event.players.is_empty() {
        write_cross_table(text, &event.players)?;
        writeln!(text)?;
    }
    write_pairings(text, pairings)?;
    let faults: Vec<_> = pairings.iter().flat_map(|it| &it.faults).collect();
    if !faults.is_empty() {
        writeln!(text)?;
    }
    for fault in faults {
        writeln!(text, "- {}", plain(fault))?;
    }
    Ok(())
}

/// With ratings where there are more than two players: of two the pairing's Elo says it better.
fn write_cross_table(text: &mut String, players: &[Player]) -> std::fmt::Result {
    let rated = players.len() > 2;
    let elo = if rated { " Elo |" } else { "" };
    write!(text, "| | engine |{elo} points | score |")?;
    for place in 1..=players.len() {
        write!(text, " {place} |")?;
    }
    let columns = "--:|".repeat(2 + usize::from(rated) + players.len());
    writeln!(text, "\n|--:|---|{columns}")?;
    for (place, player) in (1..).zip(players) {
        let name = plain(&player.name);
        write!(text, "| {place} | {name} |")?;
        if rated {
            let [elo, _, high] = player.elo;
            write!(text, " {elo:+.0} ± {:.0} |", high - elo)?;
        }
        let points = out_of(player.points, player.games);
        let share = 100.0 * player.points / player.games;
        write!(text, " {points} | {share:.1} % |")?;
        for cell in &player.cells {
            let cell = cell.map(|(points, games)| out_of(points, games));
            write!(text, " {} |", cell.unwrap_or_default())?;
        }
        writeln!(text)?;
    }
    Ok(())
}

fn write_pairings(text: &mut String, pairings: &[&PairingRow]) -> std::fmt::Result {
    writeln!(
        text,
        "| engines | games | W-D-L | score | Elo [95 %] | mean ms | max ms | faults |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|"
    )?;
    for pairing in pairings {
        let [one, other] = pairing.engines.each_ref().map(|name| plain(name));
        let (wins, draws, losses) = (pairing.wins, pairing.draws, pairing.losses);
        let time = |kind: usize| {
            let [one, other] = pairing
                .times
                .map(|times| times.map_or_else(|| "-".to_owned(), |ms| format!("{:.1}", ms[kind])));
            format!("{one} / {other}")
        };
        let [faults, other_faults] = pairing.fault_counts;
        writeln!(
            text,
            "| {one} - {other} | {} | {wins}-{draws}-{losses} | {:.1} % | {} | {} | {} | {faults} / {other_faults} |",
            wins + draws + losses,
            100.0 * pairing.score[0],
            plain(&pairing.elo_text),
            time(0),
            time(1),
        )?;
    }
    Ok(())
}

fn out_of(points: f64, games: f64) -> String {
    format!("{points}/{games}")
}

/// Text that Markdown shows as it is, on one line.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        if SPECIAL.contains(c) {
            plain.push('\\');
        }
        plain.push(if c.is_control() { ' ' } else { c });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_can_leave_its_cell() {
        assert_eq!(plain("a|b\n<i>`x`"), r"a\|b \<i\>\`x\`");
    }
}
