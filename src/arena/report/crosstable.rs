//! Ratings and a cross table, for matches of more than two engines.

use crate::arena::report::table::align;
use crate::arena::statistics::rating::{Meeting, Ratings};
use crate::arena::statistics::standing::{Standing, Standings};
use std::collections::BTreeMap;

/// For every board on which more than two engines have played: each engine's rating and its
/// score against every other. Empty when there is none.
#[must_use]
pub fn render(standings: &Standings) -> String {
    let mut boards: BTreeMap<&str, Vec<&Standing>> = BTreeMap::new();
    for standing in standings.iter() {
        boards.entry(&standing.board).or_default().push(standing);
    }
    let tables = boards
        .into_iter()
        .map(|(board, played)| (board, Crosstable::new(&played)));
    let tables = tables.filter(|(_, table)| table.engines.len() > 2);
    tables.map(|(board, table)| table.render(board)).collect()
}

/// Points and games of every engine against every other, on one board.
pub(super) struct Crosstable<'a> {
    engines: Vec<&'a str>,
    /// Points of the first and games of both, by their indices.
    scores: BTreeMap<(usize, usize), (f64, f64)>,
}

impl<'a> Crosstable<'a> {
    /// Games of an engine with itself say nothing and are left out.
    pub(super) fn new(played: &[&'a Standing]) -> Crosstable<'a> {
        let mut table = Crosstable {
            engines: Vec::new(),
            scores: BTreeMap::new(),
        };
        for standing in played {
            let [one, other] = &standing.engines;
            if one != other {
                let (one, other) = (table.index(one), table.index(other));
                let games = f64::from(standing.games());
                let points = f64::from(standing.wins) + 0.5 * f64::from(standing.draws);
                table.add(one, other, points, games);
                table.add(other, one, games - points, games);
            }
        }
        table
    }

    fn index(&mut self, name: &'a str) -> usize {
        let known = self.engines.iter().position(|&engine| engine == name);
        known.unwrap_or_else(|| {
            self.engines.push(name);
            self.engines.len() - 1
        })
    }

    fn add(&mut self, one: usize, other: usize, points: f64, games: f64) {
        let (total, played) = self.scores.entry((one, other)).or_default();
        *total += points;
        *played += games;
    }

    fn ratings(&self) -> Ratings {
        let once = self.scores.iter().filter(|((one, other), _)| one < other);
        let meetings: Vec<Meeting> = once
            .map(|(&(one, other), &(points, games))| Meeting {
                players: [one, other],
                points: [points, games - points],
            })
            .collect();
        Ratings::new(self.engines.len(), &meetings, Ratings::PRIOR)
    }

    /// A row for every engine, best rating first. None where no two engines met.
    pub(super) fn rows(&self) -> Vec<Row<'a>> {
        if self.scores.is_empty() {
            return Vec::new();
        }
        let ratings = self.ratings();
        let mut order: Vec<usize> = (0..self.engines.len()).collect();
        order.sort_by(|&one, &other| ratings.elo[other].total_cmp(&ratings.elo[one]));
        let row = |&engine: &usize| {
            let score = |other: &usize| self.scores.get(&(engine, *other)).copied();
            let cells: Vec<_> = order.iter().map(score).collect();
            let met = cells.iter().flatten();
            let (points, games) = met.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            Row {
                engine: self.engines[engine],
                elo: ratings.elo[engine],
                error: ratings.error(engine),
                points,
                games,
                cells,
            }
        };
        order.iter().map(row).collect()
    }

    fn render(&self, board: &str) -> String {
        let rows = self.rows();
        let mut headings = ["#", "engine", "Elo", "+-", "games", "score"]
            .map(str::to_owned)
            .to_vec();
        headings.extend((1..=rows.len()).map(|rank| rank.to_string()));
        let mut texts = vec![headings];
        for (rank, row) in (1..).zip(&rows) {
            let mut text = vec![
                rank.to_string(),
                row.engine.to_owned(),
                format!("{:+.0}", row.elo),
                format!("{:.0}", row.error),
                format!("{:.0}", row.games),
                format!("{:.1} %", 100.0 * row.points / row.games),
            ];
            text.extend(row.cells.iter().map(|&cell| percent(cell)));
            texts.push(text);
        }
        format!(
            "\n{board}: ratings with 95 % errors (mean 0), scores in % against each\n{}",
            align(&texts)
        )
    }
}

/// The score of a cell; `-` where two did not meet.
fn percent(cell: Option<(f64, f64)>) -> String {
    cell.map_or_else(
        || "-".to_owned(),
        |(points, games)| format!("{:.1}", 100.0 * points / games),
    )
}

/// One engine against all others.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    /// As the command line names it.
    pub(super) engine: &'a str,
    /// Its rating; the mean of all is 0.
    pub(super) elo: f64,
    /// Half the 95 % interval of the rating.
    pub(super) error: f64,
    /// The points of all its games.
    pub(super) points: f64,
    /// All its games.
    pub(super) games: f64,
    /// Points from each engine and games with it, in the order of the rows; `None` where they
    /// did not meet.
    pub(super) cells: Vec<Option<(f64, f64)>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::records::record::{GameRecord, Termination, sample};

    fn play(
        standings: &mut Standings,
        pairing: usize,
        engines: [&str; 2],
        results: &[Option<usize>],
    ) {
        for (number, &winner) in (0..).zip(results) {
            standings.add(&GameRecord {
                pairing,
                engines: engines.map(str::to_owned),
                ..sample(number, winner, Termination::Win)
            });
        }
    }

    #[test]
    fn every_engine_has_a_row_and_a_column() {
        let mut standings = Standings::default();
        let (won, lost) = (Some(0), Some(1));
        play(
            &mut standings,
            0,
            ["weak", "strong"],
            &[lost, lost, None, lost],
        );
        assert_eq!(render(&standings), "");
        play(
            &mut standings,
            1,
            ["weak", "middle"],
            &[won, None, lost, lost],
        );
        play(
            &mut standings,
            2,
            ["strong", "middle"],
            &[won, won, None, lost],
        );
        play(&mut standings, 3, ["weak", "weak"], &[won, lost]);
        play(&mut standings, 4, ["alone", "alone"], &[won, lost]);
        let shown = render(&standings);
        let words = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let rows: Vec<Vec<String>> = shown.lines().skip(3).map(words).collect();
        let cells = |row: &[String]| [&row[..2], &row[4..]].concat().join(" ");
        let rows: Vec<String> = rows.iter().map(|row| cells(row)).collect();
        assert_eq!(
            rows,
            [
                "1 strong 8 75.0 % - 62.5 87.5",
                "2 middle 8 50.0 % 37.5 - 62.5",
                "3 weak 8 25.0 % 12.5 37.5 -",
            ],
            "{shown}"
        );
    }
}
