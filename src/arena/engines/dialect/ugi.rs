//! The runner's side of UGI, for all games.
//!
//! Moves are written as [`crate::protocol::ugi`] says. The engine is told the whole game before
//! every move. Which game it is, its own command line has to say, and on which board, too, where it
//! has no options such as Tengen's for that ([`Setup::terms`]): UGI has no words for it.

use super::{Choice, Dialect, Fault, Reply, Told, Turn, Wire};
use crate::arena::Terms;
use crate::arena::engines::process::Line;
use crate::clock;
use crate::game::{AnyGame, Setup};
use crate::protocol::ugi::{read_move, write_move};
use std::collections::BTreeSet;
use std::time::Duration;

/// A runner that speaks UGI.
pub struct Ugi {
    setup: Setup,
    playouts: Option<u64>,
    depth: Option<u32>,
    /// Whether the engine has said who it is.
    greeted: bool,
}

impl Ugi {
    /// Under these terms.
    #[must_use]
    pub fn new(terms: &Terms) -> Ugi {
        Ugi {
            setup: terms.setup,
            playouts: terms.playouts,
            depth: terms.depth,
            greeted: false,
        }
    }

    fn position(&self, game: &dyn AnyGame) -> String {
        let mut line = "position startpos".to_owned();
        for (index, &action) in game.history().iter().enumerate() {
            line.push_str(if index == 0 { " moves " } else { " " });
            line.push_str(&write_move(&self.setup, action));
        }
        line
    }

    /// `go` with every limit that was agreed. UGI counts the time of a game for both sides.
    fn go(&self, turn: &Turn<'_>) -> String {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).ok();
        let left = |side: usize| turn.time[side].left.and_then(milliseconds);
        let increment = |side: usize| left(side).and(milliseconds(turn.time[side].increment));
        let limits = [
            ("p1time", left(0)),
            ("p2time", left(1)),
            ("p1inc", increment(0)),
            ("p2inc", increment(1)),
            ("movetime", turn.own_time().per_move.and_then(milliseconds)),
            ("nodes", self.playouts),
            ("depth", self.depth.map(u64::from)),
        ];
        let mut line = "go".to_owned();
        for (key, number) in limits {
            if let Some(number) = number {
                line.push_str(&format!(" {key} {number}"));
            }
        }
        if line == "go" {
            line.push_str(&format!(" movetime {}", Terms::UNTIMED.as_millis()));
        }
        line
    }
}

impl Dialect for Ugi {
    fn new_game(&mut self, wire: &Wire<'_>) -> Result<(), Fault> {
        if !self.greeted {
            let options = exchange(wire, "ugi", "ugiok")?;
            let terms = self.setup.terms().into_iter();
            for (name, value) in terms.filter(|(name, _)| options.contains(*name)) {
                wire.send(&format!("setoption name {name} value {value}"));
            }
            self.greeted = true;
        }
        wire.send("uginewgame");
        exchange(wire, "isready", "readyok").map(drop)
    }

    fn ask(&mut self, wire: &Wire<'_>, turn: &Turn<'_>) -> Result<Reply, Fault> {
        let asked = clock::now();
        let question = self.go(turn);
        wire.send(&self.position(turn.game));
        wire.send(&question);
        let mut told = Told::default();
        loop {
            let Line { text, arrived } = wire.next(asked, turn.deadline)?;
            let words: Vec<&str> = text.split_whitespace().collect();
            match words[..] {
                ["info", ref data @ ..] => read_info(data, &mut told),
                ["bestmove", word, ..] => {
                    let action = read_move(&self.setup, word);
                    let action = action.ok_or_else(|| Fault::nonsense(&question, &text))?;
                    let choice = Choice::Move(action);
                    return Ok(Reply {
                        choice,
                        told,
                        arrived,
                    });
                }
                ["bestmove"] => return Err(Fault::nonsense(&question, &text)),
                _ => {}
            }
        }
    }

    fn farewell(&self) -> &'static str {
        "quit"
    }
}

/// Waits for the line that answers a question. Others come before it; returns the names of options
/// among them.
fn exchange(wire: &Wire<'_>, question: &str, expected: &str) -> Result<BTreeSet<String>, Fault> {
    let asked = clock::now();
    let deadline = wire.soon();
    wire.send(question);
    let mut options = BTreeSet::new();
    loop {
        let line = wire.next(asked, deadline)?.text;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [word] if word == expected => return Ok(options),
            // As many as can be terms: an engine may have any number of options.
            ["option", "name", name, ..] if Setup::all_terms().contains(&name) => {
                options.insert(name.to_owned());
            }
            _ => {}
        }
    }
}

/// What a line of information says for sure: the nodes, and a mate. What a centipawn is worth
/// every engine knows for itself.
fn read_info(data: &[&str], told: &mut Told) {
    if data.first() == Some(&"string") {
        return;
    }
    let data = data.split(|&word| word == "pv").next().unwrap_or_default();
    let after = |key| {
        let at = data.iter().position(|&word| word == key)?;
        data.get(at + 1).copied()
    };
    if let Some(nodes) = after("nodes").and_then(|nodes| nodes.parse().ok()) {
        told.playouts = Some(nodes);
    }
    if let Some(depth) = after("depth").and_then(|depth| depth.parse().ok()) {
        told.depth = Some(depth);
    }
    if after("score").is_some() {
        let mate: Option<i64> = after("mate").and_then(|moves| moves.parse().ok());
        told.value = mate.map(|moves| if moves > 0 { 1.0 } else { 0.0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TimeControl;
    use crate::game::{Action, GameKind, any};

    #[test]
    fn only_what_is_sure_is_taken_from_information() {
        let read = |lines: &[&str]| {
            Told::of_lines(lines, |line, told| {
                let words: Vec<&str> = line.split_whitespace().collect();
                read_info(&words, told);
            })
        };
        assert_eq!(
            read(&["depth 2 nodes 90 score cp 200 pv f1 b1"]),
            (None, Some(90))
        );
        let later = [
            "nodes 90 score mate 3",
            "nodes 200 score mate -2",
            "string score mate 1",
        ];
        assert_eq!(read(&later), (Some(0.0), Some(200)));
        assert_eq!(
            read(&["score mate 3", "score cp 10", "time 5"]),
            (None, None)
        );
        assert_eq!(read(&["nodes", "nodes many score"]), (None, None));
    }

    #[test]
    fn limits_are_told_as_they_stand() {
        let ms = Duration::from_millis;
        let setup = Setup::standard(GameKind::Connect4);
        let mut game = any::new_game(&setup).unwrap();
        game.play(Action::Column(3)).unwrap();
        let go = |per_move, left: Option<u64>, playouts: Option<u64>| {
            let ugi = Ugi::new(&Terms {
                playouts,
                depth: playouts.map(|_| 5),
                ..Terms::new(setup)
            });
            let time = |more| TimeControl {
                per_move,
                left: left.map(|left| ms(left + more)),
                increment: ms(20),
                moves_to_go: None,
            };
            let turn = Turn {
                game: &*game,
                time: [time(0), time(1)],
                deadline: clock::now(),
            };
            assert_eq!(ugi.position(&*game), "position startpos moves 4");
            ugi.go(&turn)
        };
        assert_eq!(go(Some(ms(50)), None, None), "go movetime 50");
        let both = "go p1time 900 p2time 901 p1inc 20 p2inc 20 movetime 50";
        assert_eq!(go(Some(ms(50)), Some(900), None), both);
        assert_eq!(go(None, None, Some(8)), "go nodes 8 depth 5");
        assert_eq!(go(None, None, None), "go movetime 600000");
    }
}
