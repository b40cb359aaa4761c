//! Gomoku: five in a row, on boards of 5 to 22 columns and as many rows.
//!
//! Each colour has a set of 512 bits. A row of the board takes one bit more than it has
//! columns; the last is a guard which no stone ever stands on, so that a shift by one step in
//! any direction never carries a stone over the edge to another row. On the smallest board,
//! with a stride of six:
//!
//! ```text
//!        col 0   1   2   3   4  guard
//! row 0      0   1   2   3   4  ( 5)       steps: right            1
//! row 1      6   7   8   9  10  (11)              down             stride
//! row 2     12  13  14  15  16  (17)              down and right   stride + 1
//! row 3     18  19  20  21  22  (23)              down and left    stride - 1
//! row 4     24  25  26  27  28  (29)
//! ```
//!
//! The largest board has 22 · 23 = 506 cells with its guards. A move's code is its cell.
//!
//! In renju a move that is [forbidden](renju) is not legal. Where the first side has no legal
//! move left the game is drawn: the renju rules let a player pass and call two passes a draw,
//! and the referees of tournaments stop the game long before, 25 cells before the board is
//! full at Gomocup.

pub(crate) mod bits;
pub(crate) mod line;
pub(crate) mod renju;

use super::{
    Action, Game, GameKind, Move, Moves, Outcome, Point, Rule, Setup, SetupError, Side, zobrist,
};
use bits::Bits;
use line::Winning;
use renju::Black;
use std::fmt;
use std::ops::RangeInclusive;

/// The sides that a board may have, in cells (Gomocup's protocol allows no others).
pub const SIZES: RangeInclusive<u8> = 5..=22;

/// Words for the largest board.
const WORDS: usize = 8;

/// How many sizes a side may have.
const SIDES: usize = (*SIZES.end() - *SIZES.start() + 1) as usize;

/// The cells of every board, guards left out: `BOARDS[rows - 5][cols - 5]`.
static BOARDS: [[Bits<WORDS>; SIDES]; SIDES] = boards();

/// A position of Gomoku.
#[derive(Clone)]
pub struct Gomoku {
    /// By `Side::index`.
    stones: [Bits<WORDS>; 2],
    key: u64,
    empties: u16,
    cols: u8,
    rows: u8,
    rule: Rule,
    to_move: Side,
    outcome: Option<Outcome>,
}

impl Gomoku {
    /// The rule by which a row wins.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// How many cells have no stone.
    #[must_use]
    pub fn empties(&self) -> u32 {
        u32::from(self.empties)
    }

    /// What the cell number grows by from one row to the next.
    pub(crate) fn stride(&self) -> u32 {
        u32::from(self.cols) + 1
    }

    /// Whether sets of four words hold this board, as they do up to 15×15.
    pub(crate) fn is_narrow(&self) -> bool {
        u32::from(self.rows) * self.stride() <= Bits::<4>::CAPACITY as u32
    }

    /// The stones of one side. Four words only if the board [is narrow](Self::is_narrow).
    #[inline]
    pub(crate) fn stones<const W: usize>(&self, side: Side) -> Bits<W> {
        self.stones[side.index()].resized()
    }

    /// All cells of the board. Four words only if the board [is narrow](Self::is_narrow).
    #[inline]
    pub(crate) fn board<const W: usize>(&self) -> Bits<W> {
        let [row, col] = [self.rows, self.cols].map(|side| usize::from(side - SIZES.start()));
        BOARDS[row][col].resized()
    }

    /// The cells with no stone. Four words only if the board [is narrow](Self::is_narrow).
    #[inline]
    pub(crate) fn empty_cells<const W: usize>(&self) -> Bits<W> {
        self.board() & !(self.stones(Side::First) | self.stones(Side::Second))
    }

    /// The move on a cell by its number.
    #[inline]
    pub(crate) fn move_at(cell: usize) -> Move {
        Move::new(cell as u16)
    }

