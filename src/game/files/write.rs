//! Games as texts that other programs read.
//!
//! | game | text | source of the format |
//! |---|---|---|
//! | Gomoku | SGF, `GM[4]` | "SGF FF\[4\]" (red-bean.com/sgf); points as in Go, like c-gomoku-cli |
//! | Gomoku | PSQ | Piskvork, `source/game.cpp`, `savePsq` and `openPsq` |
//! | Reversi | GGF | see [`crate::game::ggf`] |
//! | Connect Four | PGN with columns for moves | "Portable Game Notation" (Edwards 1994) |
//!
//! All of them tell the date, the time control, and of each move what is known of it: the value
//! for the side that moved, and remarks. SGF and PGN have comments for that. GGF has a place for a
//! value in discs and, as it knows no comments, SGF's `C`, which readers pass over. Piskvork reads a
//! PSQ up to its names, so that the rest stands after them.

use crate::game::any::{self, AnyGame};
use crate::game::{Action, Connect4Rules, GameKind, Point, Setup, Side, ggf, notation};
use std::time::Duration;

/// A game and what is known of how it was played.
pub struct Sheet {
    /// The position before the first move.
    pub start: Box<dyn AnyGame>,
    /// The moves.
    pub moves: Vec<SheetMove>,
    /// Who played each side, without control characters.
    pub names: [String; 2],
    /// The occasion.
    pub event: &'static str,
    /// The number of the pairing, and of the game within it.
    pub number: (usize, u32),
    /// How it ended.
    pub ending: Ending,
    /// Who won, if anybody.
    pub winner: Option<Side>,
    /// The margin for the side that moved first, where the game was played to its end.
    pub margin: Option<i16>,
    /// When it began: `2026-11-23T22:05:09Z`.
    pub date: Option<String>,
    /// What a player was granted, in words.
    pub limits: String,
    /// Milliseconds granted for a move, for a game, and added after each move.
    pub times: [Option<u64>; 3],
}

/// A move of a sheet.
pub struct SheetMove {
    /// Who made it.
    pub side: Side,
    /// The move.
    pub action: Action,
    /// What is known of it; `None` for a move that was given.
    pub told: Option<Told>,
}

/// What is known of a move.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Milliseconds that it took.
    pub ms: f64,
    /// The score 0..1 that the mover expected.
    pub value: Option<f64>,
    /// In words; may be empty.
    pub remark: String,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Won or drawn on the board.
    Played,
    /// It has not ended.
    Open,
    /// Given to one side.
    Adjudicated,
    /// The loser resigned.
    Resigned,
    /// The loser was too late.
    Late,
    /// The loser broke the rules.
    Foul,
    /// The loser, or the machine, broke down.
    Abandoned,
}

/// A format that the games of one kind are written in.
struct Format {
    game: GameKind,
    extension: &'static str,
    /// Whether it has a place for a position that was set up.
    tells_positions: bool,
    write: fn(&Sheet) -> String,
}

const FORMATS: [Format; 4] = [
    Format {
        game: GameKind::Gomoku,
        extension: "sgf",
        tells_positions: true,
        write: Sheet::sgf,
    },
    Format {
        game: GameKind::Gomoku,
        extension: "psq",
        tells_positions: false,
        write: Sheet::psq,
    },
    Format {
        game: GameKind::Reversi,
        extension: "ggf",
        tells_positions: true,
        write: Sheet::ggf,
    },
    Format {
        game: GameKind::Connect4,
        extension: "pgn",
        tells_positions: false,
        write: Sheet::pgn,
    },
];

impl Sheet {
    /// The game on a board, of which nothing is known but its moves.
    #[must_use]
    pub fn of(board: &dyn AnyGame) -> Sheet {
        let mut start = board.clone_box();
        while start.undo().is_ok() {}
        let mut game = start.clone_box();
        let mut moves = Vec::new();
        for &action in board.history() {
            let side = game.side_to_move();
            // It was played before.
            let _ = game.play(action);
            moves.push(SheetMove {
                side,
                action,
                told: Some(Told::default()),
            });
        }
        let outcome = game.outcome();
        Sheet {
            start,
            moves,
            names: ["First", "Second"].map(str::to_owned),
            event: "Casual game",
            number: (0, 0),
            ending: match outcome {
                Some(_) => Ending::Played,
                None => Ending::Open,
            },
            winner: outcome.and_then(|outcome| outcome.winner()),
            margin: outcome.map(|outcome| outcome.margin(Side::First)),
            date: None,
            limits: String::new(),
            times: [None; 3],
        }
    }

