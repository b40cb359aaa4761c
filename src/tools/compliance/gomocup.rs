//! What a manager of Gomocup relies on. Source: `Gomocup/GomocupJudge`, `doc/GomocupProtocol.md`.

use super::Check;
use super::talk::{Finding, Talk, failed};
use crate::arena::engines::dialect::gomocup::is_ok;
use crate::arena::engines::process::Line;
use crate::game::setup::two_numbers;
use crate::game::{Action, AnyGame, Point, Setup, any};
use std::time::Duration;

/// So long that no engine has thought it through when it is asked to end.
const LONG_THOUGHT: Duration = Duration::from_secs(60);

pub const CHECKS: &[Check] = &[
    Check::new("ABOUT", about),
    Check::new("START", start),
    Check::new("OK alone", ok_alone),
    Check::new("START 20", start_20),
    Check::new("impossible size", impossible_size),
    Check::new("RECTSTART", rectstart),
    Check::new("BEGIN", begin),
    Check::new("TURN", turn),
    Check::new("BOARD", board),
    Check::new("RESTART", restart),
    Check::new("TAKEBACK", takeback),
    Check::new("INFO is silent", info),
    Check::new("time for a move", time),
    Check::new("no time for a move", no_time),
    Check::new("occupied cell", occupied),
    Check::new("cell off the board", outside),
    Check::new("move that is none", no_move),
    Check::new("unknown command", unknown),
    Check::new("lines end in CR LF", crlf),
    Check::new("small letters", small_letters),
    Check::new("SWAP2BOARD", swap2),
    Check::new("PLAY", play),
    Check::new("END", end),
    Check::new("END in a thought", end_in_thought),
    Check::new("end of input", end_of_input),
];

/// The next line that is not for people.
fn hear(talk: &mut Talk) -> Result<Line, Finding> {
    loop {
        let line = talk.hear()?;
        if !is_comment(&line) {
            return Ok(line);
        }
    }
}

fn is_comment(line: &Line) -> bool {
    let word = first_word(line);
    ["", "MESSAGE", "DEBUG"].contains(&word.as_str())
}

fn first_word(line: &Line) -> String {
    let word = line.text.split_whitespace().next().unwrap_or_default();
    word.to_ascii_uppercase()
}

fn ask(talk: &mut Talk, line: &str) -> Result<Line, Finding> {
    talk.say(line);
    hear(talk)
}

fn expect_ok(line: &Line) -> Result<(), Finding> {
    if is_ok(&line.text) {
        return Ok(());
    }
    Err(failed("OK is expected"))
}

fn expect_error(line: &Line) -> Result<(), Finding> {
    if ["ERROR", "UNKNOWN"].contains(&first_word(line).as_str()) {
        return Ok(());
    }
    Err(failed("ERROR or UNKNOWN is expected"))
}

/// Passes over a command that the engine does not know, where it need not.
fn known(line: Line) -> Result<Line, Finding> {
    if ["ERROR", "UNKNOWN"].contains(&first_word(&line).as_str()) {
        return Err(Finding::Skipped("the engine does not do this".to_owned()));
    }
    Ok(line)
}

fn point(text: &str) -> Option<Point> {
    let (col, row) = two_numbers(text, ',')?;
    Some(Point { col, row })
}

/// The line must be a legal move, which is played.
fn expect_move(line: &Line, game: &mut dyn AnyGame) -> Result<Point, Finding> {
    let point = point(line.text.trim()).ok_or_else(|| failed("x,y is expected"))?;
    game.play(Action::Point(point))?;
    Ok(point)
}

/// A new game, begun and told to the engine with its time.
fn new_game(talk: &mut Talk) -> Result<Box<dyn AnyGame>, Finding> {
    start(talk)?;
    grant(talk, talk.time());
    talk.new_game()
}

fn start(talk: &mut Talk) -> Result<(), Finding> {
    begin_board(talk).map(drop)
}

/// Begins a game on the board that is spoken of. Returns the answer, which is OK.
fn begin_board(talk: &mut Talk) -> Result<Line, Finding> {
    let Setup { cols, rows, .. } = talk.setup();
    let start = if cols == rows {
        format!("START {cols}")
    } else {
        format!("RECTSTART {cols},{rows}")
    };
    let answer = ask(talk, &start)?;
    expect_ok(&answer)?;
    Ok(answer)
}

