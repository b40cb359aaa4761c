//! `tengen match` with many engines, openings from files, interruptions and parts, and
//! `tengen merge`.

#[cfg(unix)]
use crate::played::fixture;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;
use tengen::arena::play::balanced;
use tengen::arena::records::record::{GameRecord, Termination};
use tengen::game::{Game, notation};
use tengen::rollout::Random;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn tengen(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(arguments.split_whitespace());
    command
}

fn output(arguments: &str) -> Output {
    tengen(arguments).output().unwrap()
}

/// What a command prints, which must succeed.
fn printed(arguments: &str) -> String {
    let output = output(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a command says on the standard error stream, which must fail with this exit code.
fn refused(arguments: &str, code: i32) -> String {
    let output = output(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments}");
    String::from_utf8(output.stderr).unwrap()
}

fn records(path: &Path) -> Vec<GameRecord> {
    let text = fs::read_to_string(path).unwrap();
    let records = text.lines().map(|line| serde_json::from_str(line).unwrap());
    records.collect()
}

/// Exactly these games, none of them twice, by pairing and number.
fn assert_whole(records: &[GameRecord], pairings: usize, games: u32) {
    let games = (0..pairings).flat_map(|pairing| (0..games).map(move |number| (pairing, number)));
    let played = records.iter().map(|record| (record.pairing, record.number));
    assert_eq!(records.len(), games.clone().count());
    assert_eq!(played.collect::<BTreeSet<_>>(), games.collect());
}

/// Plays a match and returns its table and records.
fn play(name: &str, arguments: &str) -> (String, Vec<GameRecord>) {
    let path = file(&format!("{name}.jsonl"));
    let table = printed(&format!(
        "match {arguments} --force --json {}",
        path.display()
    ));
    (table, records(&path))
}

fn pairs(records: &[GameRecord]) -> BTreeSet<(usize, String)> {
    let pair = |record: &GameRecord| (record.pairing, record.engines.join("-"));
    records.iter().map(pair).collect()
}

#[test]
fn tournaments_of_three_engines() {
    let arguments = "random greedy uct --game connect4 --games 2 --playouts 20 --tournament";
    let expected = |pairs: &[&str]| (0..).zip(pairs.iter().map(ToString::to_string)).collect();
    let (table, records) = play("round-robin", &format!("{arguments} round-robin"));
    assert_eq!(
        pairs(&records),
        expected(&["random-greedy", "random-uct", "greedy-uct"])
    );
    assert_whole(&records, 3, 2);
    assert!(table.contains("greedy - uct"), "{table}");
    assert!(table.contains("3  random"), "{table}");
    let (_, records) = play("gauntlet", &format!("{arguments} gauntlet"));
    assert_eq!(pairs(&records), expected(&["random-greedy", "random-uct"]));
    assert_whole(&records, 2, 2);
}

#[test]
fn a_ladder_ends_at_the_first_rung_that_is_not_won() {
    let climb = |name, engines| {
        let arguments = "--game connect4 --games 4 --tournament ladder";
        pairs(&play(name, &format!("{engines} {arguments}")).1)
    };
    let up = climb("ladder-up", "uct random random --playouts 300");
    assert_eq!(up.len(), 2);
    let down = climb("ladder-down", "random uct random --playouts 300");
    assert_eq!(down.len(), 1);
    let said = refused(
        "match tengen random greedy --tournament ladder --shard 0/2",
        1,
    );
    assert!(said.contains("ladder"), "{said}");
}

#[test]
fn no_command_destroys_the_records_of_another() {
    let path = file("kept.jsonl");
    let json = path.display();
    let begun = "match random random --game connect4 --games 2";
    printed(&format!("{begun} --force --json {json}"));
    let text = fs::read_to_string(&path).unwrap();
    let other = file("kept-other.jsonl").display().to_string();
    printed(&format!("{begun} --seed 9 --force --json {other}"));
    let folder = file("kept-games").display().to_string();
    printed(&format!("{begun} --force --games-dir {folder}"));
    for (command, said) in [
        (format!("{begun} --json {json}"), "--resume"),
        (format!("merge {other} --json {json}"), "--force"),
        (format!("report {other} --html {json}"), "is no page"),
        (
            format!("{begun} --seed 3 --force --json {other} --html {json}"),
            "is no page",
        ),
        (format!("{begun} --games-dir {folder}"), "holds games"),
    ] {
        let told = refused(&command, 1);
        assert!(told.contains(said), "{command}: {told}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{command}");
    }
    printed(&format!("{begun} --resume --json {json}"));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    printed(&format!("{begun} --force --json {json}"));
    printed(&format!("merge {json} --json {json}"));
}

/// The process is killed as soon as some more games are over, and what its last line might
/// have been is written behind them. There are seconds of games left for a machine that stands still
/// just then.
#[test]
fn a_match_that_is_killed_goes_on_with_nothing_lost_or_counted_twice() {
    let path = file("killed.jsonl");
    let _ = fs::remove_file(&path);
    let arguments = format!(
        "match random greedy uct --game connect4 --games 200 --playouts 20 --resume --json {}",
        path.display()
    );
    let lines = || fs::read_to_string(&path).map_or(0, |text| text.lines().count());
    for _ in 0..4 {
        let before = lines();
        let mut child = tengen(&arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while lines() < before + 5 && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mut journal = fs::OpenOptions::new().append(true).open(&path).unwrap();
        journal.write_all(b"{\"pairing\":0,\"numb").unwrap();
    }
    let interrupted = lines();
    let table = printed(&arguments);
    assert_whole(&records(&path), 3, 200);
    for row in table.lines().skip(1).take(3) {
        assert!(row.contains(" 200 "), "{table}");
    }
    // Nothing is left to play, so the same file gives the same table.
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.lines().count() > interrupted);
    assert_eq!(printed(&arguments), table);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_match_goes_on_only_as_it_began() {
    let path = file("as-it-began.jsonl");
    let json = format!("--json {}", path.display());
    let begun = "match random random --game connect4 --games 4";
    printed(&format!("{begun} {json} --force"));
    let text = fs::read_to_string(&path).unwrap();
    for other in [
        "match random greedy --game connect4 --games 4",
        "match random random --game reversi --games 4",
        "match random random --game connect4 --games 4 --seed 1",
        "match random random --game connect4 --games 4 --time 99",
        "match random random --game connect4 --games 4 --margin 5000",
        "match random random --game connect4 --games 4 --adjudicate 0.1,3",
        "match random random --game connect4 --games 4 --random-plies 4",
        "match random random --game connect4 --games 2",
    ] {
        let said = refused(&format!("{other} {json} --resume"), 1);
        assert!(
            said.contains("line ") && said.contains("another match"),
            "{said}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{other}");
    }
    fs::write(&path, format!("nonsense\n{text}")).unwrap();
    let said = refused(&format!("{begun} {json} --resume"), 1);
    assert!(said.contains("line 1: no record"), "{said}");
    // More games than before are the same match.
    fs::write(&path, &text).unwrap();
    printed(&format!(
        "{} {json} --resume",
        begun.replace("games 4", "games 6")
    ));
    assert_whole(&records(&path), 1, 6);
    assert!(fs::read_to_string(&path).unwrap().starts_with(&text));
}

/// The file of the records of a match with balanced openings, and its command.
fn balanced_match(name: &str, arguments: &str) -> (PathBuf, String) {
    let path = file(&format!("{name}.jsonl"));
    let setup = "--game gomoku --size 9x9 --openings balanced";
    let begun = format!("match {arguments} {setup} --json {}", path.display());
    (path, begun)
}

#[test]
fn pairs_of_all_pairings_have_the_same_balanced_openings_before_and_after_a_break() {
    let (path, begun) = balanced_match("balanced", "random greedy five-tuple");
    printed(&format!("{begun} --games 2 --force"));
    let text = fs::read_to_string(&path).unwrap();
    let half: Vec<&str> = text.lines().take(3).collect();
    fs::write(&path, half.join("\n") + "\n").unwrap();
    printed(&format!("{begun} --games 4 --resume"));
    let records = records(&path);
    assert_whole(&records, 3, 4);
    let openings = |pair| {
        let of_pair = records
            .iter()
            .filter(move |record| record.number / 2 == pair);
        of_pair
            .map(|record| &record.opening)
            .collect::<BTreeSet<_>>()
    };
    let [first, second] = [openings(0), openings(1)];
    assert!(first.len() == 1 && second.len() == 1 && first != second);
}

/// They may be those that the searches of another program chose.
#[test]
fn balanced_openings_of_records_are_not_searched_again() {
    let (path, begun) = balanced_match("balanced-other", "random greedy --games 2");
    printed(&format!("{begun} --force"));
    let mut games = records(&path);
    let chosen = games[0].opening.clone();
    let setup = games[0].setup;
    // As the first pair of a match with this seed draws them.
    let seed = Random::seed_from_u64(0).next_u64();
    let seed = Random::seed_from_u64(seed).next_u64();
    let mut random = Random::seed_from_u64(seed);
    let drawn = (0..1000).filter_map(|_| balanced::drawn(&setup, &mut random));
    let texts = drawn.map(|(game, moves)| -> Vec<String> {
        let text = |&mv| notation::write(&setup, game.action(mv));
        moves.iter().map(text).collect()
    });
    let texts: Vec<Vec<String>> = texts.collect();
    assert!(texts.contains(&chosen));
    let other = texts.into_iter().find(|text| *text != chosen).unwrap();
    for game in &mut games {
        game.opening.clone_from(&other);
    }
    let lines = games.iter().map(|it| serde_json::to_string(it).unwrap());
    fs::write(&path, lines.map(|line| line + "\n").collect::<String>()).unwrap();
    printed(&format!("{begun} --resume"));
    assert_eq!(records(&path), games);
}

#[test]
fn a_part_without_games_has_no_page() {
    let page = file("no-games.html");
    let _ = fs::remove_file(&page);
    let table = printed(&format!(
        "match random random --game connect4 --games 2 --shard 1/2 --force --json {} --html {}",
        file("no-games.jsonl").display(),
        page.display()
    ));
    assert_eq!(table.lines().count(), 1, "{table}");
    assert!(!page.exists());
}

#[test]
fn parts_of_a_match_are_merged_into_the_whole() {
    let arguments = "match random greedy uct --game connect4 --games 6 --playouts 20";
    let part = |name: &str| file(&format!("part-{name}.jsonl")).display().to_string();
    for shard in 0..2 {
        let json = part(&shard.to_string());
        printed(&format!(
            "{arguments} --shard {shard}/2 --force --json {json}"
        ));
    }
    let (one, other, all) = (part("0"), part("1"), part("all"));
    let table = printed(&format!("merge {one} {other} {one} --force --json {all}"));
    let merged = records(Path::new(&all));
    assert_whole(&merged, 3, 6);
    assert_eq!(printed(&format!("merge {all}")), table);
    let said = |files: &str| {
        let output = output(&format!("merge {files}"));
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(said(&all), "");
    assert!(said(&other).contains("games before the last ones are missing"));

    // Played at once, the games are the same.
    let texts = |records: Vec<GameRecord>| -> BTreeSet<_> {
        let text = |record: GameRecord| {
            let moves = record.moves.into_iter().map(|it| it.text);
            (record.pairing, record.number, moves.collect::<Vec<_>>())
        };
        records.into_iter().map(text).collect()
    };
    let (_, whole) = play("at-once", arguments.trim_start_matches("match "));
    assert_eq!(texts(merged), texts(whole));

    // A merge that fails leaves the file as it was.
    let text = fs::read_to_string(&all).unwrap();
    let changed = fs::read_to_string(&one)
        .unwrap()
        .replacen("\"ms\":", "\"ms\":9", 1);
    let conflict = part("conflict");
    fs::write(&conflict, changed).unwrap();
    let said = refused(&format!("merge {all} {conflict} --json {all}"), 1);
    assert!(
        said.contains("another way") && said.contains("conflict.jsonl, line 1"),
        "{said}"
    );
    let seed = part("seed");
    printed(&format!(
        "{arguments} --shard 0/2 --seed 1 --force --json {seed}"
    ));
    let said = refused(&format!("merge {seed} {other} {all} --json {all}"), 1);
    assert!(said.contains("another match"), "{said}");
    assert_eq!(fs::read_to_string(&all).unwrap(), text);
    assert!(!Path::new(&format!("{all}.part")).exists());
}

#[test]
fn openings_of_a_file_are_played_with_both_colours() {
    let list = file("openings.txt");
    fs::write(&list, "# three\n44\n1 7\n123\n").unwrap();
    let arguments = format!(
        "random greedy --game connect4 --games 6 --openings {}",
        list.display()
    );
    let (_, mut games) = play("openings", &arguments);
    games.sort_by_key(|record| record.number);
    let opening = |index: usize| games[index].opening.join("");
    let drawn: BTreeSet<String> = [0, 2, 4].map(opening).into();
    assert_eq!(
        drawn,
        BTreeSet::from(["44", "17", "123"].map(str::to_owned))
    );
    for pair in [0, 2, 4] {
        assert_eq!(opening(pair), opening(pair + 1));
        assert_ne!(games[pair].first, games[pair + 1].first);
    }
    let output = output(&format!(
        "match {} --games 8",
        arguments.replace("--games 6 ", "")
    ));
    assert!(String::from_utf8_lossy(&output.stderr).contains("come again"));

    fs::write(&list, "44\n4 9\n").unwrap();
    let said = refused(&format!("match {arguments}"), 1);
    assert!(said.contains("openings.txt: line 2: no move"), "{said}");
}

#[test]
fn more_games_at_a_time_than_cores_are_said() {
    let said = |arguments: &str| {
        let output = output(&format!(
            "match random random --game connect4 --games 2 {arguments}"
        ));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(!said("").contains("cores"));
    assert!(said("--concurrency 1000").contains("games at a time: 1000"));
}

#[cfg(target_os = "linux")]
#[test]
fn no_more_threads_begin_than_games() {
    // The stacks of so many would not have room.
    let limited = "ulimit -v 600000; exec \"$0\" match random random --game connect4 --games 2 \
                   --concurrency 40000";
    let mut command = Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_tengen")]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn progress_says_whose_score_it_is() {
    let progress = |engines: &str| {
        let output = output(&format!(
            "match {engines} --game connect4 --games 10 --playouts 300 --concurrency 1"
        ));
        let text = String::from_utf8(output.stderr).unwrap();
        text.lines().last().unwrap().to_owned()
    };
    assert!(progress("uct random").starts_with("10/10 games, uct "));
    let of_three = progress("random uct random:seed=1");
    assert!(of_three.starts_with("30/30 games, uct "), "{of_three}");
    assert!(of_three.contains("/20, random"), "{of_three}");
}

#[test]
fn no_name_reaches_the_terminal_with_its_escapes() {
    let path = file("escapes.jsonl");
    let hostile = "random:seed=1";
    printed(&format!(
        "match {hostile} random --game connect4 --games 2 --force --json {}",
        path.display()
    ));
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace(hostile, r"\u001b[31mred\u009b");
    fs::write(&path, text).unwrap();
    for command in ["merge", "report --markdown"] {
        let shown = printed(&format!("{command} {}", path.display()));
        assert!(shown.contains("31mred"), "{shown}");
        let controls = shown.chars().filter(|c| c.is_control() && *c != '\n');
        assert_eq!(controls.count(), 0, "{shown:?}");
    }
}

#[cfg(unix)]
#[test]
fn dialogues_are_written_down() {
    let folder = file("dialogues");
    let _ = fs::remove_dir_all(&folder);
    let fixture = fixture("gomocup", Path::new("/dev/null"), "crash 3");
    let mut command = tengen("match random --game gomoku --games 2 --log");
    let output = command.arg(&folder).arg(&fixture).output().unwrap();
    assert!(output.status.success());
    for number in 0..2 {
        let read = |place| fs::read_to_string(folder.join(format!("0-000{number}-{place}.log")));
        let [bot, fixture_log] = [1, 2].map(|place| read(place).unwrap());
        assert!(
            bot.starts_with("# random\n") && bot.contains(" > lz-genmove"),
            "{bot}"
        );
        assert!(
            fixture_log.starts_with(&format!("# {fixture}\n")),
            "{fixture_log}"
        );
        for part in [" > START 15", " < OK", " > TURN ", " ! no more memory"] {
            assert!(fixture_log.contains(part), "{part}: {fixture_log}");
        }
    }
}

#[test]
fn a_test_ends_the_match_when_it_is_decided() {
    for (engines, verdict) in [("uct random", "H1 accepted"), ("random uct", "H0 accepted")] {
        let json = file(&format!("sprt-{}.jsonl", &verdict[..2]));
        let arguments = format!(
            "match {engines} --game connect4 --games 1000 --playouts 100 --sprt 0,200 --json {}",
            json.display()
        );
        let table = printed(&format!("{arguments} --force"));
        assert!(table.contains(verdict) && table.contains("LLR"), "{table}");
        let games = records(&json).len();
        assert!(games < 200, "{games} games");
        // The games that are there decide it.
        assert_eq!(printed(&format!("{arguments} --resume")), table);
        assert_eq!(records(&json).len(), games);
    }
    let undecided = printed("match random random --game connect4 --games 2 --sprt -5,5");
    assert!(undecided.contains("not decided"), "{undecided}");
    let said = refused("match random random --sprt 0,10", 1);
    assert!(said.contains("--game"), "{said}");
    let said = refused("match random random --game connect4 --sprt 10,0", 2);
    assert!(said.contains("below the second"), "{said}");
}

#[cfg(unix)]
#[test]
fn the_first_fault_ends_the_match_when_asked_to() {
    let fixture = fixture("gtp", Path::new("/dev/null"), "error");
    let run = |more: &str| {
        let mut command = tengen("match random --game gomoku --games 6 --concurrency 1");
        command
            .arg(&fixture)
            .args(more.split_whitespace())
            .output()
            .unwrap()
    };
    let failed = run("--fail-fast");
    assert_eq!(failed.status.code(), Some(2));
    let said = String::from_utf8_lossy(&failed.stderr);
    assert!(
        said.contains("gtp.sh /dev/null error lost game 0 of pairing 0: protocol"),
        "{said}"
    );
    let table = String::from_utf8_lossy(&failed.stdout);
    assert!(table.contains("1-0-0"), "{table}");
    assert_eq!(run("").status.code(), Some(0));
}

#[test]
fn every_game_becomes_a_file_for_other_programs() {
    for (game, extensions) in [
        ("gomoku", &["psq", "sgf"][..]),
        ("reversi", &["ggf"]),
        ("connect4", &["pgn"]),
    ] {
        let folder = file(&format!("games-{game}"));
        let _ = fs::remove_dir_all(&folder);
        printed(&format!(
            "match random random --game {game} --games 2 --games-dir {}",
            folder.display()
        ));
        let names = fs::read_dir(&folder).unwrap();
        let names: BTreeSet<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let expected = (0..2).flat_map(|number| {
            extensions
                .iter()
                .map(move |it| format!("0-000{number}.{it}"))
        });
        assert_eq!(names, expected.collect());
        if game == "reversi" {
            for name in names {
                let text = fs::read_to_string(folder.join(name)).unwrap();
                let replayed = tengen::game::ggf::read(&text).unwrap().replay().unwrap();
                assert!(replayed.outcome().is_some());
            }
        }
    }
}

/// With a limit of playouts the games are always the same.
#[test]
fn games_that_both_engines_have_decided_are_ended() {
    let arguments = "uct uct:exploration=0.5 --game connect4 --games 8 --playouts 300";
    let (_, whole) = play("whole", arguments);
    let whole: BTreeSet<_> = whole
        .iter()
        .map(|it| (it.number, it.moves.len(), it.winner))
        .collect();
    let (_, ended) = play("adjudicated", &format!("{arguments} --adjudicate 0.2,2"));
    let (ended, others): (Vec<_>, Vec<_>) = ended
        .iter()
        .partition(|record| record.termination == Termination::Adjudicated);
    assert!(!ended.is_empty());
    assert!(
        others
            .iter()
            .all(|it| whole.contains(&(it.number, it.moves.len(), it.winner)))
    );
    for record in ended {
        let shorter = |&&(number, moves, _): &&(u32, usize, _)| {
            number == record.number && moves > record.moves.len()
        };
        assert!(whole.iter().any(|game| shorter(&game)));
        let last = record.moves.len() - 4..record.moves.len();
        for index in last {
            let value = record.moves[index].value.unwrap();
            let won = Some(record.mover(index)) == record.winner;
            assert!(if won { value >= 0.8 } else { value <= 0.2 }, "{value}");
        }
    }
}
