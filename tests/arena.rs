//! The match runner against engines that misbehave: each loses for the right reason, within a
//! bounded time, and leaves no process behind.
#![cfg(target_os = "linux")]

use crate::played::{assert_lost, fixture};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use tengen::arena::play::opening::Openings;
use tengen::arena::play::schedule::{self, MatchError, Pairing, Plan, Shard};
use tengen::arena::records::ledger::Ledger;
use tengen::arena::records::record::{GameRecord, Termination};
use tengen::arena::{Stop, Terms};
use tengen::clock::{self, TimeControl};
use tengen::game::{GameKind, Setup};

/// Far more than any match here may take, on a machine with other work to do.
const BOUND: Duration = Duration::from_secs(30);

/// A match of two fixtures, and the file in which their process ids are noted.
struct Match {
    pairing: Pairing,
    pids: PathBuf,
}

impl Match {
    fn new(name: &str, engines: [&str; 2]) -> Match {
        let pids = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pids"));
        let _ = fs::remove_file(&pids);
        let spec = |engine: &str| {
            let (language, mode) = engine.split_once(' ').unwrap();
            fixture(language, &pids, mode).parse().unwrap()
        };
        let pairing = Pairing {
            engines: engines.map(spec),
            terms: Terms {
                // Nothing but what is tested may be late, even where the machine stands still.
                time: TimeControl::per_move(Duration::from_secs(2)),
                patience: Duration::from_secs(3),
                ..Terms::new(Setup::standard(GameKind::Gomoku))
            },
            games: 2,
            openings: Openings::RandomPlies(0),
            seed: 1,
        };
        Match { pairing, pids }
    }

    /// With so little time that an engine which loses on time, or hangs, does so soon.
    fn hurried(mut self) -> Match {
        self.pairing.terms.time = TimeControl::per_move(Duration::from_millis(300));
        self.pairing.terms.margin = Duration::from_millis(200);
        self
    }

    fn play(&self) -> Vec<GameRecord> {
        self.play_until(&Stop::default())
    }

    fn play_until(&self, stop: &Stop) -> Vec<GameRecord> {
        let started = clock::now();
        let mut records = Vec::new();
        let keep = |record| -> Result<(), MatchError> {
            records.push(record);
            Ok(())
        };
        self.run(1, stop, keep);
        assert!(started.elapsed() < BOUND);
        records
    }

    fn run(
        &self,
        concurrency: usize,
        stop: &Stop,
        keep: impl FnMut(GameRecord) -> Result<(), MatchError>,
    ) {
        let plan = Plan {
            pairings: std::slice::from_ref(&self.pairing),
            range: 0..1,
            shard: Shard::WHOLE,
            done: &Ledger::default(),
            log: None,
        };
        schedule::run(&plan, concurrency, stop, keep).unwrap();
    }

    fn check(&self) -> Result<(), MatchError> {
        let Pairing { engines, terms, .. } = &self.pairing;
        let check = |engine| schedule::check(engine, terms, 1, &Stop::default());
        engines.iter().try_for_each(check)
    }

