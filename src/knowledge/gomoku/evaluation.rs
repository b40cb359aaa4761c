//! What rows of stones are worth: the patterns of system C, a thesis on Gomoku by alpha-beta.
//!
//! A stone is judged by the nine cells around it in each of the four directions, as far as no
//! stone of the opponent and no edge is in between. What a side has is the sum over its stones;
//! what a move promises is what its stone would be worth.
//!
//! The patterns take five or more in a row to win, whatever the rule of the game is.

use super::near::grown;
use crate::game::gomoku::bits::Bits;
use crate::game::gomoku::{Gomoku, line};
use crate::game::{Game, Move, Moves, Playable, Side};
use crate::knowledge::Evaluate;
use std::sync::LazyLock;

/// A row of stones, with the empty cells that it needs.
struct Pattern {
    /// `A`: the stone that is judged, or another in its place; `a`: a stone beside it; `?`: an
    /// empty cell. Read from either end.
    cells: &'static str,
    kind: PatternKind,
    value: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatternKind {
    /// The game is won.
    Five,
    /// One more stone makes a five.
    Four,
    /// One more stone makes a four that cannot be stopped.
    LiveThree,
    Other,
}

/// The best first: the first that fits is what a stone is worth. Where a pattern does not end
/// with `?`, its end may be blocked.
///
/// The thesis gives the values, but for five in a row, which is a guess above all of them. It
/// lists A?AA and AA?A, and A?A?A twice, with values of their own. That is read here as the lone
/// stone, one of the pair, an outer and the middle stone being the one that was just played.
const PATTERNS: [Pattern; 15] = [
    pattern("AAAAA", PatternKind::Five, 10_000_000),
    pattern("?AAAA?", PatternKind::Four, 300_000),
    pattern("A?AAA", PatternKind::Four, 3000),
    pattern("AA?AA", PatternKind::Four, 2600),
    pattern("?AAAA", PatternKind::Four, 2500),
    pattern("?AAA?", PatternKind::LiveThree, 3000),
    pattern("A?aa", PatternKind::Other, 800),
    pattern("a?A?a", PatternKind::Other, 700),
    pattern("?AA?", PatternKind::Other, 650),
    pattern("a?AA", PatternKind::Other, 600),
    pattern("A?a?a", PatternKind::Other, 550),
    pattern("?AAA", PatternKind::Other, 500),
    pattern("A?A", PatternKind::Other, 250),
    pattern("A??A", PatternKind::Other, 200),
    pattern("AA", PatternKind::Other, 150),
];

const fn pattern(cells: &'static str, kind: PatternKind, value: i32) -> Pattern {
    Pattern { cells, kind, value }
}

impl Pattern {
    /// Whether the stone in the middle of a window stands in this pattern.
    fn fits(&self, window: Window) -> bool {
        let cells = self.cells.bytes();
        fits(cells.clone(), window) || fits(cells.rev(), window)
    }
}

fn fits(cells: impl Iterator<Item = u8> + Clone, window: Window) -> bool {
    let stones = (0..).zip(cells.clone()).filter(|&(_, cell)| cell == b'A');
    let mut starts = stones.filter_map(|(index, _)| REACH.checked_sub(index));
    starts.any(|start| {
        let mut places = (start..).zip(cells.clone());
        places.all(|(place, cell)| match cell {
            b'?' => window.free >> place & 1 == 1 && window.own >> place & 1 == 0,
            _ => window.own >> place & 1 == 1,
        })
    })
}

/// How far from a stone its rows are looked at, in cells.
const REACH: usize = 4;

/// The row of nine cells around a stone in one direction:
///
/// ```text
///   bit     0  1  2  3  4  5  6  7  8
///   cell   -4 -3 -2 -1  0 +1 +2 +3 +4
/// ```
#[derive(Clone, Copy)]
struct Window {
    /// The stones of its side, itself among them.
    own: u16,
    /// Those, and the empty cells, as far as they are not cut off from it.
    free: u16,
}

impl Window {
    /// The window around `cell`, where a stone of `own` stands or is thought of. `free` are the
    /// cells of the board that the opponent has not taken.
    fn around(own: &Bits<8>, free: &Bits<8>, cell: usize, step: u32) -> Window {
        let mut window = Window {
            own: 1 << REACH,
            free: 1 << REACH,
        };
        // Above the first row the number wraps to one that no set contains.
        for (toward, way) in [(step as usize, 1), ((step as usize).wrapping_neg(), -1)] {
            let (mut next, mut place) = (cell, REACH as i32);
            for _ in 0..REACH {
                next = next.wrapping_add(toward);
                place += way;
                if !free.contains(next) {
                    break;
                }
                window.free |= 1 << place;
                window.own |= u16::from(own.contains(next)) << place;
            }
        }
        window
    }