    /// The cell of a point on the board; `None` off the board.
    pub(crate) fn cell(&self, point: Point) -> Option<usize> {
        let on_board = point.col < self.cols && point.row < self.rows;
        on_board.then(|| usize::from(point.row) * self.stride() as usize + usize::from(point.col))
    }

    /// The point of a cell.
    pub(crate) fn point(&self, cell: usize) -> Point {
        let stride = self.stride() as usize;
        Point {
            col: (cell % stride) as u8,
            row: (cell / stride) as u8,
        }
    }

    /// The points of a set of cells, row by row.
    #[inline]
    pub(crate) fn points_of(&self, cells: Bits<WORDS>) -> impl Iterator<Item = Point> + use<> {
        let stride = self.stride() as usize;
        // Going along the rows is faster than a division for each cell.
        let (mut row, mut end) = (0, stride);
        cells.cells().map(move |cell| {
            while cell >= end {
                (row, end) = (row + 1, end + stride);
            }
            let col = (cell + stride - end) as u8;
            Point { col, row }
        })
    }

    /// Whether a stone of the side to move on `cell` wins.
    fn wins_at(&self, cell: usize) -> bool {
        let [own, other] =
            [self.to_move, self.to_move.other()].map(|side| &self.stones[side.index()]);
        line::wins_at(own, other, cell, self.stride(), self.winning(self.to_move))
    }

    /// Which rows win for this side.
    #[inline]
    pub(crate) fn winning(&self, side: Side) -> Winning {
        Winning::of(self.rule, side)
    }

    /// Whether moves can be forbidden to this side.
    #[inline]
    pub(crate) fn is_restricted(&self, side: Side) -> bool {
        self.rule == Rule::Renju && side == Side::First
    }

    /// The board as black sees it in renju.
    fn black(&self) -> Black<WORDS> {
        Black::new(self.stones(Side::First), self.empty_cells(), self.stride())
    }

    /// The empty cells which the side to move may move to.
    fn open_cells(&self) -> Bits<WORDS> {
        let empty = self.empty_cells();
        if self.is_restricted(self.to_move) {
            empty & !self.black().forbidden()
        } else {
            empty
        }
    }

    /// Whether the side to move may move to this empty cell.
    fn may_move_to(&self, cell: usize) -> bool {
        !self.is_restricted(self.to_move) || !self.black().forbids(cell)
    }

    /// Whether the side to move has any legal move.
    fn may_move(&self) -> bool {
        self.empties > 0 && (!self.is_restricted(self.to_move) || self.black().may_move())
    }

    /// Whether either side has more than five stones in a row.
    pub(crate) fn has_long_row(&self) -> bool {
        let mut sides = self.stones.into_iter();
        sides.any(|stones| line::has_longer(stones, self.stride()))
    }

    /// Who wins by the stones as they stand; `mover` where both do.
    fn standing_win(&self, mover: Side) -> Option<Side> {
        let mut sides = [mover, mover.other()].into_iter();
        sides.find(|&side| {
            let [own, other] = [side, side.other()].map(|side| self.stones::<WORDS>(side));
            line::has_win(own, other, self.stride(), self.winning(side))
        })
    }

    fn put(&mut self, cell: usize, side: Side) {
        self.stones[side.index()].insert(cell);
        self.key ^= zobrist::stone(side, cell);
        self.empties -= 1;
    }
}

impl Game for Gomoku {
    fn new(setup: &Setup) -> Result<Self, SetupError> {
        if !SIZES.contains(&setup.cols) || !SIZES.contains(&setup.rows) {
            return Err(SetupError::Size(
                "Gomoku boards have 5 to 22 columns and rows",
            ));
        }
        setup.check_common(GameKind::Gomoku)?;
        Ok(Gomoku {
            stones: [Bits::EMPTY; 2],
            key: 0,
            empties: u16::from(setup.cols) * u16::from(setup.rows),
            cols: setup.cols,
            rows: setup.rows,
            rule: setup.rule,
            to_move: Side::First,
            outcome: None,
        })
    }

