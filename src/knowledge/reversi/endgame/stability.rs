//! Discs that can never be turned over.

use super::board::Board;
use std::sync::LazyLock;

/// For every content of an edge, by its own discs and those of the opponent: which of the own can
/// never be turned over, whatever is played there.
pub struct Edges(Box<[u8]>);

static EDGES: LazyLock<Edges> = LazyLock::new(Edges::make);

impl Edges {
    /// The table, made at the first call.
    pub fn get() -> &'static Edges {
        &EDGES
    }

    fn make() -> Edges {
        let mut stable = vec![0; 1 << 16].into_boxed_slice();
        // What an edge can become has fewer empty squares.
        for empties in 0..=8 {
            for own in 0..=u8::MAX {
                for other in (0..=u8::MAX).filter(|other| own & other == 0) {
                    if (own | other).count_zeros() == empties {
                        stable[index(own, other)] = stable_of(own, other, &stable);
                    }
                }
            }
        }
        Edges(stable)
    }

    #[inline(always)]
    fn of(&self, own: u64, other: u64) -> u8 {
        self.0[index(own as u8, other as u8)]
    }

    /// The discs of `own` on the four edges that can never be turned over.
    #[inline(always)]
    fn stable(&self, own: u64, other: u64) -> u64 {
        let row = |shift: u32| u64::from(self.of(own >> shift, other >> shift)) << shift;
        let column = |shift: u32| {
            let edge = self.of(gather(own >> shift), gather(other >> shift));
            scatter(edge) << shift
        };
        row(0) | row(56) | column(0) | column(7)
    }
}

#[inline(always)]
fn index(own: u8, other: u8) -> usize {
    usize::from(own) << 8 | usize::from(other)
}

/// Those of the own discs that stay, no matter which side puts a disc on any empty square of the edge, and
/// after that.
fn stable_of(own: u8, other: u8, known: &[u8]) -> u8 {
    let mut stable = own;
    for at in (0..8).filter(|at| (own | other) >> at & 1 == 0) {
        let flips = edge_flips(at, own, other);
        stable &= known[index(own | flips | 1 << at, other & !flips)];
        let flips = edge_flips(at, other, own);
        stable &= known[index(own & !flips, other | flips | 1 << at)];
    }
    stable
}

/// What a disc of `own` put at `at` turns over along the edge.
fn edge_flips(at: u32, own: u8, other: u8) -> u8 {
    let mut flips = 0;
    let mut towards = |step: fn(u8) -> u8| {
        let mut run = 0;
        let mut here = step(1 << at);
        while here & other != 0 {
            run |= here;
            here = step(here);
        }
        if here & own != 0 {
            flips |= run;
        }
    };
    towards(|bit| bit << 1);
    towards(|bit| bit >> 1);
    flips
}

const FILE: u64 = 0x0101_0101_0101_0101;

