//! PSQ, as Piskvork writes it: `Piskvorky 15x15, 11:11, 0`, then a line for each move, column and row
//! from 1 at the top left and milliseconds.

use super::{FileError, Read};
use crate::game::{Action, GameKind, Point, Setup, two_numbers};

/// Reads the moves, up to the first line that is none.
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
    let points = lines.map_while(|line| {
        let mut numbers = line
            .split(',')
            .map(|number| number.trim().parse::<u8>().ok());
        let (col, row) = (numbers.next()??, numbers.next()??);
        Some(Point {
            col: col.checked_sub(1)?,
            row: row.checked_sub(1)?,
        })
    });
    read.moves = points.map(|point| (None, Action::Point(point))).collect();
    Ok(read)
}
