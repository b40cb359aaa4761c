//! The language of Tengen's own page: lines of JSON both ways.
//!
//! A line to Tengen is an object whose `do` says what is asked; a line from it is an object with one
//! key, which says what it is ([`view`]). `protocol.md` shows every one. Other than the protocols of
//! judges:
//!
//! - A game keeps the moves that are undone, so that they can be done again.
//! - Every line is obeyed at once. What is being thought ends without an answer when a line changes
//!   the board or asks for another thought.
//! - The bot can change at every move: the engine, a graded opponent, or the solver that tells exact
//!   scores. The engine keeps its tree meanwhile; the others begin with an empty one.
//! - A review walks through the game by itself. While it does, all lines are refused but `stop`, `new`,
//!   `load` and `quit`, which end it.

mod command;
mod game;
mod review;
mod threats;
mod view;

use super::tentative::Tentative;
use super::text::shortened;
use super::{Defaults, Protocol, Request, Requests, Urgency};
use crate::bots::{BOTS, Bot, SCORER};
use crate::clock::TimeControl;
use crate::game::files::{self, FileError, Sheet};
use crate::game::{AnyGame, PlayError, SetupError, Side, notation};
use crate::search::Report;
use crate::session::{Allowance, Event};
use command::{Begin, Command, Limits};
use game::WebGame;
use review::Review;
use smallvec::smallvec;
use std::time::Duration;
use view::{Answer, Findings, State};

/// Every word that may stand in `do`.
pub const COMMANDS: [&str; 15] = [
    "new", "load", "play", "undo", "redo", "go", "think", "analyze", "scores", "review", "ponder",
    "stop", "export", "state", "quit",
];

/// How often a thinking tells what it has found: as often as people can follow.
const INTERVAL: Duration = Duration::from_millis(250);

/// The longest that a graded opponent thinks where no time is told. Its own limits are far below.
const LEVEL_TIME: Duration = Duration::from_secs(10);

/// A translator for one page.
pub struct Web {
    defaults: Defaults,
    game: Tentative<WebGame>,
    thought: Thought,
}

/// What is being thought.
#[derive(Debug)]
enum Thought {
    Nothing,
    Move,
    Analysis,
    Scores,
    Review(Review),
}

/// Why a line cannot be obeyed, as the page is told.
#[derive(Debug, thiserror::Error)]
enum WebError {
    #[error("not understood: {}", shortened(.0))]
    Syntax(String),
    #[error("there is no such {0}")]
    Term(&'static str),
    #[error(transparent)]
    Setup(SetupError),
    #[error(transparent)]
    File(FileError),
    #[error("{:?}: {error}", shortened(.0), error = .1)]
    Move(String, PlayError),
    #[error("the game has no such place")]
    Place,
    #[error("levels are 1 to 10")]
    Level,
    #[error("no solver knows this game")]
    NoScores,
    #[error("no move was played")]
    Empty,
    #[error("the game is over")]
    Over,
    #[error("the game is being reviewed")]
    Busy,
}

/// Whether a line is of this protocol.
#[must_use]
pub fn is_command(line: &str) -> bool {
    line.trim_start().starts_with("{\"do\"")
}

impl Web {
    /// A translator that begins with the opening position of `defaults.setup`.
    ///
    /// # Errors
    /// When the game cannot be played with that setup.
    pub fn new(defaults: Defaults) -> Result<Web, SetupError> {
        Ok(Web {
            game: Tentative::new(WebGame::new(&defaults.setup, None)?),
            defaults,
            thought: Thought::Nothing,
        })
    }

    /// Does what a line says. Where it fails, nothing has changed.
    fn obey(&mut self, line: &str, out: &mut Vec<String>) -> Result<Requests, WebError> {
        let command = serde_json::from_str(line);
        let command = command.map_err(|error| WebError::Syntax(error.to_string()))?;
        if matches!(self.thought, Thought::Review(_)) && !leaves_a_review(&command) {
            return Err(WebError::Busy);
        }
        match command {
            Command::New(begin) => self.new_game(&begin, out),
            Command::Load { text } => self.load(&text, out),
            Command::Play { text } => self.play(&text, out),
            Command::Undo { plies } => self.go(self.game.ply().checked_sub(plies), out),
            Command::Redo { plies } => self.go(self.game.ply().checked_add(plies), out),
            Command::Go { ply } => self.go(Some(ply), out),
            Command::Think { level, limits } => self.think(level, limits),
            Command::Analyze { limits } => self.analyze(limits),
            Command::Scores { limits } => self.scores(limits),
            Command::Review { limits } => self.review(limits),
            Command::Ponder { on } => Ok(self.ponder(on, out)),
            Command::Stop {} => self.stop(out),
            Command::Export {} => {
                tell(&Answer::Files(Sheet::of(self.game.board()).files()), out);
                Ok(Requests::new())
            }
            Command::State {} => {
                self.tell_state(out);
                Ok(Requests::new())
            }
            Command::Quit {} => Ok(smallvec![Request::Quit]),
        }
    }

