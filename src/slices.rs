//! A protocol joined to a bot where there are no threads, as in a browser's worker: thinking is done in
//! slices, and between two of them lines are heard.
//!
//! What grows a tree is sliced, and so is the solver: the tree and the solver's table go on where the
//! slice before ended. A limit of playouts with no time is one slice, so that the tree is the same as
//! that of a thread. Opponents that search to a fixed depth think their move in one slice: at the most
//! half a second.

use crate::bots::{BOTS, SCORER};
use crate::clock::{self, Budget, Instant, TimeControl};
use crate::game::PlayError;
use crate::player::Player;
use crate::protocol::{Protocol, Request, Requests};
use crate::search::Report;
use crate::session::{Allowance, Event, Order, ThinkingThread};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// How long a slice takes: short enough that a click is answered within a tenth of a second.
const SLICE: Duration = Duration::from_millis(60);

/// The longest slice of the solver. Where a short one finds nothing new, the next is twice as long.
const LONGEST: Duration = Duration::from_millis(480);

/// Does what is asked of the game or the bot, the same in every loop. To think, to stop and to quit is
/// for the loop itself, and so are files, of which there are none here.
///
/// # Errors
/// When the session cannot do it.
pub fn apply(request: Request, player: &mut Player) -> Result<(), String> {
    let text = |error: PlayError| error.to_string();
    match request {
        Request::NewGame(setup) => player.new_game(setup),
        Request::Position {
            setup,
            stones,
            to_move,
        } => player.set_position(setup, stones, to_move),
        Request::Set { name, value } => player.set(name, value),
        Request::Bot { name } => player.set_bot(name),
        Request::Play(action) => player.session().play(action).map_err(text),
        Request::Undo => player.session().undo().map_err(text),
        Request::Clear => {
            player.session().clear();
            Ok(())
        }
        Request::Read(_) | Request::Write { .. } => Err("there are no files here".to_owned()),
        Request::Think(_) | Request::Stop | Request::Abort | Request::Quit => Ok(()),
    }
}

/// A protocol and its player.
pub struct Slices {
    protocol: Box<dyn Protocol>,
    player: Player,
    reports: Receiver<Report>,
    thinking: Option<Thinking>,
    /// In the other side's time: nobody is told.
    pondering: bool,
}

/// What is being thought.
struct Thinking {
    order: Order,
    /// `None`: no time limits it.
    budget: Option<Budget>,
    /// Made so far.
    playouts: u64,
    /// Moves whose score the solver knows.
    scored: usize,
    slice: Duration,
    stopped: bool,
    /// When something was told last.
    told: Instant,
}

impl Thinking {
    fn new(order: Order, budget: Option<Budget>) -> Thinking {
        Thinking {
            order,
            budget,
            playouts: 0,
            scored: 0,
            slice: SLICE,
            stopped: false,
            told: order.received,
        }
    }

    /// The time that is left. `None`: no time limits the thought.
    fn time_left(&self, now: Instant) -> Option<Duration> {
        let used = now.saturating_duration_since(self.order.received);
        Some(self.budget?.soft.saturating_sub(used))
    }

    /// The playouts that are left. `None`: their number is not limited.
    fn playouts_left(&self) -> Option<u64> {
        let all = self.order.allowance.playouts?;
        Some(all.saturating_sub(self.playouts))
    }
}

impl Slices {
    /// The engine at the beginning of the game that the protocol begins with.
    ///
    /// # Errors
    /// When it cannot play that, or an option cannot be set.
    pub fn new(
        protocol: Box<dyn Protocol>,
        settings: Vec<(String, String)>,
    ) -> Result<Slices, String> {
        let (sender, reports) = mpsc::channel();
        let events = move |_, _, event| {
            if let Event::Best(report) = event {
                // The receiver is beside the player that sends.
                let _ = sender.send(report);
            }
        };
        let setup = protocol.board().setup();
        let thread = ThinkingThread::here();
        Ok(Slices {
            player: Player::new(&BOTS[0], settings, setup, thread, events)?,
            protocol,
            reports,
            thinking: None,
            pondering: false,
        })
    }

    /// Hears a line, and writes what is answered at once.
    pub fn hear(&mut self, line: &str, out: &mut Vec<String>) {
        let requests = self.protocol.feed(line, out);
        if let Err(reason) = self.carry_out(requests) {
            out.clear();
            self.protocol.refuse(&reason, out);
        }
    }

