//! The players: Tengen, and the reference bots of the field.
//!
//! Every bot is a [`Session`] and so can be reached over every protocol. The systems of the
//! coursework are Tengen's own search with other options ([`presets`]), but for system C, which
//! is of the alpha-beta family ([`alphabeta`]); the others choose by a score ([`scored`]). The
//! graded opponents ([`ladder`]) are some of these with limits; [`scorer`] plays no game but tells
//! exact scores. [`seats`] lists who can play which game.

pub mod alphabeta;
mod ladder;
pub(crate) mod presets;
mod scored;
mod scorer;
mod seats;

use crate::game::{GameKind, Move, Playable, Point, Setup, SetupError, Side};
use crate::knowledge::Knowledge;
use crate::options::Options;
use crate::rollout::Rollout;
use crate::search::{Report, Search};
use crate::session::{EventSink, Session, Task, Thinker, ThinkingThread};
use seats::Sitting;

/// A bot by name.
pub struct Bot {
    /// The name, as in `--bot NAME`.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
    /// The games it plays.
    pub games: &'static [GameKind],
    player: fn(GameKind) -> Player,
}

/// Who plays a game under a bot's name, and with what options where nobody sets any.
struct Player {
    kind: PlayerKind,
    options: Options,
}

/// The kinds of players.
#[derive(Clone, Copy)]
enum PlayerKind {
    /// The search with what Tengen knows of the game.
    Knowing,
    /// The search with the rules alone.
    Plain,
    /// A search to a fixed depth.
    AlphaBeta,
    Random,
    Greedy,
    FiveTuple,
    /// No player: it tells exact scores.
    Scorer,
}

impl PlayerKind {
    fn with(self, options: impl Into<Options>) -> Player {
        Player {
            kind: self,
            options: options.into(),
        }
    }

    /// A player that no option makes stronger or weaker.
    fn alone(self) -> Player {
        self.with(Options::default())
    }
}

impl Player {
    /// The same player with so many playouts a move, or nodes.
    fn limited_to(mut self, playouts: u64) -> Player {
        self.options.session.playouts = Some(playouts);
        self
    }
}

/// Every bot, Tengen first.
pub static BOTS: &[Bot] = &[
    Bot {
        name: "tengen",
        help: "the engine itself",
        games: &GameKind::ALL,
        player: |game| PlayerKind::Knowing.with(presets::tengen(game)),
    },
    Bot {
        name: "random",
        help: "any legal move",
        games: &GameKind::ALL,
        player: |_| PlayerKind::Random.alone(),
    },
    Bot {
        name: "greedy",
        help: "Connect Four: win, block, centre; Reversi: most discs; Gomoku: longest line",
        games: &[GameKind::Gomoku, GameKind::Reversi, GameKind::Connect4],
        player: |_| PlayerKind::Greedy.alone(),
    },
    Bot {
        name: "five-tuple",
        help: "Gomoku: highest score over the five-cell windows through a cell",
        games: &[GameKind::Gomoku],
        player: |_| PlayerKind::FiveTuple.alone(),
    },
    Bot {
        name: "uct",
        help: "plain UCT: uniform rollouts and no knowledge",
        games: &GameKind::ALL,
        player: |game| PlayerKind::Plain.with(presets::uct(game)),
    },
    Bot {
        name: "gomoku-mcts",
        help: "coursework system A: Gomoku by UCT, c 1.414, move of the best mean",
        games: &[GameKind::Gomoku],
        player: |game| PlayerKind::Plain.with(presets::gomoku_mcts(game)),
    },
    Bot {
        name: "reversi-mcts",
        help: "coursework system B: Reversi by UCT rewarded by discs, move of the best UCB1",
        games: &[GameKind::Reversi],
        player: |game| PlayerKind::Plain.with(presets::reversi_mcts(game)),
    },
    Bot {
        name: "connect4-uct",
        help: "coursework system D: Connect Four by UCT, c 1, move of the best UCB1",
        games: &[GameKind::Connect4],
        player: |game| PlayerKind::Plain.with(presets::connect4_uct(game)),
    },
    Bot {
        name: "mini-alphago",
        help: "coursework system E: Reversi by UCT, wins alone count, move of the best mean",
        games: &[GameKind::Reversi],
        player: |game| PlayerKind::Plain.with(presets::mini_alphago(game)),
    },
    Bot {
        name: "alphabeta",
        help: "coursework system C and its kind: see depth, algorithm, history, attack, defence",
        games: &[GameKind::Gomoku, GameKind::Reversi, GameKind::Connect4],
        player: |game| PlayerKind::AlphaBeta.with(presets::alphabeta(game)),
    },
    Bot {
        name: "flat",
        help: "flat Monte Carlo: playouts spread evenly over the moves, move of the best mean",
        games: &GameKind::ALL,
        player: |game| PlayerKind::Plain.with(presets::flat(game)),
    },
    graded("level-1", |game| ladder::level(game, 1)),
    graded("level-2", |game| ladder::level(game, 2)),
    graded("level-3", |game| ladder::level(game, 3)),
    graded("level-4", |game| ladder::level(game, 4)),
    graded("level-5", |game| ladder::level(game, 5)),
    graded("level-6", |game| ladder::level(game, 6)),
    graded("level-7", |game| ladder::level(game, 7)),
    graded("level-8", |game| ladder::level(game, 8)),
    graded("level-9", |game| ladder::level(game, 9)),
    graded("level-10", |game| ladder::level(game, 10)),
];

