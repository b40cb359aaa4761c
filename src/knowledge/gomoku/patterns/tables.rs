//! What every line, and every four classes of a cell, come to by each rule.

use super::class::{self, View};
use super::kind;
use crate::game::gomoku::line::Winning;
use crate::game::{Rule, Side};
use std::sync::LazyLock;

/// Keys of five neighbours on each side.
const KEYS: usize = 1 << 20;

/// What one rule makes of lines.
pub struct Tables {
    /// Neighbours on each side that decide what a stone makes.
    pub radius: u32,
    /// By line key: the class of the first side in the low four bits, of the second in the others.
    pub classes: Box<[u8; KEYS]>,
    /// By side and the four classes of a cell.
    pub kinds: [&'static [u8; 1 << 16]; 2],
}

static KINDS: [LazyLock<Box<[u8; 1 << 16]>>; 2] = [
    LazyLock::new(|| kind::kinds(false)),
    LazyLock::new(|| kind::kinds(true)),
];

static TABLES: [LazyLock<Tables>; 5] = [
    LazyLock::new(|| Tables::new(Rule::Freestyle)),
    LazyLock::new(|| Tables::new(Rule::Exact)),
    LazyLock::new(|| Tables::new(Rule::Renju)),
    LazyLock::new(|| Tables::new(Rule::Caro)),
    LazyLock::new(|| Tables::new(Rule::ExactCaro)),
];

impl Tables {
    /// Those of a rule, built where they are not yet, which takes some ten milliseconds.
    pub fn of(rule: Rule) -> &'static Tables {
        let number = Rule::ALL.iter().position(|&it| it == rule);
        LazyLock::force(&TABLES[number.unwrap_or_default()])
    }

    fn new(rule: Rule) -> Tables {
        let views = [Side::First, Side::Second].map(|side| View {
            winning: Winning::of(rule, side),
            restricted: rule == Rule::Renju && side == Side::First,
        });
        let radius = views[0].radius().max(views[1].radius());
        // Before what is soon freed, so that it leaves no gap.
        let mut classes = boxed::<KEYS>();
        let first = class::classes(views[0], radius);
        let second = match views[0] == views[1] {
            true => first.clone(),
            false => class::classes(views[1], radius),
        };
        for (key, both) in classes.iter_mut().take(first.len()).enumerate() {
            let exchanged = class::exchanged(key as u64) as usize;
            *both = first[key] as u8 | (second[exchanged] as u8) << 4;
        }
        Tables {
            radius,
            classes,
            kinds: views.map(|view| &**KINDS[usize::from(view.restricted)]),
        }
    }
}

/// Zeros on the heap; the system hands out only the pages that are written.
fn boxed<const LENGTH: usize>() -> Box<[u8; LENGTH]> {
    let zeros = vec![0; LENGTH].into_boxed_slice().try_into();
    // The length is right, so the other way is never taken.
    zeros.unwrap_or_else(|_| Box::new([0; LENGTH]))
}
