//! Lines of Connect Four: columns, or a board and the side to move.

use super::{Lines, SolveArgs, follow, unsolved};
use crate::game::connect4::Connect4;
use crate::game::{Action, Game, Move, Moves, Playable, Setup, drawing, notation};
use crate::knowledge::Effort;
use crate::knowledge::connect4::solver::Solver;
use anyhow::{Context, anyhow, bail};

/// Solves positions given by the columns played or as boards.
pub struct Columns {
    start: Connect4,
    solver: Solver,
    all: bool,
    wld: bool,
}

impl Columns {
    /// For a game that can be played so.
    ///
    /// # Errors
    /// When it cannot.
    pub fn new(setup: &Setup, args: &SolveArgs) -> anyhow::Result<Columns> {
        let start = Connect4::new(setup)?;
        let solver = Solver::new(setup, args.bytes(), args.threads);
        Ok(Columns {
            start,
            solver: match args.no_book {
                true => solver,
                false => solver.with_own_book(),
            },
            all: args.all,
            wld: args.wld,
        })
    }

    /// The position that a line stands for.
    fn position(&self, line: &str) -> anyhow::Result<Connect4> {
        let setup = self.start.setup();
        let position = match drawing::begins(line) {
            true => drawing::position(&setup, line)?,
            false => self.after(line)?,
        };
        if position.awaits_steal() {
            bail!("no score counts a steal, which is still possible");
        }
        Ok(position)
    }

    /// The position after the moves of a line.
    fn after(&self, line: &str) -> anyhow::Result<Connect4> {
        let setup = self.start.setup();
        if let Some(word) = apart_from_digits(&setup, line) {
            bail!(
                "{word:?} stands apart from the moves: a line holds nothing else but their numbers"
            );
        }
        let actions = notation::parse_list(&setup, line)
            .map_err(|text| anyhow!("{text:?} is no column of this board"))?;
        follow(&self.start, actions, |action, text| match action {
            Action::Column(_) => format!("{text} is full"),
            _ => format!("{text} is not possible"),
        })
    }

    fn score(&self, position: &Connect4, effort: &Effort<'_>) -> Option<i32> {
        match self.wld {
            true => self.solver.value(position, effort),
            false => self.solver.score(position, effort),
        }
    }

    /// The score of a game that is over.
    fn score_at_end(&self, position: &Connect4) -> anyhow::Result<i32> {
        let score = Solver::score_at_end(position);
        let score = score.context("the game was over before the last move")?;
        Ok(if self.wld { score.signum() } else { score })
    }

    fn move_score(&self, position: &Connect4, mv: Move, effort: &Effort<'_>) -> Option<i32> {
        let score = self.solver.move_score(position, mv, effort)?;
        Some(if self.wld { score.signum() } else { score })
    }
}

impl Lines for Columns {
    fn answer(&self, line: &str, effort: &Effort<'_>) -> anyhow::Result<String> {
        let setup = self.start.setup();
        let position = self.position(line)?;
        if position.outcome().is_some() && !self.all {
            return Ok(self.score_at_end(&position)?.to_string());
        }
        if !self.all {
            let score = self.score(&position, effort);
            return Ok(score.ok_or_else(unsolved)?.to_string());
        }
        let mut moves = Moves::new();
        position.legal_moves(&mut moves);
        let mut scores = vec!["-".to_owned(); usize::from(setup.cols)];
        for &mv in &moves {
            let score = self.move_score(&position, mv, effort);
            if let Some(text) = scores.get_mut(usize::from(mv.code())) {
                *text = score.ok_or_else(unsolved)?.to_string();
            }
        }
        Ok(scores.join(" "))
    }

    fn nodes(&self) -> u64 {
        self.solver.nodes()
    }
}

/// What stands apart from moves that are side by side, such as the score in a line of the public
/// sets, which would be taken for more moves. Numbers of moves, as in `1. 4 4`, are not looked at.
fn apart_from_digits<'a>(setup: &Setup, line: &'a str) -> Option<&'a str> {
    let words = line.split_whitespace().map(notation::without_number);
    let words = || words.clone().filter(|word| !word.is_empty());
    let is_more = |word: &str| word.len() > 1 && notation::parse(setup, word).is_none();
    let is_joined = setup.cols <= 9 && words().any(is_more);
    words().nth(1).filter(|_| is_joined)
}