    /// Thinks for a slice, if there is anything to think about. Returns whether more of it is left.
    pub fn step(&mut self, out: &mut Vec<String>) -> bool {
        let Some(mut thinking) = self.thinking.take() else {
            self.pondering = self.pondering && self.ponder();
            return self.pondering;
        };
        let order = self.next_order(&thinking);
        self.player.session().think(order);
        let Some(mut report) = self.reports.try_iter().last() else {
            return false;
        };
        thinking.playouts += report.playouts;
        report.playouts = thinking.playouts;
        let now = clock::now();
        report.elapsed = now.saturating_duration_since(thinking.order.received);
        if self.is_done(&mut thinking, &report, now) {
            let requests = self.protocol.render(&Event::Best(report), out);
            if let Err(reason) = self.carry_out(requests) {
                log::error!("a session refused the move that it chose: {reason}");
            }
            self.pondering = self.thinking.is_none() && self.player.ponders();
            return self.thinking.is_some() || self.pondering;
        }
        let every = thinking.order.allowance.report_every;
        if every.is_some_and(|every| now.saturating_duration_since(thinking.told) >= every) {
            thinking.told = now;
            self.protocol.render(&Event::Info(report), out);
        }
        self.thinking = Some(thinking);
        true
    }

    /// Thinks for a slice in the other side's time. Returns whether there is more to find.
    fn ponder(&mut self) -> bool {
        self.player.session().think(Order {
            received: clock::now(),
            allowance: Allowance {
                time: TimeControl::per_move(SLICE),
                playouts: None,
                report_every: None,
            },
        });
        let report = self.reports.try_iter().last();
        report.is_some_and(|report| report.best.is_some() && report.proof.is_none())
    }

    /// What the session is to do in the next slice.
    fn next_order(&self, thinking: &Thinking) -> Order {
        if !self.is_sliced(thinking) {
            return thinking.order;
        }
        let now = clock::now();
        let left = thinking.time_left(now).unwrap_or(Duration::MAX);
        Order {
            received: now,
            allowance: Allowance {
                time: TimeControl::per_move(thinking.slice.min(left)),
                playouts: thinking.playouts_left(),
                ..thinking.order.allowance
            },
        }
    }

    fn is_sliced(&self, thinking: &Thinking) -> bool {
        let Allowance { time, playouts, .. } = thinking.order.allowance;
        let bot = self.player.bot();
        let by_playouts = time == TimeControl::default() && playouts.is_some();
        let game = self.protocol.board().setup().game();
        !by_playouts && (bot.name == SCORER.name || bot.grows_a_tree(game))
    }

    fn is_done(&self, thinking: &mut Thinking, report: &Report, now: Instant) -> bool {
        let ended = thinking.stopped
            || thinking.time_left(now).is_some_and(|left| left.is_zero())
            || thinking.playouts_left() == Some(0)
            || !self.is_sliced(thinking);
        if self.player.bot().name == SCORER.name {
            if report.moves.len() == thinking.scored {
                thinking.slice = (2 * thinking.slice).min(LONGEST);
            }
            thinking.scored = report.moves.len();
            return ended || thinking.scored == self.protocol.board().legal_actions().len();
        }
        ended || report.proof.is_some()
    }

