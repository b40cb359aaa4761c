//! Botzone's protocol, for its games Gomoku, Gomoku-Swap1, Renju and Reversi.
//!
//! Sources: wiki.botzone.org.cn (Bot, 本地AI, Gomoku, Gomoku-Swap1) and the judges and the runner
//! of `ailab-pku/botzone-local` (`botzone/online`). `protocol.md` shows every message at work.
//!
//! - Botzone starts a process for each turn, which hears the whole game, answers once and ends.
//!   Whether a process may stay for the next turn is set where the bot is uploaded, and the
//!   process asks for it by a line after its answer. Where it is not set, that line would spoil
//!   the answer, so the command line says which it is: [`Mode::keep_running`].
//! - `data` and `globaldata` are neither read nor written: the history says everything about
//!   the position, and 100 KB hold too little of a tree to be of use.
//! - Where a swap is offered, the side that thinks it stands worse takes the other colour; and
//!   who places the last stone before it looks for the most even position.
//! - Botzone's Renju knows no forbidden moves (its judge, `Renju.js`); it is Gomoku with a swap
//!   after three stones. The winning rule is the one of the command line, as in every game.
//! - What cannot be obeyed is answered by something that no judge takes for a move, with the
//!   reason in the text for people, which the record of the match shows.

mod message;

use super::tentative::Tentative;
use super::{Defaults, LONGEST_LINE, Protocol, Request, Requests, Urgency};
use crate::clock::TimeControl;
use crate::game::{Action, AnyGame, GameKind, Point, Setup, SetupError, any};
use crate::search::{MoveReport, Report};
use crate::session::{Allowance, Event};
use message::{BotzoneError, Entry, Form, KEEP_RUNNING, Message, Messages};
use smallvec::smallvec;
use std::time::Duration;

/// What is kept back from the time for a turn. Botzone's clock begins before the process does
/// and ends after it is gone, on a machine that others use too (guess).
const MARGIN: Duration = Duration::from_millis(200);

/// How much fewer visits than the best a move may have for its mean to be believed (guess).
const BELIEVED: u64 = 10;

/// Which of Botzone's games is played, where that is not told by the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Gomoku or Reversi.
    Plain,
    /// Gomoku-Swap1.
    Swap1,
    /// Renju.
    Renju,
}

impl Variant {
    /// The second player may swap colours instead of placing a stone when this many are on the
    /// board.
    fn swap_after(self) -> Option<usize> {
        match self {
            Variant::Plain => None,
            Variant::Swap1 => Some(1),
            Variant::Renju => Some(3),
        }
    }

    /// Whether the next stone, on a board with `stones`, is the first, and the other side may
    /// take it over.
    fn offers_next(self, stones: usize) -> bool {
        stones == 0 && self.swap_after() == Some(1)
    }
}

/// What the runner does not say in its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// The game.
    pub variant: Variant,
    /// The process stays for the next turn.
    pub keep_running: bool,
}

impl Mode {
    /// One turn of Gomoku or Reversi, which is what Botzone does unless it is told otherwise.
    pub const ONE_SHOT: Mode = Mode::new(Variant::Plain, false);

    /// Every mode, in the order in which tables list them.
    pub const ALL: [Mode; 6] = [
        Mode::ONE_SHOT,
        Mode::new(Variant::Plain, true),
        Mode::new(Variant::Swap1, false),
        Mode::new(Variant::Swap1, true),
        Mode::new(Variant::Renju, false),
        Mode::new(Variant::Renju, true),
    ];

    const fn new(variant: Variant, keep_running: bool) -> Mode {
        Mode {
            variant,
            keep_running,
        }
    }

    /// The name that the command line uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match (self.variant, self.keep_running) {
            (Variant::Plain, false) => "botzone",
            (Variant::Plain, true) => "botzone-keep",
            (Variant::Swap1, false) => "botzone-swap1",
            (Variant::Swap1, true) => "botzone-swap1-keep",
            (Variant::Renju, false) => "botzone-renju",
            (Variant::Renju, true) => "botzone-renju-keep",
        }
    }
}

