//! GGF, the Generic Game Format, in which servers and boards of Othello keep their games.
//!
//! ```text
//! (;GM[Othello]PC[NBoard]PB[Ann]PW[Bo]TI[05:00//02:00]TY[8]
//!   BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]
//!   B[F5]W[d6/-1.20/3.51]B[c3//0.5]W[PA];)
//! ```
//!
//! A game is a list of properties, one value each. `BO` is the size of the board, its cells row
//! by row from the top (`*` black, `O` white, `-` empty) and the side to move. `B` and `W` are
//! moves: the square, what the player thought of it, and the seconds that it took; the last two
//! may be empty or left out. `TI`, or `TB` and `TW`, are the clocks: the time for the game, an
//! increment, and a time of grace after it, as minutes and seconds. Sources: "Generic Game
//! Format" by Buro (skatgame.net/mburo/ggsa/ggf), and for the letters of the game's type
//! `weltyc/ntest`, `src/odk/OsObjects.cpp`.
//!
//! Black is the first side. Properties that do not matter to the moves are passed over.

use super::{Action, AnyGame, GameKind, PlayError, Point, Setup, SetupError, Side, any, notation};
use std::fmt;
use std::time::Duration;

/// A game as it was written down.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The game and the size of its board.
    pub setup: Setup,
    /// The discs on the board before the first move, row by row from the top.
    pub stones: Vec<(Point, Side)>,
    /// Who makes the first move.
    pub to_move: Side,
    /// The clock of each side, where the record tells it.
    pub clocks: [Option<GameTime>; 2],
    /// The moves, in order. They need not be legal.
    pub moves: Vec<RecordedMove>,
}

/// What a side may use for the whole game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameTime {
    /// The time for the game.
    pub time: Duration,
    /// What is added to it after each move.
    pub increment: Duration,
}

/// A move of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMove {
    /// Who made it.
    pub side: Side,
    /// The move.
    pub action: Action,
    /// The time that it took; zero if it is not told.
    pub elapsed: Duration,
    /// What the player thought of it, in discs for the side that moved. Written and not read.
    pub value: Option<f64>,
    /// A remark without brackets, or nothing. Written and not read.
    pub comment: String,
}

/// Why a record cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GgfError {
    /// It is not of the form `(;NAME[value]…;)`.
    #[error("not of the form (;NAME[value]...;)")]
    Form,
    /// It is a game of something else.
    #[error("a game of {0:?}")]
    Game(String),
    /// It is played by other rules.
    #[error("a game by other rules, of type {0:?}")]
    Variant(String),
    /// There is no board, or its cells or its side to move cannot be read.
    #[error("no board BO, or a broken one")]
    Board,
    /// The position cannot be set up.
    #[error(transparent)]
    Setup(SetupError),
    /// The text of a move is not one.
    #[error("no move: {0:?}")]
    Move(String),
    /// This move, counted from 1, cannot be made.
    #[error("move {0}: {1}")]
    Play(usize, PlayError),
}

impl Record {
    /// The game with its moves played. A pass that the record leaves out, because a side had
    /// to pass and the other one moved, is among them.
    ///
    /// # Errors
    /// When the position cannot be set up, or a move is not legal.
    pub fn replay(&self) -> Result<Box<dyn AnyGame>, GgfError> {
        let game = any::from_stones(&self.setup, &self.stones, self.to_move);
        let mut game = game.map_err(GgfError::Setup)?;
        for (index, mv) in self.moves.iter().enumerate() {
            let refused = |error| GgfError::Play(index + 1, error);
            if mv.side != game.side_to_move() {
                game.play(Action::Pass).map_err(refused)?;
            }
            game.play(mv.action).map_err(refused)?;
        }
        Ok(game)
    }

    /// What `side` has left after the moves of the record; `None` without a clock. If none of its moves tells
    /// how long it took, the clock shows what is left now.
    #[must_use]
    pub fn time_left(&self, side: Side) -> Option<GameTime> {
        let clock = self.clocks[side.index()]?;
        let own = self.moves.iter().filter(|mv| mv.side == side);
        if own.clone().all(|mv| mv.elapsed.is_zero()) {
            return Some(clock);
        }
        Some(own.fold(clock, |clock, mv| clock.after(mv.elapsed)))
    }
}

