//! The manager's side of the Gomocup protocol: Gomoku only.

use super::{Choice, Dialect, Fault, Reply, Told, Turn, Wire};
use crate::arena::Terms;
use crate::arena::engines::process::Line;
use crate::arena::records::record::Termination;
use crate::clock::{self, TimeControl};
use crate::game::{Action, AnyGame, Point, Rule, Setup};
use crate::protocol::gomocup::{COMMANDS, read_summary};
use std::time::Instant;

/// The memory that Gomocup grants an engine, in bytes: 350 MiB.
const MAX_MEMORY: u64 = 350 << 20;

/// `time_left` of a game without a limit, in ms.
const NO_LIMIT: u128 = i32::MAX as u128;

/// A manager that speaks the Gomocup protocol.
pub struct Gomocup {
    setup: Setup,
    time: TimeControl,
    playouts: Option<u64>,
    /// How many moves of the game the engine knows, its own included.
    known: usize,
    /// `INFO` lines since the last answer, which an engine may still say that it does not know.
    informed: usize,
}

impl Gomocup {
    /// Under these terms.
    #[must_use]
    pub fn new(terms: &Terms) -> Gomocup {
        Gomocup {
            setup: terms.setup,
            time: terms.time,
            playouts: terms.playouts,
            known: 0,
            informed: 0,
        }
    }

    /// Puts the question: by the shortest command that tells what the engine does not know.
    /// Returns its first line.
    fn put(&self, wire: &Wire<'_>, game: &dyn AnyGame) -> String {
        let history = game.history();
        let question = match (history.last(), history.len().saturating_sub(self.known)) {
            (None, _) => "BEGIN".to_owned(),
            (Some(&last), 1) => format!("TURN {}", write_point(last)),
            _ => "BOARD".to_owned(),
        };
        wire.send(&question);
        if question == "BOARD" {
            for (ply, &action) in history.iter().enumerate() {
                let own = (history.len() - ply).is_multiple_of(2);
                wire.send(&format!(
                    "{},{}",
                    write_point(action),
                    if own { 1 } else { 2 }
                ));
            }
            wire.send("DONE");
        }
        question
    }
}

impl Gomocup {
    /// A time of 0 for a turn would mean to play at once, and 0 for a match means no limit.
    /// The increment is known to Yixin and Tengen, and the most nodes to Yixin too; the others
    /// pass over what they do not know.
    fn tell_limits(&mut self, wire: &Wire<'_>) {
        let turn = self.time.per_move.or(self.time.left);
        let turn = turn.unwrap_or(Terms::UNTIMED).as_millis();
        let game = self.time.left.map_or(0, |time| time.as_millis());
        self.inform(wire, &format!("timeout_turn {turn}"));
        self.inform(wire, &format!("timeout_match {game}"));
        self.inform(wire, &format!("time_left {}", left(&self.time)));
        if !self.time.increment.is_zero() {
            let increment = self.time.increment.as_millis();
            self.inform(wire, &format!("time_increment {increment}"));
        }
        if let Some(playouts) = self.playouts {
            self.inform(wire, &format!("max_node {playouts}"));
        }
    }

    fn inform(&mut self, wire: &Wire<'_>, text: &str) {
        wire.send(&format!("INFO {text}"));
        self.informed += 1;
    }

    /// The next line that is not for people, and what those before it told, if they are of
    /// Tengen's own form.
    fn answer(
        &mut self,
        wire: &Wire<'_>,
        question: &str,
        asked: Instant,
        deadline: Instant,
    ) -> Result<(Line, Told), Fault> {
        let mut told = Told::default();
        let mut unknown = None;
        loop {
            let line = wire.next(asked, deadline);
            let line = line.map_err(|fault| explain(fault, question, unknown.as_deref()))?;
            let word = line.text.split_whitespace().next().unwrap_or_default();
            match word.to_ascii_uppercase().as_str() {
                "MESSAGE" => {
                    if let Some(summary) = read_summary(&line.text) {
                        told.value = Some(summary.value);
                        told.playouts = Some(summary.playouts);
                        told.depth = Some(summary.depth);
                    }
                }
                "" | "DEBUG" | "SUGGEST" => {}
                "UNKNOWN" if self.is_about_info(&line.text, question) => unknown = Some(line.text),
                "ERROR" | "UNKNOWN" => return Err(Fault::nonsense(question, &line.text)),
                _ => {
                    self.informed = 0;
                    return Ok((line, told));
                }
            }
        }
    }

    /// Whether this `UNKNOWN` may be about an `INFO` line that was sent before the question: there
    /// is one that was not answered, and the text does not name the question and nothing else.
    fn is_about_info(&mut self, text: &str, question: &str) -> bool {
        let may_be = self.informed > 0 && !names_alone(text, question);
        self.informed = self.informed.saturating_sub(1);
        may_be
    }
}

