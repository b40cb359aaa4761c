//! Ratings and a cross table, for matches of more than two engines.

use super::rating::{Meeting, Ratings};
use super::standing::{Standing, Standings};
use super::table::align;
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
struct Crosstable<'a> {
    engines: Vec<&'a str>,
    /// Points of the first and games of both, by their indices.
    scores: BTreeMap<(usize, usize), (f64, f64)>,
}

impl<'a> Crosstable<'a> {
    /// Games of an engine with itself say nothing and are left out.
    fn new(played: &[&'a Standing]) -> Crosstable<'a> {
        let mut table = Crosstable {
            engines: Vec::new(),
            scores: BTreeMap::new(),
        };
        for standing in played {
            let [one, other] = standing.engines.each_ref().map(|name| table.index(name));
            if one != other {
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

    fn render(&self, board: &str) -> String {
        let ratings = self.ratings();
        let mut order: Vec<usize> = (0..self.engines.len()).collect();
        order.sort_by(|&one, &other| ratings.elo[other].total_cmp(&ratings.elo[one]));
        let mut headings = ["#", "engine", "Elo", "+-", "games", "score"]
            .map(str::to_owned)
            .to_vec();
        headings.extend((1..=order.len()).map(|rank| rank.to_string()));
        let mut rows = vec![headings];
        for (rank, &engine) in (1..).zip(&order) {
            let own = self
                .scores
                .range((engine, 0)..(engine + 1, 0))
                .map(|(_, score)| score);
            let (points, games) = own.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            let mut row = vec![
                rank.to_string(),
                self.engines[engine].to_owned(),
                format!("{:+.0}", ratings.elo[engine]),
                format!("{:.0}", ratings.error(engine)),
                format!("{games:.0}"),
                format!("{:.1} %", 100.0 * points / games),
            ];
            row.extend(order.iter().map(|&other| self.cell(engine, other)));
            rows.push(row);
        }
        format!(
            "\n{board}: ratings with 95 % errors (mean 0), scores in % against each\n{}",
            align(&rows)
        )
    }

    fn cell(&self, engine: usize, other: usize) -> String {
        let score = self.scores.get(&(engine, other));
        score.map_or_else(
            || "-".to_owned(),
            |(points, games)| format!("{:.1}", 100.0 * points / games),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::record::{GameRecord, Termination, sample};

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
