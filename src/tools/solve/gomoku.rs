//! Positions of Gomoku: the moves played, a board and the side to move, or a game record.

use super::{Lines, SolveArgs};
use crate::game::gomoku::Gomoku;
use crate::game::{Action, Game, Playable, Point, Rule, Setup, Side, drawing, files, notation};
use crate::knowledge::Effort;
use crate::knowledge::gomoku::patterns::Patterns;
use crate::knowledge::gomoku::threats::Threats;
use anyhow::{anyhow, bail};
use std::sync::atomic::{AtomicU64, Ordering};

/// Looks for wins by threats. The stones need not be those of a game: puzzles seldom are.
pub struct Records {
    setup: Setup,
    /// What was asked for, which goes before the rule of a record.
    rule: Option<Rule>,
    /// Of the tables of a line. Each begins with empty ones: what an earlier line has proven would shorten
    /// the moves of its proof.
    bytes: usize,
    nodes: AtomicU64,
}

impl Records {
    /// For a game that can be played so.
    ///
    /// # Errors
    /// When it cannot, or more is asked than a win.
    pub fn new(setup: &Setup, args: &SolveArgs) -> anyhow::Result<Records> {
        if args.all || args.wld {
            bail!(
                "in Gomoku only wins by threats are looked for: --all and --wld are for other games"
            );
        }
        // The time of the first line is for its position.
        Patterns::prepare(setup.rule());
        Ok(Records {
            setup: Gomoku::new(setup)?.setup(),
            rule: args.game.rule(),
            bytes: args.bytes(),
            nodes: AtomicU64::new(0),
        })
    }

    /// The position that a text stands for, in which the game goes on.
    fn position(&self, text: &str) -> anyhow::Result<Gomoku> {
        let position = if files::is_file(text) {
            self.recorded(text)?
        } else if drawing::begins(text) {
            drawing::position(&self.setup, text)?
        } else {
            let actions = notation::parse_list(&self.setup, text)
                .map_err(|text| anyhow!("{text:?} is no point of this board"))?;
            after(&self.setup, Vec::new(), Side::First, &actions)?
        };
        match position.outcome() {
            Some(_) => bail!("the game is over"),
            None => Ok(position),
        }
    }

    /// The end of the main line of a record.
    fn recorded(&self, text: &str) -> anyhow::Result<Gomoku> {
        let file = files::read(text)?;
        let setup = match self.rule {
            Some(rule) => file.setup.with_term("rule", &rule.to_string())?,
            None => file.setup,
        };
        let (stones, to_move) = file.start.unwrap_or((Vec::new(), Side::First));
        after(&setup, stones, to_move, &file.actions)
    }
}

/// These stones, and those that were put there by turns after them. In which order a game would have
/// come to them does not matter, so no move of renju is refused.
fn after(
    setup: &Setup,
    mut stones: Vec<(Point, Side)>,
    mut to_move: Side,
    actions: &[Action],
) -> anyhow::Result<Gomoku> {
    for (number, &action) in (1..).zip(actions) {
        let refused = || {
            let text = notation::write(setup, action);
            anyhow!("move {number}: {text} is not legal")
        };
        let Action::Point(point) = action else {
            return Err(refused());
        };
        if stones.iter().any(|&(taken, _)| taken == point) {
            return Err(refused());
        }
        stones.push((point, to_move));
        to_move = to_move.other();
    }
    Ok(Gomoku::from_stones(setup, &stones, to_move)?)
}

impl Lines for Records {
    fn answer(&self, line: &str, effort: &Effort<'_>) -> anyhow::Result<String> {
        let position = self.position(line)?;
        let mut threats = Threats::with_bytes(self.bytes);
        let mut board = Patterns::of(&position);
        let win = threats.solve(&mut board, position.side_to_move(), effort);
        self.nodes.fetch_add(threats.nodes(), Ordering::Relaxed);
        let Some(win) = win else {
            return Ok("unknown".to_owned());
        };
        let setup = position.setup();
        let text = |&mv| format!(" {}", notation::write(&setup, position.action(mv)));
        let moves: String = win.line.iter().map(text).collect();
        Ok(format!("win {}{moves}", win.plies))
    }

    fn reads_records(&self) -> bool {
        true
    }

    /// Most positions have no win by threats, and to see that takes longer than anybody waits.
    fn patience(&self) -> Option<u64> {
        Some(10_000)
    }

    fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameKind;

    fn stones(position: &Gomoku) -> Vec<(Point, Side)> {
        let points = position.setup().points();
        let stones = points.filter_map(|at| Some((at, position.stone_at(at)?)));
        stones.collect()
    }

    /// The position that a text stands for by this rule, on 5×5 unless it tells its size.
    fn position(rule: impl Into<Option<Rule>>, text: &str) -> anyhow::Result<Gomoku> {
        let rule = rule.into();
        let setup = Setup::standard(GameKind::Gomoku).with_size(5, 5);
        let records = Records {
            setup: setup.with(rule.unwrap_or_default()),
            rule,
            bytes: 1 << 10,
            nodes: AtomicU64::new(0),
        };
        records.position(text)
    }

    #[test]
    fn the_same_position_is_read_in_every_form() {
        let expected = position(Rule::Freestyle, "a5 b5 a4").unwrap();
        assert_eq!(stones(&expected).len(), 3);
        for text in [
            "a5b5a4",
            "XO... X.... ..... ..... ..... O",
            "xo---/x----/-----/-----/-----/o",
            "(;GM[4]SZ[5];B[aa]C[x];W[ba](;B[ab])(;B[bb]))",
            "(;SZ[5]AB[aa][ab]AW[ba]PL[W])",
            "(;SZ[5]AB[aa:bb]AW[cc];AE[bb][cc];AW[ba]PL[white])",
            "On Monday Ann wrote: (;SZ[5];B[aa];W[ba];B[ab])",
            "Piskvorky 5x5, 11:11, 0\n1,1,0\n2,1,0\n1,2,0\n",
        ] {
            let found = position(Rule::Freestyle, text).unwrap();
            assert_eq!(found.key(), expected.key(), "{text}");
        }
    }

    #[test]
    fn stones_need_not_be_of_a_game() {
        let three = "XXX.. ..... ..... ..... ..... O";
        let found = position(Rule::Freestyle, three).unwrap();
        assert_eq!(found.side_to_move(), Side::Second);
        // Two fours at once, which black could not have made last.
        let forbidden = "a5 e1 b5 e2 d5 d2 c4 c2 c3 b1 c5";
        assert!(position(Rule::Renju, forbidden).is_ok());
        for bad in [
            "XXXXX .....",
            "X",
            "x1",
            "a1 a1",
            "XXXXX ..... ..... ..... ..... O",
        ] {
            assert!(position(Rule::Freestyle, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_rule_that_was_asked_for_goes_first() {
        let record = "(;GM[4]RU[renju];B[hh])";
        let rule = |asked: Option<Rule>| position(asked, record).unwrap().rule();
        assert_eq!(rule(None), Rule::Renju);
        assert_eq!(rule(Some(Rule::Freestyle)), Rule::Freestyle);
        assert_eq!(rule(Some(Rule::Exact)), Rule::Exact);
        let pgn = "[Board \"7x6\"]\n\n1. 4";
        assert!(position(None, pgn).is_err() && position(Rule::Exact, pgn).is_err());
    }
}
