//! The net as it is trained: floats, and rows that several lines share.
//!
//! What a line adds to its cell is the sum of three rows: one for all nine cells of the line, one
//! for the inner seven and one for the inner five. Rare lines so begin with what is known of
//! their middle. The net that plays has the sums. A line with no stone and no edge near adds nothing.
//!
//! All parameters are rows of [`WIDTH`] floats in one list:
//!
//! ```text
//! lines of 9 | of 7 | of 5 | mixer | hidden | bias | context | policy | first | bias | second | bias
//! | last | bias | doubt | bias
//! ```

use crate::knowledge::gomoku::net::lines::{self, KEYS, REACH, ROWS};
use crate::knowledge::gomoku::net::{
    MIX_ONE, Mixer, Net, ONE, ROW_MOST, Row, Value, WEIGHT_MOST, WIDTH,
};
use crate::rollout::Random;
use rand::{RngExt, SeedableRng};
use std::sync::LazyLock;

/// The parameters of one row.
pub type Floats = [f32; WIDTH];

const SEVENS: usize = ROWS;
const FIVES: usize = SEVENS + lines::rows_of(REACH - 1);
/// Where the rows of lines end.
pub const LINES: usize = FIVES + lines::rows_of(REACH - 2);
/// Weight of a cell's own features in its mix.
pub const CENTRE: usize = LINES;
/// Weight of the mean of the cells beside it.
pub const SIDES: usize = CENTRE + 1;
/// Weight of the mean of the cells at its corners.
pub const CORNERS: usize = SIDES + 1;
/// Bias of the mix.
pub const MIX_BIAS: usize = CORNERS + 1;
/// From the mix to hidden numbers.
pub const HIDDEN: usize = MIX_BIAS + 1;
/// Bias of the hidden numbers.
pub const HIDDEN_BIAS: usize = HIDDEN + WIDTH;
/// From the first layer of the value to hidden numbers.
pub const CONTEXT: usize = HIDDEN_BIAS + 1;
/// From hidden numbers to the logit of a move.
pub const POLICY: usize = CONTEXT + WIDTH;
/// From the sums to the first layer of the value.
pub const FIRST: usize = POLICY + 1;
/// Bias of the first layer.
pub const FIRST_BIAS: usize = FIRST + 2 * WIDTH;
/// From the first layer to the second.
pub const SECOND: usize = FIRST_BIAS + 1;
/// Bias of the second layer.
pub const SECOND_BIAS: usize = SECOND + WIDTH;
/// From the second layer to the logits of win, draw and loss.
pub const LAST: usize = SECOND_BIAS + 1;
/// Bias of these, in the first three floats.
pub const LAST_BIAS: usize = LAST + 3;
/// From the second layer to the doubt.
pub const DOUBT: usize = LAST_BIAS + 1;
/// Its bias, in the first float.
pub const DOUBT_BIAS: usize = DOUBT + 1;
/// All rows.
pub const COUNT: usize = DOUBT_BIAS + 1;

/// For each row of nine cells those of its inner seven and five. `None`: the line has no stone, and no edge
/// within three cells. (Keys that no board shows share the other rows without a stone.)
pub static INNER: LazyLock<Vec<Option<[usize; 2]>>> = LazyLock::new(|| {
    let mut inner = vec![None; ROWS];
    for key in 0..KEYS as u32 {
        if !lines::is_bare(key) {
            let within = |reach| lines::row_within(key, reach);
            let row = within(REACH);
            inner[row] = Some([SEVENS + within(REACH - 1), FIVES + within(REACH - 2)]);
        }
    }
    inner
});

/// A net in training.
#[derive(Clone)]
pub struct Model {
    /// The parameters.
    pub rows: Vec<Floats>,
}

impl Model {
    /// A net that has learned nothing.
    #[must_use]
    pub fn new(seed: u64) -> Model {
        let mut random = Random::seed_from_u64(seed);
        let mut fill = |rows: &mut [Floats], size: f32| {
            for number in rows.iter_mut().flatten() {
                *number = random.random_range(-size..size);
            }
        };
        let mut rows = vec![[0.0; WIDTH]; COUNT];
        // The inputs of a layer are near 1, so sizes are about the root of their number. What ends in
        // logits begins with 0: at first nothing is added to what the patterns say.
        fill(&mut rows[FIVES..LINES], 0.25);
        fill(&mut rows[SIDES..MIX_BIAS], 0.25);
        fill(&mut rows[HIDDEN..HIDDEN_BIAS], 0.25);
        fill(&mut rows[FIRST..FIRST_BIAS], 0.15);
        fill(&mut rows[SECOND..SECOND_BIAS], 0.25);
        rows[CENTRE] = [1.0; WIDTH];
        Model { rows }
    }

