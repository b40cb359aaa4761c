//! How a player of a match is named, and what that name runs.

use super::dialect::{Dialect, Fault, Gomocup, Gtp, Library, NBoard, Ugi};
use super::words;
use crate::arena::Terms;
use crate::arena::records::record::Termination;
use crate::args::{parse_setting, unknown_bot};
use crate::bots::{BOTS, Bot};
use crate::game::GameKind;
use crate::keeper;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

/// Which engine plays, as the command line names it.
///
/// * `tengen`, `random`, …: a bot of this binary, as a child process;
/// * `tengen:exploration=1.0,proofs=false`: the same with options of the options table;
/// * `./old`, `/opt/tengen:threads=2`: the bot `tengen` of another build of this program, by a path
///   with a separator in it; its options are its own;
/// * `gomocup:CMD`, `gtp:CMD`, `nboard:CMD` and `ugi:CMD`: a command line, split into words by
///   blanks, quotes and backslashes (see [`words`]); a first word `dir=DIR` is the folder that
///   it runs in;
/// * `so:PATH`: a shared library of the coursework in Connect Four, in a child process of this
///   binary (see [`crate::host`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    text: String,
    kind: EngineKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum EngineKind {
    BuiltIn {
        /// Another build of this program; `None`: this binary.
        program: Option<PathBuf>,
        bot: &'static str,
        games: &'static [GameKind],
        options: Vec<String>,
    },
    Outside {
        language: Language,
        /// Its working folder, where that is not ours.
        folder: Option<PathBuf>,
        program: PathBuf,
        arguments: Vec<String>,
    },
    Library {
        path: String,
    },
}

/// The protocol of an engine from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Gomocup's.
    Gomocup,
    /// GTP 2.
    Gtp,
    /// NBoard 2.
    NBoard,
    /// UGI.
    Ugi,
}

/// The value of the option `playouts` with which a bot is not bound by those of the match.
const UNBOUND: &str = "0";

/// What stands before the working folder of an engine, the first word of its command line.
const FOLDER: &str = "dir=";

impl Language {
    /// All of them, as they stand before the colon.
    const NAMES: [(&'static str, Language); 4] = [
        ("gomocup", Language::Gomocup),
        ("gtp", Language::Gtp),
        ("nboard", Language::NBoard),
        ("ugi", Language::Ugi),
    ];

    fn can_tell(self, game: GameKind) -> bool {
        match self {
            Language::Gomocup => game == GameKind::Gomoku,
            Language::NBoard => game == GameKind::Reversi,
            Language::Gtp | Language::Ugi => true,
        }
    }

    fn dialect(self, terms: &Terms) -> Box<dyn Dialect> {
        match self {
            Language::Gomocup => Box::new(Gomocup::new(terms)),
            Language::Gtp => Box::new(Gtp::outside(terms)),
            Language::NBoard => Box::new(NBoard::new(terms)),
            Language::Ugi => Box::new(Ugi::new(terms)),
        }
    }
}

impl EngineSpec {
    /// Whether the engine is a bot of this program, in this build or another.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        matches!(self.kind, EngineKind::BuiltIn { .. })
    }

    /// Whether it plays a game, as far as that is known before it is asked.
    #[must_use]
    pub fn can_play(&self, game: GameKind) -> bool {
        match &self.kind {
            EngineKind::BuiltIn { games, .. } => games.contains(&game),
            EngineKind::Outside { language, .. } => language.can_tell(game),
            EngineKind::Library { .. } => game == GameKind::Connect4,
        }
    }

    /// Whether the engine answers where playouts are the only limit: its protocol has a word for
    /// it that every engine knows, or the engine has limits of its own.
    #[must_use]
    pub fn obeys_playouts(&self) -> bool {
        match &self.kind {
            EngineKind::BuiltIn { .. } => self.option("playouts=") != Some(UNBOUND),
            EngineKind::Library { .. } => true,
            EngineKind::Outside { language, .. } => {
                matches!(language, Language::NBoard | Language::Ugi)
            }
        }
    }

    /// How many threads it searches with: one, where its options do not tell otherwise.
    #[must_use]
    pub fn threads(&self) -> usize {
        let told = self.option("threads=");
        told.and_then(|threads| threads.parse().ok()).unwrap_or(1)
    }

    /// Whether it thinks while the other one does, as far as its options tell.
    #[must_use]
    pub fn ponders(&self) -> bool {
        matches!(self.option("ponder="), Some("true" | "on"))
    }

    /// What follows this prefix in the last option that has it.
    fn option(&self, prefix: &str) -> Option<&str> {
        match &self.kind {
            EngineKind::BuiltIn { options, .. } => last_option(options, prefix),
            _ => None,
        }
    }

