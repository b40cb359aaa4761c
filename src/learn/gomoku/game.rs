//! Games of self-play: from an opening that neither side has won yet, to a proof.

use super::record::{Ply, Record};
use crate::arena::play::balanced::drawn;
use crate::bots::presets;
use crate::clock;
use crate::game::gomoku::Gomoku;
use crate::game::{Game, GameKind, Move, Playable, Rule, Setup, Side};
use crate::knowledge::ProofResult;
use crate::knowledge::gomoku::net::{Planes, SideNets};
use crate::knowledge::gomoku::patterns::Patterns;
use crate::knowledge::gomoku::{GomokuKnowledge, worth};
use crate::options::{Choice, Memory, SearchOptions};
use crate::rollout::Random;
use crate::search::{Limits, MoveReport, Report, Search, StopFlag};
use rand::RngExt;
use std::ops::Range;

/// Memory of a tree: room for some hundred playouts, and for so many bytes of each.
const MEMORY: u64 = 4 << 20;
const MEMORY_OF_PLAYOUT: u64 = 4 << 10;

/// Memory of the threat searches.
const TABLES: usize = 1 << 18;

/// Longer games are drawn.
const LONGEST: usize = 180;

/// Leaves are taken of searches with fewer stones than this on the board: with more, long games would have
/// most of them.
const LAST_LEAVES: usize = 32;

/// The most playouts with which a leaf is searched: of large trees many leaves that are judged so teach more
/// than few that are judged better (guess).
const LEAF_PLAYOUTS: u64 = 400;

/// Values 0..1 of leaves that are searched again: what others are worth is as good as known.
const OPEN: Range<f32> = 0.02..0.98;

/// Plies after the opening in which moves are drawn by their visits; twice as many again are drawn by
/// the squares of these, and then the best moves are played.
const VARIED: usize = 4;

/// Moves with less than this share of the best one's visits are not drawn.
const LEAST_SHARE: f32 = 0.1;

/// The board of a game: most are 15×15 or 20×20.
pub fn setup(rule: Rule, random: &mut Random) -> Setup {
    let size = match random.random_range(0..10) {
        0..=5 => 15,
        6..=8 => 20,
        _ => random.random_range(13..=19),
    };
    let setup = Setup::standard(GameKind::Gomoku).with(rule);
    setup.with_size(size, size)
}

/// A player by the nets of a rule.
pub struct Player {
    search: Search<Gomoku, GomokuKnowledge>,
    playouts: u64,
}

impl Player {
    /// One that makes so many playouts a move.
    #[must_use]
    pub fn new(position: &Gomoku, nets: SideNets, playouts: u64) -> Player {
        // As in play, but what the search makes of the priors is what they learn from: flattened, they
        // would be flatter each time.
        let options = SearchOptions {
            prior_temperature: 1.0,
            prior_uniform: 0.0,
            choice: Choice::Visits,
            memory: Memory::Bytes(MEMORY.max(playouts * MEMORY_OF_PLAYOUT)),
            ..presets::tengen(GameKind::Gomoku)
        };
        let knowledge = GomokuKnowledge::new(position.rule(), TABLES).with_nets(nets);
        Player {
            search: Search::new(position.clone(), knowledge, options),
            playouts,
        }
    }

    /// Searches the position it stands at, in which the game goes on.
    pub fn think(&mut self) -> Report {
        let limits = Limits::playouts(clock::now(), self.playouts);
        self.search.run(&limits, &StopFlag::new(), &mut |_| {})
    }

    /// Goes to another position with an empty tree.
    fn reset(&mut self, position: Gomoku) {
        self.search.reset(position);
    }

    /// Goes on to the position after a move.
    pub fn advance(&mut self, mv: Move) {
        self.search.advance(mv);
    }
}

/// An opening that these nets take to be balanced, the better so the sooner it is found.
pub fn balanced(rule: Rule, nets: &SideNets, random: &mut Random) -> (Gomoku, Vec<Move>) {
    let mut planes = Planes::default();
    let mut tolerance = 0.1;
    loop {
        tolerance += 0.005;
        let setup = setup(rule, random);
        let Some((game, moves)) = drawn(&setup, random) else {
            continue;
        };
        if (value(&game, nets, &mut planes) - 0.5).abs() > tolerance {
            continue;
        }
        let report = Player::new(&game, nets.clone(), 64).think();
        if report.proof.is_none() && (report.value - 0.5).abs() < f64::from(tolerance) {
            return (game, moves);
        }
    }
}

/// The score 0..1 that the net alone expects of the side to move.
fn value(game: &Gomoku, nets: &SideNets, planes: &mut Planes) -> f32 {
    let (board, side) = (Patterns::of(game), game.side_to_move());
    let worth = worth::of_position(&board, side);
    let verdict = nets.of(side).judge(game, &board, worth, planes);
    verdict.score()
}

/// A game of nets with themselves.
pub fn play(rule: Rule, nets: &SideNets, playouts: u64, random: &mut Random) -> Record {
    play_with_leaves(rule, nets, playouts, 0, random).0
}

