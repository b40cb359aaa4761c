//! What Tengen knows of Gomoku: fives made and fives stopped, the plainest forced wins, and
//! which cells are worth a thought.

pub mod evaluation;
pub mod five_tuple;
pub mod patterns;
pub mod threats;
mod windows;

use super::{Expansion, Knowledge, Proof, ProofResult};
use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::line::Winning;
use crate::game::gomoku::renju::Black;
use crate::game::gomoku::{Gomoku, line};
use crate::game::{Game, Move};
use windows::Windows;

/// Forced moves, wins within three plies, and the cells within two king's steps of a stone:
/// where three stones stand among five cells in a row, the other two cells are as near.
#[derive(Clone, Copy, Debug, Default)]
pub struct GomokuKnowledge;

impl Knowledge<Gomoku> for GomokuKnowledge {
    type Trace = ();

    fn expand(&self, position: &Gomoku, (): &mut (), out: &mut Expansion) {
        if position.is_narrow() {
            View::<4>::of(position).expand(out);
        } else {
            View::<8>::of(position).expand(out);
        }
    }
}

/// How long a row the side to move gets by this move: the longest of the four directions.
#[must_use]
pub fn longest_line(position: &Gomoku, mv: Move) -> u32 {
    let own = position.stones::<8>(position.side_to_move());
    let runs = line::steps(position.stride())
        .map(|step| line::run_through(&own, usize::from(mv.code()), step));
    runs.into_iter().fold(0, u32::max)
}

/// A position as the side to move sees it.
struct View<const W: usize> {
    own: Bits<W>,
    other: Bits<W>,
    empty: Bits<W>,
    board: Bits<W>,
    rows: u32,
    stride: u32,
    own_winning: Winning,
    other_winning: Winning,
    /// Moves can be forbidden to the side to move; to the other one.
    own_restricted: bool,
    other_restricted: bool,
}

impl<const W: usize> View<W> {
    fn of(position: &Gomoku) -> Self {
        let side = position.side_to_move();
        View {
            own: position.stones(side),
            other: position.stones(side.other()),
            empty: position.empty_cells(),
            board: position.board(),
            rows: u32::from(position.setup().rows),
            stride: position.stride(),
            own_winning: position.winning(side),
            other_winning: position.winning(side.other()),
            own_restricted: position.is_restricted(side),
            other_restricted: position.is_restricted(side.other()),
        }
    }

    fn expand(&self, out: &mut Expansion) {
        if let Some(cell) = self.own_threats().cells().next() {
            return out.win_at_once(Gomoku::move_at(cell));
        }
        let stops = self.stops();
        if stops.is_some_and(|stops| stops.is_empty()) {
            let tries = self.other_threats() & self.legal();
            let tries = if tries.is_empty() {
                self.legal()
            } else {
                tries
            };
            return settle(out, tries.cells(), Some((ProofResult::Loss, 2)));
        }
        let own_threes = self.windows(self.own, 3);
        let mut forks = stops.unwrap_or(self.empty) & own_threes.twice;
        if self.other_restricted {
            // One four will do where black may not stop it.
            forks = stops.unwrap_or(self.empty) & own_threes.once;
        }
        if let Some(cell) = forks.cells().find(|&cell| self.wins_in_three(cell)) {
            return settle(out, [cell], Some((ProofResult::Win, 3)));
        }
        if let Some(stops) = stops {
            return settle(out, stops.cells(), None);
        }
        if self.empty == self.board {
            let centre = self.rows / 2 * self.stride + (self.stride - 1) / 2;
            settle(out, [centre as usize], None);
            out.complete = false;
        } else {
            self.candidates(own_threes, out);
        }
    }

    /// The cells near the stones, most urgent first.
    fn candidates(&self, own_threes: Windows<W>, out: &mut Expansion) {
        let other_threes = self.windows(self.other, 3);
        let own_twos = self.windows(self.own, 2);
        let other_twos = self.windows(self.other, 2);
        let adjacent = self.grown(self.own | self.other);
        let near = self.grown(adjacent);
        // Fours before threes and two of them before one; one's own first, but to stop two
        // fours is more than to make one. (A guess.)
        let ranks = [
            own_threes.twice,
            other_threes.twice,
            own_threes.once,
            other_threes.once,
            own_twos.twice,
            other_twos.twice,
            own_twos.once,
            other_twos.once,
            adjacent,
            near,
        ];
        settle(out, [], None);
        let legal = self.legal();
        let worthy = near & legal;
        // Where all that is near is forbidden, anything goes.
        let worthy = if worthy.is_empty() { legal } else { worthy };
        let mut left = worthy;
        for rank in ranks.into_iter().chain([legal]) {
            out.moves.extend((rank & left).cells().map(Gomoku::move_at));
            left &= !rank;
        }
        out.complete = worthy == legal;
    }