    /// Any stones may stand on the board, also in unequal numbers. Where a winning row stands
    /// already the game is over; where both sides have one, the side that moved last won.
    fn from_stones(
        setup: &Setup,
        stones: &[(Point, Side)],
        to_move: Side,
    ) -> Result<Self, SetupError> {
        let mut game = Self::new(setup)?;
        for &(point, side) in stones {
            let free = game.cell(point).filter(|_| game.stone_at(point).is_none());
            game.put(free.ok_or(SetupError::Stone(point))?, side);
        }
        if to_move == Side::Second {
            game.to_move = Side::Second;
            game.key ^= zobrist::SECOND_TO_MOVE;
        }
        game.outcome = match game.standing_win(to_move.other()) {
            Some(winner) => Some(Outcome::win(winner)),
            None => (!game.may_move()).then_some(Outcome::DRAW),
        };
        Ok(game)
    }

    fn setup(&self) -> Setup {
        Setup {
            rule: self.rule,
            ..Setup::standard(GameKind::Gomoku).with_size(self.cols, self.rows)
        }
    }

    fn side_to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, out: &mut Moves) {
        out.clear();
        if self.outcome.is_none() {
            out.reserve(usize::from(self.empties));
            out.extend(self.open_cells().cells().map(Self::move_at));
        }
    }

    fn play(&mut self, mv: Move) {
        let cell = cell_of(mv);
        debug_assert!(self.outcome.is_none() && self.empty_cells::<WORDS>().contains(cell));
        debug_assert!(self.may_move_to(cell));
        let mover = self.to_move;
        let won = self.wins_at(cell);
        self.play_through(mv);
        if won {
            self.outcome = Some(Outcome::win(mover));
        } else if !self.may_move() {
            self.outcome = Some(Outcome::DRAW);
        }
    }

    #[inline]
    fn play_through(&mut self, mv: Move) {
        self.put(cell_of(mv), self.to_move);
        self.to_move = self.to_move.other();
        self.key ^= zobrist::SECOND_TO_MOVE;
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn max_plies_left(&self) -> u32 {
        match self.outcome {
            Some(_) => 0,
            None => self.empties(),
        }
    }

    fn stone_at(&self, point: Point) -> Option<Side> {
        let cell = self.cell(point)?;
        let mut sides = [Side::First, Side::Second].into_iter();
        sides.find(|side| self.stones[side.index()].contains(cell))
    }

    fn action(&self, mv: Move) -> Action {
        Action::Point(self.point(cell_of(mv)))
    }

    fn parse_action(&self, action: Action) -> Option<Move> {
        let Action::Point(point) = action else {
            return None;
        };
        let cell = self.cell(point)?;
        let legal = self.outcome.is_none() && self.stone_at(point).is_none();
        (legal && self.may_move_to(cell)).then(|| Self::move_at(cell))
    }
}