    fn carry_out(&mut self, requests: Requests) -> Result<(), String> {
        self.pondering = self.pondering && requests.is_empty();
        for request in requests {
            match request {
                Request::Think(asked) => {
                    let most = [asked.playouts, self.player.most_playouts()];
                    let plies_left = self.player.session().plies_to_think_about();
                    let order = Order {
                        received: clock::now(),
                        allowance: Allowance {
                            playouts: most.into_iter().flatten().min(),
                            ..asked
                        },
                    };
                    let budget = asked.time.budget(plies_left, Duration::ZERO);
                    self.thinking = Some(Thinking::new(order, budget));
                }
                Request::Stop => {
                    if let Some(thinking) = &mut self.thinking {
                        thinking.stopped = true;
                    }
                }
                Request::Abort | Request::Quit => self.thinking = None,
                request => apply(request, &mut self.player)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameKind, Setup};
    use crate::protocol::{self, Defaults, ProtocolKind};
    use serde_json::Value;

    fn slices(game: GameKind) -> Slices {
        speaking(ProtocolKind::Web, game)
    }

    fn speaking(kind: ProtocolKind, game: GameKind) -> Slices {
        let defaults = Defaults {
            setup: Setup::standard(game),
            time: TimeControl::default(),
            playouts: None,
        };
        let protocol = protocol::open(kind, defaults).unwrap();
        let memory = vec![("memory".to_owned(), "8".to_owned())];
        Slices::new(protocol, memory).unwrap()
    }

    /// What is answered to a line until nothing more is thought.
    fn answers(slices: &mut Slices, line: &str) -> Vec<Value> {
        let mut out = Vec::new();
        slices.hear(line, &mut out);
        while slices.step(&mut out) {}
        let lines = out.iter();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn each_game_is_thought_about_in_slices() {
        for game in GameKind::ALL {
            let mut slices = slices(game);
            let told = answers(&mut slices, r#"{"do":"think","time":200}"#);
            let best = told.iter().find_map(|it| it.get("best")).unwrap();
            assert!(best["moves"].as_array().is_some_and(|it| !it.is_empty()));
            assert_eq!(told.last().unwrap()["state"]["ply"], 1);
            let told = answers(&mut slices, r#"{"do":"think","level":2}"#);
            assert_eq!(told.last().unwrap()["state"]["ply"], 2);
            let told = answers(&mut slices, r#"{"do":"review","playouts":50}"#);
            assert!(told.iter().any(|it| it.get("review").is_some()), "{told:?}");
        }
    }

    #[test]
    fn a_limit_of_playouts_is_one_slice() {
        let mut slices = slices(GameKind::Gomoku);
        let told = answers(&mut slices, r#"{"do":"analyze","playouts":300}"#);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["analysis"]["playouts"], 300);
    }

    #[test]
    fn every_move_is_scored_in_the_end() {
        let mut slices = slices(GameKind::Connect4);
        answers(
            &mut slices,
            r#"{"do":"new","game":"connect4","moves":"121212434343456"}"#,
        );
        let told = answers(&mut slices, r#"{"do":"scores","time":60000}"#);
        let moves = told[0]["scores"]["moves"].as_array().unwrap();
        assert_eq!(moves.len(), 7, "{told:?}");
    }

    #[test]
    fn it_ponders_until_it_is_asked_something() {
        let mut slices = slices(GameKind::Reversi);
        answers(&mut slices, r#"{"do":"ponder","on":true}"#);
        let mut out = Vec::new();
        slices.hear(r#"{"do":"think","time":100}"#, &mut out);
        while slices.thinking.is_some() {
            assert!(slices.step(&mut out));
        }
        let told = out.len();
        assert!(slices.step(&mut out) && slices.step(&mut out));
        assert_eq!(out.len(), told, "nobody is told");
        slices.hear(r#"{"do":"undo"}"#, &mut out);
        assert!(!slices.step(&mut out));
    }

    #[test]
    fn no_file_is_read_or_written() {
        let mut slices = speaking(ProtocolKind::Gtp, GameKind::Gomoku);
        for line in ["loadsgf a.sgf", "printsgf a.sgf"] {
            let mut out = Vec::new();
            slices.hear(line, &mut out);
            assert_eq!(out, ["? there are no files here", ""], "{line}");
        }
    }

    /// A line between two slices is obeyed before the next.
    #[test]
    fn what_is_thought_is_stopped_and_aborted() {
        let mut slices = slices(GameKind::Reversi);
        let mut out = Vec::new();
        slices.hear(r#"{"do":"analyze","time":600000}"#, &mut out);
        assert!(slices.step(&mut out));
        slices.hear(r#"{"do":"stop"}"#, &mut out);
        assert!(!slices.step(&mut out));
        assert!(out.last().unwrap().starts_with(r#"{"analysis""#), "{out:?}");
        slices.hear(r#"{"do":"analyze","time":600000}"#, &mut out);
        assert!(slices.step(&mut out));
        slices.hear(r#"{"do":"play","move":"d3"}"#, &mut out);
        assert!(!slices.step(&mut out));
        assert!(out.last().unwrap().starts_with(r#"{"state""#), "{out:?}");
    }
}