/// A translator for one runner.
pub struct Botzone {
    mode: Mode,
    time: TimeControl,
    playouts: Option<u64>,
    game: Tentative<BotzoneGame>,
    /// The simple form of a whole game, as far as it has been read.
    reading: Option<Reading>,
    messages: Messages,
    /// The form of the line fed last.
    form: Form,
}

/// A game, and what was said about it beyond the moves.
struct BotzoneGame {
    board: Box<dyn AnyGame>,
    /// There was a first request.
    begun: bool,
    /// The colours were swapped.
    swapped: bool,
}

/// A game being read line by line.
struct Reading {
    /// Lines to come.
    lines: usize,
    /// `None`: a line was bad; the rest is only read.
    game: Option<BotzoneGame>,
}

/// What to do with a position that was thought about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Decision {
    Play(Action),
    Swap,
}

impl Botzone {
    /// A translator that begins with an empty board of `defaults.setup`. The time for a turn
    /// is that of `defaults`, less a margin.
    ///
    /// # Errors
    /// When Botzone has no such game, or not on a board of this size.
    pub fn new(mode: Mode, defaults: Defaults) -> Result<Botzone, SetupError> {
        let swaps = mode.variant.swap_after().is_some();
        match defaults.setup.game() {
            GameKind::Gomoku => {}
            GameKind::Reversi if !swaps => {}
            GameKind::Reversi => {
                return Err(SetupError::Rule("colours are swapped in Gomoku only"));
            }
            _ => return Err(SetupError::Rule("Botzone has Gomoku and Reversi")),
        }
        Ok(Botzone {
            mode,
            time: within(defaults.time),
            playouts: defaults.playouts,
            game: Tentative::new(BotzoneGame::new(&defaults.setup)?),
            reading: None,
            messages: Messages::default(),
            form: Form::Json,
        })
    }

    fn obey(&mut self, line: &str) -> Result<Requests, BotzoneError> {
        let Some(message) = self.messages.hear(line).transpose() else {
            return Ok(Requests::new());
        };
        let reading = self.reading.take();
        if let Some(reading) = reading.filter(|_| !self.messages.begins()) {
            return self.read(reading, message.and_then(Message::entry));
        }
        let setup = self.game.board.setup();
        match message? {
            Message::Request(entry) => {
                let mut game = self.game.copy();
                game.enter(entry, self.mode)?;
                self.answer(game)
            }
            Message::Game(entries) => {
                let mut game = BotzoneGame::opening(&setup)?;
                for entry in entries {
                    game.enter(entry, self.mode)?;
                }
                self.answer(game)
            }
            Message::Turns(turns) => {
                self.reading = Some(Reading::new(turns, BotzoneGame::opening(&setup)?)?);
                Ok(Requests::new())
            }
        }
    }

    /// Goes on with a game in the simple form by what its next line says.
    fn read(
        &mut self,
        mut reading: Reading,
        entry: Result<Entry, BotzoneError>,
    ) -> Result<Requests, BotzoneError> {
        reading.lines -= 1;
        let last = reading.lines == 0;
        let Some(mut game) = reading.game.take() else {
            self.reading = (!last).then_some(reading);
            return Ok(Requests::new());
        };
        let entered = entry.and_then(|entry| game.enter(entry, self.mode));
        if last {
            entered?;
            return self.answer(game);
        }
        reading.game = entered.is_ok().then_some(game);
        self.reading = Some(reading);
        entered.map(|()| Requests::new())
    }

    /// Takes the game as the one to play on, and asks for a move.
    fn answer(&mut self, game: BotzoneGame) -> Result<Requests, BotzoneError> {
        if game.board.outcome().is_some() {
            return Err(BotzoneError::Over);
        }
        let (known, history) = (self.game.board.history(), game.board.history());
        let mut requests = Requests::new();
        let news = history.strip_prefix(known).unwrap_or_else(|| {
            requests.push(Request::NewGame(game.board.setup()));
            history
        });
        requests.extend(news.iter().map(|&action| Request::Play(action)));
        let is_given = self.mode.variant.offers_next(game.board.history().len());
        requests.push(Request::Think(Allowance {
            time: self.time,
            playouts: if is_given { Some(1) } else { self.playouts },
            report_every: None,
        }));
        self.game.replace(game);
        Ok(requests)
    }

