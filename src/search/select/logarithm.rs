//! The logarithms of visits, from a table: looking one up takes a fifth of the instructions of
//! working it out, once for every node of a descent.

/// Leading bits of a number, after the first, that tell its logarithm: whole numbers are told
/// apart below 2^8, and above the result is less than 2^-7 too low.
const BITS: u32 = 7;

/// Numbers are below 2^32.
const EXPONENTS: usize = 32;

const LENGTH: usize = EXPONENTS << BITS;

/// By exponent and leading bits.
static TABLE: [f32; LENGTH] = {
    let mut table = [0.0; LENGTH];
    let mut index = 0;
    while index < LENGTH {
        let mantissa = 1.0 + (index % (1 << BITS)) as f64 / (1 << BITS) as f64;
        let exponent = (index >> BITS) as f64;
        table[index] = (exponent * std::f64::consts::LN_2 + logarithm_of_mantissa(mantissa)) as f32;
        index += 1;
    }
    table
};

/// The natural logarithm of a number from 1 to 2 by the series of the inverse hyperbolic tangent:
/// by operations that every machine rounds alike, so that all have the same table.
const fn logarithm_of_mantissa(number: f64) -> f64 {
    let ratio = (number - 1.0) / (number + 1.0);
    let mut power = 2.0 * ratio;
    let mut sum = 0.0;
    let mut term = 1;
    while term < 40 {
        sum += power / term as f64;
        power *= ratio * ratio;
        term += 2;
    }
    sum
}

/// The natural logarithm of a number of visits, 1 at the least and below 2^32, or a little less.
#[inline(always)]
pub fn logarithm(visits: f32) -> f32 {
    const ONE: u32 = 1.0_f32.to_bits() >> (f32::MANTISSA_DIGITS - 1 - BITS);
    let leading = visits.to_bits() >> (f32::MANTISSA_DIGITS - 1 - BITS);
    TABLE[leading.wrapping_sub(ONE) as usize % LENGTH]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_near_and_never_falls() {
        let mut before = 0.0;
        for number in (1..100_000_u32).chain((100_000..u32::MAX - 70_000).step_by(65_537)) {
            let found = logarithm(number as f32);
            let missing = f64::from(number).ln() - f64::from(found);
            let most = if number < 1 << (BITS + 1) {
                0.0
            } else {
                1.0 / 128.0
            };
            assert!(
                (-2e-6..=most + 2e-6).contains(&missing),
                "{number}: {missing}"
            );
            assert!(found >= before, "{number}");
            before = found;
        }
        assert_eq!(logarithm(1.0), 0.0);
    }
}
