//! Games as files that other programs read, one a game.
//!
//! | game | file | source of the format |
//! |---|---|---|
//! | Gomoku | SGF, `GM[4]` | "SGF FF\[4\]" (red-bean.com/sgf); points as in Go, like c-gomoku-cli |
//! | Gomoku | PSQ | Piskvork, `source/game.cpp`, `savePsq` and `openPsq` |
//! | Reversi | GGF | see [`crate::game::ggf`] |
//! | Connect Four | PGN with columns for moves | "Portable Game Notation" (Edwards 1994) |
//!
//! None of them knows the day of a game, as records do not.

use super::record::{GameRecord, MoveRecord, Termination};
use crate::game::any::{AnyGame, new_game};
use crate::game::{Action, GameKind, Point, Setup, Side, ggf, notation};
use anyhow::{Context, ensure};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
        let game = Exported::new(record).context("the record cannot be replayed")?;
        for (extension, text) in game.files() {
            let name = format!("{}-{:04}.{extension}", record.pairing, record.number);
            let path = self.folder.join(name);
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

/// A game with what all formats need of it.
struct Exported<'a> {
    record: &'a GameRecord,
    setup: Setup,
    /// The position before the opening.
    start: Box<dyn AnyGame>,
    moves: Vec<ExportedMove<'a>>,
}

struct ExportedMove<'a> {
    side: Side,
    action: Action,
    /// `None` for a move of the opening.
    played: Option<&'a MoveRecord>,
}