/// A game of nets with themselves, and some of what its searches judged: of each search so many leaves,
/// as games that were left off there. Each leaf was searched on its own with half as many playouts, and not
/// with more than [`LEAF_PLAYOUTS`].
pub fn play_with_leaves(
    rule: Rule,
    nets: &SideNets,
    playouts: u64,
    leaves: u32,
    random: &mut Random,
) -> (Record, Vec<Record>) {
    let mut game = SelfPlay::begin(rule, nets, playouts, random);
    let of_leaf = LEAF_PLAYOUTS.min(playouts / 2);
    let mut judge = Player::new(&game.position, nets.clone(), of_leaf);
    let mut looked_at = Vec::new();
    while game.record.result.is_none() {
        let report = game.player.think();
        let chosen = game.choice(&report, random);
        if report.proof.is_none() && game.record.plies.len() < LAST_LEAVES {
            looked_at.extend((0..leaves).filter_map(|_| game.leaf(&mut judge, random)));
        }
        game.go_on(&report, chosen);
    }
    (game.record, looked_at)
}

/// These records of a game and its leaves, the leaves that are not decided searched with so many playouts.
#[must_use]
pub fn search_again(records: &[Record], nets: &SideNets, playouts: u64) -> Vec<Record> {
    let mut judge = None;
    let mut again = |record: &Record| {
        let value = record.plies.get(record.opening)?.value?;
        if record.result.is_some() || !OPEN.contains(&value) {
            return None;
        }
        let position = record.position_before(record.opening)?;
        let new_judge = || Player::new(&position, nets.clone(), playouts);
        let judge = judge.get_or_insert_with(new_judge);
        let moves = record.plies[..record.opening].to_vec();
        left_off(&position, moves, judge)
    };
    let record = |record| again(record).unwrap_or_else(|| record.clone());
    records.iter().map(record).collect()
}

/// A game that goes on.
struct SelfPlay {
    position: Gomoku,
    record: Record,
    player: Player,
}

impl SelfPlay {
    fn begin(rule: Rule, nets: &SideNets, playouts: u64, random: &mut Random) -> SelfPlay {
        let (position, moves) = balanced(rule, nets, random);
        SelfPlay {
            record: Record {
                setup: position.setup(),
                opening: moves.len(),
                result: None,
                plies: moves.into_iter().map(bare).collect(),
            },
            player: Player::new(&position, nets.clone(), playouts),
            position,
        }
    }

    fn choice(&self, report: &Report, random: &mut Random) -> Option<Move> {
        let after = self.record.plies.len() - self.record.opening;
        let chosen = choose(report, after, random)?;
        self.position.parse_action(chosen.action)
    }

    /// Notes what was found, and plays; ends at a proof, at the end of the game, or when it has become
    /// too long.
    fn go_on(&mut self, report: &Report, chosen: Option<Move>) {
        let side = self.position.side_to_move();
        if let Some(mv) = chosen {
            self.record.plies.push(searched(&self.position, report, mv));
            self.position.play(mv);
            self.player.advance(mv);
        }
        let is_over = self.position.outcome().is_some() || self.record.plies.len() >= LONGEST;
        self.record.result = match report.proof {
            Some(proof) => Some(of_side(proof.result.score(), side)),
            None => (is_over || chosen.is_none()).then(|| result(&self.position)),
        };
    }

    /// A position that the search judged, searched by the judge. `None`: a game ends there.
    fn leaf(&self, judge: &mut Player, random: &mut Random) -> Option<Record> {
        let mut position = self.position.clone();
        let mut plies: Vec<_> = self.record.plies.iter().map(|ply| ply.cell).collect();
        for mv in self.player.search.playout(random) {
            if position.outcome().is_some() {
                return None;
            }
            position.play(mv);
            plies.push(mv.code());
        }
        if position.outcome().is_some() {
            return None;
        }
        let plies = plies.into_iter().map(Move::new).map(bare);
        left_off(&position, plies.collect(), judge)
    }
}

/// A game that was left off at this position, to which these plies led, with what the judge finds there.
fn left_off(position: &Gomoku, mut plies: Vec<Ply>, judge: &mut Player) -> Option<Record> {
    judge.reset(position.clone());
    let report = judge.think();
    let best = position.parse_action(report.best?)?;
    let opening = plies.len();
    plies.push(searched(position, &report, best));
    Some(Record {
        setup: position.setup(),
        opening,
        result: None,
        plies,
    })
}

/// A ply that no search chose.
fn bare(mv: Move) -> Ply {
    Ply {
        cell: mv.code(),
        value: None,
        policy: Vec::new(),
    }
}

/// A ply with what the search found before it.
fn searched(position: &Gomoku, report: &Report, mv: Move) -> Ply {
    Ply {
        cell: mv.code(),
        value: Some(report.value as f32),
        policy: policy(position, report),
    }
}

/// The score of the first side where `side` has this one.
fn of_side(score: f32, side: Side) -> f32 {
    match side {
        Side::First => score,
        Side::Second => 1.0 - score,
    }
}

