//! Lines of Reversi: a board and the side to move, or moves.

use super::{Lines, SolveArgs, follow, unsolved};
use crate::game::reversi::{PASS, Reversi};
use crate::game::{Action, Game, Move, Playable, Setup, drawing, notation};
use crate::knowledge::Effort;
use crate::knowledge::reversi::endgame::{Board, Solver};
use anyhow::anyhow;

/// Solves positions given as boards or as the moves played.
pub struct Boards {
    start: Reversi,
    solver: Solver,
    all: bool,
    wld: bool,
}

impl Boards {
    /// For a game that can be played so.
    ///
    /// # Errors
    /// When it cannot.
    pub fn new(setup: &Setup, args: &SolveArgs) -> anyhow::Result<Boards> {
        Ok(Boards {
            start: Reversi::new(setup)?,
            solver: Solver::new(args.bytes(), args.threads).with_own_judge(),
            all: args.all,
            wld: args.wld,
        })
    }

    /// The position that a line stands for.
    fn position(&self, line: &str) -> anyhow::Result<Reversi> {
        // In files of OBF the scores of moves follow.
        let line = line.split(';').next().unwrap_or_default();
        match drawing::begins(line) {
            true => Ok(drawing::position(&self.start.setup(), line)?),
            false => self.after(line),
        }
    }

    /// What is answered in a game that ended with this margin for the side that would move next.
    fn at_end(&self, margin: i16) -> String {
        match (self.all, self.wld) {
            (true, _) => "-".to_owned(),
            (false, true) => margin.signum().to_string(),
            (false, false) => margin.to_string(),
        }
    }

    /// The position after the moves of a line.
    fn after(&self, line: &str) -> anyhow::Result<Reversi> {
        let actions = notation::parse_game(&self.start.setup(), line)
            .map_err(|text| anyhow!("{text:?} is no square of this board"))?;
        follow(&self.start, actions, |_, text| {
            format!("{text} is not legal")
        })
    }

    /// Every legal move with its score, the best first.
    fn scores(&self, board: Board, effort: &Effort<'_>) -> anyhow::Result<String> {
        let mut scores = Vec::new();
        for mv in board.legal_moves() {
            let score = match self.wld {
                true => self.solver.move_value(board, mv, effort),
                false => self.solver.move_score(board, mv, effort),
            };
            scores.push((mv, score.ok_or_else(unsolved)?));
        }
        scores.sort_by_key(|&(_, score)| -score);
        let texts = scores
            .iter()
            .map(|&(mv, score)| format!("{}:{score}", self.text(mv)));
        Ok(texts.collect::<Vec<_>>().join(" "))
    }

    /// A move as people write it.
    fn text(&self, mv: Move) -> String {
        let code = mv.code();
        let action = match code {
            PASS => Action::Pass,
            _ => Action::point(code as u8 % 8, code as u8 / 8),
        };
        notation::write(&self.start.setup(), action)
    }
}

impl Lines for Boards {
    fn answer(&self, line: &str, effort: &Effort<'_>) -> anyhow::Result<String> {
        let position = self.position(line)?;
        if let Some(outcome) = position.outcome() {
            return Ok(self.at_end(outcome.margin(position.side_to_move())));
        }
        let board = Board::from(&position);
        if self.all {
            return self.scores(board, effort);
        }
        if self.wld {
            let value = self.solver.value(board, effort).ok_or_else(unsolved)?;
            return Ok(value.to_string());
        }
        let score = self.solver.score(board, effort).ok_or_else(unsolved)?;
        let line = self.solver.line(board, score, effort);
        if line.is_empty() {
            return Err(unsolved());
        }
        let moves = line.into_iter().map(|mv| format!(" {}", self.text(mv)));
        Ok(format!("{score}{}", moves.collect::<String>()))
    }

    fn nodes(&self) -> u64 {
        self.solver.nodes()
    }
}
