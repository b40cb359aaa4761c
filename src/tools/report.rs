//! `tengen report`: reports of matches from their records.

use super::browser;
use crate::arena::records::replacement::is_same;
use crate::arena::report::{self, markdown};
use anyhow::{Context, ensure};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  tengen report games.jsonl                    writes games.html
  tengen report *.jsonl --html all.html        one page of several matches
  tengen report games.jsonl --markdown         tables for a README, to the standard output

The page is one file that needs no network. Records come from: tengen match ... --json FILE";

/// Make a page of HTML, or tables in Markdown, from records of games.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES, after_help = "Examples: see --help")]
pub struct ReportArgs {
    /// Files of records, one line of JSON a game
    #[arg(required = true, value_name = "RECORDS")]
    records: Vec<PathBuf>,
    /// Write the page to this file [default, without --markdown: the first RECORDS as .html]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long, conflicts_with = "markdown")]
    open: bool,
    /// Write tables in Markdown to the standard output
    #[arg(long)]
    markdown: bool,
}

/// Writes what was asked for; where that is a page, its name goes to `out`, unless tables do.
///
/// # Errors
/// When records cannot be read, or the page cannot be written.
pub fn run(args: &ReportArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let page = match &args.html {
        None if args.markdown => None,
        None => args.records.first().map(|path| path.with_extension("html")),
        Some(path) => Some(path.clone()),
    };
    let summary = match &page {
        Some(page) => {
            ensure!(
                !args.records.iter().any(|records| is_same(records, page)),
                "{} is a file of records, so the page cannot be written there",
                page.display()
            );
            report::write_page_to(&args.records, page)?
        }
        None => report::summarise(&args.records)?,
    };
    if args.markdown {
        write!(out, "{}", markdown::render(&summary.tables()?))?;
    } else if let Some(page) = &page {
        writeln!(out, "wrote {}", page.display())?;
    }
    if let Some(page) = page.filter(|_| args.open) {
        browser::open(page.as_os_str()).context("no browser could be opened")?;
    }
    Ok(())
}
