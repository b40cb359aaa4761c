//! The controller's side of GTP 2, for all games.
//!
//! How points are written, and from which side rows count in each game, is for
//! [`vertex`] to say; it agrees with Debian's gtp-rhino in Reversi.

pub mod answer;

use super::{Choice, Dialect, Fault, Reply, Told, Turn, Wire};
use crate::arena::Terms;
use crate::arena::records::record::{MoveRecord, Termination, TopMove};
use crate::clock::{self, TimeControl};
use crate::game::{Action, AnyGame, Setup, Side, notation};
use crate::protocol::gtp::vertex;
use answer::Answer;
use std::time::{Duration, Instant};

/// Leela Zero's command for a move and what was found, every second and at the end. KataGo
/// has it too.
const ANALYZE: &str = "lz-genmove_analyze";

/// GNU Go's command for how hard it thinks, which is how far ahead it looks.
const LEVEL: &str = "level";

/// KataGo's command for more clocks than those of Go.
const TIME_SETTINGS: &str = "kata-time_settings";

/// A controller that speaks GTP.
pub struct Gtp {
    setup: Setup,
    time: TimeControl,
    depth: Option<u32>,
    /// Whether the command line told the engine all about the game and the time for a move.
    configured: bool,
    /// Which of the commands that not every engine has this one has. `None`: not asked yet.
    has: Option<Extensions>,
    /// How many moves of the game the engine knows, its own included.
    known: usize,
}

#[derive(Clone, Copy, Default)]
struct Extensions {
    analyze: bool,
    time_settings: bool,
    level: bool,
}

impl Extensions {
    /// An engine that has no list has no extensions.
    fn ask(wire: &Wire<'_>) -> Result<Extensions, Fault> {
        let Reaction { answer, .. } = command(wire, "list_commands", wire.soon())?;
        let has = |name| answer.success && answer.lines().any(|line| line.trim() == name);
        Ok(Extensions {
            analyze: has(ANALYZE),
            time_settings: has(TIME_SETTINGS),
            level: has(LEVEL),
        })
    }
}

impl Gtp {
    /// To an outside engine, which is told everything that GTP can tell.
    #[must_use]
    pub fn outside(terms: &Terms) -> Gtp {
        Gtp {
            setup: terms.setup,
            time: terms.time,
            depth: terms.depth,
            configured: false,
            has: None,
            known: 0,
        }
    }

    /// To a child of this binary, which knows the game and the time for a move from its
    /// arguments.
    #[must_use]
    pub fn configured(terms: &Terms) -> Gtp {
        let has = Extensions {
            analyze: true,
            time_settings: true,
            level: false,
        };
        Gtp {
            configured: true,
            has: Some(has),
            ..Gtp::outside(terms)
        }
    }

    /// Board and time, as far as GTP has words for them: there are none for boards that are
    /// not square, and a refusal of the time is not a refusal of the game.
    fn configure(&self, wire: &Wire<'_>) -> Result<(), Fault> {
        if !self.configured && self.setup.cols == self.setup.rows {
            command(wire, &format!("boardsize {}", self.setup.cols), wire.soon())?.accepted()?;
        }
        if let Some(settings) = self.time_settings()? {
            command(wire, &settings, wire.soon())?;
        }
        if let Some(depth) = self.depth.filter(|_| self.has.unwrap_or_default().level) {
            command(wire, &format!("{LEVEL} {depth}"), wire.soon())?;
        }
        Ok(())
    }

    /// The command that agrees on the time, if there is anything to agree on.
    ///
    /// An increment is told to engines that know only the clocks of Go as a period for one
    /// stone after the main time: that is what remains of the time for a game once it is used
    /// up, and `time_left` tells how the main time grows.
    fn time_settings(&self) -> Result<Option<String>, Fault> {
        let TimeControl {
            per_move,
            left,
            increment,
            ..
        } = self.time;
        let knows_more = self.has.unwrap_or_default().time_settings;
        Ok(match (per_move, left) {
            (None, None) => None,
            (Some(_), None) if self.configured => None,
            (Some(time), None) => {
                let seconds = time.max(self.least_time()).as_secs();
                Some(format!("time_settings 0 {seconds} 1"))
            }
            (None, Some(game)) if !knows_more => {
                // None would mean no limit.
                let (game, increment) = (game.as_secs().max(1), increment.as_secs());
                let stones = u64::from(increment > 0);
                Some(format!("time_settings {game} {increment} {stones}"))
            }
            (Some(_), Some(_)) if !knows_more => {
                let detail = "GTP has no word for a time for a move beside one for the game";
                return Err(Fault::new(Termination::Protocol, detail));
            }
            (per_move, Some(game)) => {
                let (game, increment) = (game.as_secs_f64(), increment.as_secs_f64());
                let per_move = per_move.map_or(-1.0, |time| time.as_secs_f64());
                Some(format!(
                    "{TIME_SETTINGS} fischer-capped {game} {increment} -1 {per_move}"
                ))
            }
        })
    }

