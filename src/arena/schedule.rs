//! Many games over several workers.
//!
//! Everything random in a game comes from the match's seed and the game's number, so the same
//! games are played whatever the concurrency, as far as the engines do not look at a clock.

use super::engine::{Engine, EngineSpec};
use super::opening::random_opening;
use super::record::{GameRecord, MoveRecord};
use super::referee::{self, Played};
use super::{Stop, Terms};
use crate::game::{Action, AnyGame, Setup, SetupError, Side, notation};
use crate::playout::Random;
use rand::{Rng, SeedableRng};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

/// Two engines that play some games with each other.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// The engines. Games 2k have the first of them move first, games 2k+1 the other.
    pub engines: [EngineSpec; 2],
    /// What both are granted.
    pub terms: Terms,
    /// How many games.
    pub games: u32,
    /// Random moves at the start of a game; games 2k and 2k+1 share them.
    pub random_plies: u32,
    /// What everything random is derived from.
    pub seed: u64,
}

/// Why a match cannot be played, or not on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchError {
    /// The game is not played with that setup.
    Setup(SetupError),
    /// No fair opening of so many random moves was found.
    Opening(u32),
    /// An engine does not begin a game: its name, and what it did.
    Engine(String, String),
}

impl fmt::Display for MatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchError::Setup(error) => error.fmt(f),
            MatchError::Opening(plies) => {
                write!(
                    f,
                    "no opening of {plies} random moves leaves a game to play"
                )
            }
            MatchError::Engine(name, detail) => write!(f, "{name} does not begin: {detail}"),
        }
    }
}

impl std::error::Error for MatchError {}

impl Pairing {
    /// Starts both engines, begins a game and ends them: so that a wrong name or a game that
    /// an engine refuses is told at once and not counted as a lost match.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self, stop: &Stop) -> Result<(), MatchError> {
        self.opening(0)?;
        for spec in &self.engines {
            let mut engine = Engine::new(spec.clone(), self.terms, stop.clone());
            engine
                .new_game(self.seed)
                .map_err(|fault| MatchError::Engine(spec.to_string(), fault.detail))?;
            engine.quit();
        }
        Ok(())
    }

    fn opening(&self, number: u32) -> Result<Box<dyn AnyGame>, MatchError> {
        let mut random = Random::seed_from_u64(self.derived_seed(0, number / 2));
        random_opening(&self.terms.setup, self.random_plies, &mut random)
            .map_err(MatchError::Setup)?
            .ok_or(MatchError::Opening(self.random_plies))
    }

    /// The seeds of the two engines, in the order of `engines`.
    fn engine_seeds(&self, number: u32) -> [u64; 2] {
        [self.derived_seed(1, number), self.derived_seed(2, number)]
    }

    /// A seed of its own for everything random: one stream a purpose, one number in it a game.
    fn derived_seed(&self, purpose: u64, number: u32) -> u64 {
        let index = purpose << 32 | u64::from(number);
        let mixed = Random::seed_from_u64(index).next_u64();
        Random::seed_from_u64(self.seed ^ mixed).next_u64()
    }
}

/// Plays all games of all pairings on `concurrency` workers, each with engines of its own.
/// Blocks; calls `on_game` on this thread for each game when it is over, in no certain order.
/// Ends early, without the games then being played, when `stop` is set or `on_game` fails.
///
/// # Errors
/// When a game cannot begin, or what `on_game` returned.
pub fn run<E: From<MatchError>>(
    pairings: &[Pairing],
    concurrency: usize,
    stop: &Stop,
    mut on_game: impl FnMut(GameRecord) -> Result<(), E>,
) -> Result<(), E> {
    let games: u64 = pairings
        .iter()
        .map(|pairing| u64::from(pairing.games))
        .sum();
    let workers = games.clamp(1, concurrency.max(1) as u64);
    let next = AtomicU64::new(0);
    thread::scope(|scope| {
        let (results, finished) = mpsc::channel();
        for _ in 0..workers {
            let (results, next) = (results.clone(), &next);
            scope.spawn(move || work(pairings, next, stop, &results));
        }
        drop(results);
        for result in finished {
            if let Err(error) = result.map_err(E::from).and_then(&mut on_game) {
                stop.set();
                return Err(error);
            }
        }
        Ok(())
    })
}

