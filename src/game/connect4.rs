//! Connect Four with gravity, from 4×4 to 12×12, with or without a hole.
//!
//! The hole is a cell that nobody may use. Stones fill a column up to it and go on above it, and
//! no line runs through it.
//!
//! [`board`] tells how the cells are kept.
//!
//! Where the setup allows it, the second side may steal as its first move: the one stone on the
//! board becomes its own, and the first side is to move again. (A rule of CodinGame's Connect 4.)

pub(crate) mod board;
mod rules;

pub use rules::Connect4Rules;

use super::drawing::sign;
use super::zobrist::{self, SECOND_TO_MOVE};
use super::{
    Action, Game, GameKind, Move, Moves, Outcome, Playable, Point, Setup, SetupError, Side,
    Variant, to_move_and_outcome,
};
use board::Stones;
use std::fmt;

/// The most columns, and the most rows. Words have 16 bits, so that four spare ones part the
/// lines in [`board::Lines::through`].
pub(crate) const MAX_SIZE: usize = 12;

/// The move that takes over the first stone. The moves below it are the columns.
pub(crate) const STEAL: Move = Move::new(MAX_SIZE as u16);

/// A position of Connect Four.
#[derive(Clone, Debug)]
pub struct Connect4 {
    board: Stones,
    to_move: Side,
    outcome: Option<Outcome>,
    setup: Setup,
    /// Those of the setup, for every move needs them.
    rules: Connect4Rules,
}

impl Connect4 {
    /// What is agreed on beside the size of the board.
    pub(crate) fn rules(&self) -> &Connect4Rules {
        &self.rules
    }

    /// What stands on the cells.
    pub(crate) fn board(&self) -> &Stones {
        &self.board
    }

    /// The stones of a side, by column: bit `height`.
    pub(crate) fn columns(&self, side: Side) -> [u16; MAX_SIZE] {
        self.by_column(|col| self.board.column(side, col))
    }

    /// The stones of both sides and the hole, by column: bit `height`.
    pub(crate) fn filled(&self) -> [u16; MAX_SIZE] {
        self.by_column(|col| self.board.filled(col))
    }

    /// A word for each column of the board, and 0 for those beyond it.
    fn by_column(&self, word: impl Fn(usize) -> u16) -> [u16; MAX_SIZE] {
        let mut words = [0; MAX_SIZE];
        for (col, slot) in (0..usize::from(self.setup.cols)).zip(&mut words) {
            *slot = word(col);
        }
        words
    }

    /// The free cells of a column of the board, lowest first, as heights: the next stone lands
    /// on the first of them, the one after it on the second.
    pub(crate) fn free_heights(&self, col: usize) -> impl Iterator<Item = usize> + use<> {
        let filled = self.board.filled(col);
        (0..usize::from(self.setup.rows)).filter(move |height| filled >> height & 1 == 0)
    }

    /// Whether a stone of `side` on a free cell would make its row.
    pub(crate) fn completes_row(&self, side: Side, col: usize, height: usize) -> bool {
        let connect = self.rules.connect;
        self.board.would_make_row(side, col, height, connect)
    }

    /// The columns that take another stone, from the left. None when the game is over.
    pub(crate) fn open_columns(&self) -> impl Iterator<Item = usize> {
        let columns = match self.outcome {
            Some(_) => 0,
            None => self.setup.cols,
        };
        (0..usize::from(columns)).filter(|&col| self.board.is_open(col))
    }

    /// The height where the next stone lands; the column must be open.
    fn landing_height(&self, col: usize) -> usize {
        self.board.filled(col).trailing_ones() as usize
    }

    /// Whether the side to move may take over the first stone.
    pub(crate) fn may_steal(&self) -> bool {
        self.rules.steal && self.to_move == Side::Second && self.first_stone().is_some()
    }

    /// Whether a steal is legal here or can be after the next move.
    pub(crate) fn awaits_steal(&self) -> bool {
        let opening = self.rules.steal && self.to_move == Side::First && self.stones() == 0;
        opening || self.may_steal()
    }

    /// The column and height of the first side's stone, where there is no other.
    pub(crate) fn first_stone(&self) -> Option<(usize, usize)> {
        let cols = self.columns(Side::First);
        let col = cols.iter().position(|&stones| stones != 0)?;
        (self.stones() == 1).then(|| (col, cols[col].trailing_zeros() as usize))
    }

