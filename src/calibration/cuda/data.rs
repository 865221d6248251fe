//! The data kernels work on, as the host knows them: the twin of `kernels/random.cuh`.
//!
//! Element `i` is a function of `i` and a seed: four 16-bit uniforms of a hash, summed and centred. Near normal, the
//! same bits on host and device, so that results can be checked without a second device.

use crate::calibration::measurement::Format;

/// Standard deviation of the sum of four uniforms on 0..65536: `sqrt(4 (2^32 - 1) / 12)`.
const SUM_DEVIATION: f32 = 37_837.23;

/// Numbers by their place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generator {
    /// Chooses the sequence.
    pub seed: u64,
    /// Factor on the centred sum: standard deviation over that of the sum.
    pub unit: f32,
}

impl Generator {
    /// Standard deviation 1.
    pub const fn new(seed: u64) -> Self {
        Self { seed, unit: 1.0 / SUM_DEVIATION }
    }

    /// The deviation that suits a format: 1, and 32 for 8-bit integers.
    pub const fn of(format: Format, seed: u64) -> Self {
        match format {
            Format::Int8 => Self { seed, unit: 32.0 / SUM_DEVIATION },
            _ => Self::new(seed),
        }
    }

    /// Element `index` before it is rounded to a format.
    pub fn value(self, index: u64) -> f32 {
        let hash = mixed(index ^ mixed(self.seed));
        let sum = (0..4).map(|part| ((hash >> (16 * part)) & 0xffff) as i32).sum::<i32>() - 131_070;
        sum as f32 * self.unit
    }

    /// Element `index` as a buffer of that format holds it.
    pub fn stored(self, format: Format, index: u64) -> f64 {
        let value = self.value(index);
        match format {
            Format::Fp64 | Format::Fp32 | Format::Tf32 => f64::from(value),
            Format::Fp16 => f64::from(f16_value(f16_bits(value))),
            Format::Bf16 => f64::from(bf16_value(bf16_bits(value))),
            Format::Fp8 => f64::from(e4m3_value(e4m3_bits(value))),
            Format::Int8 => f64::from(value.trunc() as i8),
        }
    }

    /// The bytes of `count` elements from the first on, in a format of at most 32 bits.
    pub fn bytes(self, format: Format, count: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity((count * format.bytes()) as usize);
        for value in (0..count).map(|index| self.value(index)) {
            match format {
                Format::Fp64 => bytes.extend(f64::from(value).to_le_bytes()),
                Format::Fp32 | Format::Tf32 => bytes.extend(value.to_le_bytes()),
                Format::Fp16 => bytes.extend(f16_bits(value).to_le_bytes()),
                Format::Bf16 => bytes.extend(bf16_bits(value).to_le_bytes()),
                Format::Fp8 => bytes.push(e4m3_bits(value)),
                Format::Int8 => bytes.push(value.trunc() as i8 as u8),
            }
        }
        bytes
    }
}

/// A 64-bit hash (SplitMix64).
pub fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// FP16 of a float, to nearest even.
pub fn f16_bits(x: f32) -> u16 {
    f16_of(f64::from(x))
}

/// Steps of FP16 between two powers of two.
const HALF_STEPS: u16 = 1 << 10;

/// FP16 of a double, one rounding, to nearest even.
pub fn f16_of(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let size = x.abs();
    if size.is_nan() {
        return sign | 0x7e00;
    }
    // The exponent's bits, at least -14: below it the step stays 2^-24.
    let exponent = (((size.to_bits() >> 52) as i32) - 1023).max(-14);
    if exponent > 15 {
        return sign | 0x7c00;
    }
    let steps = (size / 2f64.powi(exponent - 10)).round_ties_even() as u16;
    // A carry into the exponent, up to infinity, is what the addition gives.
    let base = if steps < HALF_STEPS { 0 } else { ((exponent + 15) as u16) << 10 };
    sign | if base == 0 { steps } else { base + (steps - HALF_STEPS) }
}

/// The float of FP16 bits.
pub fn f16_value(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from((bits >> 10) & 31), bits & (HALF_STEPS - 1));
    match exponent {
        0 => sign * f32::from(fraction) * 2f32.powi(-24),
        31 if fraction == 0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * f32::from(HALF_STEPS + fraction) * 2f32.powi(exponent - 25),
    }
}

/// BF16 of a finite float, to nearest even.
pub fn bf16_bits(x: f32) -> u16 {
    let bits = x.to_bits();
    (bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

/// The float of BF16 bits.
pub fn bf16_value(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// E4M3 of a finite float as the device's fill makes it: the magnitude cut off, no subnormals.
pub fn e4m3_bits(x: f32) -> u8 {
    let bits = x.to_bits();
    let exponent = ((bits >> 23) & 0xff) as i32 - 127 + 7;
    let sign = ((bits >> 24) & 0x80) as u8;
    match exponent {
        ..=0 => sign,
        16.. => sign | 0x7e,
        _ => sign | ((((exponent as u32) << 3) | ((bits >> 20) & 7)).min(0x7e) as u8),
    }
}

/// The float of E4M3 bits that [`e4m3_bits`] gives.
pub fn e4m3_value(bits: u8) -> f32 {
    let sign = if bits & 0x80 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from((bits >> 3) & 15), f32::from(bits & 7));
    if exponent == 0 {
        sign * fraction * 2f32.powi(-9)
    } else {
        sign * (8.0 + fraction) * 2f32.powi(exponent - 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_have_mean_zero_and_deviation_one() {
        let generator = Generator::new(7);
        let values: Vec<f64> = (0..20_000).map(|i| f64::from(generator.value(i))).collect();
        let mean = values.iter().sum::<f64>() / 20_000.0;
        let variance = values.iter().map(|v| v * v).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        assert_ne!(generator.value(0), Generator::new(8).value(0));
    }

    #[test]
    fn halves_round_to_nearest_even() {
        for (value, bits) in [(0.0, 0), (1.0, 0x3c00), (-2.0, 0xc000), (65_504.0, 0x7bff), (65_520.0, 0x7c00)]
        {
            assert_eq!(f16_bits(value), bits, "{value}");
        }
        // Halfway between 1 and 1 + 2^-10, and between 1 + 2^-10 and 1 + 2^-9: both to the even neighbour.
        assert_eq!(f16_bits(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(f16_bits(1.0 + 3.0 / 2048.0), 0x3c02);
        assert_eq!(f16_bits(2f32.powi(-24)), 1);
        assert_eq!(f16_bits(2f32.powi(-26)), 0);
        for bits in (0..0x7c00).chain(0x8000..0xfc00) {
            assert_eq!(f16_bits(f16_value(bits)), bits);
        }
    }

    #[test]
    fn short_floats_keep_what_they_can_hold() {
        assert_eq!(bf16_value(bf16_bits(1.5)), 1.5);
        assert_eq!(bf16_bits(1.0 + 1.0 / 256.0), 0x3f80);
        assert_eq!(e4m3_bits(1.0), 0x38);
        assert_eq!(e4m3_value(e4m3_bits(-1.75)), -1.75);
        assert_eq!(e4m3_value(e4m3_bits(1e4)), 448.0);
        assert_eq!(e4m3_bits(-0.001), 0x80);
    }
}
