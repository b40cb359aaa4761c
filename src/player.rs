//! A bot in its session, which is made anew when the game or the options change.

use crate::bots::{Bot, SCORER, Start};
use crate::game::any::{self, AnyGame};
use crate::game::{Action, Point, Setup, Side};
use crate::options::{OptionError, Options};
use crate::session::{Event, EventSink, Session, ThinkingThread};
use std::sync::Arc;

/// Where events go: the number of the session, that of its thinking, and the event.
type Events = Arc<dyn Fn(u64, u64, Event) + Send + Sync>;

/// A bot at its current game.
pub struct Player {
    bot: &'static Bot,
    settings: Vec<(String, String)>,
    start: Start,
    options: Options,
    session: Box<dyn Session>,
    sessions: u64,
    thread: ThinkingThread,
    events: Events,
}

impl Player {
    /// The bot at the beginning of a game. All its games are thought about on `thread`.
    ///
    /// # Errors
    /// When it does not play this game, or an option cannot be set.
    pub fn new(
        bot: &'static Bot,
        settings: Vec<(String, String)>,
        setup: Setup,
        thread: ThinkingThread,
        events: impl Fn(u64, u64, Event) + Send + Sync + 'static,
    ) -> Result<Player, String> {
        let events: Events = Arc::new(events);
        let start = Start::Opening(setup);
        let options = options(bot, &start, &settings).map_err(|error| error.to_string())?;
        let session = bot.sit(&start, options.clone(), &thread, sink(1, &events));
        let session = session.map_err(|error| error.to_string())?;
        Ok(Player {
            bot,
            settings,
            start,
            options,
            session,
            sessions: 1,
            thread,
            events,
        })
    }

    /// The session of the current game.
    pub fn session(&mut self) -> &mut dyn Session {
        &mut *self.session
    }

    /// The bot that sits there.
    pub fn bot(&self) -> &'static Bot {
        self.bot
    }

    /// The number of the session, which its events carry.
    pub fn session_number(&self) -> u64 {
        self.sessions
    }

    /// The most playouts of a search, whatever is ordered. `None`: as many as that.
    pub fn most_playouts(&self) -> Option<u64> {
        self.options.session.playouts
    }

    /// Whether it is to think on in the opponent's time.
    pub fn ponders(&self) -> bool {
        self.options.session.ponder
    }

    /// Thinks on in the opponent's time, if that is wanted.
    pub fn ponder(&mut self) {
        if self.ponders() {
            self.session.ponder();
        }
    }

    /// Begins a new game.
    ///
    /// # Errors
    /// When the bot cannot play it. The game before goes on then.
    pub fn new_game(&mut self, setup: Setup) -> Result<(), String> {
        self.begin(Start::Opening(setup))
    }

    /// Sets up a position. Where it follows from the one on the board by one or two moves,
    /// those are played instead, so that the tree is kept.
    ///
    /// # Errors
    /// When the stones cannot stand so, or the bot cannot play this game. The game before goes
    /// on then.
    pub fn set_position(
        &mut self,
        setup: Setup,
        stones: Vec<(Point, Side)>,
        to_move: Side,
    ) -> Result<(), String> {
        let target = any::from_stones(&setup, &stones, to_move);
        let target = target.map_err(|error| error.to_string())?;
        if let Some(actions) = moves_between(self.session.game(), &*target) {
            for action in actions {
                self.session
                    .play(action)
                    .map_err(|error| error.to_string())?;
            }
            return Ok(());
        }
        self.begin(Start::Stones {
            setup,
            stones,
            to_move,
        })
    }

    /// Sets an option from now on.
    ///
    /// # Errors
    /// When the option does not take the value.
    pub fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        let mut settings = self.settings.clone();
        // Only the last value counts, and what is set again and again must not pile up.
        settings.retain(|(other, _)| other != name);
        settings.push((name.to_owned(), value));
        let options = options(self.bot, &self.start, &settings);
        let options = options.map_err(|error| error.to_string())?;
        self.settings = settings;
        if options != self.options {
            self.begin_again()?;
        }
        Ok(())
    }

    /// Lets another bot go on with the game. Nothing happens where it sits there already.
    ///
    /// # Errors
    /// When there is no such bot, or it cannot play this game.
    pub fn set_bot(&mut self, name: &str) -> Result<(), String> {
        if name == self.bot.name {
            return Ok(());
        }
        let scorer = Some(&SCORER).filter(|bot| bot.name == name);
        let bot = scorer.or_else(|| Bot::find(name));
        let bot = bot.ok_or_else(|| format!("no bot is called {name}"))?;
        let before = std::mem::replace(&mut self.bot, bot);
        self.begin_again().inspect_err(|_| self.bot = before)
    }

    /// Begins the game again, with a new session, and plays its moves.
    fn begin_again(&mut self) -> Result<(), String> {
        let played = self.session.game().history().to_vec();
        self.begin(self.start.clone())?;
        for action in played {
            self.session
                .play(action)
                .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn begin(&mut self, start: Start) -> Result<(), String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let options = options(self.bot, &start, &self.settings).map_err(|error| text(&error))?;
        let number = self.sessions + 1;
        let sink = sink(number, &self.events);
        let session = self.bot.sit(&start, options.clone(), &self.thread, sink);
        // The old tree is freed before the new one, only reserved as yet, is touched.
        self.session = session.map_err(|error| text(&error))?;
        self.sessions = number;
        self.options = options;
        self.start = start;
        Ok(())
    }
}

fn options(
    bot: &Bot,
    start: &Start,
    settings: &[(String, String)],
) -> Result<Options, OptionError> {
    let mut options = bot.options(start.setup().game());
    for (name, value) in settings {
        options.set(name, value)?;
    }
    Ok(options)
}

/// Where the session of this number sends its events.
fn sink(number: u64, events: &Events) -> EventSink {
    let events = events.clone();
    Arc::new(move |thought, event| events(number, thought, event))
}

/// The one or two moves, or none at all, that lead from one position to another.
fn moves_between(from: &dyn AnyGame, to: &dyn AnyGame) -> Option<Vec<Action>> {
    if from.setup() != to.setup() {
        return None;
    }
    let mut game = from.clone_box();
    let mut actions = Vec::new();
    reach(&mut *game, to, 2, &mut actions).then_some(actions)
}

fn reach(game: &mut dyn AnyGame, to: &dyn AnyGame, plies: u32, actions: &mut Vec<Action>) -> bool {
    if game.key() == to.key() {
        return true;
    }
    if plies == 0 {
        return false;
    }
    for action in game.legal_actions() {
        // Most moves cannot lead there: their stone is not in the other position.
        let absent = |point| to.stone_at(point).is_none();
        if matches!(action, Action::Point(point) if absent(point)) || game.play(action).is_err() {
            continue;
        }
        actions.push(action);
        if reach(game, to, plies - 1, actions) {
            return true;
        }
        actions.pop();
        // What was played can be taken back.
        let _ = game.undo();
    }
    false
}