    /// How many stones are on the board.
    fn stones(&self) -> u32 {
        let cells = u32::from(self.setup.cols) * u32::from(self.setup.rows);
        cells - u32::from(self.rules.hole.is_some()) - self.free()
    }

    /// Cells that are free.
    pub(crate) fn free(&self) -> u32 {
        self.board.free()
    }

    fn is_open(&self, col: u8) -> bool {
        col < self.setup.cols && self.outcome.is_none() && self.board.is_open(col.into())
    }

    /// The empty board of a setup, with `to_move` to play.
    fn empty(setup: &Setup, to_move: Side) -> Result<Connect4, SetupError> {
        let rules = checked(setup)?;
        let mut position = Connect4 {
            board: Stones::new(setup),
            to_move,
            outcome: None,
            setup: *setup,
            rules,
        };
        if let Some(hole) = rules.hole {
            let col = usize::from(hole.col);
            position.board.block(col, height(setup, hole));
        }
        Ok(position)
    }
}

impl Game for Connect4 {
    to_move_and_outcome!();

    fn legal_moves(&self, out: &mut Moves) {
        out.clear();
        out.extend(self.open_columns().map(|col| Move::new(col as u16)));
        if self.may_steal() {
            out.push(STEAL);
        }
    }

    fn play(&mut self, mv: Move) {
        let side = self.to_move;
        if mv == STEAL {
            return self.play_through(mv);
        }
        let col = usize::from(mv.code());
        debug_assert!(self.is_open(col as u8), "{mv:?} is not legal in\n{self}");
        self.to_move = side.other();
        if self.board.drop_makes_row(side, col, self.rules.connect) {
            self.outcome = Some(Outcome::win(side));
        } else if self.board.is_full() {
            self.outcome = Some(Outcome::DRAW);
        }
    }

    #[inline(always)]
    fn play_through(&mut self, mv: Move) {
        let side = self.to_move;
        self.to_move = side.other();
        if mv == STEAL {
            debug_assert!(self.first_stone().is_some(), "nothing to steal in\n{self}");
            self.board.swap_sides();
        } else {
            self.board.drop_stone(side, usize::from(mv.code()));
        }
    }

    fn key(&self) -> u64 {
        let stones = self.setup.points().filter_map(|point| {
            let cell = usize::from(point.col) * MAX_SIZE + usize::from(point.row);
            Some(zobrist::stone(self.stone_at(point)?, cell))
        });
        let turn = match self.to_move {
            Side::First => 0,
            Side::Second => SECOND_TO_MOVE,
        };
        stones.fold(turn, |key, stone| key ^ stone)
    }

    fn max_plies_left(&self) -> u32 {
        match self.outcome {
            Some(_) => 0,
            None => self.free() + u32::from(self.awaits_steal()),
        }
    }

    fn action(&self, mv: Move) -> Action {
        match mv {
            STEAL => Action::Steal,
            _ => Action::Column(mv.code() as u8),
        }
    }

    /// A column, or the very cell where a stone in that column lands.
    fn parse_action(&self, action: Action) -> Option<Move> {
        let col = match action {
            Action::Column(col) => col,
            Action::Point(point) => point.col,
            Action::Steal => return self.may_steal().then_some(STEAL),
            Action::Pass => return None,
        };
        if !self.is_open(col) {
            return None;
        }
        if let Action::Point(point) = action {
            let lands = self.landing_height(usize::from(col));
            if !self.setup.contains(point) || height(&self.setup, point) != lands {
                return None;
            }
        }
        Some(Move::new(u16::from(col)))
    }
}

impl Playable for Connect4 {
    fn new(setup: &Setup) -> Result<Self, SetupError> {
        Connect4::empty(setup, Side::First)
    }

    /// Where both sides have a row, the one who has just moved has won.
    fn from_stones(
        setup: &Setup,
        stones: &[(Point, Side)],
        to_move: Side,
    ) -> Result<Self, SetupError> {
        let mut position = Connect4::empty(setup, to_move)?;
        for &(point, side) in stones {
            let (col, height) = (usize::from(point.col), height(setup, point));
            if !setup.contains(point) || position.board.filled(col) >> height & 1 == 1 {
                return Err(SetupError::Stone(point));
            }
            position.board.put(side, col, height);
        }
        let in_the_air = |&&(point, _): &&(Point, Side)| {
            height(setup, point) > position.landing_height(usize::from(point.col))
        };
        if let Some(&(point, _)) = stones.iter().find(in_the_air) {
            return Err(SetupError::Stone(point));
        }
        let winner = [to_move.other(), to_move]
            .into_iter()
            .find(|&side| position.board.has_row(side, position.rules.connect));
        if let Some(winner) = winner {
            position.outcome = Some(Outcome::win(winner));
        } else if position.board.is_full() {
            position.outcome = Some(Outcome::DRAW);
        }
        Ok(position)
    }