    /// The net that plays, as one to be trained further. Its inner rows begin anew.
    #[must_use]
    pub fn of(net: &Net) -> Model {
        let unit = ONE as f32;
        let mut rows = vec![[0.0; WIDTH]; COUNT];
        for (row, numbers) in rows.iter_mut().zip(net.rows.iter()) {
            *row = numbers.0.map(|number| f32::from(number) / unit);
        }
        let mixer = &net.mixer;
        for (row, weights) in [
            (CENTRE, mixer.centre),
            (SIDES, mixer.sides),
            (CORNERS, mixer.corners),
        ] {
            rows[row] = weights.map(|weight| f32::from(weight) / MIX_ONE as f32);
        }
        rows[MIX_BIAS] = mixer.bias.map(|bias| f32::from(bias) / unit);
        for i in 0..WIDTH {
            let weights = net.hidden[i / 2].map(|pair| f32::from(pair[i % 2]) / unit);
            rows[HIDDEN + i] = weights;
        }
        rows[HIDDEN_BIAS] = net.hidden_bias.map(|bias| bias as f32 / (unit * unit));
        rows[CONTEXT..POLICY].copy_from_slice(&*net.context);
        rows[POLICY] = net.policy.map(|number| f32::from(number) / unit);
        let value = &*net.value;
        rows[FIRST..FIRST_BIAS].copy_from_slice(&value.first);
        rows[FIRST_BIAS] = value.first_bias;
        rows[SECOND..SECOND_BIAS].copy_from_slice(&value.second);
        rows[SECOND_BIAS] = value.second_bias;
        rows[LAST..LAST_BIAS].copy_from_slice(&value.last);
        rows[LAST_BIAS][..value.last_bias.len()].copy_from_slice(&value.last_bias);
        rows[DOUBT] = value.doubt;
        rows[DOUBT_BIAS][0] = value.doubt_bias;
        Model { rows }
    }

    /// Moves every parameter by this share, 0..1, of its way to the other's.
    pub fn approach(&mut self, other: &Model, share: f32) {
        let numbers = self.rows.as_flattened_mut().iter_mut();
        for (number, &toward) in numbers.zip(other.rows.as_flattened()) {
            *number += share * (toward - *number);
        }
    }

    /// The bytes of all parameters.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let numbers = self.rows.as_flattened().iter();
        numbers.flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Takes the parameters that were saved. False: the bytes are something else.
    pub fn restore(&mut self, bytes: &[u8]) -> bool {
        let (words, rest) = bytes.as_chunks();
        let numbers = self.rows.as_flattened_mut();
        let is_whole = rest.is_empty() && words.len() == numbers.len();
        for (number, word) in numbers.iter_mut().zip(words) {
            *number = f32::from_le_bytes(*word);
        }
        is_whole
    }

    /// What the line of a row adds to its cell.
    #[must_use]
    #[inline]
    pub fn line(&self, row: usize) -> Floats {
        match INNER[row] {
            None => [0.0; WIDTH],
            Some([seven, five]) => std::array::from_fn(|i| {
                self.rows[row][i] + self.rows[seven][i] + self.rows[five][i]
            }),
        }
    }

    /// The rows from `first` on.
    #[must_use]
    pub fn layer<const INPUTS: usize>(&self, first: usize) -> [Floats; INPUTS] {
        std::array::from_fn(|i| self.rows[first + i])
    }

    /// The net that plays like this one, with integers.
    #[must_use]
    pub fn net(&self) -> Net {
        let hidden: [Floats; WIDTH] = self.layer(HIDDEN);
        let unit = ONE as f32;
        let bias = |number: f32| (number * unit * unit).round() as i32;
        let last_bias = self.rows[LAST_BIAS];
        let of_mixer =
            |row: usize| self.rows[row].map(|number| quantised(number, MIX_ONE, i16::MAX));
        Net {
            rows: (0..ROWS)
                .map(|row| Row(self.line(row).map(|number| rounded(number, ROW_MOST))))
                .collect(),
            mixer: Mixer {
                centre: of_mixer(CENTRE),
                sides: of_mixer(SIDES),
                corners: of_mixer(CORNERS),
                bias: self.rows[MIX_BIAS].map(|number| rounded(number, i16::MAX)),
            },
            hidden: Box::new(std::array::from_fn(|pair| {
                std::array::from_fn(|j| {
                    [0, 1].map(|i| rounded(hidden[2 * pair + i][j], WEIGHT_MOST))
                })
            })),
            hidden_bias: self.rows[HIDDEN_BIAS].map(bias),
            context: Box::new(self.layer(CONTEXT)),
            policy: self.rows[POLICY].map(|number| rounded(number, WEIGHT_MOST)),
            value: Box::new(Value {
                first: self.layer(FIRST),
                first_bias: self.rows[FIRST_BIAS],
                second: self.layer(SECOND),
                second_bias: self.rows[SECOND_BIAS],
                last: self.layer(LAST),
                last_bias: [last_bias[0], last_bias[1], last_bias[2]],
                doubt: self.rows[DOUBT],
                doubt_bias: self.rows[DOUBT_BIAS][0],
            }),
        }
    }
}

/// A number in units of 1 / `ONE`, at most so many of them.
fn rounded(number: f32, most: i16) -> i16 {
    quantised(number, ONE, most)
}

/// A number in units of 1 / `one`, at most so many of them.
fn quantised(number: f32, one: i32, most: i16) -> i16 {
    let most = f32::from(most);
    (number * one as f32).round().clamp(-most, most) as i16
}
