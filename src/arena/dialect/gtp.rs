//! The controller's side of GTP 2, for all games.
//!
//! How points are written, and from which side rows count in each game, is for
//! [`vertex`] to say; it agrees with Debian's gtp-rhino in Reversi.

use super::{Choice, Dialect, Fault, Reply, Wire};
use crate::arena::Terms;
use crate::arena::process::Line;
use crate::clock;
use crate::game::{Action, AnyGame, Setup, Side};
use crate::protocol::gtp::vertex;
use std::time::{Duration, Instant};

/// A controller that speaks GTP.
pub struct Gtp {
    setup: Setup,
    time: Option<Duration>,
    /// Whether the command line told the engine all about the game and the time.
    configured: bool,
    /// How many moves of the game the engine knows, its own included.
    known: usize,
}

impl Gtp {
    /// To an outside engine, which is told everything that GTP can tell.
    #[must_use]
    pub fn outside(terms: &Terms) -> Gtp {
        Gtp {
            setup: terms.setup,
            time: terms.time,
            configured: false,
            known: 0,
        }
    }

    /// To a child of this binary, which knows the game and the time from its arguments.
    #[must_use]
    pub fn configured(terms: &Terms) -> Gtp {
        Gtp {
            configured: true,
            ..Gtp::outside(terms)
        }
    }

    /// Board and time, as far as GTP has words for them: there are none for boards that are
    /// not square, and a refusal of the time is not a refusal of the game.
    fn configure(&self, wire: &Wire<'_>) -> Result<(), Fault> {
        if self.setup.cols == self.setup.rows {
            command(wire, &format!("boardsize {}", self.setup.cols), wire.soon())?.accepted()?;
        }
        if let Some(time) = self.time {
            let seconds = self.granted(time).as_secs();
            command(wire, &format!("time_settings 0 {seconds} 1"), wire.soon())?;
        }
        Ok(())
    }
}

impl Dialect for Gtp {
    fn new_game(&mut self, wire: &Wire<'_>) -> Result<(), Fault> {
        self.known = 0;
        if !self.configured {
            self.configure(wire)?;
        }
        command(wire, "clear_board", wire.soon())?.accepted()?;
        Ok(())
    }

    fn ask(
        &mut self,
        wire: &Wire<'_>,
        game: &dyn AnyGame,
        deadline: Instant,
    ) -> Result<Reply, Fault> {
        for (question, action) in plays(game, self.known) {
            let answer = command(wire, &question, deadline)?;
            if action != Action::Pass {
                answer.accepted()?;
            }
        }
        let colour = colour(game.side_to_move());
        let answer = command(wire, &format!("genmove {colour}"), deadline)?.accepted()?;
        self.known = game.history().len() + 1;
        Ok(Reply {
            choice: read_choice(&self.setup, &answer)?,
            arrived: answer.arrived,
        })
    }

    /// GTP tells time in whole seconds, of which none would mean no limit.
    fn granted(&self, time: Duration) -> Duration {
        if self.configured {
            time
        } else {
            time.max(Duration::from_secs(1))
        }
    }

    fn farewell(&self) -> &'static str {
        "quit"
    }
}

/// The commands that tell what was played after the first `known` moves, with the moves.
///
/// Only forced passes occur, and an engine may take them for granted: gtp-rhino 0.16.1 calls
/// `play w pass` a syntax error. So a refused pass is not a fault.
fn plays(game: &dyn AnyGame, known: usize) -> Vec<(String, Action)> {
    let mut before = game.clone_box();
    let mut commands = Vec::new();
    while before.history().len() > known
        && let Ok(action) = before.undo()
    {
        let vertex = vertex::write(&*before, action);
        let colour = colour(before.side_to_move());
        commands.push((format!("play {colour} {vertex}"), action));
    }
    commands.reverse();
    commands
}

fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "B",
        Side::Second => "W",
    }
}

fn read_choice(setup: &Setup, answer: &Answer) -> Result<Choice, Fault> {
    if answer.text.eq_ignore_ascii_case("resign") {
        return Ok(Choice::Resign);
    }
    let action = vertex::parse(setup, &answer.text);
    let nonsense = || Fault::nonsense(&answer.question, &answer.text);
    action.map(Choice::Move).ok_or_else(nonsense)
}

/// What an engine answered to a command.
struct Answer {
    question: String,
    /// Without the `=` or `?`; further lines are joined by line feeds.
    text: String,
    success: bool,
    /// When the line that ends the answer was read.
    arrived: Instant,
}

impl Answer {
    /// The answer, unless it is an error: `?` loses the game.
    fn accepted(self) -> Result<Answer, Fault> {
        if self.success {
            Ok(self)
        } else {
            Err(Fault::nonsense(&self.question, &format!("? {}", self.text)))
        }
    }
}

/// Sends a command and reads the answer up to its empty line.
fn command(wire: &Wire<'_>, question: &str, deadline: Instant) -> Result<Answer, Fault> {
    let asked = clock::now();
    wire.send(question);
    let mut head = wire.next(asked, deadline)?;
    while head.text.trim().is_empty() {
        head = wire.next(asked, deadline)?;
    }
    let (success, mut text) = match head.text.split_at_checked(1) {
        Some(("=", rest)) => (true, rest.trim().to_owned()),
        Some(("?", rest)) => (false, rest.trim().to_owned()),
        _ => return Err(Fault::nonsense(question, &head.text)),
    };
    let arrived = loop {
        let Line {
            text: more,
            arrived,
        } = wire.next(asked, deadline)?;
        if more.trim().is_empty() {
            break arrived;
        }
        text.push('\n');
        text.push_str(&more);
    };
    Ok(Answer {
        question: question.to_owned(),
        text,
        success,
        arrived,
    })
}
