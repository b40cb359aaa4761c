//! PSQ, as Piskvork writes it: `Piskvorky 15x15, 11:11, 0`, then a line for each move, column and row
//! from 1 at the top left and milliseconds.

use super::{FileError, Read};
use crate::game::{Action, GameKind, PlayError, Setup, two_numbers};

/// Reads the moves, up to the first line without numbers, such as the name of a player.
pub fn read(text: &str) -> Result<Read, FileError> {
    let mut lines = text.lines();
    let size = lines.next().and_then(|line| {
        let size = line.split_whitespace().nth(1)?;
        two_numbers(size.trim_end_matches(','), 'x')
    });
    let (cols, rows) = size.ok_or(FileError::Form)?;
    let setup = Setup::standard(GameKind::Gomoku).with_size(cols, rows);
    let mut read = Read::new(setup);
    read.tells_rule = false;
    // Piskvork reads over empty lines.
    let lines = lines.map(str::trim).filter(|line| !line.is_empty());
    let moves = lines.map_while(|line| {
        let mut numbers = line.split(',').map(str::trim).take_while(is_number);
        Some((numbers.next()?, numbers.next()?))
    });
    for (number, (col, row)) in (1..).zip(moves) {
        let point = from_one(col).zip(from_one(row));
        let (col, row) = point.ok_or(FileError::Move(number, PlayError::Illegal))?;
        read.moves.push((None, Action::point(col, row)));
    }
    Ok(read)
}

/// Whether a text is a whole number, of any size.
fn is_number(text: &&str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
}

/// A column or row that is counted from 1. `None`: no board has it.
fn from_one(text: &str) -> Option<u8> {
    text.parse::<u8>().ok()?.checked_sub(1)
}