/// The record as GGF. A clock that has run out is written as a
/// millisecond, for none would be no clock.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(;GM[Othello]TY[{}]", self.setup.cols)?;
        for (name, clock) in ["TB", "TW"].into_iter().zip(self.clocks) {
            if let Some(GameTime { time, increment }) = clock {
                let time = time.max(Duration::from_millis(1));
                write!(f, "{name}[{}/{}]", minutes(time), minutes(increment))?;
            }
        }
        write!(f, "BO[{} ", self.setup.cols)?;
        for point in self.setup.points() {
            let stone = self.stones.iter().find(|&&(at, _)| at == point);
            write!(f, "{}", stone.map_or('-', |&(_, side)| disc(side)))?;
        }
        write!(f, " {}]", disc(self.to_move))?;
        for mv in &self.moves {
            let name = match mv.side {
                Side::First => "B",
                Side::Second => "W",
            };
            let square = match mv.action {
                Action::Pass => "PA".to_owned(),
                action => notation::write(&self.setup, action).to_ascii_uppercase(),
            };
            write!(f, "{name}[{square}")?;
            let value = mv.value.map(|discs| format!("{discs:+.2}"));
            if value.is_some() || !mv.elapsed.is_zero() {
                write!(f, "/{}", value.unwrap_or_default())?;
            }
            if !mv.elapsed.is_zero() {
                write!(f, "/{:.3}", mv.elapsed.as_secs_f64())?;
            }
            f.write_str("]")?;
            if !mv.comment.is_empty() {
                write!(f, "C[{}]", mv.comment)?;
            }
        }
        write!(f, ";)")
    }
}

/// `05:00`; below a minute, where they matter, milliseconds too, as in `00:07.250`.
fn minutes(time: Duration) -> String {
    let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
    match time.subsec_millis() {
        milliseconds if minutes == 0 && milliseconds > 0 => {
            format!("00:{seconds:02}.{milliseconds:03}")
        }
        _ => format!("{minutes:02}:{seconds:02}"),
    }
}

fn disc(side: Side) -> char {
    match side {
        Side::First => '*',
        Side::Second => 'O',
    }
}

impl GameTime {
    /// The clock after a move that took so long.
    #[must_use]
    pub fn after(self, elapsed: Duration) -> GameTime {
        let time = self.time.saturating_sub(elapsed);
        let time = time.saturating_add(self.increment);
        GameTime { time, ..self }
    }
}

/// Reads the first game in `text`.
///
/// # Errors
/// When it is no game of Othello that is written in GGF. Whether its moves are legal,
/// [`Record::replay`] tells.
pub fn read(text: &str) -> Result<Record, GgfError> {
    let mut board = None;
    let mut clocks = [None; 2];
    let mut moves = Vec::new();
    let mut setup = Setup::standard(GameKind::Reversi);
    for (name, value) in properties(text).ok_or(GgfError::Form)? {
        match name {
            "GM" if value != "Othello" => return Err(GgfError::Game(value.to_owned())),
            // In anti games the fewer discs win. Words may follow the letters.
            "TY" if value.split(' ').next().is_some_and(|it| it.contains('a')) => {
                return Err(GgfError::Variant(value.to_owned()));
            }
            "BO" => {
                let read = read_board(value).ok_or(GgfError::Board)?;
                setup = setup.with_size(read.size, read.size);
                board = Some(read);
            }
            "TI" => clocks = [read_clock(value); 2],
            "TB" => clocks[Side::First.index()] = read_clock(value),
            "TW" => clocks[Side::Second.index()] = read_clock(value),
            "B" => moves.push((Side::First, value)),
            "W" => moves.push((Side::Second, value)),
            _ => {}
        }
    }
    let board = board.ok_or(GgfError::Board)?;
    let moves = moves.into_iter().map(|(side, text)| {
        let (action, elapsed) =
            read_move(&setup, text).ok_or_else(|| GgfError::Move(text.to_owned()))?;
        Ok(RecordedMove {
            side,
            action,
            elapsed,
            value: None,
            comment: String::new(),
        })
    });
    Ok(Record {
        setup,
        stones: board.stones,
        to_move: board.to_move,
        clocks,
        moves: moves.collect::<Result<_, _>>()?,
    })
}

