//! Eight words of 64 bits at a time, with AVX-512, with AVX2 and without either.
//!
//! A kernel is written once, over any [`Simd`], and compiled for every ISA. All ISAs compute
//! the same words, so that it is only a matter of speed which one runs.
//!
//! The three `Simd` types are tokens. Those of the vector units are made only after the
//! processor was seen to have the unit, and lanes are made only from a token, so code that holds
//! lanes may use their instructions. That is what the `unsafe` in this module rests on.

mod portable;
mod rays;
pub mod set_bit;
pub mod shorts;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use portable::Portable;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
pub use rays::Rays;
use shorts::{ShortArray, Shorts};
use std::fmt;
use std::ops::{Add, AddAssign, BitAnd, BitOr, BitXor, Div, Mul, Not, Range, Shl, Shr, Sub};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
#[cfg(target_arch = "x86_64")]
use x86::{Avx2, Avx512, Sse2};

/// How many words are handled at a time.
pub const LANES: usize = 8;

/// How many of `count` games are played in a lane.
#[inline]
#[must_use]
pub fn lane_count(count: u32, lane: usize) -> u32 {
    (count + LANES as u32 - 1 - lane as u32) / LANES as u32
}

/// How many sums of products are made at a time.
pub const SUMS: usize = 64;

/// How many pairs of inputs they have.
pub const PAIRS: usize = 32;

/// Two numbers next to each other.
pub type Pair = [i16; 2];

/// The inputs of sums.
pub type Inputs = [Pair; PAIRS];

/// For each pair of inputs, its weights in every sum.
pub type Weights = [[Pair; SUMS]; PAIRS];

/// The sums of the products of inputs with their weights.
pub type Sums = [i32; SUMS];

/// Eight words, each on its own unless a method says otherwise. Sums and differences wrap.
/// Shifts are by less than 64.
pub trait Lanes:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Each word to the left by the number in `by`; 0 where that is 64 or more.
    fn shift_left_each(self, by: Self) -> Self;

    /// The product of the lower halves of the words.
    fn multiply_low(self, by: Self) -> Self;

    /// All bits where the word is not 0, none where it is.
    fn is_not_zero(self) -> Self;

    /// A bit for every word, set where it is not 0; lane 0 has the lowest.
    fn not_zero_bits(self) -> u8;

    /// Each word replaced by the next, with 0 at the end of every `GROUP` words: 4 or 8.
    fn next_words<const GROUP: usize>(self) -> Self;

    /// The lower four words, twice.
    fn lower_twice(self) -> Self;

    /// Whether any word is not 0.
    #[inline(always)]
    fn any(self) -> bool {
        self.not_zero_bits() != 0
    }

    /// The bits of `these` where `self` has ones, those of `others` where it has zeros.
    #[inline(always)]
    fn choose(self, these: Self, others: Self) -> Self {
        (self & these) | (!self & others)
    }

    /// Each word turned to the left by `by`, from 1 to 63.
    #[inline(always)]
    fn rotate_left(self, by: u32) -> Self {
        self << by | self >> (64 - by)
    }
}

/// The bits that are set in any of these, of which there is one at the least.
#[inline(always)]
#[expect(
    clippy::needless_range_loop,
    reason = "what an iterator calls is not compiled with the instructions of the ISA"
)]
pub fn union<L: Lanes, const WORDS: usize>(words: [L; WORDS]) -> L {
    let mut union = words[0];
    for word in 1..WORDS {
        union = union | words[word];
    }
    union
}

/// Eight floats of 32 bits, each on its own unless a method says otherwise. Every result is
/// rounded once, so it is the same on every ISA.
pub trait Floats:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// The exponents e of floats 2^e m, m from 1 to below 2.
    fn exponents(self) -> Self;

    /// The m of floats 2^e m, from 1 to below 2.
    fn mantissas(self) -> Self;

    /// The float of this lane.
    fn lane(self, lane: usize) -> f32;

    /// The square roots.
    fn sqrt(self) -> Self;

    /// The greater of each two; neither is NaN.
    fn max(self, other: Self) -> Self;

    /// The less of each two; neither is NaN.
    fn min(self, other: Self) -> Self;

    /// The floats whose bits are set, lane 0 having the lowest, and `other` in place of the rest.
    fn keep(self, bits: u8, other: f32) -> Self;

    /// `other` in place of the floats that stand where those of `key` are 0.
    fn or_where_zero(self, key: Self, other: f32) -> Self;

    /// The floats of `other` in place of those that stand where `low` is less than `high`.
    fn or_where_less(self, low: Self, high: Self, other: Self) -> Self;

    /// The lane of the greatest of the floats whose bits are set, lane 0 having the lowest; none is
    /// negative. Among floats that differ in the last four bits only it is the first. `None`: no bit
    /// is set.
    ///
    /// It takes a third of the time that [`greatest`](Self::greatest) and
    /// [`equal`](Self::equal) take one after the other.
    fn greatest_lane(self, bits: u8) -> Option<usize>;

    /// The same for these floats and eight others, whose lanes are counted from 8 on and have the second
    /// byte of bits; the last five bits of floats are not looked at.
    fn greatest_of_two(self, others: Self, bits: [u8; 2]) -> Option<usize>;

    /// A bit for every float, set where it is `value`; lane 0 has the lowest.
    fn equal(self, value: f32) -> u8;

    /// The greatest of them; none is NaN.
    fn greatest(self) -> f32;
}

