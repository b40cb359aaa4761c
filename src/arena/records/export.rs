//! Games of matches as files that other programs read, one a game: see [`Sheet`] for the formats.

use crate::arena::records::record::{GameRecord, MoveRecord, Termination};
use crate::game::any::new_game;
use crate::game::files::{Ending, Sheet, SheetMove, Told};
use crate::game::{Side, notation};
use anyhow::{Context, ensure};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What the names of games end in.
const EXTENSIONS: [&str; 4] = ["sgf", "psq", "ggf", "pgn"];

/// A folder that takes games.
#[derive(Clone, Debug)]
pub struct GameFiles {
    folder: PathBuf,
}

impl GameFiles {
    /// A folder, which is made if there is none. Games that are there already are written over
    /// if `force` says so.
    ///
    /// # Errors
    /// When it cannot be made, or holds games that are not to be lost.
    pub fn create(folder: &Path, force: bool) -> anyhow::Result<GameFiles> {
        let place = || format!("cannot make {}", folder.display());
        fs::create_dir_all(folder).with_context(place)?;
        for entry in fs::read_dir(folder).with_context(place)? {
            let path = entry.with_context(place)?.path();
            let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
            ensure!(
                force || !EXTENSIONS.contains(&extension),
                "{} holds games: --force writes over them",
                folder.display()
            );
        }
        let folder = folder.to_owned();
        Ok(GameFiles { folder })
    }