/// Reads `F5`, `d6/-1.20/3.51`, `c3//0.5`, or `PA`, which some write as `--`: the move and the time that it
/// took. What the player thought of it is passed over, and so is a time that is no number.
#[must_use]
pub fn read_move(setup: &Setup, text: &str) -> Option<(Action, Duration)> {
    let mut parts = text.split('/').map(str::trim);
    let square = parts.next()?;
    let action = match square {
        "--" => Action::Pass,
        _ => notation::parse(setup, square)?,
    };
    let seconds = parts.nth(1).and_then(|seconds| seconds.parse().ok());
    let elapsed = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Some((action, elapsed.unwrap_or_default()))
}

/// The properties of the first game, by name and value. `None`: broken.
fn properties(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut rest = &text[text.find("(;")? + 2..];
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.starts_with(";)") {
            return Some(found);
        }
        let (name, after) = rest.split_once('[')?;
        let (value, after) = after.split_once(']')?;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return None;
        }
        found.push((name, value));
        rest = after;
    }
}

/// The value of `BO`.
struct Diagram {
    size: u8,
    stones: Vec<(Point, Side)>,
    to_move: Side,
}

/// Reads `8 ---…--- *`. Black is to move where the value does not tell.
fn read_board(value: &str) -> Option<Diagram> {
    let (size, cells) = value.trim().split_once(char::is_whitespace)?;
    let size: u8 = size.parse().ok()?;
    let mut cells = cells.chars().filter(|c| !c.is_whitespace());
    let mut stones = Vec::new();
    for row in 0..size {
        for col in 0..size {
            match cells.next()? {
                '-' => {}
                disc => stones.push((Point { col, row }, side(disc)?)),
            }
        }
    }
    let to_move = cells.next().map_or(Some(Side::First), side)?;
    cells.next().is_none().then_some(Diagram {
        size,
        stones,
        to_move,
    })
}

fn side(disc: char) -> Option<Side> {
    match disc {
        '*' => Some(Side::First),
        'O' => Some(Side::Second),
        _ => None,
    }
}

/// Reads `05:00/00:10/02:00`: the time for the game and the increment. The time of grace means
/// that the game is lost only by so much, so nobody should use it. `None`: no time, or no clock.
fn read_clock(value: &str) -> Option<GameTime> {
    let mut parts = value.split('/').map(read_time);
    let time = parts.next()?.filter(|time| !time.is_zero())?;
    let increment = parts.next().flatten().unwrap_or_default();
    Some(GameTime { time, increment })
}

