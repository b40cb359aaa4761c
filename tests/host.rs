//! Libraries of the coursework in the match: good ones play, bad ones lose for the right reason,
//! and neither harms the match or leaves a process behind, no matter which user runs it.
#![cfg(target_os = "linux")]

use crate::played::{assert_lost, assert_no_fault, records_in, records_of};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use std::env::consts::ARCH;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;
use tengen::arena::records::record::{GameRecord, Termination};
use tengen::clock;

const BOARD: &str = "--game connect4 --size 9x10 --hole 4,5";

/// Builds a library that misbehaves from its call `from` on, in a folder of its own: tests run
/// beside each other, and none may load what another is writing.
fn library(folder: &str, mode: &str, from: u32) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).unwrap();
    let library = folder.join(format!("lib{mode}{from}.so"));
    let definitions = [format!("-DMODE={mode}"), format!("-DFROM={from}")];
    compile("bot.c", &definitions, &library);
    library
}

fn compile(source: &str, definitions: &[String], library: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/c")
        .join(source);
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-O1", "-fPIC", "-shared"]);
    cc.args(definitions);
    let built = cc.arg("-o").arg(library).arg(source).status();
    assert!(built.unwrap().success());
}

fn play(name: &str, engines: &[String; 2], arguments: &str) -> Vec<GameRecord> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.arg("match").args(engines);
    command.args(BOARD.split(' ')).args(arguments.split(' '));
    records_of(name, &mut command)
}

/// Whether a process has all of these words in its command line.
fn is_running(words: &[&str]) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|it| fs::read(it.path().join("cmdline")).ok());
    lines.any(|line| {
        let has = |word: &&str| {
            line.split(|&byte| byte == 0)
                .any(|it| it == word.as_bytes())
        };
        words.iter().all(has)
    })
}