    /// The window but for its middle: the stones in the high byte, the free cells in the low one.
    fn key(self) -> u16 {
        let [own, free] = [self.own, self.free].map(|set| set & 0xf | set >> 1 & 0xf0);
        own << 8 | free
    }

    fn of_key(key: u16) -> Window {
        let [own, free] = [key >> 8, key & 0xff].map(|set| set & 0xf | 1 << 4 | (set & 0xf0) << 1);
        Window { own, free }
    }

    /// The place of its pattern in [`PATTERNS`]; `NO_PATTERN` where none fits, where there is no
    /// room for five, and in windows that cannot be.
    fn pattern(self) -> u8 {
        if self.free.count_ones() < 5 || self.own & !self.free != 0 {
            return NO_PATTERN;
        }
        let place = PATTERNS.iter().position(|pattern| pattern.fits(self));
        place.map_or(NO_PATTERN, |place| place as u8)
    }
}

const NO_PATTERN: u8 = PATTERNS.len() as u8;

/// The pattern of every window, by its key.
static PATTERN_OF: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let keys = 0..=u16::MAX;
    keys.map(|key| Window::of_key(key).pattern()).collect()
});

/// The pattern around a cell in one direction.
fn pattern_around(
    own: &Bits<8>,
    free: &Bits<8>,
    cell: usize,
    step: u32,
) -> Option<&'static Pattern> {
    let key = Window::around(own, free, cell, step).key();
    PATTERNS.get(usize::from(PATTERN_OF[usize::from(key)]))
}

/// What one side has.
struct Holding {
    value: i32,
    has_four: bool,
    has_live_three: bool,
}

fn holding(position: &Gomoku, side: Side) -> Holding {
    let mut holding = Holding {
        value: 0,
        has_four: false,
        has_live_three: false,
    };
    let own = position.stones::<8>(side);
    let free = own | position.empty_cells();
    for cell in own.cells() {
        for step in line::steps(position.stride()) {
            if let Some(pattern) = pattern_around(&own, &free, cell, step) {
                // Overlines that do not win can be many.
                holding.value = holding.value.saturating_add(pattern.value);
                holding.has_four |= pattern.kind == PatternKind::Four;
                holding.has_live_three |= pattern.kind == PatternKind::LiveThree;
            }
        }
    }
    holding
}

/// For a four of the side to move, which wins at once (guess, as for five in a row).
const WINS_NEXT: i32 = 10_000_000;

/// For a live three of the side to move: the value of one stone of the live four that it makes.
const MAKES_LIVE_FOUR: i32 = 300_000;

impl Evaluate for Gomoku {
    const ADVANTAGE: i32 = 5000;

    /// A guess: the cells that matter to a row of either side are seldom more.
    const WIDTH: usize = 20;

    /// The sums of the patterns, and what the side to move makes of its own with the next stone.
    /// (The thesis does not say how it allows for the turn.)
    fn standings(&self) -> [i32; 2] {
        let mut holdings = [Side::First, Side::Second].map(|side| holding(self, side));
        let mover = self.side_to_move().index();
        let other_has_four = holdings[1 - mover].has_four;
        let own = &mut holdings[mover];
        if own.has_four {
            own.value = own.value.saturating_add(WINS_NEXT);
        } else if own.has_live_three && !other_has_four {
            own.value = own.value.saturating_add(MAKES_LIVE_FOUR);
        }
        holdings.map(|holding| holding.value)
    }

    fn promise(&self, mv: Move, side: Side) -> i32 {
        let own = self.stones::<8>(side);
        let free = own | self.empty_cells();
        let steps = line::steps(self.stride()).into_iter();
        let patterns =
            steps.filter_map(|step| pattern_around(&own, &free, usize::from(mv.code()), step));
        patterns.map(|pattern| pattern.value).sum()
    }

