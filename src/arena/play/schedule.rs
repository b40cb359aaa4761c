//! Many games over several workers.
//!
//! Everything random in a game comes from the match's seed and the game's number, so the same
//! games are played whatever the concurrency, as far as the engines do not look at a clock.

use crate::arena::engines::engine::Engine;
use crate::arena::engines::spec::EngineSpec;
use crate::arena::play::opening::{OpeningError, Openings};
use crate::arena::play::referee::{self, Played, PlayedMove};
use crate::arena::records::date;
use crate::arena::records::ledger::Ledger;
use crate::arena::records::record::{GameRecord, MoveRecord, Termination};
use crate::arena::{Stop, Terms};
use crate::clock;
use crate::game::{Action, AnyGame, Setup, Side, notation};
use crate::rollout::Random;
use rand::{Rng, SeedableRng};
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};
use std::time::Duration;

/// How often a game is begun where the machine keeps an engine from playing.
const MOST_TRIES: u32 = 3;

/// Until then the machine may have recovered (guess).
const PAUSE: Duration = Duration::from_secs(1);

/// Two engines that play some games with each other.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// The engines. Games 2k have the first of them move first, games 2k+1 the other.
    pub engines: [EngineSpec; 2],
    /// What both are granted.
    pub terms: Terms,
    /// How many games.
    pub games: u32,
    /// How games begin; games 2k and 2k+1 begin alike.
    pub openings: Openings,
    /// What everything random is derived from.
    pub seed: u64,
}

/// Why a match cannot be played, or not on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// A game cannot begin.
    #[error(transparent)]
    Opening(OpeningError),
    /// An engine does not begin a game: its name, and what it did.
    #[error("{0} does not begin: {1}")]
    Engine(String, String),
    /// The machine kept an engine from playing: the number of the game, and what happened.
    #[error("game {0} cannot be played on this machine: {1}")]
    Host(u32, String),
    /// The dialogue with an engine cannot be written down.
    #[error("{0}")]
    Log(String),
    /// The system refuses a thread: how many there should be, and what it says.
    #[error("the system does not grant {0} threads: {1}")]
    Threads(usize, String),
}

impl Pairing {
    /// Whether a record is one of a game of this pairing, which has this index: with the same
    /// engines, terms, seed and opening, and a number that is played. Both games of its pair begin
    /// with its opening from now on, where the seed leaves that to a search.
    #[must_use]
    pub fn has_played(&self, index: usize, record: &GameRecord) -> bool {
        let setup = &self.terms.setup;
        let read = |text: &String| notation::parse(setup, text);
        if let Some(moves) = record.opening.iter().map(read).collect::<Option<Vec<_>>>() {
            let seed = self.opening_seed(record.number);
            self.openings.recall(setup, seed, &moves);
        }
        record.number < self.games
            && self.opening(record.number).is_ok_and(|game| {
                self.agreement(index, record.number, game.history()) == record.agreement()
            })
    }

    /// The game after the opening.
    ///
    /// # Errors
    /// When there is none.
    pub fn opening(&self, number: u32) -> Result<Box<dyn AnyGame>, MatchError> {
        let seed = self.opening_seed(number);
        let opening = self.openings.of_pair(&self.terms.setup, number / 2, seed);
        opening.map_err(MatchError::Opening)
    }

    /// The seed of a game's opening, the same for both games of a pair.
    fn opening_seed(&self, number: u32) -> u64 {
        self.derived_seed(0, number / 2)
    }

    /// What is agreed before a game; see [`GameRecord::agreement`].
    fn agreement(&self, index: usize, number: u32, opening: &[Action]) -> GameRecord {
        let terms = &self.terms;
        let setup = &terms.setup;
        let milliseconds = |time: Duration| time.as_millis() as u64;
        let increment = Some(terms.time.increment).filter(|_| terms.time.left.is_some());
        let lateness = Some(terms.margin).filter(|&margin| margin != Terms::MARGIN);
        GameRecord {
            pairing: index,
            number,
            engines: self.engines.each_ref().map(ToString::to_string),
            first: (number % 2) as usize,
            setup: terms.setup,
            time_ms: terms.time.per_move.map(milliseconds),
            game_time_ms: terms.time.left.map(milliseconds),
            increment_ms: increment.map(milliseconds),
            playouts: terms.playouts,
            depth: terms.depth,
            lateness_ms: lateness.map(milliseconds),
            adjudication: terms.adjudication,
            seed: self.seed,
            date: None,
            opening: opening
                .iter()
                .map(|&action| notation::write(setup, action))
                .collect(),
            moves: Vec::new(),
            winner: None,
            margin: None,
            termination: Termination::Draw,
            detail: None,
        }
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

/// Starts an engine, begins a game and ends it: so that a wrong name or a game that an engine
/// refuses is told at once and not counted as a lost match.
///
/// # Errors
/// What is wrong.
pub fn check(spec: &EngineSpec, terms: &Terms, seed: u64, stop: &Stop) -> Result<(), MatchError> {
    let mut engine = Engine::new(spec.clone(), *terms, stop.clone());
    let begun = engine.new_game(seed);
    begun.map_err(|fault| MatchError::Engine(spec.to_string(), fault.detail))?;
    engine.quit();
    Ok(())
}

/// A part of a match, for one of several machines: every so many-th pair of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    of: u32,
}

impl Shard {
    /// The whole match.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };

    /// Whether it has this pair of games of a pairing. More games change nothing about that.
    fn has(self, pairing: usize, pair: u32) -> bool {
        (pairing as u64 + u64::from(pair)) % u64::from(self.of) == u64::from(self.index)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((index, of)) if index < of => Ok(Shard { index, of }),
            _ => Err(format!(
                "{text:?} should be like 0/4: from 0/4 to 3/4 for four parts"
            )),
        }
    }
}

/// Which games of a match are to be played.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// All pairings of the match, in the order of their indices.
    pub pairings: &'a [Pairing],
    /// The indices of those that are played.
    pub range: Range<usize>,
    /// The part of their games that is played.
    pub shard: Shard,
    /// Games that were played before.
    pub done: &'a Ledger,
    /// The folder for the dialogues with the engines.
    pub log: Option<&'a Path>,
}

impl Plan<'_> {
    /// The games, by pairing and number, one pairing after the other.
    fn games(&self) -> impl Iterator<Item = (usize, u32)> {
        let range = self.range.clone();
        let pairings = range.zip(self.pairings.get(self.range.clone()).unwrap_or_default());
        pairings.flat_map(move |(index, pairing)| {
            (0..pairing.games)
                .filter(move |number| self.shard.has(index, number / 2))
                .filter(move |&number| !self.done.has(index, number))
                .map(move |number| (index, number))
        })
    }

    /// How many games are to be played.
    #[must_use]
    pub fn count(&self) -> usize {
        self.games().count()
    }
}

