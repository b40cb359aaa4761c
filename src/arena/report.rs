//! What people see of matches: tables as text, and reports that are made from records, a page of
//! HTML and tables in Markdown.
//!
//! A file uses those above its own in this list:
//!
//! | module | what it is |
//! |---|---|
//! | [`table`] | standings as text |
//! | [`crosstable`] | ratings and scores of many engines as text |
//! | [`progress`] | how far a match is |
//! | [`replay`] | one game as the page shows it: which cells each move changed |
//! | [`summary`] | what the records add up to |
//! | [`markdown`] | the tables as Markdown |
//!
//! The page is one file that asks for nothing else: no font, no script, no picture. It knows no
//! rules either. What a move did to the board is worked out here, by the games themselves, and
//! the page paints the cells that it is told.
//!
//! Names of engines and what they told are text from outside. In the page's data no `<` is
//! left, so nothing in it can end its element, and the script shows it as text alone.

pub mod crosstable;
pub mod markdown;
pub mod progress;
pub mod replay;
pub mod summary;
pub mod table;

use crate::arena::records::journal;
use crate::arena::records::replacement::{Replacement, has_content};
use anyhow::ensure;
use replay::Replay;
use serde::Serialize;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use summary::Summary;

const PAGE: &str = include_str!("report/page.html");
/// What every page begins with.
const PAGE_START: &[u8; 15] = b"<!doctype html>";
/// What it shares with the page of `tengen board`, and its own.
const STYLE: &str = concat!(
    include_str!("../web/board.css"),
    include_str!("report/page.css")
);
/// What it shares with that page.
const BOARD: &str = include_str!("../web/board.js");
const GAME: &str = include_str!("report/game.js");
const SCRIPT: &str = include_str!("report/page.js");

/// What the records in these files add up to.
///
/// # Errors
/// When a file cannot be read, or a record cannot be counted: with the file and the line.
pub fn summarise<P: AsRef<Path>>(files: &[P]) -> anyhow::Result<Summary> {
    let mut summary = Summary::default();
    for file in files {
        journal::read(file.as_ref(), |_, record| summary.add(&record))?;
    }
    Ok(summary)
}

/// Writes the page of the games in these files, and returns what they add up to. Holds a few
/// bytes of each game at a time, so files may be large.
///
/// # Errors
/// When a file cannot be read or holds no games, a record cannot be played, or `out` cannot be
/// written.
pub fn write_page<P: AsRef<Path>>(files: &[P], out: &mut dyn Write) -> anyhow::Result<Summary> {
    let mut summary = Summary::default();
    for line in PAGE.lines() {
        match line.trim() {
            "@style" => out.write_all(STYLE.as_bytes())?,
            "@board" => out.write_all(BOARD.as_bytes())?,
            "@game" => out.write_all(GAME.as_bytes())?,
            "@script" => out.write_all(SCRIPT.as_bytes())?,
            "@games" => {
                for file in files {
                    journal::read(file.as_ref(), |_, record| {
                        summary.add(&record)?;
                        writeln!(out, "{}", embedded(&Replay::new(&record)?)?)?;
                        Ok(())
                    })?;
                }
            }
            "@tables" => writeln!(out, "{}", embedded(&summary.tables()?)?)?,
            _ => writeln!(out, "{line}")?,
        }
    }
    out.flush()?;
    Ok(summary)
}

/// Writes the page to a file, which it replaces once it is complete: see [`write_page`].
///
/// # Errors
/// As there, and when the file cannot be made or would replace what is no page.
pub fn write_page_to<P: AsRef<Path>>(files: &[P], page: &Path) -> anyhow::Result<Summary> {
    check_page(page)?;
    let mut out = Replacement::create(page)?;
    let summary = write_page(files, &mut out)?;
    out.finish()?;
    Ok(summary)
}

/// Tries whether a page could be written there, and leaves all as it was.
///
/// # Errors
/// When it could not, or when what is there is no page: it may be somebody's records.
pub fn check_page(page: &Path) -> anyhow::Result<()> {
    if has_content(page) {
        let mut start = [0; PAGE_START.len()];
        let read = File::open(page).and_then(|mut file| file.read_exact(&mut start));
        ensure!(
            read.is_ok() && start == *PAGE_START,
            "{} is no page, so that none is written over it",
            page.display()
        );
    }
    Replacement::check(page)
}

/// JSON on one line that may stand in an element `script`. Outside of strings JSON has no `<`,
/// so `\u003c` is the same text to its reader, and neither `</script` nor `<!--` is left.
fn embedded(value: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_end_the_element_that_holds_it() {
        let hostile = "</script><!--<script>\u{2028}\n\"";
        let text = embedded(&hostile).unwrap();
        assert!(!text.contains(['<', '\n']), "{text}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
    }

    #[test]
    fn every_part_of_the_page_has_its_place() {
        for part in ["@style", "@board", "@game", "@script", "@games", "@tables"] {
            let places = PAGE.lines().filter(|line| line.trim() == part);
            assert_eq!(places.count(), 1, "{part}");
        }
        assert!(PAGE.contains("default-src 'none'"));
        assert!(PAGE.as_bytes().starts_with(PAGE_START));
    }
}
