//! Every transcript in `protocol.md` is what the protocols really answer. No engine is behind:
//! the transcript says what the search finds.

use crate::common::{Follower, Snapshot};
use std::time::Duration;
use tengen::clock::TimeControl;
use tengen::game::{GameKind, Setup, notation};
use tengen::protocol::botzone::Mode;
use tengen::protocol::{self, Defaults, Protocol, ProtocolKind, Request};
use tengen::search::{MoveReport, Report};
use tengen::session::{Allowance, Event};

const PAGE: &str = include_str!("../protocol.md");

/// The command line that the page assumes.
const TIME: TimeControl = TimeControl {
    per_move: Some(Duration::from_secs(5)),
    left: None,
    increment: Duration::ZERO,
    moves_to_go: None,
};

/// A fenced block of the page.
struct Transcript {
    protocol: protocol::ProtocolKind,
    setup: Setup,
    /// The lines with their numbers in the page.
    lines: Vec<(usize, &'static str)>,
}

fn transcripts() -> Vec<Transcript> {
    let mut found: Vec<Transcript> = Vec::new();
    let mut inside = false;
    for (index, line) in PAGE.lines().enumerate() {
        if let Some(header) = line.strip_prefix("```transcript ") {
            let words: Vec<&str> = header.split_whitespace().collect();
            found.push(Transcript {
                protocol: words[0].parse().unwrap(),
                setup: setup(&words[1..]),
                lines: Vec::new(),
            });
            inside = true;
        } else if line.starts_with("```") {
            inside = false;
        } else if let Some(transcript) = found.last_mut().filter(|_| inside) {
            transcript.lines.push((index + 1, line));
        }
    }
    found
}

/// Reads `gomoku 15x15 exact` or `connect4 7x6 hole 3,4`: the game, then its size and its rule
/// or forbidden cell if they are not the usual ones.
fn setup(words: &[&str]) -> Setup {
    let game: GameKind = words[0].parse().unwrap();
    let mut setup = Setup::standard(game);
    let mut words = words[1..].iter();
    while let Some(word) = words.next() {
        if let Some((cols, rows)) = word.split_once('x') {
            setup = setup.with_size(cols.parse().unwrap(), rows.parse().unwrap());
        } else if *word == "hole" {
            setup = setup.with_term("hole", words.next().unwrap()).unwrap();
        } else {
            setup = setup.with_term("rule", word).unwrap();
        }
    }
    setup
}

/// Plays a transcript and says where it differs from what is answered.
fn differences(transcript: &Transcript) -> Vec<String> {
    let defaults = Defaults {
        setup: transcript.setup,
        time: TIME,
        playouts: None,
    };
    let mut protocol = protocol::open(transcript.protocol, defaults).unwrap();
    let mut follower = Follower::new(&transcript.setup);
    let mut differences = Vec::new();
    let mut lines = transcript.lines.as_slice();
    while let [(number, said), rest @ ..] = lines {
        let is_reply = |line: &&(usize, &str)| line.1.starts_with(['<', ':']);
        let count = rest.iter().take_while(is_reply).count();
        let (replies, rest) = rest.split_at(count);
        lines = rest;

        let before = protocol.board().setup();
        let (answers, requests) = say(&mut *protocol, said);
        if lines
            .first()
            .is_some_and(|(_, next)| next.starts_with("! refused "))
        {
            // The loop writes the refusal instead of these answers.
            continue;
        }
        requests.iter().for_each(|request| follower.obey(request));
        let expected: Vec<String> = marked(replies, '<')
            .map(|line| line.replace("VERSION", env!("CARGO_PKG_VERSION")))
            .collect();
        if answers != expected {
            differences.push(format!(
                "line {number}: {said}\n  expected {expected:#?}\n  got {answers:#?}"
            ));
        }
        let expected: Vec<&str> = marked(replies, ':').collect();
        let mut setup = before;
        let mut described = |request: &Request| {
            if let Request::NewGame(next) | Request::Position { setup: next, .. } = request {
                setup = *next;
            }
            describe(&setup, request)
        };
        let requests: Vec<String> = requests.iter().map(&mut described).collect();
        if !expected.is_empty() && requests != expected {
            differences.push(format!(
                "line {number}: {said}\n  expected {expected:#?}\n  asked {requests:#?}"
            ));
        }
        assert_eq!(
            Snapshot::of(protocol.board()),
            Snapshot::of(&*follower.game),
            "line {number}: the session's board is not the protocol's"
        );
    }
    differences
}

fn marked<'a>(lines: &'a [(usize, &'a str)], mark: char) -> impl Iterator<Item = &'a str> {
    lines.iter().filter_map(move |(_, line)| {
        let text = line.strip_prefix(mark)?;
        Some(text.strip_prefix(' ').unwrap_or(text))
    })
}

/// Does what a line of a transcript tells: `> line`, `! best …`, `! found …`, `! refused …`, `! file …`,
/// `! no file …`.
fn say(protocol: &mut dyn Protocol, said: &str) -> (Vec<String>, Vec<Request>) {
    let mut answers = Vec::new();
    let setup = protocol.board().setup();
    let requests = if said == ">" {
        protocol.feed("", &mut answers)
    } else if let Some(line) = said.strip_prefix("> ") {
        protocol.feed(&unescape(line), &mut answers)
    } else if let Some(found) = said.strip_prefix("! best ") {
        protocol.render(&Event::Best(report(&setup, found)), &mut answers)
    } else if let Some(found) = said.strip_prefix("! found ") {
        protocol.render(&Event::Info(report(&setup, found)), &mut answers)
    } else if let Some(text) = said.strip_prefix("! file ") {
        protocol.hear_file(Ok(text.to_owned()), &mut answers)
    } else if let Some(reason) = said.strip_prefix("! no file ") {
        protocol.hear_file(Err(reason.to_owned()), &mut answers)
    } else if let Some(reason) = said.strip_prefix("! refused ") {
        protocol.refuse(reason, &mut answers);
        Default::default()
    } else {
        panic!("not a line of a transcript: {said:?}");
    };
    (answers, requests.into_vec())
}

/// `\xNN` is the character with this code.
fn unescape(line: &str) -> String {
    let mut pieces = line.split("\\x");
    let mut text = pieces.next().unwrap().to_owned();
    for piece in pieces {
        text.push(char::from(u8::from_str_radix(&piece[..2], 16).unwrap()));
        text.push_str(&piece[2..]);
    }
    text
}

/// Reads `none`, or `h8 visits 1200 value 0.53 pv h8 i9, g7 visits 300 value 0.48`. Found in
/// one second.
fn report(setup: &Setup, text: &str) -> Report {
    if text == "none" {
        return Report::of_move(None, 0.5);
    }
    let moves: Vec<MoveReport> = text.split(", ").map(|it| move_report(setup, it)).collect();
    Report {
        best: Some(moves[0].action),
        value: moves[0].mean,
        playouts: moves.iter().map(|it| it.visits).sum(),
        visits: moves.iter().map(|it| it.visits).sum(),
        depth: moves[0].pv.len() as u32,
        elapsed: Duration::from_secs(1),
        moves,
        ..Report::default()
    }
}

fn move_report(setup: &Setup, text: &str) -> MoveReport {
    let parse = |text: &str| notation::parse(setup, text).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    let action = parse(words[0]);
    let (visits, mean, pv) = match words[1..] {
        [] => (0, 0.5, vec![action]),
        ["visits", visits, "value", value] => (
            visits.parse().unwrap(),
            value.parse().unwrap(),
            vec![action],
        ),
        ["visits", visits, "value", value, "pv", ref pv @ ..] => (
            visits.parse().unwrap(),
            value.parse().unwrap(),
            pv.iter().map(|text| parse(text)).collect(),
        ),
        _ => panic!("not a report: {text:?}"),
    };
    MoveReport {
        action,
        visits,
        mean,
        proof: None,
        score: None,
        pv,
    }
}

/// A request as the page writes it.
fn describe(setup: &Setup, request: &Request) -> String {
    match request {
        Request::NewGame(setup) => new_game(setup),
        Request::Position {
            setup,
            stones,
            to_move,
        } => {
            let count = stones.len();
            format!("{}, {count} stones, {to_move:?} to move", new_game(setup))
        }
        Request::Play(action) => format!("play {}", notation::write(setup, *action)),
        Request::Undo => "undo".to_owned(),
        Request::Think(Allowance {
            time,
            playouts,
            report_every,
        }) => {
            let mut text = "think".to_owned();
            let mut add = |what: &str, time: Option<Duration>| {
                if let Some(time) = time.filter(|time| what != "increment" || !time.is_zero()) {
                    text.push_str(&format!(", {what} {time:?}"));
                }
            };
            add("move", time.per_move);
            add("left", time.left);
            add("increment", Some(time.increment));
            add("report every", *report_every);
            if let Some(moves) = time.moves_to_go {
                text.push_str(&format!(", moves {moves}"));
            }
            if let Some(playouts) = playouts {
                text.push_str(&format!(", playouts {playouts}"));
            }
            text
        }
        Request::Clear => "clear".to_owned(),
        Request::Stop => "stop".to_owned(),
        Request::Abort => "abort".to_owned(),
        Request::Set { name, value } => format!("set {name} {value}"),
        Request::Bot { name } => format!("bot {name}"),
        Request::Read(path) => format!("read {}", path.display()),
        Request::Write { path, .. } => format!("write {}", path.display()),
        Request::Quit => "quit".to_owned(),
    }
}

fn new_game(setup: &Setup) -> String {
    let Setup { cols, rows, .. } = setup;
    match setup.game() {
        GameKind::Gomoku => format!("new game {cols}x{rows} {}", setup.rule()),
        GameKind::Connect4 if setup.connect4().steal => format!("new game {cols}x{rows} steal"),
        GameKind::Reversi | GameKind::Connect4 => format!("new game {cols}x{rows}"),
    }
}

#[test]
fn the_transcripts_are_true() {
    let transcripts = transcripts();
    assert!(transcripts.len() > 10, "the page is not read");
    let differences: Vec<String> = transcripts.iter().flat_map(differences).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn every_command_is_shown() {
    for kind in protocol::ProtocolKind::ALL {
        let commands: &[&str] = match kind {
            protocol::ProtocolKind::Gomocup => &protocol::gomocup::COMMANDS,
            protocol::ProtocolKind::Gtp => &protocol::gtp::COMMANDS,
            protocol::ProtocolKind::NBoard => &protocol::nboard::COMMANDS,
            protocol::ProtocolKind::Ugi => &protocol::ugi::COMMANDS,
            // Its messages do not begin with a word.
            protocol::ProtocolKind::Botzone(_) => &[],
            protocol::ProtocolKind::Riddles => &protocol::riddles::COMMANDS,
            // Its lines are numbers and boards.
            protocol::ProtocolKind::CodinGame => &[],
            // Its messages are objects, not words.
            protocol::ProtocolKind::Saiblo | protocol::ProtocolKind::Web => &[],
        };
        let transcripts = transcripts();
        let words: Vec<&str> = transcripts
            .iter()
            .filter(|transcript| transcript.protocol == kind)
            .flat_map(|transcript| &transcript.lines)
            .filter_map(|(_, line)| line.strip_prefix("> "))
            .flat_map(str::split_whitespace)
            .collect();
        assert!(!words.is_empty(), "{kind} is not shown");
        for command in commands {
            assert!(words.contains(command), "{kind}: {command} is not shown");
        }
    }
}

#[test]
fn every_word_of_the_page_is_shown() {
    let transcripts = transcripts();
    let web = |it: &&Transcript| it.protocol == ProtocolKind::Web;
    let lines = transcripts.iter().filter(web).flat_map(|it| &it.lines);
    let said: Vec<_> = lines
        .filter_map(|(_, line)| line.strip_prefix("> "))
        .collect();
    for word in protocol::web::COMMANDS {
        let begins = format!("{{\"do\":\"{word}\"");
        let shown = said.iter().any(|line| line.starts_with(&begins));
        assert!(shown, "{word} is not shown");
    }
}

#[test]
fn messages_of_saiblo_are_as_long_as_they_say() {
    let transcripts = transcripts();
    let saiblo = |it: &&Transcript| it.protocol == protocol::ProtocolKind::Saiblo;
    let lines = transcripts.iter().filter(saiblo).flat_map(|it| &it.lines);
    let messages = lines.filter_map(|(_, line)| line.strip_prefix("> ")?.split_at_checked(4));
    let messages: Vec<_> = messages
        .filter(|(_, object)| object.starts_with('{'))
        .collect();
    assert!(messages.len() > 5);
    for (length, object) in messages {
        assert_eq!(length.parse(), Ok(object.len()), "{object}");
    }
}

#[test]
fn the_first_line_of_a_transcript_tells_its_protocol() {
    // Only the usual mode of Botzone is told by a line.
    let told = |kind| !matches!(kind, ProtocolKind::Botzone(mode) if mode != Mode::ONE_SHOT);
    for transcript in transcripts().iter().filter(|it| told(it.protocol)) {
        let line = transcript.lines[0].1.strip_prefix("> ").unwrap();
        if transcript.protocol == protocol::ProtocolKind::CodinGame && line.parse::<u8>().is_ok() {
            // A lone number may begin other protocols too.
            continue;
        }
        assert_eq!(protocol::detect(line), Some(transcript.protocol), "{line}");
    }
}
