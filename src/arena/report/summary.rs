//! What records add up to: events, their players and pairings, and the list of games.
//!
//! An *event* is what can be compared: one game on one board on the same terms. Records of
//! several matches may be mixed; a game that stands in them twice is an error, as it would
//! count twice. Records tell no source of openings, so that matches which differ in nothing else
//! share a pairing, where their games are told apart by the openings themselves.

use super::replay::Cell;
use crate::arena::records::record::{GameRecord, Termination};
use crate::arena::report::crosstable::{Crosstable, Row};
use crate::arena::report::table;
use crate::arena::statistics::standing::{Standing, Times};
use crate::arena::statistics::stats::{Estimate, elo};
use crate::game::any::new_game;
use crate::game::kinds::MoveText;
use crate::game::{Action, Point, Setup, SetupError, Side, notation};
use anyhow::{bail, ensure};
use serde::Serialize;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// The most points of a curve of the score over time (guess: more than a screen shows apart).
const MOST_STEPS: usize = 200;

/// The sum of some records. It grows by a few bytes a game.
#[derive(Default)]
pub struct Summary {
    pairings: BTreeMap<Key, Pairing>,
    games: usize,
}

/// What the games of a pairing have in common. Pairings are listed in this order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// The pairing's number in its match.
    pairing: usize,
    event: String,
    engines: [String; 2],
    seed: u64,
    lateness_ms: Option<u64>,
    /// The bits of the score, which is not below 0, and the moves.
    adjudication: Option<(u64, u32)>,
}

struct Pairing {
    setup: Setup,
    standing: Standing,
    games: BTreeMap<GameKey, Game>,
}

/// What tells a game of a pairing from the others. They are listed in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct GameKey {
    pair: u32,
    /// A hash of the opening, which both games of a pair share.
    opening: u64,
    number: u32,
}

impl GameKey {
    fn new(record: &GameRecord) -> GameKey {
        GameKey {
            pair: record.number / 2,
            opening: BuildHasherDefault::<DefaultHasher>::new().hash_one(&record.opening),
            number: record.number,
        }
    }

    /// The key of the game before it in its pair.
    fn partner(self) -> Option<GameKey> {
        (self.number % 2 == 1).then(|| GameKey {
            number: self.number - 1,
            ..self
        })
    }
}

/// What the list of games tells of one.
struct Game {
    /// How many records were added before it.
    place: usize,
    first: usize,
    winner: Option<usize>,
    termination: Termination,
    plies: usize,
}

impl Summary {
    /// Counts a game.
    ///
    /// # Errors
    /// When it was counted before, or is no game of ours.
    pub fn add(&mut self, record: &GameRecord) -> anyhow::Result<()> {
        let setup = record.setup;
        let key = Key {
            pairing: record.pairing,
            event: event_title(&setup, record),
            engines: names(record),
            seed: record.seed,
            lateness_ms: record.lateness_ms,
            adjudication: record.adjudication.map(|it| (it.score.to_bits(), it.moves)),
        };
        let pairing = self.pairings.entry(key).or_insert_with(|| Pairing {
            setup,
            standing: Standing::new(record),
            games: BTreeMap::new(),
        });
        let game = Game {
            place: self.games,
            first: record.first,
            winner: record.winner,
            termination: record.termination,
            plies: record.opening.len() + record.moves.len(),
        };
        if pairing.games.insert(GameKey::new(record), game).is_some() {
            let number = record.number;
            bail!("game {number} of its pairing was there before: tengen merge drops copies");
        }
        pairing.standing.add(record);
        self.games += 1;
        Ok(())
    }