    fn setup(&self) -> Setup {
        self.setup
    }

    fn stone_at(&self, point: Point) -> Option<Side> {
        if !self.setup.contains(point) {
            return None;
        }
        let (col, height) = (usize::from(point.col), height(&self.setup, point));
        let holds = |side: &Side| self.board.column(*side, col) >> height & 1 == 1;
        [Side::First, Side::Second].into_iter().find(holds)
    }
}

impl fmt::Display for Connect4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = if self.setup.cols < 10 { 1 } else { 2 };
        for row in 0..self.setup.rows {
            for col in 0..self.setup.cols {
                let point = Point { col, row };
                let sign = match self.rules.hole == Some(point) {
                    true => '#',
                    false => sign(self.stone_at(point)),
                };
                write_cell(f, col, width, sign)?;
            }
            writeln!(f)?;
        }
        for col in 0..self.setup.cols {
            write_cell(f, col, width, col + 1)?;
        }
        writeln!(f)
    }
}

/// Writes one cell of a drawn board, parted from the one before it by a space.
fn write_cell(
    f: &mut fmt::Formatter<'_>,
    col: u8,
    width: usize,
    text: impl fmt::Display,
) -> fmt::Result {
    let space = if col == 0 { "" } else { " " };
    write!(f, "{space}{text:>width$}")
}

/// What is agreed on, where the game can be played so.
fn checked(setup: &Setup) -> Result<Connect4Rules, SetupError> {
    let Variant::Connect4(rules) = setup.variant else {
        return Err(SetupError::Game(GameKind::Connect4));
    };
    let sizes = 4..=MAX_SIZE as u8;
    if !sizes.contains(&setup.cols) || !sizes.contains(&setup.rows) {
        return Err(SetupError::Size(
            "Connect Four has 4 to 12 columns and 4 to 12 rows",
        ));
    }
    if !(3..=5).contains(&rules.connect) {
        return Err(SetupError::Rule("3, 4 or 5 in a row win Connect Four"));
    }
    if rules.connect > setup.cols.max(setup.rows) {
        return Err(SetupError::Rule("no row that wins fits on the board"));
    }
    if rules.hole.is_some_and(|hole| !setup.contains(hole)) {
        return Err(SetupError::Rule("the forbidden cell lies off the board"));
    }
    Ok(rules)
}

