//! The board's side of NBoard's protocol, version 2: Reversi only.
//!
//! The engine is told the whole game as GGF before every move, with what is left on the clocks
//! where the time of the game is limited. There is no word for the time of a move: an engine
//! is told a depth, and its own command line has to see to it that it is in time.

use super::{Choice, Dialect, Fault, Reply, Told, Turn, Wire};
use crate::arena::Terms;
use crate::arena::engines::process::Line;
use crate::clock::{self, TimeControl};
use crate::game::ggf::{self, Record, RecordedMove};
use crate::game::{Setup, any};
use std::time::Duration;

/// As deep as a game is long: no limit. NTest (2018) then thinks without end, but a smaller depth
/// would weaken in silence those engines that keep their time.
const FULL_DEPTH: u32 = 60;

/// A board that speaks NBoard.
pub struct NBoard {
    setup: Setup,
    /// How deep the engine may search, in plies.
    depth: u32,
    /// Whether the engine was told that this is NBoard.
    greeted: bool,
    /// Questions for a sign of life so far.
    pings: u32,
}

impl NBoard {
    /// Under these terms. Without a depth, a limit of playouts is told as that for which it stands: 2 to
    /// the power of the depth, as in [`crate::protocol::nboard`].
    #[must_use]
    pub fn new(terms: &Terms) -> NBoard {
        let of_playouts = terms.playouts.map(|playouts| playouts.max(1).ilog2());
        let depth = terms.depth.or(of_playouts);
        NBoard {
            setup: terms.setup,
            depth: depth.map_or(FULL_DEPTH, |depth| depth.clamp(1, FULL_DEPTH)),
            greeted: false,
            pings: 0,
        }
    }

    fn ping(&mut self, wire: &Wire<'_>) -> Result<(), Fault> {
        self.pings += 1;
        let asked = clock::now();
        let deadline = wire.soon();
        wire.send(&format!("ping {}", self.pings));
        let expected = format!("pong {}", self.pings);
        while wire.next(asked, deadline)?.text.trim() != expected {}
        Ok(())
    }

    fn record(&self, turn: &Turn<'_>) -> Option<Record> {
        let mut game = any::new_game(&self.setup).ok()?;
        let stones = game.stones();
        let to_move = game.side_to_move();
        let mut moves = Vec::new();
        for &action in turn.game.history() {
            let side = game.side_to_move();
            moves.push(RecordedMove {
                side,
                action,
                elapsed: Duration::ZERO,
                value: None,
                comment: String::new(),
            });
            game.play(action).ok()?;
        }
        Some(Record {
            setup: self.setup,
            stones,
            to_move,
            clocks: turn.time.map(ggf_clock),
            moves,
        })
    }
}

fn ggf_clock(time: TimeControl) -> Option<ggf::GameTime> {
    let increment = time.increment;
    time.left.map(|time| ggf::GameTime { time, increment })
}

impl Dialect for NBoard {
    fn new_game(&mut self, wire: &Wire<'_>) -> Result<(), Fault> {
        if !self.greeted {
            wire.send("nboard 2");
            wire.send(&format!("set depth {}", self.depth));
            self.greeted = true;
        }
        self.ping(wire)
    }

    fn ask(&mut self, wire: &Wire<'_>, turn: &Turn<'_>) -> Result<Reply, Fault> {
        let asked = clock::now();
        if let Some(record) = self.record(turn) {
            wire.send(&format!("set game {record}"));
        }
        wire.send("go");
        let mut told = Told::default();
        loop {
            let Line { text, arrived } = wire.next(asked, turn.deadline)?;
            if let Some(answer) = text.strip_prefix("===") {
                // Edax parts the value from the move by a space.
                let word = answer.split_whitespace().next().unwrap_or_default();
                let choice = ggf::read_move(&self.setup, word);
                let (action, _) = choice.ok_or_else(|| Fault::nonsense("go", &text))?;
                return Ok(Reply {
                    choice: Choice::Move(action),
                    told,
                    arrived,
                });
            }
            read_information(&text, &mut told);
        }
    }

    fn farewell(&self) -> &'static str {
        "quit"
    }
}

/// What a line says for sure: the nodes, and a proven result. What other values are worth
/// every engine knows for itself.
fn read_information(line: &str, told: &mut Told) {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["nodestats", nodes, ..] => told.playouts = nodes.parse().ok(),
        ["search", _, value, _, depth, ..] => {
            told.depth = depth.parse().ok();
            let proven = depth.starts_with("100%");
            let value = value.parse().ok().filter(|_| proven);
            told.value = value.map(|discs: f64| match discs {
                0.0 => 0.5,
                discs if discs > 0.0 => 1.0,
                _ => 0.0,
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Action, GameKind};

    #[test]
    fn only_what_is_sure_is_taken_from_information() {
        let read = |lines: &[&str]| Told::of_lines(lines, read_information);
        // The first line is from the protocol's document, the others from protocol.md.
        assert_eq!(read(&["nodestats 35805 0.00"]), (None, Some(35805)));
        assert_eq!(read(&["search F6E6 3.84 0 2 1200 playouts"]), (None, None));
        assert_eq!(
            read(&["search F5 64.00 0 100%W 0 playouts"]),
            (Some(1.0), None)
        );
        assert_eq!(
            read(&["search F5 -2 0 100%", "nodestats x 1"]),
            (Some(0.0), None)
        );
        assert_eq!(read(&["search F5 0.00 0 100%W"]), (Some(0.5), None));
        assert_eq!(
            read(&["", "search", "nodestats", "status Edax is thinking"]),
            (None, None)
        );
    }

    #[test]
    fn the_game_is_told_with_its_clocks() {
        let setup = Setup::standard(GameKind::Reversi);
        let terms = Terms {
            playouts: Some(1500),
            ..Terms::new(setup)
        };
        let nboard = NBoard::new(&terms);
        assert_eq!(nboard.depth, 10);
        let mut game = any::new_game(&setup).unwrap();
        game.play(Action::point(5, 4)).unwrap();
        let left = |seconds| TimeControl {
            left: Some(Duration::from_secs(seconds)),
            ..TimeControl::default()
        };
        let turn = Turn {
            game: &*game,
            time: [left(61), left(300)],
            deadline: clock::now(),
        };
        let record = nboard.record(&turn).unwrap();
        let read = ggf::read(&record.to_string()).unwrap();
        assert_eq!(read, record);
        assert_eq!(read.replay().unwrap().key(), game.key());
        assert_eq!(NBoard::new(&Terms::new(setup)).depth, FULL_DEPTH);
    }
}
