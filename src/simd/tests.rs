use super::shorts::{Bases, ROW, Row, SHORTS};
use super::*;
use proptest::prelude::*;
use rand::Rng;

/// Everything that lanes can do, done to two arrays.
struct Everything {
    words: [u64; LANES],
    others: [u64; LANES],
    by: u32,
}

impl Kernel for Everything {
    /// The results, and which lanes of them count.
    type Output = (Vec<[u64; LANES]>, Range<usize>);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let (a, b) = (simd.load(self.words), simd.load(self.others));
        let shared = self.words.map(AtomicU64::new);
        let mut streams = LaneRandom::new(simd, self.words[0], self.by);
        let mut results = vec![
            simd.words(a),
            simd.words(simd.load_shared(&shared)),
            simd.words(simd.splat(self.words[3])),
            simd.words(a + b),
            simd.words(a - b),
            simd.words(a & b),
            simd.words(a | b),
            simd.words(a ^ b),
            simd.words(!a),
            simd.words(a << self.by),
            simd.words(a >> self.by),
            simd.words(a.rotate_left(self.by.max(1))),
            // Both shifts that leave something and shifts that do not.
            simd.words(a.shift_left_each(b)),
            simd.words(a.shift_left_each(b & simd.splat(0x7f))),
            simd.words(a.multiply_low(b)),
            simd.words(multiply(simd, a, self.others[5])),
            simd.words((a & b).is_not_zero()),
            simd.words(a.choose(a, b)),
            simd.words(streams.draw()),
            simd.words(streams.draw()),
        ];
        results.extend(self.float_results(simd));
        let mut flags = [0; LANES];
        let mut drawn = [0; LANES];
        for lane in simd.lanes() {
            let bit = lane - simd.lanes().start;
            flags[lane] = u64::from((a & b).not_zero_bits() >> bit & 1);
            drawn[lane] = simd.set_bit_for(self.words[lane], self.others[lane]);
        }
        results.extend([flags, drawn]);
        if simd.lanes().len() == LANES {
            results.extend(self.joint_float_results(simd));
            results.extend([
                simd.words(a.next_words::<4>()),
                simd.words(a.next_words::<8>()),
                simd.words(a.lower_twice()),
                simd.words(simd.rotate_left_each(a, b & simd.splat(63))),
                simd.words(simd.nearest_bits(a)),
                simd.words(simd.nearest_bits(a & b)),
                simd.words(simd.where_not_zero(a & b, a)),
                [simd.joined(a & b); LANES],
                [u64::from((a & b).any()); LANES],
            ]);
        }
        (results, simd.lanes())
    }
}

impl Everything {
    /// Everything that floats can do.
    #[inline(always)]
    fn float_results<S: Simd>(&self, simd: S) -> Vec<[u64; LANES]> {
        let (a, b) = (simd.load(self.words) >> 12, simd.load(self.others) >> 28);
        let (a, b) = (simd.floats(a), simd.floats(b));
        let one = simd.splat_float(1.0);
        let or_three = a.or_where_zero(b, 3.0);
        let or_root = a.or_where_less(a, b, b.sqrt());
        let results = [
            a,
            b,
            a + b,
            a - b,
            a * b,
            a / (b + one),
            (a + one).exponents(),
            (a + one).mantissas(),
            a.sqrt(),
            a.max(b),
            a.min(b),
            or_three,
            or_root,
        ];
        results.map(|floats| bits_of(simd, floats)).into()
    }

    /// What floats do together.
    #[inline(always)]
    fn joint_float_results<S: Simd>(&self, simd: S) -> [[u64; LANES]; 5] {
        let floats = simd.floats(simd.load(self.words) >> 12);
        let others = simd.floats(simd.load(self.others) >> 12);
        let of_two = floats.greatest_of_two(others, [self.words[6] as u8, self.others[6] as u8]);
        let greatest = floats.greatest();
        [
            bits_of(simd, floats.keep(self.words[5] as u8, 7.0)),
            [u64::from(greatest.to_bits()); LANES],
            [u64::from(floats.equal(greatest)); LANES],
            [floats
                .greatest_lane(self.words[6] as u8)
                .map_or(8, |lane| lane as u64); LANES],
            [of_two.map_or(16, |lane| lane as u64); LANES],
        ]
    }

    fn of(words: [u64; LANES], others: [u64; LANES], by: u32) -> impl Fn() -> Everything {
        move || Everything { words, others, by }
    }
}

/// The bits of each float.
#[inline(always)]
fn bits_of<S: Simd>(simd: S, floats: S::Floats) -> [u64; LANES] {
    let mut words = [0; LANES];
    for lane in simd.lanes() {
        let float = floats.lane(lane - simd.lanes().start);
        words[lane] = float.to_bits().into();
    }
    words
}