/// The document has more behind it in its example, but two managers compare the whole line.
fn ok_alone(talk: &mut Talk) -> Result<(), Finding> {
    if begin_board(talk)?.text.trim_end() == "OK" {
        return Ok(());
    }
    let reason = "two managers take OK for an error where anything else is in its line";
    Err(Finding::Skipped(reason.to_owned()))
}

fn grant(talk: &mut Talk, time: Duration) {
    talk.say(&format!("INFO timeout_turn {}", time.as_millis()));
    talk.say("INFO timeout_match 0");
}

/// Asks for the first move and plays it.
fn open(talk: &mut Talk, game: &mut dyn AnyGame) -> Result<Point, Finding> {
    expect_move(&ask(talk, "BEGIN")?, game)
}

/// Plays on the first free cell, and the engine's answer. Three such moves end no game.
fn exchange(talk: &mut Talk, game: &mut dyn AnyGame) -> Result<(Point, Point), Finding> {
    let free = free_cell(game)?;
    game.play(Action::Point(free))?;
    let answer = ask(talk, &turn_to(free))?;
    Ok((free, expect_move(&answer, game)?))
}

fn turn_to(point: Point) -> String {
    format!("TURN {}", text(point))
}

fn text(point: Point) -> String {
    format!("{},{}", point.col, point.row)
}

fn free_cell(game: &dyn AnyGame) -> Result<Point, Finding> {
    let mut free = game.setup().points();
    let free = free.find(|&point| game.stone_at(point).is_none());
    free.ok_or_else(|| failed("the board is full"))
}

fn about(talk: &mut Talk) -> Result<(), Finding> {
    let line = ask(talk, "ABOUT")?;
    if line.text.contains("name=\"") {
        return Ok(());
    }
    Err(failed("name=\"…\" is expected"))
}

fn start_20(talk: &mut Talk) -> Result<(), Finding> {
    plays_on(talk, "START 20", (20, 20))
}

fn impossible_size(talk: &mut Talk) -> Result<(), Finding> {
    expect_error(&ask(talk, "START 0")?)?;
    talk.mark();
    new_game(talk).map(drop)
}

fn rectstart(talk: &mut Talk) -> Result<(), Finding> {
    plays_on(talk, "RECTSTART 15,12", (15, 12))
}

/// Begins a game on so many columns and rows with this line, and lets the engine make a move.
fn plays_on(talk: &mut Talk, line: &str, (cols, rows): (u8, u8)) -> Result<(), Finding> {
    expect_ok(&known(ask(talk, line)?)?)?;
    talk.mark();
    grant(talk, talk.time());
    let mut game = any::new_game(&talk.setup().with_size(cols, rows))?;
    open(talk, &mut *game).map(drop)
}

fn begin(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    open(talk, &mut *game).map(drop)
}

fn turn(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    for _ in 0..3 {
        exchange(talk, &mut *game)?;
    }
    Ok(())
}

fn board(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    talk.say("BOARD");
    for own in [1, 2, 1, 2] {
        let point = free_cell(&*game)?;
        game.play(Action::Point(point))?;
        talk.say(&format!("{},{own}", text(point)));
    }
    let answer = ask(talk, "DONE")?;
    talk.mark();
    expect_move(&answer, &mut *game)?;
    exchange(talk, &mut *game).map(drop)
}

fn restart(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    exchange(talk, &mut *game)?;
    expect_ok(&known(ask(talk, "RESTART")?)?)?;
    talk.mark();
    let mut game = talk.new_game()?;
    exchange(talk, &mut *game).map(drop)
}

fn takeback(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    open(talk, &mut *game)?;
    let (ours, theirs) = exchange(talk, &mut *game)?;
    for point in [theirs, ours] {
        expect_ok(&known(ask(talk, &format!("TAKEBACK {}", text(point)))?)?)?;
        game.undo()?;
    }
    talk.mark();
    exchange(talk, &mut *game).map(drop)
}

fn info(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    for line in [
        "INFO max_memory 83886080",
        "INFO time_left 2147483647",
        "INFO game_type 1",
        "INFO rule 0",
        "INFO no_such_key 1",
    ] {
        talk.say(line);
    }
    talk.mark();
    if let Some(line) = talk.overhear()
        && !is_comment(&line)
    {
        return Err(failed("INFO must not be answered"));
    }
    open(talk, &mut *game).map(drop)
}

fn time(talk: &mut Talk) -> Result<(), Finding> {
    moves_within(talk, talk.time())
}