    /// The cells within two king's steps of a stone; the centre of an empty board.
    fn candidates(&self, out: &mut Moves) {
        self.legal_moves(out);
        let stones = self.stones::<8>(Side::First) | self.stones(Side::Second);
        let near = if stones.is_empty() {
            let [col, row] = [self.setup().cols, self.setup().rows].map(|size| size / 2);
            let centre = self.cell(crate::game::Point { col, row });
            centre.map_or(Bits::EMPTY, Bits::of)
        } else {
            let adjacent = grown(stones, self.board(), self.stride());
            grown(adjacent, self.board(), self.stride())
        };
        let is_near = |mv: &Move| near.contains(usize::from(mv.code()));
        // Where all that is near is forbidden, anything goes.
        if out.iter().any(is_near) {
            out.retain(|mv| is_near(mv));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Action;
    use crate::game::Rule;
    use crate::game::gomoku::tests::{drawn, empty_board};
    use proptest::prelude::*;

    /// What a stone of the first side is worth at `@` in a row, alone on its board.
    fn worth(row: &str) -> i32 {
        let cols = row.len();
        let blank = ".".repeat(cols);
        let stones = row.replace('@', ".");
        let rows = [&blank, &blank, &stones, &blank, &blank].map(|row| &**row);
        let position = drawn(Rule::Freestyle, Side::First, &rows);
        let col = row.find('@').unwrap() as u8;
        let mv = position.parse_action(Action::point(col, 2)).unwrap();
        position.promise(mv, Side::First)
    }

    #[test]
    fn every_pattern_has_the_value_of_the_thesis() {
        for (row, value) in [
            // Live four, dead fours A, B and C.
            (".XX@X.", 300_000),
            ("OXX@X.", 2500),
            ("@XXX.OO", 2500),
            ("@.XXX", 3000),
            (".X.X@X.", 3000),
            ("XX.@X", 2600),
            // Live three, dead threes A, B, C, D1 and D2.
            ("..@XX.", 3000),
            ("OX@X..", 500),
            ("@XX..", 500),
            ("@.XX.", 800),
            (".XX.@O", 800),
            ("..X.X@O", 600),
            ("OX@.X.", 600),
            ("@.X.X", 550),
            ("X.@.X", 700),
            // Live two, dead twos A, B and C.
            (".@X..", 650),
            ("@X...", 150),
            ("O@X...", 150),
            (".@.X.", 250),
            (".@..X", 200),
            // Five, and a stone alone.
            ("XX@XX", 10_000_000),
            (".X@XXXX.", 10_000_000),
            ("..@..", 0),
        ] {
            assert_eq!(worth(row), value, "{row}");
            let mirrored: String = row.chars().rev().collect();
            assert_eq!(worth(&mirrored), value, "{mirrored}");
        }
    }

    #[test]
    fn a_row_without_room_for_five_is_worth_nothing() {
        for row in ["OXX@XO", "O.X@.O", "OX.@XO...", ".XOX@XO."] {
            assert_eq!(worth(row), 0, "{row}");
        }
    }

    #[test]
    fn directions_add_up_and_edges_block() {
        let rows = ["XX...", ".....", "..X..", ".....", "....."];
        let position = drawn(Rule::Freestyle, Side::Second, &rows);
        // With a5 down the column and with c3 along the row: one gap each, 250.
        let mv = position.parse_action(Action::point(0, 2)).unwrap();
        assert_eq!(position.promise(mv, Side::First), 250 + 250);
        assert_eq!(position.promise(mv, Side::Second), 0);
        // a5 and b5 in the row are 150 each, a5 and c3 on the diagonal 250 each.
        assert_eq!(position.standings(), [2 * 150 + 2 * 250, 0]);
    }

    #[test]
    fn the_turn_decides_what_threes_and_fours_are_worth() {
        let rows = [
            ".........",
            "..XXX....",
            ".........",
            "...OOO...",
            ".........",
        ];
        let of = |to_move| drawn(Rule::Freestyle, to_move, &rows).standings();
        let three = 3 * 3000;
        assert_eq!(of(Side::First), [three + MAKES_LIVE_FOUR, three]);
        assert_eq!(of(Side::Second), [three, three + MAKES_LIVE_FOUR]);
        let rows = [
            ".........",
            "..XXX....",
            ".........",
            "OOOO.....",
            ".........",
        ];
        let of = |to_move| drawn(Rule::Freestyle, to_move, &rows).standings();
        assert_eq!(of(Side::First), [three, 4 * 2500]);
        assert_eq!(of(Side::Second), [three, 4 * 2500 + WINS_NEXT]);
    }

    #[test]
    fn a_game_begins_in_the_centre() {
        let mut moves = Moves::new();
        let position = empty_board(15, 15, Rule::Freestyle);
        position.candidates(&mut moves);
        assert_eq!(moves.as_slice(), [Gomoku::move_at(7 * 16 + 7)]);
    }

    proptest! {
        #[test]
        fn a_key_holds_all_of_a_window(own in 0u16..512, free in 0u16..512) {
            let window = Window { own: own | 1 << REACH, free: own | free | 1 << REACH };
            let read = Window::of_key(window.key());
            prop_assert_eq!((read.own, read.free), (window.own, window.free));
        }
    }
}
