//! Weights that set their own rates: temporal coherence (Beal and Smith, Temporal Coherence and
//! Prediction Decay in TD Learning, 1999).
//!
//! A weight whose corrections all have one sign is far from its place and moves at the full rate.
//! One whose corrections cancel each other is there, and what moves it is noise.

/// A weight, with the corrections that it has got.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coherent {
    /// The weight.
    pub value: f32,
    /// The sum of the corrections.
    net: f32,
    /// The sum of their sizes.
    total: f32,
}

impl Coherent {
    /// Bytes of a weight that is saved.
    pub const BYTES: usize = 12;

    /// All of it as bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let parts = [self.value, self.net, self.total].map(f32::to_le_bytes);
        bytes.copy_from_slice(parts.as_flattened());
        bytes
    }

    /// The weight that was saved.
    #[must_use]
    pub fn of_bytes(bytes: [u8; Self::BYTES]) -> Coherent {
        let part = |place: usize| f32::from_le_bytes(std::array::from_fn(|i| bytes[place + i]));
        Coherent {
            value: part(0),
            net: part(4),
            total: part(8),
        }
    }

    /// A weight that has got no corrections yet.
    #[must_use]
    pub fn new(value: f32) -> Coherent {
        Coherent {
            value,
            ..Coherent::default()
        }
    }

    /// Moves the weight by the part of `correction` that its own rate grants.
    #[inline]
    pub fn correct(&mut self, correction: f32) {
        let rate = if self.total > 0.0 {
            self.net.abs() / self.total
        } else {
            1.0
        };
        self.value += rate * correction;
        self.net += correction;
        self.total += correction.abs();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_moves_a_weight_less_and_less() {
        let mut weight = Coherent::default();
        let mut moved = Vec::new();
        for correction in [1.0, -1.0].into_iter().cycle().take(100) {
            let before = weight.value;
            weight.correct(correction);
            moved.push((weight.value - before).abs());
        }
        assert_eq!(moved[0], 1.0);
        assert!(moved[98..].iter().all(|&moved| moved < 0.02));
    }

    #[test]
    fn one_sign_moves_it_at_the_full_rate() {
        let mut weight = Coherent::new(2.0);
        (0..10).for_each(|_| weight.correct(0.5));
        assert_eq!(weight.value, 7.0);
        weight.correct(-3.0);
        assert_eq!(Coherent::of_bytes(weight.to_bytes()), weight);
    }
}
