//! The C interface of the coursework in Connect Four with a forbidden cell: a shared library that
//! the course's referee loads.
//!
//! ```sh
//! cargo build --release --example strategy    # target/release/examples/libstrategy.so
//! ```
//!
//! The referee loads a library once and plays many games with it. It asks for each move on a new
//! thread, tells the whole board every time, and never says that a game begins. So nothing here
//! belongs to a thread, and a game is known by its board: it goes on where the board is the one
//! after our last move with the opponent's last move upon it, and is new everywhere else. As one
//! library may play both sides, two games are kept.
//!
//! The referee allows 3 s of one thread and 1 GB. `TENGEN_TIME_MS` in the environment sets another
//! time for a move than [`TIME`].

#![expect(unsafe_code, reason = "C hands over bare pointers")]

use std::ffi::c_int;
use std::slice;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tengen::bots::Bot;
use tengen::clock::{self, TimeControl};
use tengen::game::connect4::Connect4;
use tengen::game::{self, Action, Connect4Rules, Game, GameKind, Move, Playable, Setup};
use tengen::knowledge::connect4::Connect4Knowledge;
use tengen::options::{Memory, SearchOptions, SessionOptions};
use tengen::protocol::saiblo;
use tengen::search::{Limits, Report, Search, StopFlag};

/// A cell as the referee's header declares it: `x` is the row from the top, `y` the column from
/// the left, both from 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    x: c_int,
    y: c_int,
}

/// The answer where there is no move.
const NOWHERE: Point = Point { x: -1, y: -1 };

/// The time for a move: what the referee allows, less what a busy machine may take (guess).
const TIME: Duration = Duration::from_millis(2500);

/// Bytes of one tree. Two trees, and those of an opponent that is a copy of this library, stay
/// under the referee's 1 GB.
const TREE_BYTES: u64 = 160 << 20;

/// Bytes of the solver beside each tree.
const SOLVER_BYTES: usize = 32 << 20;

/// Games that are remembered: one for each side that this library may play.
const GAMES: usize = 2;

/// A game being played: its position is the one after our last move.
type Engine = Search<Connect4, Connect4Knowledge>;

/// The games that wait for their next move, the one played last at the end.
static WAITING: Mutex<Vec<Engine>> = Mutex::new(Vec::new());

/// The board that the referee tells.
struct Turn {
    position: Connect4,
    last: Option<game::Point>,
}

/// Chooses a move on a board of `rows` times `cols` cells.
///
/// `top` has the row above which each column is filled; `board` has the cells row by row from the
/// top, 1 for a stone of the opponent and 2 for one of ours; the opponent's last move is at row
/// `last_x` and column `last_y`, or at -1, -1; the forbidden cell is at row `no_x` and column
/// `no_y`. The answer must be given back to [`clearPoint`].
///
/// A board that cannot be is answered with the first open column, and where there is none with
/// -1, -1. Blocks for the time of a move.
///
/// # Safety
/// `top` is null or points to `cols` numbers, and `board` is null or points to `rows * cols`
/// numbers; nobody changes them during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getPoint(
    rows: c_int,
    cols: c_int,
    top: *const c_int,
    board: *const c_int,
    last_x: c_int,
    last_y: c_int,
    no_x: c_int,
    no_y: c_int,
) -> *mut Point {
    let received = clock::now();
    let point = size(rows, cols).and_then(|setup| {
        let (rows, cols) = (usize::from(setup.rows), usize::from(setup.cols));
        // SAFETY: the caller keeps the contract above; the sizes are small and not negative.
        let (top, board) = unsafe { (numbers(top, cols), numbers(board, rows * cols)) };
        let hole = cell(no_x, no_y);
        let turn = board.and_then(|board| {
            read(
                &setup.with(Connect4Rules {
                    hole,
                    ..setup.connect4()
                }),
                board,
                last_x,
                last_y,
            )
        });
        let chosen = turn.and_then(|turn| answer(&turn, &limits(&turn, received, *MOVE_TIME)));
        chosen.map(|(point, _)| point).or_else(|| first_open(top?))
    });
    Box::into_raw(Box::new(point.unwrap_or(NOWHERE)))
}

