//! The pattern board: what a stone on each empty cell would make for either side, kept up to date
//! move by move.
//!
//! Every line of the board in each of the four directions is a word with two bits a cell, so a
//! move changes four words:
//!
//! ```text
//! bits    1:0 .. 9:8 | 11:10  13:12 ..            | ..        63:62
//!          edge × 5  | cell 0 cell 1 .. (22 cells) | edge to the end
//! ```
//!
//! The cells before and after a cell in a line, cut out of its word, are its *line key*. A table
//! for each rule tells the [class](class::Class) that a stone there makes in this direction, for
//! both sides at once; a second table joins the classes of the four directions into the
//! [kind](kind::CellKind) of the cell. Cells whose kind is a threat stand in a set for each kind.
//!
//! A cell with a stone keeps what it had when the stone was put there, and what a stone changed is
//! noted, so that taking it back looks nothing up. Cells have the numbers that [`Gomoku`] gives them.

pub mod class;
pub mod kind;
mod tables;
mod words;

use crate::game::gomoku::Gomoku;
use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::line;
use crate::game::gomoku::renju::Black;
use crate::game::{Move, Playable, Rule, Setup, Side, zobrist};
use class::{Class, EDGE};
use kind::CellKind;
use tables::Tables;
use words::{
    LINES, LOW, MARGIN, Places, line_key, may_be_threats, places_of, shift_of, stone_bits,
};

/// Cells of the largest board with its guards, rounded up.
const CELLS: usize = 512;

/// The kinds that have sets: threats, and what is or may be forbidden. All others share one set,
/// which means nothing but spares a branch.
const SETS: usize = 1 + 8;

/// The patterns of a position. Some six kilobytes, and on the heap what taking back needs.
pub struct Patterns {
    tables: &'static Tables,
    rule: Rule,
    cols: u32,
    places: &'static Places,
    /// By the numbers in `places`.
    lines: [u64; LINES],
    /// By cell: the classes of the four directions, four bits each, for the first side in the low
    /// half and for the second in the high half.
    codes: [u32; CELLS],
    /// The empty cells of a side by kind; see [`set_of`].
    threats: [[Bits<8>; SETS]; 2],
    stones: [Bits<8>; 2],
    empty: Bits<8>,
    /// The hash of rule, board and stones.
    key: u64,
    moves: Vec<Played>,
    /// What the moves changed, the latest last.
    changes: Vec<Change>,
}

/// A stone that can be taken back.
#[derive(Clone, Copy)]
struct Played {
    cell: u16,
    side: Side,
    /// How many changes there were before it.
    changes: u32,
}

/// The code that a cell had before a stone was put down.
#[derive(Clone, Copy)]
struct Change {
    cell: u16,
    /// Whether its classes from an open three up changed too.
    relisted: bool,
    code: u32,
}

/// `clone_from` keeps the room on the heap.
impl Clone for Patterns {
    fn clone(&self) -> Patterns {
        Patterns {
            moves: self.moves.clone(),
            changes: self.changes.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Patterns) {
        let mut moves = std::mem::take(&mut self.moves);
        let mut changes = std::mem::take(&mut self.changes);
        moves.clone_from(&other.moves);
        changes.clone_from(&other.changes);
        *self = Patterns {
            moves,
            changes,
            ..*other
        };
    }
}

impl Patterns {
    /// Builds the tables of a rule, if they are not built yet, which takes some ten milliseconds.
    pub fn prepare(rule: Rule) {
        Tables::of(rule);
    }

    /// The patterns of this position, whose stones are not to be taken back.
    #[must_use]
    pub fn of(position: &Gomoku) -> Patterns {
        let setup = position.setup();
        let empty_board = Patterns {
            tables: Tables::of(setup.rule()),
            rule: setup.rule(),
            cols: u32::from(setup.cols),
            places: places_of(setup.cols),
            lines: [u64::MAX; LINES],
            codes: [0; CELLS],
            threats: [[Bits::EMPTY; SETS]; 2],
            stones: [Side::First, Side::Second].map(|side| position.stones(side)),
            empty: position.empty_cells(),
            key: salt(&setup),
            moves: Vec::new(),
            changes: Vec::new(),
        };
        empty_board.filled()
    }

