//! Games of learning, and what their positions should be worth.

use super::search::{FeatureBoard, TABLE_BYTES, best};
use crate::game::reversi::Reversi;
use crate::game::{GameKind, Playable, Setup};
use crate::knowledge::reversi::Evaluator;
use crate::knowledge::reversi::endgame::{Board, TranspositionTable};
use crate::knowledge::reversi::patterns::{DISC, Features};
use crate::rollout::Random;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// How games are played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manner {
    /// Plies that the players look ahead.
    pub depth: u32,
    /// The most random moves at the beginning of a game; their number is random, too.
    pub random_plies: u32,
    /// The chance of a random move after them.
    pub exploration: f64,
    /// From so many empty squares on, results are exact.
    pub solved: u32,
}

/// A position to learn from.
pub struct Seen {
    /// The position.
    pub board: Board,
    /// What the evaluation sees of it.
    pub features: Features,
    /// What it should be worth for its side to move, in discs.
    pub target: f32,
    /// How the game ended for that side, in discs.
    pub result: f32,
}

/// A move of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    /// The discs of the side to move, and of the other.
    discs: [u64; 2],
    /// The value of the best move, in units of [`DISC`].
    value: i16,
    /// The value is the exact result.
    is_exact: bool,
    /// The best move was played.
    is_best: bool,
}

/// A game that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    turns: Vec<Turn>,
    /// The result for the side to move at the end, in discs.
    result: i8,
}

impl Game {
    /// Plays a game by this evaluation.
    pub fn play(evaluator: Evaluator<'_>, manner: &Manner, random: &mut Random) -> Game {
        let mut turns = Vec::new();
        let Ok(start) = Reversi::new(&Setup::standard(GameKind::Reversi)) else {
            return Game { turns, result: 0 };
        };
        let mut board = FeatureBoard::new(&start);
        let table = TranspositionTable::new(TABLE_BYTES);
        let first_plies = random.random_range(0..=manner.random_plies) as usize;
        loop {
            let is_exact = board.empties() <= manner.solved;
            let chosen = match is_exact {
                true => board.best_exactly(&table),
                false => best(evaluator, &board, manner.depth),
            };
            let Some(chosen) = chosen else {
                let result = board.result() as i8;
                return Game { turns, result };
            };
            let strays = turns.len() < first_plies || random.random_bool(manner.exploration);
            let mv = match strays {
                true => {
                    let moves: Vec<u16> = board.moves().collect();
                    moves[random.random_range(0..moves.len())]
                }
                false => chosen.mv,
            };
            turns.push(Turn {
                discs: board.discs(),
                value: chosen.value.clamp(-64 * DISC, 64 * DISC) as i16,
                is_exact,
                is_best: mv == chosen.mv,
            });
            board = board.after(mv);
        }
    }

    /// What its positions should be worth, the last first: a part `lambda` of a target is what comes
    /// later in the game, as far as the best moves were played.
    pub fn lessons(&self, lambda: f32) -> impl Iterator<Item = Seen> {
        // Both are for the side to move of the position at hand.
        let (mut later, mut result) = (f32::from(self.result), f32::from(self.result));
        self.turns.iter().rev().map(move |turn| {
            let value = f32::from(turn.value) / DISC as f32;
            (later, result) = (-later, -result);
            later = match turn.is_exact || !turn.is_best {
                true => value,
                false => lambda * later + (1.0 - lambda) * value,
            };
            let [own, other] = turn.discs;
            Seen {
                board: Board { own, other },
                features: Features::of_discs(own, other),
                target: later,
                result,
            }
        })
    }

    /// The positions from which on the best moves were played.
    pub fn unspoilt(&self) -> impl Iterator<Item = Seen> {
        let turns = self.turns.iter().rev();
        let count = turns.take_while(|turn| turn.is_best).count();
        self.lessons(1.0).take(count)
    }

    /// Appends the game to bytes.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend([self.turns.len() as u8, self.result as u8]);
        for turn in &self.turns {
            bytes.extend(turn.discs.map(u64::to_le_bytes).as_flattened());
            bytes.extend(turn.value.to_le_bytes());
            bytes.push(u8::from(turn.is_exact) | u8::from(turn.is_best) << 1);
        }
    }

    /// Takes a game from the beginning of bytes. `None`: there is none.
    pub fn read(bytes: &mut &[u8]) -> Option<Game> {
        let (&[count, result], mut rest) = bytes.split_first_chunk()?;
        let turns: Option<_> = (0..count).map(|_| Turn::read(&mut rest)).collect();
        *bytes = rest;
        Some(Game {
            turns: turns?,
            result: result as i8,
        })
    }
}

impl Turn {
    fn read(bytes: &mut &[u8]) -> Option<Turn> {
        let (own, rest) = bytes.split_first_chunk()?;
        let (other, rest) = rest.split_first_chunk()?;
        let (value, rest) = rest.split_first_chunk()?;
        let (flags, rest) = rest.split_first()?;
        *bytes = rest;
        let discs = [own, other].map(|it| u64::from_le_bytes(*it));
        Some(Turn {
            discs,
            value: i16::from_le_bytes(*value),
            is_exact: flags & 1 != 0,
            is_best: flags & 2 != 0,
        })
        .filter(|_| discs[0] & discs[1] == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::reversi::patterns::Patterns;
    use crate::learn::selfplay::random_of;

    fn games(exploration: f64) -> Vec<Game> {
        let manner = Manner {
            depth: 1,
            random_plies: 20,
            exploration,
            solved: 8,
        };
        let patterns = Patterns::blank();
        let play = |number| Game::play((&patterns).into(), &manner, &mut random_of(1, number));
        (0..10).map(play).collect()
    }

    #[test]
    fn games_are_read_back() {
        let games = games(0.1);
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes));
        let mut left = bytes.as_slice();
        for game in &games {
            assert_eq!(Game::read(&mut left).as_ref(), Some(game));
        }
        assert_eq!(Game::read(&mut left), None);
        assert_eq!(Game::read(&mut &bytes[..100]), None);
    }

    #[test]
    fn targets_lie_between_values_and_results() {
        for game in games(0.0) {
            let unspoilt: Vec<Seen> = game.unspoilt().collect();
            assert!(unspoilt.len() < game.turns.len());
            assert!(unspoilt.iter().all(|seen| seen.target == seen.result));
            let values: Vec<f32> = game.lessons(0.0).map(|seen| seen.target).collect();
            let expected = game
                .turns
                .iter()
                .rev()
                .map(|turn| f32::from(turn.value) / DISC as f32);
            assert_eq!(values, expected.collect::<Vec<_>>());
        }
    }
}
