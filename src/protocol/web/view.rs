//! What a page is told: one JSON object a line, whose only key says what it is.
//!
//! Cells are numbered row by row from the top left, from zero. The page knows no rules: it draws the
//! cells that it is told.

use super::game::WebGame;
use super::review::Reviewed;
use super::threats::{Threat, threats};
use crate::game::drawing::sign;
use crate::game::{Action, AnyGame, Point, Rule, Setup, Side, notation, row};
use crate::knowledge::{Proof, ProofResult};
use crate::search::{MoveReport, Report};
use serde::Serialize;

/// The most moves of a search that are told (guess: what a board can show).
const MOST_MOVES: usize = 30;

/// The longest line that is told, in plies: a proven win by threats is shown whole (guess).
const LONGEST_LINE: usize = 40;

/// A cell's number.
pub type Cell = u16;

/// A line to the page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// What cannot be done, in words.
    Error(String),
    /// The position.
    State(Box<State>),
    /// What a thinking has found so far.
    Info(Findings),
    /// The move that the engine chose.
    Best(Findings),
    /// The end of an analysis.
    Analysis(Findings),
    /// Exact scores.
    Scores(Findings),
    /// How far a review is: plies done, and plies in all.
    Progress(usize, usize),
    /// A review.
    Review(Reviewed),
    /// The game as text for other programs: each format, and the text.
    Files(Vec<(&'static str, String)>),
}

impl Answer {
    /// The line.
    pub fn line(&self) -> String {
        // Only maps with keys that are no text could fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The position on the board, and the game around it.
#[derive(Debug, Serialize)]
pub struct State {
    game: String,
    cols: u8,
    rows: u8,
    rule: String,
    connect: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    hole: Option<Cell>,
    steal: bool,
    /// The stones of the start, where it is not the opening position, and whose turn it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<(String, usize)>,
    /// Every move of the game, undone ones too.
    moves: Vec<String>,
    /// How many of them are on the board.
    ply: usize,
    to_move: usize,
    /// A character for each cell: `X` for the first side, `O` for the second, `.` for none.
    stones: String,
    /// Every legal move, and the cell that it fills.
    legal: Vec<(String, Option<Cell>)>,
    /// The cells that the last move changed, its own first.
    last: Vec<Cell>,
    /// The row that won.
    row: Vec<Cell>,
    /// Where renju forbids the side to move.
    forbidden: Vec<Cell>,
    /// Where a stone would make a five or an open four in Gomoku.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    threats: Vec<Threat>,
    /// Who won, if anybody, and the margin for the first side.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<(Option<usize>, i16)>,
}

impl State {
    /// The state of a game.
    pub fn of(game: &WebGame) -> State {
        let board = game.board();
        let setup = board.setup();
        let number = |point| cell(&setup, point);
        let outcome = board.outcome();
        State {
            game: setup.game().to_string(),
            cols: setup.cols,
            rows: setup.rows,
            rule: setup.rule().to_string(),
            connect: setup.connect4().connect,
            hole: setup.hole().map(number),
            steal: setup.connect4().steal,
            start: game.start().map(|(stones, to_move)| {
                let at = |point| stones.iter().find(|&&(it, _)| it == point);
                let side = |point| at(point).map(|&(_, side)| side);
                (drawn(&setup, side), to_move.index())
            }),
            moves: game
                .line()
                .iter()
                .map(|&action| notation::write(&setup, action))
                .collect(),
            ply: game.ply(),
            to_move: board.side_to_move().index(),
            stones: drawn(&setup, |point| board.stone_at(point)),
            legal: legal(board),
            last: last_changed(board),
            row: row::winning(board).into_iter().map(number).collect(),
            forbidden: forbidden(board).into_iter().map(number).collect(),
            threats: threats(board),
            outcome: outcome.map(|outcome| {
                let winner = outcome.winner().map(Side::index);
                (winner, outcome.margin(Side::First))
            }),
        }
    }
}

/// What was found out about the position after `ply` moves.
#[derive(Debug, Serialize)]
pub struct Findings {
    ply: usize,
    /// The expected score 0..1 of the side to move.
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<Proven>,
    playouts: u64,
    /// Playouts a second.
    speed: u64,
    depth: u32,
    ms: u64,
    /// The moves looked at, best first.
    moves: Vec<Found>,
}

/// What was found out about a move.
#[derive(Debug, Serialize)]
struct Found {
    #[serde(rename = "move")]
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<Cell>,
    visits: u64,
    /// The expected score 0..1 of the side that plays it.
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<Proven>,
    /// The exact margin for the side that plays it: stones in Connect Four, discs in Reversi.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    /// The line that is expected, with the cells that it fills.
    pv: Vec<(String, Option<Cell>)>,
}

/// A proof: `win`, `draw` or `loss`, and the plies to the end of the game where they are known.
pub type Proven = (&'static str, Option<u16>);

impl Findings {
    /// What a report says of the position on the board.
    pub fn of(game: &dyn AnyGame, report: &Report) -> Findings {
        let moves = report.known_moves().take(MOST_MOVES);
        Findings {
            ply: game.history().len(),
            value: rounded(report.value),
            proof: report.proof.map(proven),
            playouts: report.playouts,
            speed: report.playouts_per_second() as u64,
            depth: report.depth,
            ms: report.elapsed.as_millis() as u64,
            moves: moves.map(|mv| found(game, mv)).collect(),
        }
    }
}

fn found(game: &dyn AnyGame, mv: &MoveReport) -> Found {
    let setup = game.setup();
    Found {
        text: notation::write(&setup, mv.action),
        cell: filled(game, mv.action),
        visits: mv.visits,
        value: rounded(mv.mean),
        proof: mv.proof.map(|proof| proven_move(game, mv.action, proof)),
        score: mv.score,
        pv: line(game, &mv.pv),
    }
}

/// A line with the cells that it fills, as far as it is legal.
pub fn line(game: &dyn AnyGame, actions: &[Action]) -> Vec<(String, Option<Cell>)> {
    let setup = game.setup();
    let mut game = game.clone_box();
    let mut line = Vec::new();
    for &action in actions.iter().take(LONGEST_LINE) {
        let cell = filled(&*game, action);
        if game.play(action).is_err() {
            break;
        }
        line.push((notation::write(&setup, action), cell));
    }
    line
}

/// Four decimals are more than a page shows.
pub fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

pub fn proven(proof: Proof) -> Proven {
    let result = match proof.result {
        ProofResult::Win => "win",
        ProofResult::Draw => "draw",
        ProofResult::Loss => "loss",
    };
    (result, Some(proof.plies))
}

/// The proof of a move, counted from before it. Solvers find moves that lose and not how soon, which counts
/// as no plies after them.
fn proven_move(game: &dyn AnyGame, action: Action, proof: Proof) -> Proven {
    let (result, plies) = proven(proof);
    let ends_game = || {
        let mut after = game.clone_box();
        after.play(action).is_ok() && after.outcome().is_some()
    };
    let is_unknown = proof.result == ProofResult::Loss && proof.plies <= 1 && !ends_game();
    (result, plies.filter(|_| !is_unknown))
}

pub fn cell(setup: &Setup, Point { col, row }: Point) -> Cell {
    Cell::from(row) * Cell::from(setup.cols) + Cell::from(col)
}

fn drawn(setup: &Setup, side: impl Fn(Point) -> Option<Side>) -> String {
    setup.points().map(|point| sign(side(point))).collect()
}

fn legal(game: &dyn AnyGame) -> Vec<(String, Option<Cell>)> {
    let setup = game.setup();
    let moves = game.legal_actions().into_iter();
    moves
        .map(|action| (notation::write(&setup, action), filled(game, action)))
        .collect()
}

/// The cell that a legal move fills, or changes first; none for a pass.
fn filled(game: &dyn AnyGame, action: Action) -> Option<Cell> {
    match action {
        Action::Point(point) => Some(cell(&game.setup(), point)),
        Action::Pass => None,
        Action::Column(_) | Action::Steal => {
            let mut after = game.clone_box();
            after.play(action).ok()?;
            changed(game, &*after).first().copied()
        }
    }
}

fn last_changed(game: &dyn AnyGame) -> Vec<Cell> {
    let mut before = game.clone_box();
    match before.undo() {
        Ok(_) => changed(&*before, game),
        Err(_) => Vec::new(),
    }
}

/// The cells that differ, those that were empty first.
fn changed(before: &dyn AnyGame, after: &dyn AnyGame) -> Vec<Cell> {
    let setup = after.setup();
    let points = setup.points();
    let mut cells: Vec<(bool, Cell)> = points
        .filter(|&point| before.stone_at(point) != after.stone_at(point))
        .map(|point| (before.stone_at(point).is_some(), cell(&setup, point)))
        .collect();
    cells.sort_unstable();
    cells.into_iter().map(|(_, cell)| cell).collect()
}

/// Where the side to move may not, though the cell is empty: only renju forbids points.
fn forbidden(game: &dyn AnyGame) -> Vec<Point> {
    let setup = game.setup();
    let black = game.outcome().is_none() && game.side_to_move() == Side::First;
    if setup.rule() != Rule::Renju || !black {
        return Vec::new();
    }
    let is_barred =
        |point: &Point| game.stone_at(*point).is_none() && !game.is_legal(Action::Point(*point));
    setup.points().filter(is_barred).collect()
}

/// Reads the stones of a position that was set up.
pub fn read_stones(setup: &Setup, text: &str) -> Vec<(Point, Side)> {
    let side = |c| match c {
        'X' => Some(Side::First),
        'O' => Some(Side::Second),
        _ => None,
    };
    let cells = setup.points().zip(text.chars());
    cells
        .filter_map(|(point, c)| Some((point, side(c)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameKind, any};

    #[test]
    fn a_loss_after_one_ply_is_told_where_the_game_ends_by_it() {
        let lost = |game: &dyn AnyGame, action| proven_move(game, action, Proof::loss(1));
        let game = any::new_game(&Setup::standard(GameKind::Connect4)).unwrap();
        assert_eq!(lost(&*game, Action::Column(0)), ("loss", None));
        let later = proven_move(&*game, Action::Column(0), Proof::loss(4));
        assert_eq!(later, ("loss", Some(4)));
        // Black fills the last square, and turns one disc of all.
        let setup = Setup::standard(GameKind::Reversi);
        let side = |col, row| match (col, row) {
            (2, 0) => Side::First,
            _ => Side::Second,
        };
        let squares = setup.points().skip(1);
        let stones: Vec<_> = squares.map(|at| (at, side(at.col, at.row))).collect();
        let game = any::from_stones(&setup, &stones, Side::First).unwrap();
        let last = Action::Point(Point { col: 0, row: 0 });
        assert_eq!(lost(&*game, last), ("loss", Some(1)));
    }
}
