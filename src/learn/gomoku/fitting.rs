//! Fitting a net to the games of files, with steps that become smaller and smaller.
//!
//! A course has to learn from few games with large steps and forgets the oldest. A net that goes on from
//! there, with all games and ever smaller steps, plays much better, and of many games one that begins with
//! nothing better still: `docs/EXPERIMENTS.md`, Gomoku.

use super::fit::{Fitter, Sample};
use super::model::Model;
use super::origin::{Made, NetName, Nets, Origin};
use super::record::Record;
use super::recording::{self, Recorded};
use super::{compare, save};
use crate::game::{Rule, Side};
use crate::knowledge::gomoku::net::{Net, SideNets};
use crate::learn::records::gather;
use crate::learn::selfplay::random_of;
use crate::rollout::Random;
use anyhow::bail;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::Write;
use std::iter::StepBy;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How a net learns from positions, in a course and in a fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// How often a position is learned from, on average.
    pub uses: f64,
    /// Positions of a step.
    pub batch: usize,
    /// Step size of Adam at first and at last.
    pub rates: [f32; 2],
    /// Added to what Adam divides a step of a line's row by. Without it a line that is seen once makes
    /// as large a step as one that is seen in every game.
    #[serde(default)]
    pub floor: f32,
    /// Share of the newest weights in the average that plays, each time that it is taken, but for the
    /// first times.
    pub newest: f32,
    /// Weight of the search's value beside the game's result, 0..1.
    pub searched: f32,
    /// Weight of the policy's error beside the value's.
    pub policy: f32,
}

impl Training {
    /// Steps that use so many positions [`uses`](Self::uses) times.
    pub(super) fn steps(&self, positions: usize) -> usize {
        (positions as f64 * self.uses / self.batch as f64) as usize
    }

    /// The step size where `part` of the learning, 0..1, is done.
    pub(super) fn rate(&self, part: f32) -> f32 {
        let [first, last] = self.rates;
        first * libm::powf(last / first, part)
    }

    /// The share of the newest weights in an average that was taken so often before.
    pub(super) fn share(&self, averages: u64) -> f32 {
        // The first ones count alike, so that what nothing was learned for is soon forgotten.
        self.newest.max(1.0 / (1 + averages) as f32)
    }
}

/// How a net is fitted. The average is taken every [`STEPS`] steps and after the last.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitting {
    /// How it learns.
    #[serde(flatten)]
    pub training: Training,
    /// One game of so many is not learned from but used to tell how good the fit is.
    pub held_out: usize,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// Steps from one average to the next.
const STEPS: usize = 50;

impl Fitting {
    /// For a net that begins with nothing. (It won a match: `docs/EXPERIMENTS.md`, Gomoku.)
    #[must_use]
    pub fn new(seed: u64) -> Fitting {
        Fitting {
            training: Training {
                uses: 3.0,
                batch: 128,
                rates: [6e-3, 2e-4],
                floor: 1e-3,
                newest: 0.1,
                searched: 0.5,
                policy: 0.5,
            },
            held_out: 25,
            seed,
        }
    }

    /// For a net that has learned from other games, and goes on with leaves: without them it becomes worse
    /// where searches ask it. (It won its matches: `docs/EXPERIMENTS.md`, Gomoku.)
    #[must_use]
    pub fn further(seed: u64) -> Fitting {
        let usual = Fitting::new(seed);
        Fitting {
            training: Training {
                rates: [1e-3, 5e-5],
                ..usual.training
            },
            ..usual
        }
    }
}

/// A fit that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// How it was made.
    pub fitting: Fitting,
    /// The net that it began with. `None`: one that has learned nothing.
    pub from: Option<NetName>,
    /// The games, file by file.
    pub records: Vec<Recorded>,
    /// Mean cross entropies of the value and of the policy in games held out, in nats: before the fit
    /// and after each time through the others. Where each side has a net, the first side's come first.
    pub errors: Vec<[f64; 2]>,
    /// Playouts a move of the match with the net that it began with.
    pub playouts: u64,
    /// Its share of the points in that match, 0..1.
    pub score: f64,
    /// The standard error of the score.
    pub score_error: f64,
}

/// The nets of a rule that were fitted.
pub struct Fitted {
    fitted: SideNets,
    fit: Fit,
    /// The nets that this names, and those before them.
    nets: Nets,
}

impl Fitted {
    /// Writes the nets and how they were made.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn save(self, out: &Path, told: &mut dyn Write) -> anyhow::Result<()> {
        let made = Made::Fit(Box::new(self.fit));
        save(&self.fitted, made, self.nets, out, told)
    }
}