    /// The protocol and the command line of an engine from outside; `None` for what runs in a
    /// child of this binary.
    #[must_use]
    pub fn outside(&self) -> Option<(Language, Command)> {
        match &self.kind {
            EngineKind::BuiltIn { .. } | EngineKind::Library { .. } => None,
            EngineKind::Outside {
                language,
                folder,
                program,
                arguments,
            } => Some((
                *language,
                outside_command(folder.as_deref(), program, arguments),
            )),
        }
    }

    pub(super) fn command(&self, terms: &Terms, seed: u64) -> io::Result<Command> {
        match &self.kind {
            EngineKind::BuiltIn {
                program,
                bot,
                options,
                ..
            } => {
                let program = program.clone().map_or_else(std::env::current_exe, Ok)?;
                Ok(built_in_command(&program, bot, options, terms, seed))
            }
            EngineKind::Outside {
                folder,
                program,
                arguments,
                ..
            } => {
                let mut command = keeper::kept(program);
                command.args(arguments);
                run_in(&mut command, folder.as_deref());
                Ok(command)
            }
            EngineKind::Library { path } => host_command(path, terms),
        }
    }

    /// This program can be started, unless the machine does not let us.
    pub(super) fn cannot_start(&self, error: &io::Error) -> Fault {
        let short = [io::ErrorKind::OutOfMemory, io::ErrorKind::WouldBlock];
        let reason = match &self.kind {
            EngineKind::Outside { .. }
            | EngineKind::BuiltIn {
                program: Some(_), ..
            } if !short.contains(&error.kind()) => Termination::Crash,
            _ => Termination::Host,
        };
        Fault::new(reason, format!("cannot start {self}: {error}"))
    }

    /// This program begins a game, unless the machine does not let it: no thread, no memory.
    pub(super) fn cannot_begin(&self, fault: Fault) -> Fault {
        match &self.kind {
            EngineKind::BuiltIn { program: None, .. } => {
                Fault::new(Termination::Host, format!("{self}: {}", fault.detail))
            }
            _ => fault,
        }
    }

    pub(super) fn dialect(&self, terms: &Terms) -> Box<dyn Dialect> {
        match &self.kind {
            EngineKind::BuiltIn { .. } => Box::new(Gtp::configured(terms)),
            EngineKind::Outside { language, .. } => language.dialect(terms),
            EngineKind::Library { .. } => Box::new(Library::new(terms)),
        }
    }
}

/// What follows this prefix in the last option that has it.
fn last_option<'a>(options: &'a [String], prefix: &str) -> Option<&'a str> {
    let mut told = options.iter().rev();
    told.find_map(|option| option.strip_prefix(prefix))
}

fn outside_command(folder: Option<&Path>, program: &Path, arguments: &[String]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    run_in(&mut command, folder);
    command
}

fn run_in(command: &mut Command, folder: Option<&Path>) {
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
}

/// This binary with a library, which sees only what of the environment is meant for Tengen's own.
fn host_command(path: &str, terms: &Terms) -> io::Result<Command> {
    let time = Library::time(terms);
    let environment = std::env::vars_os();
    let own = environment.filter(|(name, _)| name.to_string_lossy().starts_with("TENGEN_"));
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["host", "--time", &time.as_millis().to_string()]);
    command.args(terms.hosting.arguments()).args(["--", path]);
    command.env_clear().envs(own);
    Ok(command)
}

/// This program speaking GTP, with everything it has to know in its arguments.
fn built_in_command(
    program: &Path,
    bot: &str,
    options: &[String],
    terms: &Terms,
    seed: u64,
) -> Command {
    let unbound = last_option(options, "playouts=") == Some(UNBOUND);
    let mut command = Command::new(program);
    command
        .args(["--protocol", "gtp", "--threads", "1"])
        .args(["--game", terms.setup.game().name()])
        .args(["--bot", bot, "--seed", &seed.to_string()]);
    for (name, value) in terms.setup.unusual_terms() {
        command.arg(format!("--{name}"));
        // What is granted or not is a flag.
        command.args(Some(value).filter(|value| value != "true"));
    }
    if let Some(time) = terms.time.per_move {
        command.args(["--time", &time.as_millis().to_string()]);
    }
    if let Some(playouts) = terms.playouts.filter(|_| !unbound) {
        command.args(["--playouts", &playouts.to_string()]);
    }
    if let Some(depth) = terms.depth {
        command.args(["--set", &format!("depth={depth}")]);
    }
    for option in options {
        command.args(["--set", option]);
    }
    command
}

impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Why a text names no engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineSpecError {
    /// No command follows the name of a protocol, or its quotes are not closed.
    #[error("{0:?} is no command: words are expected, with quotes closed")]
    Command(String),
    /// Libraries are not loaded on this system.
    #[error("libraries are loaded on Linux only")]
    Library,
    /// There is no such program.
    #[error("there is no program {0}")]
    Program(String),
    /// Neither a bot's name nor a command line.
    #[error(
        "{}; or gomocup:CMD, gtp:CMD, nboard:CMD, ugi:CMD, so:PATH, ./OTHER-TENGEN",
        unknown_bot(.0)
    )]
    Name(String),
    /// An option that the table of options does not allow so.
    #[error("{0}")]
    Option(String),
}

impl FromStr for EngineSpec {
    type Err = EngineSpecError;

    fn from_str(text: &str) -> Result<Self, EngineSpecError> {
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let language = Language::NAMES.iter().find(|(other, _)| *other == name);
        let kind = match (language, rest) {
            (Some(&(_, language)), Some(line)) => outside(language, line)?,
            (None, Some(path)) if name == "so" => library(path)?,
            _ if is_path(text) => other_build(text)?,
            (_, Some(options)) => built_in(name, options.split(','))?,
            (_, None) => built_in(name, std::iter::empty())?,
        };
        let text = text.to_owned();
        Ok(EngineSpec { text, kind })
    }
}

fn outside(language: Language, line: &str) -> Result<EngineKind, EngineSpecError> {
    let mut words = words::split(line)
        .unwrap_or_default()
        .into_iter()
        .peekable();
    let folder = words.next_if(|word| word.starts_with(FOLDER));
    let folder = folder.map(|word| PathBuf::from(&word[FOLDER.len()..]));
    let program = words.next().filter(|program| !program.is_empty());
    let program = program.ok_or_else(|| EngineSpecError::Command(line.to_owned()))?;
    Ok(EngineKind::Outside {
        language,
        program: located(folder.as_deref(), program),
        folder,
        arguments: words.collect(),
    })
}

/// A path of a program is one from its working folder. A bare name is looked for by the system.
fn located(folder: Option<&Path>, program: String) -> PathBuf {
    let is_path = program.contains(std::path::is_separator);
    match folder.filter(|_| is_path) {
        Some(folder) => std::path::absolute(folder.join(&program)).unwrap_or(program.into()),
        None => program.into(),
    }
}

fn library(path: &str) -> Result<EngineKind, EngineSpecError> {
    if path.is_empty() {
        return Err(EngineSpecError::Command(path.to_owned()));
    }
    if !cfg!(target_os = "linux") {
        return Err(EngineSpecError::Library);
    }
    let path = path.to_owned();
    Ok(EngineKind::Library { path })
}

fn built_in<'a>(
    name: &str,
    options: impl Iterator<Item = &'a str>,
) -> Result<EngineKind, EngineSpecError> {
    let bot = Bot::find(name).ok_or_else(|| EngineSpecError::Name(name.to_owned()))?;
    let options = options.map(checked_option).collect::<Result<_, _>>()?;
    Ok(EngineKind::BuiltIn {
        program: None,
        bot: bot.name,
        games: bot.games,
        options,
    })
}

/// Whether a separator stands in the text before any option.
fn is_path(text: &str) -> bool {
    let path = text.split('=').next().unwrap_or_default();
    path.contains(std::path::is_separator)
}

/// The last colon before the first option parts the path from the options, which only the other
/// build can check.
fn other_build(text: &str) -> Result<EngineKind, EngineSpecError> {
    let colon = text.find('=').and_then(|equals| text[..equals].rfind(':'));
    let (path, options) = match colon {
        Some(colon) => (&text[..colon], &text[colon + 1..]),
        None => (text, ""),
    };
    if !Path::new(path).is_file() {
        return Err(EngineSpecError::Program(path.to_owned()));
    }
    let options = options.split(',').filter(|option| !option.is_empty());
    Ok(EngineKind::BuiltIn {
        program: Some(path.into()),
        bot: BOTS[0].name,
        games: BOTS[0].games,
        options: options.map(str::to_owned).collect(),
    })
}

