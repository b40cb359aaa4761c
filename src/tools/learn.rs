//! `tengen learn`: learns the weights of an evaluation from self-play.

use crate::arena::records::replacement::{Replacement, has_content, is_same};
use crate::game::{GameKind, Rule};
use crate::knowledge::reversi::net::Net;
use crate::knowledge::reversi::patterns::Patterns;
use crate::learn::course::Job;
use crate::learn::records::Order;
use crate::learn::reversi::{
    Fitting, Known, Lessons, NetFitting, Parameters, fit, fit_net, record,
};
use crate::learn::{checkpoint, gomoku};
use anyhow::{Context, bail};
use clap::Args;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  tengen learn reversi --games 2000 --out quick.bin
  tengen learn reversi --games 1500000 --threads 2 --out first.bin
  tengen learn reversi --from first.bin --games 500000 --depth 3 --record some.games
  tengen learn reversi --from first.bin --games 500000 --depth 3 --seed 2 --record more.games
  tengen learn reversi --from first.bin --fit some.games --fit more.games --out second.bin
  tengen learn reversi --from second.bin --fit even-more.games --net --out net.bin
  tengen learn gomoku --games 60000 --playouts 64 --out net.bin
  tengen learn gomoku --from net.bin --games 20000 --playouts 800 --leaves 6 --record some.games
  tengen learn gomoku --from net.bin --again some.games --playouts 1600 --record better.games
  tengen learn gomoku --from net.bin --fit some.games --fit net.bin.partial --out better.bin

Weights begin with a course of games in which the program learns from each game before the next. Then
games can be recorded with the same weights, on several machines if they have seeds of their own, and
new weights be fitted to them all; with --net, what is fitted is the net that corrects the weights, and
games are recorded with it.

FILE has the best weights so far, and FILE with the ending .json says how they were made: every
parameter, what they began with, how far values are from results in games not learned from, and how
each generation played against the best before: a tenth of the games, in Gomoku a quarter and 5000 at
the most. Both are written after each generation that does not lose, and at the end. What a course needs
to go on is kept in FILE.partial: with --resume and the same arguments it goes on from there, even after
a crash, and so do records. Without it nothing begins where one of these files is there already, unless
--force is given.
The number of threads does not change what is learned.";

/// Learn the weights of an evaluation from self-play.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct LearnArgs {
    /// reversi or gomoku
    #[arg(value_name = "GAME")]
    game: GameKind,
    /// Games of self-play
    #[arg(long, value_name = "N", default_value = "1500000", value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Reversi: plies that the players look ahead [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=12))]
    depth: Option<u32>,
    /// Gomoku: playouts a move [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    playouts: Option<u64>,
    /// Gomoku: with the games, record so many of the positions that each search judged, searched on their own
    /// with half of the playouts, and 400 at the most. A fit that goes on from a net needs them [default: 0]
    #[arg(long, value_name = "N", requires = "record")]
    leaves: Option<u32>,
    /// Gomoku: play nothing, but record the games of this file with its leaves searched again, with as many
    /// playouts as a move has, where they were not decided
    #[arg(long, value_name = "FILE", requires = "record", conflicts_with_all = ["games", "leaves", "rule", "seed"])]
    again: Option<PathBuf>,
    /// Gomoku: the rule of the games [default: freestyle]
    #[arg(long, value_name = "RULE")]
    rule: Option<Rule>,
    /// Begin with these weights, whose .json lies beside them, instead of none. In Gomoku a fit then takes
    /// smaller steps
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Learn nothing, but write the games to this file
    #[arg(long, value_name = "FILE", requires = "from", conflicts_with = "out")]
    record: Option<PathBuf>,
    /// Play nothing, but fit the weights to the games of this file; may be given again. In Gomoku it may
    /// be what a course keeps
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "games", "depth", "resume"])]
    fit: Vec<PathBuf>,
    /// Reversi: what a weight was before a fit counts as much as so many positions [default: 10]
    #[arg(long, value_name = "N", requires = "fit", conflicts_with_all = ["net", "record", "games", "depth", "resume"])]
    inertia: Option<u32>,
    /// Reversi: fit the net that corrects the weights, not the weights; or record games in which this
    /// program's net corrects them
    #[arg(long, requires = "from")]
    net: bool,
    /// Where to write the weights
    #[arg(long, value_name = "FILE", default_value = "weights.bin")]
    out: PathBuf,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Threads; a net is fitted by one
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Go on with the same work where it stopped
    #[arg(long)]
    resume: bool,
    /// Replace the weights or games of earlier work
    #[arg(long, conflicts_with = "resume")]
    force: bool,
}

impl LearnArgs {
    /// The file to be written, of weights or games.
    fn written(&self) -> &Path {
        self.record.as_ref().unwrap_or(&self.out)
    }

    /// The rule of games of Gomoku, and their playouts a move.
    fn kind(&self) -> (Rule, u64) {
        let rule = self.rule.unwrap_or(Rule::Freestyle);
        (rule, self.playouts.unwrap_or(100))
    }

    /// The plies that players of Reversi look ahead.
    fn depth(&self) -> u32 {
        self.depth.unwrap_or(1)
    }
}

/// Learns weights and writes them, or games. Progress goes to `told`.
///
/// # Errors
/// When nothing can be learned in that game, a file cannot be read or written, or would be lost.
pub fn run(args: &LearnArgs, told: &mut dyn Write) -> anyhow::Result<()> {
    let learn = match args.game {
        GameKind::Gomoku => learn_gomoku,
        GameKind::Reversi => learn_reversi,
        game => bail!("{game} has no weights to be learned: gomoku or reversi"),
    };
    refuse_options_of_others(args)?;
    keep_earlier_work(args)?;
    Replacement::check(args.written())?;
    learn(args, told)
}

