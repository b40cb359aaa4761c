//! `tengen learn` as a person runs it, and kills it.

use crate::folder::Folder;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tengen::game::reversi::Reversi;
use tengen::game::{Game, GameKind, Move, Moves, Playable, Setup};
use tengen::knowledge::reversi::flips;
use tengen::knowledge::reversi::net::Net;
use tengen::learn::gate::Match;
use tengen::learn::reversi::{Known, NetSidecar, history, player};

fn begin_game(game: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(["learn", game]).args(arguments);
    command.stderr(Stdio::null()).spawn().unwrap()
}

fn begin(arguments: &[&str]) -> Child {
    begin_game("reversi", arguments)
}

fn run(arguments: &[&str]) {
    assert!(begin(arguments).wait().unwrap().success());
}

/// Lets it work until a file has so many bytes, and kills it.
fn kill_once_written(mut child: Child, file: &Path, bytes: u64) {
    let length = || fs::metadata(file).map_or(0, |it| it.len());
    while length() < bytes && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Both files are the same, and so is what stands beside them.
fn assert_same(one: &Path, other: &Path) {
    assert!(fs::read(one).unwrap() == fs::read(other).unwrap());
    let beside = |file: &Path| fs::read_to_string(file.with_extension("json")).unwrap();
    assert_eq!(beside(one), beside(other));
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Turns over as many discs as it can.
fn greedy(position: &Reversi) -> Move {
    let mut moves = Moves::new();
    position.legal_moves(&mut moves);
    moves
        .into_iter()
        .max_by_key(|&mv| flips(position, mv))
        .unwrap()
}

#[test]
fn two_thousand_games_are_enough_to_beat_greedy() {
    let folder = Folder::new("greedy");
    let out = folder.file("weights.bin");
    run(&["--games", "2000", "--threads", "2", "--out", path(&out)]);
    let patterns = Known::load(&out).unwrap().patterns;
    let start = Reversi::new(&Setup::standard(GameKind::Reversi)).unwrap();
    let played = Match {
        start: &start,
        opening: 4..=4,
        pairs: 10,
        seed: 1,
        threads: 2,
    };
    let score = played.play(player(&patterns, 3, 8), greedy);
    assert_eq!((score.wins, score.draws, score.losses), (20, 0, 0));
}

#[test]
fn a_course_that_was_killed_goes_on() {
    let folder = Folder::new("killed");
    let (whole, killed) = (folder.file("whole.bin"), folder.file("killed.bin"));
    let games = ["--games", "1000", "--seed", "5"];
    run(&[&games[..], &["--out", path(&whole)]].concat());
    let part = [&games[..], &["--resume", "--out", path(&killed)]].concat();
    // There may be no later checkpoint than before the first weights.
    kill_once_written(begin(&part), &killed, 1);
    assert!(folder.file("killed.bin.partial").exists());
    run(&[&part[..], &["--threads", "2"]].concat());
    assert_same(&whole, &killed);
    // Nothing says how the weights came about, so they are not those to go on from.
    fs::remove_file(folder.file("killed.bin.partial")).unwrap();
    assert!(!begin(&part).wait().unwrap().success());
    assert_same(&whole, &killed);
}

#[cfg(target_os = "linux")]
#[test]
fn fewer_threads_do_the_work_where_the_system_refuses_them() {
    let folder = Folder::new("refused-threads");
    let [one, other] = ["one.bin", "other.bin"].map(|name| folder.file(name));
    run(&["--games", "20", "--out", path(&one)]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(["learn", "reversi", "--games", "20", "--threads", "4"]);
    command.args(["--out", path(&other)]);
    // No system has room for a stack of so many bytes.
    command.env("RUST_MIN_STACK", (1_u64 << 60).to_string());
    assert!(command.status().unwrap().success());
    assert_same(&one, &other);
}

#[test]
fn games_are_recorded_and_weights_fitted_to_them() {
    let folder = Folder::new("recorded");
    let first = folder.file("first.bin");
    run(&["--games", "500", "--out", path(&first)]);
    let (whole, killed) = (folder.file("whole.games"), folder.file("killed.games"));
    let from = ["--from", path(&first), "--seed", "3", "--games"];
    run(&[&from[..], &["1024", "--record", path(&whole)]].concat());
    let part = [&from[..], &["1024", "--resume", "--record", path(&killed)]].concat();
    let endless = [
        &from[..],
        &["1000000", "--resume", "--record", path(&killed)],
    ]
    .concat();
    kill_once_written(begin(&endless), &killed, 100_000);
    // The batch that was torn, or written just before.
    let mut bytes = fs::read(&killed).unwrap();
    bytes.truncate(fs::metadata(&whole).unwrap().len() as usize - 1);
    fs::write(&killed, bytes).unwrap();
    run(&part);
    assert!(fs::read(&whole).unwrap() == fs::read(&killed).unwrap());
    // As if another process still wrote to it.
    let before = fs::read(&killed).unwrap();
    let held = fs::File::open(&killed).unwrap();
    held.lock().unwrap();
    for how in ["--resume", "--force"] {
        let games = [&from[..], &["2048", how, "--record", path(&killed)]].concat();
        let error = refusal("reversi", &games);
        assert!(
            error.contains("another tengen learn writes to it"),
            "{error}"
        );
    }
    drop(held);
    assert!(fs::read(&killed).unwrap() == before);

    let second = folder.file("second.bin");
    let files = ["--from", path(&first), "--fit", path(&whole)];
    run(&[&files[..], &["--out", path(&second)]].concat());
    let Known { sidecar, .. } = Known::load(&second).unwrap();
    let text = serde_json::to_value(sidecar).unwrap();
    let curve: Vec<f64> = serde_json::from_value(text["made"]["fit"]["curve"].clone()).unwrap();
    assert!(curve.last() < curve.first(), "{curve:?}");
}

#[test]
fn a_net_of_gomoku_is_the_same_after_a_kill() {
    let folder = Folder::new("gomoku-net");
    let [whole, killed] = ["whole.bin", "killed.bin"].map(|name| folder.file(name));
    let course = |out: &Path, more: &[&str]| {
        let some = ["--games", "12", "--playouts", "3", "--out", path(out)];
        begin_game("gomoku", &[&some[..], more].concat())
    };
    assert!(course(&whole, &[]).wait().unwrap().success());
    kill_once_written(course(&killed, &[]), &killed.with_extension("json"), 1);
    assert!(tengen::learn::gomoku::load(&killed).is_ok());
    let mut rest = course(&killed, &["--resume", "--threads", "2"]);
    assert!(rest.wait().unwrap().success());
    assert_same(&whole, &killed);
}

#[test]
fn a_net_is_fitted_to_the_games_of_files() {
    let folder = Folder::new("gomoku-fit");
    let [net, games, fitted] =
        ["net.bin", "some.games", "fitted.bin"].map(|name| folder.file(name));
    let learn = |arguments: &[&str]| {
        let mut all = vec!["--playouts", "2", "--threads", "2"];
        all.extend(arguments);
        assert!(begin_game("gomoku", &all).wait().unwrap().success());
    };
    learn(&["--games", "16", "--out", path(&net)]);
    learn(&[
        "--games",
        "40",
        "--leaves",
        "1",
        "--from",
        path(&net),
        "--record",
        path(&games),
    ]);
    let again = folder.file("again.games");
    let searched = ["--from", path(&net), "--again", path(&games)];
    learn(&[&searched[..], &["--record", path(&again)]].concat());
    // The games that a course keeps will do, too.
    let kept = folder.file("net.bin.partial");
    let from = [
        "--fit",
        path(&again),
        "--fit",
        path(&kept),
        "--from",
        path(&net),
    ];
    learn(&[&from[..], &["--out", path(&fitted)]].concat());
    assert!(fs::read(&fitted).unwrap() != fs::read(&net).unwrap());
    let sidecar = fs::read_to_string(fitted.with_extension("json")).unwrap();
    let sidecar: serde_json::Value = serde_json::from_str(&sidecar).unwrap();
    let recorded = &sidecar["records"][0];
    // Leaves are no games.
    assert_eq!(recorded["games"], 40);
    let recording = &recorded["source"]["recording"];
    assert_eq!([&recording["seed"], &recording["leaves"]], [1, 1]);
    assert_eq!(recording["again"][0]["playouts"], 2);
    assert_eq!(sidecar["records"][1]["source"]["course"][1], 16);
    let errors: Vec<[f64; 2]> = serde_json::from_value(sidecar["errors"].clone()).unwrap();
    let [before, after] = [errors.first(), errors.last()].map(|it| it.unwrap()[1]);
    assert!(after < before, "{errors:?}");
}

#[test]
fn each_side_of_renju_has_a_net() {
    let folder = Folder::new("renju-fit");
    let [net, fitted, games] =
        ["net.bin", "fitted.bin", "some.games"].map(|name| folder.file(name));
    let kept = folder.file("net.bin.partial");
    let learn = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(["learn", "gomoku", "--rule", "renju", "--playouts", "2"])
            .args(arguments)
            .output()
            .unwrap()
    };
    assert!(
        learn(&["--games", "8", "--out", path(&net)])
            .status
            .success()
    );
    let from = ["--from", path(&net), "--fit", path(&kept)];
    assert!(
        learn(&[&from[..], &["--out", path(&fitted)]].concat())
            .status
            .success()
    );
    // Behind the name and the version stands how many nets there are.
    assert_eq!(
        [&net, &fitted].map(|file| fs::read(file).unwrap()[12]),
        [1, 2]
    );
    let freestyle = ["learn", "gomoku", "--force", "--fit", path(&kept)];
    let refused = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args([&freestyle[..], &["--out", path(&fitted)]].concat())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(error.contains("games by the rule renju"), "{error}");
    let from = ["--from", path(&fitted), "--games", "8"];
    assert!(
        learn(&[&from[..], &["--record", path(&games)]].concat())
            .status
            .success()
    );
    let refused = learn(&[&from[..], &["--force", "--out", path(&net)]].concat());
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        error.contains("a course has one net for both sides"),
        "{error}"
    );
}

#[test]
fn a_net_is_fitted_to_correct_weights() {
    let folder = Folder::new("reversi-net");
    let [weights, games] = ["weights.bin", "some.games"].map(|name| folder.file(name));
    run(&["--games", "500", "--out", path(&weights)]);
    let from = ["--from", path(&weights)];
    let recorded = ["--games", "256", "--record", path(&games)];
    run(&[&from[..], &recorded].concat());
    let by_weights = fs::read(&games).unwrap();
    run(&[&from[..], &recorded, &["--net", "--force"]].concat());
    assert!(fs::read(&games).unwrap() != by_weights);
    let nets = ["1", "2"].map(|threads| {
        let out = folder.file(&format!("net{threads}.bin"));
        let fit = ["--net", "--fit", path(&games), "--out", path(&out)];
        run(&[&from[..], &fit, &["--threads", threads]].concat());
        out
    });
    assert_same(&nets[0], &nets[1]);
    assert!(Net::read(&fs::read(&nets[0]).unwrap()).is_ok());
    let sidecar = fs::read_to_string(nets[0].with_extension("json")).unwrap();
    let sidecar: NetSidecar = history::read(sidecar.as_bytes()).unwrap();
    assert_eq!(sidecar.corrected, Known::load(&weights).unwrap().sidecar);
    assert_eq!(sidecar.records[0].recording.net.as_ref().unwrap().len(), 16);
    let [alone, once, _] = sidecar.curve[..] else {
        panic!("{:?}", sidecar.curve);
    };
    assert!(once < alone);
    for lacking in [&["--net"][..], &["--net", "--fit", path(&games)]] {
        let arguments = [lacking, &["--force", "--out", path(&nets[0])]].concat();
        assert!(!begin(&arguments).wait().unwrap().success());
    }
    // Without its batches, a file has no games.
    let (bytes, length) = (fs::read(&games).unwrap(), 8..16);
    let title = u64::from_le_bytes(bytes[length].try_into().unwrap());
    fs::write(&games, &bytes[..16 + title as usize]).unwrap();
    for net in [&["--net"][..], &[]] {
        let fit = ["--fit", path(&games), "--force", "--out", path(&nets[0])];
        let error = refusal("reversi", &[&from[..], &fit, net].concat());
        assert!(error.contains("no games to fit to"), "{error}");
    }
}

#[test]
fn earlier_work_is_kept_unless_it_is_to_be_replaced() {
    let folder = Folder::new("earlier");
    let [out, games] = ["weights.bin", "some.games"].map(|name| folder.file(name));
    let from = ["--from", path(&out), "--games", "1"];
    for (file, arguments) in [
        (&out, &["--games", "10", "--out", path(&out)][..]),
        (&games, &[&from[..], &["--record", path(&games)]].concat()),
    ] {
        run(arguments);
        let before = fs::read(file).unwrap();
        assert!(!begin(arguments).wait().unwrap().success());
        assert!(fs::read(file).unwrap() == before);
        let again = [arguments, &["--seed", "2", "--force"]].concat();
        run(&again);
        assert!(fs::read(file).unwrap() != before);
    }
    let before = fs::read(&games).unwrap();
    let fit = [
        "--from",
        path(&out),
        "--fit",
        path(&games),
        "--force",
        "--out",
        path(&games),
    ];
    let error = refusal("reversi", &fit);
    assert!(error.contains("read and written over"), "{error}");
    assert!(fs::read(&games).unwrap() == before);
    // A course that has come to no weights yet.
    fs::remove_file(&out).unwrap();
    let course = ["--games", "10", "--out", path(&out)];
    assert!(!begin(&course).wait().unwrap().success());
}

/// What learning so is refused with.
fn refusal(game: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let done = command.args(["learn", game]).args(arguments).output();
    let done = done.unwrap();
    assert!(!done.status.success(), "{arguments:?}");
    String::from_utf8_lossy(&done.stderr).into_owned()
}

#[test]
fn weights_and_what_stands_beside_them_are_not_lost_to_each_other() {
    let folder = Folder::new("beside");
    let [json, out] = ["other.json", "other.net"].map(|name| folder.file(name));
    fs::write(&json, "of other.bin").unwrap();
    for game in ["gomoku", "reversi"] {
        for more in [&["--games", "4"][..], &["--resume"]] {
            let error = refusal(game, &[more, &["--out", path(&out)]].concat());
            assert!(error.contains("other.json is there"), "{error}");
        }
        for name in ["new.json", "new.JSON"] {
            let error = refusal(game, &["--force", "--out", path(&folder.file(name))]);
            assert!(error.contains("they need another"), "{error}");
        }
    }
    assert_eq!(fs::read(&json).unwrap(), b"of other.bin");
    assert_eq!(folder.names().len(), 1);
}

#[test]
fn what_cannot_be_used_is_said() {
    let folder = Folder::new("refused");
    let (file, out) = (folder.file("other.bin"), folder.file("out.bin"));
    fs::write(&file, "something else").unwrap();
    let error = refusal("reversi", &["--from", path(&file), "--out", path(&out)]);
    assert!(error.contains("these are no weights of Reversi"), "{error}");
    assert_eq!(folder.names().len(), 1);
    for option in ["--depth 2", "--net --from x", "--fit x --inertia 3"] {
        let arguments: Vec<&str> = option.split(' ').collect();
        let error = refusal("gomoku", &arguments);
        assert!(error.contains("is for reversi alone"), "{option}: {error}");
    }
    for option in [
        "--playouts 9",
        "--rule renju",
        "--leaves 2 --record x --from x",
    ] {
        let arguments: Vec<&str> = option.split(' ').collect();
        let error = refusal("reversi", &arguments);
        assert!(error.contains("is for gomoku alone"), "{option}: {error}");
    }
    let error = refusal("reversi", &["--inertia", "3", "--depth", "2"]);
    assert!(error.contains("cannot be used with"), "{error}");
}

#[test]
fn a_place_that_cannot_be_written_is_said_before_the_work() {
    let folder = Folder::new("nowhere");
    let (weights, games) = (folder.file("weights.bin"), folder.file("some.games"));
    run(&["--games", "10", "--out", path(&weights)]);
    let from = ["--from", path(&weights), "--games", "10"];
    run(&[&from[..], &["--record", path(&games)]].concat());
    fs::write(&games, "no games").unwrap();
    let nowhere = folder.file("none").join("out.bin");
    for out in [&nowhere, folder.path()] {
        let error = refusal(
            "reversi",
            &["--fit", path(&games), "--force", "--out", path(out)],
        );
        assert!(error.contains("cannot write"), "{error}");
    }
}