    fn decide(&self, report: &Report) -> Option<Decision> {
        let best = report.best?;
        let stones = self.game.board.history().len();
        Some(match self.mode.variant.swap_after() {
            Some(swap) if stones == swap && !self.game.swapped && report.value < 0.5 => {
                Decision::Swap
            }
            _ if self.mode.variant.offers_next(stones) => {
                Decision::Play(even_stone(self.game.board.setup()))
            }
            Some(swap) if stones + 1 == swap => Decision::Play(most_even(&report.moves, best)),
            _ => Decision::Play(best),
        })
    }

    /// Carries a decision out on the board: the entry that answers, and what the session does.
    fn carry_out(&mut self, decision: Decision) -> Result<(Entry, Requests), BotzoneError> {
        let Decision::Play(action) = decision else {
            self.game.swapped = true;
            return Ok((None, Requests::new()));
        };
        let entry = entry_of(action);
        let played = self.game.board.play(action);
        played.map_err(|error| BotzoneError::Play(entry, error))?;
        Ok((entry, smallvec![Request::Play(action)]))
    }

    fn complain(&self, fault: &BotzoneError, out: &mut Vec<String>) {
        out.push(message::error(self.form, fault));
        self.ask_to_stay(out);
    }

    fn ask_to_stay(&self, out: &mut Vec<String>) {
        if self.mode.keep_running {
            out.push(KEEP_RUNNING.to_owned());
        }
    }
}

impl Protocol for Botzone {
    fn feed(&mut self, line: &str, out: &mut Vec<String>) -> Requests {
        self.game.settle();
        let is_cut = line.len() >= LONGEST_LINE;
        let line = line.trim();
        if line.is_empty() {
            return Requests::new();
        }
        self.form = self.messages.form(line);
        let obeyed = match is_cut {
            true => Err(BotzoneError::TooLong),
            false => self.obey(line),
        };
        obeyed.unwrap_or_else(|fault| {
            self.complain(&fault, out);
            Requests::new()
        })
    }

    fn render(&mut self, event: &Event, out: &mut Vec<String>) -> Requests {
        let Event::Best(report) = event else {
            return Requests::new();
        };
        let stones = self.game.board.history().len();
        // Nothing was searched to find a stone that is given.
        let is_given = self.mode.variant.offers_next(stones);
        let summary = summary(report).filter(|_| !is_given);
        let decision = self.decide(report).ok_or(BotzoneError::NoMove);
        let mut requests = match decision.and_then(|decision| self.carry_out(decision)) {
            Ok((entry, requests)) => {
                out.extend(message::answer(self.form, entry, summary.as_deref()));
                self.ask_to_stay(out);
                requests
            }
            Err(fault) => {
                self.complain(&fault, out);
                Requests::new()
            }
        };
        if !self.mode.keep_running {
            requests.push(Request::Quit);
        }
        requests
    }

    fn refuse(&mut self, reason: &str, out: &mut Vec<String>) {
        self.game.restore();
        self.complain(&BotzoneError::Session(reason.to_owned()), out);
    }

    fn urgency(&self, _: &str) -> Urgency {
        Urgency::InTurn
    }

    fn end(&mut self, out: &mut Vec<String>) {
        // A game with a bad line was complained of then.
        let reading = self.reading.take().filter(|it| it.game.is_some());
        let unfinished = reading.map(|it| BotzoneError::Unfinished(it.lines));
        if let Some(fault) = unfinished.or_else(|| self.messages.end()) {
            self.complain(&fault, out);
        }
    }

    fn board(&self) -> &dyn AnyGame {
        &*self.game.board
    }
}

impl BotzoneGame {
    fn new(setup: &Setup) -> Result<BotzoneGame, SetupError> {
        Ok(BotzoneGame {
            board: any::new_game(setup)?,
            begun: false,
            swapped: false,
        })
    }

    /// Another game by a setup that has been played before.
    fn opening(setup: &Setup) -> Result<BotzoneGame, BotzoneError> {
        BotzoneGame::new(setup).map_err(|error| BotzoneError::Session(error.to_string()))
    }