impl<'a> Exported<'a> {
    fn new(record: &'a GameRecord) -> Option<Exported<'a>> {
        let setup = record.setup()?;
        let start = new_game(&setup).ok()?;
        let mut game = start.clone_box();
        let opening = record.opening.iter().map(|text| (text, None));
        let played = record
            .moves
            .iter()
            .map(|played| (&played.text, Some(played)));
        let mut moves = Vec::new();
        for (text, played) in opening.chain(played) {
            let side = game.side_to_move();
            let action = notation::parse(&setup, text)?;
            game.play(action).ok()?;
            moves.push(ExportedMove {
                side,
                action,
                played,
            });
        }
        Some(Exported {
            record,
            setup,
            start,
            moves,
        })
    }

    fn files(&self) -> Vec<(&'static str, String)> {
        match self.setup.game {
            GameKind::Gomoku => vec![("sgf", self.sgf()), ("psq", self.psq())],
            GameKind::Reversi => vec![("ggf", self.ggf())],
            GameKind::Connect4 => vec![("pgn", self.pgn())],
        }
    }

    /// The name of a side's engine without control characters, which could end a line.
    fn name(&self, side: Side) -> String {
        let name = &self.record.engines[(self.record.first + side.index()) % 2];
        name.replace(char::is_control, " ")
    }

    fn winner(&self) -> Option<Side> {
        let winner = self.record.winner?;
        Some(match winner == self.record.first {
            true => Side::First,
            false => Side::Second,
        })
    }

    /// A node for every move: `;B[hh]C[12.3 ms]`.
    fn sgf(&self) -> String {
        let text = |text: &str| text.replace('\\', "\\\\").replace(']', "\\]");
        let (cols, rows) = (self.setup.cols, self.setup.rows);
        let size = match cols == rows {
            true => cols.to_string(),
            false => format!("{cols}:{rows}"),
        };
        let how = match self.record.termination {
            Termination::Win | Termination::Draw | Termination::Adjudicated => "",
            Termination::Resign => "R",
            Termination::Time => "T",
            _ => "F",
        };
        let result = match self.winner() {
            Some(Side::First) => format!("B+{how}"),
            Some(Side::Second) => format!("W+{how}"),
            None => "0".to_owned(),
        };
        let mut sgf = format!(
            "(;FF[4]GM[4]CA[UTF-8]AP[Tengen:{}]SZ[{size}]RU[{}]\nGN[{}-{}]PB[{}]PW[{}]RE[{result}]",
            env!("CARGO_PKG_VERSION"),
            self.record.rule,
            self.record.pairing,
            self.record.number,
            text(&self.name(Side::First)),
            text(&self.name(Side::Second)),
        );
        for mv in &self.moves {
            let color = black_or_white(mv.side);
            let comment = match mv.played {
                Some(played) => format!("{} ms", played.ms),
                None => "opening".to_owned(),
            };
            let point = sgf_point(mv.action);
            sgf.push_str(&format!("\n;{color}[{point}]C[{comment}]"));
        }
        sgf + ")\n"
    }

    /// A line for every move: column and row from 1 at the top left, and milliseconds. The
    /// header has the size, the time classes of both players, which Piskvork reads for its own
    /// settings, and who begins; the end has both names and a code, 0 for a game that was
    /// played to its end and -1 for one that is not known to be.
    fn psq(&self) -> String {
        let (cols, rows) = (self.setup.cols, self.setup.rows);
        let mut psq = format!("Piskvorky {cols}x{rows}, 11:11, 0\n");
        for mv in &self.moves {
            if let Action::Point(Point { col, row }) = mv.action {
                let ms = mv.played.map_or(0.0, |played| played.ms);
                psq.push_str(&format!("{},{},{ms:.0}\n", col + 1, row + 1));
            }
        }
        let code = match self.record.termination.is_fault() {
            true => -1,
            false => 0,
        };
        psq + &format!(
            "{}\n{}\n{code}\n",
            self.name(Side::First),
            self.name(Side::Second)
        )
    }

    /// As [`ggf::Record`] writes it, with the names and the result before it.
    fn ggf(&self) -> String {
        let text = |text: String| text.replace(']', ")");
        let milliseconds = |ms: Option<u64>| Duration::from_millis(ms.unwrap_or(0));
        let clock = self.record.game_time_ms.map(|ms| ggf::Clock {
            time: milliseconds(Some(ms)),
            increment: milliseconds(self.record.increment_ms),
        });
        let stone = |point| Some((point, self.start.stone_at(point)?));
        let moves = self.moves.iter().map(|mv| ggf::RecordedMove {
            side: mv.side,
            action: mv.action,
            elapsed: Duration::from_micros(mv.played.map_or(0.0, |it| it.ms * 1000.0) as u64),
        });
        let record = ggf::Record {
            setup: self.setup,
            stones: self.setup.points().filter_map(stone).collect(),
            to_move: self.start.side_to_move(),
            clocks: [clock; 2],
            moves: moves.collect(),
        };
        let names = format!(
            "(;PC[Tengen]PB[{}]PW[{}]RE[{}]",
            text(self.name(Side::First)),
            text(self.name(Side::Second)),
            self.ggf_result()
        );
        record.to_string().replacen("(;", &names, 1) + "\n"
    }

    /// The discs that black is ahead by. A game that was not played to its end is won by all
    /// discs, with a letter where it was by time or by resigning.
    fn ggf_result(&self) -> String {
        let margin = self.record.margin.unwrap_or(match self.winner() {
            Some(Side::First) => 64,
            Some(Side::Second) => -64,
            None => 0,
        });
        let how = match self.record.termination {
            Termination::Time => ":t",
            Termination::Resign => ":r",
            _ => "",
        };
        format!("{margin:+}.000{how}")
    }

    /// Tags, and moves by their columns from 1: `1. 4 {12.3 ms} 4 {0.8 ms} 2. 5 ...`. Whoever
    /// moves first is White, as in chess.
    fn pgn(&self) -> String {
        let text = |text: String| text.replace('\\', "\\\\").replace('"', "\\\"");
        let result = match self.winner() {
            Some(Side::First) => "1-0",
            Some(Side::Second) => "0-1",
            None => "1/2-1/2",
        };
        let termination = match self.record.termination {
            Termination::Time => "time forfeit",
            Termination::Illegal | Termination::Protocol => "rules infraction",
            Termination::Crash | Termination::Hang | Termination::Host => "abandoned",
            Termination::Adjudicated => "adjudication",
            Termination::Win | Termination::Draw | Termination::Resign => "normal",
        };
        let Setup {
            cols,
            rows,
            connect,
            hole,
            steal,
            ..
        } = self.setup;
        let mut tags = vec![
            ("Event", "Tengen match".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", "????.??.??".to_owned()),
            (
                "Round",
                format!("{}.{}", self.record.pairing, self.record.number),
            ),
            ("White", text(self.name(Side::First))),
            ("Black", text(self.name(Side::Second))),
            ("Result", result.to_owned()),
            ("Termination", termination.to_owned()),
            ("Variant", "Connect Four".to_owned()),
            ("Board", format!("{cols}x{rows}")),
            ("Connect", connect.to_string()),
        ];
        tags.extend(hole.map(|hole| ("Hole", format!("{},{}", hole.col, hole.row))));
        tags.extend(steal.then(|| ("Steal", "allowed".to_owned())));
        let tags = tags.into_iter();
        let tags: String = tags
            .map(|(tag, value)| format!("[{tag} \"{value}\"]\n"))
            .collect();
        let mut words = Vec::new();
        for (ply, mv) in self.moves.iter().enumerate() {
            if ply % 2 == 0 {
                words.push(format!("{}.", ply / 2 + 1));
            }
            words.push(notation::write(&self.setup, mv.action));
            words.extend(mv.played.map(|played| format!("{{{} ms}}", played.ms)));
        }
        words.push(result.to_owned());
        format!("{tags}\n{}\n", words.join(" "))
    }
}

fn black_or_white(side: Side) -> char {
    match side {
        Side::First => 'B',
        Side::Second => 'W',
    }
}

/// Two letters, column and row from `aa` at the top left; nothing for a pass.
fn sgf_point(action: Action) -> String {
    match action {
        Action::Point(Point { col, row }) => [col, row]
            .map(|number| char::from(b'a'.saturating_add(number)))
            .iter()
            .collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::record::sample;

    /// A game by its moves, of which two are the opening, with 1.5 ms for each other.
    fn game(kind: GameKind, moves: &str) -> GameRecord {
        let setup = Setup::standard(kind);
        let mut moves = moves.split_whitespace().map(str::to_owned);
        let opening = moves.by_ref().take(2).collect();
        let played = moves.map(|text| MoveRecord {
            text,
            ms: 1.5,
            value: None,
            playouts: None,
            top: Vec::new(),
        });
        GameRecord {
            game: kind.name().to_owned(),
            cols: setup.cols,
            rows: setup.rows,
            engines: ["a]b\\".to_owned(), "\"c\nd\"".to_owned()],
            opening,
            moves: played.collect(),
            ..sample(1, Some(0), Termination::Win)
        }
    }

    fn files(record: &GameRecord) -> Vec<(&'static str, String)> {
        Exported::new(record).unwrap().files()
    }

    /// The second engine moves first, and the first wins with the second colour.
    #[test]
    fn gomoku_is_written_for_sgf_and_piskvork() {
        let files = files(&game(GameKind::Gomoku, "h8 a1 o15 i9"));
        let sgf = format!(
            "(;FF[4]GM[4]CA[UTF-8]AP[Tengen:{}]SZ[15]RU[freestyle]\n\
             GN[0-1]PB[\"c d\"]PW[a\\]b\\\\]RE[W+]\n\
             ;B[hh]C[opening]\n;W[ao]C[opening]\n;B[oa]C[1.5 ms]\n;W[ig]C[1.5 ms])\n",
            env!("CARGO_PKG_VERSION")
        );
        let psq = "Piskvorky 15x15, 11:11, 0\n8,8,0\n1,15,0\n15,1,2\n9,7,2\n\"c d\"\na]b\\\n0\n";
        assert_eq!(files, [("sgf", sgf), ("psq", psq.to_owned())]);
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
        assert!(text.contains("PB[\"c d\"]PW[a)b\\]RE[-12.000]"), "{text}");
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
        let clock = ggf::Clock {
            time: Duration::from_secs(300),
            increment: Duration::from_secs(2),
        };
        assert_eq!(read.clocks, [Some(clock); 2]);
    }

    #[test]
    fn connect_four_is_written_as_columns() {
        let record = GameRecord {
            hole: Some([0, 1]),
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
        ] {
            assert!(text.contains(tag), "{text}");
        }
        assert!(
            text.ends_with("\n\n1. 4 4 2. 5 {1.5 ms} 3 {1.5 ms} 0-1\n"),
            "{text}"
        );
    }

    #[test]
    fn what_cannot_be_replayed_is_refused() {
        assert!(Exported::new(&game(GameKind::Gomoku, "h8 h8")).is_none());
        let chess = GameRecord {
            game: "chess".to_owned(),
            ..game(GameKind::Gomoku, "")
        };
        assert!(Exported::new(&chess).is_none());
    }
}
