use super::*;
use crate::game::reversi::Reversi;
use crate::game::{Game, GameKind, Moves, Playable, Setup};
use crate::knowledge::reversi::shapes::Sharing;
use crate::rollout::Random;
use rand::{Rng, RngExt, SeedableRng};

/// A net that is as good as any for comparisons.
fn noise(random: &mut Random) -> Net {
    let mut net = Net::blank();
    for entries in Sharing::new(&DRAWN).all() {
        let row = Row(std::array::from_fn(|_| random.next_u64() as i8 / 4));
        entries.into_iter().for_each(|entry| net.rows[entry] = row);
    }
    for bias in net.biases.as_flattened_mut() {
        *bias = random.random_range(-50..100);
    }
    for output in &mut net.outputs {
        output.weights = std::array::from_fn(|_| random.random_range(-3000..3000));
        output.bias = random.random_range(-90..90);
    }
    net
}

/// Calls `check` with every position of random games.
fn positions(random: &mut Random, games: u32, mut check: impl FnMut(&Reversi, &Moves)) {
    for _ in 0..games {
        let mut position = Reversi::new(&Setup::standard(GameKind::Reversi)).unwrap();
        while position.outcome().is_none() {
            let mut moves = Moves::new();
            position.legal_moves(&mut moves);
            check(&position, &moves);
            position.play(moves[random.random_range(0..moves.len())]);
        }
    }
}

/// The correction in plain words.
fn plain(net: &Net, board: Board) -> i32 {
    let discs = board.discs();
    let mut sums = net.biases[discs as usize];
    for (placement, base) in BASES.0.into_iter().enumerate() {
        let disc =
            |square: usize| (board.own >> square & 1) as i32 - (board.other >> square & 1) as i32;
        let addend = |square: usize| i32::from(ADDENDS[square].0[placement]);
        let number: i32 = (0..64).map(|square| disc(square) * addend(square)).sum();
        let row = net.rows[(base + number) as usize].0;
        sums.iter_mut()
            .zip(row)
            .for_each(|(sum, it)| *sum += i16::from(it));
    }
    let output = net.outputs[stage(discs)];
    let products = sums.iter().zip(output.weights).map(|(&sum, weight)| {
        let number = i32::from(sum.clamp(0, ONE));
        number * number * i32::from(weight)
    });
    i32::from(output.bias) + products.sum::<i32>() / (128 * 128 * FINE)
}

struct CorrectChildren<'a> {
    net: &'a Net,
    board: Board,
    moves: &'a Moves,
}

impl Kernel for CorrectChildren<'_> {
    type Output = Vec<i32>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Vec<i32> {
        let children = Children::new(simd, self.net, self.board);
        let turns = self.moves.iter().map(|mv| self.board.turn(simd, mv.code()));
        turns.map(|turn| children.correction(simd, turn)).collect()
    }
}

/// Every ISA finds what a sum in plain words finds, and children are corrected as they are alone.
#[test]
fn every_isa_corrects_alike() {
    let mut random = Random::seed_from_u64(1);
    let net = &noise(&mut random);
    positions(&mut random, 20, |position, moves| {
        let board = Board::from(position);
        let expected = plain(net, board);
        let children = moves.iter().map(|&mv| {
            let mut child = position.clone();
            child.play(mv);
            let Board { own, other } = Board::from(&child);
            // A game that is over has no side to move; the numbers are the opponent's.
            let seen = match child.side_to_move() == position.side_to_move() {
                true => Board {
                    own: other,
                    other: own,
                },
                false => Board { own, other },
            };
            -plain(net, seen)
        });
        let children: Vec<i32> = children.collect();
        for isa in Isa::all() {
            assert_eq!(isa.run(Correction { net, board }), expected);
            assert_eq!(isa.run(CorrectChildren { net, board, moves }), children);
        }
    });
}

#[test]
fn a_board_is_worth_the_same_from_every_side() {
    let mut random = Random::seed_from_u64(2);
    let net = noise(&mut random);
    positions(&mut random, 5, |position, _| {
        let Board { own, other } = Board::from(position);
        let turned = Board {
            own: own.swap_bytes(),
            other: other.swap_bytes(),
        };
        assert_eq!(net.correction(Board { own, other }), net.correction(turned));
    });
}

#[test]
fn a_net_comes_out_as_it_went_in() {
    let net = noise(&mut Random::seed_from_u64(3));
    let bytes = net.write();
    assert_eq!(Net::read(&bytes), Ok(net));
    let refused = |bytes: &[u8]| Net::read(bytes).err();
    assert_eq!(refused(&bytes[..20]), Some(WeightsError::Format));
    assert_eq!(refused(&bytes[..300]), Some(WeightsError::Checksum));
    for (place, error) in [
        (0, WeightsError::Format),
        (8, WeightsError::Format),
        (9, WeightsError::Shapes),
        (10, WeightsError::Shapes),
        (200, WeightsError::Checksum),
    ] {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1;
        assert_eq!(refused(&bytes), Some(error));
    }
}

#[test]
#[cfg(feature = "weights-reversi")]
fn this_program_has_a_net() {
    assert!(Net::read(OWN).is_ok());
}