/// Takes games until none is left. Ends its engines then.
fn work(
    pairings: &[Pairing],
    next: &AtomicU64,
    stop: &Stop,
    results: &Sender<Result<GameRecord, MatchError>>,
) {
    let mut seat: Option<(usize, [Engine; 2])> = None;
    while !stop.is_set()
        && let Some((index, number)) = game_at(pairings, next.fetch_add(1, Ordering::Relaxed))
    {
        let pairing = &pairings[index];
        if seat.as_ref().is_none_or(|(seated, _)| *seated != index) {
            leave(seat.take());
        }
        let (_, engines) = seat.get_or_insert_with(|| {
            let engine = |spec: &EngineSpec| Engine::new(spec.clone(), pairing.terms, stop.clone());
            (
                index,
                [engine(&pairing.engines[0]), engine(&pairing.engines[1])],
            )
        });
        match play_game(pairing, index, number, engines, stop) {
            Ok(None) => {}
            Ok(Some(record)) => {
                let _ = results.send(Ok(record));
            }
            Err(error) => {
                let _ = results.send(Err(error));
                break;
            }
        }
    }
    if !stop.is_set() {
        leave(seat);
    }
}

/// The pairing, by its index, and the number in it of the game that has `place` games before
/// it when one pairing is played after the other. `None`: all are before it.
fn game_at(pairings: &[Pairing], mut place: u64) -> Option<(usize, u32)> {
    for (index, pairing) in pairings.iter().enumerate() {
        let games = u64::from(pairing.games);
        if place < games {
            return Some((index, place as u32));
        }
        place -= games;
    }
    None
}

fn leave(mut seat: Option<(usize, [Engine; 2])>) {
    for engine in seat.iter_mut().flat_map(|(_, engines)| engines) {
        engine.quit();
    }
}

/// Plays one game; `None` when it was stopped.
fn play_game(
    pairing: &Pairing,
    index: usize,
    number: u32,
    engines: &mut [Engine; 2],
    stop: &Stop,
) -> Result<Option<GameRecord>, MatchError> {
    let game = pairing.opening(number)?;
    let opening = game.history().to_vec();
    let [one, other] = engines;
    let [seed_one, seed_other] = pairing.engine_seeds(number);
    let swapped = number % 2 == 1;
    let played = if swapped {
        referee::play(game, [other, one], [seed_other, seed_one], stop)
    } else {
        referee::play(game, [one, other], [seed_one, seed_other], stop)
    };
    Ok(played.map(|played| record(pairing, index, number, &opening, &played)))
}

fn record(
    pairing: &Pairing,
    index: usize,
    number: u32,
    opening: &[Action],
    played: &Played,
) -> GameRecord {
    let terms = &pairing.terms;
    // Taken apart, so that the compiler asks for whatever is agreed on next.
    let setup = &terms.setup;
    let &Setup {
        game,
        cols,
        rows,
        rule,
        hole,
        connect,
        steal,
    } = setup;
    let first = (number % 2) as usize;
    let engine_of = |side: Side| (first + side.index()) % 2;
    let moves = played.moves.iter().map(|&(action, took)| MoveRecord {
        text: notation::write(setup, action),
        ms: (took.as_secs_f64() * 1e6).round() / 1e3,
        value: None,
        playouts: None,
        top: Vec::new(),
    });
    GameRecord {
        pairing: index,
        number,
        engines: pairing.engines.each_ref().map(ToString::to_string),
        first,
        game: game.to_string(),
        cols,
        rows,
        rule: rule.to_string(),
        connect,
        hole: hole.map(|hole| [hole.col, hole.row]),
        steal,
        time_ms: terms.time.map(|time| time.as_millis() as u64),
        game_time_ms: None,
        increment_ms: None,
        playouts: terms.playouts,
        seed: pairing.seed,
        opening: opening
            .iter()
            .map(|&action| notation::write(setup, action))
            .collect(),
        moves: moves.collect(),
        winner: played.winner.map(engine_of),
        margin: played.outcome.map(|outcome| outcome.margin(Side::First)),
        termination: played.termination,
        detail: played.detail.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameKind;

    fn pairing(seed: u64) -> Pairing {
        let engine = || "random".parse().unwrap();
        Pairing {
            engines: [engine(), engine()],
            terms: Terms::new(Setup::standard(GameKind::Gomoku)),
            games: 10,
            random_plies: 4,
            seed,
        }
    }

    #[test]
    fn games_are_counted_and_not_listed() {
        let of_games = |games| Pairing {
            games,
            ..pairing(1)
        };
        let pairings = [2, 4_000_000_000, 2].map(of_games);
        for (place, game) in [
            (1, Some((0, 1))),
            (2, Some((1, 0))),
            (4_000_000_001, Some((1, 3_999_999_999))),
            (4_000_000_003, Some((2, 1))),
            (4_000_000_004, None),
        ] {
            assert_eq!(game_at(&pairings, place), game, "{place}");
        }
    }

    #[test]
    fn pairs_share_openings_and_nothing_else() {
        let moves = |number| pairing(1).opening(number).unwrap().history().to_vec();
        assert_eq!(moves(0), moves(1));
        assert_ne!(moves(1), moves(2));
        let mut seeds: Vec<u64> = (0..10).flat_map(|n| pairing(1).engine_seeds(n)).collect();
        seeds.extend(pairing(2).engine_seeds(0));
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 22);
    }
}