    /// With all that follows from the stones worked out.
    fn filled(mut self) -> Patterns {
        for (contents, cells) in [
            (class::EMPTY, self.empty),
            (stone_bits(Side::First), self.stones[0]),
            (stone_bits(Side::Second), self.stones[1]),
        ] {
            for cell in cells.cells() {
                for (line, place) in self.places(cell) {
                    self.lines[line] ^= (contents ^ EDGE) << shift_of(place);
                }
            }
        }
        for side in [Side::First, Side::Second] {
            let keys = self.stones[side.index()].cells();
            self.key ^= keys.fold(0, |key, cell| key ^ zobrist::stone(side, cell));
        }
        let radius = self.tables.radius;
        for cell in self.empty.cells() {
            let mut code = 0;
            for (direction, (line, place)) in (0..).zip(self.places(cell)) {
                let key = line_key(self.lines[line], shift_of(place), radius);
                code = with_classes(code, direction, self.tables.classes[key]);
            }
            self.codes[cell] = code;
            self.list(cell, true);
        }
        self
    }

    /// The rule of the game.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// A number for the rule, the size of the board and its stones, the same for both sides to move.
    #[must_use]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// How many moves were played since the position it began with.
    #[must_use]
    pub fn played(&self) -> usize {
        self.moves.len()
    }

    /// These moves, the first played first.
    pub(crate) fn moves(&self) -> impl Iterator<Item = (Move, Side)> {
        let moves = self.moves.iter();
        moves.map(|played| (Gomoku::move_at(usize::from(played.cell)), played.side))
    }

    /// What the cell number grows by from one row to the next.
    #[inline]
    pub(crate) fn stride(&self) -> u32 {
        self.cols + 1
    }

    /// The empty cells.
    pub(crate) fn empty(&self) -> Bits<8> {
        self.empty
    }

    /// The stones of a side.
    pub(crate) fn stones(&self, side: Side) -> Bits<8> {
        self.stones[side.index()]
    }

    /// The class that a stone of `side` on an empty cell makes in a direction: along the row, down
    /// the column, down to the right, down to the left.
    #[inline]
    #[must_use]
    pub fn class(&self, cell: usize, direction: usize, side: Side) -> Class {
        let code = self.codes[cell % CELLS] >> (16 * side.index() + 4 * (direction & 3));
        Class::from_number((code & 15) as u8)
    }

    /// The kind of an empty cell for a side.
    #[inline]
    #[must_use]
    pub fn kind(&self, cell: usize, side: Side) -> CellKind {
        CellKind::from_number(self.kinds_of(self.codes[cell % CELLS])[side.index()])
    }

    /// The empty cells of this kind, which is [`CellKind::OpenThree`] or a later one.
    #[inline]
    pub(crate) fn cells(&self, side: Side, kind: CellKind) -> Bits<8> {
        debug_assert!(kind >= CellKind::OpenThree);
        self.threats[side.index()][set_of(kind as u8)]
    }

    /// The nine cells of the lines through a cell, by direction, with four to either side: two bits each,
    /// the first lowest. A stone of the first side is 1, of the second 2, what is off the board 3.
    #[inline(always)]
    pub(crate) fn nines(&self, cell: usize) -> [u32; 4] {
        let places = &self.places[cell % CELLS];
        let mut nines = [0; 4];
        for direction in 0..4 {
            let (line, place) = places[direction];
            let from_first = self.lines[usize::from(line)] >> (shift_of(place.into()) - 8);
            nines[direction] = from_first as u32 & ((1 << 18) - 1);
        }
        nines
    }

    /// How many empty cells are of this kind, which is [`CellKind::OpenThree`] or a later one.
    #[must_use]
    pub fn count(&self, side: Side, kind: CellKind) -> u32 {
        self.cells(side, kind).count()
    }

