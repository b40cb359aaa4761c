//! The opening book of 7×6.
//!
//! It has the score of every position with so many stones. The solver looks into it as soon as it
//! gets there, so that positions with fewer stones are answered by what they lead to. And it has a
//! column to play in: the best one for positions with at least [`EARLIER`] stones less, from which
//! this takes up to some milliseconds, and one that keeps the win or the draw for those positions
//! with as many stones or one more that take the solver long. An appendix has such columns for hard
//! positions with still more stones. Columns are no more than advice, for one in 18 of the
//! other positions gets one, too.
//!
//! Positions that are settled at sight are left out, and of two mirror images one. For a position
//! with another number of stones, and for one that no game leads to, the book tells nonsense.
//!
//! ```text
//! bytes      0..8      8       9..16   16..
//! book       tengen-b  stones  zero    a table of scores, 6 bits each, one of columns, 7 bits each
//! appendix   tengen-a  stones  zero    a table of columns
//!
//! bits of a column    6      3 2        0
//!                    |  check  | column |
//! ```

mod filter;

use filter::{Filter, scramble};

const MAGIC: &[u8; 8] = b"tengen-b";
const APPENDIX_MAGIC: &[u8; 8] = b"tengen-a";
const HEADER: usize = 16;

/// Bits of a score.
const SCORE_WIDTH: usize = 6;

/// What is added to a score so that it is not negative.
const OFFSET: i32 = 32;

/// Bits of a column and its check.
const COLUMN_WIDTH: usize = 7;

/// Where the check begins, which is of the key.
const CHECK_SHIFT: u32 = 3;

/// Positions with at least so many stones less than those whose scores are known have columns. (With
/// three less the solver takes a tenth of a millisecond.)
pub const EARLIER: u32 = 4;

/// The book of this program, as `tengen book connect4 --depth 10` makes it. No chance is in its
/// scores, and its seeds are the first that part the positions. Which positions have a column is
/// not quite the same every time, where the solver takes about as long as makes a position hard.
const OWN: &[u8] = included!("book", "7x6.book");

/// Its appendix, as `tengen book connect4 --depth 12 --likely 4116273` makes it: of all such
/// positions. No chance is in it.
const OWN_APPENDIX: &[u8] = included!("book", "7x6.appendix");

/// The book of this program with its appendix. `None`: it was built without.
#[must_use]
pub fn own() -> Option<Book<'static>> {
    let book = Book::read(OWN).ok()?;
    Some(match Appendix::read(OWN_APPENDIX) {
        Ok(appendix) => book.with_appendix(appendix),
        // A test rules this out.
        Err(_) => book,
    })
}

/// A book.
pub struct Book<'a> {
    plies: u32,
    scores: Filter<'a>,
    columns: Columns<'a>,
    appendix: Option<Appendix<'a>>,
}

/// Columns for positions with more stones than those of the book.
pub struct Appendix<'a> {
    stones: u32,
    columns: Columns<'a>,
}

/// Why a book cannot be used or made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// The bytes are not those of a book.
    #[error("this is no opening book")]
    Format,
    /// No seed that was tried parts the positions, or two of them are the same.
    #[error("no book can be made of these positions")]
    Positions,
}