/// Fits the nets of this rule to the games of these files, beginning with `from` or with one that has
/// learned nothing, and lets both play a match with so many playouts a move. What comes of it goes to
/// `told`.
///
/// # Errors
/// When a file cannot be read or has games by another rule, or there are no games.
pub fn fit(
    from: Option<(SideNets, Origin)>,
    files: &[PathBuf],
    fitting: Fitting,
    (rule, playouts): (Rule, u64),
    threads: usize,
    told: &mut dyn Write,
) -> anyhow::Result<Fitted> {
    /// Openings of the match, each played twice.
    const PAIRS: u64 = 100;
    let (known, games) = gather(files, recording::read, told)?;
    if let Some(game) = games.iter().find(|game| game.setup.rule() != rule) {
        let other = game.setup.rule();
        bail!("these are games by the rule {other}, and not by {rule}: see --rule");
    }
    let (records, others): (Vec<_>, Vec<_>) = known.into_iter().unzip();
    let (start, from) = from.unzip();
    let (from, nets) = from.map(|it| (it.name, it.nets)).unzip();
    let nets = others.into_iter().chain(nets).flatten().collect();
    let (fitted, errors) = fit_nets(start.as_ref(), &once_each(games), rule, fitting, told)?;
    let old = start.unwrap_or_else(|| SideNets::same(Model::new(fitting.seed).net()));
    let numbers = (fitting.seed, 0..PAIRS);
    let score = compare([&fitted, &old], rule, playouts, numbers, threads);
    let (score, score_error) = (score.share(), score.error());
    writeln!(told, "{score:.3} ± {score_error:.3} against the net before")?;
    let fit = Fit {
        fitting,
        from,
        records,
        errors,
        playouts,
        score,
        score_error,
    };
    Ok(Fitted { fitted, fit, nets })
}

/// The fitted nets, and the errors as in [`Fit::errors`].
fn fit_nets(
    start: Option<&SideNets>,
    games: &[Record],
    rule: Rule,
    fitting: Fitting,
    told: &mut dyn Write,
) -> anyhow::Result<(SideNets, Vec<[f64; 2]>)> {
    let mut fit_net = |side: Option<Side>| {
        let model = match start {
            None => Model::new(fitting.seed),
            Some(nets) => Model::of(nets.of(side.unwrap_or(Side::First))),
        };
        Lesson::new(model, games, side, fitting).learn(told)
    };
    match rule {
        Rule::Renju => {
            let (first, first_errors) = fit_net(Some(Side::First))?;
            let (second, second_errors) = fit_net(Some(Side::Second))?;
            let errors = [first_errors, second_errors].concat();
            Ok((SideNets::different([first, second]), errors))
        }
        _ => {
            let (net, errors) = fit_net(None)?;
            Ok((SideNets::same(net), errors))
        }
    }
}

/// The games without those that came before, which two checkpoints of a course may share, and without the
/// leaves behind these, which were searched again.
fn once_each(mut games: Vec<Record>) -> Vec<Record> {
    let mut seen = HashSet::new();
    // Whether the last game is.
    let mut is_new = true;
    games.retain(|record| {
        let is_leaf = record.result.is_none();
        // The same leaf may come again after a game that stays.
        if is_leaf && !is_new {
            return false;
        }
        let mut bytes = Vec::new();
        record.write(&mut bytes);
        let is_first = seen.insert(bytes);
        if !is_leaf {
            is_new = is_first;
        }
        is_first
    });
    games
}

/// A net that is fitted to games.
struct Lesson<'a> {
    fitting: Fitting,
    fitter: Fitter,
    /// The average of the weights, which plays better than the last of them.
    average: Model,
    /// The positions that are learned from: plies of games and leaves.
    learned: Vec<(&'a Record, usize)>,
    held_out: Vec<Sample>,
    random: Random,
}