    /// The cells on which `side` wins at once.
    #[inline]
    pub(crate) fn fives(&self, side: Side) -> Bits<8> {
        self.cells(side, CellKind::Five)
    }

    /// The cells on which a stone of `side` makes a four, and such as may be forbidden.
    #[inline]
    pub(crate) fn fours(&self, side: Side) -> Bits<8> {
        let cells = |kind| self.cells(side, kind);
        let fours = cells(CellKind::Four) | cells(CellKind::FourThree) | cells(CellKind::OpenFour);
        match self.is_restricted(side) {
            true => fours | cells(CellKind::Suspect),
            false => fours,
        }
    }

    /// Whether a stone on this empty cell makes a four.
    #[inline]
    pub(crate) fn makes_four(&self, cell: usize, side: Side) -> bool {
        let mut directions = 0..4;
        directions.any(|direction| self.class(cell, direction, side).is_four())
    }

    /// Where `side` wins next once it has made a four on this empty cell, in the first direction
    /// that is one.
    #[inline]
    pub(crate) fn completion(&self, cell: usize, side: Side) -> Option<usize> {
        let mut directions = 0..4;
        let direction = directions.find(|&it| self.class(cell, it, side).is_four())?;
        let (line, place) = self.places(cell)[direction];
        let shift = shift_of(place);
        let word = self.lines[line] ^ stone_bits(side) << shift;
        let mut classes = self.classes_near(word, shift, side);
        let (at, _) = classes.find(|&(_, class)| class == Class::Five)?;
        let step = line::steps(self.stride())[direction];
        let place_of_five = at / 2 - MARGIN;
        Some((cell as u32 + step * place_of_five - step * place) as usize)
    }

    /// Whether `side`, which has no five at hand, can make no four after one on this empty cell and
    /// its only `answer`. It may say no where that is true, and does wherever moves can be forbidden
    /// to the side.
    #[inline]
    pub(crate) fn ends_fours(&self, cell: usize, answer: usize, side: Side) -> bool {
        let others = self.fours(side) & !(Bits::of(cell) | Bits::of(answer));
        if !others.is_empty() || self.is_restricted(side) {
            return false;
        }
        let (places, steps) = (self.places(cell), line::steps(self.stride()));
        (0..4).all(|direction| {
            let class = self.class(cell, direction, side);
            if !class.is_four() {
                return class < Class::Three;
            }
            let ((line, place), step) = (places[direction], steps[direction]);
            let place_of_answer = (step * place + answer as u32 - cell as u32) / step;
            let word = self.lines[line]
                ^ stone_bits(side) << shift_of(place)
                ^ stone_bits(side.other()) << shift_of(place_of_answer);
            let mut classes = self.classes_near(word, shift_of(place), side);
            classes.all(|(_, class)| class < Class::Four)
        })
    }

    /// What a stone of `side` makes on each empty cell at most four from the one at `shift` in a
    /// line's word, with where these stand.
    #[inline]
    fn classes_near(
        &self,
        word: u64,
        shift: u32,
        side: Side,
    ) -> impl Iterator<Item = (u32, Class)> {
        let (classes, radius) = (&self.tables.classes, self.tables.radius);
        let mut near = !(word | word >> 1) & (LOW & ((1 << 18) - 1)) << (shift - 8);
        std::iter::from_fn(move || {
            let at = (near != 0).then(|| near.trailing_zeros())?;
            near &= near - 1;
            let both = classes[line_key(word, at, radius)];
            Some((at, Class::from_number(both >> (4 * side.index()) & 15)))
        })
    }

    /// Whether a row of five needs a free end to win.
    #[inline]
    pub(crate) fn needs_free_end(&self) -> bool {
        matches!(self.rule, Rule::Caro | Rule::ExactCaro)
    }

    /// Whether moves can be forbidden to this side.
    #[inline]
    pub(crate) fn is_restricted(&self, side: Side) -> bool {
        self.rule == Rule::Renju && side == Side::First
    }