/// 0 means as fast as possible.
fn no_time(talk: &mut Talk) -> Result<(), Finding> {
    moves_within(talk, Duration::ZERO)
}

fn moves_within(talk: &mut Talk, time: Duration) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    grant(talk, time);
    for _ in 0..3 {
        let free = free_cell(&*game)?;
        game.play(Action::Point(free))?;
        let answer = ask(talk, &turn_to(free))?;
        expect_move(&answer, &mut *game)?;
        talk.in_time(answer.arrived, time)?;
    }
    Ok(())
}

fn occupied(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    let (ours, theirs) = exchange(talk, &mut *game)?;
    refused(talk, &mut *game, &[&turn_to(ours), &turn_to(theirs)])
}

fn outside(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    refused(talk, &mut *game, &["TURN 99,0", "TURN -1,0"])
}

fn no_move(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    refused(talk, &mut *game, &["TURN", "TURN h8"])
}

fn unknown(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    exchange(talk, &mut *game)?;
    refused(talk, &mut *game, &["XNOSUCHCOMMAND 1"])
}

/// Each of these lines gets an error, and the game goes on after them.
fn refused(talk: &mut Talk, game: &mut dyn AnyGame, lines: &[&str]) -> Result<(), Finding> {
    for line in lines {
        expect_error(&ask(talk, line)?)?;
    }
    talk.mark();
    exchange(talk, game).map(drop)
}

fn crlf(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    let answer = ask(talk, "BEGIN\r")?;
    expect_move(&answer, &mut *game)?;
    let free = free_cell(&*game)?;
    game.play(Action::Point(free))?;
    let answer = ask(talk, &format!("{}\r", turn_to(free)))?;
    expect_move(&answer, &mut *game).map(drop)
}

fn small_letters(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    let answer = known(ask(talk, "begin")?)?;
    expect_move(&answer, &mut *game).map(drop)
}

/// The three questions of Swap2, each put to an engine with an empty board.
fn swap2(talk: &mut Talk) -> Result<(), Finding> {
    let proposed = swap2_answer(talk, &[])?;
    let [_, _, _] = proposed[..] else {
        return Err(failed("three stones are expected"));
    };
    let chosen = swap2_answer(talk, &proposed)?;
    if chosen.len() > 2 {
        return Err(failed("SWAP, a move or two moves are expected"));
    }
    let mut five = proposed;
    let free = talk.setup().points().filter(|point| !five.contains(point));
    let more: Vec<Point> = free.take(2).collect();
    five.extend(more);
    let last = swap2_answer(talk, &five)?;
    if last.len() > 1 {
        return Err(failed("SWAP or a move is expected"));
    }
    Ok(())
}

/// The stones that an engine puts to these; none where it swaps.
fn swap2_answer(talk: &mut Talk, stones: &[Point]) -> Result<Vec<Point>, Finding> {
    start(talk)?;
    grant(talk, talk.time());
    talk.say("SWAP2BOARD");
    for &stone in stones {
        talk.say(&text(stone));
    }
    let answer = known(ask(talk, "DONE")?)?;
    talk.mark();
    if answer.text.trim() == "SWAP" && !stones.is_empty() {
        return Ok(Vec::new());
    }
    let words = answer.text.split_whitespace();
    let points: Option<Vec<Point>> = words.map(point).collect();
    let points = points.filter(|points| !points.is_empty());
    let points = points.ok_or_else(|| failed("points x,y are expected"))?;
    let mut game = talk.new_game()?;
    for &point in stones.iter().chain(&points) {
        game.play(Action::Point(point))?;
    }
    Ok(points)
}

/// The manager plays a move for the engine, which confirms it.
fn play(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    let point = free_cell(&*game)?;
    let answer = known(ask(talk, &format!("PLAY {}", text(point)))?)?;
    talk.mark();
    if expect_move(&answer, &mut *game)? != point {
        return Err(failed("the same move is expected"));
    }
    exchange(talk, &mut *game).map(drop)
}

fn end(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    exchange(talk, &mut *game)?;
    talk.say("END");
    talk.ends()
}

/// Not all engines think as long as they may, so that the thought may be over before.
fn end_in_thought(talk: &mut Talk) -> Result<(), Finding> {
    new_game(talk)?;
    grant(talk, LONG_THOUGHT);
    talk.say("BEGIN");
    let _ = talk.overhear();
    talk.say("END");
    talk.ends()
}

fn end_of_input(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    exchange(talk, &mut *game)?;
    talk.close();
    talk.ends()
}