fn checked_option(text: &str) -> Result<String, EngineSpecError> {
    let (name, value) = parse_setting(text).map_err(EngineSpecError::Option)?;
    Ok(format!("{name}={value}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TimeControl;
    use crate::game::{Connect4Rules, Point, Setup};
    use std::time::Duration;

    fn arguments(text: &str, terms: &Terms) -> Vec<String> {
        let spec: EngineSpec = text.parse().unwrap();
        let command = spec.command(terms, 7).unwrap();
        let words = command.get_args();
        words
            .map(|word| word.to_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn a_built_in_bot_gets_everything_as_arguments() {
        let setup = Setup::standard(GameKind::Connect4)
            .with_size(9, 10)
            .with(Connect4Rules {
                hole: Some(Point { col: 3, row: 4 }),
                connect: 5,
                steal: true,
            });
        let terms = Terms {
            time: TimeControl::per_move(Duration::from_millis(50)),
            playouts: Some(1000),
            ..Terms::new(setup)
        };
        let expected = "--protocol gtp --threads 1 --game connect4 --bot connect4-uct --seed 7 \
                        --size 9x10 --hole 3,4 --connect 5 --steal --time 50 --playouts 1000 \
                        --set exploration=1.0 --set fpu=0.5";
        assert_eq!(
            arguments("connect4-uct:exploration=1.0,fpu=0.5", &terms).join(" "),
            expected
        );
        let unbound = "connect4-uct:playouts=9,playouts=0";
        assert!(!arguments(unbound, &terms).contains(&"--playouts".to_owned()));
        let obeys = |text: &str| text.parse::<EngineSpec>().unwrap().obeys_playouts();
        assert!(obeys("uct:playouts=9") && !obeys(unbound));
        let deep = Terms {
            depth: Some(6),
            ..terms
        };
        assert!(
            arguments("alphabeta", &deep)
                .join(" ")
                .contains("--set depth=6")
        );
    }

    #[test]
    fn a_command_line_is_split_into_words() {
        let terms = Terms::new(Setup::standard(GameKind::Gomoku));
        let line = r#"gomocup:"/a b/engine" -x 'c d' e\ f"#;
        assert_eq!(arguments(line, &terms), ["-x", "c d", "e f"]);
        let spec: EngineSpec = line.parse().unwrap();
        assert!(spec.can_play(GameKind::Gomoku) && !spec.can_play(GameKind::Reversi));
        assert_eq!(spec.to_string(), line);
    }

    #[test]
    fn a_path_of_windows_keeps_its_backslashes() {
        let terms = Terms::new(Setup::standard(GameKind::Gomoku));
        let spec: EngineSpec = r"gomocup:C:\x\y.exe C:\z".parse().unwrap();
        let command = spec.command(&terms, 7).unwrap();
        assert_eq!(command.get_program(), r"C:\x\y.exe");
        assert!(command.get_args().eq([r"C:\z"]));
    }

    #[test]
    fn the_last_option_tells_what_an_engine_takes() {
        let threads = |text: &str| text.parse::<EngineSpec>().unwrap().threads();
        assert_eq!(threads("tengen"), 1);
        assert_eq!(threads("tengen:threads=2,fpu=0.5,threads=4"), 4);
        assert_eq!(threads("gtp:engine threads=8"), 1);
        let ponders = |text: &str| text.parse::<EngineSpec>().unwrap().ponders();
        assert!(ponders("tengen:ponder=on"));
        assert!(!ponders("tengen:ponder=on,ponder=false"));
    }

    #[test]
    fn another_build_is_a_path() {
        let own = std::env::current_exe().unwrap();
        let path = own.display();
        let spec = |text: String| text.parse::<EngineSpec>().unwrap();
        let quick = spec(format!("{path}:threads=2,new-option=a:b/c"));
        assert_eq!((quick.threads(), quick.is_built_in()), (2, true));
        let terms = Terms::new(Setup::standard(GameKind::Reversi));
        let command = quick.command(&terms, 7).unwrap();
        assert_eq!(command.get_program(), own.as_os_str());
        let words: Vec<_> = command.get_args().collect();
        assert_eq!(words[..2], ["--protocol", "gtp"]);
        assert_eq!(words[words.len() - 2..], ["--set", "new-option=a:b/c"]);
        let bare = spec(path.to_string());
        assert_eq!(
            bare.command(&terms, 7).unwrap().get_program(),
            own.as_os_str()
        );
        assert!(bare.can_play(GameKind::Connect4));
        let missing = "./nothing:threads=2".parse::<EngineSpec>();
        let error = EngineSpecError::Program("./nothing".to_owned());
        assert_eq!(missing, Err(error));
    }

    #[test]
    fn what_names_no_engine_is_refused() {
        for text in [
            "",
            "-x",
            "./engine",
            "Tengen",
            "nobody",
            "tengen:",
            "tengen:c",
            "tengen:=1",
            "tengen:nothing=1",
            "gtp:",
            "ugi",
            "nboard: ",
            "so:",
            "gtp:'a",
        ] {
            assert!(text.parse::<EngineSpec>().is_err(), "{text}");
        }
    }
}
