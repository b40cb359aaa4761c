//! What managers say about a game by `INFO`.

use super::super::text::split_word;
use super::clock::limit;
use super::error::GomocupError;
use super::{Gomocup, Request, Requests};
use crate::game::Rule;
use crate::options::MAX_MEMORY;
use smallvec::smallvec;
use std::time::Duration;

/// The rule bit of a continuous game.
const CONTINUOUS: i64 = 2;

/// Kibibytes in the unit of the option for the size of the tree.
const KIB_PER_MIB: i64 = 1024;

impl Gomocup {
    /// Never answered; a value that is not understood is passed over.
    pub(super) fn inform(&mut self, rest: &str) -> Requests {
        let (key, value) = split_word(rest);
        let Ok(number) = value.parse::<i64>() else {
            return Requests::new();
        };
        match key.to_ascii_lowercase().as_str() {
            "timeout_turn" => self.clock.turn = limit(number),
            "timeout_match" => {
                self.clock.game = limit(number).filter(|time| !time.is_zero());
                self.clock.begin();
            }
            "time_left" => self.clock.tell(limit(number)),
            "time_increment" => {
                self.clock.increment = limit(number.max(0)).unwrap_or(Duration::ZERO);
            }
            "max_node" => self.max_playouts = u64::try_from(number).ok().filter(|&n| n > 0),
            "show_detail" => self.tells = number != 0,
            "max_memory" => {
                let bytes = number.max(0).to_string();
                return self.set("max_memory", "process_memory", bytes);
            }
            "hash_size" => return self.size_tree(number),
            "thread_num" => return self.set("thread_num", "threads", number.to_string()),
            "rule" => return self.set_rule(number),
            _ => {}
        }
        Requests::new()
    }

    /// Gives the tree this many KiB, within the limit of the process.
    fn size_tree(&mut self, kib: i64) -> Requests {
        let mib = (kib / KIB_PER_MIB).clamp(1, MAX_MEMORY as i64);
        self.set("hash_size", "memory", mib.to_string())
    }

    /// Asks for an option as an `INFO` of this key wants it.
    fn set(&mut self, key: &'static str, name: &'static str, value: String) -> Requests {
        self.begin_info(key);
        smallvec![Request::Set { name, value }]
    }

    fn set_rule(&mut self, bits: i64) -> Requests {
        self.begin_info("rule");
        let rule = match bits & !CONTINUOUS {
            0 => Rule::Freestyle,
            1 => Rule::Exact,
            // In renju the first side wins by exactly five already.
            4 | 5 => Rule::Renju,
            8 => Rule::Caro,
            9 => Rule::ExactCaro,
            _ => {
                self.object("rule", "no such rule is played: 0, 1, 4, 5, 8 or 9");
                return Requests::new();
            }
        };
        let continuous = bits & CONTINUOUS != 0;
        let setup = self.game.board.setup().with(rule);
        if setup == self.game.board.setup() {
            self.continuous.replace(continuous);
            return Requests::new();
        }
        let to_move = self.game.board.side_to_move();
        let shown = self.game.shown.clone();
        match self.put_up(setup, self.game.board.stones(), to_move) {
            Ok(requests) => {
                self.continuous.replace(continuous);
                // The same stones, and nobody has said whose turn it is.
                self.game.shown = shown;
                requests
            }
            Err(error) => {
                self.object("rule", &error.to_string());
                Requests::new()
            }
        }
    }

    /// What was wrong with the last `INFO` of this key no longer counts.
    fn begin_info(&mut self, key: &'static str) {
        self.objections.retain(|&(other, _)| other != key);
        self.informed = Some(key);
    }

    pub(super) fn object(&mut self, key: &'static str, reason: &str) {
        self.objections.push((key, reason.to_owned()));
    }

    pub(super) fn check_objections(&self) -> Result<(), GomocupError> {
        match self.objections.first() {
            Some((_, reason)) => Err(GomocupError::Objection(reason.clone())),
            None => Ok(()),
        }
    }
}