    /// The tables that a report shows.
    ///
    /// # Errors
    /// When there are no games.
    pub fn tables(&self) -> anyhow::Result<Tables> {
        ensure!(self.games > 0, "there are no games in the records");
        let mut events: Vec<Event> = Vec::new();
        let mut pairings = Vec::new();
        let mut games = Vec::new();
        for (key, pairing) in &self.pairings {
            let found = events.iter().position(|event| event.title == key.event);
            let event = found.unwrap_or(events.len());
            if found.is_none() {
                events.push(Event {
                    title: key.event.clone(),
                    board: Picture::new(&pairing.setup)?,
                    players: Vec::new(),
                });
            }
            let rows = pairing.games.iter();
            games.extend(rows.map(|(key, game)| game.row(pairings.len(), key.number)));
            pairings.push(PairingRow::new(event, key, pairing));
        }
        for event in &mut events {
            let own = self
                .pairings
                .iter()
                .filter(|(key, _)| key.event == event.title);
            let standings: Vec<_> = own.map(|(_, pairing)| &pairing.standing).collect();
            let rows = Crosstable::new(&standings).rows();
            event.players = rows.into_iter().map(Player::from).collect();
        }
        Ok(Tables {
            events,
            pairings,
            games,
        })
    }
}

/// `connect4 9x10 hole=3,4, 100 ms a move`: all that has to be equal to be compared.
fn event_title(setup: &Setup, record: &GameRecord) -> String {
    let mut parts = vec![setup.to_string()];
    parts.extend(record.limits());
    parts.join(", ")
}

/// The engines' names, made different where an engine plays against itself.
fn names(record: &GameRecord) -> [String; 2] {
    let [one, other] = record.engines.clone();
    if one == other {
        [one + " #1", other + " #2"]
    } else {
        [one, other]
    }
}

/// All tables of a report. Engines' names in them are text from outside.
#[derive(Clone, Debug, Serialize)]
pub struct Tables {
    /// In the order of their first pairings.
    pub events: Vec<Event>,
    /// In the order of the match.
    pub pairings: Vec<PairingRow>,
    /// In the order of the pairings and of the games' numbers.
    pub games: Vec<GameRow>,
}

/// One game on one board on the same terms.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// What is played, and on what terms.
    pub title: String,
    /// The board, as far as a drawing needs it.
    pub board: Picture,
    /// The cross table, best rating first, of the engines that met another. Games of an engine
    /// with itself say nothing here.
    pub players: Vec<Player>,
}

/// A board to be drawn.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// The game's name.
    pub game: &'static str,
    /// Columns.
    pub cols: u8,
    /// Rows.
    pub rows: u8,
    /// What stands above each column.
    pub col_labels: Vec<String>,
    /// What stands beside each row, from the top; nothing where moves do not name rows.
    pub row_labels: Vec<String>,
    /// The cell that nobody may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hole: Option<Cell>,
    /// The cells of either side's stones that the game begins with.
    pub start: [Vec<Cell>; 2],
}

/// A row of the cross table.
#[derive(Clone, Debug, Serialize)]
pub struct Player {
    /// The engine.
    pub name: String,
    /// The rating and the ends of its 95 % interval; the mean of all players is 0.
    pub elo: [f64; 3],
    /// Points won: 1 a game won, 1/2 a game drawn.
    pub points: f64,
    /// Games played.
    pub games: f64,
    /// The points won from each player and the games with it, in the order of the rows;
    /// `None` where they did not meet.
    pub cells: Vec<Option<(f64, f64)>>,
}

impl From<Row<'_>> for Player {
    fn from(row: Row<'_>) -> Player {
        Player {
            name: row.engine.to_owned(),
            elo: [row.elo, row.elo - row.error, row.elo + row.error],
            points: row.points,
            games: row.games,
            cells: row.cells,
        }
    }
}

/// A pairing, seen by the first of its engines.
#[derive(Clone, Debug, Serialize)]
pub struct PairingRow {
    /// The index of its event.
    pub event: usize,
    /// The engines.
    pub engines: [String; 2],
    /// Games won, drawn and lost.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// The score 0..1 and the ends of its 95 % interval.
    pub score: [f64; 3],
    /// The same in Elo points. Infinite ends, and an infinite middle, are `null` in JSON.
    pub elo: [f64; 3],
    /// The same as text.
    pub elo_text: String,
    /// Mean and longest ms of a move of either engine; `None` where it made none.
    pub times: [Option<[f64; 2]>; 2],
    /// How often either engine misbehaved.
    pub fault_counts: [u32; 2],
    /// What the faults were, in words.
    pub faults: Vec<String>,
    /// Score and interval after so many games: games, score, low, high. In the order of the
    /// games' numbers, whole pairs only.
    pub progress: Vec<(u32, f64, f64, f64)>,
}