/// The board with a letter above each column and a number before each row, row 1 at the
/// bottom: `X` is the first side, `O` the second.
impl fmt::Display for Gomoku {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("  ")?;
        for col in 0..self.cols {
            write!(f, " {}", char::from(b'a' + col))?;
        }
        writeln!(f)?;
        for row in 0..self.rows {
            write!(f, "{:2}", self.rows - row)?;
            for col in 0..self.cols {
                f.write_str(match self.stone_at(Point { col, row }) {
                    Some(Side::First) => " X",
                    Some(Side::Second) => " O",
                    None => " .",
                })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[inline]
fn cell_of(mv: Move) -> usize {
    usize::from(mv.code())
}

const fn boards() -> [[Bits<WORDS>; SIDES]; SIDES] {
    let mut boards = [[Bits::EMPTY; SIDES]; SIDES];
    let mut i = 0;
    while i < SIDES * SIDES {
        let smallest = *SIZES.start() as usize;
        boards[i / SIDES][i % SIDES] = board(i % SIDES + smallest, i / SIDES + smallest);
        i += 1;
    }
    boards
}

const fn board(cols: usize, rows: usize) -> Bits<WORDS> {
    let mut words = [0; WORDS];
    let mut row = 0;
    while row < rows {
        let mut col = 0;
        while col < cols {
            let cell = row * (cols + 1) + col;
            words[cell / 64] |= 1 << (cell % 64);
            col += 1;
        }
        row += 1;
    }
    Bits::from_words(words)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::renju::tests::naive_forbids;
    use super::*;
    use crate::game::perft::perft;
    use crate::rollout::Random;
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};

    /// An empty board.
    pub(crate) fn empty_board(cols: u8, rows: u8, rule: Rule) -> Gomoku {
        let setup = Setup::standard(GameKind::Gomoku).with_size(cols, rows);
        Gomoku::new(&Setup { rule, ..setup }).unwrap()
    }

    /// A position drawn as `Display` does, without its letters and numbers.
    pub(crate) fn drawn(rule: Rule, to_move: Side, rows: &[&str]) -> Gomoku {
        let rows: Vec<Vec<char>> = rows
            .iter()
            .map(|row| row.chars().filter(|c| *c != ' ').collect())
            .collect();
        let setup = Setup {
            rule,
            ..Setup::standard(GameKind::Gomoku)
        };
        let setup = setup.with_size(rows[0].len() as u8, rows.len() as u8);
        let stones: Vec<(Point, Side)> = setup
            .points()
            .filter_map(
                |point| match rows[usize::from(point.row)][usize::from(point.col)] {
                    'X' => Some((point, Side::First)),
                    'O' => Some((point, Side::Second)),
                    _ => None,
                },
            )
            .collect();
        Gomoku::from_stones(&setup, &stones, to_move).unwrap()
    }

    /// The lengths of all rows through a cell, by walking over points.
    pub(crate) fn naive_runs(game: &Gomoku, at: Point, side: Side) -> Vec<u32> {
        let walk = |dx: i32, dy: i32| {
            let stone = |n: &i32| {
                let (col, row) = (i32::from(at.col) + n * dx, i32::from(at.row) + n * dy);
                let point = u8::try_from(col).ok().zip(u8::try_from(row).ok());
                point.is_some_and(|(col, row)| game.stone_at(Point { col, row }) == Some(side))
            };
            (1..).take_while(stone).count() as u32
        };
        [(1, 0), (0, 1), (1, 1), (-1, 1)]
            .map(|(dx, dy)| 1 + walk(dx, dy) + walk(-dx, -dy))
            .to_vec()
    }

    /// Whether a stone of `side` at this point makes or is part of a winning row.
    pub(crate) fn naive_wins(game: &Gomoku, at: Point, side: Side) -> bool {
        let runs = naive_runs(game, at, side);
        runs.iter()
            .zip(naive_ends(game, at, side))
            .any(|(&run, ends)| {
                let enclosed = ends == 2;
                match (game.rule(), side) {
                    (Rule::Freestyle, _) | (Rule::Renju, Side::Second) => run >= 5,
                    (Rule::Exact, _) | (Rule::Renju, Side::First) => run == 5,
                    (Rule::Caro, _) => run > 5 || run == 5 && !enclosed,
                    (Rule::ExactCaro, _) => run == 5 && !enclosed,
                }
            })
    }

    /// The point some steps away, if it is on the board.
    fn stepped(game: &Gomoku, at: Point, (dx, dy): (i32, i32), steps: i32) -> Option<Point> {
        let col = u8::try_from(i32::from(at.col) + steps * dx).ok()?;
        let row = u8::try_from(i32::from(at.row) + steps * dy).ok()?;
        let point = Point { col, row };
        game.setup().contains(point).then_some(point)
    }

    const WAYS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

    /// How many ends of each row through a cell have a stone of the opponent.
    fn naive_ends(game: &Gomoku, at: Point, side: Side) -> [usize; 4] {
        WAYS.map(|way| {
            let taken = |sign: i32| {
                let stone = |n: &i32| Some(game.stone_at(stepped(game, at, way, sign * n)?));
                let end = (1..).find(|n| stone(n) != Some(Some(side))).unwrap();
                stone(&end) == Some(Some(side.other()))
            };
            [1, -1].into_iter().filter(|&sign| taken(sign)).count()
        })
    }

    /// The outcome by looking at every stone. Black may be left with forbidden points alone: then
    /// the game is drawn, too.
    fn naive_outcome(game: &Gomoku) -> Option<Outcome> {
        let points = || game.setup().points();
        let wins = |point| {
            let side = game.stone_at(point)?;
            naive_wins(game, point, side).then_some(Outcome::win(side))
        };
        let restricted = game.is_restricted(game.side_to_move());
        let is_open = |point: Point| {
            game.stone_at(point).is_none() && !(restricted && naive_forbids(game, point))
        };
        let stuck = || (!points().any(is_open)).then_some(Outcome::DRAW);
        points().find_map(wins).or_else(stuck)
    }

    /// The board after `plies` random moves, or earlier where the game ends.
    pub(crate) fn random_position(cols: u8, rows: u8, rule: Rule, plies: u32, seed: u64) -> Gomoku {
        let mut random = Random::seed_from_u64(seed);
        let mut game = empty_board(cols, rows, rule);
        let mut moves = Moves::new();
        for _ in 0..plies {
            game.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let mut next = game.clone();
            next.play(moves[random.random_range(0..moves.len())]);
            game = next;
        }
        game
    }

    pub(crate) fn any_rule() -> impl Strategy<Value = Rule> {
        prop::sample::select(&Rule::ALL[..])
    }

    #[test]
    fn perft_of_the_usual_board() {
        let game = empty_board(15, 15, Rule::Freestyle);
        assert_eq!(
            [1, 2, 3].map(|depth| perft(&game, depth)),
            [225, 50_400, 11_239_200]
        );
    }

    #[test]
    fn the_position_is_small() {
        assert!(size_of::<Gomoku>() <= 152);
    }

    #[test]
    fn boards_of_other_sizes_are_refused() {
        for (cols, rows) in [(4, 15), (15, 4), (23, 15), (15, 23), (0, 0), (255, 255)] {
            let setup = Setup::standard(GameKind::Gomoku).with_size(cols, rows);
            assert!(matches!(Gomoku::new(&setup), Err(SetupError::Size(_))));
        }
    }

    #[test]
    fn stones_off_the_board_or_doubled_are_refused() {
        let setup = Setup::standard(GameKind::Gomoku);
        let on = |col, row| (Point { col, row }, Side::First);
        for bad in [on(15, 0), on(0, 15), on(255, 255), on(7, 7)] {
            let result = Gomoku::from_stones(&setup, &[on(7, 7), bad], Side::First);
            assert_eq!(result.err(), Some(SetupError::Stone(bad.0)));
        }
    }

    #[test]
    fn a_standing_row_ends_the_game() {
        let five = ["XXXXX.", "......", "......", "......", "......"];
        let six = ["......", "XXXXXX", "......", "......", "......"];
        let won = Some(Outcome::win(Side::First));
        for to_move in [Side::First, Side::Second] {
            assert_eq!(drawn(Rule::Freestyle, to_move, &five).outcome(), won);
            assert_eq!(drawn(Rule::Freestyle, to_move, &six).outcome(), won);
            assert_eq!(drawn(Rule::Exact, to_move, &five).outcome(), won);
            assert_eq!(drawn(Rule::Exact, to_move, &six).outcome(), None);
        }
        let both = ["XXXXX.", "......", "OOOOO.", "......", "......"];
        for to_move in [Side::First, Side::Second] {
            let outcome = drawn(Rule::Exact, to_move, &both).outcome();
            assert_eq!(outcome, Some(Outcome::win(to_move.other())));
        }
    }

    #[test]
    fn an_overline_wins_in_freestyle_only() {
        let rows = ["......", "XXX.XX", "......", "......", "......"];
        for (rule, expected) in [
            (Rule::Freestyle, Some(Outcome::win(Side::First))),
            (Rule::Exact, None),
        ] {
            let mut game = drawn(rule, Side::First, &rows);
            game.play(game.parse_action(Action::point(3, 1)).unwrap());
            assert_eq!(game.outcome(), expected);
        }
    }

    #[test]
    fn caro_wants_a_free_end() {
        let wins = |row: &str, rule, side| {
            let col = row.find('?').unwrap();
            let row = row.replace('?', ".");
            let blank = ".........";
            let mut game = drawn(rule, side, &[blank, blank, &row, blank, blank]);
            game.play(game.parse_action(Action::point(col as u8, 2)).unwrap());
            game.outcome() == Some(Outcome::win(side))
        };
        for (row, caro, exact_caro) in [
            ("..XXX?X..", true, true),
            (".OXXX?X..", true, true),
            ("..XXX?XO.", true, true),
            (".OXXX?XO.", false, false),
            // The edge is no stone.
            ("XXX?XO...", true, true),
            ("...OX?XXX", true, true),
            // More than five.
            (".XXX?XX..", true, false),
            ("OXXX?XXO.", true, false),
        ] {
            for (rule, expected) in [(Rule::Caro, caro), (Rule::ExactCaro, exact_caro)] {
                assert_eq!(wins(row, rule, Side::First), expected, "{row} {rule}");
                let swapped: String = row
                    .chars()
                    .map(|c| match c {
                        'X' => 'O',
                        'O' => 'X',
                        other => other,
                    })
                    .collect();
                assert_eq!(wins(&swapped, rule, Side::Second), expected, "{row} {rule}");
            }
        }
    }

    #[test]
    fn the_diagram_counts_rows_from_the_bottom() {
        let mut game = empty_board(6, 5, Rule::Freestyle);
        for point in [(0, 4), (5, 0)] {
            game.play(game.parse_action(Action::point(point.0, point.1)).unwrap());
        }
        let expected = "   a b c d e f\n 5 . . . . . O\n 4 . . . . . .\n 3 . . . . . .\n 2 . . . . . .\n 1 X . . . . .\n";
        assert_eq!(game.to_string(), expected);
    }

    proptest! {
        #[test]
        fn random_games_agree_with_a_naive_scan(
            cols in 5u8..=22, rows in 5u8..=22, rule in any_rule(), seed: u64,
        ) {
            let mut random = Random::seed_from_u64(seed);
            let mut game = empty_board(cols, rows, rule);
            let mut stones = Vec::new();
            let mut moves = Moves::new();
            while game.outcome().is_none() {
                game.legal_moves(&mut moves);
                // Trying stones is slow: in renju only some of the positions are checked.
                let restricted = game.is_restricted(game.side_to_move());
                if !restricted || game.empties().is_multiple_of(16) {
                    let naive: Vec<Action> = game.setup().points()
                        .filter(|&point| game.stone_at(point).is_none())
                        .filter(|&point| !restricted || !naive_forbids(&game, point))
                        .map(Action::Point)
                        .collect();
                    let actions: Vec<Action> = moves.iter().map(|&mv| game.action(mv)).collect();
                    prop_assert_eq!(actions, naive);
                }
                let mv = moves[random.random_range(0..moves.len())];
                let action = game.action(mv);
                prop_assert_eq!(game.parse_action(action), Some(mv));
                let Action::Point(point) = action else { panic!("{action:?} is no point") };
                stones.push((point, game.side_to_move()));
                game.play(mv);
                prop_assert_eq!(game.parse_action(action), None);
                prop_assert_eq!(game.outcome(), naive_outcome(&game));
                let again = Gomoku::from_stones(&game.setup(), &stones, game.side_to_move()).unwrap();
                prop_assert_eq!(again.key(), game.key());
                prop_assert_eq!(again.outcome(), game.outcome());
                prop_assert_eq!(again.max_plies_left(), game.max_plies_left());
            }
            game.legal_moves(&mut moves);
            prop_assert!(moves.is_empty());
        }
    }
}
