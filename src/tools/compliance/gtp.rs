//! What a controller of GTP relies on. Source: "Specification of the Go Text Protocol, version 2"
//! by Farneback, draft 2, as far as it is about any board game.

use super::Check;
use super::talk::{Finding, Talk, failed};
use crate::arena::engines::dialect::gtp::answer::Answer;
use crate::game::{Action, AnyGame, Side};
use crate::protocol::gtp::vertex;
use std::time::Duration;

pub const CHECKS: &[Check] = &[
    Check::new("protocol_version", protocol_version),
    Check::new("name and version", name),
    Check::new("ids", ids),
    Check::new("list_commands", list_commands),
    Check::new("known_command", known_command),
    Check::new("boardsize", boardsize),
    Check::new("impossible size", impossible_size),
    Check::new("clear_board", clear_board),
    Check::new("genmove", genmove),
    Check::new("play", play),
    Check::new("capital letters", capital_letters),
    Check::new("undo", undo),
    Check::new("undo of nothing", undo_nothing),
    Check::new("time for a move", time),
    Check::new("illegal move", illegal),
    Check::new("move that is none", no_move),
    Check::new("unknown command", unknown),
    Check::new("lines end in CR LF", crlf),
    Check::new("comments", comments),
    Check::new("quit", quit),
    Check::new("end of input", end_of_input),
];

/// The commands that the specification requires, but for komi, which is Go's.
const REQUIRED: [&str; 10] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "play",
    "genmove",
];

fn ask(talk: &mut Talk, command: &str) -> Result<Answer, Finding> {
    talk.say(command);
    let no_answer = |_: &str| failed("an answer begins with = or ?");
    Answer::read(|| talk.hear(), no_answer)
}

/// Asks what must be obeyed.
fn obeyed(talk: &mut Talk, command: &str) -> Result<Answer, Finding> {
    let answer = ask(talk, command)?;
    if !answer.success {
        return Err(failed("= is expected"));
    }
    Ok(answer)
}

/// Asks what cannot be obeyed.
fn refused(talk: &mut Talk, command: &str) -> Result<(), Finding> {
    if ask(talk, command)?.success {
        return Err(failed("? is expected"));
    }
    Ok(())
}

/// A check of a command that an engine need not know.
fn needs(talk: &mut Talk, command: &str) -> Result<(), Finding> {
    let known = ask(talk, &format!("known_command {command}"))?;
    if known.text() != "true" {
        return Err(Finding::Skipped("the engine does not do this".to_owned()));
    }
    Ok(())
}

/// A new game; the engine is told what GTP has words for.
fn new_game(talk: &mut Talk) -> Result<Box<dyn AnyGame>, Finding> {
    let setup = talk.setup();
    if setup.cols == setup.rows {
        obeyed(talk, &format!("boardsize {}", setup.cols))?;
    }
    obeyed(talk, "clear_board")?;
    talk.new_game()
}

fn colour(game: &dyn AnyGame) -> &'static str {
    match game.side_to_move() {
        Side::First => "b",
        Side::Second => "w",
    }
}

/// The answer must be a legal move, which is played.
fn expect_move(answer: &Answer, game: &mut dyn AnyGame) -> Result<(), Finding> {
    let action = vertex::parse(&game.setup(), &answer.text());
    let action = action.ok_or_else(|| failed("a vertex is expected"))?;
    Ok(game.play(action)?)
}

fn ask_move(talk: &mut Talk, game: &mut dyn AnyGame) -> Result<Answer, Finding> {
    let answer = obeyed(talk, &format!("genmove {}", colour(game)))?;
    expect_move(&answer, game)?;
    Ok(answer)
}

/// Plays the first legal move for the side to move, and returns its command.
fn play_any(talk: &mut Talk, game: &mut dyn AnyGame) -> Result<String, Finding> {
    let (command, action) = any_move(game)?;
    obeyed(talk, &command)?;
    game.play(action)?;
    Ok(command)
}

fn any_move(game: &dyn AnyGame) -> Result<(String, Action), Finding> {
    let legal = game.legal_actions();
    let &action = legal.first().ok_or_else(|| failed("the game is over"))?;
    let vertex = vertex::write(game, action);
    Ok((format!("play {} {vertex}", colour(game)), action))
}

/// The game goes on as if nothing had been said since: a move of each side.
fn goes_on(talk: &mut Talk, game: &mut dyn AnyGame) -> Result<(), Finding> {
    play_any(talk, game)?;
    ask_move(talk, game).map(drop)
}

fn protocol_version(talk: &mut Talk) -> Result<(), Finding> {
    match obeyed(talk, "protocol_version")?.text().as_str() {
        "2" => Ok(()),
        _ => Err(failed("2 is expected")),
    }
}

fn name(talk: &mut Talk) -> Result<(), Finding> {
    obeyed(talk, "version")?;
    if obeyed(talk, "name")?.text().is_empty() {
        return Err(failed("a name is expected"));
    }
    Ok(())
}

fn ids(talk: &mut Talk) -> Result<(), Finding> {
    for (command, success) in [("17 name", true), ("18 no-such-command", false)] {
        let answer = ask(talk, command)?;
        if answer.success != success || !command.starts_with(&format!("{} ", answer.id())) {
            return Err(failed("an answer with the same number is expected"));
        }
    }
    Ok(())
}

