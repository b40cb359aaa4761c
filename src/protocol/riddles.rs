//! Four in a Row as riddles.io played it, and theaigames.com before.
//!
//! Lines are `settings KEY VALUE`, `update game KEY VALUE` and `action move MILLISECONDS`. Only the
//! last is answered, by `place_disc COLUMN`. Sources: `riddlesio/connect-four-engine` and
//! `riddlesio/match-wrapper`; `protocol.md` shows both dialects. What they leave open:
//!
//! - There is no word for an error, and whatever is written is taken for a move. So a line that
//!   says nothing to Tengen is passed over in silence.
//! - The whole board arrives before every action, rows from the top. theaigames parts its rows by
//!   `;` and marks free cells `0`; riddles.io has one list of cells and marks free ones `.`, for
//!   its players may be called 0. A field counts from the next action on, since the opponent's
//!   turn shows one too.
//! - An action is answered wherever there is a move. Where no field came that can be read, Tengen
//!   moves on its own board.
//! - Tengen is the second side if the opponent has more discs, else the first, whatever the
//!   players' numbers are.
//! - The number of an action is all that is in the time bank. `time_per_move` is what the bank
//!   gets after each move, up to its first content, `timebank`.

use super::retold::side_by_stones;
use super::tentative::Tentative;
use super::{Defaults, Protocol, Request, Requests, Urgency};
use crate::clock::TimeControl;
use crate::game::{Action, AnyGame, Connect4Rules, GameKind, Point, Setup, SetupError, Side, any};
use crate::session::{Allowance, Event};
use smallvec::smallvec;
use std::time::Duration;

/// The words that lines begin with.
pub const COMMANDS: [&str; 3] = ["settings", "update", "action"];

/// A translator for one referee.
pub struct Riddles {
    defaults: Defaults,
    game: Tentative<Box<dyn AnyGame>>,
    /// What the referee's settings agree on. A game of it is begun by the first action.
    setup: Setup,
    /// The number of Tengen's discs in fields.
    own_id: Option<u8>,
    /// What the time bank gets after each move.
    increment: Duration,
    /// What the last field shows, until an action needs it.
    field: Option<Field>,
}

/// A board as a referee sends it.
struct Field {
    stones: Vec<(Point, Side)>,
    /// Tengen's side.
    to_move: Side,
}

impl Riddles {
    /// A translator for Connect Four on the board of `defaults.setup`, or on the usual board where
    /// that is of another game: referees start an engine without arguments.
    ///
    /// # Errors
    /// When the game of `defaults.setup` cannot be played so.
    pub fn new(defaults: Defaults) -> Result<Riddles, SetupError> {
        let setup = match defaults.setup.game() {
            // The protocol has no words for a hole or a steal.
            GameKind::Connect4 => defaults.setup.with(Connect4Rules {
                hole: None,
                steal: false,
                ..defaults.setup.connect4()
            }),
            _ => Setup::standard(GameKind::Connect4),
        };
        Ok(Riddles {
            game: Tentative::new(any::new_game(&defaults.setup)?),
            defaults,
            setup,
            own_id: None,
            increment: Duration::ZERO,
            field: None,
        })
    }

    fn set(&mut self, key: &str, value: &str) {
        let Ok(number) = value.parse::<u64>() else {
            return;
        };
        let small = u8::try_from(number).ok();
        match key {
            "your_botid" => self.own_id = small,
            "time_per_move" => self.increment = Duration::from_millis(number),
            "field_columns" | "field_width" => self.resize(small, None),
            "field_rows" | "field_height" => self.resize(None, small),
            _ => {}
        }
    }

    /// A size that Connect Four is not played on is passed over.
    fn resize(&mut self, cols: Option<u8>, rows: Option<u8>) {
        let cols = cols.unwrap_or(self.setup.cols);
        let setup = self.setup.with_size(cols, rows.unwrap_or(self.setup.rows));
        if any::new_game(&setup).is_ok() {
            self.setup = setup;
            self.field = None;
        }
    }

    /// `None` when the text is no board of this size on which the discs can stand.
    fn read_field(&self, text: &str) -> Option<Field> {
        let free = if text.contains('.') { "." } else { "0" };
        let mut cells = text.split([',', ';']);
        let mut discs = Vec::new();
        for point in self.setup.points() {
            let cell = cells.next()?;
            if cell != free {
                discs.push((point, cell.parse::<u8>().ok()? == self.own_id?));
            }
        }
        if cells.next().is_some() {
            return None;
        }
        let own = discs.iter().filter(|&&(_, own)| own).count();
        let me = side_by_stones(own, discs.len() - own);
        let stones: Vec<_> = discs
            .into_iter()
            .map(|(point, own)| (point, if own { me } else { me.other() }))
            .collect();
        any::from_stones(&self.setup, &stones, me).ok()?;
        Some(Field {
            stones,
            to_move: me,
        })
    }