/// Reads `15:00` or `1:15:00`.
fn read_time(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    for part in text.split(':') {
        let part: f64 = part.trim().parse().ok()?;
        seconds = 60.0 * seconds + part;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The record that the NBoard protocol's document shows.
    const NBOARD: &str = "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]\
        RE[?]TI[15:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]\
        B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4];)";

    const START: &str =
        "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";

    fn with_moves(moves: &str) -> String {
        format!("(;GM[Othello]{START}{moves};)")
    }

    #[test]
    fn a_game_of_nboard_is_read() {
        let record = read(NBOARD).unwrap();
        let opening = any::new_game(&Setup::standard(GameKind::Reversi)).unwrap();
        let mut expected = opening.clone_box();
        for text in ["f5", "f6", "d3", "c5", "e6", "f7", "e7", "f4"] {
            let action = notation::parse(&record.setup, text).unwrap();
            expected.play(action).unwrap();
        }
        assert_eq!(record.stones.len(), 4);
        assert_eq!(record.replay().unwrap().key(), expected.key());
        let clock = GameTime {
            time: Duration::from_secs(900),
            increment: Duration::ZERO,
        };
        assert_eq!(record.clocks, [Some(clock); 2]);
    }

    #[test]
    fn moves_may_carry_a_value_and_a_time() {
        let record = read(&with_moves(
            "TI[05:00/00:10/02:00]B[d3//6.39]W[c5/2.39/4.5]B[f6/1]W[f5]B[e6/nan/-1]",
        ));
        let record = record.unwrap();
        let times: Vec<f64> = record
            .moves
            .iter()
            .map(|mv| mv.elapsed.as_secs_f64())
            .collect();
        assert_eq!(times, [6.39, 4.5, 0.0, 0.0, 0.0]);
        let left = record.time_left(Side::Second).unwrap();
        assert_eq!(left.time, Duration::from_millis(300_000 - 4_500 + 20_000));
        assert_eq!(left.increment, Duration::from_secs(10));
    }

    #[test]
    fn clocks_beside_moves_without_times_show_what_is_left() {
        let record = read(&with_moves(
            "TB[00:01.500/00:00.020]TW[00:00.389/00:00.020]B[d3]W[c5]B[f6/1]W[f5]",
        ));
        let record = record.unwrap();
        let left = [Side::First, Side::Second].map(|side| record.time_left(side).unwrap().time);
        assert_eq!(left, [1500, 389].map(Duration::from_millis));
    }

    #[test]
    fn a_pass_may_be_written_or_left_out() {
        // Black has to pass after h6.
        let moves = "B[f5]W[f6]B[c4]W[g5]B[h5]W[h4]B[f7]W[h6]";
        let ends = [
            "B[PA]W[e7]",
            "B[pa//1]W[e7]",
            "B[pass]W[e7]",
            "B[--]W[e7]",
            "B[--/-2.00/0.5]W[e7]",
            "W[e7]",
        ];
        let games: Vec<_> = ends
            .iter()
            .map(|end| read(&with_moves(&format!("{moves}{end}"))).unwrap())
            .map(|record| record.replay().unwrap())
            .collect();
        assert!(games.iter().all(|game| game.history().len() == 10));
        assert!(games.iter().all(|game| game.key() == games[0].key()));
        let refused = read(&with_moves("B[f5]B[f6]")).unwrap().replay().err();
        assert_eq!(refused, Some(GgfError::Play(2, PlayError::Illegal)));
    }

    #[test]
    fn words_after_the_type_are_no_letters_of_it() {
        assert!(read(&NBOARD.replace("TY[8]", "TY[8 standard]")).is_ok());
    }

    #[test]
    fn broken_records_are_refused() {
        let cells = &START[3..START.len() - 1];
        for (text, error) in [
            (String::new(), GgfError::Form),
            ("(;GM[Othello]".to_owned(), GgfError::Form),
            ("(;GM[Othello;)".to_owned(), GgfError::Form),
            ("(;[x];)".to_owned(), GgfError::Form),
            ("(;GM[Othello];)".to_owned(), GgfError::Board),
            ("(;GM[Go];)".to_owned(), GgfError::Game("Go".to_owned())),
            ("(;TY[8a];)".to_owned(), GgfError::Variant("8a".to_owned())),
            ("(;BO[8];)".to_owned(), GgfError::Board),
            ("(;BO[999 -];)".to_owned(), GgfError::Board),
            (format!("(;BO[{cells}x];)"), GgfError::Board),
            (format!("(;BO[{}];)", &cells[..60]), GgfError::Board),
            (with_moves("B[i9]"), GgfError::Move("i9".to_owned())),
        ] {
            assert_eq!(read(&text), Err(error), "{text}");
        }
    }

    #[test]
    fn a_record_is_written_and_read_back() {
        let clock = |time, increment| {
            let (time, increment) = (
                Duration::from_millis(time),
                Duration::from_millis(increment),
            );
            Some(GameTime { time, increment })
        };
        let mut record = read(&with_moves(
            "B[f5]W[f6]B[c4]W[g5]B[h5]W[h4]B[f7]W[h6]B[PA]W[e7]",
        ))
        .unwrap();
        for clocks in [
            [None, None],
            [clock(300_000, 10_000), clock(59_999, 20)],
            [clock(7_250, 0), clock(1, 0)],
        ] {
            record.clocks = clocks;
            assert_eq!(read(&record.to_string()).as_ref(), Ok(&record), "{record}");
        }
        record.clocks = [clock(90_500, 0), clock(0, 0)];
        assert!(
            record
                .to_string()
                .contains("TB[01:30/00:00]TW[00:00.001/00:00]"),
            "{record}"
        );
    }

    #[test]
    fn other_sizes_cannot_be_set_up() {
        let cells = "-".repeat(100);
        let record = read(&format!("(;GM[Othello]BO[10 {cells} *];)")).unwrap();
        assert!(matches!(record.replay(), Err(GgfError::Setup(_))));
    }
}
