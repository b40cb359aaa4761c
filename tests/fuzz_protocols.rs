//! Arbitrary lines into every protocol. None panics; a line that is refused changes nothing;
//! and what is asked of the session is always legal, so that its board stays the protocol's.

use crate::common::{Follower, Snapshot};
use crate::table::{Input, Table};
use proptest::prelude::*;
use proptest::sample::Index;
use tengen::game::{Action, GameKind, notation};
use tengen::protocol::botzone::Mode;
use tengen::protocol::{self, ProtocolKind};

const PAGE: &str = include_str!("../protocol.md");

/// The lines that the page says to Tengen.
fn page_lines() -> Vec<&'static str> {
    PAGE.lines()
        .filter_map(|line| line.strip_prefix("> "))
        .collect()
}

fn inputs() -> impl Strategy<Value = Vec<Input>> {
    let input = (line(), any::<u64>(), any::<bool>());
    let input = input.prop_map(|(line, choice, reports)| Input {
        line,
        choice,
        reports,
    });
    prop::collection::vec(input, 60)
}

/// Mostly commands, so that games are played; then commands a little wrong; then noise.
fn line() -> impl Strategy<Value = String> {
    let said = prop::sample::select(page_lines());
    prop_oneof![
        4 => said.clone().prop_map(str::to_owned),
        2 => small_point().prop_map(|(col, row)| format!("TURN {col},{row}")),
        2 => (small_point(), any::<bool>()).prop_map(|((col, row), black)| {
            let colour = if black { "b" } else { "w" };
            format!("play {colour} {}{}", char::from(b'a' + col), row + 1)
        }),
        2 => any::<bool>().prop_map(|black| format!("genmove {}", if black { "b" } else { "w" })),
        1 => Just("undo".to_owned()),
        2 => small_point().prop_map(|(col, row)| format!("move {}{}", char::from(b'a' + col), row + 1)),
        2 => ugi_position(),
        2 => small_point().prop_map(|(x, y)| format!("{x} {y}")),
        2 => botzone_game(),
        3 => (said.clone(), any::<Index>(), any::<char>())
            .prop_map(|(line, at, c)| with_char(line, at, c)),
        1 => (said.clone(), any::<Index>()).prop_map(|(line, at)| cut(line, at).to_owned()),
        1 => (said.clone(), said).prop_map(|(one, other)| format!("{one} {other}")),
        1 => "\\PC*",
        1 => any::<String>(),
        1 => "[0-9,. -]{0,12}",
        2 => "(action move|settings field_width|settings your_botid) [0-9]{1,2}",
        2 => "[.01]{7,9}",
        2 => "-?[0-9]",
        1 => saiblo_turn(),
        2 => small_point().prop_map(|(col, row)| format!(r#"{{"do":"play","move":"{}{}"}}"#, char::from(b'a' + col), row + 1)),
    ]
}

/// Moves as UGI writes them: of Connect Four, or of Reversi and Gomoku.
fn ugi_position() -> impl Strategy<Value = String> {
    let column = (1..8_u8).prop_map(|col| col.to_string());
    let cell =
        small_point().prop_map(|(col, row)| format!("{}{}", char::from(b'a' + col), row + 1));
    let moves = prop_oneof![
        prop::collection::vec(column, 0..5),
        prop::collection::vec(cell, 0..3),
    ];
    moves.prop_map(|moves| format!("position startpos moves {}", moves.join(" ")))
}

/// A game of Botzone's, in JSON, seldom of legal moves.
fn botzone_game() -> impl Strategy<Value = String> {
    let entry = prop_oneof![1 => Just((-1, -1)), 9 => (0..10_i8, 0..10_i8)];
    let entry = entry.prop_map(|(x, y)| format!(r#"{{"x":{x},"y":{y}}}"#));
    let entries = prop::collection::vec(entry, 1..8);
    entries.prop_map(|entries| {
        let list = |skip| {
            let every_other: Vec<_> = entries.iter().skip(skip).step_by(2).cloned().collect();
            every_other.join(",")
        };
        format!(r#"{{"requests":[{}],"responses":[{}]}}"#, list(0), list(1))
    })
}

/// A turn as Saiblo's judge tells it, on a board of any size. Mostly of the smallest, whose
/// positions are mostly possible.
fn saiblo_turn() -> impl Strategy<Value = String> {
    let size = prop_oneof![3 => Just(4 * 4_usize), 1 => 0..160_usize];
    let stone = prop_oneof![8 => Just(0), 1 => Just(1), 1 => Just(2), 1 => 0..300];
    let board = size.prop_flat_map(move |size| {
        let upper = prop::collection::vec(Just(0), size - size / 4);
        (upper, prop::collection::vec(stone.clone(), size / 4)).prop_map(|(a, b)| [a, b].concat())
    });
    (board, -1..6, -1..6).prop_map(|(board, x, y)| {
        let board: Vec<String> = board.iter().map(i32::to_string).collect();
        let board = board.join(",");
        format!(r#"0000{{"type":1,"board":[{board}],"lastx":{x},"lasty":{y}}}"#)
    })
}

fn small_point() -> impl Strategy<Value = (u8, u8)> {
    (0..10_u8, 0..10_u8)
}

/// The line with one character replaced.
fn with_char(line: &str, at: Index, c: char) -> String {
    let mut chars: Vec<char> = line.chars().collect();
    if !chars.is_empty() {
        let at = at.index(chars.len());
        chars[at] = c;
    }
    chars.into_iter().collect()
}

/// The beginning of the line.
fn cut(line: &str, at: Index) -> &str {
    let cuts: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
    &line[..cuts[at.index(cuts.len())]]
}

/// What a turn of CodinGame's is made of, with a board that may or may not be one.
#[derive(Clone, Debug)]
struct Turn {
    rows: Vec<String>,
    actions: Vec<String>,
    choice: u64,
}

fn turn() -> impl Strategy<Value = Turn> {
    let row = prop_oneof![6 => "[.]{9}", 4 => "[.]{3}[01][.]{5}", 1 => "[.01]{9}"];
    let action = prop_oneof!["[0-9]", "-2", "[a-h][1-8]", "\\PC{0,3}"];
    let rows = prop::collection::vec(row, 8);
    let actions = prop::collection::vec(action, 0..4);
    (rows, actions, any::<u64>()).prop_map(|(rows, actions, choice)| Turn {
        rows,
        actions,
        choice,
    })
}

impl Turn {
    fn lines(&self, othello: bool, first: bool) -> Vec<Input> {
        let ids: &[&str] = if othello { &["0", "8"] } else { &["1 0"] };
        let mut lines: Vec<String> = ids.iter().filter(|_| first).map(|&id| id.into()).collect();
        let width = if othello { 8 } else { 9 };
        let rows = self.rows.iter().map(|row| row[..width].to_owned());
        lines.extend((!othello).then(|| "3".to_owned()));
        lines.extend(rows.take(if othello { 8 } else { 7 }));
        lines.push(self.actions.len().to_string());
        lines.extend(self.actions.iter().cloned());
        lines.extend((!othello).then(|| "-1".to_owned()));
        let input = |line| Input {
            line,
            choice: self.choice,
            reports: false,
        };
        lines.into_iter().map(input).collect()
    }
}

fn run(kind: ProtocolKind, game: GameKind, inputs: &[Input]) {
    let mut table = Table::new(kind, game).unwrap();
    for input in inputs {
        table.step(input);
    }
}

/// Plays a game of Reversi by `play`, with its forced passes said or left out, and then takes
/// back every move that was said.
fn reversi_game(choices: &[Index], say_passes: bool) {
    let mut table = Table::new(ProtocolKind::Gtp, GameKind::Reversi).unwrap();
    let start = Snapshot::of(table.board());
    let mut referee = Follower::new(&table.board().setup());
    let mut choices = choices.iter().cycle();
    let mut said = 0;
    while referee.game.outcome().is_none() {
        for colour in ["b", "w"] {
            // d4 has a disc from the beginning.
            assert!(table.say(&format!("play {colour} d4"))[0].starts_with("? illegal move"));
        }
        let colour = ["b", "w"][referee.game.side_to_move().index()];
        let action = *choices.next().unwrap().get(&referee.game.legal_actions());
        referee.game.play(action).unwrap();
        if action == Action::Pass && !say_passes {
            continue;
        }
        let text = notation::write(&referee.game.setup(), action);
        assert_eq!(table.say(&format!("play {colour} {text}")), ["=", ""]);
        said += 1;
    }
    assert_eq!(Snapshot::of(table.board()), Snapshot::of(&*referee.game));
    assert_eq!(table.say("genmove b"), ["= pass", ""]);
    assert_eq!(table.say("play w pass"), ["=", ""]);
    for _ in 0..said + 2 {
        assert_eq!(table.say("undo"), ["=", ""]);
    }
    assert_eq!(Snapshot::of(table.board()), start);
    assert_eq!(table.say("undo"), ["? cannot undo", ""]);
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 1000,
        // A failure prints the lines that led to it; add them to a test by hand.
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Names a test for each protocol with each game that the command line may have asked for.
macro_rules! stay_sane {
    ($($protocol:ident: $kind:expr => $($game:ident: $begun:ident),+;)+) => {
        $(
            mod $protocol {
                use super::*;

                proptest! {
                    #![proptest_config(config())]

                    $(
                        #[test]
                        fn $game(inputs in inputs()) {
                            run($kind, GameKind::$begun, &inputs);
                        }
                    )+
                }
            }
        )+
    };
}

stay_sane! {
    gomocup_stays_sane: ProtocolKind::Gomocup => gomoku: Gomoku;
    gtp_stays_sane: ProtocolKind::Gtp => gomoku: Gomoku, reversi: Reversi, connect4: Connect4;
    nboard_stays_sane: ProtocolKind::NBoard => reversi: Reversi, after_gomoku: Gomoku;
    ugi_stays_sane: ProtocolKind::Ugi => gomoku: Gomoku, reversi: Reversi, connect4: Connect4;
    botzone_stays_sane: ProtocolKind::Botzone(Mode::ONE_SHOT) => reversi: Reversi;
    riddles_stays_sane: ProtocolKind::Riddles => connect4: Connect4, after_gomoku: Gomoku;
    codingame_stays_sane: ProtocolKind::CodinGame => gomoku: Gomoku;
    saiblo_stays_sane: ProtocolKind::Saiblo => connect4: Connect4;
    web_stays_sane: ProtocolKind::Web => gomoku: Gomoku, reversi: Reversi, connect4: Connect4;
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn botzone_stays_sane_in_every_mode(inputs in inputs()) {
        for mode in Mode::ALL {
            run(ProtocolKind::Botzone(mode), GameKind::Gomoku, &inputs);
        }
    }

    #[test]
    fn codingame_stays_sane_turn_by_turn(
        othello in any::<bool>(),
        turns in prop::collection::vec(turn(), 8),
    ) {
        let mut inputs = Vec::new();
        for turn in turns {
            inputs.extend(turn.lines(othello, inputs.is_empty()));
        }
        run(ProtocolKind::CodinGame, GameKind::Connect4, &inputs);
    }

    #[test]
    fn passes_in_reversi_may_be_left_out(
        choices in prop::collection::vec(any::<Index>(), 60),
        say_passes in any::<bool>(),
    ) {
        reversi_game(&choices, say_passes);
    }

    #[test]
    fn any_first_line_is_answered_by_some_protocol(line in any::<String>(), choice in any::<u64>()) {
        let Some(kind) = protocol::detect(&line) else {
            prop_assert!(line.trim().is_empty());
            return Ok(());
        };
        let mut table = Table::new(kind, GameKind::Gomoku).unwrap();
        table.step(&Input { line, choice, reports: false });
    }
}
