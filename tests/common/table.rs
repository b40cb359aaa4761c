//! A protocol, the session that follows it, and what must always hold between them.

use crate::common::{Follower, Snapshot};
use std::time::Duration;
use tengen::clock::TimeControl;
use tengen::game::{AnyGame, GameKind, Setup};
use tengen::protocol::{self, Defaults, Protocol, ProtocolKind, Request, Requests};
use tengen::search::{MoveReport, Report};
use tengen::session::Event;

/// A line, and what decides how the search answers it.
#[derive(Clone, Debug)]
pub struct Input {
    pub line: String,
    /// Chooses the move.
    pub choice: u64,
    /// The search reports before it answers.
    pub reports: bool,
}

/// What a file may hold that a protocol asks for; the first cannot be read.
const FILES: [Option<&str>; 9] = [
    None,
    Some("nonsense"),
    Some("(;GM[4]SZ[15];B[hh];W[ii];B[hi])"),
    Some("(;GM[4]SZ[9:7]RU[exact]AB[ee]AW[dd]PL[W];W[cc])"),
    Some("(;GM[4]SZ[26];B[aa])"),
    Some("(;GM[4]SZ[15];B[hh];W[hh])"),
    Some(
        "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[f6];)",
    ),
    Some("[Board \"9x9\"]\n[Hole \"2,3\"]\n\n1. 4 4 2. 5 1/2-1/2\n"),
    Some("[Board \"4x4\"]\n\n1. 1 2 2. 1 2 3. 1 2 4. 1\n"),
];

/// A protocol with a session that follows it and answers with any legal move.
pub struct Table {
    protocol: Box<dyn Protocol>,
    follower: Follower,
    /// The session is thinking.
    thinking: bool,
}

impl Table {
    pub fn new(kind: ProtocolKind, game: GameKind) -> Option<Table> {
        let setup = Setup::standard(game);
        let defaults = Defaults {
            setup,
            time: TimeControl {
                per_move: Some(Duration::from_secs(1)),
                ..TimeControl::default()
            },
            playouts: None,
        };
        Some(Table {
            protocol: protocol::open(kind, defaults).ok()?,
            follower: Follower::new(&setup),
            thinking: false,
        })
    }

    /// The protocol's own board.
    pub fn board(&self) -> &dyn AnyGame {
        self.protocol.board()
    }

    /// Gives one line, lets the search answer it, and checks what must always hold.
    pub fn step(&mut self, input: &Input) {
        let before = Snapshot::of(self.protocol.board());
        let mut answers = Vec::new();
        let mut requests = self.protocol.feed(&input.line, &mut answers);
        if let Some(Request::Read(_)) = requests.last() {
            requests.pop();
            let file = FILES[(input.choice % FILES.len() as u64) as usize];
            let text = file
                .map(str::to_owned)
                .ok_or_else(|| "no such file".to_owned());
            requests.extend(self.protocol.hear_file(text, &mut answers));
        }
        for answer in &answers {
            assert!(!answer.contains(['\n', '\r']), "{answer:?}");
        }
        let refused = [
            "ERROR",
            "UNKNOWN",
            "?",
            "status Error",
            "info string error",
            "error",
            r#"{"response":null"#,
            r#"{"error":"#,
        ];
        if answers
            .iter()
            .any(|answer| refused.iter().any(|word| answer.starts_with(word)))
        {
            assert_eq!(before, Snapshot::of(self.protocol.board()));
            let only_abort = requests.iter().all(|it| *it == Request::Abort);
            assert!(only_abort, "refused, but asks {requests:?}");
        }
        self.obey(&requests);
        let streams = self.protocol.urgency("") == protocol::Urgency::AtOnce;
        if self.thinking && input.reports {
            let report = self.report(input.choice);
            let asks = self.protocol.render(&Event::Info(report), &mut answers);
            assert!(asks.is_empty());
        }
        // An analysis mostly goes on until the next line.
        if self.thinking && !(streams && input.reports) {
            self.thinking = false;
            let report = self.report(input.choice);
            let requests = self.protocol.render(&Event::Best(report), &mut answers);
            self.obey(&requests);
        }
        assert_eq!(
            Snapshot::of(self.protocol.board()),
            Snapshot::of(&*self.follower.game),
            "the session's board is not the protocol's"
        );
    }

    /// Gives one line that needs no search, and returns the answers.
    pub fn say(&mut self, line: &str) -> Vec<String> {
        let mut answers = Vec::new();
        let requests = self.protocol.feed(line, &mut answers);
        self.obey(&requests);
        answers
    }

    fn obey(&mut self, requests: &Requests) {
        for request in requests {
            self.thinking = matches!(request, Request::Think(_));
            self.follower.obey(request);
        }
    }

    /// What a search may find that chooses among the legal moves.
    fn report(&self, choice: u64) -> Report {
        let actions = self.follower.game.legal_actions();
        assert!(!actions.is_empty(), "asked to think when the game is over");
        let best = actions[(choice % actions.len() as u64) as usize];
        let moves = actions.iter().map(|&action| MoveReport {
            action,
            visits: 1,
            mean: 0.5,
            proof: None,
            score: None,
            pv: vec![action],
        });
        Report {
            best: Some(best),
            value: (choice % 101) as f64 / 100.0,
            playouts: 10,
            moves: moves.collect(),
            elapsed: Duration::from_millis(300),
            ..Report::default()
        }
    }
}