    /// Whether `side` may move to this empty cell.
    pub(crate) fn allows(&self, cell: usize, side: Side) -> bool {
        if !self.is_restricted(side) {
            return true;
        }
        match self.kind(cell, side) {
            CellKind::Forbidden => false,
            CellKind::Suspect => !self.black().forbids(cell),
            _ => true,
        }
    }

    /// Whether black, in renju, has any move.
    pub(crate) fn black_may_move(&self) -> bool {
        let mut cells = self.empty.cells();
        cells.any(|cell| self.allows(cell, Side::First))
    }

    fn black(&self) -> Black<8> {
        let stones = self.stones[Side::First.index()];
        Black::new(stones, self.empty, self.stride())
    }

    /// Puts a stone of `side` on an empty cell.
    #[inline]
    pub fn play(&mut self, mv: Move, side: Side) {
        self.put::<false>(mv, side);
    }

    /// Puts a stone on an empty cell to look at threats alone. Until it is taken back, classes below a
    /// [`Class::Three`] and kinds below a [`CellKind::OpenThree`] may be those from before; the sets are exact.
    #[inline]
    pub(crate) fn probe(&mut self, mv: Move, side: Side) {
        self.put::<true>(mv, side);
    }

    #[inline]
    fn put<const THREATS: bool>(&mut self, mv: Move, side: Side) {
        let cell = usize::from(mv.code());
        debug_assert!(self.empty.contains(cell));
        self.moves.push(Played {
            cell: mv.code(),
            side,
            changes: self.changes.len() as u32,
        });
        self.list(cell, false);
        self.turn(cell, side);
        if self.tables.radius == 4 {
            self.touch::<4, THREATS>(cell, side);
        } else {
            self.touch::<5, THREATS>(cell, side);
        }
    }

    /// Takes back the last stone that was put down.
    #[inline]
    pub fn undo(&mut self) {
        debug_assert!(!self.moves.is_empty());
        let Some(Played {
            cell,
            side,
            changes,
        }) = self.moves.pop()
        else {
            return;
        };
        let cell = usize::from(cell);
        while self.changes.len() > changes as usize {
            let Some(change) = self.changes.pop() else {
                break;
            };
            let cell = usize::from(change.cell) % CELLS;
            let code = std::mem::replace(&mut self.codes[cell], change.code);
            if change.relisted {
                self.relist(cell, code, change.code);
            }
        }
        for (line, place) in self.places(cell) {
            self.lines[line] ^= stone_bits(side) << shift_of(place);
        }
        self.turn(cell, side);
        self.list(cell, true);
    }

    /// Takes back all but the first `played` stones.
    pub fn rewind(&mut self, played: usize) {
        while self.played() > played {
            self.undo();
        }
    }

    /// Puts a stone on a cell, or takes it away.
    #[inline]
    fn turn(&mut self, cell: usize, side: Side) {
        self.stones[side.index()].toggle(cell % CELLS);
        self.empty.toggle(cell % CELLS);
        self.key ^= zobrist::stone(side, cell % CELLS);
    }

    /// Enters a cell in the sets of threats, or takes it out.
    #[inline]
    fn list(&mut self, cell: usize, enter: bool) {
        let kinds = self.kinds_of(self.codes[cell % CELLS]);
        for (threats, kind) in self.threats.iter_mut().zip(kinds) {
            threats[set_of(kind)].set(cell % CELLS, enter);
        }
    }

    /// Enters a stone in the lines through its cell, and all that follows around it.
    #[inline]
    fn touch<const RADIUS: u32, const THREATS: bool>(&mut self, cell: usize, side: Side) {
        let steps = line::steps(self.stride());
        let [row, column, falling, rising] = self.places(cell);
        self.touch_line::<RADIUS, 0, THREATS>(cell, side, row, steps[0]);
        self.touch_line::<RADIUS, 1, THREATS>(cell, side, column, steps[1]);
        self.touch_line::<RADIUS, 2, THREATS>(cell, side, falling, steps[2]);
        self.touch_line::<RADIUS, 3, THREATS>(cell, side, rising, steps[3]);
    }

