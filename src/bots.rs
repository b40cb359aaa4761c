//! The players: Tengen, and the reference bots of the field.
//!
//! Every bot is a [`Session`] and so can be reached over every protocol. The systems of the
//! coursework are Tengen's own search with other options ([`presets`]); the others choose by a
//! score ([`scored`]). This file is the one table that joins games, knowledge and bots.

mod presets;
mod scored;

use crate::game::connect4::Connect4;
use crate::game::gomoku::Gomoku;
use crate::game::reversi::Reversi;
use crate::game::{Game, GameKind, Move, Point, Setup, SetupError, Side};
use crate::knowledge::connect4::Connect4Knowledge;
use crate::knowledge::gomoku::GomokuKnowledge;
use crate::knowledge::{Knowledge, NoKnowledge};
use crate::playout::Playout;
use crate::search::{Limits, Options, Report, Search, StopFlag};
use crate::session::{EventSink, Seat, Session, Thinker};
use scored::Scored;
use std::time::Duration;

/// A bot by name.
pub struct Bot {
    /// The name, as in `--bot NAME`.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
    /// The games it plays.
    pub games: &'static [GameKind],
    kind: Kind,
}

/// What is behind a bot's name.
#[derive(Clone, Copy)]
enum Kind {
    /// The search with what Tengen knows of the game.
    Knowing(fn(GameKind) -> Options),
    /// The search with the rules alone.
    Plain(fn(GameKind) -> Options),
    Random,
    Greedy,
    FiveTuple,
}

/// Every bot, Tengen first.
pub static BOTS: &[Bot] = &[
    Bot {
        name: "tengen",
        help: "the engine itself",
        games: &GameKind::ALL,
        kind: Kind::Knowing(presets::tengen),
    },
    Bot {
        name: "random",
        help: "any legal move",
        games: &GameKind::ALL,
        kind: Kind::Random,
    },
    Bot {
        name: "greedy",
        help: "Connect Four: win, block, centre; Reversi: most discs; Gomoku: longest line",
        games: &GameKind::ALL,
        kind: Kind::Greedy,
    },
    Bot {
        name: "five-tuple",
        help: "Gomoku: highest score over the five-cell windows through a cell",
        games: &[GameKind::Gomoku],
        kind: Kind::FiveTuple,
    },
    Bot {
        name: "uct",
        help: "plain UCT: uniform playouts and no knowledge",
        games: &GameKind::ALL,
        kind: Kind::Plain(presets::uct),
    },
    Bot {
        name: "gomoku-mcts",
        help: "coursework system A: Gomoku by UCT, c 1.414, move of the best mean",
        games: &[GameKind::Gomoku],
        kind: Kind::Plain(presets::gomoku_mcts),
    },
    Bot {
        name: "reversi-mcts",
        help: "coursework system B: Reversi by UCT rewarded by discs, move of the best UCB1",
        games: &[GameKind::Reversi],
        kind: Kind::Plain(presets::reversi_mcts),
    },
    Bot {
        name: "connect4-uct",
        help: "coursework system D: Connect Four by UCT, c 1, move of the best UCB1",
        games: &[GameKind::Connect4],
        kind: Kind::Plain(presets::connect4_uct),
    },
    Bot {
        name: "mini-alphago",
        help: "coursework system E: Reversi by UCT, wins alone count, move of the best mean",
        games: &[GameKind::Reversi],
        kind: Kind::Plain(presets::mini_alphago),
    },
];

/// Where a game begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// With the opening position.
    Opening(Setup),
    /// With these stones.
    Stones {
        /// What is agreed.
        setup: Setup,
        /// Every stone on the board.
        stones: Vec<(Point, Side)>,
        /// Whose turn it is.
        to_move: Side,
    },
}

impl Start {
    /// What is agreed before the game.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        match self {
            Start::Opening(setup) | Start::Stones { setup, .. } => setup,
        }
    }

    fn position<G: Game>(&self) -> Result<G, SetupError> {
        match self {
            Start::Opening(setup) => G::new(setup),
            Start::Stones {
                setup,
                stones,
                to_move,
            } => G::from_stones(setup, stones, *to_move),
        }
    }
}

impl Bot {
    /// The bot of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Bot> {
        BOTS.iter().find(|bot| bot.name == name)
    }

    /// The options that this bot plays a game with, before anybody sets any.
    #[must_use]
    pub fn options(&self, game: GameKind) -> Options {
        match self.kind {
            Kind::Knowing(options) | Kind::Plain(options) => options(game),
            Kind::Random | Kind::Greedy | Kind::FiveTuple => Options::default(),
        }
    }

    /// Sits down to a game. Events of its thinking go to `events`.
    ///
    /// # Errors
    /// When the bot does not play this game, or the game cannot begin so.
    pub fn sit(
        &self,
        start: &Start,
        options: Options,
        events: EventSink,
    ) -> Result<Box<dyn Session>, SetupError> {
        let game = start.setup().game;
        if !self.games.contains(&game) {
            let reason = format!("the bot {} does not play {game}", self.name);
            return Err(SetupError::Bot(reason));
        }
        match game {
            GameKind::Gomoku => self.seat::<Gomoku, _>(start, GomokuKnowledge, options, events),
            GameKind::Reversi => self.seat::<Reversi, _>(start, NoKnowledge, options, events),
            GameKind::Connect4 => {
                self.seat::<Connect4, _>(start, Connect4Knowledge, options, events)
            }
        }
    }

    fn seat<G, K>(
        &self,
        start: &Start,
        knowledge: K,
        options: Options,
        events: EventSink,
    ) -> Result<Box<dyn Session>, SetupError>
    where
        G: Playout + scored::Scores,
        K: Knowledge<G> + 'static,
    {
        let position: G = start.position()?;
        let overhead = Duration::from_millis(options.move_overhead);
        let scored = |score| Scored::new(score, options.seed);
        Ok(match self.kind {
            Kind::Knowing(_) => {
                let search = Search::new(position.clone(), knowledge, options);
                Box::new(Seat::new(position, search, overhead, events))
            }
            Kind::Plain(_) => {
                let search = Search::new(position.clone(), NoKnowledge, options);
                Box::new(Seat::new(position, search, overhead, events))
            }
            Kind::Random => Box::new(Seat::new(position, scored(|_, _| 0), overhead, events)),
            Kind::Greedy => Box::new(Seat::new(position, scored(G::greedy), overhead, events)),
            Kind::FiveTuple => {
                Box::new(Seat::new(position, scored(G::five_tuple), overhead, events))
            }
        })
    }
}

impl<G: Playout, K: Knowledge<G> + 'static> Thinker<G> for Search<G, K> {
    fn advance(&mut self, mv: Move, _: &G) {
        Search::advance(self, mv);
    }

    fn reset(&mut self, position: &G) {
        Search::reset(self, position.clone());
    }

    fn think(
        &mut self,
        _: &G,
        limits: &Limits,
        stop: &StopFlag,
        on_info: &mut dyn FnMut(Report),
    ) -> Report {
        self.run(limits, stop, on_info)
    }
}