    /// `bank`: milliseconds, where the referee says.
    fn act(&mut self, bank: Option<u64>) -> Requests {
        let mut requests = self.put_up();
        if self.game.outcome().is_none() {
            requests.push(Request::Think(Allowance {
                time: self.grant(bank),
                playouts: self.defaults.playouts,
                report_every: None,
            }));
        }
        requests
    }

    /// Puts up the last field, or the empty board if there was none in this size yet.
    fn put_up(&mut self) -> Requests {
        let setup = self.setup;
        match self.field.take() {
            Some(Field { stones, to_move }) => {
                let Ok(game) = any::from_stones(&setup, &stones, to_move) else {
                    return Requests::new();
                };
                self.game.replace(game);
                smallvec![Request::Position {
                    setup,
                    stones,
                    to_move,
                }]
            }
            None if self.game.setup() != setup => {
                let Ok(game) = any::new_game(&setup) else {
                    return Requests::new();
                };
                self.game.replace(game);
                smallvec![Request::NewGame(setup)]
            }
            None => Requests::new(),
        }
    }

    fn grant(&self, bank: Option<u64>) -> TimeControl {
        match bank {
            Some(milliseconds) => TimeControl {
                left: Some(Duration::from_millis(milliseconds)),
                increment: self.increment,
                ..TimeControl::default()
            },
            None => self.defaults.time,
        }
    }
}

impl Protocol for Riddles {
    fn feed(&mut self, line: &str, _: &mut Vec<String>) -> Requests {
        self.game.settle();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["settings", key, value] => self.set(key, value),
            ["update", "game", "field", field] => {
                self.field = self.read_field(field).or_else(|| self.field.take());
            }
            ["action", "move", ref bank @ ..] => {
                return self.act(bank.first().and_then(|number| number.parse().ok()));
            }
            _ => {}
        }
        Requests::new()
    }

    fn render(&mut self, event: &Event, out: &mut Vec<String>) -> Requests {
        match event {
            Event::Best(report) => match report.best {
                Some(action @ Action::Column(col)) if self.game.play(action).is_ok() => {
                    out.push(format!("place_disc {col}"));
                    smallvec![Request::Play(action)]
                }
                _ => Requests::new(),
            },
            Event::Info(_) => Requests::new(),
        }
    }

    fn refuse(&mut self, _: &str, _: &mut Vec<String>) {
        self.game.restore();
    }

    fn urgency(&self, _: &str) -> Urgency {
        Urgency::InTurn
    }

    fn board(&self) -> &dyn AnyGame {
        &**self.game
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn riddles(setup: Setup) -> Riddles {
        let defaults = Defaults {
            setup,
            time: TimeControl::default(),
            playouts: Some(1),
        };
        let mut riddles = Riddles::new(defaults).unwrap();
        riddles.feed("settings your_botid 1", &mut Vec::new());
        riddles
    }

    #[test]
    fn both_dialects_show_the_same_board() {
        let riddles = riddles(Setup::standard(GameKind::Connect4).with_size(4, 4));
        let with_rows = "0,0,0,0;0,0,0,0;0,2,0,0;0,1,2,0";
        let one_list = ".,.,.,.,.,.,.,.,.,0,.,.,.,1,0,.";
        let [one, other] = [with_rows, one_list].map(|text| riddles.read_field(text).unwrap());
        assert_eq!(one.stones, other.stones);
        assert_eq!((one.to_move, one.stones.len()), (Side::Second, 3));
    }

    #[test]
    fn fields_that_are_none_are_not_read() {
        let riddles = riddles(Setup::standard(GameKind::Connect4).with_size(4, 4));
        for text in [
            "",
            "0,0,0,0",
            "0,0,0,0;0,0,0,0;0,0,0,0;0,0,0,0;0",
            "0,0,0,0;0,0,0,0;0,0,0,0;0,0,0,x",
            // In the air.
            "1,0,0,0;0,0,0,0;0,0,0,0;0,0,0,0",
        ] {
            assert!(riddles.read_field(text).is_none(), "{text}");
        }
    }

    #[test]
    fn any_other_game_of_the_command_line_means_the_usual_board() {
        let mut riddles = riddles(Setup::standard(GameKind::Reversi));
        let requests = riddles.feed("action move 1000", &mut Vec::new());
        let usual = Setup::standard(GameKind::Connect4);
        assert_eq!(requests[0], Request::NewGame(usual));
    }
}
