//! Who can sit down to which game: the one place that joins games, knowledge and players.

use super::alphabeta::AlphaBeta;
use super::scored::Scored;
use super::scorer::{Exact, Scorer};
use super::{PlayerKind, Start};
use crate::game::connect4::Connect4;
use crate::game::gomoku::Gomoku;
use crate::game::kinds::with_game;
use crate::game::reversi::Reversi;
use crate::game::{GameKind, Move, Playable, SetupError};
use crate::knowledge::connect4::{self, Connect4Knowledge};
use crate::knowledge::gomoku::{self, GomokuKnowledge};
use crate::knowledge::reversi::{self, ReversiKnowledge};
use crate::knowledge::{Evaluate, Knowledge, NoKnowledge};
use crate::options::{Memory, Options, SearchOptions};
use crate::rollout::Rollout;
use crate::search::Search;
use crate::session::{EventSink, Seat, Session, Thinker, ThinkingThread};

/// What a player needs to sit down.
pub struct Sitting<'a> {
    pub start: &'a Start,
    pub options: Options,
    pub thread: &'a ThinkingThread,
    pub events: EventSink,
}

/// Sits down to a game.
type Sit = fn(&Sitting<'_>) -> Result<Box<dyn Session>, SetupError>;

/// The games that Tengen knows something of.
const KNOWING: &[(GameKind, Sit)] = &[
    (GameKind::Gomoku, knowing_gomoku),
    (GameKind::Reversi, knowing_reversi),
    (GameKind::Connect4, knowing_connect4),
];

const ALPHA_BETA: &[(GameKind, Sit)] = &[
    (GameKind::Gomoku, alphabeta::<Gomoku>),
    (GameKind::Reversi, alphabeta::<Reversi>),
    (GameKind::Connect4, alphabeta::<Connect4>),
];

const GREEDY: &[(GameKind, Sit)] = &[
    (GameKind::Gomoku, |sitting| {
        scored::<Gomoku>(sitting, |at, mv| gomoku::longest_line(at, mv).into())
    }),
    (GameKind::Reversi, |sitting| {
        scored::<Reversi>(sitting, |at, mv| reversi::flips(at, mv).into())
    }),
    (GameKind::Connect4, |sitting| {
        scored::<Connect4>(sitting, |at, mv| connect4::greedy_score(at, mv).into())
    }),
];

const FIVE_TUPLE: &[(GameKind, Sit)] = &[(GameKind::Gomoku, |sitting| {
    scored::<Gomoku>(sitting, gomoku::five_tuple::score)
})];

const SCORER: &[(GameKind, Sit)] = &[
    (GameKind::Reversi, scorer::<Reversi>),
    (GameKind::Connect4, scorer::<Connect4>),
];

impl PlayerKind {
    /// How a player of this kind sits down to a game; `None`: it does not play that.
    pub fn sit(self, game: GameKind) -> Option<Sit> {
        let listed = |list: &[(GameKind, Sit)]| {
            let entry = list.iter().find(|(listed, _)| *listed == game);
            entry.map(|&(_, sit)| sit)
        };
        let plain = with_game!(game, G => plain::<G> as Sit);
        match self {
            PlayerKind::Knowing => listed(KNOWING).or(Some(plain)),
            PlayerKind::Plain => Some(plain),
            PlayerKind::Random => Some(with_game!(game, G => random::<G> as Sit)),
            PlayerKind::AlphaBeta => listed(ALPHA_BETA),
            PlayerKind::Greedy => listed(GREEDY),
            PlayerKind::FiveTuple => listed(FIVE_TUPLE),
            PlayerKind::Scorer => listed(SCORER),
        }
    }
}

fn plain<G: Playable + Rollout>(sitting: &Sitting<'_>) -> Result<Box<dyn Session>, SetupError> {
    knowing(sitting, |_: &G, _| NoKnowledge)
}

/// `knowledge` makes what is known of the game, and takes the memory it needs from that of the
/// options.
fn knowing<G, K>(
    sitting: &Sitting<'_>,
    knowledge: impl FnOnce(&G, &mut SearchOptions) -> K,
) -> Result<Box<dyn Session>, SetupError>
where
    G: Playable + Rollout,
    K: Knowledge<G> + 'static,
{
    seated(sitting, |position: &G| {
        let mut options = sitting.options.within_memory();
        let knowledge = knowledge(position, &mut options);
        Search::new(position.clone(), knowledge, options)
    })
}

/// The search for threats at the root has an eighth of the memory (guess), where it is used.
fn knowing_gomoku(sitting: &Sitting<'_>) -> Result<Box<dyn Session>, SetupError> {
    knowing(sitting, |position: &Gomoku, options| {
        GomokuKnowledge::own(position.rule(), solver_bytes(options, 8))
    })
}

/// The solver has a quarter of the memory (guess).
fn knowing_reversi(sitting: &Sitting<'_>) -> Result<Box<dyn Session>, SetupError> {
    let Some(known) = ReversiKnowledge::own() else {
        return plain::<Reversi>(sitting);
    };
    knowing(sitting, |_: &Reversi, options| {
        known.with_solver(solver_bytes(options, 4), options.threads)
    })
}

/// The solver has a quarter of the memory (guess).
fn knowing_connect4(sitting: &Sitting<'_>) -> Result<Box<dyn Session>, SetupError> {
    knowing(sitting, |position: &Connect4, options| {
        let bytes = solver_bytes(options, 4);
        Connect4Knowledge::new(&position.setup(), bytes, options.threads)
    })
}

/// A solver has this part of the memory, where it is used. It is taken from that of the tree.
fn solver_bytes(options: &mut SearchOptions, part: u64) -> usize {
    let all = options.memory.bytes();
    let bytes = match options.proofs && options.solve_root {
        true => all / part,
        false => 0,
    };
    options.memory = Memory::Bytes(all - bytes);
    bytes as usize
}

fn alphabeta<G: Playable + Evaluate>(
    sitting: &Sitting<'_>,
) -> Result<Box<dyn Session>, SetupError> {
    seated(sitting, |_: &G| {
        AlphaBeta::new(sitting.options.alphabeta.clone())
    })
}

fn random<G: Playable>(sitting: &Sitting<'_>) -> Result<Box<dyn Session>, SetupError> {
    scored::<G>(sitting, |_, _| 0)
}

fn scorer<G: Playable + Exact>(sitting: &Sitting<'_>) -> Result<Box<dyn Session>, SetupError> {
    seated(sitting, |position: &G| {
        Scorer::new(position, &sitting.options.within_memory())
    })
}

fn scored<G: Playable>(
    sitting: &Sitting<'_>,
    score: fn(&G, Move) -> i64,
) -> Result<Box<dyn Session>, SetupError> {
    seated(sitting, |_: &G| {
        Scored::new(score, sitting.options.search.seed)
    })
}

fn seated<G: Playable, T: Thinker<G>>(
    sitting: &Sitting<'_>,
    thinker: impl FnOnce(&G) -> T,
) -> Result<Box<dyn Session>, SetupError> {
    let position: G = sitting.start.position()?;
    let thinker = thinker(&position);
    let events = sitting.events.clone();
    let seat = Seat::new(
        position,
        thinker,
        &sitting.options.session,
        sitting.thread,
        events,
    );
    Ok(Box::new(seat))
}
