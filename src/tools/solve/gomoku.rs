//! Lines of Gomoku: the moves played, bare or as a game record.

use super::{Lines, SolveArgs, follow};
use crate::game::gomoku::Gomoku;
use crate::game::{Action, Game, Playable, Point, Setup, notation};
use crate::knowledge::Effort;
use crate::knowledge::gomoku::patterns::Patterns;
use crate::knowledge::gomoku::threats::Threats;
use anyhow::{anyhow, bail};
use std::sync::{Mutex, PoisonError};

/// Looks for wins by threats in positions given as the moves played.
pub struct Records {
    start: Gomoku,
    threats: Mutex<Threats>,
}

impl Records {
    /// For a game that can be played so.
    ///
    /// # Errors
    /// When it cannot, or more is asked than a win.
    pub fn new(setup: &Setup, args: &SolveArgs) -> anyhow::Result<Records> {
        if args.all || args.wld {
            bail!(
                "in Gomoku only wins by threats are looked for: --all and --wld are for other games"
            );
        }
        // The time of the first line is for its position.
        Patterns::prepare(setup.rule());
        Ok(Records {
            start: Gomoku::new(setup)?,
            threats: Mutex::new(Threats::with_bytes(args.bytes())),
        })
    }

    /// The position that a line stands for, in which the game goes on.
    fn position(&self, line: &str) -> anyhow::Result<Gomoku> {
        let setup = self.start.setup();
        let actions = if line.trim_start().starts_with("(;") {
            sgf_moves(line).ok_or_else(|| anyhow!("the record has a move that is no point"))?
        } else {
            notation::parse_list(&setup, line)
                .map_err(|text| anyhow!("{text:?} is no point of this board"))?
        };
        follow(&self.start, actions, |_, text| {
            format!("{text} is not legal")
        })
    }
}

impl Lines for Records {
    fn answer(&self, line: &str, effort: &Effort<'_>) -> anyhow::Result<String> {
        let position = self.position(line)?;
        let mut threats = self.threats.lock().unwrap_or_else(PoisonError::into_inner);
        let mut board = Patterns::of(&position);
        let win = threats.solve(&mut board, position.side_to_move(), effort);
        let Some(win) = win else {
            return Ok("unknown".to_owned());
        };
        let setup = position.setup();
        let text = |&mv| format!(" {}", notation::write(&setup, position.action(mv)));
        let moves: String = win.line.iter().map(text).collect();
        Ok(format!("win {}{moves}", win.plies))
    }

    /// Most positions have no win by threats, and to see that takes longer than anybody waits.
    fn patience(&self) -> Option<u64> {
        Some(10_000)
    }

    fn nodes(&self) -> u64 {
        let threats = self.threats.lock().unwrap_or_else(PoisonError::into_inner);
        threats.nodes()
    }
}

/// The moves of a record in SGF, variations and all other properties left out: `B[hh]` and `W[ih]`.
/// `None` if one of them is no point.
fn sgf_moves(record: &str) -> Option<Vec<Action>> {
    let mut moves = Vec::new();
    // The first line of play ends where a variation does.
    let main_line = record.split(')').next().unwrap_or_default();
    for node in main_line.split(';').skip(1) {
        let node = node.trim_start();
        let Some(point) = node.strip_prefix("B[").or_else(|| node.strip_prefix("W[")) else {
            continue;
        };
        let [col, row] = *point.as_bytes().first_chunk()?;
        let number = |letter: u8| letter.checked_sub(b'a').filter(|&number| number < 26);
        moves.push(Action::Point(Point {
            col: number(col)?,
            row: number(row)?,
        }));
    }
    Some(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_line_of_a_record_is_read() {
        let record = "(;FF[4]GM[4]SZ[15]C[a;b];B[hh]C[x];W[ih](;B[hi];W[aa])(;B[bb]))";
        let points = [(7, 7), (8, 7), (7, 8), (0, 0)];
        let moves = points.map(|(col, row)| Action::Point(Point { col, row }));
        assert_eq!(sgf_moves(record), Some(moves.to_vec()));
        assert_eq!(sgf_moves("(;B[h"), None);
        assert_eq!(sgf_moves("(;B[+a])"), None);
    }
}