    /// Writes a game as `PAIRING-NUMBER.EXTENSION`; a file of that name is replaced.
    ///
    /// # Errors
    /// When a file cannot be written, or the record is not one of a game that can be played.
    pub fn write(&self, record: &GameRecord) -> anyhow::Result<()> {
        let game = sheet(record).context("the record cannot be replayed")?;
        for (extension, text) in game.files() {
            let name = format!("{}-{:04}.{extension}", record.pairing, record.number);
            let path = self.folder.join(name);
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

/// What a record tells, for all formats. `None`: it cannot be replayed.
fn sheet(record: &GameRecord) -> Option<Sheet> {
    let setup = record.setup;
    let start = new_game(&setup).ok()?;
    let mut game = start.clone_box();
    let opening = record.opening.iter().map(|text| (text, None));
    let played = record.moves.iter();
    let played = played.map(|played| (&played.text, Some(told(played))));
    let mut moves = Vec::new();
    for (text, told) in opening.chain(played) {
        let side = game.side_to_move();
        let action = notation::parse(&setup, text)?;
        game.play(action).ok()?;
        moves.push(SheetMove { side, action, told });
    }
    Some(Sheet {
        start,
        moves,
        names: [0, 1].map(|side| name(record, side)),
        event: "Tengen match",
        number: (record.pairing, record.number),
        ending: ending(record.termination),
        winner: record.winner.map(|winner| match winner == record.first {
            true => Side::First,
            false => Side::Second,
        }),
        margin: record.margin,
        date: date(record),
        limits: record.limits().join(", "),
        times: [record.time_ms, record.game_time_ms, record.increment_ms],
    })
}

/// The name of a side's engine without control characters, which could end a line.
fn name(record: &GameRecord, side: usize) -> String {
    let name = &record.engines[(record.first + side) % 2];
    name.replace(char::is_control, " ")
}

/// When the game began, as [`crate::arena::records::date::utc`] writes it.
fn date(record: &GameRecord) -> Option<String> {
    let known = |c: char| c.is_ascii_digit() || "-:TZ".contains(c);
    let date = record.date.clone();
    date.filter(|date| date.chars().all(known))
}

fn ending(termination: Termination) -> Ending {
    match termination {
        Termination::Win | Termination::Draw => Ending::Played,
        Termination::Resign => Ending::Resigned,
        Termination::Adjudicated => Ending::Adjudicated,
        Termination::Time => Ending::Late,
        Termination::Illegal | Termination::Protocol => Ending::Foul,
        Termination::Crash | Termination::Hang | Termination::Host => Ending::Abandoned,
    }
}

fn told(played: &MoveRecord) -> Told {
    Told {
        ms: played.ms,
        value: played.value,
        remark: remark(played),
    }
}

/// What an engine told of a move, and how long it took, for people.
fn remark(played: &MoveRecord) -> String {
    let value = played.value;
    let value = value.map(|value| format!("win rate {:.1} %", 100.0 * value));
    let playouts = played.playouts.map(|count| format!("{count} playouts"));
    let depth = played.depth.map(|plies| format!("depth {plies}"));
    let told = [value, playouts, depth, Some(format!("{} ms", played.ms))];
    told.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::records::record::sample;
    use crate::game::{GameKind, Setup, ggf};
    use std::time::Duration;

    const TOLD: &str = "win rate 25.0 %, 40 playouts, depth 3, 1.5 ms";

    /// A game by its moves, two for the opening, with 1.5 ms for each other.
    fn game(kind: GameKind, moves: &str) -> GameRecord {
        let mut moves = moves.split_whitespace().map(str::to_owned);
        let opening = moves.by_ref().take(2).collect();
        let played = moves.map(|text| MoveRecord {
            text,
            ms: 1.5,
            value: Some(0.25),
            playouts: Some(40),
            depth: Some(3),
            top: Vec::new(),
        });
        GameRecord {
            date: Some("2026-11-23T22:05:09Z".to_owned()),
            time_ms: Some(100),
            setup: Setup::standard(kind),
            engines: ["a]b\\".to_owned(), "\"c\nd\"".to_owned()],
            opening,
            moves: played.collect(),
            ..sample(1, Some(0), Termination::Win)
        }
    }

    fn files(record: &GameRecord) -> Vec<(&'static str, String)> {
        sheet(record).unwrap().files()
    }

    /// The second engine moves first, and the first wins with the second colour.
    #[test]
    fn gomoku_is_written_for_sgf_and_piskvork() {
        let files = files(&game(GameKind::Gomoku, "h8 a1 o15 i9"));
        let sgf = format!(
            "(;FF[4]GM[4]CA[UTF-8]AP[Tengen:{}]SZ[15]RU[freestyle]\n\
             GN[0-1]PB[\"c d\"]PW[a\\]b\\\\]RE[W+]DT[2026-11-23]OT[100 ms a move]\n\
             ;B[hh]C[opening]\n;W[ao]C[opening]\n;B[oa]C[{TOLD}]\n;W[ig]C[{TOLD}])\n",
            env!("CARGO_PKG_VERSION")
        );
        let psq = format!(
            "Piskvorky 15x15, 11:11, 0\n8,8,0\n1,15,0\n15,1,2\n9,7,2\n\"c d\"\na]b\\\n0\n\
             2026-11-23\n100 ms a move\nmove 3: {TOLD}\nmove 4: {TOLD}\n"
        );
        assert_eq!(files, [("sgf", sgf), ("psq", psq)]);
    }

    #[test]
    fn reversi_is_read_back() {
        // Black has to pass after h6; see the tests of `ggf`.
        let moves = "f5 f6 c4 g5 h5 h4 f7 h6 pass e7";
        let record = GameRecord {
            game_time_ms: Some(300_000),
            increment_ms: Some(2000),
            margin: Some(-12),
            ..game(GameKind::Reversi, moves)
        };
        let files = files(&record);
        let [("ggf", text)] = &files[..] else {
            panic!("{files:?}")
        };
        let head = "DT[2026-11-23 22:05:09 GMT]PB[\"c d\"]PW[a)b\\]RE[-12.000]C[100 ms a move, ";
        assert!(text.contains(head), "{text}");
        let told = format!("B[E7/-32.00/0.002]C[{TOLD}]");
        assert!(text.contains(&told.replace("B[", "W[")), "{text}");
        let read = ggf::read(text).unwrap();
        let replayed = read.replay().unwrap();
        let setup = Setup::standard(GameKind::Reversi);
        let history = replayed.history().iter();
        let history: Vec<String> = history.map(|&mv| notation::write(&setup, mv)).collect();
        assert_eq!(history.join(" "), moves);
        let elapsed: Vec<u128> = read.moves.iter().map(|mv| mv.elapsed.as_micros()).collect();
        assert_eq!(
            elapsed,
            [0, 0, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000]
        );
        let clock = ggf::GameTime {
            time: Duration::from_secs(300),
            increment: Duration::from_secs(2),
        };
        assert_eq!(read.clocks, [Some(clock); 2]);
    }

    #[test]
    fn connect_four_is_written_as_columns() {
        let setup = "connect4 hole=0,1".parse().unwrap();
        let record = GameRecord {
            setup,
            termination: Termination::Time,
            ..game(GameKind::Connect4, "4 4 5 3")
        };
        let files = files(&record);
        let [("pgn", text)] = &files[..] else {
            panic!("{files:?}")
        };
        for tag in [
            "[Round \"0.1\"]",
            "[White \"\\\"c d\\\"\"]",
            "[Black \"a]b\\\\\"]",
            "[Result \"0-1\"]",
            "[Termination \"time forfeit\"]",
            "[Board \"7x6\"]",
            "[Hole \"0,1\"]",
            "[Date \"2026.11.23\"]",
            "[TimeControl \"1/0.1\"]",
            "[Limits \"100 ms a move\"]",
        ] {
            assert!(text.contains(tag), "{text}");
        }
        let moves = format!("\n\n1. 4 4 2. 5 {{{TOLD}}} 3 {{{TOLD}}} 0-1\n");
        assert!(text.ends_with(&moves), "{text}");
    }

    #[test]
    fn what_cannot_be_replayed_is_refused() {
        assert!(sheet(&game(GameKind::Gomoku, "h8 h8")).is_none());
        let large = GameRecord {
            setup: Setup::standard(GameKind::Gomoku).with_size(99, 99),
            ..game(GameKind::Gomoku, "")
        };
        assert!(sheet(&large).is_none());
    }
}
