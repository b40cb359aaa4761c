//! The commands that only ask.

use super::error::GtpError;
use super::time::CLOCKS;
use super::words::colour;
use super::{COMMANDS, Gtp, vertex};
use crate::game::{GameKind, Side};

/// What GoGui shows in its menu of analyses: type, label and command.
const GOGUI_MENU: &str = "\
plist/Legal Moves/gogui-rules_legal_moves
string/Side to Move/gogui-rules_side_to_move
string/Final Result/gogui-rules_final_result";

impl Gtp {
    /// Answers the commands that only ask.
    pub(super) fn tell(&self, words: &[&str]) -> Result<String, GtpError> {
        let setup = self.game.board.setup();
        Ok(match *words {
            ["protocol_version", ..] => "2".to_owned(),
            ["name", ..] => "Tengen".to_owned(),
            ["version", ..] => env!("CARGO_PKG_VERSION").to_owned(),
            ["list_commands", ..] => COMMANDS.join("\n"),
            ["known_command", name] => COMMANDS.contains(&name).to_string(),
            ["known_command", ..] => return Err(GtpError::Syntax("known_command name")),
            ["list_games", ..] => GameKind::ALL.map(GameKind::gtp_name).join("\n"),
            ["kata-list_time_settings", ..] => CLOCKS.to_owned(),
            ["showboard", ..] => vertex::draw(&*self.game.board),
            ["final_score", ..] => self.final_score()?,

            ["gogui-analyze_commands", ..] => GOGUI_MENU.to_owned(),
            ["gogui-rules_game_id", ..] => setup.game().name().to_owned(),
            ["gogui-rules_board", ..] => vertex::draw_square(&*self.game.board),
            ["gogui-rules_board_size", ..] => vertex::square(&setup).to_string(),
            ["gogui-rules_legal_moves", ..] => self.legal_moves(),
            ["gogui-rules_side_to_move", ..] => colour(self.game.board.side_to_move()).to_owned(),
            ["gogui-rules_final_result", ..] => self.final_result()?,
            _ => return Err(GtpError::UnknownCommand),
        })
    }

    fn legal_moves(&self) -> String {
        let actions = self.game.board.legal_actions();
        let texts: Vec<String> = actions
            .into_iter()
            .map(|action| vertex::write(&*self.game.board, action))
            .collect();
        texts.join(" ")
    }

    /// `B+12`, `W+1` or `0`.
    fn final_score(&self) -> Result<String, GtpError> {
        let outcome = self.game.board.outcome().ok_or(GtpError::NotOver)?;
        Ok(match outcome.winner() {
            None => "0".to_owned(),
            Some(Side::First) => format!("B+{}", outcome.margin(Side::First)),
            Some(Side::Second) => format!("W+{}", outcome.margin(Side::Second)),
        })
    }

    /// The result as GoGui shows it to people.
    fn final_result(&self) -> Result<String, GtpError> {
        let outcome = self.game.board.outcome().ok_or(GtpError::NotOver)?;
        let Some(winner) = outcome.winner() else {
            return Ok("draw".to_owned());
        };
        Ok(match self.game.board.setup().game().shows_margin() {
            true => format!("{} wins by {}", colour(winner), outcome.margin(winner)),
            false => format!("{} wins", colour(winner)),
        })
    }
}