/// Plays the games of a plan on `concurrency` workers, or fewer where there are fewer games, each
/// with engines of its own. Blocks; calls `on_game` on this thread for each game when it is over, in
/// no certain order. Ends early, without the games then being played, when `stop` is set or
/// `on_game` fails.
///
/// # Errors
/// When a game cannot begin, the system refuses a thread, or what `on_game` returned.
pub fn run<E: From<MatchError>>(
    plan: &Plan<'_>,
    concurrency: usize,
    stop: &Stop,
    mut on_game: impl FnMut(GameRecord) -> Result<(), E>,
) -> Result<(), E> {
    let next = Mutex::new(plan.games());
    let take = || next.lock().unwrap_or_else(PoisonError::into_inner).next();
    let workers = plan.count().min(concurrency.max(1));
    thread::scope(|scope| {
        let (results, finished) = mpsc::channel();
        for _ in 0..workers {
            let (results, take) = (results.clone(), &take);
            let worker = move || work(plan, take, stop, &results);
            if let Err(error) = Builder::new().spawn_scoped(scope, worker) {
                stop.set();
                return Err(MatchError::Threads(workers, error.to_string()).into());
            }
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
    plan: &Plan<'_>,
    take: &dyn Fn() -> Option<(usize, u32)>,
    stop: &Stop,
    results: &Sender<Result<GameRecord, MatchError>>,
) {
    let mut seat: Option<(usize, [Engine; 2])> = None;
    while !stop.is_set()
        && let Some((index, number)) = take()
    {
        let pairing = &plan.pairings[index];
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
        let logged = plan
            .log
            .map_or(Ok(()), |folder| begin_logs(folder, index, number, engines));
        if let Err(error) = logged {
            let _ = results.send(Err(MatchError::Log(format!("{error:#}"))));
            break;
        }
        match undisturbed(number, || play_game(pairing, index, number, engines, stop)) {
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

/// A file for each engine in this game: `PAIRING-NUMBER-1.log` and `-2.log`, in the order of the
/// pairing.
fn begin_logs(
    folder: &Path,
    index: usize,
    number: u32,
    engines: &[Engine; 2],
) -> anyhow::Result<()> {
    for (place, engine) in (1..).zip(engines) {
        let path = folder.join(format!("{index}-{number:04}-{place}.log"));
        engine.log().begin(&path, &engine.spec().to_string())?;
    }
    Ok(())
}

fn leave(mut seat: Option<(usize, [Engine; 2])>) {
    for engine in seat.iter_mut().flat_map(|(_, engines)| engines) {
        engine.quit();
    }
}

/// Plays a game, again where the machine kept an engine from playing.
fn undisturbed(
    number: u32,
    mut play: impl FnMut() -> Result<Option<GameRecord>, MatchError>,
) -> Result<Option<GameRecord>, MatchError> {
    let mut tries = 0;
    loop {
        let record = play()?;
        let Some(GameRecord {
            termination: Termination::Host,
            detail,
            ..
        }) = &record
        else {
            return Ok(record);
        };
        let detail = detail.clone().unwrap_or_default();
        tries += 1;
        if tries == MOST_TRIES {
            return Err(MatchError::Host(number, detail));
        }
        log::warn!("game {number} begins again: {detail}");
        thread::sleep(PAUSE);
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
    let setup = &pairing.terms.setup;
    let game = pairing.opening(number)?;
    let opening = game.history().to_vec();
    let [one, other] = engines;
    let [seed_one, seed_other] = pairing.engine_seeds(number);
    let rule = pairing.terms.adjudication;
    let swapped = number % 2 == 1;
    let date = date::utc(clock::since_1970());
    let played = if swapped {
        referee::play(game, [other, one], [seed_other, seed_one], rule, stop)
    } else {
        referee::play(game, [one, other], [seed_one, seed_other], rule, stop)
    };
    let agreement = GameRecord {
        date: Some(date),
        ..pairing.agreement(index, number, &opening)
    };
    Ok(played.map(|played| record(agreement, setup, &played)))
}

/// The record of a game that was played as agreed.
fn record(agreement: GameRecord, setup: &Setup, played: &Played) -> GameRecord {
    let engine_of = |side: Side| (agreement.first + side.index()) % 2;
    GameRecord {
        moves: played
            .moves
            .iter()
            .map(|it| move_record(setup, it))
            .collect(),
        winner: played.winner.map(engine_of),
        margin: played.outcome.map(|outcome| outcome.margin(Side::First)),
        termination: played.termination,
        detail: played.detail.clone(),
        ..agreement
    }
}

fn move_record(setup: &Setup, played: &PlayedMove) -> MoveRecord {
    let told = &played.told;
    MoveRecord {
        text: notation::write(setup, played.action),
        ms: (played.took.as_secs_f64() * 1e6).round() / 1e3,
        value: told.value,
        playouts: told.playouts,
        depth: told.depth,
        top: told.top.clone(),
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
            openings: Openings::RandomPlies(4),
            seed,
        }
    }

    #[test]
    fn shards_part_the_pairs_between_them() {
        let of_games = |games| Pairing {
            games,
            ..pairing(1)
        };
        let done = Ledger::default();
        let of = |games: [u32; 3], range, shard: &str| {
            let plan = Plan {
                pairings: &games.map(of_games),
                range,
                shard: shard.parse().unwrap(),
                done: &done,
                log: None,
            };
            plan.games().collect::<Vec<_>>()
        };
        let games = |range, shard| of([2, 6, 4], range, shard);
        assert_eq!(games(0..3, "0/1").len(), 12);
        assert_eq!(
            games(1..2, "0/1"),
            [0, 1, 2, 3, 4, 5].map(|number| (1, number))
        );
        assert_eq!(games(0..3, "0/4"), [(0, 0), (0, 1)]);
        assert_eq!(games(0..3, "1/4"), [(1, 0), (1, 1)]);
        assert_eq!(games(0..3, "2/4"), [(1, 2), (1, 3), (2, 0), (2, 1)]);
        assert_eq!(games(0..3, "3/4"), [(1, 4), (1, 5), (2, 2), (2, 3)]);
        for shard in ["0/4", "1/4", "2/4", "3/4"] {
            let more = of([4, 8, 6], 0..3, shard);
            let is_kept = |game| more.contains(game);
            assert!(games(0..3, shard).iter().all(is_kept), "{shard}");
        }
        for wrong in ["", "1", "4/4", "0/0", "-1/4", "a/b"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn games_that_were_played_are_not_played_again() {
        let pairings = [pairing(1)];
        let opening = pairings[0].opening(3).unwrap();
        let record = pairings[0].agreement(0, 3, opening.history());
        assert!(pairings[0].has_played(0, &record));
        assert!(!pairings[0].has_played(1, &record));
        assert!(!pairing(2).has_played(0, &record));
        let number = 13;
        assert!(!pairings[0].has_played(
            0,
            &GameRecord {
                number,
                ..record.clone()
            }
        ));
        let openings = Openings::RandomPlies(2);
        assert!(
            !Pairing {
                openings,
                ..pairing(1)
            }
            .has_played(0, &record)
        );
        let mut done = Ledger::default();
        done.enter("", &record).unwrap();
        let plan = Plan {
            pairings: &pairings,
            range: 0..1,
            shard: Shard::WHOLE,
            done: &done,
            log: None,
        };
        assert_eq!(plan.count(), 9);
        assert!(plan.games().all(|(_, number)| number != 3));
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