/// Refuses options that the game does not have.
fn refuse_options_of_others(args: &LearnArgs) -> anyhow::Result<()> {
    let of_gomoku = [
        ("--playouts", args.playouts.is_some()),
        ("--leaves", args.leaves.is_some()),
        ("--again", args.again.is_some()),
        ("--rule", args.rule.is_some()),
    ];
    let of_reversi = [
        ("--depth", args.depth.is_some()),
        ("--inertia", args.inertia.is_some()),
        ("--net", args.net),
    ];
    let (game, others) = match args.game {
        GameKind::Gomoku => (GameKind::Reversi, &of_reversi[..]),
        _ => (GameKind::Gomoku, &of_gomoku[..]),
    };
    match others.iter().find(|(_, given)| *given) {
        Some((option, _)) => bail!("{option} is for {game} alone"),
        None => Ok(()),
    }
}

/// Refuses to write over hours of work, unless that is asked for, and weights where their sidecar goes.
fn keep_earlier_work(args: &LearnArgs) -> anyhow::Result<()> {
    let out = args.written();
    let partial = checkpoint::path_of(out);
    // Nothing stands beside games.
    let sidecar = args.record.is_none().then(|| checkpoint::sidecar_of(out));
    // Some file systems take capitals for the same letters.
    let is_json = |ending: &OsStr| ending.eq_ignore_ascii_case("json");
    if sidecar.is_some() && out.extension().is_some_and(is_json) {
        bail!(
            "{}: the ending is that of the file that says how weights were made; they need another",
            out.display()
        );
    }
    let read = args.fit.iter().chain(&args.again);
    if let Some(file) = read.into_iter().find(|file| is_same(file, out)) {
        bail!("{} cannot be read and written over", file.display());
    }
    let goes_on = args.record.is_some() || has_content(&partial);
    let written = [Some(out), Some(partial.as_path()), sidecar.as_deref()];
    let earlier = written.into_iter().flatten().find(|file| has_content(file));
    match earlier {
        Some(file) if args.resume && !goes_on => bail!(
            "{} is there, but not {}, from where a course would go on",
            file.display(),
            partial.display()
        ),
        Some(file) if !args.resume && !args.force => bail!(
            "{} is there: --resume goes on with a course or games, --force replaces it",
            file.display()
        ),
        _ => Ok(()),
    }
}

fn learn_gomoku(args: &LearnArgs, told: &mut dyn Write) -> anyhow::Result<()> {
    let threads = args.threads as usize;
    let from = args.from.as_ref().map(|path| gomoku::load(path));
    let from = from.transpose()?;
    let kind @ (rule, playouts) = args.kind();
    if let Some(file) = &args.record {
        let by = from.context("games are played by a net")?;
        let order = order(args, file);
        return match &args.again {
            Some(earlier) => gomoku::recording::record_again(earlier, by, playouts, order, told),
            None => {
                let leaves = args.leaves.unwrap_or(0);
                gomoku::recording::record(by, kind, leaves, order, told)
            }
        };
    }
    if !args.fit.is_empty() {
        let fitting = match &from {
            None => gomoku::Fitting::new(args.seed),
            Some(_) => gomoku::Fitting::further(args.seed),
        };
        let fitted = gomoku::fitting::fit(from, &args.fit, fitting, kind, threads, told)?;
        return fitted.save(&args.out, told);
    }
    let mut parameters = gomoku::Parameters::new(args.games, args.seed, rule, playouts);
    let (start, origin) = from.unzip();
    let (name, nets) = origin.map(|it| (it.name, it.nets)).unzip();
    parameters.from = name;
    let lessons = gomoku::Lessons {
        parameters,
        rule,
        start,
        nets: nets.unwrap_or_default(),
        job: job(args, &args.out),
    };
    lessons.run(told)
}

/// The games to be recorded, whose title is not known yet.
fn order<'a>(args: &LearnArgs, out: &'a Path) -> Order<'a> {
    Order {
        title: String::new(),
        seed: args.seed,
        games: args.games,
        job: job(args, out),
    }
}

fn job<'a>(args: &LearnArgs, out: &'a Path) -> Job<'a> {
    Job {
        threads: args.threads as usize,
        out,
        resume: args.resume,
    }
}

fn learn_reversi(args: &LearnArgs, told: &mut dyn Write) -> anyhow::Result<()> {
    let threads = args.threads as usize;
    let from = args.from.as_ref().map(|path| Known::load(path));
    let from = from.transpose()?;
    if let Some(file) = &args.record {
        let by = from.context("games are played by weights")?;
        let net = args.net.then(Net::own);
        let net = net.map(|own| own.context("this program was built without a net"));
        let net = net.transpose()?;
        return record(by, net, args.depth(), order(args, file), told);
    }
    if args.net {
        if args.fit.is_empty() {
            bail!("--net fits a net to games (--fit), or records games with it (--record)");
        }
        let corrected = from.context("a net corrects weights")?;
        let fitted = fit_net(corrected, &args.fit, NetFitting::new(args.seed), told)?;
        return fitted.save(&args.out);
    }
    if !args.fit.is_empty() {
        let fitted = fit(
            from,
            &args.fit,
            Fitting::new(args.seed, args.inertia.unwrap_or(10)),
            threads,
            told,
        )?;
        return fitted.save(&args.out);
    }
    let mut parameters = Parameters::new(args.games, args.seed, args.depth());
    let start = match from {
        Some(known) => {
            parameters.from = Some(Box::new(known.sidecar));
            known.patterns
        }
        None => Patterns::blank(),
    };
    let lessons = Lessons {
        parameters,
        start,
        job: job(args, &args.out),
    };
    lessons.run(told)
}