    /// The texts, each with the extension of its files. A position that was set up has none where
    /// the format has no place for it.
    #[must_use]
    pub fn files(&self) -> Vec<(&'static str, String)> {
        let setup = self.setup();
        let opening = any::new_game(&setup).map(|game| game.key());
        let is_whole = opening == Ok(self.start.key());
        let formats = FORMATS
            .iter()
            .filter(|format| format.game == setup.game() && (is_whole || format.tells_positions));
        let files = formats.map(|format| (format.extension, (format.write)(self)));
        files.collect()
    }

    fn setup(&self) -> Setup {
        self.start.setup()
    }

    fn name(&self, side: Side) -> &str {
        let [first, second] = &self.names;
        match side {
            Side::First => first,
            Side::Second => second,
        }
    }

    /// The day that the game began, as `2026-11-23`.
    fn day(&self) -> Option<&str> {
        self.date.as_deref()?.get(..10)
    }

    /// A node for every move: `;B[hh]C[win rate 53.4 %, 1200 playouts, depth 7, 12.3 ms]`.
    fn sgf(&self) -> String {
        let text = |text: &str| text.replace('\\', "\\\\").replace(']', "\\]");
        let Setup { cols, rows, .. } = self.setup();
        let size = match cols == rows {
            true => cols.to_string(),
            false => format!("{cols}:{rows}"),
        };
        let how = match self.ending {
            Ending::Played | Ending::Open | Ending::Adjudicated => "",
            Ending::Resigned => "R",
            Ending::Late => "T",
            Ending::Foul | Ending::Abandoned => "F",
        };
        let result = match self.winner {
            Some(Side::First) => format!("B+{how}"),
            Some(Side::Second) => format!("W+{how}"),
            None if self.ending == Ending::Open => "?".to_owned(),
            None => "0".to_owned(),
        };
        let mut sgf = format!(
            "(;FF[4]GM[4]CA[UTF-8]AP[Tengen:{}]SZ[{size}]RU[{}]\nGN[{}-{}]PB[{}]PW[{}]RE[{result}]",
            env!("CARGO_PKG_VERSION"),
            self.setup().rule(),
            self.number.0,
            self.number.1,
            text(self.name(Side::First)),
            text(self.name(Side::Second)),
        );
        if let Some(day) = self.day() {
            sgf.push_str(&format!("DT[{day}]"));
        }
        if let [_, Some(ms), _] = self.times {
            sgf.push_str(&format!("TM[{}]", seconds(ms)));
        }
        sgf.push_str(&property("OT", &self.limits));
        for (point, side) in self.start.stones() {
            let color = black_or_white(side);
            sgf.push_str(&format!("A{color}[{}]", sgf_point(Action::Point(point))));
        }
        if self.start.side_to_move() == Side::Second {
            sgf.push_str("PL[W]");
        }
        for mv in &self.moves {
            let color = black_or_white(mv.side);
            let told = mv.told.as_ref();
            let remark = told.map_or("opening", |told| &told.remark);
            let (point, comment) = (sgf_point(mv.action), property("C", remark));
            sgf.push_str(&format!("\n;{color}[{point}]{comment}"));
        }
        sgf + ")\n"
    }

    /// A line for every move: column and row from 1 at the top left, and milliseconds. The
    /// header has the size, the time classes of both players, which Piskvork reads for its own
    /// settings, and who begins; the end has both names and a code, 0 for a game that was
    /// played to its end and -1 for one that is not known to be. What follows is for people.
    fn psq(&self) -> String {
        let Setup { cols, rows, .. } = self.setup();
        let mut psq = format!("Piskvorky {cols}x{rows}, 11:11, 0\n");
        for mv in &self.moves {
            if let Action::Point(Point { col, row }) = mv.action {
                let ms = mv.told.as_ref().map_or(0.0, |told| told.ms);
                psq.push_str(&format!("{},{},{ms:.0}\n", col + 1, row + 1));
            }
        }
        let code = match self.ending {
            Ending::Played | Ending::Adjudicated | Ending::Resigned => 0,
            Ending::Open | Ending::Late | Ending::Foul | Ending::Abandoned => -1,
        };
        psq.push_str(&format!(
            "{}\n{}\n{code}\n",
            self.name(Side::First),
            self.name(Side::Second)
        ));
        let limits = Some(&*self.limits).filter(|it| !it.is_empty());
        let facts = [self.day(), limits];
        for fact in facts.into_iter().flatten() {
            psq.push_str(&format!("{fact}\n"));
        }
        for (ply, mv) in (1..).zip(&self.moves) {
            let remark = mv.told.as_ref().map(|told| &told.remark);
            if let Some(remark) = remark.filter(|remark| !remark.is_empty()) {
                psq.push_str(&format!("move {ply}: {remark}\n"));
            }
        }
        psq
    }