/// The height of a point over the bottom row. Meaningless off the board.
fn height(setup: &Setup, point: Point) -> usize {
    usize::from(setup.rows.saturating_sub(1).saturating_sub(point.row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rollout::Random;
    use rand::{RngExt, SeedableRng};

    fn standard() -> Setup {
        Setup::standard(GameKind::Connect4)
    }

    fn with_hole(cols: u8, rows: u8, hole: Point) -> Setup {
        standard().with_size(cols, rows).with(Connect4Rules {
            hole: Some(hole),
            ..Connect4Rules::default()
        })
    }

    /// Where stones land by the array of the coursework's judge: `top[col]` is one more than the
    /// row of the next stone, rows counted from the top, and 0 when the column is full.
    struct Tops {
        top: Vec<u8>,
        hole: Point,
    }

    impl Tops {
        fn new(setup: &Setup, hole: Point) -> Tops {
            let mut top = vec![setup.rows; usize::from(setup.cols)];
            if hole.row == setup.rows - 1 {
                top[usize::from(hole.col)] -= 1;
            }
            Tops { top, hole }
        }

        fn drop_stone(&mut self, col: u8) {
            let top = &mut self.top[usize::from(col)];
            *top -= 1;
            if self.hole.col == col && *top > 0 && self.hole.row == *top - 1 {
                *top -= 1;
            }
        }
    }

    #[test]
    fn stones_land_where_the_coursework_says() {
        let mut random = Random::seed_from_u64(3);
        let size = standard().with_size(9, 10);
        for hole in size.points() {
            let setup = with_hole(9, 10, hole);
            let mut position = Connect4::new(&setup).unwrap();
            let mut tops = Tops::new(&setup, hole);
            let mut moves = Moves::new();
            while position.outcome().is_none() {
                for col in 0..setup.cols {
                    let row = tops.top[usize::from(col)].checked_sub(1);
                    let lands = row.map(|row| Action::point(col, row));
                    let legal = (0..setup.rows)
                        .map(|row| Action::point(col, row))
                        .find(|&action| position.parse_action(action).is_some());
                    assert_eq!(legal, lands, "column {col} of\n{position}");
                }
                position.legal_moves(&mut moves);
                let mv = moves[random.random_range(0..moves.len())];
                tops.drop_stone(mv.code() as u8);
                position.play(mv);
            }
        }
    }

    #[test]
    fn the_first_stone_can_be_stolen_once() {
        let steal = standard().with_size(9, 7).with(Connect4Rules {
            steal: true,
            ..Connect4Rules::default()
        });
        let opening = Connect4::new(&steal).unwrap();
        assert_eq!(opening.parse_action(Action::Steal), None);
        let mut position = opening.clone();
        position.play(Move::new(4));
        let kept = position.clone();
        assert_eq!(position.parse_action(Action::Steal), Some(STEAL));
        position.play(STEAL);
        let bottom = Point { col: 4, row: 6 };
        assert_eq!(position.stone_at(bottom), Some(Side::Second));
        assert_eq!(position.side_to_move(), Side::First);
        assert_ne!(position.key(), kept.key());
        position.play(Move::new(4));
        assert_eq!(position.parse_action(Action::Steal), None);

        // Nine columns and the steal at the second ply, nine columns at all others.
        let counts = [9, 9 * 10, 9 * 10 * 9, 9 * 10 * 9 * 9];
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(super::super::perft::perft(&opening, depth), count);
        }
    }

    #[test]
    fn the_hole_breaks_a_row() {
        let setup = with_hole(7, 6, Point { col: 2, row: 5 });
        let stones = [0, 1, 3].map(|col| (Point { col, row: 5 }, Side::First));
        let mut position = Connect4::from_stones(&setup, &stones, Side::First).unwrap();
        position.play(Move::new(4));
        assert_eq!(position.outcome(), None);
        let drawing = ". . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
X X # X X . .
1 2 3 4 5 6 7
";
        assert_eq!(position.to_string(), drawing);
    }

    #[test]
    fn stones_that_cannot_stand_are_refused() {
        let hole = Point { col: 1, row: 4 };
        let setup = with_hole(7, 6, hole);
        let refused = |cells: &[(u8, u8)]| {
            let stones: Vec<_> = cells
                .iter()
                .map(|&(col, row)| (Point { col, row }, Side::First))
                .collect();
            Connect4::from_stones(&setup, &stones, Side::First).err()
        };
        let stone = |col, row| Some(SetupError::Stone(Point { col, row }));
        assert_eq!(refused(&[(1, 5), (1, 3)]), None, "above the hole");
        assert_eq!(refused(&[(1, 4)]), stone(1, 4), "on the hole");
        assert_eq!(
            refused(&[(1, 3)]),
            stone(1, 3),
            "above an empty cell under the hole"
        );
        assert_eq!(refused(&[(0, 4)]), stone(0, 4), "in the air");
        assert_eq!(refused(&[(0, 4), (0, 5)]), None, "in any order");
        assert_eq!(refused(&[(0, 5), (0, 5)]), stone(0, 5), "twice");
        assert_eq!(refused(&[(7, 5)]), stone(7, 5), "off the board");
        assert_eq!(refused(&[(0, 6)]), stone(0, 6), "off the board");
    }

    #[test]
    fn setups_without_sense_are_refused() {
        let size = |cols, rows| Connect4::new(&standard().with_size(cols, rows)).err();
        for (cols, rows) in [(3, 6), (13, 6), (7, 3), (7, 13), (0, 0), (255, 255)] {
            assert!(
                matches!(size(cols, rows), Some(SetupError::Size(_))),
                "{cols}x{rows}"
            );
        }
        let rule = |setup| matches!(Connect4::new(&setup).err(), Some(SetupError::Rule(_)));
        let connect = |connect| {
            standard().with(Connect4Rules {
                connect,
                ..Connect4Rules::default()
            })
        };
        assert!(rule(connect(2)) && rule(connect(6)) && !rule(connect(5)));
        assert!(rule(connect(5).with_size(4, 4)) && !rule(connect(5).with_size(4, 5)));
        assert!(rule(with_hole(7, 6, Point { col: 7, row: 0 })));
    }
}