fn assert_same(
    (seen, lanes): (Vec<[u64; LANES]>, Range<usize>),
    (expected, _): &(Vec<[u64; LANES]>, Range<usize>),
) {
    for (i, (seen, expected)) in seen.iter().zip(expected).enumerate() {
        assert_eq!(seen[lanes.clone()], expected[lanes.clone()], "result {i}");
    }
}

proptest! {
    #[test]
    fn every_isa_computes_the_same(
        words: [u64; LANES],
        others: [u64; LANES],
        sparse: [bool; LANES],
        by in 0u32..64,
    ) {
        let others = std::array::from_fn(|i| if sparse[i] { 0 } else { others[i] });
        let words = std::array::from_fn(|i| if sparse[(i + 3) % LANES] { 0 } else { words[i] });
        let everything = Everything::of(words, others, by);
        let expected = everything().run(Portable::<LANES>::from(0));
        for isa in Isa::all() {
            assert_same(isa.run(everything()), &expected);
        }
        for lane in 0..LANES {
            assert_same(everything().run(Portable::<1>::from(lane)), &expected);
        }
        #[cfg(target_arch = "x86_64")]
        for lane in [0, 4] {
            assert_same(everything().run(Sse2::<4>::from(lane)), &expected);
        }
    }
}

/// The streams are those of the generator that they claim to be.
#[test]
fn streams_are_xoshiro() {
    let simd = Portable::<LANES>::from(0);
    let mut streams = LaneRandom::new(simd, 7, 1);
    let mut alone: [_; LANES] = std::array::from_fn(|lane| lane_stream(7, 1, lane));
    for _ in 0..10 {
        let expected = alone.each_mut().map(|stream| stream.next_u64());
        assert_eq!(simd.words(streams.draw()), expected);
    }
}

/// Sums of products.
struct Products<'a>(&'a Inputs, &'a Weights, Sums);

impl Kernel for Products<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Sums {
        simd.add_products(self.0, self.1, &mut self.2);
        self.2
    }
}

proptest! {
    #[test]
    fn products_are_summed_alike_everywhere(seed: u64, most in 1i16..8000) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut number = |zeros: u32| match random.next_u32() % 8 < zeros {
            true => 0,
            false => random.next_u32() as i16 % most,
        };
        let inputs = std::array::from_fn(|_| [number(6), number(6)]);
        let mut weights = [[[0; 2]; SUMS]; PAIRS];
        weights.as_flattened_mut().fill_with(|| [number(0), number(0)]);
        let before = std::array::from_fn(|i| i as i32 - 16);
        let sum = |i: usize| {
            let pairs = inputs.iter().zip(&weights);
            let products = pairs.map(|(input, weights): (&Pair, &[Pair; SUMS])| {
                let [low, high] = [0, 1].map(|n| i64::from(input[n]) * i64::from(weights[i][n]));
                low + high
            });
            i64::from(before[i]) + products.sum::<i64>()
        };
        for isa in Isa::all() {
            let sums = isa.run(Products(&inputs, &weights, before));
            for (i, result) in sums.into_iter().enumerate() {
                prop_assert_eq!(i64::from(result), sum(i), "{:?}", isa);
            }
        }
    }
}

/// Sums of what these integers point to.
struct PointedTo<'a> {
    shorts: &'a ShortArray,
    bases: &'a Bases,
    table: &'a [i16],
    rows: &'a [Row],
}

impl Kernel for PointedTo<'_> {
    type Output = (i32, [i16; ROW]);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let shorts = simd.shorts(self.shorts);
        shorts.prefetch_rows(self.rows, self.bases);
        (
            shorts.sum_of_entries(self.table, self.bases),
            shorts.sum_of_rows(self.rows, self.bases),
        )
    }
}

/// Many of the integers point beyond the tables, before them or behind.
#[test]
fn what_lies_beyond_a_table_is_its_end() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for length in [2, 3, 100] {
        let table: Vec<i16> = (0..length).map(|_| random.next_u32() as i16).collect();
        let row = |_| Row(std::array::from_fn(|_| random.next_u32() as i8));
        let rows: Vec<Row> = (0..length).map(row).collect();
        let shorts = ShortArray(std::array::from_fn(|_| random.next_u32() as i16 % 100));
        let bases = Bases(std::array::from_fn(|_| random.next_u32() as i32 % 100));
        let place = |i: usize, last: usize| {
            let place = bases.0[i].wrapping_add(i32::from(shorts.0[i]));
            usize::try_from(place).unwrap_or(last).min(last)
        };
        let entries = (0..SHORTS).map(|i| i32::from(table[place(i, length - 2)]));
        let mut sums = [0; ROW];
        for i in 0..SHORTS {
            let Row(row) = rows[place(i, length - 1)];
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, it)| *sum += i16::from(it));
        }
        let expected = (entries.sum(), sums);
        for isa in Isa::all() {
            let pointed_to = PointedTo {
                shorts: &shorts,
                bases: &bases,
                table: &table,
                rows: &rows,
            };
            assert_eq!(isa.run(pointed_to), expected, "{}", isa.name());
        }
    }
}