impl<'a> Lesson<'a> {
    fn new(model: Model, games: &'a [Record], side: Option<Side>, fitting: Fitting) -> Lesson<'a> {
        /// Positions of each game or leaf that is held out, at the most.
        const POSITIONS: usize = 8;
        let training = fitting.training;
        let mut random = random_of(fitting.seed, 0);
        let (mut learned, mut held_out) = (Vec::new(), Vec::new());
        let mut begun = 0_usize;
        for record in games {
            // Leaves come after their game, and share its lot.
            begun += usize::from(record.result.is_some());
            let number = begun.saturating_sub(1);
            let places = places(record, side);
            match number.is_multiple_of(fitting.held_out) {
                true => held_out.extend(
                    (0..POSITIONS.min(places.len()))
                        .filter_map(|_| draw(record, side, training.searched, &mut random)),
                ),
                false => learned.extend(places.map(|at| (record, at))),
            }
        }
        Lesson {
            fitting,
            average: model.clone(),
            fitter: Fitter::new(model, training),
            learned,
            held_out,
            random,
        }
    }

    /// The fitted net, and the errors before and after each time through the games.
    fn learn(mut self, told: &mut dyn Write) -> anyhow::Result<(Net, Vec<[f64; 2]>)> {
        let training = self.fitting.training;
        let positions = self.learned.len();
        let steps_of_use = positions.div_ceil(training.batch).max(1);
        let steps = training.steps(positions);
        let mut errors = vec![self.tell_errors(told)?];
        let mut averages = 0;
        for step in 1..=steps {
            self.step((step - 1) as f32 / steps as f32);
            if step.is_multiple_of(STEPS) || step == steps {
                let share = training.share(averages);
                self.average.approach(&self.fitter.model, share);
                averages += 1;
            }
            if step.is_multiple_of(steps_of_use) || step == steps {
                errors.push(self.tell_errors(told)?);
            }
        }
        Ok((self.average.net(), errors))
    }

    /// One step, where `part` of all, 0..1, is done.
    fn step(&mut self, part: f32) {
        let training = self.fitting.training;
        self.fitter.set_rate(training.rate(part));
        let Lesson {
            learned, random, ..
        } = self;
        let any = (0..training.batch).filter_map(|_| {
            let (record, at) = learned[random.random_range(0..learned.len())];
            Sample::new(record, at, &record.plies[at], training.searched)
        });
        let samples: Vec<Sample> = any.collect();
        self.fitter.step(&samples);
    }

    /// The average's errors in games held out.
    fn tell_errors(&mut self, told: &mut dyn Write) -> anyhow::Result<[f64; 2]> {
        std::mem::swap(&mut self.fitter.model, &mut self.average);
        let errors = self.fitter.errors(&self.held_out).mean();
        std::mem::swap(&mut self.fitter.model, &mut self.average);
        let (value, policy) = (errors.value, errors.policy);
        writeln!(
            told,
            "errors {value:.4} of the value, {policy:.4} of the policy"
        )?;
        Ok([value, policy])
    }
}

/// The plies of a game that are learned from: all behind the opening, or those of one side.
fn places(record: &Record, side: Option<Side>) -> StepBy<Range<usize>> {
    let first = record.opening;
    let (first, step) = match side {
        None => (first, 1),
        // The first side has the even plies.
        Some(side) => (first + (first + side.index()) % 2, 2),
    };
    (first..record.plies.len()).step_by(step)
}

/// Any position of a game in which this side is to move, if it is given; `None` where the game has none
/// to learn from.
pub(super) fn draw(
    record: &Record,
    side: Option<Side>,
    searched: f32,
    random: &mut Random,
) -> Option<Sample> {
    let mut places = places(record, side);
    let count = places.len();
    let at = (count > 0).then(|| places.nth(random.random_range(0..count)))??;
    Sample::new(record, at, &record.plies[at], searched)
}

#[cfg(test)]
mod tests {
    use super::super::record::Ply;
    use super::*;
    use crate::game::{GameKind, Setup};

    /// A game of two plies after the first one, or a leaf of it.
    fn record(result: Option<f32>) -> Record {
        let ply = |cell| Ply {
            cell,
            value: Some(0.5),
            policy: Vec::new(),
        };
        Record {
            setup: Setup::standard(GameKind::Gomoku).with_size(15, 15),
            opening: 1,
            result,
            plies: vec![ply(17), ply(40), ply(80)],
        }
    }

    #[test]
    fn a_game_that_comes_again_leaves_with_its_leaves() {
        let of_game = |cell| {
            let mut game = record(Some(1.0));
            game.plies[2].cell = cell;
            game
        };
        let leaf = |value| {
            let mut leaf = record(None);
            leaf.plies[2].value = Some(value);
            leaf
        };
        let first = vec![of_game(80), leaf(0.25), of_game(81), leaf(0.5)];
        // The last leaf was not learned from where it came first.
        let new = [of_game(82), leaf(1.0), leaf(0.75)];
        let again = [&[of_game(80), leaf(0.75)], &new[..]].concat();
        let bytes = |games: &[Record]| {
            let mut bytes = Vec::new();
            games.iter().for_each(|game| game.write(&mut bytes));
            bytes
        };
        let expected = [bytes(&first), bytes(&new)].concat();
        let games = first.into_iter().chain(again).collect();
        assert!(bytes(&once_each(games)) == expected);
    }

    #[test]
    fn few_positions_are_learned_from_as_well() {
        let fitting = Fitting::new(1);
        let games = vec![record(Some(1.0)); 60];
        let model = Model::new(1);
        let before = model.net();
        let lesson = Lesson::new(model, &games, None, fitting);
        let steps = fitting.training.steps(lesson.learned.len());
        assert!((1..STEPS).contains(&steps));
        let (net, errors) = lesson.learn(&mut Vec::new()).unwrap();
        assert!(net != before);
        assert!(errors.last() < errors.first(), "{errors:?}");
    }

    #[test]
    fn leaves_are_held_out_with_their_game() {
        let fitting = Fitting::new(1);
        let results = [Some(1.0), None, None].repeat(2 * fitting.held_out);
        let games: Vec<Record> = results.into_iter().map(record).collect();
        let lesson = Lesson::new(Model::new(1), &games, None, fitting);
        let is_learned = |record: &Record| {
            let mut learned = lesson.learned.iter();
            learned.any(|&(it, _)| std::ptr::eq(it, record))
        };
        for (number, of_game) in games.chunks(3).enumerate() {
            let expected = !number.is_multiple_of(fitting.held_out);
            assert!(
                of_game.iter().all(|it| is_learned(it) == expected),
                "{number}"
            );
        }
        assert_eq!(lesson.held_out.len(), 2 * 3 * 2);
    }
}
