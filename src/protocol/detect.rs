//! Which protocol the other end speaks, told by its first line.
//!
//! Piskvork and most judges start an engine with no arguments, so the program has to see for
//! itself. A line is of the protocol whose command it begins with. `PLAY` is a command of both:
//! `PLAY 7,7` is Gomocup and `play b h8` is GTP. NBoard's and UGI's words are in small letters;
//! `quit` is a command of both and of GTP, where it ends the process all the same. An unknown word
//! in capitals is taken for Gomocup, whose managers write so and whose extensions are many; any
//! other for GTP, whose commands are in small letters. Either answers it with the error that people
//! can read.
//!
//! Botzone's messages begin with `{`, or with a lone number, which in GTP would be a number with
//! no command. Both players' ids, as in `0 1`, begin CodinGame's Connect 4. CodinGame's Othello
//! begins with a lone number too: it has to be named on the command line. Four digits and `{` begin
//! a message of Saiblo, and an object that begins with `do` is of Tengen's own page.

use super::botzone::{Botzone, Mode};
use super::codingame::{self, CodinGame};
use super::gomocup::{self, Gomocup};
use super::gtp::{self, Gtp};
use super::nboard::{self, NBoard};
use super::riddles::{self, Riddles};
use super::saiblo::{self, Saiblo};
use super::ugi::{self, Ugi};
use super::web::{self, Web};
use super::{Defaults, Protocol};
use crate::game::SetupError;
use crate::game::names::by_name;

/// The protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProtocolKind {
    /// Gomocup's, which Piskvork speaks.
    Gomocup,
    /// The Go Text Protocol.
    Gtp,
    /// NBoard's, which boards made for Othello speak.
    NBoard,
    /// The Universal Game Interface.
    Ugi,
    /// Botzone's.
    Botzone(Mode),
    /// Four in a Row of riddles.io and theaigames.
    Riddles,
    /// Connect 4 and Othello of CodinGame.
    CodinGame,
    /// Saiblo's, for Connect Four.
    Saiblo,
    /// The protocol of Tengen's own page.
    Web,
}

impl ProtocolKind {
    /// All protocols, in the order in which tables list them.
    pub const ALL: [ProtocolKind; 14] = [
        ProtocolKind::Gomocup,
        ProtocolKind::Gtp,
        ProtocolKind::NBoard,
        ProtocolKind::Ugi,
        ProtocolKind::Botzone(Mode::ALL[0]),
        ProtocolKind::Botzone(Mode::ALL[1]),
        ProtocolKind::Botzone(Mode::ALL[2]),
        ProtocolKind::Botzone(Mode::ALL[3]),
        ProtocolKind::Botzone(Mode::ALL[4]),
        ProtocolKind::Botzone(Mode::ALL[5]),
        ProtocolKind::Riddles,
        ProtocolKind::CodinGame,
        ProtocolKind::Saiblo,
        ProtocolKind::Web,
    ];

    /// The name that the command line uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ProtocolKind::Gomocup => "gomocup",
            ProtocolKind::Gtp => "gtp",
            ProtocolKind::NBoard => "nboard",
            ProtocolKind::Ugi => "ugi",
            ProtocolKind::Botzone(mode) => mode.name(),
            ProtocolKind::Riddles => "riddles",
            ProtocolKind::CodinGame => "codingame",
            ProtocolKind::Saiblo => "saiblo",
            ProtocolKind::Web => "web",
        }
    }
}

by_name!(ProtocolKind, "protocol", |names: &[&str]| names.join(", "));