    /// Blocks until so many engines have begun.
    fn wait_for_engines(&self, count: usize) {
        let started = clock::now();
        let begun = || fs::read_to_string(&self.pids).map_or(0, |pids| pids.lines().count());
        while begun() < count {
            assert!(started.elapsed() < BOUND);
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Every engine was reaped. What an engine left behind was killed; as an orphan it may
    /// wait as a zombie for the process that adopted it.
    fn assert_nothing_left(&self) {
        let noted = fs::read_to_string(&self.pids).unwrap();
        assert!(!noted.is_empty());
        for line in noted.lines() {
            match line.strip_prefix("child ") {
                Some(orphan) => assert_soon(|| matches!(state(orphan), None | Some('Z')), line),
                None => assert_soon(|| state(line).is_none(), line),
            }
        }
    }
}

fn assert_soon(condition: impl Fn() -> bool, process: &str) {
    let deadline = clock::now() + Duration::from_secs(2);
    while !condition() {
        assert!(clock::now() < deadline, "{process} is left");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The state of a process, which follows its name in parentheses; `None` when it is gone.
fn state(pid: &str) -> Option<char> {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).ok()?;
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

/// Plays a bad engine against a good one, both colours. The bad one loses both games by this
/// reason, at the move from which it is bad.
fn assert_loses(engine: &str, reason: Termination) {
    let name = engine.replace(' ', "-");
    let game = Match::new(&name, [engine, "gomocup good"]);
    let game = match reason {
        Termination::Time | Termination::Hang => game.hurried(),
        _ => game,
    };
    let (_, from) = engine.rsplit_once(' ').unwrap();
    let from: usize = from.parse().unwrap();
    assert_lost(&game.play(), reason, from - 1);
    game.assert_nothing_left();
}

/// Names a test for the engines that lose in one way, by the reason.
macro_rules! loses {
    ($($reason:ident { $($name:ident: $($engine:literal),+;)+ })+) => {
        $($(
            #[test]
            fn $name() {
                $(assert_loses($engine, Termination::$reason);)+
            }
        )+)+
    };
}

loses! {
    Hang {
        a_silent_engine_hangs: "gomocup silent 3";
        // It tells a move before it is asked, behind more lines than wait for us, and none when it is.
        a_move_told_too_early_is_none: "gomocup early 2";
        a_flood_of_lines_is_a_hang: "gomocup flood 2";
        a_line_without_end_is_a_hang: "gomocup endless 2";
        an_engine_that_stops_reading_hangs: "gomocup deaf 2";
        gtp_engines_that_say_nothing_hang: "gtp silent 2", "gtp deaf 2";
        a_gtp_answer_without_its_end_is_a_hang: "gtp half 2", "gtp stream 2";
    }
    Time {
        a_slow_engine_loses_on_time: "gomocup slow 2";
        // GTP grants a second at the least, and the margin is 200 ms.
        a_slow_gtp_engine_loses_on_time: "gtp slow 2";
    }
    Illegal {
        an_occupied_point_is_illegal: "gomocup occupied 2", "gtp occupied 2";
        a_point_off_the_board_is_illegal: "gomocup outside 1";
        a_pass_in_gomoku_is_illegal: "gtp pass 1";
    }
    Protocol {
        nonsense_breaks_the_protocol: "gomocup nonsense 4", "gtp mumble 1";
        an_error_breaks_the_protocol: "gomocup error 1", "gtp error 1";
        a_question_that_is_not_known_breaks_the_protocol: "gomocup unknown 2";
        a_flood_of_no_answers_breaks_the_protocol: "gtp flood 2";
    }
    Crash {
        a_crashing_engine_crashes: "gomocup crash 5";
        a_closed_output_is_a_crash: "gomocup close 2";
        processes_of_an_engine_end_with_it: "gomocup child 2";
        gtp_engines_that_end_crash: "gtp crash 3", "gtp close 2", "gtp child 2";
    }
    Resign {
        a_gtp_engine_may_resign: "gtp resign 1";
    }
}

#[test]
fn good_engines_play_to_the_end() {
    let game = Match::new("good", ["gomocup good", "gomocup good"]);
    let records = game.play();
    game.assert_nothing_left();
    // On 15 columns both fill diagonals, and the side that moves first has the first five.
    for record in records {
        assert_eq!(record.termination, Termination::Win);
        assert_eq!(record.winner, Some(record.first));
        assert_eq!(record.moves.len(), 61);
        assert_eq!(record.moves[0].text, "a15");
    }
}

#[test]
fn what_follows_ok_is_passed_over() {
    let game = Match::new("polite", ["gomocup polite", "gomocup good"]);
    game.check().unwrap();
    let records = game.play();
    assert!(records.iter().all(|it| it.termination == Termination::Win));
}

#[test]
fn the_last_words_of_an_engine_are_kept() {
    let game = Match::new("last-words", ["gomocup crash 2", "gomocup good"]);
    for record in game.play() {
        assert_eq!(record.termination, Termination::Crash);
        let detail = record.detail.unwrap();
        assert!(detail.contains("(exit status: 3)"), "{detail}");
        assert!(
            detail.contains("last words: \"no more memory\""),
            "{detail}"
        );
    }
}

#[test]
fn an_engine_runs_in_its_own_folder() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own folder");
    fs::create_dir_all(&folder).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/gomocup.sh");
    let engine = folder.join("engine");
    fs::write(&engine, format!("#!/bin/sh\nexec sh {script} \"$@\"\n")).unwrap();
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    let mut game = Match::new("folder", ["gomocup good", "gomocup good"]);
    let line = format!("gomocup:\"dir={}\" ./engine pids where", folder.display());
    game.pairing.engines[0] = line.parse().unwrap();
    for record in game.play() {
        let detail = record.detail.unwrap();
        assert!(detail.ends_with("own folder\""), "{detail}");
    }
    assert!(folder.join("pids").exists());
}

/// Each of its moves would be in time, but not both together.
#[test]
fn a_flag_falls_when_the_time_for_the_game_is_used_up() {
    let mut game = Match::new("flag", ["gomocup slow", "gomocup good"]).hurried();
    game.pairing.terms.time = TimeControl {
        left: Some(Duration::from_millis(2300)),
        ..TimeControl::default()
    };
    assert_lost(&game.play(), Termination::Time, 1);
    game.assert_nothing_left();
}

/// It may be about the limits, which were told just before.
#[test]
fn what_was_not_known_is_quoted_where_no_move_came() {
    for record in Match::new("unknown", ["gomocup unknown", "gomocup good"])
        .hurried()
        .play()
    {
        assert_eq!(record.termination, Termination::Hang);
        let detail = record.detail.unwrap();
        assert!(detail.starts_with("no move, but answered"), "{detail}");
        assert!(detail.contains("\"UNKNOWN command\" to "), "{detail}");
    }
}

/// Its answers to `INFO` come when it has been asked for a move.
#[test]
fn limits_need_not_be_known() {
    let mut game = Match::new("puzzled", ["gomocup puzzled", "gomocup good"]);
    game.pairing.terms.time = TimeControl {
        left: Some(Duration::from_secs(30)),
        ..TimeControl::default()
    };
    for record in game.play() {
        assert_eq!(record.termination, Termination::Win, "{:?}", record.detail);
    }
}

#[test]
fn an_engine_that_stays_after_the_end_is_ended() {
    for language in ["gomocup", "gtp"] {
        let engine = format!("{language} stay");
        let game = Match::new(&format!("stay-{language}"), [&engine, "gomocup good"]);
        let records = game.play();
        assert!(records.iter().all(|it| it.termination == Termination::Win));
        game.assert_nothing_left();
    }
}

#[test]
fn an_engine_that_refuses_the_game_is_told_before_the_match() {
    let game = Match::new("refuse", ["gomocup refuse", "gomocup good"]);
    match game.check() {
        Err(MatchError::Engine(_, detail)) => assert!(detail.contains("ERROR size"), "{detail}"),
        other => panic!("{other:?}"),
    }
    game.assert_nothing_left();
}

#[test]
fn an_engine_that_does_not_exist_is_told_before_the_match() {
    let mut game = Match::new("absent", ["gomocup good", "gomocup good"]);
    game.pairing.engines[1] = "gtp:/nonexistent/engine".parse().unwrap();
    assert!(matches!(game.check(), Err(MatchError::Engine(..))));
}

#[test]
fn openings_are_told_and_shared() {
    let mut game = Match::new("openings", ["gomocup good", "gtp good"]);
    game.pairing.openings = Openings::RandomPlies(7);
    game.pairing.games = 4;
    let records = game.play();
    game.assert_nothing_left();
    for record in &records {
        assert_eq!(record.termination, Termination::Win, "{:?}", record.detail);
        assert_eq!(record.opening.len(), 7);
        assert_eq!(record.first, (record.number % 2) as usize);
    }
    assert_eq!(records[0].opening, records[1].opening);
    assert_ne!(records[1].opening, records[2].opening);
}

#[test]
fn a_stop_ends_the_match_soon_and_counts_no_unfinished_game() {
    let mut game = Match::new("stopped", ["gomocup silent", "gomocup good"]).hurried();
    game.pairing.terms.patience = BOUND;
    let stop = Stop::default();
    let records = thread::scope(|scope| {
        let playing = scope.spawn(|| game.play_until(&stop));
        game.wait_for_engines(2);
        stop.set();
        playing.join().unwrap()
    });
    assert_eq!(records, []);
    game.assert_nothing_left();
}

#[test]
fn the_concurrency_does_not_change_the_games() {
    let mut game = Match::new("concurrency", ["gomocup good", "gtp good"]);
    game.pairing.openings = Openings::RandomPlies(5);
    game.pairing.games = 6;
    game.pairing.terms.time = TimeControl::per_move(Duration::from_secs(10));
    let moves = |concurrency| {
        let mut games = BTreeMap::new();
        let keep = |record: GameRecord| -> Result<(), MatchError> {
            let texts: Vec<String> = record.moves.into_iter().map(|it| it.text).collect();
            games.insert(record.number, (record.opening, texts));
            Ok(())
        };
        game.run(concurrency, &Stop::default(), keep);
        games
    };
    let alone = moves(1);
    assert_eq!(alone.len(), 6);
    assert_eq!(moves(3), alone);
}

#[test]
fn a_record_is_read_back_from_its_line() {
    for record in Match::new("record", ["gomocup crash 3", "gomocup good"]).play() {
        let line = serde_json::to_string(&record).unwrap();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<GameRecord>(&line).unwrap(), record);
    }
}
