//! The nets of a rule: one for both sides, or in renju, where the sides play by different rules, one for
//! each. (Consequence: `docs/EXPERIMENTS.md`, Gomoku.)

use super::Net;
use crate::game::{Rule, Side};
use std::sync::{Arc, Mutex, PoisonError};

/// The nets of this program, as the `.json` beside each says they were made.
const OWN: [&[u8]; 4] = [
    included!("weights-gomoku", "freestyle.bin"),
    included!("weights-gomoku", "exact.bin"),
    included!("weights-gomoku", "renju.bin"),
    included!("weights-gomoku", "caro.bin"),
];

/// The nets of the program that were asked for last, with their numbers, the last one first: a process
/// that plays by rule after rule must not keep all of them.
static RECENT: Mutex<[Option<(usize, SideNets)>; 2]> = Mutex::new([None, None]);

/// The nets of a rule, by the side that is to move.
#[derive(Clone, Debug, PartialEq)]
pub struct SideNets([Arc<Net>; 2]);

impl SideNets {
    /// One net for both sides.
    #[must_use]
    pub fn same(net: Net) -> SideNets {
        let net = Arc::new(net);
        SideNets([net.clone(), net])
    }

    /// A net for each side, the first side's before the other's.
    #[must_use]
    pub fn different(nets: [Net; 2]) -> SideNets {
        SideNets(nets.map(Arc::new))
    }

    /// The nets of this program for a rule; both of caro have one. `None` where it was built without.
    #[must_use]
    pub fn own(rule: Rule) -> Option<SideNets> {
        let number = match rule {
            Rule::Freestyle => 0,
            Rule::Exact => 1,
            Rule::Renju => 2,
            Rule::Caro | Rule::ExactCaro => 3,
        };
        let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        let is_asked =
            |it: &Option<(usize, SideNets)>| it.as_ref().is_some_and(|it| it.0 == number);
        if !is_asked(&recent[0]) {
            recent.swap(0, 1);
            if !is_asked(&recent[0]) {
                recent[0] = Some((number, SideNets::from_bytes(OWN[number]).ok()?));
            }
        }
        recent[0].as_ref().map(|(_, nets)| nets.clone())
    }

    /// The net for positions in which this side is to move.
    #[must_use]
    pub fn of(&self, side: Side) -> &Net {
        &self.0[side.index()]
    }

    /// The nets, each once: one, or the first side's and then the other's.
    #[must_use]
    pub fn each(&self) -> &[Arc<Net>] {
        let [first, second] = &self.0;
        match Arc::ptr_eq(first, second) {
            true => &self.0[..1],
            false => &self.0,
        }
    }
}