impl<'a> Book<'a> {
    /// The book that these bytes are, without an appendix.
    ///
    /// # Errors
    /// When they are not.
    pub fn read(bytes: &'a [u8]) -> Result<Book<'a>, BookError> {
        let (plies, tables) = read_header(bytes, MAGIC)?;
        let (scores, tables) = Filter::read(tables, SCORE_WIDTH)?;
        Ok(Book {
            plies,
            scores,
            columns: Columns::read(tables)?,
            appendix: None,
        })
    }

    /// The book with this appendix. It is not asked for positions that the book has columns for.
    #[must_use]
    pub fn with_appendix(self, appendix: Appendix<'a>) -> Book<'a> {
        Book {
            appendix: Some(appendix),
            ..self
        }
    }

    /// How many stones the positions have whose scores are known.
    #[must_use]
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// The score of a position with [`plies`](Self::plies) stones by its key, the lower of its own
    /// and its mirror image's.
    #[inline]
    #[must_use]
    pub fn score(&self, key: u64) -> i32 {
        i32::from(self.scores.get(key)) - OFFSET
    }

    /// Whether positions with so many stones may have columns.
    #[must_use]
    pub fn advises(&self, stones: u32) -> bool {
        self.columns_of(stones).is_some()
    }

    /// A column, from 0, that should keep the value of the position with this key and so many
    /// stones.
    #[must_use]
    pub fn column(&self, stones: u32, key: u64) -> Option<u8> {
        self.columns_of(stones)?.get(key)
    }

    /// The table that has the columns for positions with so many stones.
    fn columns_of(&self, stones: u32) -> Option<&Columns<'a>> {
        let is_of_book =
            stones + EARLIER <= self.plies || (self.plies..=self.plies + 1).contains(&stones);
        let appendix = self.appendix.iter().find(|it| it.stones == stones);
        match is_of_book {
            true => Some(&self.columns),
            false => appendix.map(|it| &it.columns),
        }
    }
}

impl<'a> Appendix<'a> {
    /// The appendix that these bytes are.
    ///
    /// # Errors
    /// When they are not.
    pub fn read(bytes: &'a [u8]) -> Result<Appendix<'a>, BookError> {
        let (stones, table) = read_header(bytes, APPENDIX_MAGIC)?;
        Ok(Appendix {
            stones,
            columns: Columns::read(table)?,
        })
    }
}

/// The number of stones in a header, and the bytes after it.
fn read_header<'a>(bytes: &'a [u8], magic: &[u8; 8]) -> Result<(u32, &'a [u8]), BookError> {
    let (header, tables) = bytes.split_at_checked(HEADER).ok_or(BookError::Format)?;
    let stones = header
        .strip_prefix(magic)
        .and_then(|header| header.first())
        .ok_or(BookError::Format)?;
    Ok((u32::from(*stones), tables))
}

fn header(magic: &[u8; 8], stones: u32) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.extend([stones as u8, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

/// Columns by key.
struct Columns<'a>(Filter<'a>);

impl<'a> Columns<'a> {
    /// The table that these bytes are.
    fn read(bytes: &'a [u8]) -> Result<Columns<'a>, BookError> {
        let (filter, rest) = Filter::read(bytes, COLUMN_WIDTH)?;
        match rest {
            [] => Ok(Columns(filter)),
            _ => Err(BookError::Format),
        }
    }

    fn get(&self, key: u64) -> Option<u8> {
        let value = self.0.get(key);
        let column = value & !(u8::MAX << CHECK_SHIFT);
        (value >> CHECK_SHIFT == check(key) && column < 7).then_some(column)
    }

    /// The bytes of a table of these columns.
    fn build(columns: &[(u64, u8)]) -> Result<Vec<u8>, BookError> {
        let checked = |&(key, column): &(u64, u8)| (key, check(key) << CHECK_SHIFT | column);
        let columns: Vec<_> = columns.iter().map(checked).collect();
        filter::build(&columns, COLUMN_WIDTH)
    }
}

/// The bytes of a book of positions with `plies` stones, given by key and score, and of columns
/// for positions with numbers of stones that it advises. No two keys of one kind may be equal.
///
/// # Errors
/// When they are.
pub fn write(
    plies: u32,
    scores: &[(u64, i32)],
    columns: &[(u64, u8)],
) -> Result<Vec<u8>, BookError> {
    let score = |&(key, score): &(u64, i32)| (key, (score + OFFSET) as u8);
    let scores: Vec<_> = scores.iter().map(score).collect();
    let mut bytes = header(MAGIC, plies);
    bytes.extend(filter::build(&scores, SCORE_WIDTH)?);
    bytes.extend(Columns::build(columns)?);
    Ok(bytes)
}

/// The bytes of an appendix with columns for these positions, which have so many stones. No two
/// keys may be equal.
///
/// # Errors
/// When they are.
pub fn write_appendix(stones: u32, columns: &[(u64, u8)]) -> Result<Vec<u8>, BookError> {
    let mut bytes = header(APPENDIX_MAGIC, stones);
    bytes.extend(Columns::build(columns)?);
    Ok(bytes)
}

/// Tells a key from all but one in 16 others.
fn check(key: u64) -> u8 {
    (scramble(key) >> (64 - COLUMN_WIDTH as u32 + CHECK_SHIFT)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_book_tells_what_was_put_in(
            scores in prop::collection::btree_map(any::<u64>(), -18..=18_i32, 0..300),
            columns in prop::collection::btree_map(any::<u64>(), 0..7_u8, 0..300),
        ) {
            let scores: Vec<_> = scores.into_iter().collect();
            let columns: Vec<_> = columns.into_iter().collect();
            let bytes = write(8, &scores, &columns).unwrap();
            let book = Book::read(&bytes).unwrap();
            prop_assert_eq!(book.plies(), 8);
            for (key, score) in scores {
                prop_assert_eq!(book.score(key), score);
            }
            for (key, column) in columns {
                prop_assert_eq!(book.column(8, key), Some(column));
            }
        }
    }

    #[test]
    fn the_appendix_has_what_the_book_has_not() {
        let bytes = write(8, &[], &[(1, 2)]).unwrap();
        let appendix = write_appendix(11, &[(1, 5)]).unwrap();
        let book = Book::read(&bytes).unwrap();
        assert!(!book.advises(11));
        let book = book.with_appendix(Appendix::read(&appendix).unwrap());
        let advised = (0..15).filter(|&stones| book.advises(stones));
        assert_eq!(advised.collect::<Vec<_>>(), [0, 1, 2, 3, 4, 8, 9, 11]);
        let columns = [4, 8, 9, 10, 11].map(|stones| book.column(stones, 1));
        assert_eq!(columns, [Some(2), Some(2), Some(2), None, Some(5)]);
    }

    #[cfg(feature = "book")]
    #[test]
    fn this_program_has_a_book_and_its_appendix() {
        assert!(Book::read(OWN).is_ok());
        assert!(Appendix::read(OWN_APPENDIX).is_ok());
    }

    #[test]
    fn few_others_get_a_column() {
        let columns: Vec<_> = (0..1000).map(|key| (key, 3)).collect();
        let bytes = write(8, &[], &columns).unwrap();
        let book = Book::read(&bytes).unwrap();
        let others = (1000..33_000).filter(|&key| book.column(8, key).is_some());
        let count = others.count();
        assert!((1000..3000).contains(&count), "{count} of 32,000");
    }

    #[test]
    fn what_is_no_book_is_refused() {
        let bytes = write(3, &[(1, 2), (5, -3)], &[(1, 4)]).unwrap();
        assert!(Book::read(&bytes).is_ok());
        for length in 0..bytes.len() {
            assert_eq!(Book::read(&bytes[..length]).err(), Some(BookError::Format));
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(Book::read(&longer).err(), Some(BookError::Format));
        let other = [b"x", &bytes[1..]].concat();
        assert_eq!(Book::read(&other).err(), Some(BookError::Format));
        let appendix = write_appendix(12, &[(1, 4)]).unwrap();
        assert!(Appendix::read(&appendix).is_ok());
        let longer = [&appendix[..], &[0]].concat();
        assert_eq!(Appendix::read(&longer).err(), Some(BookError::Format));
        assert_eq!(Book::read(&appendix).err(), Some(BookError::Format));
        assert_eq!(Appendix::read(&bytes).err(), Some(BookError::Format));
    }

    #[test]
    fn positions_that_come_twice_make_no_book() {
        let twice = [(1, 2), (1, 2)];
        assert_eq!(write(3, &twice, &[]), Err(BookError::Positions));
    }
}
