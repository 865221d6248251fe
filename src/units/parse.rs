//! Text with units, as people and catalog files write it.
//!
//! `b` is a bit and `B` a byte; `k M G T P` are powers of 1000, `Ki Mi Gi Ti` powers of 1024. A number without
//! its unit is an error.

use super::{Bytes, BytesPerSecond, FlopRate, Seconds, Watts};

/// Why a text is not the quantity that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not {expected}, such as {example:?}")]
pub struct ParseUnitError {
    /// The text as given.
    pub text: String,
    /// What was expected, as "a bandwidth with its unit".
    pub expected: &'static str,
    /// A text that would be accepted.
    pub example: &'static str,
}

/// A quantity that can be read from text with its unit.
pub trait Unit: Sized {
    /// What the reader expects, for messages.
    const EXPECTED: &'static str;
    /// An accepted text, for messages.
    const EXAMPLE: &'static str;
    /// Canonical value of one `unit`, or `None` when the unit is not of this quantity.
    fn scale(unit: &str) -> Option<f64>;
    /// Wraps a canonical value.
    fn wrap(value: f64) -> Self;
}

fn prefix(text: &str) -> Option<f64> {
    Some(match text {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "Ki" => 1024.0,
        "Mi" => 1024.0 * 1024.0,
        "Gi" => 1024.0 * 1024.0 * 1024.0,
        "Ti" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    })
}

fn bytes_scale(unit: &str) -> Option<f64> {
    match unit.strip_suffix('B') {
        Some(p) => prefix(p),
        None => unit.strip_suffix('b').and_then(prefix).map(|f| f / 8.0),
    }
}

impl Unit for Bytes {
    const EXPECTED: &'static str = "an amount of memory with its unit";
    const EXAMPLE: &'static str = "80 GiB";
    fn scale(unit: &str) -> Option<f64> {
        bytes_scale(unit)
    }
    fn wrap(value: f64) -> Self {
        Self::new(value)
    }
}

impl Unit for BytesPerSecond {
    const EXPECTED: &'static str = "a bandwidth with its unit";
    const EXAMPLE: &'static str = "2.039 TB/s or 400 Gb/s";
    fn scale(unit: &str) -> Option<f64> {
        bytes_scale(unit.strip_suffix("/s")?)
    }
    fn wrap(value: f64) -> Self {
        Self::new(value)
    }
}

impl Unit for FlopRate {
    const EXPECTED: &'static str = "a rate of operations with its unit";
    const EXAMPLE: &'static str = "312 TFLOP/s";
    fn scale(unit: &str) -> Option<f64> {
        let rest = unit.strip_suffix("FLOP/s").or_else(|| unit.strip_suffix("OP/s"))?;
        prefix(rest)
    }
    fn wrap(value: f64) -> Self {
        Self::new(value)
    }
}

impl Unit for Seconds {
    const EXPECTED: &'static str = "a duration with its unit";
    const EXAMPLE: &'static str = "30d, 12h or 9.8s";
    fn scale(unit: &str) -> Option<f64> {
        Some(match unit {
            "ns" => 1e-9,
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "s" | "sec" | "second" | "seconds" => 1.0,
            "min" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" | "小时" => 3600.0,
            "d" | "day" | "days" | "天" => 86_400.0,
            "w" | "week" | "weeks" | "周" => 7.0 * 86_400.0,
            _ => return None,
        })
    }
    fn wrap(value: f64) -> Self {
        Self::new(value)
    }
}

impl Unit for Watts {
    const EXPECTED: &'static str = "a power with its unit";
    const EXAMPLE: &'static str = "400 W";
    fn scale(unit: &str) -> Option<f64> {
        prefix(unit.strip_suffix('W')?)
    }
    fn wrap(value: f64) -> Self {
        Self::new(value)
    }
}

/// Splits `"2.039 TB/s"` into the number and the unit.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|&(i, c)| {
            !(c.is_ascii_digit() || c == '.' || c == '_' || (i == 0 && (c == '-' || c == '+')))
                && !(matches!(c, 'e' | 'E')
                    && text[i + 1..].starts_with(|d: char| d.is_ascii_digit() || d == '-'))
                && !(c == '-' && matches!(text.as_bytes().get(i.wrapping_sub(1)), Some(b'e' | b'E')))
        })
        .map_or(text.len(), |(i, _)| i);
    let number: f64 = text[..end].replace('_', "").parse().ok()?;
    Some((number, text[end..].trim()))
}