/// A line of the list of games. An array in JSON, as there are thousands.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct GameRow(
    /// How many records were read before it.
    pub usize,
    /// The index of its pairing.
    pub usize,
    /// Its number in the pairing, from zero.
    pub u32,
    /// Which of the pairing's engines moved first.
    pub usize,
    /// Which of them won.
    pub Option<usize>,
    /// How it ended.
    pub Termination,
    /// Its plies, those of the opening among them.
    pub usize,
);

impl Game {
    fn row(&self, pairing: usize, number: u32) -> GameRow {
        GameRow(
            self.place,
            pairing,
            number,
            self.first,
            self.winner,
            self.termination,
            self.plies,
        )
    }
}

impl Picture {
    fn new(setup: &Setup) -> Result<Picture, SetupError> {
        let columns = setup.game().moves() == MoveText::Column;
        let col_label = |col| {
            if columns {
                notation::write(setup, Action::Column(col))
            } else {
                let text = notation::write(setup, Action::point(col, 0));
                text.chars().take(1).collect()
            }
        };
        let row_label = |row| {
            let text = notation::write(setup, Action::point(0, row));
            text.chars().skip(1).collect()
        };
        let rows = if columns { 0 } else { setup.rows };
        let cell = |at: Point| Cell::from(at.row) * Cell::from(setup.cols) + Cell::from(at.col);
        let game = new_game(setup)?;
        let stones_of = |side| {
            let points = setup.points();
            let own = points.filter(|&point| game.stone_at(point) == Some(side));
            own.map(cell).collect()
        };
        Ok(Picture {
            game: setup.game().name(),
            cols: setup.cols,
            rows: setup.rows,
            col_labels: (0..setup.cols).map(col_label).collect(),
            row_labels: (0..rows).map(row_label).collect(),
            hole: setup.hole().map(cell),
            start: [Side::First, Side::Second].map(stones_of),
        })
    }
}

impl PairingRow {
    fn new(event: usize, key: &Key, pairing: &Pairing) -> PairingRow {
        let standing = &pairing.standing;
        let estimate = standing.estimate();
        let [score, low, high] = estimate.map_or([f64::NAN; 3], |it| [it.score, it.low, it.high]);
        let times = |times: &Times| Some([times.mean_ms()?, times.max_ms()?]);
        let faults = standing.faults.iter();
        let faults = faults.map(|((engine, kind), (count, detail))| {
            let name = &key.engines[engine % 2];
            format!("{name}: {count} x {kind}, first: {detail}")
        });
        PairingRow {
            event,
            engines: key.engines.clone(),
            wins: standing.wins,
            draws: standing.draws,
            losses: standing.losses,
            score: [score, low, high],
            elo: [score, low, high].map(elo),
            elo_text: estimate.map_or_else(String::new, table::elo_with_interval),
            times: standing.times.each_ref().map(times),
            fault_counts: [standing.fault_count(0), standing.fault_count(1)],
            faults: faults.collect(),
            progress: progress(&pairing.games),
        }
    }
}

/// The score of the first engine after each pair, or after every so many pairs.
fn progress(games: &BTreeMap<GameKey, Game>) -> Vec<(u32, f64, f64, f64)> {
    let mut counts = [0; 5];
    let mut steps = Vec::new();
    for (key, game) in games {
        let partner = key.partner().and_then(|before| games.get(&before));
        if let Some(partner) = partner {
            counts[half_points(game) + half_points(partner)] += 1;
            let pairs: u32 = counts.iter().sum();
            let estimate = Estimate::of_pairs(&counts);
            steps.extend(estimate.map(|it| (2 * pairs, it.score, it.low, it.high)));
        }
    }
    let every = steps.len().div_ceil(MOST_STEPS).max(1);
    let last = steps.len().saturating_sub(1);
    let mut place = 0..;
    steps.retain(|_| {
        let at = place.next().unwrap_or(last);
        (last - at).is_multiple_of(every)
    });
    steps
}

fn half_points(game: &Game) -> usize {
    match game.winner {
        Some(0) => 2,
        Some(_) => 0,
        None => 1,
    }
}