/// The score of the first side in a game that ended, or was given up as drawn.
fn result(game: &Gomoku) -> f32 {
    let winner = game.outcome().and_then(|outcome| outcome.winner());
    winner.map_or(0.5, |side| of_side(1.0, side))
}

/// The move to play: the best one, or one drawn by visits early in a game.
fn choose<'r>(report: &'r Report, after: usize, random: &mut Random) -> Option<&'r MoveReport> {
    let best = report.moves.first()?;
    let power = match after {
        _ if report.proof.is_some() || best.proof.is_some() => return Some(best),
        0..VARIED => 1,
        _ if after < 3 * VARIED => 2,
        _ => return Some(best),
    };
    let least = LEAST_SHARE * best.visits as f32;
    let drawn = || {
        let moves = report.moves.iter().filter(|it| it.proof.is_none());
        moves.filter(|it| it.visits as f32 >= least)
    };
    let weight = |it: &MoveReport| (it.visits as f32).powi(power);
    let mut left = random.random_range(0.0..1.0) * drawn().map(weight).sum::<f32>();
    let hit = drawn().find(|it| {
        left -= weight(it);
        left <= 0.0
    });
    hit.or(Some(best))
}

/// The visits of the moves, the winning one alone where one is proven to win; none where none can win.
fn policy(game: &Gomoku, report: &Report) -> Vec<(u16, u16)> {
    /// The number of most visited moves that are kept.
    const MOST: usize = 40;
    let cell = |it: &MoveReport| game.parse_action(it.action).map(Move::code);
    match report.proof.map(|proof| proof.result) {
        Some(ProofResult::Win) => {
            let best = report.moves.first().and_then(cell);
            best.map(|cell| (cell, 1)).into_iter().collect()
        }
        Some(_) => Vec::new(),
        None => {
            let lost = |it: &&MoveReport| it.proof.is_some_and(|it| it.result == ProofResult::Loss);
            let moves = report.moves.iter().filter(|it| it.visits > 1 && !lost(it));
            let weighed = moves.filter_map(|it| {
                let visits = it.visits.min(u64::from(u16::MAX)) as u16;
                Some((cell(it)?, visits))
            });
            weighed.take(MOST).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Model;
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn players_judge_leaves_by_their_net() {
        let nets = SideNets::same(Model::new(1).net());
        for seed in 0..8 {
            let mut random = Random::seed_from_u64(seed);
            let (mut game, _) = balanced(Rule::Freestyle, &nets, &mut random);
            // The first playout judges the first child.
            let report = Player::new(&game, nets.clone(), 1).think();
            game.play(game.parse_action(report.best.unwrap()).unwrap());
            let value = 1.0 - value(&game, &nets, &mut Planes::default());
            assert!((report.value - f64::from(value)).abs() < 0.01);
        }
    }

    #[test]
    fn leaves_are_positions_after_those_of_the_game() {
        let nets = SideNets::same(Model::new(1).net());
        let mut random = Random::seed_from_u64(3);
        let (game, leaves) = play_with_leaves(Rule::Freestyle, &nets, 40, 2, &mut random);
        assert!(game.result.is_some());
        assert!(leaves.len() > game.plies.len() - game.opening);
        for leaf in &leaves {
            assert_eq!((leaf.result, leaf.plies.len()), (None, leaf.opening + 1));
            let cells =
                |record: &Record| -> Vec<u16> { record.plies.iter().map(|ply| ply.cell).collect() };
            assert!(cells(leaf).starts_with(&cells(&game)[..game.opening]));
            let position = leaf.position_before(leaf.opening).unwrap();
            assert!(position.outcome().is_none());
            let value = leaf.plies[leaf.opening].value.unwrap();
            assert!((0.0..=1.0).contains(&value));
        }
        // The first move is drawn before any leaf.
        let alone = play(Rule::Freestyle, &nets, 40, &mut Random::seed_from_u64(3));
        assert_eq!(alone.plies[..=alone.opening], game.plies[..=game.opening]);
    }

    #[test]
    fn leaves_that_are_not_decided_are_searched_again() {
        let nets = SideNets::same(Model::new(1).net());
        let mut random = Random::seed_from_u64(3);
        let (game, leaves) = play_with_leaves(Rule::Freestyle, &nets, 40, 2, &mut random);
        let records = [vec![game.clone()], leaves].concat();
        let again = search_again(&records, &nets, 200);
        assert_eq!((again.len(), &again[0]), (records.len(), &game));
        let mut changed = 0;
        for (leaf, again) in records.iter().zip(&again).skip(1) {
            assert_eq!((again.result, again.opening), (None, leaf.opening));
            assert_eq!(again.plies[..again.opening], leaf.plies[..leaf.opening]);
            let value = leaf.plies[leaf.opening].value.unwrap();
            assert!(again == leaf || OPEN.contains(&value));
            changed += usize::from(again != leaf);
        }
        assert!(changed > records.len() / 4);
    }
}
