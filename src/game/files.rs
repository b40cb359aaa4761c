//! Games in the files of other programs: SGF, PSQ, GGF and PGN, read here and written by [`Sheet`].
//!
//! | text begins with | it is | game |
//! |---|---|---|
//! | `(;` with `GM[Othello]` | [GGF](super::ggf) | Reversi |
//! | `(;` | [SGF](sgf), `GM[4]`, or `GM[1]` of boards of Go | Gomoku |
//! | `Piskvorky` | [PSQ](psq) | Gomoku |
//! | `[` | [PGN](pgn) with columns for moves | Connect Four |
//!
//! Only the main line is read, and what is neither move nor position is passed over; before `(;` there may
//! be any text, such as the head of a mail. The crate sgf-parse knows the properties of Go and leaves the moves
//! of other games as text, so nothing of it would be used but the brackets.

mod pgn;
mod psq;
mod sgf;
mod write;

pub use write::{Ending, Sheet, SheetMove, Told};

use super::{Action, AnyGame, GameKind, PlayError, Point, Setup, SetupError, Side, any, ggf};

/// A game that was read, whose moves are legal.
#[derive(Clone, Debug, PartialEq)]
pub struct GameFile {
    /// What is agreed.
    pub setup: Setup,
    /// The stones before the first move and whose turn it is, where it is not the opening position.
    pub start: Option<(Vec<(Point, Side)>, Side)>,
    /// The moves, forced passes among them.
    pub actions: Vec<Action>,
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It is of no format that is known here.
    #[error("neither SGF, PSQ, GGF nor PGN")]
    Format,
    /// Its brackets or lines are broken.
    #[error("the file is broken")]
    Form,
    /// This value is not one, or not of a game that is played here.
    #[error("not understood: {0:?}")]
    Value(String),
    /// It is SGF of the game with this number, which is not Gomoku's.
    #[error("GM[{0}] is not Gomoku, which is GM[4]")]
    OtherGame(String),
    /// This property of SGF sets up a position where moves have been made.
    #[error("{0} stands after a move, where no position can be set up")]
    SetUp(String),
    /// The game cannot begin so.
    #[error(transparent)]
    Setup(SetupError),
    /// The move of this number, from 1, is not legal.
    #[error("move {0}: {1}")]
    Move(usize, PlayError),
    /// It is broken GGF.
    #[error(transparent)]
    Ggf(ggf::GgfError),
}

/// What the text of a file says, its moves not yet tried. A move may tell its side.
struct Read {
    setup: Setup,
    stones: Vec<(Point, Side)>,
    to_move: Side,
    moves: Vec<(Option<Side>, Action)>,
    /// Whether the rule is the file's word, and not just the usual one.
    tells_rule: bool,
}

impl Read {
    /// A game of this setup, which the file tells, with no stones and no moves.
    fn new(setup: Setup) -> Read {
        Read {
            setup,
            stones: Vec::new(),
            to_move: Side::First,
            moves: Vec::new(),
            tells_rule: true,
        }
    }
}

/// Reads the first game of a file.
///
/// # Errors
/// When it is of another format, broken, or has a move that is not legal.
pub fn read(text: &str) -> Result<GameFile, FileError> {
    read_with(text, Ok)
}

/// Reads the first game of a file, to be played by what `agree` makes of its setup.
///
/// # Errors
/// As for [`read`], and when `agree` refuses.
pub fn read_with(
    text: &str,
    agree: impl FnOnce(Setup) -> Result<Setup, SetupError>,
) -> Result<GameFile, FileError> {
    let read = parse(text)?;
    let setup = agree(read.setup).map_err(FileError::Setup)?;
    play(Read { setup, ..read })
}

/// Reads the first game of a file where a game of `usual` is played, whose rule holds if the file tells
/// none.
///
/// # Errors
/// As for [`read`], and when the file has another game.
pub fn read_as(text: &str, usual: &Setup) -> Result<GameFile, FileError> {
    let read = parse(text)?;
    let setup = match read.tells_rule {
        true => read.setup,
        false => read.setup.with(usual.rule()),
    };
    if setup.game() != usual.game() {
        let wanted = usual.game().to_string();
        return Err(FileError::Setup(SetupError::File(setup, "game", wanted)));
    }
    play(Read { setup, ..read })
}