/// Not among the bots, for it plays no game: it tells the exact score of each move, where a solver
/// comes to an end in time.
pub static SCORER: Bot = Bot {
    name: "scorer",
    help: "exact scores of moves",
    games: &[GameKind::Connect4, GameKind::Reversi],
    player: |_| PlayerKind::Scorer.alone(),
};

const fn graded(name: &'static str, player: fn(GameKind) -> Player) -> Bot {
    Bot {
        name,
        help: "a graded opponent, stronger with its number, and as strong on every machine within a second or two",
        games: &GameKind::ALL,
        player,
    }
}

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

    fn position<G: Playable>(&self) -> Result<G, SetupError> {
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

    /// The graded opponent of this level, 1 to 10.
    #[must_use]
    pub fn of_level(level: u8) -> Option<&'static Bot> {
        Bot::find(&format!("level-{level}"))
    }

    /// Whether it thinks by growing a tree, so that it can be interrupted and go on.
    #[must_use]
    pub fn grows_a_tree(&self, game: GameKind) -> bool {
        let kind = (self.player)(game).kind;
        matches!(kind, PlayerKind::Knowing | PlayerKind::Plain)
    }

    /// The options that this bot plays a game with, before anybody sets any.
    #[must_use]
    pub fn options(&self, game: GameKind) -> Options {
        (self.player)(game).options
    }

    /// Sits down to a game. Thinks on `thread`, and sends the events of it to `events`.
    ///
    /// # Errors
    /// When the bot does not play this game, or the game cannot begin so.
    pub fn sit(
        &self,
        start: &Start,
        options: Options,
        thread: &ThinkingThread,
        events: EventSink,
    ) -> Result<Box<dyn Session>, SetupError> {
        let game = start.setup().game();
        let player = (self.player)(game).kind;
        let sit = player.sit(game).filter(|_| self.games.contains(&game));
        let sit = sit.ok_or_else(|| {
            SetupError::Bot(format!("the bot {} does not play {game}", self.name))
        })?;
        sit(&Sitting {
            start,
            options,
            thread,
            events,
        })
    }
}

impl<G: Rollout, K: Knowledge<G> + 'static> Thinker<G> for Search<G, K> {
    fn advance(&mut self, mv: Move, _: &G) {
        Search::advance(self, mv);
    }

    fn reset(&mut self, position: &G) {
        Search::reset(self, position.clone());
    }

    fn plies_to_think_about(&self, _: &G) -> u32 {
        Search::plies_to_think_about(self)
    }

    fn choose(&mut self, _: &G, task: Task<'_>) -> Report {
        self.run(task.limits, task.stop, task.on_info)
    }
}
