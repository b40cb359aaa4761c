//! `tengen play`: a game at the terminal, moves typed.

use super::Sitting;
use crate::args::{GameArgs, LimitArgs};
use crate::bots::{BOTS, Bot};
use crate::clock::TimeControl;
use crate::game::{AnyGame, GameKind, Setup, Side, notation};
use crate::knowledge::ProofResult;
use crate::search::{MoveReport, Report};
use anyhow::Context;
use clap::Args;
use std::io::{BufRead, Write};
use std::time::Duration;

/// How long a hint is thought about.
const HINT_TIME: Duration = Duration::from_millis(1000);

/// The moves that a hint tells.
const HINTS: usize = 3;

const EXAMPLES: &str = "\
Examples:
  tengen play --game connect4 --level 3
  tengen play --game reversi --second            the engine begins
  tengen play --game gomoku --size 9x9 --time 2000

Moves: h8 in Gomoku (row 1 at the bottom), f5 in Reversi (row 1 at the top), the column from 1
in Connect Four. Other words: undo, hint, level N, new, moves, help, quit.";

const HELP: &str = "\
a move     h8, f5, the column 4, pass, or steal where that is played
undo       take back your last move and the answer
hint       what the engine would play, with its win rate
level N    play on against level 1 to 10, or level tengen
moves      the moves so far
new        another game
quit       the end";

/// Play at the terminal.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct PlayArgs {
    #[command(flatten)]
    game: GameArgs,
    /// The opponent: 1 to 10 [default: the engine itself]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=10))]
    level: Option<u8>,
    /// Let the opponent begin
    #[arg(long)]
    second: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Plays until the input ends or says `quit`.
///
/// # Errors
/// When the game cannot be played so, or a stream fails.
pub fn run(args: &PlayArgs, input: impl BufRead, out: &mut dyn Write) -> anyhow::Result<()> {
    let setup = args.game.setup(GameKind::Gomoku)?;
    let mut game = TerminalGame {
        sitting: sit(opponent(args.level)?, &setup, "")?,
        setup,
        person: match args.second {
            true => Side::Second,
            false => Side::First,
        },
        limits: args.limits,
        out,
    };
    game.show()?;
    game.answer()?;
    for line in input.split(b'\n') {
        let line = line?;
        if game.obey(String::from_utf8_lossy(&line).trim())? == Flow::Quit {
            return Ok(());
        }
        game.answer()?;
    }
    Ok(())
}

#[derive(PartialEq)]
enum Flow {
    Continue,
    Quit,
}

/// A game between a person and a bot.
struct TerminalGame<'a> {
    setup: Setup,
    sitting: Sitting,
    person: Side,
    limits: LimitArgs,
    out: &'a mut dyn Write,
}

