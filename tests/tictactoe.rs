//! The example of a game from outside the table plays itself to the draw that best play leads to.

use crate::built::{build_example, succeed};
use std::process::Command;

#[test]
fn a_game_from_outside_is_played_to_its_end() {
    let name = format!("tictactoe{}", std::env::consts::EXE_SUFFIX);
    let text = succeed(&mut Command::new(build_example("tictactoe").join(name)));
    let boards: Vec<&str> = text.split_terminator("\n\n").map(str::trim_end).collect();
    assert_eq!(boards.len(), 10, "{text}");
    assert_eq!(boards[0], ". . .\n. . .\n. . .");
    for (stones, board) in boards.iter().enumerate() {
        let count = |sign| board.chars().filter(|&c| c == sign).count();
        assert_eq!(
            [count('X'), count('O')],
            [stones.div_ceil(2), stones / 2],
            "{text}"
        );
    }
    let last: String = boards[9].split_whitespace().collect();
    let has_line = |[a, b, c]: [usize; 3]| last[a..=a] == last[b..=b] && last[b..=b] == last[c..=c];
    let across = (0..3).flat_map(|i| [[3 * i, 3 * i + 1, 3 * i + 2], [i, i + 3, i + 6]]);
    let mut lines = across.chain([[0, 4, 8], [2, 4, 6]]);
    assert!(!lines.any(has_line), "{text}");
}
