//! The nets of a rule: one for both sides, or in renju, where the sides play by different rules, one for
//! each. (Consequence: `docs/EXPERIMENTS.md`, Gomoku.)

use super::Net;
use crate::game::Side;
use std::sync::{Arc, LazyLock};

/// The net of this program, as `freestyle.json` beside it says it was made.
#[cfg(feature = "weights")]
const OWN: &[u8] = include_bytes!("freestyle.bin");
#[cfg(not(feature = "weights"))]
const OWN: &[u8] = &[];

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

    /// The net of this program: it learned from games of freestyle, but helps by every rule. `None`
    /// where it was built without. (Consequence: `docs/EXPERIMENTS.md`, Gomoku.)
    #[must_use]
    pub fn own() -> Option<SideNets> {
        static NETS: LazyLock<Option<SideNets>> = LazyLock::new(|| SideNets::from_bytes(OWN).ok());
        NETS.clone()
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