impl TerminalGame<'_> {
    fn obey(&mut self, line: &str) -> anyhow::Result<Flow> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match *words {
            [] => {}
            ["quit" | "exit" | "q"] => return Ok(Flow::Quit),
            ["help" | "?"] => writeln!(self.out, "{HELP}")?,
            ["undo" | "u"] => self.undo()?,
            ["hint" | "h"] => self.hint()?,
            ["moves"] => writeln!(self.out, "{}", self.moves())?,
            ["new"] => {
                let bot = self.sitting.bot;
                self.sitting = sit(bot, &self.setup, "")?;
                self.show()?;
            }
            ["level", level] => self.set_level(level)?,
            [text] => self.play(text)?,
            _ => writeln!(self.out, "not understood; help tells what is")?,
        }
        Ok(Flow::Continue)
    }

    /// Lets the opponent move where it is its turn, and asks for the person's move.
    fn answer(&mut self) -> anyhow::Result<()> {
        while self.goes_on() && self.game().side_to_move() != self.person {
            let report = self.think()?;
            let Some(action) = report.best else { break };
            let text = notation::write(&self.setup, action);
            self.sitting.play(action)?;
            writeln!(self.out, "{} plays {text}", self.sitting.bot.name)?;
            self.show()?;
        }
        if self.goes_on() {
            write!(self.out, "{} to move: ", name(self.person))?;
        }
        Ok(self.out.flush()?)
    }

    /// A graded opponent has limits of its own.
    fn think(&mut self) -> anyhow::Result<Report> {
        let graded = self.sitting.bot.name != BOTS[0].name;
        let time = match graded {
            true => self.limits.asked_time(),
            false => self.limits.time(),
        };
        self.sitting.think(time, self.limits.playouts())
    }

    fn play(&mut self, text: &str) -> anyhow::Result<()> {
        let action = notation::parse(&self.setup, text);
        match action.filter(|&action| self.game().is_legal(action)) {
            Some(action) => {
                self.sitting.play(action)?;
                self.show()
            }
            None if self.goes_on() => Ok(writeln!(self.out, "{text} is no legal move")?),
            None => Ok(writeln!(self.out, "the game is over: undo, new or quit")?),
        }
    }

    /// Back to the last position in which the person was to move.
    fn undo(&mut self) -> anyhow::Result<()> {
        let mut taken = 0;
        while !self.game().history().is_empty() {
            self.sitting.take_back(1)?;
            taken += 1;
            if self.game().side_to_move() == self.person {
                break;
            }
        }
        match taken {
            0 => Ok(writeln!(self.out, "no move to take back")?),
            _ => self.show(),
        }
    }

    fn hint(&mut self) -> anyhow::Result<()> {
        if !self.goes_on() {
            return Ok(writeln!(self.out, "the game is over")?);
        }
        let mut adviser = sit(&BOTS[0], &self.setup, &self.moves())?;
        let report = adviser.think(TimeControl::per_move(HINT_TIME), None)?;
        for mv in report.known_moves().take(HINTS) {
            let line: Vec<String> = mv
                .pv
                .iter()
                .map(|&action| notation::write(&self.setup, action))
                .collect();
            writeln!(self.out, "{:>6}  {}", worth(mv), line.join(" "))?;
        }
        Ok(())
    }

    fn set_level(&mut self, level: &str) -> anyhow::Result<()> {
        let bot = match level {
            "tengen" => Ok(&BOTS[0]),
            _ => level
                .parse()
                .map_err(anyhow::Error::from)
                .and_then(|level| opponent(Some(level))),
        };
        match bot {
            Ok(bot) => {
                self.sitting = sit(bot, &self.setup, &self.moves())?;
                writeln!(self.out, "you play against {}", bot.name)?;
            }
            Err(_) => writeln!(self.out, "levels are 1 to 10, or tengen")?,
        }
        Ok(())
    }

    fn show(&mut self) -> anyhow::Result<()> {
        writeln!(self.out, "{}", self.game().diagram())?;
        let Some(outcome) = self.game().outcome() else {
            return Ok(());
        };
        let margin = outcome.margin(Side::First).abs();
        match outcome.winner() {
            None => writeln!(self.out, "drawn")?,
            Some(winner) if margin > 1 => {
                writeln!(self.out, "{} wins by {margin}", name(winner))?;
            }
            Some(winner) => writeln!(self.out, "{} wins", name(winner))?,
        }
        Ok(())
    }

    fn game(&self) -> &dyn AnyGame {
        self.sitting.game()
    }

    fn goes_on(&self) -> bool {
        self.game().outcome().is_none()
    }

    fn moves(&self) -> String {
        let moves = self.game().history().iter();
        let texts = moves.map(|&action| notation::write(&self.setup, action));
        texts.collect::<Vec<_>>().join(" ")
    }
}

/// A side as the board shows its stones.
fn name(side: Side) -> char {
    match side {
        Side::First => 'X',
        Side::Second => 'O',
    }
}

/// A win rate, or what is proven.
fn worth(mv: &MoveReport) -> String {
    match mv.proof.map(|proof| proof.result) {
        None => format!("{:.1} %", 100.0 * mv.mean),
        Some(ProofResult::Win) => "wins".to_owned(),
        Some(ProofResult::Draw) => "draws".to_owned(),
        Some(ProofResult::Loss) => "loses".to_owned(),
    }
}

fn opponent(level: Option<u8>) -> anyhow::Result<&'static Bot> {
    match level {
        None => Ok(&BOTS[0]),
        Some(level) => Bot::of_level(level).with_context(|| format!("there is no level {level}")),
    }
}

fn sit(bot: &'static Bot, setup: &Setup, moves: &str) -> anyhow::Result<Sitting> {
    Sitting::new(bot, setup, moves, bot.options(setup.game()))
}
