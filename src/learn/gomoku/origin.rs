//! How nets were made. A net is named by the checksum of its file, so that what was made with it need
//! not tell again how it was made itself.

use super::{Fit, Parameters};
use crate::knowledge::packing::checksum;
use crate::learn::course::Generation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What names a net: the checksum of its file, in hexadecimal digits.
pub type NetName = String;

/// How nets were made, by their names.
pub type Nets = BTreeMap<NetName, Making>;

/// How a net was made, and by which version of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Making {
    /// The program's version.
    pub version: String,
    /// What it was made with.
    #[serde(flatten)]
    pub made: Made,
}

impl Making {
    /// By this version.
    #[must_use]
    pub fn of(made: Made) -> Making {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Making { version, made }
    }
}

/// How a net was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Made {
    /// By a course.
    Course {
        /// What decided about the result.
        parameters: Parameters,
        /// How each generation did.
        generations: Vec<Generation>,
    },
    /// By a fit to games.
    Fit(Box<Fit>),
}

/// What names nets, with how those and the nets before them were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WithNets<T> {
    /// What names them.
    #[serde(flatten)]
    pub of: T,
    /// The nets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nets: Nets,
}

/// What stands beside a net.
pub type Sidecar = WithNets<Making>;

/// The name of a net, with how it and those before it were made.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The net's name.
    pub name: NetName,
    /// The net itself among others.
    pub nets: Nets,
}

impl Origin {
    /// Of a net with these bytes, by what stands beside it.
    #[must_use]
    pub fn new(net: &[u8], Sidecar { of, mut nets }: Sidecar) -> Origin {
        let name = format!("{:016x}", checksum(net));
        nets.insert(name.clone(), of);
        Origin { name, nets }
    }
}
