//! Records of self-play: the moves of a game, and what the search said of each. A position that was
//! searched on its own is a game that was left off there.
//!
//! Games stand one after the other, each with its length before it:
//!
//! ```text
//! u32   bytes that follow
//! u8    columns, rows, rule, plies of the opening, result of the first side (0 lost, 1 drawn, 2 won,
//!       3 left off)
//! u16   plies; then for each of them
//!   u16   cell
//!   f32   value of the side to move; not a number: unknown
//!   u8    moves of the policy; then for each of them
//!     u16   cell, weight
//! ```
//!
//! Numbers are little-endian.

use crate::game::gomoku::Gomoku;
use crate::game::{Game, GameKind, Playable, Rule, Setup, Side};

/// A game of self-play.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Size and rule.
    pub setup: Setup,
    /// Plies that no search chose: nothing is learned from them.
    pub opening: usize,
    /// Score of the first side: 0, 1/2 or 1. `None`: it was left off before its end.
    pub result: Option<f32>,
    /// The plies in order.
    pub plies: Vec<Ply>,
}

/// A ply of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Ply {
    /// Where the stone was put, as the move's code.
    pub cell: u16,
    /// Expected score 0..1 of the side to move by the search.
    pub value: Option<f32>,
    /// Cells and the weights, of any sum, with which the search would move there.
    pub policy: Vec<(u16, u16)>,
}

/// The result of a game that was left off.
const LEFT_OFF: u8 = 3;

/// The value that says nothing.
const UNKNOWN: f32 = f32::NAN;

impl Record {
    /// Its positions with what each teaches, the opening left out.
    pub fn positions(&self) -> impl Iterator<Item = (usize, &Ply)> {
        self.plies.iter().enumerate().skip(self.opening)
    }

    /// Score of a side at the end of the game, if it came to one.
    #[must_use]
    pub fn result_of(&self, side: Side) -> Option<f32> {
        self.result.map(|score| match side {
            Side::First => score,
            Side::Second => 1.0 - score,
        })
    }

    /// The position before a ply. `None`: it cannot be reached, as the record is no game.
    #[must_use]
    pub fn position_before(&self, ply: usize) -> Option<Gomoku> {
        let mut game = Gomoku::new(&self.setup).ok()?;
        for played in self.plies.get(..ply)? {
            let cell = usize::from(played.cell);
            let is_open = game.outcome().is_none() && game.empty_cells::<8>().contains(cell);
            is_open.then(|| game.play(Gomoku::move_at(cell)))?;
        }
        Some(game)
    }

    /// Writes it after other games.
    pub fn write(&self, out: &mut Vec<u8>) {
        let rule = Rule::ALL.iter().position(|&rule| rule == self.setup.rule());
        let mut bytes = vec![
            self.setup.cols,
            self.setup.rows,
            rule.unwrap_or_default() as u8,
            self.opening as u8,
            self.result.map_or(LEFT_OFF, |score| (2.0 * score) as u8),
        ];
        bytes.extend((self.plies.len() as u16).to_le_bytes());
        for ply in &self.plies {
            bytes.extend(ply.cell.to_le_bytes());
            bytes.extend(ply.value.unwrap_or(UNKNOWN).to_le_bytes());
            bytes.push(ply.policy.len() as u8);
            for (cell, weight) in &ply.policy {
                bytes.extend(cell.to_le_bytes());
                bytes.extend(weight.to_le_bytes());
            }
        }
        out.extend((bytes.len() as u32).to_le_bytes());
        out.extend(bytes);
    }

    /// Takes the next game from bytes that were written. `None`: it is cut short or damaged.
    pub fn read(bytes: &mut &[u8]) -> Option<Record> {
        let length = u32::from_le_bytes(take(bytes)?);
        let (mut record, rest) = bytes.split_at_checked(length as usize)?;
        *bytes = rest;
        parse(&mut record)
    }
}

fn parse(bytes: &mut &[u8]) -> Option<Record> {
    let [cols, rows, rule, opening, result] = take::<5>(bytes)?;
    let rule = *Rule::ALL.get(usize::from(rule))?;
    let result = match result {
        0..=2 => Some(f32::from(result) / 2.0),
        LEFT_OFF => None,
        _ => return None,
    };
    let setup = Setup::standard(GameKind::Gomoku).with(rule);
    let setup = setup.with_size(cols, rows);
    let count = u16::from_le_bytes(take(bytes)?);
    let plies: Option<Vec<Ply>> = (0..count).map(|_| parse_ply(bytes)).collect();
    Some(Record {
        setup,
        opening: usize::from(opening),
        result,
        plies: plies?,
    })
}

fn parse_ply(bytes: &mut &[u8]) -> Option<Ply> {
    let cell = u16::from_le_bytes(take(bytes)?);
    let value = f32::from_le_bytes(take(bytes)?);
    let [moves] = take(bytes)?;
    let pair = |bytes: &mut &[u8]| {
        let cell = u16::from_le_bytes(take(bytes)?);
        Some((cell, u16::from_le_bytes(take(bytes)?)))
    };
    let policy: Option<Vec<_>> = (0..moves).map(|_| pair(bytes)).collect();
    Some(Ply {
        cell,
        value: (!value.is_nan()).then_some(value),
        policy: policy?,
    })
}

fn take<const COUNT: usize>(bytes: &mut &[u8]) -> Option<[u8; COUNT]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let ply = |cell: u16, value: Option<f32>, policy: &[(u16, u16)]| Ply {
            cell,
            value,
            policy: policy.to_vec(),
        };
        Record {
            setup: Setup::standard(GameKind::Gomoku).with_size(15, 15),
            opening: 2,
            result: Some(0.5),
            plies: vec![
                ply(3, None, &[]),
                ply(200, None, &[]),
                ply(17, Some(0.1), &[(17, 9), (4, 1)]),
                ply(40, Some(1.0), &[]),
            ],
        }
    }

    #[test]
    fn games_are_read_as_they_were_written() {
        let left_off = Record {
            result: None,
            ..record()
        };
        let mut bytes = Vec::new();
        record().write(&mut bytes);
        let first = bytes.len();
        left_off.write(&mut bytes);
        let mut rest = bytes.as_slice();
        assert_eq!(Record::read(&mut rest), Some(record()));
        assert_eq!(Record::read(&mut rest), Some(left_off));
        assert_eq!((Record::read(&mut rest), rest.len()), (None, 0));
        let result = size_of::<u32>() + 4;
        bytes[result] = LEFT_OFF + 1;
        assert_eq!(Record::read(&mut bytes.as_slice()), None);
        bytes[result] = 1;
        for length in 0..first {
            assert_eq!(Record::read(&mut &bytes[..length]), None);
        }
    }

    #[test]
    fn a_record_that_is_no_game_has_no_positions() {
        let mut record = record();
        let position = record.position_before(3).unwrap();
        assert_eq!(position.empties(), 222);
        record.plies[1].cell = 3;
        assert!(record.position_before(1).is_some());
        assert!(record.position_before(3).is_none());
        // A guard, and beyond the board.
        for cell in [15, 1000] {
            record.plies[1].cell = cell;
            assert!(record.position_before(3).is_none());
        }
    }
}
