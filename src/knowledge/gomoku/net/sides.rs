//! The nets of a rule: one for both sides, or in renju, where the sides play by different rules, one for
//! each. (Consequence: `docs/EXPERIMENTS.md`, Gomoku.)

use super::Net;
use crate::game::{Rule, Side};
use std::sync::{Arc, OnceLock};

/// The nets of this program, as the `.json` beside each says they were made.
#[cfg(feature = "weights-gomoku")]
const OWN: [&[u8]; 4] = [
    include_bytes!("freestyle.bin"),
    include_bytes!("exact.bin"),
    include_bytes!("renju.bin"),
    include_bytes!("caro.bin"),
];
#[cfg(not(feature = "weights-gomoku"))]
const OWN: [&[u8]; 4] = [&[]; 4];

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
        static NETS: [OnceLock<Option<SideNets>>; OWN.len()] =
            [const { OnceLock::new() }; OWN.len()];
        let number = match rule {
            Rule::Freestyle => 0,
            Rule::Exact => 1,
            Rule::Renju => 2,
            Rule::Caro | Rule::ExactCaro => 3,
        };
        let read = || SideNets::from_bytes(OWN[number]).ok();
        NETS[number].get_or_init(read).clone()
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