    fn copy(&self) -> BotzoneGame {
        BotzoneGame {
            board: self.board.clone_box(),
            ..*self
        }
    }

    /// Plays a request or a response. What -1, -1 means depends on where it stands: the sign
    /// for the first player to begin, a pass, or a swap.
    fn enter(&mut self, entry: Entry, mode: Mode) -> Result<(), BotzoneError> {
        let first = !std::mem::replace(&mut self.begun, true);
        let action = match entry {
            Some(point) => Action::Point(point),
            None if first => return Ok(()),
            None if self.board.setup().game() == GameKind::Reversi => Action::Pass,
            None => return self.swap(mode),
        };
        let played = self.board.play(action);
        played.map_err(|error| BotzoneError::Play(entry, error))
    }

    fn swap(&mut self, mode: Mode) -> Result<(), BotzoneError> {
        if self.swapped || mode.variant.swap_after() != Some(self.board.history().len()) {
            return Err(BotzoneError::Swap);
        }
        self.swapped = true;
        Ok(())
    }
}

impl Reading {
    /// The lines of a game with `turns` requests, and a response to each but the last.
    fn new(turns: usize, game: BotzoneGame) -> Result<Reading, BotzoneError> {
        // A side moves once a turn, so a game has no more turns than the board has cells.
        let cells = game.board.setup().points().count();
        if turns == 0 || turns > cells {
            return Err(BotzoneError::Turns);
        }
        Ok(Reading {
            lines: 2 * turns - 1,
            game: Some(game),
        })
    }
}

/// The time for a turn without the margin, or a quarter of it where it is nearly all margin.
fn within(time: TimeControl) -> TimeControl {
    let less = |limit: Duration| limit.saturating_sub(MARGIN).max(limit / 4);
    TimeControl {
        per_move: time.per_move.map(less),
        ..time
    }
}

/// A first stone after which neither side stands better (`docs/EXPERIMENTS.md`, Protocols). The search
/// itself would look at the middle of the board alone.
fn even_stone(setup: Setup) -> Action {
    Action::point(1, (setup.rows / 2).min(5))
}

/// The move after which neither side stands better, as far as is known. The other side will
/// choose its colour, so that every advantage is lost.
fn most_even(moves: &[MoveReport], best: Action) -> Action {
    let enough = moves.iter().map(|it| it.visits).max().unwrap_or(0) / BELIEVED;
    let advantage = |it: &MoveReport| (it.mean - 0.5).abs();
    let believed = moves.iter().filter(|it| it.visits >= enough);
    let even = believed.min_by(|a, b| advantage(a).total_cmp(&advantage(b)));
    even.map_or(best, |it| it.action)
}

/// Only games of points are played here, so that every other action is a pass.
fn entry_of(action: Action) -> Option<Point> {
    match action {
        Action::Point(point) => Some(point),
        Action::Column(_) | Action::Steal | Action::Pass => None,
    }
}