/// Waits until it is so.
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let deadline = clock::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(clock::now() < deadline, "not so: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// No process has the library in its command line.
fn assert_nothing_left(library: &Path) {
    let name = library.to_str().unwrap();
    wait_for("no process of the library is left", || !is_running(&[name]));
}

/// The library loses both games by this reason, after its first `moves` moves. Returns what was
/// said of the first.
fn assert_loses(mode: &str, reason: Termination, moves: usize) -> String {
    assert_loses_with(mode, reason, moves, "--time 3000")
}

fn assert_loses_with(mode: &str, reason: Termination, moves: usize, arguments: &str) -> String {
    let library = library(&format!("loses-{mode}"), mode, moves as u32 + 1);
    let engines = [format!("so:{}", library.display()), "random".to_owned()];
    let records = play(mode, &engines, &format!("--games 2 {arguments}"));
    assert_lost(&records, reason, moves);
    assert_nothing_left(&library);
    records[0].detail.clone().unwrap_or_default()
}

/// Plays whole games against another library.
fn assert_plays(mode: &str) {
    let folder = format!("plays-{mode}");
    let (library, other) = (library(&folder, mode, 1), library(&folder, "good", 1));
    let engines = [&library, &other].map(|path| format!("so:{}", path.display()));
    assert_no_fault(&play(mode, &engines, "--games 4"), 4);
    assert_nothing_left(&library);
}

#[test]
fn libraries_play_whole_games_on_a_new_thread_each_move() {
    assert_plays("good");
}

#[test]
fn what_a_library_prints_and_reads_is_its_own_affair() {
    assert_plays("flood");
}

#[test]
fn static_data_that_is_never_touched_is_free() {
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libvast.so");
    compile("vast.c", &[], &library);
    let engines = [format!("so:{}", library.display()), "random".to_owned()];
    assert_no_fault(&play("vast", &engines, "--games 2"), 2);
}

#[test]
fn a_library_may_have_threads() {
    assert_plays("threads");
}

#[test]
fn a_crash_loses_the_game_and_nothing_else() {
    assert_loses("crash", Termination::Crash, 2);
    assert_loses("exit", Termination::Crash, 0);
    let said = assert_loses("abort", Termination::Crash, 0);
    assert!(said.contains("SIGABRT"), "{said}");
}

#[test]
fn more_memory_than_allowed_is_a_crash_that_names_the_limit() {
    for mode in ["memory", "tables"] {
        let said = assert_loses_with(mode, Termination::Crash, 1, "--library-memory 100");
        assert!(
            said.contains("100 MiB of memory (--library-memory)"),
            "{said}"
        );
    }
}

#[test]
fn more_threads_than_allowed_are_a_crash() {
    let said = assert_loses("storm", Termination::Crash, 1);
    assert!(said.contains("256 threads"), "{said}");
}

#[test]
fn a_call_without_end_loses_on_time() {
    assert_loses("loop", Termination::Time, 0);
    assert_loses("wait", Termination::Time, 0);
}

/// It sleeps for longer than the course allows: the machine may have been another's.
#[test]
fn only_processor_time_is_charged() {
    assert_plays("nap");
}

#[test]
fn a_library_forges_no_word_of_its_guard() {
    assert_loses("forge", Termination::Crash, 1);
}

#[test]
fn cells_where_no_stone_lands_are_illegal() {
    assert_loses("outside", Termination::Illegal, 1);
    assert_loses("air", Termination::Illegal, 0);
    assert_loses("null", Termination::Illegal, 0);
}

#[test]
fn what_is_no_library_is_told_before_the_match() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for (path, said) in [
        (path, "cannot load"),
        ("/nonexistent/lib.so", "cannot read"),
        ("/dev/zero", "no file"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.args(["match", &format!("so:{path}"), "random"]);
        let output = command.args(BOARD.split(' ')).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(
            stderr.contains(said) && stderr.contains("does not begin"),
            "{stderr}"
        );
    }
}

/// An ordinary user's number that nobody has.
const SOMEBODY: u32 = 64_321;

/// A folder of a user with what a match needs: where the tests are, others may not look. It is
/// gone with the value.
struct Place {
    folder: PathBuf,
    user: u32,
}

impl Place {
    /// One for the user who runs the tests, and if that is root, one for an ordinary user.
    fn of_everybody(name: &str) -> Vec<Place> {
        let own = fs::metadata("/proc/self").unwrap().uid();
        let users = match own {
            0 => vec![0, SOMEBODY],
            _ => vec![own],
        };
        let place = |user| Place::new(name, user);
        users.into_iter().map(place).collect()
    }

    fn new(name: &str, user: u32) -> Place {
        let folder = std::env::temp_dir();
        let folder = folder.join(format!("tengen-{name}-{user}-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::chown(&folder, Some(user), Some(user)).unwrap();
        let program = folder.join("tengen");
        fs::copy(env!("CARGO_BIN_EXE_tengen"), &program).unwrap();
        fs::set_permissions(program, Permissions::from_mode(0o755)).unwrap();
        let place = Place { folder, user };
        place.file("victim", SECRET);
        place.file("out", "");
        place
    }

    /// A file that belongs to the user.
    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        fs::write(&path, text).unwrap();
        std::os::unix::fs::chown(&path, Some(self.user), Some(self.user)).unwrap();
        path
    }

    fn library(&self, mode: &str) -> PathBuf {
        let library = self.folder.join(format!("lib{mode}.so"));
        let definitions = [format!("-DMODE={mode}"), "-DFROM=1".to_owned()];
        compile("bot.c", &definitions, &library);
        library
    }

    /// A match of a library with a random player, as the user; what the caller left open are
    /// descriptor 8 to write to `out` and 9 to read `victim`.
    fn command(&self, library: &Path, arguments: &str) -> Command {
        let mut command = Command::new("sh");
        let line = format!(
            "exec 8>>out 9<victim; exec ./tengen match so:{} random {BOARD} {arguments}",
            library.display()
        );
        command.args(["-c", &line]).current_dir(&self.folder);
        if fs::metadata("/proc/self").unwrap().uid() != self.user {
            command.uid(self.user).gid(self.user);
        }
        command
    }

    fn play(&self, library: &Path, arguments: &str) -> Vec<GameRecord> {
        let _ = fs::remove_file(self.folder.join("games"));
        let mut command = self.command(library, &format!("--json games {arguments}"));
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "as {}: {errors}", self.user);
        records_in(&self.folder.join("games"))
    }

    /// The library that tries everything, or what `only` names.
    fn hostile(&self, only: Option<&str>) -> PathBuf {
        let victim = self.folder.join("victim");
        let library = self.folder.join("libhostile.so");
        let mut definitions = vec![
            format!("-DVICTIM={:?}", victim.to_str().unwrap()),
            "-DREAD=9".to_owned(),
            "-DWRITE=8".to_owned(),
            "-Wno-unused-function".to_owned(),
        ];
        definitions.extend(only.map(|only| format!("-DONLY={only}")));
        compile("hostile.c", &definitions, &library);
        library
    }

    /// A match with the hostile library, after which everything is as it was.
    fn assert_unharmed(&self, library: &Path) {
        assert_no_fault(&self.play(library, "--games 2 --time 3000"), 2);
        let text = |name: &str| fs::read_to_string(self.folder.join(name)).unwrap();
        assert_eq!(
            (text("victim").as_str(), text("out").as_str()),
            (SECRET, "")
        );
        for folder in ["/", "/tmp", "/var/tmp", "/dev/shm"] {
            let made = Path::new(folder).join("tengen-harm");
            assert!(!made.exists(), "{made:?} as {}", self.user);
        }
        assert_nothing_left(library);
    }
}

/// What is in a file of the user's.
const SECRET: &str = "secret";

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Runs a test where the kernel does not grant these system calls.
fn without(calls: &[i64], test: impl FnOnce() + Send) {
    let rules = calls.iter().map(|&call| (call, Vec::new())).collect();
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let arch = ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, arch).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            seccompiler::apply_filter(&program).unwrap();
            test();
        });
        thread.join().unwrap();
    });
}