    /// Tells what is left for the game, where that is limited.
    fn tell_time_left(&self, wire: &Wire<'_>, turn: &Turn<'_>) -> Result<(), Fault> {
        let Some(left) = turn.own_time().left else {
            return Ok(());
        };
        let colour = colour(turn.side());
        let question = if self.has.unwrap_or_default().time_settings {
            format!("time_left {colour} {} 0", left.as_secs_f64())
        } else if left.as_secs() == 0 && self.time.increment.as_secs() > 0 {
            format!("time_left {colour} {} 1", self.time.increment.as_secs())
        } else {
            format!("time_left {colour} {} 0", left.as_secs())
        };
        command(wire, &question, turn.deadline).map(drop)
    }

    /// The command that asks for a move. What other engines than those of this binary
    /// understand beyond the interval is not known.
    fn question(&self, colour: &str) -> String {
        if !self.has.unwrap_or_default().analyze {
            return format!("genmove {colour}");
        }
        let more = if self.configured {
            format!(" maxmoves {} rootInfo true", MoveRecord::MOST_TOP)
        } else {
            String::new()
        };
        format!("{ANALYZE} {colour} 100{more}")
    }
}

impl Dialect for Gtp {
    fn new_game(&mut self, wire: &Wire<'_>) -> Result<(), Fault> {
        self.known = 0;
        if self.has.is_none() {
            self.has = Some(Extensions::ask(wire)?);
        }
        self.configure(wire)?;
        command(wire, "clear_board", wire.soon())?.accepted()?;
        Ok(())
    }

    fn ask(&mut self, wire: &Wire<'_>, turn: &Turn<'_>) -> Result<Reply, Fault> {
        for (question, action) in plays(turn.game, self.known) {
            let answer = command(wire, &question, turn.deadline)?;
            if action != Action::Pass {
                answer.accepted()?;
            }
        }
        self.tell_time_left(wire, turn)?;
        let question = self.question(colour(turn.side()));
        let reaction = command(wire, &question, turn.deadline)?.accepted()?;
        let answer = &reaction.answer;
        self.known = turn.game.history().len() + 1;
        let (text, told) = if question.starts_with(ANALYZE) {
            let text = answer.lines().find_map(|line| line.strip_prefix("play "));
            let text = text.ok_or_else(|| reaction.nonsense())?.trim();
            (text, read_analysis(&self.setup, text, answer))
        } else {
            (answer.head(), Told::default())
        };
        Ok(Reply {
            choice: read_choice(&self.setup, text).ok_or_else(|| reaction.nonsense())?,
            told,
            arrived: answer.arrived,
        })
    }