    /// Whether a stone of the side to move here makes threats to win that an opponent who
    /// makes none now cannot stop all.
    fn wins_in_three(&self, cell: usize) -> bool {
        if self.own_restricted && self.black().forbids(cell) {
            return false;
        }
        let taken = Bits::of(cell);
        let next = View {
            own: self.other,
            other: self.own | taken,
            empty: self.empty & !taken,
            own_winning: self.other_winning,
            other_winning: self.own_winning,
            own_restricted: self.other_restricted,
            other_restricted: self.own_restricted,
            ..*self
        };
        next.stops().is_some_and(|stops| stops.is_empty())
            && (!next.own_restricted || next.black().may_move())
    }

    /// The legal moves after which the opponent has no win at once. `None` if it has none now.
    /// The side to move is taken to have no win itself.
    fn stops(&self) -> Option<Bits<W>> {
        let threats = self.other_threats();
        let first = threats.cells().next()?;
        let mut stops = Bits::<W>::of(first);
        if !self.other_winning.enclosed {
            // A stone at the end of the row may do as well.
            for step in line::steps(self.stride) {
                for end in line::ends(&self.other, first, step) {
                    if self.empty.contains(end) {
                        stops.insert(end);
                    }
                }
            }
        } else if threats.count() > 1 {
            return Some(Bits::EMPTY);
        }
        let stops_all = |cell: &usize| {
            let legal = !self.own_restricted || !self.black().forbids(*cell);
            legal && (self.other_winning.enclosed || self.after(*cell).other_threats().is_empty())
        };
        let stops = stops.cells().filter(stops_all);
        Some(stops.fold(Bits::EMPTY, |set, cell| set | Bits::of(cell)))
    }

    /// The same board with one more stone of the side to move.
    fn after(&self, cell: usize) -> Self {
        let taken = Bits::of(cell);
        View {
            own: self.own | taken,
            empty: self.empty & !taken,
            ..*self
        }
    }

    /// The legal moves.
    fn legal(&self) -> Bits<W> {
        if self.own_restricted {
            self.empty & !self.black().forbidden()
        } else {
            self.empty
        }
    }

    /// The board by the rules of renju, where black is to move.
    fn black(&self) -> Black<W> {
        Black::new(self.own, self.empty, self.stride)
    }

    /// Where the side to move wins at once.
    fn own_threats(&self) -> Bits<W> {
        let (own, other) = (self.own, self.other);
        windows::completing(own, other, self.empty, self.stride, self.own_winning)
    }

    /// Where the opponent would win at once.
    fn other_threats(&self) -> Bits<W> {
        let (own, other) = (self.own, self.other);
        windows::completing(other, own, self.empty, self.stride, self.other_winning)
    }

    fn windows(&self, stones: Bits<W>, count: u32) -> Windows<W> {
        Windows::with_stones(count, stones, self.empty, self.stride)
    }

    fn grown(&self, set: Bits<W>) -> Bits<W> {
        windows::grown(set, self.board, self.stride)
    }
}