fn list_commands(talk: &mut Talk) -> Result<(), Finding> {
    let listed = obeyed(talk, "list_commands")?.text();
    let listed: Vec<&str> = listed.lines().map(str::trim).collect();
    let missing = REQUIRED
        .into_iter()
        .filter(|command| !listed.contains(command));
    let missing: Vec<&str> = missing.collect();
    if !missing.is_empty() {
        return Err(failed(format!("{} not listed", missing.join(", "))));
    }
    Ok(())
}

fn known_command(talk: &mut Talk) -> Result<(), Finding> {
    for (command, expected) in [("genmove", "true"), ("no-such-command", "false")] {
        if obeyed(talk, &format!("known_command {command}"))?.text() != expected {
            return Err(failed(format!("{expected} is expected")));
        }
    }
    Ok(())
}

fn boardsize(talk: &mut Talk) -> Result<(), Finding> {
    let setup = talk.setup();
    if setup.cols != setup.rows {
        let reason = "GTP has no words for a board that is no square";
        return Err(Finding::Skipped(reason.to_owned()));
    }
    obeyed(talk, &format!("boardsize {}", setup.cols)).map(drop)
}

fn impossible_size(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    play_any(talk, &mut *game)?;
    for command in ["boardsize 1000", "boardsize big", "boardsize"] {
        refused(talk, command)?;
    }
    talk.mark();
    ask_move(talk, &mut *game).map(drop)
}

fn clear_board(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    goes_on(talk, &mut *game)?;
    obeyed(talk, "clear_board")?;
    talk.mark();
    let mut game = talk.new_game()?;
    goes_on(talk, &mut *game)
}

fn genmove(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    for _ in 0..4 {
        ask_move(talk, &mut *game)?;
    }
    Ok(())
}

fn play(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    for _ in 0..6 {
        play_any(talk, &mut *game)?;
    }
    talk.mark();
    ask_move(talk, &mut *game).map(drop)
}

fn capital_letters(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    for change in [str::to_ascii_uppercase, str::to_ascii_lowercase] {
        let (command, action) = any_move(&*game)?;
        let command = command.replacen("play ", "", 1);
        obeyed(talk, &format!("play {}", change(&command)))?;
        game.play(action)?;
    }
    talk.mark();
    ask_move(talk, &mut *game).map(drop)
}

fn undo(talk: &mut Talk) -> Result<(), Finding> {
    needs(talk, "undo")?;
    let mut game = new_game(talk)?;
    play_any(talk, &mut *game)?;
    let command = play_any(talk, &mut *game)?;
    for _ in 0..2 {
        obeyed(talk, "undo")?;
        talk.mark();
        obeyed(talk, &command)?;
    }
    ask_move(talk, &mut *game).map(drop)
}

fn undo_nothing(talk: &mut Talk) -> Result<(), Finding> {
    needs(talk, "undo")?;
    let mut game = new_game(talk)?;
    refused(talk, "undo")?;
    talk.mark();
    goes_on(talk, &mut *game)
}

/// GTP tells whole seconds, and none would mean no limit.
fn time(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    let time = Duration::from_secs(talk.time().as_secs().max(1));
    let settings = format!("time_settings 0 {} 1", time.as_secs());
    if !ask(talk, &settings)?.success {
        return Err(Finding::Skipped("the engine keeps no time".to_owned()));
    }
    for _ in 0..2 {
        play_any(talk, &mut *game)?;
        let answer = ask_move(talk, &mut *game)?;
        talk.in_time(answer.arrived, time)?;
    }
    Ok(())
}

fn illegal(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    play_any(talk, &mut *game)?;
    refused(
        talk,
        &format!("play {} {}", colour(&*game), illegal_vertex(&*game)),
    )?;
    talk.mark();
    ask_move(talk, &mut *game).map(drop)
}

/// An occupied cell; where a cell only names its column, one off the board.
fn illegal_vertex(game: &dyn AnyGame) -> String {
    let taken = |point| game.stone_at(point).is_some();
    let points = game.setup().points().filter(|&point| taken(point));
    let mut vertices = points.map(|point| vertex::write(game, Action::Point(point)));
    let is_illegal = |text: &String| {
        let action = vertex::parse(&game.setup(), text);
        action.is_some_and(|action| !game.is_legal(action))
    };
    let vertex = vertices.find(is_illegal);
    vertex.unwrap_or_else(|| format!("Z{}", vertex::LARGEST))
}

fn no_move(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    for command in ["play", "play b", "play b 99z", "play 7 7", "genmove"] {
        refused(talk, command)?;
    }
    talk.mark();
    goes_on(talk, &mut *game)
}

fn unknown(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    play_any(talk, &mut *game)?;
    refused(talk, "no-such-command 1 2 3")?;
    talk.mark();
    ask_move(talk, &mut *game).map(drop)
}

fn crlf(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    let (command, action) = any_move(&*game)?;
    obeyed(talk, &format!("{command}\r"))?;
    game.play(action)?;
    let answer = obeyed(talk, &format!("genmove {}\r", colour(&*game)))?;
    expect_move(&answer, &mut *game)
}

/// Comments and empty lines are not answered.
fn comments(talk: &mut Talk) -> Result<(), Finding> {
    talk.say("# a comment");
    talk.say("");
    if talk.overhear().is_some() {
        return Err(failed("a comment or an empty line must not be answered"));
    }
    obeyed(talk, "protocol_version # another").map(drop)
}

fn quit(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    play_any(talk, &mut *game)?;
    obeyed(talk, "quit")?;
    talk.ends()
}

fn end_of_input(talk: &mut Talk) -> Result<(), Finding> {
    let mut game = new_game(talk)?;
    play_any(talk, &mut *game)?;
    talk.close();
    talk.ends()
}
