//! The commands that compute files of this program's source: `tengen book` and `tengen tune`.

use crate::folder::Folder;
use assert_cmd::Command;
use assert_cmd::assert::Assert;
use std::fs;
use std::path::Path;
use tengen::knowledge::connect4::book;
use tengen::knowledge::connect4::solver::opening;
use tengen::knowledge::connect4::solver::order::Weights;

fn tengen(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("tengen").unwrap();
    command.args(arguments);
    command
}

/// What it wrote to the standard error stream.
fn errors(done: &Assert) -> String {
    String::from_utf8_lossy(&done.get_output().stderr).into_owned()
}

/// Each command writes over its own kind of file and nothing else, and tells before its work where it
/// cannot write.
#[test]
fn computed_files_replace_their_own_kind_alone() {
    let folder = Folder::new("computed");
    let path = folder.file("somebodys");
    fs::write(&path, "somebody's").unwrap();
    let book = ["book", "connect4", "--memory", "1", "--depth", "1"];
    let appendix = [&book[..], &["--likely", "1"]].concat();
    let order = ["tune", "connect4", "--positions", "1", "--tries", "0"];
    for (arguments, said) in [
        (&book[..], "no book"),
        (&appendix[..], "no appendix"),
        (&order[..], "no order"),
    ] {
        let refused =
            |out: &Path| errors(&tengen(arguments).arg("--out").arg(out).assert().failure());
        let error = refused(&path);
        assert!(error.contains(said), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "somebody's");
        let error = refused(folder.path());
        assert!(error.contains("it is a folder"), "{error}");
        assert_eq!(folder.names(), ["somebodys"]);
    }
    let out = folder.file("order");
    for _ in 0..2 {
        tengen(&order).arg("--out").arg(&out).assert().success();
    }
}

#[test]
fn a_book_goes_on_from_what_was_solved_before() {
    let folder = Folder::new("book");
    let out = folder.file("a.book");
    let partial = folder.file("a.book.partial");
    let command = |depth| {
        let arguments = [
            "book", "connect4", "--memory", "1", "--depth", depth, "--out",
        ];
        let mut command = tengen(&arguments);
        command.arg(&out);
        command
    };
    let title = "connect4 7x6, positions with 1 stones, P is a draw\n";
    // Four positions: mirror images are one.
    fs::write(&partial, format!("{title}QR")).unwrap();
    let refused = |depth, message: &str| {
        let refused = command(depth).assert().failure();
        let errors = errors(&refused);
        assert!(errors.contains(message), "{errors}");
    };
    refused("2", "is of another book");
    for damaged in ["QR.!", "QR1", "QRST8", "QRSTP"] {
        fs::write(&partial, format!("{title}{damaged}")).unwrap();
        refused("1", "is damaged");
    }
    // And the columns of these, and of the positions with two stones.
    let later = opening::keys(2);
    let columns = format!("-3--{}5", "-".repeat(later.len() - 1));
    let whole = format!("{title}QRST{columns}");
    fs::write(&partial, &whole).unwrap();
    (0..2).for_each(|_| drop(command("1").assert().success()));
    assert_eq!(fs::read_to_string(&partial).unwrap(), whole);
    let bytes = fs::read(&out).unwrap();
    let book = book::Book::read(&bytes).unwrap();
    let keys = opening::keys(1);
    let scores = keys.iter().map(|&key| book.score(key));
    assert_eq!(scores.collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(book.column(1, keys[1]), Some(2));
    assert_eq!(later.last().and_then(|&key| book.column(2, key)), Some(4));
}

#[test]
fn an_appendix_has_the_columns_that_were_found_before() {
    let folder = Folder::new("appendix");
    let out = folder.file("a.appendix");
    let title = "connect4 7x6, columns of likely positions with 2 stones\n";
    fs::write(folder.file("a.appendix.partial"), format!("{title}4-7")).unwrap();
    let arguments = [
        "book", "connect4", "--memory", "1", "--depth", "2", "--likely", "3", "--out",
    ];
    tengen(&arguments).arg(&out).assert().success();
    let keys = opening::likely_keys(2, 3);
    let bytes = fs::read(&out).unwrap();
    let expected = book::write_appendix(2, &[(keys[0], 3), (keys[2], 6)]).unwrap();
    assert_eq!(bytes, expected);
}

#[test]
fn an_order_is_learned_the_same_with_any_number_of_threads() {
    let folder = Folder::new("order");
    let learned = ["1", "3"].map(|threads| {
        let out = folder.argument(threads);
        let arguments = [
            "tune",
            "connect4",
            "--positions",
            "4",
            "--tries",
            "12",
            "--threads",
            threads,
            "--out",
            &out,
        ];
        let done = tengen(&arguments).assert().success();
        let told = String::from_utf8(done.get_output().stdout.clone()).unwrap();
        (told, fs::read_to_string(&out).unwrap())
    });
    assert_eq!(learned[0], learned[1]);
    let [(lines, weights), _] = learned;
    let means = lines.lines().map(|line| line.split(": ").nth(1).unwrap());
    let means: Vec<f64> = means.map(|mean| mean.parse().unwrap()).collect();
    assert!(means.is_sorted_by(|a, b| a >= b), "{lines:?}");
    assert!(means.first() > means.last(), "{lines:?}");
    assert!(Weights::read(&weights).is_some(), "{weights}");
}
