//! Counts of move sequences, against published tables.

use tengen::game::any::new_game;
use tengen::game::{GameKind, Setup};

fn check(game: GameKind, counts: &[u64]) {
    let opening = new_game(&Setup::standard(game)).expect("the standard setup");
    for (depth, &count) in (1..).zip(counts) {
        assert_eq!(opening.perft(depth), count, "{game} to depth {depth}");
    }
}

/// 225 · 224 · 223: nobody can win before the ninth ply.
#[test]
fn gomoku() {
    check(GameKind::Gomoku, &[225, 50_400, 11_239_200]);
}

/// A pass counts as a ply. The table that Othello programs share.
#[test]
fn reversi() {
    let counts = [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288];
    check(GameKind::Reversi, &counts);
}

/// The table of Connect Four programs. The first win is possible at the seventh ply.
#[test]
fn connect4() {
    let counts = [7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234];
    check(GameKind::Connect4, &counts);
}
