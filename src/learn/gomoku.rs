//! Gomoku: a net over lines of cells, from games of self-play.
//!
//! A net begins with a course, in which it learns from each batch of games before the next
//! ([`Lessons`]). Then games can be played with the same net, on any number of machines
//! ([`record`](recording::record)), and a net be fitted to all of them at once, with ever smaller steps
//! ([`fit`](fitting::fit)).

pub mod fit;
pub mod fitting;
pub mod game;
mod lessons;
pub mod model;
pub mod origin;
pub mod record;
pub mod recording;

pub use fitting::{Fit, Fitting, Training};
pub use lessons::{Lessons, Parameters};

use super::gate::Score;
use super::{checkpoint, selfplay};
use crate::arena::records::replacement::Replacement;
use crate::game::gomoku::Gomoku;
use crate::game::{Game, Rule, Side};
use crate::knowledge::gomoku::net::SideNets;
use anyhow::Context;
use game::Player;
use origin::{Made, Making, Nets, Origin, Sidecar};
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// A match of new nets against old ones, `nets`, that make so many playouts a move: by a seed and
/// the numbers of the openings, each played twice.
fn compare(
    nets: [&SideNets; 2],
    rule: Rule,
    playouts: u64,
    (seed, numbers): (u64, Range<u64>),
    threads: usize,
) -> Score {
    let [new, old] = nets;
    let pairs = selfplay::play(threads, seed, numbers, |number, random| {
        let chooser = nets[usize::from(number % 2 == 1)];
        let (opening, _) = game::balanced(rule, chooser, random);
        let margins = [Side::First, Side::Second].map(|side| {
            let seated = match side {
                Side::First => [new, old],
                Side::Second => [old, new],
            };
            margin(&opening, seated, playouts, side)
        });
        Score::of_pair(margins)
    });
    let mut score = Score::default();
    pairs.into_iter().for_each(|pair| score += pair);
    score
}

/// The margin of `side` in a game of the nets of two players, by `Side::index`.
fn margin(opening: &Gomoku, nets: [&SideNets; 2], playouts: u64, side: Side) -> i16 {
    let mut game = opening.clone();
    let mut players = nets.map(|nets| Player::new(opening, nets.clone(), playouts));
    loop {
        if let Some(outcome) = game.outcome() {
            return outcome.margin(side);
        }
        let report = players[game.side_to_move().index()].think();
        let Some(mv) = report.best.and_then(|best| game.parse_action(best)) else {
            return 0;
        };
        game.play(mv);
        players.iter_mut().for_each(|player| player.advance(mv));
    }
}

/// Writes the nets of a rule and how they were made, with the nets that this names.
fn save(
    learned: &SideNets,
    made: Made,
    nets: Nets,
    out: &Path,
    told: &mut dyn Write,
) -> anyhow::Result<()> {
    let bytes = learned.to_bytes();
    writeln!(told, "{}: {} bytes", out.display(), bytes.len())?;
    Replacement::write(out, &bytes)?;
    let of = Making::of(made);
    let text = serde_json::to_string_pretty(&Sidecar { of, nets })? + "\n";
    Replacement::write(&checkpoint::sidecar_of(out), text.as_bytes())
}

/// Reads the nets of a rule and what is known of how they were made.
///
/// # Errors
/// When one of the files cannot be read.
pub fn load(path: &Path) -> anyhow::Result<(SideNets, Origin)> {
    let read = |path: &Path| {
        std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let bytes = read(path)?;
    let nets = SideNets::from_bytes(&bytes);
    let nets = nets.with_context(|| format!("cannot use {}", path.display()))?;
    let beside = checkpoint::sidecar_of(path);
    let sidecar = serde_json::from_slice(&read(&beside)?);
    let sidecar = sidecar.with_context(|| format!("cannot use {}", beside.display()))?;
    Ok((nets, Origin::new(&bytes, sidecar)))
}

#[cfg(test)]
mod tests {
    use super::recording::{Recorded, Source};
    use super::*;

    /// Checkpoints and files of games are known by this text.
    #[test]
    fn the_parameters_of_a_course_are_written_as_ever() {
        let text = concat!(
            r#"{"games":8,"seed":1,"rule":"freestyle","playouts":64,"from":null,"window":20000,"#,
            r#""uses":5.0,"batch":128,"rates":[0.008,0.0008],"floor":0.001,"newest":0.2,"#,
            r#""searched":0.5,"policy":0.5}"#,
        );
        let parameters = Parameters::new(8, 1, Rule::Freestyle, 64);
        assert_eq!(serde_json::to_string(&parameters).unwrap(), text);
        assert_eq!(
            serde_json::from_str::<Parameters>(text).unwrap(),
            parameters
        );
    }

    #[test]
    fn courses_before_there_was_a_floor_can_be_read() {
        let mut parameters = Parameters::new(8, 1, Rule::Freestyle, 64);
        let text = serde_json::to_string(&parameters).unwrap();
        parameters.training.floor = 0.0;
        let text = text.replace(r#""floor":0.001,"#, "");
        assert_eq!(
            serde_json::from_str::<Parameters>(&text).unwrap(),
            parameters
        );
    }

    #[test]
    fn how_the_own_nets_were_made_can_be_read() {
        for (rule, own) in [
            (
                Rule::Freestyle,
                include_str!("../knowledge/gomoku/net/freestyle.json"),
            ),
            (
                Rule::Exact,
                include_str!("../knowledge/gomoku/net/exact.json"),
            ),
            (
                Rule::Renju,
                include_str!("../knowledge/gomoku/net/renju.json"),
            ),
            (
                Rule::Caro,
                include_str!("../knowledge/gomoku/net/caro.json"),
            ),
        ] {
            let sidecar: Sidecar = serde_json::from_str(own).unwrap();
            let Made::Fit(fit) = sidecar.of.made else {
                panic!("the last step was a fit");
            };
            assert!(!fit.records.is_empty());
            for Recorded { source, .. } in fit.records {
                let Source::Recording(recording) = source else {
                    panic!("all games were recorded");
                };
                assert_eq!(recording.rule, rule.name());
                assert!(sidecar.nets.contains_key(&recording.by));
            }
        }
    }
}