#[test]
fn a_hostile_library_does_no_harm_as_any_user() {
    for place in Place::of_everybody("hostile") {
        let library = place.hostile(None);
        place.assert_unharmed(&library);
    }
}

#[test]
fn a_part_of_what_the_kernel_has_is_enough() {
    for place in Place::of_everybody("part") {
        let library = place.hostile(None);
        without(&[libc::SYS_unshare], || place.assert_unharmed(&library));
        without(&[libc::SYS_landlock_create_ruleset], || {
            place.assert_unharmed(&library);
        });
    }
}

#[test]
fn what_the_hostile_library_tries_is_harm_where_nothing_confines_it() {
    for place in Place::of_everybody("harm") {
        for attempt in [
            "reads_files",
            "makes_files",
            "opens_sockets",
            "runs_shells",
            "sees_others",
            "maps_unseen",
        ] {
            let library = place.hostile(Some(attempt));
            let mut command = place.command(&library, "--unconfined");
            let errors = text_of(&command.output().unwrap());
            assert!(errors.contains("exit status: 101"), "{attempt}: {errors}");
        }
        let _ = fs::remove_file("/tmp/tengen-harm");
    }
}

#[test]
fn where_the_kernel_grants_too_little_libraries_are_refused() {
    for place in Place::of_everybody("refused") {
        let library = place.library("good");
        let calls = [libc::SYS_unshare, libc::SYS_landlock_create_ruleset];
        without(&calls, || {
            let output = place.command(&library, "--games 2").output().unwrap();
            let errors = text_of(&output);
            assert!(!output.status.success());
            assert!(
                errors.contains("neither namespaces nor Landlock"),
                "{errors}"
            );
            assert_eq!(errors.lines().count(), 1, "{errors}");
            assert_no_fault(&place.play(&library, "--games 2 --unconfined"), 2);
        });
    }
}

fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_killed_runner_leaves_nothing() {
    for place in Place::of_everybody("killed") {
        for (mode, arguments) in [("loop", ""), ("load", ""), ("loop", "--unconfined")] {
            let library = place.library(mode);
            let name = library.to_str().unwrap();
            let mut command = place.command(&library, &format!("--time 60000 {arguments}"));
            let mut runner = command.stdout(Stdio::null()).spawn().unwrap();
            wait_for("the library runs", || is_running(&[name, "--cell"]));
            runner.kill().unwrap();
            runner.wait().unwrap();
            assert_nothing_left(&library);
        }
    }
}

/// Every limit of processes, from one with which nothing begins to one that is enough.
#[test]
fn a_machine_without_threads_is_nobody_s_fault() {
    let own = fs::metadata("/proc/self").unwrap().uid();
    // Nobody else's processes may count, nor those of the other tests.
    let place = Place::new("threads", if own == 0 { SOMEBODY + 1 } else { own });
    let library = place.library("good");
    for limit in [1, 3, 5, 6, 7, 8, 9, 10, 12, 16, 4000] {
        let _ = fs::remove_file(place.folder.join("games"));
        let mut command = place.command(&library, "--games 2 --json games");
        let line = command.get_args().nth(1).unwrap().to_str().unwrap();
        let line = line.replace("./tengen", &format!("prlimit --nproc={limit} ./tengen"));
        let mut limited = Command::new("sh");
        limited.args(["-c", &line]).current_dir(&place.folder);
        if own == 0 {
            limited.uid(place.user).gid(place.user);
        }
        command = limited;
        let output = command.output().unwrap();
        let errors = text_of(&output);
        assert!(!errors.contains("the library"), "{limit}: {errors}");
        if place.folder.join("games").exists() {
            for record in records_in(&place.folder.join("games")) {
                let fault = record.termination.is_fault();
                assert!(!fault, "{limit}: {:?}", record.detail);
            }
        }
        assert!(output.status.success() || limit < 4000, "{errors}");
    }
}
