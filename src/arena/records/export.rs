//! Games as files that other programs read, one a game.
//!
//! | game | file | source of the format |
//! |---|---|---|
//! | Gomoku | SGF, `GM[4]` | "SGF FF\[4\]" (red-bean.com/sgf); points as in Go, like c-gomoku-cli |
//! | Gomoku | PSQ | Piskvork, `source/game.cpp`, `savePsq` and `openPsq` |
//! | Reversi | GGF | see [`crate::game::ggf`] |
//! | Connect Four | PGN with columns for moves | "Portable Game Notation" (Edwards 1994) |
//!
//! All of them tell the date, the time control, and of each move what the engine told: the value
//! for the side that moved, playouts, depth and milliseconds. SGF and PGN have comments for that.
//! GGF has a place for a value in discs and, as it knows no comments, SGF's `C`, which readers pass
//! over. Piskvork reads a PSQ up to its names, so that the rest stands after them.

use crate::arena::records::record::{GameRecord, MoveRecord, Termination};
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

    /// When the game began, as [`crate::arena::records::date::utc`] writes it.
    fn date(&self) -> Option<&str> {
        let known = |c: char| c.is_ascii_digit() || "-:TZ".contains(c);
        let date = self.record.date.as_deref();
        date.filter(|date| date.chars().all(known))
    }

    /// The day that the game began, as `2026-11-23`.
    fn day(&self) -> Option<&str> {
        self.date()?.get(..10)
    }

    fn winner(&self) -> Option<Side> {
        let winner = self.record.winner?;
        Some(match winner == self.record.first {
            true => Side::First,
            false => Side::Second,
        })
    }

    /// A node for every move: `;B[hh]C[win rate 53.4 %, 1200 playouts, depth 7, 12.3 ms]`.
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
        if let Some(day) = self.day() {
            sgf.push_str(&format!("DT[{day}]"));
        }
        if let Some(ms) = self.record.game_time_ms {
            sgf.push_str(&format!("TM[{}]", seconds(ms)));
        }
        let limits = self.record.limits().join(", ");
        if !limits.is_empty() {
            sgf.push_str(&format!("OT[{limits}]"));
        }
        for mv in &self.moves {
            let color = black_or_white(mv.side);
            let comment = mv.played.map_or_else(|| "opening".to_owned(), remark);
            let point = sgf_point(mv.action);
            sgf.push_str(&format!("\n;{color}[{point}]C[{comment}]"));
        }
        sgf + ")\n"
    }

    /// A line for every move: column and row from 1 at the top left, and milliseconds. The
    /// header has the size, the time classes of both players, which Piskvork reads for its own
    /// settings, and who begins; the end has both names and a code, 0 for a game that was
    /// played to its end and -1 for one that is not known to be. What follows is for people.
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
        psq.push_str(&format!(
            "{}\n{}\n{code}\n",
            self.name(Side::First),
            self.name(Side::Second)
        ));
        let limits = self.record.limits().join(", ");
        let facts = [self.day(), Some(&*limits).filter(|it| !it.is_empty())];
        for fact in facts.into_iter().flatten() {
            psq.push_str(&format!("{fact}\n"));
        }
        for (ply, mv) in (1..).zip(&self.moves) {
            if let Some(played) = mv.played {
                psq.push_str(&format!("move {ply}: {}\n", remark(played)));
            }
        }
        psq
    }

    /// As [`ggf::Record`] writes it, with the names and the result before it.
    fn ggf(&self) -> String {
        let text = |text: String| text.replace(']', ")");
        let milliseconds = |ms: Option<u64>| Duration::from_millis(ms.unwrap_or(0));
        let clock = self.record.game_time_ms.map(|ms| ggf::GameTime {
            time: milliseconds(Some(ms)),
            increment: milliseconds(self.record.increment_ms),
        });
        let stone = |point| Some((point, self.start.stone_at(point)?));
        let moves = self.moves.iter().map(|mv| ggf::RecordedMove {
            side: mv.side,
            action: mv.action,
            elapsed: Duration::from_micros(mv.played.map_or(0.0, |it| it.ms * 1000.0) as u64),
            value: mv.played.and_then(|played| played.value).map(discs),
            comment: mv.played.map(remark).unwrap_or_default(),
        });
        let record = ggf::Record {
            setup: self.setup,
            stones: self.setup.points().filter_map(stone).collect(),
            to_move: self.start.side_to_move(),
            clocks: [clock; 2],
            moves: moves.collect(),
        };
        let names = format!(
            "(;PC[Tengen]{}PB[{}]PW[{}]RE[{}]{}",
            property("DT", &self.ggf_date()),
            text(self.name(Side::First)),
            text(self.name(Side::Second)),
            self.ggf_result(),
            property("C", &self.record.limits().join(", "))
        );
        record.to_string().replacen("(;", &names, 1) + "\n"
    }

    /// `2014-02-21 20:52:27 GMT`, as NBoard writes it.
    fn ggf_date(&self) -> String {
        let date = self.date().unwrap_or_default();
        date.replace('T', " ").replace('Z', " GMT")
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

    /// Tags, and moves by their columns from 1: `1. 4 {win rate 53.4 %, 12.3 ms} 4 {0.8 ms} 2. 5`.
    /// The first side is White, as in chess.
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
            ("Date", self.day().unwrap_or("????.??.??").replace('-', ".")),
            (
                "Round",
                format!("{}.{}", self.record.pairing, self.record.number),
            ),
            ("White", text(self.name(Side::First))),
            ("Black", text(self.name(Side::Second))),
            ("Result", result.to_owned()),
            ("Termination", termination.to_owned()),
            ("TimeControl", self.pgn_time()),
            ("Limits", self.record.limits().join(", ")),
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
            words.extend(mv.played.map(|played| format!("{{{}}}", remark(played))));
        }
        words.push(result.to_owned());
        format!("{tags}\n{}\n", words.join(" "))
    }

    /// `300+2` for a game, `1/0.1` for one move, in seconds; `-` for no limit of time.
    fn pgn_time(&self) -> String {
        let record = self.record;
        match (record.game_time_ms, record.increment_ms, record.time_ms) {
            (Some(game), Some(increment), _) if increment > 0 => {
                format!("{}+{}", seconds(game), seconds(increment))
            }
            (Some(game), _, _) => seconds(game).to_string(),
            (None, _, Some(time)) => format!("1/{}", seconds(time)),
            (None, _, None) => "-".to_owned(),
        }
    }
}

fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
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

/// An expected score 0..1 on the scale of discs from -64 to 64, as
/// [`crate::protocol::nboard`] writes it.
fn discs(value: f64) -> f64 {
    64.0 * (2.0 * value - 1.0)
}

/// A property of GGF; nothing where it has no value.
fn property(name: &str, value: &str) -> String {
    match value {
        "" => String::new(),
        _ => format!("{name}[{value}]"),
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
    use crate::arena::records::record::sample;

    const TOLD: &str = "win rate 25.0 %, 40 playouts, depth 3, 1.5 ms";

    /// A game by its moves, of which two are the opening, with 1.5 ms for each other.
    fn game(kind: GameKind, moves: &str) -> GameRecord {
        let setup = Setup::standard(kind);
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
        assert!(Exported::new(&game(GameKind::Gomoku, "h8 h8")).is_none());
        let chess = GameRecord {
            game: "chess".to_owned(),
            ..game(GameKind::Gomoku, "")
        };
        assert!(Exported::new(&chess).is_none());
    }
}