/// Takes back an answer of [`getPoint`]. Null is passed over.
///
/// # Safety
/// `point` is null, or comes from `getPoint` and was not given back before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearPoint(point: *mut Point) {
    if !point.is_null() {
        // SAFETY: by the contract above it is a box that `getPoint` let go, and nobody else's.
        drop(unsafe { Box::from_raw(point) });
    }
}

/// The numbers at an address. `None` where there can be none.
///
/// # Safety
/// `start` is null, not aligned, or points to `length` numbers that nobody changes during `'a`.
unsafe fn numbers<'a>(start: *const c_int, length: usize) -> Option<&'a [c_int]> {
    if start.is_null() || !start.is_aligned() {
        return None;
    }
    // SAFETY: it is neither null nor badly aligned, and the caller answers for the rest.
    Some(unsafe { slice::from_raw_parts(start, length) })
}

/// A board without a forbidden cell. `None`: the game is not played on such a board.
fn size(rows: c_int, cols: c_int) -> Option<Setup> {
    let standard = Setup::standard(GameKind::Connect4);
    let setup = standard.with_size(u8::try_from(cols).ok()?, u8::try_from(rows).ok()?);
    Connect4::new(&setup).ok().map(|_| setup)
}

fn cell(x: c_int, y: c_int) -> Option<game::Point> {
    Some(game::Point {
        col: u8::try_from(y).ok()?,
        row: u8::try_from(x).ok()?,
    })
}

/// `None`: no game leads to this board, or the game is over.
fn read(setup: &Setup, board: &[c_int], last_x: c_int, last_y: c_int) -> Option<Turn> {
    let fields: Vec<u8> = board
        .iter()
        .map(|&field| u8::try_from(field).unwrap_or(0))
        .collect();
    let (stones, me) = saiblo::stones(setup, &fields);
    let position = Connect4::from_stones(setup, &stones, me).ok()?;
    let last = cell(last_x, last_y);
    position
        .outcome()
        .is_none()
        .then_some(Turn { position, last })
}

/// This time for the move, since it was `received`.
fn limits(turn: &Turn, received: Instant, time: Duration) -> Limits {
    let overhead = Duration::from_millis(SessionOptions::default().move_overhead);
    let time = TimeControl::per_move(time);
    Limits {
        budget: time.budget(turn.position.max_plies_left(), overhead),
        ..Limits::unlimited(received)
    }
}

/// Thinks about a turn, and says what was found.
fn answer(turn: &Turn, limits: &Limits) -> Option<(Point, Report)> {
    let mut engine = sit_down(turn);
    let report = engine.run(limits, &StopFlag::new(), &mut |_| {});
    let action = report.best?;
    let mv = engine.position().parse_action(action)?;
    let point = landing(engine.position(), action)?;
    engine.advance(mv);
    wait(engine);
    Some((point, report))
}

/// The time for a move.
static MOVE_TIME: LazyLock<Duration> = LazyLock::new(|| {
    let set = std::env::var("TENGEN_TIME_MS").ok();
    let set = set.and_then(|text| text.parse().ok());
    set.map_or(TIME, Duration::from_millis)
});

/// The game that this turn belongs to. Nobody else has it while it is thought about.
fn sit_down(turn: &Turn) -> Engine {
    let mut waiting = waiting();
    let known = waiting
        .iter()
        .enumerate()
        .find_map(|(index, engine)| Some((index, move_to(engine.position(), turn)?)));
    if let Some((index, mv)) = known {
        let mut engine = waiting.remove(index);
        engine.advance(mv);
        return engine;
    }
    if waiting.len() >= GAMES {
        waiting.remove(0);
    }
    let position = turn.position.clone();
    let knowledge = Connect4Knowledge::new(&position.setup(), SOLVER_BYTES, 1);
    Search::new(position, knowledge, options())
}

/// The opponent's last move, if it leads from `position` to the board of this turn.
fn move_to(position: &Connect4, turn: &Turn) -> Option<Move> {
    if position.setup() != turn.position.setup() || position.outcome().is_some() {
        return None;
    }
    let mv = position.parse_action(Action::Point(turn.last?))?;
    let mut next = position.clone();
    next.play(mv);
    (next.key() == turn.position.key()).then_some(mv)
}

/// Remembers a game until its next move.
fn wait(engine: Engine) {
    let mut waiting = waiting();
    if waiting.len() >= GAMES {
        waiting.remove(0);
    }
    waiting.push(engine);
}