    /// As [`ggf::Record`] writes it, with the names and the result before it.
    fn ggf(&self) -> String {
        let text = |text: &str| text.replace(']', ")");
        let milliseconds = |ms: Option<u64>| Duration::from_millis(ms.unwrap_or(0));
        let [_, game, increment] = self.times;
        let clock = game.map(|ms| ggf::GameTime {
            time: milliseconds(Some(ms)),
            increment: milliseconds(increment),
        });
        let moves = self.moves.iter().map(|mv| {
            let told = mv.told.clone().unwrap_or_default();
            ggf::RecordedMove {
                side: mv.side,
                action: mv.action,
                elapsed: Duration::from_micros((told.ms * 1000.0) as u64),
                value: told.value.map(discs),
                comment: told.remark,
            }
        });
        let record = ggf::Record {
            setup: self.setup(),
            stones: self.start.stones(),
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
            property("C", &self.limits)
        );
        record.to_string().replacen("(;", &names, 1) + "\n"
    }

    /// `2014-02-21 20:52:27 GMT`, as NBoard writes it.
    fn ggf_date(&self) -> String {
        let date = self.date.as_deref().unwrap_or_default();
        date.replace('T', " ").replace('Z', " GMT")
    }

    /// The discs that black is ahead by. A game that was not played to its end is won by all
    /// discs, with a letter where it was by time or by resigning.
    fn ggf_result(&self) -> String {
        if self.ending == Ending::Open {
            return "?".to_owned();
        }
        let margin = self.margin.unwrap_or(match self.winner {
            Some(Side::First) => 64,
            Some(Side::Second) => -64,
            None => 0,
        });
        let how = match self.ending {
            Ending::Late => ":t",
            Ending::Resigned => ":r",
            _ => "",
        };
        format!("{margin:+}.000{how}")
    }

    /// Tags, and moves by their columns from 1: `1. 4 {win rate 53.4 %, 12.3 ms} 4 {0.8 ms} 2. 5`.
    /// The first side is White, as in chess.
    fn pgn(&self) -> String {
        let text = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let result = match self.winner {
            Some(Side::First) => "1-0",
            Some(Side::Second) => "0-1",
            None if self.ending == Ending::Open => "*",
            None => "1/2-1/2",
        };
        let termination = match self.ending {
            Ending::Late => "time forfeit",
            Ending::Foul => "rules infraction",
            Ending::Abandoned => "abandoned",
            Ending::Adjudicated => "adjudication",
            Ending::Open => "unterminated",
            Ending::Played | Ending::Resigned => "normal",
        };
        let Setup { cols, rows, .. } = self.setup();
        let Connect4Rules {
            hole,
            connect,
            steal,
        } = self.setup().connect4();
        let mut tags = vec![
            ("Event", self.event.to_owned()),
            ("Site", "?".to_owned()),
            ("Date", self.day().unwrap_or("????.??.??").replace('-', ".")),
            ("Round", format!("{}.{}", self.number.0, self.number.1)),
            ("White", text(self.name(Side::First))),
            ("Black", text(self.name(Side::Second))),
            ("Result", result.to_owned()),
            ("Termination", termination.to_owned()),
            ("TimeControl", self.pgn_time()),
            ("Limits", self.limits.clone()),
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
            words.push(notation::write(&self.setup(), mv.action));
            let remark = mv.told.as_ref().map(|told| &told.remark);
            let remark = remark.filter(|remark| !remark.is_empty());
            words.extend(remark.map(|remark| format!("{{{remark}}}")));
        }
        words.push(result.to_owned());
        format!("{tags}\n{}\n", words.join(" "))
    }

    /// `300+2` for a game, `1/0.1` for one move, in seconds; `-` for no limit of time.
    fn pgn_time(&self) -> String {
        match self.times {
            [_, Some(game), Some(increment)] if increment > 0 => {
                format!("{}+{}", seconds(game), seconds(increment))
            }
            [_, Some(game), _] => seconds(game).to_string(),
            [Some(time), None, _] => format!("1/{}", seconds(time)),
            [None, None, _] => "-".to_owned(),
        }
    }
}

fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
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