/// The protocol that this line speaks. `None` when it is empty: ask again with the next one.
#[must_use]
pub fn detect(line: &str) -> Option<ProtocolKind> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if web::is_command(line) {
        return Some(ProtocolKind::Web);
    }
    if first.starts_with('{') || is_lone_number(line) {
        return Some(ProtocolKind::Botzone(Mode::ONE_SHOT));
    }
    if codingame::both_ids(line).is_some() {
        return Some(ProtocolKind::CodinGame);
    }
    if riddles::COMMANDS.contains(&first) {
        return Some(ProtocolKind::Riddles);
    }
    if saiblo::is_message(line) {
        return Some(ProtocolKind::Saiblo);
    }
    let is_id = first.bytes().all(|byte| byte.is_ascii_digit());
    let word = if is_id {
        words.next().unwrap_or(first)
    } else {
        first
    };
    if gtp::COMMANDS.contains(&word) && !line.contains(',') {
        return Some(ProtocolKind::Gtp);
    }
    if nboard::COMMANDS.contains(&first) {
        return Some(ProtocolKind::NBoard);
    }
    if ugi::COMMANDS.contains(&first) {
        return Some(ProtocolKind::Ugi);
    }
    let capitals = word.to_ascii_uppercase();
    let gomocup = gomocup::COMMANDS.contains(&capitals.as_str());
    let shouted = word.starts_with(|c: char| c.is_ascii_uppercase()) && word == capitals;
    Some(if gomocup || shouted {
        ProtocolKind::Gomocup
    } else {
        ProtocolKind::Gtp
    })
}

fn is_lone_number(line: &str) -> bool {
    line.trim().bytes().all(|byte| byte.is_ascii_digit())
}

/// A translator of this kind.
///
/// # Errors
/// When the protocol cannot speak of the game in `defaults.setup`, or that game is not played
/// so.
pub fn open(kind: ProtocolKind, defaults: Defaults) -> Result<Box<dyn Protocol>, SetupError> {
    Ok(match kind {
        ProtocolKind::Gomocup => Box::new(Gomocup::new(defaults.limited())?),
        ProtocolKind::Gtp => Box::new(Gtp::new(defaults.limited())?),
        ProtocolKind::NBoard => Box::new(NBoard::new(defaults.limited())?),
        ProtocolKind::Ugi => Box::new(Ugi::new(defaults.limited())?),
        ProtocolKind::Botzone(mode) => Box::new(Botzone::new(mode, defaults.limited())?),
        ProtocolKind::Riddles => Box::new(Riddles::new(defaults.limited())?),
        ProtocolKind::CodinGame => Box::new(CodinGame::new(defaults)?),
        ProtocolKind::Saiblo => Box::new(Saiblo::new(defaults)?),
        ProtocolKind::Web => Box::new(Web::new(defaults.limited())?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells_the_protocol() {
        for line in [
            "START 15",
            "start 15",
            "RECTSTART 15,15",
            "ABOUT",
            "INFO timeout_turn 1000",
            "BEGIN",
            "  BOARD",
            "PLAY 7,7",
            "play 7,7",
            "YXSHOWINFO",
            "SWAP2BOARD",
            "yxboard",
            "YxStop",
        ] {
            assert_eq!(detect(line), Some(ProtocolKind::Gomocup), "{line}");
        }
        for line in [
            "name",
            "1 protocol_version",
            "list_commands",
            "play b h8",
            "play black D4",
            "# a comment",
            "set_game Othello",
            "Hello there",
            "1234 name",
            "123{",
        ] {
            assert_eq!(detect(line), Some(ProtocolKind::Gtp), "{line}");
        }
        for line in ["nboard 2", "set game (;GM[Othello];)", "ping 1"] {
            assert_eq!(detect(line), Some(ProtocolKind::NBoard), "{line}");
        }
        for line in ["ugi", "isready", "position startpos moves f5"] {
            assert_eq!(detect(line), Some(ProtocolKind::Ugi), "{line}");
        }
        for line in [
            r#"{"requests":[{"x":-1,"y":-1}],"responses":[]}"#,
            " {",
            "1",
            "1234",
        ] {
            assert_eq!(
                detect(line),
                Some(ProtocolKind::Botzone(Mode::ONE_SHOT)),
                "{line}"
            );
        }
        for line in ["settings timebank 10000", "settings your_bot player1"] {
            assert_eq!(detect(line), Some(ProtocolKind::Riddles), "{line}");
        }
        for line in ["0 1", "1 0"] {
            assert_eq!(detect(line), Some(ProtocolKind::CodinGame), "{line}");
        }
        assert_eq!(detect("0010{\"type\":2}"), Some(ProtocolKind::Saiblo));
        assert_eq!(detect(r#"{"do":"state"}"#), Some(ProtocolKind::Web));
        assert_eq!(detect(" \t"), None);
    }

    #[test]
    fn names_are_read_back() {
        for kind in ProtocolKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("GTP".parse::<ProtocolKind>().is_err());
    }
}