/// A short text for people, of less than 1 KiB. None where nothing was searched.
fn summary(report: &Report) -> Option<String> {
    if report.playouts == 0 {
        return None;
    }
    let Report {
        value,
        playouts,
        reused,
        depth,
        ..
    } = report;
    let mut text = format!(
        "win rate {:.1} %, {playouts} playouts, depth {depth}",
        100.0 * value
    );
    if *reused > 0 {
        text.push_str(&format!(", {reused} visits reused"));
    }
    if report.proof.is_some() {
        text.push_str(", proven");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn botzone(mode: Mode, game: GameKind) -> Botzone {
        let defaults = Defaults {
            setup: Setup::standard(game),
            time: TimeControl::per_move(Duration::from_secs(1)),
            playouts: None,
        };
        Botzone::new(mode, defaults).unwrap()
    }

    /// What a search found: moves with their visits and means, best first.
    fn found(moves: &[(Action, u64, f64)]) -> Report {
        let report = |&(action, visits, mean)| MoveReport {
            action,
            visits,
            mean,
            proof: None,
            score: None,
            pv: vec![action],
        };
        Report {
            moves: moves.iter().map(report).collect(),
            ..Report::of_move(Some(moves[0].0), moves[0].2)
        }
    }

    fn swap1() -> Botzone {
        botzone(Mode::new(Variant::Swap1, true), GameKind::Gomoku)
    }

    #[test]
    fn the_time_is_what_botzone_grants_less_the_margin() {
        let botzone = botzone(Mode::ONE_SHOT, GameKind::Gomoku);
        assert_eq!(botzone.time.per_move, Some(Duration::from_millis(800)));
        let short = within(TimeControl::per_move(Duration::from_millis(100)));
        assert_eq!(short.per_move, Some(Duration::from_millis(25)));
    }

    #[test]
    fn the_worse_side_swaps_once() {
        let mut botzone = swap1();
        botzone.feed("7 7", &mut Vec::new());
        let reply = Action::point(8, 8);
        let good = found(&[(reply, 10, 0.6)]);
        let bad = found(&[(reply, 10, 0.4)]);
        assert_eq!(botzone.decide(&good), Some(Decision::Play(reply)));
        assert_eq!(botzone.decide(&bad), Some(Decision::Swap));
        botzone.game.swapped = true;
        assert_eq!(botzone.decide(&bad), Some(Decision::Play(reply)));
    }

    #[test]
    fn the_first_stone_that_may_be_taken_over_is_an_even_one() {
        let mut botzone = swap1();
        let requests = botzone.feed("-1 -1", &mut Vec::new());
        let is_short = |it: &Request| {
            matches!(
                it,
                Request::Think(Allowance {
                    playouts: Some(1),
                    ..
                })
            )
        };
        assert!(requests.iter().any(is_short), "{requests:?}");
        let middle = Report::of_move(Some(Action::point(7, 7)), 0.5);
        let even = Action::point(1, 5);
        assert_eq!(botzone.decide(&middle), Some(Decision::Play(even)));
    }

    #[test]
    fn the_stone_before_a_swap_is_an_even_one() {
        let mut botzone = botzone(Mode::new(Variant::Renju, true), GameKind::Gomoku);
        let line = r#"{"requests":[{"x":-1,"y":-1},{"x":7,"y":8}],"responses":[{"x":7,"y":7}]}"#;
        botzone.feed(line, &mut Vec::new());
        let [strong, even, rare] = [0, 1, 2].map(|col| Action::point(col, 0));
        let report = found(&[(strong, 100, 0.7), (even, 50, 0.52), (rare, 2, 0.5)]);
        assert_eq!(botzone.decide(&report), Some(Decision::Play(even)));
        let silent = Report::of_move(Some(strong), 0.5);
        assert_eq!(botzone.decide(&silent), Some(Decision::Play(strong)));
    }

    #[test]
    fn games_that_botzone_has_not_are_not_spoken_of() {
        for (mode, game) in [
            (Mode::ONE_SHOT, GameKind::Connect4),
            (Mode::new(Variant::Swap1, false), GameKind::Reversi),
        ] {
            let defaults = Defaults {
                setup: Setup::standard(game),
                time: TimeControl::default(),
                playouts: Some(1),
            };
            assert!(Botzone::new(mode, defaults).is_err());
        }
    }

    #[test]
    fn what_is_known_is_not_played_again() {
        let mut botzone = botzone(Mode::new(Variant::Plain, true), GameKind::Gomoku);
        let plays = |botzone: &mut Botzone, line: &str| {
            let requests = botzone.feed(line, &mut Vec::new());
            let new = requests.contains(&Request::NewGame(botzone.game.board.setup()));
            (
                new,
                requests
                    .iter()
                    .filter(|it| matches!(it, Request::Play(_)))
                    .count(),
            )
        };
        assert_eq!(plays(&mut botzone, "7 7"), (false, 1));
        let longer = r#"{"requests":[{"x":7,"y":7},{"x":8,"y":8}],"responses":[{"x":6,"y":6}]}"#;
        assert_eq!(plays(&mut botzone, longer), (false, 2));
        let other = r#"{"requests":[{"x":0,"y":0}],"responses":[]}"#;
        assert_eq!(plays(&mut botzone, other), (true, 1));
    }
}