/// A way to handle words in lanes.
pub trait Simd: Copy + Rays {
    /// The words.
    type Lanes: Lanes;

    /// The floats.
    type Floats: Floats;

    /// Sixty-four integers of 16 bits, whichever lanes are handled.
    type Shorts: Shorts;

    /// These integers.
    fn shorts(self, array: &ShortArray) -> Self::Shorts;

    /// The words, each below 2^52, rounded to floats.
    fn floats(self, lanes: Self::Lanes) -> Self::Floats;

    /// One float, eight times.
    fn splat_float(self, value: f32) -> Self::Floats;

    /// The lanes that are handled: all eight, or some of them on their own.
    #[inline(always)]
    fn lanes(self) -> Range<usize> {
        0..LANES
    }

    /// These words.
    fn load(self, words: [u64; LANES]) -> Self::Lanes;

    /// These words, each as some thread has stored it last or is about to.
    #[inline(always)]
    fn load_shared(self, words: &[AtomicU64; LANES]) -> Self::Lanes {
        self.load(std::array::from_fn(|i| words[i].load(Ordering::Relaxed)))
    }

    /// The words, with 0 for lanes that are not handled.
    fn words(self, lanes: Self::Lanes) -> [u64; LANES];

    /// One word, eight times.
    #[inline(always)]
    fn splat(self, word: u64) -> Self::Lanes {
        self.load([word; LANES])
    }

    /// Adds to each sum the products of all inputs with its weights. No sum may overflow.
    #[inline(always)]
    fn add_products(self, inputs: &Inputs, weights: &Weights, sums: &mut Sums) {
        for (&[low, high], weights) in inputs.iter().zip(weights) {
            if low | high == 0 {
                continue;
            }
            for i in 0..SUMS {
                let [by_low, by_high] = weights[i].map(i32::from);
                sums[i] += i32::from(low) * by_low + i32::from(high) * by_high;
            }
        }
    }

    /// The set bit of `bits` that this random number stands for: they share its range evenly, in
    /// rising order. None where none is set.
    #[inline(always)]
    fn set_bit_for(self, bits: u64, number: u64) -> u64 {
        set_bit::set_bit_for(bits, number)
    }

    /// Runs a kernel as a function of its own with the instructions of this ISA: so do kernels
    /// call each other and themselves.
    fn call<K: Kernel>(self, kernel: K) -> K::Output;
}

/// A computation that can run on every ISA.
pub trait Kernel {
    /// What it computes.
    type Output;

    /// Computes it. To be marked `#[inline(always)]`, as must be what it calls on lanes, so
    /// that it is compiled with the instructions of the ISA.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// What `op` makes of each two elements of these arrays.
#[inline(always)]
fn zip<T: Copy, const N: usize>(these: [T; N], others: [T; N], op: impl Fn(T, T) -> T) -> [T; N] {
    std::array::from_fn(|i| op(these[i], others[i]))
}

/// Asks for the cache line of a value that is about to be read.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(value);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// An instruction set architecture, or rather a part of one: the instructions that kernels are
/// run with.
#[derive(Clone, Copy)]
pub struct Isa(Unit);

#[derive(Clone, Copy)]
enum Unit {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// The ISA of this process.
static CHOSEN: OnceLock<Isa> = OnceLock::new();

impl Isa {
    /// Every ISA that this processor has, the fastest first.
    #[must_use]
    pub fn all() -> Vec<Isa> {
        #[cfg(target_arch = "x86_64")]
        let vector = [
            Avx512::detect().map(Unit::Avx512),
            Avx2::detect().map(Unit::Avx2),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let vector: [Option<Unit>; 0] = [];
        let units = vector.into_iter().flatten().chain([Unit::Portable]);
        units.map(Isa).collect()
    }

    /// The ISA that rollouts take: the fastest, unless another was [chosen](Self::choose).
    #[must_use]
    pub fn current() -> Isa {
        *CHOSEN.get_or_init(|| Isa::all()[0])
    }

    /// Chooses the ISA of this process. False: it is settled already, by an earlier choice or
    /// by a rollout.
    pub fn choose(self) -> bool {
        CHOSEN.set(self).is_ok()
    }

    /// Whether it uses no more than every processor of the kind has.
    #[must_use]
    pub fn is_portable(self) -> bool {
        matches!(self.0, Unit::Portable)
    }

    /// Its name, as users write it. The portable ISA uses what every processor of the kind has:
    /// on x86-64 that is SSE2.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Unit::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Unit::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Unit::Avx512(_) => "avx512",
        }
    }