/// The column of bit 0 as a byte, the upper square lowest.
#[inline(always)]
fn gather(discs: u64) -> u64 {
    (discs & FILE).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The inverse of [`gather`].
#[inline(always)]
fn scatter(byte: u8) -> u64 {
    let low = u64::from(byte & 0x7f).wrapping_mul(0x0002_0408_1020_4081) & (FILE >> 8);
    low | u64::from(byte >> 7) << 56
}

/// The discs of the opponent that are known never to be turned over: those on edges by all that
/// can happen there, and those that are held in each of the four directions by a full line, the
/// border, or a neighbour that is stable.
#[inline(always)]
pub fn stable_discs_of_opponent(board: Board, edges: &Edges) -> u64 {
    const INNER: u64 = 0x007e_7e7e_7e7e_7e00;
    let (own, other) = (board.other, board.own);
    let mut stable = edges.stable(own, other);
    let full = FullLines::of(own | other);
    let inner = own & INNER;
    stable |= full.all() & inner;
    if stable == 0 {
        return 0;
    }
    loop {
        let held = |step: u32, full: u64| stable >> step | stable << step | full;
        let more = held(1, full.rows)
            & held(8, full.columns)
            & held(9, full.falling)
            & held(7, full.rising)
            & inner
            & !stable;
        if more == 0 {
            return stable;
        }
        stable |= more;
    }
}

/// The squares on lines without an empty square, by direction.
struct FullLines {
    rows: u64,
    columns: u64,
    falling: u64,
    rising: u64,
}

impl FullLines {
    #[inline(always)]
    fn of(filled: u64) -> FullLines {
        let mut rows = filled & filled >> 1;
        rows &= rows >> 2;
        rows &= rows >> 4;
        let mut columns = filled & filled.rotate_right(8);
        columns &= columns.rotate_right(16);
        columns &= columns.rotate_right(32);
        FullLines {
            rows: (rows & FILE) * 0xff,
            columns,
            falling: full_diagonals(filled, 9, 0xff80_8080_8080_8080, 0x0101_0101_0101_01ff),
            rising: full_diagonals(filled, 7, 0xff01_0101_0101_0101, 0x8080_8080_8080_80ff),
        }
    }

    #[inline(always)]
    fn all(&self) -> u64 {
        self.rows & self.columns & self.falling & self.rising
    }
}

/// The squares on diagonals without an empty square. `step` leads to the next square down; the
/// diagonals end on the squares of `lower` and begin on those of `upper`.
#[inline(always)]
fn full_diagonals(filled: u64, step: u32, lower: u64, upper: u64) -> u64 {
    // Three times, the nearer squares of a diagonal are known to be filled: 1, 3 and 7 on both
    // sides. Beyond its ends all count as filled.
    let mut down = filled & (lower | filled >> step);
    let mut up = filled & (upper | filled << step);
    let (beyond_down, beyond_up) = (lower | lower >> step, upper | upper << step);
    down &= beyond_down | down >> (2 * step);
    up &= beyond_up | up << (2 * step);
    let beyond_down = beyond_down | beyond_down >> (2 * step);
    let beyond_up = beyond_up | beyond_up << (2 * step);
    down &= beyond_down | down >> (4 * step);
    up &= beyond_up | up << (4 * step);
    down & up
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::reversi::Reversi;
    use crate::game::{GameKind, Move, Moves, Playable, Setup};
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus as Random;

    /// The squares of the opponent's discs that random games from here turn over.
    fn turned_in_games(start: &Reversi, random: &mut Random) -> u64 {
        let opponent = start.side_to_move().other();
        let mut turned = 0;
        for _ in 0..20 {
            let mut position = start.clone();
            while position.outcome().is_none() {
                let mut moves = Moves::new();
                position.legal_moves(&mut moves);
                let drawn: Move = moves[random.next_u64() as usize % moves.len()];
                position.play(drawn);
                turned |= start.discs(opponent) & !position.discs(opponent);
            }
        }
        turned
    }

    #[test]
    fn stable_discs_are_never_turned_over() {
        let mut random = Random::seed_from_u64(1);
        let mut found = 0;
        for _ in 0..100 {
            let mut position = Reversi::new(&Setup::standard(GameKind::Reversi)).unwrap();
            while position.outcome().is_none() {
                let board = Board::from(&position);
                let stable = stable_discs_of_opponent(board, Edges::get());
                let turned = turned_in_games(&position, &mut random);
                assert_eq!(stable & turned, 0, "{position}");
                found += stable.count_ones();
                let mut moves = Moves::new();
                position.legal_moves(&mut moves);
                position.play(moves[random.next_u64() as usize % moves.len()]);
            }
        }
        assert!(found > 15_000, "{found}");
    }

    #[test]
    fn diagonals_are_full_where_every_square_is() {
        let mut random = Random::seed_from_u64(2);
        for _ in 0..1_000 {
            let filled = random.next_u64() | random.next_u64() | random.next_u64();
            let lines = FullLines::of(filled);
            let ways = [lines.rows, lines.columns, lines.falling, lines.rising];
            for (full, (across, down)) in ways.into_iter().zip([(1, 0), (0, 1), (1, 1), (-1, 1)]) {
                for square in 0..64 {
                    let on_line = |steps: i32| {
                        let (col, row) = (square % 8 + steps * across, square / 8 + steps * down);
                        let inside = (0..8).contains(&col) && (0..8).contains(&row);
                        inside.then_some((8 * row + col) as usize)
                    };
                    let line = (-7..8).filter_map(on_line);
                    let expected = line.into_iter().all(|it| filled >> it & 1 == 1);
                    assert_eq!(full >> square & 1 == 1, expected, "{filled:x} {square}");
                }
            }
        }
    }
}
