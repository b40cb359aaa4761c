//! Another move in place of the best, so that games differ.

use super::report::MoveReport;
use crate::rollout::Random;
use rand::RngExt;

/// Puts first one of the moves, which stand best first, that are expected to score no less than
/// `least`, each as likely as the others. The best is one of them. Nothing that is proven is
/// chosen in its place, nor a move that was hardly looked at: with fewer visits than the square root
/// of all.
pub fn choose(moves: &mut [MoveReport], least: f64, random: &mut Random) {
    let all: u64 = moves.iter().map(|mv| mv.visits).sum();
    let known = all.isqrt().max(1);
    let is_good = |mv: &MoveReport| mv.proof.is_none() && mv.visits >= known && mv.mean >= least;
    let others = moves.iter().enumerate().skip(1);
    let good: Vec<usize> = others
        .filter(|(_, mv)| is_good(mv))
        .map(|(at, _)| at)
        .collect();
    let drawn = random.random_range(0..=good.len());
    if let Some(&at) = good.get(drawn) {
        moves[..=at].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Action;
    use crate::knowledge::{Proof, ProofResult};
    use rand::SeedableRng;

    #[test]
    fn only_good_moves_that_were_looked_at_are_chosen() {
        let mv = |column, visits, mean, result: Option<ProofResult>| MoveReport {
            action: Action::Column(column),
            visits,
            mean,
            proof: result.map(|result| Proof { result, plies: 3 }),
            score: None,
            pv: Vec::new(),
        };
        let moves = [
            mv(0, 900, 0.60, None),
            mv(1, 50, 0.58, None),
            mv(2, 40, 0.50, None),
            mv(3, 35, 0.57, None),
            mv(4, 35, 0.60, Some(ProofResult::Draw)),
            mv(5, 3, 0.60, None),
        ];
        let mut chosen = [0; 6];
        for seed in 0..300 {
            let mut moves = moves.clone();
            choose(&mut moves, 0.56, &mut Random::seed_from_u64(seed));
            let Action::Column(column) = moves[0].action else {
                unreachable!()
            };
            chosen[usize::from(column)] += 1;
        }
        let counted: u32 = [0, 1, 3].map(|at| chosen[at]).iter().sum();
        assert_eq!(counted, 300, "{chosen:?}");
        assert!([0, 1, 3].iter().all(|&at| chosen[at] > 60), "{chosen:?}");
    }
}