impl Dialect for Gomocup {
    fn new_game(&mut self, wire: &Wire<'_>) -> Result<(), Fault> {
        self.known = 0;
        let Setup { cols, rows, .. } = self.setup;
        let start = if cols == rows {
            format!("START {cols}")
        } else {
            format!("RECTSTART {cols},{rows}")
        };
        let asked = clock::now();
        wire.send(&start);
        let (answer, _) = self.answer(wire, &start, asked, wire.soon())?;
        if !is_ok(&answer.text) {
            return Err(Fault::nonsense(&start, &answer.text));
        }
        let rule = match self.setup.rule() {
            Rule::Freestyle => 0,
            Rule::Exact => 1,
            Rule::Renju => 4,
            Rule::Caro => 8,
            Rule::ExactCaro => 9,
        };
        self.inform(wire, &format!("rule {rule}"));
        self.tell_limits(wire);
        self.inform(wire, &format!("max_memory {MAX_MEMORY}"));
        Ok(())
    }

    fn ask(&mut self, wire: &Wire<'_>, turn: &Turn<'_>) -> Result<Reply, Fault> {
        let asked = clock::now();
        if self.time.left.is_some() {
            self.inform(wire, &format!("time_left {}", left(&turn.own_time())));
        }
        let question = self.put(wire, turn.game);
        let (answer, told) = self.answer(wire, &question, asked, turn.deadline)?;
        self.known = turn.game.history().len() + 1;
        Ok(Reply {
            choice: Choice::Move(read_point(&answer.text, &question)?),
            told,
            arrived: answer.arrived,
        })
    }

    fn farewell(&self) -> &'static str {
        "END"
    }
}

/// `OK`, and what it may be followed by: `OK - everything is good` is the document's own example.
#[must_use]
pub fn is_ok(answer: &str) -> bool {
    let word = answer.split_whitespace().next().unwrap_or_default();
    word.eq_ignore_ascii_case("OK")
}

/// What is left for the game, in ms.
fn left(time: &TimeControl) -> u128 {
    time.left.map_or(NO_LIMIT, |left| left.as_millis())
}

/// An engine that hangs may have said that it did not know the question: that was then taken for an
/// answer to an `INFO` line.
fn explain(fault: Fault, question: &str, unknown: Option<&str>) -> Fault {
    match unknown {
        Some(text) if fault.termination == Termination::Hang => Fault {
            detail: format!("no move, but {}", Fault::nonsense(question, text).detail),
            ..fault
        },
        _ => fault,
    }
}

/// Whether the command of the question is the one command that this text names.
fn names_alone(text: &str, question: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !is_part(c)).map(str::to_ascii_uppercase);
    let mut commands = words.filter(|word| COMMANDS.contains(&word.as_str()));
    let command = question.split(' ').next().unwrap_or_default();
    commands.next().is_some_and(|word| word == command) && commands.all(|word| word == command)
}

fn write_point(action: Action) -> String {
    match action {
        Action::Point(Point { col, row }) => format!("{col},{row}"),
        // Gomoku has no other moves, and no other game is played by this protocol.
        Action::Column(_) | Action::Pass | Action::Steal => String::new(),
    }
}

/// Two numbers that cannot be a cell are an illegal move; anything else is no move at all.
fn read_point(text: &str, question: &str) -> Result<Action, Fault> {
    let numbers = text.split_once(',').and_then(|(col, row)| {
        Some((
            col.trim().parse::<i64>().ok()?,
            row.trim().parse::<i64>().ok()?,
        ))
    });
    let (col, row) = numbers.ok_or_else(|| Fault::nonsense(question, text))?;
    match (u8::try_from(col), u8::try_from(row)) {
        (Ok(col), Ok(row)) => Ok(Action::point(col, row)),
        _ => Err(Fault::new(
            Termination::Illegal,
            format!("played {col},{row}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_command_is_told_by_its_name() {
        for text in ["UNKNOWN TURN", "UNKNOWN command: 'turn 7,7'"] {
            assert!(names_alone(text, "TURN 7,7"), "{text}");
        }
        for text in [
            "UNKNOWN",
            "UNKNOWN command",
            "UNKNOWN command: INFO timeout_turn 5000",
            "UNKNOWN INFO, known are START, BEGIN and TURN",
            "UNKNOWN TURN, INFO",
        ] {
            assert!(!names_alone(text, "TURN 7,7"), "{text}");
        }
    }

    #[test]
    fn what_follows_ok_is_for_people() {
        for answer in ["OK", "ok ", "OK - everything is good"] {
            assert!(is_ok(answer), "{answer}");
        }
        for answer in ["", "OKAY", "ERROR size", "not OK"] {
            assert!(!is_ok(answer), "{answer}");
        }
    }

    #[test]
    fn points_are_told_from_nonsense() {
        assert_eq!(read_point("7,8", "BEGIN"), Ok(Action::point(7, 8)));
        assert_eq!(read_point(" 7 , 8 ", "BEGIN"), Ok(Action::point(7, 8)));
        let kind = |text| read_point(text, "BEGIN").unwrap_err().termination;
        assert_eq!(kind("-1,300"), Termination::Illegal);
        for text in ["", "OK", "7", "7,8,9", "7;8", "h8"] {
            assert_eq!(kind(text), Termination::Protocol, "{text}");
        }
    }
}