    #[inline]
    fn touch_line<const RADIUS: u32, const DIRECTION: u32, const THREATS: bool>(
        &mut self,
        cell: usize,
        side: Side,
        (line, place): (usize, u32),
        step: u32,
    ) {
        let tables = self.tables;
        let shift = shift_of(place);
        let word = self.lines[line] ^ stone_bits(side) << shift;
        self.lines[line] = word;
        let around = (LOW & ((1 << (4 * RADIUS + 2)) - 1)) << (shift - 2 * RADIUS) & !(1 << shift);
        if THREATS && !may_be_threats(word, around, side) {
            return;
        }
        let mut near = !(word | word >> 1) & around;
        // The cell of place 0, which may lie off the board.
        let origin = (cell as u32).wrapping_sub(step * place);
        while near != 0 {
            let at = near.trailing_zeros();
            near &= near - 1;
            let classes = tables.classes[line_key(word, at, RADIUS)];
            let neighbour = origin.wrapping_add(step * (at / 2 - MARGIN));
            self.set_classes(neighbour as usize, DIRECTION, classes);
        }
    }

    /// Notes what a stone on an empty cell makes in one direction, for both sides.
    #[inline(always)]
    fn set_classes(&mut self, cell: usize, direction: u32, classes: u8) {
        let cell = cell % CELLS;
        let old = self.codes[cell];
        let code = with_classes(old, direction, classes);
        if code == old {
            return;
        }
        let relisted = threats_of(old) != threats_of(code);
        self.changes.push(Change {
            cell: cell as u16,
            relisted,
            code: old,
        });
        self.codes[cell] = code;
        if relisted {
            self.relist(cell, old, code);
        }
    }

    /// Moves a cell from the sets of its old kinds to those of its new ones.
    #[inline(never)]
    fn relist(&mut self, cell: usize, old: u32, new: u32) {
        let [before, after] = [self.kinds_of(old), self.kinds_of(new)];
        for (side, threats) in self.threats.iter_mut().enumerate() {
            if before[side] != after[side] {
                threats[set_of(before[side])].set(cell, false);
                threats[set_of(after[side])].set(cell, true);
            }
        }
    }

    /// The kinds of a cell for both sides by its code.
    #[inline]
    fn kinds_of(&self, code: u32) -> [u8; 2] {
        let [first, second] = self.tables.kinds;
        [first[code as usize & 0xffff], second[code as usize >> 16]]
    }

    /// The lines through a cell, by direction, and its place in each.
    #[inline(always)]
    fn places(&self, cell: usize) -> [(usize, u32); 4] {
        self.places[cell % CELLS].map(|(line, place)| (usize::from(line), u32::from(place)))
    }
}

/// What tells the keys of one rule and size from those of others.
fn salt(setup: &Setup) -> u64 {
    let bytes = [setup.rule() as u8, setup.cols, setup.rows, 0, 0, 0, 0, 0];
    // Any odd number that spreads them: the golden ratio's fraction.
    u64::from_le_bytes(bytes).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A code with these classes of both sides in one direction.
#[inline]
fn with_classes(code: u32, direction: u32, classes: u8) -> u32 {
    let classes = u32::from(classes);
    let spread = classes & 0xf | (classes & 0xf0) << 12;
    code & !(0x000f_000f << (4 * direction)) | spread << (4 * direction)
}

/// A code without its classes below an open three. By these alone a cell is a threat or forbidden.
#[inline]
fn threats_of(code: u32) -> u32 {
    // Sets the high bit of four bits that hold as much, and carries nothing beyond them.
    let lift = 8 - Class::OpenThree as u32;
    let high = (code + lift * 0x1111_1111) & 0x8888_8888;
    code & ((high >> 3) * 15)
}

/// The number of the set of threats that a kind has; 0 is the one of all kinds that are none.
#[inline]
fn set_of(kind: u8) -> usize {
    usize::from((kind & 15).saturating_sub(CellKind::OpenThree as u8 - 1))
}

#[cfg(test)]
mod tests;