    /// GTP tells time in whole seconds, and none would mean no limit.
    fn least_time(&self) -> Duration {
        if self.configured {
            Duration::ZERO
        } else {
            Duration::from_secs(1)
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

fn read_choice(setup: &Setup, text: &str) -> Option<Choice> {
    if text.eq_ignore_ascii_case("resign") {
        return Some(Choice::Resign);
    }
    vertex::parse(setup, text).map(Choice::Move)
}

/// What the last line of information told. The engine chose the move `played`.
///
/// `visits` count what the engine knew of the position before, too, so that they are no
/// playouts of this move; those only the engines of this binary tell.
fn read_analysis(setup: &Setup, played: &str, answer: &Answer) -> Told {
    let infos = answer.lines().filter(|line| line.starts_with("info "));
    let Some(line) = infos.last() else {
        return Told::default();
    };
    let (moves, root) = line.split_once("rootInfo ").unwrap_or((line, ""));
    let mut told = Told {
        value: number(root, "winrate").map(|rate| rate / WHOLE),
        playouts: number(root, "playouts").map(|count| count as u64),
        depth: number(root, "depth").map(|plies| plies as u32),
        top: Vec::new(),
    };
    for info in moves.split("info move ").skip(1) {
        let (vertex, data) = info.split_once(' ').unwrap_or((info, ""));
        let data = data.split(" pv ").next().unwrap_or_default();
        let (Some(action), Some(visits), Some(rate)) = (
            vertex::parse(setup, vertex),
            number(data, "visits"),
            number(data, "winrate"),
        ) else {
            continue;
        };
        let value = rate / WHOLE;
        if vertex.eq_ignore_ascii_case(played) {
            told.value = told.value.or(Some(value));
        }
        told.top.push(TopMove {
            text: notation::write(setup, action),
            visits: visits as u64,
            value,
        });
    }
    told.top.truncate(MoveRecord::MOST_TOP);
    told
}

/// The win rate of a sure win, as Leela Zero writes it.
const WHOLE: f64 = 10_000.0;

/// The number after a key.
fn number(data: &str, key: &str) -> Option<f64> {
    let mut words = data.split_whitespace();
    words.find(|&word| word == key)?;
    let number: f64 = words.next()?.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// An answer, and the command that it answers.
struct Reaction {
    question: String,
    answer: Answer,
}

impl Reaction {
    /// # Errors
    /// When the engine did not obey.
    fn accepted(self) -> Result<Reaction, Fault> {
        if self.answer.success {
            return Ok(self);
        }
        let shown = format!("? {}", self.answer.head());
        Err(Fault::nonsense(&self.question, &shown))
    }

    fn nonsense(&self) -> Fault {
        let last = self.answer.lines().last();
        Fault::nonsense(&self.question, last.unwrap_or_default())
    }
}

/// Sends a command and reads the answer.
fn command(wire: &Wire<'_>, question: &str, deadline: Instant) -> Result<Reaction, Fault> {
    let asked = clock::now();
    wire.send(question);
    let next = || wire.next(asked, deadline);
    Ok(Reaction {
        answer: Answer::read(next, |line| Fault::nonsense(question, line))?,
        question: question.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::engines::process::Line;
    use crate::game::GameKind;

    fn answer(lines: &[&str]) -> Answer {
        let mut lines = ["="].iter().chain(lines).chain(&[""]);
        let next = || {
            let text = lines.next().ok_or("the end")?.to_string();
            let arrived = clock::now();
            Ok(Line { text, arrived })
        };
        Answer::read(next, |_| "no answer").unwrap()
    }

    /// Two lines as KataGo's manual shows them, shortened, and one of Tengen's.
    #[test]
    fn the_last_information_before_the_move_counts() {
        let setup = Setup::standard(GameKind::Gomoku);
        let lines = [
            "info move E4 visits 3 winrate 9999 prior 2211 lcb 4781 order 0 pv E4 E3",
            "info move E4 visits 1178 winrate 4802 prior 2211 lcb 4781 order 0 pv E4 E3 F3 \
             info move K9 visits 264 winrate 4752 prior 944 lcb 4722 order 1 pv K9 D5",
            "play K9",
        ];
        let told = read_analysis(&setup, "K9", &answer(&lines));
        assert_eq!((told.value, told.playouts), (Some(0.4752), None));
        let top: Vec<_> = told
            .top
            .iter()
            .map(|it| (it.text.as_str(), it.visits))
            .collect();
        assert_eq!(top, [("e4", 1178), ("j9", 264)]);
        let own = "info move E4 visits 9 winrate 5000 order 0 pv E4 rootInfo playouts 7 depth 3 winrate 4900";
        let told = read_analysis(&setup, "E4", &answer(&[own]));
        assert_eq!((told.value, told.playouts), (Some(0.49), Some(7)));
        assert_eq!(told.depth, Some(3));
        let nothing = read_analysis(&setup, "E4", &answer(&["play E4"]));
        assert_eq!(nothing, Told::default());
    }

    #[test]
    fn every_time_is_told_that_can_be_told() {
        let seconds = |count| Some(Duration::from_secs(count));
        let settings = |knows_more, per_move, left, increment| {
            let terms = Terms {
                time: TimeControl {
                    per_move,
                    left,
                    increment: Duration::from_millis(increment),
                    moves_to_go: None,
                },
                ..Terms::new(Setup::standard(GameKind::Gomoku))
            };
            let has = Extensions {
                analyze: false,
                time_settings: knows_more,
                level: false,
            };
            let gtp = Gtp {
                has: Some(has),
                ..Gtp::outside(&terms)
            };
            gtp.time_settings()
        };
        let told = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(settings(false, None, None, 0), Ok(None));
        assert_eq!(
            settings(false, seconds(5), None, 0),
            told("time_settings 0 5 1")
        );
        assert_eq!(
            settings(false, None, seconds(60), 0),
            told("time_settings 60 0 0")
        );
        assert_eq!(
            settings(false, None, seconds(60), 2500),
            told("time_settings 60 2 1")
        );
        assert!(settings(false, seconds(5), seconds(60), 0).is_err());
        assert_eq!(
            settings(true, seconds(5), seconds(60), 2500),
            told("kata-time_settings fischer-capped 60 2.5 -1 5")
        );
        assert_eq!(
            settings(true, None, seconds(60), 0),
            told("kata-time_settings fischer-capped 60 0 -1 -1")
        );
    }
}