    fn new_game(&mut self, begin: &Begin, out: &mut Vec<String>) -> Result<Requests, WebError> {
        let setup = begin.setup().map_err(WebError::Term)?;
        let to_move = match begin.to_move {
            0 => Side::First,
            _ => Side::Second,
        };
        let stones = begin.stones.as_ref();
        let start = stones.map(|text| (view::read_stones(&setup, text), to_move));
        let mut game = WebGame::new(&setup, start).map_err(WebError::Setup)?;
        let illegal = |text: &str| WebError::Move(text.to_owned(), PlayError::Illegal);
        let actions = match stones {
            None => notation::parse_game(&setup, &begin.moves),
            Some(_) => notation::parse_list(&setup, &begin.moves),
        };
        let actions = actions.map_err(|text| illegal(&text))?;
        for action in actions {
            let text = notation::write(&setup, action);
            let played = game.play(action);
            played.map_err(|error| WebError::Move(text, error))?;
        }
        Ok(self.put_up(game, out))
    }

    /// Puts another game on the board.
    fn put_up(&mut self, game: WebGame, out: &mut Vec<String>) -> Requests {
        let mut requests = self.end_thought();
        requests.extend(game.requests());
        self.game.replace(game);
        self.tell_state(out);
        requests
    }

    fn play(&mut self, text: &str, out: &mut Vec<String>) -> Result<Requests, WebError> {
        let fault = |error| WebError::Move(text.to_owned(), error);
        let action = notation::parse(&self.game.board().setup(), text);
        let action = action.ok_or_else(|| fault(PlayError::Illegal))?;
        self.game.play(action).map_err(fault)?;
        let mut requests = self.end_thought();
        requests.push(Request::Play(action));
        self.tell_state(out);
        Ok(requests)
    }

    fn go(&mut self, ply: Option<usize>, out: &mut Vec<String>) -> Result<Requests, WebError> {
        let ply = ply.ok_or(WebError::Place)?;
        let way = self.game.go(ply).map_err(|_| WebError::Place)?;
        let mut requests = self.end_thought();
        requests.extend(way);
        self.tell_state(out);
        Ok(requests)
    }

    fn think(&mut self, level: Option<u8>, limits: Limits) -> Result<Requests, WebError> {
        let bot = match level {
            None => &BOTS[0],
            Some(level) => Bot::of_level(level).ok_or(WebError::Level)?,
        };
        self.check_goes_on()?;
        let time = match level {
            Some(_) => limits.time().unwrap_or(TimeControl::per_move(LEVEL_TIME)),
            None => return Ok(self.begin_thought(Thought::Move, bot.name, limits)),
        };
        let mut requests = self.end_thought();
        self.thought = Thought::Move;
        requests.push(Request::Bot { name: bot.name });
        requests.push(Request::Think(Allowance {
            time,
            playouts: limits.playouts,
            report_every: Some(INTERVAL),
        }));
        Ok(requests)
    }

    fn analyze(&mut self, limits: Limits) -> Result<Requests, WebError> {
        self.check_goes_on()?;
        Ok(self.begin_thought(Thought::Analysis, BOTS[0].name, limits))
    }

    fn scores(&mut self, limits: Limits) -> Result<Requests, WebError> {
        self.check_goes_on()?;
        let setup = self.game.board().setup();
        if !SCORER.games.contains(&setup.game()) || setup.connect4().steal {
            return Err(WebError::NoScores);
        }
        Ok(self.begin_thought(Thought::Scores, SCORER.name, limits))
    }

    fn review(&mut self, limits: Limits) -> Result<Requests, WebError> {
        if self.game.line().is_empty() {
            return Err(WebError::Empty);
        }
        let review = Review::new(self.game.ply(), limits);
        let way = self.game.go(0).map_err(|_| WebError::Place)?;
        let mut requests = self.end_thought();
        requests.extend(way);
        requests.extend(self.begin_thought(Thought::Review(review), BOTS[0].name, limits));
        Ok(requests)
    }

    /// Each session of the engine is made anew with the option, so what is thought ends.
    fn ponder(&mut self, on: bool, out: &mut Vec<String>) -> Requests {
        let mut requests = self.end_thought();
        requests.push(Request::Set {
            name: "ponder",
            value: on.to_string(),
        });
        self.tell_state(out);
        requests
    }

    /// `stop`: what is being thought is answered at once. A review ends, and the game goes back to
    /// where it was.
    fn stop(&mut self, out: &mut Vec<String>) -> Result<Requests, WebError> {
        let back_to = match &self.thought {
            Thought::Nothing => return Ok(Requests::new()),
            Thought::Review(review) => review.back_to,
            _ => return Ok(smallvec![Request::Stop]),
        };
        self.go(Some(back_to), out)
    }

    fn load(&mut self, text: &str, out: &mut Vec<String>) -> Result<Requests, WebError> {
        let file = files::read(text).map_err(WebError::File)?;
        let mut game = WebGame::new(&file.setup, file.start).map_err(WebError::Setup)?;
        for action in file.actions {
            let text = notation::write(&file.setup, action);
            let played = game.play(action);
            played.map_err(|error| WebError::Move(text, error))?;
        }
        Ok(self.put_up(game, out))
    }