/// An expansion of just these cells, none of the others being any better.
fn settle(
    out: &mut Expansion,
    cells: impl IntoIterator<Item = usize>,
    proof: Option<(ProofResult, u16)>,
) {
    out.moves.clear();
    out.moves.extend(cells.into_iter().map(Gomoku::move_at));
    out.complete = true;
    out.proof = proof.map(|(result, plies)| Proof { result, plies });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::gomoku::tests::{any_rule, drawn, empty_board, naive_wins, random_position};
    use crate::game::{Action, Moves, Point, Rule, Side};
    use proptest::prelude::*;

    fn expansion(game: &Gomoku) -> Expansion {
        let mut out = Expansion::default();
        out.all_moves(&empty_board(5, 5, Rule::Exact));
        GomokuKnowledge.expand(game, &mut (), &mut out);
        out
    }

    fn point_of(game: &Gomoku, mv: Move) -> Point {
        match game.action(mv) {
            Action::Point(point) => point,
            other => panic!("{other:?} is no point"),
        }
    }

    fn legal(game: &Gomoku) -> Moves {
        let mut moves = Moves::new();
        game.legal_moves(&mut moves);
        moves
    }

    fn after(game: &Gomoku, mv: Move) -> Gomoku {
        let mut next = game.clone();
        next.play(mv);
        next
    }

    /// The moves with which a side, were it to move, would win at once.
    fn naive_wins_of(game: &Gomoku, side: Side) -> Vec<Move> {
        let empty = game
            .setup()
            .points()
            .filter(|&p| game.stone_at(p).is_none());
        let wins = empty.filter(|&point| naive_wins(game, point, side));
        wins.filter_map(|point| Some(Gomoku::move_at(game.cell(point)?)))
            .collect()
    }

    /// Whether this move leaves the opponent, whatever it answers, with a five to be made
    /// against it. Unlike `naive_wins_in_three`, this tries only answers that could help.
    fn naive_forks(game: &Gomoku, mv: Move) -> bool {
        let next = after(game, mv);
        let side = game.side_to_move();
        let threatens = |game: &Gomoku| !naive_wins_of(game, side).is_empty();
        if next.outcome().is_some() || !threatens(&next) {
            return false;
        }
        legal(&next).into_iter().all(|reply| {
            let then = after(&next, reply);
            then.outcome().is_none() && threatens(&then)
        })
    }

    /// Whether the side to move wins with this move now or, whatever the answer, with its next.
    fn naive_wins_in_three(game: &Gomoku, mv: Move) -> bool {
        let next = after(game, mv);
        next.outcome().is_none()
            && legal(&next).into_iter().all(|reply| {
                let then = after(&next, reply);
                then.outcome().is_none() && !naive_wins_of(&then, then.side_to_move()).is_empty()
            })
    }

    /// Whether any stone is near enough for a child.
    fn naive_near(game: &Gomoku, at: Point) -> bool {
        game.setup().points().any(|point| {
            let distance = point.col.abs_diff(at.col).max(point.row.abs_diff(at.row));
            distance <= 2 && game.stone_at(point).is_some()
        })
    }

    fn check_expansion(game: &Gomoku) -> Result<(), TestCaseError> {
        let out = expansion(game);
        let mut listed: Vec<Move> = out.moves.to_vec();
        listed.sort_unstable();
        listed.dedup();
        prop_assert_eq!(listed.len(), out.moves.len(), "a move is listed twice");
        let legal_moves = legal(game);
        prop_assert!(!listed.is_empty() && listed.iter().all(|mv| legal_moves.contains(mv)));

        let side = game.side_to_move();
        let [wins, threats] = [side, side.other()].map(|side| naive_wins_of(game, side));
        if !wins.is_empty() {
            prop_assert!(wins.contains(&out.moves[0]));
            prop_assert!(out.complete);
            let proof = Proof {
                result: ProofResult::Win,
                plies: 1,
            };
            prop_assert_eq!(out.proof, Some(proof));
            return Ok(());
        }
        let threatened = !threats.is_empty();
        let holds = |mv: &Move| {
            let next = after(game, *mv);
            naive_wins_of(&next, next.side_to_move()).is_empty()
        };
        let stops: Vec<Move> = match threatened {
            true => legal_moves.iter().copied().filter(holds).collect(),
            false => Vec::new(),
        };
        if threatened && stops.is_empty() {
            prop_assert!(out.complete);
            let proof = Proof {
                result: ProofResult::Loss,
                plies: 2,
            };
            prop_assert_eq!(out.proof, Some(proof));
            return Ok(());
        }
        let forks = |mv: &&Move| (!threatened || stops.contains(*mv)) && naive_forks(game, **mv);
        if legal_moves.iter().any(|mv| forks(&mv)) {
            prop_assert!(naive_wins_in_three(game, out.moves[0]));
            prop_assert!(out.complete);
            let proof = Proof {
                result: ProofResult::Win,
                plies: 3,
            };
            prop_assert_eq!(out.proof, Some(proof));
            return Ok(());
        }
        prop_assert_eq!(out.proof, None);
        if threatened {
            prop_assert_eq!(listed, stops);
            prop_assert!(out.complete);
        } else if legal_moves.len() == game.setup().points().count() {
            let setup = game.setup();
            let centre = Point {
                col: setup.cols / 2,
                row: setup.rows / 2,
            };
            prop_assert_eq!(point_of(game, listed[0]), centre);
            prop_assert!(listed.len() == 1 && !out.complete);
        } else {
            let near = |mv: &Move| naive_near(game, point_of(game, *mv));
            let mut expected: Vec<Move> = legal_moves.iter().copied().filter(near).collect();
            if expected.is_empty() {
                expected = legal_moves.to_vec();
            }
            prop_assert_eq!(out.complete, expected.len() == legal_moves.len());
            prop_assert_eq!(listed, expected);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn every_claim_is_true_on_random_boards(
            cols in 5u8..=22, rows in 5u8..=22, rule in any_rule(), share in 0u32..=100, seed: u64,
        ) {
            let cells = u32::from(cols) * u32::from(rows);
            let game = random_position(cols, rows, rule, cells * share / 100, seed);
            if game.outcome().is_none() {
                check_expansion(&game)?;
            }
        }
    }

    proptest! {
        // Each case is a whole game.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_claim_is_true_throughout_a_crowded_game(rule in any_rule(), seed: u64) {
            for plies in 0..49 {
                let game = random_position(7, 7, rule, plies, seed);
                if game.outcome().is_none() {
                    check_expansion(&game)?;
                }
            }
        }
    }

    #[test]
    fn boards_of_every_size_are_expanded() {
        for cols in 5..=22 {
            for rows in 5..=22 {
                for plies in [0, 1, 7] {
                    let game = random_position(cols, rows, Rule::Freestyle, plies, 5);
                    check_expansion(&game).unwrap();
                }
            }
        }
    }

    #[test]
    fn an_open_three_wins_in_three_plies() {
        let rows = ["........", "..XXX...", "........", "...OO...", "...O...."];
        for rule in Rule::ALL {
            let out = expansion(&drawn(rule, Side::First, &rows));
            let proof = Proof {
                result: ProofResult::Win,
                plies: 3,
            };
            assert_eq!(out.proof, Some(proof));
            assert!(naive_wins_in_three(
                &drawn(rule, Side::First, &rows),
                out.moves[0]
            ));
        }
    }

    #[test]
    fn an_overline_is_no_threat_by_the_exact_rule() {
        let rows = ["XXX.XX..", "........", "........", "OO..O...", "O......."];
        let free = expansion(&drawn(Rule::Freestyle, Side::Second, &rows));
        assert_eq!((free.moves.len(), free.complete), (1, true));
        let exact = expansion(&drawn(Rule::Exact, Side::Second, &rows));
        assert!(exact.moves.len() > 1 && !exact.complete);
    }

    #[test]
    fn a_five_is_stopped_at_its_end_by_caro() {
        let rows = [
            "...........",
            "..OXXXX....",
            "...........",
            "O.O.O......",
            "...........",
        ];
        let stops = |rule| -> Vec<u8> {
            let game = drawn(rule, Side::Second, &rows);
            let moves = expansion(&game).moves;
            moves.iter().map(|&mv| point_of(&game, mv).col).collect()
        };
        assert_eq!(stops(Rule::Freestyle), [7]);
        assert_eq!(stops(Rule::Caro), [7, 8]);
    }

    #[test]
    fn white_wins_where_black_may_not_stop() {
        // White leaves a gap between its stones, on which black would make two threes.
        let rows = [
            ".........",
            ".........",
            "......X..",
            ".....X...",
            "XOOO.....",
            "....X....",
            "....X....",
            ".........",
            ".........",
        ];
        let renju = drawn(Rule::Renju, Side::Second, &rows);
        let out = expansion(&renju);
        let proof = Proof {
            result: ProofResult::Win,
            plies: 3,
        };
        assert_eq!(out.proof, Some(proof));
        assert_eq!(point_of(&renju, out.moves[0]), Point { col: 5, row: 4 });
        assert!(naive_wins_in_three(&renju, out.moves[0]));
        assert_eq!(
            expansion(&drawn(Rule::Exact, Side::Second, &rows)).proof,
            None
        );
    }

    #[test]
    fn the_longest_line_is_counted_over_gaps() {
        let rows = ["X....", "XX.XX", "X.X..", "...X.", "OOO.."];
        let game = drawn(Rule::Freestyle, Side::First, &rows);
        let length =
            |col, row| longest_line(&game, game.parse_action(Action::point(col, row)).unwrap());
        assert_eq!(length(2, 1), 5);
        assert_eq!(length(0, 3), 4);
        assert_eq!(length(4, 4), 5);
        assert_eq!(length(4, 2), 2);
        assert_eq!(length(3, 4), 2);
    }
}