/// What the text of a file says.
fn parse(text: &str) -> Result<Read, FileError> {
    let (reader, from) = reader(text).ok_or(FileError::Format)?;
    reader(from)
}

/// Whether a text is a file of one of these formats; it may be a broken one.
#[must_use]
pub fn is_file(text: &str) -> bool {
    reader(text).is_some()
}

/// The game of a file, whose moves need not be legal.
///
/// # Errors
/// When it is of another format, or broken.
pub fn game(text: &str) -> Result<GameKind, FileError> {
    parse(text).map(|read| read.setup.game())
}

type Reader = fn(&str) -> Result<Read, FileError>;

/// What reads this text, and from where on.
fn reader(text: &str) -> Option<(Reader, &str)> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let (reader, from): (Reader, &str) = if text.starts_with("Piskv") {
        (psq::read, text)
    } else if text.starts_with('[') {
        (pgn::read, text)
    } else {
        let tree = match text.starts_with('(') {
            true => text,
            false => first_tree(text)?,
        };
        match tree.starts_with("(;") && tree.contains("GM[Othello]") {
            true => (of_ggf, tree),
            false => (sgf::read, tree),
        }
    };
    Some((reader, from))
}

/// The text from the first `(;` on.
fn first_tree(text: &str) -> Option<&str> {
    let brackets = text.match_indices('(');
    let mut trees = brackets.filter_map(|(at, _)| text.get(at..));
    let is_tree = |inner: &str| inner.trim_start().starts_with(';');
    trees.find(|tree| tree.strip_prefix('(').is_some_and(is_tree))
}

fn of_ggf(text: &str) -> Result<Read, FileError> {
    let record = ggf::read(text).map_err(FileError::Ggf)?;
    let moves = record.moves.iter();
    Ok(Read {
        moves: moves.map(|mv| (Some(mv.side), mv.action)).collect(),
        stones: record.stones,
        to_move: record.to_move,
        ..Read::new(record.setup)
    })
}

/// Tries the moves. A pass that the file leaves out is put in.
fn play(read: Read) -> Result<GameFile, FileError> {
    let Read {
        setup,
        stones,
        to_move,
        moves,
        ..
    } = read;
    let opening = any::new_game(&setup).map_err(FileError::Setup)?;
    let is_set_up = !stones.is_empty() || to_move != Side::First;
    let start = is_set_up.then_some((stones, to_move));
    let mut game = match &start {
        Some((stones, to_move)) => {
            any::from_stones(&setup, stones, *to_move).map_err(FileError::Setup)?
        }
        None => opening.clone_box(),
    };
    let is_opening = game.key() == opening.key();
    for (number, (side, action)) in (1..).zip(moves) {
        let refused = |error| FileError::Move(number, error);
        let is_others = side.is_some_and(|side| side != game.side_to_move());
        if is_others && game.outcome().is_none() {
            game.play(Action::Pass).map_err(refused)?;
        }
        game.play(action).map_err(refused)?;
    }
    Ok(GameFile {
        setup,
        start: start.filter(|_| !is_opening),
        actions: game.history().to_vec(),
    })
}

impl GameFile {
    /// The game with its moves played.
    ///
    /// # Errors
    /// Never for a game that was read.
    pub fn replay(&self) -> Result<Box<dyn AnyGame>, FileError> {
        let game = match &self.start {
            Some((stones, to_move)) => any::from_stones(&self.setup, stones, *to_move),
            None => any::new_game(&self.setup),
        };
        let mut game = game.map_err(FileError::Setup)?;
        for (number, &action) in (1..).zip(&self.actions) {
            let played = game.play(action);
            played.map_err(|error| FileError::Move(number, error))?;
        }
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameKind, Rule, notation};