fn waiting() -> MutexGuard<'static, Vec<Engine>> {
    // The list is whole even if a thread died that held it.
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn options() -> SearchOptions {
    let tengen = Bot::find("tengen").map(|bot| bot.options(GameKind::Connect4).search);
    SearchOptions {
        threads: 1,
        memory: Memory::Bytes(TREE_BYTES),
        ..tengen.unwrap_or_default()
    }
}

/// The cell where a stone lands.
fn landing(position: &Connect4, action: Action) -> Option<Point> {
    let col = match action {
        Action::Column(col) => col,
        Action::Point(point) => point.col,
        Action::Steal | Action::Pass => return None,
    };
    let lands = |row: &u8| {
        let cell = Action::Point(game::Point { col, row: *row });
        position.parse_action(cell).is_some()
    };
    let row = (0..position.setup().rows).find(lands)?;
    Some(Point {
        x: c_int::from(row),
        y: c_int::from(col),
    })
}

/// A move by the column tops alone.
fn first_open(top: &[c_int]) -> Option<Point> {
    let (y, top) = (0..).zip(top).find(|&(_, &top)| top > 0)?;
    Some(Point { x: top - 1, y })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 10;
    const COLS: usize = 9;

    /// A board of the referee in the eyes of one side.
    fn turn(board: &[c_int], last: Option<usize>) -> Turn {
        let setup = size(ROWS as c_int, COLS as c_int).unwrap();
        let hole = cell(4, 4);
        let (x, y) = last.map_or((-1, -1), |at| ((at / COLS) as c_int, (at % COLS) as c_int));
        read(
            &setup.with(Connect4Rules {
                hole,
                ..setup.connect4()
            }),
            board,
            x,
            y,
        )
        .unwrap()
    }

    fn play(board: &[c_int], last: Option<usize>) -> (usize, Report) {
        // Enough playouts to look at every reply, however slow the machine.
        let limits = Limits::playouts(clock::now(), 1000);
        let (point, report) = answer(&turn(board, last), &limits).unwrap();
        let at = point.x as usize * COLS + point.y as usize;
        assert_eq!(board[at], 0);
        (at, report)
    }

    fn other_side(board: &[c_int]) -> Vec<c_int> {
        board
            .iter()
            .map(|&field| [0, 2, 1][field as usize])
            .collect()
    }

    #[test]
    fn both_sides_keep_their_trees_from_the_second_move_on() {
        for game in 0..3 {
            let mut board = vec![0; ROWS * COLS];
            let mut last = None;
            for ply in 0..6 {
                let (at, report) = play(&board, last);
                let reused = report.visits > report.playouts;
                assert_eq!(reused, ply > 1, "game {game}, ply {ply}: {report:?}");
                board[at] = 2;
                board = other_side(&board);
                last = Some(at);
            }
            assert!(waiting().len() <= GAMES);
        }
    }

    #[test]
    fn senseless_calls_do_no_harm() {
        let point = |rows, cols, top: &[c_int], board: *const c_int| {
            let top = if top.is_empty() {
                std::ptr::null()
            } else {
                top.as_ptr()
            };
            // SAFETY: the tests give null, or as many numbers as the sizes say.
            unsafe {
                let answer = getPoint(rows, cols, top, board, 3, -7, 99, -1);
                let point = *answer;
                clearPoint(answer);
                point
            }
        };
        let null = std::ptr::null();
        for (rows, cols) in [
            (0, 0),
            (-1, 9),
            (9, c_int::MIN),
            (c_int::MAX, c_int::MAX),
            (9, 9),
        ] {
            assert_eq!(point(rows, cols, &[], null), NOWHERE);
        }
        let top = [0, 0, 5, 9, 9, 9, 9, 9, 9];
        assert_eq!(point(9, 9, &top, null), Point { x: 4, y: 2 });
        // Stones in the air.
        let mut board = vec![0; 81];
        board[0] = 1;
        board[3] = 7;
        assert_eq!(point(9, 9, &top, board.as_ptr()), Point { x: 4, y: 2 });
        assert_eq!(point(9, 9, &[0; 9], board.as_ptr()), NOWHERE);
        // SAFETY: null is allowed.
        unsafe { clearPoint(std::ptr::null_mut()) };
    }
}
