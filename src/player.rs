//! A bot in its session, which is made anew when the game or the options change.

use crate::bots::{BOTS, Bot, SCORER, Start};
use crate::game::any::{self, AnyGame};
use crate::game::{Action, PlayError, Point, Setup, Side};
use crate::options::{OptionError, Options};
use crate::session::{Event, EventSink, Session, ThinkingThread};
use std::sync::Arc;

/// Where events go: the number of the session, that of its thinking, and the event.
type Events = Arc<dyn Fn(u64, u64, Event) + Send + Sync>;

/// A bot at its current game.
///
/// The engine keeps its session while others sit in its place, and goes on with its tree afterwards.
pub struct Player {
    seated: Seated,
    /// The engine, while another sits there.
    waiting: Option<Seated>,
    settings: Vec<(String, String)>,
    start: Start,
    sessions: u64,
    thread: ThinkingThread,
    events: Events,
}

/// A bot with its session.
struct Seated {
    bot: &'static Bot,
    options: Options,
    session: Box<dyn Session>,
    /// The number of the session.
    number: u64,
}

impl Seated {
    /// Brings the session to the end of these moves. What they share with its own game stays.
    fn follow(&mut self, played: &[Action]) -> Result<(), PlayError> {
        let own = self.session.game().history().to_vec();
        let pairs = own.iter().zip(played);
        let common = pairs.take_while(|(one, other)| one == other).count();
        for _ in common..own.len() {
            self.session.undo()?;
        }
        let new = played.iter().skip(common);
        new.copied()
            .try_for_each(|action| self.session.play(action))
    }
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
        Ok(Player {
            seated: seat(bot, &start, &settings, &thread, (1, &events))?,
            waiting: None,
            settings,
            start,
            sessions: 1,
            thread,
            events,
        })
    }

    /// The session of the current game.
    pub fn session(&mut self) -> &mut dyn Session {
        &mut *self.seated.session
    }

    /// The bot that sits there.
    pub fn bot(&self) -> &'static Bot {
        self.seated.bot
    }

    /// The number of the session, which its events carry.
    pub fn session_number(&self) -> u64 {
        self.seated.number
    }

    /// The most playouts of a search, whatever is ordered. `None`: as many as that.
    pub fn most_playouts(&self) -> Option<u64> {
        self.seated.options.session.playouts
    }

    /// Whether it is to think on in the opponent's time.
    pub fn ponders(&self) -> bool {
        self.seated.options.session.ponder
    }

    /// Thinks on in the opponent's time, if that is wanted.
    pub fn ponder(&mut self) {
        if self.ponders() {
            self.seated.session.ponder();
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
        if let Some(actions) = moves_between(self.seated.session.game(), &*target) {
            for action in actions {
                let played = self.seated.session.play(action);
                played.map_err(|error| error.to_string())?;
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
        let options = options(self.bot(), &self.start, &settings);
        let options = options.map_err(|error| error.to_string())?;
        let before = std::mem::replace(&mut self.settings, settings);
        if options == self.seated.options {
            return Ok(());
        }
        self.begin_again().inspect_err(|_| self.settings = before)
    }

    /// Lets another bot go on with the game. Nothing happens where it sits there already.
    ///
    /// # Errors
    /// When there is no such bot, or it cannot play this game.
    pub fn set_bot(&mut self, name: &str) -> Result<(), String> {
        if name == self.bot().name {
            return Ok(());
        }
        let scorer = Some(&SCORER).filter(|bot| bot.name == name);
        let bot = scorer.or_else(|| Bot::find(name));
        let bot = bot.ok_or_else(|| format!("no bot is called {name}"))?;
        // One that thinks on while it waits would have the thread for itself.
        self.seated.session.abort();
        let played = self.seated.session.game().history().to_vec();
        let mut next = match self.waiting.take_if(|waiting| waiting.bot.name == name) {
            Some(waiting) => waiting,
            None => self.new_seated(bot, &self.start)?,
        };
        next.follow(&played).map_err(|error| error.to_string())?;
        self.sessions = self.sessions.max(next.number);
        let before = std::mem::replace(&mut self.seated, next);
        if before.bot.name == BOTS[0].name {
            self.waiting = Some(before);
        }
        Ok(())
    }

    /// Begins the game again, with a new session, and plays its moves.
    fn begin_again(&mut self) -> Result<(), String> {
        let played = self.seated.session.game().history().to_vec();
        self.begin(self.start.clone())?;
        let followed = self.seated.follow(&played);
        followed.map_err(|error| error.to_string())
    }

    fn begin(&mut self, start: Start) -> Result<(), String> {
        // The old tree is freed before the new one, only reserved as yet, is touched.
        self.seated = self.new_seated(self.bot(), &start)?;
        self.waiting = None;
        self.sessions = self.seated.number;
        self.start = start;
        Ok(())
    }

    /// The bot with a new session.
    fn new_seated(&self, bot: &'static Bot, start: &Start) -> Result<Seated, String> {
        let events = (self.sessions + 1, &self.events);
        seat(bot, start, &self.settings, &self.thread, events)
    }
}

/// A bot at the beginning of a game, in the session of this number.
fn seat(
    bot: &'static Bot,
    start: &Start,
    settings: &[(String, String)],
    thread: &ThinkingThread,
    (number, events): (u64, &Events),
) -> Result<Seated, String> {
    let options = options(bot, start, settings).map_err(|error| error.to_string())?;
    let session = bot.sit(start, options.clone(), thread, sink(number, events));
    Ok(Seated {
        bot,
        options,
        session: session.map_err(|error| error.to_string())?,
        number,
    })
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
    // No ply adds more than a stone.
    let added = to.stones().len().checked_sub(from.stones().len())?;
    if from.setup() != to.setup() || added > 2 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{self, TimeControl};
    use crate::game::GameKind;
    use crate::search::Report;
    use crate::session::{Allowance, Order};
    use std::sync::mpsc;

    #[test]
    fn the_engine_keeps_its_tree_while_others_play() {
        let (sender, reports) = mpsc::channel::<Report>();
        let events = move |_, _, event| {
            if let Event::Best(report) = event {
                sender.send(report).unwrap();
            }
        };
        let setup = Setup::standard(GameKind::Reversi);
        let thread = ThinkingThread::here();
        let settings = vec![("memory".to_owned(), "8".to_owned())];
        let mut player = Player::new(&BOTS[0], settings, setup, thread, events).unwrap();
        let think = |player: &mut Player, playouts| {
            player.session().think(Order {
                received: clock::now(),
                allowance: Allowance {
                    time: TimeControl::default(),
                    playouts: Some(playouts),
                    report_every: None,
                },
            });
            reports.try_iter().last().unwrap()
        };
        let report = think(&mut player, 500);
        let expected = report.moves[0].visits;
        player.set_bot("level-1").unwrap();
        think(&mut player, 1);
        player.session().play(report.best.unwrap()).unwrap();
        player.set_bot(SCORER.name).unwrap();
        player.set_bot(BOTS[0].name).unwrap();
        let visits = think(&mut player, 1).visits;
        assert!(visits >= expected, "{visits} after {expected}");
        player.session().undo().unwrap();
        player.set_bot("level-1").unwrap();
        assert!(player.session().game().history().is_empty());
    }

    #[test]
    fn an_option_that_is_refused_leaves_the_others_as_they_were() {
        let setup = Setup::standard(GameKind::Reversi);
        let settings = vec![("memory".to_owned(), "8".to_owned())];
        let thread = ThinkingThread::here();
        let player = Player::new(&BOTS[0], settings.clone(), setup, thread, |_, _, _| {});
        let mut player = player.unwrap();
        assert!(player.set("memory", "much".to_owned()).is_err());
        assert_eq!(player.settings, settings);
        // The value is a good one, but the game cannot be begun again.
        player.start = Start::Opening(setup.with_size(9, 9));
        assert!(player.set("memory", "16".to_owned()).is_err());
        assert_eq!(player.settings, settings);
        assert_eq!(player.session_number(), 1);
    }

    /// The thread is free for the bot that comes, even where the one that goes was pondering.
    #[test]
    fn what_ponders_is_ended_when_another_bot_sits_down() {
        let (sender, events) = mpsc::channel();
        let tell = move |session, _, event| {
            if let Event::Best(_) = event {
                sender.send(session).unwrap();
            }
        };
        let setup = Setup::standard(GameKind::Reversi);
        let settings = [("memory", "8"), ("ponder", "true")];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let thread = ThinkingThread::start().unwrap();
        let mut player = Player::new(&BOTS[0], settings.to_vec(), setup, thread, tell).unwrap();
        player.ponder();
        player.set_bot("level-1").unwrap();
        player.session().think(Order {
            received: clock::now(),
            allowance: Allowance {
                time: TimeControl::default(),
                playouts: Some(1),
                report_every: None,
            },
        });
        assert_eq!(events.recv().unwrap(), player.session_number());
    }
}