    fn moves(text: &str) -> String {
        let file = read(text).unwrap();
        let texts = file
            .actions
            .iter()
            .map(|&it| notation::write(&file.setup, it));
        texts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn games_of_gomoku_are_read() {
        let sgf = "(;FF[4]GM[4]SZ[15]RU[renju]PB[a\\]b];B[hh]C[a ) in it];W[gg](;B[ig])(;B[aa]))";
        assert_eq!(moves(sgf), "h8 g9 i9");
        assert_eq!(read(sgf).unwrap().setup.rule(), Rule::Renju);
        assert_eq!(moves("(;GM[4]SZ[9:7];B[h7];W[ba])"), "h7 b7");
        assert_eq!(moves("(;GM[1]FF[4];B[jj];W[aa])"), "j10 a19");
        assert_eq!(moves("(;GM[1]SZ[15];B[hh];W[ii];B[];W[tt])"), "h8 i7");
        let passed = read("(;GM[4]SZ[15];B[hh];W[];B[ii])").unwrap_err();
        assert!(matches!(passed, FileError::Move(2, _)), "{passed}");
        let psq = "Piskvorky 15x15, 11:11, 0\n8,8,0\n1,15,20\nA\nB\n0\n";
        assert_eq!(moves(psq), "h8 a1");
        let set_up = read("(;GM[4]SZ[15]AB[hh][hg]AW[aa]PL[W];W[ab])").unwrap();
        let (stones, to_move) = set_up.start.clone().unwrap();
        assert_eq!((stones.len(), to_move), (3, Side::Second));
        assert_eq!(set_up.replay().unwrap().history().len(), 1);
    }

    /// The stones of an SGF file on 15×15 before its first move, and whose turn it is.
    fn set_up(text: &str) -> Result<(String, Side), FileError> {
        let file = read(&format!("(;GM[4]SZ[15]{text})"))?;
        let (mut stones, to_move) = file.start.unwrap_or((Vec::new(), Side::First));
        stones.sort_by_key(|&(point, _)| (point.row, point.col));
        let text = |(point, side)| {
            let sign = if side == Side::First { 'x' } else { 'o' };
            format!(
                "{sign}{}",
                notation::write(&file.setup, Action::Point(point))
            )
        };
        let stones = stones.into_iter().map(text).collect::<Vec<_>>();
        Ok((stones.join(" "), to_move))
    }

    #[test]
    fn positions_of_gomoku_are_set_up() {
        use Side::{First, Second};
        for (text, stones, to_move) in [
            ("AB[hh];W[ii];B[gh]", "xh8", Second),
            ("AB[hh]AW[ii];B[gh]", "xh8 oi7", First),
            ("AB[hh];W[]", "xh8", First),
            (";W[hh];B[ii]", "", Second),
            ("PL[W]", "", Second),
            ("AB[hh]PL[white]", "xh8", Second),
            ("AB[hh]PL[2]", "xh8", Second),
            ("AB[hh]PL[w]PL[Black]", "xh8", First),
            ("AB[hh][ii];AE[hh];C[x];W[gg];B[gh]", "xi7", Second),
            ("AB[hh];AW[hh]PL[W]", "oh8", Second),
            ("AB[hh:hj]AW[ba:aa]", "oa15 ob15 xh8 xh7 xh6", First),
            ("AW[aa:cb];AE[ba:cb];W[hh]", "oa15 oa14", Second),
            ("AB[hh];W[ii]PL[B];PL[b]", "xh8", Second),
        ] {
            let expected = (stones.to_owned(), to_move);
            assert_eq!(set_up(text), Ok(expected), "{text}");
        }
        let value = |text: &str| FileError::Value(text.to_owned());
        let late = |name: &str| FileError::SetUp(name.to_owned());
        let twice = FileError::Setup(SetupError::Stone(Point { col: 7, row: 7 }));
        for (text, error) in [
            ("AB[hh]PL[x]", value("x")),
            ("AB[hh]PL[]", value("")),
            ("AB[hh:pp]", value("hh:pp")),
            ("AE[zz]", value("zz")),
            (";B[hh];AW[ii]", late("AW")),
            (";B[hh];AE[hh]", late("AE")),
            (";B[hh];PL[B]", late("PL")),
            ("AB[hh]AW[hh]", twice.clone()),
            ("AB[gh:ih][hh]", twice),
            ("AB[hh]PL[B];W[ii]", FileError::Move(1, PlayError::Illegal)),
        ] {
            assert_eq!(set_up(text), Err(error), "{text}");
        }
    }

    #[test]
    fn a_size_is_tried_before_the_stones() {
        let sgf = read("(;GM[4]SZ[255]AB[none])").unwrap_err();
        assert!(
            matches!(sgf, FileError::Setup(SetupError::Size(_))),
            "{sgf}"
        );
    }

    #[test]
    fn a_position_may_be_changed_as_a_whole() {
        let file = read("(;SZ[22]AB[aa:vv];AW[aa:vv];AE[ab:vv][ba:va];AB[vv])").unwrap();
        let point = |at| Point { col: at, row: at };
        let stones = vec![(point(0), Side::Second), (point(21), Side::First)];
        assert_eq!(file.start, Some((stones, Side::First)));
        let twice = read("(;SZ[22];AB[aa:vv];AE[bb:cc][cc:dd])").unwrap_err();
        assert_eq!(twice, FileError::Setup(SetupError::Stone(point(2))));
    }

    #[test]
    fn the_moves_of_psq_end_where_no_numbers_stand() {
        let psq = |lines: &str| moves(&format!("Piskvorky 15x15, 11:11, 0\r\n{lines}"));
        for lines in [
            "8,8,0\n1,15,20\n",
            "8,8\r\n\r\n 1, 15, 20\r\n-1\r\n",
            "8,8,0\n1,15,20\npbrain-a.exe\npbrain-b.exe\n0\n1,1,0\n",
            "8,8,0\n1,15,20\n7\n2,x\n1,1,0\n",
        ] {
            assert_eq!(psq(lines), "h8 a1", "{lines}");
        }
        for line in [
            "0,8,0",
            "8,0,0",
            "-1,8,0",
            "16,8,0",
            "300,8,0",
            "8,99999999999999999999",
        ] {
            let text = format!("Piskvorky 15x15, 11:11, 0\n8,8,0\n{line}\n9,9,0\nA\nB\n0\n");
            assert_eq!(
                read(&text),
                Err(FileError::Move(2, PlayError::Illegal)),
                "{line}"
            );
        }
    }

    #[test]
    fn text_before_a_game_is_passed_over() {
        let sgf = "(;GM[4]SZ[15];B[hh];W[ii])";
        let mail = "From: Ann (by post)\nSubject: O :(\n\n";
        for before in ["", "\u{feff}", " \n", mail] {
            let text = format!("{before}{sgf}");
            assert!(is_file(&text));
            assert_eq!(moves(&text), "h8 i7", "{text}");
        }
        let board =
            "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";
        let ggf = format!("{mail}(;GM[Othello]{board}B[f5]W[d6];)");
        assert_eq!(moves(&ggf), "f5 d6");
        for other in ["", "h8", "XO...", mail] {
            assert!(!is_file(other), "{other}");
        }
    }

    #[test]
    fn moves_are_tried_by_what_is_agreed() {
        // The first side has six in a row, and the game goes on with exactly five.
        let psq = "Piskvorky 15x15, 11:11, 0\n1,1,0\n1,3,0\n2,1,0\n1,5,0\n3,1,0\n1,7,0\n5,1,0\n1,9,0\n\
                   6,1,0\n1,11,0\n4,1,0\n1,13,0\n";
        assert_eq!(read(psq), Err(FileError::Move(12, PlayError::Over)));
        let exact = read_with(psq, |setup| Ok(setup.with(Rule::Exact))).unwrap();
        assert_eq!((exact.actions.len(), exact.setup.rule()), (12, Rule::Exact));
        let refused = SetupError::Rule("no");
        let answer = read_with(psq, |_| Err(refused.clone()));
        assert_eq!(answer, Err(FileError::Setup(refused)));
    }

    #[test]
    fn a_rule_holds_where_the_file_tells_none() {
        let usual = Setup::standard(GameKind::Gomoku).with(Rule::Renju);
        let sgf = |rule: &str| format!("(;GM[4]SZ[9]{rule};B[aa])");
        for (text, rule) in [
            (sgf(""), Rule::Renju),
            (sgf("RU[Japanese]"), Rule::Renju),
            (sgf("RU[Freestyle]"), Rule::Freestyle),
            (sgf("RU[exact]"), Rule::Exact),
            ("Piskvorky 9x9\n1,1,0\n".to_owned(), Rule::Renju),
        ] {
            let setup = read_as(&text, &usual).unwrap().setup;
            assert_eq!((setup.rule(), setup.cols), (rule, 9), "{text}");
        }
        let other = read_as(&sgf(""), &Setup::standard(GameKind::Reversi));
        let words = "the file has a game of gomoku 9x9, so game cannot be reversi";
        assert_eq!(other.unwrap_err().to_string(), words);
    }

    #[test]
    fn games_of_reversi_and_connect_four_are_read() {
        let board =
            "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";
        let ggf = format!("(;GM[Othello]{board}B[f5]W[f6]B[c4]W[g5]B[h5]W[h4]B[f7]W[h6]W[e7];)");
        assert_eq!(moves(&ggf), "f5 f6 c4 g5 h5 h4 f7 h6 pass e7");
        assert_eq!(read(&ggf).unwrap().start, None);
        let pgn = "[Event \"x\"]\n[Board \"9x9\"]\n[Hole \"2,3\"]\n\n1. 4 {win rate 50 %} 4 2. 5 1/2-1/2\n";
        assert_eq!(moves(pgn), "4 4 5");
        let setup = read(pgn).unwrap().setup;
        assert_eq!((setup.game(), setup.cols), (GameKind::Connect4, 9));
        assert_eq!(setup.hole(), Some(Point { col: 2, row: 3 }));
    }

    #[test]
    fn remarks_of_pgn_are_passed_over() {
        let pgn = |moves: &str| format!("[Board \"7x6\"]\n\n{moves}");
        for text in [
            "1.4 4 2.3 5 1-0",
            "1.4 1...4 2. 3 2... 5",
            "1. 4 (1. 3 3 (1... 2 {a ) in it}) 2. 1) 4 2. 3 5 *",
            "1. 4 ; the centre (of course\n4 2.3{good}5;end",
            "1. 4 $1 4$20 2. 3 {two\n[lines]} 5",
            "1. 4 4 2. 3 5 0-1\n\n[Board \"9x9\"]\n\n1. 9",
            "1. 4 4 2. 3 5\n[Board \"9x9\"]\n\n1. 9",
        ] {
            assert_eq!(moves(&pgn(text)), "4 4 3 5", "{text}");
            assert_eq!(read(&pgn(text)).unwrap().setup.cols, 7, "{text}");
        }
        for text in ["1. 4 {open", "1. 4 (2", "1. 4) 2"] {
            assert_eq!(read(&pgn(text)), Err(FileError::Form), "{text}");
        }
    }

    #[test]
    fn what_is_no_game_is_refused() {
        for (text, error) in [
            ("hello", FileError::Format),
            ("(;GM[2];B[aa])", FileError::OtherGame("2".to_owned())),
            ("(;GM[4];B[aa]", FileError::Form),
            ("(GM[4](;B[aa]))", FileError::Form),
            (
                "(;GM[4];B[aa];W[aa])",
                FileError::Move(2, PlayError::Illegal),
            ),
            ("Piskvorky x", FileError::Form),
            (
                "[Board \"7x6\"]\n\n1. 9 1-0",
                FileError::Value("9".to_owned()),
            ),
        ] {
            assert_eq!(read(text), Err(error), "{text}");
        }
    }
}
