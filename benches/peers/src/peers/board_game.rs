//! The crate `board-game`.
//!
//! It always keeps the results that are proven, and ends when the root is. An iteration that
//! proves a new node makes no rollout.

use super::EXPLORATION;
use crate::rules::{Code, Position, Rules};
use crate::{Made, Make};
use board_game::ai::mcts::mcts_build_tree;
use board_game::board::{
    AltBoard, Alternating, Board, BoardDone, BoardMoves, BoardSymmetry, Outcome, PlayError, Player,
};
use board_game::symmetry::UnitSymmetry;
use board_game::util::iter::ClonableInternal;
use rand_0_8::rngs::SmallRng;
use rand_0_8::{Rng, SeedableRng};
use std::fmt;
use tengen::game::{Game, Side};

/// The legal moves, as the crate asks for them.
type Codes = ClonableInternal<std::vec::IntoIter<Code>>;

impl<G: Game> Board for Position<G> {
    type Move = Code;

    fn next_player(&self) -> Player {
        match self.to_move() {
            Side::First => Player::A,
            Side::Second => Player::B,
        }
    }

    fn is_available_move(&self, mv: Code) -> Result<bool, BoardDone> {
        self.check_done()?;
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        Ok(moves.contains(&mv))
    }

    fn random_available_move(&self, random: &mut impl Rng) -> Result<Code, BoardDone> {
        self.check_done()?;
        Ok(self.any_move(|count| random.gen_range(0..count)))
    }

    fn play(&mut self, mv: Code) -> Result<(), PlayError> {
        Rules::play(self, mv);
        Ok(())
    }

    fn outcome(&self) -> Option<Outcome> {
        Rules::outcome(self).map(|outcome| match outcome.winner() {
            Some(Side::First) => Outcome::WonBy(Player::A),
            Some(Side::Second) => Outcome::WonBy(Player::B),
            None => Outcome::Draw,
        })
    }

    fn can_lose_after_move() -> bool {
        true
    }
}

impl<G: Game> Alternating for Position<G> {}

impl<'a, G: Game> BoardMoves<'a, Position<G>> for Position<G> {
    type AllMovesIterator = Codes;
    type AvailableMovesIterator = Codes;

    fn all_possible_moves() -> Codes {
        unimplemented!("the search does not ask for them")
    }

    fn available_moves(&'a self) -> Result<Codes, BoardDone> {
        self.check_done()?;
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        Ok(ClonableInternal::new(moves.into_iter()))
    }
}

impl<G: Game> BoardSymmetry<Position<G>> for Position<G> {
    type Symmetry = UnitSymmetry;
    type CanonicalKey = ();

    fn map(&self, _: UnitSymmetry) -> Self {
        self.clone()
    }

    fn map_move(&self, _: UnitSymmetry, mv: Code) -> Code {
        mv
    }

    fn canonical_key(&self) {}
}

impl<G: Game> PartialEq for Position<G> {
    fn eq(&self, other: &Self) -> bool {
        self.game().key() == other.game().key()
    }
}

impl<G: Game> Eq for Position<G> {}

impl<G: Game> fmt::Display for Position<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.game().fmt(f)
    }
}

impl<G: Game> fmt::Debug for Position<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.game().fmt(f)
    }
}

/// Searches of a position.
pub fn search<B: AltBoard>(position: B) -> Make {
    Box::new(move |iterations| {
        let mut random = SmallRng::seed_from_u64(1);
        let tree = mcts_build_tree(&position, iterations, EXPLORATION as f32, &mut random);
        // Every iteration counts at the root, the one that proves it too.
        Made::of(tree[0].visits.unsigned_abs(), tree)
    })
}