/// Reads a quantity from text with its unit; negative and non-finite values are errors.
///
/// ```
/// use gpu_advisor::units::{parse::parse_quantity, Bytes, BytesPerSecond};
/// assert_eq!(parse_quantity::<Bytes>("80 GiB").unwrap(), Bytes::from_gib(80.0));
/// assert_eq!(parse_quantity::<BytesPerSecond>("400 Gb/s").unwrap(), BytesPerSecond::from_gb(50.0));
/// assert!(parse_quantity::<Bytes>("80").is_err());
/// ```
///
/// # Errors
/// When the text has no number, no unit, a unit of another quantity, or a negative value.
pub fn parse_quantity<Q: Unit>(text: &str) -> Result<Q, ParseUnitError> {
    let fail = || ParseUnitError { text: text.to_owned(), expected: Q::EXPECTED, example: Q::EXAMPLE };
    let (number, unit) = split(text).ok_or_else(fail)?;
    let scale = Q::scale(unit).ok_or_else(fail)?;
    let value = number * scale;
    if value.is_finite() && value >= 0.0 { Ok(Q::wrap(value)) } else { Err(fail()) }
}

/// Reads a plain count with an optional decimal suffix: `7B` (billion), `100B`, `1.3T`, `350M`, `2k`, `6.74e9`.
///
/// ```
/// use gpu_advisor::units::parse::parse_count;
/// assert_eq!(parse_count("7B").unwrap(), 7e9);
/// assert!(parse_count("-3").is_err());
/// ```
///
/// # Errors
/// When the text is not a positive finite number with one of the suffixes.
pub fn parse_count(text: &str) -> Result<f64, ParseUnitError> {
    let fail = || ParseUnitError {
        text: text.to_owned(),
        expected: "a positive count with an optional suffix k, M, B or T",
        example: "7B, 100B or 300e9",
    };
    let (number, suffix) = split(text).ok_or_else(fail)?;
    let scale = match suffix {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" | "m" => 1e6,
        "B" | "b" | "G" => 1e9,
        "T" | "t" => 1e12,
        _ => return Err(fail()),
    };
    let value = number * scale;
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(fail()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_is_not_a_byte_and_a_gibibyte_is_not_a_gigabyte() {
        assert_eq!(parse_quantity::<BytesPerSecond>("8 Gb/s"), Ok(BytesPerSecond::new(1e9)));
        assert_eq!(parse_quantity::<BytesPerSecond>("8 GB/s"), Ok(BytesPerSecond::new(8e9)));
        assert_eq!(parse_quantity::<Bytes>("1 GiB"), Ok(Bytes::new(1_073_741_824.0)));
        assert_eq!(parse_quantity::<Bytes>("1 GB"), Ok(Bytes::new(1e9)));
    }

    #[test]
    fn a_missing_or_foreign_unit_is_an_error() {
        for text in ["80", "", "GiB", "80 GB/s", "-1 GiB", "nan GiB", "1e400 GiB", "80 Gigs"] {
            assert!(parse_quantity::<Bytes>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_and_rates_read_as_written() {
        assert_eq!(parse_quantity::<Seconds>("30d"), Ok(Seconds::from_days(30.0)));
        assert_eq!(parse_quantity::<Seconds>("9.8s"), Ok(Seconds::new(9.8)));
        assert_eq!(parse_quantity::<FlopRate>("312 TFLOP/s"), Ok(FlopRate::from_tera(312.0)));
    }

    #[test]
    fn counts_take_a_suffix_or_an_exponent() {
        assert_eq!(parse_count("1.3T"), Ok(1.3e12));
        assert_eq!(parse_count("6.74e9"), Ok(6.74e9));
        assert_eq!(parse_count("300_000"), Ok(300_000.0));
        for text in ["0", "-1", "7X", "", "B", "inf", "1e999"] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }
}