    /// Runs a kernel whose lanes have nothing to do with one another, so that the portable ISA
    /// may go through a few at a time.
    #[inline]
    pub fn run_lanes<K>(self, kernel: K) -> K::Output
    where
        K: Kernel<Output: AddAssign + Default> + Copy,
    {
        match self.0 {
            Unit::Portable => sum_of_parts(kernel),
            #[cfg(target_arch = "x86_64")]
            Unit::Avx2(token) => token.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Unit::Avx512(token) => token.run(kernel),
        }
    }

    /// Runs a kernel.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Unit::Portable => kernel.run(Sse2::<LANES>::from(0)),
            #[cfg(not(target_arch = "x86_64"))]
            Unit::Portable => kernel.run(Portable::<LANES>::from(0)),
            #[cfg(target_arch = "x86_64")]
            Unit::Avx2(token) => token.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Unit::Avx512(token) => token.run(kernel),
        }
    }
}

/// What the portable ISA computes a few lanes at a time, in a function that is compiled once for all of
/// them.
fn sum_of_parts<K>(kernel: K) -> K::Output
where
    K: Kernel<Output: AddAssign + Default> + Copy,
{
    let mut sum = K::Output::default();
    #[cfg(target_arch = "x86_64")]
    for lane in [0, 4] {
        sum += Sse2::<4>::from(lane).call(kernel);
    }
    #[cfg(not(target_arch = "x86_64"))]
    for lane in 0..LANES {
        sum += Portable::<1>::from(lane).call(kernel);
    }
    sum
}

impl fmt::Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// By how much SplitMix64 counts on.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Where the counter of SplitMix64 stands before it fills the state of a stream: each takes four
/// outputs, in order.
#[inline(always)]
fn counter_before(seed: u64, number: u32, lane: usize) -> u64 {
    let stream = u64::from(number) * LANES as u64 + lane as u64;
    seed.wrapping_add((4 * stream).wrapping_mul(GOLDEN))
}

/// One stream of [`LaneRandom`] by itself.
pub fn lane_stream(seed: u64, number: u32, lane: usize) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(counter_before(seed, number, lane))
}

/// Eight streams of random words side by side: xoshiro256++ of Blackman and Vigna (Scrambled
/// Linear Pseudorandom Number Generators, 2021), as [`Random`](crate::rollout::Random) is.
pub struct LaneRandom<S: Simd>([S::Lanes; 4]);

impl<S: Simd> LaneRandom<S> {
    /// The streams of this number that come from one seed, spread by the SplitMix64 of Steele, Lea and Flood
    /// (Fast Splittable Pseudorandom Number Generators, 2014), as its authors advise.
    #[inline(always)]
    pub fn new(simd: S, seed: u64, number: u32) -> Self {
        let before = |lane| counter_before(seed, number, lane);
        let mut counter = simd.load(std::array::from_fn(before));
        let mut state = [counter; 4];
        for word in &mut state {
            counter = counter + simd.splat(GOLDEN);
            let mut mixed = counter;
            mixed = multiply(simd, mixed ^ mixed >> 30, 0xbf58_476d_1ce4_e5b9);
            mixed = multiply(simd, mixed ^ mixed >> 27, 0x94d0_49bb_1331_11eb);
            *word = mixed ^ mixed >> 31;
        }
        LaneRandom(state)
    }

    /// The next word of every stream.
    #[inline(always)]
    pub fn draw(&mut self) -> S::Lanes {
        let [a, b, c, d] = self.0;
        let result = (a + d).rotate_left(23) + a;
        let (c_a, d_b) = (c ^ a, d ^ b);
        self.0 = [a ^ d_b, b ^ c_a, c_a ^ b << 17, d_b.rotate_left(45)];
        result
    }
}

/// The lower 64 bits of the products, by multiplications of halves: AVX2 has no others.
#[inline(always)]
fn multiply<S: Simd>(simd: S, lanes: S::Lanes, by: u64) -> S::Lanes {
    let (low, high) = (simd.splat(by & 0xffff_ffff), simd.splat(by >> 32));
    let crossed = (lanes >> 32).multiply_low(low) + lanes.multiply_low(high);
    lanes.multiply_low(low) + (crossed << 32)
}

#[cfg(test)]
mod tests;