    fn check_goes_on(&self) -> Result<(), WebError> {
        match self.game.board().outcome() {
            Some(_) => Err(WebError::Over),
            None => Ok(()),
        }
    }

    /// Ends what is being thought, with no answer.
    fn end_thought(&mut self) -> Requests {
        match std::mem::replace(&mut self.thought, Thought::Nothing) {
            Thought::Nothing => Requests::new(),
            _ => smallvec![Request::Abort],
        }
    }

    fn begin_thought(&mut self, thought: Thought, name: &'static str, limits: Limits) -> Requests {
        let mut requests = self.end_thought();
        self.thought = thought;
        requests.push(Request::Bot { name });
        requests.push(self.limited(limits));
        requests
    }

    /// Thinks within limits; within those of the command line where there are none.
    fn limited(&self, limits: Limits) -> Request {
        let time = match limits.time() {
            Some(time) => time,
            None if limits.playouts.is_some() => TimeControl::default(),
            None => self.defaults.time,
        };
        let playouts = [limits.playouts, self.defaults.playouts];
        Request::Think(Allowance {
            time,
            playouts: playouts.into_iter().flatten().min(),
            report_every: Some(INTERVAL),
        })
    }

    fn tell_state(&self, out: &mut Vec<String>) {
        tell(&Answer::State(Box::new(State::of(&self.game))), out);
    }

    /// Plays the move that was chosen.
    fn answer(&mut self, report: &Report, out: &mut Vec<String>) -> Requests {
        tell(&Answer::Best(Findings::of(self.game.board(), report)), out);
        let mut requests = Requests::new();
        if let Some(action) = report.best
            && self.game.play(action).is_ok()
        {
            requests.push(Request::Play(action));
        }
        self.tell_state(out);
        requests
    }

    /// Takes what was found about a position of the game, and goes on to the next, or back at the
    /// end.
    fn go_on(&mut self, mut review: Review, report: &Report, out: &mut Vec<String>) -> Requests {
        review.judge(self.game.board(), report);
        let (ply, plies) = (self.game.ply(), self.game.line().len());
        tell(&Answer::Progress(ply, plies), out);
        if ply < plies
            && let Ok(mut requests) = self.game.go(ply + 1)
        {
            let game = self.game.board();
            if game.outcome().is_none() {
                requests.push(self.limited(review.limits));
                self.thought = Thought::Review(review);
                return requests;
            }
            // The game is over, and its last position needs no thought.
            review.judge_end(game);
            tell(&Answer::Progress(ply + 1, plies), out);
            requests.extend(self.complete(&review, out));
            return requests;
        }
        self.complete(&review, out)
    }

    fn complete(&mut self, review: &Review, out: &mut Vec<String>) -> Requests {
        let reviewed = review.complete(self.game.board(), self.game.line());
        tell(&Answer::Review(reviewed), out);
        let requests = self.game.go(review.back_to).unwrap_or_default();
        self.tell_state(out);
        requests
    }
}

fn leaves_a_review(command: &Command) -> bool {
    use Command::{Load, New, Quit, Stop};
    matches!(command, Stop {} | New(_) | Load { .. } | Quit {})
}

fn tell(answer: &Answer, out: &mut Vec<String>) {
    out.push(answer.line());
}

impl Protocol for Web {
    fn feed(&mut self, line: &str, out: &mut Vec<String>) -> Requests {
        self.game.settle();
        if line.trim().is_empty() {
            return Requests::new();
        }
        self.obey(line, out).unwrap_or_else(|fault| {
            tell(&Answer::Error(fault.to_string()), out);
            Requests::new()
        })
    }

    fn render(&mut self, event: &Event, out: &mut Vec<String>) -> Requests {
        let report = match event {
            Event::Info(report) => {
                if matches!(self.thought, Thought::Move | Thought::Analysis) {
                    tell(&Answer::Info(Findings::of(self.game.board(), report)), out);
                }
                return Requests::new();
            }
            Event::Best(report) => report,
        };
        let findings = |web: &Web| Findings::of(web.game.board(), report);
        match std::mem::replace(&mut self.thought, Thought::Nothing) {
            Thought::Nothing => {}
            Thought::Move => return self.answer(report, out),
            Thought::Analysis => tell(&Answer::Analysis(findings(self)), out),
            Thought::Scores => tell(&Answer::Scores(findings(self)), out),
            Thought::Review(review) => return self.go_on(review, report, out),
        }
        Requests::new()
    }

    fn refuse(&mut self, reason: &str, out: &mut Vec<String>) {
        self.game.restore();
        self.thought = Thought::Nothing;
        tell(&Answer::Error(shortened(reason).into_owned()), out);
    }

    fn urgency(&self, _: &str) -> Urgency {
        Urgency::AtOnce
    }

    fn board(&self) -> &dyn AnyGame {
        self.game.board()
    }
}
